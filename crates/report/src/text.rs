//! The comparison on a terminal: the answer first, then aligned columns with units in their headers, then
//! what limits it.

use crate::comparison::Comparison;
use crate::contrast::Contrast;
use crate::limiter;
use crate::lines::wrap;
use crate::nuisance::Nuisance;
use crate::number::{self, Digits};
use crate::sentences;
use crate::table::{Column, Entry, Table, Tone, columns};
use std::fmt::Write as _;
use words::{Metric, say};

impl Comparison {
    /// The comparison as plain text, without colour, ending with a line end.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        if let Some(question) = &self.question {
            text.push_str(&wrap(question, ""));
        }
        text.push_str(&wrap(&self.answer, ""));
        text.push('\n');
        for sentence in &self.basis {
            text.push_str(&wrap(sentence, ""));
        }
        text.push_str(&self.treatment_text());
        text.push_str(&self.nuisance_text());
        for (workload, metric) in self.metrics(true) {
            text.push_str(&self.metric_text(&workload, metric));
        }
        text.push_str(&bullets(say!("heading-open"), &self.open_sentences()));
        text.push_str(&self.crash_text());
        text.push_str(&self.operation_text());
        text.push_str(&self.exploratory_text());
        text.push_str(&self.instance_text());
        text.push_str(&self.scale_out_text());
        text.push_str(&self.pace_text());
        text.push_str(&self.host_text());
        text.push_str(&self.held_text());
        text.push_str(&self.limiter_text());
        text.push_str(&self.input_text());
        text.push_str(&self.noise_text());
        text.push_str(&self.excluded_text());
        text.push_str(&bullets(say!("heading-careful"), &self.warnings));
        text
    }

    /// Workload and metric of all contrasts, each once, in their order.
    pub(crate) fn metrics(&self, primary: bool) -> Vec<(String, Metric)> {
        let mut metrics: Vec<(String, Metric)> = Vec::new();
        for contrast in self.contrasts.iter().filter(|contrast| contrast.primary == primary) {
            let key = (contrast.workload.clone(), contrast.metric);
            if !metrics.contains(&key) {
                metrics.push(key);
            }
        }
        metrics
    }

    /// The factors varied between two runs on purpose; the treatment of one run is in the page.
    fn treatment_text(&self) -> String {
        if self.runs.is_none() || self.treatment.is_empty() {
            return String::new();
        }
        let heading = wrap(&say!("text-varied", count = sentences::grouped(self.treatment.len())), "");
        heading + &self.differing_table(&self.treatment).to_text("  ")
    }

    /// Factors as rows, sides as columns.
    pub(crate) fn differing_table(&self, differing: &[Nuisance]) -> Table {
        let mut table = Table::new(columns![text say!("column-factor")]);
        for (side, _) in differing.first().into_iter().flat_map(|first| &first.values) {
            table.columns.push(Column::text(self.shown(side)));
        }
        for nuisance in differing {
            let values = nuisance.values.iter().map(|(_, value)| value.clone());
            let values = values.map(|value| value.unwrap_or_else(|| say!("not-recorded").to_owned()));
            table.row([nuisance.fact.clone()].into_iter().chain(values));
        }
        table
    }

    fn nuisance_text(&self) -> String {
        if self.nuisances.is_empty() {
            return match self.runs {
                Some(_) => format!("{}\n", say!("text-no-nuisance-of-runs")),
                None if self.beds.len() < 2 || self.shares_drive => String::new(),
                None => format!("{}\n", say!("text-no-nuisance")),
            };
        }
        let mut text = wrap(&self.nuisance_sentence(), "");
        text.push_str(&self.differing_table(&self.nuisances).to_text("  "));
        if !self.named_by_treatment {
            for bed in &self.beds {
                let _ = writeln!(
                    text,
                    "  {}",
                    say!("text-lettered-bed", bed = bed.shown, name = bed.name, storage = bed.storage)
                );
            }
        }
        text
    }

    /// The consequence of the nuisances.
    pub(crate) fn nuisance_sentence(&self) -> String {
        let count = sentences::grouped(self.nuisances.len());
        match self.runs {
            Some(_) => say!("text-nuisances-of-runs", count),
            None => say!("text-nuisances", count),
        }
    }

    fn metric_text(&self, workload: &str, metric: Metric) -> String {
        let contrasts: Vec<&Contrast> = self.of_metric(workload, metric).collect();
        let Some(heading) = self.metric_heading(workload, metric) else { return String::new() };
        format!("\n{heading}\n{}", self.contrast_table(&contrasts, false).to_text("  "))
    }

    /// The heading of a table of contrasts: the metric with its unit, its better direction and its smallest
    /// effect.
    pub(crate) fn metric_heading(&self, workload: &str, metric: Metric) -> Option<String> {
        let first = self.of_metric(workload, metric).next()?;
        let many = self.metrics(true).iter().any(|(other, _)| other != workload);
        let title = metric.shown().map_or_else(|| metric.name(), |shown| shown.title.to_owned());
        let title = if many { format!("{workload}: {title}") } else { title };
        Some(say!(
            "text-metric",
            title,
            unit = first.unit,
            direction = sentences::direction(first.direction),
            smallest = number::percent(first.judgement.smallest_effect),
        ))
    }

    /// A table of contrasts by level and bed; with several metrics the metric comes first and the p corrected
    /// for their number last.
    pub(crate) fn contrast_table(&self, contrasts: &[&Contrast], with_metric: bool) -> Table {
        let level_name = contrasts.first().map(|contrast| contrast.level_name.heading());
        let (above, below) = match &self.runs {
            Some((above, below)) => (above.clone(), below.clone()),
            // Geometric means, as the heading says: their quotient is the ratio.
            None => (say!("column-mean").to_owned(), self.shown(&self.baseline).to_owned()),
        };
        let mut columns = if with_metric { columns![text say!("column-metric")] } else { Vec::new() };
        columns.extend(columns![
            number level_name.unwrap_or(say!("column-level").into()),
            text say!("column-bed"),
        ]);
        // On a phone the ratio says what the means say.
        columns.extend([above, below].map(|mean| Column::number(mean).aside()));
        columns.extend(columns![number say!("column-ratio"), number say!("column-deciding-interval")]);
        columns.push(Column::text(say!("column-from")).aside());
        if with_metric {
            columns.push(Column::number(say!("column-p-holm")).aside());
        }
        columns.push(Column::text(say!("column-verdict")));
        let mut table = Table::new(columns);
        for contrast in contrasts {
            table.row(self.contrast_row(contrast, with_metric));
        }
        table
    }

    fn contrast_row(&self, contrast: &Contrast, with_metric: bool) -> Vec<Entry> {
        let [value, interval] = number::decided_columns_at(&contrast.judgement);
        let mean = |value: f64| Digits::alone(value).show(value);
        let mut row: Vec<Entry> = Vec::new();
        if with_metric {
            let shown =
                contrast.shown_metric().map_or_else(|| contrast.metric.name(), |metric| metric.head());
            row.push(shown.into());
        }
        row.extend([
            contrast.level_name.said_under(contrast.level).into(),
            self.shown(&contrast.treatment_bed).into(),
            mean(contrast.treatment_value).into(),
            mean(contrast.baseline_value).into(),
            Entry::toned(value, Tone::Strong),
            interval.into(),
            Entry::toned(basis_short(contrast), Tone::Soft),
        ]);
        if with_metric {
            row.push(contrast.p_adjusted.map(number::p_value).unwrap_or_default().into());
        }
        row.push(Entry::verdict(contrast));
        row
    }

    fn exploratory_text(&self) -> String {
        let contrasts: Vec<&Contrast> = self.contrasts.iter().filter(|contrast| !contrast.primary).collect();
        if contrasts.is_empty() {
            return String::new();
        }
        let heading = self.exploratory_sentence(contrasts.len());
        // A terminal shows the highest level of each workload; the page and the JSON document show all.
        let highest = |contrast: &Contrast| {
            let levels = self.contrasts.iter().filter(|c| c.workload == contrast.workload).map(|c| c.level);
            levels.fold(f64::NEG_INFINITY, f64::max)
        };
        let shown: Vec<&Contrast> = contrasts.iter().copied().filter(|c| c.level == highest(c)).collect();
        let rest = if shown.len() < contrasts.len() { say!("text-highest-level-only") } else { "" };
        format!(
            "\n{}{}",
            wrap(&format!("{heading} {rest}"), ""),
            self.contrast_table(&shown, true).to_text("  ")
        )
    }

    /// The meaning of "exploratory" here.
    pub(crate) fn exploratory_sentence(&self, count: usize) -> String {
        say!("text-exploratory", count = sentences::grouped(count))
    }

    fn crash_text(&self) -> String {
        if self.crashes.is_empty() {
            return String::new();
        }
        format!("\n{}\n{}", say!("heading-durability"), self.crash_table().to_text("  "))
    }

    fn operation_text(&self) -> String {
        let mut text = String::new();
        for of in &self.operations {
            let _ = writeln!(text, "\n{}", say!("heading-in-figures", workload = of.workload));
            text.extend(of.sentences.iter().map(|sentence| wrap(sentence, "  ")));
            text.push_str(&of.table(|bed| self.shown(bed).to_owned()).to_text("  "));
            text.push_str(&bullets(say!("heading-not-concluded"), &of.limits));
        }
        text
    }

    fn instance_text(&self) -> String {
        if self.instances.is_empty() {
            return String::new();
        }
        format!("\n{}\n{}", say!("heading-instances"), self.instance_table().to_text("  "))
    }

    fn host_text(&self) -> String {
        if self.hosts.is_empty() {
            return String::new();
        }
        let sums = self.host_sentences().join("\n");
        format!("\n{}\n{sums}\n{}\n", say!("heading-hosts"), self.host_table().to_text("  "))
    }

    fn pace_text(&self) -> String {
        if self.paces.is_empty() {
            return String::new();
        }
        format!("\n{}\n{}", say!("heading-pace"), self.pace_table().to_text("  "))
    }

    fn scale_out_text(&self) -> String {
        if self.scale_out.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n", say!("heading-scale-out"));
        text.extend(self.scale_out_sentences().iter().map(|sentence| wrap(sentence, "  ")));
        text + &self.scale_out_table().to_text("  ")
    }

    fn held_text(&self) -> String {
        if self.held.is_empty() {
            return String::new();
        }
        format!("\n{}\n{}", say!("heading-limits"), self.held_table().to_text("  "))
    }

    fn input_text(&self) -> String {
        if self.inputs.is_empty() {
            return String::new();
        }
        format!("\n{}\n{}", say!("heading-inputs"), self.input_table().to_text("  "))
    }

    fn limiter_text(&self) -> String {
        let mut workloads: Vec<&str> =
            self.limiters.iter().map(|limiters| limiters.workload.as_str()).collect();
        workloads.dedup();
        let mut text = String::new();
        for workload in workloads {
            let of_workload = self.limiters.iter().find(|l| l.workload == workload);
            let level = of_workload.map(|limiters| limiters.level_name.heading()).unwrap_or_default();
            let _ = writeln!(text, "\n{}", say!("heading-limiters", workload, level));
            text.push_str(&self.limiter_table(workload).to_text("  "));
        }
        text.extend(limiter::meanings(&self.limiters).iter().map(|meaning| wrap(meaning, "  ")));
        text
    }

    /// Beds as rows, levels as columns.
    pub(crate) fn limiter_table(&self, workload: &str) -> Table {
        let here = || self.limiters.iter().filter(|limiters| limiters.workload == workload);
        let mut levels: Vec<f64> = here().map(|limiters| limiters.level).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        let mut columns = columns![text say!("column-bed")];
        columns.extend(levels.iter().map(|level| Column::text(number::level(*level))));
        let mut table = Table::new(columns);
        for bed in &self.beds {
            let mut row = vec![Entry::from(bed.shown.clone())];
            row.extend(levels.iter().map(|level| {
                match here().find(|limiters| limiters.bed == bed.name && limiters.level == *level) {
                    Some(l) if l.is_generator() || l.counts.is_empty() => Entry::toned(l.shown(), Tone::Flag),
                    Some(limiters) => Entry::from(limiters.shown()),
                    None => Entry::toned(say!("limiter-not-planned"), Tone::Soft),
                }
            }));
            table.row(row);
        }
        table
    }

    fn noise_text(&self) -> String {
        let mut text = String::new();
        for noise in &self.noise {
            let of_metric = say!(
                "text-noise",
                workload = noise.workload,
                metric = noise.metric.short(),
                variation = number::percent_rounded(noise.variation),
                groups = sentences::grouped(noise.groups),
                most = number::percent_rounded(noise.variation_most),
                range = number::percent_rounded(noise.range_over_median_most),
            );
            let _ = writeln!(text, "  {of_metric}");
        }
        text.extend(self.same_bed_sentences().iter().map(|sentence| wrap(sentence, "  ")));
        if text.is_empty() { text } else { format!("\n{}\n{text}", say!("heading-noise")) }
    }

    /// The cells that were left out, each with its reason; empty when none was.
    pub(crate) fn excluded_text(&self) -> String {
        let lines: Vec<String> = self.excluded.iter().map(|cell| self.excluded_sentence(cell)).collect();
        bullets(say!("heading-left-out"), &lines)
    }

    /// One line of the list of cells that were left out.
    pub(crate) fn excluded_sentence(&self, cell: &crate::comparison::ExcludedCell) -> String {
        say!(
            "left-out-cell",
            cell = (cell.position + 1).to_string(),
            bed = self.shown(&cell.bed),
            at = cell.level_name.said(cell.level),
            repeat = (cell.repeat + 1).to_string(),
            state = words::Spoken::spoken(cell.state),
            reason = sentences::sentence(&cell.reason()),
        )
    }
}

/// `6 pairs` or `6 + 5 cells`, with a mark when that is too few.
fn basis_short(contrast: &Contrast) -> String {
    let ratio = &contrast.judgement.ratio;
    let (above, below) = ratio.pairs_or_runs;
    let basis = match ratio.paired {
        true => say!("from-pairs", pairs = above),
        false => say!("from-cells", above, below),
    };
    if contrast.judgement.exploratory { say!("from-few", basis) } else { basis }
}

fn bullets(heading: &str, lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(&wrap(line, "- "));
    }
    if text.is_empty() { text } else { format!("\n{heading}\n{text}") }
}
