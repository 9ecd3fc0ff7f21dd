//! One process for ever: its number, its start, and the boot of the machine that both belong to.

use std::fs;

/// A process as the kernel tells it from every other one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    /// Clock ticks from boot to its start.
    pub(crate) started: u64,
    pub(crate) boot: String,
}

impl Process {
    /// This process.
    pub(crate) fn own() -> Self {
        let pid = std::process::id();
        Self { pid, started: started(pid).unwrap_or(0), boot: boot() }
    }

    /// From `PID START BOOT`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let process = Self {
            pid: words.next()?.parse().ok()?,
            started: words.next()?.parse().ok()?,
            boot: words.next()?.to_owned(),
        };
        words.next().is_none().then_some(process)
    }

    /// True if the process with that id is this one, and not a later one with the same id.
    pub(crate) fn is_alive(&self) -> bool {
        self.boot == boot() && started(self.pid) == Some(self.started)
    }
}

/// When process `pid` was started; `None` when there is none or only what remains of it until its parent
/// looks. The program's name stands in parentheses and may hold anything, so fields are counted from the last
/// one.
fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let is_gone = ["Z", "X"].contains(fields.first()?);
    if is_gone { None } else { fields.get(19)?.parse().ok() }
}

/// Changes with every boot of the machine.
fn boot() -> String {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id");
    text.map_or_else(|_| "unknown".to_owned(), |id| id.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_was_given_anew_is_another_process() {
        let own = Process::own();
        assert!(own.is_alive() && own.started > 0);
        assert!(!Process { started: own.started + 1, ..own.clone() }.is_alive());
        assert!(!Process { boot: "another".to_owned(), ..own.clone() }.is_alive());
        assert!(!Process { pid: u32::MAX, ..own }.is_alive());
    }

    #[test]
    fn a_process_that_nobody_has_waited_for_is_gone() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let begun = std::time::Instant::now();
        while started(child.id()).is_some() && begun.elapsed().as_secs() < 20 {
            std::thread::yield_now();
        }
        assert_eq!(started(child.id()), None);
        child.wait().unwrap();
    }
}
