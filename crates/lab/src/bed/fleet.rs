//! The instances of one bed: as many equal ones as the experiment says, on the same storage, brought to the
//! same state and driven side by side by one process.

use database::group::ThrottleCounters;
use database::{CopyMethod, Instance};
use notebook::Measurement;
use oltp::Together;
use words::{Family, Metric, MetricName, Reason, Reasons};

use crate::metrics::Metrics;

/// The running instances of a bed in one cell, and how they got their first state.
pub(crate) struct Fleet {
    pub(crate) instances: Vec<Box<dyn Instance>>,
    pub(crate) first_state: FirstState,
}

/// The source of the instances' first state.
#[derive(Clone, Copy)]
pub(crate) enum FirstState {
    /// There are none.
    OfNone,
    /// By a copy of the loaded data.
    Copied(CopyMethod),
    /// Somebody else's server keeps the data of the cells before.
    Kept,
}

impl Fleet {
    /// Every setting of the instances' engine; they are equal.
    pub(crate) fn settings(&self) -> Vec<(String, String)> {
        self.instances.first().map(|instance| instance.settings()).unwrap_or_default()
    }

    /// The effect of their limits on the instances so far; empty without limits. Called while they run.
    pub(crate) fn held_back(&self) -> Vec<Measurement> {
        let mut metrics = Metrics::default();
        let counters: Vec<ThrottleCounters> =
            self.instances.iter().filter_map(|instance| Some(instance.limits()?.1)).collect();
        if !counters.is_empty() {
            let peak_bytes = counters.iter().map(|of| of.memory_peak_bytes).max().unwrap_or(0);
            metrics.add(Metric::HeldBackTime, counters.iter().map(|of| of.held_back_s).sum());
            metrics.add(Metric::MemoryPeak, peak_bytes as f64 / 1e6);
        }
        metrics.0
    }

    /// The instances of which processes were killed for lack of memory; empty if there were none.
    pub(crate) fn starved(&self) -> Reasons {
        let several = self.instances.len() > 1;
        let killed = self.instances.iter().enumerate().filter_map(|(index, instance)| {
            let processes = instance.limits()?.1.killed;
            (processes > 0).then(|| numbered(several, index, Reason::KilledForMemory { processes }))
        });
        killed.collect()
    }

    /// Removes the limits, for a check that is not measured.
    pub(crate) fn lift_limits(&self) {
        self.instances.iter().for_each(|instance| instance.lift_limits());
    }

    /// Does `work` with every instance at once and waits for all; the first fault is reported with its
    /// instance.
    pub(crate) fn each<T: Send>(
        instances: Vec<T>,
        work: impl Fn(&mut T) -> Result<(), Reason> + Sync,
    ) -> Result<Vec<T>, Reason> {
        let several = instances.len() > 1;
        let work = &work;
        let done: Vec<(T, Result<(), Reason>)> = std::thread::scope(|scope| {
            let threads: Vec<_> = instances
                .into_iter()
                .map(|mut instance| {
                    scope.spawn(move || {
                        let result = work(&mut instance);
                        (instance, result)
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        let mut whole = Vec::with_capacity(done.len());
        for (index, (instance, result)) in done.into_iter().enumerate() {
            result.map_err(|why| numbered(several, index, why))?;
            whole.push(instance);
        }
        Ok(whole)
    }
}

/// `why` with the number of its instance, where there are several.
pub(crate) fn numbered(several: bool, index: usize, why: Reason) -> Reason {
    if several { why.of_instance(index) } else { why }
}

/// The runs that came to something, and the reasons that ended them or kept the others from it.
pub(crate) fn sort_out<T: Together>(results: Vec<Result<T, Reasons>>) -> (Vec<T>, Reasons) {
    let several = results.len() > 1;
    let (mut runs, mut faults) = (Vec::new(), Reasons::default());
    for (index, result) in results.into_iter().enumerate() {
        let why = match result {
            Ok(mut run) => {
                let fatal = run.fatal().take();
                runs.push(run);
                fatal.into()
            }
            Err(why) => why,
        };
        faults.extend(why.into_iter().map(|why| numbered(several, index, why)));
    }
    (runs, faults)
}

/// The fairness of the storage to its instances: each one's rate, the slowest, the fastest, and Jain's index.
/// Nothing for a single one.
pub(crate) fn add_fairness(metrics: &mut Metrics, metric: Metric, rates: &[f64]) {
    if rates.len() < 2 {
        return;
    }
    metrics.add(Metric::Instances, rates.len() as f64);
    for (index, &rate) in rates.iter().enumerate() {
        metrics.add(MetricName::Of(metric, Family::Instance(index as u32 + 1)), rate);
    }
    let (slowest, fastest) =
        (rates.iter().copied().fold(f64::INFINITY, f64::min), rates.iter().copied().fold(0.0, f64::max));
    metrics.add(MetricName::Of(metric, Family::SlowestInstance), slowest);
    metrics.add(MetricName::Of(metric, Family::FastestInstance), fastest);
    metrics.add(Metric::Fairness, jain_index(rates));
}

/// Jain, Chiu and Hawe 1984: the square of the sum over n times the sum of the squares; 1 when all have the
/// same, 1/n when one has all.
pub(crate) fn jain_index(rates: &[f64]) -> f64 {
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    sum * sum / (rates.len() as f64 * squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Run(u32, Option<String>);

    impl Together for Run {
        fn fatal(&mut self) -> &mut Option<String> {
            &mut self.1
        }

        fn add(&mut self, other: Self) {
            self.0 += other.0;
        }
    }

    #[test]
    fn fairness_is_one_for_equals_and_one_nth_for_a_tyrant() {
        assert!((jain_index(&[5.0; 8]) - 1.0).abs() < 1e-12);
        assert!((jain_index(&[7.0, 0.0, 0.0, 0.0]) - 0.25).abs() < 1e-12);
        let mut metrics = Metrics::default();
        add_fairness(&mut metrics, Metric::Nopm, &[100.0]);
        assert!(metrics.0.is_empty(), "one instance has nobody to be fair to");
        add_fairness(&mut metrics, Metric::Nopm, &[100.0, 50.0]);
        let value = |name: &str| metrics.0.iter().find(|m| m.metric == name).map(|m| m.value);
        assert_eq!(value("nopm_instance_2"), Some(50.0));
        assert_eq!(
            (value("nopm_slowest_instance"), value("nopm_fastest_instance")),
            (Some(50.0), Some(100.0))
        );
        assert!(value("fairness").is_some_and(|index| (index - 0.9).abs() < 1e-12));
    }

    #[test]
    fn what_fails_is_told_with_its_number() {
        let even = |number: &mut i32| {
            if *number % 2 == 0 { Ok(()) } else { Err(Reason::error(format!("{number} is odd"))) }
        };
        let each = |numbers: Vec<i32>| Fleet::each(numbers, even).map_err(|why| why.to_string());
        assert_eq!(each(vec![2, 4]), Ok(vec![2, 4]));
        assert_eq!(each(vec![2, 3]), Err("instance 2: 3 is odd".to_owned()));
        assert_eq!(each(vec![3]), Err("3 is odd".to_owned()));
        let failed = |why: &str| Some(why.to_owned());
        let (runs, faults) =
            sort_out(vec![Ok(Run(1, None)), Err(Reason::error("gone").into()), Ok(Run(2, failed("full")))]);
        assert_eq!(faults.to_string(), "instance 2: gone; instance 3: full");
        assert_eq!(runs.len(), 2);
        let all = Run::together(runs).unwrap();
        assert_eq!((all.0, all.1), (3, None));
        assert_eq!(sort_out(vec![Ok(Run(1, failed("gone")))]).1.to_string(), "gone");
    }
}
