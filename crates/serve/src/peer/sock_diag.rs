//! The kernel's answer about one connection (`sock_diag(7)`): it looks the socket up by its addresses. The
//! tables of `/proc/net` list every socket of the machine, which takes milliseconds for each connection.

use std::io;
use std::net::{IpAddr, SocketAddr};

use super::{Queues, Socket};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};

/// Message types and flags of `linux/netlink.h` and `linux/sock_diag.h`.
const BY_FAMILY: u16 = 20;
const REQUEST: u16 = 1;
/// Bytes of `struct nlmsghdr`, of `struct inet_diag_req_v2`, and of `struct inet_diag_sockid` in it.
const HEAD_BYTES: usize = 16;
const REQUEST_BYTES: usize = 56;
const ID_BYTES: usize = 48;
/// Where an answer has the identity of the socket (`struct inet_diag_msg`): ports and addresses, which it
/// shares with the request.
const ID_AT: usize = HEAD_BYTES + 4;
const NAMES_BYTES: usize = 36;
/// Where it has the bytes that its owner has not read, those that the other end has not confirmed, and the
/// user: after the identity and the time left.
const UNREAD_AT: usize = ID_AT + ID_BYTES + 4;
const UNSENT_AT: usize = ID_AT + ID_BYTES + 8;
const USER_AT: usize = ID_AT + ID_BYTES + 12;
/// More than an answer has, with all its attributes.
const ANSWER_MOST_BYTES: usize = 4096;

/// The socket that is bound to `from` and connected to `to`; `None` if the kernel knows none.
///
/// # Errors
/// Where it does not answer such questions, or forbids them.
pub(super) fn socket(from: SocketAddr, to: SocketAddr) -> io::Result<Option<Socket>> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let kernel = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, Some(netlink::SOCK_DIAG))?;
    let question = question(from, to);
    send(&kernel, &question, SendFlags::empty())?;
    let mut answer = [0; ANSWER_MOST_BYTES];
    let (length, _) = recv(&kernel, &mut answer, RecvFlags::empty())?;
    Ok(socket_in(&answer[..length], &question))
}

fn question(from: SocketAddr, to: SocketAddr) -> Vec<u8> {
    let family = if from.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let mut bytes = Vec::with_capacity(HEAD_BYTES + REQUEST_BYTES);
    bytes.extend(((HEAD_BYTES + REQUEST_BYTES) as u32).to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend(REQUEST.to_ne_bytes());
    // The number of the question, and the kernel as the receiver.
    bytes.extend([1u32, 0].map(u32::to_ne_bytes).concat());
    // Family, protocol, no attributes; sockets in any state.
    bytes.extend([family.as_raw() as u8, TCP, 0, 0]);
    bytes.extend(u32::MAX.to_ne_bytes());
    bytes.extend([from.port(), to.port()].map(u16::to_be_bytes).concat());
    bytes.extend([address(from.ip()), address(to.ip())].concat());
    // Any interface, and no cookie.
    bytes.extend([0, u32::MAX, u32::MAX].map(u32::to_ne_bytes).concat());
    bytes
}

/// `IPPROTO_TCP`.
const TCP: u8 = 6;

/// An address in the first of its 16 bytes.
fn address(ip: IpAddr) -> [u8; 16] {
    let mut bytes = [0; 16];
    match ip {
        IpAddr::V4(ip) => bytes[..4].copy_from_slice(&ip.octets()),
        IpAddr::V6(ip) => bytes = ip.octets(),
    }
    bytes
}

/// The socket in an answer about that very connection: where there is none, the kernel may tell of a socket
/// that listens at the address.
fn socket_in(answer: &[u8], question: &[u8]) -> Option<Socket> {
    let kind = answer.get(4..6)?;
    let asked = &question[HEAD_BYTES + 8..][..NAMES_BYTES];
    let word = |at: usize| Some(u32::from_ne_bytes(answer.get(at..at + 4)?.try_into().ok()?));
    let is_it = kind == BY_FAMILY.to_ne_bytes() && answer.get(ID_AT..ID_AT + NAMES_BYTES)? == asked;
    let (unread, unsent) = (word(UNREAD_AT)?, word(UNSENT_AT)?);
    let queues = Queues { unread_bytes: unread.into(), unsent_bytes: unsent.into() };
    let user = word(USER_AT)?;
    is_it.then_some(Socket { user, queues })
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use testkit::need;

    use super::*;

    #[test]
    fn the_kernel_tells_the_user_of_a_connection_and_of_no_other() {
        for at in ["127.0.0.1:0", "[::1]:0"] {
            let Some(listener) = need::given(TcpListener::bind(at)) else { continue };
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (from, to) = (client.local_addr().unwrap(), listener.local_addr().unwrap());
            let Some(known) = need::given(socket(from, to)) else { return };
            assert_eq!(known.map(|it| it.user), Some(rustix::process::geteuid().as_raw()), "{at}");
            // Nothing is connected the other way but the server's own end, and a listener is not meant.
            assert_eq!(socket(to, SocketAddr::new(from.ip(), 1)).unwrap_or(None), None, "{at}");
        }
    }

    #[test]
    fn an_answer_about_another_socket_or_none_has_no_user() {
        let asked = question("127.0.0.1:8080".parse().unwrap(), "127.0.0.1:80".parse().unwrap());
        assert_eq!(asked.len(), HEAD_BYTES + REQUEST_BYTES);
        let mut answer = vec![0; USER_AT + 4];
        answer[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
        answer[ID_AT..ID_AT + NAMES_BYTES].copy_from_slice(&asked[HEAD_BYTES + 8..][..NAMES_BYTES]);
        answer[USER_AT..].copy_from_slice(&1000u32.to_ne_bytes());
        answer[UNREAD_AT..][..4].copy_from_slice(&7u32.to_ne_bytes());
        let queues = Queues { unread_bytes: 7, unsent_bytes: 0 };
        assert_eq!(socket_in(&answer, &asked), Some(Socket { user: 1000, queues }));
        assert_eq!(socket_in(&answer[..USER_AT + 3], &asked), None, "cut");
        answer[ID_AT] ^= 1;
        assert_eq!(socket_in(&answer, &asked), None, "another port");
        answer[ID_AT] ^= 1;
        answer[4] = 2;
        assert_eq!(socket_in(&answer, &asked), None, "an error");
        assert_eq!(socket_in(&[], &asked), None);
    }
}
