//! One table, written for the terminal or for the page: figures, comparisons and cells all pass through here.

use crate::contrast::Contrast;
use crate::lines;
use crate::sentences;
use crate::svg::{escape, width};
use measure::Verdict;
use std::fmt::Write as _;
use words::say;

/// Font size, space between columns and width of a phone in CSS pixels, as in the style sheet.
const FONT: f64 = 14.0;
const PADDING: f64 = 12.0;
const PHONE_WIDTH: f64 = 340.0;

/// The meaning of a table cell beyond its text; the page gives it a class, the terminal nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// Less important than its neighbours.
    Soft,
    /// Differs between beds, or is the number that matters.
    Strong,
    /// A verdict.
    Verdict(Verdict),
    /// A cell that was left out, or a flag.
    Flag,
}

/// One cell of a table.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Entry {
    pub(crate) text: String,
    pub(crate) tone: Tone,
    /// The address that the page links the text to.
    pub(crate) link: Option<String>,
}

impl From<String> for Entry {
    fn from(text: String) -> Entry {
        Entry { text, ..Entry::default() }
    }
}

impl From<&str> for Entry {
    fn from(text: &str) -> Entry {
        Entry { text: text.to_owned(), ..Entry::default() }
    }
}

impl Entry {
    /// An entry with a tone.
    pub(crate) fn toned(text: impl Into<String>, tone: Tone) -> Entry {
        Entry { text: text.into(), tone, link: None }
    }

    /// The verdict of a comparison, corrected for the number of questions, with its word; one from too few
    /// repeats is marked as the hint that it is.
    pub(crate) fn verdict(contrast: &Contrast) -> Entry {
        Entry::toned(contrast.judged(), Tone::Verdict(contrast.verdict()))
    }
}

/// A column: its header carries the unit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) head: String,
    /// Numbers are set to the right, words to the left.
    pub(crate) number: bool,
    /// Left out on a phone: the other columns are what a reader needs first.
    pub(crate) aside: bool,
}

impl Column {
    /// A column of words.
    pub(crate) fn text(head: impl Into<String>) -> Column {
        Column { head: head.into(), number: false, aside: false }
    }

    /// A column of numbers, such as `NOPM (1/min)`.
    pub(crate) fn number(head: impl Into<String>) -> Column {
        Column { head: head.into(), number: true, aside: false }
    }

    /// The column, left out on a phone.
    pub(crate) fn aside(self) -> Column {
        Column { aside: true, ..self }
    }

    /// The classes of its cells.
    fn classes(&self) -> impl Iterator<Item = &'static str> {
        [self.number.then_some("n"), self.aside.then_some("aside")].into_iter().flatten()
    }
}

/// The columns of a table: `columns![text say!("column-bed"), number say!("column-cells")]`.
macro_rules! columns {
    ($($kind:ident $head:expr),* $(,)?) => {
        vec![$($crate::table::Column::$kind($head)),*]
    };
}
pub(crate) use columns;

/// Rows under headers.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Entry>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(columns: Vec<Column>) -> Table {
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row; one that is too short is filled up, one that is too long is cut.
    pub(crate) fn row<E: Into<Entry>>(&mut self, entries: impl IntoIterator<Item = E>) {
        let mut row: Vec<Entry> = entries.into_iter().map(Into::into).collect();
        row.resize(self.columns.len(), Entry::default());
        self.rows.push(row);
    }

    /// Aligned plain text, two spaces between columns, no line ends with a space.
    pub(crate) fn to_text(&self, indent: &str) -> String {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|index| {
                let cells = self.rows.iter().map(|row| lines::width(&row[index].text));
                cells.chain([lines::width(&self.columns[index].head)]).max().unwrap_or(0)
            })
            .collect();
        let heads = self.columns.iter().map(|column| column.head.as_str()).collect::<Vec<_>>();
        let mut text = self.text_line(indent, &heads, &widths);
        for row in &self.rows {
            let cells = row.iter().map(|entry| entry.text.as_str()).collect::<Vec<_>>();
            text.push_str(&self.text_line(indent, &cells, &widths));
        }
        text
    }

    fn text_line(&self, indent: &str, cells: &[&str], widths: &[usize]) -> String {
        let mut line = indent.to_owned();
        for (index, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let padding = " ".repeat(width.saturating_sub(lines::width(cell)));
            let gap = if index == 0 { "" } else { "  " };
            let _ = match self.columns[index].number {
                true => write!(line, "{gap}{padding}{cell}"),
                false => write!(line, "{gap}{cell}{padding}"),
            };
        }
        format!("{}\n", line.trim_end())
    }

    /// An HTML table in a frame that scrolls by itself, with the first column as row headers.
    pub(crate) fn to_html(&self, caption: &str) -> String {
        let mut html = format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">",
            escape(caption)
        );
        // On a narrow screen a table that is too wide is laid out row by row, each entry under its column's
        // name.
        let wide = self.is_wide();
        let class = if wide { " class=\"stack\"" } else { "" };
        let _ = write!(html, "<table{class}><caption>{}</caption><thead><tr>", escape(caption));
        for column in &self.columns {
            let class = class_of(column.classes());
            let _ = write!(html, "<th scope=\"col\"{class}>{}</th>", escape(&column.head));
        }
        html.push_str("</tr></thead><tbody>\n");
        for (at, row) in self.rows.iter().enumerate() {
            // Rows of one level, laid out one by one, stand under its name.
            let is_same = wide && at > 0 && self.rows[at - 1][0].text == row[0].text;
            html.push_str(if is_same { "<tr class=\"same\">" } else { "<tr>" });
            for (index, entry) in row.iter().enumerate() {
                html.push_str(&self.html_cell(index, entry, wide));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody></table></div>");
        html
    }

    /// True if the columns, each as narrow as its longest word or number, are wider than a phone.
    fn is_wide(&self) -> bool {
        let narrowest = |index: usize| {
            let longest_word =
                |text: &str| text.split(' ').map(|word| width::of(word, FONT, false)).fold(0.0, f64::max);
            let cells = self.rows.iter().map(|row| match self.columns[index].number {
                true => width::of(&row[index].text, FONT, false),
                false => longest_word(&row[index].text),
            });
            cells.fold(longest_word(&self.columns[index].head), f64::max) + PADDING
        };
        (0..self.columns.len()).filter(|index| !self.columns[*index].aside).map(narrowest).sum::<f64>()
            > PHONE_WIDTH
    }

    fn html_cell(&self, index: usize, entry: &Entry, wide: bool) -> String {
        let mut text = escape(&entry.text);
        if let Some(link) = &entry.link {
            text = format!("<a href=\"{}\">{text}</a>", escape(link));
        }
        let column = &self.columns[index];
        let (tone, text) = match entry.tone {
            Tone::Plain => ("", text),
            Tone::Soft => ("soft", text),
            Tone::Strong => ("strong", text),
            Tone::Flag => ("flag", text),
            Tone::Verdict(verdict) => {
                ("", format!("<span class=\"verdict {}\">{text}</span>", sentences::verdict_class(verdict)))
            }
        };
        // A name and a verdict need no word before them.
        let is_bed = wide && index > 0 && column.head == say!("column-bed");
        let is_verdict = matches!(entry.tone, Tone::Verdict(_));
        let all = column.classes().chain(is_bed.then_some("of")).chain(Some(tone));
        let mut class = class_of(all.filter(|part| !part.is_empty()));
        if wide && !is_bed && !is_verdict {
            let _ = write!(class, " data-h=\"{}\"", escape(&column.head));
        }
        match index {
            0 => format!("<th scope=\"row\"{class}>{text}</th>"),
            _ => format!("<td{class}>{text}</td>"),
        }
    }
}

/// The attribute with these classes; nothing for none.
fn class_of(classes: impl Iterator<Item = &'static str>) -> String {
    let all = classes.collect::<Vec<_>>().join(" ");
    if all.is_empty() { all } else { format!(" class=\"{all}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new(columns![text "bed", number "NOPM (1/min)", text "verdict"]);
        table.row(["nvme", "9,100", "better"]);
        table.row([
            Entry::from("<eco>"),
            Entry::from("980"),
            Entry::toned("equivalent", Tone::Verdict(Verdict::Equivalent)),
        ]);
        table
    }

    #[test]
    fn text_is_aligned_and_ends_without_spaces() {
        let expected = "  bed    NOPM (1/min)  verdict\n  nvme          9,100  better\n  <eco>           980  equivalent\n";
        assert_eq!(sample().to_text("  "), expected);
    }

    #[test]
    fn html_is_escaped_and_marks_numbers_and_verdicts() {
        let html = sample().to_html("A & B");
        assert!(html.contains("<caption>A &amp; B</caption>"), "{html}");
        assert!(html.contains("<th scope=\"row\">&lt;eco&gt;</th><td class=\"n\">980</td>"), "{html}");
        assert!(html.contains("<span class=\"verdict v-equivalent\">equivalent</span>"), "{html}");
    }

    #[test]
    fn a_wide_table_tells_its_level_once_and_leaves_columns_out_on_a_phone() {
        let long = "a column with a_name_that_is_wider_than_half_of_a_phone";
        let mut table = Table::new(columns![text "level", text "bed", number long, number long]);
        table.columns[3] = table.columns[3].clone().aside();
        table.row(["1 user", "nvme", "1", "2"]);
        table.row(["1 user", "eco", "3", "4"]);
        let html = table.to_html("A");
        assert_eq!(
            (html.matches("<tr class=\"same\">").count(), html.matches("n aside").count()),
            (1, 3),
            "{html}"
        );
        assert!(html.contains("<td class=\"of\">eco</td>"), "{html}");
    }

    #[test]
    fn rows_of_the_wrong_length_are_made_to_fit() {
        let mut table = Table::new(columns![text "a", text "b"]);
        table.row(["1"]);
        table.row(["1", "2", "3"]);
        assert!(table.rows.iter().all(|row| row.len() == 2));
    }
}
