//! Where the I/Os of a cell go: engines and targets of the bed's data and log storage.

use std::path::Path;
use std::sync::Arc;

use block::{EngineKind, ModelledDrive, Target, WritePermit};
use database::Marker;
use experiment::{Block, BlockEngine, StreamTarget};

use crate::beds::DriveChoice;
use crate::conduct::Conductor;
use crate::order::CellKey;
use crate::order_entry::cell_seed;
use crate::{Event, reset};

/// What data streams and log streams stand on.
pub(crate) struct Place {
    pub(crate) data: Ground,
    /// The same as the data's when the bed's log has no storage of its own.
    pub(crate) log: Ground,
    /// Whether both are one: one drive, one engine.
    pub(crate) is_one: bool,
    /// Size of each file.
    pub(crate) size_bytes: u64,
}

/// An engine with its targets.
#[derive(Clone)]
pub(crate) struct Ground {
    pub(crate) engine: EngineKind,
    pub(crate) targets: Vec<Target>,
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
        let mut names: Vec<String> = match block.files {
            1 => vec!["block.dat".to_owned()],
            files => (1..=files).map(|number| format!("block-{number}.dat")).collect(),
        };
        let log_dir = conductor.work.log(bed, 0).filter(|_| has_log);
        if has_log && log_dir.is_none() {
            names.push("log.dat".to_owned());
        }
        let mut data = Ground::make(data_engine, &conductor.work.bed(bed), &names, block.size.0)?;
        let own_log = drives.log.as_ref().zip(log_dir);
        let is_one = own_log.is_none();
        let log = match own_log {
            Some((choice, dir)) => {
                let engine = engine(choice, block.engine, seed ^ 1)?;
                Ground::make(engine, &dir, &["log.dat".to_owned()], block.size.0)?
            }
            None => {
                let targets = data.targets.split_off(block.files as usize);
                Ground { engine: data.engine.clone(), targets }
            }
        };
        Ok(Place { data, log, is_one, size_bytes: block.size.0 })
    }
}

impl Ground {
    fn make(engine: EngineKind, dir: &Path, names: &[String], size_bytes: u64) -> Result<Ground, String> {
        if !engine.moves_bytes() {
            let targets = names.iter().map(|_| Target::AddressSpace { size_bytes }).collect();
            return Ok(Ground { engine, targets });
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
        Ok(Ground { engine, targets })
    }
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
