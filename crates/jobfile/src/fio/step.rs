//! Common parts of the jobs of one step: files, and spans of time as written.

use std::collections::HashMap;
use std::time::Duration;

use experiment::{BlockEngine, Size, Span, WHOLE};

use super::load::Load;

/// The assumed size of a job without storage that names none.
const PRETENDED: Size = Size(1 << 30);
/// The files of a step, each once.
pub(super) struct Files<'l> {
    /// Empty when fio would have made up all of them.
    pub(super) paths: Vec<String>,
    pub(super) count: u32,
    pub(super) size: Size,
    /// The number of each, from 1.
    numbers: HashMap<&'l str, u32>,
}

impl<'l> Files<'l> {
    /// Those of all jobs; `sizes` are in bytes.
    pub(super) fn of(step: &'l [Load<'_>], sizes: &HashMap<&str, u64>) -> Files<'l> {
        let mut names: Vec<&str> = Vec::new();
        let targets = || step.iter().flat_map(|load| load.place.clones.iter().flatten());
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        for target in targets() {
            numbers.entry(&target.path).or_insert_with(|| {
                names.push(&target.path);
                names.len() as u32
            });
        }
        let is_named = targets().any(|target| target.is_named);
        let directory = |name: &'l str| name.rsplit_once('/').map(|(directory, _)| directory);
        let one_directory = names.windows(2).all(|pair| directory(pair[0]) == directory(pair[1]));
        let all: Option<Vec<u64>> = names.iter().map(|name| sizes.get(name).copied()).collect();
        let largest = all.and_then(|all| all.into_iter().max());
        // Whole blocks, so that the last one takes direct I/O on any device.
        let size = largest.map_or(WHOLE, |bytes| Size(bytes.next_multiple_of(4096)));
        let bottomless = step.iter().all(|load| load.engine == BlockEngine::Null);
        let size = if bottomless && size == WHOLE { PRETENDED } else { size };
        let by_name = (is_named || !one_directory) && !bottomless;
        Files {
            paths: if by_name { names.iter().map(|name| (*name).to_owned()).collect() } else { Vec::new() },
            count: names.len() as u32,
            size: if by_name && names.iter().all(|name| name.starts_with("/dev/")) { WHOLE } else { size },
            numbers,
        }
    }

    /// The number of a file, from 1.
    pub(super) fn number(&self, path: &str) -> u32 {
        self.numbers.get(path).copied().unwrap_or(1)
    }
}

/// So many seconds.
pub(super) fn span(seconds: f64) -> Span {
    // Nanoseconds that decimal fractions of seconds do not have are no part of the written value.
    Span(Duration::from_micros((seconds * 1e6).round() as u64))
}
