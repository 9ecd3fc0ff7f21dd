//! The files of a stopped database laid out anew: in one piece, or in pieces that grow in turn with another file.
//!
//! The bytes stay the same and only their places change, so that what a scan then takes longer is due to the places alone.

use std::fs::{self, File};
use std::path::Path;

use rustix::fs::FallocateFlags;

use crate::DatabaseError;
use crate::copy::sync_dir;

/// Smaller files are of no account in a scan, and stay as they are.
pub(crate) const FILE_MIN_BYTES: u64 = 1 << 20;
/// What is copied at a time.
const STEP_BYTES: usize = 1 << 20;

/// Gives the file at `path` new places: all at once, or `piece_bytes` at a time in turn with `filler`, which takes as much in between. The
/// filler stays, so that its places are not free again.
///
/// # Errors
/// When there is no room for both, or the file system cannot reserve space.
pub(crate) fn lay_out(path: &Path, filler: &Path, piece_bytes: Option<u64>) -> Result<(), DatabaseError> {
    let source = File::open(path).map_err(DatabaseError::io("opening", path))?;
    let metadata = source.metadata().map_err(DatabaseError::io("reading", path))?;
    let bytes = metadata.len();
    let partial = path.with_extension("relaid");
    let target = File::create(&partial).map_err(DatabaseError::io("creating", &partial))?;
    let laid = match piece_bytes {
        None => reserve(&target, 0, bytes).map_err(DatabaseError::io("reserving space for", &partial)),
        Some(piece) => in_turn(&target, filler, bytes, piece.max(1)),
    };
    let filled = laid.and_then(|()| {
        copy(&source, &target, bytes).map_err(DatabaseError::io("copying to", &partial))?;
        target.sync_all().map_err(DatabaseError::io("syncing", &partial))
    });
    if let Err(error) = filled {
        let _ = fs::remove_file(&partial); // The error above is what matters.
        return Err(error);
    }
    let owner =
        (rustix::fs::Uid::from_raw(owner_of(&metadata).0), rustix::fs::Gid::from_raw(owner_of(&metadata).1));
    rustix::fs::fchown(&target, Some(owner.0), Some(owner.1))
        .map_err(|error| DatabaseError::io("giving to the server's account", &partial)(error.into()))?;
    fs::set_permissions(&partial, metadata.permissions())
        .map_err(DatabaseError::io("setting the mode of", &partial))?;
    fs::rename(&partial, path).map_err(DatabaseError::io("renaming to", path))?;
    sync_dir(path)
}

fn owner_of(metadata: &fs::Metadata) -> (u32, u32) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.uid(), metadata.gid())
}

fn in_turn(target: &File, filler: &Path, bytes: u64, piece: u64) -> Result<(), DatabaseError> {
    let between = fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(filler)
        .map_err(DatabaseError::io("creating", filler))?;
    let mut at_filler = between.metadata().map_err(DatabaseError::io("reading", filler))?.len();
    let mut at = 0;
    while at < bytes {
        let step = piece.min(bytes - at);
        reserve(target, at, step).map_err(DatabaseError::io("reserving space beside", filler))?;
        reserve(&between, at_filler, step).map_err(DatabaseError::io("reserving space for", filler))?;
        at += step;
        at_filler += step;
    }
    Ok(())
}

/// Space with a place: nothing is put off until it is written.
fn reserve(file: &File, at: u64, bytes: u64) -> std::io::Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    Ok(rustix::fs::fallocate(file, FallocateFlags::empty(), at, bytes)?)
}

fn copy(source: &File, target: &File, bytes: u64) -> std::io::Result<()> {
    use std::os::unix::fs::FileExt as _;
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

    #[test]
    fn the_bytes_stay_wherever_they_lie() {
        let temp = tempfile::tempdir().unwrap();
        let (path, filler) = (temp.path().join("table"), temp.path().join("filler"));
        let content: Vec<u8> = (0..3_000_001_u32).map(|i| (i * 7) as u8).collect();
        fs::write(&path, &content).unwrap();
        for piece in [None, Some(64 << 10), Some(1 << 20), None] {
            lay_out(&path, &filler, piece).unwrap();
            assert!(fs::read(&path).unwrap() == content, "{piece:?}");
        }
        assert_eq!(fs::metadata(&filler).unwrap().len(), 2 * content.len() as u64);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 2);
    }
}
