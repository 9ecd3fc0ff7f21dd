//! A mounted directory, and the switches that a laboratory needs: counters, power, faults.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fuser::{Config, MountOption, SessionACL};
use parking_lot::Mutex;
use remains::{EntryKind, Note};

use super::answering;
use super::charge::{Charging, Foreseen};
use super::ending::{self, Departure, Own, Watcher};
use super::pages;
use super::rehearsal::Rehearsal;
use super::server::Server;
use super::support::{self, Way};
use super::table::SOURCE;
use super::transport::{self, Transport};
use super::volatile::Volatile;
use super::witness::Witness;
use crate::aside::Aside;
use crate::counters::{Counters, Counts};
use crate::{EmulateError, EmulatedDrive, Fault, Floor};

/// Open files, at least: every file that is in use needs one or two.
const OPEN_FILES: u64 = 65_536;

/// The options of a mount.
#[derive(Clone, Debug)]
pub struct FuseOptions {
    /// The directory of the bytes.
    pub backing: PathBuf,
    /// The mount point: another directory, or the backing directory itself.
    pub mountpoint: PathBuf,
    /// The drive that is charged. Several mounts may share one.
    pub drive: Arc<EmulatedDrive>,
    /// True to allow power cuts: the mount keeps a copy of all data that unsynced writes replaced.
    pub power_cuts: bool,
    /// True if a sync also syncs the backing file, so that synced data survives a loss of this machine's own
    /// power.
    pub sync_backing: bool,
    /// True if the kernel's page cache works for the mount as for a drive: it answers repeated reads and
    /// holds writes back. Without it every read and write goes to the drive, as if all programs used
    /// `O_DIRECT`: the only cache is then the programs' own memory.
    pub page_cache: bool,
    /// True if the mount may be served over io_uring, where the kernel has that switched on. False for
    /// comparisons with the way over `/dev/fuse`.
    pub may_have_rings: bool,
    /// The cost of the way, where another mount of this drive has measured it: nothing is measured again, so
    /// that the mount comes without a load of its own.
    pub known: Option<(Floor, Rehearsal)>,
}

impl FuseOptions {
    /// The usual: no power cuts, no syncs of the backing files, and the kernel's page cache as on any drive.
    pub fn new(backing: &Path, mountpoint: &Path, drive: Arc<EmulatedDrive>) -> FuseOptions {
        FuseOptions {
            backing: backing.to_owned(),
            mountpoint: mountpoint.to_owned(),
            drive,
            power_cuts: false,
            sync_backing: false,
            page_cache: true,
            may_have_rings: !transport::keeps_to_device(),
            known: None,
        }
    }
}

/// A directory under which every access takes a modelled drive's time. Dropping it unmounts; when the process
/// is killed, a watcher does.
pub struct FuseMount {
    options: FuseOptions,
    charging: Arc<Charging>,
    server: Arc<Aside<Server>>,
    floor: Floor,
    rehearsal: Option<Rehearsal>,
    session: Option<Running>,
    cut_problem: Mutex<Option<String>>,
    has_power: AtomicBool,
    lies: AtomicBool,
}

/// A mount while it exists.
struct Running {
    server: Arc<Aside<Server>>,
    watcher: Option<Watcher>,
    own: Own,
    way: Way,
    transport: Transport,
    /// Ended before the mount is taken down.
    witness: Option<Witness>,
    note: Option<Note>,
    /// True if it was unmounted already, or given up.
    is_ended: bool,
}

impl FuseMount {
    /// Mounts, and measures the cost of the path through the kernel (about 0.2 s, with a drive that takes
    /// time 0.5 s).
    ///
    /// # Errors
    /// [`EmulateError::NoFuse`] when this machine does not let us; [`EmulateError::Silent`] when a directory
    /// lies on a mount that does not answer; [`EmulateError::Directory`] when a directory is absent;
    /// [`EmulateError::NoPoint`] when one of the two belongs to the system or the mount point is in use;
    /// [`EmulateError::Mount`] when the kernel refuses; [`EmulateError::Floor`] when the backing directory
    /// cannot be written.
    pub fn attach(options: FuseOptions) -> Result<FuseMount, EmulateError> {
        super::support::check()?;
        answering::check_answers(&options.mountpoint)?;
        answering::check_answers(&options.backing)?;
        let _ = ending::repair_stale(&options.mountpoint);
        let mountpoint = resolve(&options.mountpoint)?;
        let backing = resolve(&options.backing)?;
        if mountpoint != backing && mountpoint.starts_with(&backing) {
            let why = "it lies inside the backing directory".to_owned();
            let fix = support::advice(&why);
            return Err(EmulateError::Mount { path: mountpoint, why, fix });
        }
        if let Some(why) = super::point::refusal_of_system(&backing) {
            return Err(EmulateError::NoPoint { path: backing, why });
        }
        match super::point::refusal(&backing, &mountpoint) {
            Ok(None) => {}
            Ok(Some(why)) => return Err(EmulateError::NoPoint { path: mountpoint, why }),
            Err(source) => return Err(EmulateError::Directory { path: mountpoint, source }),
        }
        raise_limit();
        super::memory::map_large_blocks_apart();
        if !options.drive.spec().is_free() {
            crate::drive::clock::learn_real_time();
        }
        crate::remove_floor_files(&backing);
        let charging = Arc::new(Charging::new(options.drive.clone()));
        let options = FuseOptions { mountpoint, backing: backing.clone(), ..options };
        let (opened, charged) = (options.clone(), charging.clone());
        let server = Aside::start(move || Server::open(&opened, charged))
            .map_err(|source| EmulateError::Directory { path: backing, source })?;
        let none = crate::Timing::NONE;
        let floor = Floor { read: none, write: none, sync: none };
        let (server, cut_problem) = (Arc::new(server), Mutex::new(None));
        let (session, rehearsal) = (None, None);
        let (has_power, lies) = (AtomicBool::new(true), AtomicBool::new(false));
        let mut mount =
            FuseMount { options, charging, server, floor, rehearsal, session, cut_problem, has_power, lies };
        mount.start()?;
        mount.measure_floor()?;
        Ok(mount)
    }

    fn start(&mut self) -> Result<(), EmulateError> {
        let way = support::way()?;
        let path = &self.options.mountpoint;
        let failed = |error: io::Error| {
            let why = support::in_one_line(&error.to_string());
            EmulateError::Mount { path: path.clone(), fix: support::advice(&why), why }
        };
        let mut config = Config::default();
        config.mount_options = vec![
            MountOption::FSName(source(self.options.drive.name())),
            MountOption::DefaultPermissions,
            MountOption::NoDev,
            MountOption::NoSuid,
            MountOption::NoAtime,
        ];
        // The servers of root run under accounts of their own; those of an ordinary user run as that user,
        // who may let nobody else in.
        config.acl = if way == Way::Itself { SessionACL::All } else { SessionACL::Owner };
        let backing = self.options.backing.to_str().unwrap_or_default().to_owned();
        let note = Some(Note::before(EntryKind::Mount, path, &backing));
        let (point, page_cache) = (path.clone(), self.options.page_cache);
        let may_have_rings = self.options.may_have_rings;
        let mounted =
            self.server.call(move |server| server.mount(&point, &config, page_cache, may_have_rings));
        let transport = mounted.flatten().map_err(failed)?;
        self.charging.callers.have_room_for(transport.room());
        let own = Own::at(path).inspect_err(|_| {
            let _ = self.server.call(Server::give_up); // The error is told.
        });
        let own = own.map_err(failed)?;
        // From here on it is taken down on every way out.
        let mut running = Running {
            server: self.server.clone(),
            watcher: None,
            own,
            way,
            transport,
            witness: None,
            note,
            is_ended: false,
        };
        running.watcher = Some(Watcher::start(&running.own, &running.way).map_err(failed)?);
        if let Ok(Ok(device)) = self.server.call(|server| server.backing_device()) {
            pages::settle(running.own.device(), device);
        }
        self.session = Some(running);
        Ok(())
    }

    fn measure_floor(&mut self) -> Result<(), EmulateError> {
        let (charging, dir) = (&self.charging, &self.options.mountpoint);
        let spec = self.options.drive.spec();
        if let Some((floor, rehearsal)) = self.options.known {
            (self.floor, self.rehearsal) = (floor, Some(rehearsal));
        } else {
            charging.pause([0; 3]);
            self.floor = crate::floor::through_files(dir)?;
            if !spec.is_free() {
                self.rehearsal = Some(Rehearsal::hold(dir, charging, spec)?);
            }
        }
        charging.servants.forget();
        charging.resume(self.rehearsal.map_or_else(Foreseen::default, |rehearsal| Foreseen {
            ways: rehearsal.ways(),
            witness_ns: rehearsal.asked_ns(),
            late_ns: rehearsal.usually_late_ns(),
            usual_wait_ns: rehearsal.usual_wait_ns(),
        }));
        self.call_witness();
        // The files of the measurement do not belong to the programs: a cut must not bring them back.
        let kept =
            self.server.call(|server| server.volatile().iter().for_each(|volatile| volatile.keep_all()));
        kept.map_err(|source| EmulateError::Floor { path: self.options.mountpoint.clone(), source })
    }

    /// Lets a witness watch the way through the kernel, where the drive takes time. Without one the way of
    /// the rehearsal stands.
    fn call_witness(&mut self) {
        if let (Some(_), Some(running)) = (self.rehearsal, &mut self.session) {
            running.witness = Witness::start(&self.options.mountpoint, &self.charging).ok();
        }
    }

    /// Unmounts, as dropping does, and says whether programs still used it.
    ///
    /// # Errors
    /// [`EmulateError::Unmount`]: another file system is mounted over it, or the system's words. Its files
    /// cannot be used any more.
    pub fn detach(mut self) -> Result<Departure, EmulateError> {
        let Some(mut running) = self.session.take() else { return Ok(Departure::Unused) };
        running.witness = None;
        let unmounted = running.unmount();
        running.end(unmounted.is_ok());
        let path = self.options.mountpoint.clone();
        unmounted.map_err(|source| EmulateError::Unmount { path, source })
    }

    /// The mount point.
    pub fn mountpoint(&self) -> &Path {
        &self.options.mountpoint
    }

    /// The drive that is charged.
    pub fn drive(&self) -> &Arc<EmulatedDrive> {
        &self.options.drive
    }

    /// The cost of the path through the kernel with a drive that takes no time: a faster drive cannot be
    /// shown.
    pub fn floor(&self) -> Floor {
        self.floor
    }

    /// The way in which requests reach it; `None` while the power is off.
    pub fn transport(&self) -> Option<Transport> {
        self.session.as_ref().map(|running| running.transport)
    }

    /// The time that the mount adds to its drive's, and its highest rate of operations; `None` for a drive
    /// that takes no time.
    pub fn rehearsal(&self) -> Option<Rehearsal> {
        self.rehearsal
    }

    /// True while programs are answered: no longer after somebody ended its connection, and of a mount that
    /// somebody else unmounted until the last program has left it.
    pub fn is_served(&self) -> bool {
        self.session.is_some() && self.server.call(|server| server.is_served()).unwrap_or(false)
    }

    /// True if somebody else has unmounted it.
    pub fn is_gone(&self) -> bool {
        !self.session.as_ref().is_some_and(|running| running.own.is_there())
    }

    /// Everything counted since the directory was mounted, all of it as data. A copy of twelve histograms.
    pub fn counters(&self) -> Counters {
        let mut counters = self.charging.recorder.counters();
        counters.data.busy_ns = self.options.drive.busy_ns();
        counters.cpu_ns = self.charging.servants.cpu_ns();
        counters.callers.crowded = self.charging.callers.crowded();
        let undo_bytes = self.server.call(|server| server.volatile().map_or(0, Volatile::undo_bytes));
        counters.undo_bytes = undo_bytes.unwrap_or(0);
        counters
    }

    /// The plain numbers counted since the directory was mounted.
    pub fn counts(&self) -> Counts {
        let mut counts = self.charging.recorder.counts();
        counts.data.busy_ns = self.options.drive.busy_ns();
        counts
    }

    /// The first failure from below the callers: operation and reason.
    pub fn first_error(&self) -> Option<String> {
        self.charging.recorder.first_error()
    }

    /// Starts a fault; several may be active at once.
    pub fn inject(&self, fault: Fault) {
        self.charging.faults.inject(fault);
    }

    /// Ends all faults, a stall and a slow drive included.
    pub fn clear_faults(&self) {
        self.charging.faults.clear();
        self.options.drive.heal();
    }

    /// Cuts the power: every call fails from now on, and unsynced data is lost or kept: each 4 KiB sector,
    /// and each change of names after the last sync, at random by `seed`. Data still in the kernel's memory
    /// is lost in any case. Programs on the mount are not ended; their calls fail. A stall of the drive ends:
    /// what it holds completes or fails.
    ///
    /// # Errors
    /// [`EmulateError::NoPowerCuts`]: a mount without [`FuseOptions::power_cuts`] keeps nothing to take back,
    /// and goes on as before. A cut that fails half-way is told by [`FuseMount::power_on`].
    pub fn cut_power(&self, seed: u64) -> Result<(), EmulateError> {
        self.can_cut_power()?;
        self.has_power.store(false, Ordering::Relaxed);
        // The cut waits for what is under way at the backing files.
        self.options.drive.end_stall();
        let cut = self.server.call(move |server| server.cut(seed));
        if let Err(problem) = cut.unwrap_or_else(|error| Err(error.to_string())) {
            *self.cut_problem.lock() = Some(problem);
        }
        Ok(())
    }

    fn can_cut_power(&self) -> Result<(), EmulateError> {
        let no = || EmulateError::NoPowerCuts { path: self.options.mountpoint.clone() };
        self.options.power_cuts.then_some(()).ok_or_else(no)
    }

    /// Gives power back: mounts anew with nothing in the kernel's memory. Programs must have left the mount,
    /// else they lose it.
    ///
    /// # Errors
    /// [`EmulateError::NoPowerCuts`], as [`FuseMount::cut_power`]: the mount stays. The cut could not put
    /// files into the state that it had chosen, or the kernel refuses the new mount: it is gone.
    pub fn power_on(&mut self) -> Result<(), EmulateError> {
        self.can_cut_power()?;
        self.session = None;
        let restarted = self.server.call(|server| server.restart()).map_err(|error| error.to_string());
        if let Some(message) = self.cut_problem.lock().take().or(restarted.err()) {
            return Err(EmulateError::PowerCut { message });
        }
        self.start()?;
        self.has_power.store(true, Ordering::Relaxed);
        self.call_witness();
        Ok(())
    }

    /// False from a power cut until power is back: every call fails.
    pub fn has_power(&self) -> bool {
        self.has_power.load(Ordering::Relaxed)
    }

    /// True while the drive lies.
    pub fn lies(&self) -> bool {
        self.lies.load(Ordering::Relaxed)
    }

    /// Makes the drive lie: a flush takes its time and reports success, but nothing becomes durable.
    pub fn set_lying_flush(&self, lies: bool) {
        self.lies.store(lies, Ordering::Relaxed);
        // A thread that has ended serves nobody, to whom it could lie.
        let _ = self
            .server
            .call(move |server| server.volatile().iter().for_each(|volatile| volatile.set_lies(lies)));
    }
}

impl Drop for FuseMount {
    fn drop(&mut self) {
        self.session = None;
        let _ = self.server.call(|server| server.finish()); // Nothing is lost: the next mount does the same.
    }
}

impl Running {
    fn unmount(&self) -> io::Result<Departure> {
        // A server that does not answer has no data to write.
        let written = || self.server.call(|server| server.opened_to_write()).unwrap_or_default();
        self.own.unmount(&self.way, written)
    }

    /// Ends the server, and leaves the watcher and the note of a mount that stays.
    fn end(mut self, is_unmounted: bool) {
        self.is_ended = true;
        self.finish(is_unmounted);
    }

    fn finish(&mut self, is_unmounted: bool) {
        let _ = self.server.call(move |server| server.end(is_unmounted)); // It fails where there is nothing to end.
        let watcher = self.watcher.take();
        if !is_unmounted {
            std::mem::forget(watcher); // It goes on watching, and tries again when this process has ended.
        }
        if let Some(note) = self.note.take().filter(|_| !is_unmounted) {
            note.leave();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.witness = None;
        if !self.is_ended {
            let is_unmounted = self.unmount().is_ok();
            self.finish(is_unmounted);
        }
    }
}

/// The source of a mount for the table of mounts, in characters that no option list splits.
fn source(drive: &str) -> String {
    let plain = |c: char| if c.is_ascii_graphic() && !r",\".contains(c) { c } else { '-' };
    format!("{SOURCE}{}", drive.chars().map(plain).collect::<String>())
}

impl std::fmt::Debug for FuseMount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FuseMount").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Measures the cost of a mount with a drive of this kind for files in `dir`: a directory of it is mounted
/// for a moment. Gives the way in which its requests came, too.
///
/// # Errors
/// As [`FuseMount::attach`].
pub fn measure_floor(
    dir: &Path,
    spec: &device::DriveSpec,
) -> Result<(Floor, Option<Rehearsal>, Option<Transport>), EmulateError> {
    let folder = crate::floor::Scratch::Mount.path(dir);
    let failed = |source| EmulateError::Floor { path: folder.clone(), source };
    fs::create_dir_all(&folder).map_err(failed)?;
    let drive = EmulatedDrive::new("floor", spec, 0);
    let options = FuseOptions { page_cache: false, ..FuseOptions::new(&folder, &folder, drive) };
    let floor = FuseMount::attach(options).map(|mount| (mount.floor(), mount.rehearsal(), mount.transport()));
    fs::remove_dir(&folder).map_err(failed)?;
    floor
}

fn resolve(dir: &Path) -> Result<PathBuf, EmulateError> {
    let failed = |source| EmulateError::Directory { path: dir.to_owned(), source };
    let resolved = fs::canonicalize(dir).map_err(failed)?;
    fs::read_dir(&resolved).map_err(failed)?;
    Ok(resolved)
}

/// Every file that the kernel knows holds a descriptor of ours.
fn raise_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(OPEN_FILES, |most| most.min(OPEN_FILES));
    if limit.current.is_some_and(|now| now < wanted) {
        limit.current = Some(wanted);
        let _ = setrlimit(Resource::Nofile, limit);
    }
}
