//! Two runs compared, as the main part of a page: what can be compared comes before what was found.

use super::levels;
use crate::comparison::Comparison;
use crate::contrast::Contrast;
use crate::html::{details, list, prose};
use crate::page::beginnings;
use crate::sentences::{self, Span};
use crate::svg::escape;
use crate::{limiter, number};
use words::say;

/// As many caveats that change how far the answer holds are read.
const GRAVE_OPEN_MOST: usize = 4;
/// Of more, so many are read, and the others are folded.
const GRAVE_TOLD: usize = 3;
/// A table of more factors is folded.
const NUISANCES_MOST: usize = 12;
/// As many sentences on what is not settled are read; more are folded.
const OPEN_MOST: usize = 3;

impl Comparison {
    /// The comparison as markup below a page's header, with the classes of [`crate::style_sheet`]. Texts of
    /// users are escaped.
    #[must_use]
    pub fn to_markup(&self) -> String {
        let mut html = format!("<h1>{}</h1>", escape(self.question.as_deref().unwrap_or(&self.title)));
        html.push_str(&format!(
            "<p class=\"answer\">{}</p>",
            self.spans.iter().map(marked).collect::<String>()
        ));
        html.push_str(&self.comparability());
        for (workload, metric) in self.metrics(true) {
            let contrasts: Vec<&Contrast> = self.of_metric(&workload, metric).collect();
            let caption = self.metric_heading(&workload, metric).unwrap_or_default();
            let heading = metric.shown().map_or_else(|| metric.name(), |shown| shown.title.to_owned());
            html.push_str(&section(&heading, &levels::table(self, &contrasts, false, &caption)));
        }
        let open = self.open_sentences();
        match open.len() {
            0 => {}
            1..=OPEN_MOST => html.push_str(&section(say!("heading-open"), &list(&open))),
            count => {
                let heading = format!("{}: {}", say!("heading-open"), words::decimals(count as f64, 0));
                html.push_str(&format!("<section>{}</section>", details(&heading, &list(&open))));
            }
        }
        html.push_str(&self.folded());
        html
    }

    /// Limits of the answer: the conditions in which the runs differ.
    fn comparability(&self) -> String {
        let (grave, _) = self.graded();
        let spread = self.spread_note();
        let (spread, grave): (Vec<&String>, Vec<&String>) =
            grave.iter().partition(|text| Some(*text) == spread.as_ref());
        let mut html: String =
            spread.iter().map(|text| format!("<p class=\"soft\">{}</p>", prose(text))).collect();
        if !grave.is_empty() {
            let heading = say!("page-grave", count = sentences::grouped(grave.len()));
            let items = |of: &[&String]| -> String {
                of.iter().map(|text| format!("<li>{}</li>", prose(text))).collect()
            };
            let told = if grave.len() > GRAVE_OPEN_MOST { GRAVE_TOLD } else { grave.len() };
            let (first, more) = grave.split_at(told);
            let folded = match more.len() {
                0 => String::new(),
                count => format!(
                    "<details class=\"notes\"><summary>{}</summary><ul>{}</ul></details>",
                    escape(&say!("page-grave-more", count = sentences::grouped(count))),
                    items(more)
                ),
            };
            html.push_str(&format!(
                "<div class=\"stop\"><h3>{}</h3><ul>{}</ul>{folded}</div>",
                escape(&heading),
                items(first)
            ));
        }
        if !self.treatment.is_empty() {
            let heading = say!("text-varied", count = sentences::grouped(self.treatment.len()));
            html.push_str(&section(&heading, &self.differing_table(&self.treatment).to_html(&heading)));
        }
        if self.nuisances.is_empty() {
            html.push_str(&format!("<section><p>{}</p></section>", prose(say!("text-no-nuisance-of-runs"))));
        } else {
            let heading = self.nuisance_sentence();
            let table = self.differing_table(&self.nuisances).to_html(&heading);
            let is_long = self.nuisances.len() > NUISANCES_MOST;
            html.push_str(&section(
                &heading,
                &if is_long { details(say!("page-table"), &table) } else { table },
            ));
        }
        html
    }

    /// That the difference is smaller than the spread, as a caution says it: a small difference is a result
    /// and no fault of the runs.
    fn spread_note(&self) -> Option<String> {
        let headline = self.headline.as_ref()?;
        let of_headline = |noise: &&crate::noise::Noise| {
            noise.workload == headline.workload && noise.metric == headline.metric
        };
        let noise = self.noise.iter().find(of_headline)?;
        Some(say!("caution-below-noise", variation = number::percent_rounded(noise.variation)))
    }

    /// The exploratory contrasts, the limiters, the cells that were left out and the notes: each unfolded by
    /// its line.
    fn folded(&self) -> String {
        let mut html = String::new();
        let exploratory: Vec<&Contrast> = self.contrasts.iter().filter(|one| !one.primary).collect();
        if !exploratory.is_empty() {
            let count = sentences::grouped(exploratory.len());
            let explained = self.exploratory_sentence(exploratory.len());
            let table = levels::table(self, &exploratory, true, &explained);
            html.push_str(&details(&say!("page-exploratory", count), &table));
        }
        let mut workloads: Vec<&str> = self.limiters.iter().map(|one| one.workload.as_str()).collect();
        workloads.dedup();
        for workload in workloads {
            let level =
                self.limiters.iter().find(|one| one.workload == workload).map(|one| one.level_name.heading());
            let level = level.unwrap_or_default();
            let heading = say!("heading-limiters", workload, level);
            let meanings = list(&limiter::meanings(&self.limiters));
            html.push_str(&details(&heading, &(self.limiter_table(workload).to_html(&heading) + &meanings)));
        }
        let (_, notes) = self.graded();
        let excluded = self.excluded.iter().map(|cell| self.excluded_sentence(cell)).collect::<Vec<_>>();
        let notes = [notes, &self.basis].concat();
        let heading = say!("page-notes", count = sentences::grouped(notes.len()));
        let heading = format!("{heading} {}", beginnings(&notes));
        for (heading, sentences) in [(say!("heading-left-out"), excluded), (heading.as_str(), notes)] {
            if !sentences.is_empty() {
                html.push_str(&details(heading, &list(&sentences)));
            }
        }
        html
    }
}

fn section(heading: &str, body: &str) -> String {
    format!("<section><h2>{}</h2>{body}</section>", prose(heading))
}

fn marked(span: &Span) -> String {
    match span {
        Span::Plain(_) => span.markup(),
        Span::Strong(text) => format!("<b>{}</b>", escape(text)),
        Span::Verdict(..) => {
            format!("<span class=\"verdict {}\">{}</span>", span.class(), escape(&span.text()))
        }
    }
}
