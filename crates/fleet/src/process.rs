//! Ranks as processes: of this machine, or of others by `ssh` or a program in its place.

use std::any::Any;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use ground::Clock;

use crate::coordinator::{Arrived, Connections, Incoming, Outbox};
use crate::error::FleetError;
use crate::frame::{read_frame, write_frame};
use crate::hosts::{Host, Hosts};

/// A rank that was told to end has so long for its servers and files.
const END_MAX: Duration = Duration::from_secs(30);
/// Longest line of a rank's standard error that is told.
const LINE_BYTES_MAX: u64 = 4096;

/// The name of a host, the messages from it, and those to it.
pub type Pipes = (String, Box<dyn Read + Send>, Box<dyn Write + Send>);

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
        keeper.0.push(child);
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

impl Connections {
    /// The number of ranks.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.ranks.len() as u32
    }

    /// The same; `also` is dropped after the ways to the ranks are closed.
    #[must_use]
    pub fn keeping(self, also: impl Any + Send) -> Connections {
        Connections { keeper: Box::new((also, self.keeper)), ..self }
    }

    /// Ranks that are reached over pipes that somebody else made.
    #[must_use]
    pub fn over(pipes: Vec<Pipes>) -> Connections {
        let (arrivals, inbox) = channel();
        let mut ranks = Vec::new();
        for (rank, (host, from, to)) in (0..).zip(pipes) {
            ranks.push((host, outbox(to)));
            let arrivals = arrivals.clone();
            std::thread::spawn(move || read_messages(rank, from, &arrivals));
        }
        Connections { ranks, inbox, keeper: Box::new(()) }
    }
}

fn spawn(command: &[String]) -> std::io::Result<Child> {
    let (program, arguments) = command.split_first().ok_or(std::io::ErrorKind::NotFound)?;
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Ctrl-C is for the lead, which tells the ranks.
        .process_group(0)
        .spawn()
}

/// A thread that writes messages to a rank until its sender is dropped; then its pipe closes.
pub(crate) fn outbox(pipe: impl Write + Send + 'static) -> Outbox {
    let (outbox, messages): (Outbox, Receiver<Vec<u8>>) = channel();
    std::thread::spawn(move || {
        let mut pipe = BufWriter::new(pipe);
        for message in messages {
            if write_frame(&mut pipe, &message).is_err() {
                break; // Its reader tells that it is gone.
            }
        }
    });
    outbox
}

/// Hands in every message of a rank with the time of its arrival, and at last its end.
pub(crate) fn read_messages(rank: u32, mut pipe: impl Read, arrivals: &Sender<Incoming>) {
    let incoming = |what| Incoming { rank, at_ns: Clock::Wall.now_ns(), what };
    loop {
        let (what, ends) = match read_frame(&mut pipe) {
            Ok(Some(message)) => (Arrived::Message(message), false),
            Ok(None) => (Arrived::End(None), true),
            Err(error) => (Arrived::End(Some(error.to_string())), true),
        };
        if ends {
            // The lines that say why are on another pipe.
            Clock::Wall.sleep(Duration::from_millis(50));
        }
        if arrivals.send(incoming(what)).is_err() || ends {
            break;
        }
    }
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
struct Children(Vec<Child>);

impl Drop for Children {
    fn drop(&mut self) {
        let clock = Clock::Wall;
        let begun = clock.stopwatch();
        for child in &mut self.0 {
            while matches!(child.try_wait(), Ok(None)) {
                if begun.elapsed() > END_MAX {
                    let _ = child.kill().and_then(|()| child.wait());
                } else {
                    clock.sleep(Duration::from_millis(5));
                }
            }
        }
    }
}
