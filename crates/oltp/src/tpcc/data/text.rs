//! Short texts without a heap.

use std::fmt;

/// A text of at most `N` bytes, ASCII.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Text<const N: usize> {
    length: u16,
    bytes: [u8; N],
}

impl<const N: usize> Text<N> {
    pub(crate) const EMPTY: Self = Self { length: 0, bytes: [0; N] };

    /// Appends as much as fits.
    pub(crate) fn push_str(&mut self, text: &str) {
        debug_assert!(text.is_ascii());
        let start = usize::from(self.length);
        let taken = text.len().min(N - start);
        self.bytes[start..start + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.length += taken as u16;
    }

    /// Sets the length and gives the bytes to be filled with ASCII.
    pub(crate) fn resize(&mut self, length: usize) -> &mut [u8] {
        assert!(length <= N, "a text of {length} bytes does not fit into {N}");
        self.length = length as u16;
        &mut self.bytes[..length]
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).expect("only ASCII is put in")
    }
}

impl<const N: usize> Default for Text<N> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<const N: usize> From<&str> for Text<N> {
    fn from(text: &str) -> Self {
        let mut new = Self::EMPTY;
        new.push_str(text);
        new
    }
}

impl<const N: usize> fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl<const N: usize> fmt::Write for Text<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_fits() {
        let mut text = Text::<8>::from("order");
        text.push_str(" entry");
        assert_eq!(text.as_str(), "order en");
        text.resize(3).copy_from_slice(b"abc");
        assert_eq!(text.as_str(), "abc");
        assert_eq!(format!("{text:?}"), "\"abc\"");
    }
}
