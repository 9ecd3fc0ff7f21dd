use super::*;
use disk::fault::{self, Failure, Plan};

mod rows;

const SIZE: u64 = 64 << 10;

fn claim(path: &Path) -> Result<WritePermit, BlockError> {
    WritePermit::claim(path, SIZE, &mut |_| true)
}

/// Lets go of a permit as a kill would: without a word.
fn kill(permit: WritePermit) {
    let own = permit.take().unwrap();
    own.unlock();
}

#[test]
fn creates_a_full_incompressible_file_and_removes_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    let permit = WritePermit::create_file(&path, SIZE).unwrap();
    assert_eq!((permit.path(), permit.size_bytes()), (path.as_path(), SIZE));
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, SIZE);
    let mut seen = [0u32; 256];
    bytes.iter().for_each(|byte| seen[usize::from(*byte)] += 1);
    assert!(seen.iter().all(|count| (128..512).contains(count)), "bytes are far from uniform: {seen:?}");
    permit.remove().unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn refuses_whatever_is_there_already() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("precious");
    fs::write(&path, "letters").unwrap();
    for refused in [WritePermit::create_file(&path, SIZE), claim(&path)] {
        let error = refused.unwrap_err();
        assert!(matches!(error, BlockError::Refused { .. }), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), b"letters");
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(matches!(claim(&link).unwrap_err(), BlockError::Refused { .. }));
    assert!(matches!(
        WritePermit::create_file(directory.path(), SIZE).unwrap_err(),
        BlockError::Refused { .. }
    ));
    assert!(matches!(claim(Path::new("/")).unwrap_err(), BlockError::Refused { .. }));
    assert!(!marker_of(&path).exists());
}

#[test]
fn claims_its_own_file_again_without_filling_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    WritePermit::create_file(&path, SIZE).unwrap().keep().unwrap();
    let before = fs::read(&path).unwrap();
    let mut told = 0;
    let again = WritePermit::claim(&path, SIZE, &mut |_| {
        told += 1;
        true
    })
    .unwrap();
    assert_eq!((fs::read(again.path()).unwrap(), told), (before, 0));
    drop(again);
    let larger = WritePermit::claim(&path, 2 * SIZE, &mut |_| true).unwrap();
    assert_eq!(fs::metadata(larger.path()).unwrap().len(), 2 * SIZE);
    larger.remove().unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_file_in_use_is_nobody_elses() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    let first = WritePermit::create_file(&path, SIZE).unwrap();
    for refused in [claim(&path).map(drop), remove_left_over(&path)] {
        let error = refused.unwrap_err();
        assert!(
            matches!(error, BlockError::Refused { .. }) && error.to_string().contains("another run"),
            "{error}"
        );
    }
    first.remove().unwrap();
    claim(&path).unwrap().remove().unwrap();
}

#[test]
fn a_file_that_was_kept_is_told_from_one_that_was_made_now() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    let new = claim(&path).unwrap();
    assert!(!new.was_kept());
    new.keep().unwrap();
    let again = claim(&path).unwrap();
    assert!(again.was_kept());
    drop(again);
    let larger = WritePermit::claim(&path, 2 * SIZE, &mut |_| true).unwrap();
    assert!(larger.was_kept());
    larger.remove().unwrap();
    assert!(!claim(&path).unwrap().was_kept());
}

#[test]
fn what_a_check_has_proven_can_be_removed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    let permit = WritePermit::create_file(&path, SIZE).unwrap();
    // Writes of odd sizes leave sectors without a mark: only the stamp proves such a file.
    std::os::unix::fs::FileExt::write_all_at(&permit.open(true).unwrap(), &[7; 2300], 100).unwrap();
    permit.keep().unwrap();
    check_left_over(&path).unwrap();
    check_left_over(&path).unwrap();
    remove_left_over(&path).unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn what_a_kill_left_goes_and_what_was_kept_since_stays() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    kill(WritePermit::create_file(&path, SIZE).unwrap());
    assert!(check_killed(&path).unwrap() && path.exists());
    assert!(
        fs::read_to_string(marker_of(&path)).unwrap().contains("state=in-use"),
        "a look changes no state"
    );
    assert!(remove_killed(&path).unwrap() && !path.exists());
    WritePermit::create_file(&path, SIZE).unwrap().keep().unwrap();
    assert!(!check_killed(&path).unwrap() && !remove_killed(&path).unwrap());
    assert!(path.exists() && claim(&path).unwrap().was_kept());
}

#[test]
fn what_takes_the_place_of_a_file_in_use_stays() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    let permit = WritePermit::create_file(&path, SIZE).unwrap();
    fs::write(directory.path().join("other"), "letters").unwrap();
    fs::rename(directory.path().join("other"), &path).unwrap();
    assert!(matches!(permit.open(true).unwrap_err(), BlockError::Refused { .. }));
    assert!(matches!(permit.remove().unwrap_err(), BlockError::Refused { .. }));
    assert!(matches!(claim(&path).unwrap_err(), BlockError::Refused { .. }));
    assert_eq!(fs::read(&path).unwrap(), b"letters");
}

#[test]
fn a_stopped_fill_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    let error = WritePermit::create_file_with(&path, 64 << 20, &mut |_| false).unwrap_err();
    assert!(matches!(error, BlockError::Stopped { .. }), "{error}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn what_appears_while_a_file_is_filled_stays() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    let made = WritePermit::create_file_with(&path, SIZE, &mut |_| {
        fs::write(&path, "letters").unwrap();
        true
    });
    assert!(matches!(made.unwrap_err(), BlockError::Refused { .. }));
    assert_eq!(fs::read(&path).unwrap(), b"letters");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn bad_sizes_full_disks_and_unwritable_places_are_clear_errors() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    assert!(matches!(WritePermit::create_file(&path, 0).unwrap_err(), BlockError::BadJob { .. }));
    assert!(matches!(WritePermit::create_file(&path, 1000).unwrap_err(), BlockError::BadJob { .. }));
    let error = WritePermit::create_file(&path, 1 << 60).unwrap_err();
    assert!(matches!(error, BlockError::NoSpace { .. }), "{error}");
    let error = WritePermit::create_file(&directory.path().join("no/such/target"), SIZE).unwrap_err();
    assert!(matches!(error, BlockError::Io { .. }), "{error}");
    let error = WritePermit::create_file(Path::new("/sys/drivetrain-target"), SIZE).unwrap_err();
    assert!(matches!(error, BlockError::Io { .. } | BlockError::NoSpace { .. }), "{error}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn block_devices_are_refused_with_the_way_out() {
    for name in ["/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/loop0", "/dev/zram0"] {
        let path = Path::new(name);
        if path.exists() {
            let error = WritePermit::create_file(path, SIZE).unwrap_err();
            assert!(matches!(error, BlockError::Refused { .. }));
            assert!(error.to_string().contains("--destroy /dev/disk/by-id/"), "{error}");
        }
    }
}

/// Work on a permit that fails at each point in each way; afterwards a foreign file is unchanged, and the
/// next run can go on.
fn sweep(prepare: fn(&Path), work: fn(&Path) -> Result<(), BlockError>) {
    let (clean, points) = {
        let directory = tempfile::tempdir().unwrap();
        prepare(&directory.path().join("target"));
        fault::count(|| work(&directory.path().join("target")))
    };
    clean.unwrap();
    for failure in Failure::ALL {
        for at in 1..=points {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("target");
            prepare(&path);
            fs::write(directory.path().join("precious"), "letters").unwrap();
            let (_, _) = fault::with(Plan { failure, at }, || work(&path));
            assert_eq!(fs::read(directory.path().join("precious")).unwrap(), b"letters");
            claim(&path).unwrap_or_else(|error| panic!("{failure:?}@{at}: {error}")).remove().unwrap();
            let left: Vec<_> =
                fs::read_dir(directory.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
            assert_eq!(left, ["precious"], "{failure:?}@{at}");
        }
    }
    assert!(points > 5, "{points} points");
}

#[test]
fn after_a_failure_at_any_point_the_next_run_goes_on() {
    let make = |path: &Path| drop(WritePermit::create_file(path, SIZE).unwrap());
    sweep(|_| {}, |path| claim(path)?.remove());
    sweep(|_| {}, |path| claim(path)?.keep());
    sweep(make, |path| claim(path)?.remove());
    sweep(make, |path| claim(path)?.keep());
    sweep(make, remove_left_over);
    let kill_in_use = |path: &Path| kill(WritePermit::create_file(path, SIZE).unwrap());
    sweep(kill_in_use, |path| claim(path)?.keep());
    sweep(make, |path| WritePermit::claim(path, 2 * SIZE, &mut |_| true)?.keep());
}
