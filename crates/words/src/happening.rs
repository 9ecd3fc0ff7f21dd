//! Events of a cell: data with a stable name. The sentence is the message of that name.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Reason;
use crate::say::said_as_shown;
use crate::sentence::sentences;

sentences! {
    /// Something that happened in a cell.
    pub enum Happening by "happening" {
        // A text that is no data: of an older notebook, an error in its own words, a setting.
        Told = "told" { text: String };
        // A reason that stands by itself: a caveat, a condition that is violated.
        Why = "why" { why: Reason };
        Unmeasurable = "unmeasurable" { metric: String, value: String };
        Reset = "reset" { method: String, reset_s: f64 as 2 };
        NotReset = "not-reset";
        Trace = "trace" { ios: u64, path: String, left_out: u64 };

        // Hosts of a fleet.
        HostClient = "host-client" { rank: u32, host: String };
        HostSlow = "host-slow" { rank: u32, host: String, share_percent: f64 as 0 };
        HostLate = "host-late" { rank: u32, host: String, late_ms: f64 as 0 };

        // Loads on databases.
        Standstill = "standstill" { length_s: f64 as 1, from_s: f64 as 1 };
        Standstills = "standstills" { length_s: f64 as 1, from_s: f64 as 1, times: u64, together_s: f64 as 1 };
        RequestsUnfinished = "requests-unfinished" { requests: u64, drain_s: u64 };
        ConnectionsLost = "connections-lost" { requests: u64 };
        InputOutside = "input-outside" { name: String, value: f64 as 2, unit: String, low: String, high: String };
        TpmDiffers = "tpm-differs" { server: f64 as 0, client: f64 as 0 };
        NopmDiffers = "nopm-differs" { server: f64 as 0, client: f64 as 0 };
        LoadEnded = "load-ended" { error: String };
        Layout = "layout" {
            file_system: FileSystem, as_copied: u64, as_laid_out: u64, extents: u64, piece_kib: f64 as 0
        };
        PlanOfScan = "plan-of-scan" { plan: String };
        PlanOfLookup = "plan-of-lookup" { plan: String };

        // Arms of a noisy neighbour.
        ArmAlone = "arm-alone" { victims: u32 };
        ArmTogether = "arm-together" { victims: u32 };
        ArmWithNeighbour = "arm-with-neighbour" { victims: u32, neighbours: u32, neighbour: String };
        ArmMitigated = "arm-mitigated" { victims: u32, neighbours: u32, neighbour: String, mitigation: String };
        ArmNeighbourAlone = "arm-neighbour-alone" { neighbours: u32, neighbour: String };

        // Backups.
        Cycle = "cycle" {
            number: u32, database_mb: f64 as 1, backup_s: f64 as 2, files: u64, files_mb: f64 as 1, tool: String,
            restore_s: f64 as 2, copied_s: f64 as 2, start_s: f64 as 2, proof: Proven
        };
        CycleSimulated = "cycle-simulated" { number: u32, backup_mb: f64 as 1, backup_s: f64 as 2, restore_s: f64 as 2 };
        DrillCaught = "drill-caught" { bit: u8, byte: u64, file: String, error: String };

        // Block I/O.
        PurgeModelled = "purge-modelled";
        PurgeDiscarded = "purge-discarded";
        PurgeGivenBack = "purge-given-back";
        PurgeNewFile = "purge-new-file";
        SearchDeepest = "search-deepest" { percentile: String, latency: String, point: String };
        SearchNone = "search-none" { percentile: String, latency: String };
        Settled = "settled" { measured_s: f64 as 1, most_s: f64 as 1 };
        SteadyAttained = "steady-attained" { rounds: u32, end: RoundsEnd };
        SteadyAttainedWindow = "steady-attained-window" { rounds: u32, end: RoundsEnd, first: u32, last: u32 };
        SteadyMissed = "steady-missed" { rounds: u32, end: RoundsEnd };
        SteadyMissedWindow = "steady-missed-window" { rounds: u32, end: RoundsEnd, first: u32, last: u32 };
        SteadyFewRounds = "steady-few-rounds" { figure: Tracked, rounds: u64 };
        SteadyFigure = "steady-figure" {
            figure: Tracked, unit: String, average: f64 as 1, excursion: f64 as 1, excursion_allowed: f64 as 1,
            slope: f64 as 1, slope_allowed: f64 as 1, fit: f64 as 3, base: f64 as 1
        };

        // Simulations.
        SimulatedUntilNarrow = "simulated-until-narrow";
        SimulatedSteady = "simulated-steady";
        SimulatedPatterns = "simulated-patterns";
        SimulatedCopies = "simulated-copies";
        SimulatedFor = "simulated-for" { virtual_s: f64 as 1, whole_s: f64 as 0, precision_percent: f64 as 1 };
        SimulatedSlowFor = "simulated-slow-for" { virtual_s: f64 as 1, whole_s: f64 as 0, haste: f64 as 0 };
    }
}

impl Happening {
    /// The sentence's data; `None` for a text that is none.
    pub fn as_data(&self) -> Option<&Happening> {
        (!matches!(self, Happening::Told { .. })).then_some(self)
    }
}

impl From<String> for Happening {
    fn from(text: String) -> Happening {
        Happening::Told { text }
    }
}

impl From<&str> for Happening {
    fn from(text: &str) -> Happening {
        text.to_owned().into()
    }
}

impl From<Reason> for Happening {
    fn from(why: Reason) -> Happening {
        Happening::Why { why }
    }
}

sentences! {
    /// The file system below a file.
    pub enum FileSystem by "file-system" {
        Named = "named" { name: String };
        Unknown = "unknown";
    }
}

sentences! {
    /// The findings of the proof of one restore.
    pub enum Proven by "proof" {
        Tables = "tables" { conditions: Conditions, rows: u64, tables: u64, took_s: f64 as 2 };
        TablesAndOrders = "tables-and-orders" {
            conditions: Conditions, rows: u64, tables: u64, there: u64, all: u64, took_s: f64 as 2
        };
    }
}

sentences! {
    /// The consistency conditions of a database.
    pub enum Conditions by "conditions" {
        Hold = "hold";
        Violated = "violated" { count: u64 };
    }
}

sentences! {
    /// The reason for the end of the rounds before a steady state.
    pub enum RoundsEnd by "rounds" {
        Steady = "steady";
        EnoughWritten = "enough-written";
        NoMore = "no-more";
    }
}

sentences! {
    /// A figure that is to become steady.
    pub enum SteadyFigure by "steady" {
        Iops = "iops";
        Bandwidth = "bandwidth";
        MeanLatency = "mean-latency";
    }
}

/// A figure that is to become steady, of the points with these values or of all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tracked {
    /// The figure.
    pub figure: SteadyFigure,
    /// The share of reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
    /// The block size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_size: Option<String>,
}

impl fmt::Display for Tracked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reads = self.read.as_ref().map(|read| crate::say!("tracked-reads", read));
        let points: Vec<String> = reads.into_iter().chain(self.block_size.clone()).collect();
        let figure = &self.figure;
        if points.is_empty() {
            return figure.fmt(f);
        }
        f.write_str(&crate::say!("tracked-at", figure, points = crate::list(points)))
    }
}

said_as_shown!(Tracked);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_the_name_and_the_data() {
        let figure = Tracked {
            figure: SteadyFigure::MeanLatency,
            read: Some("50 %".to_owned()),
            block_size: Some("4KiB".to_owned()),
        };
        let few = Happening::SteadyFewRounds { figure, rounds: 3 };
        assert_eq!(few.to_string(), "mean latency at 50 % read, 4KiB: 3 rounds are fewer than a window");
        let stored = serde_json::to_string(&few).unwrap();
        assert_eq!(
            stored,
            r#"{"happening":"steady-few-rounds","figure":{"figure":{"steady":"mean-latency"},"read":"50 %","block_size":"4KiB"},"rounds":3}"#
        );
        assert_eq!(serde_json::from_str::<Happening>(&stored).unwrap(), few);
    }

    #[test]
    fn a_text_is_no_data_and_a_reason_is() {
        let told = Happening::from("sqlite.version = 3.51.0");
        assert_eq!((told.to_string().as_str(), told.as_data()), ("sqlite.version = 3.51.0", None));
        let why = Happening::from(Reason::IosShort { ios: 2 });
        assert_eq!(why.to_string(), Reason::IosShort { ios: 2 }.to_string());
        let stored = serde_json::to_string(why.as_data().unwrap()).unwrap();
        assert_eq!(stored, r#"{"happening":"why","why":{"reason":"ios-short","ios":2}}"#);
        assert_eq!(serde_json::from_str::<Happening>(&stored).unwrap(), why);
    }
}
