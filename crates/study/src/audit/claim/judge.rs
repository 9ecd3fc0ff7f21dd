//! The verdict of two numbers on a claim's figure.

use published::{Number, quantity};

use super::super::{Rating, rounds_to, shown};
use super::figure::{Amount, Figure, Hedge, Sense};
use words::say;

/// Two numbers of one metric: the one that the claim speaks of, and the one that it is compared with.
#[derive(Clone, Debug)]
pub(super) struct Pair<'n> {
    pub(super) a: &'n Number,
    pub(super) b: &'n Number,
    /// True if the claim names its own side of the two.
    pub(super) is_directed: bool,
    /// True if the claim is about speed and the numbers are times.
    pub(super) is_inverse: bool,
}

/// A word such as "double" is no measurement: it holds a little below, and for somewhat more.
pub(super) const WORD_BELOW: f64 = 0.95;
pub(super) const WORD_ABOVE: f64 = 1.2;
/// Figures in digits hold within this, as far as their digits round to it.
pub(super) const CLOSE: f64 = 0.02;
/// "About" holds within this.
pub(super) const ABOUT: f64 = 0.05;
/// Beyond this a figure is wrong, not loose.
pub(super) const LOOSE: f64 = 0.25;

/// True if smaller is better: times.
pub(super) fn is_time(number: &Number) -> bool {
    let metric = number.metric.to_lowercase();
    quantity::unit(&number.unit).1 == quantity::Dimension::Time
        || ["latency", "time", "duration", "elapsed"].iter().any(|word| metric.contains(word))
}

/// The rating on a figure and the arithmetic behind it.
pub(super) fn judge(figure: &Figure, pair: &Pair<'_>) -> (Rating, String) {
    let time = is_time(pair.a);
    let speed = time && (pair.is_inverse || matches!(figure.sense, Sense::Faster | Sense::Slower));
    let better_up = !time || speed;
    let is_up = match (figure.sense, figure.amount) {
        (Sense::Up | Sense::Faster, _) => Some(true),
        (Sense::Down | Sense::Slower, _) => Some(false),
        (Sense::Better, _) => Some(better_up),
        (Sense::Worse, _) => Some(!better_up),
        (Sense::Share, _) => None,
        (Sense::Unsaid, Amount::Times(n)) => Some(n >= 1.0),
        (Sense::Unsaid, Amount::Percent(_)) => Some(true),
    };
    let (va, vb) = (base(pair.a), base(pair.b));
    let quotient = |x: f64, y: f64| if speed { y / x } else { x / y };
    let mut sides = (pair.a, pair.b);
    let mut q = quotient(va, vb);
    if let Some(up) = is_up.filter(|up| (q > 1.0) != *up && q != 1.0) {
        if pair.is_directed && figure.sense != Sense::Unsaid {
            let what = if speed { say!("judge-speed") } else { pair.a.metric.as_str() };
            let (division, a, b) = (division(pair.a, pair.b), name(pair.a), name(pair.b));
            let check = match up {
                true => say!("judge-not-higher", division, what, a, b),
                false => say!("judge-not-lower-than", division, what, a, b),
            };
            return (Rating::Wrong, check);
        }
        sides = (pair.b, pair.a);
        q = 1.0 / q;
    }
    let spread = rounding(pair.a) + rounding(pair.b);
    match figure.amount {
        // The longer time is divided by the shorter one.
        Amount::Times(n) if speed => times(figure, n, q, spread, (sides.1, sides.0), is_up),
        Amount::Times(n) => times(figure, n, q, spread, sides, is_up),
        Amount::Percent(p) => percent(&Change { figure, p, q, spread, sides }, (is_up, time, speed)),
    }
}

fn times(
    figure: &Figure,
    n: f64,
    q: f64,
    spread: f64,
    sides: (&Number, &Number),
    is_up: Option<bool>,
) -> (Rating, String) {
    // "2.5x lower" divides by 2.5; "half" and "0.4x" are the share itself.
    let (said, real) = if n < 1.0 {
        (1.0 / n, 1.0 / q)
    } else if is_up == Some(false) {
        (n, 1.0 / q)
    } else {
        (n, q)
    };
    let off = said / real - 1.0;
    let fits = rounds_to(if n < 1.0 { q } else { real }, n) && off.abs() < CLOSE;
    let rating = match figure.hedge {
        _ if fits || (off.abs() <= spread && off.abs() < CLOSE) => Rating::Holds,
        _ if figure.is_word && (WORD_BELOW..=WORD_ABOVE).contains(&(real / said)) => Rating::Holds,
        Hedge::About if off.abs() <= ABOUT => Rating::Holds,
        Hedge::AtLeast if real >= said => Rating::Holds,
        Hedge::AtMost if n < 1.0 && real >= said || n >= 1.0 && real <= said => Rating::Holds,
        _ if off.abs() <= LOOSE => Rating::Loose,
        _ => Rating::Wrong,
    };
    let check = say!(
        "judge-times",
        division = division(sides.0, sides.1),
        times = shown(if n < 1.0 { q } else { real })
    );
    let is_literal = figure.is_times_more && ((said + 1.0) / real - 1.0).abs() < CLOSE;
    match rating {
        Rating::Holds if figure.is_times_more => (rating, say!("judge-times-more", check)),
        Rating::Holds => (rating, check),
        _ if is_literal => (Rating::Loose, say!("judge-literal", check, n = n.to_string())),
        _ if off < 0.0 => (rating, say!("judge-understates", check)),
        _ => (rating, say!("judge-overstates", check)),
    }
}

/// A change or a share in per cent, with what the judgement of it needs.
struct Change<'a> {
    figure: &'a Figure,
    /// Per cent as printed.
    p: f64,
    /// One side over the other.
    q: f64,
    spread: f64,
    sides: (&'a Number, &'a Number),
}

fn percent(change: &Change<'_>, (is_up, time, speed): (Option<bool>, bool, bool)) -> (Rating, String) {
    let division = division(change.sides.0, change.sides.1);
    let of = change.of();
    match (change.figure.sense, is_up) {
        (Sense::Share, _) => (
            change.grade(of),
            say!("judge-share-more", division, of = words::decimals(of, 1), more = sign(change.more())),
        ),
        (Sense::Unsaid, _) if change.fits(of) => {
            (Rating::Holds, say!("judge-share", division, of = words::decimals(of, 1)))
        }
        (_, Some(false)) if !speed => change.lower(&division, time),
        _ if speed => change.as_speed(&division),
        _ => change.higher(&division, is_up),
    }
}

fn sign(value: f64) -> String {
    format!("{value:+.1} %")
}

impl Change<'_> {
    /// Per cent of the other.
    fn of(&self) -> f64 {
        self.q * 100.0
    }

    /// Per cent more than the other.
    fn more(&self) -> f64 {
        (self.q - 1.0) * 100.0
    }

    fn fits(&self, real: f64) -> bool {
        let (p, of) = (self.p, self.of());
        let (off, scale) = ((p - real).abs(), 100.0_f64.max(of));
        (rounds_to(real, p) && off / scale < CLOSE) || (off / of <= self.spread && off / of < CLOSE)
    }

    fn near(&self, real: f64) -> bool {
        match self.figure.hedge {
            Hedge::About => (self.p - real).abs() <= ABOUT * real.abs().max(100.0 * ABOUT),
            Hedge::AtLeast => real >= self.p,
            Hedge::AtMost => real <= self.p,
            _ => self.figure.is_word && (self.p - real).abs() <= 3.0,
        }
    }

    fn grade(&self, real: f64) -> Rating {
        match () {
            () if self.fits(real) || self.near(real) => Rating::Holds,
            () if (self.p - real).abs() <= LOOSE * real.abs() => Rating::Loose,
            () => Rating::Wrong,
        }
    }

    /// Said to be lower, of something that is no speed.
    fn lower(&self, division: &str, is_time: bool) -> (Rating, String) {
        let (p, lower) = (self.p, -self.more());
        let faster = (1.0 / self.q - 1.0) * 100.0;
        let (metric, by) = (&self.sides.0.metric, words::decimals(lower, 1));
        let said = match is_time {
            true => say!("judge-time-lower", division, metric, by, faster = words::decimals(faster, 0)),
            false => say!("judge-lower", division, metric, by, faster = words::decimals(faster, 1)),
        };
        match self.grade(lower) {
            Rating::Holds => (Rating::Holds, said),
            _ if p > 100.0 && self.figure.hedge != Hedge::AtMost => {
                (Rating::Wrong, say!("judge-not-lower", said, p = p.to_string()))
            }
            // Seen from the other side, or as a speed.
            _ if self.fits(faster) => {
                let rating = if self.figure.sense == Sense::Better { Rating::Loose } else { Rating::Wrong };
                (rating, say!("judge-way-back", said, p = p.to_string()))
            }
            rating => (rating, say!("judge-not", said, p = p.to_string())),
        }
    }

    /// A time told as a speed.
    fn as_speed(&self, division: &str) -> (Rating, String) {
        let (p, more) = (self.p, self.more());
        let time_change = (1.0 / self.q - 1.0) * 100.0;
        let said = say!(
            "judge-as-speed",
            division,
            metric = self.sides.0.metric,
            by = words::decimals(time_change.abs(), 1),
            time = if time_change < 0.0 { "lower" } else { "higher" },
            gain = words::decimals(more.abs(), 0),
            speed = if more >= 0.0 { "higher" } else { "lower" },
        );
        match self.grade(more.abs()) {
            Rating::Holds => (Rating::Holds, said),
            _ if self.fits(time_change.abs()) => (Rating::Loose, said),
            _ if self.fits(self.of()) => {
                (Rating::Wrong, say!("judge-ratio-as-increase", said, p = p.to_string()))
            }
            rating => (rating, say!("judge-not", said, p = p.to_string())),
        }
    }

    /// Said to be more.
    fn higher(&self, division: &str, is_up: Option<bool>) -> (Rating, String) {
        let (p, of, more) = (self.p, self.of(), self.more());
        // A time's loss in percent is not the speed's gain, though many write it so.
        let lost = if is_up == Some(false) { -more } else { (1.0 - 1.0 / self.q) * 100.0 };
        let said = say!("judge-percent-of", division, of = words::decimals(of, 1), more = sign(more));
        let is_ratio = (p - of).abs() <= 0.1 * of && (p - of).abs() < (p - more).abs();
        match self.grade(more) {
            Rating::Holds => (Rating::Holds, said),
            _ if is_ratio => (Rating::Wrong, say!("judge-plus-ratio-as-increase", said, p = p.to_string())),
            _ if self.fits(lost) => (Rating::Wrong, say!("judge-plus-other-lower", said, p = p.to_string())),
            rating => (rating, say!("judge-not-plus", said, p = p.to_string())),
        }
    }
}

/// The value in the base of its unit.
pub(super) fn base(number: &Number) -> f64 {
    number.value * quantity::unit(&number.unit).0
}

/// Half of the last printed digit's worth, relative.
fn rounding(number: &Number) -> f64 {
    let text = format!("{}", number.value);
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len()) as i32;
    let zeros = if decimals == 0 { text.len() - text.trim_end_matches('0').len() } else { 0 } as i32;
    (10f64.powi(zeros - decimals) / 2.0 / number.value.abs().max(f64::MIN_POSITIVE)).min(1.0)
}

fn division(a: &Number, b: &Number) -> String {
    let quotient = shown(base(a) / base(b));
    if quantity::unit(&a.unit).0 == quantity::unit(&b.unit).0 {
        return format!("{} / {} = {quotient}", shown(a.value), shown(b.value));
    }
    // Both in the other's unit, which is what a reader would do.
    let in_unit = base(a) / quantity::unit(&b.unit).0;
    format!("{} / {} {}", shown(in_unit), shown(b.value), b.unit).trim_end().to_owned()
        + &format!(" = {quotient}")
}

fn name(number: &Number) -> &str {
    if number.system.is_empty() { &number.id } else { &number.system }
}
