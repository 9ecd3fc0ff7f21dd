//! The words of a claim, and what they say: more or less, faster or slower, against whom.

/// A word or number of a claim.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number { value: f64, suffix: String },
    Word { low: String, raw: String },
}

impl Token {
    pub(super) fn word(&self) -> &str {
        match self {
            Token::Word { low, .. } => low,
            Token::Number { .. } => "",
        }
    }
}

/// Cuts a claim into words, numbers and the signs that part clauses.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let text = plain(text);
    let chars: Vec<char> = text.chars().collect();
    let (mut all, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        let c = chars[at];
        let starts = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
        let is_free = at == 0 || !chars[at - 1].is_alphanumeric();
        if c.is_ascii_digit() || (matches!(c, '-' | '+') && is_free && starts(at + 1)) {
            let from = at;
            at += 1;
            while at < chars.len() && (starts(at) || (matches!(chars[at], '.' | ',') && starts(at + 1))) {
                at += 1;
            }
            let digits: String = chars[from..at].iter().collect();
            let suffix_from = at;
            while at < chars.len() && chars[at].is_alphanumeric() {
                at += 1;
            }
            let suffix: String = chars[suffix_from..at].iter().collect();
            match published::quantity::written(&digits) {
                Some((value, _)) => all.push(Token::Number { value, suffix }),
                None => all.push(word(&(digits + &suffix))),
            }
        } else if c.is_alphanumeric() {
            let from = at;
            while at < chars.len() && chars[at].is_alphanumeric() {
                at += 1;
            }
            all.push(word(&chars[from..at].iter().collect::<String>()));
        } else {
            if matches!(c, '%' | ',' | ';' | '/' | '~') {
                all.push(word(&c.to_string()));
            }
            at += 1;
        }
    }
    all
}

fn word(raw: &str) -> Token {
    Token::Word { low: raw.to_lowercase(), raw: raw.to_owned() }
}

/// One spelling for what has several.
fn plain(text: &str) -> String {
    let text = text
        .replace(['−', '–', '—', '‑'], "-")
        .replace('×', "x")
        .replace(['µ', 'μ'], "u")
        .replace(['≈', '≃'], "~");
    let text = text.replace("per cent", "%").replace("percentile", "th-percentile");
    let mut text = text.replace("percent", "%");
    for (written, meant) in [
        ("compared to", "versus"),
        ("compared with", "versus"),
        ("relative to", "versus"),
        ("instead of", "versus"),
        ("rather than", "versus"),
        ("response time", "latency"),
        ("Response time", "latency"),
        ("speed-up", "faster"),
        ("speedup", "faster"),
        ("speeds up", "faster"),
    ] {
        text = text.replace(written, meant);
    }
    for (number, name) in
        [("99.99", "p9999"), ("99.9", "p999"), ("99", "p99"), ("95", "p95"), ("90", "p90"), ("50", "p50")]
    {
        for form in ["th th-%ile", "th-th-%ile", " th-%ile", "% th-%ile", "%ile"] {
            text = text.replace(&format!("{number}{form}"), name);
        }
    }
    text
}

pub(super) const UP: &[&str] = &[
    "more",
    "increase",
    "increases",
    "increased",
    "increasing",
    "higher",
    "gain",
    "gains",
    "gained",
    "grow",
    "grows",
    "grew",
    "growth",
    "rise",
    "rises",
    "rose",
    "up",
    "boost",
    "boosts",
    "greater",
    "larger",
    "bigger",
    "additional",
    "extra",
    "longer",
    "above",
    "exceeds",
    "raises",
    "raised",
    "climbs",
    "climbed",
    "jumps",
    "jumped",
];
pub(super) const DOWN: &[&str] = &[
    "less",
    "lower",
    "lowers",
    "lowered",
    "decrease",
    "decreases",
    "decreased",
    "reduce",
    "reduces",
    "reduced",
    "reduction",
    "drop",
    "drops",
    "dropped",
    "fall",
    "falls",
    "fell",
    "fewer",
    "shorter",
    "shortens",
    "down",
    "cut",
    "cuts",
    "smaller",
    "save",
    "saves",
    "saved",
    "saving",
    "savings",
    "below",
    "decline",
    "declines",
    "declined",
    "shrinks",
    "shrank",
];
pub(super) const FAST: &[&str] = &["faster", "quicker", "fast", "quick", "accelerates", "accelerated"];
pub(super) const SLOW: &[&str] = &["slower", "slow"];
pub(super) const BETTER: &[&str] =
    &["better", "improve", "improves", "improved", "improvement", "outperforms", "beats"];
pub(super) const WORSE: &[&str] = &["worse", "worsens", "degradation", "degrades", "degraded"];
/// The words before the system of a comparison's other side.
pub(super) const AGAINST: &[&str] = &["than", "over", "versus", "vs", "against"];
pub(super) const ABOUT: &[&str] = &[
    "about",
    "around",
    "approximately",
    "approx",
    "roughly",
    "nearly",
    "almost",
    "~",
    "some",
    "circa",
    "ca",
    "close",
];

/// Words that name no metric.
const EMPTY: &[&str] = &[
    "a",
    "an",
    "the",
    "of",
    "by",
    "to",
    "from",
    "in",
    "on",
    "at",
    "for",
    "with",
    "is",
    "are",
    "was",
    "were",
    "be",
    "has",
    "have",
    "had",
    "it",
    "its",
    "that",
    "this",
    "and",
    "or",
    "as",
    "than",
    "over",
    "versus",
    "vs",
    "against",
    "compared",
    "x",
    "%",
    "times",
    "time's",
    "fold",
    "ratio",
    "factor",
    "change",
    "difference",
    "much",
    "many",
    "about",
    "around",
    "approximately",
    "approx",
    "roughly",
    "nearly",
    "almost",
    "up",
    "least",
    "most",
    "only",
    "just",
    "even",
    "both",
    "while",
    "but",
    "whereas",
    "per",
    "shows",
    "show",
    "delivers",
    "gives",
    "gave",
    "reaches",
    "needs",
    "takes",
    "took",
    "gets",
    "provides",
    "achieves",
    "offers",
    "system",
    "systems",
    "every",
    "each",
    "all",
    "conclusion",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "half",
    "twice",
    "double",
    "doubles",
    "doubled",
    "triple",
    "triples",
    "tripled",
    "halves",
    "halved",
    "third",
    "quarter",
    "fifth",
    "tenth",
    "quadruple",
    "quadruples",
    "thrice",
    "twofold",
    "threefold",
    "tenfold",
    "better",
    "worse",
    ",",
    ";",
    "/",
    "~",
    "so",
    "when",
    "we",
    "our",
    "their",
    "can",
    "s",
];

/// The words of a metric's name, each in one spelling.
pub(super) fn metric_words<'t>(tokens: impl IntoIterator<Item = &'t Token>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for token in tokens {
        let low = token.word();
        let sense = [UP, DOWN, FAST, SLOW, BETTER, WORSE, ABOUT].iter().any(|list| list.contains(&low));
        if low.is_empty() || sense || EMPTY.contains(&low) {
            continue;
        }
        let one = match low {
            "average" | "avg" => "mean",
            "latencies" | "delay" => "latency",
            "duration" | "elapsed" | "times" | "runtime" => "time",
            "speeds" | "performance" => "speed",
            "bandwidth" => "throughput",
            "transactions" | "transaction" | "tx" => "tpm",
            "reads" => "read",
            "writes" => "write",
            "users" => "user",
            "backups" => "backup",
            "restores" => "restore",
            "ios" => "iops",
            "maximum" => "max",
            "minimum" => "min",
            low => low,
        };
        if !words.iter().any(|word| word == one) {
            words.push(one.to_owned());
        }
    }
    words
}

/// Words that tell metrics of one kind apart: a claim that has one means no number without it.
pub(super) const QUALIFIERS: &[&str] = &[
    "read",
    "write",
    "random",
    "sequential",
    "mean",
    "median",
    "max",
    "min",
    "peak",
    "p50",
    "p90",
    "p95",
    "p99",
    "p999",
    "p9999",
    "backup",
    "restore",
    "cpu",
    "idle",
    "latency",
    "iops",
    "tpm",
    "nopm",
    "qps",
    "power",
    "memory",
    "commit",
    "checkpoint",
    "recovery",
    "load",
    "insert",
    "update",
    "delete",
    "select",
    "scan",
    "lookup",
];
