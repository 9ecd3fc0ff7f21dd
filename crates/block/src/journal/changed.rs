//! The promise of the reader of journals, for tests and for `fuzz/`.

use super::image::{image, read};

/// Takes up to `count` bytes off the front.
fn take<'b>(bytes: &mut &'b [u8], count: usize) -> &'b [u8] {
    let (taken, rest) = bytes.split_at(count.min(bytes.len()));
    *bytes = rest;
    taken
}

/// Reads arbitrary bytes, or a sound journal that something happened to, as the bytes say.
///
/// # Panics
/// When a journal is taken for whole and does not claim all that was durable.
pub fn changed_journal(bytes: &[u8]) {
    let mut rest = bytes;
    let &[kind, count, durable, changes] = take(&mut rest, 4) else { return };
    if kind == 0 {
        read(rest);
        return;
    }
    let claims: Vec<(u32, u32)> = take(&mut rest, 2 * usize::from(count % 32))
        .chunks_exact(2)
        .map(|claim| (u32::from(claim[0] % 64), u32::from(claim[1])))
        .collect();
    let (durable, closed) = (usize::from(durable) % (claims.len() + 1), kind % 2 == 0);
    let whole = image(64, &claims, durable, closed);
    let mut changed = whole.clone();
    for _ in 0..changes % 8 {
        let &[what, high, low, how] = take(&mut rest, 4) else { break };
        let at = usize::from(u16::from_be_bytes([high, low])) % changed.len().max(1);
        let end = (at + usize::from(how % 48)).min(changed.len());
        match what % 6 {
            0 if at < changed.len() => changed[at] ^= how.max(1),
            1 => drop(changed.drain(at..end)),
            2 => changed[at..end].fill(0),
            3 => drop(changed.splice(at..at, take(&mut rest, usize::from(how % 48)).iter().copied())),
            4 => changed.extend_from_within(at..end),
            _ => changed.truncate(at),
        }
    }
    let known = |claims: &[(u32, u32)]| read(&image(64, claims, 0, true)).expect("it is sound").1;
    match read(&changed) {
        Some((report, claimed)) if report.is_whole() => {
            let records = report.records as usize;
            assert!(records >= if closed { claims.len() } else { durable } && records <= claims.len());
            assert_eq!(claimed, known(&claims[..records]));
        }
        Some((report, _)) => assert!(changed != whole && !report.remarks().is_empty(), "{report:?}"),
        None => assert!(changed != whole),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn odd_journals_claim_what_was_durable() {
        testkit::odd_inputs("journal", super::changed_journal);
    }
}
