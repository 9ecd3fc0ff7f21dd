//! One cell of a fleet: ready, start at a moment, done, gather.

use std::time::Duration;

use fleet::{Meeting, decode, encode};
use notebook::CellRecord;
use words::PhaseName;

use super::watch::Watcher;
use super::{Lead, SLACK, UNPLANNED};
use crate::order::CellKey;
use crate::ranks::agreed::{At, Next};
use crate::ranks::join::{Joined, Part};
use crate::{Event, LabError};

impl Lead<'_> {
    /// Brings the ranks through a cell and merges what they hand in.
    pub(super) fn cell(
        &mut self,
        (position, key): (u32, CellKey),
        (load, expected): (Duration, Duration),
        watcher: &Watcher<'_>,
    ) -> Result<CellRecord, LabError> {
        self.meet_at(position, load * SLACK + UNPLANNED, watcher)?;
        let coordinator = &mut self.led.coordinator;
        let limit = expected * SLACK + UNPLANNED;
        self.observer.event(Event::Phase { name: PhaseName::Reset.name() });
        let is_off = coordinator.start(limit, watcher)?.is_some();
        let offsets = coordinator.offsets();
        if !is_off {
            self.observer.event(Event::Phase { name: PhaseName::Measure.name() });
        }
        watcher.begin(&self.experiment.workload[key.workload]);
        let done = coordinator.done(limit, watcher)?;
        self.observer.event(Event::Phase { name: PhaseName::Check.name() });
        let hosts = coordinator.hosts();
        let bed = &self.experiment.bed[key.bed];
        let mut joined = Joined::new(self.asked.shared.contains(&bed.name));
        let taken = coordinator.gather(limit, watcher, |rank, result| {
            let at = rank as usize;
            let (host, done, offset) = (hosts[at].clone(), done[at], offsets[at]);
            joined.add(Part { rank, host, record: decode(result)?, done, offset });
            Ok::<(), LabError>(())
        })?;
        taken.into_iter().collect::<Result<(), LabError>>()?;
        Ok(joined.record())
    }

    /// All ranks have their data and are at this cell.
    fn meet_at(&mut self, position: u32, limit: Duration, watcher: &Watcher<'_>) -> Result<(), LabError> {
        let coordinator = &mut self.led.coordinator;
        loop {
            let (at, words) = coordinator.words_at(&[Meeting::Shared, Meeting::Cell], limit, watcher)?;
            if at == Meeting::Shared {
                coordinator.answer(&[]);
                continue;
            }
            for (rank, word) in words.iter().enumerate() {
                let there: At = decode(word)?;
                if there.stops {
                    self.interrupt.request();
                }
                if there.position != position {
                    let host = coordinator.hosts()[rank].clone();
                    let what = format!("cell {} in place of {}", there.position + 1, position + 1);
                    return Err(fleet::FleetError::OutOfTurn { rank: rank as u32, host, at, what }.into());
                }
            }
            coordinator.answer(&encode(&Next::Go));
            return Ok(());
        }
    }
}
