//! One rank as the lead sees it.

use std::collections::VecDeque;
use std::time::Duration;

use crate::connection::Outbox;
use crate::error::FleetError;
use crate::frame::encode;
use crate::meeting::Meeting;
use crate::message::{Down, Hello, Up};
use crate::offset::Offset;

/// Lines of a rank that an error repeats.
const LINES_KEPT: usize = 5;

/// One rank as the lead sees it.
pub(super) struct Link {
    pub(super) rank: u32,
    pub(super) host: String,
    out: Outbox,
    pub(super) hello: Hello,
    /// When its last sign of life came.
    pub(super) heard_ns: u64,
    /// Messages that came before they were asked for.
    pub(super) waiting: VecDeque<Up>,
    lines: VecDeque<String>,
    /// It has said its last word.
    pub(super) has_ended: bool,
    pub(super) offset: Offset,
}

impl Link {
    pub(super) fn new(rank: u32, host: String, out: Outbox, now_ns: u64) -> Link {
        Link {
            rank,
            host,
            out,
            hello: Hello { version: String::new(), machine: String::new(), pid: 0 },
            heard_ns: now_ns,
            waiting: VecDeque::new(),
            lines: VecDeque::new(),
            has_ended: false,
            offset: Offset::default(),
        }
    }

    /// The way to the rank.
    pub(super) fn outbox(&self) -> Outbox {
        self.out.clone()
    }

    /// A rank that is gone is found when something is expected of it.
    pub(super) fn send(&self, message: &Down) {
        let _ = self.out.send(encode(message));
    }

    /// Keeps a line of its standard error for the error that may follow.
    pub(super) fn keep_line(&mut self, line: String) {
        self.lines.push_back(line);
        if self.lines.len() > LINES_KEPT {
            self.lines.pop_front();
        }
    }

    /// Its process or its connection ended, the former in this way where it is known.
    pub(super) fn gone(&self, at: Meeting, end: Option<String>) -> FleetError {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).chain(end.as_deref()).collect();
        let last = if lines.is_empty() { String::new() } else { format!(": {}", lines.join("; ")) };
        FleetError::Gone { rank: self.rank, host: self.host.clone(), at, last }
    }

    /// It did not come.
    pub(super) fn late(&self, at: Meeting, why: &'static str, waited: Duration) -> FleetError {
        FleetError::Late { rank: self.rank, host: self.host.clone(), at, why, waited }
    }

    /// It says something that nobody asked for.
    pub(super) fn out_of_turn(&self, at: Meeting, message: &Up) -> FleetError {
        FleetError::OutOfTurn { rank: self.rank, host: self.host.clone(), at, what: message.to_string() }
    }

    /// It says that it failed; a text of several lines becomes one.
    pub(super) fn failed(&self, why: &str) -> FleetError {
        let lines: Vec<&str> = why.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        FleetError::Failed { rank: self.rank, host: self.host.clone(), why: lines.join("; ") }
    }
}
