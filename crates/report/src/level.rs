//! The units of a workload's levels.

use std::borrow::Cow;
use std::fmt;

use crate::number;
use crate::sentences;
use serde::{Serialize, Serializer};
use words::{LevelName, Spoken as _, say};

/// The unit of levels. It is written as the notebook names it, and as `2 x depth` for several workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LevelUnit {
    /// A unit that this build knows.
    Known(LevelName),
    /// The queue depth of each of so many workers.
    DepthOfEach(u32),
    /// A name of a later version, or what an axis of a figure counts.
    Other(Cow<'static, str>),
}

/// A level of a cell, in words: `8 virtual users`, `1 virtual user`, `queue depth 32`, `5,000 IOPS`.
pub fn level(level: f64, level_name: &str) -> String {
    LevelUnit::from(level_name).said(level)
}

/// The unit of the levels of a workload that has no cell.
pub(crate) static NO_LEVELS: LevelUnit = LevelUnit::Other(Cow::Borrowed("level"));

impl LevelUnit {
    /// The text of a heading over levels.
    pub(crate) fn heading(&self) -> Cow<'_, str> {
        match self {
            LevelUnit::Known(name) => name.spoken().into(),
            LevelUnit::DepthOfEach(_) => self.to_string().into(),
            LevelUnit::Other(name) => Cow::Borrowed(name),
        }
    }

    /// The unit in one word, for a narrow column: `users`.
    pub(crate) fn short(&self) -> &str {
        match self {
            LevelUnit::Known(name) => words::level_short(name.name()),
            LevelUnit::DepthOfEach(_) => words::level_short(LevelName::Depth.name()),
            LevelUnit::Other(name) => words::level_short(name),
        }
    }

    /// A level in words: `8 virtual users`, `2 x queue depth 8`.
    pub(crate) fn said(&self, level: f64) -> String {
        let value = number::level(level);
        match self {
            LevelUnit::Known(LevelName::VirtualUsers) if level == 0.0 => say!("level-no-users").to_owned(),
            LevelUnit::Known(LevelName::Arm) => sentences::arm(level).0.to_owned(),
            LevelUnit::Known(LevelName::Pieces) if level == 0.0 => say!("level-one-piece").to_owned(),
            LevelUnit::Known(name) => words::counted(level, &value, name.name()),
            LevelUnit::DepthOfEach(workers) => {
                say!("level-depth-of-each", workers = workers.to_string(), value)
            }
            LevelUnit::Other(name) => words::counted(level, &value, name),
        }
    }

    /// A level under a heading that says what levels count: an arm by what tells it apart, anything else by
    /// its number.
    pub(crate) fn said_under(&self, level: f64) -> String {
        match self {
            LevelUnit::Known(LevelName::Arm) => sentences::arm(level).1.to_owned(),
            LevelUnit::Known(LevelName::VirtualUsers) if level == 0.0 => say!("level-no-users").to_owned(),
            _ => number::level(level),
        }
    }
}

impl From<&str> for LevelUnit {
    fn from(name: &str) -> LevelUnit {
        LevelName::of(name).map_or_else(|| LevelUnit::Other(name.to_owned().into()), LevelUnit::Known)
    }
}

impl PartialEq<LevelName> for LevelUnit {
    fn eq(&self, name: &LevelName) -> bool {
        matches!(self, LevelUnit::Known(own) if own == name)
    }
}

impl fmt::Display for LevelUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LevelUnit::Known(name) => f.write_str(name.name()),
            LevelUnit::DepthOfEach(workers) => write!(f, "{workers} x {}", LevelName::Depth),
            LevelUnit::Other(name) => f.write_str(name),
        }
    }
}

impl Serialize for LevelUnit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_said_with_what_it_counts() {
        let each = LevelUnit::DepthOfEach(2);
        assert_eq!((each.said(8.0).as_str(), each.said_under(8.0).as_str()), ("2 x queue depth 8", "8"));
        assert_eq!((each.to_string().as_str(), each.short()), ("2 x depth", "depth"));
        assert_eq!(serde_json::json!(each), "2 x depth");
        let users = LevelUnit::from("virtual users");
        assert!(users == LevelName::VirtualUsers && each != LevelName::VirtualUsers);
        assert_eq!(
            [0.0, 1.0, 8.0].map(|level| users.said(level)),
            ["no load", "1 virtual user", "8 virtual users"]
        );
        let later = LevelUnit::from("later things");
        assert_eq!((later.said(3.0).as_str(), &*later.heading()), ("3 later things", "later things"));
    }
}
