//! A fit as facts of the run whose loads it was made from, so that reports show it without making it again.

use notebook::{Facts, Notebook, NotebookError, RunId};
use words::say;

use super::fitted::{Errors, Fitted};
use super::loads::{Form, JudgedPoint, LoadJudgement, Side};
use super::shape::LoadShape;
use super::worst::{Worst, worst};

/// The scope of these facts.
pub const FIT: &str = "fit";

/// The figures of a latency that a fit is judged by, in the order of [`KeptPoint`]'s and [`KeptFit`]'s lists.
pub const JUDGED: [&str; 4] = ["mean", "p50", "p95", "p99"];

/// A fit as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptFit {
    /// Name of the drive for people.
    pub drive: String,
    /// Loads that it was fitted to.
    pub loads: usize,
    /// Errors at points that the fit did not see: mean, p50, p95, p99.
    pub errors: [Errors; 4],
    /// These points.
    pub points: Vec<KeptPoint>,
    /// Parts of the model's form that lean to one side.
    pub systematic: Vec<KeptLean>,
    /// Loads that no other load says anything of: they were not judged.
    pub alone: Vec<LoadShape>,
    /// 4 KiB reads per second at the deepest queue that the drive takes, where that is known.
    pub at_queue: Option<AtQueue>,
    /// The drive's numbers, in the order in which they were fitted.
    pub numbers: Vec<KeptNumber>,
}

/// The rate of reads at the deepest queue that a drive takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtQueue {
    /// Commands in the queue.
    pub depth: u32,
    /// 4 KiB reads per second.
    pub per_s: f64,
}

/// Reads, writes or flushes of one load, measured and predicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeptPoint {
    /// Reads, writes or flushes.
    pub side: Side,
    /// The load.
    pub shape: LoadShape,
    /// Measured mean, p50, p95 and p99, ns.
    pub measured_ns: [f64; 4],
    /// The predicted ones, ns; that of p99 is `None` with too few operations for it.
    pub predicted_ns: [Option<f64>; 4],
}

/// Errors of one figure that lean to one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeptLean {
    /// The part of the model's form.
    pub form: Form,
    /// The place of the figure in [`JUDGED`].
    pub figure: usize,
    /// Middle of prediction / measured - 1.
    pub lean: f64,
    /// Points.
    pub points: usize,
}

/// One number of the drive, or one of its words.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptNumber {
    /// Table and key with the unit, such as `read.latency_4k_us`.
    pub key: String,
    /// The number, in the unit of the key, or the word.
    pub value: KeptValue,
    /// The reason why the data do not say it; `None` where they do, and in older notebooks.
    pub why: Option<String>,
}

/// The value of a number or a word.
#[derive(Clone, Debug, PartialEq)]
pub enum KeptValue {
    /// A number with its interval.
    Known(f64, (f64, f64)),
    /// A stand-in for a number that the data do not say.
    Open(f64),
    /// A word, and whether the data say it.
    Word(String, bool),
}

impl KeptValue {
    /// True if the data say it.
    #[must_use]
    pub fn is_identified(&self) -> bool {
        matches!(self, KeptValue::Known(..) | KeptValue::Word(_, true))
    }
}

impl KeptLean {
    /// The sentence about it, in the language of the reader.
    #[must_use]
    pub fn said(&self) -> String {
        let form = match self.form {
            Form::ReadLatency => say!("profile-form-read-latency"),
            Form::ReadTail => say!("profile-form-read-tail"),
            Form::Units => say!("profile-form-units"),
            Form::WriteRates => say!("profile-form-write-rates"),
            Form::Acknowledgement => say!("profile-form-acknowledgement"),
            Form::Flush => say!("profile-form-flush"),
            Form::Interference => say!("profile-form-interference"),
            Form::Meeting => say!("profile-form-meeting"),
        };
        let (figure, points) = (JUDGED.get(self.figure).copied().unwrap_or_default(), self.points);
        let percent = format!("{:.0}", self.lean.abs() * 1e2);
        match self.lean > 0.0 {
            true => say!("profile-lean-above", form, figure, percent, points),
            false => say!("profile-lean-below", form, figure, percent, points),
        }
    }
}

impl KeptFit {
    /// The fit of a drive of this name to so many loads, as it is to be kept.
    #[must_use]
    pub fn of(drive: &str, loads: usize, fitted: &Fitted, judgement: &LoadJudgement) -> KeptFit {
        let LoadJudgement { mean, p50, p95, p99, .. } = *judgement;
        let numbers = fitted.numbers.iter().map(|number| KeptNumber {
            key: number.key.to_owned(),
            value: number
                .interval
                .map_or(KeptValue::Open(number.value), |interval| KeptValue::Known(number.value, interval)),
            why: number.interval.is_none().then(|| number.source.clone()),
        });
        let words = fitted.words.iter().map(|word| KeptNumber {
            key: word.key.to_owned(),
            value: KeptValue::Word(word.value.trim_matches('"').to_owned(), word.is_identified),
            why: (!word.is_identified).then(|| word.source.clone()),
        });
        let lean = |one: &super::loads::Systematic| {
            let figure = JUDGED.iter().position(|figure| *figure == one.figure)?;
            Some(KeptLean { form: one.form, figure, lean: one.lean, points: one.points })
        };
        KeptFit {
            drive: drive.to_owned(),
            loads,
            errors: [mean, p50, p95, p99],
            points: judgement.points.iter().map(kept_point).collect(),
            systematic: judgement.systematic.iter().filter_map(lean).collect(),
            alone: judgement.alone.clone(),
            at_queue: at_queue(fitted),
            numbers: numbers.chain(words).collect(),
        }
    }

    /// The loads that were predicted worst.
    #[must_use]
    pub fn worst(&self) -> Vec<Worst> {
        let error =
            |point: &KeptPoint, at: usize| Some(point.predicted_ns[at]? / point.measured_ns[at] - 1.0);
        let errors = |point: &KeptPoint| [0, 1, 2, 3].map(|at| error(point, at));
        worst(self.points.iter().map(|point| (point.shape, point.side, errors(point))))
    }

    /// Keeps the fit with the run of its loads, in place of an earlier one.
    ///
    /// # Errors
    /// As [`Notebook::add_fact_set`].
    pub fn keep(&self, notebook: &Notebook, run: RunId) -> Result<(), NotebookError> {
        notebook.add_fact_set(run, FIT, &self.facts())
    }

    fn facts(&self) -> Facts {
        let mut facts = Facts::new();
        let mut add = |key: String, value: String| facts.insert(key, value);
        add("drive".to_owned(), self.drive.clone());
        add("loads".to_owned(), self.loads.to_string());
        for (figure, Errors { median, nine_in_ten, points }) in JUDGED.iter().zip(&self.errors) {
            add(format!("error.{figure}"), format!("{median} {nine_in_ten} {points}"));
        }
        for (at, KeptPoint { side, shape, measured_ns, predicted_ns }) in self.points.iter().enumerate() {
            let measured = measured_ns.iter().map(f64::to_string);
            let predicted =
                predicted_ns.iter().map(|ns| ns.map_or_else(|| "-".to_owned(), |ns| ns.to_string()));
            let values: Vec<String> = measured.chain(predicted).collect();
            add(format!("point.{at:04}"), format!("{} {} {}", side.name(), shape.kept(), values.join(" ")));
        }
        for (at, KeptLean { form, figure, lean, points }) in self.systematic.iter().enumerate() {
            add(format!("lean.{at:02}"), format!("{} {} {lean} {points}", form.name(), JUDGED[*figure]));
        }
        for (at, shape) in self.alone.iter().enumerate() {
            add(format!("alone.{at:04}"), shape.kept());
        }
        if let Some(AtQueue { depth, per_s }) = self.at_queue {
            add("at-queue".to_owned(), format!("{depth} {per_s}"));
        }
        for (at, KeptNumber { key, value, why }) in self.numbers.iter().enumerate() {
            if let Some(why) = why {
                add(format!("why.{at:02}.{key}"), why.clone());
            }
            let value = match value {
                KeptValue::Known(value, (low, high)) => format!("known {value} {low} {high}"),
                KeptValue::Open(value) => format!("open {value}"),
                KeptValue::Word(word, true) => format!("word {word}"),
                KeptValue::Word(word, false) => format!("open-word {word}"),
            };
            add(format!("number.{at:02}.{key}"), value);
        }
        facts
    }

    /// Reads a fit from the facts of a run; `None` where they are those of no fit that this build knows.
    #[must_use]
    pub fn read(facts: &Facts) -> Option<KeptFit> {
        let mut fit = KeptFit {
            drive: facts.get("drive")?.clone(),
            loads: facts.get("loads")?.parse().ok()?,
            errors: [Errors::default(); 4],
            points: Vec::new(),
            systematic: Vec::new(),
            alone: Vec::new(),
            at_queue: facts.get("at-queue").and_then(|value| {
                let (depth, per_s) = value.split_once(' ')?;
                Some(AtQueue { depth: depth.parse().ok()?, per_s: per_s.parse().ok()? })
            }),
            numbers: Vec::new(),
        };
        for (figure, errors) in JUDGED.iter().zip(&mut fit.errors) {
            let words = words_of(facts.get(&format!("error.{figure}"))?);
            let [median, nine_in_ten, points] = words[..] else { return None };
            *errors = Errors {
                median: median.parse().ok()?,
                nine_in_ten: nine_in_ten.parse().ok()?,
                points: points.parse().ok()?,
            };
        }
        for (key, value) in facts {
            match key.split_once('.') {
                Some(("point", _)) => fit.points.push(point_of(value)?),
                Some(("lean", _)) => fit.systematic.push(lean_of(value)?),
                Some(("alone", _)) => fit.alone.push(LoadShape::from_kept(&words_of(value))?),
                Some(("number", name)) => fit.numbers.push(KeptNumber {
                    key: name.split_once('.')?.1.to_owned(),
                    value: value_of(value)?,
                    why: facts.get(&format!("why.{name}")).cloned(),
                }),
                _ => {}
            }
        }
        Some(fit)
    }
}

/// The rate of reads at the queue limit, if the loads say both.
fn at_queue(fitted: &Fitted) -> Option<AtQueue> {
    let is_known = |key: &str| fitted.number(key).is_some_and(|number| number.interval.is_some());
    let depth = fitted.spec.queue_limit;
    (is_known("link.queue_limit") && is_known("read.rate_4k_per_s"))
        .then(|| AtQueue { depth, per_s: fitted.spec.expected_reads_per_s(depth) })
}

fn kept_point(point: &JudgedPoint) -> KeptPoint {
    let errors = point.errors();
    let mut predicted_ns = [None; 4];
    for ((predicted, error), was) in predicted_ns.iter_mut().zip(errors).zip(point.measured_ns) {
        *predicted = error.map(|error| was * (1.0 + error));
    }
    KeptPoint { side: point.side, shape: point.shape, measured_ns: point.measured_ns, predicted_ns }
}

fn words_of(value: &str) -> Vec<&str> {
    value.split(' ').collect()
}

fn point_of(value: &str) -> Option<KeptPoint> {
    let words = words_of(value);
    let (side, rest) = words.split_first()?;
    let (shape, values) = rest.split_at_checked(LoadShape::WORDS)?;
    let values: Vec<Option<f64>> = values.iter().map(|word| word.parse().ok()).collect();
    let [a, b, c, d, predicted @ ..] = &values[..] else { return None };
    Some(KeptPoint {
        side: Side::of(side)?,
        shape: LoadShape::from_kept(shape)?,
        measured_ns: [(*a)?, (*b)?, (*c)?, (*d)?],
        predicted_ns: predicted.try_into().ok()?,
    })
}

fn lean_of(value: &str) -> Option<KeptLean> {
    let words = words_of(value);
    let [form, figure, lean, points] = words[..] else { return None };
    Some(KeptLean {
        form: Form::of(form)?,
        figure: JUDGED.iter().position(|known| *known == figure)?,
        lean: lean.parse().ok()?,
        points: points.parse().ok()?,
    })
}

fn value_of(value: &str) -> Option<KeptValue> {
    let (sort, rest) = value.split_once(' ')?;
    let number = |text: &str| text.parse::<f64>().ok();
    Some(match (sort, &words_of(rest)[..]) {
        ("known", [value, low, high]) => KeptValue::Known(number(value)?, (number(low)?, number(high)?)),
        ("open", [value]) => KeptValue::Open(number(value)?),
        ("word", _) => KeptValue::Word(rest.to_owned(), true),
        ("open-word", _) => KeptValue::Word(rest.to_owned(), false),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit() -> KeptFit {
        let shape = LoadShape {
            read_share: 0.7,
            block_bytes: 4096,
            is_sequential: false,
            depth: 4,
            offered_per_s: Some(812.5),
            flush_every: None,
            is_from_rest: false,
        };
        let number = |key: &str, value: KeptValue| KeptNumber {
            key: key.to_owned(),
            why: (!value.is_identified()).then(|| "nothing was written, or read".to_owned()),
            value,
        };
        KeptFit {
            drive: "A drive, \"mine\"".to_owned(),
            loads: 40,
            errors: [0.012, 0.02, 0.05, 0.1].map(|median| Errors {
                median,
                nine_in_ten: 3.0 * median,
                points: 30,
            }),
            points: vec![KeptPoint {
                side: Side::Reads,
                shape,
                measured_ns: [1e5, 9e4, 2e5, 4.25e5],
                predicted_ns: [Some(1.1e5), Some(9e4), Some(2.2e5), None],
            }],
            systematic: vec![KeptLean { form: Form::Meeting, figure: 3, lean: -0.21, points: 5 }],
            alone: vec![LoadShape { offered_per_s: None, flush_every: Some(8), ..shape }],
            at_queue: Some(AtQueue { depth: 32, per_s: 93_400.5 }),
            numbers: vec![
                number("read.latency_4k_us", KeptValue::Known(82.5, (81.0, 84.0))),
                number("limit.operations_per_s", KeptValue::Open(f64::INFINITY)),
                number("link.duplex", KeptValue::Word("full".to_owned(), true)),
                number("flush.power_loss_protection", KeptValue::Word("true".to_owned(), false)),
            ],
        }
    }

    #[test]
    fn a_kept_fit_is_read_again() {
        assert_eq!(KeptFit::read(&fit().facts()), Some(fit()));
    }

    #[test]
    fn facts_of_another_form_are_no_fit() {
        for (key, value) in [("error.mean", "x"), ("point.0000", "reads"), ("number.00.read.units", "1")] {
            let mut facts = fit().facts();
            facts.insert(key.to_owned(), value.to_owned());
            assert_eq!(KeptFit::read(&facts), None, "{key}");
        }
        assert_eq!(KeptFit::read(&Facts::new()), None);
    }

    #[test]
    fn every_form_has_its_words() {
        for form in Form::ALL {
            assert_eq!(Form::of(form.name()), Some(*form));
            let lean = KeptLean { form: *form, figure: 0, lean: 0.2, points: 3 };
            let told = super::super::loads::Systematic { form: *form, figure: "mean", lean: 0.2, points: 3 };
            assert_eq!(lean.said(), told.to_string(), "English says what files say");
        }
    }
}
