//! The verdict of a formula's result on the claim's figure.

use super::super::{Rating, rounds_to};
use super::amount_of;
use super::figure::{self, Amount, Figure, Hedge, Sense};
use super::judge::{ABOUT, CLOSE, LOOSE, WORD_ABOVE, WORD_BELOW};
use super::words::{self, Token};
use ::words::say;
use published::Statement;

/// The rating on a statement whose formula gives `value`, in the statement's unit, with the reason where it
/// does not hold.
pub(in super::super) fn of_formula(statement: &Statement, value: f64) -> (Rating, Option<String>) {
    let tokens = words::tokens(&statement.text);
    let (said, figure) = match statement.printed {
        Some(printed) => (printed, printed_figure(&tokens, printed, &statement.unit)),
        None => match text_figure(&tokens, &statement.unit) {
            Some(figure) => (amount_of(&figure.amount), figure),
            None => {
                let why = say!("audit-no-one-figure");
                return (Rating::Unmatched, Some(why.to_owned()));
            }
        },
    };
    let rating = fares(&figure, said, value);
    let is_percent = matches!(figure.amount, Amount::Percent(_));
    match rating {
        Rating::Holds => (rating, None),
        Rating::Wrong if statement.printed.is_none() && is_percent && statement.unit.trim().is_empty() => {
            let why = say!("audit-a-percentage", said = said.to_string());
            (Rating::Unmatched, Some(why))
        }
        _ => (rating, Some(say!("audit-not", said = said.to_string()))),
    }
}

/// The reading of a unit as a ratio or a percentage; `None` for any other unit.
fn kind(unit: &str) -> Option<fn(f64) -> Amount> {
    match unit.trim() {
        "x" | "times" | "fold" => Some(Amount::Times),
        "%" | "percent" | "per cent" => Some(Amount::Percent),
        _ => None,
    }
}

/// The figure of the key `printed`, with what the words around it in the text say of it.
fn printed_figure(tokens: &[Token], printed: f64, unit: &str) -> Figure {
    let in_text = figure::all(tokens);
    let same = in_text.iter().find(|(_, amount, _)| amount_of(amount) == printed.abs());
    let is_it = |token: &Token| matches!(token, Token::Number { value, .. } if *value == printed);
    let at = same.map(|(at, ..)| *at).or_else(|| tokens.iter().position(is_it)).unwrap_or(tokens.len());
    let amount = match (kind(unit), same) {
        (Some(kind), _) => kind(printed),
        (None, Some((_, amount, _))) => *amount,
        (None, None) => Amount::Times(printed),
    };
    Figure::of(tokens, (at, amount, same.is_some_and(|(.., is_word)| *is_word)))
}

/// The one figure of the text, when it can be in that unit.
fn text_figure(tokens: &[Token], unit: &str) -> Option<Figure> {
    let in_text = figure::all(tokens);
    let [(at, amount, is_word)] = in_text[..] else { return None };
    let fits = unit.trim().is_empty()
        || kind(unit)
            .is_some_and(|kind| std::mem::discriminant(&kind(0.0)) == std::mem::discriminant(&amount));
    fits.then(|| Figure::of(tokens, (at, amount, is_word)))
}

fn fares(figure: &Figure, said: f64, value: f64) -> Rating {
    let is_down = matches!(figure.sense, Sense::Down | Sense::Slower);
    // "61 % lower" is said of -61 % as well, and "2.5x lower" of 0.4.
    let is_said_of_less = is_down || matches!(figure.sense, Sense::Better | Sense::Worse);
    let mut real = if said >= 0.0 && is_said_of_less { value.abs() } else { value };
    let is_times = matches!(figure.amount, Amount::Times(_));
    if is_times && is_down && real > 0.0 && (said > 1.0) != (real > 1.0) {
        real = 1.0 / real;
    }
    let off = (said - real).abs();
    // A point of a percentage is a hundredth of the whole.
    let whole = if is_times { real.abs() } else { 100.0 + real.abs() };
    let close = if figure.hedge == Hedge::About { 2.0 * ABOUT } else { CLOSE };
    match figure.hedge {
        _ if off == 0.0 || (rounds_to(real, said) && off <= close * whole) => Rating::Holds,
        _ if figure.is_word && (WORD_BELOW..=WORD_ABOVE).contains(&(real / said)) => Rating::Holds,
        Hedge::About if off <= ABOUT * real.abs() => Rating::Holds,
        Hedge::AtLeast if real >= said => Rating::Holds,
        Hedge::AtMost if real <= said => Rating::Holds,
        _ if off <= LOOSE * real.abs() => Rating::Loose,
        _ => Rating::Wrong,
    }
}
