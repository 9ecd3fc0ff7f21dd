//! The plan of a run as cells in their order: a row for each bed, on a narrow page a row for each repeat, so
//! that the interleaving of the beds is seen.

use super::Width;
use crate::number;
use crate::svg::{Anchor, BedMark, Canvas, Drawing, width};
use notebook::{Cell, CellState};
use words::say;

/// Height of a bed's row, and of a cell.
const ROW: f64 = 26.0;
const CELL: f64 = 18.0;
/// Room above the rows for the numbers of the repeats.
const TOP: f64 = 22.0;
/// Room left of the rows for the names of the beds.
const NAMES: f64 = 200.0;
/// A cell wider than this holds its level.
const NUMBERED_FROM: f64 = 12.0;
/// The distance of two cells of a small plan.
const STEP_MOST: f64 = 40.0;
/// With more cells than this they are small on a narrow page.
const SMALL_FROM: usize = 400;

/// The beds, the cells in the order of the plan, and the number of the running one.
pub(crate) struct Plan<'a> {
    pub(crate) beds: &'a [(BedMark, String)],
    pub(crate) cells: &'a [Cell],
    /// The level of a cell, in words.
    pub(crate) said: &'a dyn Fn(&Cell) -> String,
    pub(crate) now: Option<u32>,
}

impl Plan<'_> {
    /// The place of a cell's bed among the beds.
    fn bed(&self, cell: &Cell) -> usize {
        self.beds.iter().position(|(_, name)| *name == cell.bed).unwrap_or(0)
    }

    fn mark(&self, cell: &Cell) -> BedMark {
        self.beds.get(self.bed(cell)).map(|(mark, _)| mark.clone()).unwrap_or_default()
    }

    fn is_now(&self, cell: &Cell) -> bool {
        self.now == Some(cell.position + 1)
    }

    /// `42 done · 1 running · 29 left`, with the invalid ones where there are some.
    fn counts(&self) -> String {
        let ended = |state: CellState| {
            self.cells.iter().filter(|cell| !self.is_now(cell) && cell.state == state).count()
        };
        let running = self.cells.iter().filter(|cell| self.is_now(cell)).count();
        let [done, invalid] = [CellState::Done, CellState::Invalid].map(ended);
        let left = self.cells.len() - done - invalid - running;
        let [done, invalid, running, left] = [done, invalid, running, left].map(|count| count.to_string());
        match invalid.as_str() {
            "0" => say!("live-counts", done, running, left),
            _ => say!("live-counts-invalid", done, invalid, running, left),
        }
    }
}

/// Draws the plan at one width.
pub(crate) fn draw(plan: &Plan<'_>, at: Width) -> Drawing {
    let mut canvas = Canvas::new();
    let height = match at {
        Width::Narrow | Width::Half => wrapped(&mut canvas, plan, at),
        Width::Full | Width::Lead | Width::Middle => rows(&mut canvas, plan, at),
    };
    let id = format!("plan-{}", at.class());
    canvas.finish(&id, at.class(), (at.units(), height), say!("live-plan"), &plan.counts())
}

/// One cell: full when done, crossed when it does not count.
fn draw_cell(canvas: &mut Canvas, plan: &Plan<'_>, cell: &Cell, (x, y): (f64, f64), size: f64) {
    let mark = plan.mark(cell);
    let state = if plan.is_now(cell) { CellState::Running } else { cell.state };
    let hint = say!(
        "course-cell",
        number = (cell.position + 1).to_string(),
        bed = mark.name,
        level = (plan.said)(cell),
        repeat = (cell.repeat + 1).to_string(),
        state = words::Spoken::spoken(state)
    );
    let reason = cell.reasons.to_string();
    let hint = if reason.is_empty() { hint } else { format!("{hint}: {reason}") };
    let class = format!("k-cell k-{} {} n{}", state.name(), mark.class(), cell.position + 1);
    canvas.rect(&class, (x, y), (size, CELL), &hint);
    if size > NUMBERED_FROM {
        let class = if state == CellState::Done { "k-level-in" } else { "k-level" };
        let level = width::fit(&number::short_tick(cell.level), 10.5, false, size + 2.0);
        let place = (x + size / 2.0, y + 13.0);
        canvas.text(&format!("{class} {}", mark.class()), place, Anchor::Middle, &level);
    }
    if state == CellState::Invalid {
        canvas.line(&format!("k-crossed {}", mark.class()), (x, y + CELL), (x + size, y));
    }
}

/// A row for each bed; gives the height.
fn rows(canvas: &mut Canvas, plan: &Plan<'_>, at: Width) -> f64 {
    let left = plan.beds.iter().map(|(mark, _)| width::of(&mark.name, 13.0, true) + 34.0);
    let left = left.fold(60.0, f64::max).min(NAMES);
    let step = ((at.units() - left) / plan.cells.len().max(1) as f64).min(STEP_MOST);
    let size = (step - 1.0).clamp(2.0, CELL);
    let below = TOP + plan.beds.len() as f64 * ROW;
    for (row, (mark, _)) in plan.beds.iter().enumerate() {
        let y = TOP + row as f64 * ROW;
        canvas.marker(mark, (6.0, y + 9.0), 4.8, None);
        let name = mark.fit(13.0, left - 24.0);
        canvas.text(&format!("end {}", mark.class()), (18.0, y + 13.5), Anchor::Start, &name);
    }
    let (mut repeat, mut told_to) = (None, f64::NEG_INFINITY);
    for (index, cell) in plan.cells.iter().enumerate() {
        let x = left + index as f64 * step;
        if repeat != Some(cell.repeat) {
            repeat = Some(cell.repeat);
            canvas.line("grid", (x - 1.0, 16.0), (x - 1.0, below));
            let text = say!("course-repeat", repeat = (cell.repeat + 1).to_string());
            // Repeats of few cells lie closer than their names are long.
            if x > told_to {
                canvas.text("tick", (x + 1.0, 11.0), Anchor::Start, &text);
                told_to = x + width::of(&text, 12.0, false) + 8.0;
            }
        }
        let y = TOP + plan.bed(cell) as f64 * ROW;
        draw_cell(canvas, plan, cell, (x, y), size);
        if plan.is_now(cell) {
            let middle = x + size / 2.0;
            canvas.line("tickmark", (middle, below - 4.0), (middle, below + 6.0));
        }
    }
    let right = left + step * plan.cells.len() as f64;
    let counts = plan.counts();
    let room = width::of(&counts, 12.0, false);
    canvas.text("tick", (right.max(left + room), below + 20.0), Anchor::End, &counts);
    below + 28.0
}

/// The cells one after another, a block for each repeat; gives the height.
fn wrapped(canvas: &mut Canvas, plan: &Plan<'_>, at: Width) -> f64 {
    for (row, (mark, _)) in plan.beds.iter().enumerate() {
        let y = row as f64 * 20.0;
        canvas.marker(mark, (6.0, y + 9.0), 4.8, None);
        let name = mark.fit(13.0, at.units() - 20.0);
        canvas.text(&format!("end {}", mark.class()), (18.0, y + 13.5), Anchor::Start, &name);
    }
    let size = if plan.cells.len() > SMALL_FROM { 8.0 } else { CELL };
    let (mut x, mut y, mut repeat) = (0.0, plan.beds.len() as f64 * 20.0 - CELL, None);
    for cell in plan.cells {
        if repeat != Some(cell.repeat) {
            repeat = Some(cell.repeat);
            (x, y) = (0.0, y + 48.0);
            let text = say!("course-repeat", repeat = (cell.repeat + 1).to_string());
            canvas.text("tick", (0.0, y - 6.0), Anchor::Start, &text);
        } else if x + size > at.units() {
            (x, y) = (0.0, y + 22.0);
        }
        draw_cell(canvas, plan, cell, (x, y), size);
        x += size + 3.0;
    }
    canvas.text("tick", (0.0, y + 40.0), Anchor::Start, &plan.counts());
    y + 48.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_cells_are_counted_apart_from_the_done_ones() {
        let cell = |(position, state): (usize, CellState)| Cell {
            id: notebook::CellId(position as i64),
            plan: notebook::PlannedCell { position: position as u32, ..Default::default() },
            attempt: 1,
            state,
            reasons: Default::default(),
            limiter: None,
            limiter_figures: None,
            started_at: None,
            ended_at: None,
        };
        let counts = |states: &[CellState], now: Option<u32>| {
            let cells: Vec<Cell> = states.iter().copied().enumerate().map(cell).collect();
            Plan { beds: &[], cells: &cells, said: &|_| String::new(), now }.counts()
        };
        use CellState::{Done, Invalid, Planned, Running};
        assert_eq!(counts(&[Done, Done, Running, Planned], Some(3)), "2 done · 1 running · 1 left");
        let invalid = counts(&[Invalid, Done, Invalid, Done], None);
        assert_eq!(invalid, "2 done · 2 invalid · 0 running · 0 left");
    }
}
