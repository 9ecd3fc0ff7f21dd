//! Where the I/Os of a cell go: engines and targets of the bed's data and log storage.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use block::{EngineKind, ModelledDrive, Target, WritePermit};
use database::Marker;
use experiment::{Block, BlockEngine, StreamTarget};

use crate::beds::DriveChoice;
use crate::conduct::Conductor;
use crate::order::CellKey;
use crate::order_entry::cell_seed;
use crate::{Event, reset, workdir};

/// What data streams and log streams stand on.
pub(crate) struct Place {
    pub(crate) data: Ground,
    /// The same as the data's when the bed's log has no storage of its own.
    pub(crate) log: Ground,
    /// Whether both are one: one drive, one engine.
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

impl Place {
    /// Fresh files of ours for engines that move bytes, made anew for each cell so that all start alike; idle drives for the others.
    pub(crate) fn make(conductor: &Conductor<'_>, key: CellKey, block: &Block) -> Result<Place, String> {
        conductor.observer.event(Event::Phase { name: "reset" });
        let seed = cell_seed(conductor.seed, key);
        let bed = &conductor.experiment.bed[key.bed];
        let drives = &conductor.drives[key.bed];
        let has_log = block.streams.iter().any(|s| matches!(s.target, Some(StreamTarget::Named(_))));
        let data_engine = engine(&drives.data, block.engine, seed)?;
        let log_dir = conductor.work.log(bed, 0).filter(|_| has_log);
        let own_log = drives.log.as_ref().zip(log_dir);
        let (is_one, count) = (own_log.is_none(), block.file_count() as usize);
        let mut data = if block.paths.is_empty() {
            let mut names: Vec<String> = match block.files {
                1 => vec!["block.dat".to_owned()],
                files => (1..=files).map(|number| format!("block-{number}.dat")).collect(),
            };
            names.extend((has_log && is_one).then(|| "log.dat".to_owned()));
            Ground::make(data_engine, &conductor.work.bed(bed), &names, block.size.0)?
        } else {
            Ground::named(data_engine, workdir::path_of(&bed.storage), block)?
        };
        let log = match own_log {
            Some((choice, dir)) => {
                let engine = engine(choice, block.engine, seed ^ 1)?;
                Ground::make(engine, &dir, &["log.dat".to_owned()], block.size.0)?
            }
            None => Ground {
                engine: data.engine.clone(),
                targets: data.targets.split_off(count.min(data.targets.len())),
                sizes_bytes: data.sizes_bytes.split_off(count.min(data.sizes_bytes.len())),
            },
        };
        if has_log && log.targets.is_empty() {
            return Err("a log beside files by name needs a `log` storage of the bed".to_owned());
        }
        Ok(Place { data, log, is_one })
    }

    /// Bytes of all data files together.
    pub(crate) fn data_bytes(&self) -> u64 {
        self.data.sizes_bytes.iter().sum()
    }
}

impl Ground {
    fn make(engine: EngineKind, dir: &Path, names: &[String], size_bytes: u64) -> Result<Ground, String> {
        let sizes_bytes = vec![size_bytes; names.len()];
        if !engine.moves_bytes() {
            let targets = names.iter().map(|_| Target::AddressSpace { size_bytes }).collect();
            return Ok(Ground { engine, targets, sizes_bytes });
        }
        reset::remove_dir(dir).map_err(|e| e.to_string())?;
        let marker = Marker::claim(dir).map_err(|e| e.to_string())?;
        let mut targets = Vec::new();
        for name in names {
            // The permit keeps its proof of ownership beside the file.
            for owned in [name.clone(), format!("{name}.drivetrain-owned")] {
                marker.own(&owned).map_err(|e| e.to_string())?;
            }
            let permit = WritePermit::create_file(&dir.join(name), size_bytes).map_err(|e| e.to_string())?;
            targets.push(Target::Permitted(Arc::new(permit)));
        }
        Ok(Ground { engine, targets, sizes_bytes })
    }

    /// Files and devices by name: only read when no stream writes to them, else ours, or made.
    fn named(engine: EngineKind, below: &Path, block: &Block) -> Result<Ground, String> {
        let (mut targets, mut sizes_bytes) = (Vec::new(), Vec::new());
        for (index, path) in block.paths.iter().enumerate() {
            let path = below.join(path);
            let there = File::open(&path).and_then(|mut file| file.seek(SeekFrom::End(0))).ok();
            let size_bytes = if block.size.0 > 0 { block.size.0 } else { there.unwrap_or(0) };
            sizes_bytes.push(size_bytes);
            targets.push(if !engine.moves_bytes() {
                Target::AddressSpace { size_bytes }
            } else if there.is_some() && !writes_to(block, index as u32 + 1) {
                Target::ReadOnly(path)
            } else {
                let permit = WritePermit::claim(&path, size_bytes, &mut |_| true);
                Target::Permitted(Arc::new(permit.map_err(|e| e.to_string())?))
            });
        }
        Ok(Ground { engine, targets, sizes_bytes })
    }
}

/// Whether anything of a workload writes to its file of this number, from 1.
fn writes_to(block: &Block, file: u32) -> bool {
    let is_on = |stream: &&experiment::Stream| match stream.target {
        Some(StreamTarget::File(number)) => number == file,
        Some(StreamTarget::Named(_)) => false,
        None => true,
    };
    let writes = |share: experiment::Share| share.0 < 1.0;
    block.streams.iter().filter(is_on).any(|stream| writes(stream.read))
        || block.precondition.is_some_and(|precondition| precondition.passes > 0)
        || block.matrix.as_ref().is_some_and(|matrix| matrix.read.iter().any(|read| writes(*read)))
}

fn engine(choice: &DriveChoice, engine: BlockEngine, seed: u64) -> Result<EngineKind, String> {
    match (choice, engine) {
        (_, BlockEngine::Null) => Ok(EngineKind::Null),
        (DriveChoice::Emulated(entry), _) => Ok(EngineKind::Modelled(ModelledDrive::new(&entry.spec, seed))),
        (DriveChoice::Real, BlockEngine::Modelled) => {
            Err("engine `modelled` needs an emulated storage".to_owned())
        }
        (DriveChoice::Real, BlockEngine::IoUring) => Ok(EngineKind::IoUring),
        (DriveChoice::Real, BlockEngine::Psync) => Ok(EngineKind::Psync),
        (DriveChoice::Unknown(url), _) => {
            Err(format!("block I/O needs a drive or a path, and this bed is the server at {url}"))
        }
    }
}
