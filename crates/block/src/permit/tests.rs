use super::*;

const SIZE: u64 = 64 << 10;

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
    for refused in [WritePermit::create_file(&path, SIZE), WritePermit::claim(&path, SIZE, &mut |_| true)] {
        let error = refused.unwrap_err();
        assert_eq!(error.exit_code(), 6, "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), b"letters");
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert_eq!(WritePermit::claim(&link, SIZE, &mut |_| true).unwrap_err().exit_code(), 6);
    assert_eq!(WritePermit::create_file(directory.path(), SIZE).unwrap_err().exit_code(), 6);
    assert!(!marker_path(&path).exists());
}

#[test]
fn claims_its_own_file_again_without_filling_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    let first = WritePermit::create_file(&path, SIZE).unwrap();
    let mut told = 0;
    let second = WritePermit::claim(&path, SIZE, &mut |_| {
        told += 1;
        true
    })
    .unwrap();
    assert_eq!((first, told), (second, 0));
    let larger = WritePermit::claim(&path, 2 * SIZE, &mut |_| true).unwrap();
    assert_eq!(fs::metadata(larger.path()).unwrap().len(), 2 * SIZE);
}

#[test]
fn a_file_in_the_place_of_ours_is_foreign() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    let permit = WritePermit::create_file(&path, SIZE).unwrap();
    fs::write(directory.path().join("other"), "letters").unwrap();
    fs::rename(directory.path().join("other"), &path).unwrap();
    assert_eq!(WritePermit::claim(&path, SIZE, &mut |_| true).unwrap_err().exit_code(), 6);
    assert_eq!(permit.open(true).unwrap_err().exit_code(), 6);
    assert_eq!(permit.remove().unwrap_err().exit_code(), 6);
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
fn a_file_left_half_filled_by_a_kill_is_made_anew() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    fs::write(&path, [7; 100]).unwrap();
    let found = fs::metadata(&path).unwrap();
    Marker { state: State::Filling, size_bytes: SIZE, device: found.dev(), inode: found.ino() }
        .write(&path)
        .unwrap();
    let permit = WritePermit::claim(&path, SIZE, &mut |_| true).unwrap();
    assert_eq!(fs::metadata(permit.path()).unwrap().len(), SIZE);
}

#[test]
fn bad_sizes_full_disks_and_unwritable_places_are_clear_errors() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    assert_eq!(WritePermit::create_file(&path, 0).unwrap_err().exit_code(), 2);
    assert_eq!(WritePermit::create_file(&path, 1000).unwrap_err().exit_code(), 2);
    let error = WritePermit::create_file(&path, 1 << 60).unwrap_err();
    assert!(matches!(error, BlockError::NoSpace { .. }), "{error}");
    let error = WritePermit::create_file(&directory.path().join("no/such/target"), SIZE).unwrap_err();
    assert!(matches!(error, BlockError::Io { .. }), "{error}");
    let error = WritePermit::create_file(Path::new("/sys/drivetrain-target"), SIZE).unwrap_err();
    assert!(matches!(error, BlockError::Io { .. } | BlockError::NoSpace { .. }), "{error}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_foreign_sidecar_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    fs::write(marker_path(&path), "mine").unwrap();
    assert_eq!(WritePermit::create_file(&path, SIZE).unwrap_err().exit_code(), 6);
    assert_eq!(fs::read(marker_path(&path)).unwrap(), b"mine");
    assert!(!path.exists());
}

#[test]
fn block_devices_are_refused_with_the_way_out() {
    for name in ["/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/loop0", "/dev/zram0"] {
        let path = Path::new(name);
        if path.exists() {
            let error = WritePermit::create_file(path, SIZE).unwrap_err();
            assert_eq!(error.exit_code(), 6);
            assert!(error.to_string().contains("--destroy /dev/disk/by-id/"), "{error}");
        }
    }
}
