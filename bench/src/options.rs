//! Options that every bench understands.

use std::path::PathBuf;

/// The syntax of the options.
pub(crate) const USAGE: &str = "[--smoke] [--pairs N] [--seconds S] [--dir PATH] [--quiet]";

/// The duration and the place of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    /// Only check that everything works: one short pair on little data; the figures mean nothing.
    pub(crate) smoke: bool,
    /// Interleaved pairs of runs, ours and the peer's.
    pub(crate) pairs: usize,
    /// Length of one run.
    pub(crate) seconds: f64,
    /// Keep only pairs during which other processes left the machine alone.
    pub(crate) quiet: bool,
    /// Directory for data, on the storage to be used.
    pub(crate) dir: PathBuf,
}

impl Options {
    /// Reads the arguments after the bench's name.
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> anyhow::Result<Options> {
        let mut options =
            Options { smoke: false, pairs: 5, seconds: 5.0, quiet: false, dir: PathBuf::from(".") };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || {
                arguments
                    .next()
                    .ok_or_else(|| anyhow::anyhow!("{argument} needs a value; usage: bench NAME {USAGE}"))
            };
            match argument.as_str() {
                "--smoke" => options.smoke = true,
                "--quiet" => options.quiet = true,
                "--pairs" => options.pairs = value()?.parse()?,
                "--seconds" => options.seconds = value()?.parse()?,
                "--dir" => options.dir = PathBuf::from(value()?),
                _ => anyhow::bail!("unknown option {argument}; usage: bench NAME {USAGE}"),
            }
        }
        if options.smoke {
            options.pairs = 1;
            options.seconds = 0.3;
        }
        anyhow::ensure!((1..=1000).contains(&options.pairs), "--pairs {}: use 1 to 1000", options.pairs);
        anyhow::ensure!(
            (0.1..=3600.0).contains(&options.seconds),
            "--seconds {}: use 0.1 to 3600",
            options.seconds
        );
        Ok(options)
    }

    /// For a smoke run in a test: one pair of this many seconds.
    #[cfg(test)]
    pub(crate) fn for_test(seconds: f64, dir: &std::path::Path) -> Options {
        Options { smoke: true, pairs: 1, seconds, quiet: false, dir: dir.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Options> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read_and_bad_ones_named() {
        let options = parse("--pairs 7 --seconds 2.5 --dir /mnt/x").unwrap();
        assert_eq!((options.pairs, options.seconds, options.dir), (7, 2.5, PathBuf::from("/mnt/x")));
        assert_eq!(parse("--smoke").unwrap().pairs, 1);
        assert!(parse("--pairs").unwrap_err().to_string().contains("--pairs needs a value"));
        assert!(parse("--bogus").unwrap_err().to_string().contains("--bogus"));
        assert!(parse("--pairs 0").is_err());
        assert!(parse("--seconds nan").is_err());
    }
}
