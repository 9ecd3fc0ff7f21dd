//! The files that servers put into their directories, path by path, each engine in its room: the data, the
//! log of changes, and the output of backup tools. Any other file is foreign, and is not deleted.

use std::io::Read as _;
use std::path::Path;

use disk::{Dir, FileKind};

use super::pattern::{is_dir, is_file};
use crate::engine::SERVERS;

/// The files of an engine in its directories, as patterns of paths below them.
#[derive(Debug)]
pub(crate) struct Files {
    /// Configuration files beside the data, written anew at every start.
    pub(crate) configuration: &'static [&'static str],
    /// The file by which a data directory is known as the engine's.
    pub(crate) sign: &'static str,
    /// The data directory, without the log where the log has an entry of its own.
    pub(crate) data: &'static [&'static str],
    /// The entry of the data directory that leads to the log.
    pub(crate) log_link: Option<&'static str>,
    /// The log of changes, where it is not among the patterns of the data.
    pub(crate) log: &'static [&'static str],
    /// The files that tools write in place of the engine's: archives, streams and dumps.
    pub(crate) archives: &'static [&'static str],
}

/// The engine of a directory; all engines if a creation was cut off before it left a sign.
#[derive(Debug)]
pub(crate) enum Layouts {
    Of(&'static Files),
    All,
}

impl Layouts {
    /// Those that can explain the contents of `dir`.
    pub(crate) fn of(dir: &Dir) -> std::io::Result<Self> {
        for engine in SERVERS {
            if dir.facts(engine.files.sign.as_ref())?.is_some() {
                return Ok(Self::Of(&engine.files));
            }
        }
        Ok(Self::All)
    }

    /// True if a server or one of its tools creates an entry of this path, below the directory, and kind.
    pub(crate) fn explain(&self, path: &str, kind: FileKind) -> bool {
        match self {
            Self::Of(files) => files.explain(path, kind, false),
            Self::All => SERVERS.iter().any(|engine| engine.files.explain(path, kind, true)),
        }
    }
}

impl Files {
    /// `any_directory`: of a log or of archives too, as well as of data.
    fn explain(&self, path: &str, kind: FileKind, any_directory: bool) -> bool {
        let in_log = self.log_link.and_then(|link| path.strip_prefix(link)?.strip_prefix('/'));
        let elsewhere = if any_directory { [self.log, self.archives] } else { [&[][..]; 2] };
        let any = |rule: fn(&str, &str) -> bool| {
            [self.data].iter().chain(&elsewhere).flat_map(|all| *all).any(|pattern| rule(pattern, path))
                || in_log.is_some_and(|path| self.log.iter().any(|pattern| rule(pattern, path)))
        };
        match kind {
            FileKind::File => any(is_file),
            FileKind::Dir => any(is_dir) || self.log_link == Some(path),
            FileKind::Link => self.log_link == Some(path),
            FileKind::Other => false,
        }
    }
}

/// True for a file at the top that the kernel left when it stopped the server.
pub(crate) fn is_core_dump(dir: &Dir, path: &str) -> bool {
    if !is_file("core[.<n>]", path) {
        return false;
    }
    let mut head = [0; 18];
    let opened = dir.open_file(Path::new(path).as_os_str(), false);
    // An ELF file of type 4.
    opened.is_ok_and(|mut file| file.read_exact(&mut head).is_ok())
        && head.starts_with(b"\x7fELF")
        && u16::from_ne_bytes([head[16], head[17]]) == 4
}
