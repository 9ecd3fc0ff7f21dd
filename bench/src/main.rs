//! Comparisons with peers: each bench runs ours and a peer in turn, on the same machine and data, and prints
//! ratios.
//!
//! `cargo run --release -p bench -- NAME [--smoke] [--pairs N] [--seconds S] [--dir PATH] [--quiet]`

#![allow(clippy::print_stdout, clippy::print_stderr)] // A command line program: its answer goes to stdout.

mod block;
mod builds;
mod fastest;
mod fleet;
mod fuse;
mod gather;
mod keep;
mod load;
mod machine;
mod operations;
mod options;
mod pairs;
mod record;
mod serve;
mod servers;
mod simulate;
mod submit;
mod sysbench;
mod vfs;

use std::process::ExitCode;

use options::Options;

/// A bench by name, with what it compares.
type Bench = (&'static str, &'static str, fn(&Options) -> anyhow::Result<String>);

const BENCHES: &[Bench] = &[
    ("block", "the block load engine with fio: null engine and io_uring", block::run),
    ("fuse", "mounted drives with the model, and a free one with the bare directory", fuse::run),
    ("fleet", "a fleet of one with the plain run, and four ranks with one process on one server", fleet::run),
    ("gather", "the gathering of a cell of 64 ranks with its goals of time and memory", gather::run),
    ("load", "loading order entry into SQLite with the rate that is promised", load::run),
    (
        "operations",
        "backups with the tool by hand, clones with cp, and the cost of many servers at once",
        operations::run,
    ),
    ("record", "the cost of an event in a histogram, in a timeline and in both", record::run),
    (
        "serve",
        "the page of a run with a run without one, and pages of 2,000 runs with their goals",
        serve::run,
    ),
    ("sysbench", "the sysbench workload with sysbench, on PostgreSQL and MariaDB", sysbench::run),
    ("servers", "order entry on PostgreSQL and MariaDB with figures of go-tpc", servers::run),
    (
        "simulate",
        "the Kingston tests in virtual time with the three minutes that they may take",
        simulate::run,
    ),
    ("submit", "operations per second of the drive model with its goal", submit::run),
    ("vfs", "times seen by SQLite on a modelled drive with the model's own", vfs::run),
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    match name.as_str() {
        "keep" => return ended(&name, keep::run(&arguments.collect::<Vec<_>>())),
        gather::RANK => return ended(&name, gather::rank(&arguments.collect::<Vec<_>>())),
        "builds" => return ended(&name, builds::run(&arguments.collect::<Vec<_>>())),
        _ => (),
    }
    let Some((_, _, run)) = BENCHES.iter().find(|(known, ..)| *known == name) else {
        eprintln!("usage: bench NAME {}\n", options::USAGE);
        BENCHES.iter().for_each(|(name, about, _)| eprintln!("  {name:10} compares {about}"));
        eprintln!("\n{}", builds::USAGE);
        return ExitCode::from(2);
    };
    let options = match Options::parse(arguments) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("bench: {error}");
            return ExitCode::from(2);
        }
    };
    ended(&name, run(&options))
}

/// Prints the report, or why there is none.
fn ended(name: &str, report: anyhow::Result<String>) -> ExitCode {
    match report {
        Ok(report) => {
            print!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("bench {name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
