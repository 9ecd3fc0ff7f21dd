//! Runs on several instances of one bed, side by side, taken as one.

/// What a run came to, where it can be taken together with those of others that went on at the same time.
pub trait Together: Sized {
    /// Why the run is worthless, if it is.
    fn fatal(&mut self) -> &mut Option<String>;

    /// Adds `other` but for its fatal reason: rates and counts summed, histograms and timelines merged, the
    /// longest ramp-up and measure phase.
    fn add(&mut self, other: Self);

    /// All runs as one; the reason of one that failed is kept with its number, from 1. `None` without runs.
    #[must_use]
    fn together(runs: Vec<Self>) -> Option<Self> {
        let several = runs.len() > 1;
        let numbered = runs.into_iter().enumerate().map(|(index, mut run)| {
            if several && let Some(reason) = run.fatal() {
                *reason = format!("instance {}: {reason}", index + 1);
            }
            run
        });
        numbered.reduce(|mut all, mut run| {
            *all.fatal() = match (all.fatal().take(), run.fatal().take()) {
                (Some(one), Some(another)) => Some(format!("{one}; {another}")),
                (one, another) => one.or(another),
            };
            all.add(run);
            all
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Run(u32, Option<String>);

    impl Together for Run {
        fn fatal(&mut self) -> &mut Option<String> {
            &mut self.1
        }

        fn add(&mut self, other: Self) {
            self.0 += other.0;
        }
    }

    #[test]
    fn reasons_keep_the_number_of_their_run() {
        let failed = |why: &str| Some(why.to_owned());
        let all = Run::together(vec![Run(1, None), Run(2, failed("gone")), Run(4, failed("full"))]).unwrap();
        assert_eq!((all.0, all.1.as_deref()), (7, Some("instance 2: gone; instance 3: full")));
        assert_eq!(Run::together(vec![Run(1, failed("gone"))]).unwrap().1.as_deref(), Some("gone"));
        assert!(Run::together(Vec::new()).is_none());
    }
}
