//! The history for other programs: JSON, the CSV of Otava, and Bencher's metric format.

use super::shift::Shift;
use super::{Line, Trend};
use serde_json::{Value, json};

impl Trend {
    /// The history as one JSON object. A change has its ratio with the ends of the 95 % interval, `null`
    /// where there is none. `too_few` is true of a series with fewer values than a change can be found in.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let value = |(index, value): &(usize, f64)| json!({ "run": self.runs[*index].0, "value": value });
        let line = |line: &Line| {
            json!({
                "bed": line.bed, "workload": line.workload, "level": line.level, "metric": line.metric.name(),
                "unit": line.unit, "too_few": line.is_too_few(),
                "values": line.values.iter().map(value).collect::<Vec<_>>(),
                "changes": line.shifts.iter().map(|shift| self.shift_json(line, shift)).collect::<Vec<_>>(),
            })
        };
        json!({
            "format": "drivetrain.trend/1",
            "name": self.name,
            "runs": self.runs.iter().map(|(run, at)| json!({ "run": run, "started_at": at })).collect::<Vec<_>>(),
            "lines": self.lines.iter().map(line).collect::<Vec<_>>(),
            "breaks": self.turns.iter().map(|turn| turn.to_json()).collect::<Vec<_>>(),
        })
    }

    fn shift_json(&self, line: &Line, shift: &Shift) -> Value {
        let (low, high) = shift.size.and_then(|size| size.ends).unzip();
        json!({
            "run": self.runs[line.values[shift.at].0].0,
            "before": shift.before, "after": shift.after, "p": shift.p,
            "ratio": shift.size.map(|size| size.ratio), "low": low, "high": high,
            "runs_before": shift.runs.0, "runs_after": shift.runs.1,
        })
    }

    /// The table that Otava's CSV importer reads: a row for each run, with its time and one column a metric.
    #[must_use]
    pub fn to_otava_csv(&self) -> String {
        let mut text = "time,run".to_owned();
        self.lines.iter().for_each(|line| text.push_str(&format!(",{}", line.key())));
        text.push('\n');
        for (index, (run, started)) in self.runs.iter().enumerate() {
            text.push_str(&format!("{started},{run}"));
            for line in &self.lines {
                let value = line.values.iter().find(|pair| pair.0 == index);
                text.push_str(&value.map_or_else(|| ",".to_owned(), |pair| format!(",{}", pair.1)));
            }
            text.push('\n');
        }
        text
    }

    /// The latest run in Bencher's metric format: a benchmark for each place, a measure for each metric, with
    /// the ends of the 95 % interval where the run has enough cells for it.
    #[must_use]
    pub fn to_bencher_json(&self) -> Value {
        let mut benchmarks = serde_json::Map::new();
        for line in &self.lines {
            let Some((_, value)) = line.values.last().filter(|pair| pair.0 + 1 == self.runs.len()) else {
                continue;
            };
            let name = format!("{}/{}/{}", line.bed, line.workload, line.level);
            let measures = benchmarks.entry(name).or_insert_with(|| json!({}));
            let mut measure = json!({ "value": value });
            if let Some((low, high)) = line.intervals.last().copied().flatten() {
                measure["lower_value"] = json!(low);
                measure["upper_value"] = json!(high);
            }
            measures[line.metric.name().as_ref() as &str] = measure;
        }
        Value::Object(benchmarks)
    }
}

impl Line {
    /// A name for a column: letters, digits, dots and underscores.
    fn key(&self) -> String {
        let name = format!("{}.{}.{}.{}", self.bed, self.workload, self.level, self.metric.name());
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' }).collect()
    }
}
