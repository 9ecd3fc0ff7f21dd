//! The server: one thread that answers requests, and streams the feed of a run.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::course::Courses;
use crate::error::ServeError;
use crate::guard::Guard;
use crate::listener::BoundedListener;
use crate::place::Holder;
use crate::routes::{Shared, router};

/// The interval at which the server sees that it is to end.
const TICK: Duration = Duration::from_millis(100);

/// The time in which readers of a stream may learn that their run has ended before the server goes.
const FAREWELL: Duration = Duration::from_secs(3);

/// The contents and the address of a server.
#[derive(Clone, Debug)]
pub struct Site {
    /// The notebook.
    pub notebook: PathBuf,
    /// Where to listen; port 0 takes any that is free.
    pub listen: SocketAddr,
}

/// A server that listens, and answers as long as this value lives.
pub struct Server {
    address: String,
    elsewhere: Option<String>,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<Result<(), ServeError>>>,
}

impl Server {
    /// Begins to listen.
    ///
    /// # Errors
    /// When the address is in use or cannot be listened at.
    pub fn start(site: &Site) -> Result<Self, ServeError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let entered = runtime.enter();
        let listener = BoundedListener::bind(site.listen)
            .map_err(|error| ServeError::of_listening(site.listen, error))?;
        drop(entered);
        let bound = listener.address()?;
        let guard = Guard::for_address(bound);
        let (address, elsewhere) = links(bound, &guard.query(), &host_name());
        let shared = Arc::new(Shared {
            notebook: site.notebook.clone(),
            guard,
            courses: Courses::of(&site.notebook),
            readers: listener.readers(),
        });
        let stop = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("web".to_owned());
        let thread = thread.spawn(move || answer(runtime, listener, shared, &ends))?;
        Ok(Self { address, elsewhere, stop, thread: Some(thread) })
    }

    /// The address for a browser, with the token where one is needed.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The address for other machines, where the server listens at all of its interfaces.
    pub fn elsewhere(&self) -> Option<&str> {
        self.elsewhere.as_deref()
    }

    /// Answers until `stop`.
    ///
    /// # Errors
    /// When the server failed.
    pub fn until(mut self, stop: &AtomicBool) -> Result<(), ServeError> {
        while !stop.load(Ordering::Acquire) && self.thread.as_ref().is_some_and(|t| !t.is_finished()) {
            ground::Clock::Wall.sleep(TICK);
        }
        self.stop.store(true, Ordering::Release);
        let ended = self.thread.take().map(std::thread::JoinHandle::join);
        ended.map_or(Ok(()), |ended| ended.unwrap_or(Ok(())))
    }
}

/// The addresses of a server that listens here: one for a browser on this machine, and where it listens at
/// all interfaces, which is no address to open, one for other machines.
fn links(bound: SocketAddr, query: &str, host: &str) -> (String, Option<String>) {
    let link = |host: &str| format!("http://{host}:{}/{query}", bound.port());
    match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (link("127.0.0.1"), Some(link(host))),
        IpAddr::V6(ip) if ip.is_unspecified() => (link("[::1]"), Some(link(host))),
        _ => (format!("http://{bound}/{query}"), None),
    }
}

/// The name of this machine among others.
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // Its requests have been answered; there is nobody to tell.
        }
    }
}

/// Answers in one thread. Notebooks are read in others, so that one long report stops nobody else.
fn answer(
    runtime: tokio::runtime::Runtime,
    listener: BoundedListener,
    shared: Arc<Shared>,
    stop: &Arc<AtomicBool>,
) -> Result<(), ServeError> {
    let ended = runtime.block_on(async {
        let readers = shared.readers.clone();
        let service = router(shared).into_make_service_with_connect_info::<Holder>();
        let until = async {
            while !stop.load(Ordering::Acquire) {
                tokio::time::sleep(TICK).await;
            }
            // Pages leave the stream of a run that has ended; other readers may stay for ever.
            let has_readers = async {
                while readers.count() > 0 {
                    tokio::time::sleep(TICK).await;
                }
            };
            let _ = tokio::time::timeout(FAREWELL, has_readers).await;
        };
        tokio::select! {
            served = async { axum::serve(listener, service).await } => served,
            () = until => Ok(()),
        }
    });
    runtime.shutdown_timeout(TICK);
    Ok(ended?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_can_be_opened_whatever_the_server_listens_at() {
        let of = |bound: &str| links(bound.parse().unwrap(), "?token=x", "lab");
        let here = |link: &str| (link.to_owned(), None);
        let all = |link: &str| (link.to_owned(), Some("http://lab:80/?token=x".to_owned()));
        assert_eq!(of("127.0.0.1:80"), here("http://127.0.0.1:80/?token=x"));
        assert_eq!(of("10.1.2.3:80"), here("http://10.1.2.3:80/?token=x"));
        assert_eq!(of("[::1]:80"), here("http://[::1]:80/?token=x"));
        assert_eq!(of("0.0.0.0:80"), all("http://127.0.0.1:80/?token=x"));
        assert_eq!(of("[::]:80"), all("http://[::1]:80/?token=x"));
        assert!(!host_name().is_empty());
    }
}
