//! Predictions of loads whose truth is known.

use super::work::{COLD, SLEEP_WORK_NS};
use super::*;
use device::catalogue;

fn drive(name: &str) -> DriveSpec {
    catalogue::find(name).expect("it is in the catalogue").spec.clone()
}

fn pair<'a>(from: &'a DriveSpec, to: &'a DriveSpec) -> Drives<'a> {
    Drives { from, to, model_spread: drives::MODEL_SPREAD }
}

fn demand(one_writer: bool) -> Demand {
    Demand {
        users: 8,
        processors: 4,
        cpu_ns: 300_000.0,
        reads: 2.0,
        read_bytes: 8192,
        log_bytes: 8000.0,
        log_page_bytes: 8192,
        image_share: 0.3,
        mix: KINDS,
        weights: [1.2, 0.6, 0.5, 4.0, 0.7],
        waited_writes: 0.5,
        writes: 1.0,
        write_bytes: 8192,
        layer: Layer { work_ns: 20_000.0, read_late_ns: 10_000.0, sync_ns: 9_000.0 },
        data_bytes: 1 << 33,
        one_writer,
        known_waits: None,
        measured_per_s: 0.0,
        measured_spread: 0.02,
        measured_latency: None,
        measured_commit: None,
    }
}

/// A load with waits of its own is simulated on both drives; from what it does on one the other is
/// predicted.
#[test]
fn what_happens_on_one_drive_tells_what_happens_on_the_other_and_back() {
    let (nvme, sata) = (drive("kingston-dc1500m-960g"), drive("micron-5200-eco-1920g"));
    for one_writer in [false, true] {
        for (from, to) in [(&sata, &nvme), (&nvme, &sata)] {
            let whole = demand(one_writer);
            let hidden = Demand { measured_per_s: 1000.0, cpu_ns: 1.1 * whole.cpu_ns, ..whole };
            let layer = layer_of(&hidden, from, 7);
            let here = simulate(&hidden, layer, from, 400_000.0, 7);
            let measured = Demand { measured_per_s: here.per_s, ..whole };
            let found = predict(&measured, pair(from, to), 1).expect("the demands are good");
            let hidden = moved(&hidden, layer, to, &here, 7);
            let truth = simulate(&hidden, layer, to, 400_000.0, 7).per_s;
            assert!(
                (found.per_s.value / truth - 1.0).abs() < 0.12,
                "{one_writer}: {found:?} against {truth}"
            );
            assert!(
                found.per_s.low < truth && truth < found.per_s.high,
                "{one_writer}: {found:?} against {truth}"
            );
        }
    }
}

/// As if both processors were busy all the time, commits would take 85 % too long on the faster drive. The
/// hidden truth is one end of the range that the prediction lies in the middle of.
#[test]
fn commits_are_predicted_between_busy_and_idle_processors() {
    let (nvme, sata) = (drive("kingston-dc1500m-960g"), drive("micron-5200-eco-1920g"));
    let whole = Demand {
        processors: 2,
        reads: 5.0,
        layer: Layer::default(),
        measured_per_s: 1000.0,
        ..demand(false)
    };
    let layer = LayerWork::default();
    for (from, to) in [(&sata, &nvme), (&nvme, &sata)] {
        let here = simulate(&whole, layer, from, 1_500_000.0, 7);
        let there = moved(&whole, layer, to, &here, 7);
        let there = simulate(&there, layer, to, 1_500_000.0, 7);
        let commit = Some(Latency::of(&here.commit));
        let measured = Demand { measured_per_s: here.per_s, measured_commit: commit, ..whole };
        let found = predict(&measured, pair(from, to), 1).expect("the demands are good").commit_mean_ns;
        let mean_ns = there.commit.mean_ns();
        assert!((found.value / mean_ns - 1.0).abs() < 0.5, "{found:?} against {mean_ns}");
        assert!(found.low < mean_ns && mean_ns < found.high, "{found:?} against {mean_ns}");
    }
}

#[test]
fn waits_for_locks_grow_with_commits_and_pauses_stay() {
    let (nvme, sata) = (drive("kingston-dc1500m-960g"), drive("micron-5200-eco-1920g"));
    let whole = Demand { measured_per_s: 1000.0, layer: Layer::default(), ..demand(false) };
    let tried = |on: &DriveSpec, wait_ns| simulate(&whole, layer_of(&whole, on, 7), on, wait_ns, 7);
    let (here, there) = (tried(&nvme, 0.0), tried(&sata, 0.0));
    let locks = |wait_ns| {
        let here_per_s = tried(&nvme, wait_ns).per_s;
        Locks::on(wait_ns, (&here, &there), here_per_s, |wait_ns| tried(&sata, wait_ns).per_s)
    };
    let found = locks(200_000.0);
    assert!(found.most_ns > 200_000.0, "{found:?}");
    assert!(found.least_ns <= found.likely_ns && found.likely_ns <= found.most_ns, "{found:?}");
    assert_eq!(locks(0.0), Locks::default());
    let told = |waits: KnownWaits, wait_ns| {
        let measured_per_s = tried(&nvme, wait_ns).per_s;
        let demand = Demand { measured_per_s, known_waits: Some(waits), ..whole };
        predict(&demand, pair(&nvme, &sata), 7).expect("the demands are good").per_s
    };
    let pauses = told(KnownWaits { pause_ns: 2e6, lock_ns: 0.0 }, 2e6);
    let truth = tried(&sata, 2e6).per_s;
    assert!((pauses.value / truth - 1.0).abs() < 0.05, "{pauses:?} against {truth}");
    let locked = told(KnownWaits { pause_ns: 0.0, lock_ns: 200_000.0 }, 200_000.0);
    assert!(locked.value < tried(&sata, 200_000.0).per_s, "{locked:?}");
    assert!(locked.low < locked.value && locked.value < locked.high, "{locked:?}");
}

/// Processor time of others may be counted as the load's: then it did more than that allows.
#[test]
fn the_same_drive_gives_the_measurement_back() {
    let nvme = drive("kingston-dc1500m-960g");
    for (cpu_ns, pause_ns) in [(300_000.0, 0.0), (300_000.0, 2e6), (30_000_000.0, 0.0)] {
        let known_waits = Some(KnownWaits { pause_ns, lock_ns: 0.0 });
        let demand =
            Demand { cpu_ns, known_waits, measured_per_s: 1000.0, layer: Layer::default(), ..demand(false) };
        let found = predict(&demand, pair(&nvme, &nvme), 7).expect("the demands are good").per_s;
        assert!((found.value / 1000.0 - 1.0).abs() < 0.01, "{cpu_ns} {pause_ns}: {found:?}");
        assert!(found.low < 1000.0 && 1000.0 < found.high, "{cpu_ns} {pause_ns}: {found:?}");
    }
}

/// On busy processors waits of a millisecond take nothing; on the drive that leaves them idle they do.
#[test]
fn waits_that_hide_on_busy_processors_count_on_idle_ones() {
    let (nvme, sata) = (drive("kingston-dc1500m-960g"), drive("micron-5200-eco-1920g"));
    let whole =
        Demand { users: 6, processors: 2, cpu_ns: 500_000.0, measured_per_s: 1000.0, ..demand(false) };
    let layer = layer_of(&whole, &nvme, 7);
    let here = simulate(&whole, layer, &nvme, 0.0, 7);
    let measured = Demand { measured_per_s: here.per_s, ..whole };
    let found = predict(&measured, pair(&nvme, &sata), 7).expect("the demands are good");
    let there = moved(&measured, layer, &sata, &here, 7);
    let without = simulate(&there, layer, &sata, 0.0, 7).per_s;
    assert!(here.idle_share < 0.02, "{}", here.idle_share);
    let value = found.per_s.value;
    assert!(value < 0.98 * without && without < found.per_s.high, "{found:?} {without}");
    assert_eq!(found.unexplained_ns, 0.0, "the measurement does not show them");
}

#[test]
fn work_takes_longer_where_processors_idle_and_where_processes_sleep() {
    let (nvme, sata) = (drive("kingston-dc1500m-960g"), drive("micron-5200-eco-1920g"));
    // It takes longer than the faster drive takes for a write.
    let layer = Layer { work_ns: 40_000.0, ..Layer::default() };
    let demand = Demand { measured_per_s: 1000.0, layer, ..demand(false) };
    let layer = layer_of(&demand, &nvme, 7);
    let here = simulate(&demand, layer, &nvme, 0.0, 7);
    let there = moved(&demand, layer, &sata, &here, 7);
    let tried = simulate(&there, layer, &sata, 0.0, 7);
    assert!(tried.idle_share > here.idle_share, "the slower drive lets them wait");
    assert!(tried.sleeps > here.sleeps + 0.5, "its writes take longer than the layer");
    let factor = (1.0 + COLD * tried.idle_share) / (1.0 + COLD * here.idle_share);
    let sleeps_ns = SLEEP_WORK_NS * (tried.sleeps - here.sleeps);
    let expected_ns = demand.cpu_ns * factor + sleeps_ns;
    assert!((there.cpu_ns / expected_ns - 1.0).abs() < 0.005, "{} {expected_ns}", there.cpu_ns);
    let same = moved(&demand, layer, &nvme, &here, 7).cpu_ns;
    assert!((same / demand.cpu_ns - 1.0).abs() < 1e-6, "nothing moves on the same drive");
}

/// A page that makes room is written right before the read, which meets the medium at work: the time of a
/// read on a slow drive grows by more than the acknowledgement of the write.
#[test]
fn a_page_that_makes_room_slows_the_read_after_it() {
    let sata = drive("micron-5200-eco-1920g");
    let writes_to = |waited_writes: f64, writes: f64| Demand {
        users: 1,
        cpu_ns: 8_000_000.0,
        reads: 4.0,
        waited_writes,
        writes,
        layer: Layer::default(),
        measured_per_s: 100.0,
        ..demand(false)
    };
    let mean_ns = |demand: Demand| simulate(&demand, LayerWork::default(), &sata, 0.0, 7).latency.mean_ns();
    let (before, elsewhere) = (mean_ns(writes_to(4.0, 0.0)), mean_ns(writes_to(0.0, 4.0)));
    let acknowledged_ns = 4.0 * sata.write_ack_ns as f64;
    assert!(before - elsewhere > 1.5 * acknowledged_ns, "{before} {elsewhere} {acknowledged_ns}");
}

/// Idle processors hide no wait: a load that does what the model says has none to carry over.
#[test]
fn waits_hide_on_saturated_processors_alone() {
    let nvme = drive("kingston-dc1500m-960g");
    let waits_ns = |users: u32| {
        let demand = Demand { users, measured_per_s: 1000.0, ..demand(false) };
        let here = simulate(&demand, LayerWork::default(), &nvme, 0.0, 7);
        let met = Demand { measured_per_s: here.per_s, ..demand };
        let per_s = |wait_ns| simulate(&demand, LayerWork::default(), &nvme, wait_ns, 7).per_s;
        (here.idle_share, unexplained_ns(&met, &here, per_s))
    };
    let ((idle, alone_ns), (busy, crowd_ns)) = (waits_ns(1), waits_ns(64));
    assert!(idle > 0.5 && alone_ns == 0.0, "{idle} {alone_ns}");
    assert!(busy < HIDDEN_SHARE && crowd_ns > 1e5, "{busy} {crowd_ns}");
}

#[test]
fn the_interval_holds_what_other_shares_of_cold_work_would_give() {
    let (nvme, sata) = (drive("kingston-dc1500m-960g"), drive("micron-5200-eco-1920g"));
    let demand = Demand { measured_per_s: 2000.0, measured_spread: 0.0, ..demand(false) };
    let both = Both::of(&demand, pair(&nvme, &sata), 7).expect("transactions end");
    let (here, there) = (both.here(0.0), both.there(0.0));
    let (found, _) = both.per_s(&here, &there);
    let [warm, cold] = COLD_RANGE.map(|cold| found.value * both.as_cold(cold, &there).per_s / there.per_s);
    assert!(cold < found.value && found.value < warm, "{cold} {found:?} {warm}");
    let wide = 1.0 + drives::MODEL_SPREAD - 1e-9;
    assert!(found.low <= cold / wide && found.high >= warm * wide, "{found:?}");
    let noisy = Demand { measured_spread: 0.1, ..demand };
    assert!((spread_of(&noisy, 0.07) - (0.1 * 2.0_f64.sqrt() + 0.07)).abs() < 1e-12);
}

#[test]
fn demands_that_cannot_be_are_refused() {
    let nvme = drive("kingston-dc1500m-960g");
    let bad = Demand { cpu_ns: f64::NAN, measured_per_s: 100.0, ..demand(false) };
    assert!(predict(&bad, pair(&nvme, &nvme), 1).is_err());
    assert!(predict(&demand(false), pair(&nvme, &nvme), 1).is_err(), "no throughput was measured");
    let endless = Demand { reads: 1e9, measured_per_s: 100.0, ..demand(false) };
    let error = predict(&endless, pair(&nvme, &nvme), 1).expect_err("it never ends").to_string();
    assert!(error.contains("no transaction would end"), "{error}");
}
