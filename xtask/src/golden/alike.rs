//! The comparison of two answers: word by word, and numbers within the last digits that a processor's
//! arithmetic may move.

/// Relative difference of two numbers that are the same: the logarithms of two processors' libraries may
/// differ in the last digits.
const TOLERANCE: f64 = 1e-9;

/// The lines in which two answers differ, `-` before the old one and `+` before the new one; empty when they
/// say the same.
pub(super) fn differences(before: &str, now: &str) -> Vec<String> {
    let (before, now): (Vec<&str>, Vec<&str>) = (before.lines().collect(), now.lines().collect());
    let first = before.iter().zip(&now).take_while(|(old, new)| is_same(old, new)).count();
    let rest = before.len().min(now.len()) - first;
    let last = before
        .iter()
        .rev()
        .zip(now.iter().rev())
        .take(rest)
        .take_while(|(old, new)| is_same(old, new))
        .count();
    let (old, new) = (&before[first..before.len() - last], &now[first..now.len() - last]);
    if old.len() != new.len() {
        let place = format!("from line {}: {} lines were {}", first + 1, new.len(), old.len());
        let old = old.iter().map(|line| format!("- {line}"));
        return std::iter::once(place).chain(old).chain(new.iter().map(|line| format!("+ {line}"))).collect();
    }
    let pairs = old.iter().zip(new).enumerate().filter(|(_, (old, new))| !is_same(old, new));
    pairs
        .flat_map(|(at, (old, new))| {
            [format!("{}: - {}", first + at + 1, cut(old)), format!("   + {}", cut(new))]
        })
        .collect()
}

/// Enough of a line to see what it is.
fn cut(line: &str) -> String {
    line.chars().take(200).collect()
}

fn is_same(old: &str, new: &str) -> bool {
    if old == new {
        return true;
    }
    let (mut old, mut new) = (pieces(old), pieces(new));
    loop {
        match (old.next(), new.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if one == other || are_close(one, other) => {}
            _ => return false,
        }
    }
}

/// Numbers and the text between them.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_number = of_number(first);
        let end = rest.find(|c| of_number(c) != is_number).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

fn of_number(c: char) -> bool {
    c.is_ascii_digit() || c == '.'
}

fn are_close(one: &str, other: &str) -> bool {
    // A whole number is a count, a level or a seed: it is the same or it is not.
    if !one.contains('.') || !other.contains('.') {
        return false;
    }
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => (one - other).abs() <= TOLERANCE * one.abs().max(other.abs()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_digits_are_no_difference_and_everything_else_is() {
        let same = |old: &str, new: &str| differences(old, new).is_empty();
        assert!(same("p99: 1.234567890123 ms", "p99: 1.234567890124 ms"));
        assert!(!same("p99: 1.2345678 ms", "p99: 1.2345679 ms"));
        assert!(!same("1000000000000", "1000000000001"), "counts are exact");
        assert!(!same("a 1.5", "b 1.5"));
        assert!(!same("1.2.3", "1.2.4"), "a version is no number");
        assert!(!same("1.5", "1.5 x"));
    }

    #[test]
    fn differences_name_their_lines() {
        assert_eq!(differences("a\nb\nc", "a\nx\nc"), ["2: - b", "   + x"]);
        assert_eq!(differences("a\nc", "a\nb\nc"), ["from line 2: 1 lines were 0", "+ b"]);
        assert_eq!(differences("a\na", "a"), ["from line 2: 0 lines were 1", "- a"]);
        assert!(differences("", "").is_empty());
    }
}
