//! Traces: I/Os with their times, as fio's iolog (versions 2 and 3), as blkparse prints them, and as CSV
//! after MSR Cambridge and SPC.
//!
//! A trace is read line by line: memory does not depend on its length. A line that cannot be read is counted,
//! and the first is kept; a trace that begins with nothing but such lines is refused.

mod blkparse;
mod csv;
mod iolog;
mod writer;

use std::io::{self, BufRead};

use words::Word as _;

pub use writer::{TraceRecorder, TraceWriter, recording};

/// Longer lines are broken, whatever they hold.
const LINE_BYTES_MAX: u64 = 64 << 10;
/// So many lines decide which format a trace has.
const PROBE_LINES: usize = 200;

/// The operation of an I/O in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceOp {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Makes earlier writes durable.
    Flush,
    /// Discards.
    Trim,
}

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceIo {
    /// When, in nanoseconds on the trace's own clock; only differences mean anything.
    pub at_ns: u64,
    /// The operation.
    pub op: TraceOp,
    /// The offset, in bytes.
    pub offset_bytes: u64,
    /// The length, in bytes; 0 for a flush.
    pub length_bytes: u64,
}

words::words! {
    /// A format of traces that is read; help has its comment.
    pub enum TraceFormat {
        /// fio's iolog (versions 2 and 3)
        FioIolog = "fio iolog",
        /// blkparse's text
        Blkparse = "blkparse",
        /// CSV after MSR Cambridge (SNIA) or SPC, or with a header line that names time, op, offset and size
        Csv = "csv",
    }
}

impl TraceFormat {
    /// Its name in a list for people.
    pub fn title(self) -> &'static str {
        if self == TraceFormat::Csv { "CSV" } else { self.name() }
    }

    /// Every format in a few words, with this text between two of them.
    pub fn all_about(between: &str) -> String {
        TraceFormat::ALL.iter().map(|format| format.about().trim()).collect::<Vec<_>>().join(between)
    }
}

/// The counts of a trace's lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceLines {
    /// Lines read.
    pub lines: u64,
    /// Lines that could not be read.
    pub broken: u64,
    /// The first of them, with its number and why.
    pub first_broken: Option<(u64, String)>,
}

/// A line's meaning.
enum Line {
    Io(TraceIo),
    /// A comment, a header, an event that is no I/O.
    Nothing,
    Broken(&'static str),
}

enum Parser {
    Iolog(iolog::Iolog),
    Blkparse(blkparse::Blkparse),
    Csv(csv::Csv),
}

/// The I/Os of a trace, in the order of its lines.
pub struct TraceReader<R> {
    input: R,
    parser: Parser,
    format: TraceFormat,
    /// Lines that were read to know the format.
    probed: std::vec::IntoIter<Vec<u8>>,
    line: Vec<u8>,
    counted: TraceLines,
}

impl<R: BufRead> TraceReader<R> {
    /// Looks at the first lines and knows the format.
    ///
    /// # Errors
    /// The reason why the file is no trace, in words; errors of reading.
    pub fn new(mut input: R) -> Result<TraceReader<R>, String> {
        let mut probed = Vec::new();
        while probed.len() < PROBE_LINES {
            let mut line = Vec::new();
            if read_line(&mut input, &mut line).map_err(|error| format!("reading the trace: {error}"))? == 0 {
                break;
            }
            probed.push(line);
        }
        for format in TraceFormat::ALL.iter().copied() {
            let mut parser = Parser::of(format);
            let ios = probed.iter().filter(|line| matches!(parser.line(line), Line::Io(_))).count();
            if ios > 0 {
                // Probing has found which of blkparse's actions counts.
                if format != TraceFormat::Blkparse {
                    parser = Parser::of(format);
                }
                let counted = TraceLines::default();
                return Ok(TraceReader {
                    input,
                    parser,
                    format,
                    probed: probed.into_iter(),
                    line: Vec::new(),
                    counted,
                });
            }
        }
        Err(format!("no I/O in its first lines: it is neither {}", TraceFormat::all_about(", nor ")))
    }

    /// The format.
    pub fn format(&self) -> TraceFormat {
        self.format
    }

    /// The counts of the lines so far.
    pub fn counted(&self) -> &TraceLines {
        &self.counted
    }

    /// The next I/O; `None` at the end.
    ///
    /// # Errors
    /// Only when the file cannot be read on.
    pub fn next_io(&mut self) -> io::Result<Option<TraceIo>> {
        loop {
            match self.probed.next() {
                Some(line) => self.line = line,
                None => {
                    self.line.clear();
                    if read_line(&mut self.input, &mut self.line)? == 0 {
                        return Ok(None);
                    }
                }
            }
            self.counted.lines += 1;
            match self.parser.line(&self.line) {
                Line::Io(io) => return Ok(Some(io)),
                Line::Nothing => {}
                Line::Broken(why) => {
                    self.counted.broken += 1;
                    let number = self.counted.lines;
                    self.counted.first_broken.get_or_insert_with(|| (number, why.to_owned()));
                }
            }
        }
    }
}

impl Parser {
    fn line(&mut self, bytes: &[u8]) -> Line {
        if bytes.len() as u64 > LINE_BYTES_MAX {
            return Line::Broken("it is longer than any line of a trace");
        }
        let Ok(text) = std::str::from_utf8(bytes) else { return Line::Broken("it is no text") };
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            return Line::Nothing;
        }
        match self {
            Parser::Iolog(parser) => parser.line(text),
            Parser::Blkparse(parser) => parser.line(text),
            Parser::Csv(parser) => parser.line(text),
        }
    }

    fn of(format: TraceFormat) -> Parser {
        match format {
            TraceFormat::FioIolog => Parser::Iolog(iolog::Iolog::default()),
            TraceFormat::Blkparse => Parser::Blkparse(blkparse::Blkparse::default()),
            TraceFormat::Csv => Parser::Csv(csv::Csv::default()),
        }
    }
}

/// Reads one line. Of a line longer than [`LINE_BYTES_MAX`] it keeps only the beginning and skips the rest.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    let read = io::Read::take(&mut *input, LINE_BYTES_MAX + 1).read_until(b'\n', line)?;
    if line.len() as u64 > LINE_BYTES_MAX && !line.ends_with(b"\n") {
        loop {
            let (used, ends) = match input.fill_buf()? {
                [] => break,
                bytes => match bytes.iter().position(|byte| *byte == b'\n') {
                    Some(at) => (at + 1, true),
                    None => (bytes.len(), false),
                },
            };
            input.consume(used);
            if ends {
                break;
            }
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests;
