//! The inputs of `fuzz/corpus`, and odd ones made from them, for a parser in an ordinary test: what libFuzzer
//! once found stays mended without a build of its own.

use std::fs;
use std::path::Path;

use ground::Random;

/// The inputs that libFuzzer kept, a folder for each target.
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus");
/// Odd inputs for each target.
const TRIALS: usize = 500;
/// Changes of one input, at most, and bytes of one change.
const CHANGES_MOST: usize = 4;
const CHANGE_BYTES_MOST: usize = 48;

/// Gives a parser every input that `fuzz/corpus` has for the target of this name, then odd ones made from
/// them at random. The seed is printed, and so is an input that makes the parser panic.
///
/// # Panics
/// When there is no input for that target, or `DRIVETRAIN_SEED` is no number.
pub fn odd_inputs(target: &str, mut parser: impl FnMut(&[u8])) {
    let corpus = corpus(target);
    assert!(!corpus.is_empty(), "{CORPUS}/{target} is empty");
    let mut give = |bytes: &[u8]| {
        let _told = ToldOnPanic(bytes);
        parser(bytes);
    };
    corpus.iter().for_each(|bytes| give(bytes));
    let mut random = Random::new(crate::seed());
    for _ in 0..TRIALS {
        give(&odd(&corpus, &mut random));
    }
}

/// The inputs of a target, by the names of their files.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(CORPUS).join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("it can be read")).collect()
}

/// One of them with a few changes.
fn odd(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut below = |limit: usize| (random.next_u64() % limit.max(1) as u64) as usize;
    let mut bytes = corpus[below(corpus.len())].clone();
    for _ in 0..=below(CHANGES_MOST) {
        let at = below(bytes.len() + 1);
        let end = (at + below(CHANGE_BYTES_MOST)).min(bytes.len());
        match below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << below(8),
            1 if at < bytes.len() => bytes[at] = below(256) as u8,
            2 => drop(bytes.drain(at..end)),
            3 => bytes.extend_from_within(at..end),
            4 => bytes.truncate(at),
            _ => {
                let other = &corpus[below(corpus.len())];
                let from = below(other.len() + 1);
                let to = (from + below(CHANGE_BYTES_MOST)).min(other.len());
                drop(bytes.splice(at..end, other[from..to].iter().copied()));
            }
        }
    }
    bytes
}

/// Prints the input when the parser panics.
struct ToldOnPanic<'a>(&'a [u8]);

impl Drop for ToldOnPanic<'_> {
    #[allow(clippy::print_stdout)] // The harness keeps it for the tests that fail.
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("the input: \"{}\"", self.0.escape_ascii());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_is_given_and_odd_ones_after_them() {
        let mut given: Vec<Vec<u8>> = Vec::new();
        odd_inputs("units", |bytes| given.push(bytes.to_vec()));
        let corpus = corpus("units");
        assert_eq!(given.len(), corpus.len() + TRIALS);
        assert_eq!(given[..corpus.len()], corpus[..]);
        let odd = given[corpus.len()..].iter().filter(|bytes| !corpus.contains(bytes)).count();
        assert!(odd > TRIALS / 2, "{odd} of {TRIALS} are new");
    }
}
