use std::os::unix::fs::FileExt;

use super::*;

const BLOCK: usize = 4096;
const BLOCKS: usize = 64;

/// A file in which every block was written twice, and the ledger that knows it.
struct Written {
    _directory: tempfile::TempDir,
    path: std::path::PathBuf,
    file: File,
    ledger: Ledger,
}

fn written() -> Written {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let size_bytes = (BLOCK * BLOCKS) as u64;
    let ledger = Ledger::new(BLOCK as u64, size_bytes, 77).unwrap();
    std::fs::write(&path, vec![0xaa; BLOCK * BLOCKS]).unwrap();
    let file = File::options().read(true).write(true).open(&path).unwrap();
    for _ in 0..2 {
        (0..BLOCKS).for_each(|block| write(&file, &ledger, block, true));
    }
    Written { _directory: directory, path, file, ledger }
}

/// One write to a block; when `arrives` is false the target acknowledges it and drops it.
fn write(file: &File, ledger: &Ledger, block: usize, arrives: bool) {
    let mut bytes = vec![0; BLOCK];
    let offset = (block * BLOCK) as u64;
    ledger.begin(offset, &mut bytes);
    if arrives {
        file.write_all_at(&bytes, offset).unwrap();
    }
    ledger.end(offset, BLOCK as u32, true, |_, _| ());
}

impl Written {
    fn report(&self) -> VerifyReport {
        verify(&self.file, &self.path, &self.ledger, &Control::new()).unwrap()
    }

    fn block(&self, block: usize) -> Vec<u8> {
        let mut bytes = vec![0; BLOCK];
        self.file.read_exact_at(&mut bytes, (block * BLOCK) as u64).unwrap();
        bytes
    }

    fn put(&self, block: usize, bytes: &[u8]) {
        self.file.write_all_at(bytes, (block * BLOCK) as u64).unwrap();
    }

    /// The only fault, which must be in this block.
    fn only_fault(&self, block: usize) -> BlockFault {
        let report = self.report();
        assert_eq!(report.faults.len(), 1, "{report:?}");
        assert_eq!(report.faulty_blocks, 1);
        assert_eq!(report.faults[0].offset_bytes, (block * BLOCK) as u64);
        report.faults[0].clone()
    }
}

#[test]
fn sound_data_has_no_faults() {
    let report = written().report();
    assert_eq!((report.checked_blocks, report.faulty_blocks), (BLOCKS as u64, 0));
    assert!(report.complete);
    assert_eq!(report.kinds().to_string(), "no faults");
}

#[test]
fn one_flipped_bit_anywhere_is_flipped() {
    for byte in [0, 5, 9, 20, 30, 511, 1000, 4095] {
        let written = written();
        let mut bytes = written.block(3);
        bytes[byte] ^= 0x10;
        written.put(3, &bytes);
        let fault = written.only_fault(3);
        assert_eq!(fault.kind, FaultKind::Flipped, "{fault:?}");
        assert!(fault.detail.starts_with("1 bits differ"), "{fault:?}");
        assert!(fault.detail.ends_with(&format!("byte {}", byte % 512)), "{fault:?}");
    }
}

#[test]
fn a_lost_write_is_stale() {
    let written = written();
    write(&written.file, &written.ledger, 5, false);
    let fault = written.only_fault(5);
    assert_eq!((fault.kind, fault.detail.as_str()), (FaultKind::Stale, "holds write 2, expected write 3"));
    written.put(5, &[0x55; BLOCK]);
    assert_eq!(written.only_fault(5).kind, FaultKind::Stale);
}

#[test]
fn half_a_write_is_torn_at_any_byte() {
    for cut in [512, 2048, 3584, 700, 2048 + 33] {
        let written = written();
        let old = written.block(7);
        write(&written.file, &written.ledger, 7, true);
        let mut bytes = written.block(7);
        bytes[cut..].copy_from_slice(&old[cut..]);
        written.put(7, &bytes);
        assert_eq!(written.only_fault(7).kind, FaultKind::Torn, "cut at {cut}");
    }
}

#[test]
fn a_write_that_stopped_over_older_foreign_data_is_torn() {
    let written = written();
    let mut bytes = written.block(7);
    bytes[1024..].fill(0xaa);
    written.put(7, &bytes);
    assert_eq!(written.only_fault(7).kind, FaultKind::Torn);
}

#[test]
fn a_write_that_went_astray_is_misplaced_there_and_stale_here() {
    let written = written();
    let before = written.block(10);
    write(&written.file, &written.ledger, 10, true);
    let strayed = written.block(10);
    written.put(10, &before);
    written.put(20, &strayed);
    let report = written.report();
    let kinds: Vec<(u64, FaultKind)> =
        report.faults.iter().map(|fault| (fault.offset_bytes / BLOCK as u64, fault.kind)).collect();
    assert_eq!(kinds, [(10, FaultKind::Stale), (20, FaultKind::Misplaced)]);
    assert!(report.faults[1].detail.contains("written to 40960"), "{}", report.faults[1].detail);
    assert_eq!(report.kinds().to_string(), "1 stale, 1 misplaced");
}

#[test]
fn data_of_another_run_is_stale() {
    let written = written();
    let mut bytes = vec![0; BLOCK];
    for (index, sector) in bytes.chunks_exact_mut(SECTOR_BYTES).enumerate() {
        Stamper::new(78).write(sector, (index * SECTOR_BYTES) as u64, 2);
    }
    written.put(0, &bytes);
    assert_eq!(written.only_fault(0).kind, FaultKind::Stale);
}

#[test]
fn a_file_cut_short_is_unreadable_there_and_judged_elsewhere() {
    let written = written();
    written.file.set_len(((BLOCKS - 1) * BLOCK) as u64).unwrap();
    let report = written.report();
    assert_eq!((report.unreadable, report.faulty_blocks, report.checked_blocks), (1, 1, BLOCKS as u64));
}

#[test]
fn many_faults_are_counted_but_not_all_listed() {
    let stopped = written();
    let control = Control::new();
    control.stop();
    let report = verify(&stopped.file, &stopped.path, &stopped.ledger, &control).unwrap();
    assert!(!report.complete && report.checked_blocks == 0);
    let mut report = VerifyReport::default();
    for offset_bytes in 0..1000 {
        report.note(BlockFault { offset_bytes, kind: FaultKind::Torn, detail: String::new() });
    }
    assert_eq!((report.faulty_blocks, report.torn, report.faults.len()), (1000, 1000, FAULTS_LISTED_MAX));
}
