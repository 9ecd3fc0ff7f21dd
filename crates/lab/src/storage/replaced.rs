//! The places of a run's data in which something else is now: a link, or whatever bears no marker. The data
//! may lie elsewhere, so that nobody may say that nothing is left of the run.

use std::path::{Path, PathBuf};

use words::say;

use crate::storage::origin::is_marked;

/// Something in the place of a run's folder of data that is none. It is never measured or touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The path of the run's folder.
    pub path: PathBuf,
    /// The thing that is there, and the remedy.
    pub why: String,
}

/// The folders of a run.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    /// Those that bear a marker, even that of another directory.
    pub(crate) marked: Vec<PathBuf>,
    /// Those in whose places something else is.
    pub(crate) replaced: Vec<Replaced>,
}

impl Folders {
    /// Adds the folder that lies at one of these places, the most likely first. Where nothing is, there is
    /// nothing to add.
    pub(crate) fn add(&mut self, places: impl Iterator<Item = PathBuf>) {
        let places: Vec<PathBuf> =
            places.filter(|place| emulate::fuse::check_answers(place).is_ok()).collect();
        if let Some(place) = places.iter().find(|place| is_marked(place)) {
            let resolved = std::fs::canonicalize(place).ok();
            let new: Vec<PathBuf> = resolved.filter(|path| !self.marked.contains(path)).into_iter().collect();
            self.marked.extend(new);
        } else if let Some(found) = places.iter().find_map(|place| in_place(place))
            && !self.replaced.contains(&found)
        {
            self.replaced.push(found);
        }
    }

    /// Adds all of `others`.
    pub(crate) fn extend(&mut self, others: Self) {
        self.marked.extend(others.marked);
        self.replaced.extend(others.replaced);
    }

    /// True if nothing is in any place.
    pub(crate) fn is_empty(&self) -> bool {
        self.marked.is_empty() && self.replaced.is_empty()
    }
}

/// The thing without a marker at the place of a run's folder.
fn in_place(place: &Path) -> Option<Replaced> {
    let kind = place.symlink_metadata().ok()?.file_type();
    let what = if kind.is_symlink() {
        let target = std::fs::read_link(place).unwrap_or_default();
        say!("clean-in-place-link", target = target.display().to_string())
    } else if kind.is_dir() {
        say!("clean-in-place-directory").to_owned()
    } else if kind.is_file() {
        say!("clean-in-place-file").to_owned()
    } else {
        say!("clean-in-place-other").to_owned()
    };
    let why = say!("clean-in-place", what);
    // The name itself, and not what a link leads to.
    let above = std::fs::canonicalize(disk::parent(place)).ok();
    let path = above.and_then(|above| Some(above.join(place.file_name()?)));
    Some(Replaced { path: path.unwrap_or_else(|| place.to_owned()), why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use database::Marker;
    use std::fs;

    #[test]
    fn what_is_in_the_place_of_a_folder_is_told_and_an_empty_place_is_fine() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let place = root.join("run");
        let found = |places: &[&Path]| {
            let mut folders = Folders::default();
            folders.add(places.iter().map(|place| place.to_path_buf()));
            folders.add(places.iter().map(|place| place.to_path_buf())); // Two beds on one storage.
            folders
        };
        let why = || match &found(&[&place]).replaced[..] {
            [Replaced { path, why }] if *path == place => why.clone(),
            other => panic!("{other:?}"),
        };
        assert!(found(&[&place, &root.join("none/below")]).is_empty());
        Marker::claim(&place).unwrap();
        let ours = found(&[&root.join("none"), &place]);
        assert!(ours.marked == [place.clone()] && ours.replaced.is_empty(), "{ours:?}");
        fs::rename(&place, root.join("moved")).unwrap();
        assert!(found(&[&place]).is_empty(), "it is simply gone");
        for target in [root.join("moved"), root.join("nowhere")] {
            std::os::unix::fs::symlink(&target, &place).unwrap();
            assert!(
                why().starts_with(&format!("a link to {} is in the place", target.display())),
                "{}",
                why()
            );
            fs::remove_file(&place).unwrap();
        }
        fs::write(&place, "").unwrap();
        assert!(why().starts_with("a file is"), "{}", why());
        fs::remove_file(&place).unwrap();
        fs::create_dir(&place).unwrap();
        assert!(why().starts_with("a directory without drivetrain's mark is"), "{}", why());
        fs::write(place.join(".drivetrain"), "forged").unwrap();
        assert_eq!(found(&[&place]).marked, [place], "its marker is judged when it is removed");
    }
}
