//! Sentences that are kept with a run: data with a stable name, and its English.

use crate::sentence::sentences;

sentences! {
    /// A sentence that is kept with a run.
    pub enum Remark by "remark" {
        // A text that is no data: of an older notebook, of an experiment, or an error in its own words.
        Told = "told" { text: String } => "{text}";
        Doctor = "doctor" { check: String, read: String, why: String } => "{check}: {read} ({why})";
        Deviation = "deviation" { clause: String, what: String } => "{clause}: {what}";
        Confound = "confound" { factor: String, side_a: String, side_b: String, effect: String } => "{factor}: {side_a} against {side_b}: {effect}";
        DataLeft = "data-left" { error: String } => "the data of this run could not all be removed: {error}";

        // Data sets.
        Loaded = "loaded" { data: LoadedData, rows: u64, size_mb: f64, load_s: f64, check_s: f64 } =>
            "loaded {data} ({rows} rows, {size_mb:.0} MB) in {load_s:.1} s; all consistency conditions hold, checked in {check_s:.1} s";
        LoadedOnServer = "loaded-on-server" { data: LoadedData, server: String, elapsed_s: f64 } =>
            "loaded {data} on {server} and checked it in {elapsed_s:.1} s; cells are not reset there: each finds what the one before left";
        FoundOnServer = "found-on-server" { data: LoadedData, server: String, elapsed_s: f64 } =>
            "found {data} on {server} and checked it in {elapsed_s:.1} s; cells are not reset there: each finds what the one before left";

        // Models.
        Guesses = "guesses" { drive: String, guesses: u64, numbers: u64 } => "{drive}: {guesses} of the {numbers} numbers of its model are guesses";
        // By the figures of `crates/device/tests/model` against the seven measured drives of the facts.
        DriveModelError = "drive-model-error" =>
            "The model: where a drive's numbers were measured, it meets the mean read latency under write load within 1.2 % for four of seven drives and within 16 % for a fifth; bursts of garbage collection in the other two are not met, and nothing is promised beyond p99.9";
        SimulatedBeds = "simulated-beds" =>
            "Everything here is simulated: users, processors, buffer pool, log, datastore and drives in virtual time, by parameters that were fitted to the studies' printed numbers (`drivetrain published` prints them with the errors). Numbers that were fitted are no predictions; `drivetrain calibrate --leave-one-out` shows how far off the model is for tests that it was not fitted to";
    }
}

sentences! {
    /// The data set of a workload.
    pub enum LoadedData by "data" {
        Warehouses = "warehouses" { warehouses: u32 } => "{warehouses} warehouses";
        SysbenchTables = "sysbench-tables" { tables: u32, rows: u32 } => "{tables} sysbench tables of {rows} rows";
        ScannedTable = "scanned-table" { rows: u32 } => "a table of {rows} rows";
    }
}

impl From<&str> for Remark {
    fn from(text: &str) -> Remark {
        Remark::Told { text: text.to_owned() }
    }
}
