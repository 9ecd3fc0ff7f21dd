//! Errors that lean to one side, named by the part of the model's form that makes them.

use std::fmt;

use super::super::fitted::middle;
use super::judge::{Judged, JudgedPoint, Side};

/// Errors from which a side can be told.
const POINTS: usize = 3;
/// Their middle is off by more than this.
const OFF: f64 = 0.10;
/// This share of them leans to the same side.
const SHARE: f64 = 0.8;

words::words! {
    /// A part of the model's form.
    pub enum Form {
        /// The latency of one read by its size: straight lines between sizes.
        ReadLatency = "read-latency",
        /// The log-normal distribution of one read.
        ReadTail = "read-tail",
        /// Units of constant time, chosen at random.
        Units = "units",
        /// One rate of writes behind one buffer.
        WriteRates = "write-rates",
        /// The log-normal distribution of one acknowledgement.
        Acknowledgement = "acknowledgement",
        /// The log-normal time of a flush.
        Flush = "flush",
        /// c x rho^e + beta x queue.
        Interference = "interference",
        /// The distribution of a meeting with a write.
        Meeting = "meeting",
    }
}

impl Form {
    /// Its description in the files of drives, in every language the same.
    fn described(self) -> &'static str {
        match self {
            Form::ReadLatency => "the mean of single reads, on straight lines between sizes",
            Form::ReadTail => "the log-normal distribution of single reads",
            Form::Units => "reads at once, on units of constant time",
            Form::WriteRates => "the mean of writes, one steady rate behind one buffer",
            Form::Acknowledgement => "the distribution of writes, log-normal while the buffer has room",
            Form::Flush => "flushes, a log-normal time beside the time of the bytes left to write",
            Form::Interference => "the mean of reads beside writes, c x rho^e and a share of the queue",
            Form::Meeting => "the distribution of reads beside writes",
        }
    }
}

/// Errors of one figure that lean to one side.
#[derive(Clone, Debug, PartialEq)]
pub struct Systematic {
    /// The part of the model's form.
    pub form: Form,
    /// The figure: mean, p50, p95 or p99.
    pub figure: &'static str,
    /// Middle of prediction / measured - 1.
    pub lean: f64,
    /// Points.
    pub points: usize,
}

impl fmt::Display for Systematic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.lean > 0.0 { "above" } else { "below" };
        let Systematic { form, figure, lean, points } = self;
        let form = form.described();
        write!(f, "{form}: {figure} is {:.0} % {side} the measured one ({points} points)", lean.abs() * 1e2)
    }
}

/// The kinds of points, by what the model takes for them.
fn forms((load, point): &Judged<'_>) -> (Form, Form) {
    match point.side {
        Side::Flushes => (Form::Flush, Form::Flush),
        Side::Writes => (Form::WriteRates, Form::Acknowledgement),
        Side::Reads if load.writes.is_some() => (Form::Interference, Form::Meeting),
        Side::Reads if load.depth == 1 => (Form::ReadLatency, Form::ReadTail),
        Side::Reads => (Form::Units, Form::Units),
    }
}

/// The errors that lean to one side.
pub(super) fn systematic(judged: &[Judged<'_>]) -> Vec<Systematic> {
    type Pick = fn(&JudgedPoint) -> Option<f64>;
    let figures: [(&'static str, Pick); 4] = [
        ("mean", |point| Some(point.mean)),
        ("p50", |point| Some(point.p50)),
        ("p95", |point| Some(point.p95)),
        ("p99", |point| point.p99),
    ];
    let mut found = Vec::new();
    for form in Form::ALL.iter().copied() {
        for (number, (figure, pick)) in figures.iter().enumerate() {
            let is_of = |judged: &&Judged<'_>| {
                let (of_mean, of_distribution) = forms(judged);
                form == if number == 0 { of_mean } else { of_distribution }
            };
            let signed: Vec<f64> = judged.iter().filter(is_of).filter_map(|(_, point)| pick(point)).collect();
            let lean = middle(&signed);
            let same = signed.iter().filter(|error| **error * lean > 0.0).count();
            if signed.len() >= POINTS && lean.abs() > OFF && same as f64 >= SHARE * signed.len() as f64 {
                found.push(Systematic { form, figure, lean, points: signed.len() });
            }
        }
    }
    found
}
