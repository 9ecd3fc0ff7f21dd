//! The directories that can be a mount point: nothing that the machine or this program runs on is covered.

use std::fs;
use std::io;
use std::path::Path;

/// Directories of the system that are no mount point, nor is anything below them.
const TREES: [&str; 10] =
    ["/bin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/sbin", "/sys", "/usr"];
/// Directories of the system that are no mount point; directories below them can be.
const ALONE: [&str; 14] = [
    "/",
    "/dev",
    "/dev/shm",
    "/home",
    "/opt",
    "/root",
    "/run",
    "/run/user",
    "/tmp",
    "/var",
    "/var/lib",
    "/var/log",
    "/var/run",
    "/var/tmp",
];
/// Programs that administrators install themselves; their data may lie beside them.
const LOCAL: &str = "/usr/local";

const OF_SYSTEM: &str = "it is a directory of the system";

/// The reason why a directory cannot be a mount point; all paths are resolved. A directory over itself keeps
/// its contents in sight; any other one must be empty.
pub(super) fn refusal(backing: &Path, point: &Path) -> io::Result<Option<String>> {
    let program = std::env::current_exe().ok();
    let present = std::env::current_dir().ok();
    let near =
        [("this program lies", program.as_deref()), ("the present directory lies", present.as_deref())];
    if let Some(why) = by_place(point, &near) {
        return Ok(Some(why));
    }
    if point != backing && fs::read_dir(point)?.next().is_some() {
        return Ok(Some("it is not empty, and the mount would hide its files".to_owned()));
    }
    Ok(None)
}

/// The reason why a directory cannot hold the bytes of a mount: programs of the system live in it, and a
/// mount writes there for its probes. One whose directories alone belong to the system can.
pub(super) fn refusal_of_backing(backing: &Path) -> Option<String> {
    (is_in_system(backing) || backing == Path::new("/")).then(|| OF_SYSTEM.to_owned())
}

/// True below a tree of the system, but for what administrators install themselves.
fn is_in_system(path: &Path) -> bool {
    let is_below_local = path.starts_with(LOCAL) && path != Path::new(LOCAL);
    TREES.iter().any(|tree| path.starts_with(tree)) && !is_below_local
}

/// The reason that lies in the place alone; `near` are places that must stay in sight, each with its words.
fn by_place(point: &Path, near: &[(&str, Option<&Path>)]) -> Option<String> {
    if is_in_system(point) || ALONE.iter().any(|alone| point == Path::new(alone)) {
        return Some(OF_SYSTEM.to_owned());
    }
    let inside = |place: &Option<&Path>| place.is_some_and(|place| place.starts_with(point));
    near.iter().find(|(_, place)| inside(place)).map(|(words, _)| format!("{words} in it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_the_machine_or_this_program_runs_on_is_covered() {
        let near = [
            ("this program lies", Some(Path::new("/srv/tools/drivetrain"))),
            ("the present directory lies", Some(Path::new("/srv/data/here"))),
            ("nothing lies", None),
        ];
        let why = |point: &str| by_place(Path::new(point), &near).unwrap_or_default();
        let system = [
            "/",
            "/usr",
            "/usr/bin",
            "/usr/local",
            "/etc",
            "/etc/ssl",
            "/proc",
            "/proc/sys",
            "/sys",
            "/dev",
            "/boot",
            "/boot/efi",
            "/bin",
            "/sbin",
            "/lib",
            "/lib64",
            "/var",
            "/var/lib",
            "/run",
            "/run/user",
            "/root",
            "/home",
            "/tmp",
        ];
        for point in system {
            assert_eq!(why(point), "it is a directory of the system", "{point}");
        }
        assert_eq!(why("/srv/tools"), "this program lies in it");
        for point in ["/srv/data", "/srv/data/here"] {
            assert_eq!(why(point), "the present directory lies in it", "{point}");
        }
        let free = [
            "/mnt",
            "/mnt/x",
            "/srv/data/here/bed",
            "/srv/dat",
            "/tmp/x",
            "/dev/shm/x",
            "/run/user/1000/x",
            "/var/lib/postgresql",
            "/usr/local/pgsql/data",
            "/usrdata",
            "/library",
        ];
        for point in free {
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
    fn no_bytes_are_kept_among_the_programs_of_the_system() {
        let why = |backing: &str| refusal_of_backing(Path::new(backing));
        assert!(["/", "/etc", "/boot/grub", "/usr/local"].iter().all(|path| why(path).is_some()));
        assert!(["/tmp", "/var/lib/postgresql", "/usr/local/data", "/srv"].iter().all(|p| why(p).is_none()));
    }
}
