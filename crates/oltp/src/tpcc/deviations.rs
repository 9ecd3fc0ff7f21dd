//! The deviations of the workload from TPC-C, which every result names.

/// One place where the workload differs from TPC-C v5.11.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The clause.
    pub clause: &'static str,
    /// The message of the replacement.
    pub(super) message: &'static str,
}

impl Deviation {
    /// The replacement, in English.
    #[must_use]
    pub fn what(&self) -> &'static str {
        words::in_english(self.message)
    }
}

/// All deviations, by clause.
#[must_use]
pub fn deviations() -> &'static [Deviation] {
    &DEVIATIONS
}

/// The deviation of users whose keying and think times are multiplied.
pub const STRETCHED: [Deviation; 1] =
    [Deviation { clause: "5.2.5.2, 5.2.5.4", message: "deviation-keyed-times" }];

const DEVIATIONS: [Deviation; 14] = [
    Deviation { clause: "1.3", message: "deviation-1-3" },
    Deviation { clause: "2.2.2", message: "deviation-2-2-2" },
    Deviation { clause: "2.4.1.1", message: "deviation-2-4-1-1" },
    Deviation { clause: "2.4.1.5, 2.5.1.2", message: "deviation-2-4-1-5" },
    Deviation { clause: "2.7.2", message: "deviation-2-7-2" },
    Deviation { clause: "3.4", message: "deviation-3-4" },
    Deviation { clause: "2.4.2, 2.5.2, 2.7.4", message: "deviation-2-4-2" },
    Deviation { clause: "4.2, 4.1.3", message: "deviation-4-2" },
    Deviation { clause: "4.2.2", message: "deviation-4-2-2" },
    Deviation { clause: "5.2.5", message: "deviation-5-2-5" },
    Deviation { clause: "5.2.5.3", message: "deviation-5-2-5-3" },
    Deviation { clause: "5.5.1.2, 5.5.2", message: "deviation-5-5-1-2" },
    Deviation { clause: "3.5, 7", message: "deviation-3-5" },
    Deviation { clause: "9", message: "deviation-9" },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::Profile;
    use std::collections::BTreeSet;

    #[test]
    fn every_deviation_says_where_and_what() {
        let all = deviations().iter().chain(&STRETCHED).chain(Profile::HammerdbLike.deviations());
        for deviation in all.clone() {
            assert!(deviation.clause.starts_with(|c: char| c.is_ascii_digit()), "{deviation:?}");
            let what = deviation.what();
            assert!(what.len() > 20 && !what.ends_with('.') && !what.contains("tpmC"), "{what}");
        }
        let messages = words::messages().map(|(id, _)| id).filter(|id| id.starts_with("deviation-"));
        let named: BTreeSet<String> = all.map(|deviation| deviation.message.to_owned()).collect();
        assert_eq!(messages.collect::<BTreeSet<_>>(), named, "each message is one's, and each has its own");
        let disclaimer = words::in_english("remark-disclaimer");
        assert!(disclaimer.contains("not comparable to published TPC-C Benchmark results"));
    }
}
