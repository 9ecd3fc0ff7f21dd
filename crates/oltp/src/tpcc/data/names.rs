//! Last names of customers (4.3.2.3).

use super::text::Text;

const SYLLABLES: [&str; 10] =
    ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

/// A last name: at most three syllables of five letters.
pub(crate) type LastName = Text<15>;

/// The name whose syllables are the three digits of `number`, 0 to 999.
pub(crate) fn last_name(number: u32) -> LastName {
    let mut name = LastName::EMPTY;
    for digit in [number / 100 % 10, number / 10 % 10, number % 10] {
        name.push_str(SYLLABLES[digit as usize]);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelled_by_their_digits() {
        let spelled = [0, 7, 371, 777, 999].map(|number| last_name(number).as_str().to_owned());
        assert_eq!(spelled, ["BARBARBAR", "BARBARCALLY", "PRICALLYOUGHT", "CALLYCALLYCALLY", "EINGEINGEING"]);
        let mut all: Vec<String> = (0..1000).map(|number| last_name(number).as_str().to_owned()).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 1000);
    }
}
