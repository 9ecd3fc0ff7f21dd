//! The cost of the emulation layer on each bed's storage, measured before the first cell: a faster drive
//! cannot be shown.

use std::collections::BTreeMap;
use words::{Beyond, say};

use emulate::fuse::Transport;
use notebook::Notebook;

use crate::bed::ready::Unready;
use crate::conductor::Conductor;
use crate::error::LabError;
use crate::event::Event;
use crate::plan::supported;
use crate::storage::drives;

impl Conductor<'_> {
    /// The overhead of the emulation layer on each emulated bed's directory: stored with every result, since
    /// a drive faster than it cannot be shown.
    pub(crate) fn measure_floors(
        &self,
        notebook: &mut Notebook,
        unready: &mut Unready,
    ) -> Result<(), LabError> {
        for (number, (bed, drives)) in self.experiment.bed.iter().zip(&self.drives).enumerate() {
            let drives::DriveChoice::Emulated(entry) = &drives.data else { continue };
            let root = self.work.root(bed);
            let measured = if supported::is_mounted(self.experiment, bed) {
                emulate::fuse::measure_floor(&root, &entry.spec)
            } else {
                emulate::measure_floor(&root).map(|floor| (floor, None, None))
            };
            let (floor, rehearsal, transport) = match measured {
                Ok(measured) => measured,
                Err(error) => {
                    unready.bed(number, LabError::Storage(error.to_string()));
                    continue;
                }
            };
            let mut facts = floor_facts(&floor);
            facts.extend(rehearsal.as_ref().map(rehearsal_facts).unwrap_or_default());
            facts.extend(transport.map(|way| ("transport".to_owned(), transport_in_words(way))));
            let rehearsed = rehearsal.iter().flat_map(emulate::fuse::Rehearsal::beyond);
            let beyond: Vec<Beyond> = floor.beyond(&entry.spec).into_iter().chain(rehearsed).collect();
            facts.extend(beyond.iter().flat_map(Beyond::facts));
            for (count, flag) in Beyond::sentences(&beyond).into_iter().enumerate() {
                facts.insert(format!("flag.{}", count + 1), flag.clone());
                self.observer.event(Event::Warning { text: say!("floor-flag", bed = bed.name, flag) });
            }
            notebook.add_fact_set(self.run, &format!("floor:{}", bed.name), &facts)?;
        }
        Ok(())
    }
}

fn floor_facts(floor: &emulate::Floor) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    for (name, of) in [("read", &floor.read), ("write", &floor.write), ("sync", &floor.sync)] {
        facts.insert(format!("{name}.p50_us"), format!("{:.1}", of.p50_ns as f64 / 1e3));
        facts.insert(format!("{name}.p99_us"), format!("{:.1}", of.p99_ns as f64 / 1e3));
        facts.insert(format!("{name}.mean_us"), format!("{:.1}", of.mean_ns / 1e3));
        facts.insert(format!("{name}.quiet_p50_us"), format!("{:.1}", of.quiet_p50_ns as f64 / 1e3));
        facts.insert(format!("{name}.quiet_p99_us"), format!("{:.1}", of.quiet_p99_ns as f64 / 1e3));
    }
    let idle =
        if emulate::idle_processors_stay_awake() { "kept awake" } else { "may sleep: waits end later" };
    facts.insert("idle_processors".to_owned(), idle.to_owned());
    facts
}

/// The way in which requests reach a mount.
fn transport_in_words(transport: Transport) -> String {
    match transport {
        Transport::Rings { rings, .. } => say!("mount-over-rings", rings),
        Transport::Device { threads } => say!("mount-over-device", threads),
    }
}

/// The facts of a mount's rehearsal, where its drive lets callers wait.
fn rehearsal_facts(rehearsal: &emulate::fuse::Rehearsal) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    for (name, way_ns) in ["read", "write", "sync"].iter().zip(rehearsal.ways_ns()) {
        facts.insert(format!("{name}.way_us"), format!("{:.1}", way_ns as f64 / 1e3));
    }
    for (kind, bytes, callers, way_ns) in
        rehearsal.table().filter(|(_, bytes, callers, _)| (*bytes, *callers) != (4096, 1))
    {
        let key = format!("{kind}.{}k.{callers}.way_us", bytes >> 10);
        facts.insert(key, format!("{:.1}", way_ns as f64 / 1e3));
    }
    facts.insert("most_operations_per_s".to_owned(), format!("{:.0}", rehearsal.most_per_second()));
    facts
}
