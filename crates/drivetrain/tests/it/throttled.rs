//! `profile` of a directory that the kernel throttles: the limit is found, and is named as one.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::need;

use crate::common::Scratch;

const GROUPS: &str = "/sys/fs/cgroup/blkio";
/// The writes of a slice of the kernel, 100 ms, are several times those under way.
const WRITES_PER_S: f64 = 1000.0;

/// Single reads, which nothing limits, and as many writes as pass, of two sizes.
const LOADS: &str = r#"
schema = 1
title = "Writes from rest"

[[bed]]
name = "target"
storage = { emulated = "kingston-dc1500m-960g", path = "." }

[[workload]]
kind = "block"
name = "reads"
size = "64MiB"
reuse = true
depth = [1]
ramp_up = "100ms"
measure = "1s"
[[workload.stream]]
read = "100%"
block_size = "4KiB"

[[workload]]
kind = "block"
name = "writes"
size = "64MiB"
reuse = true
depth = [16]
ramp_up = "500ms"
measure = "6s"
matrix = { block_size = ["4KiB", "16KiB"] }
[[workload.stream]]
read = "0%"
block_size = "4KiB"

[design]
repeats = 1
order = "sequential"
"#;

/// The number of the whole drive below a path, as control groups take it; `None` where there is none.
fn drive_below(path: &Path) -> Option<String> {
    let device = fs::metadata(path).ok()?.dev();
    let major = (device >> 8) & 0xfff | (device >> 32) & !0xfff;
    let minor = device & 0xff | (device >> 12) & !0xff;
    let entry = fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()?;
    let whole = if entry.join("partition").exists() { entry.parent()?.to_owned() } else { entry };
    Some(fs::read_to_string(whole.join("dev")).ok()?.trim().to_owned())
}

/// A control group of version 1 that limits the writes of its members.
struct Group(PathBuf);

impl Group {
    fn limiting(drive: &str) -> Option<Group> {
        let group = Group(Path::new(GROUPS).join(format!("drivetrain-test-{}", std::process::id())));
        fs::create_dir(&group.0).ok()?;
        let limit = format!("{drive} {WRITES_PER_S}");
        fs::write(group.0.join("blkio.throttle.write_iops_device"), limit).ok()?;
        Some(group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0); // Its members have ended.
    }
}

#[test]
fn a_limit_of_writes_is_found_and_named() {
    let Some(()) = need::root() else { return };
    let scratch = Scratch::with("loads.toml", LOADS);
    let group = drive_below(scratch.path()).and_then(|drive| Group::limiting(&drive));
    let Some(group) = group else {
        return need::skip("the group blkio of version 1, and a scratch directory on a drive");
    };
    fs::create_dir(scratch.path().join("disk")).unwrap();
    let inner = scratch.command(&["profile", "disk", "--loads", "loads.toml", "-o", "my.toml"]);
    let mut outer = Command::new("sh");
    outer.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(group.0.join("cgroup.procs"));
    outer.arg(inner.get_program()).args(inner.get_args());
    outer.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = outer.current_dir(scratch.path()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(scratch.path().join("my.toml")).unwrap();
    let file: toml::Table = text.parse().unwrap();
    let number = |key: &str| {
        let value = &file
            .get("limit")
            .and_then(|limits| limits.get(key))
            .unwrap_or_else(|| panic!("no {key}: {told}"))["value"];
        value.as_float().or(value.as_integer().map(|whole| whole as f64)).unwrap()
    };
    let per_s = number("write_operations_per_s");
    assert!((per_s / WRITES_PER_S - 1.0).abs() < 0.03, "{per_s}\n{told}\n{text}");
    let slice_ms = number("slice_ms");
    assert!((slice_ms / 100.0 - 1.0).abs() < 0.2, "{slice_ms}\n{told}\n{text}");
    assert!(!text.contains("read_operations_per_s"), "reads have no limit: {text}");
    assert!(told.contains("limit: writes"), "{told}");
}
