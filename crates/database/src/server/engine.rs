//! The interface between servers: the facts of an engine without an installation, and the work of an
//! installed program.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;
use words::Engine;

use super::control::Control;
use super::files::Files;
use super::layout::Layout;
use super::look::{Grown, Work};
use crate::backup::{BackupRequest, BackupWatch, CopyParts, Manifest};
use crate::client::Endpoint;
use crate::engine::Access;
use crate::error::{DatabaseError, ServerError};
use crate::group::Limits;
use crate::instance::InstanceSpec;
use crate::machine::Account;
use crate::machine::binaries::{self, Found, Wanted};

/// An engine that is a server: its facts, installed or not.
pub(crate) struct ServerEngine {
    pub(crate) word: Engine,
    /// The programs that do, by name and version.
    pub(crate) wanted: Wanted,
    /// The program that was found.
    pub(crate) program: fn(Found) -> Box<dyn ServerProgram>,
    /// Opens a control connection.
    pub(crate) connect: fn(&Endpoint) -> Result<Box<dyn Control>, ServerError>,
    /// The work behind the growth of the counters of [`Control::look`] in so many intervals between looks.
    pub(crate) work: fn(&Grown, u64) -> Work,
    /// The way in of the workloads.
    pub(crate) access: for<'a> fn(&'a Endpoint) -> Access<'a>,
    /// The distribution's account for it.
    pub(crate) account: &'static str,
    /// Asks for a clean stop that does not wait for clients.
    pub(crate) stop_signal: Signal,
    /// Ends it at once and leaves nothing behind in the kernel.
    pub(crate) end_signal: Signal,
    /// True if no other client may enter before [`Control::set_up`], so that it must be started again
    /// afterwards.
    pub(crate) starts_closed: bool,
    /// The first access to a new instance, before [`Control::set_up`].
    pub(crate) first_entry: fn(&Endpoint) -> Endpoint,
    /// The name of its unix socket in a folder; `None` for one without.
    pub(crate) socket: Option<SocketName>,
    /// Settings of its own choice that can change a result, of servers of ours.
    pub(crate) watched: &'static [&'static str],
    /// The same of servers that are only visited.
    pub(crate) watched_of_existing: &'static [&'static str],
    /// The files that it puts into its directories.
    pub(crate) files: Files,
    /// Clears the remains of a killed server from its data directory and the kernel, so that it can be
    /// started again at once. A data directory of another engine is left as it is.
    pub(crate) clean_up: fn(&Path),
    /// The space that an instance takes on storage.
    pub(crate) sizes: ServerSizes,
}

/// The space that an instance of a server takes on storage.
#[derive(Clone, Copy, Debug)]
pub struct ServerSizes {
    /// An instance without rows, its log left out, bytes; measured.
    pub empty_bytes: u64,
    /// A warehouse of order entry with its indexes, bytes; measured on two and six of them.
    pub warehouse_bytes: u64,
    /// The size of the log, in bytes, for a server with this much memory.
    pub log_bytes: fn(u64) -> u64,
}

/// The name that a server gives to its socket.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SocketName {
    /// The same for every port.
    Whole(&'static str),
    /// This, and the port behind it.
    BeforePort(&'static str),
}

impl SocketName {
    /// Its path for `port` in the folder `dir`.
    pub(crate) fn path_in(self, dir: &Path, port: u16) -> PathBuf {
        match self {
            SocketName::Whole(name) => dir.join(name),
            SocketName::BeforePort(start) => dir.join(format!("{start}{port}")),
        }
    }

    /// The socket that an address names by `path`: of a name with a port the folder, of another the socket.
    pub(crate) fn named_by(self, path: &Path, port: u16) -> PathBuf {
        match self {
            SocketName::Whole(_) => path.to_owned(),
            SocketName::BeforePort(_) => self.path_in(path, port),
        }
    }

    /// True if a server of this engine makes files of this name in its socket's folder: sockets, and their
    /// locks.
    pub(crate) fn is_of(self, file: &str) -> bool {
        let (SocketName::Whole(start) | SocketName::BeforePort(start)) = self;
        file.starts_with(start)
    }
}

impl fmt::Debug for ServerEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word.name())
    }
}

impl ServerEngine {
    /// The installed program.
    ///
    /// # Errors
    /// When there is none, or none that will do.
    pub(crate) fn find(&self) -> Result<Box<dyn ServerProgram>, ServerError> {
        binaries::find(&self.wanted).map(self.program)
    }
}

/// One installed server program, and how it is handled.
pub(crate) trait ServerProgram: BackupTools + fmt::Debug + Send + Sync {
    /// The engine that it is a program of.
    fn engine(&self) -> &'static ServerEngine;

    /// The entry at the top of the data directory that leads to the log, where there is one: it belongs to
    /// the place and not to the database, so that no copy holds it.
    fn log_link(&self) -> Option<&'static str> {
        self.engine().files.log_link
    }

    /// As people spell it.
    fn title(&self) -> &'static str;

    /// Its version.
    fn version(&self) -> &str;

    /// Engine and the part of the version that its files depend on.
    fn generation(&self) -> String;

    /// All its settings, each with its reason.
    fn settings(&self, config: &ServerConfig) -> Vec<Setting>;

    /// The texts of its configuration files by name. `first`: before anybody has a password.
    fn configuration(
        &self,
        layout: &Layout,
        config: &ServerConfig,
        endpoint: &Endpoint,
        first: bool,
    ) -> Vec<(&'static str, String)>;

    /// The program that fills the empty directories.
    fn creation(&self, layout: &Layout, account: &Account) -> Command;

    /// The server itself.
    fn server(&self, layout: &Layout, account: &Account) -> Command;
}

/// The backups that the tools of an engine make.
pub(crate) trait BackupTools {
    /// Makes a backup with the engine's tools; returns the tool in its own words.
    fn back_up(&self, job: &BackupJob<'_>) -> Result<String, DatabaseError>;

    /// Puts the files of a physical backup into the empty directories of data and log, ready for a start;
    /// returns the parts of the time that it took.
    fn bring_back(&self, job: &RestoreJob<'_>) -> Result<CopyParts, DatabaseError>;

    /// Loads a logical backup into our empty database of a new, running instance.
    fn load_back(&self, job: &RestoreJob<'_>) -> Result<(), DatabaseError>;
}

/// The needs of the workload from a server of our own, besides its [`InstanceSpec`].
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// Its log is sized as for a server with this much memory, whatever memory it has itself; `None` for its
    /// own. Beds of one comparison use the largest memory among them: else a bed with less memory would also
    /// write checkpoints more often.
    pub log_for_bytes: Option<u64>,
    /// Physical backups can be made of it. PostgreSQL then writes the fuller log that its replicas read; beds
    /// that are compared are all to have it.
    pub backups: bool,
    /// The power of its modelled drives can be cut ([`crate::Instance::cut_power`]), and their flushes can
    /// lie. Costs a copy of all data that writes replace.
    pub power_cuts: bool,
    /// The limits of its processes. A limit that the machine does not allow is an error of the start.
    pub limits: Limits,
}

/// The configuration of an instance.
#[derive(Clone, Debug)]
pub(crate) struct ServerConfig {
    pub(crate) spec: InstanceSpec,
    pub(crate) needs: Needs,
}

impl ServerConfig {
    /// Memory for which the log is sized, bytes.
    pub(crate) fn log_for_bytes(&self) -> u64 {
        self.needs.log_for_bytes.unwrap_or(self.spec.memory_bytes)
    }
}

/// A backup that an engine's tools are to make of a running instance.
#[derive(Debug)]
pub(crate) struct BackupJob<'a> {
    pub(crate) request: &'a BackupRequest,
    /// Its destination: an empty directory of the server's account.
    pub(crate) files: &'a Path,
    pub(crate) layout: &'a Layout,
    pub(crate) account: &'a Account,
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) watch: &'a BackupWatch,
}

/// A backup that is to be brought back.
#[derive(Debug)]
pub(crate) struct RestoreJob<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) files: &'a Path,
    pub(crate) layout: &'a Layout,
    pub(crate) account: &'a Account,
    /// Of the running instance, for a logical backup.
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) watch: &'a BackupWatch,
}

/// One setting of a server.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// Empty for an option that has none.
    pub(crate) value: String,
    pub(crate) why: &'static str,
}

impl Setting {
    pub(crate) fn new(name: &'static str, value: impl ToString, why: &'static str) -> Self {
        Self { name, value: value.to_string(), why }
    }
}

/// The settings in print: the values that the server reports, or else the configured ones.
pub(crate) fn describe(
    program: &dyn ServerProgram,
    config: &ServerConfig,
    effective: Option<&BTreeMap<String, String>>,
) -> Vec<(String, String)> {
    let engine = program.engine();
    let prefix = engine.word.name();
    let has = |name: &str| effective.and_then(|values| values.get(name).cloned());
    let mut lines = vec![(format!("{prefix}.version"), format!("{} {}", program.title(), program.version()))];
    for setting in program.settings(config) {
        let told = if setting.value.is_empty() { "on".to_owned() } else { setting.value };
        let value = has(setting.name).unwrap_or(told);
        lines.push((format!("{prefix}.{}", setting.name), format!("{value} ({})", setting.why)));
    }
    let watched = engine.watched.iter().filter_map(|name| Some((format!("{prefix}.{name}"), has(name)?)));
    lines.extend(watched);
    lines
}
