//! The watcher of a load: passes on interrupts, shows progress, samples storage, host and the server's waits
//! meanwhile.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use block::Beginning;
use database::{Instance, RunsIn, Waits};
use ground::Laps;
use host::CounterSource;
use oltp::{Control, Live, Phase, StartLine};
use words::{Reason, Reasons};

use crate::bed::lives;
use crate::conductor::Conductor;
use crate::event::{self, Event};
use crate::membership::CellMeeting;
use crate::order::CellKey;
use crate::watch::meter::SECOND;

/// The interval at which the watcher checks the load: short enough that Ctrl-C feels immediate, long enough
/// to cost nothing.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);

/// Servers whose waits are sampled at each look: of many, each in its turn.
const SAMPLED_AT_A_LOOK: usize = 2;

/// A load's own outcome with the outside view of the same time.
pub(crate) struct Watched<T> {
    pub(crate) outcome: T,
    /// Host counters every second from the start of the load, and at its end.
    pub(crate) host: Vec<host::Counters>,
    /// The host's usage during the measure phase.
    pub(crate) usage: Option<host::Usage>,
    /// Processor time of the servers' own processes in the measure phase, nothing for the embedded engine;
    /// `None` where it is not known.
    pub(crate) server_cpu: Option<Duration>,
    /// The traffic of the storage at each of them; zeros under a server.
    pub(crate) storage: Vec<Traffic>,
    /// The server's sessions in the measure phase: samples by the class of their waits. Empty for the
    /// embedded engine.
    pub(crate) waits: Waits,
    /// Servers that crashed or were started again under the load.
    pub(crate) restarts: Reasons,
}

/// Totals of the storage at one moment: plain numbers, since a long run keeps one for every second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Traffic {
    /// The moment, by the clock of the run.
    pub(crate) at_ns: u64,
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    pub(crate) read_bytes: u64,
    pub(crate) write_bytes: u64,
}

fn traffic(conductor: &Conductor<'_>, instances: &[Box<dyn Instance>]) -> Traffic {
    let mut all = Traffic { at_ns: conductor.clock().now_ns(), ..Traffic::default() };
    for counters in instances.iter().map(|instance| instance.storage_counters()) {
        for io in [&counters.data, &counters.log] {
            all.reads += io.reads;
            all.writes += io.writes;
            all.read_bytes += io.read_bytes;
            all.write_bytes += io.write_bytes;
        }
    }
    all
}

impl<T> Watched<T> {
    /// The outcome, and the rest without it.
    pub(crate) fn apart(self) -> (T, Watched<()>) {
        let Self { outcome, host, usage, server_cpu, storage, waits, restarts } = self;
        (outcome, Watched { outcome: (), host, usage, server_cpu, storage, waits, restarts })
    }

    /// As if nothing had been watched.
    pub(crate) fn of_nothing() -> Watched<()> {
        Watched {
            outcome: (),
            host: Vec::new(),
            usage: None,
            server_cpu: None,
            storage: Vec::new(),
            waits: Waits::default(),
            restarts: Reasons::default(),
        }
    }

    /// The same with another outcome.
    pub(crate) fn with<U>(self, outcome: U) -> Watched<U> {
        let Self { outcome: _, host, usage, server_cpu, storage, waits, restarts } = self;
        Watched { outcome, host, usage, server_cpu, storage, waits, restarts }
    }
}

/// Runs `load` on every instance at once, from one moment on, under a watcher; gives the result of each.
/// `unit` is the unit of the live counter of new work.
pub(crate) fn under_load<T: Send>(
    conductor: &Conductor<'_>,
    key: CellKey,
    instances: &[Box<dyn Instance>],
    unit: &'static str,
    load: impl Fn(usize, &dyn Instance, &Control) -> Result<T, Reasons> + Sync,
) -> Result<Watched<Vec<Result<T, Reasons>>>, Reason> {
    let engines = instances.iter().map(|instance| instance.runs_in()).collect();
    let source = conductor.world.counters;
    let boundaries = Arc::new(Boundaries { source, engines, begin: OnceLock::new(), end: OnceLock::new() });
    let lives = lives::of_all(instances);
    let meeting = conductor.meeting.clone();
    let places = StartLine::places_then(instances.len(), Box::new(move || meeting.ready()));
    let control = |place| Control {
        on_phase: Some(on_phase(&boundaries, &conductor.meeting)),
        start: Some(place),
        hang_up: conductor.interrupt.hang_up(),
        ..Control::default()
    };
    let controls: Vec<Control> = places.into_iter().map(control).collect();
    let over = AtomicBool::new(false);
    let follower = conductor.sampler.follow();
    let mut samples: Vec<_> =
        follower.first().into_iter().map(|host| (host.clone(), traffic(conductor, instances))).collect();
    let (outcome, waits) = std::thread::scope(|scope| {
        scope.spawn(|| follower.each(|host| samples.push((host, traffic(conductor, instances)))));
        let watcher = scope.spawn(|| watch((conductor, key), instances, unit, &controls, &over));
        let load = &load;
        let loads: Vec<_> = instances
            .iter()
            .zip(&controls)
            .enumerate()
            .map(|(number, (instance, control))| scope.spawn(move || load(number, &**instance, control)))
            .collect();
        let failed = |_| Err(Reason::LoadFailed.into());
        let outcome: Vec<_> = loads.into_iter().map(|load| load.join().unwrap_or_else(failed)).collect();
        over.store(true, Ordering::Release);
        follower.stop();
        (outcome, watcher.join())
    });
    let (host, storage) = samples.into_iter().unzip();
    let waits = waits.map_err(|_| Reason::WatcherFailed)?;
    let ends = boundaries.begin.get().zip(boundaries.end.get());
    let usage = ends.map(|(begin, end)| end.host.since(&begin.host));
    let server_cpu = ends.and_then(|(begin, end)| Some(end.servers?.saturating_sub(begin.servers?)));
    let restarts = lives::ends_since(instances, &lives, conductor.clock());
    Ok(Watched { outcome, host, usage, server_cpu, storage, waits, restarts })
}

/// The host's counters at the very moments at which the measure phase begins and ends: work during the wait
/// for answers is no part of it.
struct Boundaries {
    source: CounterSource,
    engines: Vec<RunsIn>,
    begin: OnceLock<Boundary>,
    end: OnceLock<Boundary>,
}

/// The readings at one of them.
struct Boundary {
    host: host::Counters,
    /// Processor time of all servers so far.
    servers: Option<Duration>,
}

fn on_phase(boundaries: &Arc<Boundaries>, meeting: &CellMeeting) -> Box<dyn Fn(Phase) + Send + Sync> {
    let (boundaries, meeting) = (Arc::clone(boundaries), meeting.clone());
    Box::new(move |phase| {
        let boundary = match phase {
            Phase::RampUp => return meeting.begins(),
            Phase::Measure => &boundaries.begin,
            Phase::Drain => &boundaries.end,
            _ => return,
        };
        if boundary.get().is_some() {
            return;
        }
        if let Some(host) = boundaries.source.read() {
            let servers = boundaries.engines.iter().map(|engine| engine.processor_time()).sum();
            // Of several instances, which are at one clock, the first.
            let _ = boundary.set(Boundary { host, servers });
        }
    })
}

/// Watches until the load is over; the waits of the servers' sessions in the measure phase.
fn watch(
    (conductor, key): (&Conductor<'_>, CellKey),
    instances: &[Box<dyn Instance>],
    unit: &'static str,
    controls: &[Control],
    over: &AtomicBool,
) -> Waits {
    let start = conductor.clock().stopwatch();
    let mut waits = Waits::default();
    let mut phase = Phase::Preparing;
    let (mut laps, mut done) = (Laps::of(conductor.clock(), SECOND), 0);
    let (mut looks, mut sampled) = (0, 0);
    let (membership, bed) = (&conductor.world.membership, &conductor.experiment.bed[key.bed]);
    let taking_part = conductor.ranks_at(key);
    while !over.load(Ordering::Acquire) {
        conductor.clock().sleep(WATCH_INTERVAL);
        if conductor.stops() {
            controls.iter().for_each(|control| control.stop.store(true, Ordering::Release));
        }
        // The phase of the one that lags behind, among those that still run.
        let now = controls.iter().map(|control| control.live.phase()).min().unwrap_or(Phase::Done);
        if now != phase {
            phase = now;
            conductor.observer.event(Event::Phase { name: phase.word() });
        }
        looks += 1;
        // Ranks on one server see the same sessions: each asks in its turn.
        if phase == Phase::Measure && membership.is_its_turn(bed, taking_part, looks) {
            let turn =
                (0..instances.len().min(SAMPLED_AT_A_LOOK)).map(|next| (sampled + next) % instances.len());
            // The load reports a server that does not answer.
            turn.for_each(|number| waits.add(&instances[number].wait_sample().unwrap_or_default()));
            sampled += SAMPLED_AT_A_LOOK;
        }
        if let Some(lap) = laps.ended() {
            done = live(conductor, unit, controls, start.elapsed(), (lap, done));
        }
    }
    waits
}

/// Tells the rate of the last lap, before which so much was done; returns what is done now. The percentiles
/// are the worst instance's: those of several cannot be merged from figures.
fn live(
    conductor: &Conductor<'_>,
    unit: &'static str,
    controls: &[Control],
    elapsed: Duration,
    (lap, before): (Duration, u64),
) -> u64 {
    let count = |control: &Control| match unit {
        "new orders/s" => control.live.first_class.load(Ordering::Relaxed),
        _ => control.live.transactions.load(Ordering::Relaxed),
    };
    let done: u64 = controls.iter().map(count).sum();
    let rate_per_s = done.saturating_sub(before) as f64 / lap.as_secs_f64();
    let worst = |of: fn(&Live) -> &AtomicU64| {
        let all = controls.iter().map(|control| of(&control.live).load(Ordering::Relaxed));
        all.max().filter(|latency_ns| *latency_ns > 0)
    };
    conductor.observer.event(Event::Live(event::Live {
        rate_per_s,
        unit: unit.to_owned(),
        p50_ns: worst(|l| &l.p50_ns),
        p99_ns: worst(|l| &l.p99_ns),
        p999_ns: worst(|l| &l.p999_ns),
        elapsed_s: elapsed.as_secs_f64(),
        ..event::Live::default()
    }));
    done
}
