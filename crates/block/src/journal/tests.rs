use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::format::{FIRST_HEAD_BYTES, FIRST_RECORD_BYTES, HEAD_BYTES, HEADS_BYTES, RECORD_BYTES};
use super::image::image;
use super::write::Keep;
use super::*;
use crate::ledger::Ledger;

const BLOCKS: u32 = 8;
/// Each claims something that no other does, so that a target may have lost just that.
const RECORDS: [(u32, u32); 10] =
    [(0, 1), (1, 1), (2, 1), (1, 2), (3, 7), (0, 0), (0, 3), (5, 1), (7, 1), (6, 2)];

fn read(bytes: &[u8]) -> Option<Journal> {
    Journal::read(bytes).expect("memory can be read")
}

fn claims(journal: &Journal) -> BTreeMap<usize, u32> {
    let of = |block| (block, journal.claims.of(block));
    (0..journal.claims.end()).map(of).filter(|(_, write)| *write != NOTHING).collect()
}

/// The claims of the first records.
fn claims_of(records: &[(u32, u32)]) -> BTreeMap<usize, u32> {
    claims(&read(&image(BLOCKS, records, 0, true)).unwrap())
}

fn closed() -> Vec<u8> {
    image(BLOCKS, &RECORDS, 6, true)
}

/// A journal that a crash cut short, of which the first six records were known to be durable.
fn cut_short() -> Vec<u8> {
    image(BLOCKS, &RECORDS, 6, false)
}

fn record_at(index: usize) -> std::ops::Range<usize> {
    let start = HEADS_BYTES + index * RECORD_BYTES;
    start..start + RECORD_BYTES
}

/// A journal that is not taken for whole, or for none at all.
fn is_noticed(bytes: &[u8]) -> bool {
    read(bytes).is_none_or(|journal| !journal.report.is_whole() && !journal.report.remarks().is_empty())
}

#[test]
fn a_closed_journal_is_read_whole() {
    let journal = read(&closed()).unwrap();
    assert_eq!((journal.report.records, journal.report.end), (10, JournalEnd::Closed));
    assert!(journal.report.is_whole() && journal.report.remarks().is_empty());
    assert_eq!(claims(&journal), BTreeMap::from([(0, 3), (1, 2), (2, 1), (3, 7), (5, 1), (6, 2), (7, 1)]));
}

#[test]
fn a_journal_cut_short_is_whole_and_says_so() {
    let journal = read(&cut_short()).unwrap();
    assert!(journal.report.is_whole());
    assert!(journal.report.remarks()[0].contains("without a closing record"));
    assert_eq!(claims(&journal), claims_of(&RECORDS));
}

#[test]
fn any_flipped_bit_is_noticed() {
    for whole in [closed(), cut_short()] {
        for bit in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(is_noticed(&bytes), "bit {bit}");
            let journal = read(&bytes).unwrap();
            let unreadable = u64::from(bit / 8 >= HEADS_BYTES);
            assert_eq!((journal.report.unreadable, journal.report.records), (unreadable, 10 - unreadable));
        }
    }
}

#[test]
fn any_cut_of_what_was_durable_is_noticed() {
    let whole = closed();
    (0..whole.len()).for_each(|length| assert!(is_noticed(&whole[..length]), "{length} bytes left"));
    let whole = cut_short();
    for length in 0..whole.len() {
        let noticed = is_noticed(&whole[..length]);
        assert_eq!(noticed, length < record_at(6).start, "{length} bytes left");
        if !noticed {
            let left = (length - HEADS_BYTES) / RECORD_BYTES;
            assert_eq!(claims(&read(&whole[..length]).unwrap()), claims_of(&RECORDS[..left]));
        }
    }
}

#[test]
fn zeros_instead_of_durable_records_are_noticed() {
    for (whole, durable) in [(closed(), 10), (cut_short(), 6)] {
        for from in HEADS_BYTES..whole.len() {
            let mut bytes = whole.clone();
            bytes[from..].fill(0);
            assert!(is_noticed(&bytes) || from >= record_at(durable).start, "zeros from {from}");
        }
        for index in 0..RECORDS.len() {
            let mut bytes = whole.clone();
            bytes[record_at(index)].fill(0);
            // The last one of a journal that was cut short may not have arrived.
            assert!(is_noticed(&bytes) || (durable < 10 && index == 9), "record {index} is zeros");
        }
    }
}

#[test]
fn records_that_are_gone_or_doubled_or_elsewhere_are_noticed() {
    let whole = closed();
    for one in 0..RECORDS.len() {
        let mut gone = whole.clone();
        gone.drain(record_at(one));
        let journal = read(&gone).unwrap();
        assert_eq!((journal.report.unreadable, journal.report.records), (1, 9));
        let record = whole[record_at(one)].to_vec();
        for other in 0..=RECORDS.len() {
            let place = record_at(other).start;
            let mut doubled = whole.clone();
            doubled.splice(place..place, record.clone());
            let journal = read(&doubled).unwrap();
            assert_eq!((journal.report.repeated, journal.report.unreadable), (1, 0), "{one} at {other}");
            assert!(is_noticed(&doubled));
        }
        for other in (0..RECORDS.len()).filter(|other| *other != one) {
            let mut swapped = whole.clone();
            let elsewhere = whole[record_at(other)].to_vec();
            swapped[record_at(one)].copy_from_slice(&elsewhere);
            swapped[record_at(other)].copy_from_slice(&record);
            let journal = read(&swapped).unwrap();
            assert_eq!((journal.report.unreadable, journal.report.records), (0, 10));
            assert!(journal.report.out_of_place > 0 && is_noticed(&swapped), "{one} with {other}");
            let mut over = whole.clone();
            over[record_at(one)].copy_from_slice(&elsewhere);
            assert_eq!(read(&over).unwrap().report.unreadable, 1);
            assert!(is_noticed(&over), "{other} over {one}");
        }
    }
}

#[test]
fn reading_goes_on_where_bytes_came_in_or_went() {
    let whole = closed();
    for place in HEADS_BYTES..whole.len() {
        for count in [1, 5, 16, 40] {
            let mut longer = whole.clone();
            longer.splice(place..place, vec![0xa5; count]);
            let report = read(&longer).unwrap().report;
            let cut_in_two = u64::from(!(place - HEADS_BYTES).is_multiple_of(RECORD_BYTES));
            assert_eq!(
                (report.records, report.unreadable),
                (10 - cut_in_two, cut_in_two),
                "{count} at {place}"
            );
            assert!(is_noticed(&longer));
        }
        let mut shorter = whole.clone();
        shorter.remove(place);
        let report = read(&shorter).unwrap().report;
        assert_eq!((report.records, report.unreadable), (9, 1), "without byte {place}");
    }
}

#[test]
fn heads_that_do_not_belong_together_are_noticed() {
    let (first, second) = (0..HEAD_BYTES, HEAD_BYTES..HEADS_BYTES);
    let whole = closed();
    let mut swapped = whole.clone();
    swapped.copy_within(first.clone(), HEAD_BYTES);
    swapped[first.clone()].copy_from_slice(&whole[second.clone()]);
    assert!(is_noticed(&swapped));
    let mut doubled = whole.clone();
    doubled.copy_within(second, 0);
    assert!(is_noticed(&doubled));
    let mut headless = whole;
    headless[..HEADS_BYTES].iter_mut().skip(4).for_each(|byte| *byte = 0xff);
    let journal = read(&headless).unwrap();
    assert!(journal.report.remarks()[0].contains("head is damaged"));
    assert!(!journal.report.is_whole() && claims(&journal).is_empty());
}

#[test]
fn a_run_writes_what_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    let size_bytes = u64::from(BLOCKS) * 4096;
    let ledger = Ledger::new(4096, size_bytes, 77).unwrap();
    let place = JournalPlace { path: path.clone(), start_over: false };
    let writer = JournalWriter::create(&place, &ledger, (Path::new("/target"), size_bytes)).unwrap();
    let sender = writer.sender.clone();
    assert!(read(&std::fs::read(&path).unwrap()).unwrap().report.is_whole());
    RECORDS.iter().for_each(|&(block, write)| sender.note(block, write));
    sender.leave_out(3);
    assert_eq!(writer.finish(), JournalSummary { records: 10, left_out: 3, error: None });
    let journal = read(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!((journal.run, journal.block_bytes, claims(&journal)), (77, 4096, claims_of(&RECORDS)));
    assert_eq!((journal.report.end, journal.report.left_out), (JournalEnd::Closed, 3));
    assert!(!journal.report.is_whole(), "what was left out cannot be checked");
}

/// A device with room for the heads and not one record.
struct Full(Arc<Mutex<Vec<u8>>>);

impl Keep for Full {
    fn write_at(&mut self, bytes: &[u8], place: u64) -> io::Result<()> {
        let (mut kept, place) = (self.0.lock().unwrap(), place as usize);
        if place + bytes.len() > HEADS_BYTES {
            return Err(io::ErrorKind::StorageFull.into());
        }
        kept.resize(HEADS_BYTES, 0);
        kept[place..place + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_device_is_told_in_the_journal_itself() {
    let image = Arc::<Mutex<Vec<u8>>>::default();
    let kept = Arc::clone(&image);
    let ledger = Ledger::new(4096, 4096 << 10, 77).unwrap();
    let writer = JournalWriter::begin(Box::new(Full(image)), &ledger, 4096 << 10).unwrap();
    let sender = writer.sender.clone();
    (0..1000).for_each(|block| sender.note(block, 1));
    let summary = writer.finish();
    assert!(summary.error.is_some() && summary.records == 0 && summary.left_out == 1000, "{summary:?}");
    let report = read(&kept.lock().unwrap()).unwrap().report;
    assert_eq!((report.end, report.left_out), (JournalEnd::GivenUp, 1000));
    assert!(!report.is_whole() && report.remarks().last().unwrap().contains("before its run"));
}

/// A journal of the first format.
fn first_format(records: &[(u32, u32)]) -> Vec<u8> {
    let mut head = [77, 4096, u64::from(BLOCKS) * 4096].map(u64::to_le_bytes).concat();
    let mut bytes = [b"DTj1".as_slice(), &crc32fast::hash(&head).to_le_bytes()].concat();
    bytes.append(&mut head);
    for (block, write) in records {
        let record = [block.to_le_bytes(), write.to_le_bytes()].concat();
        bytes.extend_from_slice(&record);
        bytes.extend_from_slice(&crc32fast::hash(&record).to_le_bytes());
    }
    bytes
}

#[test]
fn the_first_format_is_read_with_its_weaker_promise() {
    let whole = first_format(&RECORDS);
    let journal = read(&whole).unwrap();
    assert_eq!((journal.run, claims(&journal)), (77, claims_of(&RECORDS)));
    assert!(journal.report.is_whole() && journal.report.remarks()[0].contains("cannot tell missing records"));
    for bit in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(is_noticed(&bytes), "bit {bit}");
        if bit / 8 >= FIRST_HEAD_BYTES {
            let report = read(&bytes).unwrap().report;
            assert_eq!((report.records, report.unreadable), (9, 1), "bit {bit}");
        }
    }
    for length in FIRST_HEAD_BYTES..whole.len() {
        let left = (length - FIRST_HEAD_BYTES) / FIRST_RECORD_BYTES;
        assert_eq!(claims(&read(&whole[..length]).unwrap()), claims_of(&RECORDS[..left]));
    }
}

#[test]
fn heads_of_impossible_sizes_take_no_memory() {
    for (block_bytes, size_bytes) in [(0, 4096), (1, u64::MAX), (u64::MAX, 1), (512, 1 << 60)] {
        let mut bytes = first_format(&[(0, 1)]);
        bytes[16..24].copy_from_slice(&u64::to_le_bytes(block_bytes));
        bytes[24..32].copy_from_slice(&u64::to_le_bytes(size_bytes));
        let checksum = crc32fast::hash(&bytes[8..32]);
        bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
        assert!(read(&bytes).is_none(), "{block_bytes} {size_bytes}");
    }
}

proptest! {
    /// Any damage to a journal that a crash cut short: when it is taken for whole, it claims the same as its
    /// first records, and all that were known to be durable are among them.
    #[test]
    fn what_is_taken_for_whole_claims_all_that_was_durable(
        changes in prop::collection::vec((0..6_u8, any::<prop::sample::Index>(), 1..40_usize), 1..4),
    ) {
        let mut bytes = cut_short();
        for (kind, place, count) in changes {
            if bytes.is_empty() {
                break; // A change before took all of it.
            }
            let at = place.index(bytes.len());
            let end = (at + count).min(bytes.len());
            match kind {
                0 => bytes[at] ^= 1 << (count % 8),
                1 => drop(bytes.drain(at..end)),
                2 => bytes[at..end].fill(0),
                3 => drop(bytes.splice(at..at, vec![count as u8; count])),
                4 => bytes.extend_from_within(at..end),
                _ => bytes.truncate(at.max(1)),
            }
        }
        if let Some(journal) = read(&bytes) && journal.report.is_whole() {
            let records = journal.report.records as usize;
            prop_assert!(records >= 6);
            prop_assert_eq!(claims(&journal), claims_of(&RECORDS[..records]));
        }
    }
}
