//! The closed network behind a prediction: users, processors, one log with group commit, and a drive, in
//! virtual time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use device::{Drive, DriveSpec, Op};
use ground::Random;
use measure::Histogram;

use super::Demand;
use super::kinds::{self, KINDS};
use super::layer::LayerWork;

/// Simulated time of one try.
const TRY_NS: u64 = 3_000_000_000;
/// Transactions of a try, at least, and the longest that it may take for them.
const TRY_TRANSACTIONS: f64 = 10_000.0;
const TRY_MOST_NS: u64 = 600_000_000_000;
/// A try in which no transaction has ended after so many events is given up: one transaction asks for more
/// than any database does, and the whole try would take hours.
const ENDLESS_EVENTS: u64 = 5_000_000;
/// The place of the log on the drive: behind the data.
const LOG_AT: u64 = 1 << 50;
/// The place where tables grow, likewise.
const APPENDED_AT: u64 = 1 << 49;
/// Share of the page writes that nobody waits for and that go on where another ended: growing tables, and
/// checkpoints, which write in order. Of all page writes that PostgreSQL sent to a mount under this load 12
/// to 36 % did.
const APPENDED_SHARE: f64 = 0.4;
/// Share of a transaction's processor time that a commit takes in each of its turns: the server's session
/// wakes up and asks for the log, wakes up and answers, the client wakes up and reads the answer. Chosen, as
/// [`TURN_NS`] is, by how nine runs of `predict/postgresql` are predicted; values near both serve about as
/// well.
const COMMIT_TURN: f64 = 0.02;
/// Beyond so many pages their count is drawn as a normal one, which then differs by nothing that matters.
const MANY_PAGES: f64 = 100.0;
/// For so long a processor stays with one user while others wait.
const TURN_NS: f64 = 80_000.0;

/// The result of a try.
pub(super) struct Tried {
    /// Transactions per second.
    pub(super) per_s: f64,
    /// Their latencies.
    pub(super) latency: Histogram,
    /// From the wish to commit to the answer.
    pub(super) commit: Histogram,
    /// Share of the processors' time without work, 0 to 1.
    pub(super) idle_share: f64,
    /// Waits of a transaction for the drive in which a process sleeps, because the drive takes longer than
    /// the layer.
    pub(super) sleeps: f64,
    operations: u64,
    /// Those that the layer had to wait for.
    waiting: u64,
}

impl Tried {
    /// Share of the drive's operations that the layer had to wait for.
    pub(super) fn waiting_share(&self) -> f64 {
        self.waiting as f64 / self.operations.max(1) as f64
    }
}

/// The purpose for which a user needs a processor.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    /// The work between two waits for pages.
    #[default]
    Work,
    /// To ask for the log to be written.
    Ask,
    /// The session answers.
    Answer,
    /// The client reads the answer.
    Read,
}

/// A user's transaction under way.
#[derive(Clone, Copy, Default)]
struct User {
    started_ns: u64,
    /// Its index in the mix.
    kind: usize,
    reads_left: u32,
    writes_left: u32,
    /// Processor time after each page that was read, or written to make room for a new one, ns.
    part_ns: f64,
    holds: bool,
    stage: Stage,
    /// When it wished to commit.
    commit_ns: u64,
    /// Processor time that it still wants now, ns.
    wanted_ns: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A user begins a transaction.
    Begin(u32),
    /// A user's turn on a processor is over.
    Slice(u32),
    /// The layer works for an answer of the drive, this many ns.
    Layer(u64),
    /// It is done, on a processor that was idle.
    LayerDone,
    /// The drive answers.
    Answer(Asked),
}

/// The one that waits for an answer of the drive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    Page(u32),
    /// The page that makes room for the one to be read.
    Room(u32),
    LogWrite,
    LogFlush,
}

struct Network<'a> {
    demand: &'a Demand,
    layer: LayerWork,
    /// Waits of each transaction beyond what the demand says, ns.
    wait_ns: f64,
    drive: Drive,
    random: Random,
    users: Vec<User>,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    sequence: u64,
    busy: u32,
    ready: VecDeque<u32>,
    /// Work of the layer that took a processor from a user, ns: the turn that ends next is longer by it.
    taken_ns: u64,
    /// Bytes of log of each kind of transaction.
    log_bytes: [f64; KINDS.len()],
    writer: bool,
    writers: VecDeque<u32>,
    waiting: Vec<u32>,
    flushing: Vec<u32>,
    log_offset: u64,
    appended_offset: u64,
    owed: f64,
    done: u64,
    tried: Tried,
}

/// Lets the users of `demand` work on `drive`, each waiting `wait_ns` between two transactions.
pub(super) fn simulate(
    demand: &Demand,
    layer: LayerWork,
    drive: &DriveSpec,
    wait_ns: f64,
    seed: u64,
) -> Tried {
    let mut network = Network {
        demand,
        layer,
        wait_ns,
        drive: Drive::new(drive, seed),
        random: Random::new(seed ^ 0xD1B5_4A32_D192_ED03),
        users: vec![User::default(); demand.users as usize],
        events: BinaryHeap::new(),
        sequence: 0,
        busy: 0,
        ready: VecDeque::new(),
        taken_ns: 0,
        log_bytes: kinds::log_bytes(&demand.mix, demand.log_bytes, demand.image_share),
        writer: false,
        writers: VecDeque::new(),
        waiting: Vec::new(),
        flushing: Vec::new(),
        log_offset: LOG_AT,
        appended_offset: APPENDED_AT,
        owed: 0.0,
        done: 0,
        tried: Tried {
            per_s: 0.0,
            latency: Histogram::new(),
            commit: Histogram::new(),
            idle_share: 0.0,
            sleeps: 0.0,
            operations: 0,
            waiting: 0,
        },
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
        self.random.unit()
    }

    /// Pages that were not at hand: a Poisson count with this mean, because each page of many is missing with
    /// a small chance.
    fn pages(&mut self, mean: f64) -> u32 {
        if mean > MANY_PAGES {
            return (mean + mean.sqrt() * self.random.normal()).round() as u32;
        }
        let (mut pages, mut reached) = (0, self.random.exponential());
        while reached < mean {
            pages += 1;
            reached += self.random.exponential();
        }
        pages
    }

    /// The drive will be done at `due_ns`. The layer works for that while it waits, and comes first: it
    /// answers in time.
    fn await_drive(&mut self, now_ns: u64, due_ns: u64, of: Asked) {
        let drive_ns = due_ns.saturating_sub(now_ns);
        self.tried.sleeps += f64::from(u8::from(self.layer.waits(drive_ns)));
        let work_ns = self.layer_work_ns(drive_ns);
        self.at(due_ns.saturating_sub(work_ns).max(now_ns), Event::Layer(work_ns));
        self.at(due_ns, Event::Answer(of));
    }

    /// Work of the layer for an operation that the drive takes `drive_ns` for.
    fn layer_work_ns(&mut self, drive_ns: u64) -> u64 {
        self.tried.operations += 1;
        self.tried.waiting += u64::from(self.layer.waits(drive_ns));
        self.layer.of_operation(drive_ns)
    }

    /// The layer takes a processor: an idle one, else a user's.
    fn take(&mut self, now_ns: u64, work_ns: u64) {
        if self.busy < self.demand.processors {
            self.busy += 1;
            self.at(now_ns + work_ns, Event::LayerDone);
        } else {
            self.taken_ns += work_ns;
        }
    }

    fn answered(&mut self, now_ns: u64, of: Asked) {
        match of {
            Asked::Page(user) => self.enter(now_ns, user),
            Asked::Room(user) => self.read_page(now_ns, user),
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
        let (mut last_ns, mut busy_ns) = (0, 0);
        while let Some(Reverse((now_ns, _, event))) = self.events.pop() {
            if from.is_none() && now_ns >= settle_ns {
                from = Some(self.done);
                self.tried.latency = Histogram::new();
                self.tried.commit = Histogram::new();
            }
            if now_ns >= span_ns || (self.done == 0 && self.sequence > ENDLESS_EVENTS) {
                break;
            }
            busy_ns += u64::from(self.busy) * (now_ns - last_ns);
            last_ns = now_ns;
            match event {
                Event::Begin(user) => self.begin(now_ns, user),
                Event::Slice(user) => self.slice_done(now_ns, user),
                Event::Layer(work_ns) => self.take(now_ns, work_ns),
                Event::LayerDone => self.leave(now_ns),
                Event::Answer(of) => self.answered(now_ns, of),
            }
        }
        let most_ns = u64::from(self.demand.processors) * last_ns;
        self.tried.idle_share = 1.0 - busy_ns as f64 / most_ns.max(1) as f64;
        self.tried.sleeps /= self.done.max(1) as f64;
        let seconds = (span_ns - settle_ns) as f64 / 1e9;
        self.tried.per_s = (self.done - from.unwrap_or(0)) as f64 / seconds;
    }

    fn begin(&mut self, now_ns: u64, user: u32) {
        let demand = self.demand;
        let kind = kinds::drawn(&demand.mix, self.chance());
        let weight = demand.weights[kind];
        let reads_left = self.pages(demand.reads * weight);
        let writes_left = self.pages(demand.waited_writes * weight);
        let commits = demand.mix[kind].commits;
        let before_commit = weight - if commits { 3.0 * COMMIT_TURN } else { 0.0 };
        let parts = f64::from(reads_left.max(writes_left)) + 1.0;
        let part_ns = demand.cpu_ns * before_commit.max(0.0) / parts;
        // The time of the transaction began before its waits.
        let started_ns = self.users[user as usize].started_ns;
        self.users[user as usize] =
            User { started_ns, kind, reads_left, writes_left, part_ns, ..User::default() };
        if demand.one_writer && commits {
            if self.writer {
                self.writers.push_back(user);
                return;
            }
            self.writer = true;
            self.users[user as usize].holds = true;
        }
        self.enter(now_ns, user);
    }

    /// The user wants a processor.
    fn enter(&mut self, now_ns: u64, number: u32) {
        let user = &mut self.users[number as usize];
        user.wanted_ns =
            if user.stage == Stage::Work { user.part_ns } else { self.demand.cpu_ns * COMMIT_TURN };
        if self.busy < self.demand.processors {
            self.work(now_ns, number);
        } else {
            self.ready.push_back(number);
        }
    }

    /// A processor is free.
    fn leave(&mut self, now_ns: u64) {
        self.busy -= 1;
        if let Some(next) = self.ready.pop_front() {
            self.work(now_ns, next);
        }
    }

    fn work(&mut self, now_ns: u64, number: u32) {
        self.busy += 1;
        let user = &mut self.users[number as usize];
        let turn_ns = user.wanted_ns.min(TURN_NS);
        user.wanted_ns -= turn_ns;
        self.at(now_ns + turn_ns as u64, Event::Slice(number));
    }

    fn slice_done(&mut self, now_ns: u64, number: u32) {
        if self.taken_ns > 0 {
            let taken_ns = std::mem::take(&mut self.taken_ns);
            return self.at(now_ns + taken_ns, Event::Slice(number));
        }
        if self.users[number as usize].wanted_ns > 0.0 {
            self.ready.push_back(number);
            return self.leave(now_ns);
        }
        self.leave(now_ns);
        match self.users[number as usize].stage {
            Stage::Work => self.work_done(now_ns, number),
            Stage::Ask => {
                self.waiting.push(number);
                self.flush(now_ns);
            }
            Stage::Answer => self.enter_at(now_ns, number, Stage::Read),
            Stage::Read => {
                let user = self.users[number as usize];
                if self.demand.mix[user.kind].is_timed {
                    self.tried.commit.record(now_ns - user.commit_ns);
                }
                self.finish(now_ns, number);
            }
        }
    }

    fn enter_at(&mut self, now_ns: u64, number: u32, stage: Stage) {
        self.users[number as usize].stage = stage;
        self.enter(now_ns, number);
    }

    /// A part of the work is done: a page is needed, or it was the last.
    fn work_done(&mut self, now_ns: u64, number: u32) {
        let user = &mut self.users[number as usize];
        // A page that has to go makes room for the one that is read next, without work between them; those
        // beyond the reads make room for new pages.
        if user.writes_left > user.reads_left {
            user.writes_left -= 1;
            return self.write_page(now_ns, Asked::Page(number));
        }
        if user.reads_left > 0 {
            let room_chance = f64::from(user.writes_left) / f64::from(user.reads_left);
            if self.chance() < room_chance {
                self.users[number as usize].writes_left -= 1;
                return self.write_page(now_ns, Asked::Room(number));
            }
            return self.read_page(now_ns, number);
        }
        if !self.demand.mix[user.kind].commits {
            return self.finish(now_ns, number);
        }
        user.commit_ns = now_ns;
        self.enter_at(now_ns, number, Stage::Ask);
    }

    /// A user's session writes a page, and waits.
    fn write_page(&mut self, now_ns: u64, of: Asked) {
        let (offset, len) = self.somewhere(self.demand.write_bytes);
        let done_ns = self.drive.submit(now_ns, Op::Write { offset, len });
        self.await_drive(now_ns, done_ns, of);
    }

    fn read_page(&mut self, now_ns: u64, number: u32) {
        self.users[number as usize].reads_left -= 1;
        let (offset, len) = self.somewhere(self.demand.read_bytes);
        let done_ns = self.drive.submit(now_ns, Op::Read { offset, len });
        let late_ns = self.demand.layer.read_late_ns as u64;
        self.await_drive(now_ns, done_ns + late_ns, Asked::Page(number));
    }

    /// A page that nobody waits for goes to the drive: to the end of a growing table, or anywhere.
    fn write_behind(&mut self, now_ns: u64) {
        let (mut offset, len) = self.somewhere(self.demand.write_bytes);
        if self.chance() < APPENDED_SHARE {
            offset = self.appended_offset;
            self.appended_offset += u64::from(len);
        }
        let due_ns = self.drive.submit(now_ns, Op::Write { offset, len });
        let work_ns = self.layer_work_ns(due_ns.saturating_sub(now_ns));
        self.at(now_ns, Event::Layer(work_ns));
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
        let bytes: f64 =
            self.flushing.iter().map(|&user| self.log_bytes[self.users[user as usize].kind]).sum();
        // Whole pages of log, the one that was begun by the last write among them.
        let page = u64::from(self.demand.log_page_bytes.max(1));
        let offset = self.log_offset / page * page;
        self.log_offset += bytes.clamp(1.0, 16e6) as u64;
        let len = (self.log_offset.next_multiple_of(page) - offset) as u32;
        let written_ns = self.drive.submit(now_ns, Op::Write { offset, len });
        self.await_drive(now_ns, written_ns, Asked::LogWrite);
    }

    fn flushed(&mut self, now_ns: u64) {
        for user in std::mem::take(&mut self.flushing) {
            self.enter_at(now_ns, user, Stage::Answer);
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
            self.write_behind(now_ns);
        }
        let wait_ns = self.wait_ns * (0.5 + self.chance());
        self.at(now_ns + wait_ns as u64, Event::Begin(number));
    }
}
