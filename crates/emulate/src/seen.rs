//! The time of operations as callers of a mount saw it, beside the model's: measured by the layer in the run
//! itself.
//!
//! Three parts are known, each from its own source. The layer knows the time from each request to its answer.
//! The witness knows the way before and after that, at the load, as a median: one that the machine kept from
//! its processor tells nothing of the mount. The kernel knows how long the threads of the load waited for a
//! processor. The first two are the mount's; the third is the machine's, and would be there with a real drive
//! as well. So a mount that is slow, or early, and a machine that is busy are told apart.
//!
//! The threads of the load give a bound that nothing can exceed: their whole time for each operation, as
//! often as they had operations under way. It shows a mount that is early, and corrects a witness that saw a
//! longer way than the load has.

use measure::Histogram;

use crate::counters::{Counters, Io};
use crate::way::{CallersSeen, Way, places};

/// The relative distance of a mean from the model's beyond which it is told.
pub const NEAR: f64 = 0.10;
/// The part of the way that is not known: in 15 of 18 rows of `bench fuse` at depth 1 callers had a way that
/// was longer than the rehearsal's by no more (BENCHMARKS.md). Their caches are colder than those of a loop.
const WAY_UNSURE: f64 = 0.20;
/// And so much of it in any case, ns: where the scheduler moves each woken program to another processor,
/// rehearsals of one machine found ways of 7 to 17 us, and fio had 17 to 20 us (BENCHMARKS.md).
const WAY_UNSURE_NS: f64 = 10_000.0;
/// Operations of a kind, and of the witness, below which a figure says nothing.
const COUNT_LEAST: u64 = 20;
/// The names of the kinds, in the order of all arrays here, and of all together.
const KINDS: [&str; 3] = ["reads", "writes", "syncs"];
const ALL: &str = "operations";

/// The mean times of a kind of operations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// Its name: `reads`, `writes` or `syncs`; `operations` for all together.
    pub kind: &'static str,
    /// Operations.
    pub count: u64,
    /// By the model, ns.
    pub model_ns: f64,
    /// As callers saw it, without their waits for a processor, ns.
    pub seen_ns: f64,
    /// Their waits for a processor beyond those of an idle machine, ns: an upper bound, as they may have
    /// waited with other work.
    pub waits_ns: f64,
    /// By how much callers may have seen a longer time than `seen_ns`, ns: the part of the way that is not
    /// known, as far as their threads had the time.
    pub unsure_ns: f64,
}

impl Seen {
    /// By what part of the model's time callers waited longer for the mount; negative where they were
    /// answered early, infinite where the model takes no time.
    #[must_use]
    pub fn by(&self) -> f64 {
        if self.seen_ns > 0.0 { self.seen_ns / self.model_ns - 1.0 } else { -1.0 }
    }

    /// The same with their waits for a processor.
    #[must_use]
    pub fn by_in_all(&self) -> f64 {
        (self.seen_ns + self.waits_ns) / self.model_ns - 1.0
    }

    /// True if the mount is more than a tenth from its model.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.by().abs() > NEAR
    }

    /// The time that callers perhaps saw, ns: with the part of the way that is not known, and the waits for a
    /// processor.
    #[must_use]
    pub fn perhaps_ns(&self) -> f64 {
        self.seen_ns + self.unsure_ns + self.waits_ns
    }

    /// The distance of that from the model.
    #[must_use]
    pub fn by_perhaps(&self) -> f64 {
        self.perhaps_ns() / self.model_ns - 1.0
    }

    /// True if callers may have waited more than a tenth longer than the model says, and neither the mount
    /// nor their waits for a processor are known to be the reason.
    #[must_use]
    pub fn may_be_off(&self) -> bool {
        !self.is_off() && !self.is_held_up() && self.by_perhaps() > NEAR
    }

    /// True if the waits for a processor alone made callers go on more than a tenth later than the model
    /// says.
    #[must_use]
    pub fn is_held_up(&self) -> bool {
        self.model_ns > 0.0 && self.waits_ns > NEAR * self.model_ns
    }
}

/// Latencies of a mount's callers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Judged {
    /// Reads, writes and syncs; `None` for a kind of too few operations. The model of a kind may take no
    /// time, as for the flush of a drive that keeps its cache without power.
    pub kinds: [Option<Seen>; 3],
    /// All of these together.
    pub all: Option<Seen>,
}

impl Judged {
    /// The kinds that are off their model, or all together if no kind alone is.
    #[must_use]
    pub fn off(&self) -> Vec<Seen> {
        self.first_of(Seen::is_off)
    }

    /// The same for those that were held up by the machine.
    #[must_use]
    pub fn held_up(&self) -> Vec<Seen> {
        self.first_of(Seen::is_held_up)
    }

    /// The same for those of which the way is not known well enough to say it.
    #[must_use]
    pub fn perhaps_off(&self) -> Vec<Seen> {
        let mut perhaps = self.first_of(Seen::may_be_off);
        // Of all together only where no kind is known to be off, which tells more.
        perhaps.retain(|seen| seen.kind != ALL || self.off().is_empty());
        perhaps
    }

    fn first_of(&self, is: fn(&Seen) -> bool) -> Vec<Seen> {
        let kinds: Vec<Seen> = self.kinds.into_iter().flatten().filter(is).collect();
        if kinds.is_empty() { self.all.into_iter().filter(is).collect() } else { kinds }
    }
}

impl Counters {
    /// The mean times that callers saw beside those of the model, data and log together.
    #[must_use]
    pub fn judged(&self) -> Judged {
        let mut kinds = [0, 1, 2].map(|kind| self.of_kind(kind));
        // A drive that never takes time has no model.
        let Some(mut all) = together(&kinds).filter(|all| all.model_ns > 0.0) else {
            return Judged::default();
        };
        let bound_ns = bound_ns(&self.callers).unwrap_or(f64::INFINITY);
        // The kernel's own operations, as when it writes pages back, are no thread's: the bound is one of the
        // threads' operations.
        let theirs_ns = self.threads_saw_ns();
        let beyond_ns = (theirs_ns - bound_ns).max(0.0);
        let waits_ns = waits_ns(&self.callers, theirs_ns - beyond_ns, bound_ns);
        let left_ns = (bound_ns - (theirs_ns - beyond_ns) - waits_ns).max(0.0);
        let of_threads = (self.callers.alone + self.callers.queued).max(1) as f64;
        let of_threads = of_threads.min(all.count as f64);
        for seen in kinds.iter_mut().flatten().chain([&mut all]) {
            seen.seen_ns = (seen.seen_ns - beyond_ns).max(0.0);
            seen.waits_ns = waits_ns;
            // The bound is one of all kinds together: one kind may have had all the time that is left.
            let times = (of_threads / seen.count as f64).max(1.0);
            seen.unsure_ns = seen.unsure_ns.min(left_ns * times);
        }
        Judged { kinds, all: Some(all) }
    }

    /// The mean time of the threads' operations by the layer and its witness, ns.
    fn threads_saw_ns(&self) -> f64 {
        let of_threads = (self.callers.alone + self.callers.queued).max(1) as f64;
        let counts = [0, 1, 2].map(|kind| self.counted(kind) as f64);
        let beyond_ns: f64 = (0..3).map(|kind| self.beyond_foreseen_ns(kind) * counts[kind]).sum();
        self.callers.took_ns as f64 / of_threads + beyond_ns / counts.iter().sum::<f64>().max(1.0)
    }

    /// Operations of a kind.
    fn counted(&self, kind: usize) -> u64 {
        let of = |io: &Io| [io.model_read.len(), io.model_write.len(), io.model_sync.len()][kind];
        of(&self.data) + of(&self.log)
    }

    /// The latency of one kind by the layer and its witness.
    fn of_kind(&self, kind: usize) -> Option<Seen> {
        let (data, log) = (&self.data, &self.log);
        let (seen, model) = match kind {
            0 => ([&data.read, &log.read], [&data.model_read, &log.model_read]),
            1 => ([&data.write, &log.write], [&data.model_write, &log.model_write]),
            _ => ([&data.sync, &log.sync], [&data.model_sync, &log.model_sync]),
        };
        let count = self.counted(kind);
        let sum = |of: [&Histogram; 2]| of.iter().map(|h| h.mean_ns() * h.len() as f64).sum::<f64>();
        let mean = |of: [&Histogram; 2]| sum(of) / count.max(1) as f64;
        let model_ns = mean(model);
        let seen_ns = (mean(seen) + self.beyond_foreseen_ns(kind)).max(0.0);
        let unsure_ns = (WAY_UNSURE * self.foreseen_ns(kind)).max(WAY_UNSURE_NS).max(self.tail_ns(kind));
        (count >= COUNT_LEAST).then(|| Seen {
            kind: KINDS[kind],
            count,
            model_ns,
            seen_ns,
            waits_ns: 0.0,
            unsure_ns,
        })
    }

    /// The mean way of a kind as it was foreseen, ns.
    fn foreseen_ns(&self, kind: usize) -> f64 {
        let ways = &self.ways[places(kind)];
        let operations: u64 = ways.iter().map(|way| way.operations).sum();
        ways.iter().map(|way| way.foreseen_ns as f64).sum::<f64>() / operations.max(1) as f64
    }

    /// By how much the mean way of the witness was longer than its median, ns: the delays of few operations,
    /// as by a host that takes its processors away. Callers may have had them, or not.
    fn tail_ns(&self, kind: usize) -> f64 {
        let ways = &self.ways[places(kind)];
        let operations: u64 = ways.iter().map(|way| way.operations).sum();
        let looked_at = ways.iter().filter(|way| way.probes.len() >= COUNT_LEAST);
        let tail_ns = |way: &Way| (way.probes.mean_ns() - way.probes.quantile_ns(0.5) as f64).max(0.0);
        looked_at.map(|way| tail_ns(way) * way.operations as f64).sum::<f64>() / operations.max(1) as f64
    }

    /// By how much the path of a kind was longer than the way that was foreseen, ns; negative where it was
    /// shorter, as by the usual lateness of the mount, which counts with its own times.
    fn beyond_foreseen_ns(&self, kind: usize) -> f64 {
        let (mut beyond_ns, mut all) = (0.0, 0);
        for way in &self.ways[places(kind)] {
            all += way.operations;
            let mut path_ns = way.path_ns as f64;
            // Two callers keep each other's processors awake, so the witness may see a shorter path than a
            // single caller has: then that of the rehearsal stands. So it does where nobody looked.
            if way.probes.len() >= COUNT_LEAST {
                path_ns = path_ns.max(way.probes.quantile_ns(0.5) as f64 * way.operations as f64);
            }
            beyond_ns += path_ns - way.foreseen_ns as f64;
        }
        beyond_ns / all.max(1) as f64
    }
}

/// The sum of all kinds.
fn together(kinds: &[Option<Seen>; 3]) -> Option<Seen> {
    let there = || kinds.iter().flatten();
    let count: u64 = there().map(|seen| seen.count).sum();
    let mean =
        |of: fn(&Seen) -> f64| there().map(|seen| of(seen) * seen.count as f64).sum::<f64>() / count as f64;
    let (model_ns, seen_ns) = (mean(|seen| seen.model_ns), mean(|seen| seen.seen_ns));
    let unsure_ns = mean(|seen| seen.unsure_ns);
    (count > 0).then_some(Seen { kind: ALL, count, model_ns, seen_ns, waits_ns: 0.0, unsure_ns })
}

/// The time that no mean can exceed, ns: that of the threads for each of their operations.
fn bound_ns(callers: &CallersSeen) -> Option<f64> {
    let all = callers.alone + callers.queued;
    (all >= COUNT_LEAST).then(|| (callers.alone_ns + callers.queued_ns) as f64 / all as f64)
}

/// The time that an operation waited for a processor of its caller's, ns, beside this time of the mount's.
fn waits_ns(callers: &CallersSeen, seen_ns: f64, bound_ns: f64) -> f64 {
    let all = (callers.alone + callers.queued).max(1) as f64;
    let alone_ns = callers.waited_ns as f64 / callers.alone.max(1) as f64;
    let alone_ns = alone_ns.min((bound_ns - seen_ns).max(0.0));
    // Neither at the mount nor on the way; and no longer than their threads were awake.
    let per = |ns: u64| ns as f64 / callers.queued.max(1) as f64;
    let queued_ns = (per(callers.queued_ns) - seen_ns).max(0.0).min(per(callers.queued_awake_ns));
    (alone_ns * callers.alone as f64 + queued_ns * callers.queued as f64) / all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::IoKind;
    use crate::way::way_place;

    const READ: usize = 0;
    const WRITE: usize = 4;
    const SYNC: usize = 8;

    /// A thousand reads of 100 us and writes of 20 us, with a way of 10 us foreseen for each.
    fn counters() -> Counters {
        let mut counters = Counters::default();
        counters.data.read.record_n(100_000, 1000);
        counters.data.model_read.record_n(100_000, 1000);
        counters.data.write.record_n(20_000, 1000);
        counters.data.model_write.record_n(20_000, 1000);
        for place in [READ, WRITE] {
            counters.ways[place].operations = 1000;
            counters.ways[place].foreseen_ns = 10_000_000;
            counters.ways[place].path_ns = 9_500_000;
        }
        counters
    }

    /// The threads of all these operations were looked at: 60 us each by the layer.
    const LOOKED_AT: CallersSeen = CallersSeen {
        alone: 0,
        alone_ns: 0,
        waited_ns: 0,
        queued: 0,
        queued_ns: 0,
        queued_awake_ns: 0,
        took_ns: 2000 * 60_000,
        crowded: 0,
    };

    fn off(counters: &Counters) -> Vec<(&'static str, i64)> {
        let percent = |seen: &Seen| (seen.kind, (seen.by() * 1e2).round() as i64);
        counters.judged().off().iter().map(percent).collect()
    }

    #[test]
    fn the_way_of_the_run_is_set_against_what_was_foreseen() {
        assert_eq!((way_place(IoKind::Read, 4096), way_place(IoKind::Write, 4096)), (READ, WRITE));
        let mut counters = counters();
        counters.data.sync.record_n(9_000_000, 5);
        counters.data.model_sync.record_n(1_000, 5);
        assert_eq!(off(&counters), [], "five syncs say nothing, and nobody looked");
        counters.ways[WRITE].probes.record_n(16_000, 19);
        assert_eq!(off(&counters), [], "19 looks say nothing");
        counters.ways[WRITE].probes.record_n(16_000, 1);
        assert_eq!(off(&counters), [("writes", 30)]);
        counters.ways[READ].probes.record_n(25_000, 50);
        counters.ways[READ].probes.record_n(4_000_000, 49);
        assert_eq!(off(&counters), [("reads", 15), ("writes", 30)], "a median, whatever the rest");
        let unsure_us = counters.judged().kinds.map(|kind| kind.map(|seen| (seen.unsure_ns / 1e3).round()));
        assert_eq!(unsure_us, [Some(1968.0), Some(10.0), None], "the rest tells what is not known");
    }

    #[test]
    fn a_way_that_is_not_known_well_enough_is_told_where_it_matters() {
        let mut counters = counters();
        let perhaps = |counters: &Counters| counters.judged().perhaps_off();
        let told = |counters: &Counters| -> Vec<(&str, i64)> {
            let percent = |seen: &Seen| (seen.kind, (seen.by_perhaps() * 1e2).round() as i64);
            perhaps(counters).iter().map(percent).collect()
        };
        // 10 us are 10 % of reads of 100 us, which are 0.5 us early, and half of writes of 20 us.
        assert_eq!(told(&counters), [("writes", 47)]);
        // A fifth of a long way is more.
        (counters.ways[READ].foreseen_ns, counters.ways[READ].path_ns) = (90_000_000, 90_000_000);
        assert_eq!(told(&counters), [("reads", 18), ("writes", 47)]);
        (counters.ways[READ].foreseen_ns, counters.ways[READ].path_ns) = (10_000_000, 9_500_000);
        // Their threads had no time for it: 60 us for each of both.
        counters.callers = CallersSeen { alone: 2000, alone_ns: 2000 * 60_000, ..LOOKED_AT };
        assert_eq!(perhaps(&counters), []);
        counters.ways[WRITE].probes.record_n(16_000, 50);
        counters.callers.alone_ns = 2000 * 90_000;
        assert_eq!((perhaps(&counters), off(&counters)), (vec![], vec![("writes", 30)]));
    }

    #[test]
    fn syncs_of_a_drive_that_takes_no_time_for_them_are_told_and_change_nothing_else() {
        let mut counters = Counters::default();
        counters.data.write.record_n(202_000, 1000);
        counters.data.model_write.record_n(200_000, 1000);
        counters.data.sync.record_n(26_000, 1000);
        counters.data.model_sync.record_n(0, 1000);
        for place in [WRITE, SYNC] {
            counters.ways[place].operations = 1000;
            counters.ways[place].foreseen_ns = 10_000_000;
            counters.ways[place].path_ns = 9_000_000;
            counters.ways[place].probes.record_n(12_000, 50);
        }
        // A thread that writes and syncs in turn: 240 us for both.
        let took_ns = 1000 * (202_000 + 26_000);
        counters.callers = CallersSeen { alone: 2000, alone_ns: 1000 * 240_000, took_ns, ..LOOKED_AT };
        let judged = counters.judged();
        let (writes, syncs) = (judged.kinds[1].unwrap(), judged.kinds[2].unwrap());
        assert!((203_000.0..206_000.0).contains(&writes.seen_ns), "{writes:?}");
        assert!((27_000.0..29_000.0).contains(&syncs.seen_ns), "{syncs:?}");
        assert_eq!(judged.off(), [syncs]);
        assert!(syncs.by().is_infinite() && !syncs.is_held_up());
        // A drive that takes no time at all has no model.
        counters.data.model_write = counters.data.model_sync.clone();
        assert_eq!(counters.judged(), Judged::default());
    }

    #[test]
    fn a_mount_is_early_if_the_time_of_its_callers_shows_it() {
        let mut counters = counters();
        for place in [READ, WRITE] {
            counters.ways[place].probes.record_n(2_000, 50);
        }
        let seen = counters.judged().kinds[1].unwrap();
        assert!((seen.seen_ns - 19_500.0).abs() < 50.0, "the usual lateness is no part of the way: {seen:?}");
        assert_eq!(off(&counters), [], "the witness alone does not tell");
        counters.callers = CallersSeen { alone: 2000, alone_ns: 2000 * 52_000, ..LOOKED_AT };
        assert_eq!(off(&counters), [("writes", -40)]);
        assert!((counters.judged().all.unwrap().by() + 0.13).abs() < 0.01);
    }

    #[test]
    fn the_whole_time_of_threads_with_one_operation_bounds_what_the_witness_says() {
        let mut counters = counters();
        for place in [READ, WRITE] {
            counters.ways[place].probes.record_n(16_000, 50);
        }
        assert_eq!(off(&counters), [("writes", 30)]);
        // 60 us by the model on average, 66 us by the witness, 61 us in truth.
        counters.callers = CallersSeen { alone: 2000, alone_ns: 2000 * 61_000, ..LOOKED_AT };
        assert_eq!(off(&counters), []);
        counters.callers.alone_ns = 2000 * 90_000;
        assert_eq!(off(&counters), [("writes", 30)], "they think for a while");
    }

    #[test]
    fn writes_of_the_kernel_itself_make_no_read_early() {
        let mut counters = counters();
        counters.data.write.record_n(4_000_000, 500);
        counters.data.model_write.record_n(4_000_000, 500);
        // A thread that reads; its pages are written back by the kernel.
        let reads = CallersSeen { alone: 1000, alone_ns: 105_000_000, ..CallersSeen::default() };
        counters.callers = CallersSeen { took_ns: 100_000_000, ..reads };
        let read = counters.judged().kinds[0].unwrap();
        assert!((99_000.0..101_000.0).contains(&read.seen_ns), "{read:?}");
        assert_eq!(off(&counters), []);
        counters.callers.alone_ns = 80_000_000;
        assert_eq!(off(&counters)[0].0, "reads", "its own time shows that they are early");
    }

    #[test]
    fn small_parts_that_together_exceed_a_tenth_are_told() {
        let seen = |waits_ns: f64, unsure_ns: f64| {
            let seen = Seen { kind: ALL, count: 20, model_ns: 100.0, seen_ns: 105.0, waits_ns, unsure_ns };
            (seen.is_off(), seen.may_be_off(), seen.is_held_up())
        };
        assert_eq!(seen(3.0, 1.0), (false, false, false));
        assert_eq!(seen(3.0, 3.0), (false, true, false));
        assert_eq!(seen(12.0, 3.0), (false, false, true));
        // No more than their threads had: 62 us, of which 1.5 us were waits.
        let mut counters = counters();
        for place in [READ, WRITE] {
            counters.ways[place].path_ns = 10_000_000;
        }
        let waited = CallersSeen { alone: 2000, alone_ns: 2000 * 62_000, ..LOOKED_AT };
        counters.callers = CallersSeen { waited_ns: 2000 * 1_500, ..waited };
        let judged = counters.judged();
        let (all, reads) = (judged.all.unwrap(), judged.kinds[0].unwrap());
        assert!((2_000.0 - all.waits_ns - all.unsure_ns).abs() < 100.0, "{all:?}");
        assert!(
            (reads.unsure_ns - 2.0 * all.unsure_ns).abs() < 1.0,
            "all of it may be that of reads: {reads:?}"
        );
    }

    #[test]
    fn a_busy_machine_is_no_slow_mount() {
        let mut counters = counters();
        let waited = CallersSeen { alone: 2000, alone_ns: 2000 * 99_000, ..LOOKED_AT };
        counters.callers = CallersSeen { waited_ns: 2000 * 8_000, ..waited };
        let judged = counters.judged();
        assert_eq!(judged.off(), []);
        assert_eq!(judged.held_up().iter().map(|seen| seen.kind).collect::<Vec<_>>(), ["writes"]);
        counters.callers.waited_ns = 2000 * 80_000;
        let waits_ns = |counters: &Counters| counters.judged().all.unwrap().waits_ns;
        // Histograms round a little.
        assert!((waits_ns(&counters) - 39_500.0).abs() < 100.0, "no more than their time");
        // A thread with 16 under way that never sleeps: 150 us for each, of which 60 are the drive's.
        let queued = CallersSeen { queued: 2000, queued_ns: 2000 * 150_000, ..LOOKED_AT };
        counters.callers = CallersSeen { queued_awake_ns: queued.queued_ns, ..queued };
        assert!((waits_ns(&counters) - 90_500.0).abs() < 100.0);
        counters.callers.queued_awake_ns = 2000 * 2_000;
        assert_eq!(waits_ns(&counters), 2_000.0, "most of the time it waits for something else");
    }
}
