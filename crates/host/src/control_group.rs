//! The places for control groups of our own, controller by controller: versions 1 and 2, wherever they are
//! mounted.

use std::path::PathBuf;

use crate::cgroup::{from_group_to_root, memberships, mount_point};
use crate::mount::parse_mountinfo;
use crate::tree::Tree;

/// The directories in which one controller's groups lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controller {
    /// 1: each controller has a hierarchy of its own; 2: one hierarchy has them all.
    pub version: u8,
    /// Its directories from this process's own group up to where the hierarchy is mounted.
    pub groups: Vec<PathBuf>,
}

impl Controller {
    /// The mount point of its hierarchy.
    pub fn top(&self) -> Option<&PathBuf> {
        self.groups.last()
    }
}

/// The place of the controller `name`: `cpu`, `memory`, or `io`, which version 1 calls `blkio`. `None` if no
/// hierarchy has it.
pub fn controller(name: &str) -> Option<Controller> {
    find(&Tree::machine(), name)
}

fn find(tree: &Tree, name: &str) -> Option<Controller> {
    let mounts = parse_mountinfo(&tree.read("/proc/self/mountinfo")?);
    let of_version_1 = if name == "io" { "blkio" } else { name };
    memberships(&tree.read("/proc/self/cgroup")?).find_map(|(controllers, group)| {
        let top = mount_point(&mounts, controllers)?;
        let (version, has) = if controllers.is_empty() {
            let names = tree.read(&format!("{top}/cgroup.controllers")).unwrap_or_default();
            (2, names.split_whitespace().any(|each| each == name))
        } else {
            (1, controllers.split(',').any(|each| each == of_version_1))
        };
        // In a container the group's path may lie above the mount, and then only the mount itself is there.
        let groups = from_group_to_root(&top, group).into_iter().filter(|group| tree.exists(group));
        has.then(|| Controller { version, groups: groups.map(PathBuf::from).collect() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fixture;

    #[test]
    fn each_controller_is_found_in_the_hierarchy_that_has_it() {
        let (_dir, tree) = fixture(&[
            (
                "proc/self/mountinfo",
                "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
                 38 31 0:35 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n\
                 41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
            ),
            ("proc/self/cgroup", "7:blkio:/above/the/mount\n2:cpu,cpuacct:/job\n0::/slice/job\n"),
            ("sys/fs/cgroup/cpu/job/cgroup.procs", ""),
            ("sys/fs/cgroup/blkio/cgroup.procs", ""),
            ("sys/fs/cgroup/unified/cgroup.controllers", "memory pids\n"),
            ("sys/fs/cgroup/unified/slice/job/cgroup.procs", ""),
        ]);
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let cpu = find(&tree, "cpu").unwrap();
        assert_eq!((cpu.version, cpu.groups), (1, paths(&["/sys/fs/cgroup/cpu/job", "/sys/fs/cgroup/cpu"])));
        let io = find(&tree, "io").unwrap();
        assert_eq!((io.version, io.top().unwrap().to_str()), (1, Some("/sys/fs/cgroup/blkio")));
        let memory = find(&tree, "memory").unwrap();
        let unified = "/sys/fs/cgroup/unified";
        let expected = [format!("{unified}/slice/job"), format!("{unified}/slice"), unified.to_owned()];
        assert_eq!((memory.version, memory.groups), (2, expected.map(PathBuf::from).to_vec()));
        assert_eq!(find(&tree, "cpuset"), None);
    }
}
