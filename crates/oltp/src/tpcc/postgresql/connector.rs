//! How virtual users connect to PostgreSQL.

use database::Endpoint;
use database::postgresql::PostgreSql;

use super::failure::failure;
use super::{PostgresqlSession, note};
use crate::admin::postgresql::open;
use crate::driver::{Connect, Failure};
use crate::error::OltpError;
use crate::tpcc::ask::mode::Mode;
use crate::tpcc::load::loaded::Loaded;
use crate::tpcc::server::OrderEntryServer;

/// Opens the sessions of virtual users.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connector<'a> {
    endpoint: &'a Endpoint,
    mode: Mode,
}

impl Connect for Connector<'_> {
    type Session = PostgresqlSession;

    async fn connect(&self) -> Result<PostgresqlSession, Failure> {
        let client = open(self.endpoint).await.map_err(failure)?;
        PostgresqlSession::prepare(client, self.mode).await
    }
}

impl<'a> OrderEntryServer for PostgreSql<'a> {
    type Connector = Connector<'a>;

    fn connector(self, mode: Mode) -> Connector<'a> {
        Connector { endpoint: self.0, mode }
    }

    async fn note(self, loaded: &Loaded) -> Result<(), OltpError> {
        note(self, loaded).await
    }
}
