//! Runs on several instances of one bed, side by side, taken as one.

/// The result of a run, which can be combined with those of concurrent runs.
pub trait Together: Sized {
    /// The reason why the run is worthless, if it is.
    fn fatal(&mut self) -> &mut Option<String>;

    /// Adds `other` but for its fatal reason: rates and counts summed, histograms and timelines merged, the
    /// longest ramp-up and measure phase.
    fn add(&mut self, other: Self);

    /// All runs as one, with the fatal reason of the first. `None` without runs.
    #[must_use]
    fn together(runs: Vec<Self>) -> Option<Self> {
        runs.into_iter().reduce(|mut all, run| {
            all.add(run);
            all
        })
    }
}
