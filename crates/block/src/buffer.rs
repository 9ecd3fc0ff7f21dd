//! Memory for the bytes of I/Os: one slot per outstanding I/O, aligned for direct I/O, allocated once.

/// Alignment of every slot: a page, which satisfies any device's rule for direct I/O.
const ALIGNMENT: usize = 4096;

/// Equal slots of page-aligned memory.
#[derive(Debug)]
pub(crate) struct Buffers {
    memory: Vec<u8>,
    first: usize,
    stride: usize,
    slots: usize,
}

impl Buffers {
    /// `slots` slots of at least `slot_bytes`, zeroed.
    pub(crate) fn new(slots: usize, slot_bytes: usize) -> Buffers {
        let stride = slot_bytes.next_multiple_of(ALIGNMENT);
        let memory = vec![0; slots * stride + ALIGNMENT];
        let first = memory.as_ptr().align_offset(ALIGNMENT);
        Buffers { memory, first, stride, slots }
    }

    /// The slot's bytes.
    #[inline]
    pub(crate) fn slot(&mut self, slot: usize) -> &mut [u8] {
        let start = self.first + slot * self.stride;
        &mut self.memory[start..start + self.stride]
    }

    /// Bytes per slot.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Number of slots.
    pub(crate) fn slots(&self) -> usize {
        self.slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_aligned_and_apart() {
        let mut buffers = Buffers::new(3, 5000);
        assert_eq!((buffers.stride(), buffers.slots()), (8192, 3));
        for slot in 0..3 {
            assert_eq!(buffers.slot(slot).as_ptr() as usize % ALIGNMENT, 0);
            buffers.slot(slot).fill(slot as u8 + 1);
        }
        for slot in 0..3 {
            assert!(buffers.slot(slot).iter().all(|byte| *byte == slot as u8 + 1));
        }
    }
}
