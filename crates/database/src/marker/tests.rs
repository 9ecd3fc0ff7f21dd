use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use disk::fault::{self, Failure, Plan};

use super::record::FIRST_LINE;
use super::*;

const MODE: u32 = 0o644;
const THESIS: &[u8] = b"work of years";

fn claimed(temp: &tempfile::TempDir) -> Marker {
    Marker::claim(&temp.path().join("d")).unwrap()
}

fn names(dir: &Path) -> Vec<String> {
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(dir).unwrap().map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

/// Everything below a directory, with its bytes.
fn all(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let below = |path: PathBuf| {
        let is_dir = path.symlink_metadata().unwrap().is_dir();
        if is_dir { all(&path) } else { vec![(path.clone(), fs::read(&path).unwrap_or_default())] }
    };
    let mut found: Vec<_> = names(dir).iter().flat_map(|name| below(dir.join(name))).collect();
    found.push((dir.to_owned(), Vec::new()));
    found
}

fn refusal(dir: &Path) -> String {
    let before = all(dir);
    let error = Marker::remove_ours(dir).unwrap_err();
    assert!(error.is_refusal(), "{error}");
    assert_eq!(all(dir), before, "{error}");
    error.to_string()
}

fn copy(from: &Path, to: &Path) {
    let status = std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
    assert!(status.success());
}

#[test]
fn claims_new_empty_and_own_directories() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("a/b");
    let marker = Marker::claim(&dir).unwrap();
    marker.write("data", b"x", MODE).unwrap();
    marker.write("data", b"y", MODE).unwrap();
    Marker::claim(&dir).unwrap();
    Marker::claim(&dir.join("inner")).unwrap();
    Marker::remove_ours(&dir).unwrap();
    assert!(!dir.exists());
    assert!(dir.parent().unwrap().exists());
    Marker::remove_ours(&dir).unwrap();
}

#[test]
fn refuses_a_foreign_directory_and_touches_nothing() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("thesis.tex"), THESIS).unwrap();
    let error = Marker::claim(temp.path()).unwrap_err();
    assert!(error.is_refusal());
    assert!(error.to_string().contains("thesis.tex"), "{error}");
    refusal(temp.path());
}

#[test]
fn a_foreign_or_old_file_of_the_markers_name_does_not_claim() {
    for (text, says) in [
        ("", "drivetrain did not write it"),
        ("something else", "drivetrain did not write it"),
        (&format!("{FIRST_LINE}\ndata\n"), "an older drivetrain wrote it"),
    ] {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join(NAME), text).unwrap();
        assert!(Marker::claim(temp.path()).unwrap_err().is_refusal(), "{text}");
        let message = refusal(temp.path());
        assert!(message.contains(says) && message.contains("delete it yourself"), "{message}");
    }
}

#[test]
fn a_marker_is_good_for_one_directory_at_one_place() {
    let temp = tempfile::tempdir().unwrap();
    let marker = claimed(&temp);
    marker.write("data", THESIS, MODE).unwrap();
    let (dir, copied) = (marker.dir(), temp.path().join("copied"));
    copy(dir, &copied);
    let laid = temp.path().join("laid");
    fs::create_dir(&laid).unwrap();
    fs::write(laid.join("data"), THESIS).unwrap();
    fs::copy(dir.join(NAME), laid.join(NAME)).unwrap();
    for other in [&copied, &laid] {
        assert!(refusal(other).contains(&format!("it is of {}", dir.display())), "{}", other.display());
        assert!(Marker::claim(other).unwrap_err().is_refusal());
    }
    let moved = temp.path().join("moved");
    fs::rename(dir, &moved).unwrap();
    assert!(refusal(&moved).contains("copied or moved"));
    // A copy in its very place.
    copy(&moved, dir);
    assert!(refusal(dir).contains("another directory, which was at this place"));
    fs::remove_dir_all(dir).unwrap();
    fs::rename(&moved, dir).unwrap();
    Marker::remove_ours(dir).unwrap();
}

#[test]
fn a_copied_directory_inside_an_own_one_keeps_all_of_it() {
    let temp = tempfile::tempdir().unwrap();
    let marker = claimed(&temp);
    marker.write("data", b"ours", MODE).unwrap();
    let inner = marker.dir().join("inner");
    Marker::claim(&inner).unwrap().write("data", THESIS, MODE).unwrap();
    let kept = temp.path().join("kept");
    fs::rename(&inner, &kept).unwrap();
    copy(&kept, &inner);
    assert!(refusal(marker.dir()).contains("inner"));
    fs::remove_dir_all(&inner).unwrap();
    Marker::remove_ours(marker.dir()).unwrap();
}

#[test]
fn a_file_that_took_the_name_of_an_own_one_stays() {
    type Swap = fn(&Path, &Path);
    let swaps: [(&str, Swap); 4] = [
        ("made anew", |path, _| {
            fs::remove_file(path).unwrap();
            fs::write(path, THESIS).unwrap();
        }),
        ("moved there", |path, precious| fs::rename(precious, path).unwrap()),
        ("a second name", |path, precious| {
            fs::remove_file(path).unwrap();
            fs::hard_link(precious, path).unwrap();
        }),
        ("a link", |path, precious| {
            fs::remove_file(path).unwrap();
            symlink(precious, path).unwrap();
        }),
    ];
    for (how, swap) in swaps {
        let temp = tempfile::tempdir().unwrap();
        let precious = temp.path().join("precious");
        let marker = claimed(&temp);
        let data = marker.write("data", b"ours", MODE).unwrap();
        marker.write("other", b"ours", MODE).unwrap();
        fs::write(&precious, THESIS).unwrap();
        swap(&data, &precious);
        let message = refusal(marker.dir());
        assert!(message.contains("d/data is "), "{how}: {message}");
        for refused in [
            marker.write("data", b"ours", MODE).map(drop),
            marker.ensure("data", MODE).map(drop),
            marker.remove("data"),
            marker.check_file("data"),
            marker.own(&["data"]),
            marker.rename("data", "other"),
            marker.rename("other", "data"),
        ] {
            assert!(refused.unwrap_err().is_refusal(), "{how}");
        }
        assert_eq!(fs::read(&data).unwrap(), THESIS, "{how}");
        fs::remove_file(&data).unwrap();
        Marker::remove_ours(marker.dir()).unwrap();
    }
}

#[test]
fn a_renamed_file_is_still_ours() {
    let temp = tempfile::tempdir().unwrap();
    let marker = claimed(&temp);
    marker.write("whole", b"old", MODE).unwrap();
    marker.write("part", b"new", MODE).unwrap();
    marker.rename("part", "whole").unwrap();
    marker.check_file("whole").unwrap();
    assert_eq!(fs::read(marker.dir().join("whole")).unwrap(), b"new");
    Marker::remove_ours(marker.dir()).unwrap();
}

#[test]
fn logs_of_sqlite_are_known_by_their_beginning() {
    let temp = tempfile::tempdir().unwrap();
    let before = temp.path().join("before");
    fs::write(&before, [0x37, 0x7f, 0x06, 0x82]).unwrap();
    let marker = claimed(&temp);
    marker.own_logs(&["a-wal"]).unwrap();
    let log = marker.dir().join("a-wal");
    for ours in [&[][..], &[0x37, 0x7f, 0x06, 0x83, 0], &[0xd9, 0xd5, 0x05, 0xf9], &[0; 9]] {
        fs::write(&log, ours).unwrap();
        marker.remove("a-wal").unwrap();
    }
    fs::write(&log, THESIS).unwrap();
    assert!(refusal(marker.dir()).contains("a-wal"));
    fs::remove_file(&log).unwrap();
    fs::rename(&before, &log).unwrap();
    assert!(refusal(marker.dir()).contains("a-wal"), "it is older than the marker");
}

#[test]
fn removes_only_what_it_named() {
    let temp = tempfile::tempdir().unwrap();
    let marker = claimed(&temp);
    marker.write("ours", b"x", MODE).unwrap();
    fs::write(marker.dir().join("theirs"), "y").unwrap();
    fs::create_dir(marker.dir().join("their-dir")).unwrap();
    fs::write(marker.dir().join("their-dir/file"), "z").unwrap();
    refusal(marker.dir());
    assert!(marker.own(&["theirs"]).unwrap_err().is_refusal());
    assert!(marker.write("theirs", b"", MODE).unwrap_err().is_refusal());
}

#[test]
fn a_servers_directory_goes_as_a_whole_unless_somebody_put_something_into_it() {
    let temp = tempfile::tempdir().unwrap();
    let marker = claimed(&temp);
    let data = marker.own_tree("data").unwrap();
    marker.own_tree("data").unwrap();
    fs::create_dir_all(data.join("base/1")).unwrap();
    fs::write(data.join("PG_VERSION"), "15").unwrap();
    fs::write(data.join("thesis.tex"), THESIS).unwrap();
    assert!(refusal(marker.dir()).contains("thesis.tex"));
    fs::remove_file(data.join("thesis.tex")).unwrap();
    Marker::remove_ours(marker.dir()).unwrap();
    assert!(!marker.dir().exists());
}

#[test]
fn a_directory_that_was_there_before_is_not_taken() {
    let temp = tempfile::tempdir().unwrap();
    let marker = claimed(&temp);
    fs::create_dir(marker.dir().join("data")).unwrap();
    assert!(marker.own_tree("data").unwrap_err().is_refusal());
}

#[test]
fn a_damaged_marker_reaches_nothing_outside() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("precious"), "x").unwrap();
    let marker = claimed(&temp);
    let mut text = fs::read_to_string(marker.dir().join(NAME)).unwrap();
    for name in ["../precious", "..", "../", "/", "/etc/hostname", ""] {
        text += &format!("{name}\nfile {name}\nmaking {name}\ntree {name}\ntarget {name}\n");
    }
    fs::write(marker.dir().join(NAME), text).unwrap();
    Marker::remove_ours(marker.dir()).unwrap();
    assert!(temp.path().join("precious").exists());
}

#[test]
fn a_marker_of_somebody_else_or_a_link_claims_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let marker = claimed(&temp);
    let (dir, whole) = (marker.dir(), temp.path().join("whole"));
    marker.write("ours", b"x", MODE).unwrap();
    fs::rename(dir.join(NAME), &whole).unwrap();
    symlink(&whole, dir.join(NAME)).unwrap();
    assert!(!Marker::is_ours(dir));
    assert!(Marker::claim(dir).unwrap_err().is_refusal());
    refusal(dir);
    fs::remove_file(dir.join(NAME)).unwrap();
    fs::rename(&whole, dir.join(NAME)).unwrap();
    fs::set_permissions(dir.join(NAME), fs::Permissions::from_mode(0o666)).unwrap();
    assert!(!Marker::is_ours(dir));
    fs::set_permissions(dir.join(NAME), fs::Permissions::from_mode(0o644)).unwrap();
    Marker::remove_ours(dir).unwrap();
    // A dangling link of the name is not written through.
    fs::create_dir(dir).unwrap();
    symlink(temp.path().join("thesis"), dir.join(NAME)).unwrap();
    assert!(Marker::claim(dir).unwrap_err().is_refusal());
    assert!(!temp.path().join("thesis").exists());
}

#[test]
fn follows_no_link() {
    let temp = tempfile::tempdir().unwrap();
    let other = temp.path().join("other");
    Marker::claim(&other).unwrap().write("data", b"x", MODE).unwrap();
    let marker = claimed(&temp);
    symlink(&other, marker.dir().join("link")).unwrap();
    assert!(Marker::remove_ours(marker.dir()).unwrap_err().is_refusal());
    assert!(other.join("data").exists());
    let linked = temp.path().join("linked");
    symlink(&other, &linked).unwrap();
    assert!(Marker::remove_ours(&linked).unwrap_err().is_refusal());
}

#[test]
fn parts_of_a_marker_that_a_crash_left_are_cleared_and_nothing_else_is() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("d");
    let part = dir.join("..drivetrain.0123456789abcdef.partial");
    fs::create_dir(&dir).unwrap();
    for text in ["", &FIRST_LINE[..9], &format!("{FIRST_LINE}\ndirectory")] {
        fs::write(&part, text).unwrap();
        Marker::claim(&dir).unwrap();
        assert_eq!(names(&dir), [NAME], "{text}");
        fs::remove_file(dir.join(NAME)).unwrap();
    }
    fs::write(&part, THESIS).unwrap();
    assert!(Marker::claim(&dir).unwrap_err().is_refusal());
    refusal(&dir);
}

/// A directory's whole life, with a directory below it.
fn live(dir: &Path) -> Result<(), DatabaseError> {
    let marker = Marker::claim(dir)?;
    marker.own(&["a", "b"])?;
    marker.write("a", b"first", MODE)?;
    marker.write("a", b"second", MODE)?;
    marker.write("b", b"third", MODE)?;
    marker.ensure("c", MODE)?;
    marker.rename("b", "c")?;
    std::fs::create_dir_all(marker.own_tree("data")?.join("base"))
        .map_err(DatabaseError::io("creating", dir))?;
    Marker::claim(&dir.join("below"))?.write("d", b"fourth", MODE)?;
    marker.remove("a")?;
    Marker::remove_ours(dir)
}

/// Whichever call fails, the remaining files are still ours, and can be used again and removed; nothing
/// foreign is touched.
#[test]
fn at_every_point_what_is_left_is_ours() {
    let temp = tempfile::tempdir().unwrap();
    let (dir, foreign) = (temp.path().join("d"), temp.path().join("foreign"));
    fs::write(&foreign, THESIS).unwrap();
    let (lived, points) = fault::count(|| live(&dir));
    lived.unwrap();
    assert!(points > 100, "{points}");
    for failure in Failure::ALL {
        for at in 1..=points {
            let plan = Plan { failure, at };
            let (lived, _) = fault::with(plan, || live(&dir));
            assert!(lived.is_ok() || !lived.unwrap_err().is_refusal(), "{plan}: an error, and no refusal");
            match at % 2 {
                0 => live(&dir).unwrap_or_else(|error| panic!("after {plan}: {error}")),
                _ => Marker::remove_ours(&dir).unwrap_or_else(|error| panic!("after {plan}: {error}")),
            }
            assert_eq!(names(temp.path()), ["foreign"], "{plan}");
        }
    }
    assert_eq!(fs::read(&foreign).unwrap(), THESIS);
}

/// Whichever call fails, a file that took a name while nothing was under way stays.
#[test]
fn at_every_point_a_swapped_file_stays() {
    let temp = tempfile::tempdir().unwrap();
    let marker = claimed(&temp);
    let path = marker.dir().join("a");
    let write = || marker.write("a", b"ours", MODE);
    write().unwrap();
    let (written, points) = fault::count(write);
    written.unwrap();
    for failure in [Failure::Error, Failure::Full] {
        for at in 1..=points {
            let plan = Plan { failure, at };
            let (written, _) = fault::with(plan, write);
            if written.is_err() {
                write().unwrap();
            }
            fs::remove_file(&path).unwrap();
            fs::write(&path, THESIS).unwrap();
            let (removed, _) = fault::with(plan, || Marker::remove_ours(marker.dir()));
            assert!(removed.is_err() && write().unwrap_err().is_refusal(), "{plan}");
            assert_eq!(fs::read(&path).unwrap(), THESIS, "{plan}");
            fs::remove_file(&path).unwrap();
        }
    }
    Marker::remove_ours(marker.dir()).unwrap();
}

#[test]
fn a_swapped_target_of_a_load_keeps_the_others() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("d");
    let names = ["block-1.dat", "block-2.dat"].map(str::to_owned);
    Marker::claim(&dir).unwrap().own_targets(&names).unwrap();
    for name in &names {
        drop(block::WritePermit::create_file(&dir.join(name), 4096).unwrap());
    }
    fs::rename(dir.join(&names[1]), temp.path().join("moved")).unwrap();
    fs::write(dir.join(&names[1]), "work of years").unwrap();
    let error = Marker::remove_ours(&dir).unwrap_err();
    assert!(error.is_refusal() && error.to_string().contains(&names[1]), "{error}");
    assert!(dir.join(&names[0]).exists(), "nothing goes before all was looked at");
    assert_eq!(fs::read(dir.join(&names[1])).unwrap(), b"work of years");
    fs::remove_file(dir.join(&names[1])).unwrap();
    Marker::remove_ours(&dir).unwrap();
    assert!(!dir.exists());
}

#[test]
fn a_look_finds_what_the_removal_would_and_touches_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("d");
    Marker::claim(&dir).unwrap();
    Marker::survey(&dir).unwrap();
    fs::write(dir.join("thesis"), "work of years").unwrap();
    assert!(Marker::survey(&dir).unwrap_err().is_refusal());
    assert!(Marker::survey(temp.path()).is_err(), "no directory of ours");
    fs::remove_file(dir.join("thesis")).unwrap();
    Marker::survey(&dir).unwrap();
    Marker::remove_ours(&dir).unwrap();
}
