//! The closed network behind a prediction: users, processors, one log with group commit, and a drive, in virtual time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use device::{Drive, DriveSpec, Op};
use measure::Histogram;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::Demand;

/// Simulated time of one try.
const TRY_NS: u64 = 3_000_000_000;
/// Transactions of a try, at least, and the longest that it may take for them.
const TRY_TRANSACTIONS: f64 = 2000.0;
const TRY_MOST_NS: u64 = 600_000_000_000;
/// Where the log lies on the drive: behind the data.
const LOG_AT: u64 = 1 << 50;
/// Share of a transaction's processor time that comes after its commit is on the drive: the server's session wakes up and answers, the client
/// reads the answer.
const AFTER_COMMIT: f64 = 0.1;
/// For so long a processor stays with one user while others wait: the kernel gives way to whoever wakes up.
const TURN_NS: f64 = 40_000.0;
/// Share of the transactions whose commit is large: new orders and deliveries change ten rows of stock or ten customers, payments one
/// (clauses 2.4 to 2.7, 5.2.3). Where commits are timed by themselves, it is theirs.
const LARGE: f64 = 0.49;
/// Log of such a commit against that of a payment.
const LARGE_BY: f64 = 8.0;

/// The unknown that brings the model to the measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fitted {
    /// Waits of each transaction that neither processor nor storage explain, ns.
    pub(super) wait_ns: f64,
    /// By what its processor time is multiplied.
    pub(super) work: f64,
}

/// What a try came to.
pub(super) struct Tried {
    /// Transactions per second.
    pub(super) per_s: f64,
    /// Their latencies.
    pub(super) latency: Histogram,
    /// From the wish to commit to the answer.
    pub(super) commit: Histogram,
}

/// A user's transaction under way.
#[derive(Clone, Copy, Default)]
struct User {
    started_ns: u64,
    reads_left: u32,
    writes_left: u32,
    commits: bool,
    /// Bytes of its log.
    log_bytes: f64,
    is_large: bool,
    holds: bool,
    /// When it wished to commit; `None` while it works.
    committing_ns: Option<u64>,
    /// Processor time that it still wants now, ns.
    wanted_ns: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A user begins a transaction.
    Begin(u32),
    /// A user's turn on a processor is over.
    Slice(u32),
    /// The layer is about to have an answer of the drive, which it may give at that time at the earliest.
    Answer(Answer),
    /// The layer's work for it is done.
    Answered(Answer),
    /// It is given.
    Given(Answer),
}

/// An answer of the drive on its way through the layer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Answer {
    due_ns: u64,
    of: Asked,
}

/// Who waits for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    Page(u32),
    LogWrite,
    LogFlush,
}

/// Who wants a processor.
#[derive(Clone, Copy)]
enum Job {
    User(u32),
    Layer(Answer),
}

struct Network<'a> {
    demand: &'a Demand,
    fitted: Fitted,
    drive: Drive,
    random: Xoshiro256PlusPlus,
    users: Vec<User>,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    sequence: u64,
    busy: u32,
    ready: VecDeque<Job>,
    writer: bool,
    writers: VecDeque<u32>,
    waiting: Vec<u32>,
    flushing: Vec<u32>,
    log_offset: u64,
    owed: f64,
    done: u64,
    tried: Tried,
}

/// Lets the users of `demand` work on `drive`.
pub(super) fn simulate(demand: &Demand, drive: &DriveSpec, fitted: Fitted, seed: u64) -> Tried {
    let mut network = Network {
        demand,
        fitted,
        drive: Drive::new(drive, seed),
        random: Xoshiro256PlusPlus::seed_from_u64(seed ^ 0xD1B5_4A32_D192_ED03),
        users: vec![User::default(); demand.users as usize],
        events: BinaryHeap::new(),
        sequence: 0,
        busy: 0,
        ready: VecDeque::new(),
        writer: false,
        writers: VecDeque::new(),
        waiting: Vec::new(),
        flushing: Vec::new(),
        log_offset: LOG_AT,
        owed: 0.0,
        done: 0,
        tried: Tried { per_s: 0.0, latency: Histogram::new(), commit: Histogram::new() },
    };
    // Long enough for many transactions of the measured rate, whatever it is.
    let span_ns = TRY_NS.max((TRY_TRANSACTIONS / demand.measured_per_s * 1e9) as u64).min(TRY_MOST_NS);
    network.go(span_ns);
    network.tried
}

impl Network<'_> {
    fn at(&mut self, at_ns: u64, event: Event) {
        self.sequence += 1;
        self.events.push(Reverse((at_ns, self.sequence, event)));
    }

    fn chance(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number whose mean is `mean`.
    fn count(&mut self, mean: f64) -> u32 {
        mean as u32 + u32::from(self.chance() < mean.fract())
    }

    /// The drive will be done at `due_ns`: the layer begins early enough to be done with its own work by then.
    fn await_drive(&mut self, now_ns: u64, due_ns: u64, of: Asked) {
        let begin_ns = due_ns.saturating_sub(self.demand.layer.work_ns as u64).max(now_ns);
        self.at(begin_ns, Event::Answer(Answer { due_ns, of }));
    }

    fn answered(&mut self, now_ns: u64, answer: Answer) {
        match answer.of {
            Asked::Page(user) => self.enter(now_ns, user),
            Asked::LogWrite => {
                let done_ns =
                    self.drive.submit(now_ns, Op::Flush).max(now_ns + self.demand.layer.sync_ns as u64);
                self.await_drive(now_ns, done_ns, Asked::LogFlush);
            }
            Asked::LogFlush => self.flushed(now_ns),
        }
    }

    fn go(&mut self, span_ns: u64) {
        let settle_ns = span_ns / 5;
        for user in 0..self.demand.users {
            self.at(u64::from(user), Event::Begin(user));
        }
        let mut from = None;
        while let Some(Reverse((now_ns, _, event))) = self.events.pop() {
            if from.is_none() && now_ns >= settle_ns {
                from = Some(self.done);
                self.tried.latency = Histogram::new();
                self.tried.commit = Histogram::new();
            }
            if now_ns >= span_ns {
                break;
            }
            match event {
                Event::Begin(user) => self.begin(now_ns, user),
                Event::Slice(user) => self.slice_done(now_ns, user),
                Event::Answer(answer) => self.want(now_ns, Job::Layer(answer), true),
                Event::Answered(answer) => {
                    self.leave(now_ns);
                    // Never before the drive itself is done.
                    self.at(now_ns.max(answer.due_ns), Event::Given(answer));
                }
                Event::Given(answer) => self.answered(now_ns, answer),
            }
        }
        let seconds = (span_ns - settle_ns) as f64 / 1e9;
        self.tried.per_s = (self.done - from.unwrap_or(0)) as f64 / seconds;
    }

    fn begin(&mut self, now_ns: u64, user: u32) {
        let commits = self.chance() < self.demand.syncs.min(1.0);
        let (reads_left, writes_left) =
            (self.count(self.demand.reads), self.count(self.demand.waited_writes));
        // The time of the transaction began before its waits.
        let started_ns = self.users[user as usize].started_ns;
        let is_large = self.chance() * self.demand.syncs.max(LARGE) < LARGE;
        // The mean over all that commit is that of the demand.
        let mean = self.demand.log_bytes / self.demand.syncs.max(0.01);
        let large = LARGE / self.demand.syncs.max(LARGE);
        let small_bytes = mean / (large * LARGE_BY + 1.0 - large);
        let log_bytes = if is_large { small_bytes * LARGE_BY } else { small_bytes };
        self.users[user as usize] =
            User { started_ns, reads_left, writes_left, commits, log_bytes, is_large, ..User::default() };
        if self.demand.one_writer && commits {
            if self.writer {
                self.writers.push_back(user);
                return;
            }
            self.writer = true;
            self.users[user as usize].holds = true;
        }
        self.enter(now_ns, user);
    }

    /// The user wants a processor. One whose commit is done has slept longest and comes first, as with the kernel's fair scheduler.
    fn enter(&mut self, now_ns: u64, number: u32) {
        let draw = 0.5 + self.chance();
        let demand = self.demand;
        let user = &mut self.users[number as usize];
        let answers = user.committing_ns.is_some();
        let share = if answers {
            AFTER_COMMIT
        } else {
            let before_commit = 1.0 - AFTER_COMMIT * f64::from(u8::from(user.commits));
            before_commit / (demand.reads + demand.waited_writes + 1.0)
        };
        user.wanted_ns = demand.cpu_ns * share * draw * self.fitted.work;
        self.want(now_ns, Job::User(number), answers);
    }

    fn want(&mut self, now_ns: u64, job: Job, is_first: bool) {
        if self.busy < self.demand.processors {
            self.work(now_ns, job);
        } else if is_first {
            self.ready.push_front(job);
        } else {
            self.ready.push_back(job);
        }
    }

    /// A processor is free.
    fn leave(&mut self, now_ns: u64) {
        self.busy -= 1;
        if let Some(next) = self.ready.pop_front() {
            self.work(now_ns, next);
        }
    }

    fn work(&mut self, now_ns: u64, job: Job) {
        self.busy += 1;
        let (work_ns, event) = match job {
            Job::Layer(answer) => (self.demand.layer.work_ns * self.fitted.work, Event::Answered(answer)),
            Job::User(number) => {
                let user = &mut self.users[number as usize];
                let turn_ns = user.wanted_ns.min(TURN_NS);
                user.wanted_ns -= turn_ns;
                (turn_ns, Event::Slice(number))
            }
        };
        self.at(now_ns + work_ns as u64, event);
    }

    fn slice_done(&mut self, now_ns: u64, number: u32) {
        if self.users[number as usize].wanted_ns > 0.0 {
            self.ready.push_back(Job::User(number));
            return self.leave(now_ns);
        }
        self.leave(now_ns);
        let user = &mut self.users[number as usize];
        if let Some(since_ns) = user.committing_ns {
            if user.is_large {
                self.tried.commit.record(now_ns - since_ns);
            }
            return self.finish(now_ns, number);
        }
        // A page that has to go makes room for the one that is read.
        if user.writes_left > 0 {
            user.writes_left -= 1;
            let (offset, len) = self.somewhere(self.demand.write_bytes);
            let done_ns = self.drive.submit(now_ns, Op::Write { offset, len });
            return self.await_drive(now_ns, done_ns, Asked::Page(number));
        }
        if user.reads_left > 0 {
            user.reads_left -= 1;
            let (offset, len) = self.somewhere(self.demand.read_bytes);
            let done_ns = self.drive.submit(now_ns, Op::Read { offset, len });
            return self.await_drive(now_ns, done_ns, Asked::Page(number));
        }
        if !user.commits {
            return self.finish(now_ns, number);
        }
        user.committing_ns = Some(now_ns);
        self.waiting.push(number);
        self.flush(now_ns);
    }

    /// Any page of the data.
    fn somewhere(&mut self, len: u32) -> (u64, u32) {
        let pages = (self.demand.data_bytes / u64::from(len)).max(1);
        (self.random.next_u64() % pages * u64::from(len), len)
    }

    /// Group commit: one flush at a time, for all that wait when it begins.
    fn flush(&mut self, now_ns: u64) {
        if self.waiting.is_empty() || !self.flushing.is_empty() {
            return;
        }
        std::mem::swap(&mut self.waiting, &mut self.flushing);
        let bytes: f64 = self.flushing.iter().map(|&user| self.users[user as usize].log_bytes).sum();
        let len = bytes.clamp(512.0, 16e6) as u32;
        let written_ns = self.drive.submit(now_ns, Op::Write { offset: self.log_offset, len });
        self.log_offset += u64::from(len);
        self.await_drive(now_ns, written_ns, Asked::LogWrite);
    }

    fn flushed(&mut self, now_ns: u64) {
        for user in std::mem::take(&mut self.flushing) {
            self.enter(now_ns, user);
        }
        self.flush(now_ns);
    }

    fn finish(&mut self, now_ns: u64, number: u32) {
        let user = self.users[number as usize];
        self.done += 1;
        self.tried.latency.record(now_ns.saturating_sub(user.started_ns).max(1));
        self.users[number as usize].started_ns = now_ns;
        if user.holds {
            self.writer = false;
            if let Some(next) = self.writers.pop_front() {
                self.writer = true;
                self.users[next as usize].holds = true;
                self.enter(now_ns, next);
            }
        }
        self.owed += self.demand.writes;
        while self.owed >= 1.0 {
            self.owed -= 1.0;
            let (offset, len) = self.somewhere(self.demand.write_bytes);
            self.drive.submit(now_ns, Op::Write { offset, len });
        }
        let wait_ns = self.fitted.wait_ns * (0.5 + self.chance());
        self.at(now_ns + wait_ns as u64, Event::Begin(number));
    }
}
