//! The numbers and sizes of the files of each file system (`fsd`).

use super::definitions::Definition;
use super::values::{number, size};
use crate::source::Reading;

/// Files of one run.
const FILES_MAX: u64 = 32_768;

/// The files of one size in one `fsd`, numbered from `first`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tree {
    /// The index of its file system in the run.
    pub(super) storage: usize,
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) size_bytes: u64,
    /// Its share of the file system's files, 0 to 1.
    pub(super) of_files: f64,
}

/// The files of a run's file systems, in their order.
pub(super) fn trees(reading: &mut Reading<'_>, storages: &[&Definition]) -> Option<Vec<Tree>> {
    let mut trees: Vec<Tree> = Vec::new();
    for (number, storage) in storages.iter().enumerate() {
        let sizes = file_sizes(reading, storage)?;
        let mean_bytes = sizes.iter().map(|(bytes, part)| *bytes as f64 * part).sum::<f64>();
        let count = files(reading, storage, mean_bytes.max(512.0) as u64)?;
        let before: u64 = trees.iter().map(|tree| u64::from(tree.count)).sum();
        let all = before.saturating_add(count);
        if all > FILES_MAX {
            let message = format!("{all} files are more than one workload has");
            let help = format!("use {FILES_MAX} at most: lower files, width or depth");
            reading.fault(storage.place_of("files"), &message, "", &help);
            return None;
        }
        let mut first = before as u32 + 1;
        let mut left = count as u32;
        for (index, (size_bytes, of_files)) in sizes.iter().enumerate() {
            let is_last = index + 1 == sizes.len();
            let own = if is_last { left } else { ((count as f64 * of_files).round() as u32).min(left) };
            if own > 0 {
                let (size_bytes, of_files) = (*size_bytes, f64::from(own) / count as f64);
                trees.push(Tree { storage: number, first, count: own, size_bytes, of_files });
            }
            (first, left) = (first + own, left - own);
        }
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

/// Sizes of the files, each with its share of them: `size=1m` or `size=(64k,67,128k,33)`.
fn file_sizes(reading: &mut Reading<'_>, storage: &Definition) -> Option<Vec<(u64, f64)>> {
    let Some(pair) = storage.pair("size") else {
        let message = format!("the file system `{}` says no size of its files", storage.name);
        reading.fault(&storage.place, &message, "", "add for example size=1m");
        return None;
    };
    let mut fault = |why: String| {
        reading.fault(
            &pair.place,
            &format!("`size`: {why}"),
            "",
            "use for example size=64k or size=(64k,70,1m,30)",
        );
    };
    let sizes: Result<Vec<(u64, f64)>, String> = match pair.values.as_slice() {
        [only] => size(only).map(|bytes| vec![(bytes, 1.0)]),
        [_, zero] if number(zero) == Ok(0.0) => {
            Err("files of sizes around a mean are not supported".to_owned())
        }
        pairs if pairs.len() % 2 == 0 => {
            pairs.chunks_exact(2).map(|pair| Ok((size(&pair[0])?, number(&pair[1])? / 100.0))).collect()
        }
        _ => Err("a list of sizes needs the share of each".to_owned()),
    };
    let sizes = sizes.map_err(&mut fault).ok()?;
    if let Some((bytes, _)) = sizes.iter().find(|(bytes, _)| *bytes == 0 || bytes % 512 != 0) {
        fault(format!("files of {bytes} bytes are no whole number of 512-byte sectors"));
        return None;
    }
    let total: f64 = sizes.iter().map(|(_, part)| part).sum();
    if sizes.iter().any(|(_, part)| *part < 0.0) || (total - 1.0).abs() > 0.01 {
        fault(format!("its shares sum to {}% and not to 100%", total * 100.0));
        return None;
    }
    if sizes.len() > 1 {
        let text =
            "every file takes the room of the largest; of the smaller ones only the first part is used";
        reading.note(&pair.place, text);
    }
    Some(sizes)
}
