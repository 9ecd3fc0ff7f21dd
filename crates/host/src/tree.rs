//! Files of the machine, read below a root: `/` in earnest, a directory of fixtures in tests.

use std::path::PathBuf;

/// The places of /proc, /sys and /etc.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    root: PathBuf,
}

impl Tree {
    /// The machine itself.
    pub(crate) fn machine() -> Tree {
        Tree { root: PathBuf::from("/") }
    }

    #[cfg(test)]
    pub(crate) fn at(root: &std::path::Path) -> Tree {
        Tree { root: root.to_owned() }
    }

    /// The text of a file without surrounding white space; `None` when it is missing, unreadable or empty.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let bytes = std::fs::read(self.below(path)).ok()?;
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// A file that holds one number.
    pub(crate) fn number(&self, path: &str) -> Option<u64> {
        self.read(path)?.parse().ok()
    }

    /// Names in a directory, sorted; empty when there is none.
    pub(crate) fn list(&self, path: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.below(path)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The last name in the target of a symbolic link (`driver -> ../../bus/pci/drivers/nvme` gives `nvme`).
    pub(crate) fn link_name(&self, path: &str) -> Option<String> {
        let target = std::fs::read_link(self.below(path)).ok()?;
        Some(target.file_name()?.to_string_lossy().into_owned())
    }

    /// Follows a path to the real one, still below the root.
    pub(crate) fn resolve(&self, path: &str) -> Option<String> {
        let root = self.root.canonicalize().ok()?;
        let real = self.below(path).canonicalize().ok()?;
        let inside = real.strip_prefix(&root).ok()?;
        Some(format!("/{}", inside.display()))
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.below(path).exists()
    }

    fn below(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }
}

/// A directory of fixtures, given as `path, text` pairs; `link -> target` makes a symbolic link.
#[cfg(test)]
pub(crate) fn fixture(files: &[(&str, &str)]) -> (tempfile::TempDir, Tree) {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let full = dir.path().join(path.trim_start_matches('/'));
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        match text.strip_prefix("-> ") {
            Some(target) => std::os::unix::fs::symlink(target, full).unwrap(),
            None => std::fs::write(full, text).unwrap(),
        }
    }
    let tree = Tree::at(dir.path());
    (dir, tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_unknown() {
        let (_dir, tree) = fixture(&[("proc/empty", " \n"), ("proc/seven", "7\n"), ("proc/word", "x")]);
        assert_eq!(tree.read("/proc/none"), None);
        assert_eq!(tree.read("/proc/empty"), None);
        assert_eq!(tree.number("/proc/seven"), Some(7));
        assert_eq!(tree.number("/proc/word"), None);
        assert_eq!(tree.read("/proc"), None, "a directory is not a text");
        assert!(tree.list("/nowhere").is_empty());
        assert_eq!(tree.list("/proc"), ["empty", "seven", "word"]);
    }

    #[test]
    fn links_are_followed_inside_the_root() {
        let (_dir, tree) = fixture(&[
            ("sys/devices/pci/block/vda/size", "8"),
            ("sys/dev/block/254:0", "-> ../../devices/pci/block/vda"),
        ]);
        assert_eq!(tree.resolve("/sys/dev/block/254:0").as_deref(), Some("/sys/devices/pci/block/vda"));
        assert_eq!(tree.link_name("/sys/dev/block/254:0").as_deref(), Some("vda"));
        assert_eq!(tree.resolve("/sys/dev/block/1:1"), None);
    }
}
