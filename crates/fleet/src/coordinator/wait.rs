//! The one loop in which the lead waits: for a message of each of some ranks, as long as they give signs of
//! life, and never without a limit.

use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use ground::nanoseconds;

use super::{Coordinator, Watch};
use crate::connection::{Arrived, Incoming};
use crate::error::FleetError;
use crate::frame::decode;
use crate::meeting::Meeting;
use crate::message::Up;

/// The lead looks at its limits and at requests to stop so often.
const LOOK: Duration = Duration::from_millis(100);
/// A longer time between two looks is an absence of the lead.
const AWAY_MIN: Duration = Duration::from_secs(1);

/// Those who are waited for at a meeting, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Wait<'a> {
    /// Their numbers. The others go on with what they do.
    pub ranks: &'a [u32],
    /// The longest time.
    pub limit: Duration,
}

impl Coordinator {
    /// One message of each rank that is waited for, in their order. `take` gives back a message that it did
    /// not expect.
    pub(super) fn collect<T>(
        &mut self,
        at: Meeting,
        wait: Wait<'_>,
        watch: &dyn Watch,
        mut take: impl FnMut(u32, Up) -> Result<T, Up>,
    ) -> Result<Vec<T>, FleetError> {
        let mut begun_ns = self.clock.now_ns();
        let mut taken: Vec<Option<T>> = wait.ranks.iter().map(|_| None).collect();
        loop {
            for (&rank, slot) in wait.ranks.iter().zip(&mut taken).filter(|(_, slot)| slot.is_none()) {
                let link = &mut self.links[rank as usize];
                if let Some(message) = link.waiting.pop_front() {
                    *slot = Some(take(rank, message).map_err(|other| link.out_of_turn(at, &other))?);
                }
            }
            let missing = || wait.ranks.iter().zip(&taken).filter(|(_, slot)| slot.is_none());
            let Some(first) = missing().next().map(|(rank, _)| *rank) else {
                return Ok(taken.into_iter().flatten().collect());
            };
            let missing: Vec<u32> = missing().map(|(rank, _)| *rank).collect();
            if let Some(incoming) = self.next_incoming() {
                self.take(incoming, at, watch)?;
            }
            begun_ns += self.forgive_own_absence();
            if self.clock.since(begun_ns) > wait.limit {
                if at == Meeting::Hello {
                    return Err(self.give_up(first, at, "it said nothing", wait.limit));
                }
                let why = "it is alive, but nothing came";
                return Err(self.links[first as usize].late(at, why, wait.limit));
            }
            self.look(at, &missing, watch)?;
        }
    }

    /// Signs of life, and requests to stop.
    fn look(&mut self, at: Meeting, missing: &[u32], watch: &dyn Watch) -> Result<(), FleetError> {
        if let Some(at_once) = watch.stops() {
            self.stop(at_once);
            // A rank that never spoke obeys nothing: nobody waits for it.
            if let (Meeting::Hello, Some(&rank)) = (at, missing.first()) {
                self.keeper.give_up(rank);
                let host = self.links[rank as usize].host.clone();
                return Err(FleetError::Stopped { rank, host });
            }
        }
        let silence = self.limits.silence;
        let heard = |rank: u32| self.links[rank as usize].heard_ns;
        if let Some(&rank) = missing.iter().find(|rank| self.clock.since(heard(**rank)) > silence) {
            return Err(self.give_up(rank, at, "no sign of life", silence));
        }
        Ok(())
    }

    /// Messages that came while this process was stopped or merged results lie unread: the ranks were not
    /// silent. The time of the absence, ns, by which each wait begins later; 0 for none.
    pub(super) fn forgive_own_absence(&mut self) -> u64 {
        let now_ns = self.clock.now_ns();
        let mut away_ns = now_ns - self.looked_ns;
        self.looked_ns = now_ns;
        if away_ns <= nanoseconds(AWAY_MIN) {
            away_ns = 0;
        }
        for link in &mut self.links {
            link.heard_ns = now_ns.min(link.heard_ns + away_ns);
        }
        away_ns
    }

    /// A rank hears nothing, so the end does not wait for it.
    pub(super) fn give_up(
        &mut self,
        rank: u32,
        at: Meeting,
        why: &'static str,
        waited: Duration,
    ) -> FleetError {
        self.keeper.give_up(rank);
        self.links[rank as usize].late(at, why, waited)
    }

    pub(super) fn next_incoming(&self) -> Option<Incoming> {
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

    /// Keeps a message for its meeting; an answer to a ping is returned, everything else is told at once.
    pub(super) fn take(
        &mut self,
        incoming: Incoming,
        at: Meeting,
        watch: &dyn Watch,
    ) -> Result<Option<Up>, FleetError> {
        let rank = incoming.rank;
        let link = &mut self.links[rank as usize];
        // An absence that was forgiven stays so: some of the messages that came before it are still unread.
        link.heard_ns = link.heard_ns.max(incoming.at_ns);
        let bytes = match incoming.what {
            Arrived::Message(bytes) => bytes,
            Arrived::Line(line) => {
                watch.told(&link.host, true, &line);
                link.keep_line(line);
                return Ok(None);
            }
            Arrived::End(why) if !link.has_ended => {
                why.into_iter().for_each(|why| link.keep_line(why));
                let gone = link.gone(at, self.keeper.end_of(rank));
                // A process without its pipe says and hears nothing more.
                self.keeper.give_up(rank);
                return Err(gone);
            }
            Arrived::End(_) => return Ok(None),
        };
        match decode(&bytes).map_err(|error| link.failed(&error.to_string()))? {
            Up::Beat(live) => live.into_iter().for_each(|live| watch.live(rank, live)),
            Up::Loading { what, share } => watch.loading(&what, share),
            Up::Told { warns, text } => watch.told(&link.host, warns, &text),
            Up::Failed { why } => return Err(link.failed(&why)),
            pong @ Up::Pong { .. } => return Ok(Some(pong)),
            message => {
                link.has_ended |= matches!(message, Up::Bye(_));
                link.waiting.push_back(message);
            }
        }
        Ok(None)
    }
}
