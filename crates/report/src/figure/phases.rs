//! Times made of phases as stacked bars that fit beside the tiles: main groups with whiskers and values, and
//! below them other loads, smaller, two side by side.

use super::parts::Part;
use super::{BedMark, Caption, Figure, ValueAxis, Width};
use crate::number;
use crate::svg::scale::{self, Scale, Spread};
use crate::svg::{Anchor, Canvas, Drawing, width};
use crate::table::Table;
use words::say;

/// A bar: a bed.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) bed: BedMark,
    /// One length for each part of the chart, in its order.
    pub(crate) lengths: Vec<f64>,
    /// Ends of the 95 % interval, where it rests on enough repeats to be drawn.
    pub(crate) interval: Option<(f64, f64)>,
    /// The value, with its unit.
    pub(crate) shown: String,
    /// The interval in words.
    pub(crate) note: String,
}

impl Bar {
    fn whole(&self) -> f64 {
        self.lengths.iter().sum()
    }
}

/// The bars of one kind of work.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) title: String,
    pub(crate) bars: Vec<Bar>,
}

/// All bars share parts and axis.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) parts: Vec<Part>,
    /// True if the parts have the colour of their bed and not their own.
    pub(crate) of_bed: bool,
    pub(crate) main: Vec<Group>,
    /// Shown smaller.
    pub(crate) others: Vec<Group>,
    /// Name and unit of the axis.
    pub(crate) axis: String,
}

/// The figure beside the tiles; `table` is behind it.
pub(crate) fn figure(caption: Caption, chart: &Chart, table: Table) -> Figure {
    let drawings = Width::LEAD.into_iter().map(|at| draw(&caption, chart, at)).collect();
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide: false }
}

/// Heights: of a line of the key, of a group's title, of a bar, between groups, of the axis; of a row and of
/// a bar of the small groups, and of the room above them.
const KEY: f64 = 19.0;
const TITLE: f64 = 19.0;
const BAR: f64 = 16.0;
const BETWEEN: f64 = 5.0;
const FOOT: f64 = 26.0;
const SMALL_ROW: f64 = 14.0;
const SMALL_BAR: f64 = 9.0;
const SMALL_ABOVE: f64 = 10.0;
/// Between two small groups side by side.
const SMALL_GAP: f64 = 28.0;
/// Shorter parts are not seen and have no place in the key, as shares of the longest bar.
const SEEN: f64 = 0.003;

/// Where bars begin and end.
struct Layout {
    at: Width,
    left: f64,
    x: Scale,
    ticks: Vec<f64>,
    /// The longest bar or whisker.
    most: f64,
}

impl Layout {
    fn new(chart: &Chart, at: Width) -> Layout {
        let font = at.font() + 1.0;
        let bars = || chart.main.iter().flat_map(|group| &group.bars);
        let name = |bar: &Bar| width::of(&bar.bed.fit(font, room_of_names(at)), font, true);
        let left = bars().map(name).fold(0.0, f64::max).min(room_of_names(at)) + 26.0;
        let value = |bar: &Bar| {
            let [shown, note] = [width::of(&bar.shown, font, true), width::of(&bar.note, at.font(), false)];
            if at == Width::Narrow { shown.max(note) } else { shown + note + 8.0 }
        };
        let texts = bars().map(value).fold(0.0, f64::max).min(at.units() * 0.36) + 10.0;
        let longest = bars().map(Bar::whole).fold(0.0, f64::max);
        // An interval of few repeats may reach far beyond all bars; it is then cut.
        let ends = bars().filter_map(|bar| bar.interval).map(|(_, high)| high.min(longest * 1.3));
        let most = ends.fold(longest, f64::max).max(f64::MIN_POSITIVE);
        let x = Scale::new(Spread::Linear, (0.0, most), (left, at.units() - texts));
        let ticks = scale::linear_ticks(0.0, most, if at == Width::Narrow { 3 } else { 6 });
        Layout { at, left, x, ticks, most }
    }

    fn row(&self) -> f64 {
        if self.at == Width::Narrow { 33.0 } else { 23.0 }
    }

    fn draw_axis(&self, canvas: &mut Canvas, name: &str, top: f64, bottom: f64) {
        let texts = ValueAxis { spread: Spread::Linear, ticks: self.ticks.clone() }.texts();
        for (tick, text) in self.ticks.iter().zip(texts).filter(|(tick, _)| **tick <= self.most) {
            let place = self.x.place(*tick);
            canvas.line(if *tick == 0.0 { "base" } else { "grid" }, (place, top), (place, bottom));
            canvas.text("tick", (place, bottom + 15.0), Anchor::Middle, &text);
        }
        canvas.text("axis", (self.at.units(), bottom + 15.0), Anchor::End, name);
    }
}

fn room_of_names(at: Width) -> f64 {
    if at == Width::Narrow { 78.0 } else { 130.0 }
}

fn draw(caption: &Caption, chart: &Chart, at: Width) -> Drawing {
    let layout = Layout::new(chart, at);
    let mut canvas = Canvas::new();
    let top = draw_key(&mut canvas, chart, &layout);
    let of_group = |group: &Group| TITLE + layout.row() * group.bars.len() as f64 + BETWEEN;
    let bottom = top + chart.main.iter().map(of_group).sum::<f64>();
    layout.draw_axis(&mut canvas, &chart.axis, top + TITLE, bottom);
    let mut y = top;
    for group in &chart.main {
        canvas.text("k-head", (0.0, y + 13.0), Anchor::Start, &group.title);
        y += TITLE;
        for bar in &group.bars {
            draw_name(&mut canvas, &layout, bar, y + BAR / 2.0);
            draw_parts(&mut canvas, chart, bar, &layout.x, (y, BAR));
            draw_value(&mut canvas, &layout, bar, y);
            y += layout.row();
        }
        y += BETWEEN;
    }
    let height = draw_others(&mut canvas, chart, at, bottom + FOOT);
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), height), &caption.title, &caption.description)
}

/// The parts that are seen, in the order of a bar and in as many lines as they need; the answer is the end of
/// the last.
fn draw_key(canvas: &mut Canvas, chart: &Chart, layout: &Layout) -> f64 {
    let bars = || chart.main.iter().chain(&chart.others).flat_map(|group| &group.bars);
    let is_seen = |index: usize| bars().any(|bar| bar.lengths[index] > SEEN * layout.most);
    let seen: Vec<usize> = (0..chart.parts.len()).filter(|index| is_seen(*index)).collect();
    if seen.len() < 2 {
        return 0.0;
    }
    let (mut x, mut y) = (0.0, 0.0);
    for index in seen {
        let part = &chart.parts[index];
        let room = 17.0 + width::of(part.name, layout.at.font(), false);
        if x > 0.0 && x + room > layout.at.units() {
            (x, y) = (0.0, y + KEY);
        }
        let class = if chart.of_bed { format!("k-key{index}") } else { part.class.to_owned() };
        canvas.rect(&class, (x, y + 1.0), (12.0, 12.0), part.name);
        canvas.text("tick", (x + 17.0, y + 11.5), Anchor::Start, part.name);
        x += room + 14.0;
    }
    y + KEY + 3.0
}

fn draw_name(canvas: &mut Canvas, layout: &Layout, bar: &Bar, middle: f64) {
    let font = layout.at.font() + 1.0;
    canvas.marker(&bar.bed, (6.0, middle), 4.4, None);
    let name = bar.bed.fit(font, layout.left - 24.0);
    canvas.text(&format!("end {}", bar.bed.class()), (16.0, middle + 4.5), Anchor::Start, &name);
}

/// The parts one behind the other, each with its seconds where they fit.
fn draw_parts(canvas: &mut Canvas, chart: &Chart, bar: &Bar, x: &Scale, (top, height): (f64, f64)) {
    let mut from = 0.0;
    for (index, (part, length)) in chart.parts.iter().zip(&bar.lengths).enumerate() {
        let (left, right) = (x.place(from), x.place(from + length));
        from += length;
        if right - left < 0.1 {
            continue;
        }
        let text = number::plain(*length);
        let value = say!("figure-seconds", value = text);
        let hint = say!("parts-hint", bed = bar.bed.name, part = part.name, value);
        let (class, inside) = match chart.of_bed {
            true => (format!("k-bar{index} {}", bar.bed.class()), format!("k-in{index}")),
            false => (part.class.to_owned(), format!("{}-in", part.class)),
        };
        canvas.rect(&class, (left, top), ((right - left - 0.8).max(0.4), height), &hint);
        if height == BAR && right - left > width::of(&text, 11.0, false) + 6.0 {
            canvas.text(
                &inside,
                (f64::midpoint(left, right), top + height / 2.0 + 4.0),
                Anchor::Middle,
                &text,
            );
        }
    }
}

/// The whisker below the bar, where it hides none of its numbers, and the value behind both.
fn draw_value(canvas: &mut Canvas, layout: &Layout, bar: &Bar, y: f64) {
    let mut end = layout.x.place(bar.whole());
    if let Some((low, high)) = bar.interval {
        let [low, high] = [low, high].map(|value| layout.x.place(value.min(layout.most)));
        let whisker = y + BAR + 2.5;
        canvas.line("k-whisker", (low, whisker), (high, whisker));
        for x in [low, high] {
            canvas.line("k-whisker", (x, whisker - 2.5), (x, whisker + 2.5));
        }
        end = end.max(high);
    }
    let x = end + 8.0;
    if layout.at == Width::Narrow {
        canvas.text("value", (x, y + 10.5), Anchor::Start, &bar.shown);
        canvas.text("endvalue", (x, y + 24.0), Anchor::Start, &bar.note);
        return;
    }
    canvas.text("value", (x, y + 12.5), Anchor::Start, &bar.shown);
    let behind = x + width::of(&bar.shown, layout.at.font() + 1.0, true) + 6.0;
    canvas.text("endvalue", (behind, y + 12.5), Anchor::Start, &bar.note);
}

/// The small groups from `top` on, two in a row where there is room; the answer is where they end.
fn draw_others(canvas: &mut Canvas, chart: &Chart, at: Width, top: f64) -> f64 {
    if chart.others.is_empty() {
        return top;
    }
    let columns = if at == Width::Narrow { 1 } else { 2 };
    let room = (at.units() - SMALL_GAP * (columns - 1) as f64) / columns as f64;
    let bars = || chart.others.iter().flat_map(|group| &group.bars);
    let font = at.font();
    let name = bars().map(|bar| width::of(&bar.bed.short, font, true)).fold(0.0, f64::max);
    let left = name.min(room * 0.34) + 20.0;
    let shown = bars().map(|bar| width::of(&bar.shown, font, true)).fold(0.0, f64::max) + 8.0;
    let longest = bars().map(Bar::whole).fold(f64::MIN_POSITIVE, f64::max);
    let mut y = top + SMALL_ABOVE;
    for row in chart.others.chunks(columns) {
        for (column, group) in row.iter().enumerate() {
            let start = column as f64 * (room + SMALL_GAP);
            let title = width::fit(&group.title, 13.0, true, room);
            canvas.text("k-head", (start, y + 10.0), Anchor::Start, &title);
            let x = Scale::new(Spread::Linear, (0.0, longest), (start + left, start + room - shown));
            for (index, bar) in group.bars.iter().enumerate() {
                let line = y + TITLE + SMALL_ROW * index as f64;
                canvas.marker(&bar.bed, (start + 5.0, line + SMALL_BAR / 2.0), 3.6, None);
                let name = width::fit(&bar.bed.short, font, true, left - 16.0);
                canvas.text("tick", (start + 14.0, line + 8.5), Anchor::Start, &name);
                draw_parts(canvas, chart, bar, &x, (line, SMALL_BAR));
                canvas.text("tick", (x.place(bar.whole()) + 6.0, line + 8.5), Anchor::Start, &bar.shown);
            }
        }
        let most = row.iter().map(|group| group.bars.len()).max().unwrap_or(0);
        y += TITLE + SMALL_ROW * most as f64 + SMALL_ABOVE;
    }
    y - SMALL_ABOVE + 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(lengths: &[f64], others: usize) -> Chart {
        let part = |(name, class)| Part { name, class };
        let bed = BedMark { name: "nvme".into(), short: "nvme".into(), ..BedMark::default() };
        let bar = Bar {
            bed,
            lengths: lengths.to_vec(),
            interval: Some((1.0, 90.0)),
            shown: "6.6 s".into(),
            note: "6.2 to 7.0".into(),
        };
        let group = |title: &str| Group { title: title.into(), bars: vec![bar.clone(); 3] };
        Chart {
            parts: [("read", "g1"), ("write", "g2"), ("check", "g3")].map(part).to_vec(),
            of_bed: false,
            main: vec![group("Backup"), group("Restore")],
            others: vec![group("alone"); others],
            axis: "seconds".into(),
        }
    }

    fn drawn(chart: &Chart) -> Vec<String> {
        let caption =
            Caption { id: "f".into(), title: "t".into(), reading: "r".into(), description: "d".into() };
        let figure = figure(caption, chart, Table::new(Vec::new()));
        figure.drawings.iter().map(|drawing| drawing.markup("")).collect()
    }

    #[test]
    fn a_part_that_is_not_seen_has_no_place_in_the_key_and_the_others_have() {
        for svg in drawn(&chart(&[4.0, 2.6, 0.001], 2)) {
            assert!(svg.contains(">read</text>") && svg.contains(">write</text>"));
            assert!(!svg.contains(">check</text>"));
            assert!(svg.contains("6.6 s") && svg.contains("6.2 to 7.0"));
        }
    }

    #[test]
    fn three_beds_at_two_loads_fit_beside_the_tiles_and_nothing_is_missing() {
        let chart = chart(&[4.0, 2.6, 0.0], 2);
        let mut canvas = Canvas::new();
        let layout = Layout::new(&chart, Width::Lead);
        assert!(layout.most < 90.0, "a wide interval is cut");
        let bottom = 22.0 + 2.0 * (TITLE + 3.0 * layout.row() + BETWEEN) + FOOT;
        assert!(draw_others(&mut canvas, &chart, Width::Lead, bottom) < 330.0);
        assert!(drawn(&chart).iter().all(|svg| !svg.contains("NaN")));
    }
}
