//! The I/O of the storage under a bed, second by second, of all programs.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use words::{Latency, Metric, Statistic};

use database::Backing;
use device::Traffic;
use emulate::EmulatedDrive;
use host::{Beat, Usage};
use measure::Series;

use crate::metrics::{self, Metrics, one};
use crate::watch::server::is_drive;

/// The step of all series.
pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// Reads the counters of drives at a steady beat.
pub(crate) struct Meter {
    beat: Arc<Beat>,
    thread: Option<JoinHandle<Vec<Sample>>>,
}

/// The counters at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    at_s: f64,
    drive: Traffic,
    /// A counter of somebody else's: bytes that a backup has written.
    progress: u64,
    host: host::Counters,
}

/// The readings.
pub(crate) struct Seen {
    samples: Vec<Sample>,
}

impl Meter {
    /// Starts now. Modelled drives count their own operations; of real storage the host's drives are read,
    /// other programs' I/O included. `progress` is read along with them.
    pub(crate) fn start(backings: &[&Backing], progress: impl Fn() -> u64 + Send + 'static) -> Self {
        let drives = distinct(backings);
        let beat = Arc::new(Beat::every(SECOND));
        let (on, begun) = (Arc::clone(&beat), Arc::clone(&beat));
        let sample = move || {
            let host = host::Counters::read().ok()?;
            let drive = traffic(&drives, &host);
            Some(Sample { at_s: begun.seconds(), drive, progress: progress(), host })
        };
        // The first sample is taken here: events after this call are counted.
        let mut samples: Vec<Sample> = sample().into_iter().collect();
        let thread = std::thread::spawn(move || {
            on.each(|| samples.extend(sample()));
            samples
        });
        Self { beat, thread: Some(thread) }
    }

    /// Seconds since the start: the clock of the cell.
    pub(crate) fn now_s(&self) -> f64 {
        self.beat.seconds()
    }

    /// Takes a last sample and gives all.
    pub(crate) fn stop(mut self) -> Seen {
        self.beat.stop();
        let samples = self.thread.take().and_then(|thread| thread.join().ok());
        // The thread only reads; had it panicked, there would be nothing to show.
        Seen { samples: samples.unwrap_or_default() }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.beat.stop();
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

fn traffic(drives: &[Arc<EmulatedDrive>], host: &host::Counters) -> Traffic {
    let mut all = Traffic::default();
    if drives.is_empty() {
        of_host(host).for_each(|(_, drive)| all.add_all(&drive));
    } else {
        drives.iter().for_each(|drive| all.add_all(&drive.traffic()));
    }
    all
}

/// The host's drives by their names, all of them: a bed's files may lie on several.
pub(crate) fn of_host(host: &host::Counters) -> impl Iterator<Item = (&str, Traffic)> {
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
        let host: Vec<host::Counters> = self.samples.iter().map(|sample| sample.host.clone()).collect();
        series.push(metrics::cpu_idle(&host));
        series
    }

    /// Growth per second; a counter that begins anew grows by its value.
    fn rate(&self, metric: Metric, of: impl Fn(&Sample) -> f64) -> Series {
        let steps = self.samples.windows(2).map(|pair| {
            let grown = of(&pair[1]) - of(&pair[0]);
            let grown = if grown < 0.0 { of(&pair[1]) } else { grown };
            grown / (pair[1].at_s - pair[0].at_s).max(1e-3)
        });
        one(metric, whole_seconds(steps))
    }

    /// Mean time of an operation in each second, ms; a gap where there was none.
    fn quotient(&self, metric: Metric, of: impl Fn(&Sample) -> (u64, u64)) -> Series {
        let steps = self.samples.windows(2).map(|pair| {
            let ((ns_0, count_0), (ns_1, count_1)) = (of(&pair[0]), of(&pair[1]));
            match count_1.saturating_sub(count_0) {
                0 => f64::NAN,
                count => ns_1.saturating_sub(ns_0) as f64 / count as f64 / 1e6,
            }
        });
        one(metric, whole_seconds(steps))
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

/// Without the last step, which is no whole second; unless it is the only one.
pub(crate) fn whole_seconds(steps: impl ExactSizeIterator<Item = f64>) -> impl ExactSizeIterator<Item = f64> {
    let whole = steps.len().saturating_sub(1).max(1);
    steps.take(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modelled_drive_counts_what_reaches_it() {
        let drive = EmulatedDrive::new("free", &device::DriveSpec::free(), 0);
        let backing = Backing::Emulated(Arc::clone(&drive));
        let meter = Meter::start(&[&backing, &backing], || 7);
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
