//! The files by which drivetrain knows its own directories and targets.

use std::path::Path;

/// True if a path has the name of a file that says what drivetrain may remove.
#[must_use]
pub fn is_marker(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    name == database::MARKER_NAME || name.ends_with(block::MARKER_SUFFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_known_by_name() {
        assert!(is_marker(Path::new("/a/.drivetrain")) && is_marker(Path::new("t.drivetrain-owned")));
        assert!(!is_marker(Path::new("/.drivetrain/a")) && !is_marker(Path::new("..")));
    }
}
