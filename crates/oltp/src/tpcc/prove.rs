//! The proofs of order entry: the consistency conditions, orders that must outlive a crash, and tables that
//! others loaded.

pub(super) mod check;
pub(super) mod durability;
pub(super) mod adopt;

use check::{Condition, Stage};

use super::ask::terminal::Acknowledged;
use super::load::loaded::Loaded;
use super::server::OrderEntryServer;
use crate::error::OltpError;
use crate::until::Until;

/// A database of which order entry can be proven.
pub(crate) trait Prove {
    /// The consistency conditions that apply at `stage`.
    fn check(self, stage: Stage, until: &Until) -> Result<Vec<Condition>, OltpError>;

    /// Those of `acknowledged` that are not there as a whole.
    fn missing(self, acknowledged: &[Acknowledged]) -> Result<Vec<Acknowledged>, OltpError>;

    /// Accepts tables that somebody else loaded; `None` where there are none.
    fn adopt(self) -> Result<Option<Loaded>, OltpError>;
}

impl<S: OrderEntryServer> Prove for S {
    fn check(self, stage: Stage, until: &Until) -> Result<Vec<Condition>, OltpError> {
        check::servers::check(self, stage, until)
    }

    fn missing(self, acknowledged: &[Acknowledged]) -> Result<Vec<Acknowledged>, OltpError> {
        durability::missing_on_server(self, acknowledged)
    }

    fn adopt(self) -> Result<Option<Loaded>, OltpError> {
        adopt::adopt_on(self)
    }
}
