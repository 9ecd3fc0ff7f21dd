//! The room that the data sets of an experiment need before anything is measured, against the room that their
//! storages have.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use words::say;

use experiment::{Experiment, Storage};

use super::servers::Footprint;
use super::{data_bytes, instances_of};
use crate::error::LabError;
use crate::needs;
use crate::storage::targets;

/// Remedies for too little room.
pub(crate) const WAYS_OUT: &str = "free some space, name another storage (`--storage BED=PATH`), or shrink the experiment (`--scale small`)";

/// The data that take the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Loaded data and its copies.
    Data,
    /// The files of block loads.
    Files,
}

/// One file system on which beds keep loaded data, or the files of block loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// The data that they keep there.
    pub holds: Holds,
    /// A storage path on it.
    pub path: PathBuf,
    /// The beds whose storage lies on it.
    pub beds: Vec<String>,
    /// The least that a run takes there, bytes: the golden copy of each storage path, and the copy of the
    /// bed that runs.
    pub needed_bytes: u64,
    /// The most, by the plan's estimates, bytes: the last copy of every bed stays until its next cell, as
    /// large as its load made it.
    pub most_bytes: u64,
    /// The free space for a user there, bytes.
    pub free_bytes: u64,
}

impl Room {
    /// True if no cell can run there.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.free_bytes < self.needed_bytes
    }

    /// True if a cell may run out of space there.
    #[must_use]
    pub fn is_tight(&self) -> bool {
        self.free_bytes < self.most_bytes
    }

    /// The numbers in one sentence.
    #[must_use]
    pub fn in_words(&self) -> String {
        let Room { path, needed_bytes, free_bytes, .. } = self;
        let gigabytes = |bytes: &u64| *bytes as f64 / 1e9;
        let (needed, free) = (gigabytes(needed_bytes), gigabytes(free_bytes));
        let [needed, free] = [needed, free].map(|gigabytes| words::decimals(gigabytes, 2));
        let path = path.display().to_string();
        match self.holds {
            Holds::Data => say!("plan-room", needed, free, path),
            Holds::Files => say!("plan-room-files", needed, free, path),
        }
    }
}

/// The file systems of the beds, with what each needs and has. Paths that cannot be read are left out: the
/// run names them.
#[must_use]
pub fn rooms(experiment: &Experiment) -> Vec<Room> {
    let Copies { golden_bytes, cell_bytes, grown_bytes } = Copies::of(experiment);
    let mut rooms: Vec<(u64, Vec<&Path>, Room)> = Vec::new();
    for bed in experiment.bed.iter().filter(|bed| experiment.url_of(bed).is_none()) {
        let path = targets::path_of(&bed.storage);
        let (Ok(found), Ok(free_bytes)) = (path.metadata(), disk::room_bytes(path)) else { continue };
        let shared_bytes = if may_share_blocks(path) { cell_bytes } else { 0 };
        let known = rooms.iter().position(|(device, ..)| *device == found.dev());
        let at = known.unwrap_or_else(|| {
            let needed_bytes = cell_bytes - shared_bytes;
            let (path, beds) = (path.to_owned(), Vec::new());
            let room = Room { holds: Holds::Data, path, beds, needed_bytes, most_bytes: 0, free_bytes };
            rooms.push((found.dev(), Vec::new(), room));
            rooms.len() - 1
        });
        let (_, paths, room) = &mut rooms[at];
        room.beds.push(bed.name.clone());
        room.most_bytes = room.most_bytes.saturating_add(grown_bytes.saturating_sub(shared_bytes));
        // Beds on one storage path share its golden copies.
        if !paths.contains(&path) {
            paths.push(path);
            room.needed_bytes = room.needed_bytes.saturating_add(golden_bytes);
            room.most_bytes = room.most_bytes.saturating_add(golden_bytes);
        }
    }
    rooms.into_iter().map(|(.., room)| room).collect()
}

/// The file systems of the real storages on which block loads make files, with what the largest cell needs.
pub(crate) fn rooms_of_files(experiment: &Experiment) -> Vec<Room> {
    let needed_bytes = experiment.workload.iter().map(|load| needs::of(load).file_bytes()).max().unwrap_or(0);
    let mut rooms: Vec<(u64, Room)> = Vec::new();
    if needed_bytes == 0 {
        return Vec::new();
    }
    for bed in experiment.bed.iter().filter(|bed| matches!(bed.storage, Storage::Real { .. })) {
        let path = targets::path_of(&bed.storage);
        let (Ok(found), Ok(free_bytes)) = (path.metadata(), disk::room_bytes(path)) else { continue };
        match rooms.iter_mut().find(|(device, _)| *device == found.dev()) {
            Some((_, room)) => room.beds.push(bed.name.clone()),
            None => {
                let (path, beds) = (path.to_owned(), vec![bed.name.clone()]);
                let most_bytes = needed_bytes;
                let room = Room { holds: Holds::Files, path, beds, needed_bytes, most_bytes, free_bytes };
                rooms.push((found.dev(), room));
            }
        }
    }
    rooms.into_iter().map(|(_, room)| room).collect()
}

/// Refuses an experiment that has room for a cell on no bed.
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
        fix: WAYS_OUT.to_owned(),
    })
}

/// Refuses to load the data set of workload number `number` below `path` when there is no room for it: the
/// golden copy is made beside the loaded database.
pub(crate) fn check_before_load(experiment: &Experiment, number: usize, path: &Path) -> Result<(), LabError> {
    let copies = if may_share_blocks(path) { 1 } else { 2 };
    let needed_bytes = copy_bytes(experiment, number).saturating_mul(copies);
    match disk::room_bytes(path) {
        Ok(free_bytes) if free_bytes < needed_bytes => {
            let (path, beds) = (path.to_owned(), Vec::new());
            let most_bytes = needed_bytes;
            let room = Room { holds: Holds::Data, path, beds, needed_bytes, most_bytes, free_bytes };
            Err(LabError::Storage(room.in_words()))
        }
        _ => Ok(()),
    }
}

/// The sizes of an experiment's copies of its data.
struct Copies {
    /// The golden copies of all workloads.
    golden_bytes: u64,
    /// The databases of the largest cell when it begins.
    cell_bytes: u64,
    /// Those of the cell that leaves most, when it ends.
    grown_bytes: u64,
}

impl Copies {
    fn of(experiment: &Experiment) -> Self {
        let workloads = &experiment.workload;
        let loaded = || (0..workloads.len()).filter(|number| needs::of(&workloads[*number]).data().is_some());
        let of_cell = |number: usize| {
            let instances = u64::from(instances_of(experiment, &workloads[number]));
            copy_bytes(experiment, number).saturating_mul(instances)
        };
        let cell_bytes = loaded().map(of_cell).max().unwrap_or(0);
        Self {
            golden_bytes: loaded()
                .filter(|number| needs::home(experiment, *number) == *number)
                .map(|number| copy_bytes(experiment, number))
                .sum(),
            cell_bytes,
            grown_bytes: match Footprint::of(experiment) {
                Some(server) if cell_bytes > 0 => server.grown_bytes(experiment),
                // As the space of a plan counts the growth and the log of the embedded engine.
                _ => cell_bytes.saturating_mul(3) / 2,
            },
        }
    }
}

/// One copy of a workload's data set, as it was loaded.
fn copy_bytes(experiment: &Experiment, number: usize) -> u64 {
    let workload = &experiment.workload[number];
    Footprint::of(experiment).map_or_else(|| data_bytes(workload), |server| server.copy_bytes(workload))
}

/// File systems on which a copy may share the blocks of its original; the numbers are those of Linux's
/// `magic.h`, and of ZFS and bcachefs.
const SHARING: [rustix::fs::FsWord; 7] = [
    0x9123_683e, // Btrfs
    0x5846_5342, // XFS
    0x794c_7630, // overlayfs, as the file system below it
    0x7461_636f, // OCFS2
    0x0000_6969, // NFS
    0x2fc1_2fc1, // ZFS
    0xca45_1a4e, // bcachefs
];

/// True where a copy may take no room of its own.
fn may_share_blocks(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|found| SHARING.contains(&found.f_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One warehouse in SQLite on beds with these storage paths.
    fn rooms_of(paths: &[&Path]) -> Vec<Room> {
        let beds = paths.iter().enumerate().map(|(number, path)| {
            format!("[[bed]]\nname = \"bed-{number}\"\nstorage = {{ real = \"{}\" }}\n", path.display())
        });
        let text = format!(
            "schema = 1\ntitle = \"x\"\n{}[database]\nengine = \"sqlite\"\nmemory = \"64MiB\"\n[[workload]]\nkind = \"tpcc\"\n\
             warehouses = 1\nvirtual_users = [1]\nramp_up = \"1s\"\nmeasure = \"1s\"\n[design]\nrepeats = 1\n",
            beds.collect::<String>()
        );
        rooms(&experiment::parse(&text, "x.toml").unwrap_or_else(|faults| panic!("{faults}")))
    }

    #[test]
    fn a_cell_needs_its_own_copy_beside_the_golden_ones_of_its_file_system() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        [&a, &b].iter().for_each(|path| std::fs::create_dir(path).unwrap());
        let warehouse = experiment::data_size::warehouse_bytes(1);
        let own = if may_share_blocks(&a) { 0 } else { warehouse };
        let least = |rooms: &[Room]| rooms.iter().map(|room| room.needed_bytes).collect::<Vec<_>>();
        assert_eq!(least(&rooms_of(&[&a])), [warehouse + own]);
        assert_eq!(least(&rooms_of(&[&a, &a])), [warehouse + own], "they run in turn");
        let both = rooms_of(&[&a, &b]);
        assert_eq!(least(&both), [2 * warehouse + own], "one file system has the copies of both");
        assert_eq!(both[0].beds, ["bed-0", "bed-1"]);
        assert_eq!(both[0].most_bytes, 2 * warehouse + 2 * (warehouse / 2 + own));
        let room = Room { free_bytes: both[0].needed_bytes, ..both[0].clone() };
        assert!(room.is_tight() && !room.is_short());
        assert!(Room { free_bytes: room.free_bytes - 1, ..room }.is_short());
    }
}
