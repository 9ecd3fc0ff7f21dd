//! The rows of a table, and how each way of sending writes them.

use crate::sysbench::distribution::{Distribution, Ids};
use crate::sysbench::pattern::{CText, PadText};
use crate::sysbench::random::Random;

/// Apart from the streams of the threads that run.
const STREAMS: u64 = 1 << 40;

/// The header of a binary COPY: signature, flags, no extension.
pub(in crate::sysbench) const COPY_HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// The end of a binary COPY.
pub(in crate::sysbench) const COPY_TRAILER: &[u8] = &[0xff, 0xff];

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sysbench) struct Row {
    pub(in crate::sysbench) id: u32,
    pub(in crate::sysbench) k: u32,
    pub(in crate::sysbench) c: CText,
    pub(in crate::sysbench) pad: PadText,
}

/// The rows of one table in the order of their ids.
#[derive(Clone, Debug)]
pub(in crate::sysbench) struct Rows {
    next: u32,
    last: u32,
    k: Ids,
    random: Random,
}

impl Rows {
    pub(super) fn new(seed: u64, table: u32, rows: u32, distribution: Distribution) -> Self {
        let random = Random::new(seed, STREAMS + u64::from(table));
        Self { next: 1, last: rows, k: Ids::new(distribution, rows), random }
    }
}

impl Iterator for Rows {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        if self.next > self.last {
            return None;
        }
        let (id, random) = (self.next, &mut self.random);
        self.next += 1;
        Some(Row { id, k: self.k.draw(random), c: CText::draw(random), pad: PadText::draw(random) })
    }
}

impl Row {
    /// As a row of a binary COPY of `id, k, c, pad`.
    pub(in crate::sysbench) fn put_copy(&self, output: &mut Vec<u8>) {
        output.extend_from_slice(&4_i16.to_be_bytes());
        for field in
            [&self.id.to_be_bytes()[..], &self.k.to_be_bytes(), self.c.as_bytes(), self.pad.as_bytes()]
        {
            output.extend_from_slice(&(field.len() as i32).to_be_bytes());
            output.extend_from_slice(field);
        }
    }

    /// As a line of a LOAD DATA of `id, k, c, pad`. Digits and dashes need no escape.
    pub(in crate::sysbench) fn put_line(&self, output: &mut Vec<u8>) {
        self.put(output, [b"", b"\t", b"\t", b"\t", b"\n"]);
    }

    /// As a row of an INSERT's VALUES, with a comma in front unless it is the first.
    pub(in crate::sysbench) fn put_values(&self, output: &mut Vec<u8>, is_first: bool) {
        let open: &[u8] = if is_first { b"(" } else { b",(" };
        self.put(output, [open, b",", b",'", b"','", b"')"]);
    }

    fn put(&self, output: &mut Vec<u8>, between: [&[u8]; 5]) {
        let (id, k) = (self.id.to_string(), self.k.to_string());
        let fields = [id.as_bytes(), k.as_bytes(), self.c.as_bytes(), self.pad.as_bytes()];
        for (before, field) in between.into_iter().zip(fields) {
            output.extend_from_slice(before);
            output.extend_from_slice(field);
        }
        output.extend_from_slice(between[4]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_numbered_and_repeat_with_the_seed() {
        let rows = |table| Rows::new(5, table, 100, Distribution::Uniform).collect::<Vec<_>>();
        let first = rows(1);
        assert_eq!(first.iter().map(|row| row.id).collect::<Vec<_>>(), (1..=100).collect::<Vec<_>>());
        assert!(first.iter().all(|row| (1..=100).contains(&row.k)));
        assert_eq!(first, rows(1));
        assert_ne!(first, rows(2));
    }

    #[test]
    fn rows_are_written_for_every_way_of_sending() {
        let row = Rows::new(5, 1, 1, Distribution::Uniform).next().unwrap();
        let (c, pad) = (row.c.as_str(), row.pad.as_str());
        let mut output = Vec::new();
        row.put_line(&mut output);
        assert_eq!(output, format!("1\t1\t{c}\t{pad}\n").as_bytes());
        output.clear();
        row.put_values(&mut output, true);
        row.put_values(&mut output, false);
        assert_eq!(output, format!("(1,1,'{c}','{pad}'),(1,1,'{c}','{pad}')").as_bytes());
        output.clear();
        row.put_copy(&mut output);
        assert_eq!(output.len(), 2 + 4 * 4 + 4 + 4 + 119 + 59);
        assert_eq!(output[..14], [0, 4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 4]);
        assert_eq!(COPY_HEADER.len(), 19);
    }
}
