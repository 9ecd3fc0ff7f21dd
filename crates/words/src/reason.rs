//! The reasons why a cell does not count: data with a stable name. The sentence is the message of that name.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::say::said_as_shown;
use crate::sentence::sentences;
use crate::word::words;
use crate::{Datum, Kept, Said, Spoken};

words! {
    /// A step of a cell that can fail by an error of its own.
    #[derive(Serialize, Deserialize)]
    #[serde(into = "String", try_from = "String")]
    pub enum Step {
        /// The bed is brought to its first state.
        Reset = "reset",
        /// A server is started.
        Start = "start",
        /// A file is laid out in pieces.
        LayOut = "laying out",
        /// The caches are emptied before a cold read.
        EmptyCaches = "emptying the caches",
        /// The neighbour is held back.
        Mitigation = "mitigation",
        /// A backup is made.
        Backup = "backup",
        /// A backup is compared with its list of checksums.
        Verify = "verifying the backup",
        /// A backup is restored.
        Restore = "restore",
        /// The restored instance is examined.
        Proof = "proving the restored instance",
        /// A bit of a backup is turned over.
        Drill = "drill",
        /// The trace of a cell is written.
        Trace = "writing the trace of a cell",
    }
}

impl Step {
    /// The reason of a cell in which this step failed.
    pub fn failed(self, error: impl fmt::Display) -> Reason {
        Reason::Failed { step: self, error: error.to_string() }
    }
}

sentences! {
    /// One reason why a cell does not count, or why its figures must be read with care.
    pub enum Reason by "reason" {
        // Texts that are no data: a sentence of an older notebook, an error of a layer below in its words.
        Told = "told" { text: String };
        Error = "error" { error: String };
        Failed = "failed" { step: Step, error: String };

        // Of whom, and beside what.
        Instance = "instance" { instance: u32, why: Box<Reason> };
        Neighbour = "neighbour" { why: Box<Reason> };
        OfHost = "of-host" { rank: u32, host: String, why: Box<Reason> };
        InCycle = "in-cycle" { cycle: u32, why: Box<Reason> };
        OfCycle = "of-cycle" { cycle: u32, why: Box<Reason> };
        WithServerLog = "with-server-log" { why: Reasons, log: String };

        // Stopped before the end.
        StoppedAtOnce = "stopped-at-once" { why: Reasons };
        StoppedUnchecked = "stopped-unchecked";
        StoppedMeasuring = "stopped-measuring";
        StoppedInRound = "stopped-in-round";
        StoppedAfterReads = "stopped-after-reads" { done: u32, all: u32 };
        StoppedAfterScans = "stopped-after-scans" { done: u32, all: u32 };
        StoppedAfterCycles = "stopped-after-cycles" { done: u32 };
        ProgramEnded = "program-ended";
        FleetNotStarted = "fleet-not-started" { why: String };

        // Cells that cannot be run as they are.
        NotSimulated = "not-simulated";
        NoInstance = "no-instance";
        OneInstance = "one-instance";
        ForeignServer = "foreign-server";
        NoDatabase = "no-database";
        NoFile = "no-file";
        NoStream = "no-stream";
        NoLoad = "no-load";
        BlockTooLarge = "block-too-large" { size: String };
        StreamsNeedLevel = "streams-need-level";
        CurveNeedsDepth = "curve-needs-depth";
        SearchNeedsLevel = "search-needs-level";
        LogNotShared = "log-not-shared";
        LogNeedsStorage = "log-needs-storage";
        ModelNeedsDrive = "model-needs-drive";
        ServerIsNoTarget = "server-is-no-target" { url: String };
        FileUnreadable = "file-unreadable" { path: String, error: String };
        FileWithoutSize = "file-without-size" { path: String };
        ArmUnknown = "arm-unknown";
        ArmIdle = "arm-idle";
        NoVictims = "no-victims";
        PiecesUnknown = "pieces-unknown" { file: String, error: String };
        LoadFailed = "load-failed";
        CrasherFailed = "crasher-failed";
        WatcherFailed = "watcher-failed";

        // Loads on databases.
        NothingCompleted = "nothing-completed";
        LoadNotBegun = "load-not-begun";
        Unanswered = "unanswered" { requests: u64, why: Box<Reason> };
        Silent = "silent" { error: String };
        OnlySessionLost = "only-session-lost" { at_s: f64 as 1 };
        AllSessionsLost = "all-sessions-lost" { sessions: u64, at_s: f64 as 1 };
        StartedAgain = "started-again";
        CrashedAndRecovered = "crashed-and-recovered";
        KilledForMemory = "killed-for-memory" { processes: u64 };

        // Checks of data.
        NotChecked = "not-checked" { why: Reasons };
        Violated = "violated" { conditions: Reasons };
        Condition = "condition" { number: u8, clause: String, detail: String };
        SysbenchCondition = "sysbench-condition" { table: String, condition: Kept, rows: u64, detail: String };
        ScannedRows = "scanned-rows" { rows: u64, expected: u64 };
        ScannedPlaces = "scanned-places" { sum: u64, expected: u64 };
        ScannedBytes = "scanned-bytes" { bytes: u64, expected: u64 };
        OtherRows = "other-rows" { way: String, found: RowsRead, first: String, expected: RowsRead };

        // Crashes.
        NothingAcknowledged = "nothing-acknowledged";
        NotRecovered = "not-recovered" { error: String };
        Damaged = "damaged" { orders: u64, why: Reasons };
        OrdersLost = "orders-lost" { lost: u64, acknowledged: u64, named: OrdersNamed };

        // Backups.
        RestoredOtherwise = "restored-otherwise" { found: Reasons };
        OrdersMissing = "orders-missing" { missing: u64, acknowledged: u64 };
        TableMissing = "table-missing" { table: String };
        TableRows = "table-rows" { table: String, rows: u64, expected: u64 };
        TableDiffers = "table-differs" { table: String };
        TableAdded = "table-added" { table: String };
        DrillUnnoticed = "drill-unnoticed" { bit: u8, byte: u64, file: String };

        // Block I/O.
        NothingMeasured = "nothing-measured";
        IosFailed = "ios-failed" { ios: u64, error: String };
        IosShort = "ios-short" { ios: u64 };
        IosUnfinished = "ios-unfinished" { ios: u64 };
        RunStopped = "run-stopped";
        TargetFailing = "target-failing" { error: String };
        TargetDeleted = "target-deleted" { path: String };
        TargetMoved = "target-moved" { path: String, now: String };
        TargetUnmounted = "target-unmounted" { path: String, device: String };
        WorkersStuck = "workers-stuck" { workers: u64 };
        ProgramStoodStill = "program-stood-still" { seconds: f64 as 1, from_second: f64 as 1 };
        CoarseSeconds = "coarse-seconds" { error_percent: f64 as 0 };
        JournalEnded = "journal-ended" { error: String };
        JournalIncomplete = "journal-incomplete" { writes: u64 };
        BlocksWrong = "blocks-wrong" { blocks: u64, kinds: FaultCounts };
        NotVerified = "not-verified";
    }
}

impl Reason {
    /// The reason as one of instance number `index`, from 0.
    pub fn of_instance(self, index: usize) -> Reason {
        Reason::Instance { instance: index as u32 + 1, why: Box::new(self) }
    }

    /// The reason as one that cycle `cycle` of a backup gave.
    pub fn of_cycle(self, cycle: u32) -> Reason {
        Reason::OfCycle { cycle, why: Box::new(self) }
    }

    /// An error of a layer below, in its own words.
    pub fn error(error: impl fmt::Display) -> Reason {
        Reason::Error { error: error.to_string() }
    }
}

/// Every reason why a cell does not count. Empty where it counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reasons(pub Vec<Reason>);

impl Reasons {
    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sentences; `None` where there is no reason.
    pub fn text(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.to_string())
    }

    /// One sentence for each.
    pub fn sentences(&self) -> Vec<String> {
        self.0.iter().map(Reason::to_string).collect()
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        join(f, &self.0, "; ")
    }
}

impl From<Reason> for Reasons {
    fn from(reason: Reason) -> Reasons {
        Reasons(vec![reason])
    }
}

/// An error of a layer below, in its own words.
impl From<String> for Reasons {
    fn from(error: String) -> Reasons {
        Reason::Error { error }.into()
    }
}

/// As from a `String`, where there is an error.
impl From<Option<String>> for Reasons {
    fn from(error: Option<String>) -> Reasons {
        error.map(|error| Reason::Error { error }).into_iter().collect()
    }
}

impl FromIterator<Reason> for Reasons {
    fn from_iter<I: IntoIterator<Item = Reason>>(reasons: I) -> Reasons {
        Reasons(reasons.into_iter().collect())
    }
}

impl Extend<Reason> for Reasons {
    fn extend<I: IntoIterator<Item = Reason>>(&mut self, reasons: I) {
        self.0.extend(reasons)
    }
}

impl IntoIterator for Reasons {
    type Item = Reason;
    type IntoIter = std::vec::IntoIter<Reason>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Rows that a scan or a lookup has read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowsRead {
    /// Their number.
    pub rows: u64,
    /// Their places, added up.
    pub sum_of_places: u64,
    /// Bytes of their payloads.
    pub bytes: u64,
}

impl fmt::Display for RowsRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RowsRead { rows, sum_of_places, bytes } = self;
        f.write_str(&crate::say!("reason-rows-read", rows, bytes, sum_of_places))
    }
}

/// The first of several orders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrdersNamed {
    /// Warehouse, district and order.
    pub first: Vec<(u32, u32, u32)>,
    /// The number of further ones.
    pub more: u64,
}

impl fmt::Display for OrdersNamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self
            .first
            .iter()
            .map(|(warehouse, district, order)| format!("({warehouse}, {district}, {order})"));
        let more = (self.more > 0).then(|| "...".to_owned());
        join(f, &named.chain(more).collect::<Vec<_>>(), ", ")
    }
}

sentences! {
    /// A kind of fault of written blocks, with the number of the blocks that have it.
    pub enum FaultCount by "fault" {
        Flipped = "flipped" { blocks: u64 };
        Torn = "torn" { blocks: u64 };
        Lost = "lost" { blocks: u64 };
        Stale = "stale" { blocks: u64 };
        Misplaced = "misplaced" { blocks: u64 };
        Unreadable = "unreadable" { blocks: u64 };
    }
}

/// The faults of written blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FaultCounts {
    /// Each kind that occurs.
    Counted(Vec<FaultCount>),
    /// The text of an older notebook.
    Told(String),
}

impl fmt::Display for FaultCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultCounts::Counted(kinds) if kinds.is_empty() => f.write_str(crate::say!("fault-none")),
            FaultCounts::Counted(kinds) => f.write_str(&crate::list(kinds.iter().map(FaultCount::to_string))),
            FaultCounts::Told(text) => f.write_str(text),
        }
    }
}

impl Spoken for Step {
    const WHAT: &'static str = "step";
}

impl Said for Step {
    fn said(&self) -> Datum<'_> {
        self.spoken().said()
    }
}

said_as_shown!(Reasons RowsRead OrdersNamed FaultCounts);

fn join<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T], between: &str) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if index > 0 { between } else { "" })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_the_name_and_the_data() {
        let silent = Reason::Silent { error: "timed out".to_owned() }.of_instance(1);
        let reasons: Reasons = [
            Reason::Unanswered { requests: 3, why: Box::new(silent) },
            Step::Reset.failed("no room"),
            Reason::StartedAgain,
        ]
        .into_iter()
        .collect();
        assert_eq!(
            reasons.to_string(),
            "3 requests were not answered, and instance 2: the server stopped answering (timed out); reset: no room; \
             the server was restarted under the load"
        );
        let stored = serde_json::to_string(&reasons).unwrap();
        assert_eq!(
            stored,
            r#"[{"reason":"unanswered","requests":3,"why":{"reason":"instance","instance":2,"why":{"reason":"silent","error":"timed out"}}},{"reason":"failed","step":"reset","error":"no room"},{"reason":"started-again"}]"#
        );
        assert_eq!(serde_json::from_str::<Reasons>(&stored).unwrap(), reasons);
    }

    #[test]
    fn the_faults_of_blocks_are_read_in_both_forms() {
        let kinds = vec![FaultCount::Flipped { blocks: 2 }, FaultCount::Stale { blocks: 1 }];
        let wrong = Reason::BlocksWrong { blocks: 3, kinds: FaultCounts::Counted(kinds) };
        let older = r#"{"reason":"blocks-wrong","blocks":3,"kinds":"2 flipped, 1 stale"}"#;
        let stored = serde_json::to_string(&wrong).unwrap();
        assert_eq!(serde_json::from_str::<Reason>(&stored).unwrap(), wrong);
        assert_eq!(serde_json::from_str::<Reason>(older).unwrap().to_string(), wrong.to_string());
        assert_eq!(wrong.to_string(), "3 written blocks are wrong: 2 flipped, 1 stale");
        assert_eq!(FaultCounts::Counted(Vec::new()).to_string(), "no faults");
    }

    #[test]
    fn lost_orders_are_named_up_to_a_few() {
        let lost = |more| Reason::OrdersLost {
            lost: 2 + more,
            acknowledged: 9,
            named: OrdersNamed { first: vec![(1, 2, 3), (1, 2, 4)], more },
        };
        let text = "acknowledged orders are lost: (warehouse, district, order) (1, 2, 3), (1, 2, 4)";
        assert_eq!(lost(0).to_string(), format!("2 of 9 {text}"));
        assert_eq!(lost(5).to_string(), format!("7 of 9 {text}, ..."));
        assert_eq!(Reasons::default().text(), None);
    }
}
