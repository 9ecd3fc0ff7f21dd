//! Sentences that are kept with a run: data with a stable name.

use crate::sentence::sentences;
use crate::{Kept, Readings};

sentences! {
    /// A sentence that is kept with a run.
    pub enum Remark by "remark" {
        // A text that is no data: of an older notebook, of an experiment, or an error in its own words.
        Told = "told" { text: String };
        Doctor = "doctor" { check: String, read: Readings, why: Kept };
        Disclaimer = "disclaimer";
        Deviation = "deviation" { clause: String, what: Kept };
        OfHost = "of-host" { rank: u32, host: String, found: Box<Remark> };
        HostsDiffer = "hosts-differ" { fact: String, values: String };
        Confound = "confound" { factor: String, side_a: String, side_b: String, effect: String };
        DataLeft = "data-left" { error: String };
        MeasuredAgain = "measured-again" { cells: String };
        StorageShared = "storage-shared" { folder: String };

        // Data sets.
        Loaded = "loaded" { data: LoadedData, rows: u64, size_mb: f64 as 0, load_s: f64 as 1, check_s: f64 as 1 };
        LoadedOnServer = "loaded-on-server" { data: LoadedData, server: String, elapsed_s: f64 as 1 };
        FoundOnServer = "found-on-server" { data: LoadedData, server: String, elapsed_s: f64 as 1 };

        // Models.
        Guesses = "guesses" { drive: String, guesses: u64, numbers: u64 };
        DriveProfiled = "drive-profiled" {
            drive: String, points: u64, p50: f64 as 1, p50_nine: f64 as 1, p95: f64 as 1, p95_nine: f64 as 1,
            open: u64, numbers: u64
        };
        DriveProfiledLoads = "drive-profiled-loads" {
            drive: String, points: u64, mean: f64 as 1, mean_nine: f64 as 1, p99: f64 as 1, p99_nine: f64 as 1,
            open: u64, numbers: u64
        };
        DriveInaccurate = "drive-inaccurate" { drive: String, figure: String, percent: f64 as 0, see: String };
        DriveModelError = "drive-model-error";
        VirtualTime = "virtual-time";
        SimulatedBeds = "simulated-beds";
        NoIo = "no-io";

        // Replays of traces.
        Replayed = "replayed" { trace: String, format: String, lines: u64 };
        ReplayedOwnTime = "replayed-own-time";
        ReplayedScaled = "replayed-scaled" { speed: String };
        ReplayedFast = "replayed-fast" { depth: u32 };
        ReplaySkipped = "replay-skipped" { ios: u64 };
        ReplayWrapped = "replay-wrapped" { ios: u64 };
        ReplayRounded = "replay-rounded" { ios: u64 };
        ReplayCut = "replay-cut" { ios: u64 };
        ReplayBroken = "replay-broken" { lines: u64, first: u64, why: String };

        // Results of other programs.
        ImportedFrom = "imported-from" { program: String, version: String, file: String };
        ImportedWithoutZone = "imported-without-zone" { zone: String };
        ImportedWithoutTime = "imported-without-time";
        ImportedFioLatency = "imported-fio-latency";
        ImportedFioTotalLatency = "imported-fio-total-latency" { jobs: String };
        ImportedFioMixed = "imported-fio-mixed" { jobs: String };
        ImportedFioClones = "imported-fio-clones" { job: String, count: u64 };
        ImportedFioDepth = "imported-fio-depth" { job: String, asked: u64, kept: u64 };
        ImportedFioSeveralJobs = "imported-fio-several-jobs" { job: String, jobs: u64, depth: u64 };
        ImportedFioTimes = "imported-fio-times";
        ImportedFioDocuments = "imported-fio-documents" { count: u64 };
        ImportedHammerdbPercentiles = "imported-hammerdb-percentiles";
        ImportedPercentile = "imported-percentile" { percent: f64 as 0 };
        ImportedPgbenchScripts = "imported-pgbench-scripts" { count: u64 };

        // Loads that were observed.
        ObservedAt = "observed-at" { server: String, elapsed_s: f64 as 0 };
        ObservedCutShort = "observed-cut-short" { asked_s: f64 as 0 };
        ObservedAway = "observed-away" { error: String };
        ObservedBroken = "observed-broken" { times: u64, lost_s: f64 as 0 };
        ObservedCaughtUp = "observed-caught-up" {
            times: u64, still_s: f64 as 0, burst_per_s: f64 as 0, usual_per_s: f64 as 0
        };
        ObservedAllPrograms = "observed-all-programs";
        ObservedOtherPrograms = "observed-other-programs";
        ObservedElsewhere = "observed-elsewhere" { processors: u32 };
        ObservedDrive = "observed-drive" { device: String };
        ObservedOtherDrive = "observed-other-drive" { device: String, data: String };
        ObservedPages = "observed-pages";
        ObservedUnsynced = "observed-unsynced" { writing_percent: f64 as 0, waiting_percent: f64 as 0 };
        ObservedThinking = "observed-thinking" { percent: f64 as 0 };
        ObservedStatements = "observed-statements";
    }
}

sentences! {
    /// The data set of a workload.
    pub enum LoadedData by "data" {
        Warehouses = "warehouses" { warehouses: u32 };
        SysbenchTables = "sysbench-tables" { tables: u32, rows: u32 };
        ScannedTable = "scanned-table" { rows: u32 };
    }
}

impl From<&str> for Remark {
    fn from(text: &str) -> Remark {
        Remark::Told { text: text.to_owned() }
    }
}
