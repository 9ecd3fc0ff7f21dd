//! Opening a target and everything that must be true before the first I/O. Reading opens O_RDONLY.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, SeekFrom, StatxFlags};
use words::Reason;

use crate::discard;
use crate::displaced::displaced;
use crate::error::BlockError;
use crate::job::{Job, Pattern, Stream, Target};

/// The alignment of direct I/O where nothing better is known.
const LOGICAL_BLOCK_BYTES_DEFAULT: u32 = 512;

/// A target that is open and fits the job.
#[derive(Debug)]
pub(crate) struct OpenTarget {
    /// The open file, absent for an address space.
    pub(crate) file: Option<File>,
    /// Its path; empty for an address space.
    pub(crate) path: PathBuf,
    /// Bytes it holds.
    pub(crate) size_bytes: u64,
    /// True for a block device.
    pub(crate) is_device: bool,
}

/// Bytes of a target that one stream may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u64,
    pub(crate) length: u64,
}

impl OpenTarget {
    /// The reason why its path no longer leads to it, if so.
    pub(crate) fn displaced(&self) -> Option<Reason> {
        displaced(self.file.as_ref()?, &self.path)
    }

    /// Opens and checks all targets of a job that [`Job::validate`] accepted.
    pub(crate) fn open_all(job: &Job) -> Result<Vec<OpenTarget>, BlockError> {
        (0..job.targets.len()).map(|index| OpenTarget::open(job, index)).collect()
    }

    /// Opens and checks the target with this index.
    fn open(job: &Job, index: usize) -> Result<OpenTarget, BlockError> {
        let target = match &job.targets[index] {
            Target::AddressSpace { size_bytes } => {
                OpenTarget { file: None, path: PathBuf::new(), size_bytes: *size_bytes, is_device: false }
            }
            Target::ReadOnly(path) => open_for_reading(path, job.direct)?,
            Target::Permitted(permit) => {
                let flags = if job.direct { libc::O_DIRECT } else { 0 };
                let file = permit.open_with(job.writes_target(index), flags)?;
                with_size(file, permit.path())?
            }
        };
        let streams: Vec<&Stream> = job.streams.iter().filter(|stream| stream.goes_to(index)).collect();
        target.check_room(&streams)?;
        if let Some(file) = &target.file {
            if job.direct {
                target.check_alignment(&streams, job.align_bytes, logical_block_bytes(file))?;
            }
            target.check_holes(&streams, file)?;
        }
        Ok(target)
    }

    /// Tells the target that its data at a place is no longer needed, and waits for the answer: nothing
    /// moved, or a negated errno.
    pub(crate) fn discard(&self, offset: u64, length: u32) -> i32 {
        let Some(file) = &self.file else { return -libc::EBADF };
        let discard = if self.is_device { discard::discard } else { discard::punch };
        match discard(file, offset, u64::from(length)) {
            Ok(()) => length as i32,
            Err(errno) => -errno.raw_os_error(),
        }
    }

    /// The part of the target a stream keeps to.
    pub(crate) fn span(&self, stream: &Stream) -> Span {
        match stream.region {
            Some(region) => Span { start: region.start_bytes, length: region.length_bytes },
            None => Span { start: 0, length: self.size_bytes },
        }
    }

    fn check_room(&self, streams: &[&Stream]) -> Result<(), BlockError> {
        for stream in streams {
            let largest = u64::from(stream.largest_bytes());
            let (needed_bytes, length) = match stream.region {
                None => (largest, self.size_bytes),
                Some(region) => (region.start_bytes.saturating_add(region.length_bytes), region.length_bytes),
            };
            if length < largest {
                if stream.region.is_some() {
                    return Err(BlockError::job(
                        format!(
                            "stream \"{}\": region of {length} bytes for I/Os of {largest} bytes",
                            stream.name
                        ),
                        "use a larger region",
                    ));
                }
                return Err(self.too_small(needed_bytes));
            }
            if needed_bytes > self.size_bytes {
                return Err(self.too_small(needed_bytes));
            }
        }
        Ok(())
    }

    fn too_small(&self, needed_bytes: u64) -> BlockError {
        if self.file.is_none() {
            return BlockError::job(
                format!("address space of {} bytes", self.size_bytes),
                format!("use at least {needed_bytes} bytes"),
            );
        }
        BlockError::TooSmall { path: self.path.clone(), size_bytes: self.size_bytes, needed_bytes }
    }

    fn check_alignment(
        &self,
        streams: &[&Stream],
        align_bytes: Option<u32>,
        logical_block_bytes: u32,
    ) -> Result<(), BlockError> {
        let check = |what, value_bytes: u64| {
            if value_bytes.is_multiple_of(u64::from(logical_block_bytes)) {
                return Ok(());
            }
            Err(BlockError::Unaligned { path: self.path.clone(), what, value_bytes, logical_block_bytes })
        };
        for stream in streams {
            for &(size, _) in stream.sizes.parts().iter().chain(stream.sizes_of_writes().parts()) {
                check("block size", u64::from(size))?;
            }
            check("alignment", stream.align_bytes.map_or(0, u64::from))?;
            match stream.pattern {
                Pattern::Stride { step_bytes } | Pattern::Backward { step_bytes } => {
                    check("stride", step_bytes)?
                }
                Pattern::Zones { range_bytes, skip_bytes, .. } => {
                    check("zone", range_bytes)?;
                    check("gap between zones", skip_bytes)?;
                }
                _ => {}
            }
            if let Some(region) = stream.region {
                check("region start", region.start_bytes)?;
            }
        }
        check("alignment", align_bytes.map_or(0, u64::from))
    }

    /// A read of a hole or of preallocated space is answered by the filesystem alone.
    fn check_holes(&self, streams: &[&Stream], file: &File) -> Result<(), BlockError> {
        for stream in streams.iter().filter(|stream| stream.read_share > 0.0) {
            let span = self.span(stream);
            // A filesystem that cannot tell holes answers with the end of the file or an error: both mean
            // "none known".
            if let Ok(hole_at_bytes) = rustix::fs::seek(file, SeekFrom::Hole(span.start))
                && hole_at_bytes < span.start + span.length
            {
                return Err(BlockError::Sparse { path: self.path.clone(), hole_at_bytes });
            }
        }
        Ok(())
    }
}

pub(crate) fn open_for_reading(path: &Path, direct: bool) -> Result<OpenTarget, BlockError> {
    let found = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => BlockError::Missing { path: path.to_owned() },
        _ => BlockError::io(path, "look at it", error),
    })?;
    let kind = found.file_type();
    // Looked at before opening: opening a FIFO would wait for its other end.
    if !kind.is_file() && !kind.is_block_device() {
        let kind = match kind {
            _ if kind.is_dir() => "directory",
            _ if kind.is_char_device() => "character device",
            _ if kind.is_fifo() => "FIFO",
            _ => "socket",
        };
        return Err(BlockError::NotATarget { path: path.to_owned(), kind });
    }
    let flags = if direct { libc::O_DIRECT } else { 0 };
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(|error| {
        match error.raw_os_error() {
            Some(libc::EINVAL) if direct => BlockError::NoDirect { path: path.to_owned() },
            _ => BlockError::io(path, "open it for reading", error),
        }
    })?;
    with_size(file, path)
}

fn with_size(file: File, path: &Path) -> Result<OpenTarget, BlockError> {
    // The end of a block device is its size; its metadata says 0.
    let size_bytes = rustix::fs::seek(&file, SeekFrom::End(0))
        .map_err(|error| BlockError::io(path, "find its size", error))?;
    let is_device = file.metadata().is_ok_and(|found| found.file_type().is_block_device());
    Ok(OpenTarget { file: Some(file), path: path.to_owned(), size_bytes, is_device })
}

/// The alignment of offsets and lengths of direct I/O, in bytes.
pub(crate) fn logical_block_bytes(file: &File) -> u32 {
    let told = rustix::fs::statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN)
        .map_or(0, |found| found.stx_dio_offset_align);
    if told > 0 {
        return told;
    }
    let is_device = file.metadata().is_ok_and(|found| found.file_type().is_block_device());
    let asked = if is_device { rustix::fs::ioctl_blksszget(file).unwrap_or(0) } else { 0 };
    if asked > 0 { asked } else { LOGICAL_BLOCK_BYTES_DEFAULT }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{EngineKind, Region, Shape, SizeMix};
    use crate::permit::WritePermit;
    use std::sync::Arc;

    fn reading(target: Target, size: u32) -> Job {
        let stream = Stream::new("s", Pattern::Uniform, 1.0, SizeMix::fixed(size));
        Job::new(stream, Shape::ClosedLoop { depth: 1 }, EngineKind::Psync, target)
    }

    fn error_of(job: &Job) -> BlockError {
        OpenTarget::open_all(job).unwrap_err()
    }

    #[test]
    fn tells_a_missing_path_a_directory_and_a_device_that_is_not_a_disk() {
        let job = |path: &str| reading(Target::ReadOnly(path.into()), 4096);
        assert!(matches!(error_of(&job("/no/such/file")), BlockError::Missing { .. }));
        assert!(matches!(error_of(&job("/")), BlockError::NotATarget { kind: "directory", .. }));
        assert!(matches!(
            error_of(&job("/dev/null")),
            BlockError::NotATarget { kind: "character device", .. }
        ));
    }

    #[test]
    fn tells_small_empty_and_sparse_files() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let mut job = reading(Target::ReadOnly(path.clone()), 4096);
        job.direct = false;
        fs::write(&path, "").unwrap();
        assert!(matches!(error_of(&job), BlockError::TooSmall { size_bytes: 0, needed_bytes: 4096, .. }));
        fs::write(&path, [1; 4095]).unwrap();
        assert!(matches!(error_of(&job), BlockError::TooSmall { size_bytes: 4095, .. }));
        File::options().write(true).open(&path).unwrap().set_len(1 << 20).unwrap();
        assert!(matches!(error_of(&job), BlockError::Sparse { hole_at_bytes: 4096, .. }));
        fs::write(&path, vec![1; 1 << 20]).unwrap();
        assert_eq!(OpenTarget::open_all(&job).unwrap()[0].size_bytes, 1 << 20);
        job.streams[0].region = Some(Region { start_bytes: 1 << 19, length_bytes: 1 << 20 });
        assert!(matches!(error_of(&job), BlockError::TooSmall { .. }));
        job.streams[0].region = Some(Region { start_bytes: 0, length_bytes: 512 });
        assert!(matches!(error_of(&job), BlockError::BadJob { .. }));
    }

    #[test]
    fn tells_a_filesystem_without_direct_io() {
        let path = Path::new("/sys/kernel/btf/vmlinux");
        if path.exists() {
            let error = error_of(&reading(Target::ReadOnly(path.into()), 4096));
            assert!(matches!(error, BlockError::NoDirect { .. }), "{error}");
        }
    }

    #[test]
    fn tells_blocks_that_do_not_fit_the_device() {
        let directory = tempfile::tempdir().unwrap();
        let permit = Arc::new(WritePermit::create_file(&directory.path().join("file"), 1 << 20).unwrap());
        let target =
            OpenTarget::open_all(&reading(Target::Permitted(permit.clone()), 4096)).unwrap().remove(0);
        let mut job = reading(Target::Permitted(permit), 512);
        let error = target.check_alignment(&[&job.streams[0]], job.align_bytes, 4096).unwrap_err();
        assert!(
            matches!(error, BlockError::Unaligned { what: "block size", value_bytes: 512, .. }),
            "{error}"
        );
        job.streams[0].sizes = SizeMix::fixed(8192);
        job.align_bytes = Some(1536);
        let error = target.check_alignment(&[&job.streams[0]], job.align_bytes, 4096).unwrap_err();
        assert!(matches!(error, BlockError::Unaligned { what: "alignment", .. }), "{error}");
    }

    #[test]
    fn a_reader_cannot_write_even_with_a_permit() {
        let directory = tempfile::tempdir().unwrap();
        let permit = Arc::new(WritePermit::create_file(&directory.path().join("file"), 1 << 20).unwrap());
        let target = OpenTarget::open_all(&reading(Target::Permitted(permit), 4096)).unwrap().remove(0);
        let error = rustix::io::pwrite(target.file.as_ref().unwrap(), &[0; 4096], 0).unwrap_err();
        assert_eq!(error, rustix::io::Errno::BADF);
    }
}
