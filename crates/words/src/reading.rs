//! Readings of the doctor's checks: data with a stable name. The sentence is the message of that name.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::parts;
use crate::say::said_as_shown;
use crate::sentence::sentences;

sentences! {
    /// A reading of the machine, with its source.
    pub enum Reading by "reading" {
        // A value that reads alike in every language, with the file or call that tells it.
        From = "from" { value: String, source: String };
        On = "on" { source: String };

        // Processors.
        Governors = "governors" { governors: String };
        IdleState = "idle-state" { state: String, wake_us: u64 };
        Throttled = "throttled" { times: u64 };
        Stolen = "stolen" { percent: f64 as 1, watched_ms: u64 };
        CpusAllowed = "cpus-allowed" { allowed: u64, online: u64 };
        Hypervisor = "hypervisor" { name: String };
        OnBattery = "on-battery";

        // Other load.
        CpuWaited = "cpu-waited" { percent: f64 as 1 };
        CpuBusy = "cpu-busy" { percent: f64 as 1, watched_ms: u64 };
        IoWaited = "io-waited" { percent: f64 as 1 };
        DriveBusy = "drive-busy" { drive: String, percent: f64 as 1, watched_ms: u64 };

        // Memory.
        MemoryAvailable = "memory-available" { available: String, total: String };
        SwapUsed = "swap-used" { used: String, total: String };
        DirtyLimit = "dirty-limit" { limit: String };
        DirtyNow = "dirty-now" { size: String };
        NumaNodes = "numa-nodes" { nodes: u64 };

        // Limits.
        CpuQuota = "cpu-quota" { cpus: f64 as 2, groups: String };
        MemoryLimit = "memory-limit" { limit: String, groups: String };
        RingRefused = "ring-refused" { error: String };
        RingRefusedSetting = "ring-refused-setting" { error: String, setting: String };
        MountRingsOff = "mount-rings-off";
        DebugBuild = "debug-build";

        // Time.
        Clocksource = "clocksource" { current: String, available: String };
        Naps = "naps" { naps: u64, nap_ms: u64, median_us: u64, worst_us: u64 };
        Spins = "spins" { spins: u64, spin_us: u64, p99_us: f64 as 1, worst_us: f64 as 1 };

        // Storage.
        TargetMissing = "target-missing" { path: String };
        TargetReadOnly = "target-read-only" { path: String, error: String };
        SpaceFree = "space-free" { free: String, total: String, path: String };
        DirectRefused = "direct-refused" { path: String };
        FileSystemAt = "file-system-at" { kind: String, path: String };
        OptionsAt = "options-at" { options: String, path: String };
        Layer = "layer" { layer: String, drive: String, below: String };
        Link = "link" { speed: String, drive: String };
    }
}

/// The readings of one check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Readings {
    /// Each of them.
    Data(Vec<Reading>),
    /// A text: of an older notebook, or of a check without a finding, which no report shows.
    Told(String),
}

impl fmt::Display for Readings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Readings::Data(readings) => f.write_str(&parts(readings.iter().map(Reading::to_string))),
            Readings::Told(text) => f.write_str(text),
        }
    }
}

impl From<Reading> for Readings {
    fn from(reading: Reading) -> Readings {
        Readings::Data(vec![reading])
    }
}

impl From<String> for Readings {
    fn from(text: String) -> Readings {
        Readings::Told(text)
    }
}

impl From<&str> for Readings {
    fn from(text: &str) -> Readings {
        text.to_owned().into()
    }
}

said_as_shown!(Readings);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Remark;

    #[test]
    fn readings_are_read_in_both_forms() {
        let waited = Reading::CpuWaited { percent: 58.75 };
        let busy = Reading::CpuBusy { percent: 90.0, watched_ms: 300 };
        let finding = |read| Remark::Doctor { check: "load.cpu".to_owned(), read, why: "It matters.".into() };
        let data = finding(Readings::Data(vec![waited, busy]));
        let text = "tasks waited for a CPU 58.8 % of the last 10 s (/proc/pressure/cpu); CPUs were busy 90.0 % of 300 ms \
                    (/proc/stat)";
        let older = finding(text.into());
        for remark in [&data, &older] {
            assert_eq!(remark.to_string(), format!("load.cpu: {text} (It matters.)"));
            let stored = serde_json::to_string(remark).unwrap();
            assert_eq!(&serde_json::from_str::<Remark>(&stored).unwrap(), remark);
        }
        let stored = serde_json::to_string(&older).unwrap();
        assert!(stored.contains(r#""read":"tasks waited"#), "as older notebooks have it: {stored}");
    }
}
