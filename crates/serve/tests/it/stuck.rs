//! Browsers that do not read: they cost the run nothing and the server little.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lab::{Event, Interrupt, Observer as _};
use serve::Feed;

use crate::site::{ask, get, notebook, started};

/// Places of streams.
const STREAMS: usize = 32;
/// Browsers that never read: two places stay for others.
const STUCK: usize = STREAMS - 2;
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

/// The first bytes of the answer to a browser.
fn status(mut stream: &TcpStream) -> String {
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    String::from_utf8_lossy(&first).into_owned()
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

#[test]
fn streams_that_nobody_reads_leave_and_take_no_place_of_other_requests() {
    let _alone = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let _notebook = notebook(&path);
    let (_server, address) = started(&path);
    // One that reads all that comes, and others that begin to ask further things and read neither.
    let reads = opened(&address);
    assert_eq!(status(&reads), "HTTP/1.1 200");
    let mut reader = reads.try_clone().unwrap();
    let reader = std::thread::spawn(move || {
        let mut all = Vec::new();
        reader.read_to_end(&mut all).map(|_| all)
    });
    let mut silent: Vec<TcpStream> = (1..64).map(|_| opened(&address)).collect();
    for stream in &mut silent {
        // Those that got no place of a stream are closed by now, or soon.
        let _ = stream.write_all(b"GET /metrics HTTP/1.1\r\n");
    }
    let asked = Instant::now();
    assert!(get(&address, "/metrics").starts_with("HTTP/1.1 200"));
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    let refused = get(&address, "/events");
    assert!(refused.starts_with("HTTP/1.1 503") && refused.contains("all 32 places of /events"), "{refused}");
    assert!(refused.contains("retry-after: 5"), "{refused}");
    // The silent ones leave after two seconds, for nobody else finds a place.
    let until = Instant::now() + Duration::from_secs(60);
    let next = loop {
        let next = opened(&address);
        match status(&next).as_str() {
            "HTTP/1.1 200" => break next,
            other => assert_eq!((other, Instant::now() < until), ("HTTP/1.1 503", true)),
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(asked.elapsed() < Duration::from_secs(30), "{:?}", asked.elapsed());
    assert!(!reader.is_finished(), "one that reads stays");
    reads.shutdown(std::net::Shutdown::Both).unwrap();
    assert!(reader.join().unwrap().is_ok_and(|all| !all.is_empty()));
    drop((silent, next));
}

#[test]
fn readers_of_all_streams_leave_places_for_other_requests() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let _notebook = notebook(&path);
    let (_server, address) = started(&path);
    let readers: Vec<TcpStream> = (0..STREAMS).map(|_| opened(&address)).collect();
    for stream in &readers {
        assert_eq!(status(stream), "HTTP/1.1 200");
        let mut reader = stream.try_clone().unwrap();
        std::thread::spawn(move || while reader.read(&mut [0; 4096]).is_ok_and(|bytes| bytes > 0) {});
    }
    let asked = Instant::now();
    assert!(get(&address, "/events").starts_with("HTTP/1.1 503"));
    assert!(get(&address, "/metrics").starts_with("HTTP/1.1 200"));
    assert!(
        ask(&address, &format!("HEAD /events HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
            .starts_with("HTTP/1.1 503")
    );
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    for stream in readers {
        stream.shutdown(std::net::Shutdown::Both).unwrap();
    }
    let until = Instant::now() + Duration::from_secs(30);
    while Instant::now() < until && status(&opened(&address)) != "HTTP/1.1 200" {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(Instant::now() < until, "places of readers that have gone are free");
}
