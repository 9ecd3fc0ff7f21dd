//! The present of a run, from its feed.

use std::path::Path;

use serde_json::Value;

use crate::follow::Follower;

/// The latest of each kind of event.
#[derive(Debug, Default)]
pub(crate) struct Now {
    /// Number of the running cell, from 1.
    pub(crate) number: Option<u64>,
    /// Cells of the run.
    pub(crate) total: Option<u64>,
    pub(crate) phase: Option<String>,
    /// Work a second, and its unit.
    pub(crate) rate: Option<(f64, String)>,
    /// Quantile and latency in nanoseconds.
    pub(crate) latencies: Vec<(&'static str, u64)>,
}

impl Now {
    /// Reads the feed beside a notebook; empty where there is none.
    pub(crate) fn of(notebook: &Path) -> Self {
        let mut now = Self::default();
        for line in Follower::of(notebook).next() {
            if let Ok(event) = serde_json::from_str::<Value>(&line.text) {
                now.take(&event);
            }
        }
        now
    }

    fn take(&mut self, event: &Value) {
        match event["event"].as_str() {
            Some("started") => self.total = event["total"].as_u64(),
            Some("cell") => self.number = event["number"].as_u64(),
            Some("phase") => self.phase = event["phase"].as_str().map(str::to_owned),
            Some("live") => {
                let unit = event["unit"].as_str().unwrap_or_default().to_owned();
                self.rate = event["rate_per_s"].as_f64().map(|rate| (rate, unit));
                self.latencies = [("0.5", "p50_ns"), ("0.99", "p99_ns"), ("0.999", "p999_ns")]
                    .into_iter()
                    .filter_map(|(quantile, key)| Some((quantile, event[key].as_u64()?)))
                    .collect();
            }
            _ => {}
        }
    }
}
