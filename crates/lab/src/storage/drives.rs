//! From a bed's description to its drives.

use std::sync::Arc;

use device::catalogue::{self, Entry};
use emulate::{Backing, EmulatedDrive};
use experiment::{Bed, Experiment, Storage};
use words::{BedDrive, BedStorage, Realm, Remark};

use crate::error::LabError;

/// The drive under one role (data or log) of a bed.
#[derive(Clone, Debug)]
pub(crate) enum DriveChoice {
    /// Real bytes, times from the model.
    Emulated(Box<Entry>),
    /// The storage itself.
    Real,
    /// The storage of an existing server, unknown: its address.
    Unknown(String),
}

/// The drives of a bed.
#[derive(Clone, Debug)]
pub(crate) struct Drives {
    pub(crate) data: DriveChoice,
    /// `None` when the log shares the data's drive.
    pub(crate) log: Option<DriveChoice>,
}

impl Drives {
    /// The storage for tables.
    pub(crate) fn summary(&self) -> BedStorage {
        BedStorage { data: self.data.titled(), log: self.log.as_ref().map(DriveChoice::titled) }
    }

    /// The facts that distinguish beds, each role under its own name: a moved log is no other drive for the
    /// data.
    pub(crate) fn facts(&self) -> [(String, String); 3] {
        let log = self.log.as_ref().map_or(BedDrive::OfData, DriveChoice::titled);
        let facts = [
            ("storage.drive", self.data.titled().to_string()),
            ("storage.realm", self.data.realm().into()),
            ("log.drive", log.to_string()),
        ];
        facts.map(|(key, value)| (key.to_owned(), value))
    }

    /// The catalogue's entry of the data's drive, when it is modelled.
    pub(crate) fn entry(&self) -> Option<&Entry> {
        match &self.data {
            DriveChoice::Emulated(entry) => Some(entry),
            DriveChoice::Real | DriveChoice::Unknown(_) => None,
        }
    }

    /// The realm of both; mixed when data and log differ.
    pub(crate) fn realm(&self) -> Realm {
        match (self.data.realm(), self.log.as_ref().unwrap_or(&self.data).realm()) {
            (data, log) if data == log => data,
            _ => Realm::Mixed,
        }
    }

    /// Fresh drives for one cell: every cell starts from the same state, the drive's write buffer included.
    pub(crate) fn fresh(&self, seed: u64) -> (Backing, Backing) {
        let data = self.data.backing(seed);
        let log = self.log.as_ref().map_or_else(|| data.clone(), |log| log.backing(seed ^ 1));
        (data, log)
    }
}

impl DriveChoice {
    fn titled(&self) -> BedDrive {
        match self {
            Self::Emulated(entry) => BedDrive::Emulated(entry.title.clone()),
            Self::Real => BedDrive::Real,
            Self::Unknown(url) => BedDrive::OfServer(url.clone()),
        }
    }

    fn realm(&self) -> Realm {
        match self {
            Self::Emulated(_) => Realm::Emulated,
            Self::Real | Self::Unknown(_) => Realm::Real,
        }
    }

    /// A fresh drive.
    pub(crate) fn backing(&self, seed: u64) -> Backing {
        match self {
            Self::Emulated(entry) => Backing::Emulated(EmulatedDrive::new(&entry.name, &entry.spec, seed)),
            Self::Real | Self::Unknown(_) => Backing::Real,
        }
    }
}

/// Storage without cost, for loading and checking, which are not measured.
pub(crate) fn free() -> Backing {
    let drive: Arc<EmulatedDrive> = EmulatedDrive::new("free", &device::DriveSpec::free(), 0);
    Backing::Emulated(drive)
}

/// Looks up the drives of `bed`: a name of the catalogue, or the path of a drive's TOML file. The storage of
/// an existing server is its own.
pub(crate) fn choose(experiment: &Experiment, bed: &Bed) -> Result<Drives, LabError> {
    if let Some(url) = experiment.url_of(bed) {
        return Ok(Drives { data: DriveChoice::Unknown(url.to_owned()), log: None });
    }
    let log = bed.log.as_ref().map(|storage| choose_one(bed, storage)).transpose()?;
    Ok(Drives { data: choose_one(bed, &bed.storage)?, log })
}

/// The caution about a drive that was named so, if its file states a large error.
pub fn inaccurate(entry: &Entry, given: &str) -> Option<Remark> {
    let (figure, percent) = entry.accuracy.as_ref()?.beyond_good()?;
    let (drive, figure, see) = (entry.title.clone(), figure.to_owned(), words::shell::word(given));
    Some(Remark::DriveInaccurate { drive, figure, percent, see })
}

/// The cautions about the modelled drives of all beds, each once. A drive that cannot be read is refused
/// elsewhere.
pub fn inaccurate_drives(experiment: &Experiment) -> Vec<Remark> {
    let mut cautions = Vec::new();
    for bed in experiment.bed.iter().filter(|bed| experiment.url_of(bed).is_none()) {
        for storage in std::iter::once(&bed.storage).chain(&bed.log) {
            let (Storage::Emulated { drive, .. }, Ok(DriveChoice::Emulated(entry))) =
                (storage, choose_one(bed, storage))
            else {
                continue;
            };
            cautions.extend(inaccurate(&entry, drive).filter(|caution| !cautions.contains(caution)));
        }
    }
    cautions
}

/// Looks up the drive that one storage names; `bed` is for messages.
pub(crate) fn choose_one(bed: &Bed, storage: &Storage) -> Result<DriveChoice, LabError> {
    let Storage::Emulated { drive, .. } = storage else { return Ok(DriveChoice::Real) };
    let fault = |why: String| LabError::Drive { bed: bed.name.clone(), why };
    if let Some(Err(why)) = catalogue::volume(drive) {
        return Err(fault(why));
    }
    if let Some(entry) = catalogue::find(drive) {
        return Ok(DriveChoice::Emulated(Box::new(entry.clone())));
    }
    if !drive.ends_with(".toml") {
        let hint =
            catalogue::suggest(drive).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        return Err(fault(format!(
            "no drive `{drive}` in the catalogue{hint} (`drivetrain drives` lists them; a drive of your own is a .toml file)"
        )));
    }
    let text = disk::text_of_file(drive.as_ref()).map_err(|e| fault(format!("{drive}: {e}")))?;
    let entry = catalogue::parse(&text, drive)
        .map_err(|faults| fault(format!("its file cannot be used\n{faults}")))?;
    Ok(DriveChoice::Emulated(Box::new(entry)))
}
