//! A notebook with hostile names, and a server of it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use notebook::{Bed, Notebook, PlannedCell, RunPlan};
use serve::{Server, Site};

/// A name that would be a script, a label's end and two lines.
pub(crate) const HOSTILE: &str = "<script>alert(1)</script>\"\n\\";

/// A run with a hostile name.
pub(crate) fn plan() -> RunPlan {
    RunPlan {
        name: HOSTILE.to_owned(),
        title: HOSTILE.to_owned(),
        baseline: HOSTILE.to_owned(),
        realm: "emulated".to_owned(),
        scale: 1.0,
        ..RunPlan::default()
    }
}

/// A run of two cells that this process is at work on.
pub(crate) fn notebook(path: &Path) -> Notebook {
    let notebook = Notebook::open_or_create(path).unwrap();
    let bed = Bed { name: HOSTILE.to_owned(), label: Some(HOSTILE.to_owned()), ..Bed::default() };
    let cell = |position| PlannedCell {
        position,
        bed: HOSTILE.to_owned(),
        workload: HOSTILE.to_owned(),
        level: 1.0,
        level_name: "depth".to_owned(),
        ..PlannedCell::default()
    };
    notebook.start_run(&plan(), &[bed], &[cell(0), cell(1)]).unwrap();
    notebook
}

/// The address of a server on any free port.
pub(crate) fn started(path: &Path) -> (Server, String) {
    let listen = "127.0.0.1:0".parse().unwrap();
    let server = Server::start(&Site { notebook: path.to_owned(), listen }).unwrap();
    let address = server.address().trim_start_matches("http://").trim_end_matches('/').to_owned();
    (server, address)
}

pub(crate) fn ask(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    // A limit for a server that hangs: on a busy machine an answer may take a while.
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

pub(crate) fn get(address: &str, path: &str) -> String {
    ask(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
}

/// The contents of an answer.
pub(crate) fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").unwrap().1
}

pub(crate) fn post(address: &str, path: &str, header: &str) -> String {
    ask(
        address,
        &format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{header}Content-Length: 0\r\n\r\n"
        ),
    )
}
