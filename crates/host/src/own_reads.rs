//! The bytes that the kernel moved between storage and this process.

use crate::tree::Tree;

/// Bytes that this process has had read from storage since its start, all threads together; reads that a page
/// cache answered are none. `None` where the kernel does not count them (proc_pid_io(5)).
pub fn own_read_bytes() -> Option<u64> {
    of(&Tree::machine().read("/proc/self/io")?, "read_bytes:")
}

/// Bytes that this process has had read from storage and written to it since its start. `None` where the
/// kernel does not count them.
pub(crate) fn own_io_bytes() -> Option<u64> {
    let text = Tree::machine().read("/proc/self/io")?;
    Some(of(&text, "read_bytes:")?.saturating_add(of(&text, "write_bytes:")?))
}

fn of(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found_among_its_neighbours() {
        let text = "rchar: 323934931\nwchar: 1\nsyscr: 6\nread_bytes: 40960\ncancelled_write_bytes: 0\n";
        assert_eq!(of(text, "read_bytes:"), Some(40_960));
        assert_eq!(of("rchar: 1\n", "read_bytes:"), None);
        assert_eq!(of(text, "write_bytes:"), None, "cancelled writes are others");
    }
}
