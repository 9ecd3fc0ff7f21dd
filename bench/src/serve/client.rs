//! Browsers as a page sees them: one that reads every event and asks for each second's figures, and one that
//! never reads.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use ground::Clock;

/// An answer that takes longer than this is none.
const PATIENCE: Duration = Duration::from_secs(60);
/// The addresses that a page asks for after each second of a run.
const EACH_SECOND: [&str; 3] =
    ["/api/run/1/now", "/api/run/1/figure/now?width=744", "/api/run/1/figure/drives?width=744"];

/// The name of the thread of a browser, whose processor time is not the page's.
pub(super) const THREAD: &str = "browser";

/// A browser at the stream of a run's events.
pub(super) enum Client {
    /// It ends with the server's stream and says how many seconds it saw.
    Reading(JoinHandle<usize>, TcpStream),
    /// Its stream stays open and full.
    Stuck(TcpStream),
}

impl Client {
    /// A browser that follows the run.
    pub(super) fn reading(address: &str) -> anyhow::Result<Client> {
        let (host, stream) = events_of(address)?;
        let own = stream.try_clone()?;
        let follow = move || {
            let lines = BufReader::new(stream).lines().map_while(Result::ok);
            let mut seen = 0;
            for _ in lines.filter(|line| line.contains("\"event\":\"live\"")) {
                seen += 1;
                // A page that gets no figure goes on without it.
                EACH_SECOND.iter().for_each(|path| drop(get(&host, path)));
            }
            seen
        };
        let thread = std::thread::Builder::new().name(THREAD.to_owned());
        Ok(Client::Reading(thread.spawn(follow)?, own))
    }

    /// A browser that asks for the events and reads none.
    pub(super) fn stuck(address: &str) -> anyhow::Result<Client> {
        Ok(Client::Stuck(events_of(address)?.1))
    }

    /// Closes it; the seconds that it saw.
    pub(super) fn end(self) -> anyhow::Result<usize> {
        match self {
            Client::Stuck(stream) => {
                // It may have been let go before.
                let _ = stream.shutdown(std::net::Shutdown::Both);
                Ok(0)
            }
            Client::Reading(thread, stream) => {
                // It may have been closed by the other side before.
                let _ = stream.shutdown(std::net::Shutdown::Both);
                thread.join().map_err(|_| anyhow::anyhow!("the browser panicked"))
            }
        }
    }
}

/// The host of an address, and its stream of events.
fn events_of(address: &str) -> anyhow::Result<(String, TcpStream)> {
    let host = host_of(address);
    let mut stream = TcpStream::connect(&host)?;
    write!(stream, "GET /events HTTP/1.1\r\nHost: {host}\r\n\r\n")?;
    Ok((host, stream))
}

/// `127.0.0.1:4321` of `http://127.0.0.1:4321/`.
pub(super) fn host_of(address: &str) -> String {
    address.trim_start_matches("http://").split('/').next().unwrap_or_default().to_owned()
}

/// The bytes of a page, and how long it took from the request to the last of them.
pub(super) fn get(host: &str, path: &str) -> anyhow::Result<(usize, Duration)> {
    let started = Clock::Wall.stopwatch();
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).with_context(|| path.to_owned())?;
    let elapsed = started.elapsed();
    let status = String::from_utf8_lossy(answer.get(..12).unwrap_or_default()).into_owned();
    ensure!(status == "HTTP/1.1 200", "{path}: {status}");
    Ok((answer.len(), elapsed))
}
