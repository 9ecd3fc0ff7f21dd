//! The files of a stopped database laid out anew: in one piece, or in pieces that grow in turn with another
//! file.
//!
//! The bytes stay the same and only their places change, so that any increase in the time of a scan is due to
//! the places alone.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use disk::File;

use crate::copy::sync_dir;
use crate::error::DatabaseError;
use crate::marker::Marker;

/// Smaller files are of no account in a scan, and stay as they are.
pub(crate) const FILE_MIN_BYTES: u64 = 1 << 20;
/// The size of one copy step.
const STEP_BYTES: usize = 1 << 20;
/// Permissions until the file has those of the one that it replaces.
const MODE: u32 = 0o600;

/// Gives the file at `path` new places: all at once, or `piece_bytes` at a time in turn with `filler`, which
/// takes as much in between. The filler, which must be there, stays, so that its places are not free again.
/// The file lies in a server's directory, or else `home` names it.
///
/// # Errors
/// When there is no room for both, or the file system cannot reserve space. The file is then as it was.
pub(crate) fn lay_out(
    path: &Path,
    home: Option<&Marker>,
    filler: &Path,
    piece_bytes: Option<u64>,
) -> Result<(), DatabaseError> {
    let source = File::open(path).map_err(DatabaseError::io("opening", path))?;
    let partial = path.with_extension("relaid");
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let target = match home {
        Some(home) => home.create(&name(&partial), MODE)?,
        None => {
            disk::remove_file(&partial).map_err(DatabaseError::io("replacing", &partial))?;
            File::create_new_with(&partial, MODE).map_err(DatabaseError::io("creating", &partial))?
        }
    };
    let rename = || match home {
        Some(home) => home.rename(&name(&partial), &name(path)),
        None => disk::rename(&partial, path).map_err(DatabaseError::io("renaming to", path)),
    };
    let laid = fill(&source, &target, filler, piece_bytes).and_then(|()| rename());
    if let Err(error) = laid {
        let _ = disk::remove_file(&partial); // The error above is what matters.
        return Err(error);
    }
    sync_dir(path)
}

/// The bytes, the owner and the mode of `source` in the new file `target`.
fn fill(source: &File, target: &File, filler: &Path, piece_bytes: Option<u64>) -> Result<(), DatabaseError> {
    let facts = source.metadata().map_err(DatabaseError::io("reading", source.path()))?;
    let bytes = facts.len();
    let partial = target.path();
    match piece_bytes {
        None if bytes == 0 => {}
        None => target.reserve(0, bytes).map_err(DatabaseError::io("reserving space for", partial))?,
        Some(piece) => in_turn(target, filler, bytes, piece.max(1))?,
    }
    copy(source, target, bytes).map_err(DatabaseError::io("copying to", partial))?;
    let (uid, gid) = (rustix::fs::Uid::from_raw(facts.uid()), rustix::fs::Gid::from_raw(facts.gid()));
    rustix::fs::fchown(target.as_std(), Some(uid), Some(gid))
        .map_err(|error| DatabaseError::io("giving to the server's account", partial)(error.into()))?;
    target
        .as_std()
        .set_permissions(facts.permissions())
        .map_err(DatabaseError::io("setting the mode of", partial))?;
    target.sync_all().map_err(DatabaseError::io("syncing", partial))
}

fn in_turn(target: &File, filler: &Path, bytes: u64, piece: u64) -> Result<(), DatabaseError> {
    let between = File::open_to_write(filler).map_err(DatabaseError::io("opening", filler))?;
    let mut at_filler = between.metadata().map_err(DatabaseError::io("reading", filler))?.len();
    let mut at = 0;
    while at < bytes {
        let step = piece.min(bytes - at);
        target.reserve(at, step).map_err(DatabaseError::io("reserving space beside", filler))?;
        between.reserve(at_filler, step).map_err(DatabaseError::io("reserving space for", filler))?;
        at += step;
        at_filler += step;
    }
    Ok(())
}

fn copy(source: &File, target: &File, bytes: u64) -> std::io::Result<()> {
    let mut buffer = vec![0; STEP_BYTES];
    let mut at = 0;
    while at < bytes {
        let step = usize::try_from(bytes - at).unwrap_or(usize::MAX).min(STEP_BYTES);
        source.read_exact_at(&mut buffer[..step], at)?;
        target.write_all_at(&buffer[..step], at)?;
        at += step as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use disk::fault::{self, Failure, Plan};
    use std::fs;

    /// Whichever call fails, the file holds its bytes, and a part is left only by a crash.
    #[test]
    fn at_every_point_the_bytes_are_there() {
        let temp = tempfile::tempdir().unwrap();
        let home = Marker::claim(&temp.path().join("home")).unwrap();
        let content: Vec<u8> = (0..1_500_001_u32).map(|i| (i * 7) as u8).collect();
        let filler = home.ensure("filler", MODE).unwrap();
        let named = home.write("table", &content, MODE).unwrap();
        let of_a_server = temp.path().join("table");
        fs::write(&of_a_server, &content).unwrap();
        for (path, home) in [(&named, Some(&home)), (&of_a_server, None)] {
            let (laid, points) = fault::count(|| lay_out(path, home, &filler, Some(400 << 10)));
            laid.unwrap();
            for (failure, at) in Failure::ALL.into_iter().flat_map(|f| (1..=points).map(move |at| (f, at))) {
                let plan = Plan { failure, at };
                let _ = fault::with(plan, || lay_out(path, home, &filler, Some(400 << 10)));
                assert!(fs::read(path).unwrap() == content, "{plan}");
                let partial = path.with_extension("relaid").exists();
                assert!(failure == Failure::Crash || !partial, "{plan} left a part behind");
            }
        }
        Marker::remove_ours(home.dir()).unwrap();
    }

    #[test]
    fn the_bytes_stay_wherever_they_lie() {
        let temp = tempfile::tempdir().unwrap();
        let (path, filler) = (temp.path().join("table"), temp.path().join("filler"));
        let content: Vec<u8> = (0..3_000_001_u32).map(|i| (i * 7) as u8).collect();
        fs::write(&path, &content).unwrap();
        fs::write(&filler, "").unwrap();
        for piece in [None, Some(64 << 10), Some(1 << 20), None] {
            lay_out(&path, None, &filler, piece).unwrap();
            assert!(fs::read(&path).unwrap() == content, "{piece:?}");
        }
        assert_eq!(fs::metadata(&filler).unwrap().len(), 2 * content.len() as u64);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 2);
    }
}
