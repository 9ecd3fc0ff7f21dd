//! The sum of what was seen: intervals in which the server went away, was started again or had its counters
//! set back are left out.

use std::time::Duration;

use database::{Grown, Look, WaitClass, Waits};
use host::{CounterSource, Counters};

/// The time between two looks above which the server was silent: a look is asked for every second.
pub(super) const SILENT: Duration = Duration::from_secs(3);
/// The looks at the beginning that all read the server's processes; later ones do so at this interval.
const OFTEN_LOOKS: u64 = 10;

/// All seconds so far.
pub(super) struct Tally {
    source: CounterSource,
    before: Look,
    /// Counters of the machine at that look; `None` where they cannot be read.
    host_before: Option<Counters>,
    /// Seconds that count.
    pub(super) seconds: f64,
    /// Intervals that count.
    pub(super) looks: u64,
    /// Growth of the server's counters in them.
    pub(super) grown: Grown,
    /// Times that intervals were left out.
    pub(super) broken: u64,
    /// The reason why the server was given up.
    pub(super) away: Option<String>,
    /// Transactions per second and clients at work, second by second; NaN where none is known.
    pub(super) per_s: Vec<f64>,
    pub(super) at_work: Vec<f64>,
    /// Sums over the samples.
    pub(super) clients: Sums,
    /// The clients of the samples, by the class of their waits.
    pub(super) waits: Waits,
    /// The machine in the intervals that count.
    pub(super) machine: Machine,
    device: Option<String>,
    /// Processor time of the server's processes in the seconds that count; `None` where it is not known.
    pub(super) server_cpu: Option<Duration>,
    /// Their processor time at a moment from which on nothing was left out, and the seconds that count
    /// before.
    server_cpu_before: Option<(Duration, f64)>,
    /// The last that was read, and the seconds that count until then.
    server_cpu_last: Option<(Duration, f64)>,
    /// Intervals that count since the server's processes are the same.
    life_looks: u64,
    is_skipping: bool,
}

/// Clients, summed over samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) samples: u64,
    pub(super) at_work: u64,
    pub(super) recent: u64,
    pub(super) local: u64,
    /// In a statement and without a wait.
    pub(super) running: u64,
    pub(super) running_most: u32,
}

/// Processors and the data's drive, in the intervals that count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Machine {
    /// Seconds for which they are known.
    pub(super) seconds: f64,
    pub(super) processors: u32,
    /// Processor time, ns: busy with anything, of it our own; idle; taken by other guests.
    pub(super) busy_ns: f64,
    pub(super) own_ns: f64,
    pub(super) idle_ns: f64,
    pub(super) steal_ns: f64,
    pub(super) drive: Option<DriveWork>,
}

/// The work of a drive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DriveWork {
    pub(super) reads: f64,
    pub(super) read_bytes: f64,
    pub(super) writes: f64,
    pub(super) write_bytes: f64,
    pub(super) busy_s: f64,
}

impl Tally {
    pub(super) fn begin(
        source: CounterSource,
        first: Look,
        device: Option<String>,
        server_cpu: Option<Duration>,
    ) -> Tally {
        Tally {
            source,
            before: first,
            host_before: source.read(),
            seconds: 0.0,
            looks: 0,
            grown: Grown::new(),
            broken: 0,
            away: None,
            per_s: Vec::new(),
            at_work: Vec::new(),
            clients: Sums::default(),
            waits: Waits::default(),
            machine: Machine::default(),
            device,
            server_cpu: None,
            server_cpu_before: server_cpu.map(|now| (now, 0.0)),
            server_cpu_last: None,
            life_looks: 0,
            is_skipping: false,
        }
    }

    /// The kernel's name of the drive.
    pub(super) fn device(&self) -> Option<&str> {
        self.device.as_deref()
    }

    /// The server did not answer until `now`, since the beginning.
    pub(super) fn skip(&mut self, now: Duration) {
        self.put(now, f64::NAN, f64::NAN);
        self.broken += u64::from(!self.is_skipping);
        self.is_skipping = true;
    }

    fn put(&mut self, now: Duration, per_s: f64, at_work: f64) {
        fill(&mut self.per_s, now, per_s);
        fill(&mut self.at_work, now, at_work);
    }

    /// Another look at `now`, since the beginning; gives the transactions per second since the last one, as
    /// `transactions` counts them, or nothing where the two do not belong together.
    pub(super) fn add(
        &mut self,
        now: Duration,
        look: Look,
        transactions: impl Fn(&Grown) -> f64,
    ) -> Option<f64> {
        let seconds = look.at_ns.saturating_sub(self.before.at_ns) as f64 / 1e9;
        let host = self.source.read();
        // Clients wait while nobody can look at them: without them the rest would be too quick.
        let was_silent = seconds > SILENT.as_secs_f64();
        let is_same = !self.is_skipping && !was_silent && self.before.life.ended_before(&look.life).is_none();
        let grown = if is_same { look.since(&self.before) } else { None };
        let per_s = grown.filter(|_| seconds > 0.0).map(|grown| {
            let per_s = transactions(&grown) / seconds;
            self.count(&look, &grown, seconds, host.as_ref());
            per_s
        });
        if per_s.is_none() {
            self.broken += u64::from(!self.is_skipping);
            self.server_cpu_before = None;
        }
        self.is_skipping = false;
        let at_work = if was_silent { f64::NAN } else { f64::from(look.clients.at_work()) };
        self.put(now, per_s.unwrap_or(f64::NAN), at_work);
        (self.before, self.host_before) = (look, host);
        per_s
    }

    fn count(&mut self, look: &Look, grown: &Grown, seconds: f64, host: Option<&Counters>) {
        self.seconds += seconds;
        self.looks += 1;
        self.life_looks += 1;
        for (name, by) in grown {
            *self.grown.entry(name.clone()).or_default() += by;
        }
        let sums = &mut self.clients;
        sums.samples += 1;
        sums.at_work += u64::from(look.clients.at_work());
        sums.recent += u64::from(look.clients.recent);
        sums.local += u64::from(look.clients.local);
        self.waits.add(&look.waits);
        let running = look.waits.of(WaitClass::Running);
        sums.running += running;
        sums.running_most = sums.running_most.max(u32::try_from(running).unwrap_or(u32::MAX));
        if let (Some(before), Some(now)) = (&self.host_before, host) {
            self.machine.add(before, now, self.device.as_deref());
        }
    }

    /// Another life of the server, or the same after a silence: its processes are counted from here on.
    pub(super) fn begin_anew(&mut self, server_cpu: Option<Duration>) {
        self.server_cpu_before = server_cpu.map(|now| (now, self.seconds));
        (self.server_cpu_last, self.life_looks) = (None, 0);
    }

    /// True after the looks at which the server's processes are read as well: there may be thousands, and a
    /// server that goes away takes them along.
    pub(super) fn reads_processes(&self) -> bool {
        self.life_looks <= OFTEN_LOOKS || self.life_looks.is_multiple_of(OFTEN_LOOKS)
    }

    /// The server's processes so far.
    pub(super) fn keep_processes(&mut self, server_cpu: Option<Duration>) {
        let read = server_cpu.filter(|now| self.goes_on(*now)).map(|now| (now, self.seconds));
        self.server_cpu_last = read.or(self.server_cpu_last);
    }

    /// False for less processor time than was read before: processes have gone, all of them or some.
    fn goes_on(&self, now: Duration) -> bool {
        self.server_cpu_last.or(self.server_cpu_before).is_none_or(|(before, _)| now >= before)
    }

    /// True if the server did not answer at the end.
    pub(super) fn is_silent(&self) -> bool {
        self.is_skipping || self.away.is_some()
    }

    /// The server's processes at the end; those of a server that is silent or has gone as they were read
    /// last. Their work in the seconds since nothing was left out stands for the others.
    pub(super) fn end(&mut self, server_cpu: Option<Duration>) {
        if !self.is_silent() {
            self.keep_processes(server_cpu);
        }
        self.server_cpu =
            self.server_cpu_last.zip(self.server_cpu_before).and_then(|((now, to_s), (before, from_s))| {
                let known_s = to_s - from_s;
                let grown = now.checked_sub(before).filter(|_| known_s > 0.0)?;
                Some(grown.mul_f64(self.seconds / known_s))
            });
    }
}

impl Machine {
    fn add(&mut self, before: &Counters, now: &Counters, device: Option<&str>) {
        let usage = now.since(before);
        let elapsed_ns = usage.elapsed_ns as f64;
        let all_ns = elapsed_ns * f64::from(now.cpu.cpus);
        self.seconds += elapsed_ns / 1e9;
        self.processors = now.cpu.cpus;
        self.busy_ns += usage.cpu.busy() * all_ns;
        self.idle_ns += (usage.cpu.idle + usage.cpu.iowait) * all_ns;
        self.steal_ns += usage.cpu.steal * all_ns;
        self.own_ns += (usage.own.user_ns + usage.own.system_ns) as f64;
        let Some(disk) = device.and_then(|name| usage.disks.iter().find(|disk| disk.name == name)) else {
            return;
        };
        let drive = self.drive.get_or_insert_default();
        drive.reads += disk.reads as f64;
        drive.read_bytes += disk.read_bytes as f64;
        drive.writes += disk.writes as f64;
        drive.write_bytes += disk.write_bytes as f64;
        drive.busy_s += disk.busy * elapsed_ns / 1e9;
    }
}

/// Fills the seconds of a series up to `now`: a look that had to wait stands for all of them.
fn fill(seconds: &mut Vec<f64>, now: Duration, value: f64) {
    let count = (now.as_secs_f64().round() as usize).max(seconds.len() + 1);
    seconds.resize(count, value);
}

#[cfg(test)]
mod tests {
    use database::{Clients, Life};

    use super::*;

    #[test]
    fn a_look_that_waited_stands_for_its_seconds() {
        let mut seconds = Vec::new();
        for (now_ms, value) in [(1002, 10.0), (2001, 11.0), (9950, f64::NAN), (10_050, 12.0)] {
            fill(&mut seconds, Duration::from_millis(now_ms), value);
        }
        assert_eq!(seconds.len(), 11, "one more where two looks fall into a second");
        assert_eq!(seconds.iter().filter(|value| value.is_nan()).count(), 8);
        assert_eq!((seconds[1], seconds[10]), (11.0, 12.0));
    }

    /// Its processes are gone at the end: without their last reading all that the machine did would be taken
    /// for its work.
    #[test]
    fn a_server_that_goes_away_keeps_the_processor_time_that_was_read_last() {
        let ms = Duration::from_millis;
        let begin = |before: u64| {
            let look = Look {
                at_ns: 0,
                counters: Grown::new(),
                clients: Clients::default(),
                waits: Waits::default(),
                life: Life::now(),
            };
            Tally::begin(CounterSource::Nothing, look, None, Some(ms(before)))
        };
        let mut tally = begin(100);
        tally.seconds = 3.0;
        tally.keep_processes(Some(ms(700)));
        tally.seconds = 4.0;
        // Of processes that are gone nothing is left to be read.
        tally.keep_processes(Some(ms(0)));
        tally.end(Some(ms(0)));
        assert_eq!(tally.server_cpu, Some(ms(800)), "600 ms in 3 s stand for 4 s");
        tally.away = Some("refused".to_owned());
        tally.end(Some(ms(900)));
        assert_eq!(tally.server_cpu, Some(ms(800)), "another server, or what is left of it");
        let mut there = begin(100);
        there.seconds = 4.0;
        there.keep_processes(Some(ms(700)));
        there.end(Some(ms(1100)));
        assert_eq!(there.server_cpu, Some(ms(1000)));
    }

    #[test]
    fn a_silence_counts_neither_its_time_nor_its_transactions() {
        let look = |at_s: f64, count: f64, active: u32| Look {
            at_ns: (at_s * 1e9) as u64,
            counters: Grown::from([("count".to_owned(), count)]),
            clients: Clients { active, ..Clients::default() },
            waits: Waits::default(),
            life: Life::now(),
        };
        let mut tally = Tally::begin(CounterSource::Nothing, look(0.0, 0.0, 4), None, None);
        let mut add = |at_s: f64, count: f64, active| {
            tally.add(Duration::from_secs_f64(at_s), look(at_s, count, active), |grown| grown["count"])
        };
        assert_eq!(add(1.0, 100.0, 4), Some(100.0));
        assert_eq!(add(6.0, 500.0, 0), None, "five seconds in which nobody saw the clients");
        assert_eq!(add(7.0, 600.0, 4), Some(100.0));
        assert_eq!((tally.seconds, tally.broken, tally.looks), (2.0, 1, 2));
        assert_eq!(tally.clients.at_work, 8, "as many as in the seconds that count");
        assert_eq!(tally.grown["count"], 200.0);
        assert_eq!(tally.at_work.iter().filter(|clients| clients.is_nan()).count(), 5);
    }
}
