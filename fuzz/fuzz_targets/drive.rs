//! Drive files: a drive that is taken can be asked at any moment and never answers before.
#![no_main]

use device::{Drive, Op};

libfuzzer_sys::fuzz_target!(|text: &str| {
    match device::catalogue::parse(text, "x.toml") {
        Ok(entry) => {
            assert!(!entry.name.is_empty() && entry.capacity_bytes > 0);
            let mut drive = Drive::new(&entry.spec, 1);
            let (read, write) = (Op::Read { offset: 4096, len: 4096 }, Op::Write { offset: 0, len: 65536 });
            for (now_ns, op) in [(0, read), (5, write), (6, read), (1_000_000, write), (1_000_001, Op::Flush)]
            {
                assert!(drive.submit(now_ns, op) >= now_ns);
            }
        }
        Err(faults) => {
            let lines = text.lines().count() + 1;
            let placed = faults.iter().all(|fault| (1..=lines).contains(&fault.line));
            assert!(placed && faults.iter().len() > 0, "{faults}");
        }
    }
});
