//! Rows in the binary format of COPY: for each its number of columns, for each column its length and its
//! bytes.

use bytes::BufMut as _;

use super::codec::{Moment, numeric_length, put_numeric};
use crate::tpcc::data::money::{Cents, Rate};
use crate::tpcc::load::encode::Format;

/// The header of a COPY: signature, no flags, no extension.
pub(super) const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// The trailer of a COPY.
pub(super) const TRAILER: &[u8] = &(-1_i16).to_be_bytes();

/// Rows of one piece.
#[derive(Debug)]
pub(crate) struct Binary(Vec<u8>);

impl Default for Binary {
    fn default() -> Self {
        Self(Vec::with_capacity(1 << 20))
    }
}

impl Format for Binary {
    fn begin(&mut self, columns: u16) {
        self.0.put_u16(columns);
    }

    fn int(&mut self, value: u32) {
        self.0.put_i32(4);
        self.0.put_u32(value);
    }

    fn text(&mut self, value: &str) {
        self.0.put_i32(value.len() as i32);
        self.0.extend_from_slice(value.as_bytes());
    }

    fn cents(&mut self, value: Cents) {
        self.0.put_i32(numeric_length(value.0, 2));
        put_numeric(&mut self.0, value.0, 2);
    }

    fn rate(&mut self, value: Rate) {
        self.0.put_i32(numeric_length(value.0, 4));
        put_numeric(&mut self.0, value.0, 4);
    }

    fn moment(&mut self, at_ms: i64) {
        self.0.put_i32(8);
        self.0.put_i64(Moment(at_ms).microseconds());
    }

    fn null(&mut self) {
        self.0.put_i32(-1);
    }

    fn end(&mut self) {}

    fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}
