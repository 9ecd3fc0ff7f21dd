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
    let is_meant =
        |candidate: &str| SYNONYMS.iter().any(|(word, meant)| *word == wanted && *meant == candidate);
    let length = wanted.chars().count();
    let allowed = (length / 3).max(1);
    let distance = |candidate: &str| {
        let own = candidate.chars().count();
        let is_far = own.abs_diff(length) > allowed;
        if is_far && own < length {
            return usize::MAX; // It can neither be near nor hold the word.
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
        if is_meant(candidate) {
            return Some(candidate);
        }
        let found = distance(candidate);
        if found <= allowed && best.is_none_or(|(least, _)| found < least) {
            best = Some((found, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
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

    #[test]
    fn lists_words_as_a_sentence_would() {
        assert_eq!(listed([]), "none");
        assert_eq!(listed(["a"]), "`a`");
        assert_eq!(listed(["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
