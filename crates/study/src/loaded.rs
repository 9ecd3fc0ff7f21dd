//! The beds of an experiment as they are simulated, each with the load that its study put on it.

use std::collections::BTreeMap;

use device::catalogue::Entry;
use simulate::{BedSource, Load, LoadedBed, Window};

use crate::bed;
use crate::parameter::Values;
use crate::procedure::{Work, kingston, procedures};

impl BedSource for Values {
    fn named(
        &self,
        simulated: Option<&str>,
        published: Option<&str>,
        bed: &str,
    ) -> Result<Option<LoadedBed>, String> {
        let find = |name: &str| bed::find(name, self).map_err(|error| error.to_string());
        if let Some(name) = simulated {
            return Ok(Some(LoadedBed { bed: find(name)?, load: kingston(1), machines: None }));
        }
        let test = published.and_then(|name| published::test_of(name, bed));
        let procedure = test.and_then(|test| procedures(self).into_iter().find(|known| known.name == test));
        let Some(procedure) = procedure else { return Ok(None) };
        let load = match procedure.work {
            Work::OrderEntry(load) => load,
            _ => kingston(1),
        };
        let machines = Some(load.machines).filter(|&machines| machines > 1);
        let load = Load { machines: 1, ..load };
        Ok(Some(LoadedBed { bed: find(&procedure.bed)?, load, machines }))
    }

    fn of_drive(&self, drive: &Entry) -> Result<LoadedBed, String> {
        let bed = bed::of_drive(&drive.name, &drive.spec, drive.capacity_bytes, self)
            .map_err(|error| error.to_string())?;
        Ok(LoadedBed { bed, load: small(), machines: None })
    }

    fn parameters(&self) -> BTreeMap<String, String> {
        self.iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect()
    }
}

/// A machine of four processors, for beds that no study describes.
fn small() -> Load {
    Load {
        vcpus: 4,
        memory_bytes: 1 << 30,
        warehouses: 1,
        users: 1,
        window: Window::published(2, 10),
        ..kingston(1)
    }
}
