//! The modelled drives under the running cell, and what went through them so far.

use std::sync::{Arc, Mutex, PoisonError};

use block::ModelledDrive;
use database::Backing;
use device::Traffic;
use emulate::EmulatedDrive;

/// The modelled drives under the running cell, told by whoever makes them.
#[derive(Debug, Default)]
pub(crate) struct CellDrives(Mutex<Vec<CellDrive>>);

#[derive(Clone, Debug)]
struct CellDrive {
    model: String,
    name: String,
    is_log: bool,
    handle: Handle,
}

/// The account of a modelled drive.
#[derive(Clone, Debug)]
enum Handle {
    Emulated(Arc<EmulatedDrive>),
    Modelled(ModelledDrive),
}

impl Handle {
    fn traffic(&self) -> Traffic {
        match self {
            Self::Emulated(drive) => drive.traffic(),
            Self::Modelled(drive) => drive.traffic(),
        }
    }

    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Emulated(one), Self::Emulated(other)) => Arc::ptr_eq(one, other),
            (Self::Modelled(one), Self::Modelled(other)) => one.is(other),
            _ => false,
        }
    }
}

impl CellDrives {
    fn with<T>(&self, work: impl FnOnce(&mut Vec<CellDrive>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A cell begins.
    pub(crate) fn clear(&self) {
        self.with(Vec::clear);
    }

    /// The backings of the cell's database; real ones are seen from the host.
    pub(crate) fn add_backings(&self, (data, log): (&Backing, &Backing)) {
        for (backing, is_log) in [(data, false), (log, true)] {
            if let Backing::Emulated(drive) = backing {
                self.add(drive.name(), is_log, Handle::Emulated(Arc::clone(drive)));
            }
        }
    }

    /// A drive that answers block I/O.
    pub(crate) fn add_modelled(&self, name: &str, is_log: bool, drive: &ModelledDrive) {
        self.add(name, is_log, Handle::Modelled(drive.clone()));
    }

    /// Data and log may share one. Further drives of the same model have numbers.
    fn add(&self, name: &str, is_log: bool, handle: Handle) {
        self.with(|drives| {
            if drives.iter().any(|known| known.handle.is(&handle)) {
                return;
            }
            let alike = drives.iter().filter(|known| known.model == name && known.is_log == is_log).count();
            let shown = if alike == 0 { name.to_owned() } else { format!("{name} #{}", alike + 1) };
            drives.push(CellDrive { model: name.to_owned(), name: shown, is_log, handle });
        });
    }

    /// The account of each of them at this moment.
    pub(crate) fn readings(&self) -> Vec<Reading> {
        self.with(|drives| drives.iter().map(CellDrive::reading).collect())
    }
}

impl CellDrive {
    fn reading(&self) -> Reading {
        let Self { name, is_log, handle, .. } = self;
        Reading { name: name.clone(), is_log: *is_log, is_modelled: true, traffic: handle.traffic() }
    }
}

/// The account of one drive at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) name: String,
    pub(crate) is_log: bool,
    pub(crate) is_modelled: bool,
    pub(crate) traffic: Traffic,
}
