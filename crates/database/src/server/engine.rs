//! What differs between one server and another.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use rustix::process::Signal;

use super::account::Account;
use super::endpoint::Endpoint;
use super::error::ServerError;
use super::layout::Layout;
use super::life::Life;
use crate::backup::{BackupRequest, BackupWatch, Manifest, TableSum};
use crate::group::Limits;
use crate::instance::Access;
use crate::{DatabaseError, InstanceSpec};

/// What an instance is to be like.
#[derive(Clone, Debug)]
pub(crate) struct ServerConfig {
    pub(crate) spec: InstanceSpec,
    /// Memory for which the log is sized: the same for beds that are to differ in nothing but memory.
    pub(crate) log_for_bytes: u64,
    /// Whether physical backups will be made of it, for which PostgreSQL must keep a fuller log.
    pub(crate) for_backups: bool,
    /// What its processes are held to.
    pub(crate) limits: Limits,
}

/// A backup that an engine's tools are to make of a running instance.
#[derive(Debug)]
pub(crate) struct BackupJob<'a> {
    pub(crate) request: &'a BackupRequest,
    /// Where it goes: an empty directory of the server's account.
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

/// One installed server program, and how it is handled.
pub(crate) trait Engine: Debug + Send + Sync {
    /// As the experiment file spells it.
    fn name(&self) -> &'static str;

    /// As people spell it.
    fn title(&self) -> &'static str;

    /// Its version.
    fn version(&self) -> &str;

    /// Engine and the part of the version that its files depend on.
    fn generation(&self) -> String;

    /// The distribution's account for it.
    fn account(&self) -> &'static str;

    /// What an empty instance takes on the storage of the data and on that of the log, bytes.
    fn space_bytes(&self, config: &ServerConfig) -> (u64, u64);

    /// Asks for a clean stop that does not wait for clients.
    fn stop_signal(&self) -> Signal;

    /// Ends it at once and leaves nothing behind in the kernel.
    fn end_signal(&self) -> Signal;

    /// Everything it is told, each with its reason.
    fn settings(&self, config: &ServerConfig) -> Vec<Setting>;

    /// Names of further settings of its own choice that can change a result.
    fn watched(&self) -> &'static [&'static str];

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

    /// The socket that it makes in `dir`.
    fn socket(&self, dir: &Path, port: u16) -> PathBuf;

    /// How a new instance is entered before [`Control::set_up`]; `None` when as ever after.
    fn first_endpoint(&self, endpoint: &Endpoint) -> Endpoint;

    /// Whether nobody else may enter before [`Control::set_up`], so that it must be started again afterwards.
    fn starts_closed(&self) -> bool;

    /// Opens a control connection.
    fn connect(&self, endpoint: &Endpoint) -> Result<Box<dyn Control>, ServerError>;

    /// An entry at the top of the data directory that belongs to the place and not to the database, so that
    /// no copy holds it.
    fn belongs_to_place(&self) -> Option<&'static str>;

    /// Makes that entry anew.
    fn settle_in(&self, layout: &Layout) -> Result<(), DatabaseError>;

    /// Clears away what a killed server left on its storage and in the kernel, so that it can be started
    /// again at once.
    fn clean_up(&self, layout: &Layout);

    /// Makes a backup with the engine's tools; returns the tool in its own words.
    fn back_up(&self, job: &BackupJob<'_>) -> Result<String, DatabaseError>;

    /// Puts the files of a physical backup into the empty directories of data and log, ready for a start.
    fn bring_back(&self, job: &RestoreJob<'_>) -> Result<(), DatabaseError>;

    /// Loads a logical backup into our empty database of a new, running instance.
    fn load_back(&self, job: &RestoreJob<'_>) -> Result<(), DatabaseError>;

    /// Which way in the workload takes.
    fn access<'a>(&self, endpoint: &'a Endpoint) -> Access<'a>;
}

/// A connection for questions and set-up, apart from the workload's.
pub(crate) trait Control: Debug + Send {
    /// Makes our user and database on a new instance.
    fn set_up(&mut self, endpoint: &Endpoint) -> Result<(), ServerError>;

    /// Brings a loaded server into the state that its copies are to start from.
    fn before_copy(&mut self) -> Result<(), ServerError>;

    /// The server's counters, by its own names and by those of [`crate::Instance::server_counters`].
    fn counters(&mut self) -> Result<BTreeMap<String, f64>, ServerError>;

    /// What working clients wait for at this moment, and how many.
    fn waits(&mut self) -> Result<Vec<(String, u32)>, ServerError>;

    /// Marks of the server's present life.
    fn life(&mut self) -> Result<Life, ServerError>;

    /// The values that the server has for the settings `names`; unknown ones are left out.
    fn effective(&mut self, names: &[&str]) -> Result<BTreeMap<String, String>, ServerError>;

    /// What every table of our database holds, in the order of their names.
    fn sums(&mut self, stop: &AtomicBool) -> Result<Vec<TableSum>, ServerError>;

    /// Engine and version in the server's words.
    fn version(&mut self) -> Result<String, ServerError>;

    /// Size of our database, bytes.
    fn size_bytes(&mut self) -> Result<u64, ServerError>;

    /// Checks that our user may create tables.
    fn require_create(&mut self) -> Result<(), ServerError>;
}

/// One thing that a server is told.
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

/// The settings in print: what the server says it has where it has been asked, what it was told elsewhere.
pub(crate) fn describe(
    engine: &dyn Engine,
    config: &ServerConfig,
    effective: Option<&BTreeMap<String, String>>,
) -> Vec<(String, String)> {
    let prefix = engine.name();
    let has = |name: &str| effective.and_then(|values| values.get(name).cloned());
    let mut lines = vec![(format!("{prefix}.version"), format!("{} {}", engine.title(), engine.version()))];
    for setting in engine.settings(config) {
        let told = if setting.value.is_empty() { "on".to_owned() } else { setting.value };
        let value = has(setting.name).unwrap_or(told);
        lines.push((format!("{prefix}.{}", setting.name), format!("{value} ({})", setting.why)));
    }
    let watched = engine.watched().iter().filter_map(|name| Some((format!("{prefix}.{name}"), has(name)?)));
    lines.extend(watched);
    lines
}
