//! The smaller words of a result: realms, orders, kinds of notes, events and points.

use crate::word::words;

words! {
    /// The kind of storage behind a bed or a run.
    pub enum Realm {
        /// Every I/O goes to the path that the bed names.
        Real = "real",
        /// Real bytes; the time of each I/O comes from a model and is waited for.
        Emulated = "emulated",
        /// No bytes: whole beds in virtual time.
        Simulated = "simulated",
        /// Beds of several realms in one run.
        Mixed = "mixed",
        /// Measured and reported by another program; its results were imported.
        Imported = "imported",
    }
}

words! {
    /// The order in which cells are run.
    pub enum Order {
        /// Randomised complete blocks: every repeat holds every bed once, in an order drawn from the seed.
        Interleaved = "interleaved",
        /// All of one bed, then all of the next. Drift of the machine then looks like a difference; the
        /// report says so.
        Sequential = "sequential",
    }
}

words! {
    /// The kind of a sentence that is kept with a run.
    pub enum NoteKind {
        /// A caveat about a derived workload.
        Disclaimer = "disclaimer",
        /// A deviation of the workload from the rules that it is derived from.
        Deviation = "deviation",
        /// The description in the experiment.
        Description = "description",
        /// The omissions and the errors of a model.
        Model = "model",
        /// A finding of `doctor`.
        Doctor = "doctor",
        /// A caveat about the figures.
        Warning = "warning",
        /// The way in which data were loaded.
        Load = "load",
        /// The reason why a run ended early.
        Error = "error",
        /// A remark of the user.
        User = "user",
        /// A difference between the study's systems besides the treatment.
        PublishedConfound = "published-confound",
    }
}

words! {
    /// The kind of something that happened in a cell.
    pub enum EventKind {
        /// A setting of the engine.
        Setting = "setting",
        /// The way in which the cell was reset.
        Reset = "reset",
        /// A caveat about the cell.
        Warning = "warning",
        /// An error of a transaction, counted.
        Error = "error",
        /// A share of the input outside of its limits.
        Input = "input",
        /// A consistency condition that is violated.
        Consistency = "consistency",
        /// A difference between a server's own counts and the client's.
        ServerCounts = "server-counts",
        /// The reason for the cell's end, as far as the steady state goes.
        Steady = "steady",
        /// The arm of a neighbour workload, in words.
        Arm = "arm",
        /// The omissions of a simulation.
        Simulated = "simulated",
        /// A pattern that a model cannot tell apart.
        Pattern = "pattern",
        /// One cycle of backup and restore.
        Cycle = "cycle",
        /// The drill that shows that the proof of restores works.
        Drill = "drill",
        /// The places of a file's pieces.
        Layout = "layout",
        /// The plan of a query.
        Plan = "plan",
        /// The end of a load in a crash.
        Crash = "crash",
        /// The result of a search for a load.
        Search = "search",
        /// The purge of a drive before the fill.
        Purge = "purge",
        /// The trace of the cell.
        Trace = "trace",
        /// The limiter of one host of a fleet.
        HostLimiter = "host-limiter",
        /// The reason why an instance did not stop cleanly.
        Stop = "stop",
        /// A measurement without a finite value, which is left out.
        Unmeasurable = "unmeasurable",
    }
}

words! {
    /// The kind of a point of a block cell.
    pub enum PointKind {
        /// One pair of a share of reads and a block size.
        Matrix = "matrix",
        /// One step of a latency curve.
        Curve = "curve",
        /// One step of a search.
        Search = "search",
        /// One round before the steady state.
        Round = "round",
    }
}
