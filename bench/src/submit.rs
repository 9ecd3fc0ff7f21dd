//! Cost of one submission to the drive model, as operations per second and core.
//!
//! The clock advances so that the drive is at about the named load: the cost depends on the number of
//! operations inside the drive.

use std::hint::black_box;

use device::{Drive, DriveSpec, Op, catalogue};
use ground::Random;

use crate::fastest;
use crate::options::Options;

const OPERATIONS: usize = 1 << 16;
/// Million operations per second and core that the model must do at least.
const GOAL: f64 = 10.0;

/// Name, drive, per cent of reads, operations per second: about 1, 30 and 1024 commands inside the drive; the
/// last is more than it can do.
const CASES: [(&str, &str, u64, f64); 7] = [
    ("nvme mixed 70/30, light", "kingston-dc1500m-960g", 70, 10e3),
    ("nvme mixed 70/30, busy", "kingston-dc1500m-960g", 70, 240e3),
    ("nvme mixed 70/30, overloaded", "kingston-dc1500m-960g", 70, 5e6),
    ("nvme reads, busy", "kingston-dc1500m-960g", 100, 240e3),
    ("nvme writes, busy", "kingston-dc1500m-960g", 0, 120e3),
    ("sata mixed 70/30, busy", "micron-5200-eco-1920g", 70, 50e3),
    ("free", "free", 70, 1e6),
];

/// Reads and writes of 4 KiB at random offsets, made ahead so that only the model is timed.
fn operations(read_percent: u64) -> Vec<Op> {
    let mut random = Random::new(1);
    let operation = |_| {
        let offset = random.next_u64() % (1 << 24) * 4096;
        let read = random.next_u64() % 100 < read_percent;
        if read { Op::Read { offset, len: 4096 } } else { Op::Write { offset, len: 4096 } }
    };
    (0..OPERATIONS).map(operation).collect()
}

fn million_per_s(spec: &DriveSpec, read_percent: u64, per_s: f64, seconds: f64) -> f64 {
    let operations = operations(read_percent);
    let gap_ns = (1e9 / per_s) as u64;
    let (mut drive, mut now_ns) = (Drive::new(spec, 1), 0);
    let spent_ns = fastest::ns(seconds, || {
        let mut sum = 0u64;
        for &op in &operations {
            now_ns += gap_ns;
            sum = sum.wrapping_add(drive.submit(now_ns, op));
        }
        black_box(sum);
    });
    OPERATIONS as f64 / spent_ns * 1e3
}

/// The rate of each case, the best of many repeats.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let mut table = "| case | million I/O per second and core | goal |\n|---|---|---|\n".to_owned();
    for (case, drive, read_percent, per_s) in CASES {
        let entry =
            catalogue::find(drive).ok_or_else(|| anyhow::anyhow!("{drive} is not in the catalogue"))?;
        let rate = million_per_s(&entry.spec, read_percent, per_s, options.seconds);
        let kept = if rate >= GOAL { "kept" } else { "MISSED" };
        table.push_str(&format!("| {case} | {rate:.0} | at least {GOAL:.0}: {kept} |\n"));
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smoke_run_times_every_case() {
        let text = run(&Options::for_test(0.01, std::path::Path::new("."))).unwrap();
        assert_eq!(text.lines().count(), 2 + CASES.len(), "{text}");
    }
}
