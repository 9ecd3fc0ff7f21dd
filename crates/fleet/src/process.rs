//! Ranks as processes: of this machine, or of others by `ssh` or a program in its place.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use ground::Clock;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use crate::connection::{Arrived, Connections, Incoming, Keeper, outbox, read_messages};
use crate::error::FleetError;
use crate::hosts::{Host, Hosts};

/// A rank that was told to end has so long for its servers and files.
const END_MAX: Duration = Duration::from_secs(30);
/// The time from the end of a process's pipes to its own.
const PIPE_FIRST_MAX: Duration = Duration::from_secs(1);
/// Longest line of a rank's standard error that is told.
const LINE_BYTES_MAX: u64 = 4096;

/// The command that starts a rank.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program that runs a command on a host, with its options: `ssh`, `-o`, `BatchMode=yes`. The name of
    /// the host and the command follow.
    pub remote: Vec<String>,
    /// The program of a rank on this machine.
    pub local_program: String,
    /// The program of a rank on another.
    pub remote_program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl Launch {
    /// The command that starts a rank on `host`.
    #[must_use]
    pub fn command(&self, host: &Host) -> Vec<String> {
        let (mut command, program) = match host.is_local() {
            true => (Vec::new(), &self.local_program),
            false => {
                let mut command = self.remote.clone();
                command.push(host.0.clone());
                (command, &self.remote_program)
            }
        };
        command.push(program.clone());
        command.extend(self.arguments.iter().cloned());
        command
    }
}

/// Starts a rank on each host. All of them end with the result: their standard input closes.
///
/// # Errors
/// [`FleetError::NotStarted`] for a program that is not there.
pub fn start_ranks(hosts: &Hosts, launch: &Launch) -> Result<Connections, FleetError> {
    let (arrivals, inbox) = channel();
    let mut keeper = Children(Vec::new());
    let mut ranks = Vec::new();
    for (rank, host) in (0..).zip(&hosts.0) {
        let command = launch.command(host);
        let mut child = spawn(&command).map_err(|error| FleetError::NotStarted {
            rank,
            host: host.to_string(),
            command: command.join(" "),
            why: error.to_string(),
        })?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        keeper.0.push(Process { child, is_given_up: false });
        if let (Some(stdin), Some(stdout), Some(stderr)) = pipes {
            ranks.push((host.to_string(), outbox(stdin)));
            let lines = arrivals.clone();
            std::thread::spawn(move || read_lines(rank, stderr, &lines));
            let arrivals = arrivals.clone();
            std::thread::spawn(move || read_messages(rank, stdout, &arrivals));
        }
    }
    Ok(Connections { ranks, inbox, keeper: Box::new(keeper) })
}

fn spawn(command: &[String]) -> std::io::Result<Child> {
    let (program, arguments) = command.split_first().ok_or(std::io::ErrorKind::NotFound)?;
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Ctrl-C is for the lead, which tells the ranks; and the group is ended with what it started.
        .process_group(0)
        .spawn()
}

fn read_lines(rank: u32, pipe: impl Read, arrivals: &Sender<Incoming>) {
    let mut pipe = BufReader::new(pipe);
    loop {
        let mut line = Vec::new();
        match pipe.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        let incoming = Incoming { rank, at_ns: Clock::Wall.now_ns(), what: Arrived::Line(text) };
        if arrivals.send(incoming).is_err() {
            // Nobody listens; the rank must not be held up by a full pipe.
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
            break;
        }
    }
}

/// The processes of the ranks. Their pipes are closed when this is dropped: they end by themselves, and those
/// that do not are ended.
struct Children(Vec<Process>);

/// A rank's process, the leader of a group of its own.
struct Process {
    child: Child,
    is_given_up: bool,
}

impl Keeper for Children {
    fn give_up(&mut self, rank: u32) {
        if let Some(process) = self.0.get_mut(rank as usize) {
            process.is_given_up = true;
        }
    }

    fn end_of(&mut self, rank: u32) -> Option<String> {
        let process = self.0.get_mut(rank as usize)?;
        let (clock, begun) = (Clock::Wall, Clock::Wall.stopwatch());
        // A pipe closes a moment before its process is gone.
        loop {
            match process.end_status()? {
                Some(end) => return Some(end),
                None if begun.elapsed() >= PIPE_FIRST_MAX => return None,
                None => clock.sleep(Duration::from_millis(5)),
            }
        }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        // Those that hear nothing first: nobody waits for them.
        self.0.sort_by_key(|process| !process.is_given_up);
        let clock = Clock::Wall;
        let begun = clock.stopwatch();
        for process in &mut self.0 {
            while !process.is_given_up && !process.has_ended() && begun.elapsed() < END_MAX {
                clock.sleep(Duration::from_millis(5));
            }
            process.end();
        }
    }
}

impl Process {
    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// True if the process is gone. It stays a zombie until [`end`](Process::end), so that its number, which
    /// is that of its group, is nobody else's.
    fn has_ended(&self) -> bool {
        !matches!(self.end_status(), Some(None))
    }

    /// The end of the process: `Some(None)` while it lives, `None` where that cannot be known. It stays a
    /// zombie, as [`has_ended`](Process::has_ended) says.
    fn end_status(&self) -> Option<Option<String>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = rustix::process::waitid(WaitId::Pid(self.pid()?), options).ok()?;
        Some(status.map(|status| match (status.terminating_signal(), status.exit_status()) {
            (Some(signal), _) => killed_by(signal),
            (None, Some(code)) => format!("its process ended with exit code {code}"),
            (None, None) => "its process ended".to_owned(),
        }))
    }

    /// Ends the process, if it is still there, and whatever it started and left behind.
    fn end(&mut self) {
        if let Some(pid) = self.pid() {
            let _ = rustix::process::kill_process_group(pid, Signal::KILL); // A group that is gone is ended.
        }
        let _ = self.child.kill().and_then(|()| self.child.wait()); // A process that has ended needs no end.
    }
}

/// Names of the signals by which a rank may be killed (signal(7)).
const SIGNALS: [(Signal, &str); 12] = [
    (Signal::HUP, "SIGHUP"),
    (Signal::INT, "SIGINT"),
    (Signal::QUIT, "SIGQUIT"),
    (Signal::ILL, "SIGILL"),
    (Signal::ABORT, "SIGABRT"),
    (Signal::BUS, "SIGBUS"),
    (Signal::FPE, "SIGFPE"),
    (Signal::KILL, "SIGKILL"),
    (Signal::SEGV, "SIGSEGV"),
    (Signal::PIPE, "SIGPIPE"),
    (Signal::TERM, "SIGTERM"),
    (Signal::XCPU, "SIGXCPU"),
];

/// The signal in words. Out of memory, the kernel kills without another word.
fn killed_by(number: i32) -> String {
    let name = SIGNALS.iter().find(|(signal, _)| signal.as_raw() == number);
    let name = name.map(|(_, name)| format!(" ({name})")).unwrap_or_default();
    let cause = if number == Signal::KILL.as_raw() {
        "; if nobody did so, look into the kernel's log (`dmesg`) for a lack of memory"
    } else {
        ""
    };
    format!("its process was killed by signal {number}{name}{cause}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_rank_is_told_with_its_signal_or_code() {
        for (script, told) in [
            ("kill -9 $$", "its process was killed by signal 9 (SIGKILL); if nobody did so"),
            ("kill -15 $$", "its process was killed by signal 15 (SIGTERM)"),
            ("exit 3", "its process ended with exit code 3"),
        ] {
            let launch = Launch {
                remote: Vec::new(),
                local_program: "sh".to_owned(),
                remote_program: "sh".to_owned(),
                arguments: vec!["-c".to_owned(), script.to_owned()],
            };
            let mut connections = start_ranks(&Hosts(vec![Host("localhost".to_owned())]), &launch).unwrap();
            let end = connections.keeper.end_of(0).unwrap();
            assert!(end.starts_with(told), "{end}");
            assert_eq!(connections.keeper.end_of(1), None);
        }
    }
}
