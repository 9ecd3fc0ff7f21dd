//! The history as a page: a drawing for each metric at a place, with its changes and the breaks.

use super::{Line, Trend};
use crate::figure::Width;
use crate::html;
use crate::naming;
use crate::number::Digits;
use crate::page::style;
use crate::svg::scale::{Scale, Spread};
use crate::svg::{Anchor, BedMark, Canvas, escape};
use words::say;

/// Height of a drawing.
const HEIGHT: f64 = 220.0;
/// Margins of its plot: left, right, top, bottom.
const MARGINS: [f64; 4] = [70.0, 20.0, 16.0, 34.0];

impl Trend {
    /// The history as one HTML document without scripts.
    #[must_use]
    pub fn to_html(&self) -> String {
        let headline = escape(&self.headline());
        let mut body = format!("<h1>{headline}</h1><div class=\"figures\">");
        // Metrics that changed come first.
        let (changed, steady): (Vec<&Line>, Vec<&Line>) =
            self.lines.iter().partition(|line| !line.changes.is_empty());
        for (index, line) in changed.into_iter().chain(steady).enumerate() {
            body.push_str(&self.figure(index, line));
        }
        body.push_str("</div>");
        let breaks: Vec<String> = self.breaks.iter().map(|(run, facts)| broken(run.0, facts)).collect();
        if !breaks.is_empty() {
            body.push_str(&format!("<h2>{}</h2>{}", say!("trend-breaks"), html::list(&breaks)));
        }
        format!(
            "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"drivetrain {}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{headline}</title>\n<style>\n{}</style>\n\
             </head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n",
            words::Language::spoken().tag(),
            env!("CARGO_PKG_VERSION"),
            style::sheet()
        )
    }

    /// A metric at a place: its finding as the title, then the drawing.
    fn figure(&self, index: usize, line: &Line) -> String {
        let found: Vec<String> = line.changes.iter().map(|change| self.changed(line, change)).collect();
        let title = if found.is_empty() { self.steady(line) } else { words::parts(found) };
        // One value is a sentence, no figure.
        let widths = if line.values.len() < 2 { &[][..] } else { &Width::ROW[..] };
        let drawing: String = widths.iter().map(|at| self.drawing(index, line, (&title, *at))).collect();
        format!(
            "<figure class=\"row\"><figcaption><h3>{}</h3></figcaption><div class=\"plot\">{drawing}</div></figure>\n",
            escape(&title)
        )
    }

    fn drawing(&self, index: usize, line: &Line, (title, width): (&str, Width)) -> String {
        let [left, right, top, bottom] = MARGINS;
        let (end, floor) = (width.units() - right, HEIGHT - bottom);
        let values = || line.values.iter().map(|pair| pair.1);
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        let last = self.runs.len().saturating_sub(1) as f64;
        let across = Scale::new(Spread::Linear, (0.0, last), (left, end));
        let up =
            Scale::new(Spread::Linear, (low - 0.1 * (high - low), high + 0.1 * (high - low)), (floor, top));
        let mut canvas = Canvas::new();
        for value in [low, high] {
            let y = up.place(value);
            canvas.line("grid", (left, y), (end, y));
            canvas.text("tick", (left - 6.0, y + 4.0), Anchor::End, &Digits::alone(value).show(value));
        }
        for (run, facts) in &self.breaks {
            let Some(at) = self.runs.iter().position(|known| known.0 == *run) else { continue };
            let x = across.place(at as f64 - 0.5);
            canvas.rect("tick", (x - 1.0, top), (2.0, floor - top), &broken(run.0, facts));
        }
        let mark = BedMark::default();
        let mut start = 0;
        for stop in line.changes.iter().map(|change| change.at).chain([line.values.len()]) {
            let points: Vec<(f64, f64)> = line.values[start..stop]
                .iter()
                .map(|(run, value)| (across.place(*run as f64), up.place(*value)))
                .collect();
            canvas.polyline(&format!("line {}", mark.line_class()), &points);
            start = stop;
        }
        for (run, value) in &line.values {
            let (number, started) = &self.runs[*run];
            let hint = say!(
                "trend-point",
                run = number.to_string(),
                started = naming::minute(started),
                value = line.shown(*value)
            );
            canvas.marker(&mark, (across.place(*run as f64), up.place(*value)), 3.5, Some(&hint));
        }
        for (at, anchor) in [(0, Anchor::Start), (self.runs.len() - 1, Anchor::End)] {
            let (number, started) = &self.runs[at];
            let text = say!("trend-axis", run = number.to_string(), started = naming::minute(started));
            canvas.text("tick", (across.place(at as f64), HEIGHT - 10.0), anchor, &text);
        }
        let id = format!("trend-{index}-{}", width.class());
        canvas.finish(&id, width.class(), (width.units(), HEIGHT), title, &self.steady(line)).markup("")
    }
}

/// `before run 9 changed: kernel: 6.1 -> 6.8`.
fn broken(run: i64, facts: &[String]) -> String {
    say!("trend-break", run = run.to_string(), facts = words::parts(facts))
}
