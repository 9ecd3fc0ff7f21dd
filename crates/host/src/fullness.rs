//! The fullness of a file system.

use std::path::Path;

/// Used share, 0 to 1, and all bytes of the file system of `path`; `None` if it does not say.
pub fn fullness(path: &Path) -> Option<(f64, u64)> {
    let found = rustix::fs::statvfs(path).ok().filter(|found| found.f_blocks > 0)?;
    let used = found.f_blocks.saturating_sub(found.f_bfree) as f64 / found.f_blocks as f64;
    Some((used, found.f_blocks.saturating_mul(found.f_frsize)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_lies_on_a_file_system_with_a_size() {
        let (used, bytes) = fullness(Path::new(".")).expect("the working directory is on a file system");
        assert!((0.0..=1.0).contains(&used) && bytes > 0, "{used} of {bytes}");
        assert_eq!(fullness(Path::new("/nowhere/at/all")), None);
    }
}
