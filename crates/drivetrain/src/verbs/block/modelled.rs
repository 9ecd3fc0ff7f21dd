//! A modelled drive under a block load: its figures are never printed without its name and without the
//! machine's additional delay.

use block::ModelledDrive;
use device::catalogue::Entry;
use experiment::Size;
use ground::Clock;
use serde_json::json;
use words::{decimals, say};

use crate::console::Console;
use crate::targets::TargetBed;
use crate::verbs::drives;

/// The drive that answers in place of a real one.
pub(super) struct Modelled {
    /// As it was named: in the catalogue, or by a file.
    given: String,
    entry: Entry,
    pub(super) drive: ModelledDrive,
    /// A warning about the error of its model.
    caution: Option<String>,
}

impl Modelled {
    /// The drive that was named so; one whose file states a large error is warned of.
    pub(super) fn find(given: &str, seed: u64, console: &Console) -> anyhow::Result<Modelled> {
        let entry = drives::find(given)?;
        let drive = ModelledDrive::new(&entry.spec, seed);
        let caution = drives::warn_of_error(given, &entry, console);
        Ok(Modelled { given: given.to_owned(), entry, drive, caution })
    }

    /// The drive as a bed.
    pub(super) fn bed(&self, size: Size) -> TargetBed {
        TargetBed::of_drive(&self.given, &self.entry, size)
    }

    /// The lines above the figures of a load on this clock.
    pub(super) fn text(&self, clock: &Clock) -> String {
        let answers = self.drive.answers();
        let (name, title) = (&self.entry.name, &self.entry.title);
        let modelled = match clock.is_virtual() {
            true => say!("load-modelled-virtual", name, title),
            false => say!("load-modelled", name, title),
        };
        let late = say!(
            "load-late",
            late = words::Grouped(answers.late as usize),
            all = words::Grouped(answers.all as usize),
            percent = decimals(answers.late as f64 / answers.all.max(1) as f64 * 1e2, 2),
            after = (ModelledDrive::LATE_NS / 1000).to_string(),
            latest = decimals(answers.latest_ns as f64 / 1e3, 1),
        );
        format!("{modelled}\n{late}\n\n")
    }

    /// The same for programs.
    pub(super) fn document(&self, clock: &Clock) -> serde_json::Value {
        let answers = self.drive.answers();
        json!({
            "drive": self.entry.name,
            "title": self.entry.title,
            "cautions": self.caution.iter().collect::<Vec<_>>(),
            "virtual_time": clock.is_virtual(),
            "answers": answers.all,
            "late": answers.late,
            "late_after_us": ModelledDrive::LATE_NS as f64 / 1e3,
            "latest_us": answers.latest_ns as f64 / 1e3,
        })
    }
}
