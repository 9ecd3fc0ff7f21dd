//! The use of the machine's processors and of a drive, also by other programs, while a load without a
//! database ran.

use std::path::Path;

use host::{CounterSource, Counters, Usage};

use super::limiter::Processors;
use crate::world::World;

/// The counters of the machine at the beginning of a load.
#[derive(Debug)]
pub struct Bystanders {
    source: CounterSource,
    first: Option<Counters>,
}

impl Bystanders {
    /// Begins now. Nothing is known at the end where the machine's counters cannot be read, or in virtual
    /// time, in which no program waits for another.
    #[must_use]
    pub fn since_now(world: &World) -> Bystanders {
        Bystanders { source: world.counters, first: world.counters.read() }
    }

    /// The bytes per second that other programs moved to and from the drive, of which this process moved the
    /// rest.
    #[must_use]
    pub(crate) fn drive_bytes_per_s(&self, drive: &DriveShare) -> Option<f64> {
        let (first, last) = (self.first.as_ref()?, self.source.read()?);
        let all =
            |counters: &Counters| counters.disk(&drive.name).map(|disk| disk.read_bytes + disk.write_bytes);
        let moved_bytes = all(&last)?.saturating_sub(all(first)?);
        let own_bytes = self.source.own_io_bytes()?.saturating_sub(drive.own_bytes);
        let elapsed_s = last.at_ns.saturating_sub(first.at_ns) as f64 / 1e9;
        (elapsed_s > 0.0).then(|| moved_bytes.saturating_sub(own_bytes) as f64 / elapsed_s)
    }

    /// The use of the processors since the beginning. What was neither idle nor ours is of others: the load,
    /// the kernel on its behalf and a modelled drive work in this process.
    #[must_use]
    pub fn processors(&self) -> Option<Processors> {
        let first = self.first.as_ref()?;
        let last = self.source.read()?;
        beside_ours(&last.since(first), last.cpu.cpus)
    }
}

/// The drive below a path, and what this process had moved when a load began.
#[derive(Debug)]
pub(crate) struct DriveShare {
    name: String,
    own_bytes: u64,
}

impl DriveShare {
    /// Begins now; `None` where the path is on no drive of this machine, or without the machine.
    pub(crate) fn since_now(path: &Path, world: &World) -> Option<DriveShare> {
        if !world.has_machine() {
            return None;
        }
        let name = host::under(path).remove("device")?;
        Some(DriveShare { name, own_bytes: world.counters.own_io_bytes()? })
    }
}

fn beside_ours(usage: &Usage, processors: u32) -> Option<Processors> {
    let all_ns = usage.elapsed_ns as f64 * f64::from(processors.max(1));
    let (busy, ours_ns) = (usage.cpu.busy(), (usage.own.user_ns + usage.own.system_ns) as f64);
    // The counters of the machine go in steps of 10 ms, those of a process in finer ones.
    let others = |ours: f64| if busy > 0.0 { (1.0 - ours / busy).clamp(0.0, 1.0) } else { 0.0 };
    (all_ns > 0.0).then(|| Processors {
        idle: usage.cpu.idle + usage.cpu.iowait,
        busy,
        steal: usage.cpu.steal,
        // The generator's own time is counted by its workers.
        client: 0.0,
        others: Some(others(ours_ns / all_ns)),
        are_elsewhere: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_others_is_the_busy_time_without_our_own() {
        let mut usage = Usage { elapsed_ns: 1_000_000_000, ..Usage::default() };
        let share_of = |usage: &Usage| beside_ours(usage, 2).map(|used| used.others_of_all());
        assert_eq!(share_of(&usage), Some(0.0), "an idle machine");
        (usage.cpu.user, usage.cpu.system) = (0.5, 0.25);
        (usage.own.user_ns, usage.own.system_ns) = (400_000_000, 100_000_000);
        assert_eq!(share_of(&usage), Some(0.5), "half a processor of two is ours");
        usage.own.user_ns = 1_900_000_000;
        assert_eq!(share_of(&usage), Some(0.0), "steps of the counters are nobody's");
        assert_eq!(share_of(&Usage::default()), None);
    }

    #[test]
    fn virtual_time_has_no_bystanders() {
        let world = World::of(ground::Clock::virtual_from(std::time::SystemTime::UNIX_EPOCH));
        assert_eq!(Bystanders::since_now(&world).processors(), None);
        assert!(DriveShare::since_now(Path::new("."), &world).is_none());
    }
}
