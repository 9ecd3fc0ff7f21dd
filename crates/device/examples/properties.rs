//! Prints the table of a drive's independent properties, for `cargo xtask schema`.

#![allow(clippy::print_stdout)] // A command line program: its answer goes to stdout.

fn main() {
    print!("{}", device::catalogue::properties());
}
