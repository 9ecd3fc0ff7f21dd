//! "Did you mean": the known word nearest to the one that was written.

/// Words of other tools (fio, HammerDB, sysbench, vdbench) and what they are called here.
///
/// A word may stand for several keys: the one that the table in question has is meant.
const SYNONYMS: [(&str, &str); 46] = [
    ("arrivals", "arrivals_per_second"),
    ("beds", "bed"),
    ("bs", "block_size"),
    ("blocksize", "block_size"),
    ("buffer_pool", "memory"),
    ("cache", "memory"),
    ("db", "database"),
    ("device", "storage"),
    ("drive", "storage"),
    ("duration", "load_for"),
    ("duration", "measure"),
    ("fsync", "synchronous"),
    ("hammerdb", "hammerdb-like"),
    ("iodepth", "depth"),
    ("ioengine", "engine"),
    ("key_and_think", "keyed"),
    ("keyandthink", "keyed"),
    ("mysql", "mariadb"),
    ("pool", "connections"),
    ("postgres", "postgresql"),
    ("qd", "depth"),
    ("queue_depth", "depth"),
    ("ram", "memory"),
    ("ramp_time", "ramp_up"),
    ("rand_type", "distribution"),
    ("random", "uniform"),
    ("read_share", "read"),
    ("rampup", "ramp_up"),
    ("repeats", "rounds"),
    ("runs", "repeats"),
    ("runtime", "measure"),
    ("script", "test"),
    ("servers", "instances"),
    ("sigkill", "kill"),
    ("streams", "stream"),
    ("table_size", "rows"),
    ("threads", "virtual_users"),
    ("users", "threads"),
    ("users", "virtual_users"),
    ("virtual_users", "threads"),
    ("vms", "instances"),
    ("vus", "virtual_users"),
    ("warm_up", "ramp_up"),
    ("warmup_time", "ramp_up"),
    ("workloads", "workload"),
    ("zipfian", "zipf"),
];

/// The candidate that `written` was most likely meant to be, if any is near enough to be worth naming.
pub(crate) fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Distances of very long texts cost quadratic time and cannot be small.
    if written.is_empty() || written.len() > 100 {
        return None;
    }
    let wanted = written.to_lowercase().replace([' ', '-'], "_");
    let meant: Vec<&str> =
        SYNONYMS.iter().filter(|(word, _)| *word == wanted).map(|(_, meant)| *meant).collect();
    let length = wanted.chars().count();
    let allowed = (length / 3).max(1);
    let letters = Letters::of(&wanted);
    let distance = |candidate: &str| {
        let own = candidate.chars().count();
        let is_far = own.abs_diff(length) > allowed;
        if is_far && own < length {
            return usize::MAX; // It can neither be near nor hold the word.
        }
        let (missing, surplus) = letters.against(&Letters::of(candidate));
        if missing > 0 && (is_far || missing.max(surplus) > allowed) {
            return usize::MAX; // It has other letters: the same.
        }
        let candidate = candidate.to_lowercase().replace('-', "_");
        // Texts are at least as far apart as their lengths.
        let near = if is_far { usize::MAX } else { strsim::osa_distance(&wanted, &candidate) };
        // A whole word within a longer name ("users" in "virtual_users") is as good as a small slip.
        let within = wanted.len() >= 4 && candidate.contains(&wanted);
        if within { near.min(allowed) } else { near }
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if meant.contains(&candidate) {
            return Some(candidate);
        }
        let found = distance(candidate);
        if found <= allowed && best.is_none_or(|(least, _)| found < least) {
            best = Some((found, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// How often each letter occurs in a text, in any case, some rare letters counted together. A slip changes one letter into another at
/// most, so texts with other letters are far apart; to know that takes far less than to compare them.
struct Letters([u16; 32]);

impl Letters {
    fn of(text: &str) -> Self {
        let mut letters = Self([0; 32]);
        for letter in text.chars().flat_map(char::to_lowercase) {
            let kind = match letter {
                '-' => '_',
                '\u{3c2}' => '\u{3c3}', // A sigma is written in another way at the end of a word.
                other => other,
            };
            letters.0[kind as usize % 32] = letters.0[kind as usize % 32].saturating_add(1);
        }
        letters
    }

    /// Letters that are here and not there, and the other way round.
    fn against(&self, other: &Self) -> (usize, usize) {
        self.0.iter().zip(&other.0).fold((0, 0), |(missing, surplus), (&here, &there)| {
            (
                missing + usize::from(here.saturating_sub(there)),
                surplus + usize::from(there.saturating_sub(here)),
            )
        })
    }
}

/// `a`, `b` and `c`: known words for a message.
pub(crate) fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        None => "none".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_synonyms_and_words_within() {
        let keys = ["kind", "warehouses", "virtual_users", "ramp_up", "measure", "home"];
        assert_eq!(nearest("warehosues", keys), Some("warehouses"));
        assert_eq!(nearest("Ramp-Up", keys), Some("ramp_up"));
        assert_eq!(nearest("users", keys), Some("virtual_users"));
        assert_eq!(nearest("duration", keys), Some("measure"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("", keys), None);
    }

    /// What [`nearest`] finds, compared letter by letter with every candidate.
    fn plainly<'a>(written: &str, candidates: &[&'a str]) -> Option<&'a str> {
        if written.is_empty() || written.len() > 100 {
            return None;
        }
        let wanted = written.to_lowercase().replace([' ', '-'], "_");
        let length = wanted.chars().count();
        let allowed = (length / 3).max(1);
        let mut best: Option<(usize, &str)> = None;
        for &candidate in candidates {
            if SYNONYMS.iter().any(|(word, meant)| *word == wanted && *meant == candidate) {
                return Some(candidate);
            }
            let own = candidate.chars().count();
            let is_far = own.abs_diff(length) > allowed;
            let text = candidate.to_lowercase().replace('-', "_");
            let near = if is_far { usize::MAX } else { strsim::osa_distance(&wanted, &text) };
            let within = wanted.len() >= 4 && text.contains(&wanted) && !(is_far && own < length);
            let found = if within { near.min(allowed) } else { near };
            if found <= allowed && best.is_none_or(|(least, _)| found < least) {
                best = Some((found, candidate));
            }
        }
        best.map(|(_, candidate)| candidate)
    }

    proptest::proptest! {
        #[test]
        fn what_is_passed_over_was_too_far(
            written in "[abe_ \\-ABİΣσςs]{0,9}|[a-z_]{3,12}|users|rampup",
            candidates in proptest::collection::vec("[abe_\\-AİΣσς]{0,12}|[a-z_]{3,12}", 0..8),
            slip: usize,
        ) {
            let mut candidates: Vec<&str> = candidates.iter().map(String::as_str).collect();
            candidates.extend(["virtual_users", "ramp_up", "warehouses", "measure"]);
            proptest::prop_assert_eq!(nearest(&written, candidates.iter().copied()), plainly(&written, &candidates));
            // A known word with one letter left out.
            let known = candidates[slip % candidates.len()];
            let slipped: String =
                known.chars().enumerate().filter(|(at, _)| *at != slip % 7).map(|(_, letter)| letter).collect();
            proptest::prop_assert_eq!(nearest(&slipped, candidates.iter().copied()), plainly(&slipped, &candidates));
        }
    }

    #[test]
    fn lists_words_as_a_sentence_would() {
        assert_eq!(listed([]), "none");
        assert_eq!(listed(["a"]), "`a`");
        assert_eq!(listed(["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
