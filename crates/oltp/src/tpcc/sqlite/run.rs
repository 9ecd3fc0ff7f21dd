//! A run on SQLite: every connection on a thread of its own, since SQLite waits for its files in its calls.

use database::Instance;
use database::sqlite::{Connection, Sqlite};
use self_cell::self_cell;

use super::SqliteTerminal;
use crate::driver::{Connect, Pacing, Session};
use crate::error::OltpError;
use crate::tpcc::ask::input::Input;
use crate::tpcc::ask::terminal::{Executed, Failure, Terminal as _};
use crate::tpcc::run::options::RunOptions;
use crate::tpcc::run::outcome::RunOutcome;
use crate::tpcc::run::{Run, Task, serve};

/// Each connection is a thread with counts of its own, about 4 MB: more would take the machine's memory.
pub const CONNECTIONS_MAX: u32 = 1_000;

impl Run for &Sqlite {
    fn run(self, _instance: &dyn Instance, task: &Task<'_>) -> Result<RunOutcome, OltpError> {
        refuse(task.options)?;
        let below = || self.first_storage_error().map(|below| format!(" (below it: {below})"));
        let (driven, storage) =
            serve::go(self, &Connector(self), task, |_| {}).map_err(|error| match error {
                OltpError::Server { doing, why } => {
                    OltpError::Server { doing, why: why + &below().unwrap_or_default() }
                }
                other => other,
            })?;
        let mut outcome = serve::outcome(driven, storage, task.world);
        outcome.fatal = match (outcome.fatal, self.first_storage_error()) {
            (Some(reason), Some(below)) => Some(format!("{reason} (below it: {below})")),
            // A checkpoint that fails meets no user, but the drive has failed all the same.
            (reason, below) => reason.or(below),
        };
        Ok(outcome)
    }
}

fn refuse(options: &RunOptions) -> Result<(), OltpError> {
    let threads = match options.pacing {
        Pacing::None => options.virtual_users,
        Pacing::Keyed { .. } | Pacing::Arrivals { .. } => options.connections.unwrap_or(1),
    };
    if (1..=CONNECTIONS_MAX).contains(&threads) {
        return Ok(());
    }
    let why = format!(
        "{threads} connections of SQLite are outside of 1 to {CONNECTIONS_MAX}: each is a thread of its own"
    );
    Err(OltpError::Options(why))
}

/// Opens the connections of virtual users.
struct Connector<'a>(&'a Sqlite);

impl<'a> Connect for Connector<'a> {
    const BLOCKS: bool = true;

    type Session = SqliteSession<'a>;

    async fn connect(&self) -> Result<SqliteSession<'a>, Failure> {
        let instance = self.0;
        let connection = instance.connect().map_err(|error| Failure::Fatal(error.to_string()))?;
        let terminal = Prepared::try_new(Opened { instance, connection }, |opened| {
            SqliteTerminal::new(opened.instance, &opened.connection)
        });
        let terminal = terminal.map_err(|error| Failure::Fatal(error.to_string()))?;
        Ok(SqliteSession { terminal })
    }
}

struct Opened<'a> {
    instance: &'a Sqlite,
    connection: Connection,
}

self_cell!(
    /// A connection and the statements that were prepared on it.
    struct Prepared<'a> {
        owner: Opened<'a>,
        #[not_covariant]
        dependent: SqliteTerminal,
    }
);

/// One connection of virtual users.
pub(crate) struct SqliteSession<'a> {
    terminal: Prepared<'a>,
}

impl Session for SqliteSession<'_> {
    type Request = Input;
    type Answer = Executed;

    async fn execute(&mut self, input: &Input) -> Result<Executed, Failure> {
        self.terminal.with_dependent_mut(|_, terminal| terminal.execute(input))
    }
}
