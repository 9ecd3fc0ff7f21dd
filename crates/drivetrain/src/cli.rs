//! The command line as types: the options of every verb. The verbs are in `verbs.rs`, the arguments of each
//! in its file.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::Parser;
use words::Engine;

use crate::console::Color;
use crate::language;
use crate::verbs::Verb;

/// The features of the build and their words in the answer to `--version`.
const FEATURES: [(&str, bool, &str); 3] = [
    ("parquet", cfg!(feature = "parquet"), "; exports: Parquet"),
    ("mpi", cfg!(feature = "mpi"), "; fleets: MPI"),
    ("otlp", cfg!(feature = "otlp"), "; metrics: OTLP"),
];

/// The answer to `--version`; `-V` prints the version alone.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let servers: Vec<&str> = Engine::servers().map(Engine::title).collect();
    let added = FEATURES.iter().filter(|(_, is_built_in, _)| *is_built_in).map(|(_, _, told)| *told);
    [
        concat!(env!("CARGO_PKG_VERSION"), "\ncommit: ", env!("DRIVETRAIN_COMMIT")),
        concat!("\ntarget: ", env!("DRIVETRAIN_TARGET"), "\nfeatures: SQLite built in; servers: "),
        &servers.join(", "),
        "; modelled drives: SQLite VFS, FUSE; block: io_uring",
    ]
    .into_iter()
    .chain(added)
    .collect()
});

/// Measures the effect of storage on a database: one honest comparison, from drive to transaction.
#[derive(Debug, Parser)]
#[command(name = "drivetrain", version, long_version = VERSION.as_str(), disable_help_subcommand = true, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,

    /// The notebook: one SQLite file that keeps every run
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "DRIVETRAIN_NOTEBOOK",
        default_value = "drivetrain.db"
    )]
    pub(crate) notebook: PathBuf,

    /// Print exactly one JSON document on stdout and nothing else; its texts are English in every language
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// No progress on stderr
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    /// Colours on the terminal (NO_COLOR is respected)
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,

    /// Language of reports, verdicts, tables and pages; without it that of LANG
    #[arg(
        long,
        global = true,
        value_name = "LANGUAGE",
        env = "DRIVETRAIN_LANGUAGE",
        value_parser = language::parse,
        help = language::HELP.as_str()
    )]
    pub(crate) language: Option<language::Wanted>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_tells_every_feature_of_the_build() {
        let manifest = include_str!("../Cargo.toml").split_once("[features]\n").unwrap().1;
        let lines = manifest.split("\n\n").next().unwrap().lines();
        let names: Vec<&str> = lines.filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
        assert_eq!(names, FEATURES.map(|(name, ..)| name));
        for (name, is_built_in, told) in FEATURES {
            assert_eq!(VERSION.contains(told), is_built_in, "{name}: {}", VERSION.as_str());
        }
    }
}
