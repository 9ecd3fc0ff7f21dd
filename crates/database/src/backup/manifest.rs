//! The list of a backup's files, by which damage is found before anything is restored.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use disk::File;
use ground::{Clock, mix};

use super::{BackupError, BackupMethod};
use crate::copy::sync_dir;
use crate::error::DatabaseError;
use crate::machine::Tree;
use crate::marker::Marker;

/// The files that the tool wrote.
const FILES: &str = "files";
/// The list; written last.
const LIST: &str = "backup.list";
/// Password of the instance's user: a restored instance has the source's.
pub(crate) const SECRET: &str = "secret";
const FIRST_LINE: &str = "drivetrain backup 1";

/// Claims `dir` for a new backup and removes the remains of an older one in it.
pub(crate) fn claim(dir: &Path) -> Result<(), DatabaseError> {
    Marker::remove_ours(dir)?;
    let marker = Marker::claim(dir)?;
    marker.own(&[LIST, SECRET])
}

/// The directory for the tool's files.
pub(crate) fn files_dir(dir: &Path) -> PathBuf {
    dir.join(FILES)
}

/// The facts of a finished backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// Engine and the part of the version that its files depend on.
    pub(crate) generation: String,
    pub(crate) method: BackupMethod,
    pub(crate) compressed: bool,
    /// The tool and its version.
    pub(crate) tool: String,
    files: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    path: String,
    bytes: u64,
    crc: u32,
}

/// A backup that is unchanged since it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Files looked at.
    pub files: usize,
    /// Their length.
    pub bytes: u64,
    /// Its duration.
    pub elapsed: Duration,
}

/// One bit that was turned over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flipped {
    /// The file within the backup.
    pub file: String,
    /// Byte from its start.
    pub offset: u64,
    /// Bit within the byte, 0 to 7.
    pub bit: u8,
}

/// Reads every file of the finished backup in `dir` and compares it with the list that was written when it
/// was made.
///
/// # Errors
/// [`BackupError::Damaged`] with the first file that differs; [`BackupError::Unfinished`] when there is no
/// list.
pub fn verify(dir: &Path) -> Result<Verified, DatabaseError> {
    let start = Clock::Wall.stopwatch();
    let manifest = Manifest::read(dir)?;
    let damaged =
        |file: &str, what: String| BackupError::Damaged { dir: dir.to_owned(), file: file.to_owned(), what };
    let mut bytes = 0;
    for entry in &manifest.files {
        let path = files_dir(dir).join(&entry.path);
        let facts = disk::metadata_if_any(&path).map_err(DatabaseError::io("reading", &path))?;
        let Some(length) = facts.map(|facts| facts.len()) else {
            return Err(damaged(&entry.path, "is missing".to_owned()).into());
        };
        if length != entry.bytes {
            let what = format!("has {length} bytes instead of {}", entry.bytes);
            return Err(damaged(&entry.path, what).into());
        }
        if checksum(&path)? != entry.crc {
            return Err(damaged(&entry.path, "holds other bytes: its checksum differs".to_owned()).into());
        }
        bytes += length;
    }
    Ok(Verified { files: manifest.files.len(), bytes, elapsed: start.elapsed() })
}

/// Turns over one bit in the largest file of the backup in `dir`, at a place drawn from `seed`: a drill for
/// the proof. The same call again turns it back.
///
/// # Errors
/// When there is no finished backup or the file cannot be written.
pub fn flip_bit(dir: &Path, seed: u64) -> Result<Flipped, DatabaseError> {
    let manifest = Manifest::read(dir)?;
    let largest = manifest.files.iter().max_by_key(|entry| entry.bytes).filter(|entry| entry.bytes > 0);
    let entry = largest.ok_or_else(|| BackupError::Unfinished {
        dir: dir.to_owned(),
        why: "it holds no bytes".to_owned(),
    })?;
    let mixed = mix(seed);
    let (offset, bit) = ((mixed >> 3) % entry.bytes, (mixed & 7) as u8);
    let path = files_dir(dir).join(&entry.path);
    let file = File::open_to_write(&path).map_err(DatabaseError::io("opening", &path))?;
    let mut byte = [0];
    file.read_exact_at(&mut byte, offset).map_err(DatabaseError::io("reading", &path))?;
    byte[0] ^= 1 << bit;
    file.write_all_at(&byte, offset).map_err(DatabaseError::io("writing", &path))?;
    Ok(Flipped { file: entry.path.clone(), offset, bit })
}

impl Manifest {
    /// Lists the files that the tool has left in `dir` and writes the list, which makes it a finished backup.
    pub(crate) fn write(
        dir: &Path,
        generation: &str,
        method: BackupMethod,
        compressed: bool,
        tool: &str,
        listed: bool,
    ) -> Result<Self, DatabaseError> {
        let root = files_dir(dir);
        let mut files = Vec::new();
        for (path, bytes) in Tree::list(&root, None)?.sizes() {
            let crc = if listed { checksum(&root.join(path))? } else { 0 };
            files.push(Entry { path: path.display().to_string(), bytes, crc });
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let manifest =
            Self { generation: generation.to_owned(), method, compressed, tool: tool.to_owned(), files };
        if !listed {
            return Ok(manifest);
        }
        let path = dir.join(LIST);
        // A list that is there in part does not end as it should, and is none.
        let mut file = Marker::open(dir)?.create(LIST, 0o644)?;
        let written = file.write_all(manifest.to_text().as_bytes()).and_then(|()| file.sync_all());
        written.map_err(DatabaseError::io("writing", &path))?;
        sync_dir(&path)?;
        Ok(manifest)
    }

    /// The list of the finished backup in `dir`.
    pub(crate) fn read(dir: &Path) -> Result<Self, DatabaseError> {
        let unfinished = |why: &str| BackupError::Unfinished { dir: dir.to_owned(), why: why.to_owned() };
        if disk::metadata_if_any(dir).map_err(DatabaseError::io("reading", dir))?.is_none() {
            return Err(unfinished("the directory is absent").into());
        }
        Marker::open(dir)?.check_file(LIST)?;
        let path = dir.join(LIST);
        let listed = disk::metadata_if_any(&path).map_err(DatabaseError::io("reading", &path))?;
        if listed.is_none() {
            return Err(unfinished("it has no list of files").into());
        }
        let text = disk::read(&path).map_err(DatabaseError::io("reading", &path))?;
        let text = String::from_utf8(text).map_err(|_| unfinished("its list of files cannot be read"))?;
        Self::parse(&text).ok_or_else(|| unfinished("its list of files cannot be read").into())
    }

    /// Refuses a backup that `have` cannot read: physical ones need the same version, logical ones the same
    /// engine.
    pub(crate) fn check_generation(&self, dir: &Path, have: &str) -> Result<(), DatabaseError> {
        let engine = |generation: &str| generation.split(' ').next().unwrap_or_default().to_owned();
        let fits = match self.method {
            BackupMethod::Physical => self.generation == have,
            BackupMethod::Logical => engine(&self.generation) == engine(have),
        };
        if fits {
            return Ok(());
        }
        let (dir, found, have) = (dir.to_owned(), self.generation.clone(), have.to_owned());
        Err(BackupError::OtherEngine { dir, found, have }.into())
    }

    /// Length of all files.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|entry| entry.bytes).sum()
    }

    /// The number of files.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    fn to_text(&self) -> String {
        let mut text = format!(
            "{FIRST_LINE}\nengine {}\nmethod {}\ncompressed {}\ntool {}\n",
            self.generation,
            self.method.name(),
            self.compressed,
            self.tool
        );
        for entry in &self.files {
            text += &format!("file {} {:08x} {}\n", entry.bytes, entry.crc, entry.path);
        }
        // A list that was cut off does not end so.
        text + "end\n"
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next()? != FIRST_LINE || !text.ends_with("end\n") {
            return None;
        }
        let mut value = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix(' ').map(str::to_owned);
        let generation = value("engine")?;
        let method = match value("method")?.as_str() {
            "physical" => BackupMethod::Physical,
            "logical" => BackupMethod::Logical,
            _ => return None,
        };
        let compressed = value("compressed")?.parse().ok()?;
        let tool = value("tool")?;
        let entry = |line: &str| {
            let mut parts = line.strip_prefix("file ")?.splitn(3, ' ');
            let (bytes, crc) = (parts.next()?.parse().ok()?, u32::from_str_radix(parts.next()?, 16).ok()?);
            Some(Entry { path: parts.next()?.to_owned(), bytes, crc })
        };
        let files = lines.filter(|line| *line != "end").map(entry).collect::<Option<Vec<_>>>()?;
        Some(Self { generation, method, compressed, tool, files })
    }
}

/// CRC-32 of a file's bytes: every flip of one bit changes it.
fn checksum(path: &Path) -> Result<u32, DatabaseError> {
    let mut file = File::open(path).map_err(DatabaseError::io("opening", path))?;
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finalize()),
            Ok(read) => hasher.update(&buffer[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(DatabaseError::io("reading", path)(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use disk::fault::{self, Failure, Plan};
    use proptest::prelude::*;
    use std::fs;

    fn backup(temp: &Path) -> PathBuf {
        let dir = temp.join("backup");
        claim(&dir).unwrap();
        Marker::claim(&dir).unwrap().own_tree(FILES).unwrap();
        fs::create_dir_all(files_dir(&dir).join("base/1")).unwrap();
        fs::write(files_dir(&dir).join("base/1/42"), vec![7; 100_000]).unwrap();
        fs::write(files_dir(&dir).join("PG_VERSION"), "15\n").unwrap();
        Manifest::write(&dir, "Toy 1", BackupMethod::Physical, false, "toybackup 1.0", true).unwrap();
        dir
    }

    fn reason(dir: &Path) -> String {
        verify(dir).unwrap_err().to_string()
    }

    #[test]
    fn a_bit_anywhere_in_the_largest_file_is_found_and_can_be_turned_back() {
        let temp = tempfile::tempdir().unwrap();
        let dir = backup(temp.path());
        let verified = verify(&dir).unwrap();
        assert_eq!((verified.files, verified.bytes), (2, 100_003));
        for seed in 0..50 {
            let flipped = flip_bit(&dir, seed).unwrap();
            assert!(flipped.file.ends_with("42") && flipped.offset < 100_000 && flipped.bit < 8);
            assert!(reason(&dir).contains("base/1/42 holds other bytes: its checksum differs"));
            assert_eq!(flip_bit(&dir, seed).unwrap(), flipped);
            verify(&dir).unwrap();
        }
    }

    /// A backup counts from its list on: at every point of failure there is a whole one or none, and a new
    /// one can be made.
    #[test]
    fn at_every_point_the_list_is_whole_or_there_is_no_backup() {
        let temp = tempfile::tempdir().unwrap();
        let dir = backup(temp.path());
        let write = || {
            Manifest::write(&dir, "Toy 1", BackupMethod::Physical, false, "toybackup 1.0", true)?;
            verify(&dir)
        };
        fs::remove_file(dir.join(LIST)).unwrap();
        let (written, points) = fault::count(write);
        let whole = fs::read(dir.join(LIST)).unwrap();
        written.unwrap();
        for failure in Failure::ALL {
            for at in 1..=points {
                fs::remove_file(dir.join(LIST)).unwrap();
                let plan = Plan { failure, at };
                let (written, _) = fault::with(plan, write);
                match fs::read(dir.join(LIST)) {
                    Ok(found) if found == whole => drop(verify(&dir).unwrap()),
                    _ => {
                        assert!(written.is_err(), "{plan}");
                        assert!(reason(&dir).contains("no finished backup"), "{plan}: {}", reason(&dir));
                    }
                }
                Marker::open(&dir).unwrap().write(LIST, b"", 0o644).unwrap();
            }
        }
        // The rest is ours to throw away in any case.
        claim(&dir).unwrap();
        Marker::remove_ours(&dir).unwrap();
        assert!(!dir.exists());
    }

    #[test]
    fn missing_and_cut_off_files_are_named() {
        let temp = tempfile::tempdir().unwrap();
        let dir = backup(temp.path());
        fs::write(files_dir(&dir).join("base/1/42"), "short").unwrap();
        assert!(reason(&dir).contains("has 5 bytes instead of 100000"), "{}", reason(&dir));
        fs::remove_file(files_dir(&dir).join("base/1/42")).unwrap();
        assert!(reason(&dir).contains("base/1/42 is missing"), "{}", reason(&dir));
        fs::remove_file(dir.join(LIST)).unwrap();
        assert!(reason(&dir).contains("no finished backup"), "{}", reason(&dir));
    }

    #[test]
    fn another_engines_backup_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let dir = backup(temp.path());
        let manifest = Manifest::read(&dir).unwrap();
        manifest.check_generation(&dir, "Toy 1").unwrap();
        let message = manifest.check_generation(&dir, "Toy 2").unwrap_err().to_string();
        assert!(message.contains("was made by Toy 1, and this is Toy 2"), "{message}");
        let logical = Manifest { method: BackupMethod::Logical, ..manifest };
        logical.check_generation(&dir, "Toy 2").unwrap();
        assert!(logical.check_generation(&dir, "Game 1").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_a_list_or_none(text in ".{0,200}") {
            if let Some(manifest) = Manifest::parse(&text) {
                prop_assert_eq!(Manifest::parse(&manifest.to_text()), Some(manifest));
            }
        }
    }
}
