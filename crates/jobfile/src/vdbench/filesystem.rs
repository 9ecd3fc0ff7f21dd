//! File system workloads (`fsd`, `fwd`) as streams over many files: operations on data are converted,
//! operations on names are refused.

use experiment::{Extent, FileChoice, OneOrMix, Pattern, Size, Stream, StreamTarget};

use super::definitions::Definition;
use super::meant::Run;
use super::trees::Tree;
use super::values::number;
use super::work::{self, Overrides, speaker};
use crate::fio::mix;
use crate::source::Reading;

/// The streams of a run over its files.
pub(super) fn streams(
    reading: &mut Reading<'_>,
    run: &Run<'_>,
    overrides: &Overrides,
    shares: &[f64],
) -> Option<Vec<Stream>> {
    let all: u32 = run.trees.iter().map(|tree| tree.count).sum();
    let largest = run.trees.iter().map(|tree| tree.size_bytes).max()?;
    let mut streams = Vec::new();
    for ((name, work, storages), share) in run.works.iter().zip(shares) {
        let mut sources = vec![run.run];
        sources.extend(work);
        let overrides = operation(reading, &sources, overrides)?;
        let (pattern, file_choice) = file_io(reading, &sources)?;
        let own = work::streams(reading, name, &sources, &overrides)?;
        let is_meant = |tree: &&Tree| storages.iter().any(|own| own.name == run.storages[tree.storage].name);
        let meant: Vec<Tree> = run.trees.iter().filter(is_meant).copied().collect();
        let part = parts(&meant, pattern == Pattern::Sequential);
        for stream in own {
            for (tree, part) in meant.iter().zip(&part) {
                let mut stream = stream.clone();
                (stream.pattern, stream.random, stream.file_choice) = (pattern.clone(), None, file_choice);
                stream.block_size = within(&stream.block_size, tree.size_bytes);
                stream.weight *= share * part;
                stream.target = match tree.count {
                    count if count == all => None,
                    1 => Some(StreamTarget::File(tree.first)),
                    count => Some(StreamTarget::Files([tree.first, tree.first + count - 1])),
                };
                if all == 1 {
                    stream.file_choice = FileChoice::Random;
                }
                stream.length = (tree.size_bytes < largest).then_some(Extent::Bytes(Size(tree.size_bytes)));
                if meant.len() > 1 {
                    stream.name = stream.name.map(|name| format!("{name} from file {}", tree.first));
                }
                streams.push(stream);
            }
        }
    }
    Some(streams)
}

/// The share of each tree in a load: the file systems share it evenly, and all files of one are taken equally
/// often. A pass to the end gives a file I/Os in proportion to its size; random access gives all files the
/// same number.
fn parts(trees: &[Tree], to_their_ends: bool) -> Vec<f64> {
    let own = |tree: &Tree| tree.of_files * if to_their_ends { tree.size_bytes as f64 } else { 1.0 };
    let of_storage =
        |storage: usize| trees.iter().filter(|tree| tree.storage == storage).map(own).sum::<f64>();
    let storages: std::collections::BTreeSet<usize> = trees.iter().map(|tree| tree.storage).collect();
    trees.iter().map(|tree| own(tree) / of_storage(tree.storage) / storages.len() as f64).collect()
}

/// A transfer is no larger than its file.
fn within(sizes: &OneOrMix, file_bytes: u64) -> OneOrMix {
    let parts: Vec<(u64, f64)> =
        sizes.parts().iter().map(|part| (part.size.0.min(file_bytes), part.share.0)).collect();
    mix(&parts)
}

/// The operation on the files: a mix of reads and writes, or one of the two.
fn operation(reading: &mut Reading<'_>, sources: &[&Definition], overrides: &Overrides) -> Option<Overrides> {
    let mut own = overrides.clone();
    if own.rdpct.is_some() || speaker(sources, "rdpct").is_some() {
        return Some(own);
    }
    let said = [("operations", "operations"), ("operation", "operation")];
    let said = said.iter().find_map(|(key, _)| speaker(sources, key).map(|source| (*key, source)));
    let Some((key, source)) = said else {
        own.rdpct = Some(100.0);
        return Some(own);
    };
    let words = source.pair(key).map(|pair| pair.values.clone()).unwrap_or_default();
    let mut reads = 0.0;
    for word in &words {
        let share = read_percent(word).map_err(|why| {
            let help = "leave it out, or use operation=read, operation=write or rdpct";
            reading.fault(source.place_of(key), &format!("`{key}` cannot be carried over: {why}"), "", help);
        });
        reads += share.ok()? / words.len() as f64;
    }
    own.rdpct = Some(reads);
    Some(own)
}

/// An operation as a percentage of reads.
pub(super) fn read_percent(word: &str) -> Result<f64, String> {
    match word.trim().to_ascii_lowercase().as_str() {
        "read" => Ok(100.0),
        "write" => Ok(0.0),
        other => Err(format!("`{other}` is an operation on names and attributes, which is not supported")),
    }
}

/// `fileio` and `fileselect`: in the file, and from file to file.
fn file_io(reading: &mut Reading<'_>, sources: &[&Definition]) -> Option<(Pattern, FileChoice)> {
    let words = |key: &str, default: &str| {
        let source = speaker(sources, key);
        let values = source.and_then(|source| source.pair(key)).map(|pair| pair.values.clone());
        let place = source.map(|source| source.place_of(key).clone()).unwrap_or_default();
        (values.unwrap_or_else(|| vec![default.to_owned()]), place)
    };
    let ((io, io_place), (select, select_place)) =
        (words("fileio", "sequential"), words("fileselect", "random"));
    if let Some(other) = io[1..].iter().find(|word| !word.eq_ignore_ascii_case("shared")) {
        let message = format!("`fileio` cannot be carried over: `{other}` is not supported");
        reading.fault(&io_place, &message, "", "write fileio=random or fileio=sequential");
        return None;
    }
    let sequential = io[0].to_ascii_lowercase().starts_with("seq");
    let in_order = match select[0].to_ascii_lowercase().as_str() {
        word if word.starts_with("seq") => true,
        "random" | "rand" => false,
        other => {
            let message = format!("`fileselect` cannot be carried over: files are not chosen by `{other}`");
            reading.fault(&select_place, &message, "", "write fileselect=random or fileselect=sequential");
            return None;
        }
    };
    match (sequential, in_order) {
        (true, true) => Some((Pattern::Sequential, FileChoice::InTurn)),
        (true, false) => Some((Pattern::Sequential, FileChoice::InTurnShuffled)),
        (false, true) => Some((Pattern::Uniform, FileChoice::InTurn)),
        (false, false) => {
            let text = "each I/O goes to any of the files; vdbench stays with one for some I/Os";
            reading.note(&select_place, text);
            Some((Pattern::Uniform, FileChoice::Random))
        }
    }
}

/// Outstanding I/Os of each workload: its threads are shared by its files, not multiplied by them.
pub(super) fn threads(reading: &mut Reading<'_>, run: &Run<'_>) -> Option<Vec<f64>> {
    let mut all = Vec::new();
    for (_, work, _) in &run.works {
        let mut sources = vec![run.run];
        sources.extend(work);
        all.push(match speaker(&sources, "threads") {
            Some(source) => source.read(reading, "threads", number)?.max(1.0),
            None => 1.0,
        });
    }
    Some(all)
}
