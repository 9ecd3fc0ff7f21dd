//! The directories that can be a mount point, or hold the bytes of one: nothing that the machine or this
//! program runs on is covered.

use std::fs;
use std::io;
use std::path::Path;

use super::system::is_of_system;

const OF_SYSTEM: &str = "it is a directory of the system";

/// The reason why a directory cannot be a mount point; all paths are resolved. A directory over itself keeps
/// its contents in sight; any other one must be empty.
pub(super) fn refusal(backing: &Path, point: &Path) -> io::Result<Option<String>> {
    let program = std::env::current_exe().ok();
    let present = std::env::current_dir().ok();
    let near =
        [("this program lies", program.as_deref()), ("the present directory lies", present.as_deref())];
    if let Some(why) = refusal_of_system(point).or_else(|| hides(point, &near)) {
        return Ok(Some(why));
    }
    if point != backing && fs::read_dir(point)?.next().is_some() {
        return Ok(Some("it is not empty, and the mount would hide its files".to_owned()));
    }
    Ok(None)
}

/// The reason why a directory can neither be a mount point nor hold the bytes of a mount, which writes there
/// for its probes: it belongs to the system.
pub(super) fn refusal_of_system(dir: &Path) -> Option<String> {
    is_of_system(dir).then(|| OF_SYSTEM.to_owned())
}

/// The reason that a mount would hide one of the places `near`, which must stay in sight, each with its
/// words.
fn hides(point: &Path, near: &[(&str, Option<&Path>)]) -> Option<String> {
    let inside = |place: &Option<&Path>| place.is_some_and(|place| place.starts_with(point));
    near.iter().find(|(_, place)| inside(place)).map(|(words, _)| format!("{words} in it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_this_program_nor_the_present_directory_is_covered() {
        let near = [
            ("this program lies", Some(Path::new("/srv/tools/drivetrain"))),
            ("the present directory lies", Some(Path::new("/srv/data/here"))),
            ("nothing lies", None),
        ];
        let why = |point: &str| hides(Path::new(point), &near).unwrap_or_default();
        assert_eq!(why("/srv/tools"), "this program lies in it");
        for point in ["/srv/data", "/srv/data/here"] {
            assert_eq!(why(point), "the present directory lies in it", "{point}");
        }
        for point in ["/mnt/x", "/srv/data/here/bed", "/srv/dat", "/tmp/x"] {
            assert_eq!(why(point), "", "{point}");
        }
    }

    #[test]
    fn a_mount_point_is_empty_or_the_backing_directory_itself() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (full, empty) = (root.join("full"), root.join("empty"));
        fs::create_dir_all(full.join("kept")).unwrap();
        fs::create_dir(&empty).unwrap();
        assert_eq!(refusal(&full, &empty).unwrap(), None);
        assert_eq!(refusal(&full, &full).unwrap(), None);
        assert!(refusal(&empty, &full).unwrap().is_some_and(|why| why.contains("not empty")));
        assert!(refusal(&empty, &std::env::current_dir().unwrap()).unwrap().is_some());
        assert!(refusal(Path::new("/"), Path::new("/")).unwrap().is_some());
    }

    #[test]
    fn one_rule_keeps_mount_points_and_bytes_off_the_system() {
        let refused = Some("it is a directory of the system".to_owned());
        for dir in ["/", "/etc", "/dev/shm", "/tmp", "/usr/bin", "/var/lib"] {
            let dir = Path::new(dir).canonicalize().unwrap();
            assert_eq!(refusal_of_system(&dir), refused, "{}", dir.display());
            assert_eq!(refusal(Path::new("/nowhere"), &dir).unwrap(), refused, "{}", dir.display());
        }
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(refusal_of_system(&dir.path().canonicalize().unwrap()), None);
    }
}
