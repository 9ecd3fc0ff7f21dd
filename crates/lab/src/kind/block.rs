//! One cell of block I/O: files of our own on real storage, or modelled drives in wall time, under the asked
//! loads.
//!
//! A cell is reset, preconditioned, and then run point by point: one point for a plain load, several for a
//! matrix, a curve, a search or rounds until a steady state.

mod alone;
mod estimate;
mod jobs;
mod pace;
mod place;
mod points;
mod precondition;
mod record;
mod recording;
mod results;
mod session;
mod settling;
mod simulated;
mod steady;

use std::time::Duration;
use words::{EventKind, Reason, Reasons, say};

use experiment::{Block, BlockEngine, Experiment, OneOrMix, Pattern, Size, Storage, Stream, WHOLE, Workload};
use notebook::{CellRecord, CellState};

use super::LabKind;
use crate::bed::ready::Unready;
use crate::conductor::Conductor;
use crate::kind::simulated_cell::SimulatedCell;
use crate::needs::cost::COPY_BYTES_PER_SECOND;
use crate::needs::data_set::DataSet;
use crate::needs::{Needs, NotSimulated};
use crate::order::CellKey;
use crate::watch::cell::invalid;
pub use alone::{Load, single_job};
use place::BlockStorage;
pub use place::check_devices;
use recording::Recording;
use session::Session;

impl Needs for Block {
    fn data(&self) -> Option<DataSet> {
        None
    }

    fn paths(&self) -> &[String] {
        &self.paths
    }

    fn needed_paths(&self) -> &[String] {
        if self.size == WHOLE && self.engine != BlockEngine::Null { &self.paths } else { &[] }
    }

    fn written_paths(&self) -> Vec<&str> {
        place::written_paths(self)
    }

    fn file_bytes(&self) -> u64 {
        let moves_bytes = !matches!(self.engine, BlockEngine::Null | BlockEngine::Modelled);
        if moves_bytes && self.paths.is_empty() { estimate::made_bytes(self) } else { 0 }
    }

    fn level_in_words(&self, level: usize) -> Option<String> {
        let depth = self.depth.get(level).filter(|_| self.workers > 1 && self.rate.is_none())?;
        Some(say!("level-workers-depth", workers = self.workers, depth))
    }

    fn ends_by_itself(&self) -> bool {
        self.find.is_some() || self.steady.is_some()
    }

    fn simulates_scale_out(&self) -> bool {
        true
    }

    /// The files of a bed, however many databases the experiment has.
    fn instances(&self, _of_experiment: u32) -> u32 {
        1
    }

    fn data_bytes(&self) -> u64 {
        estimate::made_bytes(self)
    }

    fn load_time(&self) -> Duration {
        // Of files that are reused the first workload says it.
        let bytes = if self.reuse { 0 } else { self.data_bytes() };
        Duration::from_secs_f64(bytes as f64 / COPY_BYTES_PER_SECOND)
    }

    fn cell_time(&self, _reset_s: f64) -> Duration {
        estimate::time(self)
    }

    fn written_by_cell(&self, drive: Option<&device::DriveSpec>) -> f64 {
        estimate::written_bytes(self, drive)
    }

    fn runs_in_virtual_time(&self, experiment: &Experiment) -> bool {
        let is_modelled = |storage: &Storage| matches!(storage, Storage::Emulated { .. });
        self.engine == BlockEngine::Null
            || experiment.bed.iter().all(|bed| is_modelled(&bed.storage) && bed.log.iter().all(is_modelled))
    }

    fn not_simulated(&self) -> Option<NotSimulated> {
        not_simulated(self)
    }
}

impl LabKind for Block {
    /// Makes sure that there is room for the files of its cells.
    fn look_ahead(&self, conductor: &Conductor<'_>, number: usize, open: &[CellKey], unready: &mut Unready) {
        place::check_room(conductor, (number, self), open, unready);
    }

    fn run(&self, conductor: &Conductor<'_>, key: CellKey) -> Result<CellRecord, Reasons> {
        cell(conductor, key, self)
    }

    fn simulate(&self, simulated: &SimulatedCell<'_>) -> Result<CellRecord, Reasons> {
        simulated::cell(simulated, self)
    }
}

/// The record of a load that ran without a conductor, as the one cell of an experiment.
pub(crate) fn record_alone(experiment: &Experiment, load: &Load<'_>) -> CellRecord {
    match experiment.workload.first() {
        Some(Workload::Block(block)) => alone::record(block, load),
        _ => invalid(Reason::NothingMeasured.into()),
    }
}

fn cell(conductor: &Conductor<'_>, key: CellKey, block: &Block) -> Result<CellRecord, Reasons> {
    let place = match BlockStorage::make(conductor, key, block) {
        Ok(place) => place,
        Err(_) if conductor.interrupt.requested() => return Ok(stopped_before_its_load()),
        Err(why) => return Err(why.into()),
    };
    let recording = Recording::begin(conductor, key, &place)?;
    let mut session = Session::new(conductor, key, block, place, recording);
    precondition::conduct(&mut session)?;
    session.meets = true;
    let steady = points::conduct(&mut session)?;
    conductor.meeting.done();
    if let Some(recording) = session.recording.take() {
        session.results.notes.push((EventKind::Trace, recording.end()?));
    }
    Ok(record::of(&session, steady))
}

/// The record of a cell whose files were being made when somebody asked to stop.
fn stopped_before_its_load() -> CellRecord {
    let reasons = Reason::StoppedMeasuring.into();
    CellRecord { state: CellState::Interrupted, reasons, ..CellRecord::default() }
}

fn not_simulated(block: &Block) -> Option<NotSimulated> {
    let elsewhere = "run it on emulated or real storage";
    let (main, burst) = (simulated::main_stream(block), simulated::burst_stream(block));
    let expected = usize::from(main.is_some()) + usize::from(burst.is_some());
    if main.is_none() || block.streams.len() != expected {
        return Some((
            "several streams side by side are not simulated, but for page writes in bursts beside one other stream",
            elsewhere,
        ));
    }
    if burst.is_some_and(|stream| stream.read.0 > 0.0 || stream.block_size != OneOrMix::One(Size(8192))) {
        return Some(("bursts of anything but writes of 8KiB are not simulated", elsewhere));
    }
    let is_special = |stream: &Stream| {
        stream.target.is_some()
            || stream.write_block_size.is_some()
            || stream.discard.is_some()
            || stream.think.is_some()
            || stream.fsync.or(stream.fdatasync).is_some()
            || stream.write_through
            || stream.rate.is_some()
            || stream.bytes.is_some()
            || stream.passes.is_some()
            || stream.run_for.is_some()
            || stream.start_after.is_some()
            || (stream.pattern.is_walk() && stream.pattern != Pattern::Sequential)
    };
    if block.streams.iter().any(is_special) {
        return Some((
            "the simulation knows sequential and random streams at a depth or a rate; flushes, discards, pauses, targets, strides, amounts and times of one stream it does not",
            elsewhere,
        ));
    }
    if block.find.is_some() || !block.paths.is_empty() || block.engine == BlockEngine::Null || block.verify {
        return Some(("searches, files by name and verification are not simulated", elsewhere));
    }
    None
}
