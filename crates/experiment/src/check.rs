//! Checks that no single value allows: unique names, factors in which beds must differ, sensible levels.
//!
//! Checks run on the types, so that they hold for an experiment however it came about; places come from the
//! reading.

mod database;
mod workload;

use std::collections::BTreeSet;

use crate::checker::{Checker, Reading};
use crate::design::{Design, SmallestEffect};
use crate::file::{Bed, Experiment, Storage};
use crate::keys::reader::Reader;
use crate::units::Size;
use tomlfile::Fault;
use tomlfile::{listed, nearest};
use words::EffectKey;

/// Below this a page cache holds too few pages for a transaction to run.
const MEMORY_MIN: Size = Size(1 << 20);

/// Every fault of meaning in the values of `reader`.
pub(crate) fn check(experiment: &Experiment, reader: &Reader, reading: Reading) -> Vec<Fault> {
    let mut checker = Checker::new(reader, reading);
    checker.head(experiment);
    checker.beds(&experiment.bed);
    checker.database(experiment);
    checker.workloads(experiment);
    checker.design(experiment);
    checker.fleet(experiment);
    if reading == Reading::Asked {
        checker.simulated(&experiment.bed);
        checker.effects(experiment);
    }
    checker.into_faults()
}

impl Checker<'_> {
    fn head(&mut self, experiment: &Experiment) {
        if experiment.title.trim().is_empty() {
            self.fault("title", "the title is empty".to_owned(), "", "say in one line what is compared");
        }
        if let Some(name) = &experiment.published
            && !published::names().contains(&name.as_str())
        {
            let help = suggestion(name, &published::names(), "published tests");
            self.fault(
                "published",
                format!("there are no published numbers of `{name}`"),
                "not a published test",
                help,
            );
        }
    }

    fn beds(&mut self, beds: &[Bed]) {
        let mut seen = BTreeSet::new();
        for (index, bed) in beds.iter().enumerate() {
            let path = format!("bed.{index}.name");
            if !is_name(&bed.name) {
                let help = "use letters, digits, `.`, `_` and `-`, and begin with a letter or digit: the name becomes a directory";
                self.fault(&path, format!("`{}` cannot name a bed", bed.name), "", help);
            } else if !seen.insert(&bed.name) {
                let help = "give every bed its own name; use `label` for what figures show";
                self.fault(
                    &path,
                    format!("there are two beds called `{}`", bed.name),
                    "named here again",
                    help,
                );
            }
            self.storage(&format!("bed.{index}.storage"), &bed.storage);
            if let Some(log) = &bed.log {
                self.storage(&format!("bed.{index}.log"), log);
            }
            if let Some(memory) = bed.memory {
                self.memory(&format!("bed.{index}.memory"), memory);
            }
        }
    }

    pub(crate) fn storage(&mut self, path: &str, storage: &Storage) {
        let key = if matches!(storage, Storage::Real { .. }) { "real" } else { "path" };
        if storage.path().as_os_str().is_empty() {
            let help = "name a directory; \".\" is the working directory";
            self.fault(&format!("{path}.{key}"), "the path is empty".to_owned(), "", help);
        }
        let Storage::Emulated { drive, .. } = storage else { return };
        // The user of a path opens it: this crate reads no files.
        let names = device::catalogue::names();
        if let Some(Err(why)) = device::catalogue::volume(drive) {
            let message = format!("the volume `{drive}` cannot be had");
            return self.fault(&format!("{path}.emulated"), message, "a cloud volume", &why);
        }
        if let Some((plain, _)) = drive.split_once(':').filter(|(plain, _)| names.contains(plain)) {
            let message = format!("size, iops and throughput do not go with `{plain}`");
            let help = "only cloud volumes are bought so; `drivetrain drives` lists them";
            return self.fault(&format!("{path}.emulated"), message, "a drive", help);
        }
        if !drive.ends_with(".toml") && device::catalogue::find(drive).is_none() {
            let help = match device::catalogue::suggest(drive) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => {
                    format!("the catalogue has {}; your own drive is the path of a .toml file", listed(names))
                }
            };
            self.fault(
                &format!("{path}.emulated"),
                format!("no drive is called `{drive}`"),
                "not in the catalogue",
                help,
            );
        }
    }

    /// Beds of studies, or hosts with a drive of the catalogue.
    fn simulated(&mut self, beds: &[Bed]) {
        let (studied, drives) = (published::bed_names(), device::catalogue::names());
        for (index, bed) in beds.iter().enumerate() {
            let Some(name) = bed.simulated.as_deref() else { continue };
            let (known, name, what) = match name.strip_prefix("drive:") {
                Some(drive) => (&drives, drive, "drives"),
                None => (&studied, name, "beds of studies"),
            };
            let is_volume = known == &drives && device::catalogue::find(name).is_some();
            if !known.contains(&name) && !is_volume {
                let message = format!("no bed `{name}` can be simulated");
                let help = suggestion(name, known, what);
                self.fault(&format!("bed.{index}.simulated"), message, "not in the catalogue", help);
            }
        }
    }

    fn memory(&mut self, path: &str, memory: Size) {
        if memory < MEMORY_MIN {
            let help = format!("give the buffer pool {MEMORY_MIN} at least");
            self.fault(path, format!("{memory} of memory is too little for a database"), "", help);
        }
    }

    fn design(&mut self, experiment: &Experiment) {
        self.treatment(experiment);
        let Design { baseline, smallest_effect, .. } = &experiment.design;
        let names: Vec<&str> = experiment.bed.iter().map(|bed| bed.name.as_str()).collect();
        if let Some(baseline) = baseline.as_ref().filter(|name| !names.contains(&name.as_str())) {
            let is_unread = |path: String| self.is_unread(&path);
            let unread =
                |index: usize| is_unread(format!("bed.{index}")) || is_unread(format!("bed.{index}.name"));
            // A bed whose name could not be read may be the one that is meant.
            if !self.is_unread("bed") && !(0..names.len()).any(unread) {
                let help = suggestion(baseline, &names, "beds");
                self.fault("design.baseline", format!("no bed is called `{baseline}`"), "not a bed", help);
            }
        }
        for (key, share) in smallest_effect.all() {
            if share.0 <= 0.0 || share.0 >= 1.0 {
                let message = format!("the smallest effect of {key} must lie between 0% and 100%");
                let help = "no number of runs shows a difference of 0%: write the smallest one that would matter to you";
                self.fault(&format!("design.smallest_effect.{key}"), message, "", help);
            }
        }
    }

    /// Smallest effects of results that no workload has.
    fn effects(&mut self, experiment: &Experiment) {
        let mut judged: Vec<EffectKey> =
            experiment.workload.iter().map(|load| load.kind().effect_key()).collect();
        judged.push(EffectKey::P99);
        judged.dedup();
        let keys = experiment.design.smallest_effect.all().into_iter().zip(SmallestEffect::default().all());
        for ((key, share), (_, default)) in keys {
            let path = format!("design.smallest_effect.{key}");
            if share != default
                && self.is_there(&path)
                && !judged.contains(&key)
                && !self.is_broken("workload")
            {
                let message = format!("no workload has results that `{key}` judges");
                let help = format!(
                    "leave it out: the results of this experiment are judged by {}",
                    listed(judged.iter().map(|key| key.name()))
                );
                self.fault(&path, message, "applies to nothing", help);
            }
        }
    }

    fn treatment(&mut self, experiment: &Experiment) {
        let treatments = &experiment.design.treatment;
        let one_server = is_one_server(experiment);
        for (index, treatment) in treatments.iter().enumerate() {
            let path = format!("design.treatment.{index}");
            if treatments[..index].contains(treatment) {
                self.fault(&path, format!("the treatment `{treatment}` is named twice"), "", "name it once");
            } else if one_server {
                let message = format!("the treatment is `{treatment}`, but every bed is the same server");
                let help = "give each bed a `url` of its own, or leave `treatment` out";
                self.fault(&path, message, "one `url` for all", help);
            } else if !self.is_broken("bed")
                && !self.is_broken("database")
                && !experiment.differs_in(*treatment)
            {
                let message = format!("the treatment is `{treatment}`, but no bed differs in it");
                let help = "make the beds differ, or leave `treatment` out: equal beds measure the noise of the machine";
                self.fault(&path, message, "all beds are alike in this", help);
            }
        }
    }
}

/// True if several beds are one existing server: then nothing can differ, whatever the file says.
fn is_one_server(experiment: &Experiment) -> bool {
    let mut urls = experiment.bed.iter().map(|bed| experiment.url_of(bed));
    let first = urls.next().flatten();
    experiment.bed.len() > 1 && first.is_some() && urls.all(|url| url == first)
}

/// True for a valid name of a bed: it becomes a directory and precedes `=` on the command line.
pub(crate) fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    name.len() <= 64 && name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(plain)
}

/// The help for a name that is not among `known`.
pub(crate) fn suggestion(name: &str, known: &[&str], what: &str) -> String {
    match nearest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean \"{meant}\"?"),
        None => format!("the {what} are {}", listed(known.iter().copied())),
    }
}
