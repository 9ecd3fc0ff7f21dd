//! The limiters of a cell, and the figures behind them.

use serde::{Deserialize, Serialize};

use crate::sentence::sentences;
use crate::word::words;
use crate::{Datum, Said, Spoken as _};

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
        Told = "told" { text: String };
        Users = "users" { drive_reads_percent: f64 as 0, log_percent: f64 as 0, writer_percent: f64 as 0, rest_percent: f64 as 0, processors: ProcessorFigures };
        Sessions = "sessions" { log_percent: f64 as 0, drive_percent: f64 as 0, locks_percent: f64 as 0, rest_percent: f64 as 0, samples: u64, processors: ProcessorFigures };
        // Of too few samples for shares.
        SessionsFew = "sessions-few" { samples: u64, processors: ProcessorFigures };
        Model = "model" { processor_percent: f64 as 0, queue_percent: f64 as 0, drive_reads_percent: f64 as 0, log_percent: f64 as 0, fixed_percent: f64 as 0, network_percent: f64 as 0, cpu_idle_percent: f64 as 0 };
        Workers = "workers" { generator_percent: f64 as 0, kernel_percent: f64 as 0 };
        WorkersPaced = "workers-paced" { iops: f64 as 0, asked_iops: f64 as 0, generator_percent: f64 as 0, kernel_percent: f64 as 0 };
        // Older notebooks have `workers-paced` for a missed pace as well, beside another limiter than pacing.
        WorkersBehind = "workers-behind" { iops: f64 as 0, asked_iops: f64 as 0, generator_percent: f64 as 0, kernel_percent: f64 as 0 };
        ModelPaced = "model-paced" { iops: f64 as 0, asked_iops: f64 as 0 };
        ModelBehind = "model-behind" { iops: f64 as 0, asked_iops: f64 as 0 };
        ModelUnpaced = "model-unpaced";
        NoAnswer = "no-answer" { still_s: f64 as 1, measured_s: f64 as 1, still_percent: f64 as 0, moving: Limiter, rest: Box<LimiterFigures> };
        PaceKept = "pace-kept" { per_s: f64 as 1, asked_per_s: f64 as 1, rest: Box<LimiterFigures> };
        WithProcessors = "with-processors" { rest: Box<LimiterFigures>, processors: ProcessorFigures };
        PaceMissed = "pace-missed" { per_s: f64 as 1, asked_per_s: f64 as 1, rest: Box<LimiterFigures> };
        // Notebooks have `pace-kept` for this.
        PaceAbove = "pace-above" { per_s: f64 as 1, asked_per_s: f64 as 1, rest: Box<LimiterFigures> };
    }
}

sentences! {
    /// The use of the machine's processors in the measure phase.
    pub enum ProcessorFigures by "processors" {
        Known = "known" { idle_percent: f64 as 0, others_percent_of_busy: f64 as 0, steal_percent: f64 as 0 };
        OthersNotKnown = "others-not-known" { idle_percent: f64 as 0, steal_percent: f64 as 0 };
        // Of a server on another machine.
        Elsewhere = "elsewhere";
    }
}

impl LimiterFigures {
    /// A rate above this share of the requested one is not that rate.
    pub const ABOVE_ASKED: f64 = 1.1;

    /// True if they tell of a pace that was asked for and not kept, by a cell with this limiter.
    pub fn missed_pace(&self, limiter: Limiter) -> bool {
        match self {
            LimiterFigures::WorkersPaced { .. } | LimiterFigures::ModelPaced { .. } => {
                limiter != Limiter::Pacing
            }
            LimiterFigures::WorkersBehind { .. }
            | LimiterFigures::ModelBehind { .. }
            | LimiterFigures::PaceMissed { .. } => true,
            LimiterFigures::NoAnswer { rest, .. } | LimiterFigures::WithProcessors { rest, .. } => {
                rest.missed_pace(limiter)
            }
            LimiterFigures::Told { .. }
            | LimiterFigures::Users { .. }
            | LimiterFigures::Sessions { .. }
            | LimiterFigures::SessionsFew { .. }
            | LimiterFigures::Model { .. }
            | LimiterFigures::Workers { .. }
            | LimiterFigures::ModelUnpaced
            | LimiterFigures::PaceKept { .. }
            | LimiterFigures::PaceAbove { .. } => false,
        }
    }

    /// The rate as a share of the requested one, where a rate was requested.
    pub fn of_asked(&self) -> Option<f64> {
        match self {
            LimiterFigures::WorkersPaced { iops, asked_iops, .. }
            | LimiterFigures::WorkersBehind { iops, asked_iops, .. }
            | LimiterFigures::ModelPaced { iops, asked_iops }
            | LimiterFigures::ModelBehind { iops, asked_iops } => Some(iops / asked_iops),
            LimiterFigures::PaceKept { per_s, asked_per_s, .. }
            | LimiterFigures::PaceAbove { per_s, asked_per_s, .. }
            | LimiterFigures::PaceMissed { per_s, asked_per_s, .. } => Some(per_s / asked_per_s),
            LimiterFigures::NoAnswer { rest, .. } | LimiterFigures::WithProcessors { rest, .. } => {
                rest.of_asked()
            }
            LimiterFigures::Told { .. }
            | LimiterFigures::Users { .. }
            | LimiterFigures::Sessions { .. }
            | LimiterFigures::SessionsFew { .. }
            | LimiterFigures::Model { .. }
            | LimiterFigures::Workers { .. }
            | LimiterFigures::ModelUnpaced => None,
        }
    }

    /// The use of the machine's processors among them.
    pub fn processors_mut(&mut self) -> Option<&mut ProcessorFigures> {
        match self {
            LimiterFigures::Users { processors, .. }
            | LimiterFigures::Sessions { processors, .. }
            | LimiterFigures::SessionsFew { processors, .. }
            | LimiterFigures::WithProcessors { processors, .. } => Some(processors),
            LimiterFigures::NoAnswer { rest, .. }
            | LimiterFigures::PaceKept { rest, .. }
            | LimiterFigures::PaceMissed { rest, .. }
            | LimiterFigures::PaceAbove { rest, .. } => rest.processors_mut(),
            LimiterFigures::Told { .. }
            | LimiterFigures::Model { .. }
            | LimiterFigures::Workers { .. }
            | LimiterFigures::WorkersPaced { .. }
            | LimiterFigures::WorkersBehind { .. }
            | LimiterFigures::ModelPaced { .. }
            | LimiterFigures::ModelBehind { .. }
            | LimiterFigures::ModelUnpaced => None,
        }
    }

    /// The shares of the workers' processors by the load generator and by the kernel, % of one for each.
    pub fn workers_percent(&self) -> Option<(f64, f64)> {
        match self {
            LimiterFigures::Workers { generator_percent, kernel_percent }
            | LimiterFigures::WorkersPaced { generator_percent, kernel_percent, .. }
            | LimiterFigures::WorkersBehind { generator_percent, kernel_percent, .. } => {
                Some((*generator_percent, *kernel_percent))
            }
            LimiterFigures::WithProcessors { rest, .. } | LimiterFigures::NoAnswer { rest, .. } => {
                rest.workers_percent()
            }
            _ => None,
        }
    }

    /// The figures as a reader is told them: a rate that lies well above the requested one was not met.
    pub fn told(self) -> LimiterFigures {
        let is_above = self.of_asked().is_some_and(|share| share > LimiterFigures::ABOVE_ASKED);
        match self {
            LimiterFigures::PaceKept { per_s, asked_per_s, rest } if is_above => {
                LimiterFigures::PaceAbove { per_s, asked_per_s, rest }
            }
            other => other,
        }
    }
}

impl Said for Limiter {
    fn said(&self) -> Datum<'_> {
        self.spoken().said()
    }
}
