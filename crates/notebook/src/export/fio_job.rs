//! The cells that fio's formats can express, and fio's words for them.

use words::Realm;

use crate::error::NotebookError;
use crate::open::Notebook;
use crate::records::{Cell, RunId};

/// fio's names for a cell's load. Given by the caller, who knows the experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct FioJob {
    /// Name of the job.
    pub name: String,
    /// fio's word for the direction: read, write, rw, randread, randwrite, randrw.
    pub rw: String,
    /// Block size as fio writes it: 4k.
    pub bs: String,
    /// Mean size of an I/O, in bytes.
    pub mean_bytes: f64,
    /// I/Os outstanding of each worker.
    pub iodepth: u32,
    /// Workers.
    pub numjobs: u32,
    /// The engine of the I/Os.
    pub ioengine: String,
    /// True if the page cache was bypassed.
    pub direct: bool,
}

/// A cell with its words.
#[derive(Clone, Debug)]
pub struct FioCell {
    /// The cell.
    pub cell: Cell,
    /// fio's names for its load.
    pub job: FioJob,
    /// The model that answered in place of storage, in words that say so; fio's formats have no other word
    /// for it.
    pub modelled: Option<String>,
    /// `real`, `emulated` or `simulated`.
    pub realm: String,
}

impl FioCell {
    /// The name that fio-plot looks for: rw, depth and jobs.
    pub fn json_name(&self) -> String {
        format!("{}-{}-{}.json", self.job.rw, self.job.iodepth, self.job.numjobs)
    }

    /// The name of a log of a kind (`bw`, `iops`, `lat`, `clat`, `slat`).
    pub fn log_name(&self, kind: &str) -> String {
        format!("{}-iodepth-{}-numjobs-{}_{kind}.1.log", self.job.rw, self.job.iodepth, self.job.numjobs)
    }

    /// A directory for it, so that cells of the same shape do not fall together: bed, workload, repeat. The
    /// bed's says when a model answered, for logs have no place for it.
    pub fn directory(&self) -> std::path::PathBuf {
        let plain = |text: &str| -> String {
            text.chars().map(|c| if c.is_alphanumeric() || "-_.+".contains(c) { c } else { '-' }).collect()
        };
        let bed = plain(&self.cell.bed);
        let bed = if self.modelled.is_some() { format!("{bed}-{}", plain(&self.realm)) } else { bed };
        [bed, plain(&self.cell.workload), format!("repeat-{}", self.cell.repeat + 1)].iter().collect()
    }
}

impl Notebook {
    /// The measured cells of a run that `words` has words for: block I/O.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`].
    pub fn fio_cells(
        &self,
        run: RunId,
        words: impl Fn(&Cell) -> Option<FioJob>,
    ) -> Result<Vec<FioCell>, NotebookError> {
        let mut cells = Vec::new();
        let beds = self.beds(run)?;
        for cell in self.cells(run)? {
            let measured = !self.histograms(cell.id)?.is_empty();
            if let Some(job) = words(&cell).filter(|_| measured) {
                let bed = beds.iter().find(|bed| bed.name == cell.bed);
                let realm = bed.map_or_else(|| Realm::Real.into(), |bed| bed.realm.clone());
                let is_modelled = ![Realm::Real, Realm::Imported].iter().any(|own| realm == *own);
                let modelled = bed.filter(|_| is_modelled).map(|bed| bed.storage_summary.clone());
                cells.push(FioCell { cell, job, modelled, realm });
            }
        }
        Ok(cells)
    }
}
