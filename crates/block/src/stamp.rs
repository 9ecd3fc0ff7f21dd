//! The stamp of a verified write in every 512-byte sector: any sector alone shows its place and the write
//! that it comes from.
//!
//! Layout, little-endian: magic (4 bytes), CRC-32 of all that follows (4), offset on the target (8),
//! generation (8), run (8), then 480 bytes of incompressible filler that follow from run, offset and
//! generation alone. Because the filler can be computed again, a damaged sector can be compared bit by bit
//! with what was written.

use ground::{Random, mix};

/// Bytes per stamp.
pub(crate) const SECTOR_BYTES: usize = 512;
const MAGIC: [u8; 4] = *b"DTs1";
const HEADER_BYTES: usize = 32;
const FILLER_WORDS: usize = (SECTOR_BYTES - HEADER_BYTES) / 8;

/// Writes and reads the stamps of one run.
#[derive(Clone, Debug)]
pub(crate) struct Stamper {
    run: u64,
    filler: [u64; FILLER_WORDS],
}

/// The result of reading a sector's stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A whole stamp of this run.
    Stamp { offset: u64, generation: u64 },
    /// A whole stamp of another run.
    OtherRun,
    /// No stamp, or one whose checksum does not hold.
    Unreadable,
}

impl Stamper {
    /// `run` must differ between runs that write to the same file.
    pub(crate) fn new(run: u64) -> Stamper {
        let mut random = Random::stream(run, 0);
        Stamper { run, filler: std::array::from_fn(|_| random.next_u64()) }
    }

    /// The run whose stamps these are.
    pub(crate) fn run(&self) -> u64 {
        self.run
    }

    /// Fills one sector that goes to `offset`.
    pub(crate) fn write(&self, sector: &mut [u8], offset: u64, generation: u64) {
        let sector = &mut sector[..SECTOR_BYTES];
        let key = mix(self.run ^ mix(offset).wrapping_add(generation));
        for (bytes, word) in sector[HEADER_BYTES..].chunks_exact_mut(8).zip(&self.filler) {
            bytes.copy_from_slice(&(word ^ key).to_le_bytes());
        }
        sector[..4].copy_from_slice(&MAGIC);
        sector[8..16].copy_from_slice(&offset.to_le_bytes());
        sector[16..24].copy_from_slice(&generation.to_le_bytes());
        sector[24..32].copy_from_slice(&self.run.to_le_bytes());
        let checksum = crc32fast::hash(&sector[8..]);
        sector[4..8].copy_from_slice(&checksum.to_le_bytes());
    }

    /// Reads one sector's stamp.
    pub(crate) fn read(&self, sector: &[u8]) -> Reading {
        let sector = &sector[..SECTOR_BYTES];
        let checksum = crc32fast::hash(&sector[8..]);
        if sector[..4] != MAGIC || sector[4..8] != checksum.to_le_bytes() {
            return Reading::Unreadable;
        }
        if word(sector, 24) != self.run {
            return Reading::OtherRun;
        }
        Reading::Stamp { offset: word(sector, 8), generation: word(sector, 16) }
    }
}

/// The run of a whole stamp of this place; `None` for anything else.
pub(crate) fn run_of(sector: &[u8], offset: u64) -> Option<u64> {
    let is_whole = sector.len() == SECTOR_BYTES
        && sector[..4] == MAGIC
        && sector[4..8] == crc32fast::hash(&sector[8..]).to_le_bytes()
        && word(sector, 8) == offset;
    is_whole.then(|| word(sector, 24))
}

fn word(sector: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&sector[at..at + 8]);
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_stamp_is_read_back_and_belongs_to_its_run() {
        let stamper = Stamper::new(1);
        let mut sector = [0; SECTOR_BYTES];
        assert_eq!(stamper.read(&sector), Reading::Unreadable);
        stamper.write(&mut sector, 4096, 7);
        assert_eq!(stamper.read(&sector), Reading::Stamp { offset: 4096, generation: 7 });
        assert_eq!(Stamper::new(2).read(&sector), Reading::OtherRun);
    }

    #[test]
    fn sectors_do_not_resemble_each_other() {
        let stamper = Stamper::new(1);
        let mut a = [0; SECTOR_BYTES];
        let mut b = [0; SECTOR_BYTES];
        stamper.write(&mut a, 0, 1);
        for (offset, generation) in [(512, 1), (0, 2), (1 << 40, 1)] {
            stamper.write(&mut b, offset, generation);
            let equal = a[HEADER_BYTES..].iter().zip(&b[HEADER_BYTES..]).filter(|(a, b)| a == b).count();
            assert!(equal < 100, "{equal} equal bytes at {offset}, {generation}");
        }
    }

    #[test]
    fn layout_is_fixed() {
        let mut sector = [0; SECTOR_BYTES];
        Stamper::new(3).write(&mut sector, 1024, 5);
        assert_eq!(sector[..4], *b"DTs1");
        assert_eq!(word(&sector, 8), 1024);
        assert_eq!(word(&sector, 16), 5);
        assert_eq!(word(&sector, 24), 3);
        assert_eq!(crc32fast::hash(&sector), GOLDEN, "stamps of older runs could no longer be recomputed");
    }

    /// From a reference implementation of the layout described above.
    const GOLDEN: u32 = 1_039_337_803;

    proptest! {
        #[test]
        fn any_flipped_bit_is_noticed(offset: u64, generation: u64, bit in 0..SECTOR_BYTES * 8) {
            let stamper = Stamper::new(9);
            let mut sector = [0; SECTOR_BYTES];
            stamper.write(&mut sector, offset, generation);
            sector[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(stamper.read(&sector), Reading::Unreadable);
        }
    }
}
