//! Sizes of this machine that job files of other tools refer to.

use crate::text::meminfo_bytes;

/// Size of a page of memory, in bytes.
pub fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}

/// Memory of the machine, in bytes; 0 when the kernel does not tell.
pub fn memory_bytes() -> u64 {
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    meminfo_bytes(&meminfo, "MemTotal").unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_page_fits_the_memory() {
        assert!(super::page_bytes() >= 4096 && super::memory_bytes() > super::page_bytes());
    }
}
