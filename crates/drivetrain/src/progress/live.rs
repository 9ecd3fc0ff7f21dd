//! The line at the bottom of a terminal that is drawn anew.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::line::Line;
use crate::console::Console;

/// The width where the terminal does not tell its own.
const WIDTH: usize = 80;
/// Columns that stay free: the terminal writes `^C` there.
const FREE: usize = 3;

/// A live line. It goes away with its value.
pub(crate) struct LiveLine {
    bar: ProgressBar,
}

impl LiveLine {
    /// The live line of this process; `None` where nothing can be drawn anew, or is not wanted. What else the
    /// console says appears above it.
    pub(crate) fn begin(console: Console) -> Option<Self> {
        if !std::io::stderr().is_terminal() || console.quiet() {
            return None;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar()));
        Console::set_live(Some(bar.clone()));
        Some(Self { bar })
    }

    /// Draws the line as wide as the terminal is now.
    pub(crate) fn show(&self, line: &Line) {
        let size = terminal_size::terminal_size_of(std::io::stderr());
        let width = size.map_or(WIDTH, |(width, _)| usize::from(width.0));
        self.bar.set_message(line.fit(width.saturating_sub(FREE)));
        self.bar.tick();
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        Console::set_live(None);
        self.bar.finish_and_clear();
    }
}
