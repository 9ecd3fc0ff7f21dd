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
    Deviation {
        clause: "2.1.6",
        what: "hammerdb-like: customers and items are drawn uniformly, so no item and no customer is hot",
    },
    Deviation {
        clause: "2.4.1.4",
        what: "hammerdb-like: no New-Order rolls back, as HammerDB's on PostgreSQL commit where they should not",
    },
    Deviation {
        clause: "2.5.1.2, 2.6.1.2",
        what: "hammerdb-like: customers are never looked up by last name, as HammerDB's lookups by name find nobody in its default mode: about 29 % of all transactions skip that reading",
    },
    Deviation {
        clause: "5.2.4.2",
        what: "hammerdb-like: each transaction is drawn with odds of 10 : 10 : 1 : 1 : 1, without a deck, so that the mix of a short run strays",
    },
    Deviation {
        clause: "2.4.1.1",
        what: "hammerdb-like: with home = \"fixed\" each user draws its warehouse, so that several may share one and others have none",
    },
];
