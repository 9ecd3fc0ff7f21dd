//! The process of the driver, which starts the browser and ends it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::wire;

/// The driver's line about its port begins so.
const STARTED: &str = "started successfully on port ";

/// A running driver.
#[derive(Debug)]
pub(super) struct Driver {
    process: Child,
    port: u16,
}

impl Driver {
    pub(super) fn start(program: &Path) -> Self {
        let mut command = Command::new(program);
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let told = process.stdout.take().map(BufReader::new).expect("its output is piped");
        let mut lines = told.lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            let (_, port) = line.split_once(STARTED)?;
            port.trim_end_matches('.').parse().ok()
        });
        // The pipe is read to its end, so that the driver never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        let port = port.unwrap_or_else(|| panic!("{} told no port", program.display()));
        Self { process, port }
    }

    /// The value of the driver's answer.
    ///
    /// # Panics
    /// When the driver reports an error.
    pub(super) fn ask(&self, method: &str, path: &str, data: &Value) -> Value {
        let answer = wire::ask(self.port, method, path, Some(data));
        let mut answer = answer.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        let value = answer["value"].take();
        assert!(value["error"].is_null(), "{method} {path} {data}: {}: {}", value["error"], value["message"]);
        value
    }

    /// Asks, and does not mind an error: the browser may be gone.
    pub(super) fn try_to_ask(&self, method: &str, path: &str) {
        let _ = wire::ask(self.port, method, path, None); // The driver's end takes the browser along.
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill(); // By its id; an error means that it has ended.
        let _ = self.process.wait();
    }
}
