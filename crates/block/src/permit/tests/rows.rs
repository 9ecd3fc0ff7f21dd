//! All possible changes of a kept file between two runs, row by row: a foreign file stays byte for byte.

use super::*;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::{Duration, SystemTime};

/// A file of the user's, as large as ours.
fn precious() -> Vec<u8> {
    (0..SIZE).map(|i| (i * 7 + i / 251) as u8).collect()
}

fn write_over(path: &Path, bytes: &[u8]) {
    use std::io::Write as _;
    let mut file = OpenOptions::new().write(true).truncate(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

/// A user's action on the file at the path, and the text of the refusal; `None` if the file is still ours.
type Row = (&'static str, fn(&Path), Option<&'static str>);

const ROWS: [Row; 17] = [
    ("nothing", |_| {}, None),
    ("reads it", |path| drop(fs::read(path).unwrap()), None),
    ("copies over it, same length", |path| write_over(path, &precious()), Some("it was changed")),
    ("copies over it, shorter", |path| write_over(path, b"letters"), Some("it has 7 bytes by now")),
    (
        "copies over it and sets the times back",
        |path| {
            let times = fs::metadata(path).unwrap().modified().unwrap();
            write_over(path, &precious());
            OpenOptions::new().write(true).open(path).unwrap().set_modified(times).unwrap();
        },
        Some("it was changed"),
    ),
    (
        "removes it and copies a file to its place",
        |path| {
            fs::remove_file(path).unwrap();
            fs::write(path, precious()).unwrap();
        },
        Some("another file has taken the place"),
    ),
    (
        "moves a file to its place",
        |path| {
            fs::write(path.with_extension("mine"), precious()).unwrap();
            fs::rename(path.with_extension("mine"), path).unwrap();
        },
        Some("another file has taken the place"),
    ),
    (
        "appends to it",
        |path| {
            use std::io::Write as _;
            OpenOptions::new().append(true).open(path).unwrap().write_all(b"letters").unwrap();
        },
        Some("bytes by now"),
    ),
    (
        "cuts it",
        |path| OpenOptions::new().write(true).open(path).unwrap().set_len(4096).unwrap(),
        Some("it has 4096 bytes by now"),
    ),
    (
        "changes one byte",
        |path| {
            use std::os::unix::fs::FileExt as _;
            OpenOptions::new().write(true).open(path).unwrap().write_all_at(b"x", 5000).unwrap();
        },
        Some("it was changed"),
    ),
    (
        "touches it",
        |path| {
            let file = OpenOptions::new().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(1_000_000)).unwrap();
        },
        Some("it was changed"),
    ),
    (
        "gives it a second name",
        |path| fs::hard_link(path, path.with_extension("mine")).unwrap(),
        Some("another name"),
    ),
    (
        "moves it away and puts a link to it there",
        |path| {
            fs::rename(path, path.with_extension("mine")).unwrap();
            symlink(path.with_extension("mine"), path).unwrap();
        },
        Some("a symbolic link is there"),
    ),
    (
        "changes its permissions",
        |path| fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap(),
        Some("it was changed"),
    ),
    (
        "makes a directory in its place",
        |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        },
        Some("a directory is there"),
    ),
    (
        "makes a pipe in its place",
        |path| {
            fs::remove_file(path).unwrap();
            make_pipe(path);
        },
        Some("no regular file"),
    ),
    ("removes it", |path| fs::remove_file(path).unwrap(), None),
];

fn make_pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode};
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// All files in a directory, with their contents.
fn everything(dir: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut all: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::metadata(&path).unwrap().is_file().then(|| fs::read(&path).unwrap())))
        .collect();
    all.sort();
    all
}

fn hold_rows(rows: &[Row], leave: fn(WritePermit)) {
    for (what, deed, said) in rows {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("target");
        leave(WritePermit::create_file(&path, SIZE).unwrap());
        deed(&path);
        let before = everything(directory.path());
        match (said, claim(&path)) {
            (None, claimed) => claimed.unwrap_or_else(|error| panic!("{what}: {error}")).remove().unwrap(),
            (Some(said), claimed) => {
                let error = claimed.map(drop).unwrap_err();
                assert!(matches!(error, BlockError::Refused { .. }), "{what}");
                assert!(error.to_string().contains(said), "{what}: {error}");
                assert!(remove_left_over(&path).is_err(), "{what}");
                assert!(WritePermit::claim(&path, 2 * SIZE, &mut |_| true).is_err(), "{what}");
                assert_eq!(everything(directory.path()), before, "{what}");
            }
        }
    }
}

#[test]
fn a_kept_file_is_ours_only_while_nobody_touches_it() {
    hold_rows(&ROWS, |permit| permit.keep().unwrap());
}

#[test]
fn a_file_of_a_dropped_permit_is_kept() {
    hold_rows(&ROWS[..3], drop);
}

const KILLED: [Row; 9] = [
    ("nothing", |_| {}, None),
    ("touches it", |path| ROWS[10].1(path), None),
    ("copies over it, same length", |path| write_over(path, &precious()), Some("what lies at byte 0")),
    ("copies zeros over it", |path| write_over(path, &[0; SIZE as usize]), Some("holds nothing but zeros")),
    (
        "writes a piece into it",
        |path| {
            use std::os::unix::fs::FileExt as _;
            OpenOptions::new()
                .write(true)
                .open(path)
                .unwrap()
                .write_all_at(&precious()[..512], 8192)
                .unwrap();
        },
        Some("what lies at byte 8192"),
    ),
    ("copies over it, shorter", ROWS[3].1, Some("it has 7 bytes by now")),
    ("removes it and copies a file to its place", ROWS[5].1, Some("another file has taken the place")),
    ("moves a file to its place", ROWS[6].1, Some("another file has taken the place")),
    ("gives it a second name", ROWS[11].1, Some("another name")),
];

#[test]
fn after_a_kill_the_bytes_speak() {
    hold_rows(&KILLED, kill);
}

#[test]
fn what_loads_write_is_known_after_a_kill() {
    use crate::{
        Content, Control, Discard, EngineKind, Job, Pattern, Shape, SizeMix, Stream, Target, Verify,
    };
    type Load = (&'static str, fn(&mut Job));
    let jobs: [Load; 6] = [
        ("plain", |_| {}),
        ("verified", |job| job.verify = Verify::Write),
        ("compressible", |job| job.content = Content { compressible: 0.3, duplicates: 0.4 }),
        ("discards", |job| job.streams[0].discard = Discard::Share(0.2)),
        ("odd places", |job| job.align_bytes = Some(512)),
        ("large", |job| job.streams[0].sizes = SizeMix::fixed(16 << 10)),
    ];
    for (what, change) in jobs {
        let directory = tempfile::tempdir().unwrap();
        let paths = ["a", "b"].map(|name| directory.path().join(name));
        let permits =
            paths.each_ref().map(|path| std::sync::Arc::new(WritePermit::create_file(path, SIZE).unwrap()));
        let mut stream = Stream::new("s", Pattern::Uniform, 0.3, SizeMix::fixed(4096));
        stream.files = 2;
        let target = Target::Permitted(std::sync::Arc::clone(&permits[0]));
        let mut job = Job::new(stream, Shape::ClosedLoop { depth: 4 }, EngineKind::Psync, target);
        job.targets.push(Target::Permitted(std::sync::Arc::clone(&permits[1])));
        // By its bytes: a busy machine takes longer. A second run would refuse the holes of discards.
        (job.measure, job.bytes_max, job.direct) = (Duration::from_mins(1), Some(2 << 20), false);
        change(&mut job);
        let written = crate::run(&job, &Control::new()).unwrap().write.ios;
        assert!(written > 20, "{what}: {written}");
        drop(job);
        for permit in permits {
            kill(std::sync::Arc::into_inner(permit).unwrap());
        }
        for path in &paths {
            claim(path).unwrap_or_else(|error| panic!("{what}: {error}")).remove().unwrap();
        }
    }
}

#[test]
fn a_marker_that_somebody_else_could_have_made_is_not_believed() {
    type Forgery = (&'static str, fn(&Path, &Path));
    let rows: [Forgery; 8] = [
        ("his own", |marker, _| fs::write(marker, "mine").unwrap()),
        ("a link to ours", |marker, elsewhere| {
            fs::rename(marker, elsewhere).unwrap();
            symlink(elsewhere, marker).unwrap();
        }),
        ("a second name of ours", |marker, elsewhere| fs::hard_link(marker, elsewhere).unwrap()),
        ("a pipe", |marker, _| {
            fs::remove_file(marker).unwrap();
            make_pipe(marker);
        }),
        ("a directory", |marker, _| {
            fs::remove_file(marker).unwrap();
            fs::create_dir(marker).unwrap();
        }),
        ("one that anybody may write to", |marker, _| {
            fs::set_permissions(marker, fs::Permissions::from_mode(0o666)).unwrap();
        }),
        ("an empty one", |marker, _| fs::write(marker, "").unwrap()),
        ("another user's", |marker, _| {
            let _ = std::os::unix::fs::chown(marker, Some(65534), None);
        }),
    ];
    for (what, deed) in rows {
        if what == "another user's" && testkit::need::root().is_none() {
            continue;
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("target");
        WritePermit::create_file(&path, SIZE).unwrap().keep().unwrap();
        deed(&marker_of(&path), &directory.path().join("elsewhere"));
        let before = everything(directory.path());
        assert!(matches!(claim(&path).map(drop).unwrap_err(), BlockError::Refused { .. }), "{what}");
        assert!(remove_left_over(&path).is_err(), "{what}");
        assert_eq!(everything(directory.path()), before, "{what}");
        // Nor is a new file made beside it.
        fs::remove_file(&path).unwrap();
        assert!(matches!(claim(&path).map(drop).unwrap_err(), BlockError::Refused { .. }), "{what}");
        assert!(
            matches!(
                WritePermit::create_file(&path, SIZE).map(drop).unwrap_err(),
                BlockError::Refused { .. }
            ),
            "{what}"
        );
    }
}

#[test]
fn a_marker_says_nothing_of_another_file() {
    let directory = tempfile::tempdir().unwrap();
    let (ours, theirs) = (directory.path().join("ours"), directory.path().join("theirs"));
    for leave in [drop::<WritePermit> as fn(WritePermit), kill] {
        leave(WritePermit::create_file(&ours, SIZE).unwrap());
        fs::write(&theirs, precious()).unwrap();
        fs::copy(marker_of(&ours), marker_of(&theirs)).unwrap();
        fs::set_permissions(marker_of(&theirs), fs::Permissions::from_mode(0o600)).unwrap();
        assert!(matches!(claim(&theirs).map(drop).unwrap_err(), BlockError::Refused { .. }));
        assert_eq!(fs::read(&theirs).unwrap(), precious());
        claim(&ours).unwrap().remove().unwrap();
    }
}

#[test]
fn another_users_file_is_not_ours() {
    let Some(()) = testkit::need::root() else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    kill(WritePermit::create_file(&path, SIZE).unwrap());
    std::os::unix::fs::chown(&path, Some(65534), None).unwrap();
    let error = claim(&path).map(drop).unwrap_err();
    assert!(error.to_string().contains("belongs to user 65534"), "{error}");
}

#[test]
fn what_lies_under_the_names_of_markers_is_neither_followed_nor_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    let thesis = directory.path().join("thesis");
    fs::write(&thesis, "work of years").unwrap();
    let mut partial = marker_of(&path).into_os_string();
    partial.push(".new");
    symlink(&thesis, &partial).unwrap();
    fs::write(directory.path().join("target.new"), "foreign").unwrap();
    WritePermit::create_file(&path, SIZE).unwrap().remove().unwrap();
    assert_eq!(fs::read(&thesis).unwrap(), b"work of years");
    assert!(fs::symlink_metadata(&partial).unwrap().is_symlink());
    assert_eq!(fs::read(directory.path().join("target.new")).unwrap(), b"foreign");
    symlink(&thesis, marker_of(&path)).unwrap();
    assert!(matches!(
        WritePermit::create_file(&path, SIZE).map(drop).unwrap_err(),
        BlockError::Refused { .. }
    ));
    assert_eq!(fs::read(&thesis).unwrap(), b"work of years");
}

#[test]
fn a_directory_that_is_exchanged_for_a_link_is_not_followed() {
    let directory = tempfile::tempdir().unwrap();
    let (inside, elsewhere) = (directory.path().join("inside"), directory.path().join("elsewhere"));
    fs::create_dir(&inside).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    let permit = WritePermit::create_file(&inside.join("target"), SIZE).unwrap();
    fs::rename(&inside, directory.path().join("moved")).unwrap();
    symlink(&elsewhere, &inside).unwrap();
    fs::write(elsewhere.join("target"), "letters").unwrap();
    permit.remove().unwrap();
    assert_eq!(fs::read(elsewhere.join("target")).unwrap(), b"letters");
    assert_eq!(fs::read_dir(directory.path().join("moved")).unwrap().count(), 0);
}

#[test]
fn a_name_that_only_the_marker_knows_is_cleared_only_of_our_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("target");
    kill(WritePermit::create_file(&path, SIZE).unwrap());
    let record = match marker::Marker::beside(
        &disk::Dir::open(directory.path()).unwrap(),
        path.file_name().unwrap(),
    ) {
        Ok(marker::Sidecar::Ours(marker)) => marker.record,
        other => panic!("{other:?}"),
    };
    let aside = directory.path().join(record.aside());
    fs::write(&aside, "letters").unwrap();
    assert!(matches!(claim(&path).map(drop).unwrap_err(), BlockError::Refused { .. }));
    assert_eq!(fs::read(&aside).unwrap(), b"letters");
    fs::remove_file(&aside).unwrap();
    // A removal that was cut off.
    fs::rename(&path, &aside).unwrap();
    claim(&path).unwrap().remove().unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}
