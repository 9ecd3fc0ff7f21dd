use super::*;
use crate::fault::{self, Failure, Plan};
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, symlink};

const NOTE: OutputKind = OutputKind::marked("a note", |head| head.starts_with(b"note: "));

fn plan(path: &Path) -> Result<Output, OutputError> {
    Outputs::new(false).plan(path, NOTE)
}

fn refusal(path: &Path) -> String {
    let error = plan(path).unwrap_err();
    assert!(error.is_refusal, "{error}");
    error.to_string()
}

#[test]
fn a_new_file_is_made_and_one_of_ours_replaced() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("a");
    plan(&path).unwrap().write(b"note: 1").unwrap();
    plan(&path).unwrap().write(b"note: 2").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"note: 2");
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
}

#[test]
fn a_foreign_file_goes_only_by_force() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("thesis");
    fs::write(&path, "work of years").unwrap();
    assert!(refusal(&path).contains("--force"));
    assert_eq!(fs::read(&path).unwrap(), b"work of years");
    Outputs::new(true).plan(&path, NOTE).unwrap().write(b"note: 1").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"note: 1");
}

/// A drive that this tool wrote may have been edited, so the refusal must not say that others wrote it.
#[test]
fn a_file_of_a_kind_without_a_mark_is_not_called_foreign() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("a.toml");
    fs::write(&path, "# by this tool").unwrap();
    let error = Outputs::new(false).plan(&path, OutputKind::unmarked("a drive")).unwrap_err().to_string();
    assert!(error.contains("whether somebody edited it since (a drive)"), "{error}");
    assert!(error.contains("--force"), "{error}");
}

#[test]
fn links_directories_pipes_and_sockets_are_refused_also_by_force() {
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    fs::write(at("ours"), "note: 1").unwrap();
    symlink(at("ours"), at("link")).unwrap();
    symlink(at("none"), at("dangling")).unwrap();
    fs::create_dir(at("dir")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    for (name, what) in [
        ("link", "symbolic link"),
        ("dangling", "symbolic link"),
        ("dir", "directory"),
        ("pipe", "pipe"),
        ("socket", "socket"),
    ] {
        assert!(refusal(&at(name)).contains(what), "{name}");
        assert!(Outputs::new(true).plan(&at(name), NOTE).unwrap_err().is_refusal, "{name}");
    }
    assert_eq!(fs::read(at("ours")).unwrap(), b"note: 1");
    assert!(!at("none").exists());
}

#[test]
fn the_null_device_is_written_to_and_stays() {
    plan(Path::new("/dev/null")).unwrap().write(b"note: 1").unwrap();
    assert!(fs::symlink_metadata("/dev/null").unwrap().file_type().is_char_device());
    plan(Path::new("/dev/stderr")).unwrap();
}

#[test]
fn what_the_command_needs_is_refused_by_any_of_its_names() {
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    fs::write(at("notebook"), "note: a notebook that looks like ours").unwrap();
    fs::hard_link(at("notebook"), at("second")).unwrap();
    let mut outputs = Outputs::new(true);
    outputs.keep(&at("notebook"), "the notebook");
    outputs.keep(&at("made-later"), "the target");
    for name in ["notebook", "second", "../x/notebook", "made-later", "./made-later"] {
        let path = match name.strip_prefix("../x") {
            Some(rest) => temp.path().join("..").join(temp.path().file_name().unwrap()).join(&rest[1..]),
            None => at(name),
        };
        let error = outputs.plan(&path, NOTE).unwrap_err();
        assert!(error.is_refusal && error.to_string().contains("it is the"), "{name}: {error}");
    }
    outputs.plan(&at("a"), NOTE).unwrap();
    assert!(outputs.plan(&at("./a"), NOTE).unwrap_err().to_string().contains("another output"));
}

#[test]
fn a_missing_directory_is_named_and_not_made() {
    let temp = tempfile::tempdir().unwrap();
    let error = plan(&temp.path().join("no/such/a")).unwrap_err();
    assert!(!error.is_refusal && error.to_string().contains("does not exist"), "{error}");
    assert!(!temp.path().join("no").exists());
    assert!(plan(&temp.path().join("new/")).is_err());
}

#[test]
fn the_longest_name_can_be_written() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("a".repeat(255));
    plan(&path).unwrap().write(b"note: 1").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"note: 1");
}

#[test]
fn what_came_or_changed_since_the_check_is_left_as_it_is() {
    let temp = tempfile::tempdir().unwrap();
    let (new, ours) = (temp.path().join("new"), temp.path().join("ours"));
    fs::write(&ours, "note: 1").unwrap();
    let (planned_new, planned_ours) = (plan(&new).unwrap(), plan(&ours).unwrap());
    fs::write(&new, "foreign").unwrap();
    fs::write(&ours, "note: changed by another").unwrap();
    assert!(planned_new.write(b"note: 2").unwrap_err().is_refusal);
    assert!(planned_ours.write(b"note: 2").unwrap_err().is_refusal);
    assert_eq!(fs::read(&new).unwrap(), b"foreign");
    assert_eq!(fs::read(&ours).unwrap(), b"note: changed by another");
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 2);
}

#[test]
fn a_growing_file_is_there_from_its_first_bytes_on() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("a");
    let mut file = plan(&path).unwrap().grow(b"note: ").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"note: ");
    io::Write::write_all(&mut file, b"more").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"note: more");
}

#[test]
fn at_every_point_of_failure_the_old_or_the_new_file_is_there_and_nothing_else() {
    let temp = tempfile::tempdir().unwrap();
    let (path, foreign) = (temp.path().join("a"), temp.path().join("thesis"));
    fs::write(&foreign, "work of years").unwrap();
    let work = || plan(&path).and_then(|output| output.write(b"note: 2"));
    for old in [None, Some("note: 1")] {
        let reset = || match old {
            Some(text) => fs::write(&path, text).unwrap(),
            None => drop(fs::remove_file(&path)),
        };
        reset();
        let (result, points) = fault::count(work);
        result.unwrap();
        for failure in Failure::ALL {
            for at in 1..=points {
                reset();
                let (result, _) = fault::with(Plan { failure, at }, work);
                let left = fs::read(&path).ok();
                let is_old = left.as_deref() == old.map(str::as_bytes);
                assert!(is_old || left.as_deref() == Some(b"note: 2"), "{failure:?}@{at}: {left:?}");
                assert!(result.is_err() || !is_old, "{failure:?}@{at}");
                assert_eq!(fs::read(&foreign).unwrap(), b"work of years");
                for entry in fs::read_dir(temp.path()).unwrap() {
                    let name = entry.unwrap().file_name();
                    let partial = name.to_string_lossy().ends_with(".partial");
                    assert!(!partial || failure == Failure::Crash, "{failure:?}@{at} left {name:?}");
                    if partial {
                        fs::remove_file(temp.path().join(name)).unwrap();
                    }
                }
            }
        }
    }
}
