//! The pages and the documents of a server.

use notebook::{Bed, CellRecord, CellState, PlannedCell, RunPlan, RunState};
use serve::{Server, Site};

use crate::site::{HOSTILE, ask, body, get, notebook, plan, post, started};

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
        ("/run/x", "404"),
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
    let two = ask(
        &address,
        &format!("GET / HTTP/1.1\r\nHost: {address}\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
    );
    assert!(two.starts_with("HTTP/1.1 400"), "{two}");
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
fn a_notebook_of_many_runs_has_pages_of_them() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let notebook = notebook(&path);
    for _ in 1..250 {
        notebook.finish_run(notebook.latest_run().unwrap().unwrap(), RunState::Interrupted).unwrap();
        notebook.start_run(&RunPlan { name: "again".to_owned(), ..plan() }, &[], &[]).unwrap();
    }
    let (_server, address) = started(&path);
    let runs = |page: &str| -> Vec<i64> {
        let links = page.split("href=\"/run/").skip(1).filter_map(|rest| rest.split_once("/live\""));
        links.filter_map(|(run, _)| run.parse().ok()).collect()
    };
    let mut seen = Vec::new();
    let mut next = Some("/".to_owned());
    while let Some(address_of_page) = next {
        let page = get(&address, &address_of_page);
        assert!(page.starts_with("HTTP/1.1 200") && page.contains("of 250"), "{page}");
        let of_page = runs(&page);
        assert!(of_page.len() <= 100, "{}", of_page.len());
        seen.extend(of_page);
        let older = page.split("rel=\"next\" href=\"").nth(1);
        next = older.and_then(|rest| Some(rest.split_once('"')?.0.replace("&#38;", "&")));
    }
    assert!(seen.iter().copied().eq((1..=250).rev()), "each run once, the latest first: {seen:?}");
    let count = |asked: &str| get(&address, asked).matches("/live\"").count();
    assert_eq!((count("/?q=AGAIN"), count("/?q=again&state=running")), (100, 1));
    assert_eq!((count("/?kind=block"), count("/?realm=emulated&tag=no")), (0, 0));
    let limited = get(&address, "/?q=again&realm=emulated");
    assert!(limited.contains("<option value=\"emulated\" selected>") && limited.contains("value=\"again\""));
    assert!(limited.contains("/?before=151&#38;q=again&#38;realm=emulated"), "the limits stay: {limited}");
    let two: serde_json::Value =
        serde_json::from_str(body(&get(&address, "/api/runs?before=249&count=2"))).unwrap();
    assert_eq!(two[0]["id"], 248, "{two}");
    assert_eq!(two.as_array().map(Vec::len), Some(2));
    for (path, status, said) in [
        ("/?kind=tape", 400, "kind=tape: it is one of tpcc"),
        ("/trend?run=x", 400, "/trend?run=7"),
        ("/?before=x", 400, "/compare?a=2&#38;b=1"),
        ("/compare?a=1", 400, "for two runs"),
        ("/run/99999999999999999999", 404, "/run/99999999999999999999: runs and cells have numbers"),
        ("/run/one/live", 404, "runs and cells have numbers"),
        ("/api/run/1/cell/-1", 404, "{\"error\":\"/api/run/1/cell/-1: runs and cells have numbers"),
    ] {
        let answer = get(&address, path);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(said),
            "{path}: {answer}"
        );
        assert!(!answer.contains("eserialize") && !answer.contains("Cannot parse"), "{answer}");
    }
    drop(notebook);
}

#[test]
fn two_runs_that_cannot_be_compared_have_a_page_with_ways_on() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let notebook = notebook(&path);
    let cell =
        PlannedCell { bed: HOSTILE.to_owned(), workload: HOSTILE.to_owned(), ..PlannedCell::default() };
    let bed = Bed { name: HOSTILE.to_owned(), ..Bed::default() };
    for scale in [1.0, 0.5, 0.5] {
        notebook.finish_run(notebook.latest_run().unwrap().unwrap(), RunState::Finished).unwrap();
        let plan = RunPlan { scale, ..plan() };
        notebook.start_run(&plan, std::slice::from_ref(&bed), std::slice::from_ref(&cell)).unwrap();
    }
    let (_server, address) = started(&path);
    let list = get(&address, "/");
    // Runs 1 to 3 are finished; the latest two of one scale are 2 and 1.
    let picked: Vec<&str> = list.split("\" selected>").skip(1).collect();
    assert!(
        picked.len() == 2 && picked[0].starts_with("run 2, ") && picked[1].starts_with("run 1, "),
        "{list}"
    );
    assert!(list.contains("<select name=\"a\">") && !list.contains("<script>alert"), "{list}");
    let refused = get(&address, "/compare?a=3&b=1");
    assert!(refused.starts_with("HTTP/1.1 422") && refused.contains("not comparable"), "{refused}");
    assert!(refused.contains("href=\"/run/3\"") && refused.contains("href=\"/run/1\""), "{refused}");
    assert!(refused.contains("<th scope=\"row\"><code>scale</code></th>"), "{refused}");
    assert!(!refused.contains("<script>alert") && !refused.contains("--treat"), "{refused}");
    let unknown = get(&address, "/compare?a=3&b=1&treat=nothing-like-it");
    assert!(unknown.starts_with("HTTP/1.1 400") && !unknown.contains("--treat"), "{unknown}");
    assert!(unknown.contains("nothing-like-it") && unknown.contains("scale"), "{unknown}");
    drop(notebook);
}
