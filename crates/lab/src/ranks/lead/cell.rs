//! One cell of a fleet: ready, start at a moment, done, gather.

use std::time::Duration;

use fleet::{Meeting, Wait, decode, encode};
use notebook::CellRecord;
use words::PhaseName;

use super::watch::Watcher;
use super::{Lead, SLACK, UNPLANNED};
use crate::error::LabError;
use crate::event::Event;
use crate::membership::{At, Next};
use crate::order::CellKey;
use crate::ranks::join::{Joined, Part};

impl Lead<'_> {
    /// Brings the ranks of a cell through it and merges what they hand in.
    pub(super) fn cell(
        &mut self,
        (position, key): (u32, CellKey),
        (load, expected): (Duration, Duration),
        watcher: &Watcher<'_>,
    ) -> Result<CellRecord, LabError> {
        let ranks = self.ranks_of(key);
        self.meet_at(position, Wait { ranks: &ranks, limit: load * SLACK + UNPLANNED }, watcher)?;
        let machines = &self.machines;
        let coordinator = &mut self.led.coordinator;
        let wait = Wait { ranks: &ranks, limit: expected * SLACK + UNPLANNED };
        self.observer.event(Event::Phase { name: PhaseName::Reset });
        let is_off = coordinator.start(wait, watcher)?.is_some();
        let offsets = coordinator.offsets();
        if !is_off {
            self.observer.event(Event::Phase { name: PhaseName::Measure });
        }
        watcher.begin(ranks.len());
        // In the order of the ranks, which are the first ones.
        let done = coordinator.done(wait, watcher)?;
        self.observer.event(Event::Phase { name: PhaseName::Check });
        let hosts = coordinator.hosts();
        let experiment = self.levels.experiment();
        let bed = &experiment.bed[key.bed];
        let dealt = experiment.parts_of(&experiment.workload[key.workload]);
        let mut joined = Joined::new(self.asked.shared.contains(&bed.name), dealt);
        let taken = coordinator.gather(wait, watcher, |rank, result| {
            let at = rank as usize;
            let (host, machine) = (hosts[at].clone(), machines[at].clone());
            let (done, offset) = (done[at], offsets[at]);
            joined.add(Part { rank, host, machine, record: decode(result)?, done, offset });
            Ok::<(), LabError>(())
        })?;
        taken.into_iter().collect::<Result<(), LabError>>()?;
        Ok(joined.record())
    }

    /// The ranks that take part in a cell: the first ones.
    pub(super) fn ranks_of(&self, key: CellKey) -> Vec<u32> {
        let size = self.led.coordinator.size();
        (0..self.levels.ranks_at(key).unwrap_or(size).min(size)).collect()
    }

    /// The ranks have their data and are at this cell.
    fn meet_at(&mut self, position: u32, wait: Wait<'_>, watcher: &Watcher<'_>) -> Result<(), LabError> {
        self.bring(wait, watcher)?;
        for &rank in wait.ranks {
            let Some(there) = self.at[rank as usize].take() else { continue };
            if there.stops {
                self.interrupt.request();
            }
            if there.position != position {
                let host = self.led.coordinator.hosts()[rank as usize].clone();
                let what = format!("cell {} in place of {}", there.position + 1, position + 1);
                return Err(fleet::FleetError::OutOfTurn { rank, host, at: Meeting::Cell, what }.into());
            }
        }
        self.led.coordinator.answer(wait.ranks, &encode(&Next::Go));
        Ok(())
    }

    /// Waits until each of these ranks is at a cell, whichever. What all ranks share is prepared on the way:
    /// the first rank goes before the others.
    pub(super) fn bring(&mut self, wait: Wait<'_>, watcher: &Watcher<'_>) -> Result<(), LabError> {
        let mut held: Vec<(u32, Vec<u8>)> = Vec::new();
        loop {
            let is_held = |rank: u32| held.iter().any(|(waits, _)| *waits == rank);
            let is_away = |rank: &&u32| self.at[**rank as usize].is_none() && !is_held(**rank);
            let away: Vec<u32> = wait.ranks.iter().filter(is_away).copied().collect();
            if away.is_empty() && held.is_empty() {
                return Ok(());
            }
            let places = [Meeting::Shared, Meeting::Cell];
            let coordinator = &mut self.led.coordinator;
            let words = coordinator.words_at(&places, Wait { ranks: &away, ..wait }, watcher)?;
            for (rank, (place, word)) in away.into_iter().zip(words) {
                match place {
                    Meeting::Shared => held.push((rank, word)),
                    _ => self.at[rank as usize] = Some(decode::<At>(&word)?),
                }
            }
            // The first rank comes when it has prepared a part. Where it has nothing to prepare, or stopped,
            // nobody waits for it.
            let prepared = held.iter().find(|(rank, _)| *rank == 0).map(|(_, part)| part.clone());
            let (free, waiting): (Vec<_>, Vec<_>) =
                held.into_iter().partition(|(_, part)| prepared.as_ref().is_none_or(|ready| ready == part));
            held = waiting;
            let free: Vec<u32> = free.into_iter().map(|(rank, _)| rank).collect();
            self.led.coordinator.answer(&free, &[]);
        }
    }
}
