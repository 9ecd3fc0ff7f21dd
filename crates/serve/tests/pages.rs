//! The server as a browser meets it.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test with its place.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use notebook::{Bed, CellRecord, CellState, Notebook, PlannedCell, RunPlan, RunState};
use serve::{Server, Site};

/// A name that would be a script, a label's end and two lines.
const HOSTILE: &str = "<script>alert(1)</script>\"\n\\";

fn notebook(path: &Path) -> Notebook {
    let notebook = Notebook::open_or_create(path).unwrap();
    let plan = RunPlan {
        name: HOSTILE.to_owned(),
        title: HOSTILE.to_owned(),
        baseline: "b".to_owned(),
        realm: "emulated".to_owned(),
        scale: 1.0,
        ..RunPlan::default()
    };
    let bed = Bed { name: "b".to_owned(), label: Some(HOSTILE.to_owned()), ..Bed::default() };
    let cell = |position| PlannedCell {
        position,
        bed: "b".to_owned(),
        workload: "w".to_owned(),
        level: 1.0,
        level_name: "depth".to_owned(),
        ..PlannedCell::default()
    };
    notebook.start_run(&plan, &[bed], &[cell(0), cell(1)]).unwrap();
    notebook
}

/// The address of a server on any free port.
fn started(path: &Path) -> (Server, String) {
    let listen = "127.0.0.1:0".parse().unwrap();
    let server = Server::start(&Site { notebook: path.to_owned(), listen }).unwrap();
    let address = server.address().trim_start_matches("http://").trim_end_matches('/').to_owned();
    (server, address)
}

fn ask(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn get(address: &str, path: &str) -> String {
    ask(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
}

fn post(address: &str, path: &str, header: &str) -> String {
    ask(
        address,
        &format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{header}Content-Length: 0\r\n\r\n"
        ),
    )
}

#[test]
fn every_page_answers_and_escapes_names() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let notebook = notebook(&path);
    let (_server, address) = started(&path);
    for page in [
        "/",
        "/run/1/live",
        "/api/runs",
        "/api/run/1",
        "/api/run/1/cell/1",
        "/metrics",
        "/assets/live.js",
        "/assets/live.css",
    ] {
        let answer = get(&address, page);
        assert!(answer.starts_with("HTTP/1.1 200"), "{page}: {answer}");
        assert!(answer.contains("content-security-policy: default-src 'self'"), "{page}");
        let is_page = answer.contains("content-type: text/html");
        assert!(!is_page || !answer.contains("<script>alert"), "{page}: {answer}");
    }
    let metrics = get(&address, "/metrics");
    let label = "experiment=\"<script>alert(1)</script>\\\"\\n\\\\\"";
    assert!(metrics.contains(label), "{metrics}");
    for (page, status) in [
        ("/run/9", "404"),
        ("/run/9/live", "404"),
        ("/api/run/1/cell/3", "404"),
        ("/run/x", "400"),
        ("/nothing", "404"),
        ("/assets/nothing.js", "404"),
        ("/compare?a=1", "400"),
    ] {
        let answer = get(&address, page);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{page}: {answer}");
    }
    drop(notebook);
}

#[test]
fn foreign_names_and_foreign_pages_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let notebook = notebook(&path);
    let (_server, address) = started(&path);
    let rebound = ask(&address, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    assert!(rebound.starts_with("HTTP/1.1 403"), "{rebound}");
    let foreign = post(&address, "/stop/now", "");
    assert!(foreign.starts_with("HTTP/1.1 403"), "{foreign}");
    assert!(!home.path().join("n.db-stop").exists());
    let own = post(&address, "/stop/now", "x-drivetrain: 1\r\n");
    assert!(own.starts_with("HTTP/1.1 202"), "{own}");
    assert_eq!(std::fs::read_to_string(home.path().join("n.db-stop")).unwrap(), "now");
    let later = post(&address, "/stop/cell", "x-drivetrain: 1\r\n");
    assert!(later.starts_with("HTTP/1.1 202"), "{later}");
    assert_eq!(std::fs::read_to_string(home.path().join("n.db-stop")).unwrap(), "cell");
    drop(notebook);
    let over = post(&address, "/stop/now", "x-drivetrain: 1\r\n");
    assert!(over.starts_with("HTTP/1.1 409"), "nothing runs: {over}");
}

#[test]
fn two_servers_on_one_port_and_a_long_list_of_runs() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let notebook = notebook(&path);
    let cells = notebook.cells(notebook.latest_run().unwrap().unwrap()).unwrap();
    let record = CellRecord { state: CellState::Done, ..CellRecord::default() };
    notebook.begin_cell(cells[0].id).unwrap();
    notebook.record_cell(cells[0].id, &record).unwrap();
    notebook.finish_run(notebook.latest_run().unwrap().unwrap(), RunState::Interrupted).unwrap();
    drop(notebook);
    let (_server, address) = started(&path);
    let taken = Server::start(&Site { notebook: path, listen: address.parse().unwrap() });
    let error = taken.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("in use") && error.contains("127.0.0.1:0"), "{error}");
    assert!(get(&address, "/api/run/1").contains("\"state\":\"interrupted\""));
}

#[test]
fn a_browser_that_never_reads_keeps_nobody_waiting() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let notebook = notebook(&path);
    let (_server, address) = started(&path);
    let mut stuck = Vec::new();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(format!("GET /events HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).unwrap();
        stuck.push(stream);
    }
    assert!(get(&address, "/api/runs").starts_with("HTTP/1.1 200"));
    drop((stuck, notebook));
}
