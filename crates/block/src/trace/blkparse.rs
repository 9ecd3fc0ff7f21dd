//! The default output of blkparse: `8,0 3 1 0.000000000 697 Q W 223490 + 8 [kjournald]`. Sectors have 512
//! bytes.
//!
//! An I/O passes several stations, each with its line; only one of them may count. It is the queueing (Q), or
//! the issue to the driver (D) in traces that have no Q.

use super::{Line, TraceIo, TraceOp};

/// The station that counts.
#[derive(Debug, Default)]
pub(super) struct Blkparse {
    /// The station of the first I/O; Q as soon as one is seen.
    action: Option<char>,
}

impl Blkparse {
    pub(super) fn line(&mut self, text: &str) -> Line {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [device, cpu, sequence, time, _pid, action, rwbs, rest @ ..] = words.as_slice() else {
            return self.other(text);
        };
        let is_event = device.contains(',') && cpu.parse::<u32>().is_ok() && sequence.parse::<u64>().is_ok();
        let (true, Some(at_ns)) = (is_event, nanoseconds(time)) else { return self.other(text) };
        let station = match *action {
            "Q" => 'Q',
            "D" => 'D',
            _ => return Line::Nothing,
        };
        if self.action != Some('Q') {
            self.action = Some(station);
        }
        if self.action != Some(station) {
            return Line::Nothing;
        }
        let op = if rwbs.contains('D') {
            TraceOp::Trim
        } else if rwbs.contains('W') {
            TraceOp::Write
        } else if rwbs.contains('R') {
            TraceOp::Read
        } else if rwbs.contains('F') {
            return Line::Io(TraceIo { at_ns, op: TraceOp::Flush, offset_bytes: 0, length_bytes: 0 });
        } else {
            return Line::Nothing;
        };
        match rest {
            [sector, "+", count, ..] => match (sector.parse::<u64>(), count.parse::<u64>()) {
                (Ok(sector), Ok(count)) if count > 0 => Line::Io(TraceIo {
                    at_ns,
                    op,
                    offset_bytes: sector.saturating_mul(512),
                    length_bytes: count.saturating_mul(512),
                }),
                // A flush with a write's letters carries no sectors.
                (Ok(_), Ok(_)) => Line::Nothing,
                _ => Line::Broken("sector and count are no numbers"),
            },
            _ => Line::Broken("sector and count are missing"),
        }
    }

    /// The summary at the end has lines of another kind.
    fn other(&self, text: &str) -> Line {
        let summary = [
            "CPU",
            "Reads",
            "Read ",
            "Writes",
            "Total",
            "IO ",
            "Throughput",
            "Events",
            "Skips",
            "PC ",
            "Input",
            "Dropped",
        ];
        let is_summary = summary.iter().any(|word| text.trim_start().starts_with(word)) || text.contains(':');
        if is_summary { Line::Nothing } else { Line::Broken("it is no event of blkparse") }
    }
}

/// Seconds with nine decimals.
fn nanoseconds(text: &str) -> Option<u64> {
    let (seconds, fraction) = text.split_once('.')?;
    let fraction = format!("{:0<9}", fraction.get(..fraction.len().min(9))?);
    seconds.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(fraction.parse().ok()?)
}
