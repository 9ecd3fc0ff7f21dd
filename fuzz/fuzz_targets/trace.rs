//! Traces of fio, blkparse and CSV: every line is an I/O, nothing or broken, and none is lost.
#![no_main]

use block::{TraceOp, TraceReader};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(mut reader) = TraceReader::new(bytes) else { return };
    let mut ios = 0;
    while let Some(io) = reader.next_io().expect("memory can be read") {
        assert!(io.length_bytes > 0 || io.op == TraceOp::Flush);
        ios += 1;
    }
    let counted = reader.counted();
    assert_eq!(counted.lines as usize, bytes.split_inclusive(|byte| *byte == b'\n').count());
    assert!(ios + counted.broken <= counted.lines && (counted.broken > 0) == counted.first_broken.is_some());
});
