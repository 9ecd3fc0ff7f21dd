//! Limits on this process: control groups, resource limits, io_uring; and the build of the tool itself.

use words::Reading;

use super::check::{Check, Rule, from};
use crate::cgroup::Limits;
use crate::text::{bytes, meminfo_bytes};
use crate::tree::Tree;
use crate::{processor, syscalls, system};

/// Virtual users, files of several databases, io_uring and logs together stay below this.
const FILES_NEEDED: u64 = 1024;
/// Registered buffers of a deep queue of large blocks (32 x 256 KiB).
const LOCKED_NEEDED_BYTES: u64 = 8 << 20;

const CGROUP_CPU: Rule =
    Rule { id: "cgroup.cpu", fix: "raise or remove the CPU quota of the container or slice" };
const CGROUP_MEMORY: Rule = Rule {
    id: "cgroup.memory",
    fix: "raise the memory limit of the container or slice; otherwise keep it as it is in all beds",
};
const CGROUP_IO: Rule =
    Rule { id: "cgroup.io", fix: "remove io.max or blkio.throttle from the container or slice" };
const OPEN_FILES: Rule = Rule { id: "limits.open_files", fix: "ulimit -n 4096" };
const LOCKED_MEMORY: Rule =
    Rule { id: "limits.locked_memory", fix: "ulimit -l 65536 (as root, or in /etc/security/limits.conf)" };
const IO_URING: Rule = Rule {
    id: "io_uring.allowed",
    fix: "sysctl kernel.io_uring_disabled=0; in a container also a seccomp profile that allows io_uring_setup",
};
const MOUNTS_OVER_IO_URING: Rule = Rule {
    id: "fuse.io_uring",
    fix: "the option --allow-uring of mount, run and resume (off again at the end), or as root: echo Y > /sys/module/fuse/parameters/enable_uring",
};
const BUILD: Rule = Rule { id: "tool.build", fix: "cargo build --release" };

pub(super) fn examine(tree: &Tree) -> Vec<Check> {
    let limits = Limits::read(tree);
    vec![
        cgroup_cpu(tree, &limits),
        cgroup_memory(tree, &limits),
        cgroup_io(&limits),
        open_files(system::open_files_limit()),
        locked_memory(system::locked_memory_limit()),
        io_uring(tree, syscalls::io_uring_setup_works()),
        mounts_over_io_uring(tree),
        build(),
    ]
}

fn named(limits: &Limits) -> String {
    limits
        .version
        .as_ref()
        .map_or_else(|| "no control groups".to_owned(), |version| format!("control groups {version}"))
}

fn cgroup_cpu(tree: &Tree, limits: &Limits) -> Check {
    let Some(cpus) = limits.cpus else { return CGROUP_CPU.ok(format!("no quota ({})", named(limits))) };
    let read = Reading::CpuQuota { cpus, groups: named(limits) };
    // A quota of as much as there is never bites.
    CGROUP_CPU.warn_if(processor::online(tree).is_none_or(|online| cpus < online as f64), read)
}

fn cgroup_memory(tree: &Tree, limits: &Limits) -> Check {
    let Some(limit) = limits.memory_bytes else {
        return CGROUP_MEMORY.ok(format!("no limit ({})", named(limits)));
    };
    let total = meminfo_bytes(&tree.read("/proc/meminfo").unwrap_or_default(), "MemTotal");
    let read = Reading::MemoryLimit { limit: bytes(limit), groups: named(limits) };
    CGROUP_MEMORY.warn_if(total.is_none_or(|total| limit < total), read)
}

fn cgroup_io(limits: &Limits) -> Check {
    match &limits.io {
        Some(limit) => CGROUP_IO.warn(limit.clone()),
        None => CGROUP_IO.ok(format!("no limit ({})", named(limits))),
    }
}

fn open_files(limit: Option<u64>) -> Check {
    let Some(limit) = limit else { return OPEN_FILES.ok("unlimited (getrlimit)") };
    OPEN_FILES.warn_if(limit < FILES_NEEDED, from(limit.to_string(), "getrlimit"))
}

fn locked_memory(limit: Option<u64>) -> Check {
    let Some(limit) = limit else { return LOCKED_MEMORY.ok("unlimited (getrlimit)") };
    LOCKED_MEMORY.warn_if(limit < LOCKED_NEEDED_BYTES, from(bytes(limit), "getrlimit"))
}

fn io_uring(tree: &Tree, tried: Result<(), std::io::Error>) -> Check {
    let setting = tree.read("/proc/sys/kernel/io_uring_disabled");
    match (tried.map_err(|error| error.to_string()), setting) {
        (Ok(()), None) => IO_URING.ok("a ring could be set up"),
        (Ok(()), Some(setting)) => {
            IO_URING.ok(format!("a ring could be set up, kernel.io_uring_disabled is {setting}"))
        }
        (Err(error), None) => IO_URING.warn(Reading::RingRefused { error }),
        (Err(error), Some(setting)) => IO_URING.warn(Reading::RingRefusedSetting { error, setting }),
    }
}

/// Kernels before 6.14 have no such switch, and nothing to mend.
fn mounts_over_io_uring(tree: &Tree) -> Check {
    const PARAMETER: &str = "/sys/module/fuse/parameters/enable_uring";
    match tree.read(PARAMETER).as_deref().map(str::trim) {
        Some("Y") => MOUNTS_OVER_IO_URING.ok("switched on (enable_uring)"),
        Some("N") => MOUNTS_OVER_IO_URING.warn(Reading::MountRingsOff),
        _ => MOUNTS_OVER_IO_URING.ok("this kernel does not have it"),
    }
}

fn build() -> Check {
    if cfg!(debug_assertions) { BUILD.warn(Reading::DebugBuild) } else { BUILD.ok("release build") }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;
    use crate::tree::fixture;

    #[test]
    fn a_better_way_that_is_switched_off_is_named() {
        let level = |value: &str| {
            let (_dir, tree) = fixture(&[("sys/module/fuse/parameters/enable_uring", value)]);
            mounts_over_io_uring(&tree).level
        };
        assert_eq!((level("N\n"), level("Y\n")), (Level::Warn, Level::Ok));
        let (_dir, without) = fixture(&[]);
        assert_eq!(mounts_over_io_uring(&without).level, Level::Ok, "an older kernel is not blamed");
    }

    #[test]
    fn limits_of_a_container() {
        let (_dir, tree) =
            fixture(&[("sys/devices/system/cpu/online", "0-3"), ("proc/meminfo", "MemTotal: 4194304 kB")]);
        let tight = Limits {
            version: Some("2".into()),
            cpus: Some(1.5),
            memory_bytes: Some(1 << 30),
            io: Some("io.max: 8:0 rbps=1048576".into()),
            cpuset: None,
        };
        assert_eq!(cgroup_cpu(&tree, &tight).level, Level::Warn);
        assert_eq!(cgroup_memory(&tree, &tight).level, Level::Warn);
        assert_eq!(cgroup_io(&tight).level, Level::Warn);
        let wide = Limits { cpus: Some(4.0), memory_bytes: Some(8 << 30), ..Limits::default() };
        assert_eq!(cgroup_cpu(&tree, &wide).level, Level::Ok, "a quota of all CPUs never bites");
        assert_eq!(cgroup_memory(&tree, &wide).level, Level::Ok);
        assert_eq!(cgroup_io(&wide).read.to_string(), "no limit (no control groups)");
    }

    #[test]
    fn resource_limits_and_io_uring() {
        assert_eq!(open_files(Some(256)).level, Level::Warn);
        assert_eq!(open_files(Some(1024)).level, Level::Ok);
        assert_eq!(locked_memory(Some(65_536)).level, Level::Warn);
        assert_eq!(locked_memory(None).level, Level::Ok);
        let (_dir, tree) = fixture(&[("proc/sys/kernel/io_uring_disabled", "2")]);
        let refused = io_uring(&tree, Err(std::io::Error::from_raw_os_error(1)));
        assert_eq!(refused.level, Level::Warn);
        assert!(refused.read.to_string().contains("io_uring_disabled is 2"), "{}", refused.read);
        assert_eq!(io_uring(&tree, Ok(())).level, Level::Ok);
    }
}
