//! Other load: is the machine doing something else?

use words::{Reading, Readings};

use super::check::{Check, Rule, watched_ms};
use crate::text::pressure_line;
use crate::tree::Tree;
use crate::usage::Usage;

/// Share of time in which some task waits for a CPU (or of CPU time in use) above which a bed is not quiet.
const CPU_TOLERATED: f64 = 0.05;
/// Share of time in which some task waits for I/O above which a bed is not quiet.
const IO_TOLERATED: f64 = 0.02;

const CPU: Rule =
    Rule { id: "load.cpu", fix: "stop other programs (top shows them) or wait until they are done" };
const IO: Rule =
    Rule { id: "load.io", fix: "stop other programs (iotop shows them) or wait until they are done" };

pub(super) fn examine(tree: &Tree, usage: Option<&Usage>) -> Vec<Check> {
    vec![cpu(tree, usage), io(tree, usage)]
}

/// Over the last ten seconds, as a share.
fn pressure(tree: &Tree, file: &str) -> Option<f64> {
    let text = tree.read(&format!("/proc/pressure/{file}"))?;
    Some(pressure_line(&text, "some")?.avg10_percent / 100.0)
}

fn cpu(tree: &Tree, usage: Option<&Usage>) -> Check {
    let busy = usage.map(|usage| usage.cpu.busy());
    let waited = pressure(tree, "cpu");
    let mut read = Vec::new();
    if let Some(waited) = waited {
        read.push(Reading::CpuWaited { percent: waited * 100.0 });
    }
    if let (Some(busy), Some(usage)) = (busy, usage) {
        read.push(Reading::CpuBusy { percent: busy * 100.0, watched_ms: watched_ms(usage) });
    }
    if read.is_empty() {
        return CPU.unknown("/proc/pressure/cpu and /proc/stat");
    }
    let bad =
        waited.is_some_and(|share| share > CPU_TOLERATED) || busy.is_some_and(|share| share > CPU_TOLERATED);
    CPU.warn_if(bad, Readings::Data(read))
}

fn io(tree: &Tree, usage: Option<&Usage>) -> Check {
    let waited = pressure(tree, "io");
    let busiest = usage.and_then(|usage| usage.disks.iter().max_by(|a, b| a.busy.total_cmp(&b.busy)));
    let mut read = Vec::new();
    if let Some(waited) = waited {
        read.push(Reading::IoWaited { percent: waited * 100.0 });
    }
    if let (Some(disk), Some(usage)) = (busiest, usage) {
        let (drive, percent) = (disk.name.clone(), disk.busy * 100.0);
        read.push(Reading::DriveBusy { drive, percent, watched_ms: watched_ms(usage) });
    }
    if read.is_empty() {
        return IO.unknown("/proc/pressure/io and /proc/diskstats");
    }
    let bad = waited.is_some_and(|share| share > IO_TOLERATED)
        || busiest.is_some_and(|disk| disk.busy > IO_TOLERATED);
    IO.warn_if(bad, Readings::Data(read))
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;
    use crate::tree::fixture;
    use crate::usage::{CpuShares, DiskUsage};

    fn watched_machine(user: f64, busy: f64) -> Usage {
        Usage {
            elapsed_ns: 300_000_000,
            cpu: CpuShares { user, idle: 1.0 - user, ..CpuShares::default() },
            disks: vec![DiskUsage { name: "vda".into(), busy, ..DiskUsage::default() }, DiskUsage::default()],
            ..Usage::default()
        }
    }

    #[test]
    fn a_busy_machine_is_told_by_either_source() {
        let (_dir, tree) = fixture(&[
            ("proc/pressure/cpu", "some avg10=58.75 avg60=0 avg300=0 total=1"),
            ("proc/pressure/io", "some avg10=3.00 avg60=0 avg300=0 total=1"),
        ]);
        let checks = examine(&tree, None);
        assert!(checks.iter().all(|check| check.level == Level::Warn), "{checks:#?}");
        let (_dir, tree) = fixture(&[]);
        let checks = examine(&tree, Some(&watched_machine(0.5, 0.9)));
        assert!(checks.iter().all(|check| check.level == Level::Warn), "{checks:#?}");
        assert!(checks[1].read.to_string().contains("vda, was busy 90.0 % of 300 ms"), "{}", checks[1].read);
    }

    #[test]
    fn a_quiet_machine_is_well() {
        let (_dir, tree) = fixture(&[
            ("proc/pressure/cpu", "some avg10=0.10 avg60=90 avg300=90 total=1"),
            ("proc/pressure/io", "some avg10=0.00 avg60=90 avg300=90 total=1"),
        ]);
        let checks = examine(&tree, Some(&watched_machine(0.01, 0.0)));
        assert!(checks.iter().all(|check| check.level == Level::Ok), "{checks:#?}");
    }
}
