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
        let crew = &mut self.led.crew;
        let limit = expected * SLACK + UNPLANNED;
        self.observer.event(Event::Phase { name: PhaseName::Reset.name() });
        let is_off = crew.start(limit, watcher)?.is_some();
        let offsets = crew.offsets();
        if !is_off {
            self.observer.event(Event::Phase { name: PhaseName::Measure.name() });
        }
        watcher.begin(&self.experiment.workload[key.workload]);
        let done = crew.done(limit, watcher)?;
        self.observer.event(Event::Phase { name: PhaseName::Check.name() });
        let hosts = crew.hosts();
        let bed = &self.experiment.bed[key.bed];
        let mut joined = Joined::new(self.asked.shared.contains(&bed.name));
        let taken = crew.gather(limit, watcher, |rank, result| {
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
        let crew = &mut self.led.crew;
        loop {
            let (at, words) = crew.words_at(&[Meeting::Shared, Meeting::Cell], limit, watcher)?;
            if at == Meeting::Shared {
                crew.answer(&[]);
                continue;
            }
            for (rank, word) in words.iter().enumerate() {
                let there: At = decode(word)?;
                if there.stops {
                    self.interrupt.request();
                }
                if there.position != position {
                    let host = crew.hosts()[rank].clone();
                    let what = format!("cell {} in place of {}", there.position + 1, position + 1);
                    return Err(fleet::FleetError::OutOfTurn { rank: rank as u32, host, at, what }.into());
                }
            }
            crew.answer(&encode(&Next::Go));
            return Ok(());
        }
    }
}
