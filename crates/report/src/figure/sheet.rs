//! A table as a figure: jobs and beds down, numbers across, under each number a bar that compares it with
//! its neighbours in the group.

use super::line::Point;
use super::{BedMark, Caption, Figure, Width};
use crate::svg::{Anchor, Canvas, Drawing, width};
use crate::table::Table;
use measure::Verdict;
use words::{Metric, say};

/// A column of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) text: String,
    /// Where there is no room, the column of the highest rank goes first; rank 0 always stays.
    pub(crate) rank: u8,
}

/// A number of a row; without a value it has no bar.
#[derive(Clone, Debug, Default)]
pub(crate) struct Number {
    pub(crate) text: String,
    pub(crate) value: Option<f64>,
}

impl Number {
    /// The mean of a metric over so many valid cells; see [`Point::shown_of`] for one that some of them lack.
    pub(crate) fn of(metric: Metric, point: Option<Point>, cells: usize) -> Number {
        let Some(point) = point else { return Number { text: "-".to_owned(), value: None } };
        match point.shown_of(metric, cells) {
            Some(text) => Number { text, value: Some(point.mean) },
            None => Number { text: say!("figure-too-few").to_owned(), value: None },
        }
    }
}

/// The ratio of a row to its baseline.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ratio {
    /// `9.03x`.
    pub(crate) value: String,
    /// `8.90x to 9.10x`, or why there is none.
    pub(crate) interval: String,
    /// Its verdict, where there is one.
    pub(crate) verdict: Option<Verdict>,
}

/// A row: a bed.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) bed: BedMark,
    pub(crate) numbers: Vec<Number>,
    pub(crate) ratio: Ratio,
    /// A word at the end of the row: what bounded it.
    pub(crate) word: String,
}

/// The rows that are compared with each other.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) title: String,
    /// `queue depth 128`.
    pub(crate) note: String,
    pub(crate) rows: Vec<Row>,
}

/// The whole table.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub(crate) heads: Vec<Head>,
    pub(crate) ratio_head: String,
    pub(crate) word_head: String,
    pub(crate) groups: Vec<Group>,
}

/// A figure for the first place of a page; `table` is behind it.
pub(crate) fn figure(caption: Caption, sheet: &Sheet, table: Table) -> Figure {
    let drawings = Width::ROW.into_iter().map(|at| draw(&caption, sheet, at)).collect();
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide: true }
}

/// The contents of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Number(usize),
    Ratio,
    Interval,
    Word,
}

/// A column on the paper.
#[derive(Clone, Debug)]
struct Column {
    what: What,
    rank: u8,
    width: f64,
    head: String,
    /// Its left and right end.
    span: (f64, f64),
}

/// Sizes of numbers and heads.
const FONT: f64 = 13.0;
const HEAD_FONT: f64 = 11.5;
/// The least between two columns, and the most that a bar is longer than its number.
const GAP: f64 = 10.0;
const BAR_MORE: f64 = 34.0;
/// Heights: of the heads, of a group's title, of a row, of a row with its title beside it, between groups.
const HEADS: f64 = 22.0;
const TITLE: f64 = 21.0;
const ROW: f64 = 25.0;
const TITLED_ROW: f64 = 35.0;
const BETWEEN: f64 = 7.0;

impl What {
    /// The text of a row in this column.
    fn text(self, row: &Row) -> &str {
        match self {
            What::Number(index) => row.numbers.get(index).map_or("", |number| &number.text),
            What::Ratio => &row.ratio.value,
            What::Interval => &row.ratio.interval,
            What::Word => &row.word,
        }
    }

    fn font(self) -> f64 {
        if self == What::Interval { HEAD_FONT } else { FONT }
    }
}

impl Sheet {
    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.groups.iter().flat_map(|group| &group.rows)
    }

    /// True if no group compares beds: then its title stands in the row.
    fn has_one_bed(&self) -> bool {
        self.groups.iter().all(|group| group.rows.len() < 2)
    }

    /// The columns that have room between `left` and `right`, spread over it.
    fn columns(&self, left: f64, right: f64) -> Vec<Column> {
        // Between the ranks of numbers there is one for the interval: a ratio without it says too much, so
        // that it stays longer than all numbers but the first.
        let numbers =
            self.heads.iter().enumerate().map(|(at, head)| (What::Number(at), head.rank * 2, &*head.text));
        let more = [
            (What::Ratio, 0, &*self.ratio_head),
            (What::Interval, 1, ""),
            (What::Word, 10, &*self.word_head),
        ];
        let column = |(what, rank, head): (What, u8, &str)| {
            let texts = self.rows().map(|row| width::of(what.text(row), what.font(), what == What::Ratio));
            let widest = texts.fold(0.0, f64::max);
            let is_used = widest > 0.0;
            let head_width = width::of(head, HEAD_FONT, false);
            let columns =
                Column { what, rank, width: widest.max(head_width), head: head.to_owned(), span: (0.0, 0.0) };
            is_used.then_some(columns)
        };
        let mut columns: Vec<Column> = numbers.chain(more).filter_map(column).collect();
        let taken = |columns: &[Column]| columns.iter().map(|one| one.width + one.gap()).sum::<f64>();
        while taken(&columns) > right - left {
            let Some(rank) = columns.iter().map(|one| one.rank).max().filter(|rank| *rank > 0) else { break };
            columns.retain(|one| one.rank != rank);
        }
        let numbers = columns.iter().filter(|one| matches!(one.what, What::Number(_))).count();
        let spare = ((right - left - taken(&columns)) / numbers.max(1) as f64).max(0.0);
        let mut x = left;
        for one in &mut columns {
            let more = if matches!(one.what, What::Number(_)) { spare } else { 0.0 };
            x += one.width + one.gap() + more;
            one.span = (x - one.width - more.min(BAR_MORE), x);
        }
        columns
    }
}

fn draw(caption: &Caption, sheet: &Sheet, at: Width) -> Drawing {
    let beside = sheet.has_one_bed() && at != Width::Narrow;
    let label = |group: &Group| match beside {
        true => width::of(&group.title, FONT, true).max(width::of(&group.note, HEAD_FONT, false)),
        false => group.rows.iter().map(|row| width::of(name(row, at), FONT, true) + 16.0).fold(0.0, f64::max),
    };
    let most = at.units() * if at == Width::Narrow { 0.34 } else { 0.3 };
    let hidden = sheet.has_one_bed() && !beside;
    let labels =
        if hidden { 0.0 } else { sheet.groups.iter().map(label).fold(0.0, f64::max).ceil().min(most) };
    let columns = sheet.columns(labels, at.units());
    let mut canvas = Canvas::new();
    for column in &columns {
        let (x, anchor) = column.anchored();
        canvas.text("axis", (x, 11.0), anchor, &column.head);
    }
    let mut y = HEADS;
    for group in &sheet.groups {
        canvas.line("k-rule", (0.0, y - 4.0), (at.units(), y - 4.0));
        if !beside {
            draw_title(&mut canvas, group, y, at);
            y += TITLE;
        }
        for row in &group.rows {
            if beside {
                canvas.text(
                    "k-panel",
                    (0.0, y + 12.0),
                    Anchor::Start,
                    &width::fit(&group.title, FONT, true, labels),
                );
                canvas.text("tick", (0.0, y + 27.0), Anchor::Start, &group.note);
            } else if !hidden {
                let text = width::fit(name(row, at), FONT, true, labels - 16.0);
                canvas.marker(&row.bed, (5.0, y + 9.0), 4.4, None);
                canvas.text(&format!("end {}", row.bed.class()), (16.0, y + 13.5), Anchor::Start, &text);
            }
            for column in &columns {
                draw_entry(&mut canvas, group, row, column, y);
            }
            y += if beside { TITLED_ROW } else { ROW };
        }
        y += BETWEEN;
    }
    canvas.line("k-rule", (0.0, y - 4.0), (at.units(), y - 4.0));
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), y), &caption.title, &caption.description)
}

/// The name of a bed where a column has room for it.
fn name(row: &Row, at: Width) -> &str {
    if at == Width::Narrow { &row.bed.short } else { &row.bed.name }
}

/// The name of a group and its note on a line of their own.
fn draw_title(canvas: &mut Canvas, group: &Group, y: f64, at: Width) {
    let title = width::fit(&group.title, FONT, true, at.units() * 0.7);
    canvas.text("k-panel", (0.0, y + 13.0), Anchor::Start, &title);
    let room = at.units() - width::of(&title, FONT, true) - 10.0;
    let note = width::fit(&group.note, HEAD_FONT, false, room);
    canvas.text("tick", (at.units() - room, y + 13.0), Anchor::Start, &note);
}

impl Column {
    /// The least before it: words and ratios stand apart from the numbers.
    fn gap(&self) -> f64 {
        match self.what {
            What::Number(_) | What::Interval => GAP,
            What::Ratio | What::Word => 1.8 * GAP,
        }
    }

    /// Numbers end at the right of their column, intervals and words begin at the left.
    fn anchored(&self) -> (f64, Anchor) {
        match self.what {
            What::Number(_) | What::Ratio => (self.span.1, Anchor::End),
            What::Interval | What::Word => (self.span.1 - self.width, Anchor::Start),
        }
    }
}

/// A text of a row; under a number its bar, as long against the column as the number against the largest of
/// the group.
fn draw_entry(canvas: &mut Canvas, group: &Group, row: &Row, column: &Column, y: f64) {
    let (x, anchor) = column.anchored();
    let text = column.what.text(row);
    let class = match (column.what, row.ratio.verdict) {
        (What::Number(_), _) => "k-num",
        (What::Ratio, Some(Verdict::Better)) => "k-better",
        (What::Ratio, Some(Verdict::Worse)) => "k-worse",
        (What::Ratio, _) => "k-strong",
        (What::Interval, _) => "endvalue",
        (What::Word, _) => "tick",
    };
    canvas.text(class, (x, y + 13.0), anchor, text);
    let What::Number(index) = column.what else { return };
    let value = |row: &Row| row.numbers.get(index).and_then(|number| number.value);
    let most = group.rows.iter().filter_map(value).fold(0.0, f64::max);
    let (left, right) = column.span;
    if group.rows.len() > 1
        && most > 0.0
        && let Some(value) = value(row)
    {
        let hint = format!("{}: {text}", row.bed.name);
        canvas.rect("k-track", (left, y + 18.0), (right - left, 2.6), &hint);
        canvas.rect(
            &format!("k-bar0 {}", row.bed.class()),
            (left, y + 18.0),
            ((right - left) * value / most, 2.6),
            &hint,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, values: &[f64]) -> Row {
        let numbers = values.iter().map(|value| Number { text: value.to_string(), value: Some(*value) });
        Row {
            bed: BedMark { name: name.to_owned(), short: name.to_owned(), ..BedMark::default() },
            numbers: numbers.collect(),
            ratio: Ratio {
                value: "9.03x".into(),
                interval: "8.90x to 9.10x".into(),
                verdict: Some(Verdict::Better),
            },
            word: "drive".into(),
        }
    }

    fn sheet(rows: Vec<Row>) -> Sheet {
        let head = |(index, text): (usize, &str)| Head { text: text.to_owned(), rank: index as u8 };
        let heads = ["IOPS", "p99, ms", "MB/s", "mean, ms", "p50, ms", "p99.9, ms"];
        Sheet {
            heads: heads.into_iter().enumerate().map(head).collect(),
            ratio_head: "ratio".into(),
            word_head: "bounded by".into(),
            groups: vec![Group { title: "reads".into(), note: "depth 8".into(), rows }],
        }
    }

    #[test]
    fn a_phone_keeps_what_matters_and_a_wide_page_shows_all() {
        let sheet = sheet(vec![row("nvme", &[123_456.0; 6]), row("sata", &[12_345.0; 6])]);
        let shown = |at: Width| sheet.columns(100.0, at.units());
        assert_eq!(shown(Width::Full).len(), 9);
        let narrow = shown(Width::Narrow);
        assert!(
            narrow.iter().any(|one| one.what == What::Number(0))
                && narrow.iter().any(|one| one.what == What::Ratio)
                && narrow.iter().any(|one| one.what == What::Interval)
        );
        for at in Width::ROW {
            let columns = shown(at);
            let apart = columns.windows(2).all(|pair| pair[0].span.1 <= pair[1].span.1 - pair[1].width);
            assert!(apart && columns.iter().all(|one| one.span.1 <= at.units() + 1e-6), "{columns:?}");
        }
    }

    #[test]
    fn bars_compare_beds_and_one_bed_has_none() {
        let caption =
            Caption { id: "f".into(), title: "t".into(), reading: "r".into(), description: "d".into() };
        let svg =
            |rows: Vec<Row>| figure(caption.clone(), &sheet(rows), Table::default()).drawings[0].markup("");
        assert!(svg(vec![row("nvme", &[4.0; 6]), row("sata", &[2.0; 6])]).contains("k-bar0"));
        assert!(!svg(vec![row("nvme", &[4.0; 6])]).contains("k-bar0"));
    }
}
