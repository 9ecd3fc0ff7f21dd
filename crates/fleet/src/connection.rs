//! The ways between the lead and its ranks: a pipe to each, one from each, and a thread at either.

use std::fmt;
use std::io::{BufWriter, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use ground::Clock;

use crate::frame::{FRAME_BYTES_MAX, HELLO_BYTES_MAX, read_frame, write_frame};

/// The lines that say why a rank ended are on another pipe than its end.
const LINES_FIRST: Duration = Duration::from_millis(50);

/// The name of a host, the messages from it, and those to it.
pub type Pipes = (String, Box<dyn Read + Send>, Box<dyn Write + Send>);

/// The way to a rank: messages that a thread of its own writes, so that a rank that reads nothing holds
/// nobody up. The rank's pipe closes when it is dropped.
pub(crate) type Outbox = Sender<Vec<u8>>;

/// An item that came from a rank.
#[derive(Debug)]
pub(crate) enum Arrived {
    Message(Vec<u8>),
    /// A line of its standard error.
    Line(String),
    /// Its pipe closed, with the reason if it is one.
    End(Option<String>),
}

/// An item from a rank, with its arrival on the lead's clock.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) rank: u32,
    pub(crate) at_ns: u64,
    pub(crate) what: Arrived,
}

/// Whoever sees to the end of the ranks: it is dropped when the ways to them are closed.
pub(crate) trait Keeper: Send {
    /// A rank that hears nothing is to be ended without a word.
    fn give_up(&mut self, _rank: u32) {}

    /// The end of the process of a rank whose pipe is closed, as the rest of a sentence; `None` where that is
    /// not known.
    fn end_of(&mut self, _rank: u32) -> Option<String> {
        None
    }
}

/// Nobody sees to their end.
struct Nobody;

impl Keeper for Nobody {}

/// A keeper, and what is dropped before it.
struct Beside<T>(
    #[allow(dead_code, reason = "held until the ways to the ranks are closed")] T,
    Box<dyn Keeper>,
);

impl<T: Send> Keeper for Beside<T> {
    fn give_up(&mut self, rank: u32) {
        self.1.give_up(rank);
    }

    fn end_of(&mut self, rank: u32) -> Option<String> {
        self.1.end_of(rank)
    }
}

/// Ranks that were started and have not said anything yet.
pub struct Connections {
    /// The hosts by rank, and the ways to them.
    pub(crate) ranks: Vec<(String, Outbox)>,
    pub(crate) inbox: Receiver<Incoming>,
    pub(crate) keeper: Box<dyn Keeper>,
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections").field("ranks", &self.ranks.len()).finish_non_exhaustive()
    }
}

impl Connections {
    /// The number of ranks.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.ranks.len() as u32
    }

    /// The same; `also` is dropped after the ways to the ranks are closed.
    #[must_use]
    pub fn keeping(self, also: impl Send + 'static) -> Connections {
        Connections { keeper: Box::new(Beside(also, self.keeper)), ..self }
    }

    /// Ranks that are reached over pipes that somebody else made.
    #[must_use]
    pub fn over(pipes: Vec<Pipes>) -> Connections {
        let (arrivals, inbox) = channel();
        let mut ranks = Vec::new();
        for (rank, (host, from, to)) in (0..).zip(pipes) {
            ranks.push((host, outbox(to)));
            let arrivals = arrivals.clone();
            std::thread::spawn(move || read_messages(rank, from, &arrivals));
        }
        Connections { ranks, inbox, keeper: Box::new(Nobody) }
    }
}

/// A thread that writes messages to a rank until its sender is dropped; then its pipe closes.
pub(crate) fn outbox(pipe: impl Write + Send + 'static) -> Outbox {
    let (outbox, messages): (Outbox, Receiver<Vec<u8>>) = channel();
    std::thread::spawn(move || {
        let mut pipe = BufWriter::new(pipe);
        for message in messages {
            if write_frame(&mut pipe, &message).is_err() {
                break; // Its reader tells that it is gone.
            }
        }
    });
    outbox
}

/// Hands in every message of a rank with the time of its arrival, and at last its end.
pub(crate) fn read_messages(rank: u32, mut pipe: impl Read, arrivals: &Sender<Incoming>) {
    let incoming = |what| Incoming { rank, at_ns: Clock::Wall.now_ns(), what };
    let mut bytes_max = HELLO_BYTES_MAX;
    loop {
        let (what, ends) = match read_frame(&mut pipe, bytes_max) {
            Ok(Some(message)) => (Arrived::Message(message), false),
            Ok(None) => (Arrived::End(None), true),
            Err(error) => (Arrived::End(Some(error.to_string())), true),
        };
        bytes_max = FRAME_BYTES_MAX;
        if ends {
            Clock::Wall.sleep(LINES_FIRST);
        }
        if arrivals.send(incoming(what)).is_err() || ends {
            break;
        }
    }
}
