//! Remarks on a replay besides its figures (the trace, its pace, and what did not fit the target), and its
//! result as JSON.

use block::{Pace, Replay, Replayed};
use words::{NoteKind, Remark};

/// The remarks on a replay, for its run and for the terminal.
pub(super) fn remarks(
    (trace, format): (&str, &str),
    asked: &Replay,
    replayed: &Replayed,
) -> Vec<(NoteKind, Remark)> {
    let (trace, format) = (trace.to_owned(), format.to_owned());
    let lines = replayed.lines.lines;
    let pace = match asked.pace {
        Pace::Fast => Remark::ReplayedFast { depth: asked.depth_max },
        Pace::Times(1.0) => Remark::ReplayedOwnTime,
        Pace::Times(speed) => Remark::ReplayedScaled { speed: speed.to_string() },
    };
    let mut remarks = vec![Remark::Replayed { trace, format, lines }, pace];
    remarks.extend(
        [
            (replayed.skipped, Remark::ReplaySkipped { ios: replayed.skipped }),
            (replayed.wrapped, Remark::ReplayWrapped { ios: replayed.wrapped }),
            (replayed.rounded, Remark::ReplayRounded { ios: replayed.rounded }),
            (replayed.cut, Remark::ReplayCut { ios: replayed.cut }),
        ]
        .into_iter()
        .filter_map(|(ios, remark)| (ios > 0).then_some(remark)),
    );
    remarks.extend(replayed.lines.first_broken.as_ref().map(|(first, why)| Remark::ReplayBroken {
        lines: replayed.lines.broken,
        first: *first,
        why: why.clone(),
    }));
    // The trace and its pace describe the load; the rest is a caveat about it.
    let kind = |index| if index < 2 { NoteKind::Description } else { NoteKind::Warning };
    remarks.into_iter().enumerate().map(|(index, remark)| (kind(index), remark)).collect()
}

/// The caveats as sentences, with those of every load.
pub(super) fn caveats(remarks: &[(NoteKind, Remark)], replayed: &Replayed) -> Vec<String> {
    let caveats = remarks.iter().filter(|(kind, _)| *kind == NoteKind::Warning);
    let mut sentences: Vec<String> = caveats.map(|(_, remark)| remark.to_string()).collect();
    sentences.extend(replayed.outcome.warnings().sentences());
    sentences
}

/// The result for programs.
pub(super) fn document(format: &str, replayed: &Replayed, caveats: &[String]) -> serde_json::Value {
    let outcome = &replayed.outcome;
    let latency = |histogram: &measure::Histogram| {
        (!histogram.is_empty()).then(|| {
            let us = |quantile: f64| histogram.quantile_ns(quantile) as f64 / 1e3;
            serde_json::json!({
                "count": histogram.len(), "mean": histogram.mean_ns() / 1e3, "p50": us(0.5), "p99": us(0.99),
                "p999": us(0.999), "max": histogram.max_ns() as f64 / 1e3,
            })
        })
    };
    serde_json::json!({
        "format": format,
        "elapsed_s": outcome.elapsed.as_secs_f64(),
        "iops": outcome.iops(),
        "bandwidth_mb_s": outcome.bytes_per_second() / 1e6,
        "read_latency_us": latency(&outcome.read.latency),
        "write_latency_us": latency(&outcome.write.latency),
        "discard_latency_us": latency(&outcome.discard.latency),
        "flush_latency_us": latency(&outcome.flush.latency),
        "lag_us": latency(&outcome.lag),
        "lines": replayed.lines.lines,
        "broken_lines": replayed.lines.broken,
        "skipped": replayed.skipped,
        "wrapped": replayed.wrapped,
        "rounded": replayed.rounded,
        "cut": replayed.cut,
        "errors": outcome.failures(),
        "remarks": caveats,
    })
}
