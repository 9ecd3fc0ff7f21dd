//! A modelled drive under a block load: its figures are never printed without its name and without the
//! machine's additional delay.

use block::ModelledDrive;
use device::catalogue::Entry;
use serde_json::json;

/// The drive that answers in place of a real one.
pub(super) struct Modelled {
    entry: Entry,
    pub(super) drive: ModelledDrive,
}

impl Modelled {
    pub(super) fn new(entry: Entry, seed: u64) -> Modelled {
        let drive = ModelledDrive::new(&entry.spec, seed);
        Modelled { entry, drive }
    }

    /// The lines above the figures.
    pub(super) fn text(&self) -> String {
        let answers = self.drive.answers();
        format!(
            "MODELLED drive {} ({}): these are the model's times in wall time, no drive was measured and no byte moved\n\
             late: {} of {} answers ({:.2} %) came more than {} us after the model's time, the latest {:.1} us: that is this machine's\n\n",
            self.entry.name,
            self.entry.title,
            answers.late,
            answers.all,
            answers.late as f64 / answers.all.max(1) as f64 * 1e2,
            ModelledDrive::LATE_NS / 1000,
            answers.latest_ns as f64 / 1e3,
        )
    }

    /// The same for programs.
    pub(super) fn document(&self) -> serde_json::Value {
        let answers = self.drive.answers();
        json!({
            "drive": self.entry.name,
            "title": self.entry.title,
            "answers": answers.all,
            "late": answers.late,
            "late_after_us": ModelledDrive::LATE_NS as f64 / 1e3,
            "latest_us": answers.latest_ns as f64 / 1e3,
        })
    }
}
