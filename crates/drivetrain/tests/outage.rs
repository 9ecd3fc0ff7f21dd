//! Servers by address behind a network that fails: no request vanishes, and nobody waits for ever.
//!
//! Outages are short here. With `DRIVETRAIN_FULL_OUTAGE=1` the first test holds all packets for 8 s in a
//! measure phase of 20 s, three times for each load and engine.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test with its place.

mod common;
#[path = "common/proxy.rs"]
mod proxy;

use std::collections::HashMap;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::{Ran, Scratch};
use database::{Backing, Instance as _, InstanceSpec, Server};
use notebook::{CellState, Notebook};
use proxy::{Outage, Proxy};
use serde_json::Value;

const MS: Duration = Duration::from_millis(1);
const HOUR: Duration = Duration::from_secs(3_600);
/// More than the connections of any check or load of the data: the proxy knows a cell by them.
const USERS: usize = 16;
/// Users whose request counts as long as the hole: a busy machine lets some of them ask when it is half over.
const USERS_LEAST: u64 = 12;
const RATE: f64 = 20.0;

/// A running server of this test's own with a proxy before it, through which the first run loads its data.
struct Site {
    server: Arc<Mutex<Server>>,
    proxy: Proxy,
    engine: &'static str,
    scratch: Scratch,
    _home: tempfile::TempDir,
}

impl Site {
    /// With two loads in its experiment, one without a pace and one at a rate.
    fn new(engine: &str, repeats: u32, ramp_up: Duration, measure: Duration) -> Option<Self> {
        Self::under(engine, &LOADS, repeats, ramp_up, measure)
    }

    fn under(
        engine: &str,
        loads: &[&str; 2],
        repeats: u32,
        ramp_up: Duration,
        measure: Duration,
    ) -> Option<Self> {
        common::engine(engine)?;
        let home = tempfile::Builder::new().prefix("drivetrain-test-").tempdir_in("/tmp").unwrap();
        let spec = InstanceSpec {
            dir: home.path().to_owned(),
            data: Backing::Real,
            log: Backing::Real,
            log_dir: None,
            memory_bytes: 64 << 20,
            synchronous: database::Synchronous::Off,
            page_cache: false,
        };
        let mut server = match engine {
            "postgresql" => database::postgresql::provision(spec),
            _ => database::mariadb::provision(spec),
        }
        .unwrap();
        server.start().unwrap();
        let (engine, proxy) = (server.engine().name(), Proxy::before(server.endpoint().port));
        let text = experiment(engine, loads, repeats, ramp_up, measure);
        let scratch = Scratch::with("x.toml", &text);
        Some(Self { server: Arc::new(Mutex::new(server)), proxy, engine, scratch, _home: home })
    }

    /// The same with two loads of sysbench, whose data are there at once.
    fn small(engine: &str, measure: Duration) -> Option<Self> {
        Self::under(engine, &SYSBENCH, 1, 500 * MS, measure)
    }

    /// A run through the proxy.
    fn command(&self, more: &[&str]) -> Command {
        let port = self.proxy.port();
        let endpoint = self.server.lock().unwrap().endpoint().clone();
        let scheme = if self.engine == "postgresql" { "postgresql" } else { "mariadb" };
        let url = format!("database.url={scheme}://{}@127.0.0.1:{port}/{}", endpoint.user, endpoint.database);
        let arguments = [&["run", "x.toml", "--json", "--set", &url], more].concat();
        let mut command = self.scratch.command(&arguments);
        let password = endpoint.password.as_ref().unwrap().reveal();
        command.env("PGPASSWORD", password).env("MYSQL_PWD", password);
        command
    }

    /// Another proxy, which has no plans yet.
    fn connect_anew(&mut self) {
        self.proxy = Proxy::before(self.server.lock().unwrap().endpoint().port);
    }

    fn run(&self, more: &[&str]) -> Ran {
        Ran::from(self.command(more).output().unwrap())
    }

    /// Latencies of a cell of the latest run that took so long at least.
    fn as_long_as(&self, of: &Value, least: Duration) -> u64 {
        let notebook = Notebook::open_existing(self.scratch.path().join("drivetrain.db")).unwrap();
        let run = notebook.runs().unwrap().iter().map(|run| run.id).max().unwrap();
        let cells = notebook.cells(run).unwrap();
        let position = of["cell"].as_u64().unwrap() - 1;
        let cell = cells.iter().find(|cell| u64::from(cell.position) == position).unwrap();
        assert_eq!(cell.state, CellState::Done);
        let latencies = notebook.histogram(cell.id, words::Latency::Answer).unwrap().unwrap();
        latencies.recorded().filter(|(ns, _)| *ns >= least.as_nanos() as u64).map(|(_, count)| count).sum()
    }
}

/// Order entry without a pace, and with arrivals.
const LOADS: [&str; 2] = [
    "kind = \"tpcc\"\nwarehouses = 1\nvirtual_users = [16]",
    "kind = \"tpcc\"\nwarehouses = 1\nvirtual_users = [16]\npacing = { arrivals_per_second = 20.0 }",
];
/// The same of sysbench.
const SYSBENCH: [&str; 2] = [
    "kind = \"sysbench\"\ntest = \"oltp_point_select\"\ntables = 1\nrows = 1000\nthreads = [16]",
    "kind = \"sysbench\"\ntest = \"oltp_point_select\"\ntables = 1\nrows = 1000\nthreads = [16]\nrate = 20.0",
];

fn experiment(engine: &str, loads: &[&str; 2], repeats: u32, ramp_up: Duration, measure: Duration) -> String {
    let [closed, open] = loads;
    let times = format!("ramp_up = \"{}ms\"\nmeasure = \"{}ms\"\n", ramp_up.as_millis(), measure.as_millis());
    format!(
        r#"
schema = 1
title = "A server behind a network"
[[bed]]
name = "there"
storage = {{ real = "." }}
[database]
engine = "{engine}"
memory = "64MiB"
[[workload]]
name = "closed"
{closed}
{times}
[[workload]]
name = "open"
{open}
{times}
[design]
repeats = {repeats}
seed = 5
"#
    )
}

fn cells(ran: &Ran) -> Vec<Value> {
    ran.json()["cells"].as_array().unwrap().clone()
}

fn metric(cell: &Value, name: &str) -> f64 {
    cell["metrics"][name]["value"].as_f64().unwrap_or_else(|| panic!("{name} of {cell:#}"))
}

/// The cells of one load.
fn of_load<'c>(cells: &'c [Value], load: &str) -> Vec<&'c Value> {
    cells.iter().filter(|cell| cell["workload"] == load).collect()
}

/// The comparison of a value with the expected one, within a tolerance.
fn close(value: f64, expected: f64, off: f64, what: &str) {
    assert!((value - expected).abs() <= off, "{what}: {value}, expected {expected} within {off}");
}

/// All packets are held for a while in the middle of the measure phase: requests wait, and each of them is
/// counted.
fn a_hole_makes_nothing_vanish(engine: &str) -> Option<Site> {
    let full = std::env::var_os("DRIVETRAIN_FULL_OUTAGE").is_some();
    let (measure_s, hold_s, repeats) = if full { (20.0, 8.0, 3) } else { (6.0, 2.5, 1) };
    let (ramp_up, second) = (300 * MS, Duration::from_secs(1));
    let site = Site::new(engine, repeats, ramp_up, second.mul_f64(measure_s))?;
    // The load without a pace goes on for a while after the hole, not longer.
    let closed = |share: f64| format!("workload.closed.measure={}ms", (measure_s * share * 1e3) as u32);
    let whole = cells(&site.run(&["--set", &closed(0.2)]).expect(0));
    let after = ramp_up + second.mul_f64(measure_s * 0.2);
    site.proxy.plan(Outage { connections: USERS + 1, after, hold: second.mul_f64(hold_s) });
    let ran = site.run(&["--set", &closed(0.7)]).expect(0);
    let holed = cells(&ran);
    assert_eq!(holed.len(), 2 * repeats as usize);
    for (cell, undisturbed) in of_load(&holed, "open").into_iter().zip(of_load(&whole, "open")) {
        let due = metric(cell, "requests_due");
        assert_eq!(
            due,
            metric(undisturbed, "requests_due"),
            "{}: arrivals do not depend on the server",
            site.engine
        );
        assert_eq!(metric(cell, "latency_count"), due, "{cell:#}");
        close(due, RATE * measure_s, 5.0 * (RATE * measure_s).sqrt(), "a Poisson count");
        // All that arrived in the hole, but for those that came just before its end. A slow server is behind
        // for the rest of the phase.
        let (late, expected) = (site.as_long_as(cell, 250 * MS) as f64, RATE * (hold_s - 0.25));
        assert!(late > expected - 5.0 * expected.sqrt(), "{late} late, of {expected} expected");
        assert!(metric(cell, "latency_p90") > hold_s * 1e3 * 0.4, "{cell:#}");
        assert_eq!(metric(undisturbed, "requests_unfinished") + metric(undisturbed, "requests_unknown"), 0.0);
    }
    for cell in of_load(&holed, "closed") {
        // Each user's request that was under way, but for those of the ramp-up, which have no latency. After
        // the hole a request can wait as long for its rows, once for each user until the phase ends.
        let counted = site.as_long_as(cell, second.mul_f64(hold_s * 0.9));
        let of_the_ramp_up = entered(cell, measure_s * 0.7);
        let all = counted + of_the_ramp_up;
        assert!(all >= USERS_LEAST && counted <= 2 * USERS as u64, "{counted}, {of_the_ramp_up}: {cell:#}");
    }
    for cell in &holed {
        let gap = metric(cell, "longest_gap");
        assert!((hold_s - 0.6..hold_s + 3.0).contains(&gap), "the longest time without an answer: {gap}");
        assert_eq!(cell["state"], "done", "{cell:#}");
        // A standstill is ten times the usual wait, which is long where other tests share the drive.
        if is_standstill(cell) {
            assert_eq!(cell["limiter"], "no answer", "{cell:#}");
            let warning = cell["warnings"][0].as_str().unwrap();
            assert!(warning.contains("no request was answered for"), "{warning}");
        }
    }
    for cell in &whole {
        assert_ne!(cell["limiter"], "no answer", "{cell:#}");
        assert!(cell["warnings"].as_array().unwrap().is_empty(), "{cell:#}");
    }
    let shown = site.scratch.run(&["show", "--full"]).expect(0).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let report = std::fs::read_to_string(ran.json()["report"].as_str().unwrap()).unwrap();
    if holed.iter().all(is_standstill) {
        assert!(shown.contains("cells have warnings"), "{shown}");
        assert!(report.contains("cells have warnings") && report.contains("no answer"));
    }
    Some(site)
}

/// Answers in a phase of that length to requests of the ramp-up: nobody counts them, but the throughput has
/// them and the latencies have not.
fn entered(cell: &Value, measure_s: f64) -> u64 {
    let answered = metric(cell, "tpm_with_rollbacks") / 60.0 * measure_s;
    let in_the_phase = metric(cell, "latency_count") - metric(cell, "requests_answered_late");
    (answered - in_the_phase).round() as u64
}

/// True if the longest gap of a cell is ten times its usual latency.
fn is_standstill(cell: &Value) -> bool {
    metric(cell, "longest_gap") * 1e3 > 10.0 * metric(cell, "latency_p50")
}

/// The rule is the same for sysbench: due requests are counted, and the hole is seen.
fn a_hole_before_sysbench(engine: &str) {
    let hold_s = 2.5;
    let Some(site) = Site::small(engine, 6_000 * MS) else { return };
    site.proxy.plan(Outage { connections: USERS + 1, after: 1_500 * MS, hold: 2_500 * MS });
    // Without a pace it goes on for half a second after the hole.
    let holed = cells(&site.run(&["--set", "workload.closed.measure=4s"]).expect(0));
    assert_eq!(holed.len(), 2);
    for cell in &holed {
        let due = metric(cell, "requests_due");
        assert_eq!(metric(cell, "latency_count"), due, "{}: {cell:#}", site.engine);
        let gap = metric(cell, "longest_gap");
        assert!((hold_s - 0.6..hold_s + 3.0).contains(&gap), "the longest time without an answer: {gap}");
        assert_eq!((&cell["state"], &cell["limiter"]), (&"done".into(), &"no answer".into()), "{cell:#}");
    }
    let open = of_load(&holed, "open")[0];
    let (due, expected) = (metric(open, "requests_due"), RATE * 6.0);
    close(due, expected, 5.0 * expected.sqrt(), "what was due");
    let (late, expected) = (site.as_long_as(open, 250 * MS) as f64, RATE * (hold_s - 0.25));
    assert!(late > expected - 5.0 * expected.sqrt(), "{late} late, of {expected} expected");
    let closed = of_load(&holed, "closed")[0];
    let counted = site.as_long_as(closed, 2_000 * MS);
    assert!((USERS_LEAST..=USERS as u64).contains(&counted), "{counted}: {closed:#}");
}

#[test]
fn a_hole_before_sysbench_on_postgresql_makes_nothing_vanish() {
    a_hole_before_sysbench("postgresql");
}

#[test]
fn a_hole_before_sysbench_on_mariadb_makes_nothing_vanish() {
    a_hole_before_sysbench("mariadb");
}

/// One server for all that may happen to order entry: its load takes most of the time.
#[test]
fn a_hole_before_postgresql_a_cut_connection_and_a_silence_make_nothing_vanish() {
    let Some(mut site) = a_hole_makes_nothing_vanish("postgresql") else { return };
    site.connect_anew();
    one_connection_that_is_cut_leaves_the_cell_valid_with_a_note(&site);
    site.connect_anew();
    the_second_request_ends_the_waits(&site);
}

#[test]
fn a_hole_before_mariadb_makes_nothing_vanish() {
    drop(a_hole_makes_nothing_vanish("mariadb"));
}

/// The hole begins inside the measure phase and ends behind it.
#[test]
fn a_hole_at_the_very_end_counts() {
    let Some(site) = Site::small("postgresql", 3_000 * MS) else { return };
    site.proxy.plan(Outage { connections: USERS + 1, after: 2_000 * MS, hold: 4_000 * MS });
    for cell in cells(&site.run(&[]).expect(0)) {
        let (late, gap) = (metric(&cell, "requests_answered_late"), metric(&cell, "longest_gap"));
        assert!(late >= USERS as f64 && (0.3..=4.0).contains(&gap), "{cell:#}");
        assert_eq!(metric(&cell, "requests_unfinished"), 0.0, "{cell:#}");
        assert!(site.as_long_as(&cell, 2_500 * MS) >= 5, "{cell:#}");
        assert_eq!(cell["limiter"], "no answer", "{cell:#}");
    }
}

/// No packet comes through any more, neither in the cell nor after it.
#[test]
fn a_server_that_is_gone_for_good_ends_the_run_in_time_and_leaves_lower_bounds() {
    let Some(site) = Site::small("mariadb", 3_000 * MS) else { return };
    site.proxy.plan(Outage { connections: USERS + 1, after: 1_500 * MS, hold: HOUR });
    let since = Instant::now();
    // The second cell finds nobody.
    let ran = site.run(&[]).expect(7);
    assert!(since.elapsed() < Duration::from_secs(240), "{:?}", since.elapsed());
    let cells = cells(&ran);
    let first = cells.iter().find(|cell| cell["metrics"]["requests_due"].is_object()).unwrap();
    assert_eq!(first["state"], "invalid");
    let reason = first["reason"].as_str().unwrap();
    assert!(reason.contains("were not answered, and the server stopped answering"), "{reason}");
    assert!(metric(first, "requests_unfinished") >= USERS as f64, "{first:#}");
    assert!(metric(first, "longest_gap") > 1.0, "{first:#}");
}

/// The first request ends the phase, the second every wait for a silent server: the measurements until then
/// are kept.
fn the_second_request_ends_the_waits(site: &Site) {
    site.proxy.plan(Outage { connections: USERS + 1, after: 1_500 * MS, hold: HOUR });
    let long = ["design.order=sequential", "workload.closed.measure=1h", "workload.open.measure=1h"];
    let mut command = site.command(&long.map(|set| ["--set", set]).concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !site.proxy.is_held() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before the outage");
        std::thread::sleep(20 * MS);
    }
    for _ in 0..2 {
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        // Two at the same time are one.
        std::thread::sleep(500 * MS);
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let shown = site.scratch.run(&["show", "--json"]).expect(0).json();
    assert_eq!(shown["state"], "interrupted", "{shown:#}");
    let first = &shown["cells"][0];
    assert_eq!(first["state"], "interrupted", "{first:#}");
    assert!(first["reason"].as_str().unwrap().contains("stopped at once"), "{first:#}");
    assert!(metric(first, "requests_due") > 0.0 && metric(first, "requests_unfinished") > 0.0, "{first:#}");
}

#[test]
fn the_second_request_to_end_is_obeyed_while_a_server_of_sysbench_is_silent() {
    let Some(site) = Site::small("postgresql", HOUR) else { return };
    the_second_request_ends_the_waits(&site);
}

/// The processes of a server that have this word in their title.
fn processes(of: u32, word: &str) -> Vec<i32> {
    let children = |pid: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)) == Some(&of.to_string())
    };
    let titled = |pid: &i32| {
        let title = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&title).contains(word)
    };
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(children).filter(titled).collect()
}

/// Sends a signal to the backend of one user once all are connected and `wait` for this server is over: of
/// those of the server, whose own the process is, the one that worked most. The connection that reads
/// counters works hardly at all.
fn signal_one_backend(site: &Site, signal: &'static str, wait: fn(u32)) {
    let postmaster = site.server.lock().unwrap().pid().unwrap();
    site.proxy.once(USERS + 1, Duration::ZERO, move || {
        wait(postmaster);
        let backends = processes(postmaster, "127.0.0.1");
        let victim = backends.into_iter().max_by_key(|pid| ticks_of(*pid)).unwrap().to_string();
        std::process::Command::new("kill").args([signal, &victim]).status().unwrap();
    });
}

/// Waits until all users of a load without a pace have sent one request after the other for about a second:
/// on a busy machine they log in and prepare themselves for longer than any fixed time.
fn wait_for_load(server: u32) {
    // The process or thread of such a user sleeps until each request, a hundred times a second behind the
    // proxy.
    let threads = || -> Vec<i32> {
        let all = std::fs::read_dir(format!("/proc/{server}/task")).into_iter().flatten().flatten();
        all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
    };
    let sleeps = || -> HashMap<i32, u64> {
        let all = threads().into_iter().chain(processes(server, "127.0.0.1"));
        all.map(|pid| (pid, sleeps_of(pid))).collect()
    };
    let (mut busy_looks, mut before) = (0, sleeps());
    for _ in 0..150 {
        std::thread::sleep(200 * MS);
        let now = sleeps();
        let is_busy = |pid: &&i32| before.get(*pid).is_some_and(|before| now[*pid] >= before + 4);
        busy_looks = if now.keys().filter(is_busy).count() >= USERS { busy_looks + 1 } else { 0 };
        if busy_looks == 5 {
            return;
        }
        before = now;
    }
    panic!("the load did not begin within 30 s");
}

/// The sleeps of a process so far.
fn sleeps_of(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

/// The processor time of a process, in the ticks of its system.
fn ticks_of(pid: i32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

#[test]
fn a_server_that_recovers_inside_a_cell_makes_it_invalid() {
    let Some(site) = Site::small("postgresql", 4_000 * MS) else { return };
    signal_one_backend(&site, "-KILL", wait_for_load);
    let ran = site.run(&["--set", "design.order=sequential"]).expect(7);
    let cells = cells(&ran);
    let broken: Vec<&Value> = cells.iter().filter(|cell| cell["state"] == "invalid").collect();
    assert_eq!(broken.len(), 1, "{cells:#?}");
    let reason = broken[0]["reason"].as_str().unwrap();
    assert!(reason.contains("the server crashed and recovered under the load"), "{reason}");
    assert!(broken[0]["limiter"].is_null());
    assert!(metric(broken[0], "requests_unknown") >= 1.0, "{:#}", broken[0]);
}

fn one_connection_that_is_cut_leaves_the_cell_valid_with_a_note(site: &Site) {
    // The server ends this one session in good order. Users who wait for each other's row locks are not seen
    // to work all at once.
    signal_one_backend(site, "-TERM", |_| std::thread::sleep(1_300 * MS));
    let short = ["design.order=sequential", "workload.closed.measure=2s", "workload.open.measure=1s"];
    let cells = cells(&site.run(&short.map(|set| ["--set", set]).concat()).expect(0));
    let cut: Vec<&Value> = cells.iter().filter(|cell| metric(cell, "connections_lost") > 0.0).collect();
    assert_eq!(cut.len(), 1, "{cells:#?}");
    assert_eq!((metric(cut[0], "connections_lost"), &cut[0]["state"]), (1.0, &"done".into()), "{:#}", cut[0]);
}

#[test]
fn a_server_that_is_started_again_inside_a_cell_makes_it_invalid() {
    let Some(site) = Site::small("mariadb", 5_000 * MS) else { return };
    let (server, way) = (Arc::clone(&site.server), site.proxy.way());
    let pid = server.lock().unwrap().pid().unwrap();
    site.proxy.once(USERS + 1, Duration::ZERO, move || {
        wait_for_load(pid);
        let mut server = server.lock().unwrap();
        server.crash_under_load(1).unwrap();
        server.recover().unwrap();
        way.moved(server.endpoint().port);
    });
    let ran = site.run(&[]).expect(7);
    let cells = cells(&ran);
    let broken: Vec<&Value> = cells.iter().filter(|cell| cell["state"] == "invalid").collect();
    assert_eq!(broken.len(), 1, "{cells:#?}");
    let reason = broken[0]["reason"].as_str().unwrap();
    assert!(reason.contains("the server was restarted under the load"), "{reason}");
    assert!(reason.contains("all 16 sessions lost their connections at once"), "{reason}");
    assert!(metric(broken[0], "requests_unknown") >= USERS as f64, "{:#}", broken[0]);
}
