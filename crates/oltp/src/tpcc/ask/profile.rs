//! The rules of a run's input: those of the clauses, or those of a tool in wide use.

use crate::tpcc::deviations::Deviation;

/// The rules of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// The clauses of TPC-C.
    #[default]
    Standard,
    /// The requests of HammerDB 6.0 to PostgreSQL in its default mode, for comparison with HammerDB's
    /// figures. See [`Profile::deviations`].
    HammerdbLike,
}

impl Profile {
    /// The deviations of this profile from the clauses, besides [`deviations`](crate::tpcc::deviations());
    /// empty for the standard.
    #[must_use]
    pub fn deviations(self) -> &'static [Deviation] {
        match self {
            Self::Standard => &[],
            Self::HammerdbLike => &HAMMERDB_LIKE,
        }
    }

    pub(crate) fn is_standard(self) -> bool {
        self == Self::Standard
    }
}

/// Source: HammerDB 6.0 as read and run on PostgreSQL.
const HAMMERDB_LIKE: [Deviation; 5] = [
    Deviation { clause: "2.1.6", message: "deviation-hammerdb-2-1-6" },
    Deviation { clause: "2.4.1.4", message: "deviation-hammerdb-2-4-1-4" },
    Deviation { clause: "2.5.1.2, 2.6.1.2", message: "deviation-hammerdb-2-5-1-2" },
    Deviation { clause: "5.2.4.2", message: "deviation-hammerdb-5-2-4-2" },
    Deviation { clause: "2.4.1.1", message: "deviation-hammerdb-2-4-1-1" },
];
