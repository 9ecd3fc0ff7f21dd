//! The side of the lead: the meetings with the ranks, as it calls them one after the other.

mod clocks;
mod link;
mod pulse;
mod wait;

use std::fmt;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use ground::{Clock, nanoseconds};

use crate::bytes::Bytes;
use crate::connection::{Connections, Incoming, Keeper};
use crate::error::FleetError;
use crate::live::Live;
use crate::meeting::Meeting;
use crate::message::{Done, Down, Hello, Up};
use crate::offset::Offset;
use link::Link;
use pulse::Pulse;
pub use wait::Wait;

/// A start is at least so far ahead, so that every rank hears of it before.
const AHEAD: Duration = Duration::from_millis(100);
/// And so many times the longest round trip: a machine or a network that is busy now may be busier then.
const TRIPS_AHEAD: u32 = 4;

/// A first word is waited for at least so long: a program has to be started, perhaps over a slow network.
const HELLO_MIN: Duration = Duration::from_secs(10);

/// The longest waits.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For the first word of a rank: a connection is made meanwhile.
    pub hello: Duration,
    /// For a sign of life of a rank, which it gives every second.
    pub silence: Duration,
    /// For a sign of life of the lead, which it gives every second too: a rank that waits longer ends its
    /// load, as one whose input closes.
    pub lead: Duration,
}

impl Limits {
    /// The limits by the longest silence of a rank. Its first word, and a sign of life of the lead, may take
    /// twice as long, and ten seconds at least: the lead names a silent rank before that rank ends.
    #[must_use]
    pub fn of(silence: Duration) -> Limits {
        let longer = silence.saturating_mul(2).max(HELLO_MIN);
        Limits { hello: longer, silence, lead: longer }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::of(Duration::from_secs(30))
    }
}

/// Whoever watches a fleet at its lead.
pub trait Watch {
    /// A reading of a rank's load.
    fn live(&self, rank: u32, live: Live);

    /// A rank loads data, and has done a share of it.
    fn loading(&self, what: &str, share: f64);

    /// A sentence of a rank for the user.
    fn told(&self, host: &str, warns: bool, text: &str);

    /// The stop of the fleet: `None` for none, else true if at once and false if with its phase.
    fn stops(&self) -> Option<bool>;
}

/// The ranks of a fleet at its lead.
pub struct Coordinator {
    links: Vec<Link>,
    inbox: Receiver<Incoming>,
    clock: Clock,
    limits: Limits,
    pings: u64,
    stopped: Option<bool>,
    /// When it last looked at its limits.
    looked_ns: u64,
    /// It ends before the ways to the ranks close.
    _pulse: Pulse,
    /// Last, so that it is dropped when the ways to the ranks are closed.
    keeper: Box<dyn Keeper>,
}

impl fmt::Debug for Coordinator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<&str> = self.links.iter().map(|link| link.host.as_str()).collect();
        f.debug_struct("Coordinator").field("hosts", &hosts).finish_non_exhaustive()
    }
}

impl Coordinator {
    /// Waits for the first word of every rank, refuses ranks of another version than `version`, and gives
    /// each its place.
    ///
    /// # Errors
    /// [`FleetError`] with the rank that did not come.
    pub fn assemble(
        connections: Connections,
        version: &str,
        limits: Limits,
        watch: &dyn Watch,
    ) -> Result<Coordinator, FleetError> {
        let clock = Clock::Wall;
        let now_ns = clock.now_ns();
        let links =
            (0..).zip(connections.ranks).map(|(rank, (host, out))| Link::new(rank, host, out, now_ns));
        let links: Vec<Link> = links.collect();
        let mut coordinator = Coordinator {
            _pulse: Pulse::over(links.iter().map(Link::outbox).collect()),
            links,
            inbox: connections.inbox,
            clock,
            limits: Limits { silence: limits.hello, ..limits },
            pings: 0,
            stopped: None,
            looked_ns: now_ns,
            keeper: connections.keeper,
        };
        let all = coordinator.all();
        let wait = Wait { ranks: &all, limit: limits.hello };
        let hellos = coordinator.collect(Meeting::Hello, wait, watch, |_, message| match message {
            Up::Hello(hello) => Ok(hello),
            other => Err(other),
        })?;
        coordinator.limits = limits;
        for (link, hello) in coordinator.links.iter_mut().zip(hellos) {
            link.hello = hello;
        }
        coordinator.check_versions(version)?;
        let size = coordinator.size();
        for link in &mut coordinator.links {
            // A rank gives signs of life once it has its place, for which it waited until the last one came.
            link.heard_ns = coordinator.clock.now_ns();
            link.send(&Down::Place { rank: link.rank, size, silence: limits.lead });
        }
        Ok(coordinator)
    }

    fn check_versions(&self, version: &str) -> Result<(), FleetError> {
        let others = self.links.iter().filter(|link| link.hello.version != version);
        let of = |link: &Link| format!("rank {} ({}) has {}", link.rank, link.host, link.hello.version);
        let others: Vec<String> = others.map(of).collect();
        if others.is_empty() {
            return Ok(());
        }
        Err(FleetError::Versions { versions: format!("the lead has {version}, {}", others.join(", ")) })
    }

    /// The number of ranks.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.links.len() as u32
    }

    /// The numbers of all ranks.
    #[must_use]
    pub fn all(&self) -> Vec<u32> {
        (0..self.size()).collect()
    }

    /// The hosts by rank, as they were asked for.
    #[must_use]
    pub fn hosts(&self) -> Vec<String> {
        self.links.iter().map(|link| link.host.clone()).collect()
    }

    /// The first words of the ranks.
    #[must_use]
    pub fn hellos(&self) -> Vec<Hello> {
        self.links.iter().map(|link| link.hello.clone()).collect()
    }

    /// The offsets of the ranks' clocks by the latest measurement.
    #[must_use]
    pub fn offsets(&self) -> Vec<Offset> {
        self.links.iter().map(|link| link.offset).collect()
    }

    /// Waits for a word of each of these ranks at a meeting, in their order.
    ///
    /// # Errors
    /// [`FleetError`] with the rank that is gone, failed, or did not come within the limit.
    pub fn words(
        &mut self,
        at: Meeting,
        wait: Wait<'_>,
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<u8>>, FleetError> {
        self.collect(at, wait, watch, |_, message| match message {
            Up::Word { at: there, word } if there == at => Ok(word.0),
            other => Err(other),
        })
    }

    /// Waits for a word of each of these ranks at whichever of these meetings it comes to, in their order.
    ///
    /// # Errors
    /// As [`words`](Coordinator::words).
    pub fn words_at(
        &mut self,
        places: &[Meeting],
        wait: Wait<'_>,
        watch: &dyn Watch,
    ) -> Result<Vec<(Meeting, Vec<u8>)>, FleetError> {
        let last = places.last().copied().unwrap_or(Meeting::End);
        self.collect(last, wait, watch, |_, message| match message {
            Up::Word { at, word } if places.contains(&at) => Ok((at, word.0)),
            other => Err(other),
        })
    }

    /// Answers these ranks at a meeting.
    pub fn answer(&mut self, ranks: &[u32], word: &[u8]) {
        self.send(ranks, &Down::Word(Bytes(word.to_vec())));
    }

    /// Waits until each of these ranks is ready and lets all of them start at one moment; the reason why none
    /// starts if a rank cannot.
    ///
    /// # Errors
    /// As [`words`](Coordinator::words).
    pub fn start(&mut self, wait: Wait<'_>, watch: &dyn Watch) -> Result<Option<String>, FleetError> {
        let faults = self.collect(Meeting::Ready, wait, watch, |_, message| match message {
            Up::Ready { fault } => Ok(fault),
            other => Err(other),
        })?;
        let of_rank = |(&rank, fault): (&u32, Option<String>)| {
            Some(format!("rank {rank} ({}): {}", self.links[rank as usize].host, fault?))
        };
        let faults: Vec<String> = wait.ranks.iter().zip(faults).filter_map(of_rank).collect();
        if !faults.is_empty() {
            let why = faults.join("; ");
            self.send(wait.ranks, &Down::Off { why: why.clone() });
            return Ok(Some(why));
        }
        let trip = self.measure_clocks(wait.ranks, watch)?;
        let at_ns = self.clock.now_ns() + nanoseconds(AHEAD + trip * TRIPS_AHEAD);
        let links = wait.ranks.iter().map(|rank| &self.links[*rank as usize]);
        links.for_each(|link| link.send(&Down::Start { at_ns: link.offset.there(at_ns) }));
        Ok(None)
    }

    /// Waits until the loads of these ranks are over.
    ///
    /// # Errors
    /// As [`words`](Coordinator::words).
    pub fn done(&mut self, wait: Wait<'_>, watch: &dyn Watch) -> Result<Vec<Done>, FleetError> {
        let done = self.collect(Meeting::Done, wait, watch, |_, message| match message {
            Up::Done(done) => Ok(done),
            other => Err(other),
        })?;
        self.send(wait.ranks, &Down::Done);
        Ok(done)
    }

    /// Takes the result of each of these ranks as it arrives.
    ///
    /// # Errors
    /// As [`words`](Coordinator::words).
    pub fn gather<T>(
        &mut self,
        wait: Wait<'_>,
        watch: &dyn Watch,
        mut take: impl FnMut(u32, &[u8]) -> T,
    ) -> Result<Vec<T>, FleetError> {
        self.collect(Meeting::Gather, wait, watch, |rank, message| match message {
            Up::Result(result) => Ok(take(rank, &result.0)),
            other => Err(other),
        })
    }

    /// Waits for the last words of all ranks.
    ///
    /// # Errors
    /// As [`words`](Coordinator::words).
    pub fn byes(&mut self, limit: Duration, watch: &dyn Watch) -> Result<Vec<Vec<u8>>, FleetError> {
        let all = self.all();
        self.collect(Meeting::End, Wait { ranks: &all, limit }, watch, |_, message| match message {
            Up::Bye(word) => Ok(word.0),
            other => Err(other),
        })
    }

    /// Asks all ranks to end their phase, or everything at once.
    pub fn stop(&mut self, at_once: bool) {
        if self.stopped.is_none_or(|before| at_once && !before) {
            self.stopped = Some(at_once);
            self.send_all(&Down::Stop { at_once });
        }
    }

    fn send_all(&self, message: &Down) {
        self.links.iter().for_each(|link| link.send(message));
    }

    fn send(&self, ranks: &[u32], message: &Down) {
        ranks.iter().for_each(|rank| self.links[*rank as usize].send(message));
    }
}
