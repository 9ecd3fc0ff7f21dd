//! Errors of the server.

use std::io;
use std::net::SocketAddr;

/// The server cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another program listens at the address.
    #[error("{address} is in use by another program; name another address, for example {}:0 for any free port", address.ip())]
    InUse {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The kernel's answer.
        error: io::Error,
    },
    /// The server's thread or its runtime failed.
    #[error("the web server failed: {0}")]
    Failed(#[from] io::Error),
}

impl ServeError {
    pub(crate) fn of_listening(address: SocketAddr, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AddrInUse => Self::InUse { address },
            _ => Self::Listen { address, error },
        }
    }
}
