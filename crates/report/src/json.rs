//! The comparison for machines: plain numbers, dots as decimal points, names as in the notebook.
//!
//! The document carries `format` so that a reader knows its contents; keys are added, never renamed, within
//! one format.

use crate::comparison::{Comparison, ExcludedCell};
use crate::contrast::{Contrast, Unjudged};
use crate::durability::Crashes;
use crate::finding::Operation;
use crate::gate::{Checked, Gate};
use crate::held::Held;
use crate::hosts::{FleetResult, Host};
use crate::inputs::InputShare;
use crate::instances::Instances;
use crate::limiter::Limiters;
use crate::naming::BedName;
use crate::noise::Noise;
use crate::nuisance::Nuisance;
use crate::pace::Pace;
use crate::refusal::Refusal;
use crate::scale_out::{ScaleOut, ScalePoint};
use crate::wear::Wear;
use measure::Direction;
use serde_json::{Map, Value, json};

/// Name and version of the document.
const FORMAT: &str = "drivetrain.comparison/1";

impl Comparison {
    /// The comparison as one JSON object.
    pub fn to_json(&self) -> Value {
        json!({
            "format": FORMAT,
            "title": self.title,
            "question": self.question,
            "answer": self.answer,
            "headline": self.headline.as_ref().map(contrast),
            "baseline": self.baseline,
            "runs": self.runs.as_ref().map(|(above, below)| json!({ "treatment": above, "baseline": below })),
            "named_by_treatment": self.named_by_treatment,
            "beds": self.beds.iter().map(bed).collect::<Vec<_>>(),
            "treatment": self.treatment.iter().map(differing).collect::<Vec<_>>(),
            "nuisances": self.nuisances.iter().map(differing).collect::<Vec<_>>(),
            "basis": self.basis,
            "contrasts": self.contrasts.iter().map(contrast).collect::<Vec<_>>(),
            "same_bed_contrasts": self.same_bed.iter().map(contrast).collect::<Vec<_>>(),
            "not_judged": self.unjudged.iter().map(unjudged).collect::<Vec<_>>(),
            "limiters": self.limiters.iter().map(limiters).collect::<Vec<_>>(),
            "durability": self.crashes.iter().map(crashes).collect::<Vec<_>>(),
            "operations": self.operations.iter().map(operation).collect::<Vec<_>>(),
            "inputs": self.inputs.iter().map(input).collect::<Vec<_>>(),
            "instances": self.instances.iter().map(instances).collect::<Vec<_>>(),
            "hosts": self.hosts.iter().map(fleet).collect::<Vec<_>>(),
            "paces": self.paces.iter().map(pace).collect::<Vec<_>>(),
            "scale_out": self.scale_out.iter().map(scale_out).collect::<Vec<_>>(),
            "limits": self.held.iter().map(held).collect::<Vec<_>>(),
            "written": self.wear.iter().map(wear).collect::<Vec<_>>(),
            "noise": self.noise.iter().map(noise).collect::<Vec<_>>(),
            "excluded": self.excluded.iter().map(excluded).collect::<Vec<_>>(),
            "warnings": self.warnings,
            "grave_warnings": self.grave_warnings,
        })
    }
}

impl Gate {
    /// The answer of a gate as one JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "outcome": self.outcome.as_str(),
            "reasons": self.reasons,
            "decided_by": self.decided_by.iter().map(contrast).collect::<Vec<_>>(),
            "verdict": self.outcome.verdict(),
            "checked": self.checked.iter().map(checked).collect::<Vec<_>>(),
            "repeats_to_settle": self.repeats_to_settle,
        })
    }
}

fn checked(checked: &Checked) -> Value {
    json!({
        "found": checked.found.as_str(),
        "bed": checked.bed,
        "workload": checked.workload,
        "place": checked.place,
        "reason": checked.reason,
    })
}

fn unjudged(unjudged: &Unjudged) -> Value {
    json!({
        "workload": unjudged.workload,
        "level": unjudged.level,
        "level_name": unjudged.level_name,
        "metric": unjudged.metric.name(),
        "treatment_bed": unjudged.treatment_bed,
        "baseline_bed": unjudged.baseline_bed,
        "valid_cells": [unjudged.cells.0, unjudged.cells.1],
        "values": [unjudged.values.0, unjudged.values.1],
        "reason": unjudged.reason.to_string(),
    })
}

fn crashes(crashes: &Crashes) -> Value {
    json!({
        "bed": crashes.bed,
        "crashes": crashes.rounds,
        "passed": crashes.passed,
        "orders_acknowledged": crashes.acknowledged,
        "orders_lost": crashes.lost,
        "longest_recovery_s": crashes.longest_recovery_s,
    })
}

fn input(share: &InputShare) -> Value {
    json!({
        "workload": share.workload,
        "input": share.title,
        "unit": share.unit,
        "value": share.value,
        "limits": [share.limits.0, share.limits.1],
        "within": share.is_inside(),
        "conclusive": share.is_conclusive(),
        "sample": share.sample,
    })
}

fn instances(of: &Instances) -> Value {
    json!({
        "workload": of.workload,
        "level": of.level,
        "level_name": of.level_name,
        "bed": of.bed,
        "instances": of.count,
        "metric": of.metric.name(),
        "all": of.rates.0,
        "slowest": of.rates.1,
        "fastest": of.rates.2,
        "fairness": of.fairness,
    })
}

fn fleet(fleet: &FleetResult) -> Value {
    let host = |host: &Host| {
        json!({
            "rank": host.rank,
            "host": host.name,
            "rate": host.rate,
            "latency_p99_ms": host.p99_ms,
            "cpu_idle_percent": host.cpu_idle,
            "limiters": host.limiters.iter().map(|limiter| limiter.name()).collect::<Vec<_>>(),
            "start_delay_ms": host.late_ms,
            "clock_offset_ms": host.clock_ms.0,
            "clock_error_ms": host.clock_ms.1,
        })
    };
    json!({
        "workload": fleet.workload,
        "level": fleet.level,
        "level_name": fleet.level_name,
        "bed": fleet.bed,
        "metric": fleet.metric.name(),
        "all": fleet.all,
        "fairness": fleet.fairness,
        "start_skew_ms": fleet.skew_ms,
        "measure_skew_ms": fleet.measure_skew_ms,
        "first_done_s": fleet.done_s.0,
        "last_done_s": fleet.done_s.1,
        "hosts": fleet.hosts.iter().map(host).collect::<Vec<_>>(),
        "neighbours": fleet.neighbours.iter().map(host).collect::<Vec<_>>(),
    })
}

fn scale_out(of: &ScaleOut) -> Value {
    let point = |point: &ScalePoint| {
        json!({
            "ranks": point.ranks,
            "rate": point.rate,
            "efficiency": point.efficiency,
            "gain": point.gain.map(|gain| gain.value),
            "gain_interval_95": point.gain.and_then(|gain| gain.interval).map(|(low, high)| json!({
                "low": low,
                "high": high,
            })),
            "gain_repeats": point.gain.map(|gain| gain.repeats),
            "limiter": point.limiter.map(|limiter| limiter.name()),
        })
    };
    json!({
        "workload": of.workload,
        "bed": of.bed,
        "metric": of.metric.name(),
        "points": of.points.iter().map(point).collect::<Vec<_>>(),
        "knee": of.knee.map(|knee| json!({
            "ranks": knee.ranks,
            "limiter": knee.limiter.map(|limiter| limiter.name()),
        })),
        "hint": of.hint.map(|hint| hint.name()),
        "own_drives": of.own_drives,
    })
}

fn held(held: &Held) -> Value {
    json!({
        "workload": held.workload,
        "level": held.level,
        "level_name": held.level_name,
        "bed": held.bed,
        "limits": held.limits,
        "held_back_s": held.held_back_s,
        "memory_peak_mb": held.memory_peak_mb,
    })
}

fn pace(pace: &Pace) -> Value {
    json!({
        "workload": pace.workload,
        "level": pace.level,
        "level_name": pace.level_name,
        "bed": pace.bed,
        "delay_p50_ms": pace.delay_ms.0,
        "delay_p99_ms": pace.delay_ms.1,
        "connection_wait_p50_ms": pace.wait_ms.0,
        "connection_wait_p99_ms": pace.wait_ms.1,
    })
}

fn wear(wear: &Wear) -> Value {
    json!({
        "workload": wear.workload,
        "level": wear.level,
        "level_name": wear.level_name,
        "bed": wear.bed,
        "cells": wear.cells,
        "under_load_bytes": wear.under_load_bytes,
        "per_transaction_bytes": wear.per_transaction_bytes,
        "whole_cell_bytes": wear.whole_cell_bytes,
        "by_drive_log_bytes": wear.by_drive_log_bytes,
    })
}

fn excluded(cell: &ExcludedCell) -> Value {
    json!({
        "cell": cell.position + 1,
        "bed": cell.bed,
        "workload": cell.workload,
        "level": cell.level,
        "level_name": cell.level_name,
        "repeat": cell.repeat + 1,
        "state": cell.state.name(),
        "reason": cell.reason(),
        "reasons": cell.reasons,
    })
}

fn bed(bed: &BedName) -> Value {
    json!({
        "name": bed.name,
        "shown": bed.shown,
        "label": bed.label,
        "storage": bed.storage,
    })
}

impl Refusal {
    /// The refusal as one JSON object: what nothing can lift, and what can be named as varied on purpose.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "run": self.run.0.0,
            "baseline": self.baseline.0.0,
            "reasons": self.reasons,
            "differences": self.differences.iter().map(|unlike| json!({
                "what": unlike.what,
                "baseline": unlike.baseline,
                "run": unlike.run,
                "treat": unlike.treat,
            })).collect::<Vec<_>>(),
        })
    }
}

fn contrast(contrast: &Contrast) -> Value {
    let judgement = &contrast.judgement;
    let ratio = &judgement.ratio;
    let (low, high) = ratio.interval(0.99);
    json!({
        "workload": contrast.workload,
        "level": contrast.level,
        "level_name": contrast.level_name,
        "metric": contrast.metric.name(),
        "unit": contrast.unit,
        "direction": match contrast.direction {
            Direction::HigherIsBetter => "higher is better",
            Direction::LowerIsBetter => "lower is better",
        },
        "primary": contrast.primary,
        "treatment_bed": contrast.treatment_bed,
        "baseline_bed": contrast.baseline_bed,
        "treatment_geometric_mean": contrast.treatment_value,
        "baseline_geometric_mean": contrast.baseline_value,
        "ratio": ratio.value,
        "ratio_low": ratio.low,
        "ratio_high": ratio.high,
        "confidence": measure::CONFIDENCE,
        "interval_95": { "low": ratio.low, "high": ratio.high },
        "interval_99": { "low": low, "high": high },
        "decided_by": format!("interval_{}", judgement.deciding().percent),
        "paired": ratio.paired,
        "treatment_cells": ratio.pairs_or_runs.0,
        "baseline_cells": ratio.pairs_or_runs.1,
        "method": ratio.method,
        "p_value": ratio.p_value,
        "p_value_method": if ratio.paired { "sign-flip permutation" } else { "Mann-Whitney" },
        "p_interval": contrast.p_interval(),
        "p_holm": contrast.p_adjusted,
        "smallest_effect": judgement.smallest_effect,
        "verdict": contrast.verdict().to_string(),
        "verdict_before_correction": judgement.verdict.to_string(),
        "few_repeats": judgement.exploratory,
        "more_runs": judgement.more_runs,
    })
}

fn operation(of: &Operation) -> Value {
    let finding = |finding: &crate::Finding| {
        json!({
            "bed": finding.bed,
            "at": finding.at,
            "what": finding.what,
            "unit": finding.unit,
            "value": finding.value,
            "low": finding.interval.map(|interval| interval.0),
            "high": finding.interval.map(|interval| interval.1),
            "repeats": finding.repeats,
        })
    };
    json!({
        "workload": of.workload,
        "kind": of.kind.name(),
        "answer": of.sentences,
        "findings": of.findings.iter().map(finding).collect::<Vec<_>>(),
        "not_concluded": of.limits,
    })
}

fn differing(nuisance: &Nuisance) -> Value {
    let values =
        nuisance.values.iter().map(|(bed, value)| (bed.clone(), json!(value))).collect::<Map<_, _>>();
    json!({ "fact": nuisance.fact, "values": values })
}

fn limiters(limiters: &Limiters) -> Value {
    let counts =
        limiters.counts.iter().map(|(name, count)| (name.clone(), json!(count))).collect::<Map<_, _>>();
    json!({
        "workload": limiters.workload,
        "level": limiters.level,
        "level_name": limiters.level_name,
        "bed": limiters.bed,
        "cells": counts,
        "detail": limiters.figures.as_ref().map(ToString::to_string),
        "figures": limiters.figures,
        "cells_behind_pace": limiters.missed_pace,
    })
}

fn noise(noise: &Noise) -> Value {
    json!({
        "workload": noise.workload,
        "metric": noise.metric.name(),
        "coefficient_of_variation": noise.variation,
        "coefficient_of_variation_most": noise.variation_most,
        "range_over_median_most": noise.range_over_median_most,
        "groups": noise.groups,
        "drift": noise.drift,
    })
}
