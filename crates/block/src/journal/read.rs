//! Reading a journal back, past any damage, and counting the unreadable records.

use std::collections::BTreeMap;
use std::io::{self, Read};

use super::claims::Claims;
use super::format::{
    FIRST_HEAD_BYTES, FIRST_MAGIC, FIRST_RECORD_BYTES, HEAD_BYTES, HEADS_BYTES, Head, Of, RECORD_BYTES,
    Record, State, decode_first_head,
};
use super::report::{JournalEnd, JournalReport};
use super::window::Window;

/// A journal that was read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Journal {
    pub(crate) run: u64,
    pub(crate) block_bytes: u64,
    pub(crate) claims: Claims,
    pub(crate) report: JournalReport,
}

impl Journal {
    /// Reads a journal to the end of its file, whatever is damaged in between; `None` when it is no journal.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub(crate) fn read(input: impl Read) -> io::Result<Option<Journal>> {
        let mut window = Window::new(input);
        let heads = window.peek(HEADS_BYTES)?.to_vec();
        if heads.starts_with(&FIRST_MAGIC) {
            let Some(of) = decode_first_head(&heads) else { return Ok(Some(Journal::headless(1))) };
            window.pass(FIRST_HEAD_BYTES);
            return read_first(&mut window, of);
        }
        let copies: Vec<&[u8]> = heads.chunks(HEAD_BYTES).collect();
        let whole: Vec<Head> = copies.iter().filter_map(|copy| Head::decode(copy)).collect();
        let in_place =
            |(index, head): (usize, &Head)| Head::place(head.number) == (index * HEAD_BYTES) as u64;
        let Some(head) = whole.iter().max_by_key(|head| head.number) else {
            let was_one = copies.iter().any(|copy| Head::was_one(copy));
            return Ok(was_one.then(|| Journal::headless(2)));
        };
        let Some(blocks) = head.of.blocks() else { return Ok(None) };
        window.pass(heads.len());
        let mut report = JournalReport { format: 2, ..JournalReport::default() };
        report.damaged_heads = 2 - whole.len() as u32;
        let in_turn = whole.len() < 2 || whole.iter().enumerate().all(in_place);
        report.altered = !in_turn || whole.iter().any(|other| !belongs(other, head));
        let mut reading = Reading { heads: &whole, of: head.of, ..Reading::new(blocks, report) };
        reading.records(&mut window)?;
        Ok(Some(reading.over(head)))
    }

    /// A journal of which only the kind is known.
    fn headless(format: u32) -> Journal {
        let damaged_heads = if format == 1 { 1 } else { 2 };
        let report = JournalReport { format, damaged_heads, ..JournalReport::default() };
        let block_bytes = u64::from(crate::job::IO_SIZE_BYTES_MIN);
        Journal { run: 0, block_bytes, claims: Claims::default(), report }
    }
}

/// True if a copy of the head is the one before `newest`, or that itself.
fn belongs(head: &Head, newest: &Head) -> bool {
    head == newest
        || head.of == newest.of && head.number + 1 == newest.number && head.records <= newest.records
}

/// The reading of the records of one journal.
struct Reading<'heads> {
    heads: &'heads [Head],
    of: Of,
    /// Sequence number of the next record.
    next: u64,
    /// Those before it that were not found.
    gaps: Gaps,
    /// Over the records so far, while none is missing.
    checksum: crc32fast::Hasher,
    /// The bytes that were skipped since the last record.
    passed: Passed,
    claims: Claims,
    report: JournalReport,
}

impl Reading<'_> {
    fn new(blocks: u64, report: JournalReport) -> Self {
        let of = Of { run: 0, block_bytes: 0, size_bytes: 0 };
        Reading {
            heads: &[],
            of,
            next: 1,
            gaps: Gaps::default(),
            checksum: crc32fast::Hasher::new(),
            passed: Passed::new(RECORD_BYTES),
            claims: Claims::new(blocks),
            report,
        }
    }

    /// Reads records; where there is none it moves on byte by byte until there is one again.
    fn records(&mut self, window: &mut Window<impl Read>) -> io::Result<()> {
        self.compare_checksum();
        loop {
            let next = window.peek(RECORD_BYTES)?;
            let Some(bytes) = next.first_chunk::<RECORD_BYTES>().copied() else {
                next.iter().for_each(|byte| self.passed.take(*byte));
                return Ok(());
            };
            let found = Record::decode(&bytes, self.of.run, self.next);
            if let Some((record, sequence)) = found
                && self.claims.take(record)
            {
                self.arrived(sequence, &bytes);
                window.pass(RECORD_BYTES);
            } else {
                self.passed.take(bytes[0]);
                window.pass(1);
            }
        }
    }

    /// Finds the place of a record in the sequence.
    fn arrived(&mut self, sequence: u64, bytes: &[u8; RECORD_BYTES]) {
        let passed = std::mem::replace(&mut self.passed, Passed::new(RECORD_BYTES));
        let missing = sequence.saturating_sub(self.next);
        self.report.foreign_bytes += passed.bytes.saturating_sub(missing.saturating_mul(RECORD_BYTES as u64));
        self.report.records += 1;
        if sequence < self.next {
            let was_missed = self.gaps.fill(sequence);
            *if was_missed { &mut self.report.out_of_place } else { &mut self.report.repeated } += 1;
            return;
        }
        self.gaps.add(self.next..sequence);
        self.next = sequence + 1;
        if self.gaps.is_empty() && self.report.out_of_place == 0 {
            self.checksum.update(bytes);
            self.compare_checksum();
        }
    }

    fn compare_checksum(&mut self) {
        for head in self.heads.iter().filter(|head| head.records.checked_add(1) == Some(self.next)) {
            self.report.altered |= self.checksum.clone().finalize() != head.checksum;
        }
    }

    /// Judges the end, when all bytes were seen.
    fn over(mut self, head: &Head) -> Journal {
        let end = head.records.saturating_add(1);
        let missing = end.saturating_sub(self.next);
        self.gaps.add(self.next..self.next + missing);
        let report = &mut self.report;
        report.end = match head.state {
            State::Open => JournalEnd::CutShort,
            State::Closed => JournalEnd::Closed,
            State::GivenUp => JournalEnd::GivenUp,
        };
        if head.state == State::Closed {
            report.foreign_bytes +=
                self.passed.bytes.saturating_sub(missing.saturating_mul(RECORD_BYTES as u64));
            report.altered |= self.next > end;
        } else {
            // Data that was not durable yet may have arrived in part or as zeros, but not as something else.
            report.unreadable += self.passed.pieces.saturating_sub(missing);
        }
        report.unreadable += self.gaps.count();
        (report.left_out, report.failed_left_out) = (head.left_out, head.failed_left_out);
        report.taken_back = self.claims.taken_back();
        Journal {
            run: self.of.run,
            block_bytes: self.of.block_bytes,
            claims: self.claims,
            report: self.report,
        }
    }
}

/// Reads the records of a journal of the first format.
fn read_first(window: &mut Window<impl Read>, of: Of) -> io::Result<Option<Journal>> {
    let Some(blocks) = of.blocks() else { return Ok(None) };
    let (mut claims, mut passed) = (Claims::new(blocks), Passed::new(FIRST_RECORD_BYTES));
    let mut report = JournalReport { format: 1, end: JournalEnd::Unknown, ..JournalReport::default() };
    loop {
        let next = window.peek(FIRST_RECORD_BYTES)?;
        let Some(bytes) = next.first_chunk::<FIRST_RECORD_BYTES>().copied() else {
            next.iter().for_each(|byte| passed.take(*byte));
            break;
        };
        if let Some(record) = Record::decode_first(&bytes)
            && claims.take(record)
        {
            report.records += 1;
            report.unreadable += passed.bytes.div_ceil(FIRST_RECORD_BYTES as u64);
            passed = Passed::new(FIRST_RECORD_BYTES);
            window.pass(FIRST_RECORD_BYTES);
        } else {
            passed.take(bytes[0]);
            window.pass(1);
        }
    }
    // A last record in part, and zeros, are typical remains of a crash.
    report.unreadable += passed.pieces;
    report.taken_back = claims.taken_back();
    Ok(Some(Journal { run: of.run, block_bytes: of.block_bytes, claims, report }))
}

/// Bytes that were passed over because they are no record.
struct Passed {
    record_bytes: usize,
    bytes: u64,
    /// Whole records that they could have been, but for those that are all zeros.
    pieces: u64,
    has_bits: bool,
}

impl Passed {
    fn new(record_bytes: usize) -> Passed {
        Passed { record_bytes, bytes: 0, pieces: 0, has_bits: false }
    }

    fn take(&mut self, byte: u8) {
        self.bytes += 1;
        self.has_bits |= byte != 0;
        if self.bytes.is_multiple_of(self.record_bytes as u64) {
            self.pieces += u64::from(std::mem::take(&mut self.has_bits));
        }
    }
}

/// Sequence numbers that were not found, as ranges by their starts.
#[derive(Default)]
struct Gaps(BTreeMap<u64, u64>);

impl Gaps {
    fn add(&mut self, missing: std::ops::Range<u64>) {
        if !missing.is_empty() {
            self.0.insert(missing.start, missing.end);
        }
    }

    /// Takes a number out; false when it was not missing.
    fn fill(&mut self, number: u64) -> bool {
        let Some((&start, &end)) = self.0.range(..=number).next_back() else { return false };
        if number >= end {
            return false;
        }
        self.0.remove(&start);
        self.add(start..number);
        self.add(number + 1..end);
        true
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|(start, end)| end - start).sum()
    }
}
