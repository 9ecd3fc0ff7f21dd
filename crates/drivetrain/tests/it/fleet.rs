//! Fleets of processes of this machine: their sums, their ends, and what is left of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::common::{QUICK, Ran, SMALL, Scratch, interrupt};

/// Modelled drives in virtual time: the same counts in every run.
pub(crate) const MODELLED: &str = r#"
schema = 1
title = "A fleet on modelled drives"
[[bed]]
name = "nvme"
storage = { emulated = "kingston-dc1500m-960g", path = "." }
[[workload]]
kind = "block"
engine = "modelled"
size = "1GiB"
depth = [1, 4]
ramp_up = "100ms"
measure = "1s"
[[workload.stream]]
read = "70%"
block_size = "4KiB"
[design]
treatment = []
repeats = 2
seed = 7
"#;

/// No drive at all, long enough to be ended meanwhile.
pub(crate) fn long() -> String {
    MODELLED
        .replace("engine = \"modelled\"", "engine = \"null\"\nrate = [200, 300]")
        .replace("depth = [1, 4]\n", "")
        .replace("measure = \"1s\"", "measure = \"2s\"")
}

pub(crate) fn open(scratch: &Scratch, name: &str) -> Connection {
    Connection::open(scratch.path().join(name)).unwrap()
}

/// A figure of every cell that counts, in their order.
pub(crate) fn values(notebook: &Connection, metric: &str) -> Vec<f64> {
    let mut statement = notebook
        .prepare(
            "SELECT value FROM measurement JOIN metric ON metric.id = metric JOIN latest_attempt AS l ON l.id = attempt
             WHERE metric.name = ?1 AND l.state = 'done' ORDER BY l.cell",
        )
        .unwrap();
    statement.query_map([metric], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// The stored latency histograms of every cell.
fn histograms(notebook: &Connection) -> Vec<Vec<u8>> {
    let mut statement = notebook
        .prepare("SELECT encoded FROM histogram JOIN latest_attempt AS l ON l.id = attempt ORDER BY l.cell, metric")
        .unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn run_of(scratch: &Scratch, notebook: &str, more: &[&str]) -> Ran {
    scratch.run_in_virtual_time(&[&["run", "x.toml", "--notebook", notebook], more].concat())
}

#[test]
fn the_whole_is_the_sum_of_its_ranks_and_a_fleet_of_one_is_a_plain_run() {
    let scratch = Scratch::with("x.toml", MODELLED);
    run_of(&scratch, "three.db", &["--hosts", "localhost:3"]).expect(0);
    run_of(&scratch, "one.db", &["--hosts", "localhost"]).expect(0);
    run_of(&scratch, "plain.db", &[]).expect(0);
    let whole = open(&scratch, "three.db");
    let ranks: Vec<Connection> =
        (0..3).map(|rank| open(&scratch, &format!("three.rank-{rank}.db"))).collect();
    for metric in ["iops", "latency_count", "read_iops", "errors"] {
        let sums = values(&whole, metric);
        assert_eq!(sums.len(), 4, "{metric}");
        let parts: Vec<Vec<f64>> = ranks.iter().map(|rank| values(rank, metric)).collect();
        for (cell, sum) in sums.iter().enumerate() {
            assert_eq!(*sum, parts.iter().map(|part| part[cell]).sum::<f64>(), "{metric} of cell {cell}");
        }
    }
    // Equal ranks are asked alike, not the same.
    assert_ne!(histograms(&ranks[0]), histograms(&ranks[1]));
    let (one, plain) = (open(&scratch, "one.db"), open(&scratch, "plain.db"));
    assert_eq!(histograms(&one), histograms(&plain));
    assert_eq!(histograms(&ranks[0]), histograms(&plain), "the first rank is asked what one process is");
    for metric in ["iops", "latency_p99", "latency_mean"] {
        assert_eq!(values(&one, metric), values(&plain, metric), "{metric}");
    }
    let shown = scratch.run(&["compare", "--json", "--notebook", "three.db"]).expect(0).json();
    let hosts = shown["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), 2, "one for each level: {shown:#}");
    assert_eq!(hosts[0]["hosts"].as_array().unwrap().len(), 3);
    let text = scratch.run(&["compare", "--full", "--notebook", "three.db"]).expect(0).stdout;
    assert!(text.contains(" on 3 hosts, fairness ") && text.contains("0 localhost"), "{text}");
    let fio = scratch.run(&["export", "--format", "fio-json", "--notebook", "three.db"]).expect(0).json();
    let options = &fio["jobs"][0]["job options"];
    assert_eq!(options["numjobs"], "3", "the workers of all ranks: {options}");
}

#[test]
fn two_fleets_on_the_same_real_storage_are_compared() {
    let real = MODELLED
        .replace("emulated = \"kingston-dc1500m-960g\", path", "real")
        .replace("engine = \"modelled\"", "engine = \"null\"\nrate = [200, 300]")
        .replace("depth = [1, 4]\n", "")
        .replace("repeats = 2", "repeats = 1");
    let scratch = Scratch::with("x.toml", &real);
    for _ in 0..2 {
        scratch.run(&["run", "x.toml", "--hosts", "localhost:2", "--notebook", "two.db"]).expect(0);
    }
    let told = scratch.run(&["compare", "2", "1", "--notebook", "two.db"]).expect(0).stdout;
    assert!(told.contains("Does run 2 differ from run 1?"), "{told}");
    let page = scratch.run(&["compare", "2", "--full", "--notebook", "two.db"]).expect(0).stdout;
    assert!(page.contains("Null engine: no I/O reached any storage"), "{page}");
}

/// The binary with these arguments, as so many ranks of mpirun.
#[cfg(feature = "mpi")]
fn under_mpirun(scratch: &Scratch, mpirun: &Path, ranks: u32, arguments: &[&str]) -> Command {
    let plain = scratch.command(arguments);
    let mut command = Command::new(mpirun);
    command.args(["--oversubscribe", "-n", &ranks.to_string()]);
    command.arg(plain.get_program()).args(plain.get_args()).current_dir(scratch.path());
    command.envs(plain.get_envs().filter_map(|(key, value)| Some((key, value?))));
    // Root runs the tests in a container of its own.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

/// The ranks of mpirun, in a build with the feature `mpi`, which `.ci/run` makes.
#[cfg(feature = "mpi")]
#[test]
fn ranks_of_mpi_give_what_processes_give() {
    let Some(mpirun) = testkit::need::program("mpirun") else { return };
    let scratch = Scratch::with("x.toml", MODELLED);
    let under = |arguments: &[&str]| {
        let mut command = under_mpirun(&scratch, &mpirun, 4, arguments);
        Ran::from(command.env("DRIVETRAIN_CLOCK", "virtual").output().unwrap())
    };
    let ran = under(&["run", "x.toml", "--hosts", "mpi", "--notebook", "mpi.db"]).expect(0);
    assert!(ran.stderr.contains("fleet of 4 ranks: mpi"), "{}", ran.stderr);
    run_of(&scratch, "processes.db", &["--hosts", "localhost:4"]).expect(0);
    let (mpi, processes) = (open(&scratch, "mpi.db"), open(&scratch, "processes.db"));
    assert_eq!(values(&mpi, "latency_count").len(), 4);
    assert_eq!(values(&mpi, "latency_count"), values(&processes, "latency_count"));
    assert_eq!(histograms(&mpi), histograms(&processes));
    // Each rank waits for the moment itself, and tells by how much it was late.
    for metric in ["start_skew", "measure_skew"] {
        let skews = values(&mpi, metric);
        assert!(
            skews.len() == 4 && skews.iter().all(|ms| ms.is_finite() && *ms >= 0.0),
            "{metric}: {skews:?}"
        );
    }
    let shown = scratch.run(&["compare", "--json", "--notebook", "mpi.db"]).expect(0).json();
    for of in shown["hosts"].as_array().unwrap() {
        assert!(of["start_skew_ms"].is_f64() && of["measure_skew_ms"].is_f64(), "{of:#}");
    }
    let text = scratch.run(&["compare", "--full", "--notebook", "mpi.db"]).expect(0).stdout;
    assert!(text.contains("; started within ") && text.contains(" ms, measured from within "), "{text}");
    // Once more, by the ranks that are there.
    let again = under(&["resume", "--hosts", "mpi", "--notebook", "mpi.db", "--cells", "2"]).expect(0);
    assert!(again.stderr.contains("fleet of 4 ranks: mpi"), "{}", again.stderr);
    assert_eq!(values(&mpi, "latency_count"), values(&processes, "latency_count"));
}

#[cfg(not(feature = "mpi"))]
#[test]
fn a_build_without_mpi_says_so() {
    let scratch = Scratch::with("x.toml", MODELLED);
    let ran = scratch.run(&["run", "x.toml", "--hosts", "mpi"]).expect(2);
    assert!(ran.stderr.contains("this build has no MPI"), "{}", ran.stderr);
}

/// The workers of a lead, by their process numbers.
pub(crate) fn workers(lead: &Child) -> Vec<u32> {
    let children = |pid: u32| -> Vec<u32> {
        let path = format!("/proc/{pid}/task/{pid}/children");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
    };
    children(lead.id())
}

pub(crate) fn is_alive(pid: u32) -> bool {
    // A zombie has no command line.
    std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty())
}

pub(crate) fn wait_until(what: &str, mut is: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn send(pid: u32, signal: &str) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

pub(crate) fn done(scratch: &Scratch, notebook: &str) -> usize {
    let path = scratch.path().join(notebook);
    let Ok(notebook) = Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY) else {
        return 0;
    };
    let count = "SELECT count(*) FROM latest_attempt WHERE state = 'done'";
    notebook.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap_or(0) as usize
}

pub(crate) fn start(scratch: &Scratch, arguments: &[&str]) -> Child {
    let mut command = scratch.command(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

pub(crate) fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

const RUN: [&str; 5] = ["run", "x.toml", "--hosts", "localhost:3", "--seed=7"];

#[test]
fn a_killed_rank_is_named_finished_cells_stay_and_resume_goes_on() {
    let scratch = Scratch::with("x.toml", &long());
    let lead = start(&scratch, &RUN);
    wait_until("the first cell is done", || done(&scratch, "drivetrain.db") > 0);
    let ranks = workers(&lead);
    assert_eq!(ranks.len(), 3, "{ranks:?}");
    send(ranks[1], "-KILL");
    let (code, stderr) = ended(lead);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("rank 1 (localhost) is gone at the meeting"), "{stderr}");
    assert!(stderr.contains("killed by signal 9 (SIGKILL)"), "{stderr}");
    assert!(stderr.contains("drivetrain resume 1"), "{stderr}");
    assert!(!ranks.iter().any(|pid| is_alive(*pid)), "no rank outlives its lead");
    let kept = done(&scratch, "drivetrain.db");
    assert!(kept > 0);
    for rank in 0..3 {
        assert!(done(&scratch, &format!("drivetrain.rank-{rank}.db")) >= kept);
    }
    let resumed = scratch.run(&["resume"]).expect(0);
    assert!(resumed.stderr.contains("fleet of 3 ranks"), "{}", resumed.stderr);
    assert_eq!(done(&scratch, "drivetrain.db"), 4);
    for rank in 0..3 {
        assert_eq!(done(&scratch, &format!("drivetrain.rank-{rank}.db")), 4);
    }
    let shown = scratch.run(&["compare", "--json"]).expect(0).json();
    for host in shown["hosts"].as_array().unwrap().iter().flat_map(|of| of["hosts"].as_array().unwrap()) {
        assert!(
            host["cpu_idle_percent"].as_f64().is_some_and(|idle| (0.0..=100.0).contains(&idle)),
            "{host}"
        );
    }
    scratch.run(&["resume"]).expect(0);
    let refused = scratch.run(&["resume", "--cells", "1", "--hosts", "localhost:2"]).expect(1);
    assert!(refused.stderr.contains("measured by 3 ranks, and 2 are given"), "{}", refused.stderr);
}

#[test]
fn a_rank_that_stops_is_late_or_named() {
    let scratch = Scratch::with("x.toml", &long());
    let lead = start(&scratch, &RUN);
    wait_until("the first cell is done", || done(&scratch, "drivetrain.db") > 0);
    let rank = workers(&lead)[2];
    send(rank, "-STOP");
    std::thread::sleep(Duration::from_secs(3));
    send(rank, "-CONT");
    let (code, stderr) = ended(lead);
    assert!(code == Some(0) || code == Some(7), "a pause shorter than the limit ends nothing: {stderr}");
    let scratch = Scratch::with("x.toml", &long());
    // Signs of life come every second, on a busy machine later.
    let lead = start(&scratch, &[&RUN[..], &["--silence", "6"]].concat());
    wait_until("the first cell is done", || done(&scratch, "drivetrain.db") > 0);
    let ranks = workers(&lead);
    send(ranks[2], "-STOP");
    // The lead waits for its processes before it ends this one, which cannot hear it.
    let (code, stderr) = ended(lead);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("rank 2 (localhost) did not come to the meeting"), "{stderr}");
    // It stopped before the question or after it.
    let says = ["no sign of life for 6s", "no answer for 6s"];
    assert!(says.iter().any(|words| stderr.contains(words)), "{stderr}");
    assert!(!ranks.iter().any(|pid| is_alive(*pid)));
}

#[test]
fn a_lead_that_stops_blames_no_rank() {
    let scratch = Scratch::with("x.toml", &long());
    let lead = start(&scratch, &[&RUN[..], &["--silence", "3"]].concat());
    wait_until("the first cell is done", || done(&scratch, "drivetrain.db") > 0);
    // Longer than a rank may be silent, and shorter than the lead may be.
    send(lead.id(), "-STOP");
    std::thread::sleep(Duration::from_secs(6));
    send(lead.id(), "-CONT");
    let (code, stderr) = ended(lead);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(done(&scratch, "drivetrain.db"), 4);
}

/// mpirun ends the ranks of a process that ends without MPI: nobody waits for one that hears nothing.
#[cfg(feature = "mpi")]
#[test]
fn a_stopped_rank_of_mpi_is_named_and_ended() {
    let Some(mpirun) = testkit::need::program("mpirun") else { return };
    let scratch = Scratch::with("x.toml", &long());
    let mut command =
        under_mpirun(&scratch, &mpirun, 2, &["run", "x.toml", "--hosts", "mpi", "--silence", "4"]);
    let lead = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the first cell is done", || done(&scratch, "drivetrain.db") > 0);
    let ranks = workers(&lead);
    assert_eq!(ranks.len(), 2, "{ranks:?}");
    send(ranks[1], "-STOP");
    let (code, stderr) = ended(lead);
    assert!(code.is_some_and(|code| code != 0), "{stderr}");
    assert!(stderr.contains("rank 1 (rank1) did not come to the meeting"), "{stderr}");
    wait_until("no rank outlives its lead", || !ranks.iter().any(|pid| is_alive(*pid)));
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_a_killed_lead_leaves_no_orphan() {
    let scratch = Scratch::with("x.toml", &long());
    let lead = start(&scratch, &RUN);
    wait_until("the first cell is done", || done(&scratch, "drivetrain.db") > 0);
    interrupt(&lead);
    let (code, stderr) = ended(lead);
    assert_eq!(code, Some(130), "{stderr}");
    let mut lead = start(&scratch, &["resume"]);
    let before = done(&scratch, "drivetrain.db");
    wait_until("a further cell is done", || done(&scratch, "drivetrain.db") > before);
    let ranks = workers(&lead);
    lead.kill().unwrap();
    lead.wait().unwrap();
    wait_until("the ranks end", || !ranks.iter().any(|pid| is_alive(*pid)));
    scratch.run(&["resume"]).expect(0);
    assert_eq!(done(&scratch, "drivetrain.db"), 4);
}

/// A program in place of ssh: it gives a host surroundings of its own and then does what it is asked.
pub(crate) fn ssh(scratch: &Scratch, host: &str, does: &str) -> String {
    let script = format!("#!/bin/sh\nhost=$1; shift\ncase $host in {host}) {does};; esac\nexec \"$@\"\n");
    let path = scratch.write("ssh.sh", &script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&path, mode).unwrap();
    path.display().to_string()
}

fn over_ssh(scratch: &Scratch, of_b: &str, more: &[&str]) -> Ran {
    let (ssh, program) = (ssh(scratch, "b", of_b), env!("CARGO_BIN_EXE_drivetrain"));
    let mut command = scratch
        .command(&[&["run", "x.toml", "--hosts", "a,b", "--ssh", &ssh, "--program", program], more].concat());
    Ran::from(command.env("DRIVETRAIN_CLOCK", "virtual").output().unwrap())
}

#[test]
fn ranks_that_wait_for_a_late_one_are_not_silent() {
    let scratch = Scratch::with("x.toml", &MODELLED.replace("depth = [1, 4]", "depth = [4]"));
    // Later than a rank may be silent, and within the limit of its first message.
    over_ssh(&scratch, "sleep 6", &["--silence", "3"]).expect(0);
    assert_eq!(done(&scratch, "drivetrain.db"), 2);
}

#[test]
fn a_clock_that_is_off_is_measured_and_moves_nothing() {
    let scratch = Scratch::with("x.toml", MODELLED);
    over_ssh(&scratch, "export DRIVETRAIN_DATE_OFF_MS=500", &[]).expect(0);
    let notebook = open(&scratch, "drivetrain.db");
    let (offsets, errors) =
        (values(&notebook, "clock_offset_host_2"), values(&notebook, "clock_error_host_2"));
    assert_eq!(offsets.len(), 4);
    for (offset, error) in offsets.iter().zip(&errors) {
        // The readings of date and clock are not one.
        assert!((offset - 500.0).abs() <= error + 0.5, "{offset} +- {error}");
    }
    assert_eq!(values(&notebook, "iops").len(), 4);
    assert!(
        scratch.path().join("drivetrain.rank-1.db").exists(),
        "beside, as the ranks start in this directory"
    );
}

#[test]
fn faults_of_a_host_are_told_with_its_rank() {
    let cases = [
        (
            "exec sh -c 'echo no route to b >&2; exit 255'",
            1,
            "rank 1 (b) is gone at the meeting `hello`: no route to b",
        ),
        // It lives on, and nobody waits for it.
        ("exec 1>&-; exec sleep 100", 1, "rank 1 (b) is gone at the meeting `hello`"),
        ("echo Last login: today", 1, "`Last` begins no message"),
        // A message of a rank of another build.
        ("cat hello.bin; cat > /dev/null", 1, "rank 1 (b) has drivetrain 0"),
        ("export DRIVETRAIN_FAULT=full@40", 1, "rank 1 (b): "),
    ];
    for (of_b, code, part) in cases {
        let scratch = Scratch::with("x.toml", MODELLED);
        let hello = fleet::Hello { version: "drivetrain 0".to_owned(), machine: "m".to_owned(), pid: 1 };
        let mut hello_file = std::fs::File::create(scratch.path().join("hello.bin")).unwrap();
        fleet::write_frame(&mut hello_file, &fleet::encode(&fleet::Up::Hello(hello))).unwrap();
        let ran = over_ssh(&scratch, of_b, &[]).expect(code);
        assert!(ran.stderr.contains(part), "{of_b}: {}", ran.stderr);
    }
    let scratch = Scratch::with("x.toml", MODELLED);
    let ran = scratch.run(&["run", "x.toml", "--hosts", "a", "--ssh", "/nonexistent"]).expect(1);
    assert!(
        ran.stderr.contains("rank 0 (a): `/nonexistent a drivetrain worker` cannot be started"),
        "{}",
        ran.stderr
    );
    assert!(!scratch.path().join("drivetrain.db").exists(), "nothing is made for a fleet that is not there");
    for (hosts, part) in [("a,,b", "no host"), ("-oProxyCommand=x", "no host"), ("a:0", "no number of ranks")]
    {
        let ran = scratch.run(&["run", "x.toml", &format!("--hosts={hosts}")]).expect(2);
        assert!(ran.stderr.contains(part), "{hosts}: {}", ran.stderr);
    }
    scratch.run(&["run", "x.toml", "--hosts", "localhost", "--realm", "simulated"]).expect(2);
}

#[test]
fn commands_are_printed_and_nothing_is_started() {
    let scratch = Scratch::with("x.toml", MODELLED);
    let printed = |more: &[&str]| {
        let arguments =
            [&["fleet", "command", "--hosts", "a,b"], more, &["x.toml", "--set", "title=two words"]].concat();
        scratch.run(&arguments).expect(0).stdout
    };
    let ssh = printed(&[]);
    assert!(ssh.starts_with("drivetrain run x.toml --set 'title=two words' --hosts a,b\n"), "{ssh}");
    assert!(ssh.contains("# rank 1: ssh -o BatchMode=yes b drivetrain worker"), "{ssh}");
    let mpirun = printed(&["--by", "mpirun"]);
    assert!(mpirun.starts_with("mpirun -n 2 --host a,b drivetrain run x.toml"), "{mpirun}");
    assert!(mpirun.trim_end().ends_with("--hosts mpi"), "{mpirun}");
    assert!(printed(&["--by", "srun"]).contains("--ssh 'srun "));
    let pods = printed(&["--by", "kubernetes"]);
    assert!(
        pods.contains("replicas: 2") && pods.contains("--hosts drivetrain-0,drivetrain-1 --ssh ./on-pod"),
        "{pods}"
    );
    let job = printed(&["--by", "mpijob"]);
    assert!(job.contains("kind: MPIJob") && job.contains("replicas: 2\n"), "{job}");
    let list = r#"args: ["-n","2","--wdir","/data","drivetrain","run","x.toml","--set","title=two words","--hosts","mpi"]"#;
    assert!(job.contains(list), "{job}");
    let hostile =
        ["fleet", "command", "--hosts", "a", "--by", "mpijob", "x.toml", "--note", "$(A)\u{7f}{ranks}"];
    let hostile = scratch.run(&hostile).expect(0).stdout;
    assert!(hostile.contains(r#""--note","$$(A)\u007f{ranks}""#), "{hostile}");
    let plan = scratch.run(&["plan", "x.toml", "--hosts", "a,b"]).expect(0).stdout;
    assert!(plan.contains("1 on b: bed nvme of its own, with the whole load"), "{plan}");
}

#[test]
fn a_worker_without_a_lead_ends() {
    let scratch = Scratch::new();
    let mut worker = scratch.command(&["worker"]);
    let output = worker.stdin(Stdio::null()).output().unwrap();
    assert!(!output.status.success());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("the lead of the fleet is gone"), "{stderr}");
}

/// Databases that two ranks have each for itself.
const OWN: [&str; 4] = ["--storage", "nvme=n-{rank}", "--storage", "sata=s-{rank}"];

/// Their places, made.
fn places(scratch: &Scratch) -> BTreeSet<PathBuf> {
    let places: BTreeSet<PathBuf> =
        ["n-0", "n-1", "s-0", "s-1"].iter().map(|name| scratch.path().join(name)).collect();
    places.iter().for_each(|place| std::fs::create_dir(place).unwrap());
    places
}

fn is_empty(place: &Path) -> bool {
    std::fs::read_dir(place.join("drivetrain-data")).map_or(true, |mut all| all.next().is_none())
}

#[test]
fn clean_gives_up_the_data_of_ranks() {
    let scratch = Scratch::with("x.toml", &SMALL.replace("\"1s\"", "\"30s\""));
    let places = places(&scratch);
    let mut lead = start(&scratch, &[&["run", "x.toml", "--hosts", "localhost:2"], &OWN[..]].concat());
    let has_data = |rank: u32| {
        let of_rank = |place: &&PathBuf| place.to_string_lossy().ends_with(&format!("-{rank}"));
        places.iter().filter(of_rank).any(|place| !is_empty(place))
    };
    wait_until("both ranks load their data", || has_data(0) && has_data(1));
    let ranks = workers(&lead);
    lead.kill().unwrap();
    lead.wait().unwrap();
    wait_until("the ranks end", || !ranks.iter().any(|pid| is_alive(*pid)));
    let listed = scratch.run(&["clean", "--run", "1", "--dry-run"]).expect(0);
    assert!(listed.stdout.contains("-rank-0") && listed.stdout.contains("-rank-1"), "{}", listed.stdout);
    assert!(has_data(0) && has_data(1), "a dry run removes nothing");
    let cleaned = scratch.run(&["clean", "--run", "1", "--yes"]).expect(0);
    assert!(places.iter().all(|place| is_empty(place)), "{}{}", cleaned.stdout, cleaned.stderr);
}

#[test]
fn every_rank_has_a_database_of_its_own() {
    let scratch = Scratch::with("x.toml", &QUICK.replace("repeats = 2", "repeats = 1"));
    let run = [&["run", "x.toml", "--hosts", "localhost:2"][..], &OWN].concat();
    scratch.run(&run).expect(1);
    let places = places(&scratch);
    let ran = scratch.run(&run).expect(0);
    let whole = open(&scratch, "drivetrain.db");
    let sums = values(&whole, "latency_count");
    assert_eq!(sums.len(), 4, "{}", ran.stderr);
    let part = |rank| values(&open(&scratch, &format!("drivetrain.rank-{rank}.db")), "latency_count");
    for (cell, (one, other)) in part(0).iter().zip(part(1)).enumerate() {
        assert_eq!(sums[cell], one + other);
    }
    assert!(places.iter().all(|place| is_empty(place)), "every rank tidied up");
}
