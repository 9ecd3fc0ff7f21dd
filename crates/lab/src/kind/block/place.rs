//! The targets of a cell's I/Os: engines and targets of the bed's data and log storage.

use std::fs::{self, File};
use std::io::{ErrorKind, Seek, SeekFrom};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::Arc;

use block::{BlockError, DestroyOrder, EngineKind, ModelledDrive, Target, WritePermit};
use database::Marker;
use experiment::{Block, BlockEngine, Experiment, StreamTarget, WHOLE};
use words::{PhaseName, Reason};

use super::estimate::made_bytes;
use crate::bed::ready::Unready;
use crate::bed::reset;
use crate::conductor::Conductor;
use crate::error::LabError;
use crate::event::Event;
use crate::needs;
use crate::order::CellKey;
use crate::storage::clean::size_bytes;
use crate::storage::drives::DriveChoice;
use crate::storage::targets;

/// The storage of data streams and log streams.
pub(crate) struct BlockStorage {
    pub(crate) data: Ground,
    /// The same as the data's when the bed's log has no storage of its own.
    pub(crate) log: Ground,
    /// True if both are one: one drive, one engine.
    pub(crate) is_one: bool,
}

/// An engine with its targets.
#[derive(Clone)]
pub(crate) struct Ground {
    pub(crate) engine: EngineKind,
    pub(crate) targets: Vec<Target>,
    /// Of each target.
    pub(crate) sizes_bytes: Vec<u64>,
}

impl BlockStorage {
    /// Files of ours for engines that move bytes, made anew for each cell so that all start alike, or those
    /// of the cell before where the workload reuses them; idle drives for the others.
    pub(crate) fn make(
        conductor: &Conductor<'_>,
        key: CellKey,
        block: &Block,
    ) -> Result<BlockStorage, Reason> {
        conductor.observer.event(Event::Phase { name: PhaseName::Reset });
        let seed = conductor.cell_seed(key);
        let bed = &conductor.experiment.bed[key.bed];
        let drives = &conductor.drives[key.bed];
        let has_log = block.streams.iter().any(|s| matches!(s.target, Some(StreamTarget::Named(_))));
        let data_engine = engine(&drives.data, block.engine, seed)?;
        watch(conductor, (&drives.data, &data_engine), false);
        let log_dir = conductor.work.log(bed, 0).filter(|_| has_log);
        let own_log = drives.log.as_ref().zip(log_dir);
        let (is_one, count) = (own_log.is_none(), block.file_count() as usize);
        let mut data = if block.paths.is_empty() {
            let mut names: Vec<String> = match block.files {
                1 => vec!["block.dat".to_owned()],
                files => (1..=files).map(|number| format!("block-{number}.dat")).collect(),
            };
            names.extend((has_log && is_one).then(|| "log.dat".to_owned()));
            Ground::make(conductor, data_engine, &conductor.work.bed(bed), &names, block)?
        } else {
            Ground::named(data_engine, targets::path_of(&bed.storage), block, &conductor.world.destroy)?
        };
        let log = match own_log {
            Some((choice, dir)) => {
                let engine = engine(choice, block.engine, seed ^ 1)?;
                watch(conductor, (choice, &engine), true);
                Ground::make(conductor, engine, &dir, &["log.dat".to_owned()], block)?
            }
            None => Ground {
                engine: data.engine.clone(),
                targets: data.targets.split_off(count.min(data.targets.len())),
                sizes_bytes: data.sizes_bytes.split_off(count.min(data.sizes_bytes.len())),
            },
        };
        if has_log && log.targets.is_empty() {
            return Err(Reason::LogNeedsStorage);
        }
        Ok(BlockStorage { data, log, is_one })
    }

    /// The path of the first data file, if its bytes are real.
    pub(crate) fn path_of_data(&self) -> Option<&Path> {
        match self.data.targets.first()? {
            Target::Permitted(permit) => Some(permit.path()),
            Target::ReadOnly(path) => Some(path),
            Target::AddressSpace { .. } => None,
        }
    }

    /// Bytes of all data files together.
    pub(crate) fn data_bytes(&self) -> u64 {
        self.data.sizes_bytes.iter().sum()
    }
}

impl Ground {
    fn make(
        conductor: &Conductor<'_>,
        engine: EngineKind,
        dir: &Path,
        names: &[String],
        block: &Block,
    ) -> Result<Ground, Reason> {
        let size_bytes = block.size.0;
        let sizes_bytes = vec![size_bytes; names.len()];
        if !engine.moves_bytes() {
            let targets = names.iter().map(|_| Target::AddressSpace { size_bytes }).collect();
            return Ok(Ground { engine, targets, sizes_bytes });
        }
        if !(block.reuse && holds(dir, names, size_bytes)) {
            reset::remove_dir(dir).map_err(Reason::error)?;
        }
        let marker = Marker::claim(dir).map_err(Reason::error)?;
        marker.own_targets(names).map_err(Reason::error)?;
        let mut targets = Vec::new();
        for name in names {
            let path = dir.join(name);
            let permit = match block.reuse {
                // Filling a large file takes minutes, in which somebody may want to stop.
                true => WritePermit::claim(&path, size_bytes, &mut |_| !conductor.stops()),
                false => WritePermit::create_file_with(&path, size_bytes, &mut |_| !conductor.stops()),
            };
            targets.push(Target::Permitted(Arc::new(permit.map_err(Reason::error)?)));
        }
        Ok(Ground { engine, targets, sizes_bytes })
    }

    /// Files and devices by name: only read when no stream writes to them, else ours, or made, or a device
    /// that may be destroyed.
    fn named(
        engine: EngineKind,
        below: &Path,
        block: &Block,
        destroy: &[DestroyOrder],
    ) -> Result<Ground, Reason> {
        let (mut targets, mut sizes_bytes) = (Vec::new(), Vec::new());
        for (index, path) in block.paths.iter().enumerate() {
            let path = below.join(path);
            let there = match File::open(&path).and_then(|mut file| file.seek(SeekFrom::End(0))) {
                Ok(size_bytes) => Some(size_bytes),
                Err(error) if engine.moves_bytes() && error.kind() != ErrorKind::NotFound => {
                    let (path, error) = (path.display().to_string(), error.to_string());
                    return Err(Reason::FileUnreadable { path, error });
                }
                Err(_) => None,
            };
            // An existing file is used in its full size, or up to the requested size.
            let size_bytes =
                there.filter(|there| *there > 0).map_or(block.size.0, |there| there.min(block.size.0));
            if block.size == WHOLE && there.is_none() && engine.moves_bytes() {
                return Err(Reason::FileWithoutSize { path: path.display().to_string() });
            }
            sizes_bytes.push(size_bytes);
            targets.push(if !engine.moves_bytes() {
                Target::AddressSpace { size_bytes }
            } else if there.is_some() && !writes_to(block, index as u32 + 1) {
                Target::ReadOnly(path)
            } else if let Some(order) = destroy.iter().find(|order| order.is_for(&path)) {
                Target::Permitted(Arc::new(WritePermit::claim_device(order).map_err(Reason::error)?))
            } else {
                let permit = WritePermit::claim(&path, size_bytes, &mut |_| true);
                Target::Permitted(Arc::new(permit.map_err(Reason::error)?))
            });
        }
        Ok(Ground { engine, targets, sizes_bytes })
    }
}

/// True if a directory has files of these names and this size and, beside their markers and its own, no
/// others.
fn holds(dir: &Path, names: &[String], size_bytes: u64) -> bool {
    let has_size = |name: &String| {
        fs::symlink_metadata(dir.join(name)).is_ok_and(|found| found.is_file() && found.len() == size_bytes)
    };
    let count = fs::read_dir(dir).map_or(0, Iterator::count);
    count == 2 * names.len() + 1 && names.iter().all(has_size)
}

/// Says which beds have no room for the files that cells of workload `number` make; those of an attempt
/// before go first.
pub(crate) fn check_room(
    conductor: &Conductor<'_>,
    (number, block): (usize, &Block),
    open: &[CellKey],
    unready: &mut Unready,
) {
    if !block.paths.is_empty() || block.size == WHOLE {
        return;
    }
    let has_log = block.streams.iter().any(|s| matches!(s.target, Some(StreamTarget::Named(_))));
    for (index, bed) in conductor.experiment.bed.iter().enumerate() {
        let moves_bytes =
            engine(&conductor.drives[index].data, block.engine, 0).is_ok_and(|engine| engine.moves_bytes());
        let is_asked = open.iter().any(|key| (key.bed, key.workload) == (index, number));
        let Some(room_bytes) =
            (moves_bytes && is_asked).then(|| disk::room_bytes(&conductor.work.root(bed)).ok()).flatten()
        else {
            continue;
        };
        let log_beside = has_log && conductor.work.log(bed, 0).is_none();
        let needed_bytes = made_bytes(block) + if log_beside { block.size.0 } else { 0 };
        let path = conductor.work.bed(bed);
        let available_bytes = room_bytes.saturating_add(size_bytes(&path));
        if available_bytes < needed_bytes {
            let error = BlockError::NoSpace { path, needed_bytes, available_bytes };
            unready.data(index, number, LabError::Storage(error.to_string()));
        }
    }
}

/// Refuses devices that would be written to without an order, and orders that the guard refuses.
/// [`run`](crate::run) does it itself; a caller that is about to create files asks before.
///
/// # Errors
/// [`LabError::Refused`] with the reason, [`LabError::Experiment`] for an order whose device is not there.
pub fn check_devices(experiment: &Experiment, destroy: &[DestroyOrder]) -> Result<(), LabError> {
    let refused = |error: BlockError| match error {
        BlockError::Refused { .. } => LabError::refused(error),
        other => LabError::Experiment {
            what: other.to_string(),
            place: "--destroy".to_owned(),
            fix: "correct the name of the device".to_owned(),
        },
    };
    for order in destroy {
        WritePermit::claim_device(order).map(drop).map_err(refused)?;
    }
    for workload in &experiment.workload {
        for path in needs::of(workload).written_paths().into_iter().map(Path::new) {
            let is_device = fs::metadata(path).is_ok_and(|found| found.file_type().is_block_device());
            let allowed = destroy.iter().any(|order| order.is_for(path));
            if is_device && !allowed {
                return Err(LabError::Refused(format!(
                    "the workload `{}` writes to the device {}; to overwrite it, name it: --destroy /dev/disk/by-id/NAME=SERIAL",
                    workload.name(),
                    path.display()
                )));
            }
        }
    }
    Ok(())
}

/// The files and devices by name that a workload writes to; an engine that moves no bytes writes to none.
pub(super) fn written_paths(block: &Block) -> Vec<&str> {
    if matches!(block.engine, BlockEngine::Null | BlockEngine::Modelled) {
        return Vec::new();
    }
    let numbered = (1..).zip(&block.paths);
    numbered.filter(|(file, _)| writes_to(block, *file)).map(|(_, path)| path.as_str()).collect()
}

/// True if any stream of a workload writes to its file of this number, from 1.
fn writes_to(block: &Block, file: u32) -> bool {
    let is_on = |stream: &&experiment::Stream| match stream.target {
        Some(StreamTarget::File(number)) => number == file,
        Some(StreamTarget::Files([first, last])) => (first..=last).contains(&file),
        Some(StreamTarget::Named(_)) => false,
        None => true,
    };
    let writes = |share: experiment::Share| share.0 < 1.0;
    block.streams.iter().filter(is_on).any(experiment::Stream::writes)
        || block.precondition.is_some_and(|precondition| precondition.passes > 0)
        || block.matrix.as_ref().is_some_and(|matrix| matrix.read.iter().any(|read| writes(*read)))
}

/// Lets the seconds of the cell have the figures of a modelled drive.
fn watch(conductor: &Conductor<'_>, (choice, engine): (&DriveChoice, &EngineKind), is_log: bool) {
    if let (DriveChoice::Emulated(entry), EngineKind::Modelled(drive)) = (choice, engine) {
        conductor.cell_drives.add_modelled(&entry.name, is_log, drive);
    }
}

fn engine(choice: &DriveChoice, engine: BlockEngine, seed: u64) -> Result<EngineKind, Reason> {
    match (choice, engine) {
        (_, BlockEngine::Null) => Ok(EngineKind::Null),
        (DriveChoice::Emulated(entry), _) => Ok(EngineKind::Modelled(ModelledDrive::new(&entry.spec, seed))),
        (DriveChoice::Real, BlockEngine::Modelled) => Err(Reason::ModelNeedsDrive),
        (DriveChoice::Real, BlockEngine::IoUring) => Ok(EngineKind::IoUring),
        (DriveChoice::Real, BlockEngine::Psync) => Ok(EngineKind::Psync),
        (DriveChoice::Unknown(url), _) => Err(Reason::ServerIsNoTarget { url: url.clone() }),
    }
}
