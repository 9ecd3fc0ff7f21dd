//! Orders on stdin, one a line, while directories are mounted.

use std::io::{self, BufRead};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use emulate::{Fault, FuseMount};
use ground::{Clock, Stopwatch};

use crate::console::Console;

use super::LOOK_INTERVAL;
use super::statistics::{Reading, table};

/// Characters of a line that are told, at most.
const TOLD_MOST: usize = 60;

/// Lines that came in.
pub(super) struct Orders {
    /// Each line, or the reason why no further one can be read.
    lines: Receiver<io::Result<String>>,
    /// True if the mounts can lose what was not synced.
    power_cuts: bool,
    /// Seed of the next power cut.
    seed: u64,
    /// Time since the mounts were ready.
    since: Stopwatch,
    /// The last statistics of each mount.
    told: Vec<Reading>,
}

impl Orders {
    /// Reads stdin from now on. Its end is no order. `power_cuts`: the mounts were made with them.
    pub(super) fn listen(power_cuts: bool, seed: u64) -> Orders {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            // Bytes that are no text are no command, and no reason to take none of those after them.
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            for line in io::stdin().lock().split(b'\n') {
                let is_last = line.is_err();
                if sender.send(line.map(text)).is_err() || is_last {
                    break;
                }
            }
        });
        Orders { lines, power_cuts, seed, since: Clock::Wall.stopwatch(), told: Vec::new() }
    }

    /// Carries out the commands that come within [`LOOK_INTERVAL`], each at once. True if one of them was
    /// `quit`.
    pub(super) fn obey(&mut self, mounts: &mut [FuseMount], console: &Console) -> anyhow::Result<bool> {
        let begun = Clock::Wall.stopwatch();
        while let Some(line) = self.next_within(LOOK_INTERVAL.saturating_sub(begun.elapsed())) {
            let line = match line {
                Ok(line) => line,
                Err(error) => {
                    console.warn(&format!("no further command is taken: stdin cannot be read: {error}"));
                    continue;
                }
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [] => continue,
                ["quit"] => return Ok(true),
                ["stats"] => self.tell(mounts, console),
                ["cut" | "power"] if !self.power_cuts => {
                    console.note(&format!("{line}: refused: it needs --power-cuts; mount again with it"));
                    continue;
                }
                ["power"] => mounts.iter_mut().try_for_each(FuseMount::power_on)?,
                ["cut"] => {
                    mounts.iter().try_for_each(|mount| mount.cut_power(self.seed))?;
                    self.seed = self.seed.wrapping_add(1);
                }
                _ => match fault(&words) {
                    Some(order) => mounts.iter().for_each(order),
                    None => {
                        let line: String = line.chars().take(TOLD_MOST).collect();
                        console.note(&format!("`{line}` is no command, or its number is out of range; see `drivetrain mount --help`"));
                        continue;
                    }
                },
            }
            console.note(&format!("{}: done", words.join(" ")));
        }
        Ok(false)
    }

    /// The next line, if it comes in this time.
    fn next_within(&self, time: Duration) -> Option<io::Result<String>> {
        if time.is_zero() {
            return None; // However many more have come: the end is checked first.
        }
        self.lines
            .recv_timeout(time)
            .map_err(|why| {
                // After the end of stdin there is nobody to wait for.
                if why == RecvTimeoutError::Disconnected {
                    Clock::Wall.sleep(time);
                }
            })
            .ok()
    }

    /// Prints the statistics of each mount.
    fn tell(&mut self, mounts: &[FuseMount], console: &Console) {
        let readings: Vec<Reading> =
            mounts.iter().map(|mount| Reading::now(mount, self.since.elapsed())).collect();
        for (number, (mount, now)) in mounts.iter().zip(&readings).enumerate() {
            console.note(&table(mount, now, self.told.get(number)));
        }
        self.told = readings;
    }
}

/// The effect on each mount.
type Order = Box<dyn Fn(&FuseMount)>;

/// The effect of a command on a mount.
fn fault(words: &[&str]) -> Option<Order> {
    let inject = |fault: Fault| Some(Box::new(move |mount: &FuseMount| mount.inject(fault)) as Order);
    match *words {
        ["read-error"] => inject(Fault::ReadError { after: 0 }),
        ["write-error"] => inject(Fault::WriteError { after: 0 }),
        ["sync-error"] => inject(Fault::SyncError),
        ["full"] => inject(Fault::NoSpace),
        ["lie"] => Some(Box::new(|mount| mount.set_lying_flush(true))),
        ["heal"] => Some(Box::new(|mount| {
            mount.clear_faults();
            mount.set_lying_flush(false);
        })),
        ["slow", factor] => {
            let factor: f64 = factor.parse().ok().filter(|factor| (0.001..=1e6).contains(factor))?;
            Some(Box::new(move |mount| mount.drive().slow_down(factor)))
        }
        ["stall", seconds] => {
            let seconds: f64 = seconds.parse().ok().filter(|seconds| (0.0..=3600.0).contains(seconds))?;
            Some(Box::new(move |mount| mount.drive().stall_for(Duration::from_secs_f64(seconds))))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_orders_that_make_sense_are_taken() {
        for order in ["full", "lie", "heal", "read-error", "slow 2.5", "stall 0.1"] {
            assert!(fault(&order.split(' ').collect::<Vec<_>>()).is_some(), "{order}");
        }
        for order in
            ["", "slow", "slow x", "slow 0", "slow inf", "stall -1", "stall 1e9", "empty", "full now"]
        {
            assert!(fault(&order.split(' ').collect::<Vec<_>>()).is_none(), "{order}");
        }
    }
}
