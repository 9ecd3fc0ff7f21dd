//! No request vanishes: servers that answer late, too late, or never, and connections that die.

use super::*;
use words::Happening;

const MS: Duration = Duration::from_millis(1);
/// Longer than the machine ever takes for a call that takes 1 ms.
const HOLE: Duration = Duration::from_millis(1_200);
const ARRIVALS: Pacing = Pacing::Arrivals { per_second: 100.0 };

/// A server that takes 1 ms for each call and answers nobody from `from_ms` on for a while; times run from
/// the ramp-up of 30 ms on.
fn holed(
    from_ms: u64,
    length: Duration,
) -> Puppet<impl Fn(u64) -> Result<(), Failure> + Send + Sync + 'static> {
    let from = Duration::from_millis(from_ms);
    Puppet { hole: Some((from, from + length)), ..Puppet::new(MS, |_| Ok(())) }
}

fn quick() -> Puppet<impl Fn(u64) -> Result<(), Failure> + Send + Sync + 'static> {
    Puppet::new(MS, |_| Ok(()))
}

/// Every request that was due is in exactly one place.
fn assert_whole(record: &Record) {
    let Requests { due, failed, answered_late, unfinished, unknown, .. } = record.requests;
    assert_eq!(latencies(record), due - failed, "{:?}", record.requests);
    assert!(answered_late + unfinished + unknown + failed <= due);
}

/// The number of latencies of at least that length.
fn as_long_as(record: &Record, least: Duration) -> u64 {
    let all = record.classes.iter().flat_map(|class| class.latency.recorded());
    // Buckets are a little coarse.
    all.filter(|(ns, _)| *ns as f64 >= least.as_nanos() as f64 * 0.99).map(|(_, count)| count).sum()
}

#[test]
fn a_hole_in_the_middle_of_a_closed_loop_is_a_gap_and_a_latency_of_each_user() {
    let record = against(holed(200, HOLE), &plan(4, Pacing::None, 2_000)).record;
    assert_whole(&record);
    assert_eq!(as_long_as(&record, HOLE - 100 * MS), 4, "each user waited once");
    let Requests { longest_gap, standstills, .. } = &record.requests;
    assert!(*longest_gap >= HOLE - 100 * MS, "{longest_gap:?}");
    assert_eq!(standstills.len(), 1, "{standstills:?}");
    assert!(matches!(record.requests.warnings()[0], Happening::Standstill { length_s: 1.0..2.0, .. }));
    let empty = record.timeline_all.seconds().iter().filter(|second| second.count == 0).count();
    assert!(empty <= 1 && record.timeline_all.len_s() == 3, "the time line reaches to the end");
}

#[test]
fn a_hole_at_the_end_of_a_closed_loop_counts_though_answers_come_after_the_end() {
    for pacing in [Pacing::None, Pacing::Keyed { factor: 0.02 }] {
        let driven = against(holed(400, HOLE), &plan(4, pacing, 1_500));
        let record = &driven.record;
        assert_whole(record);
        assert_eq!(driven.fatal, None);
        assert_eq!(driven.measured, Duration::from_millis(1_500), "the phase is no longer for it");
        let Requests { answered_late, unfinished, longest_gap, .. } = record.requests;
        assert_eq!((answered_late, unfinished), (4, 0), "{pacing:?}");
        assert_eq!(as_long_as(record, HOLE - 200 * MS), 4, "{pacing:?}");
        assert!(longest_gap >= 1_000 * MS, "{pacing:?}: {longest_gap:?}");
        assert_eq!(record.timeline_all.len_s(), 2, "nothing happened in the last second");
        let told: usize = driven.tallies.iter().map(Vec::len).sum();
        assert_eq!(completed(record), told as u64, "throughput is what was answered inside the phase");
        assert_eq!(completed(record) + 4, record.requests.due + entered(record), "{pacing:?}");
    }
}

/// Answers in the phase to requests of the ramp-up: throughput without a latency. By difference, since nobody
/// counts them.
fn entered(record: &Record) -> u64 {
    completed(record) + record.requests.answered_late - record.requests.due
}

#[test]
fn a_hole_over_the_beginning_is_a_gap_from_the_beginning() {
    let record = against(holed(10, HOLE), &plan(4, Pacing::None, 2_000)).record;
    assert!(record.requests.longest_gap >= HOLE - 200 * MS, "{:?}", record.requests);
    assert_eq!(record.requests.standstills[0].from, Duration::ZERO);
    let open = against(holed(10, HOLE), &plan(4, ARRIVALS, 2_000)).record;
    assert!(as_long_as(&open, HOLE / 2) >= 30, "of the arrivals of the first half");
}

#[test]
fn a_server_that_never_answers_again_leaves_lower_bounds_after_a_bounded_time() {
    for (pacing, least) in [(Pacing::None, 4), (Pacing::Keyed { factor: 0.02 }, 4), (ARRIVALS, 100)] {
        let plan = Plan { drain_max: 300 * MS, ..plan(4, pacing, 1_500) };
        let since = Instant::now();
        let driven = against(holed(300, Duration::from_secs(3_600)), &plan);
        assert!(since.elapsed() < Duration::from_secs(60));
        let record = &driven.record;
        assert_whole(record);
        let Requests { unfinished, answered_late, .. } = record.requests;
        assert!(unfinished >= least && answered_late == 0, "{pacing:?}: {:?}", record.requests);
        assert!(as_long_as(record, 1_000 * MS) >= 4, "{pacing:?}: those under way are as old as that");
        let warnings = record.requests.warnings();
        let is_unfinished = |w: &Happening| matches!(w, Happening::RequestsUnfinished { .. });
        assert!(warnings.iter().any(is_unfinished), "{warnings:?}");
        assert_eq!(record.requests.standstills.len(), 1, "{pacing:?}: {:?}", record.requests);
        assert_eq!(driven.fatal, None, "what it means for the cell is said by who looks at the server");
    }
}

#[test]
fn arrivals_are_the_same_with_and_without_a_hole() {
    let asked = plan(4, ARRIVALS, 2_000);
    let whole = against(quick(), &asked).record;
    assert!((120..=280).contains(&whole.requests.due), "a Poisson count with mean 200: {:?}", whole.requests);
    for from_ms in [200, 1_500] {
        let record = against(holed(from_ms, HOLE), &asked).record;
        assert_whole(&record);
        assert_eq!(record.requests.due, whole.requests.due, "none has vanished");
        assert_eq!((record.requests.unfinished, latencies(&record)), (0, whole.requests.due));
        assert!(
            as_long_as(&record, HOLE / 2) >= 25,
            "those of the first half of the hole waited for the second"
        );
        assert!(record.requests.longest_gap >= 500 * MS);
    }
}

#[test]
fn what_still_stands_in_the_queue_at_the_end_is_served_up_to_the_drain_limit() {
    // Four connections of 20 ms each serve 200 a second; 1,000 arrive.
    let asked = plan(100, Pacing::Arrivals { per_second: 1_000.0 }, 500);
    let slow = || Puppet::new(20 * MS, |_| Ok(()));
    let all = against(slow(), &asked).record;
    assert_whole(&all);
    assert!(all.requests.due > 350 && all.requests.unfinished == 0, "{:?}", all.requests);
    assert!(all.requests.answered_late > all.requests.due / 2, "most were answered after the end");
    assert!(completed(&all) < all.requests.due / 2, "and are no throughput");
    let short = against(slow(), &Plan { drain_max: 200 * MS, ..asked }).record;
    assert_whole(&short);
    assert_eq!(short.requests.due, all.requests.due);
    assert!(short.requests.unfinished > 100, "{:?}", short.requests);
    assert!(short.pool_wait.len() > short.service.len(), "some never got a connection");
    assert_eq!(short.requests.standstills, [], "it answered all the time");
}

#[test]
fn far_too_many_arrivals_are_counted_without_being_drawn_one_by_one() {
    let asked = Plan { drain_max: 50 * MS, ..plan(10, Pacing::Arrivals { per_second: 1e8 }, 300) };
    let record = against(Puppet::new(20 * MS, |_| Ok(())), &asked).record;
    let due = record.requests.due as f64;
    assert!((due / 3e7 - 1.0).abs() < 0.05, "{due}");
    assert_eq!(latencies(&record), record.requests.due);
}

#[test]
fn a_request_whose_connection_dies_is_unknown_and_its_age_a_lower_bound() {
    // Later than the ramp-up.
    for (pacing, at) in [(Pacing::None, 300), (Pacing::Keyed { factor: 0.02 }, 40), (ARRIVALS, 20)] {
        let cut = move |call: u64| if call == at { Err(Failure::Lost("cut".to_owned())) } else { Ok(()) };
        let driven = against(Puppet::new(MS, cut), &plan(4, pacing, 800));
        let record = &driven.record;
        assert_whole(record);
        let Requests { unknown, failed, .. } = record.requests;
        assert_eq!((unknown, failed, record.connections_lost), (1, 0, 1), "{pacing:?}");
        assert_eq!(record.requests.fault(), None, "{pacing:?}: the others kept theirs");
        assert_eq!(record.requests.warnings()[0], Happening::ConnectionsLost { requests: 1 });
    }
    let refused = |call: u64| match call {
        300 => Err(Failure::Error { kind: "refused", message: String::new() }),
        _ => Ok(()),
    };
    let record = against(Puppet::new(MS, refused), &plan(4, Pacing::None, 400)).record;
    assert_whole(&record);
    assert_eq!((record.requests.failed, record.requests.unknown), (1, 0), "refused is not unknown");
}

#[test]
fn a_load_that_loses_all_its_sessions_says_so() {
    let puppet = Puppet { dies: Some(200 * MS), ..Puppet::new(MS, |_| Ok(())) };
    let record = against(puppet, &plan(4, Pacing::None, 800)).record;
    assert_eq!((record.requests.unknown, record.requests.sessions), (4, 4), "{:?}", record.requests);
    assert!(matches!(record.requests.fault(), Some(words::Reason::AllSessionsLost { sessions: 4, .. })));
}

#[test]
fn idle_sessions_of_a_server_that_died_are_found_dead() {
    // One request in two seconds for four connections: most of them are idle when the server dies.
    let one = |call: u64| if call == 2 { Err(Failure::Lost("cut".to_owned())) } else { Ok(()) };
    for (dead, said) in [(true, true), (false, false)] {
        let puppet = Puppet::new(MS, one);
        puppet.idle_are_dead.store(dead, Ordering::Relaxed);
        let record = against(puppet, &plan(4, Pacing::Arrivals { per_second: 20.0 }, 800)).record;
        assert_eq!(record.connections_lost, 1);
        assert_eq!(record.requests.all_sessions_lost.is_some(), said, "{:?}", record.requests);
    }
}

#[test]
fn a_user_without_a_connection_waits_for_its_next_request() {
    // All are cut off at once, and the server takes nobody for the rest of the run.
    let puppet = Puppet { dies: Some(200 * MS), connections_max: 4, ..Puppet::new(MS, |_| Ok(())) };
    let patient = Asking { patience: Duration::from_secs(60), ..Asking::default() };
    let asked = Plan { asking: patient, ..plan(4, Pacing::None, 1_500) };
    let record = against(puppet, &asked).record;
    assert_whole(&record);
    let Requests { unknown, unfinished, longest_gap, .. } = record.requests;
    assert_eq!((unknown, unfinished), (4, 4), "{:?}", record.requests);
    assert_eq!(as_long_as(&record, 1_000 * MS), 4, "what each wanted to ask next is as old as the outage");
    assert!(longest_gap >= 1_000 * MS);
    // And one who gets a new connection late.
    let back = |call: u64| if call == 100 { Err(Failure::Lost("cut".to_owned())) } else { Ok(()) };
    let puppet = Puppet { reconnect: 600 * MS, ..Puppet::new(MS, back) };
    let asked = Plan { asking: patient, ..plan(1, Pacing::None, 1_500) };
    let record = against(puppet, &asked).record;
    assert_eq!(as_long_as(&record, 550 * MS), 1, "the wait for the connection is part of its next request");
    assert!(record.pool_wait.max_ns() >= 550_000_000);
}
