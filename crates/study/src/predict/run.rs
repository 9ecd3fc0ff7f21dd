//! Predictions for the beds of a measured run: which bed on which drive, judged by which other bed.

use device::catalogue::Entry;
use experiment::{Bed, Experiment, Storage};
use notebook::{CellState, Notebook, RunId};
use words::{Metric, Realm, say};

use super::measured::Measured;
use super::{Drives, Figure, Latency, Layer, Prediction, predict};
use crate::StudyError;

/// The question of a prediction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// The drive to predict for; without one every bed's drive from every bed that differs from it in the
    /// drive alone.
    pub drive: Option<&'a str>,
    /// The bed that was measured; without one the first, or without a drive all.
    pub bed: Option<&'a str>,
    /// The drive that a bed on real storage was measured on.
    pub measured_on: Option<&'a str>,
    /// The drive itself is meant, without the layer that an emulated bed was measured behind.
    pub real: bool,
    /// The bed of the same run to judge the prediction by; by default another bed on the drive with as much
    /// memory.
    pub judge: Option<&'a str>,
    /// Processors of the machine, where the run does not know them.
    pub processors: u32,
    /// Seed of the simulations.
    pub seed: u64,
}

/// Looks up a drive by its name in the catalogue or by the path of its file.
pub type FindDrive<'a, E> = &'a dyn Fn(&str) -> Result<Entry, E>;

/// One bed predicted on one drive.
#[derive(Debug)]
pub struct PredictedBed<'e> {
    /// The bed that was measured.
    pub bed: &'e Bed,
    /// The drive, as it was named.
    pub drive: String,
    /// The bed on that drive.
    pub judge: Option<&'e Bed>,
    /// Level by level.
    pub levels: Vec<PredictedLevel>,
}

impl PredictedBed<'_> {
    /// The prediction without its judge, for one that was measured on another drive.
    pub fn drop_judge(&mut self) {
        self.judge = None;
        self.levels.iter_mut().for_each(|level| level.there = None);
    }
}

/// One level of the measured load and what is predicted for it.
#[derive(Debug)]
pub struct PredictedLevel {
    /// Users.
    pub level: f64,
    /// New orders per minute that were measured.
    pub measured_nopm: f64,
    /// The prediction.
    pub prediction: Prediction,
    /// New orders per minute for each transaction per second.
    nopm_per_s: f64,
    /// The level as it was measured.
    here: Measured,
    /// The same level on a bed on the other drive.
    there: Option<Measured>,
}

words::words! {
    /// The figures that are predicted, by their keys in documents.
    pub enum Predicted {
        /// New orders per minute.
        Nopm = "nopm",
        /// Mean latency of a transaction, ms.
        LatencyMean = "latency_mean_ms",
        /// Its 99th percentile, ms.
        LatencyP99 = "latency_p99_ms",
        /// Mean latency of a commit, ms.
        CommitMean = "commit_mean_ms",
        /// Its 99th percentile, ms.
        CommitP99 = "commit_p99_ms",
    }
}

/// A figure that is predicted, and what was measured in its place.
#[derive(Clone, Copy, Debug)]
pub struct PredictedFigure {
    /// The quantity.
    pub name: Predicted,
    /// Its name in tables, with the unit.
    pub title: &'static str,
    /// The measurement that it was predicted from.
    pub here: Option<f64>,
    /// The predicted figure.
    pub figure: Figure,
    /// The judge's measurement.
    pub measured: Option<f64>,
}

impl PredictedFigure {
    /// (predicted - measured) / measured.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        self.measured.map(|measured| self.figure.value / measured - 1.0)
    }

    /// True if the measurement lies within the interval of the prediction; `None` where nothing was measured.
    #[must_use]
    pub fn is_within_interval(&self) -> Option<bool> {
        self.measured.map(|measured| (self.figure.low..=self.figure.high).contains(&measured))
    }
}

/// Answers `question` for a run, with the drives that `find` finds. `started` receives each bed and drive
/// before its simulation.
///
/// # Errors
/// Those of `find`; a run that cannot be predicted from, or has no such beds; a demand that cannot be.
pub fn predict_run<'e, E: From<StudyError>>(
    notebook: &Notebook,
    run: RunId,
    experiment: &'e Experiment,
    question: &Question<'_>,
    find: FindDrive<'_, E>,
    started: &dyn Fn(&Bed, &str),
) -> Result<Vec<PredictedBed<'e>>, E> {
    of_one_process(notebook, run)?;
    of_its_own_beds(notebook, run, experiment)?;
    let asked = Asked { notebook, run, experiment, question, find };
    let mut all = Vec::new();
    for (bed, drive, judge) in asked.pairs()? {
        let (from, to) = (asked.drive_of(bed)?, find(&drive)?);
        started(bed, &drive);
        let levels = asked.levels(bed, judge, Drives::of(&from, &to))?;
        all.push(PredictedBed { bed, drive, judge, levels });
    }
    Ok(all)
}

/// The largest shares of the machine's processors in a cell of a run that counts, %: their time looks like
/// waits of the load. `None` where no cell has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    /// By other programs.
    pub others_percent: Option<f64>,
    /// By the host, from its virtual machine.
    pub steal_percent: Option<f64>,
}

impl Taken {
    /// Those of a run.
    ///
    /// # Errors
    /// When the notebook cannot be read.
    pub fn of_run(notebook: &Notebook, run: RunId) -> Result<Taken, StudyError> {
        let most = |metric| most_of_cells(notebook, run, metric);
        Ok(Taken { others_percent: most(Metric::CpuOthers)?, steal_percent: most(Metric::CpuSteal)? })
    }
}

/// The largest value of a metric in a cell of a run that counts.
fn most_of_cells(notebook: &Notebook, run: RunId, metric: Metric) -> Result<Option<f64>, StudyError> {
    let metric = metric.to_string();
    let mut most = None;
    for cell in notebook.cells(run)?.iter().filter(|cell| cell.state == CellState::Done) {
        most = notebook.measurement(cell.id, &metric)?.into_iter().chain(most).reduce(f64::max);
    }
    Ok(most)
}

/// Refuses the merged cells of a fleet: each of its ranks had drives and processors of its own, and a level
/// may count ranks.
pub(crate) fn of_one_process(notebook: &Notebook, run: RunId) -> Result<(), StudyError> {
    let sets = notebook.fact_sets(run)?;
    let fleet = sets.iter().find(|(scope, _)| scope == "fleet").map(|(_, facts)| facts);
    let Some(of_first) = fleet.filter(|facts| facts.get("ranks").is_some_and(|ranks| ranks != "1")) else {
        return Ok(());
    };
    let notebook = of_first.get("host.1.notebook").map_or("its own", String::as_str);
    Err(StudyError::Question(format!(
        "run {run} is of several ranks, each with drives of its own; take the notebook of one (--notebook {notebook})"
    )))
}

/// Refuses a simulation of the beds of a study: their hosts, memory and drives are not those of the file.
fn of_its_own_beds(notebook: &Notebook, run: RunId, experiment: &Experiment) -> Result<(), StudyError> {
    let is_simulated = notebook.run(run)?.realm == Realm::Simulated;
    let Some(bed) = experiment.bed.iter().find(|bed| is_simulated && bed.simulated.is_some()) else {
        return Ok(());
    };
    Err(StudyError::Question(format!(
        "run {run} simulated the beds of a study, which differ in more than their drives (bed `{}` is {}); run the experiment without --realm simulated, and predict from that",
        bed.name,
        bed.simulated.as_deref().unwrap_or_default()
    )))
}

/// A bed, the drive that it is predicted on, and the bed that judges it.
type Pair<'e> = (&'e Bed, String, Option<&'e Bed>);

/// A question with all that its answer is made from.
struct Asked<'a, 'e, E> {
    notebook: &'a Notebook,
    run: RunId,
    experiment: &'e Experiment,
    question: &'a Question<'a>,
    find: FindDrive<'a, E>,
}

impl<'e, E: From<StudyError>> Asked<'_, 'e, E> {
    fn refuse<T>(&self, message: String) -> Result<T, E> {
        Err(StudyError::question(message).into())
    }

    /// Beds, the drives that they are predicted on, and the beds that judge it.
    fn pairs(&self) -> Result<Vec<Pair<'e>>, E> {
        let (run, beds) = (self.run.0, &self.experiment.bed);
        let named = |name: &str| {
            let bed = self.experiment.find_bed(name);
            bed.map_or_else(|| self.refuse(format!("run {run} has no bed `{name}`")), Ok)
        };
        let measured = self.question.bed.map(named).transpose()?;
        let judge = self.question.judge.map(named).transpose()?;
        if let Some(drive) = self.question.drive {
            let Some(bed) = measured.or(beds.first()) else {
                return self.refuse(format!("run {run} has no bed"));
            };
            let name = (self.find)(drive)?.name;
            if let Some(judge) = judge {
                self.may_judge(bed, judge, &name)?;
            }
            let like = || beds.iter().find(|other| other.name != bed.name && self.is_like(bed, other, &name));
            let judge = judge.or_else(like).filter(|judge| self.has_layer_of_answer(judge));
            return Ok(vec![(bed, drive.to_owned(), judge)]);
        }
        if judge.is_some() {
            return self
                .refuse("--judge belongs to one prediction: say with --drive for which drive".to_owned());
        }
        let mut pairs = Vec::new();
        for bed in beds.iter().filter(|bed| measured.is_none_or(|only| only.name == bed.name)) {
            for other in beds.iter().filter(|other| !other.storage.same_kind(&bed.storage)) {
                let Storage::Emulated { drive, .. } = &other.storage else { continue };
                let name = (self.find)(drive)?.name;
                if self.is_like(bed, other, &name) {
                    pairs.push((bed, drive.clone(), Some(other).filter(|bed| self.has_layer_of_answer(bed))));
                }
            }
        }
        if pairs.is_empty() {
            return self.refuse(format!(
                "run {run} has no two beds that differ in their emulated drive alone: say with --drive which drive to predict for (`drivetrain drives`)"
            ));
        }
        Ok(pairs)
    }

    /// Refuses a judge that is the measured bed or differs from it in more than the drive, and one on another
    /// drive. The drive below a bed on real storage is the user's word.
    fn may_judge(&self, bed: &Bed, judge: &Bed, drive: &str) -> Result<(), E> {
        let (name, of) = (&judge.name, &bed.name);
        if name == of {
            return self.refuse(format!("bed `{name}` cannot judge a prediction from bed `{of}`"));
        }
        if let Some(on) = self.emulated(judge).filter(|on| on != drive) {
            return self.refuse(format!("bed `{name}` is on {on}: it cannot judge a prediction for {drive}"));
        }
        if !self.has_layer_of_answer(judge) {
            return self.refuse(format!(
                "bed `{name}` was measured behind the layer of its emulated drive, which --real leaves out: it cannot judge this prediction"
            ));
        }
        if !self.differs_in_drive_alone(bed, judge) {
            return self.refuse(format!(
                "bed `{name}` differs from bed `{of}` in memory, processors or the place of its log: it cannot judge a prediction for the drive alone"
            ));
        }
        Ok(())
    }

    /// False for an emulated bed where the drive itself is meant: it was measured behind a layer.
    fn has_layer_of_answer(&self, judge: &Bed) -> bool {
        !self.question.real || matches!(judge.storage, Storage::Real { .. })
    }

    /// The emulated drive below a bed, where it is known.
    fn emulated(&self, bed: &Bed) -> Option<String> {
        let Storage::Emulated { drive, .. } = &bed.storage else { return None };
        (self.find)(drive).ok().map(|entry| entry.name)
    }

    /// True when `other` has the processors and the memory of `bed`, and its log on the same storage as its
    /// data.
    fn differs_in_drive_alone(&self, bed: &Bed, other: &Bed) -> bool {
        let experiment = self.experiment;
        let limits = |bed: &Bed| (bed.cpus, experiment.memory_of(bed), experiment.memory_limit_of(bed));
        other.log.is_none() && limits(bed) == limits(other)
    }

    /// The drive that a bed was measured on.
    fn drive_of(&self, bed: &Bed) -> Result<Entry, E> {
        match (self.question.measured_on, &bed.storage) {
            (Some(name), _) => (self.find)(name),
            (None, Storage::Emulated { drive, .. }) => (self.find)(drive),
            (None, _) => self.refuse(format!(
                "bed `{}` is on real storage: name its drive with --measured-on (of the catalogue, or a .toml file)",
                bed.name
            )),
        }
    }

    /// True when `other` differs from `bed` in its drive alone, which is `drive`.
    fn is_like(&self, bed: &Bed, other: &Bed, drive: &str) -> bool {
        self.emulated(other).is_some_and(|on| on == drive) && self.differs_in_drive_alone(bed, other)
    }

    fn levels(&self, bed: &Bed, judge: Option<&Bed>, drives: Drives<'_>) -> Result<Vec<PredictedLevel>, E> {
        let of_bed = |bed| Measured::of_bed(self.notebook, self.run, self.experiment, bed);
        let here = of_bed(bed)?;
        if here.is_empty() {
            let (run, bed) = (self.run.0, &bed.name);
            return self.refuse(format!(
                "run {run} has no valid cell of order entry on bed `{bed}`, from which alone a prediction is made; name such a run: drivetrain ls --kind tpcc"
            ));
        }
        let mut there = judge.map(of_bed).transpose()?.unwrap_or_default();
        let processors = self.processors().map_err(StudyError::from)?;
        let mut levels = Vec::new();
        for (level, measured) in here {
            let mut demand = measured.demand(self.experiment, level as u32, processors)?;
            if self.question.real {
                demand.layer = Layer::default();
            }
            let prediction = predict(&demand, drives, self.question.seed).map_err(StudyError::from)?;
            let measured_nopm = measured.nopm();
            let nopm_per_s = measured_nopm / demand.measured_per_s;
            let (level, there) = (level as f64, there.remove(&level));
            levels.push(PredictedLevel {
                level,
                measured_nopm,
                nopm_per_s,
                prediction,
                here: measured,
                there,
            });
        }
        Ok(levels)
    }

    /// Processors of the machine that the run was measured on.
    fn processors(&self) -> Result<u32, notebook::NotebookError> {
        let facts = self.notebook.fact_sets(self.run)?;
        let host = facts.iter().find(|(scope, _)| scope == "host");
        let count = host.and_then(|(_, facts)| {
            facts.iter().find(|(key, _)| key.ends_with("cpus") || key.ends_with("threads"))
        });
        let known =
            count.and_then(|(_, value)| value.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
        Ok(known.unwrap_or(self.question.processors))
    }
}

impl PredictedLevel {
    /// Everything that is predicted, beside what was measured on the judge.
    #[must_use]
    pub fn figures(&self) -> [PredictedFigure; 5] {
        let p = &self.prediction;
        let scaled = |f: Figure, by: f64| Figure { value: f.value * by, low: f.low * by, high: f.high * by };
        type OfMeasured = fn(&Measured) -> Option<Latency>;
        let ms = |name, title, figure, latency: OfMeasured, part: fn(Latency) -> f64| {
            let of = |measured: &Measured| latency(measured).map(|latency| part(latency) / 1e6);
            PredictedFigure {
                name,
                title,
                here: of(&self.here),
                figure: scaled(figure, 1e-6),
                measured: self.there.as_ref().and_then(of),
            }
        };
        let mean: fn(Latency) -> f64 = |latency| latency.mean_ns;
        let p99: fn(Latency) -> f64 = |latency| latency.p99_ns;
        let (latency, commit): (OfMeasured, OfMeasured) = (Measured::latency, Measured::commit);
        [
            PredictedFigure {
                name: Predicted::Nopm,
                title: say!("predict-nopm"),
                here: Some(self.measured_nopm),
                figure: scaled(p.per_s, self.nopm_per_s),
                measured: self.there.as_ref().map(Measured::nopm),
            },
            ms(Predicted::LatencyMean, say!("predict-latency-mean"), p.latency_mean_ns, latency, mean),
            ms(Predicted::LatencyP99, say!("predict-latency-p99"), p.latency_p99_ns, latency, p99),
            ms(Predicted::CommitMean, say!("predict-commit-mean"), p.commit_mean_ns, commit, mean),
            ms(Predicted::CommitP99, say!("predict-commit-p99"), p.commit_p99_ns, commit, p99),
        ]
    }
}
