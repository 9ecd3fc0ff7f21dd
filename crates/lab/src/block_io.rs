//! One cell of block I/O: files of our own on real storage, or modelled drives in wall time, under the asked loads.
//!
//! A cell is reset, preconditioned, and then run point by point: one point for a plain load, several for a matrix, a curve, a search
//! or rounds until a steady state.

mod estimate;
mod jobs;
mod pace;
mod place;
mod points;
mod precondition;
mod record;
mod recording;
mod session;
mod steady;

use experiment::Block;
use notebook::{CellRecord, CellState};
use words::EventKind;

use crate::conductor::Conductor;
use crate::order::CellKey;
pub(crate) use estimate::{made_bytes, time, written_bytes};
use place::Place;
pub use place::check_devices;
pub(crate) use place::{check_room, overwritten_devices};
use recording::Recording;
use session::Session;

/// Runs the cell. Never fails: what goes wrong becomes the reason of an invalid cell.
pub(crate) fn cell(conductor: &Conductor<'_>, key: CellKey, block: &Block) -> CellRecord {
    let ran = Place::make(conductor, key, block).and_then(|place| {
        let recording = Recording::begin(conductor, key, &place)?;
        let mut session = Session::new(conductor, key, block, place, recording);
        precondition::conduct(&mut session)?;
        let steady = points::conduct(&mut session)?;
        if let Some(recording) = session.recording.take() {
            session.notes.push((EventKind::Trace, recording.end()?));
        }
        Ok(record::of(&session, steady))
    });
    ran.unwrap_or_else(|reason| CellRecord {
        state: CellState::Invalid,
        reason: Some(reason),
        ..CellRecord::default()
    })
}
