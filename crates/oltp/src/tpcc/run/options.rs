//! The options of a run.

use std::time::Duration;

use crate::driver::{Asking, Pacing};
use crate::tpcc::ask::input::Home;
use crate::tpcc::ask::mode::Mode;
use crate::tpcc::ask::profile::Profile;

/// The options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Virtual users. Without pacing each has a connection of its own.
    pub virtual_users: u32,
    /// The number of the first of them where they are a part of the users of several processes, from 0.
    pub first_user: u32,
    /// The users of all processes; `None` where there are no others.
    pub users_of_all: Option<u32>,
    /// Warehouses; must equal those of the load.
    pub warehouses: u32,
    /// The warehouses of a user.
    pub home: Home,
    /// The rules of the input.
    pub profile: Profile,
    /// Time under load before anything counts.
    pub ramp_up: Duration,
    /// Time that counts.
    pub measure: Duration,
    /// Seed of the users' streams and of the run's constants.
    pub seed: u64,
    /// The place of the transactions' logic; servers only.
    pub mode: Mode,
    /// The pace at which users ask.
    pub pacing: Pacing,
    /// Connections that paced users and arrivals share; `None` for one per user up to 64.
    pub connections: Option<u32>,
    /// The manner of asking.
    pub asking: Asking,
    /// False for a process beside others on one server, of which another reads the server's own counts.
    pub counts_server: bool,
}

impl Default for RunOptions {
    /// One user on one warehouse for a minute, statement by statement, without pacing.
    fn default() -> Self {
        Self {
            virtual_users: 1,
            first_user: 0,
            users_of_all: None,
            warehouses: 1,
            home: Home::default(),
            profile: Profile::default(),
            ramp_up: Duration::from_secs(10),
            measure: Duration::from_secs(60),
            seed: 1,
            mode: Mode::default(),
            pacing: Pacing::default(),
            connections: None,
            asking: Asking::default(),
            counts_server: true,
        }
    }
}
