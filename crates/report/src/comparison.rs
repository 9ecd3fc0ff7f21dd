//! The result of comparing beds or runs: verdicts with everything that limits them.

use crate::caution::Cautions;
use crate::caution::others::Disturbed;
use crate::contrast::{Contrast, Unjudged};
use crate::durability::{self, Crashes};
use crate::finding::Operation;
use crate::held::{self, Held};
use crate::hosts::{self, FleetResult};
use crate::inputs::{self, InputShare};
use crate::instances::{self, Instances};
use crate::level::LevelUnit;
use crate::limiter::{self, Limiters};
use crate::loaded_run::LoadedRun;
use crate::naming::BedName;
use crate::noise::Noise;
use crate::nuisance::Nuisance;
use crate::pace::{self, Pace};
use crate::scale_out::{self, ScaleOut};
use crate::sentences::{self, Names, Span};
use crate::table::Table;
use crate::wear::{self, Wear};
use notebook::CellState;
use words::{Metric, Reasons, say};

/// A cell that was run but does not count.
#[derive(Clone, Debug, PartialEq)]
pub struct ExcludedCell {
    /// Place in the order of the run, from 0; shown to people from 1.
    pub position: u32,
    /// Name of the bed.
    pub bed: String,
    /// Name of the workload.
    pub workload: String,
    /// The load.
    pub level: f64,
    /// The unit of levels.
    pub level_name: LevelUnit,
    /// The number of the repeat, from 0; shown to people from 1.
    pub repeat: u32,
    /// Invalid or interrupted.
    pub state: CellState,
    /// The reasons.
    pub reasons: Reasons,
    /// True for a cell of the baseline, when two runs are compared.
    pub of_baseline: bool,
}

impl ExcludedCell {
    /// The reasons, in words.
    #[must_use]
    pub fn reason(&self) -> String {
        self.reasons.text().unwrap_or_else(|| say!("left-out-no-reason").to_owned())
    }
}

/// An honest comparison: verdicts with everything that limits them.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Title of the experiment.
    pub title: String,
    /// The question that the experiment asks.
    pub question: Option<String>,
    /// The answer in one sentence, with ratio, interval and verdict.
    pub answer: String,
    /// The contrast that the answer states: throughput of the first bed that is not the baseline, at the
    /// highest level at which it could be judged, in the first workload; p99 where both beds kept a requested
    /// rate of transactions. The rule is fixed so that nobody can pick the most flattering one.
    pub headline: Option<Contrast>,
    /// All contrasts: by workload, metric (primary first), level and bed.
    pub contrasts: Vec<Contrast>,
    /// Primary contrasts between beds that are the same in everything that was recorded (A/A): their size is
    /// noise.
    pub same_bed: Vec<Contrast>,
    /// Contrasts without a ratio.
    pub unjudged: Vec<Unjudged>,
    /// Everything in which the beds differ besides the treatment.
    pub nuisances: Vec<Nuisance>,
    /// In what the beds differ on purpose, as far as it was recorded.
    pub treatment: Vec<Nuisance>,
    /// True if beds are called by their names: only if nothing but the treatment differs.
    pub named_by_treatment: bool,
    /// The name of each bed, in the order of the experiment.
    pub beds: Vec<BedName>,
    /// When two runs are compared: the name of each bed in the one below the line of every ratio.
    pub beds_below: Vec<BedName>,
    /// Name of the bed below the line of every ratio; empty when runs are compared.
    pub baseline: String,
    /// When two runs are compared: what the second (above the line of every ratio) and the first (below it)
    /// are called.
    pub runs: Option<(String, String)>,
    /// The limiters of the cells.
    pub limiters: Vec<Limiters>,
    /// The findings of the durability test, bed by bed; empty without one.
    pub crashes: Vec<Crashes>,
    /// The results of backups, scans, fragmentation and neighbours; empty without them.
    pub operations: Vec<Operation>,
    /// The input of order entry against the limits of the clauses.
    pub inputs: Vec<InputShare>,
    /// The fairness of beds of several instances; empty without such beds.
    pub instances: Vec<Instances>,
    /// The hosts of a fleet; empty for a run of one process.
    pub hosts: Vec<FleetResult>,
    /// The pace of the loads that ask for one.
    pub paces: Vec<Pace>,
    /// Throughput against the number of ranks; empty where that is not the level.
    pub scale_out: Vec<ScaleOut>,
    /// Beds whose instances ran under limits; empty without such beds.
    pub held: Vec<Held>,
    /// The bytes written to the drives.
    pub wear: Vec<Wear>,
    /// The difference of a bed from itself.
    pub noise: Vec<Noise>,
    /// The kind of these numbers: emulated, real, scaled.
    pub basis: Vec<String>,
    /// True if beds of a storage comparison lie on one drive: then they differ in nothing.
    pub(crate) shares_drive: bool,
    /// Places at which other programs held notably different shares of the processors in two runs.
    pub(crate) disturbed: Vec<Disturbed>,
    /// The caveats about the numbers, those first that change how far the answer holds.
    pub warnings: Vec<String>,
    /// The number of those that do.
    pub grave_warnings: usize,
    /// Cells that were run but do not count.
    pub excluded: Vec<ExcludedCell>,
    /// The answer in pieces, for the page.
    pub(crate) spans: Vec<Span>,
}

impl Comparison {
    /// Keeps the caveats.
    pub(crate) fn warn(&mut self, cautions: Cautions) {
        self.grave_warnings = cautions.grave.len();
        self.warnings = [cautions.grave, cautions.notes].concat();
    }

    /// The caveats that change how far the answer holds, and the others.
    pub(crate) fn graded(&self) -> (&[String], &[String]) {
        self.warnings.split_at(self.grave_warnings.min(self.warnings.len()))
    }

    /// The shown name of a bed.
    pub fn shown<'a>(&'a self, bed: &'a str) -> &'a str {
        self.beds.iter().find(|known| known.name == bed).map_or(bed, |known| known.shown.as_str())
    }

    /// The shown name of a bed below the line of a ratio.
    fn shown_below<'a>(&'a self, bed: &'a str) -> &'a str {
        let below = self.beds_below.iter().find(|known| known.name == bed);
        below.map_or_else(|| self.shown(bed), |known| known.shown.as_str())
    }

    /// The shown names of a bed in both runs: one, where they agree.
    pub(crate) fn shown_in_both(&self, bed: &str) -> String {
        let (above, below) = (self.shown(bed), self.shown_below(bed));
        if above == below { above.to_owned() } else { format!("{above} / {below}") }
    }

    /// The two sides of a contrast as sentences name them.
    pub(crate) fn names(&self, treatment: &str, baseline: &str) -> Names {
        let (above, below) = (self.shown(treatment), self.shown_below(baseline));
        match &self.runs {
            None => Names { treatment: above.to_owned(), baseline: below.to_owned() },
            Some((a, b)) => {
                let of_run = |bed: &str, run: &str| say!("answer-bed-in-run", bed, run);
                Names { treatment: of_run(above, a), baseline: of_run(below, b) }
            }
        }
    }

    /// The reasons why contrasts could not be judged; of primary metrics only, or of all.
    pub(crate) fn unjudged_sentences(&self, primary_only: bool) -> Vec<String> {
        let wanted = |unjudged: &&Unjudged| {
            !primary_only
                || matches!(unjudged.metric, Metric::Nopm | Metric::Tps | Metric::Iops | Metric::LATENCY_P99)
        };
        let sentence = |unjudged: &Unjudged| {
            sentences::unjudged(unjudged, &self.names(&unjudged.treatment_bed, &unjudged.baseline_bed))
        };
        self.unjudged.iter().filter(wanted).map(sentence).collect()
    }

    /// The differences of identical beds, at the highest level of each primary metric: one sentence each.
    pub(crate) fn same_bed_sentences(&self) -> Vec<String> {
        let highest = |contrast: &Contrast| {
            let same = |c: &&Contrast| {
                (&c.workload, &c.metric, &c.treatment_bed, &c.baseline_bed)
                    == (&contrast.workload, &contrast.metric, &contrast.treatment_bed, &contrast.baseline_bed)
            };
            self.same_bed.iter().filter(same).all(|c| c.level <= contrast.level)
        };
        let sentence = |contrast: &Contrast| {
            sentences::same_bed(contrast, &self.names(&contrast.treatment_bed, &contrast.baseline_bed))
        };
        self.same_bed.iter().filter(|contrast| highest(contrast)).map(sentence).collect()
    }

    /// The declared contrasts that are not settled, a sentence for each, with what would settle it.
    pub(crate) fn open_sentences(&self) -> Vec<String> {
        let sentence = |contrast: &Contrast| {
            let at = contrast.level_name.said(contrast.level);
            sentences::open(contrast, &at, &self.shown_in_both(&contrast.treatment_bed))
        };
        self.contrasts.iter().filter(|contrast| contrast.primary).filter_map(sentence).collect()
    }

    /// The metric in which the beds are compared under a workload: that of the answer, where it is about it.
    pub(crate) fn compared_metric(&self, loaded: &LoadedRun, workload: &str) -> Metric {
        let answered = self.headline.as_ref().filter(|headline| headline.workload == workload);
        if let Some(headline) = answered {
            return headline.metric;
        }
        limiter::compared_metric(loaded, &self.limiters, workload)
    }

    /// The contrasts of one metric of one workload, by level and bed.
    pub(crate) fn of_metric<'a>(
        &'a self,
        workload: &'a str,
        metric: Metric,
    ) -> impl Iterator<Item = &'a Contrast> {
        self.contrasts.iter().filter(move |c| c.workload == workload && c.metric == metric)
    }

    /// The primary contrast of the same place as another, in another metric.
    pub(crate) fn beside(&self, contrast: &Contrast, metric: Metric) -> Option<&Contrast> {
        self.contrasts.iter().find(|c| {
            c.metric == metric
                && c.workload == contrast.workload
                && c.level == contrast.level
                && c.treatment_bed == contrast.treatment_bed
        })
    }

    /// One line for each bed of the durability test.
    pub(crate) fn crash_table(&self) -> Table {
        durability::table(&self.crashes, |bed| self.shown(bed))
    }

    /// The shares of the input beside their limits.
    pub(crate) fn input_table(&self) -> Table {
        inputs::table(&self.inputs)
    }

    /// One line for each bed of several instances and each level.
    pub(crate) fn instance_table(&self) -> Table {
        instances::table(&self.instances, |bed| self.shown(bed))
    }

    /// One line for each host of a fleet.
    pub(crate) fn host_table(&self) -> Table {
        hosts::table(&self.hosts, |bed| self.shown(bed))
    }

    /// The delay of the load generator, one line for each bed and level of a load with a pace.
    pub(crate) fn pace_table(&self) -> Table {
        pace::table(&self.paces, |bed| self.shown(bed))
    }

    /// The sum of the hosts and its spread, a sentence for each bed and level.
    pub(crate) fn host_sentences(&self) -> Vec<String> {
        hosts::sentences(&self.hosts, |bed| self.shown(bed))
    }

    /// One line for each bed and number of ranks.
    pub(crate) fn scale_out_table(&self) -> Table {
        scale_out::table(&self.scale_out, |bed| self.shown(bed))
    }

    /// Throughput against ranks, a sentence for each bed.
    pub(crate) fn scale_out_sentences(&self) -> Vec<String> {
        scale_out::sentences(&self.scale_out, |bed| self.shown(bed))
    }

    /// The limits of instances, one line for each bed and level that had any.
    pub(crate) fn held_table(&self) -> Table {
        held::table(&self.held, |bed| self.shown(bed))
    }

    /// The bytes written to the drives, one line for each bed and level.
    pub(crate) fn wear_table(&self) -> Table {
        wear::table(&self.wear, |bed| self.shown(bed))
    }
}
