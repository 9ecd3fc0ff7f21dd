//! From a stopped instance to one that answers, and back.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use ground::Clock;
use parking_lot::Mutex;
use remains::{EntryKind, Note};
use rustix::process::Signal;

use super::control::Control;
use super::engine::{ServerConfig, ServerEngine, ServerProgram};
use super::layout::Layout;
use super::printed;
use super::record::Record;
use super::socket::{self, SocketFolder};
use crate::backup::use_idle_time_only;
use crate::client::Endpoint;
use crate::error::{DatabaseError, ServerError};
use crate::group::{Drive, Group};
use crate::machine::Account;
use crate::machine::process::{self, describe_exit};

/// The time limit of a start: most of it is for the recovery after a crash on a slow drive.
const START_LIMIT: Duration = Duration::from_secs(600);
/// The time limit of a clean stop: the last checkpoint writes the whole buffer pool.
const STOP_LIMIT: Duration = Duration::from_secs(600);
/// The time limit of an immediate end.
const END_LIMIT: Duration = Duration::from_secs(5);
/// The time limit of the program that creates an instance.
const CREATE_LIMIT: Duration = Duration::from_secs(300);
/// Somebody may take a free port before the server does.
const PORT_ATTEMPTS: u32 = 5;

/// Everything that a start needs to know.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub(crate) program: &'a dyn ServerProgram,
    pub(crate) layout: &'a Layout,
    pub(crate) account: &'a Account,
    pub(crate) config: &'a ServerConfig,
    pub(crate) fixed_port: Option<u16>,
}

/// A server that runs.
#[derive(Debug)]
pub(crate) struct Running {
    child: Mutex<Child>,
    /// The start of this run's text in the server's log.
    pub(crate) printed_from: u64,
    pub(crate) control: Mutex<Option<Box<dyn Control>>>,
    /// The limits that it runs under. Removed after the processes are gone: fields drop in this order.
    pub(crate) group: Option<Group>,
    socket: SocketFolder,
    /// Held while it may be there.
    _note: Note,
}

impl Launch<'_> {
    fn engine(&self) -> &'static ServerEngine {
        self.program.engine()
    }

    /// Starts the server and waits until it answers; `endpoint` learns where it listens. `first`: as a new
    /// instance, before set-up.
    pub(crate) fn start(&self, endpoint: &mut Endpoint, first: bool) -> Result<Running, DatabaseError> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let port = match self.fixed_port {
                Some(port) if !socket::is_free(port) => return Err(ServerError::PortTaken { port }.into()),
                Some(port) => port,
                None => socket::free_port()?,
            };
            let socket = SocketFolder::make(self.account)?;
            endpoint.port = port;
            endpoint.socket = self.engine().socket.map(|name| name.path_in(socket.path(), port));
            let from = printed::length(&self.layout.printed());
            match self.try_start(endpoint, socket, first) {
                Ok(running) => return Ok(running),
                Err(error) => {
                    if !self.was_port_taken(from) {
                        return Err(error);
                    }
                    if self.fixed_port.is_some() || attempt == PORT_ATTEMPTS {
                        return Err(ServerError::PortTaken { port }.into());
                    }
                }
            }
        }
    }

    fn was_port_taken(&self, from: u64) -> bool {
        let words = printed::tail(&self.layout.printed(), from, 50).unwrap_or_default();
        words.contains("Address already in use")
    }

    fn try_start(
        &self,
        endpoint: &Endpoint,
        socket: SocketFolder,
        first: bool,
    ) -> Result<Running, DatabaseError> {
        self.configure(endpoint, first)?;
        let path = self.layout.printed();
        let printed = printed::open(&path)?;
        let printed_from = printed::length(&path);
        let mut command = self.program.server(self.layout, self.account);
        command.stdout(printed.try_clone().map_err(DatabaseError::io("opening", &path))?).stderr(printed);
        let group = self.group()?;
        let doors = group.as_ref().map(Group::doors).transpose()?.unwrap_or_default();
        let program = PathBuf::from(command.get_program());
        let note = Note::before(EntryKind::Server, &self.layout.dir, "");
        let child = process::spawn_in(command, self.engine().end_signal, doors)
            .map_err(DatabaseError::io("starting", &program))?;
        if self.config.needs.limits.idle_io {
            use_idle_time_only(child.id());
        }
        // From here on the child is ended on every way out.
        let running = Running {
            child: Mutex::new(child),
            printed_from,
            control: Mutex::new(None),
            group,
            socket,
            _note: note,
        };
        let started = Record::write(&self.layout.dir, running.pid(), running.socket.path()).and_then(|()| {
            let entry = if first { (self.engine().first_entry)(endpoint) } else { endpoint.clone() };
            self.wait_until_ready(&running, &entry)
        });
        match started {
            Ok(control) => {
                *running.control.lock() = Some(control);
                Ok(running)
            }
            Err(error) => {
                running.end(self.engine().end_signal);
                (self.engine().clean_up)(&self.layout.data());
                Err(error)
            }
        }
    }

    fn group(&self) -> Result<Option<Group>, DatabaseError> {
        let limits = &self.config.needs.limits;
        if limits.idle_io {
            Drive::under(&self.layout.dir)?.check_idle_io()?;
        }
        Ok(if limits.rules.is_empty() { None } else { Some(Group::make(&limits.rules)?) })
    }

    /// Writes the configuration files. Everybody may read them: no secret is in them.
    pub(crate) fn configure(&self, endpoint: &Endpoint, first: bool) -> Result<(), DatabaseError> {
        for (name, text) in self.program.configuration(self.layout, self.config, endpoint, first) {
            let path = self.layout.file(name);
            self.layout.write(name, &text)?;
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            fs::set_permissions(&path, mode).map_err(DatabaseError::io("opening for reading", &path))?;
        }
        Ok(())
    }

    fn wait_until_ready(
        &self,
        running: &Running,
        entry: &Endpoint,
    ) -> Result<Box<dyn Control>, DatabaseError> {
        let start = Clock::Wall.stopwatch();
        loop {
            if let Some(status) = running.ended() {
                return Err(self.died_at_start(describe_exit(status), running.printed_from));
            }
            match (self.engine().connect)(entry) {
                Ok(control) => return Ok(control),
                Err(error) if !error.is_not_yet() => return Err(error.into()),
                Err(error) if start.elapsed() > START_LIMIT => {
                    let why =
                        format!("no answer within {} s, the last being: {error}", START_LIMIT.as_secs());
                    return Err(self.died_at_start(why, running.printed_from));
                }
                Err(_) => Clock::Wall.sleep(Duration::from_millis(10)),
            }
        }
    }

    fn died_at_start(&self, why: String, printed_from: u64) -> DatabaseError {
        let (engine, dir) = (self.program.title(), self.layout.dir.clone());
        ServerError::DiedAtStart {
            engine,
            dir,
            why,
            log: printed::appendix(&self.layout.printed(), printed_from),
        }
        .into()
    }

    /// Runs the program that fills the empty directories, to its end.
    pub(crate) fn create_files(&self) -> Result<(), DatabaseError> {
        let path = self.layout.printed();
        let output = printed::open(&path)?;
        let from = printed::length(&path);
        let mut command = self.program.creation(self.layout, self.account);
        command.stdout(output.try_clone().map_err(DatabaseError::io("opening", &path))?).stderr(output);
        let program = PathBuf::from(command.get_program());
        let mut child = process::spawn(command, self.engine().end_signal)
            .map_err(DatabaseError::io("starting", &program))?;
        let mut status = None;
        let ended = process::wait_until(CREATE_LIMIT, || {
            status = child.try_wait().ok().flatten();
            status.is_some()
        });
        if !ended {
            process::kill_tree(child.id());
            let _ = child.wait(); // Reaped; its end is known.
        }
        let why = match status {
            Some(status) if status.success() => return Ok(()),
            Some(status) => describe_exit(status),
            None => format!("it took longer than {} s", CREATE_LIMIT.as_secs()),
        };
        let (engine, dir) = (self.program.title(), self.layout.dir.clone());
        Err(ServerError::Creation { engine, dir, why, log: printed::appendix(&path, from) }.into())
    }
}

impl Running {
    pub(crate) fn pid(&self) -> u32 {
        self.child.lock().id()
    }

    /// Its exit status, once it has ended.
    pub(crate) fn ended(&self) -> Option<ExitStatus> {
        self.child.lock().try_wait().ok().flatten()
    }

    /// Asks for a clean stop and waits for it.
    pub(crate) fn stop(self, ask: Signal) -> Stopped {
        *self.control.lock() = None;
        process::signal(self.pid(), ask);
        let mut status = None;
        let ended = process::wait_until(STOP_LIMIT, || {
            status = self.ended();
            status.is_some()
        });
        if !ended {
            self.kill();
            return Stopped::Never(STOP_LIMIT.as_secs());
        }
        match status {
            Some(status) if status.success() => Stopped::Cleanly,
            Some(status) => Stopped::Badly(describe_exit(status)),
            None => Stopped::Badly("it ended unseen".to_owned()),
        }
    }

    /// Kills it with everything that it has started, at one moment, as a crash would.
    pub(crate) fn kill(self) {
        *self.control.lock() = None;
        self.strike();
    }

    /// [`Running::kill`] while others look on: only the processes go.
    pub(crate) fn strike(&self) {
        // Once it is reaped its number may be another's.
        if self.ended().is_none() {
            process::kill_tree(self.pid());
            let _ = self.child.lock().wait(); // Reaped; its end is known.
        }
    }

    /// Ends it at once; it may release its kernel resources.
    pub(crate) fn end(self, signal: Signal) {
        *self.control.lock() = None;
        process::signal(self.pid(), signal);
        process::wait_until(END_LIMIT, || self.ended().is_some());
        self.kill();
    }
}

/// The result of a stop.
#[derive(Debug)]
pub(crate) enum Stopped {
    Cleanly,
    /// It ended otherwise: how.
    Badly(String),
    /// It was killed after this many seconds.
    Never(u64),
}
