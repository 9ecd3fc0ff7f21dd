//! The load on a bed: machines with users, backups, and the time span.

/// Order entry on one or more machines, with backups on others.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Machines that run order entry, spread over the hosts.
    pub machines: u32,
    /// Machines that back up their databases meanwhile.
    pub backup_machines: u32,
    /// Backups that each of those makes.
    pub backup_cycles: u32,
    /// Nanoseconds between the end of a backup and the start of the next.
    pub backup_pause_ns: u64,
    /// Nanoseconds from the start of a backup to the start of the next, unless it takes longer; 0 for no
    /// clock.
    pub backup_every_ns: u64,
    /// Bytes that a backup may write in a second; as many as it can when `None`.
    pub backup_limit_bytes_per_s: Option<u64>,
    /// Virtual processors of a machine.
    pub vcpus: u32,
    /// Memory of a machine.
    pub memory_bytes: u64,
    /// Warehouses of each database.
    pub warehouses: u32,
    /// Virtual users of each machine.
    pub users: u32,
    /// The machine of the users' programs.
    pub driver: Driver,
    /// When a user sends its next transaction.
    pub pacing: Pacing,
    /// The time span.
    pub window: Window,
}

/// The machine of the load's own program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// On the machine under test, where it takes processor time.
    Local,
    /// On another machine, from where every batch crosses the network.
    Remote,
}

/// When a user sends its next transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacing {
    /// As soon as the last is answered.
    None,
    /// After the keying and think times of TPC-C 5.2.5.
    Keyed,
}

/// The time span that a load represents, and the simulated part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Ramp-up before the measured time.
    pub ramp_ns: u64,
    /// The measured time.
    pub measure_ns: u64,
    /// Least measured time that is simulated before the simulation may stop.
    pub least_ns: u64,
    /// Least time before the measured time, for loads that take long to settle.
    pub least_settle_ns: u64,
    /// The simulation stops when half the 95 % interval of its throughput is below this share of it.
    pub precision: f64,
}

/// Nanoseconds of a second.
pub const NS_PER_S: u64 = 1_000_000_000;

impl Window {
    /// The window of a published procedure: it stops at a precision of 1 %, but not before ten seconds.
    #[must_use]
    pub fn published(ramp_s: u64, measure_s: u64) -> Window {
        Window {
            ramp_ns: ramp_s * NS_PER_S,
            measure_ns: measure_s * NS_PER_S,
            least_ns: 10 * NS_PER_S,
            least_settle_ns: 0,
            precision: 0.01,
        }
    }

    /// The same for users who key and think, who need some turns of about twenty seconds until they are
    /// spread evenly.
    #[must_use]
    pub fn keyed(self) -> Window {
        Window { least_settle_ns: 60 * NS_PER_S, ..self }
    }

    /// The same with less precision, for a step of a calibration for example, on this many machines.
    #[must_use]
    pub fn brief(self, machines: u32) -> Window {
        // Many machines make as many transactions in less time.
        let least_ns = if machines > 3 { 2 } else { 6 } * NS_PER_S;
        Window { least_ns, precision: 0.02, ..self }
    }

    /// Simulated nanoseconds before the measured time: enough for queues to settle.
    #[must_use]
    pub fn settle_ns(&self) -> u64 {
        self.ramp_ns.min(self.least_ns / 5).min(2 * NS_PER_S).max(self.least_settle_ns)
    }

    /// The factor by which slow state must be advanced, so that the shortest simulated time covers the
    /// changes of the whole time.
    #[must_use]
    pub fn haste(&self) -> f64 {
        let simulated = self.settle_ns() + self.least_ns.min(self.measure_ns);
        ((self.ramp_ns + self.measure_ns) as f64 / simulated.max(1) as f64).max(1.0)
    }
}

/// Bytes of a warehouse as loaded by HammerDB into SQL Server: 157 GB for 2000.
const BYTES_PER_WAREHOUSE: u64 = 78_500_000;

impl Load {
    /// Bytes of one database.
    #[must_use]
    pub fn database_bytes(&self) -> u64 {
        u64::from(self.warehouses) * BYTES_PER_WAREHOUSE
    }

    /// Checks that the load can be put on hosts of `memory_bytes`.
    ///
    /// # Errors
    /// The value out of range and the allowed range, in one sentence.
    pub fn check(&self, hosts: u32, memory_bytes: u64) -> Result<(), String> {
        let all = self.machines + self.backup_machines;
        if all == 0 || self.users == 0 || self.vcpus == 0 || self.warehouses == 0 {
            return Err("a load needs at least one machine, user, processor and warehouse".to_owned());
        }
        if self.backup_limit_bytes_per_s == Some(0) {
            return Err("a backup that may write nothing never ends; give it a limit above zero".to_owned());
        }
        if all > 1024 || self.users > 100_000 || u64::from(all) * u64::from(self.users) > 1_000_000 {
            return Err(format!(
                "{all} machines with {} users each would need more memory than a simulation should; give at most 1024 machines and a million users together",
                self.users
            ));
        }
        let per_host = u64::from(all.div_ceil(hosts.max(1)));
        if per_host * self.memory_bytes > memory_bytes {
            return Err(format!(
                "{per_host} machines of {} GB do not fit into the {} GB of a host; give them less memory or use fewer",
                self.memory_bytes / 1_000_000_000,
                memory_bytes / 1_000_000_000
            ));
        }
        Ok(())
    }
}
