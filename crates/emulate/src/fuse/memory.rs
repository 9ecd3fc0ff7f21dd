//! Memory of the many workers of many mounts.
#![allow(unsafe_code)] // The C library's allocator is set up by number.

/// Blocks from this size on come from the kernel one by one, and go back to it.
#[cfg(target_env = "gnu")]
const OWN_MAPPING_BYTES: libc::c_int = 1 << 20;

/// Keeps the 16 MiB that each worker has for a request out of the common heaps: there the C library would
/// clear all of it for every mount but the first ones, where a request needs a few KiB. A hundred megabytes
/// instead of gigabytes for eight servers.
pub(super) fn map_large_blocks_apart() {
    // glibc raises its own limit whenever such a block is freed, unless the limit is set.
    #[cfg(target_env = "gnu")]
    // SAFETY: changes a number of the allocator under its own lock.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, OWN_MAPPING_BYTES);
    }
}

#[cfg(test)]
mod tests {
    const BYTES: usize = 16 << 20;

    #[cfg(target_env = "gnu")]
    #[test]
    fn a_large_block_takes_no_memory_before_it_is_used() {
        super::map_large_blocks_apart();
        // Freed blocks of this size caused the C library to keep the next ones.
        (0..4).for_each(|_| drop(std::hint::black_box(vec![1_u8; BYTES])));
        let block = std::hint::black_box(vec![0_u8; BYTES]);
        let first_page = block.as_ptr().align_offset(4096);
        let mut resident = vec![0_u8; BYTES / 4096 - 1];
        // SAFETY: the pages lie within `block`, and `resident` has a byte for each.
        let asked = unsafe {
            let pages = block.as_ptr().add(first_page) as *mut libc::c_void;
            libc::mincore(pages, resident.len() * 4096, resident.as_mut_ptr())
        };
        assert_eq!(asked, 0);
        let taken = resident.iter().filter(|page| **page & 1 == 1).count();
        assert!(taken < resident.len() / 8, "{taken} of {} pages", resident.len());
    }
}
