//! The time of a transaction's COMMIT, if it is a separate message.

use std::cell::Cell;

use ground::Clock;
use tokio::join;

/// The commit of the last transaction of one session.
#[derive(Debug, Default)]
pub(crate) struct CommitClock {
    last_ns: Cell<Option<u64>>,
}

impl CommitClock {
    /// Awaits a commit that was sent right behind `work`: its time begins where the answer to `work` arrives.
    pub(crate) async fn behind<W, C>(
        &self,
        work: impl Future<Output = W>,
        commit: impl Future<Output = C>,
    ) -> (W, C) {
        let work = async { (work.await, Clock::Wall.now_ns()) };
        let commit = async { (commit.await, Clock::Wall.now_ns()) };
        let ((worked, from_ns), (committed, until_ns)) = join!(work, commit);
        self.set(from_ns, until_ns);
        (worked, committed)
    }

    /// Awaits a commit that is sent by itself.
    pub(crate) async fn alone<C>(&self, commit: impl Future<Output = C>) -> C {
        let from_ns = Clock::Wall.now_ns();
        let committed = commit.await;
        self.set(from_ns, Clock::Wall.now_ns());
        committed
    }

    fn set(&self, from_ns: u64, until_ns: u64) {
        self.last_ns.set(Some(until_ns.saturating_sub(from_ns)));
    }

    /// Time of the last commit, once.
    pub(crate) fn take_ns(&self) -> Option<u64> {
        self.last_ns.take()
    }
}
