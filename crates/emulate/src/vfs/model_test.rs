//! One file through the layer against the same operations on a byte vector, with power cuts.

use std::sync::Arc;

use device::DriveSpec;
use proptest::prelude::*;

use super::common::Power;
use super::handle::Handle;
use super::state::{Request, State};
use crate::drive::{Backing, EmulatedDrive};

/// Longer than the smallest pool, so that blocks are evicted.
const MOST_BYTES: u64 = 80_000;

#[derive(Clone, Debug)]
enum Step {
    Read { offset: u64, len: usize },
    Write { offset: u64, len: usize, byte: u8 },
    Append { len: usize, byte: u8 },
    Truncate { size: u64 },
    Sync,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let offset = prop_oneof![0..MOST_BYTES, (0..MOST_BYTES / 4096).prop_map(|block| block * 4096)];
    let len = prop_oneof![1..300_usize, Just(4096), Just(4120), 1..20_000_usize];
    let write = (offset.clone(), len.clone(), any::<u8>()).prop_map(|(offset, len, byte)| Step::Write {
        offset,
        len,
        byte,
    });
    prop_oneof![
        4 => (offset.clone(), len.clone()).prop_map(|(offset, len)| Step::Read { offset, len }),
        4 => write,
        3 => (len, any::<u8>()).prop_map(|(len, byte)| Step::Append { len, byte }),
        1 => offset.prop_map(|size| Step::Truncate { size }),
        1 => Just(Step::Sync),
        1 => Just(Step::Reopen),
    ]
}

struct Bench {
    state: Arc<State>,
    handle: Option<Handle>,
    name: &'static str,
    bytes: Vec<u8>,
    _dir: tempfile::TempDir,
}

impl Bench {
    fn new(backing: Backing, name: &'static str, memory_bytes: u64) -> Bench {
        // Beside the sources: a temporary directory may be in memory, where nothing goes past the page cache.
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let state = State::new(dir.path().to_owned(), None, backing.clone(), backing, memory_bytes);
        let mut bench = Bench { state: Arc::new(state), handle: None, name, bytes: Vec::new(), _dir: dir };
        bench.reopen();
        bench
    }

    fn reopen(&mut self) {
        if let Some(handle) = self.handle.take() {
            handle.close().unwrap();
        }
        let request = Request { create: true, ..Request::default() };
        self.handle = Some(Handle::open(&self.state, &self.state.dir.join(self.name), request).unwrap());
    }

    fn handle(&self) -> &Handle {
        self.handle.as_ref().unwrap()
    }

    fn read(&self, offset: u64, len: usize) -> Vec<u8> {
        let mut out = vec![0xEE; len];
        let whole = self.handle().read(&mut out, offset).unwrap();
        assert_eq!(whole, offset + len as u64 <= self.handle().size().unwrap());
        out
    }

    fn write(&mut self, offset: u64, len: usize, byte: u8) {
        // Differs from byte to byte, so that shifted bytes are seen.
        let piece: Vec<u8> = (0..len).map(|i| byte.wrapping_add(i as u8)).collect();
        self.handle().write(&piece, offset).unwrap();
        let end = offset as usize + len;
        self.bytes.resize(self.bytes.len().max(end), 0);
        self.bytes[offset as usize..end].copy_from_slice(&piece);
    }

    fn take(&mut self, step: &Step) {
        match *step {
            Step::Read { offset, len } => {
                let mut expected = vec![0; len];
                let from = self.bytes.len().min(offset as usize);
                let known = &self.bytes[from..self.bytes.len().min(offset as usize + len)];
                expected[..known.len()].copy_from_slice(known);
                assert!(self.read(offset, len) == expected, "{len} bytes at {offset}");
            }
            Step::Write { offset, len, byte } => self.write(offset, len, byte),
            Step::Append { len, byte } => self.write(self.bytes.len() as u64, len, byte),
            Step::Truncate { size } => {
                self.handle().truncate(size).unwrap();
                self.bytes.resize(size as usize, 0);
            }
            Step::Sync => self.handle().sync().unwrap(),
            Step::Reopen => self.reopen(),
        }
        assert_eq!(self.handle().size().unwrap(), self.bytes.len() as u64);
    }
}

fn free() -> Backing {
    Backing::Emulated(EmulatedDrive::new("free", &DriveSpec::free(), 1))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn files_hold_what_a_plain_file_would(
        steps in prop::collection::vec(step(), 1..60),
        emulated in any::<bool>(),
        // Not a WAL: of that the layer knows which bytes beyond its end are of no value.
        log in any::<bool>(),
        blocks in prop_oneof![Just(0_u64), 1..12_u64, Just(1000)],
    ) {
        let backing = if emulated { free() } else { Backing::Real };
        let mut bench = Bench::new(backing, if log { "x-journal" } else { "x" }, blocks * 4096);
        steps.iter().for_each(|step| bench.take(step));
        bench.take(&Step::Reopen);
        bench.take(&Step::Read { offset: 0, len: MOST_BYTES as usize * 2 });
    }

    /// After a cut every sector has its contents of some moment since the last sync, and the size is one that
    /// the file had.
    #[test]
    fn a_power_cut_leaves_each_sector_as_it_once_was(
        before in prop::collection::vec(step(), 1..20),
        after in prop::collection::vec(step(), 1..20),
        seed in any::<u64>(),
    ) {
        let mut bench = Bench::new(free(), "x", 8 * 4096);
        before.iter().for_each(|step| bench.take(step));
        bench.take(&Step::Sync);
        let mut states = vec![bench.bytes.clone()];
        for step in after.iter().filter(|step| !matches!(step, Step::Sync)) {
            bench.take(step);
            states.push(bench.bytes.clone());
        }
        bench.state.cut(seed).unwrap();
        assert!(bench.handle().size().is_err() && bench.handle().write(&[1], 0).is_err());
        Power::restore(&bench.state.common.power);
        bench.reopen();
        let size = bench.handle().size().unwrap() as usize;
        prop_assert!(states.iter().any(|state| state.len() == size), "size {size}");
        let left = bench.read(0, size);
        for (sector, found) in left.chunks(4096).enumerate() {
            let once = states.iter().any(|state| {
                let at = state.len().min(sector * 4096);
                let held = &state[at..state.len().min(at + found.len())];
                held == &found[..held.len()] && found[held.len()..].iter().all(|&byte| byte == 0)
            });
            prop_assert!(once, "sector {sector} of {size} bytes");
        }
    }
}
