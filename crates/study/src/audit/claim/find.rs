//! The numbers that a claim rests on: by test, metric and systems. What is not clear is not guessed.

use super::figure::{Figure, Sense};
use super::judge::{Pair, is_time};
use super::words::{AGAINST, QUALIFIERS, Token, metric_words, tokens};
use published::{Number, quantity};
use words::say;

/// A claim as the search reads it.
pub(super) struct Asked<'c> {
    pub(super) study: &'c str,
    pub(super) test: &'c str,
    pub(super) system: &'c str,
    pub(super) conditions: &'c str,
    /// Ids that the claim names: first the one that it speaks of.
    pub(super) numbers: &'c [String],
    pub(super) clause: &'c [Token],
    pub(super) whole: &'c [Token],
    pub(super) figure: &'c Figure,
}

/// The pairs that a claim can mean, or why there are none.
pub(super) fn pairs<'n>(asked: &Asked<'_>, numbers: &'n [Number]) -> Result<Vec<Pair<'n>>, String> {
    let measured: Vec<&Number> =
        numbers.iter().filter(|n| n.study == asked.study && n.kind.is_measured()).collect();
    if !asked.numbers.is_empty() {
        return by_ids(asked, &measured);
    }
    let of_test = of_test(asked, &measured)?;
    let labels = Labels::of(&of_test);
    let (left, right, is_directed) = sides(asked, &labels);
    let known: Vec<Vec<String>> = of_test.iter().map(|n| metric_words(&tokens(&n.metric))).collect();
    let system_words: Vec<String> = labels.all.iter().flat_map(|label| words(label)).collect();
    let mut wanted: Vec<String> = metric_words(asked.clause)
        .into_iter()
        .filter(|word| !system_words.contains(word) || known.iter().any(|metric| metric.contains(word)))
        .collect();
    let mut found = candidates(asked, &of_test, &known, &wanted);
    if found.is_empty() && wanted.iter().any(|word| word == "user") {
        wanted.retain(|word| word != "user"); // At equal users the ratio is the same.
        found = candidates(asked, &of_test, &known, &wanted);
    }
    if found.is_empty() {
        let metrics = names(of_test.iter().map(|n| n.metric.as_str()));
        return Err(say!("audit-no-metric", metrics));
    }
    let least = found.iter().map(|(_, extra, _)| *extra).min().unwrap_or(0);
    found.retain(|(_, extra, _)| *extra == least);
    let mut all = Vec::new();
    let mut why = String::new();
    let mut metrics: Vec<&str> = found.iter().map(|(n, ..)| n.metric.as_str()).collect();
    metrics.dedup();
    for metric in
        metrics.iter().enumerate().filter(|(at, metric)| !metrics[..*at].contains(metric)).map(|(_, m)| *m)
    {
        let of_metric: Vec<(&Number, bool)> =
            found.iter().filter(|(n, ..)| n.metric == metric).map(|(n, _, inverse)| (*n, *inverse)).collect();
        match of_one(asked, &of_metric, &labels, (&left, &right), is_directed) {
            Ok(pairs) => all.extend(pairs),
            Err(reason) => why = format!("{metric}: {reason}"),
        }
    }
    if all.is_empty() { Err(why) } else { Ok(all) }
}

fn by_ids<'n>(asked: &Asked<'_>, measured: &[&'n Number]) -> Result<Vec<Pair<'n>>, String> {
    let find = |id: &String| {
        measured.iter().find(|n| n.id == *id).copied().ok_or_else(|| say!("audit-no-number", id))
    };
    let [a, b] = asked.numbers else {
        return Err(say!("audit-numbers-names-two").to_owned());
    };
    let (a, b) = (find(a)?, find(b)?);
    if let Some(zero) = [a, b].into_iter().find(|number| number.value == 0.0) {
        return Err(say!("audit-divides-by-zero", text = zero.id));
    }
    if quantity::unit(&a.unit).1 != quantity::unit(&b.unit).1 {
        return Err(say!("audit-units-differ", a = a.id, a_unit = a.unit, b = b.id, b_unit = b.unit));
    }
    let words = metric_words(asked.clause);
    let is_inverse = is_time(a) && words.iter().any(|w| w == "speed" || w == "throughput");
    Ok(vec![Pair { a, b, is_directed: true, is_inverse }])
}

/// The numbers of the claim's test: that of its key, else those that its text names, else all.
fn of_test<'n>(asked: &Asked<'_>, measured: &[&'n Number]) -> Result<Vec<&'n Number>, String> {
    let group = |test: &str| test.trim_end_matches(|c: char| c.is_ascii_lowercase()).to_owned();
    let mut kept: Vec<&Number> = if asked.test.is_empty() {
        let named: Vec<&Number> = measured.iter().filter(|n| says(asked.whole, &n.test)).copied().collect();
        if named.is_empty() { measured.to_vec() } else { named }
    } else {
        measured
            .iter()
            .filter(|n| {
                n.test == asked.test || (group(&n.test) == group(asked.test) && group(asked.test).len() > 1)
            })
            .copied()
            .collect()
    };
    if kept.is_empty() {
        return Err(match asked.test {
            "" => say!("audit-none-measured").to_owned(),
            test => say!("audit-none-measured-of-test", test),
        });
    }
    if !asked.conditions.is_empty() && kept.iter().any(|n| n.conditions == asked.conditions) {
        kept.retain(|n| n.conditions == asked.conditions);
    }
    Ok(kept)
}

/// True if the words of a name follow each other among the tokens.
fn says(tokens: &[Token], name: &str) -> bool {
    position(tokens, name).is_some()
}

fn position(among: &[Token], name: &str) -> Option<usize> {
    let wanted = tokens(name);
    if wanted.is_empty() || wanted.len() > among.len() {
        return None;
    }
    let same = |a: &Token, b: &Token| match (a, b) {
        // One letter is a name only as it is written: `A`, not `a`.
        (Token::Word { raw: a, .. }, Token::Word { raw: b, .. }) if b.len() == 1 => a == b,
        (Token::Word { low: a, .. }, Token::Word { low: b, .. }) => a == b,
        (a, b) => a == b,
    };
    let fits = |at: &usize| wanted.iter().zip(&among[*at..]).all(|(b, a)| same(a, b));
    (0..=among.len() - wanted.len()).find(fits).filter(|at| !(is_article(among, *at) && wanted.len() == 1))
}

/// An "A" that begins a sentence is an article unless a verb follows.
fn is_article(among: &[Token], at: usize) -> bool {
    let is_a = matches!(&among[at], Token::Word { raw, .. } if raw == "A");
    let verbs = [
        "is",
        "has",
        "was",
        "shows",
        "gives",
        "delivers",
        "reaches",
        "needs",
        "takes",
        "versus",
        "vs",
        "against",
        "over",
        "to",
        "cuts",
        "reduces",
        "increases",
        "improves",
        "beats",
        "doubles",
        "halves",
        "gets",
        "achieves",
    ];
    is_a && at == 0 && !verbs.contains(&among.get(1).map_or("", Token::word))
}

/// The labels of the sides: systems, else conditions, else tests.
struct Labels {
    all: Vec<String>,
    of: fn(&Number) -> &str,
}

impl Labels {
    fn of(numbers: &[&Number]) -> Labels {
        let ways: [fn(&Number) -> &str; 3] = [|n| &n.system, |n| &n.conditions, |n| &n.test];
        for of in ways {
            let mut all: Vec<String> = numbers.iter().map(|n| of(n).to_owned()).collect();
            all.sort();
            all.dedup();
            if all.len() > 1 {
                return Labels { all, of };
            }
        }
        Labels { all: Vec::new(), of: ways[0] }
    }

    /// The labels that a side means: the one it is, else those that hold its words.
    fn meant(&self, side: &str) -> Vec<String> {
        let exact: Vec<String> =
            self.all.iter().filter(|label| label.eq_ignore_ascii_case(side.trim())).cloned().collect();
        let wanted = words(side);
        if !exact.is_empty() || wanted.is_empty() {
            return exact;
        }
        let score = |label: &String| {
            let own = words(label);
            wanted.iter().filter(|word| own.contains(word)).count()
        };
        let best = self.all.iter().map(score).max().unwrap_or(0);
        if best * 2 < wanted.len() || best == 0 {
            return Vec::new();
        }
        self.all.iter().filter(|label| score(label) == best).cloned().collect()
    }

    /// The places of each label in a text: by its whole name, else by words that no other label has.
    fn named(&self, text: &[Token]) -> Vec<(usize, String)> {
        let mut found: Vec<(usize, String)> = Vec::new();
        for label in &self.all {
            let own: Vec<String> = words(label)
                .into_iter()
                .filter(|word| !self.all.iter().any(|other| other != label && words(other).contains(word)))
                .filter(|word| {
                    word.len() > 1 && word.parse::<f64>().is_err() && !QUALIFIERS.contains(&word.as_str())
                })
                .collect();
            let by_word = || text.iter().position(|token| own.iter().any(|word| token.word() == word));
            found.extend(position(text, label).or_else(by_word).map(|at| (at, label.clone())));
        }
        found.sort();
        found
    }
}

fn words(name: &str) -> Vec<String> {
    let spelt = tokens(name);
    spelt
        .iter()
        .map(|token| match token {
            Token::Word { low, .. } => low.clone(),
            Token::Number { value, suffix } => format!("{value}{}", suffix.to_lowercase()),
        })
        .filter(|word| !["/", ",", ";", "x", "%"].contains(&word.as_str()))
        .collect()
}

/// The labels on both sides of a claim, and whether it says which is which; empty lists where it says
/// nothing.
fn sides(asked: &Asked<'_>, labels: &Labels) -> (Vec<String>, Vec<String>, bool) {
    for sign in
        [" vs. ", " vs ", " versus ", " against ", " over ", " than ", " compared to ", " compared with "]
    {
        if let Some((left, right)) = asked.system.split_once(sign) {
            // A table says "A vs B" of changes in both directions; a comparative says which is meant.
            let says = !matches!(asked.figure.sense, Sense::Unsaid | Sense::Share) && !changes(asked.clause);
            return (labels.meant(left), labels.meant(right), says);
        }
    }
    let mut named = labels.named(asked.clause);
    if named.is_empty() {
        named = labels.named(asked.whole);
    }
    let text = if labels.named(asked.clause).is_empty() { asked.whole } else { asked.clause };
    if named.len() < 2 && !asked.system.is_empty() {
        let own = labels.meant(asked.system);
        return (own, Vec::new(), !changes(asked.clause));
    }
    let markers: Vec<usize> = (0..text.len()).filter(|at| marks(text, *at)).collect();
    let is_against = |position: usize| {
        let before = markers.iter().rev().find(|marker| **marker < position);
        before.is_some_and(|marker| !named.iter().any(|(other, _)| *marker < *other && *other < position))
    };
    let (right, left): (Vec<_>, Vec<_>) = named.iter().cloned().partition(|(at, _)| is_against(*at));
    let label = |list: Vec<(usize, String)>| list.into_iter().map(|(_, label)| label).collect::<Vec<_>>();
    let is_directed = !right.is_empty() || (left.len() == 1 && !changes(asked.clause));
    match (left.len(), right.len()) {
        (2, 0) => (vec![left[0].1.clone()], vec![left[1].1.clone()], false),
        _ => (label(left), label(right), is_directed),
    }
}

/// True if a word puts the following text on the other side: `than`, and `from` or `of` after a side.
fn marks(text: &[Token], at: usize) -> bool {
    let word = text[at].word();
    let before = at.checked_sub(1).map_or("", |at| text[at].word());
    // `over 2x` and `more than 2x` hedge.
    let hedges = matches!(text.get(at + 1), Some(Token::Number { suffix, .. }) if ["x", ""].contains(&suffix.as_str()))
        || ["double", "twice", "half", "triple"].contains(&text.get(at + 1).map_or("", Token::word));
    (AGAINST.contains(&word) && !hedges)
        || word == "from"
        || (word == "of"
            && [
                "iops",
                "tpm",
                "nopm",
                "latency",
                "throughput",
                "that",
                "those",
                "speed",
                "time",
                "bandwidth",
                "%",
            ]
            .contains(&before)
            && at > 4)
}

/// Nouns and verbs of change, which a table uses in both directions.
fn changes(text: &[Token]) -> bool {
    let words = [
        "increase",
        "increases",
        "increased",
        "decrease",
        "decreases",
        "gain",
        "gains",
        "change",
        "reduction",
        "growth",
        "improvement",
        "drop",
        "rise",
        "rises",
    ];
    text.iter().any(|token| words.contains(&token.word()))
}

/// Numbers whose metric the claim can mean, with how much their metric says beyond it, and whether it speaks
/// of their inverse.
fn candidates<'n>(
    asked: &Asked<'_>,
    numbers: &[&'n Number],
    known: &[Vec<String>],
    wanted: &[String],
) -> Vec<(&'n Number, usize, bool)> {
    let is_known = |word: &String| {
        QUALIFIERS.contains(&word.as_str()) || known.iter().any(|metric| metric.contains(word))
    };
    let alternatives = asked.clause.iter().any(|token| token.word() == "/");
    let is_fast = matches!(asked.figure.sense, Sense::Faster | Sense::Slower);
    let mut found = Vec::new();
    for (number, metric) in numbers.iter().zip(known) {
        let context = words(&format!("{} {}", number.test, number.conditions));
        let time = is_time(number);
        let (mut hits, mut misses, mut is_inverse, mut generic) = (0, 0, false, 0);
        for word in wanted {
            let is_speed = word == "speed" || (word == "throughput" && !metric.contains(word));
            if metric.contains(word) {
                hits += 1;
            } else if is_speed && time && !metric.iter().any(|own| own == "latency") {
                (generic, is_inverse) = (generic + 1, true);
            } else if (is_speed && !time && is_rate(number)) || (word == "time" && time) {
                generic += 1;
            } else if is_known(word) && !context.contains(word) {
                misses += 1;
            }
        }
        let is_bare = !wanted
            .iter()
            .any(|word| is_known(word) || ["speed", "throughput", "time"].contains(&word.as_str()));
        let fits = match () {
            () if alternatives => hits > 0,
            () if is_bare => is_fast && time || !is_fast && single(known),
            () => misses == 0 && hits + generic > 0,
        };
        if fits {
            // Of a speed and a time of the same thing, the word that is nearer: a rate for `speed`, a time
            // for `faster`.
            let extra = metric
                .iter()
                .filter(|own| !wanted.contains(own) && !["time", "speed"].contains(&own.as_str()))
                .count();
            let extra = if alternatives { 0 } else { extra * 2 + usize::from(is_inverse) };
            found.push((*number, extra, is_inverse));
        }
    }
    found
}

fn is_rate(number: &Number) -> bool {
    let dimension = quantity::unit(&number.unit).1;
    let metric = metric_words(&tokens(&number.metric));
    matches!(dimension, quantity::Dimension::Rate | quantity::Dimension::Bandwidth)
        || metric.iter().any(|word| {
            ["tpm", "nopm", "iops", "throughput", "qps", "tps", "speed", "rate"].contains(&word.as_str())
        })
}

fn single(known: &[Vec<String>]) -> bool {
    known.windows(2).all(|pair| pair[0] == pair[1])
}

/// The systems on both sides, of those that have a number.
fn sides_of(
    asked: &Asked<'_>,
    present: &[String],
    left: &[String],
    right: &[String],
) -> Result<(Vec<String>, Vec<String>), String> {
    let others = |named: &[String]| -> Result<Vec<String>, String> {
        let rest: Vec<String> = present.iter().filter(|one| !named.contains(one)).cloned().collect();
        if rest.len() == 1 {
            Ok(rest)
        } else {
            Err(say!("audit-against-which", systems = names(rest.iter().map(String::as_str))))
        }
    };
    let is_table = [" vs ", " vs. ", " versus ", " against ", " over ", " than "]
        .iter()
        .any(|sign| asked.system.contains(sign));
    Ok(match (left.is_empty(), right.is_empty()) {
        (false, false) => (left.to_vec(), right.to_vec()),
        _ if is_table => {
            return Err(say!(
                "audit-names-no-two",
                system = asked.system,
                systems = names(present.iter().map(String::as_str))
            ));
        }
        (false, true) => (left.to_vec(), others(left)?),
        (true, false) => (others(right)?, right.to_vec()),
        (true, true) if present.len() == 2 => (vec![present[0].clone()], vec![present[1].clone()]),
        (true, true) => {
            return Err(say!("audit-which-two", systems = names(present.iter().map(String::as_str))));
        }
    })
}

/// The pairs of one metric.
fn of_one<'n>(
    asked: &Asked<'_>,
    numbers: &[(&'n Number, bool)],
    labels: &Labels,
    (left, right): (&[String], &[String]),
    is_directed: bool,
) -> Result<Vec<Pair<'n>>, String> {
    let label = |n: &Number| (labels.of)(n).to_owned();
    let mut present: Vec<String> = numbers.iter().map(|(n, _)| label(n)).collect();
    present.sort();
    present.dedup();
    if present.len() < 2 {
        let system = present.first().map_or(say!("audit-one-system"), String::as_str);
        return Err(say!("audit-only-one", system));
    }
    let (left, right) = sides_of(asked, &present, left, right)?;
    let (mut pairs, mut foreign) = (Vec::new(), false);
    for (a, is_inverse) in numbers.iter().filter(|(n, _)| left.contains(&label(n))) {
        for (b, _) in numbers.iter().filter(|(n, _)| right.contains(&label(n)) && n.id != a.id) {
            let by_system = (labels.of)(a) == a.system;
            let alone = |n: &Number| {
                numbers.iter().filter(|(m, _)| label(m) == label(n) && m.test == n.test).count() == 1
            };
            let group = |test: &str| test.trim_end_matches(|c: char| c.is_ascii_lowercase()).to_owned();
            let is_same_test = !by_system
                || a.test == b.test
                || (!asked.test.is_empty() && group(&a.test) == group(&b.test));
            let is_same_level = !by_system || a.conditions == b.conditions || (alone(a) && alone(b));
            if !is_same_test || !is_same_level {
                continue;
            }
            if quantity::unit(&a.unit).1 != quantity::unit(&b.unit).1 {
                foreign = true;
                continue;
            }
            if a.value > 0.0 && b.value > 0.0 {
                pairs.push(Pair { a, b, is_directed, is_inverse: *is_inverse });
            }
        }
    }
    match (pairs.is_empty(), foreign) {
        (true, true) => Err(say!("audit-units-apart").to_owned()),
        (true, false) => Err(say!(
            "audit-no-common-level",
            left = names(left.iter().map(String::as_str)),
            right = names(right.iter().map(String::as_str))
        )),
        _ => Ok(pairs),
    }
}

/// Names, each once.
fn names<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let mut each: Vec<&str> = all.collect();
    each.sort_unstable();
    each.dedup();
    match each.len() {
        0 => say!("audit-no-other").to_owned(),
        1..=8 => each.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        many => say!("audit-many-of-them", many),
    }
}
