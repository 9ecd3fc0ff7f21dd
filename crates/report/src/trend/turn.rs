//! Changes around the runs: facts that differ between two successive runs, in words.

use super::factor::Factor;
use crate::loaded_run::LoadedRun;
use crate::{alike, nuisance, refusal};
use notebook::RunId;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use words::say;

/// A run before which something around it changed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn {
    /// The first run with the new values.
    pub(crate) run: RunId,
    /// Everything that is not as in the run before it; what is below the load comes first.
    pub(crate) facts: Vec<Fact>,
}

/// One value that changed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fact {
    /// Its key as it was recorded.
    pub(crate) key: String,
    /// The value in the run before; `None` where it has none.
    pub(crate) before: Option<String>,
    /// The value from this run on.
    pub(crate) after: Option<String>,
    factor: Factor,
    /// True if the bed or the workload is told: there are several.
    is_owned: bool,
}

/// Facts that are told before the others are counted.
const TOLD_MOST: usize = 2;

/// The later of two runs with what changed before it; `None` where nothing did.
pub(crate) fn between(before: &LoadedRun, after: &LoadedRun) -> Option<Turn> {
    let several = after.beds.len() > 1;
    let fact = |key: String, before: Option<String>, later: Option<String>| {
        let factor = Factor::of(&key);
        let is_owned = several || key.starts_with("workload.");
        Fact { key, before, after: later, factor, is_owned }
    };
    let asked = alike::differences(after, before).into_iter();
    let each = asked.flat_map(|one| match numbers(&one.what, before, after) {
        many if many.is_empty() => vec![(one.what, one.baseline, one.run)],
        many => many,
    });
    let mut facts: Vec<Fact> = each.map(|(key, earlier, later)| fact(key, earlier, later)).collect();
    let names = [after, before].map(|loaded| loaded.run.id.to_string());
    for one in nuisance::between_runs(after, before, [&names[0], &names[1]]) {
        let mut values = one.values.into_iter().map(|(_, value)| value);
        let (later, earlier) = (values.next().flatten(), values.next().flatten());
        // The version of the tool is a part of a simulated request as well.
        if facts.iter().all(|known| known.key != one.fact) {
            facts.push(fact(one.fact, earlier, later));
        }
    }
    facts.sort_by_key(|one| !one.factor.is_surrounding);
    (!facts.is_empty()).then_some(Turn { run: after.run.id, facts })
}

/// A key with the value of the run before, and of the run.
type Keyed = (String, Option<String>, Option<String>);

/// Each number of a drive or a model that differs: a comparison counts them where they are many, and a
/// history keeps them all. Empty for any other key.
fn numbers(what: &str, before: &LoadedRun, after: &LoadedRun) -> Vec<Keyed> {
    let (scope, role) = match what.split('.').collect::<Vec<_>>()[..] {
        ["model"] => ("simulated-parameters".to_owned(), ""),
        ["bed", bed, "storage", "drive"] => (format!("drive:{bed}"), "data."),
        ["bed", bed, "log", "drive"] => (format!("drive:{bed}"), "log."),
        _ => return Vec::new(),
    };
    let [old, new] = [before, after].map(|loaded| loaded.scope(&scope).cloned().unwrap_or_default());
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let differs = |key: &&String| key.starts_with(role) && old.get(*key) != new.get(*key);
    let of = |key: &String| {
        let name = format!("{what}.{}", &key[role.len()..]);
        (name, old.get(key).cloned(), new.get(key).cloned())
    };
    keys.into_iter().filter(differs).map(of).collect()
}

impl Turn {
    /// True if machine, kernel, engine or processor are others: runs on both sides are then of two series.
    pub(crate) fn is_break(&self) -> bool {
        self.facts.iter().any(|fact| fact.factor.is_surrounding)
    }

    /// All facts with their values: `kernel 6.1 to 6.12; processor A to B`.
    pub(crate) fn whole(&self) -> String {
        words::parts(self.facts.iter().map(Fact::said))
    }

    /// At most `most` facts with their values, and how many more there are.
    pub(crate) fn told(&self, most: usize) -> String {
        let said = self.distinct();
        let told = words::parts(said.iter().take(most).map(|fact| fact.said()));
        with_more(told, said.len().saturating_sub(most))
    }

    /// As [`Turn::told`] of the two that stand for all.
    pub(crate) fn short(&self) -> String {
        self.told(TOLD_MOST)
    }

    /// At most `most` of what changed, without values: `kernel, processor and 3 more`.
    pub(crate) fn names(&self, most: usize) -> String {
        let said = self.distinct();
        let told = words::list(said.iter().take(most).map(|fact| fact.name()));
        with_more(told, said.len().saturating_sub(most))
    }

    /// The texts for a place in a figure, the longest first.
    pub(crate) fn candidates(&self) -> Vec<String> {
        let count = self.distinct().len();
        let names = [self.names(TOLD_MOST), self.names(1)];
        [self.short(), self.told(1)].into_iter().chain(names).chain([say!("trend-things", count)]).collect()
    }

    /// Facts that are told: one engine that is recorded in two places is one.
    fn distinct(&self) -> Vec<&Fact> {
        let mut told: Vec<&Fact> = Vec::new();
        for fact in &self.facts {
            if told.iter().all(|known| known.name() != fact.name()) {
                told.push(fact);
            }
        }
        told
    }

    /// The turn as JSON: every fact with its key and its values, as they were recorded.
    pub(crate) fn to_json(&self) -> Value {
        let fact = |fact: &Fact| json!({ "key": fact.key, "before": fact.before, "after": fact.after });
        json!({
            "run": self.run,
            "is_break": self.is_break(),
            "facts": self.facts.iter().map(Fact::keyed).collect::<Vec<_>>(),
            "changes": self.facts.iter().map(fact).collect::<Vec<_>>(),
        })
    }
}

fn with_more(told: String, more: usize) -> String {
    if more == 0 { told } else { say!("trend-and-more", told, more) }
}

impl Fact {
    /// `read latency at 4 KiB`, with the bed before it where there are several.
    pub(crate) fn name(&self) -> String {
        match &self.factor.of {
            Some(of) if self.is_owned => say!("trend-of-bed", bed = of, fact = self.factor.name),
            _ => self.factor.name.clone(),
        }
    }

    /// `read latency at 4 KiB 90 to 110 µs`.
    fn said(&self) -> String {
        let (before, after) = self.values();
        say!("trend-fact", name = self.name(), before, after)
    }

    /// `bed.nvme.memory: 32MiB to 64MiB`.
    fn keyed(&self) -> String {
        let shown = |value: &Option<String>| refusal::short(value.as_deref().unwrap_or(say!("not-recorded")));
        format!("{}: {} to {}", self.key, shown(&self.before), shown(&self.after))
    }

    /// Both values; a unit that they share is written once.
    pub(crate) fn values(&self) -> (String, String) {
        let [before, after] = [&self.before, &self.after].map(|value| {
            let value = value.as_deref().unwrap_or(say!("not-recorded"));
            shown(&self.key, value)
        });
        match (parted(&before), parted(&after)) {
            (Some((number, unit)), Some((_, other))) if unit == other => (number.to_owned(), after),
            _ => (before, after),
        }
    }
}

/// A value as it is read: bytes in GiB, `us` as µs, and a long text by its beginning.
fn shown(key: &str, value: &str) -> String {
    const GIB: f64 = 1_073_741_824.0;
    if let (true, Ok(bytes)) = (key.ends_with("_bytes"), value.parse::<f64>()) {
        return format!("{}\u{a0}GiB", crate::number::plain(bytes / GIB));
    }
    match parted(value) {
        Some((number, "us")) => format!("{number}\u{a0}\u{b5}s"),
        Some((number, unit)) => format!("{number}\u{a0}{unit}"),
        None => refusal::short(value),
    }
}

/// A number and its unit.
fn parted(value: &str) -> Option<(&str, &str)> {
    let (number, unit) = value.split_once([' ', '\u{a0}'])?;
    let is_unit = !unit.is_empty() && !unit.contains([' ', '\u{a0}']);
    (is_unit && number.parse::<f64>().is_ok()).then_some((number, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(key: &str, before: Option<&str>, after: Option<&str>) -> Fact {
        let owned = |value: Option<&str>| value.map(str::to_owned);
        let factor = Factor::of(key);
        Fact { key: key.to_owned(), before: owned(before), after: owned(after), factor, is_owned: false }
    }

    #[test]
    fn a_fact_is_told_in_words_and_keeps_its_key() {
        let latency = fact("bed.a.storage.drive.read.latency_4k", Some("90 us"), Some("110 us"));
        assert_eq!(latency.said(), "read latency at 4\u{a0}KiB 90 to 110\u{a0}\u{b5}s");
        assert_eq!(latency.keyed(), "bed.a.storage.drive.read.latency_4k: 90 us to 110 us");
        assert_eq!(fact("kernel.release", Some("6.1"), Some("6.12")).said(), "kernel 6.1 to 6.12");
        assert_eq!(fact("kernel.release", None, Some("6.12")).said(), "kernel not recorded to 6.12");
        let memory = fact("memory.total_bytes", Some("68719476736"), Some("137438953472"));
        assert_eq!(memory.said(), "main memory 64.0 to 128\u{a0}GiB");
        assert_eq!(fact("x.y_z", Some("1 MiB"), Some("2 GiB")).said(), "x y z 1\u{a0}MiB to 2\u{a0}GiB");
        let several = Fact { is_owned: true, ..latency };
        assert_eq!(several.name(), "read latency at 4\u{a0}KiB of a");
    }

    #[test]
    fn few_facts_are_told_and_the_others_counted() {
        let facts = vec![
            fact("kernel.release", Some("6.1"), Some("6.12")),
            fact("cpu.model", Some("A"), Some("B")),
            fact("bed.a.engine.version", Some("15"), Some("16")),
            fact("database:a.postgresql.version", Some("15"), Some("16")),
        ];
        let turn = Turn { run: RunId(12), facts };
        assert!(turn.is_break());
        assert_eq!(turn.short(), "kernel 6.1 to 6.12; processor A to B and 1 more");
        assert_eq!(turn.names(2), "kernel, processor and 1 more");
        assert_eq!(turn.candidates().last().unwrap(), "3 things changed");
        assert!(turn.whole().ends_with("engine 15 to 16; engine 15 to 16"));
        let document = turn.to_json();
        assert_eq!(document["facts"][0], "kernel.release: 6.1 to 6.12");
        assert_eq!(document["changes"][2]["key"], "bed.a.engine.version");
    }
}
