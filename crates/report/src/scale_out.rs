//! Throughput against the number of load generators: how much each further one adds, and from where on
//! something else than the generators is the limit.

use crate::limiter::Limiters;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::number::{self, Digits};
use crate::table::{Entry, Table, columns};
use words::{LevelName, Limiter, Metric, Realm, say, spoken};

/// A step that brings less than this share of what as many more generators would bring is past the knee.
/// Between no gain and the whole gain: half of the added generators are then without effect.
const WORTH: f64 = 0.5;
/// A knee from fewer repeats is a hint: with three, Student's factor is above 4, and the interval of a gain
/// says little.
const REPEATS_MIN: usize = 4;

/// One bed of a workload whose level is the number of ranks, means over the valid cells.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaleOut {
    /// Name of the workload.
    pub workload: String,
    /// Name of the bed.
    pub bed: String,
    /// The metric of the rates.
    pub metric: Metric,
    /// By the number of ranks, two at least.
    pub points: Vec<ScalePoint>,
    /// The last number of ranks that paid; `None` where every step did.
    pub knee: Option<Knee>,
    /// Why the knee, or that there is none, is a hint; `None` where the repeats show it.
    pub hint: Option<Hint>,
    /// True if each rank modelled a drive for itself, so that they did not meet on one.
    pub own_drives: bool,
}

/// The reason why a knee is no finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Fewer than four repeats of a step.
    FewRepeats,
    /// The interval of a step reaches to the other side of the limit.
    WideInterval,
}

impl Hint {
    /// The name in data: `few_repeats`, `wide_interval`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Hint::FewRepeats => "few_repeats",
            Hint::WideInterval => "wide_interval",
        }
    }
}

/// The rate that the last ranks added, as a share of the rate of as many ranks before them: 1 where nothing
/// is lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// The share, by the repeats that have both numbers of ranks.
    pub value: f64,
    /// Its 95 % interval from their ratios; `None` for one repeat.
    pub interval: Option<(f64, f64)>,
    /// True where the interval of the ratio is too wide to say anything; see the guide to the report.
    pub is_useless: bool,
    /// Their number.
    pub repeats: usize,
}

/// So many ranks at once.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalePoint {
    /// Their number.
    pub ranks: u32,
    /// The rate of all of them together.
    pub rate: f64,
    /// The rate of one rank, as a share of the rate of one at the fewest ranks: 1 where nothing is lost.
    pub efficiency: f64,
    /// The gain of the step to them; `None` for the fewest.
    pub gain: Option<Gain>,
    /// The limiter of most cells; `None` where no cell has one.
    pub limiter: Option<Limiter>,
}

/// The end of the range in which further ranks pay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knee {
    /// The last number of ranks that paid.
    pub ranks: u32,
    /// The limiter at the next number; `None` where no cell has one.
    pub limiter: Option<Limiter>,
}

/// Every bed of every workload whose level is the number of ranks.
pub(crate) fn of_all(loaded: &LoadedRun, limiters: &[Limiters]) -> Vec<ScaleOut> {
    let scales = |workload: &&str| *loaded.level_name(workload) == LevelName::Ranks;
    let workloads = loaded.workloads().into_iter().filter(scales);
    let of_workload =
        |workload| loaded.beds.iter().filter_map(move |bed| of(loaded, limiters, workload, bed));
    workloads.flat_map(of_workload).collect()
}

fn of(loaded: &LoadedRun, limiters: &[Limiters], workload: &str, bed: &notebook::Bed) -> Option<ScaleOut> {
    let metric = loaded.kind(workload).throughput;
    let values = |level: f64| loaded.values(&GroupKey { workload, level, bed: &bed.name }, metric);
    let level = |level: f64| Level { ranks: level, rates: values(level) };
    let levels: Vec<Level> = loaded.levels(workload).into_iter().map(level).collect();
    let limiter_at = |level: f64| {
        let here = limiters.iter().find(|one| {
            (one.workload.as_str(), one.bed.as_str(), one.level) == (workload, bed.name.as_str(), level)
        });
        here.and_then(|one| Limiter::of(one.main())).filter(|limiter| *limiter != Limiter::NotKnown)
    };
    let points = points(&levels, limiter_at);
    let (knee, hint) = (knee(&points), hint(&points));
    // Simulated ranks are load generators of one bed.
    let own_drives = bed.realm == Realm::Emulated && !loaded.is_simulated();
    let (workload, bed) = (workload.to_owned(), bed.name.clone());
    (points.len() > 1).then_some(ScaleOut { workload, bed, metric, points, knee, hint, own_drives })
}

/// The rates of so many ranks, by repeat.
struct Level {
    ranks: f64,
    rates: Vec<(u32, f64)>,
}

impl Level {
    /// The typical rate; `None` where there is none to compare with.
    fn typical(&self) -> Option<f64> {
        let rates: Vec<f64> = self.rates.iter().map(|(_, rate)| *rate).collect();
        measure::typical(&rates).filter(|rate| self.ranks >= 1.0 && *rate > 0.0)
    }
}

fn points(levels: &[Level], limiter_at: impl Fn(f64) -> Option<Limiter>) -> Vec<ScalePoint> {
    let known: Vec<(&Level, f64)> =
        levels.iter().filter_map(|level| Some((level, level.typical()?))).collect();
    let Some(&(fewest, first)) = known.first() else { return Vec::new() };
    let point = |(index, &(level, rate)): (usize, &(&Level, f64))| ScalePoint {
        ranks: level.ranks as u32,
        rate,
        efficiency: rate / level.ranks / (first / fewest.ranks),
        gain: index.checked_sub(1).map(|before| gain(known[before].0, level, rate / known[before].1)),
        limiter: limiter_at(level.ranks),
    };
    known.iter().enumerate().map(point).collect()
}

/// The gain of the step from `before` to `after`, whose typical rates have this ratio: it counts where too
/// few repeats have both.
fn gain(before: &Level, after: &Level, ratio: f64) -> Gain {
    let share = |ratio: f64| (ratio - 1.0) * before.ranks / (after.ranks - before.ranks);
    let both = after.rates.iter().filter_map(|(repeat, rate)| {
        let there = before.rates.iter().find(|(other, _)| other == repeat)?;
        Some((*rate, there.1))
    });
    let (after, before): (Vec<f64>, Vec<f64>) = both.unzip();
    let paired = measure::paired_ratio(&after, &before).ok();
    Gain {
        value: share(paired.as_ref().map_or(ratio, |paired| paired.value)),
        interval: paired.as_ref().map(|paired| (share(paired.low), share(paired.high))),
        is_useless: paired.is_some_and(|paired| number::is_useless(paired.low, paired.high)),
        repeats: after.len(),
    }
}

fn knee(points: &[ScalePoint]) -> Option<Knee> {
    let past = points.windows(2).find(|pair| pair[1].gain.is_some_and(|gain| gain.value < WORTH))?;
    Some(Knee { ranks: past[0].ranks, limiter: past[1].limiter })
}

/// The reason why the repeats only hint at the knee; `None` if the whole interval of each step, up to the
/// first that does not pay, lies on its side of the limit.
fn hint(points: &[ScalePoint]) -> Option<Hint> {
    let gains: Vec<Gain> = points.iter().filter_map(|point| point.gain).collect();
    let decisive = gains.iter().position(|gain| gain.value < WORTH).map_or(gains.len(), |past| past + 1);
    let gains = &gains[..decisive];
    if gains.iter().any(|gain| gain.repeats < REPEATS_MIN) {
        return Some(Hint::FewRepeats);
    }
    let spans = |gain: &Gain| gain.interval.is_none_or(|(low, high)| low < WORTH && high >= WORTH);
    gains.iter().any(spans).then_some(Hint::WideInterval)
}

fn percent(share: f64) -> String {
    words::decimals(share * 100.0, 0)
}

/// "43", "43 [38, 49]", "43 [no useful interval]".
fn gain_in_words(gain: &Gain) -> String {
    let value = percent(gain.value);
    match gain.interval {
        None => value,
        Some(_) if gain.is_useless => format!("{value} [{}]", say!("figure-no-useful-interval")),
        Some((low, high)) => format!("{value} [{}, {}]", percent(low), percent(high)),
    }
}

fn in_words(limiter: Option<Limiter>) -> &'static str {
    words::Spoken::spoken(limiter.unwrap_or(Limiter::NotKnown))
}

/// One sentence for each bed: the range, the efficiency, and the knee with its limiter.
pub(crate) fn sentences<'a>(all: &'a [ScaleOut], shown: impl Fn(&'a str) -> &'a str) -> Vec<String> {
    let sentence = |of: &'a ScaleOut| {
        let (first, last) = (of.points.first()?, of.points.last()?);
        let rate = |point: &ScalePoint| Digits::alone(point.rate).show(point.rate);
        let curve = say!(
            "scale-out-curve",
            bed = shown(&of.bed),
            metric = of.metric.short(),
            fewest = first.ranks,
            few = rate(first),
            most = last.ranks,
            many = rate(last),
            efficiency = percent(last.efficiency)
        );
        let next = of.knee.and_then(|knee| of.points.iter().find(|point| point.ranks > knee.ranks));
        let gain = next.and_then(|next| next.gain);
        let said = match (of.knee, next, gain) {
            (Some(knee), Some(next), Some(gain)) => say!(
                "scale-out-knee",
                curve,
                knee = knee.ranks,
                next = next.ranks,
                gain = gain_in_words(&gain),
                limiter = in_words(knee.limiter)
            ),
            _ => say!("scale-out-no-knee", curve, limiter = in_words(last.limiter)),
        };
        let said = match of.hint {
            Some(Hint::FewRepeats) => say!("scale-out-few", said),
            Some(Hint::WideInterval) => say!("scale-out-open", said),
            None => said,
        };
        Some(if of.own_drives { say!("scale-out-own-drives", said) } else { said })
    };
    all.iter().filter_map(sentence).collect()
}

/// One line for each bed and number of ranks.
pub(crate) fn table<'a>(all: &'a [ScaleOut], shown: impl Fn(&'a str) -> &'a str) -> Table {
    let several = all.iter().any(|of| of.workload != all[0].workload);
    let mut table = Table::new(
        columns![text say!("column-bed"), number spoken::<LevelName>(LevelName::Ranks.name()), number say!("column-rate"), number say!("column-of-each-rank"), number say!("column-efficiency"), number say!("column-gain"), text say!("column-limited-by")],
    );
    for of in all {
        let bed = shown(&of.bed);
        for point in &of.points {
            let rate = |value: f64| Digits::alone(value).show(value);
            table.row([
                Entry::from(if several { format!("{bed}, {}", of.workload) } else { bed.to_owned() }),
                Entry::from(number::level(f64::from(point.ranks))),
                Entry::from(rate(point.rate)),
                Entry::from(rate(point.rate / f64::from(point.ranks))),
                Entry::from(percent(point.efficiency)),
                Entry::from(point.gain.map_or_else(|| "-".to_owned(), |gain| gain_in_words(&gain))),
                Entry::from(in_words(point.limiter)),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels in which each repeat is off by its share, so that the ratio of two levels is always the same
    /// but for `noise`, which alternates from repeat to repeat at the higher level.
    fn levels(rates: &[(u32, f64)], repeats: u32, noise: f64) -> Vec<ScalePoint> {
        let level = |(index, &(ranks, rate)): (usize, &(u32, f64))| {
            let sign = |repeat: u32| if (repeat as usize + index).is_multiple_of(2) { 1.0 } else { -1.0 };
            let of = |repeat: u32| (repeat, rate * (1.0 + noise * sign(repeat)));
            Level { ranks: f64::from(ranks), rates: (0..repeats).map(of).collect() }
        };
        let levels: Vec<Level> = rates.iter().enumerate().map(level).collect();
        points(&levels, |ranks| (ranks == 4.0).then_some(Limiter::Drive))
    }

    #[test]
    fn the_knee_is_the_last_number_that_pays() {
        let found = levels(&[(1, 100.0), (2, 190.0), (4, 220.0), (8, 222.0)], 1, 0.0);
        assert!((found[1].gain.unwrap().value - 0.9).abs() < 1e-12);
        assert!((found[2].gain.unwrap().value - 30.0 / 190.0).abs() < 1e-12);
        assert_eq!((found[2].gain.unwrap().interval, found[2].gain.unwrap().repeats), (None, 1));
        assert_eq!(found[3].efficiency, 222.0 / 800.0);
        assert_eq!(knee(&found), Some(Knee { ranks: 2, limiter: Some(Limiter::Drive) }));
        assert_eq!(knee(&levels(&[(1, 100.0), (2, 200.0), (4, 390.0)], 1, 0.0)), None);
        assert_eq!(knee(&levels(&[(2, 100.0), (4, 90.0)], 1, 0.0)).map(|knee| knee.ranks), Some(2));
    }

    #[test]
    fn the_interval_of_a_gain_comes_from_the_ratios_of_its_repeats() {
        let found = levels(&[(2, 100.0), (6, 150.0)], 4, 0.1);
        let ratio = |more: f64, less: f64| 1.5 * (1.0 + more) / (1.0 + less);
        let ratios = [ratio(-0.1, 0.1), ratio(0.1, -0.1), ratio(-0.1, 0.1), ratio(0.1, -0.1)];
        let expected = measure::paired_ratio(&ratios, &[1.0; 4]).unwrap();
        let gain = found[1].gain.unwrap();
        let (low, high) = gain.interval.unwrap();
        assert!((low - (expected.low - 1.0) * 2.0 / 4.0).abs() < 1e-9, "{gain:?}");
        assert!((high - (expected.high - 1.0) * 2.0 / 4.0).abs() < 1e-9, "{gain:?}");
        assert!(low < gain.value && gain.value < high && gain.repeats == 4);
    }

    #[test]
    fn a_knee_is_a_finding_when_enough_repeats_lie_on_one_side() {
        let rates = [(1, 100.0), (2, 190.0), (4, 220.0), (8, 222.0)];
        assert_eq!(hint(&levels(&rates, 3, 0.001)), Some(Hint::FewRepeats));
        assert_eq!(hint(&levels(&rates, 4, 0.001)), None);
        assert_eq!(hint(&levels(&rates, 4, 0.2)), Some(Hint::WideInterval));
        // The steps behind the knee decide nothing: this one has a gain about the limit.
        let behind = [(1, 100.0), (2, 110.0), (4, 165.0)];
        assert_eq!(hint(&levels(&behind, 4, 0.01)), None);
        assert_eq!(hint(&levels(&[(1, 100.0), (2, 150.0)], 4, 0.01)), Some(Hint::WideInterval));
        assert_eq!(hint(&levels(&[(1, 100.0), (2, 200.0)], 4, 0.01)), None);
    }

    #[test]
    fn the_sentence_names_the_knee_its_limiter_and_how_far_it_is_shown() {
        let told = |repeats: u32, own_drives: bool| {
            let points = levels(&[(1, 100.0), (2, 190.0), (4, 220.0)], repeats, 0.0);
            let (knee, hint) = (knee(&points), hint(&points));
            let (workload, bed) = ("w".to_owned(), "b".to_owned());
            let of = ScaleOut { workload, bed, metric: Metric::Iops, points, knee, hint, own_drives };
            let all = [of];
            assert_eq!(table(&all, |_| "NVMe").rows.len(), 3);
            sentences(&all, |_| "NVMe").concat()
        };
        let curve = "NVMe: 1 rank did 100 IOPS and 4 did 220, 55 % of the rate at full efficiency. \
             The knee is at 2 ranks: the step to 4 gained ";
        let rest = "% of a proportional increase, limited by drive.";
        assert_eq!(told(4, false), format!("{curve}16 [16, 16] {rest}"));
        assert!(told(4, true).contains(" Each rank had a modelled drive of its own"));
        let hint = "A hint, no finding: fewer than four repeats.";
        assert_eq!(told(1, false), format!("{curve}16 {rest} {hint}"));
    }
}
