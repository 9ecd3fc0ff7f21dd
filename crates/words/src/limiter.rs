//! The limiters of a cell, and the figures behind them.

use serde::{Deserialize, Serialize};

use crate::sentence::sentences;
use crate::word::words;

words! {
    /// The limiter of a cell: the reason why its throughput is not twice as high.
    #[derive(Serialize, Deserialize)]
    #[serde(into = "String", try_from = "String")]
    pub enum Limiter {
        /// Most waited for reads or writes of the drive.
        Drive = "drive",
        /// Most waited until the log of transactions was on the drive.
        LogFlush = "log flush",
        /// Most waited for each other.
        Locks = "locks",
        /// The processors had no time left for the database and its clients.
        Cpu = "CPU",
        /// The load generator took the processors, so the storage was not measured.
        Client = "client",
        /// The kernel's way to the storage took the processors.
        Kernel = "kernel",
        /// Programs that are no part of the measurement took the processors.
        OtherPrograms = "other programs",
        /// The rate that was asked for was kept.
        Pacing = "pacing",
        /// Nothing was answered for a large part of the time while requests waited.
        NoAnswer = "no answer",
        /// Waits inside a modelled engine that no load changes.
        FixedWaits = "fixed waits",
        /// Most waited for the network between client and server.
        Network = "network",
        /// No cell said what bounded it.
        NotKnown = "not known",
    }
}

sentences! {
    /// The figures that name a limiter. Percentages are of what the sentence says, 0 to 100.
    pub enum LimiterFigures by "figures" {
        // A sentence of a notebook that kept no data beside it.
        Told = "told" { text: String } => "{text}";
        Users = "users" { drive_reads_percent: f64, log_percent: f64, writer_percent: f64, rest_percent: f64, processors: ProcessorFigures } =>
            "users' time: drive reads {drive_reads_percent:.0} %, log {log_percent:.0} %, waiting for the one writer {writer_percent:.0} %, engine and client {rest_percent:.0} %; {processors}";
        Sessions = "sessions" { log_percent: f64, drive_percent: f64, locks_percent: f64, rest_percent: f64, samples: u64, processors: ProcessorFigures } =>
            "sessions of the server: log {log_percent:.0} %, drive {drive_percent:.0} %, row locks {locks_percent:.0} %, processor and the rest {rest_percent:.0} % ({samples} samples); {processors}";
        Model = "model" { processor_percent: f64, queue_percent: f64, drive_reads_percent: f64, log_percent: f64, fixed_percent: f64, network_percent: f64, cpu_idle_percent: f64 } =>
            "users' time in the model: processor {processor_percent:.0} %, waiting for one {queue_percent:.0} %, drive reads {drive_reads_percent:.0} %, log {log_percent:.0} %, waits of every batch in the engine that no load changes {fixed_percent:.0} %, network {network_percent:.0} %; CPU idle {cpu_idle_percent:.0} %";
        Workers = "workers" { generator_percent: f64, kernel_percent: f64 } => "each worker: generator {generator_percent:.0} %, kernel {kernel_percent:.0} % of a processor";
        WorkersPaced = "workers-paced" { iops: f64, asked_iops: f64, generator_percent: f64, kernel_percent: f64 } =>
            "{iops:.0} of {asked_iops:.0} IOPS asked; each worker: generator {generator_percent:.0} %, kernel {kernel_percent:.0} % of a processor";
        ModelPaced = "model-paced" { iops: f64, asked_iops: f64 } => "{iops:.0} of {asked_iops:.0} IOPS asked";
        ModelBehind = "model-behind" { iops: f64, asked_iops: f64 } => "{iops:.0} of {asked_iops:.0} IOPS asked; the rest waits for the model's storage";
        ModelUnpaced = "model-unpaced" => "the model of a block load has nothing but its storage";
        NoAnswer = "no-answer" { still_s: f64, measured_s: f64, still_percent: f64, moving: Limiter, rest: Box<LimiterFigures> } =>
            "no request was answered for {still_s:.1} s of {measured_s:.1} s ({still_percent:.0} %) while requests waited; in the rest {moving}: {rest}";
        PaceKept = "pace-kept" { per_s: f64, asked_per_s: f64, rest: Box<LimiterFigures> } => "the asked pace was kept: {per_s:.1} of {asked_per_s:.1}/s; {rest}";
        PaceMissed = "pace-missed" { per_s: f64, asked_per_s: f64, rest: Box<LimiterFigures> } => "the asked pace was not kept: {per_s:.1} of {asked_per_s:.1}/s; {rest}";
    }
}

sentences! {
    /// The use of the machine's processors in the measure phase.
    pub enum ProcessorFigures by "processors" {
        Known = "known" { idle_percent: f64, others_percent_of_busy: f64, steal_percent: f64 } =>
            "CPU idle {idle_percent:.0} %, other programs {others_percent_of_busy:.0} % of what was busy, steal {steal_percent:.0} %";
        OthersNotKnown = "others-not-known" { idle_percent: f64, steal_percent: f64 } =>
            "CPU idle {idle_percent:.0} %, other programs not known, steal {steal_percent:.0} %";
    }
}
