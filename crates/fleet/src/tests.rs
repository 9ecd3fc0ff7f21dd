//! Lead and ranks in one process, over pairs of sockets.

use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ground::Clock;

use crate::*;

const VERSION: &str = "drivetrain of a test";

#[derive(Default)]
struct Told(Mutex<Vec<String>>);

/// The end is asked for from the beginning on.
struct Stops;

impl Watch for Stops {
    fn live(&self, _: u32, _: Live) {}

    fn loading(&self, _: &str, _: f64) {}

    fn told(&self, _: &str, _: bool, _: &str) {}

    fn stops(&self) -> Option<bool> {
        Some(false)
    }
}

impl Watch for Told {
    fn live(&self, _: u32, _: Live) {}

    fn loading(&self, _: &str, _: f64) {}

    fn told(&self, host: &str, warns: bool, text: &str) {
        self.0.lock().unwrap().push(format!("{host} {warns} {text}"));
    }

    fn stops(&self) -> Option<bool> {
        None
    }
}

fn hello(version: &str) -> Hello {
    Hello { version: version.to_owned(), machine: "m".to_owned(), pid: 1 }
}

/// The ends of `size` ranks, and the way to them.
fn pipes(size: u32) -> (Connections, Vec<UnixStream>) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for rank in 0..size {
        let (here, there) = UnixStream::pair().unwrap();
        let from: Box<dyn std::io::Read + Send> = Box::new(here.try_clone().unwrap());
        let to: Box<dyn std::io::Write + Send> = Box::new(here);
        ours.push((format!("h{rank}"), from, to));
        theirs.push(there);
    }
    (Connections::over(ours), theirs)
}

fn join(pipe: &UnixStream, date_off_ns: i64, stops: &Arc<AtomicU32>) -> Result<Member, FleetError> {
    let (stops, gone) = (Arc::clone(stops), Arc::clone(stops));
    let callbacks = Callbacks {
        on_stop: Box::new(move |at_once| {
            stops.fetch_add(1 + u32::from(at_once), Ordering::SeqCst);
        }),
        on_gone: Box::new(move || {
            gone.fetch_add(100, Ordering::SeqCst);
        }),
    };
    let pipes = (pipe.try_clone().unwrap(), pipe.try_clone().unwrap());
    Member::join(hello(VERSION), pipes, date_off_ns, callbacks)
}

fn limits() -> Limits {
    Limits { hello: LONG / 3, silence: LONG / 3, lead: LONG }
}

const LONG: Duration = Duration::from_secs(60);

/// All of so many ranks.
fn wait(ranks: &[u32]) -> Wait<'_> {
    Wait { ranks, limit: LONG }
}

#[test]
fn ranks_agree_start_together_and_hand_in() {
    let (connections, pipes) = pipes(3);
    let begun = Arc::new(Mutex::new(Vec::new()));
    let stops = Arc::new(AtomicU32::new(0));
    std::thread::scope(|scope| {
        for pipe in &pipes {
            let (begun, stops) = (Arc::clone(&begun), Arc::clone(&stops));
            scope.spawn(move || {
                let member = join(pipe, 500_000_000, &stops).unwrap();
                let answer = member.agree(Meeting::Plan, &[member.rank() as u8]).unwrap();
                assert_eq!(answer, [9]);
                member.tell(true, "a word");
                let Start::At { due_ns } = member.start(None).unwrap() else { panic!("off") };
                Clock::Wall.sleep_until(due_ns);
                begun.lock().unwrap().push((due_ns, Clock::Wall.now_ns()));
                member.done(Done { late_ns: Some(3), counts_after_ns: 0, after_ns: Some(4) }).unwrap();
                member.gather(&vec![member.rank() as u8; 100_000]).unwrap();
                member.bye(b"bye").unwrap();
            });
        }
        let told = Told::default();
        let mut coordinator = Coordinator::assemble(connections, VERSION, limits(), &told).unwrap();
        assert_eq!(coordinator.words(Meeting::Plan, wait(&[0, 1, 2]), &told).unwrap(), [[0], [1], [2]]);
        coordinator.answer(&[0, 1, 2], &[9]);
        assert_eq!(coordinator.start(wait(&[0, 1, 2]), &told).unwrap(), None);
        for offset in coordinator.offsets() {
            // One clock here; the date of each rank is off by half a second.
            assert!(offset.clock_ns.unsigned_abs() <= offset.error_ns, "{offset:?}");
            assert!(offset.date_ns.abs_diff(500_000_000) <= offset.error_ns + 1_000_000, "{offset:?}");
        }
        let done = coordinator.done(wait(&[0, 1, 2]), &told).unwrap();
        assert!(done.iter().all(|done| done.late_ns == Some(3)));
        let lengths = coordinator.gather(wait(&[0, 1, 2]), &told, |rank, result| {
            assert!(result.iter().all(|byte| *byte == rank as u8));
            result.len()
        });
        assert_eq!(lengths.unwrap(), [100_000; 3]);
        coordinator.stop(false);
        coordinator.stop(false);
        assert_eq!(coordinator.byes(LONG, &told).unwrap(), [b"bye", b"bye", b"bye"]);
        assert_eq!(told.0.lock().unwrap().len(), 3);
    });
    let begun = begun.lock().unwrap();
    assert!(begun.iter().all(|(due_ns, began_ns)| began_ns >= due_ns));
    let first = begun.iter().map(|(due_ns, _)| *due_ns).min().unwrap();
    let last = begun.iter().map(|(due_ns, _)| *due_ns).max().unwrap();
    assert!(last - first < 20_000_000, "the agreed moments are one but for the error of the offsets");
}

#[test]
fn one_that_cannot_start_keeps_all_from_it() {
    let (connections, pipes) = pipes(2);
    let stops = Arc::new(AtomicU32::new(0));
    std::thread::scope(|scope| {
        for pipe in &pipes {
            let stops = Arc::clone(&stops);
            scope.spawn(move || {
                let member = join(pipe, 0, &stops).unwrap();
                let fault = (member.rank() == 1).then_some("no disk");
                let off = member.start(fault).unwrap();
                assert_eq!(off, Start::Off { why: "rank 1 (h1): no disk".to_owned() });
                member.bye(&[]).unwrap();
            });
        }
        let told = Told::default();
        let mut coordinator = Coordinator::assemble(connections, VERSION, limits(), &told).unwrap();
        assert_eq!(coordinator.start(wait(&[0, 1]), &told).unwrap().as_deref(), Some("rank 1 (h1): no disk"));
        coordinator.byes(LONG, &told).unwrap();
    });
}

#[test]
fn some_ranks_meet_while_the_others_wait_for_their_turn() {
    let (connections, pipes) = pipes(3);
    let stops = Arc::new(AtomicU32::new(0));
    std::thread::scope(|scope| {
        for pipe in &pipes {
            let stops = Arc::clone(&stops);
            scope.spawn(move || {
                let member = join(pipe, 0, &stops).unwrap();
                for turn in [1_u8, 2] {
                    // The last rank has no first turn, and is at its second meanwhile.
                    if turn == 2 || member.rank() < 2 {
                        assert_eq!(member.agree(Meeting::Cell, &[turn]).unwrap(), [turn]);
                        assert!(matches!(member.start(None).unwrap(), Start::At { .. }));
                        member.done(Done::default()).unwrap();
                        member.gather(&[member.rank() as u8]).unwrap();
                    }
                }
                member.bye(&[]).unwrap();
            });
        }
        let told = Told::default();
        let mut coordinator = Coordinator::assemble(connections, VERSION, limits(), &told).unwrap();
        for (turn, ranks) in [(1_u8, &[0, 1][..]), (2, &[0, 1, 2])] {
            let words = coordinator.words(Meeting::Cell, wait(ranks), &told).unwrap();
            assert_eq!(words, vec![[turn]; ranks.len()]);
            coordinator.answer(ranks, &[turn]);
            assert_eq!(coordinator.start(wait(ranks), &told).unwrap(), None);
            assert_eq!(coordinator.done(wait(ranks), &told).unwrap().len(), ranks.len());
            let results = coordinator.gather(wait(ranks), &told, |rank, result| (rank, result.to_vec()));
            assert_eq!(
                results.unwrap(),
                ranks.iter().map(|rank| (*rank, vec![*rank as u8])).collect::<Vec<_>>()
            );
        }
        coordinator.byes(LONG, &told).unwrap();
    });
}

#[test]
fn whoever_is_gone_silent_or_late_is_named() {
    let told = Told::default();
    let stops = Arc::new(AtomicU32::new(0));
    // Gone.
    let (connections, mut ends) = pipes(2);
    let coordinator = std::thread::scope(|scope| {
        let members: Vec<_> =
            ends.iter().map(|pipe| scope.spawn(|| join(pipe, 0, &stops).map(drop))).collect();
        let coordinator = Coordinator::assemble(connections, VERSION, limits(), &told);
        members.into_iter().for_each(|member| member.join().unwrap().unwrap());
        coordinator
    });
    ends.pop().unwrap().shutdown(std::net::Shutdown::Both).unwrap();
    let error = coordinator.unwrap().words(Meeting::Cell, wait(&[0, 1]), &told).unwrap_err();
    assert!(matches!(error, FleetError::Gone { rank: 1, at: Meeting::Cell, .. }), "{error}");
    // Nothing was ever said.
    let (connections, ends) = pipes(1);
    let short = Limits { hello: Duration::from_millis(300), ..limits() };
    let error = Coordinator::assemble(connections, VERSION, short, &told).unwrap_err();
    assert!(matches!(error, FleetError::Late { rank: 0, at: Meeting::Hello, .. }), "{error}");
    drop(ends);
    // Nothing was said yet, and nobody waits for it any more.
    let (connections, ends) = pipes(1);
    let error = Coordinator::assemble(connections, VERSION, limits(), &Stops).unwrap_err();
    assert!(matches!(error, FleetError::Stopped { rank: 0, .. }), "{error}");
    drop(ends);
}

#[test]
fn ranks_of_another_version_are_refused() {
    let (connections, pipes) = pipes(2);
    for (pipe, version) in pipes.iter().zip([VERSION, "an older one"]) {
        write_frame(&mut &*pipe, &encode(&Up::Hello(hello(version)))).unwrap();
    }
    let error =
        Coordinator::assemble(connections, VERSION, limits(), &Told::default()).unwrap_err().to_string();
    assert!(error.contains("the lead has drivetrain of a test, rank 1 (h1) has an older one"), "{error}");
}

#[test]
fn a_rank_whose_lead_is_gone_hears_so() {
    let (connections, pipes) = pipes(1);
    let stops = Arc::new(AtomicU32::new(0));
    std::thread::scope(|scope| {
        let member = scope.spawn(|| {
            let member = join(&pipes[0], 0, &stops).unwrap();
            member.agree(Meeting::Cell, &[]).unwrap_err()
        });
        let told = Told::default();
        let mut coordinator = Coordinator::assemble(connections, VERSION, limits(), &told).unwrap();
        coordinator.words(Meeting::Cell, wait(&[0]), &told).unwrap();
        drop(coordinator);
        // A pair of sockets has two ends of each: the reader's is still open.
        pipes[0].shutdown(std::net::Shutdown::Both).unwrap();
        let error = member.join().unwrap();
        assert!(matches!(error, FleetError::NoLead { at: Meeting::Cell, .. }), "{error}");
    });
    assert!(stops.load(Ordering::SeqCst) >= 100);
}

#[test]
fn a_rank_ends_when_its_lead_is_silent_and_not_when_it_is_busy() {
    let stops = || Arc::new(AtomicU32::new(0));
    // A link that is cut closes nothing: this lead says nothing after the place.
    let (mut here, there) = UnixStream::pair().unwrap();
    let silent = stops();
    let silence = Duration::from_secs(2);
    let place = encode(&Down::Place { rank: 0, size: 1, silence });
    write_frame(&mut here, &place).unwrap();
    let member = join(&there, 0, &silent).unwrap();
    // This one waits for nothing, as a lead that merges, and its signs of life go on.
    let (connections, pipes) = pipes(1);
    let busy = stops();
    let own = Arc::clone(&busy);
    let rank = std::thread::spawn(move || {
        let member = join(&pipes[0], 0, &own).unwrap();
        let answer = member.agree(Meeting::Plan, b"").unwrap();
        member.bye(b"").unwrap();
        answer
    });
    let lead = Limits { lead: silence, ..limits() };
    let mut coordinator = Coordinator::assemble(connections, VERSION, lead, &Told::default()).unwrap();
    let error = member.agree(Meeting::Plan, b"").unwrap_err();
    assert!(error.to_string().contains("the lead of the fleet is silent"), "{error}");
    assert_eq!(silent.load(Ordering::SeqCst), 100);
    Clock::Wall.sleep(silence);
    assert_eq!(busy.load(Ordering::SeqCst), 0);
    coordinator.words(Meeting::Plan, wait(&[0]), &Told::default()).unwrap();
    coordinator.answer(&[0], &[7]);
    assert_eq!(rank.join().unwrap(), [7]);
}

/// A lead that is stopped for a while, as by a signal, at each sentence of a rank.
struct Away(Duration);

impl Watch for Away {
    fn live(&self, _: u32, _: Live) {}

    fn loading(&self, _: &str, _: f64) {}

    fn told(&self, _: &str, _: bool, _: &str) {
        Clock::Wall.sleep(self.0);
    }

    fn stops(&self) -> Option<bool> {
        None
    }
}

/// A rank by hand that speaks before its answer to the first question for the time.
fn speaks_before_its_answer(pipe: &UnixStream) {
    let tell = |up: &Up| write_frame(&mut &*pipe, &encode(up)).unwrap();
    tell(&Up::Hello(hello(VERSION)));
    let mut spoke = false;
    while let Some(bytes) = read_frame(&mut &*pipe, FRAME_BYTES_MAX).unwrap() {
        match decode(&bytes).unwrap() {
            Down::Place { .. } => tell(&Up::Ready { fault: None }),
            Down::Ping { number } => {
                if !std::mem::replace(&mut spoke, true) {
                    tell(&Up::Told { warns: false, text: "a word".to_owned() });
                }
                tell(&Up::Pong { number, clock_ns: Clock::Wall.now_ns(), date_ns: 0 });
            }
            Down::Start { .. } => break,
            _ => {}
        }
    }
}

#[test]
fn a_lead_that_was_away_blames_no_rank() {
    let silence = Duration::from_secs(3);
    let away = Away(silence * 2);
    let (connections, pipes) = pipes(3);
    let stops = Arc::new(AtomicU32::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| speaks_before_its_answer(&pipes[0]));
        for pipe in &pipes[1..] {
            // Signs of life from the place on, some of them while the lead is away.
            scope.spawn(|| join(pipe, 0, &stops).unwrap().start(None).is_ok());
        }
        let limits = Limits { silence, ..limits() };
        let mut coordinator = Coordinator::assemble(connections, VERSION, limits, &away).unwrap();
        let started = coordinator.start(wait(&[0, 1, 2]), &away);
        drop(coordinator);
        // Whatever came of it, no rank waits for this lead.
        pipes.iter().for_each(|pipe| pipe.shutdown(std::net::Shutdown::Both).unwrap());
        assert_eq!(started.unwrap(), None);
    });
}
