//! Phases: the parts of a cell, while it runs and in its record.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Spoken;
use crate::word::words;

words! {
    /// A part of a cell. Where a cell has several of a kind, their names carry a number ([`StoredPhase`]).
    pub enum PhaseName {
        /// The bed is brought to its first state.
        Reset = "reset",
        /// Connections are opened and statements prepared.
        Prepare = "prepare",
        /// Users work before anything is measured.
        RampUp = "ramp-up",
        /// The measured part.
        Measure = "measure",
        /// The last answers are waited for.
        Drain = "drain",
        /// The load is over.
        Done = "done",
        /// The data are checked after the load.
        Check = "check",
        /// The neighbour is at work.
        Neighbour = "neighbour",
        /// Load runs until it is cut off by a crash.
        Load = "load",
        /// The crash itself.
        Crash = "crash",
        /// The database recovers after a crash.
        Recover = "recover",
        /// The database recovers after a crash, and every order is looked for.
        RecoverAndCheck = "recover and check",
        /// The drive is brought to its first state, in whichever way.
        Precondition = "precondition",
        /// The drive is written full.
        Fill = "precondition: fill",
        /// The drive is brought to a steady state by the load itself.
        PreconditionLoad = "precondition: the load",
        /// One backup.
        Backup = "backup",
        /// One backup is verified by its own tool.
        Verify = "verify",
        /// One restore.
        Restore = "restore",
        /// The proof of one restore.
        Proof = "proof",
        /// Files are laid out in pieces.
        LayOut = "lay out",
        /// A scan of a file laid out in pieces, while it runs.
        ColdScan = "cold scan",
        /// One scan.
        Scan = "scan",
        /// The scan that tells how long a lookup may take.
        TrialScan = "trial scan",
        /// A scan from a cold cache.
        ScanCold = "scan, cold",
        /// The same scan again.
        ScanWarm = "scan, warm",
        /// Lookups from a cold cache.
        LookupCold = "lookup, cold",
        /// The same lookups again.
        LookupWarm = "lookup, warm",
    }
}

impl PhaseName {
    /// The n-th part of this kind, from 1: `backup 2`.
    pub fn numbered(self, number: u32) -> StoredPhase {
        StoredPhase::Numbered(self, number)
    }

    /// True if work of the result is to be done in it. In the others nobody works for the result: their
    /// seconds without work are no stall.
    pub fn is_work(self) -> bool {
        match self {
            PhaseName::Reset
            | PhaseName::Prepare
            | PhaseName::Drain
            | PhaseName::Done
            | PhaseName::Check
            | PhaseName::Crash
            | PhaseName::Recover
            | PhaseName::RecoverAndCheck
            | PhaseName::Verify
            | PhaseName::Proof
            | PhaseName::LayOut => false,
            PhaseName::RampUp
            | PhaseName::Measure
            | PhaseName::Neighbour
            | PhaseName::Load
            | PhaseName::Precondition
            | PhaseName::Fill
            | PhaseName::PreconditionLoad
            | PhaseName::Backup
            | PhaseName::Restore
            | PhaseName::ColdScan
            | PhaseName::Scan
            | PhaseName::TrialScan
            | PhaseName::ScanCold
            | PhaseName::ScanWarm
            | PhaseName::LookupCold
            | PhaseName::LookupWarm => true,
        }
    }
}

/// The phase of a record, as a notebook names it. Every stored text is one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum StoredPhase {
    /// The only one of its kind.
    Of(PhaseName),
    /// The n-th of its kind, from 1: `backup 2`.
    Numbered(PhaseName, u32),
    /// A name that this build does not know. It is kept, drawn and exported, and nothing is concluded from
    /// it.
    Other(String),
}

impl StoredPhase {
    /// The phase of a stored text.
    pub fn read(text: &str) -> StoredPhase {
        if let Some(phase) = PhaseName::of(text) {
            return StoredPhase::Of(phase);
        }
        let numbered = text.rsplit_once(' ').and_then(|(name, number)| {
            let phase = PhaseName::of(name)?.numbered(number.parse().ok()?);
            // Another spelling of the number is another name.
            (phase.to_string() == text).then_some(phase)
        });
        numbered.unwrap_or_else(|| StoredPhase::Other(text.to_owned()))
    }

    /// Its kind; `None` for one that this build does not know.
    pub fn kind(&self) -> Option<PhaseName> {
        match self {
            StoredPhase::Of(phase) | StoredPhase::Numbered(phase, _) => Some(*phase),
            StoredPhase::Other(_) => None,
        }
    }

    /// True if work of the result is to be done in it, as far as this build knows.
    pub fn is_work(&self) -> bool {
        self.kind().is_none_or(PhaseName::is_work)
    }

    /// Its text, with its number where it has one; the name itself where this build does not know it.
    pub fn spoken(&self) -> String {
        match self {
            StoredPhase::Of(phase) => phase.spoken().to_owned(),
            StoredPhase::Numbered(phase, number) => format!("{} {number}", phase.spoken()),
            StoredPhase::Other(name) => name.clone(),
        }
    }
}

impl fmt::Display for StoredPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoredPhase::Of(phase) => phase.fmt(f),
            StoredPhase::Numbered(phase, number) => f.pad(&format!("{phase} {number}")),
            StoredPhase::Other(name) => f.pad(name),
        }
    }
}

impl From<PhaseName> for StoredPhase {
    fn from(phase: PhaseName) -> StoredPhase {
        StoredPhase::Of(phase)
    }
}

impl From<String> for StoredPhase {
    fn from(text: String) -> StoredPhase {
        StoredPhase::read(&text)
    }
}

impl From<StoredPhase> for String {
    fn from(phase: StoredPhase) -> String {
        phase.to_string()
    }
}

impl PartialEq<PhaseName> for StoredPhase {
    fn eq(&self, phase: &PhaseName) -> bool {
        matches!(self, StoredPhase::Of(own) if own == phase)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_number_is_no_part_of_the_kind() {
        let backup = StoredPhase::read("backup 2");
        assert_eq!(backup, PhaseName::Backup.numbered(2));
        assert_eq!((backup.kind(), backup.is_work()), (Some(PhaseName::Backup), true));
        assert!(backup != PhaseName::Backup && StoredPhase::read("backup") == PhaseName::Backup);
        assert!(!StoredPhase::read("proof 3").is_work() && !StoredPhase::read("lay out").is_work());
    }

    #[test]
    fn a_phase_of_another_build_keeps_its_name_and_counts_as_work() {
        for name in ["cool-down", "cool-down 3", "backup 02", "backup +2", "backup 4294967296", ""] {
            let phase = StoredPhase::read(name);
            assert_eq!((phase.kind(), phase.is_work()), (None, true), "{name}");
            assert_eq!((phase.to_string(), phase.spoken()), (name.to_owned(), name.to_owned()));
        }
    }

    proptest! {
        #[test]
        fn a_stored_phase_is_written_as_it_was_read(text in "(backup|proof|cool-down|[a-z, ]{0,12})( [0-9]{1,11})?") {
            prop_assert_eq!(StoredPhase::read(&text).to_string(), text);
        }
    }
}
