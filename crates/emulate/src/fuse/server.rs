//! The server of a mount: backing files, the kernel's session and its workers. It lives
//! [`aside`](crate::aside): users of the mount, this process included, share none of its descriptors.

use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fuser::{BackgroundSession, Config, Session};
use rustix::fs::{Dev, Mode, OFlags};

use ground::Clock;

use super::calls::Served;
use super::charge::Charging;
use super::contents::Files;
use super::front::Front;
use super::mount::FuseOptions;
use super::node::Nodes;
use super::rings::Rings;
use super::switch;
use super::transport::Transport;
use super::volatile::Volatile;

/// The time limit for the workers of a removed mount; they end at once unless a program holds files of it.
const WORKERS_LIMIT: Duration = Duration::from_secs(2);

/// The server of one backing directory, mounted or not.
pub(super) struct Server {
    files: Arc<Files>,
    session: Option<Answering>,
}

/// The threads that answer for a mount.
struct Answering {
    session: BackgroundSession,
    rings: Option<Rings>,
}

/// Workers on `/dev/fuse`: each waits in place for the completion of its request, so this is the deepest
/// queue that is served in time.
const WORKERS: usize = 64;

/// The type of tmpfs, by statfs(2).
const TMPFS_MAGIC: rustix::fs::FsWord = 0x0102_1994;

impl Server {
    /// Opens the backing directory; the descriptor reaches it even when the mount covers it.
    pub(super) fn open(options: &FuseOptions, charging: Arc<Charging>) -> io::Result<Server> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(&options.backing, flags, Mode::empty())?;
        let is_in_memory = rustix::fs::fstatfs(&root).is_ok_and(|of| of.f_type == TMPFS_MAGIC);
        let volatile = options.power_cuts.then(|| Volatile::new(&root)).transpose()?;
        let files = Arc::new(Files {
            nodes: Nodes::new(root)?,
            charging,
            volatile,
            syncs_backing: options.sync_backing,
            is_in_memory,
            write_back: AtomicBool::new(false),
        });
        Ok(Server { files, session: None })
    }

    /// The device of the backing directory.
    ///
    /// # Errors
    /// Those of stat(2).
    pub(super) fn backing_device(&self) -> io::Result<Dev> {
        Ok(rustix::fs::fstat(&self.files.nodes.root().fd)?.st_dev)
    }

    /// Mounts, and answers from now on: over io_uring where the kernel has it and `may_have_rings`, else over
    /// `/dev/fuse`. Gives the way that it is.
    ///
    /// # Errors
    /// The words of the kernel or of the helper that mounts.
    pub(super) fn mount(
        &mut self,
        mountpoint: &Path,
        config: &Config,
        page_cache: bool,
        may_have_rings: bool,
    ) -> io::Result<Transport> {
        let may_have_rings = may_have_rings && switch::rings_are_on() == Some(true);
        if may_have_rings && let Some(transport) = self.mount_on_rings(mountpoint, config, page_cache)? {
            return Ok(transport);
        }
        let front = Arc::new(Front::new(self.files.clone(), page_cache, false));
        let mut config = config.clone();
        (config.n_threads, config.clone_fd) = (Some(WORKERS), true);
        let session = Session::new(Served(front), mountpoint, &config)?.spawn()?;
        self.session = Some(Answering { session, rings: None });
        Ok(Transport::Device { threads: WORKERS })
    }

    /// Mounts over io_uring; nothing is mounted where the kernel does not have it.
    fn mount_on_rings(
        &mut self,
        mountpoint: &Path,
        config: &Config,
        page_cache: bool,
    ) -> io::Result<Option<Transport>> {
        let front = Arc::new(Front::new(self.files.clone(), page_cache, true));
        let mut config = config.clone();
        // For what has no answer, which still comes over the device.
        config.n_threads = Some(1);
        let session = Session::new(Served(front.clone()), mountpoint, &config)?;
        if !front.has_rings() {
            return Ok(None); // Dropped, the session unmounts.
        }
        let Ok(rings) = Rings::start(session.as_fd().as_raw_fd(), &front) else { return Ok(None) };
        let transport = Transport::Rings { rings: rings.len(), depth: rings.depth() };
        self.session = Some(Answering { session: session.spawn()?, rings: Some(rings) });
        Ok(Some(transport))
    }

    /// Waits for the workers of a mount that has been taken down. Where programs still hold one that was
    /// taken from under them, or it could not be taken down, waiting for them would hang; the kernel ends
    /// them with this process.
    #[allow(unsafe_code)] // The session would unmount once more when it is dropped, and cannot be told not to.
    pub(super) fn end(&mut self, is_unmounted: bool) {
        // Never dropped: it would unmount whatever is mounted there by now, such as an earlier mount. Its
        // descriptor of `/dev/fuse` goes with the table.
        let asked = Clock::Wall.stopwatch();
        while is_unmounted && self.is_served() && asked.elapsed() < WORKERS_LIMIT {
            Clock::Wall.sleep(Duration::from_millis(1));
        }
        let Some(Answering { session, .. }) = self.session.take() else { return };
        let session = ManuallyDrop::new(session);
        // SAFETY: `session` is neither dropped nor used after this, so the handle is moved out of it.
        let workers = unsafe { std::ptr::read(&raw const session.guard) };
        if workers.is_finished() {
            let _ = workers.join(); // Nobody is left to be told how they ended.
        }
    }

    /// True while programs are answered.
    pub(super) fn is_served(&self) -> bool {
        let are_finished = |Answering { session, rings }: &Answering| {
            session.guard.is_finished() && rings.as_ref().is_none_or(Rings::are_finished)
        };
        self.session.as_ref().is_some_and(|answering| !are_finished(answering))
    }

    /// The places below the backing directory of files whose data the kernel may hold: programs have opened
    /// them to write.
    pub(super) fn opened_to_write(&self) -> Vec<PathBuf> {
        let nodes = &self.files.nodes;
        let Ok(backing) = std::fs::read_link(nodes.root().path()) else { return Vec::new() };
        let below = |path: PathBuf| path.strip_prefix(&backing).map(Path::to_owned).ok();
        nodes.opened_to_write().into_iter().filter_map(below).collect()
    }

    /// Takes the new mount down.
    pub(super) fn give_up(&mut self) {
        self.session = None;
    }

    /// Forgets the kernel's state, and lets calls through again.
    pub(super) fn restart(&self) {
        self.files.nodes.clear();
        self.volatile().iter().for_each(|volatile| volatile.restore());
    }

    /// Cuts the power: see [`Volatile::cut`].
    pub(super) fn cut(&self, seed: u64) -> Result<(), String> {
        match self.volatile() {
            Some(volatile) => volatile.cut(seed).map_err(|error| error.to_string()),
            // The mount refuses before it asks.
            None => Err("nothing was kept that a cut could take back".to_owned()),
        }
    }

    /// The data that a power cut takes back, where one is possible.
    pub(super) fn volatile(&self) -> Option<&Volatile> {
        self.files.volatile.as_ref()
    }

    /// Makes everything durable, as an orderly end does.
    pub(super) fn finish(&self) {
        self.files.nodes.settle();
        self.volatile().iter().for_each(|volatile| volatile.finish(&self.files.nodes.root().fd));
    }
}
