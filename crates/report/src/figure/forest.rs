//! Ratios with their intervals, one row each, against the line of "no difference" and the zone that is too
//! small to matter.

use super::{BedMark, Caption, Figure, Width};
use crate::svg::scale::{Scale, Spread, log_ticks, thin};
use crate::svg::{Anchor, Canvas, Drawing, width};
use crate::table::Table;
use words::say;

/// Room between the words at the two sides of an axis.
const SIDES_GAP: f64 = 12.0;

/// One ratio.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) bed: BedMark,
    /// The subject of the row: `8 virtual users`.
    pub(crate) what: String,
    pub(crate) value: f64,
    /// Ends of the 95 % interval, where there is one.
    pub(crate) interval: Option<(f64, f64)>,
    /// `1.86x`.
    pub(crate) shown: String,
    /// `better`, or `published`.
    pub(crate) word: String,
    /// A number printed elsewhere is drawn hollow.
    pub(crate) hollow: bool,
}

/// The words and zones of a forest.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    /// Ratios between these are too small to matter; no zone when they are equal.
    pub(crate) zone: (f64, f64),
    /// Above the column of levels: `users`.
    pub(crate) heading: String,
    /// Written at the left and right end of the axis: `worse`, `better`.
    pub(crate) sides: (String, String),
}

/// Room for the word of a row: the longest verdict of all languages has it.
const WORD_MOST: f64 = 200.0;

/// Size of the arrow at the end of a whisker that goes on.
const ARROW: f64 = 3.5;

/// With more rows than this those of a narrow forest are closer together.
const ROWS_MOST: usize = 8;

/// Between rows of different levels.
const GROUP_GAP: f64 = 9.0;

/// A figure that shares a row; `table` is behind it.
pub(crate) fn figure(caption: Caption, ground: &Ground, rows: &[Row], table: Table) -> Figure {
    let drawings = Width::SHARED.into_iter().map(|at| draw(&caption, ground, rows, at)).collect();
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide: false }
}

/// The same as the first figure of a page, beside the tiles.
pub(crate) fn lead(caption: Caption, ground: &Ground, rows: &[Row], table: Table) -> Figure {
    let drawings = Width::LEAD.into_iter().map(|at| draw(&caption, ground, rows, at)).collect();
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide: false }
}

/// The places of a forest's columns and rows. On a narrow screen each row has its texts above its whisker, so
/// that the plot keeps the whole width.
struct Layout {
    /// The start of the bed names, after the column of levels.
    names: f64,
    /// Room for a name.
    name_width: f64,
    left: f64,
    right: f64,
    /// The end of the ratios and the start of the words.
    value_end: f64,
    /// Height of a row, and how far below its texts its whisker lies.
    row: f64,
    drop: f64,
    top: f64,
    bottom: f64,
    font: f64,
}

impl Layout {
    fn new(at: Width, rows: &[Row], heading: &str) -> Layout {
        let font = at.font();
        let widest = |text: fn(&Row) -> &str, size: f64, bold: bool, most: f64| {
            rows.iter().map(|row| width::of(text(row), size, bold)).fold(0.0, f64::max).min(most)
        };
        // Beside the tiles a row may say which load of which workload it is.
        let most = if at == Width::Lead { 190.0 } else { 90.0 };
        let names =
            widest(|row| &row.what, font, false, most).max(width::of(heading, font, false).min(52.0)) + 10.0;
        let name = widest(|row| &row.bed.name, font + 0.9, true, 140.0);
        let value = widest(|row| &row.shown, font + 0.9, true, 70.0) + 8.0;
        let word = widest(|row| &row.word, font, false, WORD_MOST) + 8.0;
        let groups = rows.windows(2).filter(|pair| pair[0].what != pair[1].what).count() as f64;
        let top = 30.0;
        let value_end = at.units() - word;
        let narrow = at == Width::Narrow;
        let is_long = rows.len() > ROWS_MOST;
        let (row, drop) = match (narrow, is_long) {
            (true, false) => (36.0, 16.0),
            (true, true) => (28.0, 13.0),
            _ => (23.0, 0.0),
        };
        Layout {
            names,
            name_width: if narrow { value_end - value - names } else { name + 2.0 },
            left: if narrow { names } else { names + name + 14.0 },
            right: if narrow { at.units() - 18.0 } else { value_end - value },
            value_end,
            row,
            drop,
            top,
            bottom: top + row * rows.len() as f64 + GROUP_GAP * groups,
            font,
        }
    }
}

impl Layout {
    /// The places of each row's texts; rows of different levels are a little further apart.
    fn row_places(&self, rows: &[Row]) -> Vec<f64> {
        let mut y = self.top + 11.5;
        let mut places = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                y += self.row + if rows[index - 1].what == row.what { 0.0 } else { GROUP_GAP };
            }
            places.push(y);
        }
        places
    }

    /// The stretches of paper that belong to the plot: all of it, or on a narrow screen what the texts leave.
    fn stretches(&self, ys: &[f64]) -> Vec<(f64, f64)> {
        if self.drop == 0.0 {
            return vec![(self.top, self.bottom)];
        }
        let half = self.drop / 2.0;
        ys.iter().map(|y| (y + self.drop - half, y + self.drop + half)).collect()
    }
}

fn draw(caption: &Caption, ground: &Ground, rows: &[Row], at: Width) -> Drawing {
    let layout = Layout::new(at, rows, &ground.heading);
    let height = layout.bottom + 40.0;
    let ticks = ratio_ticks(rows);
    let ends = (ticks[0], ticks[ticks.len() - 1]);
    let x = Scale::new(Spread::Log, ends, (layout.left, layout.right));
    let mut canvas = Canvas::new();
    let ys = layout.row_places(rows);
    draw_axis(&mut canvas, &layout, ground, &ticks, &x, &ys);
    canvas.text("axis", (0.0, 12.0), Anchor::Start, &ground.heading);
    let middle = (layout.left + layout.right) / 2.0;
    let sides = [&ground.sides.0, &ground.sides.1].map(|side| width::of(side, layout.font, false));
    // On a short axis the words stand back to back and reach beyond its ends.
    let (left, right) = match sides.iter().sum::<f64>() + SIDES_GAP > layout.right - layout.left {
        true => ((middle - SIDES_GAP / 2.0, Anchor::End), (middle + SIDES_GAP / 2.0, Anchor::Start)),
        false => ((layout.left, Anchor::Start), (layout.right, Anchor::End)),
    };
    canvas.text("axis", (left.0, 12.0), left.1, &ground.sides.0);
    canvas.text("axis", (right.0, 12.0), right.1, &ground.sides.1);
    for (index, (row, y)) in rows.iter().zip(&ys).enumerate() {
        if index == 0 || rows[index - 1].what != row.what {
            let what = width::fit(&row.what, layout.font, false, layout.names);
            canvas.text("tick", (0.0, y + 4.0), Anchor::Start, &what);
        }
        draw_row(&mut canvas, &layout, &x, row, *y);
    }
    canvas.text("axis", (middle, height - 4.0), Anchor::Middle, say!("axis-ratio"));
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

fn draw_axis(canvas: &mut Canvas, layout: &Layout, ground: &Ground, ticks: &[f64], x: &Scale, ys: &[f64]) {
    let stretches = layout.stretches(ys);
    let (from, to) = (x.place(ground.zone.0), x.place(ground.zone.1));
    let hint = say!(
        "forest-zone",
        low = words::decimals(ground.zone.0, 2),
        high = words::decimals(ground.zone.1, 2)
    );
    for (top, bottom) in stretches.iter().filter(|_| ground.zone.0 < ground.zone.1) {
        canvas.rect("zone", (from, *top), (to - from, bottom - top), &hint);
    }
    let places: Vec<f64> = ticks.iter().map(|tick| x.place(*tick)).collect();
    let texts: Vec<String> = ticks.iter().map(|tick| format!("{tick}x")).collect();
    let widths: Vec<f64> = texts.iter().map(|text| width::of(text, layout.font, false)).collect();
    let mut shown = thin(&places, &widths, 6.0);
    // "No difference" is always labelled; what would touch it is not.
    if let Some(one) = ticks.iter().position(|tick| *tick == 1.0)
        && !shown[one]
    {
        for index in 0..shown.len() {
            let apart = (places[index] - places[one]).abs() > (widths[index] + widths[one]) / 2.0 + 6.0;
            shown[index] = index == one || (shown[index] && apart);
        }
    }
    for (index, place) in places.iter().enumerate() {
        let class = if ticks[index] == 1.0 { "one" } else { "grid" };
        for (top, bottom) in &stretches {
            canvas.line(class, (*place, *top), (*place, *bottom));
        }
        if shown[index] {
            canvas.text("tick", (*place, layout.bottom + 16.0), Anchor::Middle, &texts[index]);
        }
    }
}

fn draw_row(canvas: &mut Canvas, layout: &Layout, x: &Scale, row: &Row, y: f64) {
    let class = row.bed.class();
    let name = row.bed.fit(layout.font + 0.9, layout.name_width);
    canvas.text(&format!("end {class}"), (layout.names, y + 4.0), Anchor::Start, &name);
    canvas.text("value", (layout.value_end, y + 4.0), Anchor::End, &row.shown);
    let word = width::fit(&row.word, layout.font, false, WORD_MOST);
    canvas.text("endvalue", (layout.value_end + 8.0, y + 4.0), Anchor::Start, &word);
    let y = y + layout.drop;
    if let Some((low, high)) = row.interval {
        let ends = [x.place(low), x.place(high)];
        let whisker = format!("whisker {class}");
        canvas.line(&whisker, (ends[0], y), (ends[1], y));
        // Where the axis cuts the whisker an arrow says that it goes on.
        let arrows = x.cuts((low, high)).into_iter().zip(ends).zip([ARROW, -ARROW]);
        for ((_, end), back) in arrows.filter(|((is_cut, _), _)| *is_cut) {
            canvas.line(&whisker, (end, y), (end + back, y - ARROW));
            canvas.line(&whisker, (end, y), (end + back, y + ARROW));
        }
    }
    if row.hollow {
        canvas.hollow_marker((x.place(row.value), y), 4.6);
    } else {
        canvas.marker(&row.bed, (x.place(row.value), y), 4.6, None);
    }
}

/// Round ratios around all values and 1: 0.5, 0.7, 1, 1.5, 2 and so on.
fn ratio_ticks(rows: &[Row]) -> Vec<f64> {
    let usable = |value: &f64| value.is_finite() && *value > 0.0;
    let point = |row: &Row| row.value;
    let (mut low, mut high) = (0.95f64, 1.05f64);
    for value in rows.iter().map(point).filter(usable) {
        (low, high) = (low.min(value), high.max(value));
    }
    // An interval of two repeats may span decades; the axis follows it for a while and the whisker is cut at
    // the edge.
    let (least, most) = (low / 2.0, high * 2.0);
    let ends = rows.iter().filter_map(|row| row.interval).flat_map(|(a, b)| [a, b]);
    for value in ends.filter(usable) {
        (low, high) = (low.min(value.max(least)), high.max(value.min(most)));
    }
    let fine = [0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2];
    if low >= 0.8 && high <= 1.2 {
        return within(&fine, low, high);
    }
    let steps: Vec<f64> = (-6..=6)
        .flat_map(|decade| [1.0, 1.5, 2.0, 3.0, 5.0, 7.0].map(|step| step * 10f64.powi(decade)))
        .map(|value| (value * 1e9).round() / 1e9)
        .collect();
    let all = within(&steps, low, high);
    if all.len() <= 8 { all } else { log_ticks(low, high, 9) }
}

/// The steps from the last one below `low` to the first one above `high`.
fn within(steps: &[f64], low: f64, high: f64) -> Vec<f64> {
    let first = steps.iter().rposition(|step| *step <= low).unwrap_or(0);
    let last = steps.iter().position(|step| *step >= high).unwrap_or(steps.len() - 1);
    steps[first..=last].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: f64, interval: Option<(f64, f64)>) -> Row {
        let bed = BedMark { name: "nvme".to_owned(), ..BedMark::default() };
        let (shown, word) = (format!("{value:.2}x"), "better".to_owned());
        Row { bed, what: "8 users".to_owned(), value, interval, shown, word, hollow: false }
    }

    #[test]
    fn the_axis_always_holds_one_and_every_ratio() {
        for values in [vec![1.86, 2.4], vec![0.2, 7.0], vec![1.01], vec![0.001, 900.0], Vec::new()] {
            let rows: Vec<Row> =
                values.iter().map(|value| row(*value, Some((value * 0.9, value * 1.1)))).collect();
            let ticks = ratio_ticks(&rows);
            let inside = |value: f64| ticks[0] <= value && value <= ticks[ticks.len() - 1];
            assert!(ticks.contains(&1.0), "{ticks:?}");
            assert!(values.iter().all(|value| inside(*value)), "{ticks:?}");
            assert!(ticks.len() <= 16 && ticks.windows(2).all(|pair| pair[0] < pair[1]), "{ticks:?}");
        }
    }

    #[test]
    fn an_interval_without_end_is_cut_and_not_followed() {
        let rows: Vec<Row> = (0..9).map(|_| row(1.5, Some((1e-9, f64::INFINITY)))).collect();
        let ticks = ratio_ticks(&rows);
        assert!(ticks[0] >= 0.3 && ticks[ticks.len() - 1] <= 5.0, "however many there are: {ticks:?}");
        let caption = || Caption {
            id: "a".to_owned(),
            title: "b".to_owned(),
            reading: "c".to_owned(),
            description: "d".to_owned(),
        };
        let sides = ("lower".to_owned(), "higher".to_owned());
        let ground = Ground { zone: (0.9, 1.1), heading: "load".to_owned(), sides };
        let lines = |rows: &[Row]| {
            let svg = draw(&caption(), &ground, rows, Width::Lead).markup("");
            svg.matches("class=\"whisker").count()
        };
        assert_eq!(lines(&rows[..1]), 5, "an arrow of two lines at each end");
        assert_eq!(lines(&[row(1.5, Some((1.4, 1.6)))]), 1);
    }
}
