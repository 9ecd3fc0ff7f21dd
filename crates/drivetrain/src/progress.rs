//! Progress on stderr: one live line on a terminal, plain lines every ten seconds elsewhere.

mod counting;
mod line;
mod live;

use std::sync::Mutex;
use std::time::Duration;

use ground::{Clock, Stopwatch};
use lab::{Event, Interrupt, Live, Observer};
use words::PhaseName;

pub(crate) use counting::Counting;
pub(crate) use line::Line;
pub(crate) use live::LiveLine;

use crate::console::Console;
use crate::printable::{counted, in_one_line};

/// Time between plain lines where no terminal can redraw.
pub(crate) const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// A cell whose planned time is over is not yet done.
const CELL_SHARE_MOST: f64 = 0.99;

/// Draws the events of a run.
pub(crate) struct Progress {
    console: Console,
    live: Option<LiveLine>,
    interrupt: Interrupt,
    /// Words after the estimate at the start, about the time that it leaves out.
    besides: &'static str,
    state: Mutex<State>,
}

struct State {
    started: Stopwatch,
    /// The finished cells and their time, for the estimate of what is left.
    done: usize,
    cells_took: Duration,
    left: usize,
    expected: Duration,
    /// The running cell, once one has begun.
    cell: Option<Cell>,
    phase: Option<PhaseName>,
    /// The data that is loaded, and the share that is done.
    loading: Option<(String, f64)>,
    rate: String,
    p99: String,
    last_plain: Stopwatch,
}

/// The cell that runs.
struct Cell {
    what: String,
    started: Stopwatch,
    expected: Duration,
}

impl Progress {
    pub(crate) fn new(console: Console, interrupt: &Interrupt) -> Self {
        let now = Clock::Wall.stopwatch();
        let state = State {
            started: now.clone(),
            done: 0,
            cells_took: Duration::ZERO,
            left: 0,
            expected: Duration::ZERO,
            cell: None,
            phase: None,
            loading: None,
            rate: String::new(),
            p99: String::new(),
            last_plain: now,
        };
        let (live, interrupt) = (LiveLine::begin(console), interrupt.clone());
        Self { console, live, interrupt, besides: "", state: Mutex::new(state) }
    }

    /// The same, with words about what the estimate at the start leaves out.
    pub(crate) fn besides(self, besides: &'static str) -> Self {
        Self { besides, ..self }
    }

    /// Says where the run is, on the live line at once, in a plain line when it is time for one.
    fn tell(&self, state: &mut State, plain: impl FnOnce(&State) -> String) {
        match &self.live {
            Some(live) => live.show(&state.line(self.interrupt.ends_after_cell())),
            None if state.last_plain.elapsed() >= PLAIN_EVERY => {
                state.last_plain = Clock::Wall.stopwatch();
                self.console.note(&plain(state));
            }
            None => {}
        }
    }

    /// Redraws the live line; elsewhere nothing is said.
    fn redraw(&self, state: &State) {
        if let Some(live) = &self.live {
            live.show(&state.line(self.interrupt.ends_after_cell()));
        }
    }
}

impl State {
    /// Time left, by the finished cells once there are any, by the plan before.
    fn remaining(&self) -> Duration {
        let in_cell = self.cell.as_ref().map_or(Duration::ZERO, |cell| cell.started.elapsed());
        match self.done {
            0 => self.expected.saturating_sub(self.started.elapsed()),
            done => {
                let each = self.cells_took / done as u32;
                (each * self.left as u32).saturating_sub(in_cell.min(each))
            }
        }
    }

    /// Share of the cells that is done, the running one by its time.
    fn share(&self) -> f64 {
        if let Some((_, share)) = &self.loading {
            return *share;
        }
        let of_cell = |cell: &Cell| {
            let share = cell.started.elapsed().as_secs_f64() / cell.expected.as_secs_f64().max(1e-3);
            share.min(CELL_SHARE_MOST)
        };
        let done = self.done as f64 + self.cell.as_ref().map_or(0.0, of_cell);
        done / ((self.done + self.left).max(1) as f64)
    }

    fn place(&self) -> String {
        let total = self.done + self.left;
        format!("cell {} of {total}", (self.done + 1).min(total))
    }

    fn what(&self) -> &str {
        self.cell.as_ref().map_or("", |cell| &cell.what)
    }

    fn phase(&self) -> &'static str {
        self.phase.map_or("", PhaseName::name)
    }

    fn line(&self, is_stopping: bool) -> Line {
        let phase = match (is_stopping, &self.loading) {
            (true, _) => "stopping".to_owned(),
            (false, Some((what, share))) => format!("loading {}  {:.0} %", in_one_line(what), share * 1e2),
            (false, None) => self.phase().to_owned(),
        };
        Line {
            share: self.share(),
            place: if self.cell.is_some() { self.place() } else { String::new() },
            what: in_one_line(self.what()),
            phase,
            rate: self.rate.clone(),
            p99: self.p99.clone(),
            left: format!("{} left", clock(self.remaining())),
        }
    }

    fn head(&self) -> String {
        format!("{}  {}  {}", self.place(), in_one_line(self.what()), self.phase())
    }

    fn times(&self) -> String {
        format!("elapsed {}, about {} left", clock(self.started.elapsed()), clock(self.remaining()))
    }

    /// A plain line, with the figures of the load where there are any.
    fn plain(&self) -> String {
        let figures: Vec<&str> =
            [&self.rate, &self.p99].into_iter().filter(|f| !f.is_empty()).map(String::as_str).collect();
        let figures = if figures.is_empty() { String::new() } else { format!("{}  ", figures.join(", ")) };
        format!("{}  {figures}{}", self.head(), self.times())
    }

    fn begin_cell(&mut self, what: String, expected: Duration) {
        self.cell = Some(Cell { what, started: Clock::Wall.stopwatch(), expected });
        (self.phase, self.loading) = (None, None);
        self.rate.clear();
        self.p99.clear();
    }

    fn end_cell(&mut self) {
        let took = self.cell.take().map_or(Duration::ZERO, |cell| cell.started.elapsed());
        self.cells_took += took;
        self.done += 1;
        self.left = self.left.saturating_sub(1);
    }
}

impl Observer for Progress {
    fn event(&self, event: Event) {
        let Ok(mut guard) = self.state.lock() else { return };
        let state = &mut *guard;
        match event {
            Event::Started { left, total, expected } => {
                (state.left, state.expected, state.started) = (left, expected, Clock::Wall.stopwatch());
                self.console.note(&format!(
                    "{left} of {} to do, about {}{}",
                    counted(total, "cell"),
                    clock(expected),
                    self.besides
                ));
            }
            Event::Loading { what, share } => {
                let plain = format!("loading {}  {:.0} %", in_one_line(&what), share * 1e2);
                state.loading = Some((what, share));
                self.tell(state, |_| plain);
            }
            Event::Did { what } => {
                // The pace of the cells is what counts from here.
                (state.started, state.loading) = (Clock::Wall.stopwatch(), None);
                self.console.note(&what);
            }
            Event::CellStarted { what, expected, .. } => state.begin_cell(what, expected),
            Event::Phase { name } => {
                state.phase = Some(name);
                self.tell(state, |state| format!("{}  {}", state.head(), state.times()));
            }
            Event::Live(Live { rate_per_s, unit, ranks, p99_ns, .. }) => {
                state.rate = format!("{rate_per_s:.0} {unit}{}", of_ranks(ranks));
                state.p99 = p99_ns.map(|ns| format!("p99 {:.1} ms", ns as f64 / 1e6)).unwrap_or_default();
                self.tell(state, State::plain);
            }
            Event::Second(_) => self.redraw(state),
            Event::CellDone { number, total, what, result, valid } => {
                state.end_cell();
                let mark = if valid { "" } else { "INVALID " };
                let width = total.to_string().len();
                self.console
                    .note(&format!("[{number:>width$}/{total}] {what}: {mark}{}", in_one_line(&result)));
            }
            Event::Warning { text } => self.console.note(&format!("warning: {}", in_one_line(&text))),
        }
    }
}

/// Whose rate it is: of so many ranks, or of a part of them while others are still silent.
fn of_ranks(ranks: Option<(u32, u32)>) -> String {
    match ranks {
        None => String::new(),
        Some((known, all)) if known == all => format!(" of {}", counted(all as usize, "rank")),
        Some((known, all)) => format!(" of {known} of {}", counted(all as usize, "rank")),
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
    fn the_time_left_shrinks_while_a_cell_runs() {
        let progress =
            Progress::new(Console::new(false, true, crate::console::Color::Never), &Interrupt::new());
        let expected = Duration::from_secs(100);
        let cell = |number| Event::CellStarted { number, total: 4, what: "a\nb".to_owned(), expected };
        let [result, what] = [const { String::new() }; 2];
        progress.event(Event::Started { left: 4, total: 4, expected: 4 * expected });
        progress.event(cell(1));
        let state = || progress.state.lock().unwrap();
        assert!(state().remaining() > Duration::from_secs(390), "by the plan");
        progress.event(Event::CellDone { number: 1, total: 4, what, result, valid: true });
        state().cells_took = Duration::from_secs(20);
        assert_eq!(state().remaining(), Duration::from_secs(60), "by the cell that is done");
        progress.event(cell(2));
        let at_first = state().remaining();
        Clock::Wall.sleep(Duration::from_millis(20));
        assert!(state().remaining() < at_first && at_first < Duration::from_secs(60));
        assert!((0.25..0.26).contains(&state().share()), "{}", state().share());
        assert_eq!(state().line(false).what, "a\\nb", "a name is one line");
        assert_eq!(state().line(true).phase, "stopping");
    }

    #[test]
    fn a_rate_says_of_how_many_ranks_it_is() {
        let told = [None, Some((1, 1)), Some((4, 4)), Some((3, 4))].map(of_ranks);
        assert_eq!(told, ["", " of 1 rank", " of 4 ranks", " of 3 of 4 ranks"]);
    }

    #[test]
    fn times_read_as_a_clock() {
        assert_eq!(clock(Duration::from_secs(63)), "1:03");
        assert_eq!(clock(Duration::from_secs(3600 + 62)), "1:01:02");
    }
}
