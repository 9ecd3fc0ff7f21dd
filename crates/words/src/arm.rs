//! The arms of a neighbour workload.

use crate::word::words;

words! {
    /// One arm of the comparison.
    pub enum Arm {
        /// Each victim by itself, one after the other.
        Alone = "alone",
        /// All victims at the same time.
        Together = "together",
        /// All victims and the neighbour.
        WithNeighbour = "with-neighbour",
        /// The same with the mitigation.
        Mitigated = "mitigated",
        /// The neighbour without victims.
        NeighbourAlone = "neighbour-alone",
    }
}

impl Arm {
    /// The number of the arm, from 1: the level of its cells.
    pub const fn number(self) -> f64 {
        match self {
            Arm::Alone => 1.0,
            Arm::Together => 2.0,
            Arm::WithNeighbour => 3.0,
            Arm::Mitigated => 4.0,
            Arm::NeighbourAlone => 5.0,
        }
    }

    /// The arm of a level's number.
    pub fn of_number(number: f64) -> Option<Arm> {
        Arm::ALL.iter().copied().find(|arm| arm.number() == number)
    }
}
