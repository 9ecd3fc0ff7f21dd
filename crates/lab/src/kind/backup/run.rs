//! One cell of backup and restore: cycle after cycle, alone or under load, every restore proven.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use words::{EventKind, Family, Happening, Metric, MetricName, PhaseName, Reason, Reasons, Step};

use database::backup::{
    self, BackupMethod, BackupReport, BackupRequest, BackupWatch, Flipped, RestoreReport, Verified,
};
use database::{Backing, DatabaseError, Instance, InstanceSpec};
use experiment::{Backup, Method};
use ground::Laps;
use notebook::{CellRecord, CellState, Event as CellEvent, Phase};
use oltp::Control;
use oltp::tpcc::{self, Acknowledged, RunOptions, RunOutcome};

use super::parts;
use super::proof::{self, Proof};
use crate::bed::instances;
use crate::bed::lives;
use crate::bed::reset;
use crate::conductor::Conductor;
use crate::event::{Event, Live};
use crate::metrics::{self, Metrics, event, one, phase};
use crate::needs::data_set::DataSet;
use crate::needs::memory;
use crate::order::CellKey;
use crate::storage::drives;
use crate::watch::cell::{mode_of, with_log};
use crate::watch::measurements;
use crate::watch::meter::{Meter, SECOND, Seen};

/// Longer than any backup: the load ends when the cycles have ended.
const UNTIL_STOPPED: Duration = Duration::from_secs(366 * 86_400);
const WATCH_INTERVAL: Duration = Duration::from_millis(200);

pub(super) fn cell(conductor: &Conductor<'_>, key: CellKey, asked: &Backup) -> Result<CellRecord, Reasons> {
    let clock = conductor.clock().stopwatch();
    conductor.observer.event(Event::Phase { name: PhaseName::Reset });
    let seed = conductor.cell_seed(key);
    let fleet = reset::fresh(conductor, key, seed)?;
    let reset_s = clock.seconds();
    let mut source = fleet.instances.into_iter().next().ok_or(Reason::NoInstance)?;
    // A modelled drive is the very drive of the source: source, backup and restored instance compete for it
    // as for one device.
    let of_source = source.spec().ok_or(Reason::ForeignServer)?.clone();
    let bench = Bench::new(conductor, key, asked, seed, of_source)?;
    let settings = source.settings();
    let watch = Arc::new(BackupWatch::new());
    let progress = Arc::clone(&watch);
    conductor.meeting.start();
    let meter = Meter::start(&conductor.sampler, &bench.backings(), move || progress.bytes());
    let worked = bench.under_load(&*source, &meter, &watch);
    let seen = meter.stop();
    conductor.meeting.done();
    let (cycles, load, load_faults) = worked?;
    let proven = bench.prove_all(&mut *source, &cycles);
    drop(source);
    let drill = match &proven {
        Ok(_) if asked.drill && !cycles.is_empty() => bench.drill(),
        _ => Ok(None),
    };
    bench.clear_up();
    let outcome = Outcome { cycles, load, load_faults, seen, reset_s };
    Ok(record(conductor, asked, &outcome, proven.and(drill), {
        let mut events = measurements::settings_and_reset(&settings, fleet.first_state, reset_s);
        events.extend(outcome.cycles.iter().map(Cycle::event));
        events
    }))
}

/// Everything that a cell works with.
struct Bench<'a> {
    conductor: &'a Conductor<'a>,
    key: CellKey,
    asked: &'a Backup,
    seed: u64,
    /// The place of the restored instance: the bed's own drives.
    restored: InstanceSpec,
    request: BackupRequest,
}

/// One backup and its fate.
struct Cycle {
    number: u32,
    made: BackupReport,
    verified: Verified,
    restored: RestoreReport,
    proof: Proof,
    database_bytes: u64,
    phases: Vec<Phase>,
}

struct Outcome {
    cycles: Vec<Cycle>,
    load: Option<RunOutcome>,
    /// The events that ended the load, or made it begin anew.
    load_faults: Reasons,
    seen: Seen,
    reset_s: f64,
}

impl<'a> Bench<'a> {
    fn new(
        conductor: &'a Conductor<'a>,
        key: CellKey,
        asked: &'a Backup,
        seed: u64,
        of_source: InstanceSpec,
    ) -> Result<Self, String> {
        let bed = &conductor.experiment.bed[key.bed];
        let restored = InstanceSpec { dir: conductor.work.restored(bed), log_dir: None, ..of_source };
        let (dir, backing) = match &asked.target {
            None => (conductor.work.backup(bed, &bed.storage), restored.data.clone()),
            Some(target) => {
                let drive = drives::choose_one(bed, target).map_err(|e| e.to_string())?;
                (conductor.work.backup(bed, target), drive.backing(seed ^ 2))
            }
        };
        let request = BackupRequest {
            method: match asked.method {
                Method::Physical => BackupMethod::Physical,
                Method::Logical => BackupMethod::Logical,
            },
            compress: asked.compress,
            rate_limit_bytes_per_s: asked.rate_limit.map(|rate| rate.0),
            backing,
            ..BackupRequest::new(&dir)
        };
        Ok(Self { conductor, key, asked, seed, restored, request })
    }

    fn backings(&self) -> Vec<&Backing> {
        vec![&self.restored.data, &self.restored.log, &self.request.backing]
    }

    /// The cycles, and the load that went on meanwhile where there are users.
    fn under_load(
        &self,
        source: &dyn Instance,
        meter: &Meter,
        watch: &BackupWatch,
    ) -> Result<(Vec<Cycle>, Option<RunOutcome>, Reasons), Reasons> {
        let acknowledged = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&acknowledged);
        let on_acknowledged = move |order| lock(&heard).push(order);
        let control = Control::default();
        let over = AtomicBool::new(false);
        let life = lives::of(source);
        let worked = std::thread::scope(|scope| {
            scope.spawn(|| self.pass_on_interrupts(&control, watch, &over));
            let load = self.options().map(|options| {
                let (control, on_acknowledged) = (&control, &on_acknowledged);
                scope.spawn(move || {
                    tpcc::run_acknowledging(source, &options, control, on_acknowledged)
                        .map_err(|e| with_log(source, e.to_string()))
                })
            });
            let cycles = self.wait_for_load(&control, &over, load.as_ref().is_some_and(|l| l.is_finished()));
            let cycles = cycles.map_err(Reasons::from);
            let cycles = cycles.and_then(|()| self.cycles(source, meter, watch, &acknowledged));
            control.stop.store(true, Ordering::Release);
            let load = load.map(|load| load.join().unwrap_or_else(|_| Err(Reason::LoadFailed.into())));
            over.store(true, Ordering::Release);
            // The end of the load is the better reason: a backup fails where the server has died.
            let load = load.transpose()?;
            Ok((cycles?, load))
        });
        worked.map(|(cycles, load)| {
            let faults = load.as_ref().map(|load| {
                let fatal = Reasons::from(load.fatal.clone());
                let end = lives::end_since(source, life.as_ref(), self.conductor.clock());
                fatal.into_iter().chain(end).chain(load.requests.fault())
            });
            let faults = faults.into_iter().flatten().collect();
            (cycles, load, faults)
        })
    }

    fn options(&self) -> Option<RunOptions> {
        let virtual_users = self.asked.virtual_users[self.key.level];
        (virtual_users > 0).then(|| RunOptions {
            virtual_users,
            warehouses: self.asked.warehouses,
            ramp_up: self.asked.ramp_up.0,
            measure: UNTIL_STOPPED,
            seed: self.seed,
            mode: mode_of(self.conductor),
            ..RunOptions::default()
        })
    }

    /// Waits until the load is measured, where there is one.
    fn wait_for_load(&self, control: &Control, over: &AtomicBool, ended: bool) -> Result<(), Reason> {
        if self.asked.virtual_users[self.key.level] == 0 || ended {
            return Ok(());
        }
        self.conductor.observer.event(Event::Phase { name: PhaseName::RampUp });
        let limit = self.asked.ramp_up.0 + Duration::from_secs(60);
        let start = self.conductor.clock().stopwatch();
        while control.live.phase() < oltp::Phase::Measure && !over.load(Ordering::Acquire) {
            if control.stop.load(Ordering::Acquire) || start.elapsed() > limit {
                return Err(Reason::LoadNotBegun);
            }
            self.conductor.clock().sleep(WATCH_INTERVAL / 10);
        }
        Ok(())
    }

    fn pass_on_interrupts(&self, control: &Control, watch: &BackupWatch, over: &AtomicBool) {
        let start = self.conductor.clock().stopwatch();
        let (mut laps, mut before) = (Laps::of(self.conductor.clock(), SECOND), 0);
        while !over.load(Ordering::Acquire) {
            self.conductor.clock().sleep(WATCH_INTERVAL);
            if self.conductor.interrupt.requested() {
                watch.stop();
                control.stop.store(true, Ordering::Release);
            }
            let Some(lap) = laps.ended() else { continue };
            let now = watch.bytes();
            let rate_per_s = now.saturating_sub(before) as f64 / 1e6 / lap.as_secs_f64();
            before = now;
            let (unit, elapsed_s) = ("MB/s of copy".to_owned(), start.seconds());
            let live = Live { rate_per_s, unit, elapsed_s, ..Live::default() };
            self.conductor.observer.event(Event::Live(live));
        }
    }

    fn pause(&self, watch: &BackupWatch) {
        let (start, time) = (self.conductor.clock().stopwatch(), self.asked.pause.0);
        while start.elapsed() < time && !watch.is_stopped() {
            self.conductor.clock().sleep(WATCH_INTERVAL.min(time.saturating_sub(start.elapsed())));
        }
    }

    fn cycles(
        &self,
        source: &dyn Instance,
        meter: &Meter,
        watch: &BackupWatch,
        acknowledged: &Mutex<Vec<Acknowledged>>,
    ) -> Result<Vec<Cycle>, Reasons> {
        let mut cycles = Vec::new();
        for number in 1..=self.asked.cycles {
            if number > 1 {
                self.pause(watch);
            }
            if watch.is_stopped() {
                break;
            }
            let known = lock(acknowledged).len();
            match self.cycle(number, source, meter, watch, || lock(acknowledged)[..known].to_vec()) {
                Err(_) if watch.is_stopped() => break,
                cycle => cycles.push(cycle?),
            }
        }
        Ok(cycles)
    }

    fn cycle(
        &self,
        number: u32,
        source: &dyn Instance,
        meter: &Meter,
        watch: &BackupWatch,
        acknowledged: impl Fn() -> Vec<Acknowledged>,
    ) -> Result<Cycle, Reasons> {
        let mut phases = Vec::new();
        let mut phase = |name: PhaseName, from_s: f64| {
            phases.push(metrics::phase(name.numbered(number), from_s, meter.now_s()));
        };
        let in_cycle =
            |step: Step, error: String| Reason::InCycle { cycle: number, why: Box::new(step.failed(error)) };
        let failed = |step: Step| move |error: DatabaseError| in_cycle(step, error.to_string());
        let database_bytes = source.size_bytes();
        let known = acknowledged();
        self.conductor.observer.event(Event::Phase { name: PhaseName::Backup });
        let from_s = meter.now_s();
        let made = source.back_up(&self.request, watch).map_err(failed(Step::Backup))?;
        phase(PhaseName::Backup, from_s);
        self.conductor.observer.event(Event::Phase { name: PhaseName::Verify });
        let verified = backup::verify(&self.request.dir).map_err(failed(Step::Verify))?;
        self.conductor.observer.event(Event::Phase { name: PhaseName::Restore });
        let from_s = meter.now_s();
        let mut restored = self.make_restored()?;
        let report = restored.restore_backup(&self.request, watch).map_err(failed(Step::Restore))?;
        phase(PhaseName::Restore, from_s);
        self.conductor.observer.event(Event::Phase { name: PhaseName::Proof });
        let from_s = meter.now_s();
        let data = DataSet::OrderEntry { warehouses: self.asked.warehouses };
        let proof = proof::of(self.conductor, restored, &self.restored.dir, &data, &known)
            .map_err(|error| in_cycle(Step::Proof, error))?;
        phase(PhaseName::Proof, from_s);
        reset::remove_dir(&self.restored.dir).map_err(|e| e.to_string())?;
        Ok(Cycle { number, made, verified, restored: report, proof, database_bytes, phases })
    }

    fn make_restored(&self) -> Result<Box<dyn Instance>, String> {
        reset::remove_dir(&self.restored.dir).map_err(|e| e.to_string())?;
        let limits =
            memory::limits_of(self.conductor.experiment, &self.conductor.experiment.bed[self.key.bed]);
        instances::make_limited(self.conductor, self.restored.clone(), &limits).map_err(|e| e.to_string())
    }

    /// Success if every restored instance held all its data; stops the source.
    fn prove_all(&self, source: &mut dyn Instance, cycles: &[Cycle]) -> Result<(), Reasons> {
        let mut found = Reasons::default();
        // A source that went on working holds more than its backups; those are verified by the orders that
        // were acknowledged before.
        if self.asked.virtual_users[self.key.level] == 0 && !cycles.is_empty() {
            let dir = self.conductor.work.instance(&self.conductor.experiment.bed[self.key.bed], 0);
            let sums = proof::sums_of_source(self.conductor, source, &dir)?;
            for cycle in cycles {
                let differences = backup::differences(&sums, &cycle.proof.sums);
                found.extend(differences.into_iter().map(|what| what.of_cycle(cycle.number)));
            }
        }
        found.extend(cycles.iter().flat_map(|cycle| cycle.proof.failed(cycle.number)));
        match found.is_empty() {
            true => Ok(()),
            false => Err(Reason::RestoredOtherwise { found }.into()),
        }
    }

    /// Turns over one bit of the last backup: the proof must catch it.
    fn drill(&self) -> Result<Option<Happening>, Reasons> {
        let dir = &self.request.dir;
        let flip = || backup::flip_bit(dir, self.seed).map_err(|e| Step::Drill.failed(e));
        let Flipped { bit, offset: byte, file } = flip()?;
        let caught = backup::verify(dir);
        flip()?;
        match caught {
            Ok(_) => Err(Reason::DrillUnnoticed { bit, byte, file }.into()),
            Err(error) => Ok(Some(Happening::DrillCaught { bit, byte, file, error: error.to_string() })),
        }
    }

    /// Removes the cell's other things besides its instance. The next cell or the run's end finds and names
    /// those that cannot be removed now.
    fn clear_up(&self) {
        let _ = reset::remove_dir(&self.restored.dir);
        let _ = reset::remove_dir(&self.request.dir);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cycle {
    /// The result of the cycle.
    fn event(&self) -> CellEvent {
        let (made, restored) = (&self.made, &self.restored);
        let told = Happening::Cycle {
            number: self.number,
            database_mb: self.database_bytes as f64 / 1e6,
            backup_s: made.elapsed.as_secs_f64(),
            files: made.files as u64,
            files_mb: made.bytes as f64 / 1e6,
            tool: made.tool.clone(),
            restore_s: restored.elapsed.as_secs_f64(),
            copied_s: restored.files.as_secs_f64(),
            start_s: restored.start.as_secs_f64(),
            proof: self.proof.told(),
        };
        event(EventKind::Cycle, told)
    }
}

fn record(
    conductor: &Conductor<'_>,
    asked: &Backup,
    outcome: &Outcome,
    proven: Result<Option<Happening>, Reasons>,
    mut events: Vec<CellEvent>,
) -> CellRecord {
    let interrupted = outcome.cycles.len() < asked.cycles as usize && conductor.interrupt.requested();
    let (state, reasons) = match &proven {
        _ if !outcome.load_faults.is_empty() => (CellState::Invalid, outcome.load_faults.clone()),
        Err(why) => (CellState::Invalid, why.clone()),
        Ok(_) if interrupted => {
            let done = outcome.cycles.len() as u32;
            (CellState::Interrupted, Reason::StoppedAfterCycles { done }.into())
        }
        Ok(_) => (CellState::Done, Reasons::default()),
    };
    let drill = proven.ok().flatten();
    events.extend(drill.map(|caught| event(EventKind::Drill, caught)));
    let mut phases = vec![phase(PhaseName::Reset, -outcome.reset_s, 0.0)];
    phases.extend(outcome.cycles.iter().flat_map(|cycle| cycle.phases.clone()));
    let mut series = outcome.seen.series(Some(Metric::BackupRate));
    if let Some(load) = &outcome.load {
        let seconds = load.timeline_all.seconds();
        series.push(one(Metric::Tpm, seconds.iter().map(|s| s.count as f64 * 60.0)));
        series.push(measurements::by_second(Metric::LATENCY_P50, &seconds, |s| s.p50_ns as f64));
        series.push(measurements::by_second(Metric::LATENCY_P99, &seconds, |s| s.p99_ns as f64));
        series.push(measurements::by_second(Metric::LATENCY_P999, &seconds, |s| s.p999_ns as f64));
        let warning = |what| event(EventKind::Warning, what);
        events.extend(load.requests.warnings().into_iter().map(warning));
    }
    CellRecord {
        state,
        reasons,
        phases,
        measurements: metrics(asked, outcome),
        series,
        events,
        ..CellRecord::default()
    }
}

fn metrics(asked: &Backup, outcome: &Outcome) -> Vec<notebook::Measurement> {
    let mut metrics = Metrics::default();
    let cycles = &outcome.cycles;
    let mean = |of: &dyn Fn(&Cycle) -> f64| match cycles.len() {
        0 => f64::NAN,
        many => cycles.iter().map(of).sum::<f64>() / many as f64,
    };
    let seconds = |of: fn(&Cycle) -> Duration| mean(&|cycle: &Cycle| of(cycle).as_secs_f64());
    let (backup_s, restore_s) = (seconds(|c| c.made.elapsed), seconds(|c| c.restored.elapsed));
    metrics.add(Metric::BackupTime, backup_s);
    metrics.add(Metric::RestoreTime, restore_s);
    let megabytes = mean(&|cycle: &Cycle| cycle.database_bytes as f64 / 1e6);
    // The size of the database, not of the backup: the user waits for a database, whatever its backup weighs.
    metrics.add(Metric::BackupBandwidth, megabytes / backup_s);
    metrics.add(Metric::RestoreBandwidth, megabytes / restore_s);
    metrics.add(Metric::DatabaseSize, megabytes);
    metrics.add(Metric::BackupSize, mean(&|cycle: &Cycle| cycle.made.bytes as f64 / 1e6));
    metrics.add(Metric::VerifyTime, seconds(|c| c.verified.elapsed));
    metrics.add(Metric::ProofTime, seconds(|c| c.proof.elapsed));
    metrics.add(Metric::Cycles, cycles.len() as f64);
    metrics.add(Metric::CyclesAsked, f64::from(asked.cycles));
    parts::add_backups(&mut metrics, &cycles.iter().map(|cycle| cycle.made.parts).collect::<Vec<_>>());
    parts::add_restores(&mut metrics, &cycles.iter().map(|cycle| cycle.restored).collect::<Vec<_>>());
    let proven = cycles.iter().filter(|cycle| cycle.proof.failed(cycle.number).is_empty()).count();
    metrics.add(Metric::ProvenRestores, proven as f64);
    for cycle in cycles {
        let of_cycle = |metric| MetricName::Of(metric, Family::Cycle(cycle.number));
        metrics.add(of_cycle(Metric::BackupTime), cycle.made.elapsed.as_secs_f64());
        metrics.add(of_cycle(Metric::RestoreTime), cycle.restored.elapsed.as_secs_f64());
    }
    if let Some(load) = &outcome.load {
        metrics.add(Metric::NopmUnderBackup, load.nopm);
        metrics.add(Metric::TpmUnderBackup, load.tpm);
        measurements::requests(&mut metrics, &load.requests);
    }
    outcome.seen.add_totals(&mut metrics, None);
    metrics.add(Metric::ResetTime, outcome.reset_s);
    metrics.0
}
