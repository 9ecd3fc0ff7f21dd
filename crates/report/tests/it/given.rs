//! Small runs as a notebook holds them: every part that two runs can differ in is a field.

use std::collections::BTreeMap;
use std::path::Path;

use notebook::{
    Bed, CellRecord, CellState, Event, Measurement, Notebook, PlannedCell, RunId, RunPlan, RunState,
};

/// The beds of all runs here.
macro_rules! beds {
    () => {
        r#"[[bed]]
name = "nvme"
storage = { emulated = "kingston-dc1500m-960g", path = "." }

[[bed]]
name = "eco"
storage = { emulated = "micron-5200-eco-1920g", path = "." }
"#
    };
}
/// The factors that all runs here vary, and the number of repeats.
macro_rules! design {
    () => {
        "[design]\ntreatment = [\"storage\"]\nrepeats = 2\n"
    };
}

/// Two beds under two block loads.
pub(crate) const BLOCK: &str = concat!(
    "schema = 1\ntitle = \"Two drives\"\n\n",
    beds!(),
    r#"
[[workload]]
kind = "block"
name = "mixed"
size = "64MiB"
depth = [2, 4]
ramp_up = "1s"
measure = "1s"
[[workload.stream]]
pattern = "uniform"
read = "50%"
block_size = "64KiB"

[[workload]]
kind = "block"
name = "other"
size = "64MiB"
depth = [1, 8]
ramp_up = "1s"
measure = "1s"
[[workload.stream]]
read = "100%"
block_size = "4KiB"

"#,
    design!()
);

/// Two beds under order entry.
pub(crate) const ORDERS: &str = concat!(
    "schema = 1\ntitle = \"Two drives under orders\"\n\n",
    beds!(),
    r#"
[database]
engine = "sqlite"
memory = "8MiB"

[[workload]]
kind = "tpcc"
warehouses = 2
virtual_users = [1, 2]
ramp_up = "1s"
measure = "1s"

"#,
    design!()
);

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) name: String,
    pub(crate) toml: String,
    /// The text that the notebook keeps, where it is another.
    pub(crate) stored: Option<String>,
    pub(crate) seed: u64,
    pub(crate) scale: f64,
    pub(crate) realm: &'static str,
    pub(crate) tool: &'static str,
    pub(crate) smallest_effect: f64,
    /// The version that the engine tells, if it tells one.
    pub(crate) engine: Option<&'static str>,
    pub(crate) facts: Vec<(String, BTreeMap<String, String>)>,
    pub(crate) state: RunState,
    /// Cells without a record, from the end.
    pub(crate) unrun: usize,
    /// Bed, workload, level and how many of its cells are invalid.
    pub(crate) invalid: Vec<(&'static str, &'static str, f64, u32)>,
    /// The share of the processors that other programs took in every cell, in per cent.
    pub(crate) others: f64,
    /// By how much it is faster than the others.
    pub(crate) factor: f64,
    /// The steps in which its cells differ, as a share.
    pub(crate) spread: f64,
}

impl Given {
    /// A finished run of an experiment.
    pub(crate) fn of(toml: &str) -> Given {
        Given {
            name: "x.toml".to_owned(),
            toml: toml.to_owned(),
            stored: None,
            seed: 7,
            scale: 1.0,
            realm: "emulated",
            tool: "drivetrain 0.1.0",
            smallest_effect: 0.03,
            engine: Some("3.51.0"),
            facts: Vec::new(),
            state: RunState::Finished,
            unrun: 0,
            invalid: Vec::new(),
            others: 1.0,
            factor: 1.0,
            spread: 0.002,
        }
    }

    /// With what was recorded of a bed's drive, in place of what was before.
    pub(crate) fn with_drive(self, bed: &str, facts: &[(&str, &str)]) -> Given {
        self.with_facts(&format!("drive:{bed}"), facts)
    }

    pub(crate) fn with_facts(mut self, scope: &str, facts: &[(&str, &str)]) -> Given {
        self.facts.retain(|(known, _)| known != scope);
        let facts = facts.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        self.facts.push((scope.to_owned(), facts));
        self
    }

    /// Writes it into a new notebook.
    pub(crate) fn write(&self, path: &Path) -> (Notebook, RunId) {
        let parsed =
            experiment::parse(&self.toml, &self.name).unwrap_or_else(|d| panic!("{}", d.render(false)));
        let notebook = Notebook::open_or_create(path).unwrap();
        let beds: Vec<Bed> = parsed
            .bed
            .iter()
            .map(|bed| Bed { name: bed.name.clone(), realm: self.realm.to_owned(), ..Bed::default() })
            .collect();
        let run = RunPlan {
            name: self.name.clone(),
            title: parsed.title.clone(),
            experiment_toml: self.stored.clone().unwrap_or_else(|| experiment::to_toml(&parsed)),
            seed: self.seed,
            scale: self.scale,
            realm: self.realm.to_owned(),
            tool_version: self.tool.to_owned(),
            baseline: "eco".to_owned(),
            treatment: parsed.design.treatment.iter().map(ToString::to_string).collect(),
            smallest_effect_throughput: self.smallest_effect,
            smallest_effect_p99: 0.1,
            order: parsed.design.order.to_string(),
            work_dir: path.display().to_string(),
            ..RunPlan::default()
        };
        let run = notebook.start_run(&run, &beds, &plan(&parsed)).unwrap();
        for (scope, facts) in &self.facts {
            notebook.add_fact_set(run, scope, facts).unwrap();
        }
        let cells = notebook.cells(run).unwrap();
        for cell in &cells[..cells.len() - self.unrun] {
            notebook.begin_cell(cell.id).unwrap();
            notebook.record_cell(cell.id, &self.record(cell)).unwrap();
        }
        notebook.finish_run(run, self.state).unwrap();
        (notebook, run)
    }

    fn record(&self, cell: &notebook::Cell) -> CellRecord {
        let asked = (cell.bed.as_str(), cell.workload.as_str(), cell.level);
        let lost = self.invalid.iter().any(|i| (i.0, i.1, i.2) == asked && cell.repeat < i.3);
        if lost {
            let reasons = words::Reason::error("the drive failed").into();
            return CellRecord { state: CellState::Invalid, reasons, ..CellRecord::default() };
        }
        // A little noise, the same in every run of the same shape.
        let noise = 1.0 + self.spread * f64::from((cell.position * 7 + cell.repeat * 3) % 5);
        let name = if cell.level_name == "virtual users" { "nopm" } else { "iops" };
        let measured = [
            (name, 1000.0 * self.factor * noise, if name == "nopm" { "1/min" } else { "1/s" }),
            ("latency_p99", noise, "ms"),
            ("cpu_others", self.others * noise, "%"),
        ];
        let measurements = measured.map(|(metric, value, unit)| Measurement {
            metric: metric.to_owned(),
            value,
            unit: unit.to_owned(),
        });
        let version = self
            .engine
            .map(|version| Event::once(words::EventKind::Setting, format!("sqlite.version = {version}")));
        CellRecord {
            state: CellState::Done,
            measurements: measurements.into(),
            events: version.into_iter().collect(),
            ..CellRecord::default()
        }
    }
}

fn plan(parsed: &experiment::Experiment) -> Vec<PlannedCell> {
    let mut cells = Vec::new();
    for repeat in 0..parsed.design.repeats {
        for workload in &parsed.workload {
            for level in workload.levels() {
                for bed in &parsed.bed {
                    cells.push(PlannedCell {
                        position: cells.len() as u32,
                        bed: bed.name.clone(),
                        workload: workload.name().to_owned(),
                        level,
                        level_name: workload.level_name().into(),
                        repeat,
                        kind: workload.kind(),
                    });
                }
            }
        }
    }
    cells
}

/// The two workloads of [`BLOCK`] in the other order.
pub(crate) fn swapped(toml: &str) -> String {
    let parts: Vec<&str> = toml.split("[[workload]]").collect();
    let (last, design) = parts[2].split_once("[design]").unwrap();
    format!("{}[[workload]]{last}[[workload]]{}[design]{design}", parts[0], parts[1])
}

/// Without one bed, and without a treatment, which one bed cannot have.
pub(crate) fn without(toml: &str, bed: &str) -> String {
    let start = toml.find(&format!("[[bed]]\nname = \"{bed}\"")).unwrap();
    let end = toml[start..].find("[[workload]]").unwrap() + start;
    format!("{}{}", &toml[..start], &toml[end..]).replace("treatment = [\"storage\"]", "treatment = []")
}
