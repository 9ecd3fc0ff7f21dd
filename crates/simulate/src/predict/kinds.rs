//! What kinds of transactions a load is made of, and how unequal they are.

/// One kind of transaction, from the rules of TPC-C.
pub(super) struct Kind {
    /// Share of the mix (5.2.3).
    pub(super) share: f64,
    /// Whether it writes, and waits for the log.
    pub(super) commits: bool,
    /// Whether its commit is timed: those that the client sends as messages of their own.
    pub(super) is_timed: bool,
    /// Rows that it changes: its share of the log goes with them.
    rows: f64,
    /// Pages that hold them: its share of the full pages in the log goes with them.
    pages: f64,
}

/// New order (2.4), payment (2.5), order status (2.6), delivery (2.7), stock level (2.8). A new order writes the order, its mark as new, the
/// district and ten lines and changes ten rows of stock; a payment warehouse, district, customer and history; a delivery takes ten marks away
/// and changes ten orders, a hundred lines in ten pages and ten customers.
pub(super) const KINDS: [Kind; 5] = [
    Kind { share: 0.45, commits: true, is_timed: true, rows: 23.0, pages: 14.0 },
    Kind { share: 0.43, commits: true, is_timed: false, rows: 4.0, pages: 4.0 },
    Kind { share: 0.04, commits: false, is_timed: false, rows: 0.0, pages: 0.0 },
    Kind { share: 0.04, commits: true, is_timed: true, rows: 130.0, pages: 40.0 },
    Kind { share: 0.04, commits: false, is_timed: false, rows: 0.0, pages: 0.0 },
];

/// The kind that a draw between 0 and 1 stands for.
pub(super) fn drawn(chance: f64) -> usize {
    let mut left = chance;
    for (number, kind) in KINDS.iter().enumerate() {
        left -= kind.share;
        if left < 0.0 {
            return number;
        }
    }
    KINDS.len() - 1
}

/// Bytes of log of each kind, where an average transaction writes `mean_bytes` and `images` of that are whole pages.
pub(super) fn log_bytes(mean_bytes: f64, image_share: f64) -> [f64; KINDS.len()] {
    let mean = |of: fn(&Kind) -> f64| KINDS.iter().map(|kind| kind.share * of(kind)).sum::<f64>();
    let (rows, pages) = (mean(|kind| kind.rows), mean(|kind| kind.pages));
    KINDS
        .each_ref()
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
            let bytes = log_bytes(8000.0, image_share);
            let mean: f64 = KINDS.iter().zip(bytes).map(|(kind, bytes)| kind.share * bytes).sum();
            assert!((mean - 8000.0).abs() < 1e-6, "{mean}");
            assert!(bytes[3] > bytes[0] && bytes[0] > bytes[1] && bytes[2] == 0.0, "{bytes:?}");
        }
        assert_eq!([0.0, 0.44, 0.46, 0.9, 0.93, 0.97, 1.0].map(drawn), [0, 0, 1, 2, 3, 4, 4]);
    }
}
