//! The kinds of transactions in a load, and their inequality.

use words::Latency;

/// One kind of transaction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PredictedKind {
    /// The latency that a run keeps of it; `None` where nobody measured it apart.
    latency: Option<Latency>,
    /// Share of the mix (5.2.3).
    pub(super) share: f64,
    /// True if it writes, and waits for the log.
    pub(super) commits: bool,
    /// True if its commit is timed: the client sends it as a separate message.
    pub(super) is_timed: bool,
    /// Rows that it changes: its share of the log goes with them.
    rows: f64,
    /// Pages that hold them: its share of the full pages in the log goes with them.
    pages: f64,
}

/// The kinds of transactions of a load; unused places have no share.
pub(crate) type Mix = [PredictedKind; 5];

/// The mix of TPC-C: new order (2.4), payment (2.5), order status (2.6), delivery (2.7), stock level (2.8). A
/// new order writes the order, its mark as new, the district and ten lines and changes ten rows of stock; a
/// payment warehouse, district, customer and history; a delivery takes ten marks away and changes ten orders,
/// a hundred lines in ten pages and ten customers.
pub(crate) const KINDS: Mix = [
    PredictedKind {
        latency: Some(Latency::NewOrder),
        share: 0.45,
        commits: true,
        is_timed: true,
        rows: 23.0,
        pages: 14.0,
    },
    PredictedKind {
        latency: Some(Latency::Payment),
        share: 0.43,
        commits: true,
        is_timed: false,
        rows: 4.0,
        pages: 4.0,
    },
    PredictedKind {
        latency: Some(Latency::OrderStatus),
        share: 0.04,
        commits: false,
        is_timed: false,
        rows: 0.0,
        pages: 0.0,
    },
    PredictedKind {
        latency: Some(Latency::Delivery),
        share: 0.04,
        commits: true,
        is_timed: true,
        rows: 130.0,
        pages: 40.0,
    },
    PredictedKind {
        latency: Some(Latency::StockLevel),
        share: 0.04,
        commits: false,
        is_timed: false,
        rows: 0.0,
        pages: 0.0,
    },
];

/// A mix of which only the share of the transactions that write, and wait for the log, is known.
pub(crate) fn writing(share: f64) -> Mix {
    let kind = |share, commits: bool| {
        let changed = if commits { 1.0 } else { 0.0 };
        PredictedKind { latency: None, share, commits, is_timed: commits, rows: changed, pages: changed }
    };
    let none = kind(0.0, false);
    [kind(share, true), kind(1.0 - share, false), none, none, none]
}

/// Share of the transactions that write, and wait for the log.
pub(super) fn committing_share() -> f64 {
    KINDS.iter().filter(|kind| kind.commits).map(|kind| kind.share).sum()
}

/// Work of each kind of transaction against the average one, for [`super::Demand::weights`]: as its mean
/// latency (ns) without the mean commit. All alike
/// where the latency of a kind is not known.
pub(super) fn kind_weights(mean_ns: impl Fn(Latency) -> Option<f64>, commit_ns: f64) -> [f64; KINDS.len()] {
    let work_ns = KINDS.each_ref().map(|kind| {
        let commit_ns = if kind.commits { commit_ns } else { 0.0 };
        kind.latency.and_then(&mean_ns).map_or(f64::NAN, |all_ns| (all_ns - commit_ns).max(1.0))
    });
    let mean: f64 = KINDS.iter().zip(work_ns).map(|(kind, ns)| kind.share * ns).sum();
    if mean.is_nan() { [1.0; KINDS.len()] } else { work_ns.map(|ns| ns / mean) }
}

/// The kind for a draw between 0 and 1.
pub(super) fn drawn(mix: &Mix, chance: f64) -> usize {
    let mut left = chance;
    for (number, kind) in mix.iter().enumerate() {
        left -= kind.share;
        if left < 0.0 {
            return number;
        }
    }
    mix.iter().rposition(|kind| kind.share > 0.0).unwrap_or(0)
}

/// Bytes of log of each kind, where an average transaction writes `mean_bytes` and the share `image_share` of
/// that is whole pages.
pub(super) fn log_bytes(mix: &Mix, mean_bytes: f64, image_share: f64) -> [f64; KINDS.len()] {
    let mean = |of: fn(&PredictedKind) -> f64| {
        let mean: f64 = mix.iter().map(|kind| kind.share * of(kind)).sum();
        // Nothing is changed by transactions that all read.
        if mean > 0.0 { mean } else { 1.0 }
    };
    let (rows, pages) = (mean(|kind| kind.rows), mean(|kind| kind.pages));
    mix.each_ref()
        .map(|kind| mean_bytes * ((1.0 - image_share) * kind.rows / rows + image_share * kind.pages / pages))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_are_the_whole_mix_and_the_means_are_kept() {
        let sum: f64 = KINDS.iter().map(|kind| kind.share).sum();
        assert!((sum - 1.0).abs() < 1e-9);
        for image_share in [0.0, 0.4, 1.0] {
            let bytes = log_bytes(&KINDS, 8000.0, image_share);
            let mean: f64 = KINDS.iter().zip(bytes).map(|(kind, bytes)| kind.share * bytes).sum();
            assert!((mean - 8000.0).abs() < 1e-6, "{mean}");
            assert!(bytes[3] > bytes[0] && bytes[0] > bytes[1] && bytes[2] == 0.0, "{bytes:?}");
        }
        assert!((committing_share() - 0.92).abs() < 1e-9);
        assert_eq!(
            [0.0, 0.44, 0.46, 0.9, 0.93, 0.97, 1.0].map(|chance| drawn(&KINDS, chance)),
            [0, 0, 1, 2, 3, 4, 4]
        );
        let mix = writing(0.25);
        assert_eq!([0.0, 0.24, 0.26, 1.0].map(|chance| drawn(&mix, chance)), [0, 0, 1, 1]);
        assert_eq!(log_bytes(&mix, 100.0, 0.5)[..2], [400.0, 0.0]);
        assert_eq!(log_bytes(&writing(0.0), 0.0, 0.0), [0.0; 5]);
    }

    #[test]
    fn weights_are_those_of_the_work_without_the_commit() {
        let mean_ns = |of: Latency| Some(if of == Latency::Delivery { 5e6 } else { 1e6 });
        let weights = kind_weights(mean_ns, 0.5e6);
        let mean: f64 = KINDS.iter().zip(weights).map(|(kind, weight)| kind.share * weight).sum();
        assert!((mean - 1.0).abs() < 1e-9, "{weights:?}");
        assert!((weights[3] / weights[0] - 9.0).abs() < 1e-9 && (weights[2] / weights[0] - 2.0).abs() < 1e-9);
        assert_eq!(kind_weights(|of| (of != Latency::Payment).then_some(1e6), 0.0), [1.0; 5]);
    }
}
