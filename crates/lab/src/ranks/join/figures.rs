//! The figures behind the limiter of a fleet's cell: rates and samples are summed, shares are means.

use words::{LimiterFigures, ProcessorFigures};

/// The figures of all ranks, in the form of the first: figures of another form are left out.
pub(super) fn joined(first: &LimiterFigures, others: &[&LimiterFigures]) -> LimiterFigures {
    let merge = |(all, ranks): (LimiterFigures, f64), other: &&LimiterFigures| {
        (merged(all, ranks, other), ranks + 1.0)
    };
    others.iter().fold((first.clone(), 1.0), merge).0
}

/// `all` of so many `ranks`, and one rank more.
fn merged(all: LimiterFigures, ranks: f64, other: &LimiterFigures) -> LimiterFigures {
    use LimiterFigures as F;
    let mean = |all: f64, other: &f64| mean((all, ranks), (*other, 1.0));
    let boxed = |all: Box<F>, other: &F| Box::new(merged(*all, ranks, other));
    match (all, other) {
        (F::WithProcessors { rest, processors }, F::WithProcessors { rest: of, processors: others }) => {
            F::WithProcessors { rest: boxed(rest, of), processors: of_processors(processors, ranks, others) }
        }
        (
            F::Workers { generator_percent, kernel_percent },
            F::Workers { generator_percent: g, kernel_percent: k },
        ) => F::Workers {
            generator_percent: mean(generator_percent, g),
            kernel_percent: mean(kernel_percent, k),
        },
        (all @ (F::WorkersPaced { .. } | F::WorkersBehind { .. }), other) => {
            of_paced_workers(all, ranks, other)
        }
        (all @ (F::PaceKept { .. } | F::PaceMissed { .. } | F::PaceAbove { .. }), other) => {
            of_pace(all, ranks, other)
        }
        (all @ (F::Sessions { .. } | F::SessionsFew { .. }), other) => of_sessions(all, ranks, other),
        (
            F::Users { drive_reads_percent, log_percent, writer_percent, rest_percent, processors },
            F::Users {
                drive_reads_percent: reads,
                log_percent: log,
                writer_percent: writer,
                rest_percent: rest,
                processors: others,
            },
        ) => F::Users {
            drive_reads_percent: mean(drive_reads_percent, reads),
            log_percent: mean(log_percent, log),
            writer_percent: mean(writer_percent, writer),
            rest_percent: mean(rest_percent, rest),
            processors: of_processors(processors, ranks, others),
        },
        (all, _) => all,
    }
}

/// The rate of all, and the rate that was asked of all.
fn of_paced_workers(mut all: LimiterFigures, ranks: f64, other: &LimiterFigures) -> LimiterFigures {
    use LimiterFigures as F;
    if let (
        F::WorkersPaced { iops, asked_iops, generator_percent, kernel_percent }
        | F::WorkersBehind { iops, asked_iops, generator_percent, kernel_percent },
        F::WorkersPaced { iops: own, asked_iops: asked, generator_percent: g, kernel_percent: k }
        | F::WorkersBehind { iops: own, asked_iops: asked, generator_percent: g, kernel_percent: k },
    ) = (&mut all, other)
    {
        *iops += own;
        *asked_iops += asked;
        *generator_percent = mean((*generator_percent, ranks), (*g, 1.0));
        *kernel_percent = mean((*kernel_percent, ranks), (*k, 1.0));
    }
    all
}

/// The same of transactions.
fn of_pace(mut all: LimiterFigures, ranks: f64, other: &LimiterFigures) -> LimiterFigures {
    use LimiterFigures as F;
    if let (
        F::PaceKept { per_s, asked_per_s, rest }
        | F::PaceMissed { per_s, asked_per_s, rest }
        | F::PaceAbove { per_s, asked_per_s, rest },
        F::PaceKept { per_s: own, asked_per_s: asked, rest: of }
        | F::PaceMissed { per_s: own, asked_per_s: asked, rest: of }
        | F::PaceAbove { per_s: own, asked_per_s: asked, rest: of },
    ) = (&mut all, other)
    {
        *per_s += own;
        *asked_per_s += asked;
        **rest = merged((**rest).clone(), ranks, of);
    }
    all
}

/// Shares by the samples of all. A rank that saw too few sessions for shares adds nothing to those of others.
fn of_sessions(all: LimiterFigures, ranks: f64, other: &LimiterFigures) -> LimiterFigures {
    use LimiterFigures as F;
    match (all, other) {
        (
            F::Sessions { log_percent, drive_percent, locks_percent, rest_percent, samples, processors },
            F::Sessions {
                log_percent: log,
                drive_percent: drive,
                locks_percent: locks,
                rest_percent: rest,
                samples: more,
                processors: others,
            },
        ) => {
            let mean = |all: f64, other: &f64| mean((all, samples as f64), (*other, *more as f64));
            F::Sessions {
                log_percent: mean(log_percent, log),
                drive_percent: mean(drive_percent, drive),
                locks_percent: mean(locks_percent, locks),
                rest_percent: mean(rest_percent, rest),
                samples: samples + more,
                processors: of_processors(processors, ranks, others),
            }
        }
        (F::SessionsFew { samples, processors }, F::SessionsFew { samples: more, processors: others }) => {
            F::SessionsFew { samples: samples + more, processors: of_processors(processors, ranks, others) }
        }
        (F::SessionsFew { .. }, of @ F::Sessions { .. }) => of.clone(),
        (all, _) => all,
    }
}

/// The mean of two values, each with its weight; 0 without any weight.
fn mean((one, by): (f64, f64), (other, of): (f64, f64)) -> f64 {
    (one * by + other * of) / (by + of).max(1.0)
}

fn of_processors(all: ProcessorFigures, ranks: f64, other: &ProcessorFigures) -> ProcessorFigures {
    use ProcessorFigures as P;
    let mean = |all: f64, other: &f64| mean((all, ranks), (*other, 1.0));
    match (all, other) {
        (
            P::Known { idle_percent, others_percent_of_busy, steal_percent },
            P::Known { idle_percent: idle, others_percent_of_busy: others, steal_percent: steal },
        ) => P::Known {
            idle_percent: mean(idle_percent, idle),
            others_percent_of_busy: mean(others_percent_of_busy, others),
            steal_percent: mean(steal_percent, steal),
        },
        (
            P::OthersNotKnown { idle_percent, steal_percent },
            P::OthersNotKnown { idle_percent: idle, steal_percent: steal },
        ) => P::OthersNotKnown {
            idle_percent: mean(idle_percent, idle),
            steal_percent: mean(steal_percent, steal),
        },
        (all, _) => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(log_percent: f64, samples: u64) -> LimiterFigures {
        let processors = ProcessorFigures::OthersNotKnown { idle_percent: log_percent, steal_percent: 0.0 };
        let rest_percent = 100.0 - log_percent;
        LimiterFigures::Sessions {
            log_percent,
            drive_percent: 0.0,
            locks_percent: 0.0,
            rest_percent,
            samples,
            processors,
        }
    }

    #[test]
    fn rates_and_samples_are_summed_and_shares_are_means() {
        let kept =
            LimiterFigures::PaceKept { per_s: 51.2, asked_per_s: 50.0, rest: sessions(20.0, 10).into() };
        let missed =
            LimiterFigures::PaceMissed { per_s: 40.0, asked_per_s: 50.0, rest: sessions(80.0, 30).into() };
        let LimiterFigures::PaceKept { per_s, asked_per_s, rest } = joined(&kept, &[&missed]) else {
            panic!("the form of the first")
        };
        assert_eq!((per_s, asked_per_s), (91.2, 100.0));
        let LimiterFigures::Sessions { log_percent, rest_percent, samples, processors, .. } = *rest else {
            panic!("the form of the first")
        };
        assert_eq!((log_percent, rest_percent, samples), (65.0, 35.0, 40));
        assert_eq!(processors, ProcessorFigures::OthersNotKnown { idle_percent: 50.0, steal_percent: 0.0 });
    }

    #[test]
    fn a_rank_of_another_form_changes_nothing() {
        let one = sessions(20.0, 10);
        assert_eq!(joined(&one, &[&LimiterFigures::ModelUnpaced]), one);
        let paced = |iops| LimiterFigures::WorkersPaced {
            iops,
            asked_iops: 100.0,
            generator_percent: 10.0,
            kernel_percent: 30.0,
        };
        let three = joined(&paced(99.0), &[&paced(101.0), &paced(100.0)]);
        let all = LimiterFigures::WorkersPaced {
            iops: 300.0,
            asked_iops: 300.0,
            generator_percent: 10.0,
            kernel_percent: 30.0,
        };
        assert_eq!(three, all);
    }
}
