//! The user behind a connection from this machine.
//!
//! The loopback device is open to every user of a machine, and a page can stop the run of its owner. So a
//! connection over it is answered if its socket belongs to the user of the server, or to root.

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
    if let Ok(Some(uid)) = sock_diag::owner(from, to) {
        return is_own(uid);
    }
    let tables: Vec<String> =
        TABLES.iter().filter_map(|path| std::fs::read_to_string(Path::new(path)).ok()).collect();
    tables.is_empty() || tables.iter().find_map(|table| owner(table, from, to)).is_some_and(is_own)
}

/// The user of the socket that is bound to `from` and connected to `to`.
fn owner(table: &str, from: SocketAddr, to: SocketAddr) -> Option<u32> {
    table.lines().skip(1).find_map(|line| {
        // sl, local address, remote address, state, queues, timer, retransmits, uid.
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (local, remote) = (socket(fields.next()?)?, socket(fields.next()?)?);
        (local == from && remote == to).then(|| fields.nth(4)?.parse().ok())?
    })
}

/// `0100007F:1F90` is 127.0.0.1:8080: words of the address in the order of the processor, the port in hex.
fn socket(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let word = |at: usize| u32::from_str_radix(address.get(at..at + 8)?, 16).ok();
    let ip = match address.len() {
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
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn the_user_of_a_socket_is_found() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (server, from) = listener.accept().unwrap();
            assert!(is_ours(from, server.local_addr().unwrap()), "{address}");
        }
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn a_line_of_the_table_is_read() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n   \
                     0: 0100007F:1F90 0100007F:0050 01 00000000:00000000 00:00000000 00000000  1000 0 1 1 0\n";
        let (from, to) = ("127.0.0.1:8080".parse().unwrap(), "127.0.0.1:80".parse().unwrap());
        assert_eq!(owner(table, from, to), Some(1000));
        assert_eq!(owner(table, to, from), None);
        assert_eq!(owner("head\n0: zz:1 : 01\n\n", from, to), None);
    }
}
