//! Random names.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

/// 64 random bits of the kernel, in hexadecimal: a name that nobody else uses, a proof that nobody else
/// knows.
#[must_use]
pub fn nonce() -> String {
    let mut bytes = [0; 8];
    // The call waits until the kernel's generator is ready and is only ever interrupted.
    while getrandom::fill(&mut bytes).is_err() {}
    format!("{:016x}", u64::from_ne_bytes(bytes))
}

/// A name that nothing has, for a file that is to become `name`: `.NAME.RANDOM.partial`.
pub(crate) fn beside(name: &OsStr) -> OsString {
    // Room for the dots and the suffix in the 255 bytes that a name may have.
    let bytes = name.as_bytes();
    let mut beside = OsString::from(".");
    beside.push(OsStr::from_bytes(&bytes[..bytes.len().min(200)]));
    beside.push(format!(".{}.partial", nonce()));
    beside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_nonces_differ() {
        assert_ne!(nonce(), nonce());
    }

    #[test]
    fn a_long_name_leaves_room_for_the_rest() {
        let long = "n".repeat(255);
        assert!(beside(OsStr::new(&long)).len() <= 255);
        assert!(beside(OsStr::new("a")).to_str().unwrap().starts_with(".a."));
    }
}
