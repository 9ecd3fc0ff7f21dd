//! The metrics of the run under way, sent to a collector of OpenTelemetry by OTLP over HTTP (binary
//! protobuf).
//!
//! Invariant: the run never waits for a collector. A thread of its own reads the feed, as the pages do, and
//! every wait of it has a limit; a request that did not get through is not repeated, the next one has the
//! present figures.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ground::Clock;
use notebook::Notebook;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Metric, NumberDataPoint, ResourceMetrics, ScopeMetrics, Sum, metric,
    number_data_point,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message as _;
use words::Unit;

use crate::metrics::{Family, Label, families};
use crate::now::Now;

/// The path of metrics below a collector's address; specification of OTLP, "OTLP/HTTP Request".
const PATH: &str = "/v1/metrics";
/// The time between two requests.
const INTERVAL: Duration = Duration::from_secs(2);
/// The longest time that one request takes with all of its waits.
const PATIENCE: Duration = Duration::from_secs(5);
/// The interval at which the thread sees that it is to end.
const TICK: Duration = Duration::from_millis(100);

/// The address to which metrics are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector(String);

impl Collector {
    /// Reads the address of a collector, such as `http://127.0.0.1:4318`; that of its metrics ends with
    /// `/v1/metrics` and is taken as well.
    ///
    /// # Errors
    /// The reason why nothing can be sent there.
    pub fn new(address: &str) -> Result<Collector, String> {
        let Some(rest) = address.strip_prefix("http://") else {
            let https = address.starts_with("https://");
            return Err(match https {
                true => "https is not spoken here: name a collector on this host or a trusted network, which passes the metrics on",
                false => "it does not begin with http://, as in http://127.0.0.1:4318",
            }
            .to_owned());
        };
        let rest = rest.trim_end_matches('/');
        let is_address = |text: &str| format!("http://{text}").parse::<axum::http::Uri>().is_ok();
        if rest.is_empty() || rest.contains(['?', '#', '@']) || !is_address(rest) {
            return Err("it is no address such as http://127.0.0.1:4318".to_owned());
        }
        let path = if rest.ends_with(PATH) { "" } else { PATH };
        Ok(Collector(format!("http://{rest}{path}")))
    }
}

/// Sends the metrics of the run under way as long as this value lives.
pub struct Exporter {
    stop: Arc<AtomicBool>,
}

impl Exporter {
    /// Begins to send. `tell` hears once that a collector cannot be reached, and once that it can again.
    ///
    /// # Errors
    /// When no thread can be made.
    pub fn start(
        notebook: &Path,
        collector: &Collector,
        tell: impl Fn(&str) + Send + 'static,
    ) -> std::io::Result<Exporter> {
        let stop = Arc::new(AtomicBool::new(false));
        let (ends, path, to) = (Arc::clone(&stop), notebook.to_owned(), collector.0.clone());
        // Nobody joins it: a request that is under way at the end is given up with the process.
        std::thread::Builder::new().name("otlp".to_owned()).spawn(move || send(&path, &to, &ends, tell))?;
        Ok(Exporter { stop })
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
    }
}

fn send(path: &Path, to: &str, ends: &AtomicBool, tell: impl Fn(&str)) {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().timeout_global(Some(PATIENCE)).max_redirects(0).build().into();
    let mut is_lost = false;
    while !ends.load(Ordering::Acquire) {
        if let Some(bytes) = request(path) {
            let sent = agent.post(to).header("content-type", "application/x-protobuf").send(&bytes[..]);
            match (sent, is_lost) {
                (Err(error), false) => {
                    tell(&format!("metrics do not reach {to}: {error}; the run continues without them"));
                    is_lost = true;
                }
                (Ok(_), true) => {
                    tell(&format!("metrics reach {to} again"));
                    is_lost = false;
                }
                _ => {}
            }
        }
        let mut waited = Duration::ZERO;
        while waited < INTERVAL && !ends.load(Ordering::Acquire) {
            Clock::Wall.sleep(TICK);
            waited += TICK;
        }
    }
}

/// The message of this moment; `None` where the notebook cannot be read just now.
fn request(path: &Path) -> Option<Vec<u8>> {
    let (notebook, now) = (Notebook::open_existing(path).ok()?, Now::of(path));
    let at_ms = Clock::Wall.unix_ms().unsigned_abs();
    let moments =
        Moments { at_ns: at_ms * 1_000_000, from_ns: now.cell_began_ms().unwrap_or(at_ms) * 1_000_000 };
    Some(message(&families(&notebook, &now).ok()?, moments).encode_to_vec())
}

/// Nanoseconds since 1970: the moment of the figures, and that from which counters count.
#[derive(Clone, Copy)]
struct Moments {
    at_ns: u64,
    from_ns: u64,
}

fn message(families: &[Family], moments: Moments) -> ExportMetricsServiceRequest {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let resource = [("service.name", "drivetrain".to_owned()), ("service.version", version.clone())];
    let scope = InstrumentationScope { name: "drivetrain".to_owned(), version, ..Default::default() };
    let metrics = families.iter().map(|family| metric(family, moments)).collect();
    ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics {
            resource: Some(Resource {
                attributes: resource.iter().map(attribute).collect(),
                ..Default::default()
            }),
            scope_metrics: vec![ScopeMetrics { scope: Some(scope), metrics, ..Default::default() }],
            ..Default::default()
        }],
    }
}

fn metric(family: &Family, moments: Moments) -> Metric {
    let point = |(labels, value): &(Vec<Label>, f64)| NumberDataPoint {
        attributes: labels.iter().map(attribute).collect(),
        start_time_unix_nano: if family.is_counter { moments.from_ns } else { 0 },
        time_unix_nano: moments.at_ns,
        value: Some(number_data_point::Value::AsDouble(*value)),
        ..Default::default()
    };
    let data_points = family.samples.iter().map(point).collect();
    let data = match family.is_counter {
        true => metric::Data::Sum(Sum {
            data_points,
            aggregation_temporality: AggregationTemporality::Cumulative.into(),
            is_monotonic: true,
        }),
        false => metric::Data::Gauge(Gauge { data_points }),
    };
    Metric {
        name: family.name.to_owned(),
        description: family.help.to_owned(),
        unit: in_ucum(family.unit).to_owned(),
        data: Some(data),
        ..Default::default()
    }
}

/// A unit of a family as UCUM writes it.
fn in_ucum(unit: Unit) -> &'static str {
    match unit {
        Unit::Seconds => "s",
        Unit::Bytes => "By",
        Unit::PerSecond => "1/s",
        _ => "1",
    }
}

fn attribute((key, value): &Label) -> KeyValue {
    let value = AnyValue { value: Some(any_value::Value::StringValue(value.clone())) };
    KeyValue { key: (*key).to_owned(), value: Some(value), ..Default::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_that_of_the_collector_or_of_its_metrics() {
        for address in ["http://lab:4318", "http://lab:4318/", "http://lab:4318/v1/metrics"] {
            assert_eq!(Collector::new(address), Ok(Collector("http://lab:4318/v1/metrics".to_owned())));
        }
        assert_eq!(
            Collector::new("http://[::1]:80/a").map(|collector| collector.0),
            Ok("http://[::1]:80/a/v1/metrics".to_owned())
        );
        for address in [
            "",
            "lab:4318",
            "https://lab",
            "http://",
            "http://a b",
            "http://lab?x",
            "http://u:p@lab",
            "grpc://lab",
        ] {
            assert!(Collector::new(address).is_err(), "{address}");
        }
    }

    #[test]
    fn units_are_written_as_collectors_read_them() {
        let units = [Unit::Seconds, Unit::Bytes, Unit::PerSecond, Unit::Count, Unit::Index];
        assert_eq!(units.map(in_ucum), ["s", "By", "1/s", "1", "1"]);
    }
}
