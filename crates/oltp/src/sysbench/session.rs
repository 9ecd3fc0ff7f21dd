//! One connection that executes transactions, statement by statement, each a round trip.

use ground::Clock;

use super::query::Query;
use super::statement::Statement;
use super::wire::Outcome;
use crate::driver::Failure;

/// Statements of the longest transaction.
pub(crate) const QUERIES_MAX: usize = 20;

/// The answer to a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Time of each statement in the order of the request, ns.
    pub(crate) times_ns: [u64; QUERIES_MAX],
    /// Rows that came back.
    pub(crate) rows: u64,
    /// Rows that were changed.
    pub(crate) changed: u64,
    /// Point selects that found nothing.
    pub(crate) missing: u64,
    /// Time in the queue of writers, ns, of engines that have one.
    pub(crate) waited_ns: Option<u64>,
    /// Attempts of this transaction that were in vain.
    pub(crate) ignored: Ignored,
}

/// Attempts in vain by their reason: sysbench's ignored errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ignored {
    pub(crate) deadlocks: u64,
    pub(crate) duplicates: u64,
    pub(crate) others: u64,
}

pub(crate) const DEADLOCK: &str = "deadlock";
pub(crate) const DUPLICATE: &str = "duplicate key";

impl Ignored {
    pub(crate) fn count(&mut self, failure: &Failure) {
        match failure {
            Failure::Retry(DEADLOCK) => self.deadlocks += 1,
            Failure::Retry(DUPLICATE) => self.duplicates += 1,
            Failure::Retry(_) => self.others += 1,
            _ => {}
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.deadlocks += other.deadlocks;
        self.duplicates += other.duplicates;
        self.others += other.others;
    }
}

/// The part that an engine provides.
pub(crate) trait Statements {
    /// Executes one statement.
    async fn run(&mut self, query: &Query) -> Result<Outcome, Failure>;

    /// Ends a transaction that failed.
    async fn roll_back(&mut self) -> Result<(), Failure>;

    /// Takes the time that the transaction stood in the queue of writers, ns.
    fn take_wait_ns(&mut self) -> Option<u64> {
        None
    }
}

/// Executes a transaction to its end.
pub(crate) async fn transact(
    statements: &mut impl Statements,
    queries: &[Query],
    ignored: &mut Ignored,
) -> Result<Answer, Failure> {
    let mut answer = Answer {
        times_ns: [0; QUERIES_MAX],
        rows: 0,
        changed: 0,
        missing: 0,
        waited_ns: None,
        ignored: Ignored::default(),
    };
    let mut before_ns = Clock::Wall.now_ns();
    for (query, time_ns) in queries.iter().zip(&mut answer.times_ns) {
        let outcome = match statements.run(query).await {
            Ok(outcome) => outcome,
            Err(failure) => return Err(clean_up(statements, queries, ignored, failure).await),
        };
        let now = Clock::Wall.now_ns();
        *time_ns = now - before_ns;
        before_ns = now;
        answer.rows += outcome.rows;
        answer.changed += outcome.changed;
        answer.missing += u64::from(outcome.rows == 0 && query.statement() == Statement::PointSelect);
    }
    answer.waited_ns = statements.take_wait_ns();
    answer.ignored = std::mem::take(ignored);
    Ok(answer)
}

/// Leaves no transaction open, and counts the attempt.
async fn clean_up(
    statements: &mut impl Statements,
    queries: &[Query],
    ignored: &mut Ignored,
    failure: Failure,
) -> Failure {
    ignored.count(&failure);
    if matches!(failure, Failure::Lost(_) | Failure::Fatal(_)) || queries.first() != Some(&Query::Begin) {
        return failure;
    }
    match statements.roll_back().await {
        Ok(()) => failure,
        Err(worse) => worse,
    }
}
