//! The I/O of the storage under a bed, second by second, of all programs.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use words::{Latency, Metric, Statistic};

use database::Backing;
use device::Traffic;
use emulate::EmulatedDrive;
use host::{Counters, Follower, Sampler, Usage};
use measure::Series;

use crate::metrics::{self, Metrics, one};
use crate::watch::server::is_drive;
use crate::watch::steps::Steps;

/// The step of all series.
pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// Reads the counters of drives second by second.
pub(crate) struct Meter {
    follower: Arc<Follower>,
    thread: Option<JoinHandle<Vec<Sample>>>,
}

/// The counters at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    at_ns: u64,
    drive: Traffic,
    /// A counter of somebody else's: bytes that a backup has written.
    progress: u64,
    host: Counters,
}

/// The readings.
pub(crate) struct Seen {
    samples: Vec<Sample>,
}

impl Meter {
    /// Starts now. Modelled drives count their own operations; of real storage the host's drives are read,
    /// other programs' I/O included. `progress` is read along with them.
    pub(crate) fn start(
        sampler: &Sampler,
        backings: &[&Backing],
        progress: impl Fn() -> u64 + Send + 'static,
    ) -> Self {
        let drives = distinct(backings);
        let follower = Arc::new(sampler.follow());
        let on = Arc::clone(&follower);
        let sample = move |on: &Follower, host: Counters| {
            let drive = traffic(&drives, &host);
            // Another follower may have read the host's counters a moment ago.
            let at_ns = if drives.is_empty() { host.at_ns } else { on.now_ns() };
            Sample { at_ns, drive, progress: progress(), host }
        };
        // The first sample is taken here: events after this call are counted.
        let mut samples: Vec<Sample> =
            follower.first().into_iter().map(|host| sample(&follower, host.clone())).collect();
        let thread = std::thread::spawn(move || {
            on.each(|host| samples.push(sample(&on, host)));
            samples
        });
        Self { follower, thread: Some(thread) }
    }

    /// Seconds since the start: the clock of the cell.
    pub(crate) fn now_s(&self) -> f64 {
        self.follower.seconds()
    }

    /// Takes a last sample and gives all.
    pub(crate) fn stop(mut self) -> Seen {
        self.follower.stop();
        let samples = self.thread.take().and_then(|thread| thread.join().ok());
        // The thread only reads; had it panicked, there would be nothing to show.
        Seen { samples: samples.unwrap_or_default() }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.follower.stop();
    }
}

/// The modelled drives among `backings`, each once.
fn distinct(backings: &[&Backing]) -> Vec<Arc<EmulatedDrive>> {
    let mut drives: Vec<Arc<EmulatedDrive>> = Vec::new();
    for backing in backings {
        if let Backing::Emulated(drive) = backing
            && !drives.iter().any(|known| Arc::ptr_eq(known, drive))
        {
            drives.push(Arc::clone(drive));
        }
    }
    drives
}

fn traffic(drives: &[Arc<EmulatedDrive>], host: &Counters) -> Traffic {
    let mut all = Traffic::default();
    if drives.is_empty() {
        of_host(host).for_each(|(_, drive)| all.add_all(&drive));
    } else {
        drives.iter().for_each(|drive| all.add_all(&drive.traffic()));
    }
    all
}

/// The host's drives by their names, all of them: a bed's files may lie on several.
pub(crate) fn of_host(host: &Counters) -> impl Iterator<Item = (&str, Traffic)> {
    let names: Vec<&str> = host.disks.iter().map(|disk| disk.name.as_str()).collect();
    let drives = host.disks.iter().filter(move |disk| is_drive(&disk.name, &names));
    drives.map(|disk| {
        let traffic = Traffic {
            reads: disk.reads,
            read_bytes: disk.read_bytes,
            read_ns: disk.read_ns,
            writes: disk.writes,
            write_bytes: disk.write_bytes,
            write_ns: disk.write_ns,
            busy_ns: disk.busy_ns,
            busy_until_ns: 0,
        };
        (disk.name.as_str(), traffic)
    })
}

impl Seen {
    /// The series of the drives and of the processors, and of `progress` under that name in MB/s.
    pub(crate) fn series(&self, progress: Option<Metric>) -> Vec<Series> {
        let mut series = vec![
            self.rate(Metric::DriveReads, |s| s.drive.reads as f64),
            self.rate(Metric::DriveWrites, |s| s.drive.writes as f64),
            self.rate(Metric::ReadBandwidth, |s| s.drive.read_bytes as f64 / 1e6),
            self.rate(Metric::WriteBandwidth, |s| s.drive.write_bytes as f64 / 1e6),
            self.quotient(Metric::Latency(Latency::DriveRead, Statistic::Mean), |s| {
                (s.drive.read_ns, s.drive.reads)
            }),
            self.quotient(Metric::Latency(Latency::DriveWrite, Statistic::Mean), |s| {
                (s.drive.write_ns, s.drive.writes)
            }),
        ];
        series.extend(progress.map(|name| self.rate(name, |s| s.progress as f64 / 1e6)));
        let host: Vec<Counters> = self.samples.iter().map(|sample| sample.host.clone()).collect();
        series.push(metrics::cpu_idle(&host));
        series
    }

    /// Growth per second; a counter that begins anew grows by its value.
    fn rate(&self, metric: Metric, of: impl Fn(&Sample) -> f64) -> Series {
        one(metric, self.steps().rates(self.grown(of)).into_iter())
    }

    /// Mean time of an operation in each second, ms; a gap where there was none.
    fn quotient(&self, metric: Metric, of: impl Fn(&Sample) -> (u64, u64)) -> Series {
        let (ms, count) = (self.grown(|s| of(s).0 as f64 / 1e6), self.grown(|s| of(s).1 as f64));
        one(metric, self.steps().quotients(ms, count).into_iter())
    }

    fn steps(&self) -> Steps {
        Steps::between(self.samples.iter().map(|sample| sample.at_ns))
    }

    /// The growth from each sample to the next.
    fn grown(&self, of: impl Fn(&Sample) -> f64) -> impl Iterator<Item = f64> {
        self.samples.windows(2).map(move |pair| {
            let grown = of(&pair[1]) - of(&pair[0]);
            if grown < 0.0 { of(&pair[1]) } else { grown }
        })
    }

    /// Adds the totals of the whole time.
    ///
    /// `of_load` is the use of the processors while the load was measured; without it that of the whole time
    /// counts. Bytes that reached the drives (the write history of the cell), and the cost of this process
    /// itself.
    pub(crate) fn add_totals(&self, metrics: &mut Metrics, of_load: Option<&Usage>) {
        let (Some(first), Some(last)) = (self.samples.first(), self.samples.last()) else { return };
        let grown = |of: fn(&Traffic) -> u64| of(&last.drive).saturating_sub(of(&first.drive)) as f64;
        metrics.add(Metric::ReadBytes, grown(|t| t.read_bytes));
        metrics.add(Metric::WrittenBytes, grown(|t| t.write_bytes));
        metrics.add(Metric::Reads, grown(|t| t.reads));
        metrics.add(Metric::Writes, grown(|t| t.writes));
        let usage = last.host.since(&first.host);
        metrics.add_processors(of_load.unwrap_or(&usage));
        let machine_ns = usage.elapsed_ns as f64 * f64::from(last.host.cpu.cpus.max(1));
        let own_ns = (usage.own.user_ns + usage.own.system_ns) as f64;
        metrics.add(Metric::OwnCpu, own_ns / machine_ns.max(1.0) * 100.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modelled_drive_counts_what_reaches_it() {
        let drive = EmulatedDrive::new("free", &device::DriveSpec::free(), 0);
        let backing = Backing::Emulated(Arc::clone(&drive));
        let sampler = Sampler::new(host::CounterSource::Machine, &ground::Clock::Wall, SECOND);
        let meter = Meter::start(&sampler, &[&backing, &backing], || 7);
        drive.charge(device::Op::Write { offset: 0, len: 8192 }, 0);
        drive.charge(device::Op::Read { offset: 0, len: 4096 }, 0);
        let seen = meter.stop();
        let mut metrics = Metrics::default();
        seen.add_totals(&mut metrics, None);
        let value = |name: &str| metrics.0.iter().find(|m| m.metric == name).map(|m| m.value);
        assert_eq!((value("written_bytes"), value("read_bytes")), (Some(8192.0), Some(4096.0)));
        assert!(seen.series(Some(Metric::BackupRate)).iter().any(|series| series.metric == "backup_rate"));
    }
}
