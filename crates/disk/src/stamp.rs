//! Recognising a file again: where it lies, when it was born, how large it is, and when it was last changed.
//!
//! An inode number is given anew once a file is gone, and a copy can have the same size. Nobody can set the
//! time of the last change (`ctime`) or of the birth, so that a file that anybody wrote, replaced or copied
//! since carries another stamp.

use std::fmt;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Statx, StatxFlags};
use rustix::time::ClockId;

use crate::fault::{Call, point};
use crate::file::File;

const SECOND_NS: i128 = 1_000_000_000;

/// Facts of a file that change with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Number of the file system's device.
    pub device: u64,
    /// Number of the inode.
    pub inode: u64,
    /// Length of the file.
    pub size_bytes: u64,
    /// Time of the last change of bytes or facts, nanoseconds since 1970.
    pub changed_ns: i128,
    /// Time of birth, nanoseconds since 1970; `None` where the file system keeps none.
    pub born_ns: Option<i128>,
}

/// In which way a file is not the one that was stamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// It is another file.
    Replaced,
    /// It has another size.
    Resized,
    /// Somebody wrote to it, or changed its facts.
    Changed,
}

impl fmt::Display for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Replaced => "another file has taken its place",
            Self::Resized => "its size has changed",
            Self::Changed => "it was changed since",
        })
    }
}

impl Stamp {
    /// The stamp of an open file.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn of(file: &File) -> io::Result<Self> {
        point(Call::Stat, file.path())?;
        Self::of_descriptor(file.as_std())
    }

    /// The stamp of an open file that is not a [`File`].
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn of_descriptor(file: impl AsFd) -> io::Result<Self> {
        let facts =
            rustix::fs::statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS | StatxFlags::BTIME)?;
        Ok(Self::from_statx(&facts))
    }

    /// The stamp of the file at `path` itself, never of the target of a link.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn at(path: &Path) -> io::Result<Self> {
        point(Call::Stat, path)?;
        let flags = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        Ok(Self::from_statx(&rustix::fs::statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, flags)?))
    }

    pub(crate) fn from_statx(facts: &Statx) -> Self {
        let ns = |seconds: i64, nanoseconds: u32| i128::from(seconds) * SECOND_NS + i128::from(nanoseconds);
        let born = facts.stx_mask & StatxFlags::BTIME.bits() != 0;
        Self {
            device: rustix::fs::makedev(facts.stx_dev_major, facts.stx_dev_minor),
            inode: facts.stx_ino,
            size_bytes: facts.stx_size,
            changed_ns: ns(facts.stx_ctime.tv_sec, facts.stx_ctime.tv_nsec),
            born_ns: born.then(|| ns(facts.stx_btime.tv_sec, facts.stx_btime.tv_nsec)),
        }
    }

    /// The stamp of an open file, taken so late that whatever anybody does to the file afterwards changes it:
    /// a file system tells times apart only from one tick of its clock to the next. Waits for that tick, some
    /// milliseconds.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn settled(file: &File) -> io::Result<Self> {
        let stamp = Self::of(file)?;
        while !stamp.is_past() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // Changes during the wait are part of the answer.
        let again = Self::of(file)?;
        if again == stamp { Ok(stamp) } else { Self::settled(file) }
    }

    /// True if a change from now on gets another time stamp. Time stamps without a fraction come from file
    /// systems that count seconds.
    fn is_past(&self) -> bool {
        let now = rustix::time::clock_gettime(ClockId::RealtimeCoarse);
        let now_ns = i128::from(now.tv_sec) * SECOND_NS + i128::from(now.tv_nsec);
        let changed_ns = self.changed_ns;
        let unit_ns = if changed_ns % SECOND_NS == 0 { SECOND_NS } else { 1 };
        // A time far ahead is of a clock that was set back, or of another machine: there is nothing to wait
        // for.
        now_ns >= changed_ns + unit_ns || changed_ns > now_ns + SECOND_NS
    }

    /// True for the same file by inode and time of birth, wherever its file system is mounted: each mount may
    /// change the device number. Without a time of birth the device must be the same, too.
    #[must_use]
    pub fn is_same_birth(&self, other: &Self) -> bool {
        let device = |stamp: &Self| stamp.born_ns.is_none().then_some(stamp.device);
        (self.inode, self.born_ns, device(self)) == (other.inode, other.born_ns, device(other))
    }

    /// True for the same file by place and time of birth, whatever was written to it since.
    #[must_use]
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode, self.born_ns) == (other.device, other.inode, other.born_ns)
    }

    /// Holds the stamp of now against this one.
    ///
    /// # Errors
    /// In which way the file has moved since.
    pub fn check(&self, now: &Self) -> Result<(), Moved> {
        if !self.is_same_file(now) {
            Err(Moved::Replaced)
        } else if self.size_bytes != now.size_bytes {
            Err(Moved::Resized)
        } else if self.changed_ns != now.changed_ns {
            Err(Moved::Changed)
        } else {
            Ok(())
        }
    }
}

/// One line of `device inode size changed born`, for a marker.
impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {} ", self.device, self.inode, self.size_bytes, self.changed_ns)?;
        match self.born_ns {
            Some(born_ns) => write!(f, "{born_ns}"),
            None => f.write_str("-"),
        }
    }
}

impl FromStr for Stamp {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        fn number<T: FromStr>(word: Option<&str>) -> Result<T, ()> {
            word.and_then(|word| word.parse().ok()).ok_or(())
        }
        let mut words = text.split(' ');
        let stamp = Self {
            device: number(words.next())?,
            inode: number(words.next())?,
            size_bytes: number(words.next())?,
            changed_ns: number(words.next())?,
            born_ns: match words.next() {
                Some("-") => None,
                word => Some(number(word)?),
            },
        };
        words.next().is_none().then_some(stamp).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A time that the clock of the file system tells apart from the one before.
    fn later() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }

    #[test]
    fn a_file_that_nobody_touched_keeps_its_stamp() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a");
        fs::write(&path, "x").unwrap();
        let stamp = Stamp::at(&path).unwrap();
        assert_eq!(stamp.to_string().parse(), Ok(stamp));
        assert_eq!(stamp.check(&Stamp::of(&File::open(&path).unwrap()).unwrap()), Ok(()));
    }

    #[test]
    fn a_file_written_with_the_same_length_or_made_anew_has_moved() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a");
        fs::write(&path, "x").unwrap();
        let stamp = Stamp::at(&path).unwrap();
        later();
        fs::write(&path, "y").unwrap();
        assert_eq!(stamp.check(&Stamp::at(&path).unwrap()), Err(Moved::Changed));
        fs::write(&path, "longer").unwrap();
        assert_eq!(stamp.check(&Stamp::at(&path).unwrap()), Err(Moved::Resized));
        fs::remove_file(&path).unwrap();
        later();
        fs::write(&path, "x").unwrap();
        assert!(stamp.check(&Stamp::at(&path).unwrap()).is_err());
    }

    #[test]
    fn whatever_follows_a_settled_stamp_changes_it() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a");
        for _ in 0..20 {
            fs::write(&path, "x").unwrap();
            let stamp = Stamp::settled(&File::open(&path).unwrap()).unwrap();
            fs::write(&path, "y").unwrap();
            assert_eq!(stamp.check(&Stamp::at(&path).unwrap()), Err(Moved::Changed));
        }
    }

    #[test]
    fn a_file_is_recognised_on_a_device_of_another_number_by_its_birth() {
        let stamp = Stamp { device: 1, inode: 2, size_bytes: 3, changed_ns: 4, born_ns: Some(5) };
        assert!(stamp.is_same_birth(&Stamp { device: 9, size_bytes: 8, ..stamp }));
        for other in [
            Stamp { inode: 9, ..stamp },
            Stamp { born_ns: Some(9), ..stamp },
            Stamp { born_ns: None, ..stamp },
        ] {
            assert!(!stamp.is_same_birth(&other));
        }
        let without = Stamp { born_ns: None, ..stamp };
        assert!(without.is_same_birth(&without) && !without.is_same_birth(&Stamp { device: 9, ..without }));
    }

    #[test]
    fn a_damaged_line_is_no_stamp() {
        for wrong in ["", "1 2 3", "1 2 3 4", "1 2 3 4 x", "1 2 3 4 5 6", "-1 2 3 4 -"] {
            assert!(wrong.parse::<Stamp>().is_err(), "{wrong}");
        }
    }
}
