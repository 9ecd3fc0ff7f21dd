//! Questions to whoever sits at the terminal, before something is gone.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

/// True if somebody can be asked.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal()
}

/// Asks on the terminal. Anything but `y` or `yes` means no.
///
/// # Errors
/// When the terminal cannot be written or read.
pub(crate) fn is_confirmed(question: &str) -> std::io::Result<bool> {
    let mut stderr = std::io::stderr();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
