//! Throughput against the number of load generators: how much each further one adds, and from where on
//! something else than the generators is the limit.

use crate::limiter::Limiters;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::number::{self, Digits};
use crate::table::{Entry, Table, columns};
use words::{LevelName, Limiter, Metric, say, spoken};

/// A step that brings less than this share of what as many more generators would bring is past the knee.
/// Between no gain and the whole gain: half of the added generators are then without effect.
const WORTH: f64 = 0.5;

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
}

/// So many ranks at once.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalePoint {
    /// Their number.
    pub ranks: u32,
    /// What all of them did.
    pub rate: f64,
    /// What each of them did, as a share of what each of the fewest did: 1 where nothing is lost.
    pub efficiency: f64,
    /// What the ranks that came last added, as a share of what as many of those before did: 1 where nothing
    /// is lost; `None` for the fewest.
    pub gain: Option<f64>,
    /// What limited most cells; `None` where no cell said so.
    pub limiter: Option<Limiter>,
}

/// The end of the range in which further ranks pay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knee {
    /// The last number of ranks that paid.
    pub ranks: u32,
    /// What limited the next one; `None` where no cell said so.
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
    let rate = |level: f64| {
        let rate = loaded.mean(&GroupKey { workload, level, bed: &bed.name }, metric)?;
        Some((level, rate)).filter(|(level, rate)| *level >= 1.0 && *rate > 0.0)
    };
    let rates: Vec<(f64, f64)> = loaded.levels(workload).into_iter().filter_map(rate).collect();
    let (fewest, first) = *rates.first()?;
    let limiter_at = |level: f64| {
        let here = limiters.iter().find(|one| {
            (one.workload.as_str(), one.bed.as_str(), one.level) == (workload, bed.name.as_str(), level)
        });
        here.and_then(|one| Limiter::of(one.main())).filter(|limiter| *limiter != Limiter::NotKnown)
    };
    let point = |(index, &(ranks, rate)): (usize, &(f64, f64))| ScalePoint {
        ranks: ranks as u32,
        rate,
        efficiency: rate / ranks / (first / fewest),
        gain: index.checked_sub(1).map(|before| gain(rates[before], (ranks, rate))),
        limiter: limiter_at(ranks),
    };
    let points: Vec<ScalePoint> = rates.iter().enumerate().map(point).collect();
    let knee = knee(&points);
    let (workload, bed) = (workload.to_owned(), bed.name.clone());
    (points.len() > 1).then_some(ScaleOut { workload, bed, metric, points, knee })
}

/// The added rate as a share of what the added ranks would bring if they were like those before.
fn gain((fewer, before): (f64, f64), (more, after): (f64, f64)) -> f64 {
    (after - before) / (before / fewer * (more - fewer))
}

fn knee(points: &[ScalePoint]) -> Option<Knee> {
    let past = points.windows(2).find(|pair| pair[1].gain.is_some_and(|gain| gain < WORTH))?;
    Some(Knee { ranks: past[0].ranks, limiter: past[1].limiter })
}

fn percent(share: f64) -> String {
    words::decimals(share * 100.0, 0)
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
        Some(match (of.knee, next) {
            (Some(knee), Some(next)) => say!(
                "scale-out-knee",
                curve,
                knee = knee.ranks,
                next = next.ranks,
                gain = percent(next.gain.unwrap_or(0.0)),
                limiter = in_words(knee.limiter)
            ),
            _ => say!("scale-out-no-knee", curve, limiter = in_words(last.limiter)),
        })
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
                Entry::from(point.gain.map_or_else(|| "-".to_owned(), percent)),
                Entry::from(in_words(point.limiter)),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(rates: &[(u32, f64)]) -> Vec<ScalePoint> {
        let point = |(index, &(ranks, rate)): (usize, &(u32, f64))| ScalePoint {
            ranks,
            rate,
            efficiency: rate / f64::from(ranks) / (rates[0].1 / f64::from(rates[0].0)),
            gain: index.checked_sub(1).map(|before| {
                let (fewer, rate_before) = rates[before];
                gain((f64::from(fewer), rate_before), (f64::from(ranks), rate))
            }),
            limiter: (index == 2).then_some(Limiter::Drive),
        };
        rates.iter().enumerate().map(point).collect()
    }

    #[test]
    fn the_knee_is_the_last_number_that_pays() {
        let found = points(&[(1, 100.0), (2, 190.0), (4, 220.0), (8, 222.0)]);
        assert_eq!(found[1].gain, Some(0.9));
        assert!((found[2].gain.unwrap() - 30.0 / 190.0).abs() < 1e-12);
        assert_eq!(found[3].efficiency, 222.0 / 800.0);
        assert_eq!(knee(&found), Some(Knee { ranks: 2, limiter: Some(Limiter::Drive) }));
        assert_eq!(knee(&points(&[(1, 100.0), (2, 200.0), (4, 390.0)])), None);
        assert_eq!(knee(&points(&[(2, 100.0), (4, 90.0)])).map(|knee| knee.ranks), Some(2));
    }

    #[test]
    fn the_sentence_names_the_knee_and_its_limiter() {
        let points = points(&[(1, 100.0), (2, 190.0), (4, 220.0)]);
        let knee = knee(&points);
        let of =
            ScaleOut { workload: "w".to_owned(), bed: "b".to_owned(), metric: Metric::Iops, points, knee };
        let all = [of];
        let told = sentences(&all, |_| "NVMe");
        assert_eq!(
            told,
            [
                "NVMe: 1 rank did 100 IOPS and 4 did 220, 55 % of what they would do if each did as much as at the start. \
              The knee is at 2 ranks: going to 4 brought 16 % of what as many more would bring, limited by drive."
            ]
        );
        assert_eq!(table(&all, |_| "NVMe").rows.len(), 3);
    }
}
