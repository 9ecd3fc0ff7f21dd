//! The share of the processors that other programs took while a load without a database ran.

use ground::Clock;
use host::{Counters, Usage};

/// The counters of the machine at the beginning of a load.
#[derive(Debug)]
pub struct Bystanders(Option<Counters>);

impl Bystanders {
    /// Begins now. Nothing is known at the end where the machine's counters cannot be read, or in virtual
    /// time, in which no program waits for another.
    #[must_use]
    pub fn since_now(clock: &Clock) -> Bystanders {
        Bystanders((!clock.is_virtual()).then(Counters::read).and_then(Result::ok))
    }

    /// The share of all processor time since the beginning, 0 to 1, that was neither idle nor ours: the load,
    /// the kernel on its behalf and a modelled drive work in this process.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let first = self.0.as_ref()?;
        let last = Counters::read().ok()?;
        share_of(&last.since(first), last.cpu.cpus)
    }
}

fn share_of(usage: &Usage, processors: u32) -> Option<f64> {
    let all_ns = usage.elapsed_ns as f64 * f64::from(processors.max(1));
    let ours_ns = (usage.own.user_ns + usage.own.system_ns) as f64;
    // The counters of the machine go in steps of 10 ms, those of a process in finer ones.
    (all_ns > 0.0).then(|| (usage.cpu.busy() - ours_ns / all_ns).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_others_is_the_busy_time_without_our_own() {
        let mut usage = Usage { elapsed_ns: 1_000_000_000, ..Usage::default() };
        assert_eq!(share_of(&usage, 2), Some(0.0), "an idle machine");
        (usage.cpu.user, usage.cpu.system) = (0.5, 0.25);
        (usage.own.user_ns, usage.own.system_ns) = (400_000_000, 100_000_000);
        assert_eq!(share_of(&usage, 2), Some(0.5), "half a processor of two is ours");
        usage.own.user_ns = 1_900_000_000;
        assert_eq!(share_of(&usage, 2), Some(0.0), "steps of the counters are nobody's");
        assert_eq!(share_of(&Usage::default(), 2), None);
    }

    #[test]
    fn virtual_time_has_no_bystanders() {
        let clock = Clock::virtual_from(std::time::SystemTime::UNIX_EPOCH);
        assert_eq!(Bystanders::since_now(&clock).share(), None);
    }
}
