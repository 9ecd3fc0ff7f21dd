//! The parts of a time as stacked bars: a bar for each bed, the beds of one load together.

use super::{BedMark, Caption, Figure, ValueAxis, Width};
use crate::number;
use crate::svg::scale::{self, Scale, Spread};
use crate::svg::{Anchor, Canvas, Drawing, width};
use crate::table::{Column, Table, columns};
use words::say;

/// A part of the time, with the class of its colour: the order is that of the style sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) class: &'static str,
}

/// A bar: a bed.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) bed: BedMark,
    /// One value for each part of the stack.
    pub(crate) values: Vec<f64>,
}

impl Bar {
    fn whole(&self) -> f64 {
        self.values.iter().sum()
    }
}

/// The bars of one load.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) title: String,
    pub(crate) bars: Vec<Bar>,
}

/// All bars share parts, axis and unit.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    pub(crate) parts: Vec<Part>,
    pub(crate) groups: Vec<Group>,
    pub(crate) unit: &'static str,
}

/// A figure over the whole row.
pub(crate) fn figure(caption: Caption, stack: &Stack) -> Figure {
    let drawings = Width::ROW.into_iter().map(|at| draw(&caption, stack, at)).collect();
    let table = table(stack);
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide: true }
}

/// Heights: of a line of the key, of a row and of the bar in it, between groups, of a title above its group,
/// of the axis.
const KEY: f64 = 20.0;
const ROW: f64 = 21.0;
const BAR: f64 = 17.0;
const BETWEEN: f64 = 9.0;
const TITLE: f64 = 19.0;
const FOOT: f64 = 40.0;

/// The columns of a drawing: titles of groups, names of beds, bars.
struct Layout {
    at: Width,
    /// The start of the names; a narrow drawing has its titles above their groups.
    names: f64,
    x: Scale,
    ticks: Vec<f64>,
    /// The longest bar.
    most: f64,
}

impl Layout {
    fn new(stack: &Stack, at: Width) -> Layout {
        let font = at.font();
        let bars = || stack.groups.iter().flat_map(|group| &group.bars);
        let titles = stack.groups.iter().map(|group| width::of(&group.title, font, false));
        let narrow = at == Width::Narrow;
        let names = if narrow { 0.0 } else { titles.fold(0.0, f64::max) + 14.0 };
        let name = bars().map(|bar| width::of(&bar.bed.fit(font, 120.0), font, true)).fold(0.0, f64::max);
        let left = names + 15.0 + name.min(if narrow { 84.0 } else { 120.0 }) + 8.0;
        let most = bars().map(Bar::whole).fold(0.0, f64::max);
        let shown = width::of(&shown(most, stack.unit), font + 1.0, true) + 10.0;
        let right = at.units() - shown;
        let x = Scale::new(Spread::Linear, (0.0, most.max(f64::MIN_POSITIVE)), (left, right));
        let ticks = scale::linear_ticks(0.0, most, if narrow { 3 } else { 6 });
        Layout { at, names, x, ticks, most }
    }

    fn title_height(&self) -> f64 {
        if self.at == Width::Narrow { TITLE } else { 0.0 }
    }

    fn draw_axis(&self, canvas: &mut Canvas, unit: &str, top: f64, bottom: f64) {
        let axis = ValueAxis { spread: Spread::Linear, ticks: self.ticks.clone() };
        for (tick, text) in self.ticks.iter().zip(axis.texts()) {
            let place = self.x.place(*tick);
            // The last round value may lie beyond the longest bar.
            if *tick > self.most {
                continue;
            }
            canvas.line(if *tick == 0.0 { "base" } else { "grid" }, (place, top), (place, bottom));
            canvas.text("tick", (place, bottom + 16.0), Anchor::Middle, &text);
        }
        canvas.text("axis", (self.at.units(), bottom + 16.0), Anchor::End, unit);
    }
}

/// `14.4 ms`.
fn shown(value: f64, unit: &str) -> String {
    format!("{} {unit}", number::plain(value))
}

fn draw(caption: &Caption, stack: &Stack, at: Width) -> Drawing {
    let layout = Layout::new(stack, at);
    let mut canvas = Canvas::new();
    let top = draw_key(&mut canvas, stack, at);
    let of_group = |group: &Group| layout.title_height() + ROW * group.bars.len() as f64 + BETWEEN;
    let bottom = top + stack.groups.iter().map(of_group).sum::<f64>();
    layout.draw_axis(&mut canvas, stack.unit, top, bottom);
    let mut y = top;
    for group in &stack.groups {
        let title_y = if at == Width::Narrow { y + 13.0 } else { y + 13.5 };
        canvas.text("k-head", (0.0, title_y), Anchor::Start, &group.title);
        y += layout.title_height();
        for bar in &group.bars {
            draw_bar(&mut canvas, &layout, stack, bar, y);
            y += ROW;
        }
        y += BETWEEN;
    }
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), bottom + FOOT - 14.0), &caption.title, &caption.description)
}

/// The parts in the order of a bar, in as many lines as they need; the answer is the end of the last.
fn draw_key(canvas: &mut Canvas, stack: &Stack, at: Width) -> f64 {
    let (mut x, mut y) = (0.0, 0.0);
    for part in &stack.parts {
        let room = 18.0 + width::of(part.name, at.font(), false);
        if x > 0.0 && x + room > at.units() {
            (x, y) = (0.0, y + KEY);
        }
        canvas.rect(part.class, (x, y + 1.0), (12.0, 12.0), part.name);
        canvas.text("tick", (x + 17.0, y + 11.5), Anchor::Start, part.name);
        x += room + 16.0;
    }
    y + KEY + 4.0
}

fn draw_bar(canvas: &mut Canvas, layout: &Layout, stack: &Stack, bar: &Bar, y: f64) {
    let font = layout.at.font();
    let middle = y + BAR / 2.0 + 4.2;
    canvas.marker(&bar.bed, (layout.names + 6.0, y + BAR / 2.0), 4.0, None);
    let room = layout.x.place(0.0) - layout.names - 22.0;
    let name = bar.bed.fit(font, room);
    canvas.text(&format!("end {}", bar.bed.class()), (layout.names + 15.0, middle), Anchor::Start, &name);
    let mut from = 0.0;
    for (part, value) in stack.parts.iter().zip(&bar.values) {
        let (left, right) = (layout.x.place(from), layout.x.place(from + value));
        let text = number::plain(*value);
        let hint =
            say!("parts-hint", bed = bar.bed.name, part = part.name, value = shown(*value, stack.unit));
        canvas.rect(part.class, (left, y), ((right - left - 0.8).max(0.0), BAR), &hint);
        if right - left > width::of(&text, font - 0.5, false) + 6.0 {
            let class = format!("{}-in", part.class);
            canvas.text(&class, (f64::midpoint(left, right), middle), Anchor::Middle, &text);
        }
        from += value;
    }
    let end = layout.x.place(bar.whole());
    canvas.text("value", (end + 6.0, middle), Anchor::Start, &shown(bar.whole(), stack.unit));
}

/// Rows are loads and beds, columns the parts.
fn table(stack: &Stack) -> Table {
    let mut columns = columns![text say!("column-level"), text say!("column-bed")];
    columns.extend(stack.parts.iter().map(|part| Column::number(format!("{} ({})", part.name, stack.unit))));
    columns.push(Column::number(say!("parts-whole", unit = stack.unit)));
    let mut table = Table::new(columns);
    for group in &stack.groups {
        for bar in &group.bars {
            let values = bar.values.iter().map(|value| number::plain(*value));
            let whole = number::plain(bar.whole());
            table.row([group.title.clone(), bar.bed.name.clone()].into_iter().chain(values).chain([whole]));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(values: &[f64]) -> Stack {
        let part = |class| Part { name: "reads", class };
        let bed = BedMark { name: "nvme".into(), short: "nvme".into(), ..BedMark::default() };
        let bars = vec![Bar { bed, values: values.to_vec() }];
        let groups = vec![Group { title: "8 users".into(), bars }];
        Stack { parts: vec![part("g1"), part("g2")], groups, unit: "ms" }
    }

    #[test]
    fn a_bar_is_as_long_as_its_parts_and_its_table_has_them() {
        let caption =
            Caption { id: "f".into(), title: "t".into(), reading: "r".into(), description: "d".into() };
        let figure = figure(caption, &stack(&[3.0, 1.5]));
        assert_eq!(figure.table.rows[0].last().map(|entry| entry.text.as_str()), Some("4.50"));
        for drawing in &figure.drawings {
            let svg = drawing.markup("");
            assert!(svg.contains("4.50 ms") && svg.contains("class=\"g1\"") && svg.contains("class=\"g2\""));
        }
    }

    #[test]
    fn nothing_takes_no_room_and_no_coordinate_is_missing() {
        let layout = Layout::new(&stack(&[0.0, 0.0]), Width::Full);
        assert!(layout.x.place(0.0).is_finite() && layout.x.place(1.0).is_finite());
    }
}
