//! One limit, in the words of either version.

use std::fmt;

use host::Controller;

use super::{Drive, GroupError};

/// The time over which the kernel holds processes to their share of the processors, microseconds; its own
/// default.
const PERIOD_US: f64 = 100_000.0;
/// The smallest share that the kernel takes, microseconds of a period.
const QUOTA_MIN_US: f64 = 1_000.0;
/// The smallest weight of BFQ and of io.cost; others have 100.
const WEIGHT: u32 = 1;

/// The text for "no limit" in each file, in both versions.
pub(super) const NO_LIMIT: [(&str, &str); 4] =
    [("cpu.cfs_quota_us", "-1"), ("memory.limit_in_bytes", "-1"), ("cpu.max", "max"), ("memory.max", "max")];

/// One limit of a group.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// Processors' worth of time.
    Cpus(f64),
    /// All memory, page cache included, bytes.
    Memory(u64),
    /// Bytes per second, each way, on one drive.
    Throttle {
        /// The drive.
        drive: Drive,
        /// Read, and as many written.
        bytes_per_s: u64,
    },
    /// The smallest share of a drive that is asked for more than it can do.
    Weight(Drive),
}

impl Rule {
    /// The controller that does it, by its name in version 2.
    pub(super) fn controller(&self) -> &'static str {
        match self {
            Self::Cpus(_) => "cpu",
            Self::Memory(_) => "memory",
            Self::Throttle { .. } | Self::Weight(_) => "io",
        }
    }

    /// The files of the group that set it.
    pub(super) fn files(&self, controller: &Controller) -> Result<Vec<(&'static str, String)>, GroupError> {
        let two = controller.version == 2;
        Ok(match self {
            Self::Cpus(cpus) => {
                let quota_us = (cpus * PERIOD_US).round().max(QUOTA_MIN_US);
                if two {
                    vec![("cpu.max", format!("{quota_us} {PERIOD_US}"))]
                } else {
                    vec![
                        ("cpu.cfs_period_us", PERIOD_US.to_string()),
                        ("cpu.cfs_quota_us", quota_us.to_string()),
                    ]
                }
            }
            Self::Memory(bytes) if two => vec![("memory.max", bytes.to_string())],
            Self::Memory(bytes) => vec![("memory.limit_in_bytes", bytes.to_string())],
            Self::Throttle { drive, bytes_per_s } if two => {
                vec![("io.max", format!("{} rbps={bytes_per_s} wbps={bytes_per_s}", drive.number))]
            }
            Self::Throttle { drive, bytes_per_s } => {
                let limit = format!("{} {bytes_per_s}", drive.number);
                let files = ["blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device"];
                files.map(|file| (file, limit.clone())).to_vec()
            }
            Self::Weight(drive) => vec![weight(drive, controller)?],
        })
    }
}

/// The part of the kernel that supports weights: io.cost, once an administrator has enabled it for the drive,
/// or the scheduler BFQ.
fn weight(drive: &Drive, controller: &Controller) -> Result<(&'static str, String), GroupError> {
    if drive.scheduler.as_deref() == Some("bfq") {
        let file = if controller.version == 2 { "io.bfq.weight" } else { "blkio.bfq.weight" };
        return Ok((file, WEIGHT.to_string()));
    }
    let costs = controller.top().and_then(|top| std::fs::read_to_string(top.join("io.cost.qos")).ok());
    let is_on = |line: &str| line.starts_with(&drive.number) && line.contains("enable=1");
    match costs {
        Some(costs) if costs.lines().any(is_on) => Ok(("io.weight", format!("default {WEIGHT}"))),
        costs => {
            let cost = match costs {
                Some(_) => format!(
                    "io.cost is switched off for it (`echo \"{} enable=1\" > io.cost.qos` at the top of the groups)",
                    drive.number
                ),
                None => {
                    "there is no io.cost (version 2 of control groups with the controller `io`)".to_owned()
                }
            };
            let why = format!("weights need the scheduler bfq or io.cost: {drive}, and {cost}");
            Err(GroupError::NotAvailable { why })
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpus(cpus) => write!(f, "{cpus} processors"),
            Self::Memory(bytes) => write!(f, "{:.0} MiB of memory", *bytes as f64 / f64::from(1 << 20)),
            Self::Throttle { bytes_per_s, .. } => write!(f, "{:.1} MB/s each way", *bytes_per_s as f64 / 1e6),
            Self::Weight(_) => write!(f, "the smallest share of the drive"),
        }
    }
}
