//! The barest possible loop: io_uring with registered file and buffers, random reads, and nothing else: no
//! clock, no counters, no histogram. What a tool costs above this is the cost of measuring.
#![allow(unsafe_code)] // The kernel writes to memory that it is only told the address of.

use std::fs::OpenOptions;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use ground::{Clock, SplitMix64};
use io_uring::types::Fixed;
use io_uring::{IoUring, opcode};

/// Alignment that direct I/O needs anywhere.
const PAGE_BYTES: usize = 4096;
/// I/Os between two looks at the clock.
const LOOK_EVERY: u64 = 4096;

/// Processor time of this process per I/O, ns, and I/Os per second.
pub(crate) fn run(
    path: &Path,
    depth: u32,
    io_bytes: u32,
    direct: bool,
    seconds: f64,
) -> anyhow::Result<(f64, f64)> {
    let flags = if direct { libc::O_DIRECT } else { 0 };
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).context("open the file")?;
    let blocks = file.metadata()?.len() / u64::from(io_bytes);
    let slots = depth as usize;
    let mut memory = vec![0u8; slots * io_bytes as usize + PAGE_BYTES];
    let first = memory.as_ptr().align_offset(PAGE_BYTES);
    let vectors: Vec<libc::iovec> = (0..slots)
        .map(|slot| libc::iovec {
            iov_base: memory[first + slot * io_bytes as usize..].as_mut_ptr().cast(),
            iov_len: io_bytes as usize,
        })
        .collect();
    let mut ring: IoUring = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .build(depth.next_power_of_two())
        .context("make a ring (Linux 6.1 or later)")?;
    ring.submitter().register_files(&[file.as_raw_fd()])?;
    // SAFETY: the vectors describe parts of `memory`, which outlives the ring.
    unsafe { ring.submitter().register_buffers(&vectors)? };
    let mut random = SplitMix64::stream(1, 0);
    let mut push = |ring: &mut IoUring, slot: u64| {
        let offset =
            ((u128::from(random.next_u64()) * u128::from(blocks)) >> 64) as u64 * u64::from(io_bytes);
        let base = vectors[slot as usize].iov_base.cast();
        let entry = opcode::ReadFixed::new(Fixed(0), base, io_bytes, slot as u16).offset(offset).build();
        // SAFETY: the slot's memory is free until its completion, and the ring has a place for every slot.
        unsafe { ring.submission().push(&entry.user_data(slot)) }.is_ok()
    };
    for slot in 0..u64::from(depth) {
        anyhow::ensure!(push(&mut ring, slot), "the ring is too small");
    }
    let (start, before_ns, end) =
        (Clock::Wall.stopwatch(), Clock::Wall.cpu().process_ns, Duration::from_secs_f64(seconds));
    let (mut ios, mut look) = (0u64, LOOK_EVERY);
    let mut done = Vec::with_capacity(slots);
    loop {
        ring.submit_and_wait(1)?;
        done.extend(ring.completion().map(|entry| (entry.user_data(), entry.result())));
        for (slot, result) in done.drain(..) {
            anyhow::ensure!(result == io_bytes as i32, "a read failed: {result}");
            ios += 1;
            push(&mut ring, slot);
        }
        if ios >= look {
            look = ios + LOOK_EVERY;
            if start.elapsed() >= end {
                break;
            }
        }
    }
    let (used_ns, elapsed_s) = (Clock::Wall.cpu().process_ns - before_ns, start.elapsed().as_secs_f64());
    ring.submit_and_wait(slots)?;
    Ok((used_ns as f64 / ios as f64, ios as f64 / elapsed_s))
}
