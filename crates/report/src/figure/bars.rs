//! Bars from zero, in groups: each with its interval, its value and a note behind its end.

use super::{BedMark, Caption, Figure, Width};
use crate::svg::scale::{self, Scale, Spread};
use crate::svg::{Anchor, Canvas, Drawing, width};
use crate::table::Table;

/// One bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    /// Gives the bar its colour.
    pub(crate) bed: BedMark,
    /// The text before the bar; empty for the bed itself.
    pub(crate) label: String,
    /// Its parts from zero on, in the order of the key.
    pub(crate) parts: Vec<f64>,
    /// Ends of the 95 % interval of the whole, where it rests on enough repeats to be drawn.
    pub(crate) interval: Option<(f64, f64)>,
    /// The whole, with its unit.
    pub(crate) shown: String,
    /// Below it: what the value means beside others.
    pub(crate) note: String,
}

impl Bar {
    fn whole(&self) -> f64 {
        self.parts.iter().sum()
    }
}

/// Bars that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) title: String,
    /// The bed that all of them belong to, where they do: the title then has its mark.
    pub(crate) bed: Option<BedMark>,
    pub(crate) bars: Vec<Bar>,
}

/// All bars of a figure share one axis.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) groups: Vec<Group>,
    /// Names of the parts; nothing where every bar is one piece.
    pub(crate) key: Vec<String>,
    /// Name and unit of the axis.
    pub(crate) axis: String,
}

/// A figure that can stand in the first place of a page; `table` is behind it.
pub(crate) fn figure(caption: Caption, chart: &Chart, table: Table) -> Figure {
    let drawings = Width::ROW.into_iter().map(|at| draw(&caption, chart, at)).collect();
    Figure { id: caption.id, title: caption.title, reading: caption.reading, drawings, table, wide: true }
}

/// Heights: of the key, of a group's title, of a row and of the bar in it, between groups, of the axis.
const KEY: f64 = 24.0;
const TITLE: f64 = 22.0;
const ROW: f64 = 34.0;
const BAR: f64 = 20.0;
const BETWEEN: f64 = 10.0;
const FOOT: f64 = 42.0;

/// The part of the paper that bars may take.
struct Layout {
    at: Width,
    left: f64,
    right: f64,
    x: Scale,
    ticks: Vec<f64>,
}

impl Layout {
    fn new(chart: &Chart, at: Width) -> Layout {
        let font = at.font();
        let bars = || chart.groups.iter().flat_map(|group| &group.bars);
        let most = at.units() * if at == Width::Narrow { 0.3 } else { 0.24 };
        let label = |bar: &Bar| match bar.label.is_empty() {
            true => width::of(name(bar, at), font + 1.0, true) + 17.0,
            false => width::of(&bar.label, font, false) + 2.0,
        };
        let left = bars().map(label).fold(0.0, f64::max).ceil().min(most) + 8.0;
        let text = |bar: &Bar| width::of(&bar.shown, font + 1.0, true).max(width::of(&bar.note, font, false));
        let texts = bars().map(text).fold(0.0, f64::max).min(at.units() * 0.4) + 10.0;
        let values = bars().map(|bar| bar.whole()).fold(0.0, f64::max);
        // An interval of few repeats may reach far beyond all bars; it is then cut.
        let ends = bars().filter_map(|bar| bar.interval).map(|(_, high)| high.min(values * 1.3));
        let high = ends.fold(values, f64::max);
        let right = at.units() - texts;
        let wanted = if right - left > 360.0 { 6 } else { 3 };
        let ticks = scale::linear_ticks(0.0, high, wanted);
        Layout { at, left, right, x: Scale::new(Spread::Linear, (0.0, high), (left, right)), ticks }
    }

    /// Grid lines, tick texts and the name of the axis below `bottom`.
    fn draw_axis(&self, canvas: &mut Canvas, chart: &Chart, top: f64, bottom: f64) {
        let texts = super::ValueAxis { spread: Spread::Linear, ticks: self.ticks.clone() }.texts();
        let inside = |tick: f64| self.x.place(tick) < self.right - 0.5 || tick == 0.0;
        let (places, texts): (Vec<f64>, Vec<String>) = self
            .ticks
            .iter()
            .zip(texts)
            .filter(|(tick, _)| inside(**tick))
            .map(|(tick, text)| (self.x.place(*tick), text))
            .unzip();
        let widths: Vec<f64> = texts.iter().map(|text| width::of(text, self.at.font(), false)).collect();
        for ((place, text), shown) in places.iter().zip(&texts).zip(scale::thin(&places, &widths, 6.0)) {
            let class = if *place == self.left { "base" } else { "grid" };
            canvas.line(class, (*place, top), (*place, bottom));
            if shown {
                canvas.text("tick", (*place, bottom + 16.0), Anchor::Middle, text);
            }
        }
        canvas.text("axis", (self.left, bottom + 33.0), Anchor::Start, &chart.axis);
    }
}

/// The name of a bed where there is room for it.
fn name(bar: &Bar, at: Width) -> &str {
    if at == Width::Narrow { &bar.bed.short } else { &bar.bed.name }
}

fn draw(caption: &Caption, chart: &Chart, at: Width) -> Drawing {
    let layout = Layout::new(chart, at);
    let mut canvas = Canvas::new();
    let top = if chart.key.is_empty() { 0.0 } else { KEY };
    draw_key(&mut canvas, chart, at);
    let titled = |group: &Group| if group.title.is_empty() { 0.0 } else { TITLE };
    let of_group = |group: &Group| titled(group) + ROW * group.bars.len() as f64 + BETWEEN;
    let bottom = top + chart.groups.iter().map(of_group).sum::<f64>() - BETWEEN;
    layout.draw_axis(&mut canvas, chart, top, bottom);
    let mut y = top;
    for group in &chart.groups {
        draw_title(&mut canvas, group, y, at);
        y += titled(group);
        for bar in &group.bars {
            draw_bar(&mut canvas, &layout, chart, bar, y);
            y += ROW;
        }
        y += BETWEEN;
    }
    let id = format!("{}-{}", caption.id, at.class());
    canvas.finish(&id, at.class(), (at.units(), bottom + FOOT), &caption.title, &caption.description)
}

/// Draws the common title of a group of bars.
fn draw_title(canvas: &mut Canvas, group: &Group, y: f64, at: Width) {
    let title = width::fit(&group.title, 13.0, true, at.units() - 20.0);
    match &group.bed {
        None => canvas.text("k-head", (0.0, y + 14.0), Anchor::Start, &title),
        Some(bed) => {
            canvas.marker(bed, (5.0, y + 9.5), 4.4, None);
            canvas.text(&format!("end {}", bed.class()), (15.0, y + 14.0), Anchor::Start, &title);
        }
    }
}

/// The parts in the order of a bar.
fn draw_key(canvas: &mut Canvas, chart: &Chart, at: Width) {
    let mut x = 0.0;
    for (index, part) in chart.key.iter().enumerate() {
        canvas.rect(&format!("k-key{index}"), (x, 2.0), (12.0, 11.0), part);
        canvas.text("tick", (x + 17.0, 12.0), Anchor::Start, part);
        x += 17.0 + width::of(part, at.font(), false) + 16.0;
    }
}

fn draw_bar(canvas: &mut Canvas, layout: &Layout, chart: &Chart, bar: &Bar, y: f64) {
    let (font, class) = (layout.at.font(), bar.bed.class());
    let middle = y + 3.0 + BAR / 2.0;
    if bar.label.is_empty() {
        let room = layout.left - 24.0;
        let whole = name(bar, layout.at);
        let is_wide = width::of(whole, font + 1.0, true) > room;
        let text = width::fit(if is_wide { &bar.bed.short } else { whole }, font + 1.0, true, room);
        canvas.marker(&bar.bed, (6.0, middle), 4.4, None);
        canvas.text(&format!("end {class}"), (17.0, middle + 4.5), Anchor::Start, &text);
    } else {
        let text = width::fit(&bar.label, font, false, layout.left - 8.0);
        canvas.text("tick", (0.0, middle + 4.5), Anchor::Start, &text);
    }
    let mut from = 0.0;
    for (index, part) in bar.parts.iter().enumerate() {
        let (left, right) = (layout.x.place(from), layout.x.place(from + part));
        let text = crate::number::plain(*part);
        let hint = match chart.key.get(index) {
            Some(name) => format!("{}, {name}: {text}", bar.bed.name),
            None => format!("{} {}: {}", bar.bed.name, bar.label, bar.shown),
        };
        canvas.rect(&format!("k-bar{index} {class}"), (left, y + 3.0), (right - left - 1.0, BAR), &hint);
        let middle_x = f64::midpoint(left, right);
        let struck = |(low, high): (f64, f64)| {
            layout.x.place(low) < right
                && layout.x.place(high) > left
                && layout.x.place(low) < middle_x + 18.0
        };
        if bar.parts.len() > 1
            && right - left > width::of(&text, font, false) + 8.0
            && !bar.interval.is_some_and(struck)
        {
            canvas.text(&format!("k-in{index}"), (middle_x, middle + 4.2), Anchor::Middle, &text);
        }
        from += part;
    }
    let mut end = layout.x.place(bar.whole());
    if let Some((low, high)) = bar.interval {
        let (low, high) = (layout.x.place(low), layout.x.place(high));
        // A dark bar would hide it.
        canvas.line("k-halo", (low, middle), (high, middle));
        canvas.line("k-whisker", (low, middle), (high, middle));
        for x in [low, high] {
            canvas.line("k-whisker", (x, middle - 4.0), (x, middle + 4.0));
        }
        end = end.max(high);
    }
    let has_note = !bar.note.is_empty();
    canvas.text("value", (end + 8.0, middle + if has_note { -0.5 } else { 4.5 }), Anchor::Start, &bar.shown);
    canvas.text("endvalue", (end + 8.0, middle + 13.0), Anchor::Start, &bar.note);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(parts: &[f64], interval: Option<(f64, f64)>) -> Bar {
        Bar {
            bed: BedMark { name: "nvme".into(), short: "nvme".into(), ..BedMark::default() },
            label: String::new(),
            parts: parts.to_vec(),
            interval,
            shown: "6.6 s".into(),
            note: "6.2 to 7.0".into(),
        }
    }

    fn drawn(bars: Vec<Bar>) -> Vec<String> {
        let caption =
            Caption { id: "f".into(), title: "t".into(), reading: "r".into(), description: "d".into() };
        let key = vec!["copy".to_owned(), "check".to_owned()];
        let chart = Chart {
            groups: vec![Group { title: "Backup".into(), bed: None, bars }],
            key,
            axis: "seconds".into(),
        };
        figure(caption, &chart, Table::default()).drawings.iter().map(|one| one.markup("")).collect()
    }

    #[test]
    fn a_bar_has_its_parts_and_one_whisker() {
        for svg in drawn(vec![bar(&[5.0, 1.6], Some((6.2, 7.0))), bar(&[12.0, 0.1], None)]) {
            assert_eq!(svg.matches("k-bar0").count(), 2);
            assert_eq!(svg.matches("k-bar1").count(), 2);
            assert_eq!(svg.matches("class=\"k-whisker\"").count(), 3, "a line and its two ends");
        }
    }

    #[test]
    fn an_interval_without_end_never_squeezes_the_bars() {
        let layout = Layout::new(
            &Chart {
                groups: vec![Group {
                    title: String::new(),
                    bed: None,
                    bars: vec![bar(&[10.0], Some((0.0, 1e9)))],
                }],
                key: Vec::new(),
                axis: String::new(),
            },
            Width::Full,
        );
        assert!(layout.x.place(10.0) > f64::midpoint(layout.left, layout.right));
        assert!(drawn(Vec::new()).iter().all(|svg| !svg.contains("NaN")));
    }
}
