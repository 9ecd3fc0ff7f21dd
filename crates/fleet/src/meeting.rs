//! The places at which ranks meet.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A place at which ranks meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Meeting {
    /// A rank says who it is.
    Hello,
    /// The ranks have read the plan and say what they found on their machines.
    Plan,
    /// The first rank has prepared what all share.
    Shared,
    /// A rank has prepared its data and waits for the next cell.
    Cell,
    /// A rank is ready to start its load.
    Ready,
    /// The load of a rank is over.
    Done,
    /// A rank hands in the results of a cell.
    Gather,
    /// A rank ends.
    End,
}

impl fmt::Display for Meeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Meeting::Hello => "hello",
            Meeting::Plan => "plan agreed",
            Meeting::Shared => "shared data prepared",
            Meeting::Cell => "data prepared",
            Meeting::Ready => "ready",
            Meeting::Done => "done",
            Meeting::Gather => "gather",
            Meeting::End => "end",
        })
    }
}
