//! A view of the next bytes of a long input, which moves on by any number of them.

use std::io::{self, Read};

const WINDOW_BYTES: usize = 64 << 10;

/// The next bytes of an input.
pub(super) struct Window<R> {
    input: R,
    bytes: Box<[u8]>,
    /// The position of the next byte in `bytes`, and the end of the last one read.
    span: std::ops::Range<usize>,
    ended: bool,
}

impl<R: Read> Window<R> {
    pub(super) fn new(input: R) -> Window<R> {
        Window { input, bytes: vec![0; WINDOW_BYTES].into(), span: 0..0, ended: false }
    }

    /// The next `count` bytes, or fewer at the end of the input; at most 32 KiB.
    pub(super) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        if self.span.len() < count && !self.ended {
            self.bytes.copy_within(self.span.clone(), 0);
            self.span = 0..self.span.len();
            while self.span.len() < count && !self.ended {
                match self.input.read(&mut self.bytes[self.span.end..]) {
                    Ok(0) => self.ended = true,
                    Ok(read) => self.span.end += read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(&self.bytes[self.span.start..self.span.end.min(self.span.start + count)])
    }

    /// Moves on by bytes that were seen.
    pub(super) fn pass(&mut self, count: usize) {
        self.span.start = self.span.end.min(self.span.start + count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_seen_once_whatever_the_steps() {
        let input: Vec<u8> = (0..200_000_u32).map(|number| number as u8 ^ (number >> 8) as u8).collect();
        let mut window = Window::new(input.as_slice());
        let (mut seen, mut step) = (Vec::new(), 1);
        loop {
            let bytes = window.peek(step).unwrap().to_vec();
            if bytes.is_empty() {
                break;
            }
            window.pass(bytes.len());
            seen.extend(bytes);
            step = step * 7 % 1021;
        }
        assert!(seen == input);
    }
}
