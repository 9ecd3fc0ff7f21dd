//! The work and the waits of a server's sessions at one moment, sorted into the classes that a limiter tells
//! apart. Each engine's room knows the class of its own wait events.

use std::collections::BTreeMap;

/// The activity of a session in a statement, or its wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitClass {
    /// It is on a processor, or waits for one.
    Running,
    /// It waits for the log to be written or flushed.
    Log,
    /// It waits for pages of the data files.
    Drive,
    /// It waits for a lock of another transaction.
    Lock,
    /// It waits for something else, such as a short latch of the server.
    Other,
}

/// Sessions in a statement, by class: of one sample, or the sum of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waits(BTreeMap<WaitClass, u64>);

impl Waits {
    /// Sessions of one class.
    #[must_use]
    pub fn of(&self, class: WaitClass) -> u64 {
        self.0.get(&class).copied().unwrap_or(0)
    }

    /// Sessions of all classes.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// Adds the sessions of another sample.
    pub fn add(&mut self, sample: &Waits) {
        for (class, sessions) in &sample.0 {
            *self.0.entry(*class).or_default() += sessions;
        }
    }
}

impl FromIterator<(WaitClass, u64)> for Waits {
    fn from_iter<T: IntoIterator<Item = (WaitClass, u64)>>(sessions: T) -> Self {
        let mut waits = Self::default();
        for (class, sessions) in sessions {
            *waits.0.entry(class).or_default() += sessions;
        }
        waits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_one_class_add_up() {
        let mut waits = Waits::from_iter([(WaitClass::Log, 2), (WaitClass::Running, 1), (WaitClass::Log, 3)]);
        waits.add(&Waits::from_iter([(WaitClass::Lock, 4)]));
        let of = [WaitClass::Running, WaitClass::Log, WaitClass::Drive, WaitClass::Lock].map(|c| waits.of(c));
        assert_eq!((of, waits.total()), ([1, 5, 0, 4], 10));
    }
}
