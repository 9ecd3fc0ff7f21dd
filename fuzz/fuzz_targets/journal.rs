//! Journals: arbitrary bytes, and sound journals that something happened to. A journal that is taken for
//! whole claims all that was durable.
#![no_main]

use block::fuzzing::{journal, read_journal};

/// Takes up to `count` bytes off the front.
fn take<'b>(bytes: &mut &'b [u8], count: usize) -> &'b [u8] {
    let (taken, rest) = bytes.split_at(count.min(bytes.len()));
    *bytes = rest;
    taken
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    let &[kind, count, durable, changes] = take(&mut rest, 4) else { return };
    if kind == 0 {
        read_journal(rest);
        return;
    }
    let claims: Vec<(u32, u32)> = take(&mut rest, 2 * usize::from(count % 32))
        .chunks_exact(2)
        .map(|claim| (u32::from(claim[0] % 64), u32::from(claim[1])))
        .collect();
    let (durable, closed) = (usize::from(durable) % (claims.len() + 1), kind % 2 == 0);
    let whole = journal(64, &claims, durable, closed);
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
    let known = |claims: &[(u32, u32)]| read_journal(&journal(64, claims, 0, true)).expect("it is sound").1;
    match read_journal(&changed) {
        Some((report, claimed)) if report.is_whole() => {
            let records = report.records as usize;
            assert!(records >= if closed { claims.len() } else { durable } && records <= claims.len());
            assert_eq!(claimed, known(&claims[..records]));
        }
        Some((report, _)) => assert!(changed != whole && !report.remarks().is_empty(), "{report:?}"),
        None => assert!(changed != whole),
    }
});
