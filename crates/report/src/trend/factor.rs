//! The keys of recorded facts as words: `bed.nvme.storage.drive.read.latency_4k` is the read latency at 4 KiB
//! of nvme.
//!
//! Frequent keys have messages; any other is told by its own words, which the exact key beside it explains.

use std::borrow::Cow;

use words::say;

/// A fact in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Factor {
    /// The bed or the workload that it belongs to, by its name.
    pub(super) of: Option<String>,
    /// `read latency at 4 KiB`.
    pub(super) name: String,
    /// True if it is a part of the machine or of the software under the load, not of what is tested.
    pub(super) is_surrounding: bool,
}

impl Factor {
    /// The factor of a key.
    pub(super) fn of(key: &str) -> Factor {
        if let Some((bed, setting)) = key.strip_prefix("database:").and_then(|rest| rest.split_once('.')) {
            return match setting.ends_with(".version") {
                true => Factor::engine(bed),
                false => Factor::owned(bed, setting.to_owned().into()),
            };
        }
        match key.split('.').collect::<Vec<_>>()[..] {
            ["bed", bed, "engine", "version"] => Factor::engine(bed),
            ["bed", bed, ref rest @ ..] => Factor::owned(bed, of_bed(rest)),
            ["workload", load, ref rest @ ..] => Factor::owned(load, plain(rest)),
            ["block", drive, "firmware"] => Factor::owned(drive, say!("trend-factor-firmware").into()),
            _ => Factor::of_host(key),
        }
    }

    fn owned(of: &str, name: Cow<'static, str>) -> Factor {
        Factor { of: Some(of.to_owned()), name: name.into_owned(), is_surrounding: false }
    }

    fn engine(bed: &str) -> Factor {
        let name = say!("trend-factor-engine").to_owned();
        Factor { of: Some(bed.to_owned()), name, is_surrounding: true }
    }

    fn of_host(key: &str) -> Factor {
        let (name, is_surrounding) = match key {
            "kernel.release" => (say!("trend-factor-kernel"), true),
            "kernel.build" => (say!("trend-factor-kernel-build"), true),
            "cpu.model" => (say!("trend-factor-processor"), true),
            "cpu.online" | "cpu.sockets" => (say!("trend-factor-processors"), true),
            "memory.total_bytes" => (say!("trend-factor-main-memory"), true),
            "os.name" => (say!("trend-factor-system"), true),
            "machine.product" | "machine.vendor" => (say!("trend-factor-machine"), true),
            "machine.hypervisor" => (say!("trend-factor-hypervisor"), true),
            "machine.bios" => (say!("trend-factor-bios"), true),
            "cpu.microcode" => (say!("trend-factor-microcode"), false),
            "cpu.governor" => (say!("trend-factor-governor"), false),
            "cpu.turbo" => (say!("trend-factor-turbo"), false),
            "tool.version" => ("drivetrain", false),
            "run.order" => (say!("trend-factor-order"), false),
            _ => {
                let name = plain(&key.split('.').collect::<Vec<_>>()).into_owned();
                return Factor { of: None, name, is_surrounding: false };
            }
        };
        Factor { of: None, name: name.to_owned(), is_surrounding }
    }
}

/// A key of a bed.
fn of_bed(rest: &[&str]) -> Cow<'static, str> {
    match rest {
        ["storage"] => say!("trend-factor-storage").into(),
        ["log"] => say!("trend-factor-log").into(),
        ["memory"] => say!("trend-factor-memory").into(),
        ["cpus"] => say!("trend-factor-processors").into(),
        ["engine", "buffer"] => say!("trend-factor-buffer").into(),
        ["storage" | "log", "drive"] => say!("trend-factor-drive").into(),
        ["storage" | "log", "drive", number @ ..] => of_drive(number),
        _ => plain(rest),
    }
}

/// A number of a modelled drive, or a fact of a real one.
fn of_drive(rest: &[&str]) -> Cow<'static, str> {
    if let [way, number] = rest {
        let at = |prefix: &str| number.strip_prefix(prefix).and_then(size);
        match (*way, at("latency_"), at("rate_")) {
            ("read", Some(size), _) => return say!("trend-factor-read-latency", size).into(),
            ("write", Some(size), _) => return say!("trend-factor-write-latency", size).into(),
            ("read", _, Some(size)) => return say!("trend-factor-read-rate", size).into(),
            ("write", _, Some(size)) => return say!("trend-factor-write-rate", size).into(),
            _ => {}
        }
    }
    match rest {
        ["link", number] if number.ends_with("_bandwidth") => match number.starts_with("read") {
            true => say!("trend-factor-read-bandwidth").into(),
            false => say!("trend-factor-write-bandwidth").into(),
        },
        ["link", "queue_limit"] => say!("trend-factor-queue-limit").into(),
        ["write", "ack"] => say!("trend-factor-write-ack").into(),
        ["write", "buffer"] => say!("trend-factor-write-buffer").into(),
        ["flush", "cost"] => say!("trend-factor-flush").into(),
        ["flush", "power_loss_protection"] => say!("trend-factor-protection").into(),
        ["drive", "capacity"] => say!("trend-factor-capacity").into(),
        [.., "firmware"] => say!("trend-factor-firmware").into(),
        _ => plain(rest),
    }
}

/// `4 KiB` of `4k`.
fn size(text: &str) -> Option<String> {
    let number: u32 = text.strip_suffix('k')?.parse().ok()?;
    Some(format!("{number}\u{a0}KiB"))
}

/// A key by its own words.
fn plain(parts: &[&str]) -> Cow<'static, str> {
    parts.join(" ").replace('_', " ").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_keys_have_words_and_others_their_own() {
        for (key, of, name, is_surrounding) in [
            ("bed.nvme.storage.drive.read.latency_4k", Some("nvme"), "read latency at 4\u{a0}KiB", false),
            ("bed.nvme.log.drive.write.rate_16k", Some("nvme"), "write rate at 16\u{a0}KiB", false),
            ("bed.nvme.storage.drive.link.duplex", Some("nvme"), "link duplex", false),
            ("bed.nvme.storage", Some("nvme"), "storage", false),
            ("bed.a.engine.version", Some("a"), "engine", true),
            ("database:a.postgresql.version", Some("a"), "engine", true),
            ("database:a.postgresql.wal_level", Some("a"), "postgresql.wal_level", false),
            ("workload.tpcc.measure", Some("tpcc"), "measure", false),
            ("kernel.release", None, "kernel", true),
            ("cpu.model", None, "processor", true),
            ("block.nvme0n1.firmware", Some("nvme0n1"), "drive firmware", false),
            ("sysctl.vm.dirty_ratio", None, "sysctl vm dirty ratio", false),
            ("", None, "", false),
        ] {
            let factor = Factor::of(key);
            assert_eq!((factor.of.as_deref(), factor.name.as_str()), (of, name), "{key}");
            assert_eq!(factor.is_surrounding, is_surrounding, "{key}");
        }
    }
}
