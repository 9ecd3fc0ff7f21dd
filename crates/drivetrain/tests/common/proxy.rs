//! A network that fails on order: a TCP proxy before a server, which can hold every packet, or cut every
//! connection.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// The time that a packet is under way. The server is some way off: a load without a pace waits for most of
/// its time, and leaves the processors to other tests.
const DISTANCE: Duration = Duration::from_millis(5);
/// Of a stream of data, which larger packets are, the end is that late only.
const SMALL_BYTES: usize = 8 << 10;
/// The interval at which a held packet checks whether it may go on.
const LOOK: Duration = Duration::from_millis(5);

/// The events of an outage, with their times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outage {
    /// After this many connections are open at once: a load has begun.
    pub(crate) connections: usize,
    /// So long after that.
    pub(crate) after: Duration,
    /// Every packet is held for so long.
    pub(crate) hold: Duration,
}

/// A proxy that forwards to a server until it is dropped.
pub(crate) struct Proxy {
    port: u16,
    way: Arc<Way>,
}

/// The route of packets.
pub(crate) struct Way {
    server: Mutex<SocketAddr>,
    open: AtomicUsize,
    held: AtomicBool,
    over: AtomicBool,
}

impl Proxy {
    /// Forwards connections to `server`, a port of this machine.
    pub(crate) fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a listener");
        let port = listener.local_addr().expect("bound").port();
        let way = Arc::new(Way {
            server: Mutex::new(SocketAddr::from(([127, 0, 0, 1], server))),
            open: AtomicUsize::new(0),
            held: AtomicBool::new(false),
            over: AtomicBool::new(false),
        });
        let taken = Arc::clone(&way);
        thread::spawn(move || take_connections(&listener, &taken));
        Self { port, way }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// True while packets are held.
    pub(crate) fn is_held(&self) -> bool {
        self.way.held.load(Ordering::Acquire)
    }

    /// The handle that reroutes its traffic.
    pub(crate) fn way(&self) -> Arc<Way> {
        Arc::clone(&self.way)
    }

    /// Holds every packet at the time of `outage` in every load that begins.
    pub(crate) fn plan(&self, outage: Outage) {
        let way = Arc::clone(&self.way);
        let hold = move |way: &Way| {
            way.held.store(true, Ordering::Release);
            way.sleep(outage.hold);
            way.held.store(false, Ordering::Release);
        };
        thread::spawn(move || at_each_load(&way, outage.connections, outage.after, &hold));
    }

    /// Does `action` once, at the time `after` the moment at which `connections` connections are open.
    pub(crate) fn once(&self, connections: usize, after: Duration, action: impl FnOnce() + Send + 'static) {
        let way = Arc::clone(&self.way);
        thread::spawn(move || {
            if way.wait_until(|way| way.open.load(Ordering::Acquire) >= connections) {
                way.sleep(after);
                action();
            }
        });
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.way.over.store(true, Ordering::Release);
    }
}

impl Way {
    /// The server is at another port now.
    pub(crate) fn moved(&self, server: u16) {
        *self.server.lock().expect("unbroken") = SocketAddr::from(([127, 0, 0, 1], server));
    }

    /// Waits for something; false when the proxy ends before.
    fn wait_until(&self, is_so: impl Fn(&Self) -> bool) -> bool {
        while !is_so(self) {
            if self.over.load(Ordering::Acquire) {
                return false;
            }
            thread::sleep(LOOK);
        }
        true
    }

    fn sleep(&self, time: Duration) {
        let since = Instant::now();
        self.wait_until(|_| since.elapsed() >= time);
    }
}

fn at_each_load(way: &Way, connections: usize, after: Duration, action: &dyn Fn(&Way)) {
    while way.wait_until(|way| way.open.load(Ordering::Acquire) >= connections) {
        way.sleep(after);
        action(way);
        way.wait_until(|way| way.open.load(Ordering::Acquire) < connections);
    }
}

fn take_connections(listener: &TcpListener, way: &Arc<Way>) {
    while !way.over.load(Ordering::Acquire) {
        match listener.accept() {
            Ok((client, _)) => {
                let way = Arc::clone(way);
                thread::spawn(move || serve(client, &way));
            }
            Err(_) => thread::sleep(LOOK),
        }
    }
}

fn serve(client: TcpStream, way: &Arc<Way>) {
    let address = *way.server.lock().expect("unbroken");
    // A server that takes nobody: the client's connection is closed.
    let Ok(server) = TcpStream::connect(address) else { return };
    for stream in [&client, &server] {
        stream.set_nonblocking(false).expect("a stream");
        stream.set_nodelay(true).expect("a stream");
        // So that a pump notices the end of the proxy.
        stream.set_read_timeout(Some(Duration::from_millis(200))).expect("a stream");
    }
    way.open.fetch_add(1, Ordering::AcqRel);
    let ways = [(&client, &server), (&server, &client)];
    thread::scope(|scope| {
        for (from, to) in ways {
            scope.spawn(move || pump(from, to, way));
        }
    });
    way.open.fetch_sub(1, Ordering::AcqRel);
}

/// Forwards one direction; the end of it is the end of the connection.
fn pump(mut from: &TcpStream, mut to: &TcpStream, way: &Way) {
    let mut room = vec![0; 64 << 10];
    while !way.over.load(Ordering::Acquire) {
        let got = match from.read(&mut room) {
            Ok(0) => break,
            Ok(got) => got,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => continue,
            Err(_) => break,
        };
        if got < SMALL_BYTES {
            thread::sleep(DISTANCE);
        }
        // Held where it is; later packets queue up behind it.
        if !way.wait_until(|way| !way.held.load(Ordering::Acquire)) || to.write_all(&room[..got]).is_err() {
            break;
        }
    }
    // The other direction ends with this one; either end may have gone by itself.
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
