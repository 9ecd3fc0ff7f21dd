//! Published numbers beside simulated ones: which figure of which procedure stands beside a number, and how far they are apart.

use std::collections::BTreeMap;

use experiment::published::{self, Number};

use crate::parameter::Values;
use crate::procedure::{Care, Figures, Procedure, ProcedureError, procedures};

/// Where a published measurement stands among the simulated figures.
#[derive(Clone, Copy, Debug)]
pub struct Counterpart {
    /// The published number.
    pub number: &'static Number,
    figure: &'static str,
    /// Turns our figure into the number's unit.
    factor: f64,
    /// Why the number cannot be met by any model of its procedure, as far as that is known.
    pub contradiction: Option<&'static str>,
}

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The published number.
    pub number: &'static Number,
    /// The procedure that was simulated.
    pub procedure: String,
    /// What the simulation gave, in the number's unit.
    pub simulated: f64,
    /// Why the number cannot be met, where that is known.
    pub contradiction: Option<&'static str>,
}

impl Row {
    /// (simulated - published) / published.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.simulated / self.number.value - 1.0
    }
}

/// Every published measurement of a procedure with its place among the figures, in the order of the data.
#[must_use]
pub fn counterparts() -> Vec<(String, Counterpart)> {
    published::all().filter(|number| number.kind.starts_with("measured")).filter_map(counterpart).collect()
}

fn counterpart(number: &'static Number) -> Option<(String, Counterpart)> {
    let procedure = procedure_of(number);
    let (figure, factor) = figure_of(number)?;
    let contradiction = CONTRADICTIONS.iter().find(|(id, _)| *id == number.id).map(|(_, why)| *why);
    Some((procedure, Counterpart { number, figure, factor, contradiction }))
}

/// Numbers that contradict others of the same run, and how.
const CONTRADICTIONS: [(&str, &str); 10] = [
    ("K012", "142 in flight by Little's law on the printed IOPS; the setting is 192"),
    ("K013", "107 in flight by Little's law on the printed IOPS; the setting is 192"),
    ("K018", "255 in flight by Little's law on the printed IOPS; no more than 192 can be"),
    ("K019", "203 in flight by Little's law on the printed IOPS; no more than 192 can be"),
    ("K024", "122 in flight by Little's law on the printed throughput; the setting is 192"),
    ("K025", "94 in flight by Little's law on the printed throughput; the setting is 192"),
    ("K094", "181 GB in 129 s, but the database has 157 GB"),
    ("I042", "65,000 reads of 8 KiB are 532 MB/s and 46,000 writes 377 MB/s; one number stands for both"),
    (
        "I070",
        "2,790 late pages of 1,006,198 where the scans have 13 in 1,000: the lookup's prefetch is another mechanism",
    ),
    ("S007", "128 requests of 64 KiB at 2.8 GB/s take 3.0 ms"),
];

fn procedure_of(number: &Number) -> String {
    let bed = if number.system.contains("SATA") { "sata" } else { "nvme" };
    match number.test.as_str() {
        "K-hci-mix" if number.conditions.contains("64k") => format!("K-hci-mix-64k/{bed}"),
        "K-hci-mix" => format!("K-hci-mix-4k/{bed}"),
        "K-hci-read" | "K-hci-write" => format!("{}/{bed}", number.test),
        "IOD-sqlio" if number.metric.contains("write") => "IOD-sqlio-write".to_owned(),
        "IOD-sqlio" => "IOD-sqlio-read".to_owned(),
        test if test.starts_with("SR-") => format!("{test}/{bed}"),
        test => test.to_owned(),
    }
}

fn figure_of(number: &Number) -> Option<(&'static str, f64)> {
    let metric = number.metric.as_str();
    let figure = match metric {
        "TPM" | "mean TPM per VM" => "tpm",
        "NOPM" | "mean NOPM per VM" => "nopm",
        "TPM per virtual user" => "tpm_per_user",
        "CPU idle" => "cpu_idle",
        "cluster read IOPS" => "read_iops",
        "cluster write IOPS" => "write_iops",
        "latency read and write" => "latency_ms",
        "mean read latency" if number.test.starts_with("K-5") => "read_ms",
        "mean write latency" => "write_ms",
        "backup time" => "backup_s",
        "backup mean throughput" => "backup_mb_per_s",
        "backup mean latency" => "backup_ms",
        "restore time" => "restore_s",
        "restore mean throughput" => return Some(("restore_mb_per_s", 1e-3)),
        "restore mean latency" => "restore_ms",
        "elapsed time" => "elapsed_ms",
        "CPU time" => "cpu_ms",
        "scan count" => "scans",
        "logical reads" => "logical_reads",
        "physical reads" => "physical_reads",
        "read-ahead reads" => "ahead_reads",
        "read IOPS between bursts, about" => "calm_reads",
        "read IOPS during write burst, about" => "burst_reads",
        "bandwidth, about" => "mb_per_s",
        _ if metric.contains("IOPS") => "iops",
        _ if metric.contains("latency") => "latency_ms",
        _ if metric.contains("throughput") || metric.contains("bandwidth") => "gb_per_s",
        _ => return None,
    };
    Some((figure, 1.0))
}

impl Counterpart {
    /// Our figure in the number's unit; `None` when the procedure does not give it.
    #[must_use]
    pub fn of(&self, figures: &Figures) -> Option<f64> {
        figures.get(self.figure).map(|value| value * self.factor)
    }
}

/// Simulates every procedure with a published measurement (those of which `wanted` says so) and sets the figures beside the numbers.
///
/// # Errors
/// When a bed or a load cannot be.
pub fn table(
    values: &Values,
    care: Care,
    seed: u64,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Row>, ProcedureError> {
    let all = procedures(values);
    let mut figures: BTreeMap<String, Figures> = BTreeMap::new();
    let mut rows = Vec::new();
    for (name, counterpart) in counterparts().into_iter().filter(|(name, _)| wanted(name)) {
        if !figures.contains_key(&name) {
            let Some(procedure) = all.iter().find(|procedure| procedure.name == name) else { continue };
            figures.insert(name.clone(), Procedure::simulate(procedure, values, care, seed)?);
        }
        if let Some(simulated) = figures.get(&name).and_then(|figures| counterpart.of(figures)) {
            rows.push(Row {
                number: counterpart.number,
                procedure: name,
                simulated,
                contradiction: counterpart.contradiction,
            });
        }
    }
    Ok(rows)
}

/// Median of the absolute errors, and the error that nine in ten stay within.
#[must_use]
pub fn spread(rows: &[Row]) -> (f64, f64) {
    let mut errors: Vec<f64> = rows.iter().map(|row| row.error().abs()).collect();
    errors.sort_by(f64::total_cmp);
    let at =
        |share: f64| errors.get(((errors.len() as f64 * share).ceil() as usize).saturating_sub(1)).copied();
    (at(0.5).unwrap_or(0.0), at(0.9).unwrap_or(0.0))
}
