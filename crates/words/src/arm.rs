//! The arms of a neighbour workload.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One arm of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arm {
    /// Each victim by itself, one after the other.
    Alone,
    /// All victims at the same time.
    Together,
    /// All victims and the neighbour.
    WithNeighbour,
    /// The same with the mitigation.
    Mitigated,
    /// The neighbour without victims.
    NeighbourAlone,
}

impl Arm {
    /// Every arm, in the order in which they are compared.
    pub const ALL: [Arm; 5] =
        [Arm::Alone, Arm::Together, Arm::WithNeighbour, Arm::Mitigated, Arm::NeighbourAlone];

    /// The number of the arm as a level, from 1.
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
        Arm::ALL.into_iter().find(|arm| arm.number() == number)
    }
}
