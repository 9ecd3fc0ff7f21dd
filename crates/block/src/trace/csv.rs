//! CSV traces: MSR Cambridge's columns (`Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`, times
//! in units of 100 ns, offsets in bytes), SPC's (`ASU,LBA,Size,Opcode,Timestamp`, sectors of 512 bytes, times
//! in seconds), or any with a header line.

use super::{Line, TraceIo, TraceOp};

/// The places and the units of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Columns {
    time: usize,
    op: usize,
    offset: usize,
    size: usize,
    time_unit: Unit,
    offset_unit_bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// Whole numbers of this many nanoseconds.
    Nanoseconds(u64),
    /// Decimal seconds.
    Seconds,
}

const MSR: Columns =
    Columns { time: 0, op: 3, offset: 4, size: 5, time_unit: Unit::Nanoseconds(100), offset_unit_bytes: 1 };
const SPC: Columns =
    Columns { time: 4, op: 3, offset: 1, size: 2, time_unit: Unit::Seconds, offset_unit_bytes: 512 };

/// The columns, once they are known.
#[derive(Debug, Default)]
pub(super) struct Csv {
    columns: Option<Columns>,
}

impl Csv {
    pub(super) fn line(&mut self, text: &str) -> Line {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let columns = match self.columns {
            Some(columns) => columns,
            None => match guess(&fields) {
                Some((columns, is_header)) => {
                    self.columns = Some(columns);
                    if is_header {
                        return Line::Nothing;
                    }
                    columns
                }
                None => return Line::Broken("its columns are not known"),
            },
        };
        let field = |index: usize| fields.get(index).copied().unwrap_or_default();
        let op = match field(columns.op).to_ascii_lowercase().as_str() {
            "r" | "rs" | "read" | "0" => TraceOp::Read,
            "w" | "ws" | "write" | "1" => TraceOp::Write,
            "f" | "flush" | "sync" => TraceOp::Flush,
            "d" | "trim" | "discard" | "unmap" => TraceOp::Trim,
            _ => return Line::Broken("it says neither read nor write"),
        };
        let (at_ns, offset, size) = (
            time(field(columns.time), columns.time_unit),
            field(columns.offset).parse::<u64>(),
            field(columns.size).parse::<u64>(),
        );
        match (at_ns, offset, size) {
            (Some(at_ns), Ok(offset), Ok(length_bytes)) if length_bytes > 0 || op == TraceOp::Flush => {
                let offset_bytes = offset.saturating_mul(columns.offset_unit_bytes);
                Line::Io(TraceIo { at_ns, op, offset_bytes, length_bytes })
            }
            _ => Line::Broken("time, offset or size is no number"),
        }
    }
}

/// The columns of a first line, and whether it is a header.
fn guess(fields: &[&str]) -> Option<(Columns, bool)> {
    let is_op = |index: usize| {
        fields
            .get(index)
            .is_some_and(|field| matches!(field.to_ascii_lowercase().as_str(), "r" | "w" | "read" | "write"))
    };
    let is_number = |index: usize| fields.get(index).is_some_and(|field| field.parse::<f64>().is_ok());
    if fields.len() >= 6 && is_op(3) && is_number(0) && is_number(4) {
        return Some((MSR, false));
    }
    if fields.len() >= 5 && is_op(3) && is_number(1) && is_number(4) {
        return Some((SPC, false));
    }
    let named = |names: &[&str]| {
        fields.iter().position(|field| names.contains(&field.to_ascii_lowercase().trim_matches('"')))
    };
    let time = named(&[
        "timestamp",
        "time",
        "timestamp_100ns",
        "time_ns",
        "timestamp_ns",
        "time_us",
        "timestamp_us",
        "time_s",
    ])?;
    let lba = named(&["lba", "sector", "offset_sectors"]);
    let columns = Columns {
        time,
        op: named(&["type", "op", "opcode", "rw", "operation", "io_type"])?,
        offset: named(&["offset", "offset_bytes", "address", "byte_offset"]).or(lba)?,
        size: named(&["size", "length", "bytes", "size_bytes", "length_bytes"])?,
        time_unit: match fields[time].to_ascii_lowercase().trim_matches('"') {
            name if name.ends_with("_ns") => Unit::Nanoseconds(1),
            name if name.ends_with("_us") => Unit::Nanoseconds(1000),
            "timestamp" | "timestamp_100ns" if named(&["hostname", "disknumber"]).is_some() => {
                Unit::Nanoseconds(100)
            }
            _ => Unit::Seconds,
        },
        offset_unit_bytes: if named(&["offset", "offset_bytes", "address", "byte_offset"]).is_some() {
            1
        } else {
            512
        },
    };
    Some((columns, true))
}

fn time(text: &str, unit: Unit) -> Option<u64> {
    match unit {
        Unit::Nanoseconds(ns) => text.parse::<u64>().ok()?.checked_mul(ns),
        Unit::Seconds => {
            let seconds: f64 = text.parse().ok()?;
            (0.0..1e10).contains(&seconds).then_some((seconds * 1e9) as u64)
        }
    }
}
