//! Asynchronous drivers behind plain calls: a runtime on the calling thread, with a time limit on everything.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

use super::hang_up::{HangUp, LOOK_INTERVAL};
use crate::error::ServerError;

/// The time limit of a control statement. A server that is busy answers its control connection slowly, not
/// never.
pub(crate) const ANSWER_LIMIT: Duration = Duration::from_secs(60);

/// The time limit of a sample of wait events: a late sample is useless, and it would delay the sampler.
pub(crate) const SAMPLE_LIMIT: Duration = Duration::from_secs(5);

/// The time limit of a statement that reads a whole table: a terabyte from a slow disk.
const WHOLE_TABLE_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// A runtime for one control connection.
#[derive(Debug)]
pub(crate) struct Blocking {
    engine: &'static str,
    hang_up: HangUp,
    // None only while it is being dropped.
    runtime: Option<Runtime>,
}

impl Blocking {
    pub(crate) fn new(engine: &'static str, hang_up: &HangUp) -> Result<Self, ServerError> {
        let failed = |error: std::io::Error| ServerError::Statement {
            engine,
            doing: "starting the client",
            why: error.to_string(),
        };
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
        Ok(Self { engine, hang_up: hang_up.clone(), runtime: Some(runtime) })
    }

    /// Waits for `work`, no longer than `limit` and not once it is to hang up.
    pub(crate) fn run<T: Send>(
        &self,
        doing: &'static str,
        limit: Duration,
        work: impl Future<Output = T> + Send,
    ) -> Result<T, ServerError> {
        let runtime = self.runtime.as_ref().expect("taken on drop only");
        let engine = self.engine;
        let limited = async {
            tokio::select! {
                done = tokio::time::timeout(limit, work) => {
                    done.map_err(|_| ServerError::NoAnswer { engine, doing, waited_s: limit.as_secs() })
                }
                () = self.hang_up.asked() => Err(ServerError::Stopped { engine, doing }),
            }
        };
        // A runtime must not be entered from within another one; callers of ours may be asynchronous.
        if Handle::try_current().is_ok() {
            std::thread::scope(|scope| {
                scope
                    .spawn(|| runtime.block_on(limited))
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        } else {
            runtime.block_on(limited)
        }
    }

    /// Waits for `work`, which reads a whole table, until `stop` becomes true. The connection is of no use
    /// after that.
    pub(crate) fn run_until<T: Send>(
        &self,
        doing: &'static str,
        stop: &AtomicBool,
        work: impl Future<Output = T> + Send,
    ) -> Result<T, ServerError> {
        let over = async {
            while !stop.load(Ordering::Acquire) {
                tokio::time::sleep(LOOK_INTERVAL).await;
            }
        };
        let either = async {
            tokio::select! {
                done = work => Ok(done),
                () = over => Err(ServerError::Stopped { engine: self.engine, doing }),
            }
        };
        self.run(doing, WHOLE_TABLE_LIMIT, either)?
    }
}

impl Drop for Blocking {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Does not wait, so that it may happen inside another runtime.
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_with_a_limit_and_inside_another_runtime() {
        let blocking = Blocking::new("engine", &HangUp::default()).unwrap();
        assert_eq!(blocking.run("adding", ANSWER_LIMIT, async { 1 + 1 }).unwrap(), 2);
        let error =
            blocking.run("waiting", Duration::from_millis(5), std::future::pending::<()>()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "engine, waiting: no answer within 0 s; check address and port, and look into the server's log"
        );
        let error = blocking.run_until("summing up", &AtomicBool::new(true), std::future::pending::<()>());
        assert_eq!(error.unwrap_err().to_string(), "engine, summing up: stopped before its end");
        let outer = Builder::new_current_thread().build().unwrap();
        outer.block_on(async {
            assert_eq!(blocking.run("adding", ANSWER_LIMIT, async { 2 + 2 }).unwrap(), 4);
            drop(blocking);
        });
    }

    #[test]
    fn a_wait_ends_when_nobody_wants_the_answer() {
        let flag = std::sync::Arc::new(AtomicBool::new(false));
        let blocking = Blocking::new("engine", &HangUp::when(std::sync::Arc::clone(&flag))).unwrap();
        assert_eq!(blocking.run("adding", ANSWER_LIMIT, async { 1 + 1 }).unwrap(), 2);
        std::thread::scope(|scope| {
            scope.spawn(|| flag.store(true, Ordering::Release));
            let error = blocking.run("waiting", WHOLE_TABLE_LIMIT, std::future::pending::<()>()).unwrap_err();
            assert!(matches!(error, ServerError::Stopped { .. }), "{error}");
        });
    }
}
