//! The common parts of servers: sessions over their protocols, queries, loads.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

use database::Endpoint;
use tokio::runtime::{Builder, Runtime};

use super::error::SysbenchError;
use super::load::{Job, Load, Row};
use super::options::Options;
use super::outcome::RunOutcome;
use super::query::Query;
use super::run::{Run, go};
use super::session::{Answer, Ignored, Statements, transact};
use super::sql::Dialect;
use super::tables::{Ask, Questions};
use super::wire::{self, Client, Guard, Outcome, SILENCE_MAX, Value, Waiting, WireError};
use crate::admin::Server;
use ground::Clock;

use crate::driver::{Connect, Control, Failure, Session, processors_of};

/// A session that waits alone lets the runtime look after its clocks this often.
const YIELD_NS: u64 = 20_000_000;
/// Rows are sent in pieces of about this size: large enough to cost little, small enough that both sides work
/// at the same time.
pub(super) const PIECE_BYTES: usize = 128 << 10;

/// A server that runs sysbench's tests.
pub(crate) trait SysbenchServer: Server + Dialect + Sync {
    /// A connection over its protocol.
    type Client: Client;
    /// The statements of such a connection.
    type Prepared: Prepared<Client = Self::Client> + 'static;

    /// The usual way of sending rows, in words.
    const METHOD: &'static str;
    /// The settings of a connection that loads.
    const LOAD_SETTINGS: &'static [&'static str] = &[];

    /// Makes and fills a table, with its index and statistics; tells how the rows were sent.
    async fn store(
        client: &mut Self::Client,
        job: &Job<'_>,
        table: u32,
    ) -> Result<&'static str, SysbenchError>;
}

/// The statements of one connection to a server, each prepared once for each table.
pub(crate) trait Prepared: Sized {
    type Client: Client;

    /// Prepares those that the test uses.
    async fn prepare(client: Self::Client, options: &Options) -> Result<Self, Failure>;

    /// The connection.
    fn client(&mut self) -> &mut Self::Client;

    async fn begin(&mut self) -> Result<Outcome, WireError>;

    async fn commit(&mut self) -> Result<Outcome, WireError>;

    /// Executes the statement at a [place](super::statement::Statement::place) of the tables.
    async fn execute(&mut self, place: usize, values: &[Value<'_>]) -> Result<Outcome, WireError>;

    /// The meaning of a failed statement for the transaction, by the server's words.
    fn failure(error: WireError) -> Failure;
}

impl<P: Prepared> Statements for P {
    async fn run(&mut self, query: &Query) -> Result<Outcome, Failure> {
        use Value::{Integer, Text};
        let statement = query.statement();
        match query {
            Query::Begin => self.begin().await,
            Query::Commit => self.commit().await,
            Query::Point { table, id } | Query::IndexUpdate { table, id } | Query::Delete { table, id } => {
                self.execute(statement.place(*table), &[Integer(*id)]).await
            }
            Query::Range { table, low, high, .. } => {
                self.execute(statement.place(*table), &[Integer(*low), Integer(*high)]).await
            }
            Query::NonIndexUpdate { table, id, c } => {
                self.execute(statement.place(*table), &[Text(c.as_bytes()), Integer(*id)]).await
            }
            Query::Insert { table, id, k, c, pad } => {
                let values = [Integer(*id), Integer(*k), Text(c.as_bytes()), Text(pad.as_bytes())];
                self.execute(statement.place(*table), &values).await
            }
        }
        .map_err(P::failure)
    }

    async fn roll_back(&mut self) -> Result<(), Failure> {
        self.client().text("ROLLBACK").await.map(drop).map_err(P::failure)
    }
}

/// One connection at work.
pub(crate) struct ServerSession<P> {
    prepared: P,
    ignored: Ignored,
    courtesy: Courtesy,
}

impl<P: Prepared> Session for ServerSession<P> {
    type Request = Arc<[Query]>;
    type Answer = Answer;

    async fn execute(&mut self, request: &Arc<[Query]>) -> Result<Answer, Failure> {
        self.courtesy.pay().await;
        transact(&mut self.prepared, request, &mut self.ignored).await
    }

    async fn is_alive(&mut self) -> bool {
        self.prepared.client().row("SELECT 1").await.is_ok()
    }
}

/// Lets the runtime look after its clocks now and then, where a session waits alone and would never let go.
#[derive(Debug)]
struct Courtesy {
    is_due: bool,
    last_ns: u64,
}

impl Courtesy {
    fn new(waiting: Waiting<'_>) -> Self {
        Self { is_due: !matches!(waiting, Waiting::Shared), last_ns: 0 }
    }

    async fn pay(&mut self) {
        if !self.is_due {
            return;
        }
        let now = Clock::Wall.now_ns();
        if now - self.last_ns >= YIELD_NS {
            self.last_ns = now;
            tokio::task::yield_now().await;
        }
    }
}

/// Opens sessions on a server.
struct Connector<'a, S> {
    server: S,
    options: &'a Options,
    waiting: Waiting<'a>,
}

impl<S: SysbenchServer> Connect for Connector<'_, S> {
    type Session = ServerSession<S::Prepared>;

    async fn connect(&self) -> Result<Self::Session, Failure> {
        let client = S::Client::connect(self.server.endpoint(), self.waiting).await;
        let prepared = S::Prepared::prepare(client.map_err(S::Prepared::failure)?, self.options).await?;
        Ok(ServerSession { prepared, ignored: Ignored::default(), courtesy: Courtesy::new(self.waiting) })
    }

    fn give_up(&self) {
        if let Waiting::Guarded(guard) = self.waiting {
            guard.end_waits();
        }
    }
}

impl<S: SysbenchServer> Run for S {
    fn run(self, options: &Options, control: &Control) -> Result<RunOutcome, SysbenchError> {
        guarded(self.endpoint(), options, |waiting| {
            go(&Connector { server: self, options, waiting }, options, control)
        })
    }
}

/// With no more connections than processors every worker has only one, which may wait as it likes.
fn guarded<T>(
    endpoint: &Endpoint,
    options: &Options,
    work: impl FnOnce(Waiting<'_>) -> Result<T, SysbenchError>,
) -> Result<T, SysbenchError> {
    if options.threads > processors_of(options.asking.processors) {
        return work(Waiting::Shared);
    }
    let guard = Guard::default();
    thread::scope(|scope| {
        let (done, until) = channel();
        let watcher = &guard;
        let keep = move || watcher.keep(&until, SILENCE_MAX, &endpoint.hang_up);
        let result = match thread::Builder::new().name("guard".to_owned()).spawn_scoped(scope, keep) {
            Ok(_) => work(Waiting::Guarded(&guard)),
            Err(source) => Err(SysbenchError::Thread { what: "the guard of the connections", source }),
        };
        drop(done);
        result
    })
}

/// A connection for questions, with the runtime that waits for its answers.
pub(crate) struct ServerQuestions<C>(Runtime, C);

impl<C: Client> Questions for ServerQuestions<C> {
    fn row(&mut self, sql: &str) -> Result<wire::Row, String> {
        self.0.block_on(self.1.row(sql)).map_err(|error| error.to_string())
    }
}

impl<S: SysbenchServer> Ask for S {
    type Questions = ServerQuestions<S::Client>;

    fn ask(self) -> Result<Self::Questions, SysbenchError> {
        let runtime = runtime()?;
        let client = runtime.block_on(S::Client::connect(self.endpoint(), Waiting::Alone));
        Ok(ServerQuestions(runtime, client.map_err(doing::<S>("connecting"))?))
    }
}

impl<S: SysbenchServer> Load for S {
    const CONNECTIONS_MAX: u32 = u32::MAX;

    fn fill(self, job: &Job<'_>) -> Result<&'static str, SysbenchError> {
        runtime()?.block_on(async {
            let connect = S::Client::connect(self.endpoint(), Waiting::Alone).await;
            let mut client = connect.map_err(doing::<S>("connecting"))?;
            for setting in S::LOAD_SETTINGS {
                client.text(setting).await.map_err(doing::<S>("getting ready to load"))?;
            }
            let mut method = S::METHOD;
            while let Some(table) = job.claim() {
                method = S::store(&mut client, job, table).await?;
                job.completed();
            }
            Ok(method)
        })
    }
}

/// For a thread that has nothing else to do.
fn runtime() -> Result<Runtime, SysbenchError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|source| SysbenchError::Thread { what: "a runtime", source })
}

pub(super) fn doing<D: Dialect>(what: impl Into<String>) -> impl FnOnce(WireError) -> SysbenchError {
    SysbenchError::server(D::ENGINE.title(), what)
}

/// Fills `piece` with rows; tells how many.
pub(super) fn fill_piece(
    piece: &mut Vec<u8>,
    rows: &mut impl Iterator<Item = Row>,
    put: impl Fn(&Row, &mut Vec<u8>, bool),
) -> u64 {
    piece.clear();
    let mut count = 0;
    while piece.len() < PIECE_BYTES
        && let Some(row) = rows.next()
    {
        put(&row, piece, count == 0);
        count += 1;
    }
    count
}
