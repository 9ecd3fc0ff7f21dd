//! Two runs compared, as the main part of a page: what can be compared comes before what was found.

use crate::comparison::Comparison;
use crate::contrast::Contrast;
use crate::html::{details, list, prose};
use crate::limiter;
use crate::page::beginnings;
use crate::sentences::{self, Span};
use crate::svg::escape;
use words::{LevelName, say, spoken};

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
            html.push_str(&section(&heading, &self.contrast_table(&contrasts, false).to_html(&caption)));
        }
        let open = self.open_sentences();
        if !open.is_empty() {
            html.push_str(&section(say!("heading-open"), &list(&open)));
        }
        html.push_str(&self.folded());
        html
    }

    /// What changes how far the answer holds, and in what the runs differ.
    fn comparability(&self) -> String {
        let (grave, _) = self.graded();
        let mut html = String::new();
        if !grave.is_empty() {
            let heading = say!("page-grave", count = sentences::grouped(grave.len()));
            let items: String = grave.iter().map(|text| format!("<li>{}</li>", prose(text))).collect();
            html.push_str(&format!(
                "<div class=\"stop\"><h3>{}</h3><ul>{items}</ul></div>",
                escape(&heading)
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
            html.push_str(&section(&heading, &self.differing_table(&self.nuisances).to_html(&heading)));
        }
        html
    }

    /// The exploratory contrasts, the limiters, the cells that were left out and the notes: each unfolded by
    /// its line.
    fn folded(&self) -> String {
        let mut html = String::new();
        let exploratory: Vec<&Contrast> = self.contrasts.iter().filter(|one| !one.primary).collect();
        if !exploratory.is_empty() {
            let count = sentences::grouped(exploratory.len());
            let explained = self.exploratory_sentence(exploratory.len());
            let table = self.contrast_table(&exploratory, true).to_html(&explained);
            html.push_str(&details(&say!("page-exploratory", count), &table));
        }
        let mut workloads: Vec<&str> = self.limiters.iter().map(|one| one.workload.as_str()).collect();
        workloads.dedup();
        for workload in workloads {
            let level = self.limiters.iter().find(|one| one.workload == workload).map(|one| &one.level_name);
            let level = level.map_or("", |name| spoken::<LevelName>(name));
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
