//! The classes of latencies and of errors, which a map shows by colours.

use crate::number;

/// Classes of latencies, from fast to slow.
pub(super) const LATENCY_CLASSES: usize = 8;
/// Ends of the classes of errors, percent; what lies between the middle ones is as good as exact.
const ERROR_ENDS: [f64; 6] = [-20.0, -10.0, -3.0, 3.0, 10.0, 20.0];

/// A scale of classes.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    /// The values at which a class ends and the next one begins, ascending.
    pub(super) ends: Vec<f64>,
    /// The style of a square.
    style: &'static str,
}

impl Classes {
    /// Classes of latencies over all these values, ns: even steps of their logarithm, at round numbers.
    pub(super) fn of_latencies<'a>(values: impl Iterator<Item = &'a f64>) -> Classes {
        let known = values.copied().filter(|value| value.is_finite() && *value > 0.0);
        let (low, high) =
            known.fold((f64::INFINITY, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = (low.min(high), high.max(low));
        let end = |class: usize| low * (high / low).powf(class as f64 / LATENCY_CLASSES as f64);
        Classes {
            ends: (1..LATENCY_CLASSES).map(|class| number::two_digits(end(class))).collect(),
            style: "k-heat",
        }
    }

    /// Classes of errors, as shares.
    pub(super) fn of_errors() -> Classes {
        Classes { ends: ERROR_ENDS.iter().map(|end| end / 100.0).collect(), style: "k-error" }
    }

    /// The number of classes.
    pub(super) fn count(&self) -> usize {
        self.ends.len() + 1
    }

    /// The class of a value, from 0.
    pub(super) fn of(&self, value: f64) -> usize {
        self.ends.iter().filter(|end| value >= **end).count()
    }

    /// The names by which the style sheet colours a square of a class.
    pub(super) fn style(&self, class: usize) -> String {
        format!("{0} {0}{class}", self.style)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_even_steps_of_the_logarithm_and_an_end_belongs_to_the_slower_one() {
        let classes = Classes::of_latencies([1e5, f64::NAN, 2.56e7].iter());
        assert_eq!(classes.ends, [2e5, 4e5, 8e5, 1.6e6, 3.2e6, 6.4e6, 1.3e7]);
        assert_eq!([1e5, 2e5, 2.56e7].map(|value| classes.of(value)), [0, 1, 7]);
        let alike = Classes::of_latencies([1e5, 1e5].iter());
        assert_eq!((alike.count(), alike.of(1e5)), (LATENCY_CLASSES, LATENCY_CLASSES - 1));
    }

    #[test]
    fn an_error_of_nothing_is_in_the_middle() {
        let classes = Classes::of_errors();
        assert_eq!([-0.5, 0.0, 0.04, 0.5].map(|error| classes.of(error)), [0, 3, 4, 6]);
        assert_eq!(classes.style(3), "k-error k-error3");
    }
}
