//! fio's iolog (HOWTO, "Trace file format v2" and "v3"). Times of version 3, and waits of version 2, are
//! microseconds.

use super::{Line, TraceIo, TraceOp};

/// The progress of reading an iolog.
#[derive(Debug, Default)]
pub(super) struct Iolog {
    version: u8,
    /// Version 2: the sum of its waits.
    waited_ns: u64,
}

impl Iolog {
    pub(super) fn line(&mut self, text: &str) -> Line {
        if let Some(rest) = text.strip_prefix("fio version ") {
            self.version = rest.split(' ').next().and_then(|version| version.parse().ok()).unwrap_or(0);
            return if matches!(self.version, 2 | 3) {
                Line::Nothing
            } else {
                Line::Broken("this version is not known")
            };
        }
        let mut words = text.split_whitespace();
        let at_ns = match self.version {
            2 => None,
            3 => match words.next().and_then(|time| time.parse::<u64>().ok()) {
                Some(time_us) => Some(time_us.saturating_mul(1000)),
                None => return Line::Broken("it has no time"),
            },
            _ => return Line::Broken("the trace has no line `fio version 3 iolog`"),
        };
        let (Some(_file), Some(action)) = (words.next(), words.next()) else {
            return Line::Broken("words are missing");
        };
        let op = match action {
            "read" => TraceOp::Read,
            "write" => TraceOp::Write,
            "sync" | "datasync" | "sync_file_range" => TraceOp::Flush,
            "trim" => TraceOp::Trim,
            "wait" if self.version == 2 => {
                let Some(wait_us) = words.next().and_then(|wait| wait.parse::<u64>().ok()) else {
                    return Line::Broken("the wait has no time");
                };
                self.waited_ns = self.waited_ns.saturating_add(wait_us.saturating_mul(1000));
                return Line::Nothing;
            }
            "add" | "open" | "close" => return Line::Nothing,
            _ => return Line::Broken("the action is not known"),
        };
        let at_ns = at_ns.unwrap_or(self.waited_ns);
        if op == TraceOp::Flush {
            return Line::Io(TraceIo { at_ns, op, offset_bytes: 0, length_bytes: 0 });
        }
        match (words.next().map(str::parse), words.next().map(str::parse)) {
            (Some(Ok(offset_bytes)), Some(Ok(length_bytes))) if length_bytes > 0 => {
                Line::Io(TraceIo { at_ns, op, offset_bytes, length_bytes })
            }
            _ => Line::Broken("offset and length are missing"),
        }
    }
}
