//! The facts about the machine that a reader needs to judge a figure, and the other programs that ran on it.

use std::fs;
use std::time::Duration;

use ground::{Clock, Stopwatch};

/// Ticks of /proc times: USER_HZ is 100 on every architecture that Linux exports to user space.
const TICKS_PER_S: f64 = 100.0;

/// Processor, count, kernel and load in one line.
pub(crate) fn describe() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = field(&cpus, "model name").unwrap_or_else(|| "unknown processor".to_owned());
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{model}, {} CPUs, Linux {}, {}", cpu_count(), kernel.trim(), load())
}

/// Load average over the last minute: above 1 means that something else was running.
pub(crate) fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!("load {}", load.split_whitespace().next().unwrap_or("unknown"))
}

/// Seconds for which CPUs were busy with anything since the machine started, all CPUs together; 0 where that
/// is unknown.
pub(crate) fn busy_s() -> f64 {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    ticks(&stat, [0, 1, 2, 5, 6, 7]) as f64 / TICKS_PER_S
}

/// Processor time of the children of this process that have ended, and of theirs, s.
pub(crate) fn children_s() -> f64 {
    let own = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    times_of(&own).skip(2).sum::<u64>() as f64 / TICKS_PER_S
}

/// Processor time of this process so far, s.
pub(crate) fn own_s() -> f64 {
    let own = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    times_of(&own).take(2).sum::<u64>() as f64 / TICKS_PER_S
}

/// Processor time so far of the living threads of this process whose names begin with one of these, s.
pub(crate) fn threads_s(names: &[&str]) -> f64 {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    // A thread may end between the list and its file.
    let stats = tasks.filter_map(|task| fs::read_to_string(task.path().join("stat")).ok());
    let ticks = stats.filter(|stat| is_named(stat, names)).map(|stat| times_of(&stat).take(2).sum::<u64>());
    ticks.sum::<u64>() as f64 / TICKS_PER_S
}

/// True if a thread of this stat file has a name that begins with one of these.
fn is_named(stat: &str, names: &[&str]) -> bool {
    let name = stat.split_once('(').map_or("", |(_, rest)| rest);
    names.iter().any(|begin| name.starts_with(begin))
}

/// Measures what other processes take of the machine.
#[derive(Clone, Debug)]
pub(crate) struct Others {
    since: Stopwatch,
    machine_ticks: u64,
    own_ticks: u64,
}

impl Others {
    /// Starts now.
    pub(crate) fn watch() -> Others {
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        let own = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        Others {
            since: Clock::Wall.stopwatch(),
            machine_ticks: busy_ticks(&stat),
            own_ticks: own_ticks(&own),
        }
    }

    /// Share of all CPUs, 0 to 1, that neither this process nor its finished children took since the start.
    pub(crate) fn share(&self) -> f64 {
        let now = Others::watch();
        let machine = now.machine_ticks.saturating_sub(self.machine_ticks);
        let own = now.own_ticks.saturating_sub(self.own_ticks);
        let all_ticks = self.since.elapsed().as_secs_f64() * TICKS_PER_S * cpu_count() as f64;
        machine.saturating_sub(own) as f64 / all_ticks.max(1.0)
    }
}

/// Waits until others take less than `share_max` of the machine for half a second; false after `patience`.
pub(crate) fn wait_for_quiet(share_max: f64, patience: Duration) -> bool {
    let start = Clock::Wall.stopwatch();
    while start.elapsed() < patience {
        let others = Others::watch();
        Clock::Wall.sleep(Duration::from_millis(500));
        if others.share() <= share_max {
            return true;
        }
    }
    false
}

fn cpu_count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Ticks of user, nice, system and stolen time of all CPUs. Interrupts are left out: those of our own I/O
/// would count as others'.
fn busy_ticks(stat: &str) -> u64 {
    ticks(stat, [0, 1, 2, 7])
}

/// The sum of the named columns of the line for all CPUs: user nice system idle iowait irq softirq steal.
fn ticks<const COLUMNS: usize>(stat: &str, columns: [usize; COLUMNS]) -> u64 {
    let line = stat.lines().next().unwrap_or_default();
    let all: Vec<u64> = line.split_whitespace().skip(1).filter_map(|number| number.parse().ok()).collect();
    columns.into_iter().filter_map(|column| all.get(column)).sum()
}

/// User and system time of a process and its finished children.
fn own_ticks(stat: &str) -> u64 {
    times_of(stat).sum()
}

/// User and system time of a process, and then of its finished children: fields 14 to 17 of its stat file,
/// counted after the name in parentheses, which may hold anything.
fn times_of(stat: &str) -> impl Iterator<Item = u64> + '_ {
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    after_name.split_whitespace().skip(11).take(4).filter_map(|number| number.parse().ok())
}

fn field(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_names_a_kernel_and_a_load() {
        let text = describe();
        assert!(text.contains("Linux ") && text.contains("load "), "{text}");
        assert_eq!(field("a : x\nmodel name\t: Z80\n", "model name").as_deref(), Some("Z80"));
    }

    #[test]
    fn ticks_are_read_from_the_right_fields() {
        assert_eq!(busy_ticks("cpu  10 2 30 400 5 6 7 8 0 0\ncpu0 1 1 1\n"), 50);
        let stat = "77 (a ) name) S 1 2 3 4 5 6 7 8 9 10 100 20 3 1 20 0 1 0 5";
        assert_eq!(own_ticks(stat), 124);
        assert_eq!(times_of(stat).skip(2).sum::<u64>(), 4);
        assert_eq!((busy_ticks(""), own_ticks("")), (0, 0));
        assert!(is_named(stat, &["web", "a )"]) && !is_named(stat, &["name"]) && !is_named("", &["web"]));
    }

    #[test]
    fn the_time_of_threads_is_told_by_their_names() {
        // Time is told in ticks of 10 ms, and a busy machine gives a thread its first one late.
        let spin = || {
            let started = Clock::Wall.stopwatch();
            while threads_s(&["spinner"]) == 0.0 && started.elapsed() < Duration::from_secs(60) {}
            threads_s(&["spinner"])
        };
        let thread = std::thread::Builder::new().name("spinner-1".to_owned());
        let spun_s = thread.spawn(spin).unwrap().join().unwrap();
        assert!(spun_s > 0.0 && spun_s <= own_s(), "{spun_s}");
        assert_eq!(threads_s(&["nobody"]), 0.0);
    }

    #[test]
    fn our_own_work_is_not_others() {
        let others = Others::watch();
        assert!(others.share() >= 0.0);
        assert!(!wait_for_quiet(-1.0, Duration::from_millis(1)));
    }
}
