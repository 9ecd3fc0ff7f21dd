//! The points of a cell: a plain load, a matrix, a curve, a search, and rounds of them until a steady state.

use block::Outcome;
use experiment::{Find, Share, Size};
use notebook::Point;
use words::{EventKind, Happening, PhaseName, PointKind, Reason};

use super::jobs::{Asked, LevelLoad};
use super::record;
use super::session::Session;
use super::steady::{Rounds, Steadiness};

/// The share of a rate from which it counts as met.
const RATE_MET: f64 = 0.99;
/// A search for a rate ends when its bounds are as close as this.
const RATE_CLOSE: f64 = 1.02;
/// Probes of a search at most.
const PROBES_MAX: u32 = 24;

/// Runs all points of the cell.
pub(super) fn conduct(session: &mut Session<'_>) -> Result<Option<Steadiness>, Reason> {
    let block = session.block;
    if let Some(shares) = &block.curve {
        let shares: Vec<f64> = shares.iter().map(|percent| percent.0).collect();
        return curve(session, &shares).map(|()| None);
    }
    if let Some(find) = block.find {
        return search(session, find).map(|()| None);
    }
    if block.steady.is_some() || block.matrix.is_some() {
        return rounds(session);
    }
    let asked = session.asked(session.level());
    let outcome = session.run(&asked)?;
    session.results.count_alone(outcome);
    Ok(None)
}

/// One pair of the matrix; the plain load has neither.
type Pair = (Option<Share>, Option<Size>);

fn pairs(session: &Session<'_>) -> Vec<Pair> {
    let Some(matrix) = &session.block.matrix else { return vec![(None, None)] };
    let (reads, sizes) = (axis(&matrix.read), axis(&matrix.block_size));
    reads.iter().flat_map(|read| sizes.iter().map(|size| (*read, *size))).collect()
}

/// The values of an axis; one that leaves everything as written when it has none.
fn axis<T: Copy>(values: &[T]) -> Vec<Option<T>> {
    if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
}

fn rounds(session: &mut Session<'_>) -> Result<Option<Steadiness>, Reason> {
    let pairs = pairs(session);
    let mut rounds = session.block.steady.as_ref().map(Rounds::new);
    let max_rounds = session.block.steady.as_ref().map_or(1, |steady| steady.max_rounds);
    for round in 1..=max_rounds {
        for &(read, block_size) in &pairs {
            if !session.goes_on() {
                break;
            }
            let mut asked = session.asked(session.level());
            (asked.read, asked.block_size) = (read, block_size);
            let outcome = session.run(&asked)?;
            let mut point = point(session, &asked, &outcome, round);
            point.kind =
                if session.block.matrix.is_some() { PointKind::Matrix } else { PointKind::Round }.into();
            point.name = name_of(read, block_size, round);
            point.counts = rounds.is_none();
            match &mut rounds {
                None => {
                    session.results.add_point(point, &outcome);
                    session.results.count(outcome);
                }
                // Rounds are told by their figures: hundreds of histograms would say no more.
                Some(rounds) => {
                    session.results.points.push(point);
                    rounds.take(round, (read, block_size), outcome);
                }
            }
        }
        if !session.goes_on() {
            break;
        }
        let written = session.results.written_bytes as f64 / files_bytes(session);
        if rounds.as_mut().is_some_and(|rounds| rounds.is_over(round, written)) {
            break;
        }
    }
    let Some(rounds) = rounds else { return Ok(None) };
    let (steadiness, outcomes) = rounds.finish();
    for point in &mut session.results.points {
        point.counts = steadiness.window_rounds.contains(&point.round);
    }
    outcomes.into_iter().for_each(|outcome| session.results.count(outcome));
    Ok(Some(steadiness))
}

fn files_bytes(session: &Session<'_>) -> f64 {
    session.place.data_bytes().max(1) as f64
}

fn name_of(read: Option<Share>, block_size: Option<Size>, round: u32) -> String {
    match (read, block_size) {
        (Some(read), Some(size)) => format!("{read} read, {size}"),
        (Some(read), None) => format!("{read} read"),
        (None, Some(size)) => size.to_string(),
        (None, None) => format!("round {round}"),
    }
}

/// The load at its maximum rate, then at shares of that rate.
fn curve(session: &mut Session<'_>, shares: &[f64]) -> Result<(), Reason> {
    let level = session.level();
    let LevelLoad::Depth(depth) = level else { return Err(Reason::CurveNeedsDepth) };
    let asked = session.asked(level);
    let outcome = session.run(&asked)?;
    let mut maximum = point(session, &asked, &outcome, 1);
    (maximum.kind, maximum.name, maximum.counts) = (PointKind::Curve.into(), "maximum".to_owned(), true);
    session.results.add_point(maximum, &outcome);
    let reached = shared_iops(session, &outcome);
    session.results.count(outcome);
    for share in shares {
        if !session.goes_on() || reached <= 0.0 {
            break;
        }
        let asked = session.asked(LevelLoad::Rate { rate: share * reached, depth_max: depth });
        let outcome = session.run(&asked)?;
        let mut step = point(session, &asked, &outcome, 1);
        (step.kind, step.name) = (PointKind::Curve.into(), experiment::Percent(*share).to_string());
        session.results.add_point(step, &outcome);
    }
    Ok(())
}

/// I/Os per second of the streams that share the level: a curve steers only these.
fn shared_iops(session: &Session<'_>, outcome: &Outcome) -> f64 {
    let own: Vec<String> = session
        .block
        .streams
        .iter()
        .enumerate()
        .filter(|(_, stream)| stream.has_own_load())
        .map(|(number, stream)| stream.name.clone().unwrap_or_else(|| format!("stream-{}", number + 1)))
        .collect();
    outcome.streams.iter().filter(|stream| !own.contains(&stream.name)).map(|stream| stream.iops()).sum()
}

/// Searches for the deepest load that keeps the latency.
fn search(session: &mut Session<'_>, find: Find) -> Result<(), Reason> {
    let found = match session.level() {
        LevelLoad::Depth(depth) => search_depth(session, find, depth)?,
        LevelLoad::Rate { rate, .. } => search_rate(session, find, rate)?,
        LevelLoad::None => return Err(Reason::SearchNeedsLevel),
    };
    let (percentile, latency) = (record::percentile(find.percentile), find.latency.to_string());
    let note = match &found {
        Some(index) => {
            let point = &mut session.results.points[*index];
            point.counts = true;
            Happening::SearchDeepest { percentile, latency, point: point.name.clone() }
        }
        None => Happening::SearchNone { percentile, latency },
    };
    session.results.notes.push((EventKind::Search, note));
    Ok(())
}

/// Doubles the depth as long as it keeps the latency, then halves the gap. The index of the point found.
fn search_depth(session: &mut Session<'_>, find: Find, most: u32) -> Result<Option<usize>, Reason> {
    let (mut best, mut good, mut bad) = (None, 0, most.saturating_add(1));
    let mut depth = 1;
    for _ in 0..PROBES_MAX {
        if depth <= good || depth >= bad || !session.goes_on() {
            break;
        }
        match probe(session, find, LevelLoad::Depth(depth), format!("depth {depth}"))? {
            Some(index) => (best, good) = (Some(index), depth),
            None => bad = depth,
        }
        depth = if bad > most { (good.saturating_mul(2)).min(most) } else { good + (bad - good) / 2 };
    }
    Ok(best)
}

fn search_rate(session: &mut Session<'_>, find: Find, most: f64) -> Result<Option<usize>, Reason> {
    let depth_max = session.block.depth_max;
    let (mut best, mut good, mut bad) = (None, 0.0, f64::INFINITY);
    let mut rate = most;
    for _ in 0..PROBES_MAX {
        if !session.goes_on() || rate < 1.0 {
            break;
        }
        match probe(session, find, LevelLoad::Rate { rate, depth_max }, format!("{rate:.0} IOPS"))? {
            Some(index) => (best, good) = (Some(index), rate),
            None => bad = rate,
        }
        if bad.is_infinite() || (good > 0.0 && bad / good < RATE_CLOSE) {
            break;
        }
        rate = if good > 0.0 { (good * bad).sqrt() } else { bad / 4.0 };
    }
    Ok(best)
}

/// Runs one probe; its index among the points when it keeps the latency.
fn probe(
    session: &mut Session<'_>,
    find: Find,
    load: LevelLoad,
    name: String,
) -> Result<Option<usize>, Reason> {
    let asked = session.asked(load);
    let outcome = session.run(&asked)?;
    let latency = outcome.latency();
    let within = !latency.is_empty()
        && u128::from(latency.quantile_ns(find.percentile.0)) <= find.latency.0.as_nanos();
    let met = match load {
        LevelLoad::Rate { rate, .. } => outcome.iops() >= RATE_MET * rate,
        _ => true,
    };
    let mut point = point(session, &asked, &outcome, 1);
    (point.kind, point.name) = (PointKind::Search.into(), name);
    session.results.points.push(point);
    if within && met {
        session.results.counted = Some(outcome);
        return Ok(Some(session.results.points.len() - 1));
    }
    Ok(None)
}

/// A point with its figures; kind and name are the caller's.
fn point(session: &mut Session<'_>, asked: &Asked, outcome: &Outcome, round: u32) -> Point {
    let (start_s, end_s) = session.results.place_in_time(outcome);
    session.results.phase(PhaseName::Measure, start_s, end_s);
    let (depth, rate_asked) = match asked.load {
        LevelLoad::Depth(depth) => (Some(f64::from(depth)), None),
        LevelLoad::Rate { rate, .. } => (None, Some(rate)),
        LevelLoad::None => (None, None),
    };
    Point {
        round,
        read_share: asked.read.map(|share| share.0),
        block_size_bytes: asked.block_size.map(|size| size.0),
        depth,
        rate_asked,
        start_s,
        end_s,
        values: record::of_point(outcome, session.results.written_bytes),
        ..Point::default()
    }
}
