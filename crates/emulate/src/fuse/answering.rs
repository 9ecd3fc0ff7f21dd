//! Mounts that do not answer, and the one way to touch a path that may lie on such a mount.
//!
//! A mount whose process was stopped neither answers nor fails: whoever touches it waits, and may do so after
//! a signal as well. So nothing touches a mount of ours before a separate process has had an answer from it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ground::Clock;
use remains::EntryKind;

use super::table::mounts;
use crate::EmulateError;

/// The time limit for a mount to answer before it is left alone: its process may have been stopped, or the
/// machine is busy.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// The number of links on a path after which the kernel gives up (path_resolution(7)).
const LINKS_MAX: usize = 40;

/// The answer of a mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is served, or says something that no dead mount says.
    Served,
    /// The connection behind it is over.
    Dead,
    /// Nothing, within the limit.
    None,
}

/// Asks what is mounted at `point`. The kernel reports at once that a connection is over, and a served mount
/// answers. A separate process asks, and is left to itself if it takes too long.
pub(super) fn ask(point: &Path) -> Answer {
    let asked = Command::new("stat")
        .args(["-f", "--"])
        .arg(point)
        .current_dir("/")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    asked.map_or(Answer::Served, |child| answer_of(child, ANSWER_LIMIT))
}

fn answer_of(mut child: Child, limit: Duration) -> Answer {
    let since = Clock::Wall.stopwatch();
    while matches!(child.try_wait(), Ok(None)) {
        if since.elapsed() > limit {
            let _ = child.kill(); // It ends when the mount answers or ends; nobody waits for it.
            return Answer::None;
        }
        Clock::Wall.sleep(Duration::from_millis(1));
    }
    let mut words = String::new();
    let read = child.stderr.take().map(|mut stderr| stderr.read_to_string(&mut words));
    let is_dead = read.is_some_and(|read| read.is_ok()) && words.contains("not connected");
    if is_dead { Answer::Dead } else { Answer::Served }
}

/// A mount of ours that gives no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silent {
    /// Its place.
    pub point: PathBuf,
    /// The process that serves it, where a note of this user names it.
    pub process: Option<u32>,
}

impl Silent {
    pub(super) fn at(point: &Path) -> Silent {
        let process = remains::living(EntryKind::Mount, point).first().copied();
        Silent { point: point.to_owned(), process }
    }

    /// The remedy, as a sentence.
    #[must_use]
    pub fn remedy(&self) -> String {
        let repair = format!("`drivetrain mount --repair {}`", self.point.display());
        match self.process {
            Some(pid) => {
                format!("let it go on (kill -CONT {pid}), or end it (kill -KILL {pid}) and run {repair}")
            }
            None => format!("let its process go on, or end it and run {repair}"),
        }
    }
}

/// The mount and its process, as messages name them.
impl std::fmt::Display for Silent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a mount that does not answer lies at {}", self.point.display())?;
        self.process.map_or(Ok(()), |pid| write!(f, ", process {pid}"))
    }
}

/// Success if whoever touches `path` gets an answer from every mount of a modelled drive on the way to it. To
/// be called before anything touches a path of the user's. Costs a look at the table of mounts where no such
/// mount is on the way, else a few milliseconds, and five seconds for one that is silent.
///
/// # Errors
/// [`EmulateError::Silent`].
pub fn check_answers(path: &Path) -> Result<(), EmulateError> {
    let points = own_points();
    let is_silent = |point: &Path| points.iter().any(|own| own == point) && ask(point) == Answer::None;
    match walk(path, is_silent).1 {
        None => Ok(()),
        Some(point) => Err(EmulateError::Silent { path: path.to_owned(), silent: Silent::at(&point) }),
    }
}

/// `path` with its links followed, as far as no mount of ours has to be touched for it.
pub(super) fn resolve_outside(path: &Path) -> PathBuf {
    let points = own_points();
    walk(path, |point| points.iter().any(|own| own == point)).0
}

fn own_points() -> Vec<PathBuf> {
    mounts().into_iter().filter(|mount| mount.is_ours).map(|mount| mount.point).collect()
}

/// Follows `path` until it comes to a place where it must stop, which is given; nothing there is touched, and
/// the rest of the path stays as it was spelled.
fn walk(path: &Path, mut must_stop: impl FnMut(&Path) -> bool) -> (PathBuf, Option<PathBuf>) {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let parts = |path: &Path| path.components().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>();
    let mut rest: VecDeque<OsString> = parts(&absolute).into();
    let (mut done, mut stopped, mut links) = (PathBuf::new(), None, 0);
    while let Some(part) = rest.pop_front() {
        if Path::new(&part).components().next() == Some(Component::ParentDir) {
            done.pop();
            continue;
        }
        done.push(&part);
        if stopped.is_none() && must_stop(&done) {
            stopped = Some(done.clone());
        }
        if stopped.is_some() || links == LINKS_MAX {
            continue;
        }
        if let Ok(target) = fs::read_link(&done) {
            links += 1;
            done.pop();
            parts(&target).into_iter().rev().for_each(|part| rest.push_front(part));
        }
    }
    (done, stopped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_path_is_followed_to_the_first_place_that_must_not_be_touched() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/point/below")).unwrap();
        symlink("a/point", root.join("near")).unwrap();
        symlink(root.join("near/below"), root.join("a/far")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let (point, below) = (root.join("a/point"), root.join("a/point/below"));
        let walked = |path: &str| walk(&root.join(path), |place| place == point);
        for path in ["a/point/below", "near/below", "a/far", "a/../near/./below"] {
            assert_eq!(walked(path), (below.clone(), Some(point.clone())), "{path}");
        }
        assert_eq!(walked("a/point/no/such"), (point.join("no/such"), Some(point.clone())));
        assert_eq!(walked("a/other"), (root.join("a/other"), None));
        assert_eq!(walked("loop/x").1, None, "a loop ends");
        check_answers(&root.join("near")).unwrap();
        assert_eq!(resolve_outside(&root.join("near")), point);
    }

    #[test]
    fn a_silent_mount_is_named_with_what_to_do() {
        let silent = |process| Silent { point: "/mnt/a".into(), process };
        let error = EmulateError::Silent { path: "/mnt/a/b".into(), silent: silent(Some(17)) };
        let text = error.to_string();
        for part in ["/mnt/a/b", "lies at /mnt/a, process 17", "kill -CONT 17", "mount --repair /mnt/a`"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!silent(None).to_string().contains("process"));
    }

    #[test]
    fn who_is_asked_has_a_limited_time_to_answer() {
        let asked = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]).stderr(Stdio::piped()).spawn().unwrap()
        };
        let long = Duration::from_secs(60);
        let dead = asked("echo 'stat: cannot read: Transport endpoint is not connected' >&2; exit 1");
        assert_eq!(answer_of(dead, long), Answer::Dead);
        assert_eq!(answer_of(asked("echo 'stat: Permission denied' >&2; exit 1"), long), Answer::Served);
        assert_eq!(answer_of(asked("exit 0"), long), Answer::Served);
        assert_eq!(answer_of(asked("exec sleep 600"), Duration::from_millis(50)), Answer::None);
    }
}
