//! Matrices, curves, searches and steady states of block workloads.

use std::time::Duration;

use crate::checker::Checker;
use crate::units::{Share, Size};
use crate::workload::{Block, Matrix, Steady};

/// Rates are looked at once a second.
pub(super) const SETTLED_LEAST: Duration = Duration::from_secs(1);
/// Points that one round may have.
const POINTS_MAX: usize = 1_000;

impl Checker<'_> {
    pub(super) fn rounds(&mut self, path: &str, block: &Block) {
        let given = [
            ("curve", block.curve.is_some()),
            ("matrix", block.matrix.is_some()),
            ("find", block.find.is_some()),
        ];
        let mut there = given.iter().filter(|(_, is)| *is).map(|(key, _)| *key);
        if let (Some(first), Some(second)) = (there.next(), there.next()) {
            let message = format!("a cell is either a `{first}` or a `{second}`");
            self.fault(&format!("{path}.{second}"), message, "", "write two workloads");
        }
        self.curve(path, block);
        if let Some(matrix) = &block.matrix {
            self.matrix(&format!("{path}.matrix"), matrix, block, path);
        }
        self.find(path, block);
        if let Some(steady) = &block.steady {
            self.steady(&format!("{path}.steady"), steady, block);
        }
        self.precondition(path, block);
        self.settled(path, block);
    }

    fn settled(&mut self, path: &str, block: &Block) {
        let Some(window) = block.until_settled else { return };
        let path = format!("{path}.until_settled");
        if block.has_points() {
            let message = "each point of a cell lasts as long as the others".to_owned();
            self.fault(&path, message, "", "leave it out, or write a workload without points");
        } else if window.0 < SETTLED_LEAST || 3 * window.0 > block.measure.0 {
            let message =
                format!("two windows of {window} and what is before them do not fit into `measure`");
            self.fault(&path, message, "", "write a second at least, and a third of `measure` at most");
        }
    }

    fn curve(&mut self, path: &str, block: &Block) {
        if block.curve.is_none() {
            return;
        }
        let path = format!("{path}.curve");
        if block.rate.is_some() || block.depth.is_empty() {
            let message = "a curve begins with the load as fast as it can at a depth".to_owned();
            self.fault(&path, message, "", "write `depth` instead of `rate`: the curve makes the rates");
        }
        if block.steady.is_some() {
            let message = "a curve is run once, not in rounds".to_owned();
            self.fault(
                &path,
                message,
                "",
                "leave `steady` out, or use `precondition = { run_for = \"...\" }`",
            );
        }
    }

    fn matrix(&mut self, path: &str, matrix: &Matrix, block: &Block, workload: &str) {
        let points = matrix.read.len().max(1) * matrix.block_size.len().max(1);
        if matrix.read.is_empty() && matrix.block_size.is_empty() {
            let help =
                "write for example `read = [\"100%\", \"0%\"]` or `block_size = [\"4KiB\", \"64KiB\"]`";
            self.fault(path, "the matrix is empty".to_owned(), "", help);
        } else if points > POINTS_MAX {
            let message = format!("{points} points are more than one cell runs");
            self.fault(path, message, "", format!("write {POINTS_MAX} at most"));
        }
        for (index, size) in matrix.block_size.iter().enumerate() {
            self.io_size(&format!("{path}.block_size.{index}"), *size, block, workload);
        }
    }

    fn find(&mut self, path: &str, block: &Block) {
        let Some(find) = block.find else { return };
        let path = format!("{path}.find");
        if find.percentile.0 <= 0.0 || find.percentile.0 >= 1.0 {
            let message = format!("{} of the I/Os is no percentile to search by", find.percentile);
            self.fault(&format!("{path}.percentile"), message, "", "for example \"99%\" or \"99.9%\"");
        }
        if find.latency.0.is_zero() {
            let message = "no I/O takes no time".to_owned();
            self.fault(&format!("{path}.latency"), message, "", "for example \"1ms\"");
        }
        if block.rate.is_none() && block.depth.is_empty() {
            let message = "a search needs a level to search up to".to_owned();
            self.fault(&path, message, "", "write `depth = [256]`, or `rate = [100000]`");
        }
        if block.steady.is_some() {
            let message = "a search is run once, not in rounds".to_owned();
            self.fault(
                &path,
                message,
                "",
                "leave `steady` out, or use `precondition = { run_for = \"...\" }`",
            );
        }
    }

    fn steady(&mut self, path: &str, steady: &Steady, block: &Block) {
        for (key, share) in [("excursion", steady.excursion), ("slope", steady.slope)] {
            if share.0 <= 0.0 || share.0 >= 1.0 {
                let message = format!("the {key} must lie between 0% and 100%");
                self.fault(&format!("{path}.{key}"), message, "", "the PTS has 20% and 10%");
            }
        }
        if steady.max_rounds < steady.window.saturating_mul(steady.every) {
            let message = format!(
                "{} rounds hold no window of {} rounds, every {} looked at",
                steady.max_rounds, steady.window, steady.every
            );
            self.fault(&format!("{path}.max_rounds"), message, "", "the PTS has 25 rounds and a window of 5");
        }
        if let Some(times) = steady.stop_after_writes.filter(|times| *times <= 0.0) {
            let message = format!("rounds cannot end after writing {times} times the files' size");
            self.fault(&format!("{path}.stop_after_writes"), message, "", "the PTS has 4");
        }
        let empty = Matrix { read: Vec::new(), block_size: Vec::new() };
        let matrix = block.matrix.as_ref().unwrap_or(&empty);
        for (index, track) in steady.track.iter().enumerate() {
            let path = format!("{path}.track.{index}");
            self.tracked(&format!("{path}.read"), track.read, &matrix.read, "shares of reads");
            self.tracked(&format!("{path}.block_size"), track.block_size, &matrix.block_size, "block sizes");
        }
    }

    /// A tracked point must be one of the matrix, and must be named when there are several.
    fn tracked<T: PartialEq + std::fmt::Display>(
        &mut self,
        path: &str,
        named: Option<T>,
        axis: &[T],
        what: &str,
    ) {
        let key = path.rsplit('.').next().unwrap_or_default();
        match named {
            Some(value) if !axis.contains(&value) => {
                let message = format!("the matrix has no {value} among its {what}");
                self.fault(path, message, "", "name a point of the matrix");
            }
            None if axis.len() > 1 => {
                let message = format!("the matrix has {} {what}: which one is tracked?", axis.len());
                self.fault(path, message, "", format!("write for example `{key} = \"{}\"`", axis[0]));
            }
            _ => {}
        }
    }

    fn precondition(&mut self, path: &str, block: &Block) {
        let Some(precondition) = block.precondition else { return };
        let path = format!("{path}.precondition");
        if precondition.passes > 0 {
            let Size(bytes) = precondition.block_size;
            if bytes == 0 || !bytes.is_multiple_of(512) || bytes > 16 << 20 {
                let message = format!("{} cannot be written in one I/O", precondition.block_size);
                self.fault(&format!("{path}.block_size"), message, "", "the PTS has \"128KiB\"");
            }
        }
        let reads_only = block.streams.iter().all(|stream| stream.read == Share(1.0))
            && block.matrix.as_ref().is_none_or(|matrix| matrix.read.iter().all(|read| *read == Share(1.0)));
        if precondition.purge && precondition.passes == 0 && reads_only {
            let message = "after a purge there is nothing to read".to_owned();
            self.fault(&format!("{path}.purge"), message, "", "write `passes = 2`, which fills it again");
        }
    }
}
