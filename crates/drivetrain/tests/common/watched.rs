//! A running `drivetrain` that shows a page.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use super::Scratch;

/// A running `drivetrain` that printed the address of its page; it is killed when the test fails.
pub(crate) struct Watched {
    pub(crate) child: Child,
    /// Host and port.
    pub(crate) address: String,
}

impl Watched {
    /// `run` with the page; the address comes on its standard error output.
    pub(crate) fn run(scratch: &Scratch, arguments: &[&str]) -> Self {
        Self::start(scratch, &[&["run", "--serve=127.0.0.1:0"], arguments].concat(), "page: ")
    }

    /// `serve` at an address; it prints the same one.
    pub(crate) fn serve(scratch: &Scratch, listen: &str) -> Self {
        Self::start(scratch, &["serve", "--listen", listen], "")
    }

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

    /// The address of a page.
    pub(crate) fn page(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn ask(&self, method: &str, path: &str) -> String {
        let mut stream = self.connect(method, path);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// The JSON document at a path.
    pub(crate) fn json(&self, path: &str) -> serde_json::Value {
        let answer = self.ask("GET", path);
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{path}: {error}\n{answer}"))
    }

    pub(crate) fn connect(&self, method: &str, path: &str) -> TcpStream {
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
    pub(crate) fn events_until(&self, kind: &str) -> Vec<serde_json::Value> {
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

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill(); // An error means that it has ended.
        let _ = self.child.wait();
    }
}

/// Ctrl-C for a process that this test started.
pub(crate) fn interrupt(pid: u32) {
    // SAFETY: a signal to a child that has not been waited for.
    #[allow(unsafe_code)]
    let sent = unsafe { libc::kill(pid as i32, libc::SIGINT) };
    assert_eq!(sent, 0);
}
