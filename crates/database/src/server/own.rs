//! A server that we create, start, stop, crash, copy and remove.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use emulate::{Backing, Counters, FuseMount};
use ground::Clock;
use words::Engine;

use super::control::Control;
use super::drives::{Drives, Manner};
use super::engine::{Needs, ServerConfig, ServerEngine, ServerProgram, describe};
use super::launch::{Launch, Running, Stopped};
use super::layout::{Layout, SECRET_FILE, Unfinished};
use super::record::{self, Lock, Record};
use super::{copy, printed};
use crate::backup::{BackupReport, BackupRequest, BackupWatch, RestoreReport, TableSum};
use crate::client::{Endpoint, HangUp, Life, Secret};
use crate::copy::CopyReport;
use crate::engine::Access;
use crate::error::{DatabaseError, ServerError};
use crate::group::ThrottleCounters;
use crate::instance::{Instance, InstanceSpec, RunsIn};
use crate::machine::{Account, Tree, process, room, tree};
use crate::marker::Marker;
use crate::rewrite::{self, FILE_MIN_BYTES};
use crate::waits::Waits;

/// Name of our user and of our database in every instance.
const NAME: &str = "drivetrain";
/// The file that grows in turn with the tables of a fragmented database.
const FILLER: &str = "filler";
/// The initial size of an instance without rows on its data storage, bytes; rounded up.
const NEW_DATA_BYTES: u64 = 64 << 20;

/// One server of our own. Dropping it ends the server at once, as a crash would; [`Instance::stop`] ends it
/// cleanly.
#[derive(Debug)]
pub struct Server {
    // Ended before the locks are given back: fields drop in this order, and `Drop` takes it.
    pub(super) running: Option<Running>,
    drives: Drives,
    /// The time that mounting took so far. It is the emulation's, not the database's.
    pub(super) mounting: Duration,
    config: ServerConfig,
    pub(super) program: Box<dyn ServerProgram>,
    pub(super) layout: Layout,
    pub(super) account: Account,
    pub(super) endpoint: Endpoint,
    fixed_port: Option<u16>,
    /// The server's settings as it reports them, after the first query.
    effective: Option<BTreeMap<String, String>>,
    _locks: Vec<Lock>,
}

impl Server {
    /// Claims the directories of `spec`. Nothing runs yet and an existing database is left as it is.
    ///
    /// # Errors
    /// When no server is installed, or a directory is foreign or in use.
    pub(crate) fn new(
        spec: InstanceSpec,
        engine: &ServerEngine,
        needs: Needs,
    ) -> Result<Self, DatabaseError> {
        let program = engine.find()?;
        for dir in std::iter::once(&spec.dir).chain(&spec.log_dir) {
            // A run that was killed may have left a dead mount over the directories.
            emulate::fuse::repair_stale(dir)
                .map_err(DatabaseError::io("unmounting what a killed run left in", dir))?;
        }
        let layout = Layout::claim(&spec.dir, spec.log_dir.as_deref(), engine.files.configuration)?;
        let mut locks = vec![Lock::take(&layout.dir)?];
        if layout.log_home != layout.dir {
            locks.push(Lock::take(&layout.log_home)?);
        }
        let account = Account::for_server(engine.account);
        let endpoint = Endpoint {
            socket: None,
            host: "127.0.0.1".to_owned(),
            port: 0,
            user: NAME.to_owned(),
            password: None,
            database: NAME.to_owned(),
            hang_up: HangUp::default(),
        };
        Ok(Self {
            running: None,
            drives: Drives::default(),
            mounting: Duration::ZERO,
            config: ServerConfig { spec, needs },
            program,
            layout,
            account,
            endpoint,
            fixed_port: None,
            effective: None,
            _locks: locks,
        })
    }

    /// From the next start on it listens on `port` of 127.0.0.1 and on no other; `None` takes a free one each
    /// time, as a new instance does.
    pub fn set_port(&mut self, port: Option<u16>) {
        self.fixed_port = port;
    }

    /// From the next start on physical backups can be made of it ([`Needs::backups`]).
    pub fn allow_backups(&mut self) {
        self.config.needs.backups = true;
    }

    /// Its address and its user. Meaningful while it runs.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// True while it runs. It may have died since it was started.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.ended().is_none())
    }

    /// Process number of the running server.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.running.as_ref().map(Running::pid)
    }

    fn server_engine(&self) -> &'static ServerEngine {
        self.program.engine()
    }

    fn launch(&self) -> Launch<'_> {
        Launch {
            program: &*self.program,
            layout: &self.layout,
            account: &self.account,
            config: &self.config,
            fixed_port: self.fixed_port,
        }
    }

    /// Starts the created instance.
    fn run(&mut self, first: bool) -> Result<(), DatabaseError> {
        let mut endpoint = self.endpoint.clone();
        let running = self.launch().start(&mut endpoint, first)?;
        self.endpoint = endpoint;
        self.running = Some(running);
        Ok(())
    }

    /// Makes directories, files, user and database.
    fn create(&mut self) -> Result<(), DatabaseError> {
        let log_bytes = (self.server_engine().sizes.log_bytes)(self.config.log_for_bytes());
        if self.layout.log_home == self.layout.dir {
            room::check_disk(&self.layout.dir, NEW_DATA_BYTES + log_bytes)?;
        } else {
            room::check_disk(&self.layout.dir, NEW_DATA_BYTES)?;
            room::check_disk(&self.layout.log_home, log_bytes)?;
        }
        self.layout.begin(Unfinished::Creation)?;
        self.make_dirs()?;
        self.mount()?;
        self.launch().configure(&self.endpoint, true)?;
        self.launch().create_files()?;
        self.endpoint.password = Some(Secret::new([disk::nonce(), disk::nonce()].concat()));
        copy::write_secret(&self.layout.file(SECRET_FILE), self.endpoint.password.as_ref())?;
        self.run(true)?;
        let endpoint = self.endpoint.clone();
        self.with_control(|control| control.set_up(&endpoint))?;
        if self.server_engine().starts_closed {
            self.stop()?;
        } else if let Some(running) = &self.running {
            *running.control.lock() = None; // It was not in our database.
        }
        copy::note_version(&self.layout, &*self.program)?;
        self.layout.finish()
    }

    fn make_dirs(&self) -> Result<(), DatabaseError> {
        self.account.reach(&self.layout.dir)?;
        self.account.reach(&self.layout.log_home)?;
        for dir in [self.layout.data(), self.layout.log(), self.layout.temporary()] {
            self.account.create_dir(&dir)?;
        }
        Ok(())
    }

    /// From here on data and log take the time of their modelled drives, if they have any.
    pub(super) fn mount(&mut self) -> Result<(), DatabaseError> {
        let (data, log) = (self.layout.data(), self.layout.log());
        let start = Clock::Wall.stopwatch();
        let mounted =
            self.drives.mount(self.manner(), (&data, &self.config.spec.data), (&log, &self.config.spec.log));
        self.mounting += start.elapsed();
        mounted
    }

    /// The directory of a backup takes the time of its modelled drive, if it has one, until the mount is
    /// dropped.
    pub(super) fn mount_backup(
        &self,
        dir: &Path,
        backing: &Backing,
    ) -> Result<Option<FuseMount>, DatabaseError> {
        self.drives.mount_backup(self.manner(), dir, backing)
    }

    fn manner(&self) -> Manner {
        Manner { power_cuts: self.config.needs.power_cuts, page_cache: self.config.spec.page_cache }
    }

    /// Removes the remains of a cut-off creation, and refuses those of a cut-off restore.
    fn clear_unfinished(&self) -> Result<(), DatabaseError> {
        match self.layout.unfinished() {
            None => Ok(()),
            Some(Unfinished::Restore) => Err(ServerError::Unfinished { dir: self.layout.dir.clone() }.into()),
            Some(Unfinished::Creation) => {
                self.layout.wipe()?;
                Record::clear(&self.layout.dir);
                self.layout.finish()
            }
        }
    }

    /// Works with the control connection, which is opened anew when it was lost.
    pub(super) fn with_control<T>(
        &self,
        work: impl FnOnce(&mut dyn Control) -> Result<T, ServerError>,
    ) -> Result<T, DatabaseError> {
        let running = self
            .running
            .as_ref()
            .ok_or_else(|| DatabaseError::NotRunning { dir: self.layout.dir.clone() })?;
        let mut slot = running.control.lock();
        let outcome = match slot.take().map_or_else(|| (self.server_engine().connect)(&self.endpoint), Ok) {
            Ok(mut control) => work(&mut *control).inspect(|_| *slot = Some(control)),
            Err(error) => Err(error),
        };
        // A connection that failed is not used again. A dead server is the better reason.
        outcome.map_err(|error| self.death(running).unwrap_or(error).into())
    }

    fn death(&self, running: &Running) -> Option<ServerError> {
        let status = running.ended()?;
        let killed = running.group.as_ref().is_some_and(|group| group.throttling().killed > 0);
        let by = if killed { ", for its limit of memory was too small" } else { "" };
        Some(self.died(format!("{}{by}", process::describe_exit(status)), running.printed_from))
    }

    fn died(&self, why: String, printed_from: u64) -> ServerError {
        let (engine, dir) = (self.program.title(), self.layout.dir.clone());
        ServerError::Died { engine, dir, why, log: printed::appendix(&self.layout.printed(), printed_from) }
    }

    fn start_stopped(&mut self) -> Result<(), DatabaseError> {
        self.running = None; // It had died; this is its restart.
        record::end_stale(&self.layout.dir);
        (self.server_engine().clean_up)(&self.layout.data());
        self.clear_unfinished()?;
        room::check_memory(self.config.spec.memory_bytes)?;
        if self.layout.is_created() {
            copy::check_version(&self.layout, &*self.program)?;
            self.endpoint.password = copy::read_secret(&self.layout.file(SECRET_FILE));
            self.make_dirs()?;
            self.mount()?;
        } else {
            self.create()?;
        }
        if self.running.is_none() {
            self.run(false)?;
        }
        let settings = self.program.settings(&self.config);
        let watched = self.server_engine().watched.iter().copied();
        let names: Vec<&str> = settings.iter().map(|setting| setting.name).chain(watched).collect();
        self.effective = Some(self.with_control(|control| control.effective(&names))?);
        Ok(())
    }

    /// Kills the server, if it runs: its data will be thrown away.
    pub(super) fn end(&mut self) {
        if let Some(running) = self.running.take() {
            running.end(self.server_engine().end_signal);
        }
        self.drives.unmount();
        record::end_stale(&self.layout.dir);
        (self.server_engine().clean_up)(&self.layout.data());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.end(self.server_engine().end_signal);
        }
        self.drives.unmount();
        (self.server_engine().clean_up)(&self.layout.data());
    }
}

impl Instance for Server {
    fn engine(&self) -> Engine {
        self.program.engine().word
    }

    fn version(&self) -> String {
        self.program.version().to_owned()
    }

    fn access(&self) -> Access<'_> {
        (self.program.engine().access)(&self.endpoint)
    }

    fn start(&mut self) -> Result<(), DatabaseError> {
        if self.is_running() {
            return Ok(());
        }
        // Half a start is none.
        self.start_stopped().inspect_err(|_| self.end())
    }

    fn stop(&mut self) -> Result<(), DatabaseError> {
        let Some(running) = self.running.take() else { return Ok(()) };
        if let Some(death) = self.death(&running) {
            return Err(death.into());
        }
        let from = running.printed_from;
        let stopped = running.stop(self.server_engine().stop_signal);
        self.drives.unmount();
        match stopped {
            Stopped::Cleanly => {
                Record::clear(&self.layout.dir);
                Ok(())
            }
            Stopped::Badly(why) => Err(self.died(why, from).into()),
            Stopped::Never(waited_s) => {
                let (engine, dir) = (self.program.title(), self.layout.dir.clone());
                let log = printed::appendix(&self.layout.printed(), from);
                Err(ServerError::DidNotStop { engine, dir, waited_s, log }.into())
            }
        }
    }

    fn crash(&mut self) -> Result<(), DatabaseError> {
        let running =
            self.running.take().ok_or_else(|| DatabaseError::NotRunning { dir: self.layout.dir.clone() })?;
        running.kill();
        Ok(())
    }

    fn crash_under_load(&self, _seed: u64) -> Result<(), DatabaseError> {
        let running = self.running.as_ref().filter(|running| running.ended().is_none());
        let running = running.ok_or_else(|| DatabaseError::NotRunning { dir: self.layout.dir.clone() })?;
        running.strike();
        Ok(())
    }

    fn remove(&mut self) -> Result<(), DatabaseError> {
        self.end();
        self.layout.wipe()?;
        self.layout.finish()?;
        Record::clear(&self.layout.dir);
        Ok(())
    }

    fn snapshot(&mut self, to: &Path) -> Result<CopyReport, DatabaseError> {
        let kept = Layout::claim_copy(to)?;
        if !self.layout.is_created() || self.layout.unfinished().is_some() {
            let why = "no database was created yet".to_owned();
            return Err(DatabaseError::NoCopy { path: self.layout.dir.clone(), why });
        }
        let ran = self.is_running();
        // After a crash the files are whole only when the server has gone through its log.
        if !ran && Record::exists(&self.layout.dir) {
            self.start()?;
        }
        if self.running.is_some() {
            self.with_control(|control| control.before_copy())?;
            self.stop()?;
        }
        let report = copy::snapshot(&self.layout, &kept, &*self.program)?;
        if ran {
            self.start()?;
        }
        Ok(report)
    }

    fn restore(&mut self, from: &Path) -> Result<CopyReport, DatabaseError> {
        let kept = copy::find(from, &*self.program)?;
        let ran = self.is_running();
        self.end();
        self.account.reach(&self.layout.dir)?;
        self.account.reach(&self.layout.log_home)?;
        let report = copy::restore(&kept, &self.layout, &*self.program, &self.account)?;
        Record::clear(&self.layout.dir);
        if ran {
            self.start()?;
        }
        Ok(report)
    }

    fn size_bytes(&self) -> u64 {
        tree::size_bytes(&self.layout.data()) + tree::size_bytes(&self.layout.log())
    }

    fn settings(&self) -> Vec<(String, String)> {
        let mut lines = describe(&*self.program, &self.config, self.effective.as_ref());
        lines.extend(self.limits().map(|(limits, _)| ("limits".to_owned(), limits)));
        lines
    }

    fn limits(&self) -> Option<(String, ThrottleCounters)> {
        let group = self.running.as_ref()?.group.as_ref()?;
        Some((group.in_words(), group.throttling()))
    }

    fn lift_limits(&self) {
        if let Some(group) = self.running.as_ref().and_then(|running| running.group.as_ref()) {
            group.lift();
        }
    }

    fn spec(&self) -> Option<&InstanceSpec> {
        Some(&self.config.spec)
    }

    fn storage_counters(&self) -> Counters {
        self.drives.counters()
    }

    fn first_storage_error(&self) -> Option<String> {
        let death = || self.running.as_ref().and_then(|running| self.death(running));
        self.drives.first_error().or_else(|| death().map(|error| error.to_string()))
    }

    fn cool(&mut self) -> Result<(), DatabaseError> {
        self.stop()?;
        let data = self.layout.data();
        Tree::list(&data, self.program.log_link())?.settle(&data)?;
        self.start()
    }

    fn data_files(&self) -> Result<Vec<PathBuf>, DatabaseError> {
        let data = self.layout.data();
        let tree = Tree::list(&data, self.program.log_link())?;
        let large = |path: &PathBuf| path.metadata().is_ok_and(|m| m.len() >= FILE_MIN_BYTES);
        Ok(tree.files().map(|path| data.join(path)).filter(large).collect())
    }

    fn lay_out(&mut self, piece_bytes: Option<u64>) -> Result<(), DatabaseError> {
        self.stop()?;
        let filler = Marker::open(&self.layout.dir)?.ensure(FILLER, 0o600)?;
        for file in self.data_files()? {
            rewrite::lay_out(&file, None, &filler, piece_bytes)?;
        }
        Ok(())
    }

    fn cut_power(&self, seed: u64) -> Result<(), DatabaseError> {
        if !self.drives.are_mounted() {
            return Err(ServerError::NoPowerCut { engine: self.program.title() }.into());
        }
        // The drives first: nothing that the server still does on its way down becomes durable.
        self.drives.cut_power(seed)?;
        self.crash_under_load(seed)
    }

    fn power_on(&mut self) -> Result<(), DatabaseError> {
        self.running = None;
        self.drives.power_on()?;
        self.start()
    }

    fn set_lying_flush(&self, lies: bool) -> Result<(), DatabaseError> {
        if !self.drives.are_mounted() {
            return Err(ServerError::NoPowerCut { engine: self.program.title() }.into());
        }
        self.drives.set_lying_flush(lies);
        Ok(())
    }

    fn server_counters(&self) -> Result<BTreeMap<String, f64>, DatabaseError> {
        let mut counters = self.with_control(|control| control.counters())?;
        if let Some(pid) = self.pid() {
            let usage = process::tree_usage(pid);
            counters.insert("processor_ms".to_owned(), usage.cpu_ms);
            counters.insert("to_drives_bytes".to_owned(), usage.to_drives_bytes as f64);
        }
        Ok(counters)
    }

    fn wait_sample(&self) -> Result<Waits, DatabaseError> {
        self.with_control(|control| control.waits())
    }

    fn runs_in(&self) -> RunsIn {
        self.pid().map_or(RunsIn::Elsewhere, RunsIn::Process)
    }

    fn life(&self) -> Result<Option<Life>, DatabaseError> {
        self.with_control(|control| control.life()).map(Some)
    }

    fn back_up(&self, request: &BackupRequest, watch: &BackupWatch) -> Result<BackupReport, DatabaseError> {
        self.make_backup(request, watch)
    }

    fn restore_backup(
        &mut self,
        from: &BackupRequest,
        watch: &BackupWatch,
    ) -> Result<RestoreReport, DatabaseError> {
        self.bring_backup_back(from, watch)
    }

    fn table_sums(&self, stop: &Arc<AtomicBool>) -> Result<Vec<TableSum>, DatabaseError> {
        self.with_control(|control| control.sums(stop))
    }

    fn server_log(&self, lines: usize) -> Option<String> {
        let from = self.running.as_ref().map_or(0, |running| running.printed_from);
        printed::tail(&self.layout.printed(), from, lines)
    }
}
