//! Experiments that were made smaller: the changed parts and the rule, as data with stable names.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::say::said_as_shown;
use crate::sentence::sentences;
use crate::word::words;
use crate::{Datum, Said, Spoken, list, parts, say};

words! {
    /// A part of an experiment that scaling makes smaller, or that its rule names.
    #[derive(Serialize, Deserialize)]
    #[serde(into = "String", try_from = "String")]
    pub enum ScaledPart {
        /// Warehouses of order entry.
        Warehouses = "warehouses",
        /// Users of a load, by the name of their key.
        VirtualUsers = "virtual users",
        /// Users of a load, in the rule.
        Users = "users",
        /// Threads of sysbench.
        Threads = "threads",
        /// Arrivals of an open loop in a second.
        ArrivalsPerSecond = "arrivals per second",
        /// Arrivals of an open loop, in the rule.
        Arrivals = "arrivals",
        /// Rows of a table.
        Rows = "rows",
        /// Memory of a database.
        Memory = "memory",
        /// The limit of all memory of a bed.
        MemoryLimit = "memory limit",
        /// Databases of a bed.
        Instances = "instances",
        /// The size of a file of block I/O.
        File = "file",
        /// Files of block I/O, in the rule.
        Files = "files",
        /// Time before the measuring.
        RampUp = "ramp-up",
        /// Time of measuring.
        Measuring = "measuring",
        /// Time before the measuring of a point.
        PointRampUp = "point ramp-up",
        /// Time of measuring of a point.
        PointMeasuring = "point measuring",
        /// Time of measuring of a point of a curve, which has a floor of its own.
        CurvePointMeasuring = "curve point measuring",
        /// The window in which a rate must have settled.
        SettledWindow = "settled window",
        /// Rounds from one look at the steady state to the next.
        RoundsBetweenLooks = "rounds between looks",
        /// Rounds that a steady state is waited for.
        RoundsMost = "rounds most",
        /// Time of the load before the measuring.
        Preconditioning = "preconditioning",
        /// A region of a file.
        Region = "region",
        /// Bytes of a stream.
        StreamBytes = "stream bytes",
        /// The start of a stream after that of the load.
        StreamStart = "stream start",
        /// Time of a stream.
        StreamTime = "stream time",
        /// The time between two bursts.
        BurstEvery = "burst every",
        /// I/Os of a burst.
        BurstIos = "burst ios",
        /// The interval of a neighbour's work.
        Interval = "interval",
        /// The limit that holds a neighbour back.
        Limit = "limit",
        /// Neighbours.
        Neighbours = "neighbours",
        /// Victims of a neighbour.
        Victims = "victims",
        /// The pause before a backup.
        Pause = "pause",
        /// Time of the load before a crash.
        BeforeCrash = "before crash",
        /// Depths of block I/O.
        Depths = "depths",
        /// Rates of block I/O.
        Rates = "rates",
        /// Cycles of backup and restore.
        Cycles = "cycles",
        /// Rounds of a durability test.
        Rounds = "rounds",
        /// Tables of sysbench.
        Tables = "tables",
        /// Shares of rows and pieces of files.
        SharesAndPieces = "shares and pieces",
        /// Repeats of the design.
        Repeats = "repeats",
    }
}

impl Spoken for ScaledPart {
    const WHAT: &'static str = "scaled";
}

impl Said for ScaledPart {
    fn said(&self) -> Datum<'_> {
        self.spoken().said()
    }
}

/// Parts in a sentence: "a", "a and b", "a, b and c".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScaledParts(pub Vec<ScaledPart>);

impl fmt::Display for ScaledParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.split_last() {
            None => Ok(()),
            Some((only, [])) => f.write_str(only.spoken()),
            Some((second, rest)) => {
                let first = list(rest.iter().map(|part| part.spoken()));
                f.write_str(&say!("list-and", first, second))
            }
        }
    }
}

sentences! {
    /// A change that scaling made.
    pub enum ScaleChange by "change" {
        Part = "part" { part: ScaledPart, before: String, after: String };
        Matrix = "matrix" { before: String, after: String };
        // A size that somebody gave, or that the room leaves, whatever the rule says.
        Unscaled = "unscaled" { part: ScaledPart, size: String };
        NotSettled = "not-settled";
    }
}

sentences! {
    /// A clause of the rule of scaling. `s` is the factor.
    pub enum ScaleClause by "clause" {
        Sizes = "sizes" { parts: ScaledParts };
        Memory = "memory";
        Loads = "loads" { parts: ScaledParts };
        Points = "points";
        Bursts = "bursts";
        Keyed = "keyed";
        Neighbours = "neighbours";
        Victims = "victims";
        Times = "times";
        Instances = "instances";
    }
}

sentences! {
    /// The way in which an experiment was made smaller.
    pub enum ScaleStatement by "scale" {
        // A sentence of an older notebook.
        Told = "told" { text: String };
        AsWritten = "as-written";
        NothingShrunk = "nothing-shrunk" { factor: String };
        Shrunk = "shrunk" { factor: String, changes: ScaleChanges, rule: ScaleRule };
    }
}

impl ScaleStatement {
    /// True if nothing is said: of a run that has no experiment to scale.
    pub fn is_empty(&self) -> bool {
        matches!(self, ScaleStatement::Told { text } if text.is_empty())
    }

    /// The statement about files whose sizes are not those of the rule: these sizes, or none of whole
    /// devices, in place of the change that the rule made.
    #[must_use]
    pub fn with_files_of(self, sizes: Option<String>) -> ScaleStatement {
        let ScaleStatement::Shrunk { factor, mut changes, mut rule } = self else { return self };
        changes.0.retain(|change| !matches!(change, ScaleChange::Part { part: ScaledPart::File, .. }));
        changes.0.splice(0..0, sizes.map(|size| ScaleChange::Unscaled { part: ScaledPart::File, size }));
        for clause in &mut rule.clauses {
            if let ScaleClause::Sizes { parts } = clause {
                parts.0.retain(|part| *part != ScaledPart::Files);
            }
        }
        rule.clauses.retain(|clause| !matches!(clause, ScaleClause::Sizes { parts } if parts.0.is_empty()));
        ScaleStatement::Shrunk { factor, changes, rule }
    }
}

/// Nothing is said.
impl Default for ScaleStatement {
    fn default() -> ScaleStatement {
        ScaleStatement::Told { text: String::new() }
    }
}

impl From<&str> for ScaleStatement {
    fn from(text: &str) -> ScaleStatement {
        ScaleStatement::Told { text: text.to_owned() }
    }
}

/// Every change, in the order in which they were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScaleChanges(pub Vec<ScaleChange>);

impl fmt::Display for ScaleChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&parts(self.0.iter().map(ScaleChange::to_string)))
    }
}

/// The rule of scaling, as far as it concerns an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScaleRule {
    /// Its clauses.
    pub clauses: Vec<ScaleClause>,
    /// The parts that stay as written.
    pub stays: ScaledParts,
}

impl fmt::Display for ScaleRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clauses = list(self.clauses.iter().map(ScaleClause::to_string));
        let stays = &self.stays;
        f.write_str(&say!("scale-rule", clauses, stays))
    }
}

said_as_shown!(ScaledParts ScaleChanges ScaleRule);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_tells_the_size_of_files_that_is_used() {
        let file = ScaleChange::Part {
            part: ScaledPart::File,
            before: "8GiB".to_owned(),
            after: "410MiB".to_owned(),
        };
        let shrunk = ScaleStatement::Shrunk {
            factor: "0.05".to_owned(),
            changes: ScaleChanges(vec![file, ScaleChange::NotSettled]),
            rule: ScaleRule {
                clauses: vec![
                    ScaleClause::Sizes { parts: ScaledParts(vec![ScaledPart::Files]) },
                    ScaleClause::Times,
                ],
                stays: ScaledParts(vec![ScaledPart::Repeats]),
            },
        };
        assert_eq!(
            shrunk.clone().with_files_of(Some("2GiB".to_owned())).to_string(),
            "Run at scale 0.05: the file of 2GiB is not scaled; a load is not waited for to settle (times x s^(3/4); \
             repeats as written)."
        );
        assert!(!shrunk.with_files_of(None).to_string().contains("file"), "a device has its size");
        assert_eq!(ScaleStatement::AsWritten.with_files_of(None), ScaleStatement::AsWritten);
    }

    #[test]
    fn a_statement_is_stored_as_data_and_said_as_a_sentence() {
        let change = |part, before: &str, after: &str| ScaleChange::Part {
            part,
            before: before.to_owned(),
            after: after.to_owned(),
        };
        let shrunk = ScaleStatement::Shrunk {
            factor: "tiny (1/600)".to_owned(),
            changes: ScaleChanges(vec![
                change(ScaledPart::Warehouses, "1200", "2"),
                change(ScaledPart::RampUp, "2min", "1s"),
                ScaleChange::NotSettled,
            ]),
            rule: ScaleRule {
                clauses: vec![
                    ScaleClause::Sizes { parts: ScaledParts(vec![ScaledPart::Warehouses]) },
                    ScaleClause::Times,
                ],
                stays: ScaledParts(vec![ScaledPart::Depths, ScaledPart::Rates, ScaledPart::Repeats]),
            },
        };
        assert_eq!(
            shrunk.to_string(),
            "Run at scale tiny (1/600): warehouses 1200 became 2; ramp-up 2min became 1s; a load is not waited for to \
             settle (warehouses x s, times x s^(3/4); depths, rates and repeats as written)."
        );
        let stored = serde_json::to_string(&shrunk).unwrap();
        assert!(
            stored.starts_with(r#"{"scale":"shrunk","factor":"tiny (1/600)","changes":[{"change":"part","#),
            "{stored}"
        );
        assert_eq!(serde_json::from_str::<ScaleStatement>(&stored).unwrap(), shrunk);
        assert!(ScaleStatement::default().is_empty() && !ScaleStatement::from("as it was").is_empty());
    }
}
