//! The exit codes. Documented in `--help` and the man page.

use std::process::ExitCode;

use block::BlockError;
use emulate::EmulateError;
use lab::LabError;
use report::ReportError;
use study::StudyError;

use crate::outputs;
use crate::printable::in_one_line;

/// The ways in which a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Error = 1,
    Usage = 2,
    Regression = 3,
    Inconclusive = 4,
    Blocked = 5,
    Refused = 6,
    InvalidCells = 7,
    Interrupted = 130,
}

/// The table that `--help` prints.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    error
  2    wrong usage, a faulty experiment file, or runs that cannot be compared
  3    a confirmed regression (check)
  4    inconclusive (check)
  5    doctor found something that blocks a run
  6    refused for safety; after a run: its data could not all be removed, the result stands
  7    finished, but some cells are invalid
  130  interrupted; `drivetrain resume` continues the run";

/// An error that carries its exit code, for causes that the printing end cannot see.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Coded {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    /// True if the message is one of rendered faults: it has our own colours in it and no other control
    /// sequences, and "error:" before each fault.
    pub(crate) styled: bool,
}

impl Coded {
    /// Text of a file, a server or a name must not look like a line of ours.
    fn in_one_line(exit: Exit, message: &str) -> anyhow::Error {
        Self { exit, message: in_one_line(message), styled: false }.into()
    }

    /// Wrong usage or a faulty file.
    pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
        Self::in_one_line(Exit::Usage, &message.into())
    }

    /// A faulty file, its faults rendered with or without colours, each with "error:" before it.
    pub(crate) fn faulty(rendered: String) -> anyhow::Error {
        Self { exit: Exit::Usage, message: rendered, styled: true }.into()
    }

    /// Refused for safety.
    pub(crate) fn refused(message: impl Into<String>) -> anyhow::Error {
        Self::in_one_line(Exit::Refused, &message.into())
    }

    /// A fault of block I/O: refusals, impossible jobs, ends that were asked for and outputs have codes of
    /// their own.
    pub(crate) fn block(error: BlockError) -> anyhow::Error {
        match error {
            BlockError::Refused { .. } => Self::refused(error.to_string()),
            BlockError::BadJob { .. } => Self::usage(error.to_string()),
            BlockError::Stopped { .. } => Self::interrupted(error.to_string()),
            BlockError::Output(error) => outputs::coded(error),
            other => other.into(),
        }
    }

    /// Something that was not finished because the end was asked for.
    pub(crate) fn interrupted(message: impl Into<String>) -> anyhow::Error {
        Self::in_one_line(Exit::Interrupted, &message.into())
    }
}

impl Exit {
    /// The code of an error: usage and refusals apart from the rest.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        if let Some(coded) = error.downcast_ref::<Coded>() {
            return coded.exit;
        }
        if let Some(ReportError::Refused(_) | ReportError::NoFactor { .. } | ReportError::Empty { .. }) =
            error.downcast_ref()
        {
            return Self::Usage;
        }
        if let Some(StudyError::Question(_)) = error.downcast_ref() {
            return Self::Usage;
        }
        if let Some(EmulateError::NoPoint { .. }) = error.downcast_ref() {
            return Self::Refused;
        }
        match error.downcast_ref::<LabError>() {
            Some(LabError::Refused(_)) => Self::Refused,
            Some(
                LabError::Experiment { .. }
                | LabError::Option { .. }
                | LabError::Places { .. }
                | LabError::Drive { .. },
            ) => Self::Usage,
            _ => Self::Error,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
