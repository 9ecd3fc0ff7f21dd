//! The partitions of a table on a device, for kernels that read none.

use std::io;
use std::ops::Range;

use super::Part;

/// Most logical partitions of a chain; longer ones go round in circles.
const LOGICAL_MAX: usize = 128;
/// Types of a partition that holds a chain of logical ones.
const EXTENDED: [u64; 3] = [0x05, 0x0f, 0x85];

/// Numbers from 1, as the kernel gives them, with the partitions' bytes.
pub(in crate::device) fn partitions(whole: &Part<'_>) -> io::Result<Vec<(usize, Range<u64>)>> {
    let size_bytes = whole.size_bytes();
    let headers = [
        (Some(512), 512),
        (Some(4096), 4096),
        // The copy at the end survives when the start is overwritten.
        (size_bytes.checked_sub(512), 512),
        (size_bytes.checked_sub(4096), 4096),
    ];
    for (at, sector_bytes) in headers {
        if let Some(at) = at
            && whole.holds(at, b"EFI PART")?
        {
            return of_gpt(whole, at, sector_bytes);
        }
    }
    if whole.holds(510, b"\x55\xaa")? { of_dos(whole) } else { Ok(Vec::new()) }
}

/// True if a boot sector has an entry that is not empty.
pub(super) fn has_entry(part: &Part<'_>) -> io::Result<bool> {
    for entry in 0..4 {
        if part.number(446 + 16 * entry + 4, 1)? != 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The sectors as bytes, if they lie within the device and are not all of it.
fn bytes(whole: &Part<'_>, start: u64, count: u64, sector_bytes: u64) -> Option<Range<u64>> {
    let first = start.saturating_mul(sector_bytes);
    let end = start.saturating_add(count).saturating_mul(sector_bytes).min(whole.size_bytes());
    (first > 0 && first < end).then_some(first..end)
}

/// UEFI 2.10, 5.3.2: the place and the size of the entries.
fn of_gpt(whole: &Part<'_>, header: u64, sector_bytes: u64) -> io::Result<Vec<(usize, Range<u64>)>> {
    let at = whole.number(header + 72, 8)?.saturating_mul(sector_bytes);
    let entry_bytes = whole.number(header + 84, 4)?.clamp(128, 4096);
    let mut parts = Vec::new();
    for index in 0..whole.number(header + 80, 4)?.min(128) {
        let entry = at.saturating_add(index * entry_bytes);
        let (first, last) =
            (whole.number(entry.saturating_add(32), 8)?, whole.number(entry.saturating_add(40), 8)?);
        let count = last.saturating_add(1).saturating_sub(first);
        parts.extend(bytes(whole, first, count, sector_bytes).map(|part| (index as usize + 1, part)));
    }
    Ok(parts)
}

fn of_dos(whole: &Part<'_>) -> io::Result<Vec<(usize, Range<u64>)>> {
    let mut parts = Vec::new();
    let mut chain = None;
    for index in 0..4 {
        let entry = 446 + 16 * index;
        let (start, count) = (whole.number(entry + 8, 4)?, whole.number(entry + 12, 4)?);
        if EXTENDED.contains(&whole.number(entry + 4, 1)?) {
            chain.get_or_insert(start);
        } else {
            parts.extend(bytes(whole, start, count, 512).map(|part| (index as usize + 1, part)));
        }
    }
    let Some(first) = chain else { return Ok(parts) };
    let mut sector = first;
    for number in 0..LOGICAL_MAX {
        let at = sector.saturating_mul(512);
        if !whole.holds(at.saturating_add(510), b"\x55\xaa")? {
            break;
        }
        let word = |offset: u64| whole.number(at.saturating_add(446 + offset), 4);
        let (start, count, next) = (word(8)?, word(12)?, word(16 + 8)?);
        parts.extend(bytes(whole, sector.saturating_add(start), count, 512).map(|part| (number + 5, part)));
        if next == 0 {
            break;
        }
        sector = first.saturating_add(next);
    }
    Ok(parts)
}
