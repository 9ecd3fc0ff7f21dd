//! The figure of a claim: how much, in which sense, and how firmly it is said.

use super::words::{ABOUT, BETTER, DOWN, FAST, SLOW, Token, UP, WORSE};

/// The claimed amount.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Amount {
    Percent(f64),
    Times(f64),
}

/// The direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    Up,
    Down,
    Faster,
    Slower,
    Better,
    Worse,
    /// "192 % of": the share itself.
    Share,
    Unsaid,
}

/// The firmness of the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hedge {
    None,
    About,
    /// Over, more than, at least.
    AtLeast,
    /// Under, less than, at most.
    AtMost,
    /// The best of several.
    UpTo,
}

/// A claim's figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) amount: Amount,
    pub(super) sense: Sense,
    pub(super) hedge: Hedge,
    /// Said in a word ("double"), which rounds by itself.
    pub(super) is_word: bool,
    /// True if "more" or "less" occur with "times", which has two readings.
    pub(super) is_times_more: bool,
    /// Its place among the tokens.
    pub(super) at: usize,
}

/// Every figure among the tokens that compares.
pub(super) fn all(tokens: &[Token]) -> Vec<(usize, Amount, bool)> {
    (0..tokens.len())
        .filter_map(|at| one(tokens, at).map(|(amount, is_word)| (at, amount, is_word)))
        .collect()
}

fn one(tokens: &[Token], at: usize) -> Option<(Amount, bool)> {
    let next = |by: usize| tokens.get(at + by).map_or("", Token::word);
    let before = at.checked_sub(1).map_or("", |at| tokens[at].word());
    match &tokens[at] {
        Token::Number { value, suffix } => {
            let suffix = suffix.to_lowercase();
            if suffix.is_empty() && next(1) == "%" {
                let is_share_of_load = [
                    "read",
                    "reads",
                    "write",
                    "writes",
                    "random",
                    "sequential",
                    "utilisation",
                    "utilization",
                ];
                return (!is_share_of_load.contains(&next(2))).then_some((Amount::Percent(*value), false));
            }
            let is_plain = suffix.is_empty() && ["times", "fold"].contains(&next(1));
            // `8 x SE4011` counts drives; `3 x more` and `3 x` compare.
            let is_apart = suffix.is_empty() && next(1) == "x" && (next(2).is_empty() || compares(next(2)));
            let is_factor = suffix.is_empty()
                && (before == "factor" || (before == "of" && at >= 2 && tokens[at - 2].word() == "factor"));
            let is_joined = (suffix == "x" && (next(1).is_empty() || !is_product(tokens.get(at + 1))))
                || suffix == "fold";
            (is_plain || is_apart || is_factor || is_joined).then_some((Amount::Times(value.abs()), false))
        }
        Token::Word { low, .. } => {
            let part = |part: f64| match (before, next(1)) {
                ("by", _) => Some((Amount::Percent(part * 100.0), true)),
                (_, next) if is_comparative(next) => Some((Amount::Percent(part * 100.0), true)),
                ("a" | "one", "of" | "the" | "as") => Some((Amount::Times(part), true)),
                _ => None,
            };
            match low.as_str() {
                "twice" | "double" | "doubles" | "doubled" | "doubling" | "twofold" => {
                    Some((Amount::Times(2.0), true))
                }
                "thrice" | "triple" | "triples" | "tripled" | "threefold" => Some((Amount::Times(3.0), true)),
                "quadruple" | "quadruples" | "quadrupled" | "fourfold" => Some((Amount::Times(4.0), true)),
                "fivefold" => Some((Amount::Times(5.0), true)),
                "tenfold" => Some((Amount::Times(10.0), true)),
                "half" if before == "by" || is_comparative(next(1)) => Some((Amount::Percent(50.0), true)),
                "half" | "halves" | "halved" | "halving" => Some((Amount::Times(0.5), true)),
                "third" => part(1.0 / 3.0),
                "quarter" => part(0.25),
                "fifth" => part(0.2),
                "tenth" => part(0.1),
                "two" | "three" | "four" | "five" | "six" | "seven" | "eight" | "nine" | "ten"
                    if next(1) == "times" =>
                {
                    let words = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
                    let number = words.iter().position(|word| word == low).map_or(1.0, |at| at as f64 + 2.0);
                    Some((Amount::Times(number), true))
                }
                _ => None,
            }
        }
    }
}

fn compares(word: &str) -> bool {
    is_comparative(word)
        || [
            "the", "as", "of", ",", ";", "and", "at", "in", "for", "on", "with", "over", "than", "versus",
            "vs",
        ]
        .contains(&word)
}

fn is_comparative(word: &str) -> bool {
    [UP, DOWN, FAST, SLOW, BETTER, WORSE].iter().any(|list| list.contains(&word))
}

/// True if the text after `8x` counts drives: a name with capitals or digits.
fn is_product(token: Option<&Token>) -> bool {
    matches!(token, Some(Token::Word { raw, low }) if !compares(low) && raw.chars().any(|c| c.is_ascii_digit()))
}

impl Figure {
    /// The figure at a place, with what the words around it say.
    pub(super) fn of(tokens: &[Token], (at, amount, is_word): (usize, Amount, bool)) -> Figure {
        let hedge = hedge(tokens, at);
        let sense = sense(tokens, at, amount, hedge);
        let (amount, sense) = match (amount, sense) {
            (Amount::Percent(p), Sense::Unsaid | Sense::Up | Sense::Down) if p < 0.0 => {
                (Amount::Percent(-p), Sense::Down)
            }
            (Amount::Percent(p), sense) => (Amount::Percent(p.abs()), sense),
            other => other,
        };
        let is_times_more = matches!(amount, Amount::Times(_))
            && !is_word
            && tokens[at..].iter().take(4).any(|t| t.word() == "more");
        Figure { amount, sense, hedge, is_word, is_times_more, at }
    }
}

fn hedge(tokens: &[Token], at: usize) -> Hedge {
    let before = |by: usize| at.checked_sub(by).map_or("", |at| tokens[at].word());
    let two = (before(2), before(1));
    match two {
        ("more", "than") | ("greater", "than") | ("at", "least") => Hedge::AtLeast,
        ("less", "than") | ("lower", "than") | ("fewer", "than") | ("at", "most") => Hedge::AtMost,
        ("up", "to") | ("as", "much") => Hedge::UpTo,
        (_, "over" | "above") => Hedge::AtLeast,
        (_, "under" | "below") => Hedge::AtMost,
        _ if ABOUT.contains(&before(1)) => Hedge::About,
        ("close", "to") => Hedge::About,
        _ if tokens.windows(2).any(|pair| pair[0].word() == "up" && pair[1].word() == "to") => Hedge::UpTo,
        _ if tokens.iter().any(|token| {
            ["about", "approximately", "roughly", "nearly", "almost", "~"].contains(&token.word())
        }) =>
        {
            Hedge::About
        }
        _ => Hedge::None,
    }
}

/// The word of sense nearest to the figure, those of the hedge left out.
fn sense(tokens: &[Token], at: usize, amount: Amount, hedge: Hedge) -> Sense {
    let is_hedge = |index: usize| {
        let next = tokens.get(index + 1).map_or("", Token::word);
        let word = tokens[index].word();
        (hedge != Hedge::None && index + 2 == at && next == "than")
            || (hedge != Hedge::None && index + 1 == at)
            || (word == "up" && next == "to")
    };
    let of = |index: usize| -> Option<Sense> {
        let word = tokens[index].word();
        let lists = [
            (UP, Sense::Up),
            (DOWN, Sense::Down),
            (FAST, Sense::Faster),
            (SLOW, Sense::Slower),
            (BETTER, Sense::Better),
            (WORSE, Sense::Worse),
        ];
        lists.iter().find(|(list, _)| list.contains(&word)).map(|(_, sense)| *sense)
    };
    let mut found: Vec<(usize, Sense)> = (0..tokens.len())
        .filter(|index| !is_hedge(*index))
        .filter_map(|index| Some((index, of(index)?)))
        .collect();
    found.sort_by_key(|(index, _)| (index.abs_diff(at), *index < at));
    let after = |by: usize| tokens.get(at + by).map_or("", Token::word);
    match (found.first(), amount) {
        (Some((_, sense)), _) => *sense,
        (None, Amount::Percent(_)) if after(1) == "%" && after(2) == "of" => Sense::Share,
        _ => Sense::Unsaid,
    }
}
