//! The bytes that the kernel fetched from storage for this process.

use crate::tree::Tree;

/// Bytes that this process has had read from storage since its start, all threads together; reads that a page
/// cache answered are none. `None` where the kernel does not count them (proc_pid_io(5)).
pub fn own_read_bytes() -> Option<u64> {
    of(&Tree::machine().read("/proc/self/io")?)
}

fn of(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("read_bytes:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found_among_its_neighbours() {
        let text = "rchar: 323934931\nwchar: 1\nsyscr: 6\nread_bytes: 40960\ncancelled_write_bytes: 0\n";
        assert_eq!(of(text), Some(40_960));
        assert_eq!(of("rchar: 1\n"), None);
    }
}
