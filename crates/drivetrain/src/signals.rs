//! Ctrl-C and SIGTERM reach the run as requests to stop.

use lab::Interrupt;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::console::Console;

/// Counts signals into an [`Interrupt`] for the rest of the process; the third ends the process at once.
///
/// # Errors
/// When the handlers cannot be installed.
pub(crate) fn listen(console: Console) -> std::io::Result<Interrupt> {
    let interrupt = Interrupt::new();
    let counted = interrupt.clone();
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        for (number, _) in signals.forever().enumerate() {
            counted.request();
            match number {
                0 => console
                    .note("\nstopping: the phase ends, what was measured is kept (once more: stop now)"),
                1 => console.note("\nstopping now"),
                _ => std::process::exit(130),
            }
        }
    });
    Ok(interrupt)
}
