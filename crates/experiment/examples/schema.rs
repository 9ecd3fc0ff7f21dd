//! Prints the JSON Schema of the experiment file, for `cargo xtask schema`.

#![allow(clippy::print_stdout)] // A command line program: its answer goes to stdout.

fn main() {
    println!("{:#}", experiment::json_schema());
}
