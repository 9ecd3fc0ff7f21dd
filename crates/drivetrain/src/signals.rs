//! Signals that ask the process to end reach its work as requests to stop, so that everything is put back in
//! order.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use lab::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::console::Console;
use crate::exit::Exit;

/// The request of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// The phase ends and the measurements are kept; the second time the run ends now, the third time at
    /// once.
    End,
    /// The same, however often it comes: a terminal that closes says so through the kernel and through the
    /// shell.
    EndOnce,
    /// The end, without the rest of the phase.
    EndNow,
    /// Nothing: the call that caused it fails with an error of its own.
    Nothing,
}

/// The consequences of requests to end, as they are told at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending {
    first: &'static str,
    second: &'static str,
}

/// Cells of an experiment.
pub(crate) const OF_CELLS: Ending = Ending {
    first: "stopping: this phase ends and what was measured is kept; Ctrl-C again ends at once",
    second: "stopping at once: the phase is cut short, then servers, mounts and limits are put back in order; Ctrl-C again kills",
};
/// One load or replay.
pub(crate) const OF_A_LOAD: Ending = Ending {
    first: "stopping: the load ends and what was measured is kept; Ctrl-C twice more kills",
    second: "still stopping: I/Os under way are awaited; Ctrl-C again kills",
};
/// An observation of somebody else's load.
pub(crate) const OF_A_LOOK: Ending = Ending {
    first: "stopping: what was seen is kept; Ctrl-C twice more kills",
    second: "still stopping: an answer is awaited; Ctrl-C again kills",
};
/// Anything else that goes on until it is ended.
pub(crate) const OF_OTHERS: Ending =
    Ending { first: "stopping; Ctrl-C twice more kills", second: "still stopping; Ctrl-C again kills" };

/// The handled signals. Any other kills: the next command then tidies up.
const HEARD: [(i32, Asks); 6] = [
    (SIGINT, Asks::End),
    (SIGTERM, Asks::End),
    (SIGHUP, Asks::EndOnce),
    (SIGXCPU, Asks::EndOnce),
    (SIGQUIT, Asks::EndNow),
    // A file size limit acts as a full disk on the writer.
    (SIGXFSZ, Asks::Nothing),
];

/// The interrupt of this process, once it listens.
static LISTENS: OnceLock<Interrupt> = OnceLock::new();

/// Becomes true with the first request to stop. It never does while nobody listens: a signal then ends the
/// process itself.
pub(crate) fn flag() -> Arc<AtomicBool> {
    LISTENS.get().map(Interrupt::flag).unwrap_or_default()
}

/// Counts signals into an [`Interrupt`] for the rest of the process; a third request ends the process at
/// once. SIGHUP stays ignored if the parent process (nohup) ignores it.
///
/// # Errors
/// When the handlers cannot be installed.
pub(crate) fn listen(console: Console, ending: Ending) -> std::io::Result<Interrupt> {
    let interrupt = LISTENS.get_or_init(Interrupt::new).clone();
    let counted = interrupt.clone();
    let ignored = ignored_at_start();
    let heard = HEARD.iter().map(|(signal, _)| *signal);
    let mut signals = Signals::new(heard.filter(|&signal| signal != SIGHUP || !is_among(ignored, signal)))?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            obey(asks(signal), &counted, (console, ending));
        }
    });
    Ok(interrupt)
}

fn asks(signal: i32) -> Asks {
    HEARD.iter().find(|(heard, _)| *heard == signal).map_or(Asks::Nothing, |(_, asks)| *asks)
}

fn obey(asks: Asks, interrupt: &Interrupt, (console, ending): (Console, Ending)) {
    let was_asked = interrupt.requested();
    if asks == Asks::Nothing || (asks == Asks::EndOnce && was_asked) {
        return;
    }
    if interrupt.at_once() {
        std::process::exit(Exit::Interrupted as i32);
    }
    interrupt.request();
    if asks == Asks::EndNow && !was_asked {
        interrupt.request();
    }
    console.reply(if interrupt.at_once() { ending.second } else { ending.first });
}

/// The signals that the process ignored from its start, one bit each; `proc_pid_status(5)`.
fn ignored_at_start() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let digits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    digits.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or(0)
}

fn is_among(set: u64, signal: i32) -> bool {
    set >> (signal - 1) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(signals: &[i32]) -> (bool, bool) {
        let (interrupt, console) =
            (Interrupt::new(), Console::new(false, true, crate::console::Color::Never));
        signals.iter().for_each(|signal| obey(asks(*signal), &interrupt, (console, OF_CELLS)));
        (interrupt.requested(), interrupt.at_once())
    }

    #[test]
    fn requests_grow_from_the_phase_to_now() {
        assert_eq!(after(&[SIGXFSZ]), (false, false));
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGXCPU] {
            assert_eq!(after(&[signal]), (true, false));
            assert_eq!(after(&[signal, SIGINT]), (true, true));
        }
        assert_eq!(after(&[SIGQUIT]), (true, true));
        assert_eq!(after(&[SIGTERM, SIGQUIT]), (true, true));
    }

    #[test]
    fn a_closed_terminal_asks_once() {
        assert_eq!(after(&[SIGHUP, SIGHUP, SIGXCPU]), (true, false));
        assert_eq!(after(&[SIGINT, SIGHUP]), (true, false));
    }

    #[test]
    fn the_set_of_ignored_signals_is_read() {
        assert!(is_among(0x1001, SIGHUP) && !is_among(0x1000, SIGHUP));
        // The standard library ignores it for every program.
        assert!(is_among(ignored_at_start(), signal_hook::consts::SIGPIPE));
    }
}
