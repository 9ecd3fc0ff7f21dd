//! The present of the machine and of a cell's drives, second by second, for whoever watches.
//!
//! A second is a reading and no result: it covers whatever the cell does at that time, its reset and its
//! checks included, and on real storage the I/O of all programs. Results come from the samplers of the loads.

use device::Traffic;
use host::{Counters, Follower};

use crate::conductor::Conductor;
use crate::event::{DriveSecond, Event, Second};
use crate::order::CellKey;
use crate::storage::cell_drives::{CellDrives, Reading};
use crate::storage::drives::DriveChoice;
use crate::watch::meter::of_host;

/// The shortest time that is told as a second.
const LEAST_NS: u64 = 500_000_000;

/// Everything at one moment.
struct Moment {
    host: Counters,
    drives: Vec<Reading>,
}

impl Moment {
    /// The moment at which the host's counters were read.
    fn at(host: Counters, cell_drives: &CellDrives, on_host: bool) -> Self {
        let mut drives = cell_drives.readings();
        if on_host {
            drives.extend(of_host(&host).map(|(name, traffic)| Reading {
                name: name.to_owned(),
                is_log: false,
                is_modelled: false,
                traffic,
            }));
        }
        Self { host, drives }
    }

    fn drive(&self, like: &Reading) -> Option<&Reading> {
        self.drives.iter().find(|drive| {
            (&drive.name, drive.is_log, drive.is_modelled) == (&like.name, like.is_log, like.is_modelled)
        })
    }

    /// The event of the second from `before` to this moment; the cell began at `first`.
    fn event(&self, before: &Self, first: &Self) -> Event {
        let usage = self.host.since(&before.host);
        let seconds = usage.elapsed_ns as f64 / 1e9;
        let growth = |drive: &Reading, then: &Self| {
            // A drive that was not there has grown from nothing: it was made in this cell.
            let earlier = then.drive(drive).map_or_else(Traffic::default, |reading| reading.traffic);
            drive.traffic.since(&earlier)
        };
        let drives = self.drives.iter().map(|drive| DriveSecond {
            name: drive.name.clone(),
            is_log: drive.is_log,
            is_modelled: drive.is_modelled,
            second: growth(drive, before),
            so_far: growth(drive, first),
        });
        // Of a host with many drives, those that the cell does not touch say nothing.
        let drives = drives.filter(|drive| drive.is_modelled || drive.so_far != Traffic::default()).collect();
        Event::Second(Second { seconds, cpu_idle: usage.cpu.idle + usage.cpu.iowait, drives })
    }
}

/// Ends the seconds even if the cell panics: the thread that follows them would never end.
struct Ends<'a>(&'a Follower);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Does the work of a cell while its seconds are told. In virtual time there is no machine to read.
pub(crate) fn told_meanwhile<T>(conductor: &Conductor<'_>, key: CellKey, work: impl FnOnce() -> T) -> T {
    let drives = &conductor.drives[key.bed];
    conductor.cell_drives.clear();
    // A rank has nobody who watches its seconds.
    if !conductor.world.has_machine() || !conductor.world.membership.is_alone() {
        return work();
    }
    let on_host = [Some(&drives.data), drives.log.as_ref()]
        .into_iter()
        .flatten()
        .any(|drive| matches!(drive, DriveChoice::Real));
    let follower = conductor.sampler.follow();
    let first = follower.first().map(|host| Moment::at(host.clone(), &conductor.cell_drives, on_host));
    std::thread::scope(|scope| {
        scope.spawn(|| tell(conductor, on_host, &follower, first));
        let _ends = Ends(&follower);
        work()
    })
}

fn tell(conductor: &Conductor<'_>, on_host: bool, follower: &Follower, first: Option<Moment>) {
    let Some(first) = first else { return };
    let mut before = None;
    follower.each(|host| {
        let now = Moment::at(host, &conductor.cell_drives, on_host);
        let then = before.as_ref().unwrap_or(&first);
        // The last beat comes with the end of the cell: a part of a second says little.
        if now.host.at_ns.saturating_sub(then.host.at_ns) >= LEAST_NS {
            conductor.observer.event(now.event(then, &first));
            before = Some(now);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use database::Backing;
    use device::{DriveSpec, Op};
    use emulate::EmulatedDrive;

    use super::*;

    #[test]
    fn a_second_has_the_io_that_reached_the_drives_in_it() {
        let drives = CellDrives::default();
        let now = || Moment::at(Counters::read().unwrap(), &drives, false);
        let first = now();
        let free = |seed| EmulatedDrive::new("free", &DriveSpec::free(), seed);
        let (drive, other) = (free(0), free(1));
        let backing = Backing::Emulated(Arc::clone(&drive));
        drives.add_backings((&backing, &backing));
        drives.add_backings((&Backing::Emulated(other), &Backing::Real));
        drive.charge(Op::Write { offset: 0, len: 8192 }, 0);
        let then = now();
        drive.charge(Op::Read { offset: 0, len: 4096 }, 0);
        let last = now();
        let Event::Second(Second { drives: told, cpu_idle, .. }) = last.event(&then, &first) else {
            panic!("no second")
        };
        assert!((0.0..=1.0).contains(&cpu_idle), "{cpu_idle}");
        let names: Vec<&str> = told.iter().map(|drive| drive.name.as_str()).collect();
        assert_eq!(names, ["free", "free #2"], "data and log on one drive are told once");
        let of = |drive: &DriveSecond| (drive.second.reads, drive.second.writes, drive.so_far.write_bytes);
        assert_eq!((of(&told[0]), of(&told[1])), ((1, 0, 8192), (0, 0, 0)));
        drives.clear();
        assert!(now().drives.is_empty());
    }
}
