//! Limits that a control group puts on this process: versions 1 and 2, wherever they are mounted.

use std::path::Path;

use crate::mount::{Mount, parse_mountinfo};
use crate::tree::Tree;

/// Version 1 has no word for "no limit" on memory but a huge number (the largest multiple of a page).
const UNLIMITED_BYTES: u64 = 1 << 60;

/// The tightest limits on the way from this process's group to the root.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Limits {
    /// `1`, `2` or `1 and 2`; `None` where no control groups are mounted.
    pub(crate) version: Option<String>,
    /// CPUs' worth of time this process may use.
    pub(crate) cpus: Option<f64>,
    /// Memory it may use.
    pub(crate) memory_bytes: Option<u64>,
    /// Limits on I/O as written in the file, with the file's name.
    pub(crate) io: Option<String>,
    /// CPUs it may run on, as a list.
    pub(crate) cpuset: Option<String>,
}

impl Limits {
    pub(crate) fn read(tree: &Tree) -> Limits {
        let mounts = parse_mountinfo(&tree.read("/proc/self/mountinfo").unwrap_or_default());
        let groups = tree.read("/proc/self/cgroup").unwrap_or_default();
        let mut limits = Limits::default();
        let (mut one, mut two) = (false, false);
        for (controllers, group) in memberships(&groups) {
            let Some(top) = mount_point(&mounts, controllers) else { continue };
            if controllers.is_empty() {
                two = true;
            } else if !controllers.starts_with("name=") {
                one = true;
            }
            for directory in from_group_to_root(&top, group) {
                limits.tighten(tree, &directory, controllers);
            }
        }
        limits.version = match (one, two) {
            (true, true) => Some("1 and 2".to_owned()),
            (true, false) => Some("1".to_owned()),
            (false, true) => Some("2".to_owned()),
            (false, false) => None,
        };
        limits
    }

    fn tighten(&mut self, tree: &Tree, directory: &str, controllers: &str) {
        let read = |file: &str| tree.read(&format!("{directory}/{file}"));
        let has = |name: &str| controllers.split(',').any(|controller| controller == name);
        if controllers.is_empty() {
            self.take_cpus(read("cpu.max").and_then(|text| cpus_of_max(&text)));
            self.take_memory(read("memory.max"));
            self.take_io("io.max", read("io.max"));
            self.take_cpuset(read("cpuset.cpus.effective"));
        }
        if has("cpu") {
            let quota = read("cpu.cfs_quota_us").and_then(|text| text.parse::<f64>().ok());
            let period = read("cpu.cfs_period_us").and_then(|text| text.parse::<f64>().ok());
            // A quota of -1 means none.
            self.take_cpus(quota.zip(period).filter(|(q, p)| *q > 0.0 && *p > 0.0).map(|(q, p)| q / p));
        }
        if has("memory") {
            self.take_memory(read("memory.limit_in_bytes"));
        }
        if has("blkio") {
            for file in ["read_iops", "write_iops", "read_bps", "write_bps"] {
                let name = format!("blkio.throttle.{file}_device");
                self.take_io(&name, read(&name));
            }
        }
        if has("cpuset") {
            self.take_cpuset(read("cpuset.effective_cpus").or_else(|| read("cpuset.cpus")));
        }
    }

    fn take_cpus(&mut self, cpus: Option<f64>) {
        if let Some(cpus) = cpus {
            self.cpus = Some(self.cpus.map_or(cpus, |known| known.min(cpus)));
        }
    }

    fn take_memory(&mut self, text: Option<String>) {
        let limit = text.and_then(|text| text.parse::<u64>().ok()).filter(|bytes| *bytes < UNLIMITED_BYTES);
        if let Some(bytes) = limit {
            self.memory_bytes = Some(self.memory_bytes.map_or(bytes, |known| known.min(bytes)));
        }
    }

    fn take_io(&mut self, file: &str, text: Option<String>) {
        let Some(text) = text else { return };
        let line = format!("{file}: {}", text.lines().collect::<Vec<_>>().join("; "));
        self.io = Some(self.io.take().map_or(line.clone(), |known| format!("{known}; {line}")));
    }

    /// The innermost group that says something says it for all above.
    fn take_cpuset(&mut self, list: Option<String>) {
        if self.cpuset.is_none() {
            self.cpuset = list;
        }
    }
}

/// `max 100000` or `50000 100000`: microseconds of CPU time in a period.
fn cpus_of_max(text: &str) -> Option<f64> {
    let (quota, period) = text.split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.trim().parse().ok()?);
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

/// The lines of /proc/self/cgroup: the controllers of a hierarchy, separated by commas (none in version 2),
/// and this process's group there.
pub(crate) fn memberships(groups: &str) -> impl Iterator<Item = (&str, &str)> {
    groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        Some((fields.next()?, fields.next()?))
    })
}

pub(crate) fn mount_point(mounts: &[Mount], controllers: &str) -> Option<String> {
    let found = mounts.iter().find(|mount| match (mount.kind.as_str(), controllers) {
        ("cgroup2", "") => true,
        ("cgroup", "") => false,
        ("cgroup", names) => names.split(',').all(|name| mount.options.iter().any(|option| option == name)),
        _ => false,
    })?;
    Some(found.point.to_string_lossy().into_owned())
}

/// Directories from the group up to the mount; inside a container the group's path may lie above the mount,
/// and then only the mount itself is there to be read.
pub(crate) fn from_group_to_root(top: &str, group: &str) -> Vec<String> {
    Path::new(group)
        .ancestors()
        .map(|group| format!("{top}{}", group.display()).trim_end_matches('/').to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fixture;

    #[test]
    fn version_two_takes_the_tightest_limit_on_the_way_up() {
        let (_dir, tree) = fixture(&[
            ("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("proc/self/cgroup", "0::/user.slice/job\n"),
            ("sys/fs/cgroup/user.slice/cpu.max", "150000 100000"),
            ("sys/fs/cgroup/user.slice/memory.max", "1073741824"),
            ("sys/fs/cgroup/user.slice/job/cpu.max", "max 100000"),
            ("sys/fs/cgroup/user.slice/job/memory.max", "max"),
            ("sys/fs/cgroup/user.slice/job/io.max", "254:0 rbps=max wbps=1048576 riops=max wiops=max"),
            ("sys/fs/cgroup/user.slice/job/cpuset.cpus.effective", "0-1"),
        ]);
        let limits = Limits::read(&tree);
        assert_eq!(limits.version.as_deref(), Some("2"));
        assert_eq!((limits.cpus, limits.memory_bytes), (Some(1.5), Some(1 << 30)));
        assert!(limits.io.unwrap().contains("wbps=1048576"));
        assert_eq!(limits.cpuset.as_deref(), Some("0-1"));
    }

    #[test]
    fn version_one_reads_each_controller_where_it_is_mounted() {
        let (_dir, tree) = fixture(&[
            (
                "proc/self/mountinfo",
                "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
                 35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                 38 31 0:35 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n\
                 41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
            ),
            (
                "proc/self/cgroup",
                "7:blkio:/\n4:memory:/job\n2:cpu,cpuacct:/\n9:name=systemd:/\n0::/\nbroken\n",
            ),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"),
            ("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "536870912"),
            ("sys/fs/cgroup/blkio/blkio.throttle.read_bps_device", "254:0 1048576"),
            ("sys/fs/cgroup/blkio/blkio.throttle.write_bps_device", "\n"),
        ]);
        let limits = Limits::read(&tree);
        assert_eq!(limits.version.as_deref(), Some("1 and 2"));
        assert_eq!((limits.cpus, limits.memory_bytes), (Some(0.5), Some(512 << 20)));
        assert_eq!(limits.io.as_deref(), Some("blkio.throttle.read_bps_device: 254:0 1048576"));
    }

    #[test]
    fn no_limits_and_no_groups() {
        let (_dir, tree) = fixture(&[
            ("proc/self/mountinfo", "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"),
            ("proc/self/cgroup", "2:cpu:/\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000"),
        ]);
        assert_eq!(Limits::read(&tree), Limits { version: Some("1".into()), ..Limits::default() });
        let (_dir, tree) = fixture(&[]);
        assert_eq!(Limits::read(&tree), Limits::default());
    }
}
