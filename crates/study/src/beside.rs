//! Published numbers beside simulated ones: the figure of a procedure that corresponds to a number, and their
//! distance.

use std::collections::BTreeMap;
use words::say;

use published::Number;

use crate::parameter::Values;
use crate::procedure::{Care, Figures, Procedure, ProcedureError, ProcedureFigure, procedures};

/// The counterpart of a published measurement among the simulated figures.
#[derive(Clone, Copy, Debug)]
pub struct Counterpart {
    /// The published number.
    pub number: &'static Number,
    figure: ProcedureFigure,
    /// Turns our figure into the number's unit.
    factor: f64,
    /// The procedure by whose figure ours is divided, for a printed ratio of two measurements.
    over: Option<&'static str>,
    /// The reason why no model of its procedure can meet the number, as far as it is known.
    pub contradiction: Option<&'static str>,
}

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The published number.
    pub number: &'static Number,
    /// The procedure that was simulated.
    pub procedure: String,
    /// The result of the simulation, in the number's unit.
    pub simulated: f64,
    /// The reason why the number cannot be met, if it is known.
    pub contradiction: Option<&'static str>,
    /// True for a printed ratio of two measurements, which is shown but not fitted.
    pub is_ratio: bool,
}

/// An error beyond this share has to be explained.
pub const FAR: f64 = 0.15;

impl Row {
    /// The number beside ours, `simulated`.
    pub(crate) fn new(procedure: String, counterpart: &Counterpart, simulated: f64) -> Row {
        let (number, contradiction) = (counterpart.number, counterpart.contradiction);
        Row { number, procedure, simulated, contradiction, is_ratio: counterpart.over.is_some() }
    }

    /// True if the two differ so much that a reason is required.
    #[must_use]
    pub fn is_far(&self) -> bool {
        self.error().abs() > FAR
    }

    /// The remark beside the two: the reason why the number cannot be met, or the gap in the model where it
    /// is far off.
    #[must_use]
    pub fn remark(&self) -> Option<&'static str> {
        let lack = || {
            let known = LACKS.iter().find(|(id, _)| *id == self.number.id).map(|(_, why)| why());
            self.is_far().then_some(known.unwrap_or(say!("beside-no-reason")))
        };
        self.contradiction.or_else(lack)
    }

    /// (simulated - published) / published.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.simulated / self.number.value - 1.0
    }
}

/// Every published measurement of a procedure with its place among the figures, in the order of the data.
#[must_use]
pub fn counterparts() -> Vec<(String, Counterpart)> {
    published::all().filter(|number| number.kind.is_measured()).filter_map(counterpart).collect()
}

fn counterpart(number: &'static Number) -> Option<(String, Counterpart)> {
    let procedure = procedure_of(number);
    let (figure, factor) = figure_of(number)?;
    let contradiction = CONTRADICTIONS.iter().find(|(id, _)| *id == number.id).map(|(_, why)| why());
    Some((procedure, Counterpart { number, figure, factor, over: None, contradiction }))
}

/// Ratios that are printed in the place of a measurement: number, procedure, the one it is divided by, and
/// the figure of both.
const RATIOS: [(&str, &str, &str, ProcedureFigure); 3] = [
    ("K029", "K-hci-write/nvme", "K-hci-write/sata", ProcedureFigure::GbPerS),
    ("K096", "K-4b", "K-4a", ProcedureFigure::BackupS),
    ("K097", "K-4b", "K-4a", ProcedureFigure::RestoreS),
];

/// Ratios of two measurements of which the study prints only one.
fn ratios() -> Vec<(String, Counterpart)> {
    let placed = |&(id, procedure, over, figure): &(&str, &str, &'static str, ProcedureFigure)| {
        let number = published::all().find(|number| number.id == id)?;
        let counterpart = Counterpart { number, figure, factor: 1.0, over: Some(over), contradiction: None };
        Some((procedure.to_owned(), counterpart))
    };
    RATIOS.iter().filter_map(placed).collect()
}

/// A text of a list.
type Text = fn() -> &'static str;

/// Numbers that contradict others of the same run, and how.
const CONTRADICTIONS: [(&str, Text); 10] = [
    ("K012", || say!("beside-K012")),
    ("K013", || say!("beside-K013")),
    ("K018", || say!("beside-K018")),
    ("K019", || say!("beside-K019")),
    ("K024", || say!("beside-K024")),
    ("K025", || say!("beside-K025")),
    ("K094", || say!("beside-K094")),
    ("I042", || say!("beside-I042")),
    ("I070", || say!("beside-I070")),
    ("S007", || say!("beside-S007")),
];

/// The gaps in the model for numbers that it misses although nothing printed contradicts them.
const LACKS: [(&str, Text); 6] = [
    ("K011", || say!("beside-K011")),
    ("K017", || say!("beside-K017")),
    ("K022", || say!("beside-K022")),
    ("K095", || say!("beside-K095")),
    ("K096", || say!("beside-K096")),
    ("K107", || say!("beside-K107")),
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

fn figure_of(number: &Number) -> Option<(ProcedureFigure, f64)> {
    let metric = number.metric.as_str();
    let figure = match metric {
        "TPM" | "mean TPM per VM" => ProcedureFigure::Tpm,
        "NOPM" | "mean NOPM per VM" => ProcedureFigure::Nopm,
        "TPM per virtual user" => ProcedureFigure::TpmPerUser,
        "CPU idle" => ProcedureFigure::CpuIdle,
        "cluster read IOPS" => ProcedureFigure::ReadIops,
        "cluster write IOPS" => ProcedureFigure::WriteIops,
        "latency read and write" => ProcedureFigure::LatencyMs,
        "mean read latency" if number.test.starts_with("K-5") => ProcedureFigure::ReadMs,
        "mean write latency" => ProcedureFigure::WriteMs,
        "backup time" => ProcedureFigure::BackupS,
        "backup mean throughput" => ProcedureFigure::BackupMbPerS,
        "backup mean latency" => ProcedureFigure::BackupMs,
        "restore time" => ProcedureFigure::RestoreS,
        "restore mean throughput" => return Some((ProcedureFigure::RestoreMbPerS, 1e-3)),
        "restore mean latency" => ProcedureFigure::RestoreMs,
        "elapsed time" => ProcedureFigure::ElapsedMs,
        "CPU time" => ProcedureFigure::CpuMs,
        "scan count" => ProcedureFigure::Scans,
        "logical reads" => ProcedureFigure::LogicalReads,
        "physical reads" => ProcedureFigure::PhysicalReads,
        "read-ahead reads" => ProcedureFigure::AheadReads,
        "read IOPS between bursts, about" => ProcedureFigure::CalmReads,
        "read IOPS during write burst, about" => ProcedureFigure::BurstReads,
        "bandwidth, about" => ProcedureFigure::MbPerS,
        _ if metric.contains("IOPS") => ProcedureFigure::Iops,
        _ if metric.contains("latency") => ProcedureFigure::LatencyMs,
        _ if metric.contains("throughput") || metric.contains("bandwidth") => ProcedureFigure::GbPerS,
        _ => return None,
    };
    Some((figure, 1.0))
}

impl Counterpart {
    /// Our figure in the number's unit, from the figures of a procedure by name; `None` when the procedure
    /// does not give it.
    ///
    /// # Errors
    /// Those of `figures_of`.
    pub fn of<E>(
        &self,
        procedure: &str,
        figures_of: &mut dyn FnMut(&str) -> Result<Option<Figures>, E>,
    ) -> Result<Option<f64>, E> {
        let mut figure = |name: &str| -> Result<Option<f64>, E> {
            Ok(figures_of(name)?.and_then(|figures| figures.get(&self.figure).copied()))
        };
        let Some(value) = figure(procedure)? else { return Ok(None) };
        let Some(over) = self.over else { return Ok(Some(value * self.factor)) };
        Ok(figure(over)?.map(|other| value / other))
    }
}

/// Simulates every procedure with a published measurement (those of which `wanted` says so) and sets the
/// figures beside the numbers: measurements first, printed ratios after them.
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
    let mut seen: BTreeMap<String, Figures> = BTreeMap::new();
    let mut figures_of = |name: &str| -> Result<Option<Figures>, ProcedureError> {
        if let Some(figures) = seen.get(name) {
            return Ok(Some(figures.clone()));
        }
        let Some(procedure) = all.iter().find(|procedure| procedure.name == name) else { return Ok(None) };
        let figures = Procedure::simulate(procedure, values, care, seed)?;
        seen.insert(name.to_owned(), figures.clone());
        Ok(Some(figures))
    };
    let chosen = counterparts().into_iter().chain(ratios()).filter(|(name, _)| wanted(name));
    let mut rows = Vec::new();
    for (procedure, counterpart) in chosen {
        if let Some(simulated) = counterpart.of(&procedure, &mut figures_of)? {
            rows.push(Row::new(procedure, &counterpart, simulated));
        }
    }
    Ok(rows)
}

/// Measurements that contradict no other number of their run.
#[must_use]
pub fn consistent(rows: &[Row]) -> Vec<Row> {
    rows.iter().filter(|row| !row.is_ratio && row.contradiction.is_none()).cloned().collect()
}

/// Median of the absolute errors of measurements, and the error that nine in ten stay within. Ratios are left
/// out: they are made of the same.
#[must_use]
pub fn spread(rows: &[Row]) -> (f64, f64) {
    let measured = rows.iter().filter(|row| !row.is_ratio);
    let mut errors: Vec<f64> = measured.map(|row| row.error().abs()).collect();
    errors.sort_by(f64::total_cmp);
    let at =
        |share: f64| errors.get(((errors.len() as f64 * share).ceil() as usize).saturating_sub(1)).copied();
    (at(0.5).unwrap_or(0.0), at(0.9).unwrap_or(0.0))
}
