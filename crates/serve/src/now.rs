//! The present of a run, from its feed.

use std::path::Path;

use serde_json::{Value, json};

use crate::follow::Follower;

/// The latest of each kind of event in the part of the feed that is the running cell's; null where there was
/// none.
#[derive(Debug, Default)]
pub(crate) struct Now {
    started: Value,
    loading: Value,
    cell: Value,
    phase: Value,
    live: Value,
    second: Value,
    stopping: Value,
}

/// A drive of the running cell since the cell began.
#[derive(Debug, PartialEq)]
pub(crate) struct Drive<'a> {
    pub(crate) name: &'a str,
    pub(crate) is_log: bool,
    pub(crate) is_modelled: bool,
    so_far: &'a Value,
}

impl Drive<'_> {
    /// A counter of the feed by its name there; 0 where there is none.
    pub(crate) fn counter(&self, name: &str) -> f64 {
        self.so_far[name].as_f64().unwrap_or_default()
    }
}

impl Now {
    /// Reads the feed beside a notebook; empty where there is none.
    pub(crate) fn of(notebook: &Path) -> Self {
        let mut follower = Follower::of(notebook);
        let mut latest: [Option<String>; 7] = Default::default();
        loop {
            let lines = follower.next();
            if lines.is_empty() {
                break;
            }
            for line in lines {
                // Only the last line of each kind is worth reading.
                if let Some(kind) = KINDS.iter().position(|kind| line.text.starts_with(kind)) {
                    latest[kind] = Some(line.text);
                }
            }
        }
        let [started, loading, cell, phase, live, second, stopping] =
            latest.map(|line| line.and_then(|line| serde_json::from_str(&line).ok()).unwrap_or_default());
        Self { started, loading, cell, phase, live, second, stopping }
    }

    /// Number of the running cell, from 1.
    pub(crate) fn number(&self) -> Option<u64> {
        self.cell["number"].as_u64()
    }

    /// The moment at which the running cell began, milliseconds since 1970, UTC.
    #[cfg(feature = "otlp")]
    pub(crate) fn cell_began_ms(&self) -> Option<u64> {
        self.cell["at_ms"].as_u64()
    }

    /// The phase of the running cell.
    pub(crate) fn phase(&self) -> &str {
        self.phase["phase"].as_str().unwrap_or_default()
    }

    /// Work a second, and its unit.
    pub(crate) fn rate(&self) -> Option<(f64, &str)> {
        Some((self.live["rate_per_s"].as_f64()?, self.live["unit"].as_str()?))
    }

    /// Percentiles of the latency in the last second, s.
    pub(crate) fn latencies_s(&self) -> impl Iterator<Item = (&'static str, f64)> {
        [("50", "p50_ns"), ("99", "p99_ns"), ("99.9", "p999_ns")]
            .into_iter()
            .filter_map(|(percentile, key)| Some((percentile, self.live[key].as_f64()? / 1e9)))
    }

    /// Idle share of the machine's processors in the last second, 0 to 1.
    pub(crate) fn cpu_idle(&self) -> Option<f64> {
        self.second["cpu_idle"].as_f64()
    }

    /// The drives of the running cell.
    pub(crate) fn drives(&self) -> impl Iterator<Item = Drive<'_>> {
        self.second["drives"].as_array().into_iter().flatten().map(|drive| Drive {
            name: drive["name"].as_str().unwrap_or_default(),
            is_log: drive["log"] == true,
            is_modelled: drive["modelled"] == true,
            so_far: &drive["so_far"],
        })
    }

    /// The present as one document, in base units; null where nothing is known.
    pub(crate) fn document(&self) -> Value {
        let latency: serde_json::Map<String, Value> = self
            .latencies_s()
            .map(|(percentile, latency_s)| (percentile.to_owned(), latency_s.into()))
            .collect();
        let is_loading = self.cell.is_null();
        json!({
            "stopping": self.stopping["when"], "number": self.cell["number"],
            "total": self.started["total"], "what": self.cell["what"], "phase": self.phase["phase"],
            "loading": if is_loading { self.loading["what"].clone() } else { Value::Null },
            "loading_share": if is_loading { self.loading["share"].clone() } else { Value::Null },
            "at_ms": self.live["at_ms"], "elapsed_s": self.live["elapsed_s"],
            "rate_per_s": self.live["rate_per_s"], "unit": self.live["unit"], "latency_s": latency,
            "cpu_idle": self.second["cpu_idle"],
            "drives": self.second["drives"].as_array().cloned().unwrap_or_default(),
        })
    }
}

/// The beginnings of the lines, in the order of the fields.
const KINDS: [&str; 7] = [
    "{\"event\":\"started\"",
    "{\"event\":\"loading\"",
    "{\"event\":\"cell\"",
    "{\"event\":\"phase\"",
    "{\"event\":\"live\"",
    "{\"event\":\"second\"",
    "{\"event\":\"stopping\"",
];

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use device::Traffic;
    use lab::{DriveSecond, Event, Interrupt, Live, Observer as _, Second};

    use super::*;
    use crate::feed::Feed;

    #[test]
    fn the_latest_of_each_kind_counts_however_long_the_feed_is() {
        let home = tempfile::tempdir().unwrap();
        let notebook = home.path().join("n.db");
        let interrupt = Interrupt::new();
        let feed = Feed::new(&notebook, &lab::Silent, &interrupt);
        let expected = Duration::from_secs(3);
        feed.event(Event::CellStarted { number: 3, total: 9, what: "a cell".to_owned(), expected });
        feed.event(Event::Phase { name: words::PhaseName::Measure });
        for second in 1..=2000_u64 {
            let so_far = Traffic {
                write_bytes: second * 1_000_000,
                busy_ns: second * 500_000_000,
                ..Traffic::default()
            };
            let drive =
                DriveSecond { name: "d".to_owned(), is_log: true, is_modelled: true, second: so_far, so_far };
            feed.event(Event::Second(Second { seconds: 1.0, cpu_idle: 0.25, drives: vec![drive] }));
            feed.event(Event::Live(Live {
                rate_per_s: second as f64,
                unit: "IOPS".to_owned(),
                p50_ns: Some(1_000_000),
                elapsed_s: second as f64,
                ..Live::default()
            }));
        }
        let now = Now::of(&notebook);
        assert_eq!((now.number(), now.phase(), now.rate()), (Some(3), "measure", Some((2000.0, "IOPS"))));
        assert_eq!(now.latencies_s().collect::<Vec<_>>(), [("50", 0.001)]);
        let drives: Vec<Drive<'_>> = now.drives().collect();
        assert!(drives.len() == 1 && drives[0].is_log && drives[0].is_modelled, "{drives:?}");
        assert_eq!((drives[0].counter("written_bytes"), drives[0].counter("busy_s")), (2e9, 1000.0));
        let document = now.document();
        assert_eq!(document["elapsed_s"], 2000.0);
        assert_eq!((&document["cpu_idle"], &document["drives"][0]["name"]), (&json!(0.25), &json!("d")));
    }
}
