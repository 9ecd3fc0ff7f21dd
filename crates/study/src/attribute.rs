//! The parts of a gain between two beds that come from the drive, the processor, the network and the rest:
//! one factor swapped at a time.
//!
//! Every set of swapped factors is simulated. The share of a factor is the mean, over all orders in which the
//! factors can be swapped, of the gain that its swap brings (Shapley's value of the logarithm), so the shares
//! multiply to the whole gain whatever the order.

mod test;

use simulate::{Bed, Load, StoreSpec};
use words::say;

use crate::bed;
use crate::parameter::Values;
use crate::procedure::{Care, Figures, Procedure, ProcedureError, ProcedureFigure, Work, procedures};

pub use test::{BedAttribution, attribute_test};

/// Something in which two beds can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Factor {
    /// The drives, their kind and size.
    Drive,
    /// Processor speed and cores.
    Processor,
    /// Speed of the storage network and the way to another host.
    Network,
    /// Memory of the machine.
    Memory,
    /// The load's driver: on the machine, or on another one.
    Driver,
    /// Hosts, storage stack, controller, disk groups' work and unexplained waits.
    Rest,
}

impl Factor {
    const ALL: [Factor; 6] =
        [Factor::Drive, Factor::Processor, Factor::Network, Factor::Memory, Factor::Driver, Factor::Rest];

    /// Its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Factor::Drive => say!("factor-of-drive"),
            Factor::Processor => say!("factor-of-processor"),
            Factor::Network => say!("factor-of-network"),
            Factor::Memory => say!("factor-of-memory"),
            Factor::Driver => say!("factor-driver"),
            Factor::Rest => say!("factor-rest"),
        }
    }
}

/// The effect of one factor on the throughput.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The factor.
    pub factor: Factor,
    /// Ratio that it brings, by the best parameters.
    pub ratio: f64,
    /// Least and greatest ratio over all parameter sets that fit.
    pub range: (f64, f64),
    /// Ratio when it alone is swapped on the slower bed, and when all but it are swapped already.
    pub first_and_last: (f64, f64),
}

impl Share {
    /// True if the data shows the direction of its effect, to within 5 %; otherwise no statement is possible.
    #[must_use]
    pub fn is_told(&self) -> bool {
        let (low, high) = self.range;
        high / low < 1.25 && ((low > 1.0) == (high > 1.0) || high / low < 1.05)
    }
}

/// The parts of a gain.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribution {
    /// The procedure on the faster bed.
    pub of: String,
    /// The procedure on the other bed.
    pub over: String,
    /// Simulated gain in throughput, best parameters.
    pub gain: f64,
    /// Its range over all parameter sets that fit.
    pub gain_range: (f64, f64),
    /// Parameter sets that were tried.
    pub sets: usize,
    /// The factors in which the beds differ.
    pub shares: Vec<Share>,
}

impl Attribution {
    /// The published gain in new orders, where the numbers of both tests are printed.
    #[must_use]
    pub fn published_gain(&self) -> Option<f64> {
        let nopm = |test: &str| {
            published::all().find(|n| n.test == test && n.metric.ends_with("NOPM")).map(|n| n.value)
        };
        Some(nopm(&self.of)? / nopm(&self.over)?)
    }
}

/// Splits the gain of procedure `of` over procedure `over` under `best` parameters, with ranges over
/// `alternatives`.
///
/// `None` when there is no such pair of order-entry procedures.
///
/// # Errors
/// When a bed or a load cannot be.
pub fn attribute(
    of: &str,
    over: &str,
    best: &Values,
    alternatives: &[Values],
    seed: u64,
) -> Result<Option<Attribution>, ProcedureError> {
    let Some((gain, splits)) = split(of, over, best, seed)? else { return Ok(None) };
    let mut shares: Vec<Share> = splits
        .into_iter()
        .map(|(factor, ratio, first_and_last)| Share { factor, ratio, range: (ratio, ratio), first_and_last })
        .collect();
    let mut gain_range = (gain, gain);
    let widen = |range: &mut (f64, f64), value: f64| *range = (range.0.min(value), range.1.max(value));
    for values in alternatives {
        let Some((gain, splits)) = split(of, over, values, seed)? else { continue };
        widen(&mut gain_range, gain);
        for (share, (_, ratio, _)) in shares.iter_mut().zip(splits) {
            widen(&mut share.range, ratio);
        }
    }
    let (of, over) = (of.to_owned(), over.to_owned());
    Ok(Some(Attribution { of, over, gain, gain_range, sets: alternatives.len() + 1, shares }))
}

type Split = (f64, Vec<(Factor, f64, (f64, f64))>);

fn split(of: &str, over: &str, values: &Values, seed: u64) -> Result<Option<Split>, ProcedureError> {
    let all = procedures(values);
    let find = |name: &str| all.iter().find(|procedure| procedure.name == name);
    let (Some(a), Some(b)) = (find(of), find(over)) else { return Ok(None) };
    let (Work::OrderEntry(load_a), Work::OrderEntry(load_b)) = (&a.work, &b.work) else { return Ok(None) };
    let (bed_a, bed_b) = (bed::find(&a.bed, values)?, bed::find(&b.bed, values)?);
    let factors: Vec<Factor> = Factor::ALL
        .into_iter()
        .filter(|&factor| {
            swapped((&bed_b, load_b), (&bed_a, load_a), factor) != (bed_b.clone(), load_b.clone())
        })
        .collect();
    let mut logs = Vec::new();
    for set in 0..1usize << factors.len() {
        let (mut bed, mut load) = (bed_b.clone(), load_b.clone());
        for (number, &factor) in factors.iter().enumerate() {
            if set & (1 << number) != 0 {
                (bed, load) = swapped((&bed, &load), (&bed_a, load_a), factor);
            }
        }
        let mixed = Procedure { name: a.name.clone(), bed: bed.name.clone(), work: Work::OrderEntry(load) };
        let figures: Figures = mixed.simulate_on(&bed, Care::Brief, seed)?;
        logs.push(figures.get(&ProcedureFigure::Nopm).copied().unwrap_or(f64::NAN).ln());
    }
    let whole = logs.len() - 1;
    let gain = (logs[whole] - logs[0]).exp();
    let shares = factors.iter().enumerate().map(|(number, &factor)| {
        let bit = 1 << number;
        let first_and_last = ((logs[bit] - logs[0]).exp(), (logs[whole] - logs[whole & !bit]).exp());
        (factor, shapley(&logs, factors.len(), number).exp(), first_and_last)
    });
    Ok(Some((gain, shares.collect())))
}

/// Mean gain of one factor over all orders, from the logarithms of all sets.
fn shapley(logs: &[f64], count: usize, number: usize) -> f64 {
    let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
    let bit = 1 << number;
    (0..logs.len())
        .filter(|set| set & bit == 0)
        .map(|set| {
            let before = set.count_ones() as usize;
            let weight = factorial(before) * factorial(count - before - 1) / factorial(count);
            weight * (logs[set | bit] - logs[set])
        })
        .sum()
}

/// `base` with one factor taken from `from`.
fn swapped(base: (&Bed, &Load), from: (&Bed, &Load), factor: Factor) -> (Bed, Load) {
    let (mut bed, mut load) = (base.0.clone(), base.1.clone());
    let (bed_from, load_from) = from;
    match factor {
        Factor::Processor => {
            bed.database.cpu_per_batch_ns = bed_from.database.cpu_per_batch_ns;
            (bed.hosts.cores, bed.hosts.threads) = (bed_from.hosts.cores, bed_from.hosts.threads);
        }
        Factor::Memory => load.memory_bytes = load_from.memory_bytes,
        Factor::Driver => load.driver = load_from.driver,
        Factor::Drive | Factor::Network => swap_store(&mut bed.store, &bed_from.store, factor),
        Factor::Rest => {
            let kept = bed.clone();
            bed = bed_from.clone();
            bed.database.cpu_per_batch_ns = kept.database.cpu_per_batch_ns;
            (bed.hosts.cores, bed.hosts.threads) = (kept.hosts.cores, kept.hosts.threads);
            swap_store(&mut bed.store, &kept.store, Factor::Drive);
            swap_store(&mut bed.store, &kept.store, Factor::Network);
            bed.name = kept.name;
            bed.title = kept.title;
            // Memory only has to hold the machines.
            bed.hosts.memory_gib = kept.hosts.memory_gib;
        }
    }
    (bed, load)
}

fn swap_store(store: &mut StoreSpec, from: &StoreSpec, factor: Factor) {
    let (StoreSpec::Datastore(store), StoreSpec::Datastore(from)) = (store, from) else { return };
    if factor == Factor::Drive {
        store.cache = from.cache.clone();
        store.capacity = from.capacity.clone();
        store.capacity_bytes = from.capacity_bytes;
    } else {
        store.link_bytes_per_s = from.link_bytes_per_s;
        store.hop_ns = from.hop_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_multiply_to_the_gain_and_two_drives_on_one_bed_differ_in_nothing_else() {
        let values = Values::calibrated();
        let found =
            attribute("K-2b", "K-2c", &values, &[], 1).expect("the beds are good").expect("both are known");
        assert_eq!(found.shares.iter().map(|share| share.factor).collect::<Vec<_>>(), [Factor::Drive]);
        assert!((found.shares[0].ratio - found.gain).abs() < 1e-9);
        let found =
            attribute("K-2a", "K-2c", &values, &[], 1).expect("the beds are good").expect("both are known");
        let product: f64 = found.shares.iter().map(|share| share.ratio).product();
        assert!((product / found.gain - 1.0).abs() < 1e-9 && found.gain > 1.5, "{found:?}");
        let factors: Vec<Factor> = found.shares.iter().map(|share| share.factor).collect();
        assert_eq!(factors, [Factor::Drive, Factor::Processor, Factor::Network, Factor::Rest]);
    }
}
