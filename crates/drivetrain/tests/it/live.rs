//! A run that is watched in a browser, and stopped from there.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::common::{SMALL, Scratch};

/// A running `drivetrain` that printed the address of its page.
struct Watched {
    child: Child,
    address: String,
}

impl Watched {
    /// Starts the command and waits for the address on its standard error output.
    fn start(scratch: &Scratch, arguments: &[&str], prefix: &str) -> Self {
        let mut command = scratch.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let text: Box<dyn std::io::Read + Send> = match prefix {
            "" => Box::new(child.stdout.take().unwrap()),
            _ => Box::new(child.stderr.take().unwrap()),
        };
        let mut lines = BufReader::new(text).lines();
        let begin = format!("{prefix}http://");
        let line = lines.find_map(|line| line.unwrap().strip_prefix(&begin).map(str::to_owned));
        let line = line.expect("the address is printed");
        // The pipe is read to its end, so that the program never waits for this test.
        std::thread::spawn(move || lines.for_each(drop));
        let address = line.split('/').next().unwrap().to_owned();
        Self { child, address }
    }

    fn ask(&self, method: &str, path: &str) -> String {
        let mut stream = self.connect(method, path);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn connect(&self, method: &str, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let host = &self.address;
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nx-drivetrain: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// The events of the run, up to the first of the kind.
    fn events_until(&self, kind: &str) -> Vec<serde_json::Value> {
        let mut events = Vec::new();
        for line in BufReader::new(self.connect("GET", "/events")).lines() {
            let line = line.unwrap();
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let event: serde_json::Value = serde_json::from_str(data).unwrap();
            let is_it = event["event"] == kind;
            events.push(event);
            if is_it {
                return events;
            }
        }
        panic!("the stream ended without `{kind}`: {events:?}")
    }
}

#[test]
fn a_run_is_watched_stopped_after_its_cell_and_resumed() {
    let scratch = Scratch::with("x.toml", SMALL);
    let arguments = ["run", "x.toml", "--serve=127.0.0.1:0", "--set", "workload.measure=3s"];
    let mut run = Watched::start(&scratch, &arguments, "page: ");
    let events = run.events_until("live");
    assert!(events.iter().any(|event| event["event"] == "cell" && event["number"] == 1), "{events:?}");
    let live = events.last().unwrap();
    assert!(live["rate_per_s"].as_f64().is_some() && live["unit"] == "new orders/s", "{live}");
    assert!(run.ask("GET", "/run/1/live").contains("Two drives, small"));
    assert!(run.ask("GET", "/metrics").contains("drivetrain_cells{run=\"1\""));
    let stopped = run.ask("POST", "/stop/cell");
    assert!(stopped.starts_with("HTTP/1.1 202"), "{stopped}");
    let ended = run.child.wait().unwrap();
    assert_eq!(ended.code(), Some(130), "interrupted");
    let shown = scratch.run(&["show", "--json"]).expect(0).json();
    let done = shown["cells"].as_array().unwrap().iter().filter(|cell| cell["state"] == "done").count();
    assert!((1..=2).contains(&done), "the cell was completed: {shown}");
    for left in ["drivetrain.db-live", "drivetrain.db-stop", "drivetrain.db-lock"] {
        assert!(!scratch.path().join(left).exists(), "{left}");
    }
    scratch.run(&["resume", "--quiet"]).expect(0);
}

#[test]
fn a_server_shows_the_run_of_another_process_and_the_finished_one() {
    let scratch = Scratch::with("x.toml", SMALL);
    scratch.run(&["run", "x.toml", "--quiet", "--set", "design.repeats=1"]).expect(0);
    let mut server = Watched::start(&scratch, &["serve", "--listen", "127.0.0.1:0"], "");
    let mut other = scratch.command(&["run", "x.toml", "--quiet", "--set", "workload.measure=3s"]);
    let mut other = other.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let events = server.events_until("live");
    assert!(events.iter().any(|event| event["event"] == "phase"), "{events:?}");
    let stopped = server.ask("POST", "/stop/now");
    assert!(stopped.starts_with("HTTP/1.1 202"), "{stopped}");
    assert_eq!(other.wait().unwrap().code(), Some(130));
    let runs = server.ask("GET", "/api/runs");
    assert!(runs.contains("\"interrupted\"") && runs.contains("\"finished\""), "{runs}");
    let finished = scratch.run(&["ls", "--json"]).expect(0).json();
    let finished = finished.as_array().unwrap().iter().find(|run| run["state"] == "finished").unwrap();
    let series = server.ask("GET", &format!("/api/run/{}/cell/1", finished["run"]));
    assert!(series.contains("\"metric\":"), "a finished cell is replayed from the notebook: {series}");
    let page = server.ask("GET", &format!("/run/{}", finished["run"]));
    assert!(page.contains("<svg"), "the report");
    interrupt(server.child.id());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

/// Prints every sample as `family type name label=value ... value`; fails for a text that is none.
const READ_METRICS: &str = r#"
import sys
from prometheus_client.parser import text_string_to_metric_families as families
for family in families(sys.stdin.read()):
    for sample in family.samples:
        labels = " ".join(f"{key}={value}" for key, value in sorted(sample.labels.items()))
        print(family.name, family.type, sample.name, labels, sample.value)
"#;

#[test]
fn the_parser_of_prometheus_reads_the_metrics_of_a_run() {
    let Some(_) = testkit::need::program("parser.py") else { return };
    // A name with everything that has to be escaped.
    let scratch = Scratch::with("a \"b\" \\.toml", SMALL);
    let arguments = ["run", "a \"b\" \\.toml", "--serve=127.0.0.1:0", "--set", "workload.measure=3s"];
    let mut run = Watched::start(&scratch, &arguments, "page: ");
    run.events_until("live");
    let answer = run.ask("GET", "/metrics");
    let (head, text) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.to_lowercase().contains("content-type: text/plain; version=0.0.4"), "{head}");
    let mut python = std::process::Command::new("/usr/bin/python3");
    python.args(["-c", READ_METRICS]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut python = python.spawn().unwrap();
    python.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let read = python.wait_with_output().unwrap();
    assert!(read.status.success(), "{}\n{text}", String::from_utf8_lossy(&read.stderr));
    let samples = String::from_utf8(read.stdout).unwrap();
    assert!(samples.contains("drivetrain_runs gauge drivetrain_runs"), "{samples}");
    let running = samples.lines().find(|line| line.contains("state=running")).unwrap();
    assert!(running.contains("experiment=a \"b\" \\.toml") && running.ends_with(" 1.0"), "{running}");
    interrupt(run.child.id());
    run.child.wait().unwrap();
}

/// Ctrl-C for a process that this test started.
fn interrupt(pid: u32) {
    // SAFETY: a signal to a child that has not been waited for.
    #[allow(unsafe_code)]
    let sent = unsafe { libc::kill(pid as i32, libc::SIGINT) };
    assert_eq!(sent, 0);
}
