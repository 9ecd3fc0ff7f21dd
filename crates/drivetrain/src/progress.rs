//! Progress on stderr: one live line on a terminal, plain lines every ten seconds elsewhere.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;

use ground::{Clock, Stopwatch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::{Event, Observer};

use crate::console::Console;
use crate::printable::{in_one_line, printable};

/// Seconds between plain lines where no terminal can redraw.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// Draws the events of a run.
pub(crate) struct Progress {
    console: Console,
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

struct State {
    started: Stopwatch,
    /// Time that finished cells took, and how many they were, for the estimate of what is left.
    done: usize,
    left: usize,
    expected: Duration,
    what: String,
    phase: &'static str,
    last_plain: Stopwatch,
}

impl Progress {
    pub(crate) fn new(console: Console) -> Self {
        let bar = (std::io::stderr().is_terminal() && !console.quiet()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(
                ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar
        });
        let now = Clock::Wall.stopwatch();
        let state = State {
            started: now.clone(),
            done: 0,
            left: 0,
            expected: Duration::ZERO,
            what: String::new(),
            phase: "",
            last_plain: now,
        };
        Self { console, bar, state: Mutex::new(state) }
    }

    /// Takes the live line away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// A line that stays.
    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.console.note(text)),
            None => self.console.note(text),
        }
    }

    /// A line that changes.
    fn live(&self, state: &mut State, text: &str) {
        match &self.bar {
            Some(bar) => {
                bar.set_message(printable(text).into_owned());
                bar.tick();
            }
            None if state.last_plain.elapsed() >= PLAIN_EVERY => {
                state.last_plain = Clock::Wall.stopwatch();
                self.console.note(text);
            }
            None => {}
        }
    }
}

impl State {
    /// Time left, by the pace so far once a cell is done, by the plan before.
    fn remaining(&self) -> Duration {
        match self.done {
            0 => self.expected.saturating_sub(self.started.elapsed()),
            done => self.started.elapsed() / done as u32 * self.left as u32,
        }
    }

    fn head(&self) -> String {
        let total = self.done + self.left;
        let number = (self.done + 1).min(total);
        format!("cell {number} of {total}  {}  {}", self.what, self.phase)
    }

    fn times(&self) -> String {
        format!("elapsed {}, about {} left", clock(self.started.elapsed()), clock(self.remaining()))
    }
}

impl Observer for Progress {
    fn event(&self, event: Event) {
        let Ok(mut guard) = self.state.lock() else { return };
        let state = &mut *guard;
        match event {
            Event::Started { left, total, expected } => {
                (state.left, state.expected, state.started) = (left, expected, Clock::Wall.stopwatch());
                self.line(&format!("{left} of {total} cells to do, about {}", clock(expected)));
            }
            Event::Loading { what, share } => {
                let text = format!("loading {what}  {:.0} %", share * 1e2);
                self.live(state, &text);
            }
            Event::Did { what } => {
                // The pace of the cells is what counts from here.
                state.started = Clock::Wall.stopwatch();
                self.line(&what);
            }
            Event::CellStarted { what, .. } => (state.what, state.phase) = (what, ""),
            Event::Phase { name } => {
                state.phase = name;
                let text = format!("{}  {}", state.head(), state.times());
                self.live(state, &text);
            }
            Event::Live { rate_per_s, unit, p99_ns, .. } => {
                let p99 = p99_ns.map(|ns| format!(", p99 {:.1} ms", ns as f64 / 1e6)).unwrap_or_default();
                let text = format!("{}  {rate_per_s:.0} {unit}{p99}  {}", state.head(), state.times());
                self.live(state, &text);
            }
            Event::Second { .. } => {}
            Event::CellDone { number, total, what, result, valid } => {
                state.done += 1;
                state.left = state.left.saturating_sub(1);
                let mark = if valid { "" } else { "INVALID " };
                let width = total.to_string().len();
                self.line(&format!("[{number:>width$}/{total}] {what}: {mark}{}", in_one_line(&result)));
            }
            Event::Warning { text } => self.line(&format!("warning: {}", in_one_line(&text))),
        }
    }
}

/// "1:02:03" or "2:03".
pub(crate) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_a_clock() {
        assert_eq!(clock(Duration::from_secs(63)), "1:03");
        assert_eq!(clock(Duration::from_secs(3600 + 62)), "1:01:02");
    }
}
