//! The proof that a file is the one that this tool made, and that nobody has written to it since.
//!
//! | state in the marker | proof |
//! |---|---|
//! | kept | inode, time of birth, length and time of the last change are those of the stamp that was taken when the last load let go of it |
//! | in use, and its user is gone | inode, time of birth and length are those of the stamp, and every sector bears a mark of the file's keys or is all zeros |
//! | making | none: it has a name that only the marker knows until it is full |
//!
//! In each state the file is a regular one of the user that runs us, with one name, and nobody holds its
//! lock. Nobody can set the time of the last change, so that any write, copy, rename, link or change of
//! permissions since shows; times that `touch` sets back do not hide it. While a load runs that time moves
//! all the time, so that after a kill the bytes must speak. A write that neither moves the length nor touches
//! the first 16 bytes of a sector would pass there.

use std::os::unix::fs::FileExt as _;
use std::path::Path;

use disk::{Facts, File, FileKind, Moved};
use rustix::fs::Advice;

use super::marker::{Record, State};
use crate::error::BlockError;
use crate::fill::FillProgress;
use crate::mark;

const PIECE_BYTES: usize = 1 << 20;

/// The reason why the file is not provably ours; `Ok(None)` if it is.
pub(super) fn why_not_ours(
    path: &Path,
    record: &Record,
    file: &File,
    progress: &mut FillProgress<'_>,
) -> Result<Option<String>, BlockError> {
    let facts = Facts::of(file).map_err(|error| BlockError::io(path, "look at it", error))?;
    if let Some(why) = why_not_private(&facts) {
        return Ok(Some(why));
    }
    let Some(stamp) = record.stamp.filter(|_| record.state != State::Making) else {
        return Ok(Some(
            "it is not the file that this tool was making, which has another name yet".to_owned(),
        ));
    };
    if !stamp.is_same_birth(&facts.stamp) {
        return Ok(Some("another file has taken the place of the one this tool made".to_owned()));
    }
    if stamp.size_bytes != facts.stamp.size_bytes {
        let (now, before) = (facts.stamp.size_bytes, stamp.size_bytes);
        return Ok(Some(format!("it has {now} bytes by now, and had {before} when this tool used it last")));
    }
    if record.state == State::Kept {
        // The device may have another number after every mount.
        let now = disk::Stamp { device: stamp.device, ..facts.stamp };
        return Ok(match stamp.check(&now) {
            Ok(()) => None,
            Err(Moved::Changed | Moved::Resized | Moved::Replaced) => Some(
                "it was changed (written, copied over, linked, renamed) since this tool used it last"
                    .to_owned(),
            ),
        });
    }
    why_not_marked(path, record, file, progress)
}

/// The reason why somebody else may have a claim to the file; `None` if nobody has.
fn why_not_private(facts: &Facts) -> Option<String> {
    if facts.kind != FileKind::File {
        return Some("it is no regular file".to_owned());
    }
    if facts.owner != rustix::process::geteuid().as_raw() {
        return Some(format!("it belongs to user {}", facts.owner));
    }
    (facts.links != 1).then(|| "it has another name as well (a hard link)".to_owned())
}

fn why_not_marked(
    path: &Path,
    record: &Record,
    file: &File,
    progress: &mut FillProgress<'_>,
) -> Result<Option<String>, BlockError> {
    let keys = record.keys();
    let mut buffer = vec![0; PIECE_BYTES];
    let mut marked = 0;
    for offset in (0..record.size_bytes).step_by(PIECE_BYTES) {
        if !progress(0) {
            return Err(BlockError::Stopped { path: path.to_owned() });
        }
        let length = usize::try_from(record.size_bytes - offset).unwrap_or(PIECE_BYTES).min(PIECE_BYTES);
        let piece = &mut buffer[..length];
        disk::fault::point(disk::Call::Read, path)
            .and_then(|()| file.as_std().read_exact_at(piece, offset))
            .map_err(|error| BlockError::io(path, "read whether it is still ours", error))?;
        let borne = mark::look(&keys, piece, offset);
        if let Some(at) = borne.foreign_at {
            return Ok(Some(format!(
                "a load of this tool was killed while it used the file, and what lies at byte {at} by now is not of this tool"
            )));
        }
        marked += borne.marked;
    }
    // The load to come begins with the cache as it was.
    let _ = rustix::fs::fadvise(file.as_std(), 0, None, Advice::DontNeed);
    Ok((marked == 0).then(|| {
        "a load of this tool was killed while it used the file, and it holds nothing but zeros by now"
            .to_owned()
    }))
}
