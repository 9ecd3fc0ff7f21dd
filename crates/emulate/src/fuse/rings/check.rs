//! The promises of the parser, for tests and for `fuzz/`.

use std::path::{Component, Path};

use super::abi::HEADER_BYTES;
use super::request::{Call, parse};

/// Reads bytes as header and payload of a request, and checks what the parser promises.
pub(in crate::fuse) fn check_request(bytes: &[u8]) {
    let mut header = [0; HEADER_BYTES];
    let (head, payload) = bytes.split_at(bytes.len().min(header.len()));
    header[..head.len()].copy_from_slice(head);
    let Ok(request) = parse(&header, payload) else { return };
    let names = match request.call {
        Call::LookUp(name) | Call::Symlink { name, .. } | Call::MakeNode { name, .. } => vec![name],
        Call::MakeFolder { name, .. } | Call::Remove { name, .. } | Call::Link { name, .. } => vec![name],
        Call::Create { name, .. } => vec![name],
        Call::Rename { name, new_name, .. } => vec![name, new_name],
        Call::Write { bytes, offset, .. } => {
            assert!(bytes.len() <= payload.len() && i64::try_from(offset).is_ok());
            Vec::new()
        }
        _ => Vec::new(),
    };
    for name in names {
        let path = Path::new(name);
        let mut parts = path.components();
        assert!(matches!(parts.next(), Some(Component::Normal(part)) if part == name));
        assert!(parts.next().is_none() && name.len() <= 255);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn odd_requests_are_read_within_their_bytes() {
        testkit::odd_inputs("request", super::check_request);
    }
}
