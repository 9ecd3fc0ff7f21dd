//! Claims that compare ("p99 increase 437 %", "1.67x faster"): the numbers that each rests on are found by
//! test, metric and systems, and the figure is held to their quotient. What cannot be matched is said, with
//! the reason; nothing is guessed.

mod figure;
mod find;
mod judge;
mod result;
mod words;

use ::words::say;
use figure::{Amount, Figure, Hedge, Sense};
use find::Asked;
use judge::Pair;
use published::{Number, NumberKind, Statement};
pub(super) use result::of_formula;
use words::Token;

use super::{Finding, Rating, shown};

/// The number of pairs that are listed when a claim has several.
const TOLD_MAX: usize = 4;

/// A claim, from a number of kind `claim` or from a statement.
struct Claim<'c> {
    id: &'c str,
    study: &'c str,
    said: String,
    text: String,
    test: &'c str,
    system: &'c str,
    conditions: &'c str,
    numbers: &'c [String],
    /// The figure, where a key gives it: value and unit.
    printed: Option<(f64, &'c str)>,
}

/// Every claim among the numbers that another rule has not judged (`judged`), and every statement without a
/// formula or rating.
pub(super) fn examine(numbers: &[Number], statements: &[Statement], judged: &[Finding]) -> Vec<Finding> {
    let is_judged = |n: &&Number| {
        judged.iter().any(|finding| finding.about.first() == Some(&n.id) && finding.study == n.study)
    };
    let of_number = |n: &'_ Number| -> Vec<Finding> {
        let sign = if n.unit == "x" || n.unit == "%" {
            shown_unit(n.value, &n.unit)
        } else {
            format!("{} {}", shown(n.value), n.unit)
        };
        let claim = Claim {
            id: &n.id,
            study: &n.study,
            said: format!("{}: {}", n.metric, sign.trim_end()),
            text: n.metric.clone(),
            test: &n.test,
            system: &n.system,
            conditions: &n.conditions,
            numbers: &n.numbers,
            printed: Some((n.value, &n.unit)),
        };
        claim.examine(numbers)
    };
    let of_statement = |s: &'_ Statement| -> Vec<Finding> {
        let claim = Claim {
            id: &s.id,
            study: &s.study,
            said: s.text.clone(),
            text: format!("{} {}", s.metric, s.text),
            test: &s.test,
            system: &s.system,
            conditions: &s.conditions,
            numbers: &s.numbers,
            printed: s.printed.map(|value| (value, s.unit.as_str())),
        };
        claim.examine(numbers)
    };
    let claims = numbers.iter().filter(|n| n.kind == NumberKind::Claim).filter(|n| !is_judged(n));
    let open = statements.iter().filter(|s| s.formula.is_none() && s.verdict.is_none());
    claims.flat_map(of_number).chain(open.flat_map(of_statement)).collect()
}

fn shown_unit(value: f64, unit: &str) -> String {
    if unit == "x" { format!("{value}x") } else { format!("{value} %") }
}

impl Claim<'_> {
    fn examine(&self, numbers: &[Number]) -> Vec<Finding> {
        let whole = words::tokens(&self.text);
        match self.clauses(&whole) {
            Err(why) => vec![self.finding(Rating::Unmatched, why, Vec::new())],
            Ok(clauses) => {
                clauses.iter().map(|(clause, figure)| self.clause(&whole, clause, figure, numbers)).collect()
            }
        }
    }

    /// The parts of the claim with one figure each.
    fn clauses(&self, whole: &[Token]) -> Result<Vec<(Vec<Token>, Figure)>, String> {
        let in_text = figure::all(whole);
        if let Some((value, unit)) = self.printed {
            let amount = match unit.trim() {
                "x" | "times" | "fold" => Amount::Times(value.abs()),
                "%" | "percent" | "per cent" => Amount::Percent(value),
                "" => match in_text.iter().find(|(_, amount, _)| amount_of(amount) == value.abs()) {
                    Some((_, amount, _)) => *amount,
                    None => return Err(say!("claim-no-unit").to_owned()),
                },
                other => return Err(say!("claim-states-value", other)),
            };
            let at = in_text
                .iter()
                .find(|(_, found, _)| amount_of(found) == value.abs())
                .map_or(whole.len(), |(at, ..)| *at);
            let is_word = in_text.iter().any(|(_, found, is_word)| *is_word && *found == amount);
            return Ok(vec![(whole.to_vec(), Figure::of(whole, (at.min(whole.len()), amount, is_word)))]);
        }
        match in_text.as_slice() {
            [] => Err(say!("claim-no-figure").to_owned()),
            [one] => Ok(vec![(whole.to_vec(), Figure::of(whole, *one))]),
            several => apart(whole, several.len()).ok_or_else(|| say!("claim-several-figures").to_owned()),
        }
    }

    fn clause(&self, whole: &[Token], clause: &[Token], figure: &Figure, numbers: &[Number]) -> Finding {
        let asked = Asked {
            study: self.study,
            test: self.test,
            system: self.system,
            conditions: self.conditions,
            numbers: self.numbers,
            clause,
            whole,
            figure,
        };
        match find::pairs(&asked, numbers) {
            Err(why) => self.finding(Rating::Unmatched, why, Vec::new()),
            Ok(pairs) => self.judged(figure, &pairs),
        }
    }

    fn judged(&self, figure: &Figure, pairs: &[Pair<'_>]) -> Finding {
        let mut all: Vec<(Rating, String, &Pair<'_>)> = pairs
            .iter()
            .map(|pair| judge::judge(figure, pair))
            .zip(pairs)
            .map(|((v, check), pair)| (v, check, pair))
            .collect();
        if figure.hedge == Hedge::UpTo && all.len() > 1 {
            // The best of them is what "up to" speaks of.
            let effect = |pair: &Pair<'_>| (judge::base(pair.a) / judge::base(pair.b)).ln().abs();
            all.sort_by(|(.., a), (.., b)| effect(b).total_cmp(&effect(a)));
            all.truncate(1);
        }
        let about = all.iter().flat_map(|(.., pair)| [pair.a.id.clone(), pair.b.id.clone()]).collect();
        let is_told = !self.system.contains(" vs ");
        let told = |(rating, check, pair): &(Rating, String, &Pair<'_>), with_rating: bool| {
            let place = say!(
                "claim-place",
                metric = pair.a.metric,
                a = side(pair.a, pair.b),
                b = side(pair.b, pair.a)
            );
            let place = if pair.a.test.is_empty() {
                place
            } else {
                say!("claim-place-in", place, test = pair.a.test)
            };
            match (with_rating, is_told) {
                (true, _) => format!("{place}: {check} ({rating})"),
                (false, true) => format!("{place}: {check}"),
                (false, false) => check.clone(),
            }
        };
        let first = all[0].0;
        if all.len() == 1 || all.iter().all(|(rating, ..)| *rating == first) {
            let mut check = told(&all[0], false);
            if all.len() > 1 {
                check.push_str(&say!("claim-so-do", more = all.len() - 1));
            }
            return self.finding(first, check, about);
        }
        let mut check: Vec<String> = all.iter().take(TOLD_MAX).map(|one| told(one, true)).collect();
        if all.len() > TOLD_MAX {
            check.push(say!("claim-and-more", more = all.len() - TOLD_MAX));
        }
        let rating =
            if all.iter().any(|(v, ..)| *v == Rating::Holds) { Rating::Loose } else { Rating::Wrong };
        self.finding(rating, say!("claim-not-same", checks = check.join("; ")), about)
    }

    fn finding(&self, rating: Rating, check: String, numbers: Vec<String>) -> Finding {
        let mut about = vec![self.id.to_owned()];
        about.extend(numbers);
        Finding {
            study: self.study.to_owned(),
            rating,
            claim: self.said.clone(),
            check,
            about,
            is_claim: true,
        }
    }
}

/// The name that distinguishes a number from the other one.
fn side<'n>(number: &'n Number, other: &Number) -> &'n str {
    match () {
        () if number.system != other.system => &number.system,
        () if number.conditions != other.conditions => &number.conditions,
        () if number.test != other.test => &number.test,
        () => &number.id,
    }
}

fn amount_of(amount: &Amount) -> f64 {
    match amount {
        Amount::Percent(value) | Amount::Times(value) => value.abs(),
    }
}

/// The clauses between commas, semicolons and conjunctions, if each figure then is in its own clause.
fn apart(whole: &[Token], figures: usize) -> Option<Vec<(Vec<Token>, Figure)>> {
    let parts = whole.split(|token| [",", ";", "and", "while", "but", "whereas"].contains(&token.word()));
    let mut clauses: Vec<Vec<Token>> = Vec::new();
    let mut before: Vec<Token> = Vec::new();
    for part in parts {
        let mut clause = std::mem::take(&mut before);
        clause.extend(part.iter().cloned());
        match figure::all(&clause).len() {
            0 => match clauses.last_mut() {
                Some(last) if part.iter().any(|t| words::AGAINST.contains(&t.word())) => last.extend(clause),
                _ => before = clause,
            },
            1 => clauses.push(clause),
            _ => return None,
        }
    }
    if let (Some(last), false) = (clauses.last_mut(), before.is_empty()) {
        last.extend(before);
    }
    let with_figure = |clause: Vec<Token>| {
        let one = *figure::all(&clause).first()?;
        let figure = Figure::of(&clause, one);
        Some((clause, figure))
    };
    let all: Vec<_> = clauses.into_iter().filter_map(with_figure).collect();
    let same_sense = all.iter().all(|(_, figure)| figure.sense != Sense::Unsaid) || all.len() == figures;
    (all.len() == figures && same_sense).then_some(all)
}
