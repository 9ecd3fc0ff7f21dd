//! A small writer of SVG: shapes in, markup out.
//!
//! Invariant: every text that comes from outside (bed names, units) is escaped here, coordinates carry one
//! decimal, and no attribute ever names a colour: classes do, so that light, dark and print are decided by
//! the style sheet alone.

mod bed_mark;
pub(crate) mod label;
pub(crate) mod place;
pub(crate) mod scale;
pub(crate) mod width;

pub(crate) use bed_mark::BedMark;
use std::fmt::Write as _;

/// The markers that tell beds apart without colour, by palette slot.
pub(crate) const MARKER_COUNT: usize = 6;
/// Colours of the palette; a seventh bed would take the first colour again with another marker and dash.
pub(crate) const COLOUR_COUNT: usize = 5;

/// The anchor of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// The text begins at x.
    Start,
    /// The text is centred on x.
    Middle,
    /// The text ends at x.
    End,
}

/// A finished drawing.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    id: String,
    /// Decides at which widths it is shown.
    pub(crate) class: &'static str,
    /// Width and height.
    size: (f64, f64),
    title: String,
    description: String,
    body: String,
}

/// Room below a drawing for its source.
const SOURCE_ROOM: f64 = 20.0;

impl Drawing {
    /// The `<svg>` element; below the drawing the line that says where its numbers come from, if any, so that
    /// a cropped figure keeps it.
    pub(crate) fn markup(&self, source: &str) -> String {
        let Drawing { id, class, size, title, description, body } = self;
        let room = if source.is_empty() { 0.0 } else { SOURCE_ROOM };
        let [width, height] = [size.0, size.1 + room].map(coordinate);
        let mut line = Canvas::new();
        line.text(
            "source",
            (0.0, size.1 + room - 5.0),
            Anchor::Start,
            &width::fit(source, 11.0, false, size.0),
        );
        format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
             <title id=\"{id}-t\">{title}</title><desc id=\"{id}-d\">{description}</desc>\n{body}{}</svg>",
            line.body
        )
    }
}

/// Margins around a drawing that is a file of its own, and the sizes of its heading and of the line below it.
const MARGIN: f64 = 18.0;
const TITLE_FONT: f64 = 17.0;
const READING_FONT: f64 = 13.0;
const TITLE_LINE: f64 = 22.0;
const READING_LINE: f64 = 18.0;
impl Drawing {
    /// The drawing as a file of its own: with heading, way of reading, source and light colours.
    pub(crate) fn standing_alone(&self, title: &str, reading: &str, source: &str, css: &str) -> String {
        let room = self.size.0;
        let (title, reading) =
            (lines(title, TITLE_FONT, true, room), lines(reading, READING_FONT, false, room));
        let mut head = Canvas::new();
        let mut y = 0.0;
        for (texts, class, step) in
            [(title, "k-file-title", TITLE_LINE), (reading, "k-file-reading", READING_LINE)]
        {
            for text in texts {
                y += step;
                head.text(class, (0.0, y - 5.0), Anchor::Start, &text);
            }
        }
        let top = y + 10.0;
        let mut foot = Canvas::new();
        let bottom = top + self.size.1 + SOURCE_ROOM;
        foot.text("source", (0.0, bottom - 5.0), Anchor::Start, &width::fit(source, 11.0, false, room));
        let [width, height] = [room + 2.0 * MARGIN, bottom + 2.0 * MARGIN].map(coordinate);
        let (margin, top) = (coordinate(MARGIN), coordinate(top));
        let Drawing { class, title, description, body, .. } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{class} k-file\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\
             <title>{title}</title><desc>{description}</desc>\n<style>\n{css}</style>\n\
             <rect class=\"k-file-paper\" width=\"{width}\" height=\"{height}\"/>\n\
             <g transform=\"translate({margin} {margin})\">\n{}<g transform=\"translate(0 {top})\">\n{body}</g>\n{}</g>\n</svg>\n",
            head.body, foot.body
        )
    }
}

/// A text broken at spaces so that each line fits; a word that is wider stands alone.
fn lines(text: &str, font: f64, bold: bool, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width::of(&format!("{line} {word}"), font, bold) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The markup of one drawing, without its `<svg>` element.
#[derive(Debug, Default)]
pub(crate) struct Canvas {
    body: String,
}

impl Canvas {
    /// An empty drawing.
    pub(crate) fn new() -> Canvas {
        Canvas::default()
    }

    /// A straight line.
    pub(crate) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(coordinate);
        self.push(format_args!("<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"));
    }

    /// An open line through the points.
    pub(crate) fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.len() > 1 {
            let points = point_list(points);
            self.push(format_args!("<polyline class=\"{class}\" points=\"{points}\"/>"));
        }
    }

    /// A closed shape.
    pub(crate) fn polygon(&mut self, class: &str, points: &[(f64, f64)]) {
        let points = point_list(points);
        self.push(format_args!("<polygon class=\"{class}\" points=\"{points}\"/>"));
    }

    /// A rectangle with a tooltip; width and height below zero count as zero.
    pub(crate) fn rect(&mut self, class: &str, corner: (f64, f64), size: (f64, f64), hint: &str) {
        let [x, y, w, h] = [corner.0, corner.1, size.0.max(0.0), size.1.max(0.0)].map(coordinate);
        let hint = escape(hint);
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"><title>{hint}</title></rect>"
        ));
    }

    /// Many small round dots as one path: a dot is a line of no length with a round cap, which keeps hundreds
    /// of repeats small.
    pub(crate) fn dots(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.is_empty() {
            return;
        }
        let mut path = String::with_capacity(points.len() * 14);
        for &(x, y) in points {
            let _ = write!(path, "M{} {}h.01", coordinate(x), coordinate(y));
        }
        self.push(format_args!("<path class=\"{class}\" d=\"{path}\"/>"));
    }

    /// The marker of a bed: circle, square, triangle, diamond, triangle pointing down, plus.
    pub(crate) fn marker(&mut self, bed: &BedMark, centre: (f64, f64), radius: f64, hint: Option<&str>) {
        let class = format!("mark {}", bed.class());
        let outline = marker_points(bed.shape() % MARKER_COUNT, centre, radius);
        let title = hint.map(|hint| format!("<title>{}</title>", escape(hint))).unwrap_or_default();
        if outline.is_empty() {
            let [x, y, r] = [centre.0, centre.1, radius].map(coordinate);
            self.push(format_args!(
                "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\">{title}</circle>"
            ));
        } else {
            let points = point_list(&outline);
            self.push(format_args!("<polygon class=\"{class}\" points=\"{points}\">{title}</polygon>"));
        }
    }

    /// A hollow diamond: a number that was printed elsewhere.
    pub(crate) fn hollow_marker(&mut self, centre: (f64, f64), radius: f64) {
        self.polygon("hollow", &marker_points(3, centre, radius));
    }

    /// A ring around a point that is told apart from its neighbours.
    pub(crate) fn ring(&mut self, class: &str, centre: (f64, f64), radius: f64, hint: &str) {
        let [x, y, r] = [centre.0, centre.1, radius].map(coordinate);
        let hint = escape(hint);
        self.push(format_args!(
            "<circle class=\"k-ring {class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"><title>{hint}</title></circle>"
        ));
    }

    /// Wraps the drawing of `draw` in a link where there is an address.
    pub(crate) fn linked(&mut self, address: Option<&str>, draw: impl FnOnce(&mut Canvas)) {
        if let Some(address) = address {
            self.push(format_args!("<a href=\"{}\">", escape(address)));
        }
        draw(self);
        if address.is_some() {
            self.push(format_args!("</a>"));
        }
    }

    /// A text; nothing for an empty one.
    pub(crate) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        if text.is_empty() {
            return;
        }
        let [x, y] = [at.0, at.1].map(coordinate);
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let text = escape(text);
        self.push(format_args!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}>{text}</text>"));
    }

    /// The finished drawing with its accessible name and description. `class` decides at which widths it is
    /// shown.
    pub(crate) fn finish(
        self,
        id: &str,
        class: &'static str,
        size: (f64, f64),
        title: &str,
        description: &str,
    ) -> Drawing {
        let (title, description) = (escape(title), escape(description));
        Drawing { id: id.to_owned(), class, size, title, description, body: self.body }
    }

    fn push(&mut self, markup: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = self.body.write_fmt(markup);
        self.body.push('\n');
    }
}

/// The class that gives a palette slot its colour: `c0` to `c4`.
pub(crate) fn bed_class(slot: usize) -> String {
    format!("c{}", slot % COLOUR_COUNT)
}

/// The classes that give a line the colour of a palette slot and the dash of a shape: `c0 d0`.
pub(crate) fn bed_line_class(slot: usize, shape: usize) -> String {
    format!("c{} d{}", slot % COLOUR_COUNT, shape % MARKER_COUNT)
}

/// Escapes what would be markup. Control characters, which XML forbids, become spaces.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A coordinate with at most one decimal: a tenth of a CSS pixel is below what a screen shows.
fn coordinate(value: f64) -> String {
    let value = if value.is_finite() { value } else { 0.0 };
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn point_list(points: &[(f64, f64)]) -> String {
    let mut list = String::with_capacity(points.len() * 12);
    for &(x, y) in points {
        if !list.is_empty() {
            list.push(' ');
        }
        let _ = write!(list, "{},{}", coordinate(x), coordinate(y));
    }
    list
}

/// Corner points of a marker, empty for the circle. Sizes are chosen so that all markers cover about the same
/// area.
fn marker_points(shape: usize, (x, y): (f64, f64), r: f64) -> Vec<(f64, f64)> {
    match shape {
        1 => vec![
            (x - 0.9 * r, y - 0.9 * r),
            (x + 0.9 * r, y - 0.9 * r),
            (x + 0.9 * r, y + 0.9 * r),
            (x - 0.9 * r, y + 0.9 * r),
        ],
        2 => vec![(x, y - 1.25 * r), (x + 1.15 * r, y + 0.8 * r), (x - 1.15 * r, y + 0.8 * r)],
        3 => vec![(x, y - 1.3 * r), (x + 1.3 * r, y), (x, y + 1.3 * r), (x - 1.3 * r, y)],
        4 => vec![(x, y + 1.25 * r), (x + 1.15 * r, y - 0.8 * r), (x - 1.15 * r, y - 0.8 * r)],
        5 => {
            let (a, b) = (0.42 * r, 1.3 * r);
            vec![
                (x - a, y - b),
                (x + a, y - b),
                (x + a, y - a),
                (x + b, y - a),
                (x + b, y + a),
                (x + a, y + a),
                (x + a, y + b),
                (x - a, y + b),
                (x - a, y + a),
                (x - b, y + a),
                (x - b, y - a),
                (x - a, y - a),
            ]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_is_escaped() {
        let mut canvas = Canvas::new();
        canvas.text("tick", (1.0, 2.0), Anchor::End, "<b>&\"\u{7}");
        let svg = canvas.finish("f", "w", (10.0, 10.0), "a<b", "c&d").markup("");
        assert!(svg.contains("&lt;b&gt;&amp;&quot; </text>"), "{svg}");
        assert!(svg.contains("<title id=\"f-t\">a&lt;b</title><desc id=\"f-d\">c&amp;d</desc>"), "{svg}");
    }

    #[test]
    fn coordinates_are_short_and_always_numbers() {
        assert_eq!(coordinate(12.0), "12");
        assert_eq!(coordinate(12.34), "12.3");
        assert_eq!(coordinate(-0.01), "0");
        assert_eq!(coordinate(f64::NAN), "0");
    }

    #[test]
    fn each_of_the_first_six_beds_has_its_own_marker_and_dash() {
        let mut seen: Vec<String> = Vec::new();
        for slot in 0..MARKER_COUNT {
            let bed = BedMark { slot, ..BedMark::default() };
            let mut canvas = Canvas::new();
            canvas.marker(&bed, (10.0, 10.0), 4.0, None);
            let shape = canvas.body.replace(&format!("mark {}", bed.class()), "");
            assert!(!seen.contains(&shape), "slot {slot} repeats a marker");
            assert!(!seen.contains(&bed.line_class()), "slot {slot} repeats colour and dash");
            seen.push(shape);
            seen.push(bed.line_class());
        }
    }

    #[test]
    fn the_ways_of_a_bed_share_its_colour_and_nothing_else() {
        for slot in 0..MARKER_COUNT {
            let bed = BedMark { slot, ..BedMark::default() };
            let other = bed.on_way(1, "scan".to_owned(), "s".to_owned());
            assert_eq!(bed.class(), other.class());
            assert_ne!(bed.line_class(), other.line_class());
            assert_ne!(bed.shape() % MARKER_COUNT, other.shape() % MARKER_COUNT);
        }
    }

    #[test]
    fn one_point_is_no_line_and_no_dots_is_nothing() {
        let mut canvas = Canvas::new();
        canvas.polyline("line", &[(0.0, 0.0)]);
        canvas.dots("dots", &[]);
        assert_eq!(canvas.body, "");
        canvas.dots("dots", &[(1.0, 2.5), (3.0, 4.0)]);
        assert_eq!(canvas.body, "<path class=\"dots\" d=\"M1 2.5h.01M3 4h.01\"/>\n");
    }
}
