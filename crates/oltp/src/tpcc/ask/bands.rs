//! The check of the input against the clauses (5.5.1.5): shares of the input that was actually submitted.

use super::input::{Input, Who};

/// The counts of the submitted input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InputCounts {
    orders: u64,
    rollbacks: u64,
    lines: u64,
    remote_lines: u64,
    payments: u64,
    remote_payments: u64,
    payments_by_name: u64,
    statuses: u64,
    statuses_by_name: u64,
}

impl InputCounts {
    pub(crate) fn count(&mut self, input: &Input) {
        match input {
            Input::NewOrder(order) => {
                self.orders += 1;
                self.rollbacks += u64::from(order.rolls_back);
                self.lines += order.lines.len() as u64;
                let remote = order.lines.iter().filter(|line| line.supply_warehouse != order.warehouse);
                self.remote_lines += remote.count() as u64;
            }
            Input::Payment(payment) => {
                self.payments += 1;
                self.remote_payments += u64::from(payment.customer_warehouse != payment.warehouse);
                self.payments_by_name += u64::from(matches!(payment.who, Who::Name(_)));
            }
            Input::OrderStatus(status) => {
                self.statuses += 1;
                self.statuses_by_name += u64::from(matches!(status.who, Who::Name(_)));
            }
            Input::Delivery(_) | Input::StockLevel(_) => {}
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.orders += other.orders;
        self.rollbacks += other.rollbacks;
        self.lines += other.lines;
        self.remote_lines += other.remote_lines;
        self.payments += other.payments;
        self.remote_payments += other.remote_payments;
        self.payments_by_name += other.payments_by_name;
        self.statuses += other.statuses;
        self.statuses_by_name += other.statuses_by_name;
    }

    pub(crate) fn bands(&self, warehouses: u32) -> InputBands {
        let share = |name, part: u64, whole: u64, low: f64, high: f64| {
            let middle = (low + high) / 200.0;
            Band::new(
                name,
                "%",
                part as f64 / whole as f64 * 100.0,
                low,
                high,
                whole,
                100.0 * (middle * (1.0 - middle)).sqrt(),
            )
        };
        let remote = warehouses > 1;
        // 5 to 15 lines, uniform: a standard deviation of the square root of 10.
        let lines = Band::new(
            "lines_per_order",
            "lines",
            self.lines as f64 / self.orders as f64,
            9.5,
            10.5,
            self.orders,
            10.0_f64.sqrt(),
        );
        InputBands([
            share("rollbacks", self.rollbacks, self.orders, 0.9, 1.1),
            lines,
            share("remote_lines", self.remote_lines, self.lines, 0.95, 1.05).where_it_applies(remote),
            share("remote_payments", self.remote_payments, self.payments, 14.0, 16.0)
                .where_it_applies(remote),
            share("payments_by_name", self.payments_by_name, self.payments, 57.0, 63.0),
            share("order_status_by_name", self.statuses_by_name, self.statuses, 57.0, 63.0),
        ])
    }
}

/// One share of the input and the limits that clause 5.5.1.5 sets to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// Name for tables and metrics.
    pub name: &'static str,
    /// Unit of value and limits.
    pub unit: &'static str,
    /// The submitted share; NaN without input.
    pub value: f64,
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
    /// Number of inputs that the value rests on.
    pub sample: u64,
    /// True if the value lies within the limits, and where the band does not apply.
    pub inside: bool,
    /// True if the sample is large enough to decide: in a smaller one, chance alone carries a correct
    /// generator over the limit in more than 5 of 100 runs.
    pub conclusive: bool,
    /// True if it can be kept at all: a single warehouse has no remote ones.
    pub applies: bool,
    /// Standard deviation of a single input, in the unit of the limits.
    deviation: f64,
}

impl Band {
    /// `deviation` is the standard deviation of a single input, in the unit of the limits.
    fn new(
        name: &'static str,
        unit: &'static str,
        value: f64,
        low: f64,
        high: f64,
        sample: u64,
        deviation: f64,
    ) -> Self {
        let half_width = 1.96 * deviation / (sample as f64).sqrt();
        let conclusive = half_width <= (high - low) / 2.0;
        Self {
            name,
            unit,
            value,
            low,
            high,
            sample,
            inside: (low..=high).contains(&value),
            conclusive,
            applies: true,
            deviation,
        }
    }

    fn where_it_applies(mut self, applies: bool) -> Self {
        self.applies = applies;
        self.inside |= !applies;
        self
    }
}

/// The six bands of a run's measure phase.
#[derive(Clone, Debug, PartialEq)]
pub struct InputBands([Band; 6]);

impl InputBands {
    /// All six, in the order of the clause.
    #[must_use]
    pub fn bands(&self) -> &[Band] {
        &self.0
    }

    /// The bands of two runs taken together.
    pub(crate) fn together(&self, other: &Self) -> Self {
        let both = |(ours, theirs): (&Band, &Band)| {
            let part = |band: &Band| if band.sample == 0 { 0.0 } else { band.value * band.sample as f64 };
            let sample = ours.sample + theirs.sample;
            let value = (part(ours) + part(theirs)) / sample as f64;
            let applies = ours.applies || theirs.applies;
            // The half width of chance shrinks with the root of the sample; `deviation` is that of one input.
            Band::new(ours.name, ours.unit, value, ours.low, ours.high, sample, ours.deviation)
                .where_it_applies(applies)
        };
        let mut bands = self.clone();
        for (band, pair) in bands.0.iter_mut().zip(self.0.iter().zip(&other.0)) {
            *band = both(pair);
        }
        bands
    }

    /// Bands that are violated by more than chance explains.
    pub fn violated(&self) -> impl Iterator<Item = &Band> {
        self.0.iter().filter(|band| !band.inside && band.conclusive)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::ask::input::{Home, Inputs, World};
    use crate::tpcc::ask::profile::Profile;
    use crate::tpcc::data::nurand::Constants;
    use crate::tpcc::data::population::Population;

    fn bands_of(count: usize, warehouses: u32) -> InputBands {
        let constants = Constants { last_name: 1, customer: 2, item: 3 };
        let world = World { warehouses, population: Population::STANDARD, constants };
        let mut inputs = Inputs::new(world, Home::All, Profile::Standard, 5, 0, 1);
        let mut halves = [InputCounts::default(), InputCounts::default()];
        for number in 0..count {
            halves[number % 2].count(&inputs.next(0));
        }
        let [mut first, second] = halves;
        first.merge(&second);
        first.bands(warehouses)
    }

    #[test]
    fn a_long_run_is_inside_and_conclusive() {
        let bands = bands_of(460_000, 4);
        for band in bands.bands() {
            assert!(band.inside && band.conclusive && band.applies, "{band:?}");
        }
        assert_eq!(bands.violated().count(), 0);
    }

    #[test]
    fn a_short_run_does_not_pretend_to_know() {
        let bands = bands_of(230, 4);
        let rollbacks = &bands.bands()[0];
        assert_eq!((rollbacks.name, rollbacks.sample, rollbacks.conclusive), ("rollbacks", 100, false));
        assert_eq!(bands.violated().count(), 0);
    }

    #[test]
    fn one_warehouse_has_no_remote_bands() {
        let bands = bands_of(23_000, 1);
        for band in &bands.bands()[2..4] {
            assert!(!band.applies && band.inside && band.value == 0.0, "{band:?}");
        }
    }

    #[test]
    fn a_wrong_generator_is_caught() {
        let counts = InputCounts { payments: 100_000, payments_by_name: 50_000, ..InputCounts::default() };
        let violated: Vec<&str> = counts.bands(2).violated().map(|band| band.name).collect();
        assert_eq!(violated, ["remote_payments", "payments_by_name"]);
    }

    #[test]
    fn bands_of_two_runs_are_those_of_all_their_inputs() {
        let constants = Constants { last_name: 1, customer: 2, item: 3 };
        let world = World { warehouses: 4, population: Population::STANDARD, constants };
        let counts = |user, count| {
            let mut inputs = Inputs::new(world, Home::All, Profile::Standard, 5, user, 2);
            let mut counts = InputCounts::default();
            (0..count).for_each(|_| counts.count(&inputs.next(0)));
            counts
        };
        let (mut first, second) = (counts(0, 2_300), counts(1, 9_200));
        let together = first.bands(4).together(&second.bands(4));
        first.merge(&second);
        for (ours, all) in together.bands().iter().zip(first.bands(4).bands()) {
            assert!((ours.value - all.value).abs() < 1e-9 && ours.sample == all.sample, "{ours:?} {all:?}");
            assert_eq!((ours.inside, ours.conclusive), (all.inside, all.conclusive));
        }
        let empty = InputCounts::default().bands(4);
        assert_eq!(empty.together(&first.bands(4)).bands()[0].value, first.bands(4).bands()[0].value);
    }
}
