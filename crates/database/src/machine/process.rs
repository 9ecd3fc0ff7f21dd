//! Server processes: started so that they cannot outlive us, ended with everything that they have started.
#![allow(unsafe_code)] // A closure that runs between fork and exec, which the standard library can only offer as unsafe.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use ground::Clock;
use rustix::process::{Pid, Signal};

/// The time in which a killed process must be gone; a process in the middle of a write to a slow drive is not
/// gone at once.
const GONE_LIMIT: Duration = Duration::from_secs(30);

struct Order {
    command: Command,
    reply: Sender<io::Result<Child>>,
}

/// Starts `command` in a process group of its own (so that Ctrl-C is ours alone) and with `at_our_death` as
/// the signal that the kernel sends it when we are gone, however we went.
pub(crate) fn spawn(command: Command, at_our_death: Signal) -> io::Result<Child> {
    spawn_in(command, at_our_death, Vec::new())
}

/// [`spawn`] into control groups: each of `doors` is a group's open file `cgroup.procs`. The process joins
/// before its program begins, so that all its memory is counted there. The kernel checks the rights of the
/// process that opened the file, which is this one.
pub(crate) fn spawn_in(mut command: Command, at_our_death: Signal, doors: Vec<File>) -> io::Result<Child> {
    let parent = rustix::process::getpid();
    let prepare = move || {
        for door in &doors {
            rustix::io::write(door, b"0")?; // Whoever writes 0 joins.
        }
        rustix::process::set_parent_process_death_signal(Some(at_our_death))?;
        // We may have died before that took effect.
        if rustix::process::getppid() == Some(parent) {
            Ok(())
        } else {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    };
    command.process_group(0);
    // SAFETY: the closure makes a few system calls and builds errors that need no allocation; it takes no
    // lock. It runs after the change of user, which would have cleared the signal.
    unsafe { command.pre_exec(prepare) };
    let (reply, answer) = channel();
    keeper()?
        .send(Order { command, reply })
        .map_err(|_| io::Error::other("the thread that starts servers has ended"))?;
    answer.recv().map_err(|_| io::Error::other("the thread that starts servers has ended"))?
}

/// The one thread that starts all servers. The kernel sends the signal when the *thread* that forked is gone,
/// so a server started by a passing thread would die with that thread; this one ends with the process.
fn keeper() -> io::Result<Sender<Order>> {
    static KEEPER: OnceLock<Option<Sender<Order>>> = OnceLock::new();
    let start = || {
        let (orders, queue) = channel::<Order>();
        let work = move || {
            for mut order in queue {
                // Whoever asked may have gone; dropping the child's handle leaves the child running, to be
                // killed at our death.
                let _ = order.reply.send(order.command.spawn());
            }
        };
        std::thread::Builder::new().name("servers".to_owned()).spawn(work).ok().map(|_| orders)
    };
    KEEPER.get_or_init(start).clone().ok_or_else(|| io::Error::other("cannot start a thread"))
}

/// Sends `signal`; a process that is gone already is fine.
pub(crate) fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Kills `pid` and every process below it at one moment, as a crash of the machine would, and waits until all
/// are gone. `false` when some are still there.
///
/// A process group would not do: PostgreSQL's server processes are group leaders each.
pub(crate) fn kill_tree(pid: u32) -> bool {
    // A stopped server starts no further processes and restarts none that die, so the list is complete.
    signal(pid, Signal::STOP);
    let stopped = || state(pid).is_none_or(|state| "TtZX".contains(state.letter));
    wait_until(Duration::from_secs(1), stopped);
    let all = tree(pid);
    for &each in &all {
        signal(each, Signal::KILL);
    }
    wait_until(GONE_LIMIT, || all.iter().all(|&each| is_gone(each)))
}

/// `pid` and every process below it. Reads every process of the machine, once.
fn tree(pid: u32) -> Vec<u32> {
    let parents = parents();
    let mut all = vec![pid];
    let mut next = 0;
    while let Some(&parent) = all.get(next) {
        all.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(child, _)| *child));
        next += 1;
    }
    all
}

/// The number of readings of a process tree before the last count is accepted: sessions come and go, but not
/// all the time.
const READINGS: u32 = 20;

/// The resources that a process and all its descendants have used, ended ones included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TreeUsage {
    /// Processor time, ms. Grows in steps of the kernel's tick, 10 ms.
    pub(crate) cpu_ms: f64,
    /// Bytes of files that they have made the kernel write to drives; 0 where their counters are not ours to
    /// read.
    pub(crate) to_drives_bytes: u64,
}

/// Of `pid` and every process below it.
///
/// A process that ends while they are read hands its time on to its parent, which may have been read already:
/// it is read again until none has come or gone meanwhile, else the work of a whole session could be missing.
pub(crate) fn tree_usage(pid: u32) -> TreeUsage {
    settled(|| tree(pid), usage_of)
}

/// Processor time of `pid` and every process below it, those that have ended included.
pub(crate) fn processor_time(pid: u32) -> Duration {
    Duration::from_secs_f64(tree_usage(pid).cpu_ms / 1e3)
}

/// The result of `read` for a list that was the same before and after it, or for the last one.
fn settled<T>(list: impl Fn() -> Vec<u32>, read: impl Fn(&[u32]) -> T) -> T {
    let mut all = list();
    for _ in 0..READINGS {
        let found = read(&all);
        let afterwards = list();
        if afterwards == all {
            return found;
        }
        all = afterwards;
    }
    read(&all)
}

fn usage_of(all: &[u32]) -> TreeUsage {
    let ticks: u64 = all.iter().filter_map(|&each| state(each)).map(|state| state.ticks).sum();
    TreeUsage {
        cpu_ms: ticks as f64 * 1e3 / rustix::param::clock_ticks_per_second().max(1) as f64,
        to_drives_bytes: all.iter().filter_map(|&each| io_counter(each, "write_bytes: ")).sum(),
    }
}

/// Bytes that process `pid` has handed to files so far; `None` when it is gone or somebody else's.
pub(crate) fn written_bytes(pid: u32) -> Option<u64> {
    io_counter(pid, "wchar: ")
}

fn io_counter(pid: u32, name: &str) -> Option<u64> {
    let counters = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    counters.lines().find_map(|line| line.strip_prefix(name))?.trim().parse().ok()
}

/// True if no process `pid` is left. A zombie is gone: it holds no files, memory or ports.
pub(crate) fn is_gone(pid: u32) -> bool {
    state(pid).is_none_or(|state| "ZX".contains(state.letter))
}

/// An exit status in words.
pub(crate) fn describe_exit(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("it ended with exit code {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended".to_owned(),
    }
}

/// Waits for `condition`, looking ever more rarely. `false` when the time is over.
pub(crate) fn wait_until(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let start = Clock::Wall.stopwatch();
    let mut pause = Duration::from_millis(1);
    while !condition() {
        if start.elapsed() > limit {
            return false;
        }
        Clock::Wall.sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
    true
}

/// The kernel's facts about a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// `R`, `S`, `D`, `T`, `Z` ...
    pub(crate) letter: char,
    parent: u32,
    /// Clock ticks from boot to its start: with the number, it names one process for ever (until the next
    /// boot).
    pub(crate) started: u64,
    /// Clock ticks on a processor, of its ended children too.
    ticks: u64,
}

pub(crate) fn state(pid: u32) -> Option<State> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The parent of `pid`, where both are programs of one of these names.
pub(crate) fn parent_named(pid: u32, names: &[&str]) -> Option<u32> {
    let parent = state(pid)?.parent;
    [pid, parent].iter().all(|pid| is_named(*pid, names)).then_some(parent)
}

/// True if `pid` runs a program of one of these names.
pub(crate) fn is_named(pid: u32, names: &[&str]) -> bool {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    names.contains(&name.trim_end())
}

/// The program's name is in parentheses and may contain anything, so fields are counted from the last one.
fn parse(stat: &str) -> Option<State> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(State {
        letter: fields.first()?.chars().next()?,
        parent: fields.get(1)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        ticks: fields.get(11..15)?.iter().filter_map(|field| field.parse::<u64>().ok()).sum(),
    })
}

/// Every process of the machine with its parent.
fn parents() -> Vec<(u32, u32)> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| Some((pid, state(pid)?.parent))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_state_whatever_the_program_is_called() {
        let line = "17 (a) b (c) S 4 17 17 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987 1 2";
        let ticks = 5 + 6 + 7 + 8;
        assert_eq!(parse(line), Some(State { letter: 'S', parent: 4, started: 987, ticks }));
        assert_eq!(parse("17 (x"), None);
        assert_eq!(parse("17 (x) S"), None);
        assert!(state(std::process::id()).is_some());
    }

    #[test]
    fn kills_what_a_process_has_started_too() {
        let mut command = Command::new("sh");
        command.args(["-c", "setsid sleep 300 & sleep 300 & wait"]);
        let mut child = spawn(command, Signal::KILL).unwrap();
        let pid = child.id();
        assert!(wait_until(Duration::from_secs(10), || tree(pid).len() == 3), "two sleepers");
        let below = tree(pid).split_off(1);
        assert!(kill_tree(pid));
        assert!(below.into_iter().all(is_gone));
        assert!(child.wait().unwrap().code().is_none(), "ended by a signal");
    }

    #[test]
    fn a_process_outlives_the_thread_that_asked_for_it() {
        let start = || {
            let mut command = Command::new("sleep");
            command.arg("300");
            spawn(command, Signal::KILL).unwrap()
        };
        let mut child = std::thread::spawn(start).join().unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert!(child.try_wait().unwrap().is_none(), "still there");
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        assert_eq!(rustix::process::getpgid(pid).ok(), pid, "Ctrl-C at a terminal does not reach it");
        assert!(kill_tree(child.id()));
        child.wait().unwrap();
    }

    #[test]
    fn a_list_that_changes_while_it_is_read_is_read_again() {
        let lists = std::cell::RefCell::new(vec![vec![1], vec![1], vec![1, 2], vec![1, 2, 3]]);
        let next = || lists.borrow_mut().pop().unwrap();
        assert_eq!(settled(next, <[u32]>::len), 1, "neither two nor three");
        assert!(lists.borrow().is_empty(), "a list counts when it is found twice");
        let turn = std::cell::Cell::new(0);
        let restless = || vec![turn.replace(turn.get() + 1)];
        assert_eq!(settled(restless, |all| all[0]), READINGS, "taken as it is in the end");
    }

    #[test]
    fn processes_that_have_ended_are_in_their_parents_time() {
        let mut command = Command::new("sh");
        let script = "dd if=/dev/zero of=/dev/null bs=64k count=20000 2>/dev/null; read wait";
        command.args(["-c", script]).stdin(std::process::Stdio::piped());
        let mut child = spawn(command, Signal::KILL).unwrap();
        let waits = || tree(child.id()).len() == 1 && tree_usage(child.id()).cpu_ms > 0.0;
        assert!(wait_until(Duration::from_secs(60), waits), "its child's time is its own in the end");
        let known = crate::instance::RunsIn::Process(child.id()).processor_time();
        assert!(known.is_some_and(|time| time > Duration::ZERO));
        assert_eq!(crate::instance::RunsIn::ThisProcess.processor_time(), Some(Duration::ZERO));
        assert_eq!(crate::instance::RunsIn::Elsewhere.processor_time(), None);
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn what_a_process_writes_is_counted() {
        let before = written_bytes(std::process::id()).unwrap();
        fs::write("/dev/null", [0; 5000]).unwrap();
        assert!(written_bytes(std::process::id()).unwrap() >= before + 5000);
        assert_eq!(written_bytes(u32::MAX), None);
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        assert_eq!(
            spawn(Command::new("/no/such/program"), Signal::KILL).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }
}
