//! The storage of a bed in use, whatever its kind, with objects (virtual disks) on it.

use device::Op;
use device::datastore::{Array, Datastore, DatastoreError, ObjectId};

use crate::bed::StoreSpec;

/// A virtual disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disk {
    object: Option<ObjectId>,
    /// The drive in an array of single drives, and the place on it.
    number: u32,
    first: u64,
    pub(crate) bytes: u64,
}

/// Storage in use.
pub(crate) enum Store {
    Datastore(Box<Datastore>),
    Array(Box<Array>),
}

impl Store {
    pub(crate) fn new(spec: &StoreSpec, seed: u64) -> Result<Store, device::SpecError> {
        Ok(match spec {
            StoreSpec::Datastore(spec) => Store::Datastore(Box::new(Datastore::new(spec, seed)?)),
            StoreSpec::Array(spec) => Store::Array(Box::new(Array::new(spec, seed)?)),
        })
    }

    /// Makes a disk for machine `machine`; `first` is where it begins on an array, which has no placement of
    /// its own.
    pub(crate) fn disk(&mut self, machine: u32, first: u64, bytes: u64) -> Result<Disk, DatastoreError> {
        let object = match self {
            Store::Datastore(store) => Some(store.create(bytes)?),
            Store::Array(_) => None,
        };
        Ok(Disk { object, number: machine, first, bytes })
    }

    /// When an operation of a machine on `host` completes.
    pub(crate) fn submit(
        &mut self,
        now_ns: u64,
        host: u32,
        disk: Disk,
        op: Op,
    ) -> Result<u64, DatastoreError> {
        match (self, disk.object) {
            (Store::Datastore(store), Some(object)) => store.submit(now_ns, host, object, op),
            (Store::Datastore(_), None) => Ok(now_ns),
            (Store::Array(array), _) => {
                let (moved, offset) = match op {
                    Op::Read { offset, len } => (Op::Read { offset: disk.first + offset, len }, offset),
                    Op::Write { offset, len } => (Op::Write { offset: disk.first + offset, len }, offset),
                    Op::Flush => (op, 0),
                };
                array
                    .submit(now_ns, disk.number, moved)
                    .ok_or(DatastoreError::Lost { object: disk.number as usize, offset })
            }
        }
    }

    pub(crate) fn hasten(&mut self, factor: f64) {
        if let Store::Datastore(store) = self {
            store.hasten(factor);
        }
    }
}
