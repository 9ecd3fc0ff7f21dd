//! The watcher of a load: passes on interrupts, shows progress, samples storage, host and the server's waits meanwhile.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use database::Instance;
use host::Sampler;
use oltp::tpcc::{Control, Phase};

use crate::Event;
use crate::conduct::Conductor;

/// How often the watcher looks at the load: often enough that Ctrl-C feels immediate, seldom enough to cost nothing.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);

/// A load's own outcome with what was seen from outside meanwhile.
pub(crate) struct Watched<T> {
    pub(crate) outcome: T,
    /// Host counters about every second from the start of the load to its end.
    pub(crate) host: Vec<host::Counters>,
    /// What the host did during the measure phase.
    pub(crate) usage: Option<host::Usage>,
    /// What had gone through the storage at each second, for the series; zeros under a server.
    pub(crate) storage_seconds: Vec<Traffic>,
    /// What the server's sessions waited for in the measure phase: samples by event. Empty for the embedded engine.
    pub(crate) waits: BTreeMap<String, u64>,
}

/// Totals of the storage at one moment: plain numbers, since a long run keeps one for every second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Traffic {
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    pub(crate) read_bytes: u64,
    pub(crate) write_bytes: u64,
}

impl Traffic {
    fn of(instance: &dyn Instance) -> Self {
        let counters = instance.storage_counters();
        let (data, log) = (&counters.data, &counters.log);
        Self {
            reads: data.reads + log.reads,
            writes: data.writes + log.writes,
            read_bytes: data.read_bytes + log.read_bytes,
            write_bytes: data.write_bytes + log.write_bytes,
        }
    }
}

/// Runs `load` under a watcher. `unit` says what the live counter of new work counts.
pub(crate) fn under_load<T>(
    conductor: &Conductor<'_>,
    instance: &dyn Instance,
    unit: &'static str,
    control: Control,
    load: impl FnOnce(&Control) -> Result<T, String>,
) -> Result<Watched<T>, String> {
    let at_measure: Arc<OnceLock<host::Counters>> = Arc::default();
    let control = Control { on_phase: Some(on_phase(&at_measure)), ..control };
    let over = AtomicBool::new(false);
    let sampler = Sampler::start(Duration::from_secs(1));
    let (outcome, at_end, seen) = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(conductor, instance, unit, &control, &over));
        let outcome = load(&control);
        let at_end = host::Counters::read();
        over.store(true, Ordering::Release);
        (outcome, at_end, watcher.join())
    });
    let host = sampler.stop();
    let seen = seen.map_err(|_| "the watcher of the load failed".to_owned())?;
    let usage = at_measure.get().zip(at_end.ok()).map(|(start, end)| end.since(start));
    Ok(Watched { outcome: outcome?, host, usage, storage_seconds: seen.storage_seconds, waits: seen.waits })
}

/// Reads the host's counters at the very moment at which the measure phase begins.
fn on_phase(at_measure: &Arc<OnceLock<host::Counters>>) -> Box<dyn Fn(Phase) + Send + Sync> {
    let at_measure = Arc::clone(at_measure);
    Box::new(move |phase| {
        if phase == Phase::Measure
            && let Ok(counters) = host::Counters::read()
        {
            let _ = at_measure.set(counters); // There is one measure phase; a second value cannot come.
        }
    })
}

/// What the watcher gathered.
struct Seen {
    storage_seconds: Vec<Traffic>,
    waits: BTreeMap<String, u64>,
}

fn watch(
    conductor: &Conductor<'_>,
    instance: &dyn Instance,
    unit: &'static str,
    control: &Control,
    over: &AtomicBool,
) -> Seen {
    let start = Instant::now();
    let mut seen = Seen { storage_seconds: vec![Traffic::of(instance)], waits: BTreeMap::new() };
    let mut phase = Phase::Preparing;
    let mut last = (start, 0_u64);
    while !over.load(Ordering::Acquire) {
        std::thread::sleep(WATCH_INTERVAL);
        if conductor.interrupt.requested() {
            control.stop.store(true, Ordering::Release);
        }
        if control.live.phase() != phase {
            phase = control.live.phase();
            conductor.observer.event(Event::Phase { name: phase.name() });
        }
        if phase == Phase::Measure {
            sample_waits(instance, &mut seen.waits);
        }
        if start.elapsed().as_secs() as usize >= seen.storage_seconds.len() {
            seen.storage_seconds.push(Traffic::of(instance));
        }
        if last.0.elapsed() >= Duration::from_millis(500) {
            last = live(conductor, unit, control, start, last);
        }
    }
    seen
}

/// One look at what the server's sessions wait for; a server that does not answer is the load's business.
fn sample_waits(instance: &dyn Instance, waits: &mut BTreeMap<String, u64>) {
    for (event, sessions) in instance.wait_sample().unwrap_or_default() {
        *waits.entry(event).or_default() += u64::from(sessions);
    }
}

/// Tells the rate since the last time; returns when that was.
fn live(
    conductor: &Conductor<'_>,
    unit: &'static str,
    control: &Control,
    start: Instant,
    last: (Instant, u64),
) -> (Instant, u64) {
    let done = match unit {
        "new orders/s" => control.live.new_orders.load(Ordering::Relaxed),
        _ => control.live.transactions.load(Ordering::Relaxed),
    };
    let rate_per_s = done.saturating_sub(last.1) as f64 / last.0.elapsed().as_secs_f64();
    let p99 = control.live.p99_ns.load(Ordering::Relaxed);
    let p99_ns = (p99 > 0).then_some(p99);
    conductor.observer.event(Event::Live { rate_per_s, unit, p99_ns, elapsed: start.elapsed() });
    (Instant::now(), done)
}
