//! Messages on a pipe: four bytes of length, little-endian, then that many bytes of CBOR (RFC 8949).

use std::io::{self, ErrorKind, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::FleetError;

/// Longest message. A longer one is damage, or the text of a login script on the pipe.
pub const FRAME_BYTES_MAX: usize = 1 << 28;
/// Longest first message: whatever else is on a pipe is found before it fills the memory.
pub const HELLO_BYTES_MAX: usize = 1 << 12;
/// Memory that is taken before the bytes of a message are there.
const CHUNK_BYTES: usize = 1 << 16;

/// The bytes of a value.
///
/// # Panics
/// Never: memory takes every write, and messages hold nothing that CBOR cannot say.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).expect("memory takes every write");
    bytes
}

/// The value of bytes.
///
/// # Errors
/// [`FleetError::Malformed`] for bytes that are no such value, or more than one.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, FleetError> {
    let mut rest = bytes;
    let value = ciborium::from_reader(&mut rest).map_err(|error| FleetError::Malformed(in_words(error)))?;
    if rest.is_empty() {
        Ok(value)
    } else {
        Err(FleetError::Malformed("bytes are left behind it".to_owned()))
    }
}

/// The fault of bytes that are no message; the library prints its own types.
fn in_words(error: ciborium::de::Error<io::Error>) -> String {
    use ciborium::de::Error as Fault;
    match error {
        Fault::Io(_) => "it ends too early".to_owned(),
        Fault::Syntax(at) => format!("no CBOR at byte {at}"),
        Fault::Semantic(Some(at), what) => format!("{what} at byte {at}"),
        Fault::Semantic(None, what) => what,
        Fault::RecursionLimitExceeded => "it is nested too deeply".to_owned(),
    }
}

/// Writes one message and flushes it.
///
/// # Errors
/// The pipe's own.
pub fn write_frame(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length as usize <= FRAME_BYTES_MAX);
    let length = length.ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "the message is too long"))?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(bytes)?;
    out.flush()
}

/// Reads one message of at most `bytes_max`; `None` at the end of the pipe between two messages.
///
/// # Errors
/// The pipe's own; `InvalidData` for a length that no such message has; `UnexpectedEof` inside a message.
/// Memory grows with the bytes that arrive and not with the length that is announced.
pub fn read_frame(pipe: &mut dyn Read, bytes_max: usize) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    let mut have = 0;
    while have < length.len() {
        match pipe.read(&mut length[have..]) {
            Ok(0) if have == 0 => return Ok(None),
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(more) => have += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let length_bytes = u32::from_le_bytes(length) as usize;
    if length_bytes > bytes_max {
        let text: String = length.iter().map(|byte| char::from(*byte).escape_default().to_string()).collect();
        return Err(io::Error::new(ErrorKind::InvalidData, format!("`{text}` begins no message of a fleet")));
    }
    let mut bytes = Vec::with_capacity(length_bytes.min(CHUNK_BYTES));
    let read = pipe.take(length_bytes as u64).read_to_end(&mut bytes)?;
    if read < length_bytes { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(Some(bytes)) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bytes::Bytes;
    use crate::message::{Down, Up};

    #[test]
    fn messages_come_through_whole_and_the_end_is_told() {
        let mut pipe = Vec::new();
        for length in [0, 1, 70_000] {
            write_frame(&mut pipe, &vec![7; length]).unwrap();
        }
        let mut rest = &pipe[..];
        for length in [0, 1, 70_000] {
            assert_eq!(read_frame(&mut rest, FRAME_BYTES_MAX).unwrap(), Some(vec![7; length]));
        }
        assert_eq!(read_frame(&mut rest, FRAME_BYTES_MAX).unwrap(), None);
        let mut cut = &pipe[..pipe.len() - 1];
        while let Ok(Some(_)) = read_frame(&mut cut, FRAME_BYTES_MAX) {}
        assert_eq!(
            read_frame(&mut &pipe[..2], FRAME_BYTES_MAX).unwrap_err().kind(),
            ErrorKind::UnexpectedEof
        );
    }

    #[test]
    fn a_text_on_the_pipe_is_no_message() {
        for (text, begins) in [("Last login: today", "`Last`"), ("y\ny\ny\n", "`y\\ny\\n`")] {
            let error = read_frame(&mut text.as_bytes(), HELLO_BYTES_MAX).unwrap_err().to_string();
            assert!(error.contains(begins), "{error}");
        }
    }

    #[test]
    fn faulty_bytes_are_told_in_words() {
        let whole = encode(&Up::Beat(None));
        for (bytes, part) in [
            (&whole[..whole.len() - 1], "it ends too early"),
            (&[0x1c][..], "no CBOR"),
            (&[0x01][..], "expected"),
        ] {
            let error = decode::<Up>(bytes).unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains("Semantic"), "{error}");
        }
    }

    #[test]
    fn bytes_and_numbers_stay_exact() {
        let numbers = (f64::NAN, 0.1_f64, u64::MAX, Bytes(vec![0, 255, 24]));
        let (nan, tenth, most, bytes): (f64, f64, u64, Bytes) = decode(&encode(&numbers)).unwrap();
        assert!(nan.is_nan());
        assert_eq!((tenth, most, bytes), (0.1, u64::MAX, numbers.3));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode::<Up>(&bytes);
            let _ = decode::<Down>(&bytes);
            let mut rest = &bytes[..];
            while let Ok(Some(_)) = read_frame(&mut rest, FRAME_BYTES_MAX) {}
        }
    }
}
