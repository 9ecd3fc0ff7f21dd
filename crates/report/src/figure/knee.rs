//! The knee of a latency curve: the last load that is served without much waiting, found so that no single
//! noisy load can become it.

/// A load beyond which latency is above this many times that of light loads is past the knee. In the
/// simplest queue (M/M/1) the time of an answer, S / (1 - U), doubles where half of the server is used (U).
pub(crate) const WORTH: f64 = 2.0;

/// The non-decreasing values that lie nearest to `values`, in the sum of absolute differences.
///
/// Method: pool adjacent violators with the median of each pool (isotonic median regression; Robertson,
/// Wright and Dykstra, Order Restricted Statistical Inference, 1988, chapter 1). A median, because one load
/// that was disturbed may lie a hundred times too high and would lift the mean of its whole pool.
pub(crate) fn isotonic(values: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, Vec<f64>)> = Vec::new();
    for &value in values {
        let mut pool = (value, vec![value]);
        while let Some(last) = pools.pop_if(|last| last.0 > pool.0) {
            let members = [last.1, pool.1].concat();
            pool = (measure::median(&members).unwrap_or(value), members);
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(level, members)| std::iter::repeat_n(level, members.len())).collect()
}

/// The place of the knee among loads in ascending order of throughput, from the isotonic fit of their
/// latencies: the last one at most [`WORTH`] times as slow as light loads. The latency of light loads is the
/// median of the lightest third. `None` where latency never rises beyond that, or is there from the start.
pub(crate) fn of(fit: &[f64]) -> Option<usize> {
    let light = measure::median(&fit[..fit.len().div_ceil(3)])?;
    let past = fit.iter().position(|latency| *latency > WORTH * light)?;
    past.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_dip_of_noise_is_no_knee() {
        let mut loads = vec![0.30, 0.31, 0.33, 0.28, 0.36, 0.46, 0.50, 0.57, 1.8, 4.2, 4.2];
        assert_eq!(of(&isotonic(&loads)), Some(7));
        // A load that was disturbed lies far above its neighbours and moves nothing.
        loads[2] = 40.0;
        assert_eq!(of(&isotonic(&loads)), Some(7));
    }

    #[test]
    fn a_drive_that_never_bends_has_no_knee() {
        assert_eq!(of(&isotonic(&[0.05, 0.051, 4.3, 0.05, 0.052, 0.06])), None, "one load was disturbed");
        assert_eq!(of(&[]), None);
        assert_eq!(of(&isotonic(&[1.0])), None);
    }

    proptest! {
        #[test]
        fn the_fit_never_falls_and_keeps_what_already_rises(mut values in prop::collection::vec(0.01f64..100.0, 0..20)) {
            let fit = isotonic(&values);
            prop_assert_eq!(fit.len(), values.len());
            prop_assert!(fit.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", fit);
            values.sort_by(f64::total_cmp);
            prop_assert_eq!(isotonic(&values), values);
        }
    }
}
