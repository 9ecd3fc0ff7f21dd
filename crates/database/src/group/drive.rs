//! The drive that a path lies on, as control groups and schedulers call it.

use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::GroupError;
use crate::error::DatabaseError;

/// Schedulers that let a process with the priority "idle" wait for all others (mq-deadline since Linux 5.14).
const HONOUR_PRIORITY: [&str; 2] = ["bfq", "mq-deadline"];

/// A whole drive: limits are not for partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drive {
    /// `major:minor`.
    pub number: String,
    /// The scheduler of its queue, if it is known.
    pub scheduler: Option<String>,
}

impl Drive {
    /// The drive that holds `path`.
    ///
    /// # Errors
    /// When `path` cannot be read.
    pub fn under(path: &Path) -> Result<Self, DatabaseError> {
        let device = fs::metadata(path).map_err(DatabaseError::io("reading", path))?.dev();
        let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
        let place = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
        let parent = fs::canonicalize(&place).ok().filter(|_| place.join("partition").exists());
        let whole = parent.and_then(|path| Some(path.parent()?.to_owned())).unwrap_or(place);
        let number = fs::read_to_string(whole.join("dev")).map(|text| text.trim().to_owned());
        let schedulers = fs::read_to_string(whole.join("queue/scheduler")).ok();
        Ok(Self {
            number: number.unwrap_or_else(|_| format!("{major}:{minor}")),
            scheduler: schedulers.as_deref().and_then(chosen).map(str::to_owned),
        })
    }

    /// Checks that a process with the priority "idle" would wait for all others.
    ///
    /// # Errors
    /// [`GroupError::NotAvailable`] when the drive's scheduler takes no notice of priorities.
    pub fn check_idle_io(&self) -> Result<(), GroupError> {
        if self.scheduler.as_deref().is_some_and(|name| HONOUR_PRIORITY.contains(&name)) {
            return Ok(());
        }
        let why = format!("the priority \"idle\" needs the scheduler bfq or mq-deadline: {self}");
        Err(GroupError::NotAvailable { why })
    }
}

/// The one in brackets of `none [mq-deadline] kyber bfq`.
fn chosen(schedulers: &str) -> Option<&str> {
    Some(schedulers.split_once('[')?.1.split_once(']')?.0)
}

impl fmt::Display for Drive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.scheduler {
            Some(scheduler) => write!(f, "drive {} has the scheduler {scheduler}", self.number),
            None => write!(f, "no scheduler is known of drive {}", self.number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_priority_is_honoured_by_some_schedulers_only() {
        assert_eq!(chosen("none [mq-deadline] kyber bfq\n"), Some("mq-deadline"));
        assert_eq!(chosen("none"), None);
        let drive = |scheduler: &str| Drive { number: "8:0".into(), scheduler: Some(scheduler.into()) };
        assert!(drive("bfq").check_idle_io().is_ok() && drive("mq-deadline").check_idle_io().is_ok());
        let message = drive("none").check_idle_io().unwrap_err().to_string();
        assert!(message.contains("not available here") && message.contains("scheduler none"), "{message}");
        let message =
            Drive { number: "0:35".into(), scheduler: None }.check_idle_io().unwrap_err().to_string();
        assert!(message.contains("no scheduler is known of drive 0:35"), "{message}");
        assert!(Drive::under(Path::new("/")).is_ok_and(|drive| drive.number.contains(':')));
    }
}
