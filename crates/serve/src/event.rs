//! The events of a run as lines of JSON.

use ground::Clock;
use lab::{DriveSecond, Event};
use serde::Serialize;
use serde_json::{Value, json};

/// An event as one line.
pub(crate) fn line(event: &Event) -> String {
    stamped(document(event))
}

/// A document as one line, with the time.
pub(crate) fn stamped(mut document: Value) -> String {
    document["at_ms"] = Clock::Wall.unix_ms().into();
    format!("{document}\n")
}

fn document(event: &Event) -> Value {
    match event {
        Event::Started { left, total, expected } => {
            json!({ "event": "started", "left": left, "total": total, "expected_s": expected.as_secs_f64() })
        }
        Event::Loading { what, share } => json!({ "event": "loading", "what": what, "share": share }),
        Event::Did { what } => json!({ "event": "did", "what": what }),
        Event::CellStarted { number, total, what, expected } => json!({
            "event": "cell", "number": number, "total": total, "what": what,
            "expected_s": expected.as_secs_f64(),
        }),
        Event::Phase { name } => json!({ "event": "phase", "phase": name.name() }),
        Event::Live(live) => named("live", live),
        Event::Second(second) => {
            let mut document = named("second", second);
            let drives = second.drives.iter().map(|drive| of_drive(drive, second.seconds));
            document["drives"] = drives.collect();
            document
        }
        Event::CellDone { number, total, what, result, valid } => json!({
            "event": "done", "number": number, "total": total, "what": what, "result": result, "valid": valid,
        }),
        Event::Warning { text } => json!({ "event": "warning", "text": text }),
    }
}

/// A reading under the names of its fields, after that of the event.
fn named(event: &'static str, figures: &impl Serialize) -> Value {
    #[derive(Serialize)]
    struct Named<'a, T> {
        event: &'static str,
        #[serde(flatten)]
        figures: &'a T,
    }
    json!(Named { event, figures })
}

/// A drive in one second, in base units: operations, bytes and seconds.
fn of_drive(drive: &DriveSecond, seconds: f64) -> Value {
    let DriveSecond { name, is_log, is_modelled, second, so_far } = drive;
    let per_s = |count: u64| count as f64 / seconds.max(1e-3);
    let in_s = |ns: u64| ns as f64 / 1e9;
    let mean_s = |ns: u64, count: u64| (count > 0).then(|| in_s(ns) / count as f64);
    json!({
        "name": name, "log": is_log, "modelled": is_modelled,
        "reads_per_s": per_s(second.reads), "writes_per_s": per_s(second.writes),
        "read_bytes_per_s": per_s(second.read_bytes), "written_bytes_per_s": per_s(second.write_bytes),
        "await_s": second.await_ns().map(|ns| ns / 1e9),
        "read_await_s": mean_s(second.read_ns, second.reads),
        "write_await_s": mean_s(second.write_ns, second.writes),
        // Little's law: the times of the operations over the time in which they ended.
        "under_way": in_s(second.read_ns + second.write_ns) / seconds.max(1e-3),
        "busy": (in_s(second.busy_ns) / seconds.max(1e-3)).min(1.0),
        "so_far": {
            "reads": so_far.reads, "writes": so_far.writes,
            "read_bytes": so_far.read_bytes, "written_bytes": so_far.write_bytes,
            "read_s": in_s(so_far.read_ns), "write_s": in_s(so_far.write_ns), "busy_s": in_s(so_far.busy_ns),
        },
    })
}
