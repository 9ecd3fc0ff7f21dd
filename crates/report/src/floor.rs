//! Operations of a bed's modelled drive that are slower on this machine than the model, as measured before
//! the first cell.

use words::Beyond;

use crate::loaded_run::Facts;

/// Sentences without a full stop, of the facts of a bed's floor.
pub(crate) fn sentences(facts: &Facts) -> Vec<String> {
    let beyond = Beyond::read(facts);
    match beyond.is_empty() {
        true => flags(facts),
        false => Beyond::sentences(&beyond),
    }
}

/// The sentences of older versions, which kept nothing else, in English; none where the figures are kept.
pub(crate) fn flags(facts: &Facts) -> Vec<String> {
    if facts.keys().any(|key| Beyond::is_fact(key)) {
        return Vec::new();
    }
    let flags = facts.iter().filter(|(key, value)| is_flag(key) && !value.is_empty());
    flags.map(|(_, flag)| flag.clone()).collect()
}

/// True if a fact of a floor is told by a sentence rather than by its figure.
pub(crate) fn is_told(key: &str) -> bool {
    is_flag(key) || Beyond::is_fact(key)
}

fn is_flag(key: &str) -> bool {
    key.split(['.', '_']).any(|word| word.starts_with("flag"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(of: &[(&str, &str)]) -> Facts {
        of.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn sentences_come_from_the_figures_and_in_older_notebooks_from_the_flags() {
        let old = facts(&[("flag.1", "as it was stored"), ("flag.2", ""), ("write.p99_us", "43.2")]);
        assert_eq!(sentences(&old), ["as it was stored"]);
        let mut new = old.clone();
        let figures = [("beyond.layer.write.model_us", "25.0"), ("beyond.layer.write.layer_us", "43.2")];
        new.extend(facts(&figures));
        let told = sentences(&new);
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("writes of 25.0 \u{b5}s") && told[0].contains("43.2 \u{b5}s"), "{told:?}");
        let figures: Vec<&String> = new.keys().filter(|key| !is_told(key)).collect();
        assert_eq!(figures, ["write.p99_us"]);
        assert_eq!(sentences(&facts(&[])), [""; 0]);
    }
}
