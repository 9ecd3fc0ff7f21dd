//! The event loop: users, processors, log, checkpointer and backups of all machines against one storage.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use device::Op;
use device::datastore::DatastoreError;
use ground::Random;
use measure::{Histogram, Timeline, mean_interval};

use crate::bed::Bed;
use crate::demand::Demands;
use crate::load::{Driver, Load, Pacing};
use crate::machine::{Log, Machine, Processor, User, sharing};
use crate::outcome::{MachineOutcome, Outcome, UserTime};
use crate::pool::{PAGE_BYTES, Transaction, order_entry};
use crate::store::Store;
use crate::stream::CopyStream;

/// The reason why a load cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulateError {
    /// The load does not fit the bed.
    #[error("bed `{bed}`: {problem}")]
    Load {
        /// The bed.
        bed: String,
        /// The value that does not fit, and the allowed ones.
        problem: String,
    },
    /// The storage cannot be.
    #[error("bed `{bed}`: {error}")]
    Storage {
        /// The bed.
        bed: String,
        /// The quantity and what is allowed.
        error: device::SpecError,
    },
    /// The data does not fit the storage.
    #[error("bed `{bed}`: {error}")]
    Data {
        /// The bed.
        bed: String,
        /// The fault.
        error: DatastoreError,
    },
}

/// Something that happens at an instant. The order of the variants has no meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A user begins its next transaction.
    Begin(u32),
    /// The session on a processor of a machine gives it up.
    Slice { machine: u32, processor: u32 },
    /// A page has been read.
    Read(u32),
    /// The log of a machine has been flushed.
    Flushed(u32),
    /// Checkpointers write what they owe.
    Checkpoint,
    /// A buffer of a backup goes on.
    Transfer { stream: u32, buffer: u32 },
}

/// Time between two turns of the checkpointers.
const CHECKPOINT_NS: u64 = 2_000_000;
/// Bytes of log of one commit.
const LOG_BYTES_PER_COMMIT: u32 = 3400;
/// Largest write of a log.
const LOG_WRITE_MAX_BYTES: u32 = 61_440;
/// Virtual disk of a log.
const LOG_DISK_BYTES: u64 = 50_000_000_000;
/// Mean time from one transaction of a user who keys and thinks to the next: 10/23 of 30 s, 10/23 of 15 s,
/// and so on.
const TURN_NS: u64 = 21_000_000_000;
/// Parts of the measured time of which the spread is taken.
const PART_NS: u64 = 200_000_000;
/// The neighbour share of a machine that makes backups. A guess between its little processor time and its
/// full set of processors.
const BACKUP_NEIGHBOUR: f64 = 0.5;
/// Batch requests of an average transaction: 4.6 per new order, 2.3 transactions per new order.
const TRANSACTIONS_PER_NEW_ORDER: f64 = 2.3;

/// Simulates `load` on `bed`, with every draw from `seed`.
///
/// # Errors
/// When the load does not fit the bed, or the bed cannot be. Data that is lost on the way ends the load and
/// is told in the outcome.
pub fn run(bed: &Bed, load: &Load, seed: u64) -> Result<Outcome, SimulateError> {
    let mut simulation = Simulation::new(bed, load, seed)?;
    simulation.go();
    Ok(simulation.outcome())
}

struct Simulation<'a> {
    bed: &'a Bed,
    load: &'a Load,
    store: Store,
    machines: Vec<Machine>,
    users: Vec<User>,
    streams: Vec<CopyStream>,
    demands: Demands,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    sequence: u64,
    now_ns: u64,
    random: Random,
    /// Virtual processors at work on each host.
    busy: Vec<u32>,
    measuring_from_ns: u64,
    is_measuring: bool,
    per: BTreeMap<Transaction, Histogram>,
    per_machine: Vec<MachineOutcome>,
    timeline_all: Timeline,
    timeline_new_order: Timeline,
    reads: Histogram,
    writes: Histogram,
    log_writes: Histogram,
    bytes: [u64; 2],
    time: UserTime,
    busy_ns: u64,
    parts: Vec<f64>,
    part_count: u64,
    lost: Option<String>,
}

impl<'a> Simulation<'a> {
    fn new(bed: &'a Bed, load: &'a Load, seed: u64) -> Result<Simulation<'a>, SimulateError> {
        let name = || bed.name.clone();
        load.check(bed.hosts.count, u64::from(bed.hosts.memory_gib) << 30)
            .map_err(|problem| SimulateError::Load { bed: name(), problem })?;
        let mut random = Random::new(seed);
        let mut store = Store::new(&bed.store, random.next_u64())
            .map_err(|error| SimulateError::Storage { bed: name(), error })?;
        let machines =
            machines(bed, load, &mut store).map_err(|error| SimulateError::Data { bed: name(), error })?;
        let mut streams = Vec::new();
        for number in 0..load.backup_machines {
            let host = (load.machines + number) % bed.hosts.count;
            let stream = CopyStream::beside(&mut store, load, host, load.machines + number);
            streams.push(stream.map_err(|error| SimulateError::Data { bed: name(), error })?);
        }
        store.hasten(load.window.haste());
        let users = users(load);
        let costs = &bed.database;
        let batches = costs.batches_per_new_order / TRANSACTIONS_PER_NEW_ORDER;
        let own_share = if load.driver == Driver::Remote { 1.0 - costs.driver_share } else { 1.0 };
        let demands = Demands::new(
            &order_entry(load.warehouses),
            load.memory_bytes as f64 * costs.pool_share,
            costs.cpu_per_batch_ns * batches * own_share,
        );
        let settle_ns = load.window.settle_ns();
        Ok(Simulation {
            bed,
            load,
            store,
            machines,
            users,
            streams,
            demands,
            events: BinaryHeap::new(),
            sequence: 0,
            now_ns: 0,
            random,
            busy: vec![0; bed.hosts.count as usize],
            measuring_from_ns: settle_ns,
            is_measuring: false,
            per: BTreeMap::new(),
            per_machine: vec![MachineOutcome::default(); load.machines as usize],
            timeline_all: Timeline::new(0),
            timeline_new_order: Timeline::new(0),
            reads: Histogram::new(),
            writes: Histogram::new(),
            log_writes: Histogram::new(),
            bytes: [0; 2],
            time: UserTime::default(),
            busy_ns: 0,
            parts: Vec::new(),
            part_count: 0,
            lost: None,
        })
    }

    fn schedule(&mut self, at_ns: u64, event: Event) {
        self.sequence += 1;
        self.events.push(Reverse((at_ns, self.sequence, event)));
    }

    fn go(&mut self) {
        let users = self.users.len() as u64;
        // Users come one after the other: within the first tenth of a second, or spread over the turn of
        // those who key and think.
        let within_ns = if self.load.pacing == Pacing::Keyed { TURN_NS } else { 100_000_000 };
        for user in 0..users {
            self.schedule(user * within_ns / users, Event::Begin(user as u32));
        }
        self.schedule(CHECKPOINT_NS, Event::Checkpoint);
        for stream in 0..self.streams.len() as u32 {
            for buffer in 0..self.streams[stream as usize].buffers() {
                self.schedule(0, Event::Transfer { stream, buffer });
            }
        }
        while let Some(Reverse((at_ns, _, event))) = self.events.pop() {
            self.now_ns = at_ns;
            if !self.is_measuring && at_ns >= self.measuring_from_ns {
                self.is_measuring = true;
            }
            if self.is_measuring && self.is_over() {
                return;
            }
            if let Err(error) = self.happen(event) {
                self.lost = Some(error.to_string());
                return;
            }
        }
    }

    /// Closes a part of the measured time when it has passed, and tells whether enough was seen.
    fn is_over(&mut self) -> bool {
        let passed_ns = self.now_ns - self.measuring_from_ns;
        while (self.parts.len() as u64 + 1) * PART_NS <= passed_ns {
            self.parts.push(self.part_count as f64);
            self.part_count = 0;
        }
        let window = &self.load.window;
        if passed_ns >= window.measure_ns {
            return true;
        }
        passed_ns >= window.least_ns && self.precision() < window.precision
    }

    fn precision(&self) -> f64 {
        let interval = mean_interval(&self.parts).map(|e| (e.high - e.low) / 2.0 / e.value);
        interval.filter(|share| share.is_finite()).unwrap_or(f64::INFINITY)
    }

    fn happen(&mut self, event: Event) -> Result<(), DatastoreError> {
        match event {
            Event::Begin(user) => self.enter(user),
            Event::Slice { machine, processor } => {
                return self.slice_done(machine as usize, processor as usize);
            }
            Event::Read(user) => {
                let waited_ns = self.now_ns - self.users[user as usize].since_ns;
                self.spent(|time| &mut time.read_ns, waited_ns);
                self.enter(user);
            }
            Event::Flushed(machine) => return self.flushed(machine as usize),
            Event::Checkpoint => return self.checkpoint(),
            Event::Transfer { stream, buffer } => return self.transfer(stream, buffer),
        }
        Ok(())
    }

    fn spent(&mut self, of: impl Fn(&mut UserTime) -> &mut u64, ns: u64) {
        if self.is_measuring {
            *of(&mut self.time) += ns;
        }
    }

    /// A user is ready for its processor.
    fn enter(&mut self, user: u32) {
        let User { machine, processor, .. } = self.users[user as usize];
        self.users[user as usize].since_ns = self.now_ns;
        let place = &mut self.machines[machine].processors[processor];
        if place.running.is_some() {
            place.waiting.push_back(user);
        } else {
            self.start_slice(user);
        }
    }

    fn start_slice(&mut self, user: u32) {
        let User { machine, processor, slice_ns, since_ns, .. } = self.users[user as usize];
        let waited_ns = self.now_ns - since_ns;
        self.spent(|time| &mut time.queue_ns, waited_ns);
        let host = self.machines[machine].host as usize;
        self.busy[host] += 1;
        let stretch = sharing(self.busy[host], self.bed.hosts.cores, self.bed.hosts.threads);
        let draw = 0.5 + self.random.unit();
        let takes_ns = (slice_ns as f64 * draw * stretch * self.machines[machine].slowdown) as u64;
        if self.is_measuring {
            self.time.cpu_ns += takes_ns;
            self.busy_ns += takes_ns;
        }
        self.machines[machine].processors[processor].running = Some(user);
        self.schedule(
            self.now_ns + takes_ns,
            Event::Slice { machine: machine as u32, processor: processor as u32 },
        );
    }

    /// A session gives up its processor: for a read, for the log, or at the end of its transaction.
    fn slice_done(&mut self, machine: usize, processor: usize) -> Result<(), DatastoreError> {
        let host = self.machines[machine].host as usize;
        self.busy[host] = self.busy[host].saturating_sub(1);
        let place = &mut self.machines[machine].processors[processor];
        let (user, next) = (place.running.take(), place.waiting.pop_front());
        if let Some(next) = next {
            self.start_slice(next);
        }
        let Some(user) = user else { return Ok(()) };
        self.users[user as usize].since_ns = self.now_ns;
        let User { kind, reads_left, .. } = self.users[user as usize];
        if reads_left > 0 {
            self.users[user as usize].reads_left -= 1;
            return self.read_page(user);
        }
        if kind.writes() {
            self.machines[machine].log.waiting.push(user);
            return self.flush(machine);
        }
        self.finish(user);
        Ok(())
    }

    fn read_page(&mut self, user: u32) -> Result<(), DatastoreError> {
        let machine = &self.machines[self.users[user as usize].machine];
        let page = self.random.next_u64() % (machine.data.bytes / PAGE_BYTES).max(1);
        let op = Op::Read { offset: page * PAGE_BYTES, len: PAGE_BYTES as u32 };
        let done_ns = self.store.submit(self.now_ns, machine.host, machine.data, op)?;
        if self.is_measuring {
            self.reads.record(done_ns - self.now_ns);
            self.bytes[0] += PAGE_BYTES;
        }
        self.schedule(done_ns, Event::Read(user));
        Ok(())
    }

    /// Starts a flush of the log, unless one is under way: then its end starts the next.
    fn flush(&mut self, number: usize) -> Result<(), DatastoreError> {
        let machine = &mut self.machines[number];
        if machine.log.waiting.is_empty() || !machine.log.flushing.is_empty() {
            return Ok(());
        }
        std::mem::swap(&mut machine.log.waiting, &mut machine.log.flushing);
        let commits = machine.log.flushing.len() as u32;
        let len = commits.saturating_mul(LOG_BYTES_PER_COMMIT).min(LOG_WRITE_MAX_BYTES).next_multiple_of(512);
        let op = Op::Write { offset: machine.log.offset, len };
        machine.log.offset = (machine.log.offset + u64::from(len)) % (LOG_DISK_BYTES / 2);
        let done_ns = self.store.submit(self.now_ns, machine.host, machine.log_disk, op)?;
        if self.is_measuring {
            self.log_writes.record(done_ns - self.now_ns);
            self.bytes[1] += u64::from(len);
        }
        self.schedule(done_ns, Event::Flushed(number as u32));
        Ok(())
    }

    fn flushed(&mut self, machine: usize) -> Result<(), DatastoreError> {
        let mut committed = std::mem::take(&mut self.machines[machine].log.flushing);
        for user in committed.drain(..) {
            let waited_ns = self.now_ns - self.users[user as usize].since_ns;
            self.spent(|time| &mut time.log_ns, waited_ns);
            self.finish(user);
        }
        // The list keeps its room for the next flush.
        self.machines[machine].log.flushing = committed;
        self.flush(machine)
    }

    /// A transaction has ended; the next one of the same user begins after what it waits for otherwise.
    fn finish(&mut self, number: u32) {
        let user = self.users[number as usize];
        let costs = &self.bed.database;
        let batches = costs.batches_per_new_order / TRANSACTIONS_PER_NEW_ORDER;
        self.machines[user.machine].owed_writes += costs.data_writes_per_batch * batches;
        if user.started_ns > 0 {
            let latency_ns = self.now_ns - user.started_ns;
            self.timeline_all.record(self.now_ns, latency_ns, 0);
            if user.kind == Transaction::NewOrder {
                self.timeline_new_order.record(self.now_ns, latency_ns, 0);
            }
            let own = &mut self.per_machine[user.machine];
            own.timeline.record(self.now_ns, latency_ns, 0);
            if self.is_measuring {
                self.part_count += 1;
                own.latency.record(latency_ns);
                own.new_orders += u64::from(user.kind == Transaction::NewOrder);
                self.per.entry(user.kind).or_default().record(latency_ns);
            }
        }
        let remote_ns = if self.load.driver == Driver::Remote { costs.remote_wait_ns } else { 0.0 };
        let draw = 0.5 + self.random.unit();
        let wait_ns = ((costs.wait_ns + remote_ns) * batches * draw) as u64;
        let network_ns = ((remote_ns * batches * draw) as u64).min(wait_ns);
        self.spent(|time| &mut time.network_ns, network_ns);
        self.spent(|time| &mut time.fixed_ns, wait_ns - network_ns);
        let (kind, reads, cpu_ns) = self.demands.draw(&mut self.random);
        let pause_ns = if self.load.pacing == Pacing::Keyed { self.pause_ns(user.kind, kind) } else { 0 };
        let user = &mut self.users[number as usize];
        user.started_ns = self.now_ns + pause_ns;
        user.kind = kind;
        user.reads_left = reads;
        user.slice_ns = (cpu_ns / f64::from(reads + 1)) as u64;
        self.schedule(self.now_ns + pause_ns + wait_ns, Event::Begin(number));
    }

    /// The pause of a user: think time after the last transaction (exponential, at most ten times the mean)
    /// and keying time of the next.
    fn pause_ns(&mut self, last: Transaction, next: Transaction) -> u64 {
        let think_s = self.random.exponential().min(10.0) * last.think_s();
        ((think_s + next.keying_s()) * 1e9) as u64
    }

    fn checkpoint(&mut self) -> Result<(), DatastoreError> {
        for number in 0..self.machines.len() {
            while self.machines[number].owed_writes >= 1.0 {
                self.machines[number].owed_writes -= 1.0;
                let machine = &self.machines[number];
                let page = self.random.next_u64() % (machine.data.bytes / PAGE_BYTES).max(1);
                // Spread over the time until the next turn, as the writer paces itself.
                let op = Op::Write { offset: page * PAGE_BYTES, len: PAGE_BYTES as u32 };
                let done_ns = self.store.submit(self.now_ns, machine.host, machine.data, op)?;
                if self.is_measuring {
                    self.writes.record(done_ns - self.now_ns);
                    self.bytes[1] += PAGE_BYTES;
                }
            }
        }
        self.schedule(self.now_ns + CHECKPOINT_NS, Event::Checkpoint);
        Ok(())
    }

    fn transfer(&mut self, stream: u32, buffer: u32) -> Result<(), DatastoreError> {
        let cost_ns = self.bed.database.backup_ns_per_mib;
        let next = self.streams[stream as usize].advance(
            &mut self.store,
            self.now_ns,
            buffer,
            cost_ns,
            self.is_measuring,
        )?;
        if self.is_measuring && self.load.machines == 0 {
            // Without users it is the backups whose rate has to be known.
            self.part_count += 1;
        }
        if let Some(at_ns) = next {
            self.schedule(at_ns, Event::Transfer { stream, buffer });
        }
        Ok(())
    }

    fn outcome(self) -> Outcome {
        let measured_ns = self.now_ns.saturating_sub(self.measuring_from_ns).max(1);
        let processors = u64::from(self.load.vcpus) * u64::from(self.load.machines.max(1));
        Outcome {
            measured_s: measured_ns as f64 / 1e9,
            settled_s: self.measuring_from_ns as f64 / 1e9,
            precision: self.precision(),
            machines: self.load.machines,
            users: self.load.users,
            per: self.per,
            timeline_all: self.timeline_all,
            timeline_new_order: self.timeline_new_order,
            reads: self.reads,
            writes: self.writes,
            log_writes: self.log_writes,
            read_bytes: self.bytes[0],
            written_bytes: self.bytes[1],
            cpu_idle: (1.0 - self.busy_ns as f64 / (processors * measured_ns) as f64).clamp(0.0, 1.0),
            time: self.time,
            backup_bytes: self.streams.iter().map(CopyStream::measured_bytes).sum(),
            backups: self.streams.iter().map(CopyStream::backups).collect(),
            per_machine: self.per_machine,
            lost: self.lost,
        }
    }
}

fn machines(bed: &Bed, load: &Load, store: &mut Store) -> Result<Vec<Machine>, DatastoreError> {
    let per_host = load.machines.div_ceil(bed.hosts.count);
    let backups_per_host = f64::from(load.backup_machines) / f64::from(bed.hosts.count);
    let neighbours = f64::from(per_host.saturating_sub(1)) + BACKUP_NEIGHBOUR * backups_per_host;
    let slowdown = 1.0 + bed.database.neighbour_share * neighbours;
    let mut machines = Vec::new();
    for number in 0..load.machines {
        let bytes = load.database_bytes();
        machines.push(Machine {
            host: number % bed.hosts.count,
            processors: vec![Processor::default(); load.vcpus as usize],
            data: store.disk(number, 0, bytes)?,
            log_disk: store.disk(number, bytes, LOG_DISK_BYTES)?,
            log: Log::default(),
            owed_writes: 0.0,
            slowdown,
        });
    }
    Ok(machines)
}

fn users(load: &Load) -> Vec<User> {
    let user = |machine: u32, number: u32| User {
        machine: machine as usize,
        processor: (number % load.vcpus) as usize,
        kind: Transaction::StockLevel,
        started_ns: 0,
        since_ns: 0,
        reads_left: 0,
        slice_ns: 0,
    };
    (0..load.machines).flat_map(|machine| (0..load.users).map(move |number| user(machine, number))).collect()
}
