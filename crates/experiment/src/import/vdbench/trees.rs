//! How many files of which size each file system (`fsd`) is.

use super::definitions::Definition;
use super::values::size;
use crate::import::source::Reading;

/// Files of one run.
const FILES_MAX: u64 = 32_768;

/// The files of one `fsd`: so many of one size, numbered from `first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) size_bytes: u64,
}

/// The files of each of a run's file systems, in their order.
pub(super) fn trees(reading: &mut Reading<'_>, storages: &[&Definition]) -> Option<Vec<Tree>> {
    let mut trees: Vec<Tree> = Vec::new();
    for storage in storages {
        let size_bytes = file_bytes(reading, storage)?;
        let count = files(reading, storage, size_bytes)?;
        let before: u64 = trees.iter().map(|tree| u64::from(tree.count)).sum();
        if before + count > FILES_MAX {
            let message = format!("{} files are more than one workload has", before + count);
            let help = format!("use {FILES_MAX} at most: lower files, width or depth");
            reading.fault(storage.place_of("files"), &message, "", &help);
            return None;
        }
        trees.push(Tree { first: before as u32 + 1, count: count as u32, size_bytes });
    }
    let text = "the files lie side by side: no directories are made, for I/O does not see them";
    if let Some(storage) = storages.iter().find(|storage| storage.pair("depth").is_some()) {
        reading.note(storage.place_of("depth"), text);
    }
    Some(trees)
}

/// `width` directories in each on `depth` levels, and `files` in each of the last level, or of all.
fn files(reading: &mut Reading<'_>, storage: &Definition, size_bytes: u64) -> Option<u64> {
    let whole = |reading: &mut Reading<'_>, key: &str| match storage.pair(key) {
        None => Some(1),
        Some(_) => storage.read(reading, key, size),
    };
    let (depth, width, files) =
        (whole(reading, "depth")?, whole(reading, "width")?, whole(reading, "files")?);
    let on = |level: u64| width.saturating_pow(u32::try_from(level).unwrap_or(u32::MAX));
    let everywhere = storage.value("distribution").is_some_and(|word| word.eq_ignore_ascii_case("all"));
    let directories = match everywhere {
        true => (1..=depth.min(64)).fold(0_u64, |sum, level| sum.saturating_add(on(level))),
        false => on(depth),
    };
    let count = directories.saturating_mul(files).max(1);
    Some(match storage.pair("totalsize") {
        None => count,
        Some(_) => count.min(storage.read(reading, "totalsize", size)?.div_ceil(size_bytes).max(1)),
    })
}

/// The size of the files: one for all of them.
fn file_bytes(reading: &mut Reading<'_>, storage: &Definition) -> Option<u64> {
    let Some(pair) = storage.pair("size") else {
        let message = format!("the file system `{}` says no size of its files", storage.name);
        reading.fault(&storage.place, &message, "", "add for example size=1m");
        return None;
    };
    if pair.values.len() > 1 {
        let message = "`size` cannot be carried over: files of several sizes in one tree are not supported";
        reading.fault(&pair.place, message, "", "write an fsd for each size");
        return None;
    }
    let bytes = storage.read(reading, "size", size)?;
    if bytes == 0 || bytes % 512 != 0 {
        let message = format!("`size`: files of {bytes} bytes are no whole number of 512-byte sectors");
        reading.fault(&pair.place, &message, "", "use for example size=64k");
        return None;
    }
    Some(bytes)
}
