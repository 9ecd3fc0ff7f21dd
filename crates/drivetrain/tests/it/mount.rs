//! `drivetrain mount` by the built binary: real mounts that end whatever happens, orders, and servers on
//! modelled drives.
//!
//! A few kills and power cuts by default; `bench/mount-trials.sh` asks for many, by `DRIVETRAIN_MOUNT_KILLS`
//! and `DRIVETRAIN_CUTS`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::{self, Scratch};
use crate::servers::ONE_BED;
use crate::transports::over_each_transport;
use ground::Random;
use testkit::need;

/// One mount by the binary, ready for use.
pub(crate) struct Mounted {
    pub(crate) child: Child,
    stderr: BufReader<std::process::ChildStderr>,
}

impl Mounted {
    /// Mounts `bytes` on `m` with further options; `None` where this machine cannot, after checking that the
    /// error names the remedy.
    #[track_caller]
    pub(crate) fn start(scratch: &Scratch, options: &[&str]) -> Option<Mounted> {
        for name in ["bytes", "m"] {
            std::fs::create_dir_all(scratch.path().join(name)).unwrap();
        }
        let arguments = [&["mount", "--drive", "dc1500m", "bytes", "m", "--json"], options].concat();
        if emulate::fuse::check().is_err() {
            let refused = scratch.run(&arguments).expect(1);
            assert!(refused.stderr.contains("cannot be mounted here"), "{}", refused.stderr);
            return need::skipped(&refused.stderr);
        }
        let mut command = scratch.command(&arguments);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut mounted = Mounted { stderr: BufReader::new(child.stderr.take().unwrap()), child };
        mounted.wait_for("Ctrl-C unmounts");
        Some(mounted)
    }

    pub(crate) fn wait_for(&mut self, text: &str) {
        while !self.line().contains(text) {}
    }

    /// The next line of its standard error.
    #[track_caller]
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.stderr.read_line(&mut line).unwrap() > 0, "it ended before");
        line
    }

    pub(crate) fn order(&mut self, order: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{order}").unwrap();
        self.wait_for(&format!("{order}: done"));
    }

    pub(crate) fn signal(&self, name: &str) {
        let status = std::process::Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(status.unwrap().success());
    }

    /// The statistics that it leaves.
    pub(crate) fn end(self) -> serde_json::Value {
        let output = self.child.wait_with_output().unwrap();
        assert!(output.status.success());
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// A number of rounds from the environment.
fn rounds(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).map_or(usual, |text| text.parse().unwrap())
}

pub(crate) fn is_mounted(path: &Path) -> bool {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    table.lines().any(|line| line.split(' ').nth(4) == path.to_str())
}

#[test]
fn a_mount_obeys_orders_and_ends_at_a_signal_with_its_statistics() {
    over_each_transport(|transport| {
        let scratch = Scratch::new();
        let Some(mut mounted) = Mounted::start(&scratch, &["--power-cuts"]) else { return };
        let file = scratch.path().join("m/a");
        std::fs::write(&file, "kept").unwrap();
        std::fs::File::open(&file).unwrap().sync_all().unwrap();
        mounted.order("full");
        assert!(std::fs::write(scratch.path().join("m/b"), "x").is_err());
        mounted.order("heal");
        mounted.child.stdin.as_mut().unwrap().write_all(b"cut \xff\n").unwrap();
        mounted.wait_for("is no command, or its number is out of range");
        mounted.order("cut");
        assert!(std::fs::read_dir(scratch.path().join("m")).is_err());
        mounted.order("power");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
        mounted.signal("-INT");
        let document = mounted.end();
        assert!(!is_mounted(&scratch.path().join("m")));
        assert_eq!(std::fs::read_to_string(scratch.path().join("bytes/a")).unwrap(), "kept");
        let mount = &document["mounts"][0];
        assert_eq!(mount["drive"], "kingston-dc1500m-960g");
        assert_eq!(mount["transport"], transport);
        assert!(
            mount["writes"]["count"].as_u64() >= Some(1) && mount["syncs"]["count"].as_u64() >= Some(1),
            "{mount:#}"
        );
        assert!(mount["floor_us"]["read"].as_f64() > Some(0.0), "{mount:#}");
        let way_us = |kind: &str, size: &str, callers: &str| mount["way_us"][kind][size][callers].as_f64();
        assert!(way_us("read", "4 KiB", "1") > Some(0.0) && way_us("write", "1024 KiB", "16") > Some(0.0));
        assert!(way_us("sync", "4 KiB", "4").is_some(), "{mount:#}");
    });
}

#[test]
fn power_is_neither_cut_nor_given_back_without_power_cuts() {
    let scratch = Scratch::new();
    let Some(mut mounted) = Mounted::start(&scratch, &[]) else { return };
    let file = scratch.path().join("m/a");
    std::fs::write(&file, "kept").unwrap();
    for order in ["power", "cut", "power"] {
        writeln!(mounted.child.stdin.as_mut().unwrap(), "{order}").unwrap();
        mounted.wait_for(&format!("{order}: refused: it needs --power-cuts"));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept", "{order}");
    }
    mounted.order("stats");
    mounted.signal("-INT");
    mounted.end();
}

#[test]
fn a_killed_mount_hangs_nobody_and_goes_away() {
    over_each_transport(|_| {
        let scratch = Scratch::new();
        let Some(mut mounted) = Mounted::start(&scratch, &[]) else { return };
        let point = scratch.path().join("m");
        let held = std::fs::File::create(point.join("a")).unwrap();
        mounted.signal("-KILL");
        mounted.child.wait().unwrap();
        assert!(held.sync_all().is_err(), "what was open fails, and does not hang");
        let waited = Instant::now();
        while is_mounted(&point) {
            assert!(waited.elapsed() < Duration::from_secs(20), "the watcher takes it down");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(point.read_dir().unwrap().next().is_none(), "the mount point is an ordinary folder again");
        let repaired = scratch.run(&["mount", "--repair", "m", "--json"]).expect(0).json();
        assert_eq!(repaired["unmounted"].as_array().unwrap().len(), 0);
    });
}

/// Killed with requests in each state: under way, held up by the drive, failing, with the power off. Nobody
/// hangs, and nothing stays.
#[test]
fn a_mount_that_is_killed_in_any_state_ends_with_all_its_requests() {
    const STATES: [&[&str]; 5] = [&["stall 60"], &[], &["cut"], &["read-error", "sync-error"], &["lie"]];
    let seed = testkit::seed();
    over_each_transport(|transport| {
        let mut dice = Random::new(seed);
        // Every mount measures itself, which takes most of the time: each state once, and the first two, in
        // which requests are in the hands of the transport, over both.
        let first = if transport == "device" { 0 } else { 3 };
        for round in 0..rounds("DRIVETRAIN_MOUNT_KILLS", if transport == "device" { 3 } else { 4 }) {
            let orders = STATES[(first + round as usize) % STATES.len()];
            let scratch = Scratch::new();
            let Some(mut mounted) =
                Mounted::start(&scratch, &["--power-cuts", "--sync-backing", "--no-page-cache"])
            else {
                return;
            };
            let file = scratch.path().join("m/a");
            std::fs::write(&file, vec![7; 1 << 20]).unwrap();
            let file = file.as_path();
            std::thread::scope(|scope| {
                let callers: Vec<_> =
                    (0..4).map(|caller| scope.spawn(move || use_until_it_fails(file, caller))).collect();
                orders.iter().for_each(|order| mounted.order(order));
                std::thread::sleep(Duration::from_millis(dice.below(60)));
                mounted.signal("-KILL");
                mounted.child.wait().unwrap();
                callers.into_iter().for_each(|caller| caller.join().unwrap());
            });
            let waited = Instant::now();
            while is_mounted(&scratch.path().join("m")) {
                assert!(waited.elapsed() < Duration::from_secs(20), "the watcher takes it down: {orders:?}");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    });
}

/// One caller among several: reads past the cache, writes and syncs, until one of them fails because the
/// mount has ended. Faults on order fail some before that.
fn use_until_it_fails(path: &Path, caller: u64) {
    use std::os::unix::fs::FileExt;
    let since = Instant::now();
    let Ok(file) = std::fs::File::options().read(true).write(true).open(path) else { return };
    let mut page = [caller as u8; 4096];
    loop {
        let worked = match caller {
            0 => file.sync_all(),
            1 => file.write_all_at(&page, caller * 4096),
            _ => file.read_exact_at(&mut page, caller * 4096),
        };
        let is_gone = |error: &std::io::Error| {
            matches!(error.raw_os_error(), Some(libc::ENOTCONN | libc::ECONNABORTED))
        };
        if worked.is_err_and(|error| is_gone(&error)) {
            return;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "caller {caller} goes on for ever");
    }
}

/// The process that is killed in the middle of reads and writes on a mount of its own.
struct Victim {
    child: Child,
    below: std::path::PathBuf,
}

impl Victim {
    fn start(scratch: &Scratch, arguments: &[&str]) -> Victim {
        let mut command = scratch.command(arguments);
        let child =
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Victim { child, below: scratch.path().canonicalize().unwrap() }
    }

    /// Our mounts below the folder, as `device point`.
    fn mounts(&self) -> Vec<(String, std::path::PathBuf)> {
        let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        let fields = table.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        let mounts = fields.map(|fields| (fields[2].to_owned(), std::path::PathBuf::from(fields[4])));
        mounts.filter(|(_, point)| point.starts_with(&self.below)).collect()
    }

    /// Waits for a state of the world. A hanging process is freed before the test fails, so that nothing of
    /// it stays.
    fn wait_until(&mut self, what: &str, mut is_so: impl FnMut(&mut Victim) -> bool) {
        let since = Instant::now();
        while !is_so(self) {
            if since.elapsed() > Duration::from_secs(120) {
                let mounts = self.mounts();
                let _ = self.child.kill();
                for (_, point) in &mounts {
                    for way in ["-f", "-l"] {
                        let _ = std::process::Command::new("umount").arg(way).arg(point).status();
                    }
                }
                panic!("{what} did not come; mounts: {mounts:?}");
            }
            // What comes soon is found at once, and what takes seconds is not asked for busily.
            std::thread::sleep(
                (since.elapsed() / 20).clamp(Duration::from_millis(2), Duration::from_millis(50)),
            );
        }
    }

    fn kill_and_bury(&mut self, scratch: &Scratch, when: &str) {
        self.child.kill().unwrap();
        self.wait_until(&format!("the end of what was killed {when}"), |victim| {
            victim.child.try_wait().unwrap().is_some()
        });
        let watcher_may_take = Duration::from_secs(8);
        let since = Instant::now();
        self.wait_until(&format!("the end of the mount killed {when}"), |victim| {
            // A kill before there is a watcher leaves the mount to the next command.
            if !victim.mounts().is_empty() && since.elapsed() > watcher_may_take {
                scratch.run(&["clean", "--json"]).expect(0);
            }
            victim.mounts().is_empty()
        });
    }
}

#[test]
fn a_mount_that_is_killed_while_it_measures_itself_ends() {
    over_each_transport(|_| {
        let scratch = Scratch::new();
        let Some(()) = need::given(emulate::fuse::check()) else { return };
        for name in ["bytes", "m"] {
            std::fs::create_dir(scratch.path().join(name)).unwrap();
        }
        // The rehearsal begins with the mount and takes half a second.
        let kills = rounds("DRIVETRAIN_MOUNT_KILLS", 4);
        for kill in 0..kills {
            let after_ms = kill * 480 / kills;
            let mut victim =
                Victim::start(&scratch, &["mount", "--drive", "dc1500m", "bytes", "m", "--json"]);
            victim.wait_until("the mount", |victim| !victim.mounts().is_empty());
            std::thread::sleep(Duration::from_millis(after_ms));
            victim.kill_and_bury(&scratch, &format!("{after_ms} ms after it was mounted"));
        }
        scratch.run(&["clean", "--json"]).expect(0);
        let mounted = Mounted::start(&scratch, &[]).unwrap();
        std::fs::write(scratch.path().join("m/a"), "kept").unwrap();
        mounted.signal("-INT");
        mounted.end();
    });
}

#[test]
fn a_mount_whose_process_was_stopped_is_neither_dead_nor_waited_for() {
    over_each_transport(|_| {
        let scratch = Scratch::with("x.toml", common::SMALL);
        let Some(mounted) = Mounted::start(&scratch, &[]) else { return };
        let here = scratch.path().canonicalize().unwrap();
        std::os::unix::fs::symlink("m", here.join("link")).unwrap();
        mounted.signal("-STOP");
        // Each waits for its answer as long as it may; all at once.
        let asked = [
            &["mount", "--repair", "m", "--json"][..],
            &["mount", "--drive", "free", "bytes", "link"],
            &["doctor", "link/below"],
            &["clean", "m/data", "--yes"],
            &["block", "m/a", "--rw", "randread", "--size", "1MiB"],
            &["plan", "x.toml", "--storage", "nvme=m/a", "--storage", "sata=m/b"],
            &["run", "x.toml", "--storage", "nvme=m/a", "--storage", "sata=m/b"],
            &["ls", "--notebook", "m/n.db"],
        ];
        let asked = asked.map(|arguments| {
            let mut command = scratch.command(arguments);
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        });
        let mut told = asked.map(|child| child.wait_with_output().unwrap()).into_iter();
        let repaired = told.next().unwrap();
        scratch.run(&["clean", "--json"]).expect(0);
        mounted.signal("-CONT");
        let repaired: serde_json::Value = serde_json::from_slice(&repaired.stdout).unwrap();
        assert_eq!(repaired["unmounted"].as_array().unwrap().len(), 0);
        assert_eq!(repaired["silent"][0]["process"], mounted.child.id());
        let (point, process) = (here.join("m").display().to_string(), mounted.child.id());
        let words = format!("a mount that does not answer lies at {point}, process {process}");
        for told in told {
            let text = String::from_utf8([told.stdout, told.stderr].concat()).unwrap();
            assert!(!told.status.success() && text.contains(&words), "{text}");
            assert!(text.contains("kill -CONT") && text.contains("mount --repair"), "{text}");
        }
        std::fs::write(scratch.path().join("m/a"), "kept").unwrap();
        mounted.signal("-INT");
        mounted.end();
    });
}

#[test]
fn a_mount_that_something_else_covers_is_said_to_stay() {
    let Some(()) = need::root() else { return }; // Nobody else can mount anything over it.
    let scratch = Scratch::new();
    let Some(mounted) = Mounted::start(&scratch, &[]) else { return };
    let point = scratch.path().join("m");
    let system = |program: &str, arguments: &[&str]| {
        let done = std::process::Command::new(program).args(arguments).arg(&point).status().unwrap();
        assert!(done.success(), "{program}");
    };
    system("mount", &["-t", "tmpfs", "none"]);
    mounted.signal("-INT");
    let output = mounted.child.wait_with_output().unwrap();
    system("umount", &[]);
    assert_eq!(output.status.code(), Some(1));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let path = point.canonicalize().unwrap_or_else(|_| point.clone());
    assert_eq!(document["still_mounted"][0].as_str(), path.to_str(), "{document:#}");
    scratch.run(&["mount", "--repair", "m", "--json"]).expect(0);
    assert!(!is_mounted(&point));
}

#[test]
fn a_dead_mount_below_another_one_is_told() {
    over_each_transport(|_| {
        let Some(()) = need::root() else { return }; // Nobody else can mount anything over it.
        let scratch = Scratch::new();
        let Some(mut mounted) = Mounted::start(&scratch, &[]) else { return };
        let point = scratch.path().join("m").canonicalize().unwrap();
        let system = |program: &str, arguments: &[&str]| {
            assert!(
                std::process::Command::new(program).args(arguments).arg(&point).status().unwrap().success()
            );
        };
        system("mount", &["-t", "tmpfs", "cover"]);
        mounted.child.kill().unwrap();
        mounted.child.wait().unwrap();
        let told = scratch.run(&["mount", "--repair", "m", "--json"]);
        let said = scratch.run(&["mount", "--repair", "."]);
        system("umount", &[]);
        let repaired = scratch.run(&["mount", "--repair", "m"]);
        let hidden = &told.expect(1).json()["hidden"][0];
        assert_eq!(
            (hidden["path"].as_str(), hidden["by"].as_str()),
            (point.to_str(), point.to_str()),
            "{hidden:#}"
        );
        assert_eq!(hidden["by_system"], "tmpfs, cover");
        let said = said.expect(1);
        assert!(said.stderr.contains("umount") && !said.stdout.contains("no dead mount"), "{said:#?}");
        repaired.expect(0);
        assert!(!is_mounted(&point));
    });
}

#[test]
fn a_run_that_is_killed_while_it_works_on_its_own_drive_ends() {
    over_each_transport(|transport| {
        let (Some(_), Some(())) = (need::program("initdb"), need::given(emulate::fuse::check())) else {
            return;
        };
        let scratch = Scratch::with("x.toml", common::QUICK);
        let settings = ["database.engine=postgresql", "database.memory=32MiB", "workload.threads=[2]"];
        let mut arguments = vec!["run", "x.toml", "--json"];
        settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
        // It rehearses, makes the database on the mount, keeps an image of it, and copies that back for each
        // cell. The moments over one transport lie between those over the other.
        let kills = rounds("DRIVETRAIN_MOUNT_KILLS", 2);
        let later = u64::from(transport != "device");
        for kill in 0..kills {
            let after_ms = 300 + (2 * kill + later) * 3700 / (2 * kills);
            let mut victim = Victim::start(&scratch, &arguments);
            victim.wait_until("the mount", |victim| !victim.mounts().is_empty());
            std::thread::sleep(Duration::from_millis(after_ms));
            victim.kill_and_bury(&scratch, &format!("{after_ms} ms after its first mount"));
        }
        scratch.run(&["clean", "--json"]).expect(0);
    });
}

#[test]
fn a_trace_for_which_there_is_no_room_leaves_neither_itself_nor_the_target() {
    let Some(()) = need::root() else { return }; // Nobody else can make a small file system.
    let scratch = Scratch::new();
    let full = scratch.path().join("full");
    std::fs::create_dir(&full).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=8k", "full"])
        .arg(&full)
        .status();
    assert!(mounted.unwrap().success());
    let load =
        ["block", "t", "--rw", "randwrite", "--size", "1MiB", "--time", "300ms", "--record", "full/rec"];
    let told = scratch.run(&load);
    let left = full.join("rec").exists();
    assert!(std::process::Command::new("umount").arg(&full).status().unwrap().success());
    let told = told.expect(1);
    assert!(told.stderr.contains("the trace is not whole, and its part is removed"), "{}", told.stderr);
    assert!(!left && !told.stdout.is_empty(), "the result is told: {told:#?}");
    assert!(!scratch.path().join("t").exists() && !scratch.path().join("t.drivetrain-owned").exists());
}

#[test]
fn what_cannot_be_mounted_is_said_with_what_to_do() {
    let scratch = Scratch::new();
    let odd = scratch.run(&["mount", "--drive", "free", "a", "b", "c"]).expect(2);
    assert!(odd.stderr.contains("pairs of a backing directory and a mount point"), "{}", odd.stderr);
    let unknown = scratch.run(&["mount", "--drive", "dc1501m", "a", "b"]).expect(2);
    assert!(unknown.stderr.contains("no drive `dc1501m`"), "{}", unknown.stderr);
    if emulate::fuse::check().is_ok() {
        std::fs::create_dir_all(scratch.path().join("full/kept")).unwrap();
        std::fs::create_dir(scratch.path().join("bytes")).unwrap();
        for (point, why) in [(".", "the present directory lies in it"), ("full", "it is not empty")] {
            let refused = scratch.run(&["mount", "--drive", "free", "bytes", point]).expect(6);
            assert!(refused.stderr.contains(why), "{}", refused.stderr);
        }
    }
    let missing = scratch.run(&["mount", "--drive", "free", "a", "b"]).expect(1);
    let (stderr, can) = (missing.stderr, emulate::fuse::check().is_ok());
    assert!(!can || stderr.contains("create the directory first"), "{stderr}");
    assert!(can || stderr.contains("cannot be mounted here"), "{stderr}");
}

/// A durability test with a second load on the same data: the same power cuts when the drive lies about its
/// flushes.
fn honest_and_lying(experiment: &str) -> String {
    let workload = experiment.split("[[workload]]\n").nth(1).expect("it has one load");
    let named = experiment.replace("[[workload]]\n", "[[workload]]\nname = \"honest\"\n");
    format!("{named}\n[[workload]]\nname = \"lying\"\n{workload}lying_flush = true\n")
}

/// Runs a durability test, shortened, with so many rounds of its loads; tells for each round the load and
/// whether orders were lost.
fn durability(name: &str, file: &str, loads: &[(&str, u64)]) -> Vec<(String, bool)> {
    let scratch = Scratch::with("x.toml", file);
    let mut arguments = vec!["run".to_owned(), name.to_owned(), "--json".to_owned()];
    for (load, rounds) in loads {
        let rounds = format!("rounds={rounds}");
        for setting in [rounds.as_str(), "load_for=1s", "warehouses=1", "virtual_users=4"] {
            arguments.extend(["--set".to_owned(), format!("{load}.{setting}")]);
        }
    }
    let ran = scratch.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let (code, ran) = (ran.code, ran.json());
    assert_eq!(ran["realm"], "emulated", "{name}: {ran:#}");
    assert!(
        !scratch.path().join("drivetrain-data").exists(),
        "a finished run leaves no data and no mount behind"
    );
    let round = |cell: &serde_json::Value| {
        let figure = |metric: &str| cell["metrics"][metric]["value"].as_f64();
        assert!(figure("orders_acknowledged") > Some(0.0), "{name}: {cell:#}");
        let lost = figure("orders_lost") > Some(0.0);
        assert_eq!(cell["state"], if lost { "invalid" } else { "done" }, "{name}: {cell:#}");
        (cell["workload"].as_str().unwrap().to_owned(), lost)
    };
    let rounds: Vec<_> = ran["cells"].as_array().unwrap().iter().map(round).collect();
    let lost = rounds.iter().any(|(_, lost)| *lost);
    assert_eq!(code, Some(if lost { 7 } else { 0 }), "{name}: {ran:#}");
    assert_eq!(ran["comparison"]["durability"][0]["orders_lost"].as_u64() > Some(0), lost, "{name}: {ran:#}");
    rounds
}

#[test]
fn a_server_on_a_modelled_drive_keeps_its_promises_through_power_cuts_and_a_lying_drive_is_found_out() {
    const POSTGRESQL: &str = include_str!("../../../../experiments/durability/postgresql-power.toml");
    over_each_transport(|transport| {
        if let Err(why) = emulate::fuse::check() {
            let refused = Scratch::new().run(&["run", "durability/postgresql-power"]).expect(2);
            assert!(refused.stderr.contains(&why.to_string()), "{}", refused.stderr);
            return need::skip(&why.to_string());
        }
        let (Some(_), Some(_)) = (need::program("initdb"), need::program("mariadbd")) else { return };
        let cuts = rounds("DRIVETRAIN_CUTS", 1);
        // Every load of data takes long: over each transport one of the servers keeps its promises. What a
        // drive does with a flush is no matter of the transport. A long series takes all over both.
        if transport == "device" || cuts > 1 {
            let both = [("workload.honest", cuts), ("workload.lying", 1)];
            for (load, lost) in durability("x.toml", &honest_and_lying(POSTGRESQL), &both) {
                assert_eq!(lost, load == "lying");
            }
        }
        if transport != "device" || cuts > 1 {
            let kept = durability("durability/mariadb-power", "", &[("workload", cuts)]);
            assert!(kept.iter().all(|(_, lost)| !lost));
        }
        // A server that asks for no sync loses orders on whatever way its writes take; SQLite that asks for
        // none is in a test of its own.
        if cuts > 1 {
            let lost = durability("durability/postgresql-without-sync", "", &[("workload", 1)]);
            assert!(lost.iter().all(|(_, lost)| *lost));
        }
    });
}

/// Over one transport: the figures are the drive's, which knows nothing of transports.
#[test]
fn order_entry_on_a_mounted_server_is_told_with_what_its_drive_did() {
    let (Some(_), Some(())) = (need::program("initdb"), need::given(emulate::fuse::check())) else { return };
    common::MOUNT_TRANSPORT.set(Some("device"));
    let modelled = "{ emulated = \"micron-5200-eco-1920g\", path = \".\" }";
    let scratch = Scratch::with("x.toml", &ONE_BED.replace("{ real = \".\" }", modelled));
    let run = [&["run", "x.toml", "--json"], &common::PACED[..]].concat();
    let ran = scratch.run(&run).expect(0).json();
    for cell in ran["cells"].as_array().unwrap() {
        let figure = |name: &str| cell["metrics"][name]["value"].as_f64();
        assert!(figure("nopm") > Some(0.0) && figure("writes_per_transaction") > Some(0.0), "{cell:#}");
        assert!(
            figure("drive_sync_latency_mean") > Some(0.0) && figure("late_completions").is_some(),
            "{cell:#}"
        );
    }
}
