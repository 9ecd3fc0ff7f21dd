//! The room that the data sets of an experiment need before anything is measured, against the room that their
//! storages have.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use words::say;

use experiment::Experiment;

use super::data_bytes;
use super::servers::Footprint;
use crate::{LabError, needs, storages};

/// One file system on which beds keep loaded data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// A storage path on it.
    pub path: PathBuf,
    /// The beds whose storage lies on it.
    pub beds: Vec<String>,
    /// The least that the loaded data takes there, bytes: one golden copy for each storage path.
    pub needed_bytes: u64,
    /// The free space for a user there, bytes.
    pub free_bytes: u64,
}

impl Room {
    /// True if the data cannot be loaded there.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.free_bytes < self.needed_bytes
    }

    /// The numbers in one sentence.
    #[must_use]
    pub fn in_words(&self) -> String {
        let Room { path, needed_bytes, free_bytes, .. } = self;
        let gigabytes = |bytes: &u64| *bytes as f64 / 1e9;
        say!(
            "plan-room",
            needed = format!("{:.2}", gigabytes(needed_bytes)),
            free = format!("{:.2}", gigabytes(free_bytes)),
            path = path.display().to_string()
        )
    }
}

/// The file systems of the beds, with what each needs and has. Paths that cannot be read are left out: the
/// run names them.
#[must_use]
pub fn rooms(experiment: &Experiment) -> Vec<Room> {
    let golden_bytes: u64 = (0..experiment.workload.len())
        .filter(|number| needs::of(&experiment.workload[*number]).data().is_some())
        .filter(|number| needs::home(experiment, *number) == *number)
        .map(|number| golden_bytes(experiment, number))
        .sum();
    let mut rooms: Vec<(u64, Vec<&Path>, Room)> = Vec::new();
    for bed in experiment.bed.iter().filter(|bed| experiment.url_of(bed).is_none()) {
        let path = storages::path_of(&bed.storage);
        let (Ok(found), Ok(free_bytes)) = (path.metadata(), disk::room_bytes(path)) else { continue };
        let known = rooms.iter().position(|(device, ..)| *device == found.dev());
        let at = known.unwrap_or_else(|| {
            let room = Room { path: path.to_owned(), beds: Vec::new(), needed_bytes: 0, free_bytes };
            rooms.push((found.dev(), Vec::new(), room));
            rooms.len() - 1
        });
        let (_, paths, room) = &mut rooms[at];
        room.beds.push(bed.name.clone());
        // Beds on one storage path share its golden copies.
        if !paths.contains(&path) {
            paths.push(path);
            room.needed_bytes += golden_bytes;
        }
    }
    rooms.into_iter().map(|(.., room)| room).collect()
}

/// Refuses an experiment whose data no bed has room for.
///
/// # Errors
/// [`LabError::Experiment`] with the numbers and the ways out.
pub fn check_room(experiment: &Experiment) -> Result<(), LabError> {
    let rooms = rooms(experiment);
    let is_elsewhere = experiment.bed.iter().any(|bed| experiment.url_of(bed).is_some());
    let Some(first) = rooms.first().filter(|_| !is_elsewhere && rooms.iter().all(Room::is_short)) else {
        return Ok(());
    };
    Err(LabError::Experiment {
        what: first.in_words(),
        place: format!("bed `{}`", first.beds.join("`, `")),
        fix: "free some space, name another storage (`--storage BED=PATH`), or shrink the experiment (`--scale small`)".to_owned(),
    })
}

/// Refuses to load the data set of workload number `number` below `path` when there is no room for it.
pub(crate) fn check_before_load(experiment: &Experiment, number: usize, path: &Path) -> Result<(), LabError> {
    let needed_bytes = golden_bytes(experiment, number);
    match disk::room_bytes(path) {
        Ok(free_bytes) if free_bytes < needed_bytes => {
            let room = Room { path: path.to_owned(), beds: Vec::new(), needed_bytes, free_bytes };
            Err(LabError::Storage(room.in_words()))
        }
        _ => Ok(()),
    }
}

/// One loaded copy of a workload's data set.
fn golden_bytes(experiment: &Experiment, number: usize) -> u64 {
    let workload = &experiment.workload[number];
    Footprint::of(experiment).map_or_else(|| data_bytes(workload), |server| server.copy_bytes(workload))
}
