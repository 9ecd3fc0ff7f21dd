//! The common parts of this module's tests: databases of a few rows on a drive without cost.

use std::path::Path;

use database::sqlite::Sqlite;
use database::{Backing, Instance as _, InstanceSpec, Synchronous};
use device::DriveSpec;
use emulate::EmulatedDrive;

use super::{LoadOptions, Population, load};

/// An empty, running instance in `dir`.
pub(crate) fn empty(dir: &Path, memory_bytes: u64) -> Sqlite {
    let free = Backing::Emulated(EmulatedDrive::new("free", &DriveSpec::free(), 0));
    let spec = InstanceSpec {
        dir: dir.to_owned(),
        data: free.clone(),
        log: free,
        log_dir: None,
        memory_bytes,
        synchronous: Synchronous::Full,
        page_cache: false,
    };
    let mut instance = Sqlite::new(spec).unwrap();
    instance.start().unwrap();
    instance
}

/// The data that the tests load.
pub(crate) fn miniature(warehouses: u32, seed: u64) -> LoadOptions {
    LoadOptions { population: Population::MINIATURE, ..LoadOptions::new(warehouses, seed) }
}

/// A running instance in `dir` that is loaded in miniature.
pub(crate) fn loaded(dir: &Path, warehouses: u32) -> Sqlite {
    let instance = empty(dir, 16 << 20);
    load(&instance, &miniature(warehouses, 1), &|_| {}).unwrap();
    instance
}
