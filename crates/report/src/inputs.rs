//! The check of the users' input against clause 5.5.1.5: its shares over all valid cells of a workload.

use crate::sentences::Text;
use notebook::CellState;
use words::{MetricName, say};

use crate::loaded_run::LoadedRun;
use crate::table::{Entry, Table, Tone, columns};

/// A share of the input and the limits that TPC-C 5.5.1.5 sets to it.
struct Rule {
    /// Name in the notebook, behind `input_`.
    name: &'static str,
    title: Text,
    unit: &'static str,
    low: f64,
    high: f64,
}

const fn rule(name: &'static str, title: Text, unit: &'static str, low: f64, high: f64) -> Rule {
    Rule { name, title, unit, low, high }
}

const RULES: [Rule; 6] = [
    rule("rollbacks", || say!("input-rollbacks"), "%", 0.9, 1.1),
    rule("lines_per_order", || say!("input-lines"), "", 9.5, 10.5),
    rule("remote_lines", || say!("input-remote-lines"), "%", 0.95, 1.05),
    rule("remote_payments", || say!("input-remote-payments"), "%", 14.0, 16.0),
    rule("payments_by_name", || say!("input-payments-by-name"), "%", 57.0, 63.0),
    rule("order_status_by_name", || say!("input-order-status-by-name"), "%", 57.0, 63.0),
];

/// One share of the input of one workload.
#[derive(Clone, Debug, PartialEq)]
pub struct InputShare {
    /// Name of the workload.
    pub workload: String,
    /// The counted part, in words.
    pub title: &'static str,
    /// `%`, or nothing.
    pub unit: &'static str,
    /// The share over all inputs of all valid cells.
    pub value: f64,
    /// Inputs that it rests on.
    pub sample: u64,
    /// Limits of the clause.
    pub limits: (f64, f64),
    /// The deviation that chance alone gives a correct generator at this sample, in 95 of 100 runs, in the
    /// unit of the value.
    pub chance: f64,
}

impl InputShare {
    /// True if the share lies within its limits.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        (self.limits.0..=self.limits.1).contains(&self.value)
    }

    /// True if the sample is large enough to decide: a correct generator would stay inside.
    #[must_use]
    pub fn is_conclusive(&self) -> bool {
        self.chance <= (self.limits.1 - self.limits.0) / 2.0
    }

    fn verdict(&self) -> Entry {
        match (self.is_inside(), self.is_conclusive()) {
            (true, _) => Entry::from(say!("input-inside")),
            (false, false) => Entry::toned(say!("input-too-few"), Tone::Soft),
            (false, true) => Entry::toned(say!("input-outside"), Tone::Flag),
        }
    }
}

/// The shares of every workload that has them.
pub(crate) fn of_all(loaded: &LoadedRun) -> Vec<InputShare> {
    let mut shares = Vec::new();
    for workload in loaded.workloads() {
        let valid = || loaded.of(workload).filter(|measured| measured.cell.state == CellState::Done);
        for Rule { name, title, unit, low, high } in RULES {
            let metric = MetricName::Input((*name).to_owned());
            let sample = MetricName::InputSample((*name).to_owned());
            let pairs =
                valid().filter_map(|m| Some((m.values.get(metric.clone())?, m.values.get(sample.clone())?)));
            let (sum, inputs) =
                pairs.fold((0.0, 0.0), |(sum, inputs), (value, count)| (sum + value * count, inputs + count));
            if inputs > 0.0 {
                shares.push(InputShare {
                    workload: workload.to_owned(),
                    title: title(),
                    unit,
                    value: sum / inputs,
                    sample: inputs as u64,
                    limits: (low, high),
                    // Beds are asked the same, so that only the inputs of one of them are drawn apart.
                    chance: 1.96 * deviation(unit, low, high) / (inputs / loaded.beds.len() as f64).sqrt(),
                });
            }
        }
    }
    shares
}

/// Standard deviation of a single input: of a share in percent that of a coin with the middle of the limits;
/// of 5 to 15 lines, drawn evenly, the square root of 10.
fn deviation(unit: &str, low: f64, high: f64) -> f64 {
    let middle = (low + high) / 200.0;
    if unit == "%" { 100.0 * (middle * (1.0 - middle)).sqrt() } else { 10.0_f64.sqrt() }
}

/// The shares of the input beside their limits.
pub(crate) fn table(inputs: &[InputShare]) -> Table {
    let mut table = Table::new(
        columns![text say!("column-workload"), text say!("column-input"), number say!("column-asked"), number say!("column-limits-5-5-1-5"), text say!("column-within"), number say!("column-inputs")],
    );
    for share in inputs {
        let unit = if share.unit.is_empty() { String::new() } else { format!(" {}", share.unit) };
        table.row([
            Entry::from(share.workload.clone()),
            Entry::from(share.title),
            Entry::from(format!("{:.2}{unit}", share.value)),
            Entry::from(say!(
                "figure-from-to",
                low = share.limits.0.to_string(),
                high = format!("{}{unit}", share.limits.1)
            )),
            share.verdict(),
            Entry::from(share.sample.to_string()),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_belong_to_the_range() {
        let share = |value| InputShare {
            workload: "tpcc".to_owned(),
            title: "Payments by last name",
            unit: "%",
            value,
            sample: 1000,
            limits: (57.0, 63.0),
            chance: 3.04,
        };
        assert!(share(57.0).is_inside() && share(63.0).is_inside());
        assert!(!share(56.99).is_inside() && !share(f64::NAN).is_inside());
        assert_eq!(share(56.99).verdict().text, "too few to tell");
        assert_eq!(InputShare { chance: 1.0, ..share(56.99) }.verdict().text, "no");
        assert!((deviation("%", 57.0, 63.0) - 48.99).abs() < 0.01);
    }
}
