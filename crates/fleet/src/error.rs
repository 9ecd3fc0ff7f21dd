//! Errors of a fleet. Each names the rank, the meeting and the next step.

use std::time::Duration;

use crate::meeting::Meeting;

/// The reason why a fleet cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The list of hosts cannot be read.
    #[error("hosts `{text}`: {why}")]
    Hosts {
        /// As given.
        text: String,
        /// The fault, and the form.
        why: String,
    },
    /// A rank's program cannot be started.
    #[error("rank {rank} ({host}): `{command}` cannot be started: {why}")]
    NotStarted {
        /// The rank.
        rank: u32,
        /// Its host.
        host: String,
        /// The command.
        command: String,
        /// The system's answer.
        why: String,
    },
    /// The end was asked for before a rank said its first word.
    #[error("stopped before rank {rank} ({host}) came")]
    Stopped {
        /// The rank.
        rank: u32,
        /// Its host.
        host: String,
    },
    /// A rank's process or its connection ended.
    #[error("rank {rank} ({host}) is gone at the meeting `{at}`{last}")]
    Gone {
        /// The rank.
        rank: u32,
        /// Its host.
        host: String,
        /// The meeting that was waited for.
        at: Meeting,
        /// The last lines that it wrote and the end of its process, after a colon; empty without any.
        last: String,
    },
    /// A rank gave no sign of life, or did not come to a meeting.
    #[error("rank {rank} ({host}) did not come to the meeting `{at}`: {why} for {waited:?}")]
    Late {
        /// The rank.
        rank: u32,
        /// Its host.
        host: String,
        /// The meeting.
        at: Meeting,
        /// Silent, or alive but not there.
        why: &'static str,
        /// The limit that passed.
        waited: Duration,
    },
    /// A rank says that it failed.
    #[error("rank {rank} ({host}): {why}")]
    Failed {
        /// The rank.
        rank: u32,
        /// Its host.
        host: String,
        /// Its own words.
        why: String,
    },
    /// Ranks of several versions.
    #[error(
        "the ranks are not of one version: {versions}; install the same drivetrain on every host, or name its path with --program"
    )]
    Versions {
        /// Each rank with its version.
        versions: String,
    },
    /// A rank says something that nobody asked for.
    #[error("rank {rank} ({host}) says something else at the meeting `{at}`: {what}")]
    OutOfTurn {
        /// The rank.
        rank: u32,
        /// Its host.
        host: String,
        /// The meeting.
        at: Meeting,
        /// Its message.
        what: String,
    },
    /// The lead is gone or silent.
    #[error("the lead of the fleet {why} at the meeting `{at}`")]
    NoLead {
        /// The meeting.
        at: Meeting,
        /// Gone, or silent for so long.
        why: String,
    },
    /// A transport does not start.
    #[error("{by}: {why}")]
    Transport {
        /// Its name: `MPI`.
        by: &'static str,
        /// The fault.
        why: String,
    },
    /// Bytes that are no message.
    #[error("a message of a fleet cannot be read: {0}")]
    Malformed(String),
}
