//! The side of the lead.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use ground::{Clock, nanoseconds};

use crate::bytes::Bytes;
use crate::error::FleetError;
use crate::frame::{decode, encode};
use crate::meeting::Meeting;
use crate::member::date_ns;
use crate::message::{Done, Down, Hello, Live, Up};
use crate::offset::{Offset, Sample};

/// Round trips to a rank before each start.
const ROUND_TRIPS: usize = 8;
/// The lead looks at its limits and at requests to stop so often.
const LOOK: Duration = Duration::from_millis(100);
/// A start is so far ahead, plus the way of its message.
const AHEAD: Duration = Duration::from_millis(100);
/// Signs of life of the lead.
const BEAT: Duration = Duration::from_secs(1);
/// Lines of a rank that an error repeats.
const LINES_KEPT: usize = 5;

/// The longest waits.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For the first word of a rank: a connection is made meanwhile.
    pub hello: Duration,
    /// For a sign of life of a rank, which it gives every second.
    pub silence: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { hello: Duration::from_secs(60), silence: Duration::from_secs(30) }
    }
}

/// The way to a rank: messages that a thread of its own writes, so that a rank that reads nothing holds
/// nobody up. The rank's pipe closes when it is dropped.
pub type Outbox = Sender<Vec<u8>>;

/// What came from a rank.
#[derive(Debug)]
pub(crate) enum Arrived {
    Message(Vec<u8>),
    /// A line of its standard error.
    Line(String),
    /// Its pipe closed, with the reason if it is one.
    End(Option<String>),
}

/// What came, from whom, and when on the lead's clock.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) rank: u32,
    pub(crate) at_ns: u64,
    pub(crate) what: Arrived,
}

/// Ranks that were started and have not said anything yet.
pub struct Connections {
    /// The hosts by rank, and the ways to them.
    pub(crate) ranks: Vec<(String, Outbox)>,
    pub(crate) inbox: Receiver<Incoming>,
    /// Dropped after the ways to the ranks are closed: it sees to the end of their processes.
    pub(crate) keeper: Box<dyn Any + Send>,
}

/// Whoever watches a fleet at its lead.
pub trait Watch {
    /// A reading of a rank's load.
    fn live(&self, rank: u32, live: Live);

    /// A rank loads data, and has done a share of it.
    fn loading(&self, what: &str, share: f64);

    /// A sentence of a rank for the user.
    fn told(&self, host: &str, warns: bool, text: &str);

    /// Whether the fleet is to stop: no, with its phase, or at once.
    fn stops(&self) -> Option<bool>;
}

/// One rank as the lead sees it.
struct Link {
    host: String,
    out: Outbox,
    hello: Hello,
    heard_ns: u64,
    waiting: VecDeque<Up>,
    lines: VecDeque<String>,
    has_ended: bool,
    offset: Offset,
}

/// The ranks of a fleet at its lead.
pub struct Coordinator {
    links: Vec<Link>,
    inbox: Receiver<Incoming>,
    clock: Clock,
    limits: Limits,
    pings: u64,
    stopped: Option<bool>,
    beat_ns: u64,
    /// Last, so that it is dropped last.
    _keeper: Box<dyn Any + Send>,
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections").field("ranks", &self.ranks.len()).finish_non_exhaustive()
    }
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
        let link = |(host, out)| Link {
            host,
            out,
            hello: Hello { version: String::new(), machine: String::new(), pid: 0 },
            heard_ns: now_ns,
            waiting: VecDeque::new(),
            lines: VecDeque::new(),
            has_ended: false,
            offset: Offset::default(),
        };
        let mut coordinator = Coordinator {
            links: connections.ranks.into_iter().map(link).collect(),
            inbox: connections.inbox,
            clock,
            limits: Limits { silence: limits.hello, ..limits },
            pings: 0,
            stopped: None,
            beat_ns: now_ns,
            _keeper: connections.keeper,
        };
        let hellos =
            coordinator.collect(Meeting::Hello, limits.hello, watch, |_, message| match message {
                Up::Hello(hello) => Ok(hello),
                other => Err(other),
            })?;
        coordinator.limits = limits;
        for (link, hello) in coordinator.links.iter_mut().zip(hellos) {
            link.hello = hello;
        }
        if coordinator.links.iter().any(|link| link.hello.version != version) {
            let of = |(rank, link): (usize, &Link)| {
                format!("rank {rank} ({}) has {}", link.host, link.hello.version)
            };
            let others =
                coordinator.links.iter().enumerate().filter(|(_, link)| link.hello.version != version);
            let others: Vec<String> = others.map(of).collect();
            let versions = format!("the lead has {version}, {}", others.join(", "));
            return Err(FleetError::Versions { versions });
        }
        let size = coordinator.size();
        for rank in 0..size {
            coordinator.send(rank, &Down::Place { rank, size });
        }
        Ok(coordinator)
    }

    /// The number of ranks.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.links.len() as u32
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

    /// Waits for a word of every rank at a meeting.
    ///
    /// # Errors
    /// [`FleetError`] with the rank that is gone, failed, or did not come within `limit`.
    pub fn words(
        &mut self,
        at: Meeting,
        limit: Duration,
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<u8>>, FleetError> {
        self.collect(at, limit, watch, |_, message| match message {
            Up::Word { at: there, word } if there == at => Ok(word.0),
            other => Err(other),
        })
    }

    /// Waits for a word of every rank at whichever of these meetings they come to, all to the same.
    ///
    /// # Errors
    /// As [`words`](Coordinator::words).
    pub fn words_at(
        &mut self,
        places: &[Meeting],
        limit: Duration,
        watch: &dyn Watch,
    ) -> Result<(Meeting, Vec<Vec<u8>>), FleetError> {
        let last = places.last().copied().unwrap_or(Meeting::End);
        let mut there = None;
        let words = self.collect(last, limit, watch, |_, message| match message {
            Up::Word { at, word } if places.contains(&at) && *there.get_or_insert(at) == at => Ok(word.0),
            other => Err(other),
        })?;
        Ok((there.unwrap_or(last), words))
    }

    /// Answers all ranks at a meeting.
    pub fn answer(&mut self, word: &[u8]) {
        self.send_all(&Down::Word(Bytes(word.to_vec())));
    }

    /// Answers one rank.
    pub fn answer_one(&mut self, rank: u32, word: &[u8]) {
        self.send(rank, &Down::Word(Bytes(word.to_vec())));
    }

    /// Waits until every rank is ready and lets all start at one moment; the reason why none starts if a rank
    /// cannot.
    ///
    /// # Errors
    /// As [`words`](Coordinator::words).
    pub fn start(&mut self, limit: Duration, watch: &dyn Watch) -> Result<Option<String>, FleetError> {
        let faults = self.collect(Meeting::Ready, limit, watch, |_, message| match message {
            Up::Ready { fault } => Ok(fault),
            other => Err(other),
        })?;
        let of_rank = |(rank, fault): (usize, Option<String>)| {
            Some(format!("rank {rank} ({}): {}", self.links[rank].host, fault?))
        };
        let faults: Vec<String> = faults.into_iter().enumerate().filter_map(of_rank).collect();
        if !faults.is_empty() {
            let why = faults.join("; ");
            self.send_all(&Down::Off { why: why.clone() });
            return Ok(Some(why));
        }
        self.measure_clocks(watch)?;
        let way_ns = self.links.iter().map(|link| link.offset.error_ns).max().unwrap_or(0);
        let at_ns = self.clock.now_ns() + nanoseconds(AHEAD) + way_ns.saturating_mul(4);
        for rank in 0..self.size() {
            let at_ns = self.links[rank as usize].offset.there(at_ns);
            self.send(rank, &Down::Start { at_ns });
        }
        Ok(None)
    }

    /// Waits until the loads of all ranks are over.
    ///
    /// # Errors
    /// As [`words`](Coordinator::words).
    pub fn done(&mut self, limit: Duration, watch: &dyn Watch) -> Result<Vec<Done>, FleetError> {
        let done = self.collect(Meeting::Done, limit, watch, |_, message| match message {
            Up::Done(done) => Ok(done),
            other => Err(other),
        })?;
        self.send_all(&Down::Done);
        Ok(done)
    }

    /// Takes the result of every rank as it arrives.
    ///
    /// # Errors
    /// As [`words`](Coordinator::words).
    pub fn gather<T>(
        &mut self,
        limit: Duration,
        watch: &dyn Watch,
        mut take: impl FnMut(u32, &[u8]) -> T,
    ) -> Result<Vec<T>, FleetError> {
        self.collect(Meeting::Gather, limit, watch, |rank, message| match message {
            Up::Result(result) => Ok(take(rank, &result.0)),
            other => Err(other),
        })
    }

    /// Waits for the last words of all ranks.
    ///
    /// # Errors
    /// As [`words`](Coordinator::words).
    pub fn byes(&mut self, limit: Duration, watch: &dyn Watch) -> Result<Vec<Vec<u8>>, FleetError> {
        self.collect(Meeting::End, limit, watch, |_, message| match message {
            Up::Bye(word) => Ok(word.0),
            other => Err(other),
        })
    }

    /// Measures the offset of each rank's clock.
    ///
    /// # Errors
    /// As [`words`](Coordinator::words).
    pub fn measure_clocks(&mut self, watch: &dyn Watch) -> Result<(), FleetError> {
        for rank in 0..self.size() {
            let mut samples = Vec::with_capacity(ROUND_TRIPS);
            for _ in 0..ROUND_TRIPS {
                samples.push(self.round_trip(rank, watch)?);
            }
            self.links[rank as usize].offset = Offset::of(&samples).unwrap_or_default();
        }
        Ok(())
    }

    fn round_trip(&mut self, rank: u32, watch: &dyn Watch) -> Result<Sample, FleetError> {
        self.pings += 1;
        let asked = self.pings;
        let (sent_date_ns, sent_ns) = (date_ns(&self.clock), self.clock.now_ns());
        self.send(rank, &Down::Ping { number: asked });
        while self.clock.since(sent_ns) < self.limits.silence {
            let Some(incoming) = self.next_incoming() else { continue };
            let received_ns = incoming.at_ns;
            if let Some(Up::Pong { number, clock_ns: there_ns, date_ns: there_date_ns }) =
                self.take(incoming, Meeting::Ready, watch)?
                && number == asked
            {
                return Ok(Sample { sent_ns, received_ns, sent_date_ns, there_ns, there_date_ns });
            }
        }
        Err(self.late(rank, Meeting::Ready, "no answer", self.limits.silence))
    }

    /// Asks all ranks to end their phase, or everything at once.
    pub fn stop(&mut self, at_once: bool) {
        if self.stopped.is_none_or(|before| at_once && !before) {
            self.stopped = Some(at_once);
            self.send_all(&Down::Stop { at_once });
        }
    }

    fn send_all(&self, message: &Down) {
        (0..self.size()).for_each(|rank| self.send(rank, message));
    }

    /// A rank that is gone is found when something is expected of it.
    fn send(&self, rank: u32, message: &Down) {
        let _ = self.links[rank as usize].out.send(encode(message));
    }

    fn next_incoming(&self) -> Option<Incoming> {
        match self.inbox.recv_timeout(LOOK) {
            Ok(incoming) => Some(incoming),
            Err(RecvTimeoutError::Timeout) => None,
            // Every pipe has closed, and each told so before.
            Err(RecvTimeoutError::Disconnected) => {
                self.clock.sleep(LOOK);
                None
            }
        }
    }

    /// One message of every rank, by rank. `take` gives back a message that it did not expect.
    fn collect<T>(
        &mut self,
        at: Meeting,
        limit: Duration,
        watch: &dyn Watch,
        mut take: impl FnMut(u32, Up) -> Result<T, Up>,
    ) -> Result<Vec<T>, FleetError> {
        let begun_ns = self.clock.now_ns();
        let mut taken: Vec<Option<T>> = self.links.iter().map(|_| None).collect();
        loop {
            for (rank, slot) in (0..).zip(&mut taken) {
                if slot.is_none()
                    && let Some(message) = self.links[rank as usize].waiting.pop_front()
                {
                    *slot = Some(take(rank, message).map_err(|other| self.out_of_turn(rank, at, &other))?);
                }
            }
            if taken.iter().all(Option::is_some) {
                return Ok(taken.into_iter().flatten().collect());
            }
            if let Some(incoming) = self.next_incoming() {
                self.take(incoming, at, watch)?;
            }
            let missing = taken.iter().position(Option::is_none).unwrap_or(0) as u32;
            if self.clock.since(begun_ns) > limit {
                let why =
                    if at == Meeting::Hello { "it said nothing" } else { "it is alive, but nothing came" };
                return Err(self.late(missing, at, why, limit));
            }
            self.look(at, |rank| taken[rank].is_none(), watch)?;
        }
    }

    /// Signs of life in both directions, and requests to stop.
    fn look(
        &mut self,
        at: Meeting,
        is_missing: impl Fn(usize) -> bool,
        watch: &dyn Watch,
    ) -> Result<(), FleetError> {
        if let Some(at_once) = watch.stops() {
            self.stop(at_once);
            // A rank that never spoke obeys nothing: nobody waits for it.
            let silent = (0..self.links.len()).find(|rank| is_missing(*rank));
            if let (Meeting::Hello, Some(rank)) = (at, silent) {
                let host = self.links[rank].host.clone();
                return Err(FleetError::Stopped { rank: rank as u32, host });
            }
        }
        let silence = self.limits.silence;
        let is_silent = |link: &Link| self.clock.since(link.heard_ns) > silence;
        if let Some(rank) =
            (0..self.links.len()).find(|rank| is_missing(*rank) && is_silent(&self.links[*rank]))
        {
            return Err(self.late(rank as u32, at, "no sign of life", silence));
        }
        if self.clock.since(self.beat_ns) >= BEAT {
            self.beat_ns = self.clock.now_ns();
            self.send_all(&Down::Alive);
        }
        Ok(())
    }

    /// Keeps a message for its meeting; an answer to a ping is returned, everything else is told at once.
    fn take(&mut self, incoming: Incoming, at: Meeting, watch: &dyn Watch) -> Result<Option<Up>, FleetError> {
        let rank = incoming.rank;
        let link = &mut self.links[rank as usize];
        link.heard_ns = incoming.at_ns;
        let bytes = match incoming.what {
            Arrived::Message(bytes) => bytes,
            Arrived::Line(line) => {
                watch.told(&link.host, true, &line);
                link.lines.push_back(line);
                if link.lines.len() > LINES_KEPT {
                    link.lines.pop_front();
                }
                return Ok(None);
            }
            Arrived::End(why) if !link.has_ended => {
                link.lines.extend(why);
                return Err(self.gone(rank, at));
            }
            Arrived::End(_) => return Ok(None),
        };
        let host = link.host.clone();
        let message =
            decode(&bytes).map_err(|error| FleetError::Failed { rank, host, why: error.to_string() })?;
        match message {
            Up::Beat(live) => live.into_iter().for_each(|live| watch.live(rank, live)),
            Up::Loading { what, share } => watch.loading(&what, share),
            Up::Told { warns, text } => watch.told(&link.host, warns, &text),
            Up::Failed { why } => return Err(FleetError::Failed { rank, host: link.host.clone(), why }),
            pong @ Up::Pong { .. } => return Ok(Some(pong)),
            message => {
                link.has_ended |= matches!(message, Up::Bye(_));
                link.waiting.push_back(message);
            }
        }
        Ok(None)
    }

    fn host(&self, rank: u32) -> String {
        self.links[rank as usize].host.clone()
    }

    fn gone(&self, rank: u32, at: Meeting) -> FleetError {
        let lines: Vec<&str> = self.links[rank as usize].lines.iter().map(String::as_str).collect();
        let last = if lines.is_empty() { String::new() } else { format!(": {}", lines.join("; ")) };
        FleetError::Gone { rank, host: self.host(rank), at, last }
    }

    fn late(&self, rank: u32, at: Meeting, why: &'static str, waited: Duration) -> FleetError {
        FleetError::Late { rank, host: self.host(rank), at, why, waited }
    }

    fn out_of_turn(&self, rank: u32, at: Meeting, message: &Up) -> FleetError {
        FleetError::OutOfTurn { rank, host: self.host(rank), at, what: format!("{message:?}") }
    }
}
