//! Limits of a machine that shows a modelled drive: operations that take longer on it than the model's time.

use std::collections::BTreeMap;

use crate::word::words;
use crate::{list, say};

words! {
    /// The part of the way to a drive that takes the longer time.
    pub enum Through {
        /// The emulation layer itself.
        Layer = "layer",
        /// The mount: the way of one caller through the kernel.
        Mount = "mount",
    }
}

words! {
    /// A kind of operation of a drive.
    pub enum Operation {
        /// A read of 4 KiB.
        Read = "read",
        /// A write of 4 KiB.
        Write = "write",
        /// A sync after a write.
        Sync = "sync",
    }
}

impl Through {
    /// The beginning of a sentence about several drives.
    pub fn heading(self) -> &'static str {
        match self {
            Through::Layer => say!("beyond-layer.heading"),
            Through::Mount => say!("beyond-mount.heading"),
        }
    }

    /// The text after the heading for one of the drives; `None` for one without such operations.
    pub fn rest(self, all: &[Beyond]) -> Option<String> {
        self.operations(all).map(|operations| match self {
            Through::Layer => operations,
            Through::Mount => say!("beyond-mount.rest", operations),
        })
    }

    /// The sentence about one drive, without a full stop; `None` for one without such operations.
    pub fn sentence(self, all: &[Beyond]) -> Option<String> {
        self.operations(all).map(|operations| match self {
            Through::Layer => say!("beyond-layer", operations),
            Through::Mount => say!("beyond-mount", operations),
        })
    }

    fn operations(self, all: &[Beyond]) -> Option<String> {
        let operations = list(all.iter().filter(|beyond| beyond.through == self).map(Beyond::told));
        (!operations.is_empty()).then_some(operations)
    }
}

/// A kind of operation that this machine cannot show in the model's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beyond {
    /// The part of the way that takes longer.
    pub through: Through,
    /// The operation.
    pub operation: Operation,
    /// The model's time, us.
    pub model_us: f64,
    /// The time that the layer itself takes at p99, or that a caller of the mount sees on average, us.
    pub shown_us: f64,
}

impl Beyond {
    /// As facts of a notebook: `beyond.layer.write.model_us` and `beyond.layer.write.layer_us`.
    pub fn facts(&self) -> [(String, String); 2] {
        let [model, shown] = keys(self.through, self.operation);
        [(model, format!("{:.1}", self.model_us)), (shown, format!("{:.1}", self.shown_us))]
    }

    /// Those of a set of facts; none in sets of older versions.
    pub fn read(facts: &BTreeMap<String, String>) -> Vec<Beyond> {
        let number = |key: &String| facts.get(key)?.parse().ok();
        let of = |through, operation| {
            let [model_us, shown_us] = keys(through, operation).each_ref().map(number);
            Some(Beyond { through, operation, model_us: model_us?, shown_us: shown_us? })
        };
        let operations = |through: &Through| {
            let through = *through;
            Operation::ALL.iter().filter_map(move |operation| of(through, *operation))
        };
        Through::ALL.iter().flat_map(operations).collect()
    }

    /// True for the name of such a fact.
    pub fn is_fact(key: &str) -> bool {
        key.starts_with("beyond.")
    }

    /// A sentence for each part of the way, without a full stop.
    pub fn sentences(all: &[Beyond]) -> Vec<String> {
        Through::ALL.iter().filter_map(|through| through.sentence(all)).collect()
    }

    fn told(&self) -> String {
        let operation = self.operation.name();
        let [model_us, shown_us] = [self.model_us, self.shown_us].map(|us| crate::decimals(us, 1));
        match self.through {
            Through::Layer => say!("beyond-layer-operation", operation, model_us, layer_us = shown_us),
            Through::Mount => say!("beyond-mount-operation", operation, model_us, mount_us = shown_us),
        }
    }
}

/// The facts of the model's time and of the longer one.
fn keys(through: Through, operation: Operation) -> [String; 2] {
    ["model", through.name()].map(|whose| format!("beyond.{through}.{operation}.{whose}_us"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_a_machine_is_kept_as_facts_and_told_by_the_part_of_the_way() {
        let of = |through, operation, model_us, shown_us| Beyond { through, operation, model_us, shown_us };
        let all = [
            of(Through::Layer, Operation::Write, 25.0, 43.2),
            of(Through::Mount, Operation::Read, 86.7, 122.3),
            of(Through::Mount, Operation::Sync, 1250.0, 2000.0),
        ];
        let facts: BTreeMap<String, String> = all.iter().flat_map(Beyond::facts).collect();
        assert_eq!(facts["beyond.layer.write.layer_us"], "43.2");
        assert_eq!(facts["beyond.mount.read.model_us"], "86.7");
        assert!(facts.keys().all(|key| Beyond::is_fact(key)) && !Beyond::is_fact("read.p50_us"));
        assert_eq!(Beyond::read(&facts), all);
        assert_eq!(
            Beyond::sentences(&all),
            [
                "faster than this machine can show: writes of 25.0 \u{b5}s (the layer itself takes up to 43.2 \u{b5}s at p99)",
                "through the mount, one at a time, reads of 86.7 \u{b5}s take 122.3 \u{b5}s, \
                 syncs of 1,250.0 \u{b5}s take 2,000.0 \u{b5}s on average"
            ]
        );
        assert_eq!(Beyond::sentences(&[]), [""; 0]);
        for through in [Through::Layer, Through::Mount] {
            let rest = through.rest(&all).expect("there are some");
            assert!(through.sentence(&all).is_some_and(|told| told.ends_with(&rest)), "{rest}");
            assert!(through.sentence(&all).is_some_and(|told| told.starts_with(through.heading())), "{rest}");
            assert_eq!(through.rest(&[]), None);
        }
        assert_eq!(Beyond::read(&[("flag.1".to_owned(), "text".to_owned())].into()), []);
    }
}
