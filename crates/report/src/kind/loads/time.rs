//! The parts of a transaction's time, by load and bed: what a drive can change, and what it cannot.
//!
//! The length of the bar is the mean response time. Of a load with a pace, the time before a request has a
//! connection was measured. The samples of a cell tell the share of the rest in each part: a user with a
//! connection waits in no other place, so the parts of one transaction have the same shares.

use crate::figure::parts::{self, Bar, Group, Part, Stack};
use crate::figure::{Caption, Figure};
use crate::loaded_run::{GroupKey, LoadedRun, Measured};
use crate::number;
use crate::pace::has_pace;
use crate::source::Source;
use crate::titles::{id, titled};
use words::{Latency, LimiterFigures, Metric, Statistic, Unit, say};

/// With more bars than this, only the lowest, the middle and the highest load are shown.
const BARS_MOST: usize = 12;
/// The parts of a time, in the fixed order of the colours.
const PARTS: usize = 10;
/// A part below this share of every bar is left out of key and bars.
const SHARE_MIN: f64 = 0.005;

/// Shares of the time by part: reads of the drive, the log, the processor, waiting for it, locks, the
/// network, fixed waits, the wait for a connection, the delay of the load generator, the rest.
type Shares = [f64; PARTS];

/// The place of a part in [`Shares`].
mod place {
    pub(super) const READS: usize = 0;
    pub(super) const LOG: usize = 1;
    pub(super) const PROCESSOR: usize = 2;
    pub(super) const QUEUE: usize = 3;
    pub(super) const LOCKS: usize = 4;
    pub(super) const NETWORK: usize = 5;
    pub(super) const FIXED: usize = 6;
    pub(super) const CONNECTION: usize = 7;
    pub(super) const DELAY: usize = 8;
    pub(super) const REST: usize = 9;
}

fn part(index: usize) -> Part {
    let (name, class) = match index {
        place::READS => (say!("part-reads"), "g1"),
        place::LOG => (say!("part-log"), "g2"),
        place::PROCESSOR => (say!("part-processor"), "g3"),
        place::QUEUE => (say!("part-queue"), "g4"),
        place::LOCKS => (say!("part-locks"), "g5"),
        place::NETWORK => (say!("part-network"), "g6"),
        place::FIXED => (say!("part-fixed"), "g7"),
        // In the colours of parts that the model alone has.
        place::CONNECTION => (say!("part-connection"), "g4"),
        place::DELAY => (say!("part-delay"), "g7"),
        _ => (say!("part-rest"), "g8"),
    };
    Part { name, class }
}

/// One figure; none where no cell was sampled.
pub(crate) fn figures(source: &Source<'_>, workload: &str) -> Vec<Figure> {
    figure(source, workload).into_iter().collect()
}

fn figure(source: &Source<'_>, workload: &str) -> Option<Figure> {
    let loaded = source.loaded;
    let mut levels = loaded.levels(workload);
    let beds = source.comparison.beds.len();
    if levels.len() > 3 && levels.len() * beds > BARS_MOST {
        levels = vec![levels[0], levels[levels.len() / 2], levels[levels.len() - 1]];
    }
    let times: Vec<(f64, Vec<(crate::svg::BedMark, Shares)>)> =
        levels.into_iter().map(|level| (level, at_level(source, workload, level))).collect();
    let all = || times.iter().flat_map(|(_, bars)| bars.iter().map(|(_, parts)| parts));
    all().next()?;
    let is_seen = |index: &usize| all().any(|parts| parts[*index] > SHARE_MIN * parts.iter().sum::<f64>());
    let seen: Vec<usize> = (0..PARTS).filter(is_seen).collect();
    let title = title(source, workload, &times)?;
    let unseen = unseen(source, workload, &times);
    let group = |(level, bars): (f64, Vec<(crate::svg::BedMark, Shares)>)| Group {
        title: loaded.level_name(workload).said(level),
        bars: bars
            .into_iter()
            .map(|(bed, parts)| Bar { bed, values: seen.iter().map(|index| parts[*index]).collect() })
            .collect(),
    };
    let stack = Stack {
        parts: seen.iter().map(|index| part(*index)).collect(),
        groups: times.into_iter().filter(|(_, bars)| !bars.is_empty()).map(group).collect(),
        unit: Unit::Milliseconds.name(),
    };
    let caption = Caption {
        id: id(source, workload, "time"),
        title: titled(source, workload, &title),
        reading: match loaded.is_simulated() {
            true => say!("time-reading-simulated").to_owned(),
            false => format!("{}{unseen}", say!("time-reading")),
        },
        description: title,
    };
    Some(parts::figure(caption, &stack))
}

/// A sentence on the beds that answered at a load and have no bar at it; empty without any.
fn unseen(
    source: &Source<'_>,
    workload: &str,
    times: &[(f64, Vec<(crate::svg::BedMark, Shares)>)],
) -> String {
    let is_unseen = |bed: &&crate::naming::BedName| {
        times.iter().any(|(level, bars)| {
            let place = GroupKey { workload, level: *level, bed: &bed.name };
            let answered = source.loaded.mean(&place, Metric::LATENCY_MEAN).is_some();
            answered && bars.iter().all(|(mark, _)| mark.name != bed.mark.name)
        })
    };
    let beds: Vec<&str> =
        source.comparison.beds.iter().filter(is_unseen).map(|bed| bed.mark.name.as_str()).collect();
    if beds.is_empty() {
        return String::new();
    }
    format!(" {}", say!("time-unseen", beds = beds.join(", ")))
}

/// The parts of every bed's time, in milliseconds.
fn at_level(source: &Source<'_>, workload: &str, level: f64) -> Vec<(crate::svg::BedMark, Shares)> {
    let of_bed = |bed: &crate::naming::BedName| {
        let parts = of_place(source.loaded, &GroupKey { workload, level, bed: &bed.name })?;
        Some((bed.mark.clone(), parts))
    };
    source.comparison.beds.iter().filter_map(of_bed).collect()
}

/// The parts of the mean response time that the tables have, by the cells that were sampled.
fn of_place(loaded: &LoadedRun, place: &GroupKey<'_>) -> Option<Shares> {
    let cells = loaded.valid(place);
    let has_pace = loaded.asked(place.workload).is_some_and(has_pace);
    let of_cell = |cell: &&Measured| {
        let shares = shares(cell.cell.limiter_figures.as_ref()?)?;
        let mean_of = |of| cell.values.get(Metric::Latency(of, Statistic::Mean)).unwrap_or(0.0);
        let before = if has_pace { [Latency::PoolWait, Latency::Lateness].map(mean_of) } else { [0.0; 2] };
        Some(parts_of(shares, mean_of(Latency::Answer), before))
    };
    let sampled: Vec<Shares> = cells.iter().filter_map(of_cell).collect();
    of_whole(&sampled, loaded.mean(place, Metric::LATENCY_MEAN)?)
}

/// The parts of a mean response time, ms: the waits for a connection and for the load generator, and the
/// shares of the rest.
fn parts_of(shares: Shares, whole: f64, [connection, delay]: [f64; 2]) -> Shares {
    let rest = (whole - connection - delay).max(0.0);
    let mut parts = shares.map(|share| share * rest);
    (parts[place::CONNECTION], parts[place::DELAY]) = (connection, delay);
    parts
}

/// The parts of a whole: each the sum of what the cells have of it, as a share of the sum of all. A mean of
/// parts would add up to another whole than the geometric mean that stands in the tables.
fn of_whole(sampled: &[Shares], whole: f64) -> Option<Shares> {
    let mut sums = [0.0; PARTS];
    for parts in sampled {
        sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
    }
    let all = sums.iter().sum::<f64>();
    (all > 0.0).then(|| sums.map(|sum| whole * sum / all))
}

/// The shares of one cell, which add up to 1; `None` where its figures are no parts of the time.
fn shares(figures: &LimiterFigures) -> Option<Shares> {
    let mut shares = [0.0; PARTS];
    match figures {
        LimiterFigures::Users { drive_reads_percent, log_percent, writer_percent, rest_percent, .. } => {
            shares[place::READS] = *drive_reads_percent;
            shares[place::LOG] = *log_percent;
            shares[place::LOCKS] = *writer_percent;
            shares[place::REST] = *rest_percent;
        }
        LimiterFigures::Sessions { log_percent, drive_percent, locks_percent, rest_percent, .. } => {
            shares[place::READS] = *drive_percent;
            shares[place::LOG] = *log_percent;
            shares[place::LOCKS] = *locks_percent;
            shares[place::REST] = *rest_percent;
        }
        LimiterFigures::Model {
            processor_percent,
            queue_percent,
            drive_reads_percent,
            log_percent,
            fixed_percent,
            network_percent,
            ..
        } => {
            shares[place::READS] = *drive_reads_percent;
            shares[place::LOG] = *log_percent;
            shares[place::PROCESSOR] = *processor_percent;
            shares[place::QUEUE] = *queue_percent;
            shares[place::NETWORK] = *network_percent;
            shares[place::FIXED] = *fixed_percent;
        }
        LimiterFigures::NoAnswer { rest, .. }
        | LimiterFigures::WithProcessors { rest, .. }
        | LimiterFigures::PaceKept { rest, .. }
        | LimiterFigures::PaceAbove { rest, .. }
        | LimiterFigures::PaceMissed { rest, .. } => return self::shares(rest),
        LimiterFigures::Told { .. }
        | LimiterFigures::SessionsFew { .. }
        | LimiterFigures::Workers { .. }
        | LimiterFigures::WorkersPaced { .. }
        | LimiterFigures::WorkersBehind { .. }
        | LimiterFigures::ModelPaced { .. }
        | LimiterFigures::ModelBehind { .. }
        | LimiterFigures::ModelUnpaced => return None,
    }
    let whole: f64 = shares.iter().sum();
    (whole > 0.0).then(|| shares.map(|share| share / whole))
}

/// The finding at the highest load: how much of the time is the drive's, on the first bed and the last.
fn title(
    source: &Source<'_>,
    workload: &str,
    times: &[(f64, Vec<(crate::svg::BedMark, Shares)>)],
) -> Option<String> {
    let (level, bars) = times.iter().rev().find(|(_, bars)| !bars.is_empty())?;
    let at = source.loaded.level_name(workload).said(*level);
    let (first, parts) = bars.first()?;
    let drive = |parts: &Shares| number::plain(parts[place::READS] + parts[place::LOG]);
    let whole = |parts: &Shares| number::plain(parts.iter().sum());
    let (bed, part, all) = (&first.name, drive(parts), whole(parts));
    Some(match bars.last().filter(|_| bars.len() > 1) {
        Some((last, others)) => {
            let (other_part, other_all) = (drive(others), whole(others));
            say!("time-title", at, bed, part, all, other = last.name, other_part, other_all)
        }
        None => say!("time-title-one", at, bed, part, all),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_add_up_to_the_mean_of_the_tables() {
        let cell = |reads: f64, rest: f64| {
            let mut parts = [0.0; PARTS];
            (parts[place::READS], parts[place::REST]) = (reads, rest);
            parts
        };
        let parts = of_whole(&[cell(4.0, 4.0), cell(1.0, 1.0)], 4.0).expect("there is time");
        assert_eq!((parts[place::READS], parts[place::REST]), (2.0, 2.0));
        assert_eq!(of_whole(&[cell(0.0, 0.0)], 4.0), None);
    }

    #[test]
    fn the_time_before_a_connection_is_no_time_of_the_server() {
        let mut shares = [0.0; PARTS];
        (shares[place::LOG], shares[place::REST]) = (0.5, 0.5);
        let parts = parts_of(shares, 8.0, [3.0, 1.0]);
        let told = [place::LOG, place::REST, place::CONNECTION, place::DELAY].map(|part| parts[part]);
        assert_eq!(told, [2.0, 2.0, 3.0, 1.0]);
        assert_eq!(parts.iter().sum::<f64>(), 8.0);
        assert_eq!(parts_of(shares, 8.0, [0.0; 2])[place::LOG], 4.0);
    }

    #[test]
    fn shares_add_up_to_one_and_a_pace_hides_nothing() {
        let processors = words::ProcessorFigures::OthersNotKnown { idle_percent: 3.0, steal_percent: 0.0 };
        let users = LimiterFigures::Users {
            drive_reads_percent: 50.0,
            log_percent: 20.0,
            writer_percent: 5.0,
            rest_percent: 24.0,
            processors,
        };
        let paced =
            LimiterFigures::PaceKept { per_s: 10.0, asked_per_s: 10.0, rest: Box::new(users.clone()) };
        for figures in [users, paced] {
            let shares = shares(&figures).expect("parts of the time");
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!((shares[place::READS] - 50.0 / 99.0).abs() < 1e-12);
        }
        assert_eq!(shares(&LimiterFigures::ModelUnpaced), None);
    }
}
