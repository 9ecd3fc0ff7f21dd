//! Metrics for a collector: what it receives, and that none is waited for.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use lab::Interrupt;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::{Metric, NumberDataPoint, metric::Data, number_data_point};
use prost::Message as _;
use serve::{Collector, Exporter, Feed};

use crate::metrics::tell;
use crate::site::{HOSTILE, notebook};

const PATIENCE: Duration = Duration::from_secs(60);

/// A collector that answers each request with this status; gives head and contents of each.
fn collector(status: &'static str) -> (Collector, Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (send, requests) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let request = received(&mut stream.unwrap(), status);
            if request.is_some_and(|request| send.send(request).is_err()) {
                break;
            }
        }
    });
    (Collector::new(&format!("http://{address}")).unwrap(), requests)
}

fn received(stream: &mut TcpStream, status: &str) -> Option<(String, Vec<u8>)> {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut bytes = Vec::new();
    let (mut buffer, mut wanted) = ([0; 4096], None);
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            wanted = length.map(|length| end + 4 + length.parse::<usize>().unwrap());
            if bytes.len() >= wanted.unwrap() {
                let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                stream.write_all(answer.as_bytes()).ok()?;
                return Some((head, bytes.split_off(end + 4)));
            }
        }
        match stream.read(&mut buffer).ok()? {
            0 => panic!("cut after {} bytes of {wanted:?}", bytes.len()),
            read => bytes.extend_from_slice(&buffer[..read]),
        }
    }
}

fn metrics(contents: &[u8]) -> Vec<Metric> {
    let request = ExportMetricsServiceRequest::decode(contents).expect("a message of the protocol");
    let resource = request.resource_metrics.into_iter().next().expect("one resource");
    assert_eq!(text(&resource.resource.unwrap().attributes, "service.name"), "drivetrain");
    resource.scope_metrics.into_iter().next().expect("one scope").metrics
}

fn text(attributes: &[KeyValue], key: &str) -> String {
    let found = attributes.iter().find(|one| one.key == key).unwrap_or_else(|| panic!("no {key}"));
    match found.value.clone().unwrap().value.unwrap() {
        any_value::Value::StringValue(text) => text,
        other => panic!("{other:?}"),
    }
}

fn points(metrics: &[Metric], name: &str) -> Vec<NumberDataPoint> {
    let found = metrics.iter().find(|metric| metric.name == name).unwrap_or_else(|| panic!("no {name}"));
    match found.data.clone().unwrap() {
        Data::Gauge(gauge) => gauge.data_points,
        Data::Sum(sum) => {
            assert!(sum.is_monotonic && sum.aggregation_temporality == 2 && name.ends_with("_total"));
            sum.data_points
        }
        other => panic!("{other:?}"),
    }
}

fn value(point: &NumberDataPoint) -> f64 {
    match point.value.unwrap() {
        number_data_point::Value::AsDouble(value) => value,
        number_data_point::Value::AsInt(value) => panic!("{value}"),
    }
}

#[test]
fn a_collector_gets_the_figures_of_the_running_cell() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let _notebook = notebook(&path);
    let interrupt = Interrupt::new();
    let feed = Feed::new(&path, &lab::Silent, &interrupt);
    tell(&feed);
    let (collector, requests) = collector("200 OK");
    let _exporter = Exporter::start(&path, &collector, |text| panic!("{text}")).unwrap();
    let (head, contents) = requests.recv_timeout(PATIENCE).unwrap();
    assert!(
        head.starts_with("post /v1/metrics http/1.1") && head.contains("application/x-protobuf"),
        "{head}"
    );
    let metrics = metrics(&contents);
    assert_eq!(
        metrics.len(),
        12,
        "as /metrics: {:?}",
        metrics.iter().map(|one| &one.name).collect::<Vec<_>>()
    );
    let latencies = points(&metrics, "drivetrain_latency_seconds");
    assert_eq!((text(&latencies[1].attributes, "percentile").as_str(), value(&latencies[1])), ("99", 0.02));
    for (label, expected) in [("bed", HOSTILE), ("experiment", HOSTILE), ("level", "1"), ("phase", "measure")]
    {
        assert_eq!(text(&latencies[0].attributes, label), expected);
    }
    let written = &points(&metrics, "drivetrain_drive_written_bytes_total")[1];
    assert_eq!((text(&written.attributes, "role").as_str(), value(written)), ("log", 40_960.0));
    assert!(0 < written.start_time_unix_nano && written.start_time_unix_nano <= written.time_unix_nano);
    // It goes on second by second.
    requests.recv_timeout(PATIENCE).unwrap();
}

#[test]
fn a_collector_that_refuses_or_is_missing_is_told_once_and_the_next_request_comes_all_the_same() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let _notebook = notebook(&path);
    let (collector, requests) = collector("503 Service Unavailable");
    let (tell, told) = channel();
    let exporter =
        Exporter::start(&path, &collector, move |text| tell.send(text.to_owned()).unwrap()).unwrap();
    for _ in 0..2 {
        requests.recv_timeout(PATIENCE).unwrap();
    }
    let first = told.recv_timeout(PATIENCE).unwrap();
    assert!(first.contains("503") && first.contains("the run continues without them"), "{first}");
    assert!(told.try_recv().is_err(), "once");
    drop(exporter);
}

#[test]
fn a_collector_that_never_answers_is_not_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let _notebook = notebook(&path);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let collector = Collector::new(&format!("http://{}", silent.local_addr().unwrap())).unwrap();
    let (tell, told) = channel::<String>();
    let exporter = Exporter::start(&path, &collector, move |text| drop(tell.send(text.to_owned()))).unwrap();
    let _held = silent.accept().unwrap();
    let interrupt = Interrupt::new();
    let feed = Feed::new(&path, &lab::Silent, &interrupt);
    (0..100).for_each(|_| self::tell(&feed)); // None of them waits: the test would last for hours.
    let first = told.recv_timeout(PATIENCE).unwrap();
    assert!(first.contains("do not reach"), "each wait has a limit: {first}");
    drop((exporter, feed)); // It ends although another request may be under way.
}
