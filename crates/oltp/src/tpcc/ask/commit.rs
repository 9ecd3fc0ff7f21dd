//! The time of a transaction's COMMIT, if it is a separate message.

use std::cell::Cell;
use std::time::Instant;

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
        let work = async { (work.await, Instant::now()) };
        let commit = async { (commit.await, Instant::now()) };
        let ((worked, from), (committed, until)) = join!(work, commit);
        self.set(from, until);
        (worked, committed)
    }

    /// Awaits a commit that is sent by itself.
    pub(crate) async fn alone<C>(&self, commit: impl Future<Output = C>) -> C {
        let from = Instant::now();
        let committed = commit.await;
        self.set(from, Instant::now());
        committed
    }

    fn set(&self, from: Instant, until: Instant) {
        self.last_ns.set(Some(until.saturating_duration_since(from).as_nanos() as u64));
    }

    /// Time of the last commit, once.
    pub(crate) fn take_ns(&self) -> Option<u64> {
        self.last_ns.take()
    }
}
