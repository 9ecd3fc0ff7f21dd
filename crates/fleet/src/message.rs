//! The messages between the lead and a rank.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::bytes::Bytes;
use crate::live::Live;
use crate::meeting::Meeting;

/// The first word of a rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Name and version of its program.
    pub version: String,
    /// The name that its machine gives itself.
    pub machine: String,
    /// Its process number there.
    pub pid: u32,
}

/// The times of a load as its rank saw them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// By how much the load began after the agreed moment, ns; `None` where it did not begin.
    pub late_ns: Option<u64>,
    /// The seconds of its series and phases count from so long after the agreed moment, ns: 0 where they
    /// count from the moment itself, however late the load began.
    pub counts_after_ns: u64,
    /// Time from the agreed moment to the end of the load, ns.
    pub after_ns: Option<u64>,
}

/// From the lead to a rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Down {
    /// The rank's place.
    Place {
        /// Its number, from 0.
        rank: u32,
        /// The number of ranks.
        size: u32,
        /// A lead that gives no sign of life for so long is gone.
        silence: Duration,
    },
    /// Answer at once with the time of your clocks.
    Ping {
        /// The number of the question.
        number: u64,
    },
    /// The lead is alive.
    Alive,
    /// The answer at a meeting to which all have come.
    Word(Bytes),
    /// Start at this moment of your clock, ns.
    Start {
        /// The moment.
        at_ns: u64,
    },
    /// Do not start: which rank cannot, and why.
    Off {
        /// In words.
        why: String,
    },
    /// All loads are over.
    Done,
    /// End the phase; measurements are kept.
    Stop {
        /// Without the rest of the phase.
        at_once: bool,
    },
}

/// From a rank to the lead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Up {
    /// The first message.
    Hello(Hello),
    /// The answer to a ping.
    Pong {
        /// The number of the question.
        number: u64,
        /// The clock by which the rank starts, ns.
        clock_ns: u64,
        /// The date, ns since 1970.
        date_ns: i64,
    },
    /// A sign of life.
    Beat(Option<Live>),
    /// Data are being loaded.
    Loading {
        /// The data set.
        what: String,
        /// The share that is done, 0 to 1.
        share: f64,
    },
    /// A sentence for the user.
    Told {
        /// True for a warning.
        warns: bool,
        /// The sentence.
        text: String,
    },
    /// A rank's word at a meeting.
    Word {
        /// The meeting.
        at: Meeting,
        /// The word.
        word: Bytes,
    },
    /// Ready to start, or why not.
    Ready {
        /// Why not.
        fault: Option<String>,
    },
    /// The load is over.
    Done(Done),
    /// The results of a cell.
    Result(Bytes),
    /// The rank ends; its last word.
    Bye(Bytes),
    /// The rank ends by an error.
    Failed {
        /// The error.
        why: String,
    },
}

/// Names the message for an error: never its contents.
impl fmt::Display for Down {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Down::Place { .. } => "a place in the fleet",
            Down::Ping { .. } => "a question for the time",
            Down::Alive => "a sign of life",
            Down::Word(_) => "an answer at a meeting",
            Down::Start { .. } => "the moment of a start",
            Down::Off { .. } => "that nobody starts",
            Down::Done => "that all loads are over",
            Down::Stop { .. } => "a request to stop",
        })
    }
}

/// Names the message for an error: never its contents.
impl fmt::Display for Up {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Up::Hello(_) => "its first word",
            Up::Pong { .. } => "the time",
            Up::Beat(_) => "a sign of life",
            Up::Loading { .. } | Up::Told { .. } => "a sentence for the user",
            Up::Word { at, .. } => return write!(f, "a word at the meeting `{at}`"),
            Up::Ready { .. } => "that it is ready",
            Up::Done(_) => "that its load is over",
            Up::Result(_) => "the results of a cell",
            Up::Bye(_) => "its last word",
            Up::Failed { .. } => "that it failed",
        })
    }
}
