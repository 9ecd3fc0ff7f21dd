//! The load of a latency map on a modelled drive, in virtual time.

use device::{Drive, DriveSpec, Op};
use ground::Random;

use super::{Cell, LatencyMap, Percentiles};

/// Reads that a point measures; fewer, but no less than the second number, where that would take longer than
/// this virtual time.
const READS: usize = 4000;
const READS_LEAST: usize = 100;
const LONGEST_NS: f64 = 600e9;
/// Sequential writes of diskplorer's load.
const WRITE_BYTES: u32 = 131_072;
/// Reads of diskplorer's load.
const READ_BYTES: u32 = 512;
/// The span of the reads; writes go behind it.
const SPAN_BYTES: u64 = 1 << 40;
/// Time before the measurement: rates and queues settle. In operations at the highest rates of the map.
const WARM_UP_OPERATIONS: f64 = 1200.0;
const WARM_UP_NS: (f64, f64) = (6e6, 12e9);
/// The lowest read rate, as a share of the map's highest: fewer reads would never make a percentile.
const SLOWEST: f64 = 0.001;
/// The share of the operations due in the time of a measurement that a drive completes in it where it keeps
/// the load. A queue that grows by a twentieth of the load in so short a time has no end.
const KEPT_SHARE: f64 = 0.95;
/// By how many more or fewer may be under way at the end than at the beginning, whatever the load: beside
/// many reads a map has few writes.
const UNDER_WAY: f64 = 8.0;
/// Writes for each read, at most: with fewer reads a point would take hours, and its percentiles would be the
/// same.
const WRITES_PER_READ: f64 = 10_000.0;

/// Percentiles of the reads of a drive at one point of a map: reads at `reads_per_s` beside sequential writes
/// at `write_bytes_per_s`, both evenly paced. `highest` has the highest rates of the map. Very few reads are
/// made more, as [`paced_per_s`] says.
#[must_use]
pub fn replay(
    spec: &DriveSpec,
    (reads_per_s, write_bytes_per_s): (f64, f64),
    highest: (f64, f64),
    seed: u64,
) -> Percentiles {
    replay_all(spec, (reads_per_s, write_bytes_per_s), highest, seed).percentiles
}

/// One point of a map.
struct Replayed {
    percentiles: Percentiles,
    /// Reads and writes.
    work: [Work; 2],
}

/// Operations of one kind in the time of the measurement.
#[derive(Clone, Copy, Default)]
struct Work {
    due: u64,
    completed: u64,
}

impl Work {
    fn count(&mut self, due_ns: f64, done_ns: u64, (begin_ns, end_ns): (f64, f64)) {
        let is_within = |ns: f64| ns >= begin_ns && ns < end_ns;
        self.due += u64::from(is_within(due_ns));
        self.completed += u64::from(is_within(done_ns as f64));
    }

    fn is_kept(&self) -> bool {
        self.completed as f64 + UNDER_WAY >= KEPT_SHARE * self.due as f64
    }
}

impl Replayed {
    /// True if the drive completes what the load asks for.
    fn is_kept(&self) -> bool {
        self.work.iter().all(Work::is_kept)
    }
}

fn replay_all(
    spec: &DriveSpec,
    (reads_per_s, write_bytes_per_s): (f64, f64),
    highest: (f64, f64),
    seed: u64,
) -> Replayed {
    let mut drive = Drive::new(spec, seed);
    let mut random = Random::new(seed ^ 0x00D1_5C0F);
    let read_gap_ns = 1e9 / paced_per_s(reads_per_s, write_bytes_per_s, highest.0);
    let write_gap_ns = 1e9 * f64::from(WRITE_BYTES) / write_bytes_per_s;
    // Rates settle in a number of operations: the faster kind may begin later.
    let settle_ns =
        |per_s: f64| (WARM_UP_OPERATIONS / per_s.max(1e-3) * 1e9).clamp(WARM_UP_NS.0, WARM_UP_NS.1);
    let reads_settle_ns = settle_ns(highest.0);
    let writes_settle_ns =
        if write_bytes_per_s > 0.0 { settle_ns(highest.1 / f64::from(WRITE_BYTES)) } else { 0.0 };
    let warm_up_ns = reads_settle_ns.max(writes_settle_ns);
    let mut latencies = Vec::with_capacity(READS);
    let mut next_read_ns = warm_up_ns - reads_settle_ns + read_gap_ns * random.unit();
    let mut next_write_ns = warm_up_ns - writes_settle_ns + write_gap_ns * random.unit();
    let mut write_at = SPAN_BYTES;
    // As many reads as the loop below makes.
    let reads = ((LONGEST_NS - warm_up_ns) / read_gap_ns).ceil().clamp(READS_LEAST as f64, READS as f64);
    let measured_ns = (warm_up_ns, warm_up_ns + reads * read_gap_ns);
    let [mut read, mut written] = [Work::default(); 2];
    while latencies.len() < READS && (next_read_ns < LONGEST_NS || latencies.len() < READS_LEAST) {
        if next_write_ns <= next_read_ns {
            let done_ns =
                drive.submit(next_write_ns as u64, Op::Write { offset: write_at, len: WRITE_BYTES });
            written.count(next_write_ns, done_ns, measured_ns);
            write_at = write_at.wrapping_add(u64::from(WRITE_BYTES));
            next_write_ns += write_gap_ns;
            continue;
        }
        let now_ns = next_read_ns as u64;
        let offset = random.next_u64() % (SPAN_BYTES / u64::from(READ_BYTES)) * u64::from(READ_BYTES);
        let done_ns = drive.submit(now_ns, Op::Read { offset, len: READ_BYTES });
        read.count(next_read_ns, done_ns, measured_ns);
        if next_read_ns >= warm_up_ns {
            latencies.push(done_ns - now_ns);
        }
        next_read_ns += read_gap_ns;
    }
    latencies.sort_unstable();
    let at = |quantile: f64| latencies[((latencies.len() - 1) as f64 * quantile) as usize] as f64;
    Replayed { percentiles: Percentiles { p50_ns: at(0.5), p95_ns: at(0.95) }, work: [read, written] }
}

/// The rate of the reads of a point: that of the map, but no less than [`SLOWEST`] of its highest and than
/// one read in [`WRITES_PER_READ`].
fn paced_per_s(reads_per_s: f64, write_bytes_per_s: f64, highest_per_s: f64) -> f64 {
    let sparsest_per_s = write_bytes_per_s / f64::from(WRITE_BYTES) / WRITES_PER_READ;
    reads_per_s.max(highest_per_s * SLOWEST).max(sparsest_per_s)
}

/// The whole map of a modelled drive over these rates. Points at which the drive does not keep the load are
/// empty, as in a measured map; a drive that holds a measured map answers everywhere. `each` is called after
/// each point, with the number of points done; it returns false to stop, and then there is no map.
pub fn map_of(
    spec: &DriveSpec,
    reads_per_s: &[f64],
    write_bytes_per_s: &[f64],
    each: &mut dyn FnMut(usize) -> bool,
) -> Option<LatencyMap> {
    let highest = |axis: &[f64]| axis.last().copied().unwrap_or(0.0);
    let highest = (highest(reads_per_s), highest(write_bytes_per_s));
    let mut cells = Vec::with_capacity(reads_per_s.len() * write_bytes_per_s.len());
    for write in write_bytes_per_s {
        for read in reads_per_s {
            let point = replay_all(spec, (*read, *write), highest, cells.len() as u64);
            let is_known = spec.read_map.is_some() || point.is_kept();
            cells.push(if is_known { Cell::Known(point.percentiles) } else { Cell::Empty });
            if !each(cells.len()) {
                return None;
            }
        }
    }
    Some(LatencyMap {
        reads_per_s: reads_per_s.to_vec(),
        write_bytes_per_s: write_bytes_per_s.to_vec(),
        cells,
        ceiling_ns: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_no_sparser_than_writes_and_percentiles_allow() {
        assert_eq!(paced_per_s(5000.0, 1e9, 10_000.0), 5000.0);
        assert_eq!(paced_per_s(0.0, 0.0, 10_000.0), 10.0);
        let beside_writes = paced_per_s(3e-4, 1.31072e11, 1.0);
        assert!((beside_writes - 100.0).abs() < 1e-9, "a million writes a second: {beside_writes}");
    }
}
