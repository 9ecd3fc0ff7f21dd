//! The command line as types: the options of every verb. The verbs are in `verbs.rs`, the arguments of each
//! in its file.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::Parser;
use words::Engine;

use crate::console::Color;
use crate::language;
use crate::verbs::Verb;

/// What is built in besides, by the features of the build.
#[cfg(feature = "parquet")]
macro_rules! parquet {
    () => {
        "; exports: Parquet"
    };
}
#[cfg(not(feature = "parquet"))]
macro_rules! parquet {
    () => {
        ""
    };
}
#[cfg(feature = "otlp")]
macro_rules! otlp {
    () => {
        "; metrics: OTLP"
    };
}
#[cfg(not(feature = "otlp"))]
macro_rules! otlp {
    () => {
        ""
    };
}

/// The answer to `--version`; `-V` prints the version alone.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let servers: Vec<&str> = Engine::servers().map(Engine::title).collect();
    [
        concat!(env!("CARGO_PKG_VERSION"), "\ncommit: ", env!("DRIVETRAIN_COMMIT")),
        concat!("\ntarget: ", env!("DRIVETRAIN_TARGET"), "\nfeatures: SQLite built in; servers: "),
        &servers.join(", "),
        concat!("; modelled drives: SQLite VFS, FUSE; block: io_uring", parquet!(), otlp!()),
    ]
    .concat()
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

    /// Language of reports, verdicts, tables and pages: en, id, ko or zh; without it that of LANG
    #[arg(long, global = true, value_name = "LANGUAGE", env = "DRIVETRAIN_LANGUAGE", value_parser = language::parse)]
    pub(crate) language: Option<language::Wanted>,
}
