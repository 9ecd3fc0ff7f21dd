//! The statistics of a mount: the times in the mount, of callers, and of the model, as text and as JSON.

use std::time::Duration;

use emulate::fuse::{Rehearsal, Transport};
use emulate::{Counters, FuseMount};
use measure::Histogram;
use serde_json::json;

/// The way by kind, size and number of callers, us.
fn way(rehearsal: &Rehearsal) -> serde_json::Value {
    let mut way = json!({});
    for (kind, bytes, callers, ns) in rehearsal.table() {
        way[kind][format!("{} KiB", bytes >> 10)][format!("{callers}")] = json!(ns as f64 / 1e3);
    }
    way
}

/// The kinds of operations: name, count, bytes, the time in the mount, and the model's.
fn kinds(counters: &Counters) -> [(&'static str, u64, u64, &Histogram, &Histogram); 3] {
    let io = &counters.data;
    [
        ("reads", io.reads, io.read_bytes, &io.read, &io.model_read),
        ("writes", io.writes, io.write_bytes, &io.write, &io.model_write),
        ("syncs", io.syncs, 0, &io.sync, &io.model_sync),
    ]
}

/// Names of the three means, below a table that has all of them.
const MEANS: &str = "\
mount: from the request to the answer, with the path through the kernel as measured before; p99 is that of the mount, a program's own may be longer
caller: with the path as it was under this load, which may be shorter or longer, without the waits of the program's threads for a processor
with waits: the caller's mean and those waits, all of them charged to each operation
";

/// The counters of a mount at a moment.
pub(super) struct Reading {
    counters: Counters,
    /// Time since the mount was ready.
    elapsed: Duration,
}

impl Reading {
    pub(super) fn now(mount: &FuseMount, elapsed: Duration) -> Reading {
        Reading { counters: mount.counters(), elapsed }
    }
}

/// The statistics as text: of all the time, and of the time since an earlier reading, if there is one.
pub(super) fn table(mount: &FuseMount, now: &Reading, earlier: Option<&Reading>) -> String {
    let (point, drive) = (mount.mountpoint().display(), mount.drive().name());
    let all_s = now.elapsed.as_secs_f64();
    let room = mount.transport().map_or(usize::MAX, Transport::room);
    let mut text = format!("{point} on {drive} (a modelled drive), after {all_s:.1} s\n");
    text.push_str(&figures(&now.counters, room));
    let slowness = mount.drive().slowness();
    if slowness != 1.0 {
        text.push_str(&format!("`slow` multiplies the model's times by {slowness:.3} now\n"));
    }
    if mount.lies() {
        text.push_str("`lie` is on: syncs report success and keep nothing\n");
    }
    if !mount.has_power() {
        text.push_str("the power is off: all further calls fail, and are not counted\n");
    }
    if let Some(earlier) = earlier {
        let since_s = (now.elapsed - earlier.elapsed).as_secs_f64();
        text.push_str(&format!("since the last statistics, {since_s:.1} s before:\n"));
        text.push_str(&figures(&now.counters.since(&earlier.counters), room));
    }
    text
}

/// The figures of a time, on a mount that takes so many operations at once.
fn figures(counters: &Counters, room: usize) -> String {
    let operations = counters.data.reads + counters.data.writes + counters.data.syncs;
    if operations == 0 {
        return format!("no operations; errors: {}\n", counters.errors);
    }
    let mut text = means(counters);
    if counters.stalled > 0 {
        text.push_str(&format!(
            "a stall held {} of the operations: it is part of all means\n",
            counters.stalled
        ));
    }
    let cpu_us = counters.cpu_ns as f64 / 1e3;
    text.push_str(&format!(
        "processor time of the mount: {:.1} s, {:.1} \u{b5}s for each operation\n",
        cpu_us / 1e6,
        cpu_us / operations as f64
    ));
    text.push_str(&judgement(counters));
    text.push_str(&crowd(counters, operations, room));
    let share = counters.late as f64 / operations as f64 * 1e2;
    text.push_str(&format!(
        "late in the mount: {} of {operations} operations ({share:.2} %) completed later than the model by more than {} \u{b5}s and {:.0} % of its \
         time: {} because the real work took longer than the drive, the others because the mount was not woken in time; errors: {}\n",
        counters.late,
        emulate::LATE_NS / 1000,
        emulate::LATE_SHARE * 1e2,
        counters.late_by_work,
        counters.errors
    ));
    text
}

/// The table of the means, us. A kind of too few operations has no mean of its callers.
fn means(counters: &Counters) -> String {
    let judged = counters.judged();
    let mut text = format!(
        "{:7} {:>10} {:>11} {:>10} {:>10} {:>10} {:>11} {:>10}\n",
        "\u{b5}s", "count", "MB", "model mean", "mount mean", "mount p99", "caller mean", "with waits"
    );
    for ((name, count, bytes, seen, model), of_callers) in kinds(counters).into_iter().zip(judged.kinds) {
        let us = |ns: Option<f64>| ns.map_or("-".to_owned(), |ns| format!("{:.1}", ns / 1e3));
        let caller_us = us(of_callers.map(|of| of.seen_ns));
        let with_waits_us = us(of_callers.map(|of| of.seen_ns + of.waits_ns));
        text.push_str(&format!(
            "{name:7} {count:>10} {:>11.1} {:>10.1} {:>10.1} {:>10.1} {caller_us:>11} {with_waits_us:>10}\n",
            bytes as f64 / 1e6,
            model.mean_ns() / 1e3,
            seen.mean_ns() / 1e3,
            seen.quantile_ns(0.99) as f64 / 1e3,
        ));
    }
    if judged.all.is_some() {
        text.push_str(MEANS);
    }
    text
}

/// Completed operations that a busy program has not fetched yet are unknown to the mount.
const DEEPER: &str =
    "; a program that keeps more operations under way than reach the mount at a time waits longer";

/// The share of operations that take the last room of a mount from which on it is told.
const CROWDED: f64 = 0.01;

/// Operations that wait in the kernel reach neither the mount nor its figures.
fn crowd(counters: &Counters, operations: u64, room: usize) -> String {
    let crowded = counters.callers.crowded;
    if (crowded as f64) < CROWDED * operations as f64 {
        return String::new();
    }
    format!(
        "beyond the mount: {crowded} of {operations} operations came while {room} or more were under way, which is all that the mount takes at a \
         time; a program that keeps more under way waits longer than these figures say\n"
    )
}

/// The means that are not the model's, each with its reason.
fn judgement(counters: &Counters) -> String {
    let (judged, mut text) = (counters.judged(), String::new());
    for seen in judged.off() {
        if seen.model_ns == 0.0 {
            let seen_us = seen.seen_ns / 1e3;
            text.push_str(&format!(
                "beyond the model: {} took about {seen_us:.1} \u{b5}s on average, and the model's take no time\n",
                seen.kind
            ));
            continue;
        }
        text.push_str(&format!(
            "beyond the model: {} took about {:.1} \u{b5}s on average, {:+.0} % of the model's {:.1} \u{b5}s (the time in \
             the mount and the path through the kernel, which drivetrain measures with operations of its own)\n",
            seen.kind,
            seen.seen_ns / 1e3,
            seen.by() * 1e2,
            seen.model_ns / 1e3
        ));
    }
    for seen in judged.perhaps_off() {
        text.push_str(&format!(
            "perhaps beyond the model: {} took about {:.1} \u{b5}s on average, {:+.0} % of the model's {:.1} \u{b5}s, but perhaps \
             {:+.0} %: the time of the path through the kernel is known to within {:.1} \u{b5}s, and the threads of all operations waited up to \
             {:.1} \u{b5}s for a processor\n",
            seen.kind,
            seen.seen_ns / 1e3,
            seen.by() * 1e2,
            seen.model_ns / 1e3,
            seen.by_perhaps() * 1e2,
            seen.unsure_ns / 1e3,
            seen.waits_ns / 1e3
        ));
    }
    for seen in judged.held_up() {
        text.push_str(&format!(
            "busy processors: {} took about {:.1} \u{b5}s on average, and the threads of all operations waited up to {:.1} \u{b5}s more for a \
             processor: up to {:+.0} % of the model's {:.1} \u{b5}s{}\n",
            seen.kind,
            seen.seen_ns / 1e3,
            seen.waits_ns / 1e3,
            seen.by_perhaps() * 1e2,
            seen.model_ns / 1e3,
            if counters.callers.queued > 0 { DEEPER } else { "" }
        ));
    }
    text
}

pub(super) fn document(mount: &FuseMount) -> serde_json::Value {
    let (counters, floor) = (mount.counters(), mount.floor());
    let mut document = json!({
        "mountpoint": mount.mountpoint().display().to_string(),
        "drive": mount.drive().name(),
        "modelled": true,
        "transport": mount.transport().map(|transport| transport.word()),
        "cpu_s": counters.cpu_ns as f64 / 1e9,
        "late": counters.late,
        "late_by_work": counters.late_by_work,
        "stalled": counters.stalled,
        "slowness": mount.drive().slowness(),
        "lies": mount.lies(),
        "has_power": mount.has_power(),
        "errors": counters.errors,
        "first_error": mount.first_error(),
        "floor_us": { "read": floor.read.p50_ns as f64 / 1e3, "write": floor.write.p50_ns as f64 / 1e3, "sync": floor.sync.p50_ns as f64 / 1e3 },
    });
    for (name, count, bytes, seen, model) in kinds(&counters) {
        document[name] = json!({
            "count": count,
            "bytes": bytes,
            "mean_us": seen.mean_ns() / 1e3,
            "p99_us": seen.quantile_ns(0.99) as f64 / 1e3,
            "model_mean_us": model.mean_ns() / 1e3,
        });
    }
    // The latency of callers: the layer's own times, and the way as it was during the load. Null for a kind
    // of too few operations.
    let judged = counters.judged();
    for ((name, ..), seen) in kinds(&counters).into_iter().zip(judged.kinds) {
        let fields = [
            ("caller_mean_us", seen.map(|seen| json!(seen.seen_ns / 1e3))),
            ("caller_mean_with_waits_us", seen.map(|seen| json!((seen.seen_ns + seen.waits_ns) / 1e3))),
            ("caller_mean_perhaps_us", seen.map(|seen| json!(seen.perhaps_ns() / 1e3))),
            ("beyond_model", seen.map(|seen| json!(seen.is_off()))),
            ("perhaps_beyond_model", seen.map(|seen| json!(seen.may_be_off()))),
            ("held_up", seen.map(|seen| json!(seen.is_held_up()))),
        ];
        for (field, value) in fields {
            document[name][field] = json!(value);
        }
    }
    document["room"] = json!(mount.transport().map(Transport::room));
    document["took_last_room"] = json!(counters.callers.crowded);
    document["caller_waits_us"] = json!(judged.all.map(|all| all.waits_ns / 1e3));
    if let Some(rehearsal) = mount.rehearsal() {
        document["way_us"] = way(&rehearsal);
    }
    document
}
