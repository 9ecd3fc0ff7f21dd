//! Notes that say the same of several things, as one: what they are about is listed between their common
//! beginning and their common end.

use words::say;

/// Things that a merged note names; of more it says how many.
const NAMED_MOST: usize = 2;
/// The marks that end a note's beginning, and those before its end.
const BEGINNINGS: [&str; 2] = [": ", "\u{ff1a}"];
const ENDS: [&str; 2] = ["; ", "\u{ff1b}"];

/// The beginning, the middle and the end of a note that has all three, each with its marks.
fn parted(note: &str) -> Option<(&str, &str, &str)> {
    let at = BEGINNINGS.iter().find_map(|mark| note.find(mark).map(|at| at + mark.len()))?;
    let (beginning, rest) = note.split_at(at);
    let end = ENDS.iter().find_map(|mark| rest.rfind(mark))?;
    let (middle, end) = rest.split_at(end);
    (!middle.is_empty()).then_some((beginning, middle, end))
}

/// The notes in their order; those that differ in their middle alone stand at the place of their first.
pub(super) fn merged(notes: Vec<String>) -> Vec<String> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    for note in notes {
        let ends =
            |note: &str| parted(note).map(|(beginning, _, end)| (beginning.to_owned(), end.to_owned()));
        let is_like = |group: &&mut Vec<String>| ends(&note).is_some() && ends(&group[0]) == ends(&note);
        match groups.iter_mut().find(is_like) {
            Some(group) if group.contains(&note) => {}
            Some(group) => group.push(note),
            None => groups.push(vec![note]),
        }
    }
    groups.into_iter().map(|group| one_of(&group)).collect()
}

fn one_of(group: &[String]) -> String {
    let (Some((beginning, _, end)), true) = (parted(&group[0]), group.len() > 1) else {
        return group[0].clone();
    };
    let middles = group.iter().filter_map(|note| parted(note)).map(|(_, middle, _)| middle);
    let told = words::list(middles.take(NAMED_MOST));
    let told = match group.len().saturating_sub(NAMED_MOST) {
        0 => told,
        more => say!("caution-and-more", told, more),
    };
    format!("{beginning}{told}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_that_differ_in_their_middle_are_one() {
        let of = |folder: &str| format!("another run was there: {folder}; it may have slowed this one");
        let other = "2 cells have warnings: late; never: a".to_owned();
        let notes = vec![of("/a"), other.clone(), of("/b"), of("/c"), of("/b"), of("/d")];
        let told = merged(notes);
        assert_eq!(told, [of("/a, /b and 2 more"), other]);
        assert_eq!(merged(vec![of("/a")]), [of("/a")]);
        assert_eq!(merged(vec!["plain".to_owned(), "other".to_owned()]), ["plain", "other"]);
    }
}
