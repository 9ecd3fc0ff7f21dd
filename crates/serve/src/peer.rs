//! The other end of a connection from this machine: its user, and what he reads.
//!
//! The loopback device is open to every user of a machine, and a page can stop the run of its owner. So a
//! connection over it is answered if its socket belongs to the user of the server, or to root. The kernel
//! tells as well how much of what was sent to such a socket its owner has not read.

mod sock_diag;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

/// The tables of the kernel (proc_net_tcp in its documentation), each with the digits of an address.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// True if the other end of a connection over the loopback device is a socket of this user or of root. True
/// as well where the kernel shows no tables.
pub(crate) fn is_ours(from: SocketAddr, to: SocketAddr) -> bool {
    let own = rustix::process::geteuid().as_raw();
    let is_own = |uid: u32| uid == own || uid == 0;
    // No answer, or of no such socket: kernels without this module say the same.
    if let Ok(Some(socket)) = sock_diag::socket(from, to) {
        return is_own(socket.user);
    }
    let tables = tables();
    let found = tables.iter().find_map(|table| socket_in(table, from, to));
    tables.is_empty() || found.is_some_and(|socket| is_own(socket.user))
}

/// The queues of the socket of this machine that is bound to `from` and connected to `to`; `None` if the
/// kernel knows none.
pub(crate) fn queues(from: SocketAddr, to: SocketAddr) -> Option<Queues> {
    let [from, to] = [from, to].map(|end| SocketAddr::new(end.ip().to_canonical(), end.port()));
    let socket = match sock_diag::socket(from, to) {
        Ok(socket) => socket,
        Err(_) => tables().iter().find_map(|table| socket_in(table, from, to)),
    };
    socket.map(|socket| socket.queues)
}

/// A socket of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Socket {
    user: u32,
    queues: Queues,
}

/// The queues of a socket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Queues {
    /// Bytes that came and were not read.
    pub(crate) unread_bytes: u64,
    /// Bytes that the other end has not confirmed.
    pub(crate) unsent_bytes: u64,
}

fn tables() -> Vec<String> {
    TABLES.iter().filter_map(|path| std::fs::read_to_string(Path::new(path)).ok()).collect()
}

/// The socket of a table that is bound to `from` and connected to `to`.
fn socket_in(table: &str, from: SocketAddr, to: SocketAddr) -> Option<Socket> {
    table.lines().skip(1).find_map(|line| {
        // sl, local address, remote address, state, queues (sent, received), timer, retransmits, uid.
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (local, remote) = (address(fields.next()?)?, address(fields.next()?)?);
        let is_it = local == from && remote == to;
        let (unsent, unread) = fields.nth(1).filter(|_| is_it)?.split_once(':')?;
        let [unsent, unread] = [unsent, unread].map(|hex| u64::from_str_radix(hex, 16).ok());
        let queues = Queues { unread_bytes: unread?, unsent_bytes: unsent? };
        Some(Socket { user: fields.nth(2)?.parse().ok()?, queues })
    })
}

/// `0100007F:1F90` is 127.0.0.1:8080: words of the address in the order of the processor, the port in hex.
fn address(text: &str) -> Option<SocketAddr> {
    let (host, port) = text.split_once(':')?;
    let word = |at: usize| u32::from_str_radix(host.get(at..at + 8)?, 16).ok();
    let ip = match host.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?.to_ne_bytes())),
        32 => {
            let mut bytes = [0; 16];
            for (at, part) in bytes.chunks_exact_mut(4).enumerate() {
                part.copy_from_slice(&word(at * 8)?.to_ne_bytes());
            }
            IpAddr::V6(Ipv6Addr::from(bytes)).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn the_user_of_a_socket_is_found() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Some(listener) = testkit::need::given(TcpListener::bind(address)) else { continue };
            let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (server, from) = listener.accept().unwrap();
            let to = server.local_addr().unwrap();
            assert!(is_ours(from, to), "{address}");
            (&server).write_all(b"seven b").unwrap();
            assert_eq!(queues(from, to).unwrap().unread_bytes, 7, "{address}");
            assert_eq!(queues(to, from).unwrap(), Queues::default(), "{address}");
        }
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn a_line_of_the_table_is_read() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n   \
                     0: 0100007F:1F90 0100007F:0050 01 00000010:00000020 00:00000000 00000000  1000 0 1 1 0\n";
        let (from, to) = ("127.0.0.1:8080".parse().unwrap(), "127.0.0.1:80".parse().unwrap());
        let queues = Queues { unread_bytes: 32, unsent_bytes: 16 };
        assert_eq!(socket_in(table, from, to), Some(Socket { user: 1000, queues }));
        assert_eq!(socket_in(table, to, from), None);
        assert_eq!(socket_in("head\n0: zz:1 : 01\n\n", from, to), None);
    }
}
