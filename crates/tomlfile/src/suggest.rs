//! "Did you mean": the known word nearest to the one that was written.

use std::borrow::Cow;

/// Words of other tools (fio, HammerDB, sysbench, vdbench) and what they are called here.
///
/// A word may mean several keys: the one of the table in question is meant.
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
pub fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut search = Search::of(written)?;
    for candidate in candidates {
        search.offer(&Known::of(candidate));
    }
    search.found()
}

/// Known words that many texts are compared with: what the comparison needs of each is found out once.
pub struct Words<'a> {
    known: Vec<Known<'a>>,
    /// The kinds of letters and the lengths of each, many side by side: the processor looks at several at
    /// once.
    blocks: Vec<([u32; BESIDE], [u32; BESIDE])>,
}

/// Words that are looked at together.
const BESIDE: usize = 16;

impl<'a> Words<'a> {
    /// Prepares the words.
    pub fn of(words: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<Known<'a>> = words.into_iter().map(Known::of).collect();
        let block = |known: &[Known<'_>]| {
            let (mut kinds, mut lengths) = ([0; BESIDE], [0; BESIDE]);
            for (at, known) in known.iter().enumerate() {
                (kinds[at], lengths[at]) = (known.letters.kinds, known.length);
            }
            (kinds, lengths)
        };
        Self { blocks: known.chunks(BESIDE).map(block).collect(), known }
    }

    /// As [`nearest`] among these words.
    pub fn nearest(&self, written: &str) -> Option<&'a str> {
        let mut search = Search::of(written)?;
        if !search.meant.is_empty() {
            self.known.iter().for_each(|known| search.offer(known));
            return search.found();
        }
        for ((kinds, lengths), known) in self.blocks.iter().zip(self.known.chunks(BESIDE)) {
            let mut may_be_near = [false; BESIDE];
            for ((may, kinds), length) in may_be_near.iter_mut().zip(kinds).zip(lengths) {
                *may = search.may_be_near(*kinds, *length);
            }
            if may_be_near == [false; BESIDE] {
                continue;
            }
            known.iter().zip(may_be_near).filter(|(_, may)| *may).for_each(|(known, _)| search.offer(known));
        }
        search.found()
    }
}

/// A known word.
struct Known<'a> {
    text: &'a str,
    /// Its length in characters.
    length: u32,
    letters: Letters,
}

impl<'a> Known<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, length: text.chars().count() as u32, letters: Letters::of(text) }
    }
}

/// A comparison of one text with known words, one after the other.
struct Search<'a> {
    wanted: String,
    /// Its length in characters.
    length: u32,
    letters: Letters,
    /// The distance of words that are worth naming.
    allowed: u32,
    /// True if a whole word within a longer name ("users" in "virtual_users") counts as much as a small slip.
    may_be_within: bool,
    /// The names here for a word that is usual elsewhere.
    meant: Vec<&'static str>,
    /// The first of these that is a known word.
    by_meaning: Option<&'a str>,
    /// The first of the known words that are nearest.
    best: Option<(usize, &'a str)>,
}

impl<'a> Search<'a> {
    fn of(written: &str) -> Option<Self> {
        // Distances of very long texts cost quadratic time and cannot be small.
        if written.is_empty() || written.len() > 100 {
            return None;
        }
        let wanted = written.to_lowercase().replace([' ', '-'], "_");
        let (length, letters) = (wanted.chars().count() as u32, Letters::of(&wanted));
        let meant = SYNONYMS.iter().filter(|(word, _)| *word == wanted).map(|(_, meant)| *meant).collect();
        let allowed = (length / 3).max(1);
        let may_be_within = wanted.len() >= 4;
        Some(Self { wanted, length, letters, allowed, may_be_within, meant, by_meaning: None, best: None })
    }

    fn found(self) -> Option<&'a str> {
        self.by_meaning.or(self.best.map(|(_, known)| known))
    }

    fn offer(&mut self, known: &Known<'a>) {
        if self.by_meaning.is_none() && self.meant.contains(&known.text) {
            self.by_meaning = Some(known.text);
        }
        if !self.may_be_near(known.letters.kinds, known.length) {
            return;
        }
        let found = self.distance(known);
        if found <= self.allowed as usize && self.best.is_none_or(|(least, _)| found < least) {
            self.best = Some((found, known.text));
        }
    }

    /// True for a word of about the same length with few other letters, or for a longer one with all the
    /// wanted letters. This excludes nearly all known words.
    #[inline]
    fn may_be_near(&self, kinds: u32, length: u32) -> bool {
        let missing = (self.letters.kinds & !kinds).count_ones();
        let surplus = (kinds & !self.letters.kinds).count_ones();
        let far = missing.max(surplus).max(length.abs_diff(self.length));
        (far <= self.allowed) | (self.may_be_within & (missing == 0) & (length >= self.length))
    }

    fn distance(&self, known: &Known<'_>) -> usize {
        let is_far = known.length.abs_diff(self.length) > self.allowed;
        if is_far && (known.length < self.length || !self.may_be_within) {
            return usize::MAX; // It can neither be near nor hold the word.
        }
        let (missing, surplus) = self.letters.against(&known.letters);
        if missing > 0 && (is_far || missing.max(surplus) > self.allowed as usize) {
            return usize::MAX; // It has other letters: the same.
        }
        let known = known.text.to_lowercase().replace('-', "_");
        // Texts are at least as far apart as their lengths.
        let near = if is_far { usize::MAX } else { strsim::osa_distance(&self.wanted, &known) };
        let is_within = self.may_be_within && known.contains(&self.wanted);
        if is_within { near.min(self.allowed as usize) } else { near }
    }
}

/// The number of each letter in a text, in any case; some rare letters share a count. A slip changes at most
/// one letter, so texts with different counts are far apart. Counting is much faster than comparing.
struct Letters {
    counts: [u8; 32],
    /// One bit for each that occurs.
    kinds: u32,
}

impl Letters {
    fn of(text: &str) -> Self {
        let mut letters = Self { counts: [0; 32], kinds: 0 };
        match text.is_ascii() {
            true => text.bytes().for_each(|letter| letters.add(u32::from(letter.to_ascii_lowercase()))),
            false => text.chars().flat_map(char::to_lowercase).for_each(|letter| letters.add(letter as u32)),
        }
        letters
    }

    fn add(&mut self, letter: u32) {
        let kind = match letter {
            0x2d => 0x5f,   // `-` is `_`.
            0x3c2 => 0x3c3, // A sigma is written in another way at the end of a word.
            other => other,
        } % 32;
        self.counts[kind as usize] = self.counts[kind as usize].saturating_add(1);
        self.kinds |= 1 << kind;
    }

    /// Letters that are here and not there, and the other way round.
    fn against(&self, other: &Self) -> (usize, usize) {
        self.counts.iter().zip(&other.counts).fold((0, 0), |(missing, surplus), (&here, &there)| {
            (
                missing + usize::from(here.saturating_sub(there)),
                surplus + usize::from(there.saturating_sub(here)),
            )
        })
    }
}

/// A word in a message: a long one by its beginning. The source line shows all of it.
pub fn short(word: &str) -> Cow<'_, str> {
    const LONGEST: usize = 60;
    match word.char_indices().nth(LONGEST) {
        Some((end, _)) => Cow::Owned(format!("{}...", &word[..end])),
        None => Cow::Borrowed(word),
    }
}

/// `a`, `b` and `c`: known words for a message.
pub fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
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

    /// The plain form of [`nearest`]: it compares every candidate letter by letter.
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
            let words = Words::of(candidates.iter().copied());
            proptest::prop_assert_eq!(nearest(&written, candidates.iter().copied()), plainly(&written, &candidates));
            proptest::prop_assert_eq!(words.nearest(&written), plainly(&written, &candidates));
            // A known word with one letter left out.
            let known = candidates[slip % candidates.len()];
            let slipped: String =
                known.chars().enumerate().filter(|(at, _)| *at != slip % 7).map(|(_, letter)| letter).collect();
            proptest::prop_assert_eq!(words.nearest(&slipped), plainly(&slipped, &candidates));
        }
    }

    #[test]
    fn only_a_long_word_is_cut_and_between_characters() {
        assert_eq!(short(&"é".repeat(60)), "é".repeat(60));
        assert_eq!(short(&"é".repeat(61)), format!("{}...", "é".repeat(60)));
    }

    #[test]
    fn lists_words_as_a_sentence_would() {
        assert_eq!(listed([]), "none");
        assert_eq!(listed(["a"]), "`a`");
        assert_eq!(listed(["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
