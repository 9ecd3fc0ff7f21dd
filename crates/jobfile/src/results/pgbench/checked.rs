//! Numbers of a summary that must fit each other.

use super::Line;
use crate::fault::{AS_WRITTEN, FileFault};
use crate::results::agree::{Counted, shown};

/// A share of failed transactions has three decimals, per cent.
const PERCENT_STEP: f64 = 0.01;
/// Latencies have three decimals of a millisecond.
const LATENCY_STEP_S: f64 = 0.000_001;
/// Starts at a rate come with gaps of random length: one in 22,000 is longer than this many mean ones.
const GAPS: f64 = 10.0;
/// Busy clients over clients: the rate leaves out the time of connecting, and both numbers are rounded.
const BUSY_MOST: f64 = 1.05;
/// The clocks of pgbench stop a moment apart.
const SLACK_S: (f64, f64) = (0.1, 1.0);

/// Numbers of a summary with their lines.
#[derive(Debug, Default)]
pub(super) struct Stated {
    /// Line and number of the transactions that were asked for (`850/850`).
    wanted: Option<(usize, f64)>,
    /// Line, number and share, per cent.
    failed: Option<(usize, f64, Option<f64>)>,
    skipped: f64,
    /// The time of connecting, which is no part of the rate.
    connecting_s: f64,
    /// Line and rate: the first one of a summary, which has all of the time in it.
    tps: Option<(usize, f64)>,
    /// True for a run at a rate (`-R`): it ends before its time where the next start lies beyond it.
    is_paced: bool,
}

impl Stated {
    /// Takes a line of a summary.
    pub(super) fn take(&mut self, line: Line<'_>) -> Result<(), FileFault> {
        if let Some(rest) = line.after("number of transactions actually processed:") {
            let wanted = rest.split_once('/').map(|(_, wanted)| line.amount(wanted)).transpose()?;
            self.wanted = wanted.map(|wanted| (line.number, wanted));
        }
        if let Some(rest) = line.after("number of failed transactions:") {
            // Of no transaction there is no share.
            let share = rest.split_once('(').and_then(|(_, share)| line.amount(share).ok());
            self.failed = Some((line.number, line.amount(rest)?, share));
        }
        self.is_paced |= line.text.starts_with("rate limit schedule lag");
        if let Some(rest) = line.after("number of transactions skipped:") {
            self.skipped = line.amount(rest)?;
        }
        if let Some(rest) = line.after("initial connection time =") {
            self.connecting_s = line.amount(rest)? / 1e3;
        }
        if let (Some(rest), None) = (line.after("tps ="), self.tps) {
            self.tps = Some((line.number, line.amount(rest)?));
        }
        Ok(())
    }

    /// Refuses numbers that contradict each other: `latency_s` is the mean, and the standard deviation where
    /// every transaction was timed.
    pub(super) fn check(
        &self,
        (clients, processed): (f64, f64),
        duration_s: Option<f64>,
        latency_s: (f64, Option<f64>),
    ) -> Result<(), FileFault> {
        self.check_counts(processed)?;
        let failed = self.failed.map_or(0.0, |(_, failed, _)| failed);
        if let Some(duration_s) = duration_s {
            let early_s = if self.is_paced { GAPS * duration_s / (processed + failed + 1.0) } else { 0.0 };
            let slack_s = (
                SLACK_S.0 + self.connecting_s + early_s,
                SLACK_S.1 + longest_s(processed, failed, latency_s),
            );
            let counted = Counted { count: processed, time_s: duration_s, slack_s };
            self.check_rate(counted, &format!("in the duration of {} s", shown(duration_s)))?;
        }
        // Without times of every transaction the mean is that of the whole time of the clients.
        if let (mean_s, None) = latency_s
            && processed > 0.0
        {
            let each = (processed + failed + self.skipped) / clients;
            let slack_s = each * LATENCY_STEP_S + SLACK_S.0;
            let counted = Counted { count: processed, time_s: each * mean_s, slack_s: (slack_s, slack_s) };
            let of = format!("by {} clients with a mean of {} ms", shown(clients), shown(mean_s * 1e3));
            self.check_rate(counted, &of)?;
        }
        self.check_busy(clients, latency_s)
    }

    /// Little's law: clients that send one transaction after the other are not busy for longer than they are
    /// there. At a rate a latency has the time before the start in it.
    fn check_busy(&self, clients: f64, (mean_s, deviation_s): (f64, Option<f64>)) -> Result<(), FileFault> {
        let Some((line, tps)) = self.tps.filter(|_| deviation_s.is_some() && !self.is_paced) else {
            return Ok(());
        };
        if mean_s * tps <= BUSY_MOST * clients {
            return Ok(());
        }
        let message = format!(
            "states {} transactions per second with a mean of {} ms, which keep {} clients busy, and there are {}",
            shown(tps),
            shown(mean_s * 1e3),
            shown((mean_s * tps).ceil()),
            shown(clients)
        );
        Err(FileFault::line(line, message, AS_WRITTEN))
    }

    fn check_rate(&self, counted: Counted, of: &str) -> Result<(), FileFault> {
        let Some((line, tps)) = self.tps else { return Ok(()) };
        if counted.fits(tps, 0.001) {
            return Ok(());
        }
        let message = format!(
            "states {} transactions per second, and {} were processed {of}",
            shown(tps),
            shown(counted.count)
        );
        let help = format!("{AS_WRITTEN}; a run that was aborted is not imported");
        Err(FileFault::line(line, message, help))
    }

    fn check_counts(&self, processed: f64) -> Result<(), FileFault> {
        let failed = self.failed.map_or(0.0, |(_, failed, _)| failed);
        let all = processed + failed + self.skipped;
        if let Some((line, wanted)) = self.wanted.filter(|(_, wanted)| all > *wanted) {
            let message = format!(
                "counts {} transactions, failed and skipped ones with them, of {}",
                shown(all),
                shown(wanted)
            );
            return Err(FileFault::line(line, message, AS_WRITTEN));
        }
        let Some((line, failed, Some(share))) = self.failed.filter(|_| all > 0.0) else { return Ok(()) };
        let (least, most) = (100.0 * failed / all, 100.0 * failed / (processed + failed).max(1.0));
        if !(0.95 * least - PERCENT_STEP..=1.05 * most + PERCENT_STEP).contains(&share) {
            let message = format!(
                "states {} failed transactions as {} %, and beside {} processed ones they are {} %",
                shown(failed),
                shown(share),
                shown(processed),
                shown(least)
            );
            return Err(FileFault::line(line, message, AS_WRITTEN));
        }
        Ok(())
    }
}

/// So long at most did a transaction take that was finished after the end of the duration: no value lies
/// further from the mean than the standard deviation times the root of their number. How long failed ones
/// took is not stated, nor how long single ones did where only the whole time is known.
fn longest_s(processed: f64, failed: f64, (mean_s, stddev_s): (f64, Option<f64>)) -> f64 {
    match stddev_s {
        Some(stddev_s) if failed == 0.0 => mean_s + stddev_s * processed.sqrt(),
        _ => f64::INFINITY,
    }
}
