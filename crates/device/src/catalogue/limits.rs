//! From the table `[limit]` of a drive file to token buckets.

use super::document::Document;
use crate::limit::{Bucket, SLICE_MAX_NS};

/// A limit of one kind: the name of its rate, of its burst and of its peak, and its prices.
struct Row {
    rate: &'static str,
    burst: &'static str,
    peak: Option<&'static str>,
    counts: Counts,
    reads: bool,
    writes: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Counts {
    Operations,
    Bytes,
}

const fn row(
    rate: &'static str,
    burst: &'static str,
    peak: Option<&'static str>,
    counts: Counts,
    (reads, writes): (bool, bool),
) -> Row {
    Row { rate, burst, peak, counts, reads, writes }
}

#[rustfmt::skip] // A table.
const ROWS: [Row; 6] = [
    row("limit.operations", "limit.operations_burst", Some("limit.operations_peak"), Counts::Operations, (true, true)),
    row("limit.read_operations", "limit.read_operations_burst", None, Counts::Operations, (true, false)),
    row("limit.write_operations", "limit.write_operations_burst", None, Counts::Operations, (false, true)),
    row("limit.bandwidth", "limit.bandwidth_burst", Some("limit.bandwidth_peak"), Counts::Bytes, (true, true)),
    row("limit.read_bandwidth", "limit.read_bandwidth_burst", None, Counts::Bytes, (true, false)),
    row("limit.write_bandwidth", "limit.write_bandwidth_burst", None, Counts::Bytes, (false, true)),
];

const SHARED: &str = "limit.shared";
const SHARES: [&str; 4] = [
    "limit.shared_per_read",
    "limit.shared_per_write",
    "limit.shared_per_read_mb",
    "limit.shared_per_write_mb",
];

/// The buckets that the document gives; faults go into it.
pub(super) fn buckets(document: &mut Document) -> Vec<Bucket> {
    let operation_bytes = document.number("limit.operation_size").map_or(u64::MAX, |bytes| bytes as u64);
    if operation_bytes < 512 {
        document.fault_at(
            "limit.operation_size",
            "an operation has 512 bytes or more",
            "give 512 bytes or more",
        );
    }
    let mut buckets = Vec::new();
    for row in &ROWS {
        let rate = positive(document, row.rate, 1.0);
        let burst = document.number(row.burst);
        let peak = row.peak.and_then(|name| positive(document, name, 1.0).map(|value| (name, value)));
        let Some(rate) = rate else {
            for (name, given) in [(Some(row.burst), burst.is_some()), (row.peak, peak.is_some())] {
                if let (Some(name), true) = (name, given) {
                    without_rate(document, name, row.rate);
                }
            }
            continue;
        };
        buckets.push(priced(row, Bucket::new(rate, burst.unwrap_or(0.0)), operation_bytes));
        if let Some((name, peak)) = peak {
            if burst.is_none() {
                let allowed = format!("give {} too: the peak lasts until that is used up", row.burst);
                document.fault_at(name, "a peak without a burst never happens", allowed);
            } else if peak < rate {
                let allowed = format!("give {} or more, or leave it out", row.rate);
                document.fault_at(name, "the peak is below the lasting rate", allowed);
            }
            buckets.push(priced(row, Bucket::new(peak, 0.0), operation_bytes));
        }
    }
    buckets.extend(shared(document));
    if let Some(slice_ns) = document.number("limit.slice") {
        if slice_ns > SLICE_MAX_NS as f64 {
            document.fault_at("limit.slice", "the slice is too long", "give 10 s at most");
        }
        if buckets.is_empty() {
            document.fault_at("limit.slice", "there is no limit", "give a limit too, or leave this out");
        }
        for bucket in &mut buckets {
            bucket.slice_ns = slice_ns as u64;
        }
    }
    if operation_bytes < u64::MAX && !buckets.iter().any(|bucket| bucket.operation_bytes < u64::MAX) {
        without_rate(document, "limit.operation_size", "limit.operations");
    }
    buckets
}

fn priced(row: &Row, mut bucket: Bucket, operation_bytes: u64) -> Bucket {
    let (read, write) = (f64::from(u8::from(row.reads)), f64::from(u8::from(row.writes)));
    match row.counts {
        Counts::Operations => {
            (bucket.read_tokens, bucket.write_tokens) = (read, write);
            bucket.operation_bytes = operation_bytes;
        }
        Counts::Bytes => (bucket.read_byte_tokens, bucket.write_byte_tokens) = (read, write),
    }
    bucket
}

/// One budget that reads and writes share by weights: a x reads + b x write MB <= R.
fn shared(document: &mut Document) -> Option<Bucket> {
    let rate = positive(document, SHARED, 1e-3);
    let burst = document.number("limit.shared_burst");
    let shares = SHARES.map(|name| document.number(name));
    let Some(rate) = rate else {
        let given = SHARES.iter().zip(shares).find(|(_, share)| share.is_some()).map(|(name, _)| *name);
        for name in given.into_iter().chain(burst.map(|_| "limit.shared_burst")) {
            without_rate(document, name, SHARED);
        }
        return None;
    };
    if shares.iter().all(|share| share.unwrap_or(0.0) == 0.0) {
        let allowed = "give shared_per_read, shared_per_write_mb or another weight above 0";
        document.fault_at(SHARED, "a shared budget that nothing is charged to", allowed);
    }
    let [read, write, read_mb, write_mb] = shares.map(|share| share.unwrap_or(0.0));
    Some(Bucket {
        read_tokens: read,
        write_tokens: write,
        read_byte_tokens: read_mb / 1e6,
        write_byte_tokens: write_mb / 1e6,
        ..Bucket::new(rate, burst.unwrap_or(0.0))
    })
}

/// The number of that name, which must be `least` or more.
fn positive(document: &mut Document, name: &str, least: f64) -> Option<f64> {
    let number = document.number(name)?;
    if number < least {
        let problem = format!("a limit of {number} lets nothing pass");
        document.fault_at(name, problem, "give more, or leave it out for no limit");
    }
    Some(number.max(least))
}

fn without_rate(document: &mut Document, name: &str, rate: &str) {
    let problem = format!("`{name}` is given without `{rate}`");
    document.fault_at(name, problem, format!("give `{rate}` too, or leave this out"));
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    const DRIVE: &str = "[drive]\nname = \"a\"\ncapacity_gb = 1\n[link]\nduplex = \"full\"\nqueue_limit = 32\n\
        read_bandwidth_mb_per_s = inf\nwrite_bandwidth_mb_per_s = inf\n[read]\nlatency_4k_us = 120\n\
        rate_4k_per_s = inf\n[write]\nack_us = 45\nrate_4k_per_s = inf\n[flush]\npower_loss_protection = true\n\
        [limit]\n";

    fn told(limit: &str) -> String {
        parse(&format!("{DRIVE}{limit}"), "a.toml").expect_err("accepted").to_string()
    }

    #[test]
    fn limits_become_buckets_and_facts() {
        let text = format!(
            "{DRIVE}operations_per_s = 300\noperations_burst = 5_400_000\noperations_peak_per_s = 3000\n\
             operation_size_kib = 256\nread_bandwidth_mb_per_s = 50\nread_bandwidth_burst_mb = 500\n\
             shared_per_s = 366_000\nshared_per_read = 1\nshared_per_write_mb = 513\n"
        );
        let entry = parse(&text, "a.toml").expect("good limits");
        let [steady, peak, bytes, shared] = entry.spec.limits.as_slice() else { panic!("{:?}", entry.spec) };
        assert_eq!(
            (steady.tokens_per_s, steady.burst_tokens, steady.operation_bytes),
            (300.0, 5.4e6, 262_144)
        );
        assert_eq!((peak.tokens_per_s, peak.burst_tokens, peak.write_tokens), (3000.0, 0.0, 1.0));
        assert_eq!((bytes.read_byte_tokens, bytes.write_byte_tokens, bytes.burst_tokens), (1.0, 0.0, 5e8));
        assert_eq!((shared.read_tokens, shared.write_byte_tokens), (1.0, 513e-6));
        assert!(entry.facts.iter().any(|fact| fact.key == "limit.shared_per_write_mb"));
    }

    #[test]
    fn limits_that_cannot_be_are_refused_at_their_place() {
        for (limit, words) in [
            ("operations_per_s = 0", "lets nothing pass"),
            ("operations_burst = 9", "given without `limit.operations`"),
            ("operations_per_s = 9\noperations_peak_per_s = 90", "a peak without a burst"),
            (
                "operations_per_s = 9\noperations_burst = 9\noperations_peak_per_s = 3",
                "below the lasting rate",
            ),
            ("shared_per_s = 9", "nothing is charged to"),
            ("shared_per_read = 9", "given without `limit.shared`"),
            ("bandwidth_mb_per_s = 9\noperation_size_kib = 16", "given without `limit.operations`"),
            ("operations_pr_s = 9", "did you mean `operations_per_s`?"),
        ] {
            let told = told(limit);
            assert!(told.contains(words), "{limit}: {told}");
        }
    }
}
