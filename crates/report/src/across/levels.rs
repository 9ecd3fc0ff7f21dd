//! The contrasts of two runs as a table on the page: the beds of one level under its name. On a phone a row
//! keeps bed, ratio, interval and verdict.

use std::fmt::Write as _;

use crate::comparison::Comparison;
use crate::contrast::Contrast;
use crate::sentences;
use crate::svg::escape;
use crate::table::{Column, Entry, Tone};
use words::say;

/// Columns of a row before its bed: the level, and the metric before it where a table has several.
fn before_bed(with_metric: bool) -> usize {
    if with_metric { 2 } else { 1 }
}

/// The table of contrasts, grouped by level, and by metric where it has several.
pub(super) fn table(
    comparison: &Comparison,
    contrasts: &[&Contrast],
    with_metric: bool,
    caption: &str,
) -> String {
    let groups = groups(comparison, contrasts, with_metric);
    let table = comparison.contrast_table(contrasts, with_metric);
    let columns = &table.columns[before_bed(with_metric)..];
    let mut html = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table class=\"across\"><caption>{0}</caption><thead><tr>",
        escape(caption)
    );
    for (index, column) in columns.iter().enumerate() {
        let class = classes(index, column, &Entry::default());
        let _ = write!(html, "<th scope=\"col\"{class}>{}</th>", escape(&column.head));
    }
    html.push_str("</tr></thead>\n");
    // A level of one row has no heading of its own.
    let is_grouped = groups.iter().any(|(_, contrasts)| contrasts.len() > 1);
    for (heading, contrasts) in &groups {
        html.push_str("<tbody>");
        if is_grouped {
            let (width, heading) = (columns.len(), escape(heading));
            let _ = writeln!(
                html,
                "<tr class=\"at\"><th scope=\"rowgroup\" colspan=\"{width}\">{heading}</th></tr>"
            );
        }
        for mut row in comparison.contrast_table(contrasts, with_metric).rows {
            let bed = &mut row[before_bed(with_metric)];
            if !is_grouped {
                bed.text = format!("{heading} · {}", bed.text);
            }
            html.push_str("<tr>");
            let entries = row.iter().skip(before_bed(with_metric)).zip(columns).enumerate();
            entries.for_each(|(index, (entry, column))| html.push_str(&cell(index, column, entry)));
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody>");
    }
    html.push_str("</table></div>");
    html
}

/// The contrasts of each level under its name, lower levels first; metrics in their order.
fn groups<'a>(
    comparison: &Comparison,
    contrasts: &[&'a Contrast],
    with_metric: bool,
) -> Vec<(String, Vec<&'a Contrast>)> {
    let series = |one: &Contrast| {
        contrasts.iter().position(|other| other.workload == one.workload && other.metric == one.metric)
    };
    let mut sorted = contrasts.to_vec();
    sorted.sort_by(|a, b| series(a).cmp(&series(b)).then(a.level.total_cmp(&b.level)));
    let same = |a: &&Contrast, b: &&Contrast| series(a) == series(b) && a.level == b.level;
    let named = |group: &[&'a Contrast]| (heading(comparison, group[0], with_metric), group.to_vec());
    sorted.chunk_by(same).map(named).collect()
}

/// `8 users`; with several metrics `p99 (ms) · 8 users`, and the workload before it if there are several.
fn heading(comparison: &Comparison, first: &Contrast, with_metric: bool) -> String {
    let level = first.level_name.said(first.level);
    if !with_metric {
        return level;
    }
    let metric = first.shown_metric().map_or_else(|| first.metric.name(), |metric| metric.head());
    let has_others = comparison.contrasts.iter().any(|other| other.workload != first.workload);
    match has_others {
        true => format!("{} · {metric} · {level}", first.workload),
        false => format!("{metric} · {level}"),
    }
}

/// The class of a cell. A phone shows bed, ratio, interval and verdict: the columns 0, 3, 4 and the last.
fn classes(index: usize, column: &Column, entry: &Entry) -> String {
    let is_aside = !matches!(index, 0 | 3 | 4) && column.head != say!("column-verdict");
    let tone = match entry.tone {
        Tone::Soft => "soft",
        Tone::Strong => "strong",
        Tone::Flag => "flag",
        Tone::Plain | Tone::Verdict(_) => "",
    };
    let all = [if column.number { "n" } else { "" }, tone, if is_aside { "aside" } else { "" }];
    let all: Vec<&str> = all.into_iter().filter(|class| !class.is_empty()).collect();
    if all.is_empty() { String::new() } else { format!(" class=\"{}\"", all.join(" ")) }
}

fn cell(index: usize, column: &Column, entry: &Entry) -> String {
    let (class, text) = (classes(index, column, entry), escape(&entry.text));
    match (index, entry.tone) {
        (0, _) => format!("<th scope=\"row\"{class}>{text}</th>"),
        (_, Tone::Verdict(verdict)) => {
            let of = sentences::verdict_class(verdict);
            format!("<td{class}><span class=\"verdict {of}\">{text}</span></td>")
        }
        _ => format!("<td{class}>{text}</td>"),
    }
}
