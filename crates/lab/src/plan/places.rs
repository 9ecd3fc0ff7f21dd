//! The places of an experiment on this machine, and everything about them that would spoil a run: all of it
//! at once, before anything is touched.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use experiment::{Bed, Experiment, Storage, Treatment};
use rustix::fs::{Access, AtFlags, CWD, StatVfsMountFlags};

use super::room;
use crate::error::{LabError, PlaceFault};
use crate::storage::targets::{self, Missing};

/// File systems in memory; the numbers are those of Linux's `magic.h`.
const IN_MEMORY: [rustix::fs::FsWord; 2] = [
    0x0102_1994, // tmpfs
    0x8584_58f6, // ramfs
];

/// Refuses an experiment whose beds are partly on real storage and partly on modelled drives, unless it says
/// `mixed = true`: a difference between the two may come from the model.
///
/// # Errors
/// [`LabError::Places`] with the beds of both kinds and the ways to make them alike.
pub fn check_alike(experiment: &Experiment) -> Result<(), LabError> {
    match unlike(experiment) {
        None => Ok(()),
        Some(fault) => Err(LabError::Places { faults: vec![fault] }),
    }
}

/// Refuses an experiment that cannot run as it is on this machine: beds of two kinds, and directories,
/// files and devices that are missing, no directory, not writable, in memory or too small. Nothing is
/// touched where a storage lies on a mount that does not answer. A plan asks here.
///
/// # Errors
/// [`LabError::Places`] with all faults.
pub fn check_places(experiment: &Experiment) -> Result<(), LabError> {
    if let Some(silent) = targets::silent(experiment) {
        return Err(LabError::Places { faults: vec![silent] });
    }
    let mut faults: Vec<PlaceFault> = of_paths(experiment);
    faults.extend(too_small(experiment));
    if faults.is_empty() { Ok(()) } else { Err(LabError::Places { faults }) }
}

/// The faults of the beds and their paths, but for their room.
pub(super) fn of_paths(experiment: &Experiment) -> Vec<PlaceFault> {
    let mut faults: Vec<PlaceFault> = unlike(experiment).into_iter().collect();
    faults.extend(of_directories(experiment));
    faults.extend(targets::missing_files(experiment).iter().map(Missing::fault));
    faults
}

/// Real storages that lie in memory, each with its bed: no drive is measured there.
#[must_use]
pub fn in_memory(experiment: &Experiment) -> Vec<(String, PathBuf)> {
    let used = targets::used(experiment).into_iter();
    let on_memory = used.filter(|(_, storage)| is_real(storage) && is_in_memory(storage.path()));
    on_memory.map(|(bed, storage)| (bed.name.clone(), storage.path().to_owned())).collect()
}

/// Beds whose storage is the treatment, all on real directories of one file system: they do not differ in it.
/// Their names, and the directory of the first.
#[must_use]
pub fn one_drive(experiment: &Experiment) -> Option<(Vec<String>, PathBuf)> {
    if !experiment.design.treatment.contains(&Treatment::Storage) {
        return None;
    }
    let device_of = |bed: &Bed| {
        let metadata = bed.storage.path().metadata().ok()?;
        (is_real(&bed.storage) && metadata.is_dir()).then(|| (bed.name.clone(), metadata.dev()))
    };
    let placed: Vec<(String, u64)> = experiment.bed.iter().filter_map(device_of).collect();
    let shared = placed.iter().find_map(|(_, device)| {
        let beds: Vec<String> =
            placed.iter().filter(|(_, other)| other == device).map(|(name, _)| name.clone()).collect();
        (beds.len() > 1).then_some(beds)
    })?;
    let first = experiment.bed.iter().find(|bed| bed.name == shared[0])?;
    Some((shared, first.storage.path().to_owned()))
}

fn unlike(experiment: &Experiment) -> Option<PlaceFault> {
    if experiment.design.mixed {
        return None;
    }
    let (mut real, mut modelled, mut options) = (Vec::new(), Vec::new(), Vec::new());
    for bed in &experiment.bed {
        if experiment.url_of(bed).is_some() {
            real.push(format!("bed `{}` (an existing server)", bed.name));
            continue;
        }
        let log = bed.log.as_ref().map(|log| (format!("the log of bed `{}`", bed.name), log, ".log"));
        let data = (format!("bed `{}`", bed.name), &bed.storage, "");
        for (whose, storage, suffix) in std::iter::once(data).chain(log) {
            let shown = format!("{whose} ({storage})");
            if is_real(storage) {
                real.push(shown);
            } else {
                modelled.push(shown);
                options.push(format!("--storage {}{suffix}=PATH", bed.name));
            }
        }
    }
    (!real.is_empty() && !modelled.is_empty()).then(|| PlaceFault {
        place: format!("real: {}; modelled: {}", real.join(", "), modelled.join(", ")),
        what: "some beds are on real storage and some on modelled drives, so a difference may come from the model".to_owned(),
        fix: format!(
            "put all on real storage ({}), or all on modelled drives; `--mixed`, or `mixed = true` in `[design]`, compares them all the same",
            options.join(" ")
        ),
    })
}

/// The faults of every directory that beds put files into, each directory of a bed once.
fn of_directories(experiment: &Experiment) -> Vec<PlaceFault> {
    let mut faults: Vec<PlaceFault> = Vec::new();
    for (bed, storage) in targets::used(experiment) {
        let fault = of_directory(bed, storage);
        faults.extend(fault.filter(|fault| !faults.contains(fault)));
    }
    faults
}

fn of_directory(bed: &Bed, storage: &Storage) -> Option<PlaceFault> {
    let path = storage.path();
    if let Err(LabError::Experiment { what, place, fix }) = targets::check_is_directory(bed, storage) {
        return Some(PlaceFault { place, what, fix });
    }
    let fault = |what: String, fix: String| PlaceFault { place: format!("bed `{}`", bed.name), what, fix };
    let name_another = format!("name another path (`--storage {}=PATH`)", bed.name);
    if let Some(why) = not_writable(path) {
        let fix = format!("give this user the right to write there, mount it for writing, or {name_another}");
        return Some(fault(format!("the storage path {} cannot be written: {why}", path.display()), fix));
    }
    (is_real(storage) && is_in_memory(path)).then(|| {
        let what =
            format!("the storage path {} is on tmpfs: memory is measured there, no drive", path.display());
        fault(what, format!("{name_another} on the drive that is meant"))
    })
}

/// The reason why this user can make no files in a directory.
fn not_writable(path: &Path) -> Option<String> {
    if rustix::fs::statvfs(path).is_ok_and(|found| found.f_flag.contains(StatVfsMountFlags::RDONLY)) {
        return Some("it is mounted read-only".to_owned());
    }
    let wanted = Access::WRITE_OK | Access::EXEC_OK;
    let refused = rustix::fs::accessat(CWD, path, wanted, AtFlags::EACCESS).err()?;
    Some(std::io::Error::from(refused).to_string())
}

fn is_real(storage: &Storage) -> bool {
    matches!(storage, Storage::Real { .. })
}

fn is_in_memory(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|found| IN_MEMORY.contains(&found.f_type))
}

/// The file systems of real storages that are too small for the data of the beds on them, and for the files
/// of block loads. Modelled drives at published size are planned to learn what they cost: for them it is a
/// warning.
fn too_small(experiment: &Experiment) -> Vec<PlaceFault> {
    let rooms = room::rooms(experiment).into_iter().filter(|room| has_real(experiment, room));
    let short = rooms.chain(room::rooms_of_files(experiment));
    short.filter(room::Room::is_short).map(|room| self::short(&room)).collect()
}

/// True if a bed on real storage keeps its data there.
pub(super) fn has_real(experiment: &Experiment, room: &room::Room) -> bool {
    let is_real = |name: &String| experiment.find_bed(name).is_some_and(|bed| is_real(&bed.storage));
    room.beds.iter().any(is_real)
}

/// The fault of a file system that is too small.
pub(super) fn short(room: &room::Room) -> PlaceFault {
    PlaceFault {
        place: format!("bed `{}`", room.beds.join("`, `")),
        what: room.in_words(),
        fix: room::WAYS_OUT.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two beds with these storages under block reads of 4 MiB.
    fn beds(first: &str, second: &str, more: &str) -> Experiment {
        let text = format!(
            "schema = 1\ntitle = \"x\"\n[[bed]]\nname = \"a\"\nstorage = {first}\n[[bed]]\nname = \"b\"\nstorage = {second}\n\
             [[workload]]\nkind = \"block\"\nsize = \"4MiB\"\ndepth = [1]\nramp_up = \"0s\"\nmeasure = \"1s\"\n\
             [[workload.stream]]\nread = \"100%\"\nblock_size = \"4KiB\"\n[design]\nrepeats = 1\n{more}"
        );
        experiment::parse(&text, "x.toml").unwrap_or_else(|faults| panic!("{faults}"))
    }

    const MODEL: &str = "{ emulated = \"kingston-dc1500m-960g\", path = \".\" }";

    #[test]
    fn beds_of_two_kinds_are_refused_until_it_is_asked_for() {
        let text = |experiment: &Experiment| check_alike(experiment).err().map(|error| error.to_string());
        let real = "{ real = \".\" }";
        let mixed = text(&beds(real, MODEL, "")).unwrap_or_default();
        for part in ["real: bed `a` (real .)", "modelled: bed `b` (emulated", "--storage b=PATH", "--mixed"] {
            assert!(mixed.contains(part), "{part}: {mixed}");
        }
        assert_eq!(text(&beds(real, MODEL, "mixed = true\n")), None);
        assert_eq!(text(&beds(real, real, "")), None);
        assert_eq!(text(&beds(MODEL, MODEL, "")), None);
        let log = beds(&format!("{real}\nlog = {MODEL}"), real, "");
        assert!(
            text(&log).is_some_and(
                |text| text.contains("the log of bed `a`") && text.contains("--storage a.log=PATH")
            )
        );
    }

    #[test]
    fn no_named_experiment_mixes_by_itself() {
        for named in experiment::named() {
            let experiment =
                experiment::parse(named.text, named.name).unwrap_or_else(|faults| panic!("{faults}"));
            assert!(check_alike(&experiment).is_ok(), "{}", named.name);
        }
    }

    #[test]
    fn every_fault_of_every_place_is_named_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "x").unwrap();
        let real = |path: &Path| format!("{{ real = \"{}\" }}", path.display());
        let experiment = beds(&real(&dir.path().join("none")), &real(&file), "");
        let Err(LabError::Places { faults }) = check_places(&experiment) else { panic!("it is refused") };
        let places: Vec<&str> = faults.iter().map(|fault| fault.place.as_str()).collect();
        assert_eq!(places, ["bed `a`", "bed `b`"], "{faults:?}");
        assert!(faults[0].what.contains("does not exist") && faults[1].what.contains("not a directory"));
        let text = LabError::Places { faults }.to_string();
        assert!(
            text.starts_with("2 places of the experiment") && text.matches("what to do: ").count() == 2,
            "{text}"
        );
        // A file system that is too small for the files of the load.
        let huge = beds(&real(dir.path()), &real(dir.path()), "");
        assert!(check_places(&huge).is_ok());
        let text = experiment::to_toml(&huge)
            .replace("4MiB", "900TiB")
            .replace("size = \"4194304B\"", "size = \"900TiB\"");
        let huge = experiment::parse(&text, "x.toml").unwrap_or_else(|faults| panic!("{faults}"));
        let text = check_places(&huge).map_err(|error| error.to_string()).unwrap_err();
        assert!(text.contains("bed `a`, `b`") && text.contains("free"), "{text}");
    }

    #[test]
    fn memory_is_no_drive() {
        let Some(memory) = ["/dev/shm", "/run"].map(Path::new).into_iter().find(|path| is_in_memory(path))
        else {
            return testkit::need::skip("no file system in memory is mounted");
        };
        let real = format!("{{ real = \"{}\" }}", memory.display());
        let both = beds(&real, &real, "");
        assert_eq!(one_drive(&both), None, "the storage is not the treatment");
        let mut both = both;
        both.design.treatment = vec![Treatment::Storage];
        assert_eq!(one_drive(&both), Some((vec!["a".to_owned(), "b".to_owned()], memory.to_owned())));
        let found = in_memory(&beds(&real, &real, ""));
        assert_eq!(found.len(), 2, "{found:?}");
        let emulated = format!("{{ emulated = \"kingston-dc1500m-960g\", path = \"{}\" }}", memory.display());
        assert!(in_memory(&beds(&emulated, &emulated, "")).is_empty(), "the model has the times");
    }
}
