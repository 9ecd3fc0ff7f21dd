//! The independent properties of a drive: neither bounds nor default depend on another number.
//!
//! Such a property needs a row here, its field in [`DriveSpec`], and the model that uses it. The reader of
//! drive files, the check, the facts of an entry and the table of `catalogue/README.md` follow from the row
//! here.

use std::fmt::Write as _;

use crate::bounds::PAGE_BYTES;
use crate::catalogue::quantities::{Quantity, QuantityKind};
use crate::check::{BUFFER_MAX_BYTES, SIZE_MAX_BYTES, SpecError, TIME_MAX_NS};
use crate::spec::DriveSpec;

/// One property.
pub(crate) struct Property {
    /// Its name in a drive file, and the units that it may have there.
    pub(crate) quantity: Quantity,
    /// Its meaning, for people.
    about: &'static str,
    field: Field,
    least: f64,
    most: f64,
    /// The bounds, for people.
    allowed: &'static str,
    /// `None`: the value of the free drive, which needs no mention.
    pub(crate) default: Option<Default>,
}

/// The field of the specification that holds a property, in nanoseconds, bytes or as a pure number.
#[derive(Clone, Copy)]
enum Field {
    Number(fn(&mut DriveSpec) -> &mut f64),
    Whole(fn(&mut DriveSpec) -> &mut u64),
    /// 0 stands for `None` in the bounds.
    Optional(fn(&mut DriveSpec) -> &mut Option<u64>),
}

/// The value of a property that a file leaves out.
pub(crate) struct Default {
    /// In the unit of the field.
    pub(crate) value: f64,
    /// As people write it.
    pub(crate) written: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) why: &'static str,
}

impl Property {
    /// Sets the property, given in the unit of its field.
    pub(crate) fn set(&self, spec: &mut DriveSpec, value: f64) {
        match self.field {
            Field::Number(field) => *field(spec) = value,
            Field::Whole(field) => *field(spec) = value as u64,
            Field::Optional(field) => *field(spec) = Some(value as u64),
        }
    }

    fn get(&self, spec: &mut DriveSpec) -> f64 {
        match self.field {
            Field::Number(field) => *field(spec),
            Field::Whole(field) => *field(spec) as f64,
            Field::Optional(field) => field(spec).unwrap_or(0) as f64,
        }
    }

    /// The fault of a specification whose property lies outside of its bounds.
    pub(crate) fn fault(&self, spec: &DriveSpec) -> Option<SpecError> {
        let value = self.get(&mut spec.clone());
        let unit = self.quantity.kind.base_unit();
        let problem = format!("{value}{unit} is out of range");
        let outside = !(self.least..=self.most).contains(&value);
        outside.then(|| SpecError {
            quantity: self.quantity.name.to_owned(),
            problem,
            allowed: format!("give {}", self.allowed),
        })
    }

    /// Its key in a drive file, in the unit in which people write it.
    fn key(&self) -> String {
        let unit = self.default.as_ref().map_or("us", |default| default.unit);
        let end = self.quantity.kind.units().iter().find(|(_, written, _)| *written == unit);
        end.map_or_else(|| self.quantity.name.to_owned(), |(end, ..)| format!("{}_{end}", self.quantity.name))
    }
}

const UP_TO_A_MINUTE: (f64, f64, &str) = (0.0, TIME_MAX_NS as f64, "at most 60 s");

const fn property(
    name: &'static str,
    kind: QuantityKind,
    about: &'static str,
    field: Field,
    (least, most, allowed): (f64, f64, &'static str),
    default: Option<Default>,
) -> Property {
    Property { quantity: Quantity { name, kind }, about, field, least, most, allowed, default }
}

const fn guess(value: f64, written: &'static str, unit: &'static str, why: &'static str) -> Option<Default> {
    Some(Default { value, written, unit, why })
}

/// All independent properties.
#[rustfmt::skip] // A table: each property in a few lines.
pub(crate) static PROPERTIES: &[Property] = &[
    property("read.tail_ratio", QuantityKind::Number,
        "ratio of p99 to p50 of one read at depth 1 on the idle drive, without the transfer",
        Field::Number(|spec| &mut spec.read_tail_ratio),
        (1.0, 100.0, "1 to 100"), guess(1.5, "1.5", "", "idle solid-state drives show 1.2 to 2")),
    property("read.piece", QuantityKind::Size,
        "bytes that one unit reads at once (page, stripe)",
        Field::Whole(|spec| &mut spec.read_piece_bytes),
        (PAGE_BYTES as f64, SIZE_MAX_BYTES as f64, "4 KiB to 1 GiB"),
        guess(16_384.0, "16", "KiB", "flash pages of current drives")),
    property("read.sequential_latency", QuantityKind::Time,
        "latency of a read that continues a sequential stream (no seek, read ahead)",
        Field::Optional(|spec| &mut spec.sequential_read_ns),
        UP_TO_A_MINUTE, None),
    property("read.slowdown_by_writes", QuantityKind::Number,
        "relative increase of a unit's read time during continuous writes; 0.85 means 1.85 times as long",
        Field::Number(|spec| &mut spec.read_slowdown_by_writes),
        (0.0, 100.0, "0 to 100"), None),
    property("write.buffer", QuantityKind::Size,
        "bytes that the drive acknowledges before they reach the medium",
        Field::Whole(|spec| &mut spec.write_buffer_bytes),
        (0.0, BUFFER_MAX_BYTES as f64, "at most 1 TiB"),
        guess(4_194_304.0, "4", "MiB", "buffers of enterprise drives are some MiB")),
    property("write.tail_ratio", QuantityKind::Number,
        "ratio of p99 to p50 of one acknowledgement while the buffer has space, without the transfer; the mean stays `write.ack`",
        Field::Number(|spec| &mut spec.write_tail_ratio),
        (1.0, 100.0, "1 to 100"), None),
    property("flush.tail_ratio", QuantityKind::Number,
        "ratio of p99 to p50 of one flush with nothing left to write; the mean stays `flush.cost`",
        Field::Number(|spec| &mut spec.flush_tail_ratio),
        (1.0, 100.0, "1 to 100"), None),
    property("flush.write_back", QuantityKind::Number,
        "share of the medium's time for all writes since the last flush that a flush takes; 0: the drive writes back on its own",
        Field::Number(|spec| &mut spec.flush_write_back),
        (0.0, 10.0, "0 to 10"), None),
    property("flush.held_writes", QuantityKind::Number,
        "share of the writes arriving during a flush that begin only at its end",
        Field::Number(|spec| &mut spec.flush_held_writes),
        (0.0, 1.0, "0 to 1"), None),
    property("interference.delay", QuantityKind::Time,
        "c: the mean delay of a read is c * rho^e, where rho is the share of time spent writing",
        Field::Whole(|spec| &mut spec.interference_ns),
        UP_TO_A_MINUTE, guess(100_000.0, "100", "us", "seven measured NVMe drives have 79 to 184 us")),
    property("interference.exponent", QuantityKind::Number,
        "e of the same",
        Field::Number(|spec| &mut spec.interference_exponent),
        (0.05, 4.0, "0.05 to 4"), guess(1.0, "1", "", "most measured drives have 1")),
    property("interference.turnaround", QuantityKind::Time,
        "time of a change between reads and writes on a drive that serves both in one line, each for its time at the highest rate of its kind",
        Field::Optional(|spec| &mut spec.turnaround_ns),
        UP_TO_A_MINUTE, None),
    property("interference.queued_write_share", QuantityKind::Number,
        "beta: share of the writes' queueing time that a read also waits when the buffer is full",
        Field::Number(|spec| &mut spec.queued_write_share),
        (0.0, 1.0, "0 to 1"), guess(0.3, "0.3", "", "seven measured NVMe drives have 0 to 0.96")),
];

/// The table of all independent properties, as `catalogue/README.md` has it.
pub(crate) fn table() -> String {
    let mut table = "| key | meaning | allowed | default |\n|---|---|---|---|\n".to_owned();
    for property in PROPERTIES {
        let default = property.default.as_ref().map_or_else(
            || "none".to_owned(),
            |Default { written, unit, why, .. }| {
                format!("{} ({why})", format!("{written} {unit}").trim_end())
            },
        );
        let Property { about, allowed, .. } = property;
        let _ = writeln!(table, "| `[{}]` | {about} | {allowed} | {default} |", property.key());
    }
    table
}
