//! Browsers that do not read: they cost the run nothing and the server little.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lab::{Event, Interrupt, Observer as _};
use serve::Feed;

use crate::site::{get, notebook, started};

/// Browsers that never read.
const STUCK: usize = 50;
/// Bytes of the text of one event.
const EVENT_BYTES: usize = 4096;
/// Events while they do not read: 24 MB, more than a part of the feed.
const EVENTS: usize = 6000;
/// The server's memory may grow by this for each of them, and by ten times as much anyway.
const EACH_MAX_BYTES: u64 = 256 << 10;

/// Held by a test that looks at the memory of this process: one at a time.
static MEMORY: Mutex<()> = Mutex::new(());

/// A browser at the stream of events that has read nothing yet.
fn opened(address: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(format!("GET /events HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).unwrap();
    stream
}

/// The numbers of the events that a browser reads, up to the last.
fn read_all(stream: TcpStream) -> Vec<usize> {
    let number = |line: String| {
        let (_, rest) = line.split_once("\"text\":\"event ")?;
        rest.split(' ').next()?.parse::<usize>().ok()
    };
    let mut numbers = Vec::new();
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    for number in lines.filter_map(number) {
        numbers.push(number);
        if number + 1 == EVENTS {
            return numbers;
        }
    }
    panic!("the stream ended after event {:?}", numbers.last())
}

/// The memory of this process in RAM.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[test]
fn browsers_that_never_read_keep_nobody_waiting_and_catch_up() {
    let _alone = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let notebook = notebook(&path);
    let (_server, address) = started(&path);
    let interrupt = Interrupt::new();
    let feed = Feed::new(&path, &lab::Silent, &interrupt);
    let padding = "x".repeat(EVENT_BYTES);
    let tell = |number: usize| feed.event(Event::Warning { text: format!("event {number} {padding}") });
    tell(0);
    let mut stuck: Vec<TcpStream> = (0..STUCK).map(|_| opened(&address)).collect();
    let reader = opened(&address);
    let reader = std::thread::spawn(move || read_all(reader));
    let before_bytes = resident_bytes();
    for number in 1..EVENTS {
        tell(number);
        if number % 1000 == 0 {
            assert!(get(&address, "/api/runs").starts_with("HTTP/1.1 200"), "others are answered");
        }
    }
    let read = reader.join().unwrap();
    assert!(read.is_sorted() && read.contains(&(EVENTS - 1)), "each event once, in order");
    let grown_bytes = resident_bytes().saturating_sub(before_bytes);
    assert!(grown_bytes < EACH_MAX_BYTES * (STUCK as u64 + 10), "{grown_bytes} bytes for {STUCK} browsers");
    let late = read_all(stuck.pop().unwrap());
    assert!(late.is_sorted() && late[0] == 0, "it goes on from where it stood still, and is at the present");
    drop((feed, notebook));
}

#[test]
fn browsers_that_ask_and_never_read_leave_their_places() {
    let _alone = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let _notebook = notebook(&path);
    let (_server, address) = started(&path);
    let before_bytes = resident_bytes();
    // More than there are places, each with more pages than the kernel takes.
    let asked = format!("GET /assets/report.css HTTP/1.1\r\nHost: {address}\r\n\r\n").repeat(400);
    let stuck: Vec<TcpStream> = (0..70)
        .map(|_| {
            let mut stream = TcpStream::connect(&address).unwrap();
            stream.write_all(asked.as_bytes()).unwrap();
            stream
        })
        .collect();
    assert!(get(&address, "/api/runs").starts_with("HTTP/1.1 200"), "others are answered");
    assert!(resident_bytes().saturating_sub(before_bytes) < 80 << 20, "pages that nobody reads");
    drop(stuck);
}
