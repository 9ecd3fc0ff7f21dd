//! The parts that a workload and an engine provide.

use std::time::Duration;

use super::due::Counts;
use super::pacing::Pause;

/// The requests of users: inputs and bookkeeping, no SQL, no connection. Shared by all workers.
pub(crate) trait Work: Sync {
    /// The state of one user between requests. There may be 60,000 users: a few hundred bytes at most.
    type User;
    /// One transaction as asked for.
    type Request;
    /// The answer.
    type Answer;
    /// The counts of this workload besides the driver's own; one per worker, merged at the end.
    type Tally: Default + Send;

    /// Names of the classes of requests. The first is the one whose committed transactions have a timeline of
    /// their own.
    const CLASSES: &'static [&'static str];

    /// The mean of the pauses between the requests of a paced user.
    const MEAN_PAUSE: Duration = Duration::ZERO;

    /// User number `user`, from 0.
    fn user(&self, user: u32) -> Self::User;

    /// The user's next request.
    fn next(&self, user: &mut Self::User) -> Self::Request;

    /// The class of a request.
    fn class(&self, request: &Self::Request) -> usize;

    /// The pause of this user before the next request, having completed one of class `done` (`None` before
    /// the first). Called for paced users only, before [`Work::next`].
    fn pause(&self, _user: &mut Self::User, _done: Option<usize>) -> Pause {
        Pause::NONE
    }

    /// A request was answered: counts it, and says how it ended. `counts` tells of what it is a part.
    fn completed(
        &self,
        tally: &mut Self::Tally,
        request: &Self::Request,
        answer: &Self::Answer,
        counts: Counts,
    ) -> Ending;

    /// A request failed for good.
    fn failed(&self, _tally: &mut Self::Tally, _request: &Self::Request, _counts: Counts) {}
}

/// The end of an answered request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Committed.
    Committed,
    /// Rolled back because the input asked for it.
    RolledBack,
}

/// One connection that answers. It need not be `Send`: it lives and dies on its worker's thread.
pub(crate) trait Session {
    type Request;
    type Answer;

    /// Executes one transaction to its end: committed, or rolled back on purpose, or failed and rolled back.
    /// After a [`Failure`] other than `Lost` the session must be ready for the next one.
    async fn execute(&mut self, request: &Self::Request) -> Result<Self::Answer, Failure>;

    /// The time of the last transaction's commit, if it was a separate message. Called after every
    /// transaction.
    fn take_commit_ns(&mut self) -> Option<u64> {
        None
    }

    /// True if the server still answers on this connection, which was idle for a while.
    async fn is_alive(&mut self) -> bool {
        true
    }
}

/// Opens sessions, on whichever worker asks.
pub(crate) trait Connect: Sync {
    /// True where sessions wait in their calls, as an embedded engine does: each has a worker of its own.
    const BLOCKS: bool = false;

    type Session: Session;

    /// Connects and prepares. May spawn helpers with [`tokio::task::spawn_local`].
    async fn connect(&self) -> Result<Self::Session, Failure>;

    /// Ends the waits of sessions that block their threads, from another thread: nobody waits for their
    /// answers any more. Those that wait through the runtime are dropped without this.
    fn give_up(&self) {}
}

/// A transaction that did not end as it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Another one was in the way (a deadlock, a serialization failure); asking again may help.
    Retry(&'static str),
    /// This one failed, the next may not.
    Error {
        /// The class under which it is counted.
        kind: &'static str,
        /// The engine's words.
        message: String,
    },
    /// The connection is gone, and nobody knows whether the transaction was committed. Connecting again may
    /// help.
    Lost(String),
    /// The database or its storage is broken: the run is over.
    Fatal(String),
}
