//! The storage of a bed as a notebook keeps it: one line in a notation that never changes. Its text is a
//! message of `locales/en/storage.ftl`.

use std::fmt;

use crate::say;

/// The drive under the data or the log of a bed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BedDrive {
    /// Real bytes, with the times of the model of this title.
    Emulated(String),
    /// No bytes: a bed of this title in virtual time.
    Simulated(String),
    /// The storage at the path of the bed.
    Real,
    /// The unknown storage of an existing server: its address.
    OfServer(String),
    /// Of a log: the drive of the data.
    OfData,
    /// Of an imported result that names none.
    NotStated,
    /// Any other text, such as the drives that another program names.
    Told(String),
}

/// The drives of a bed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BedStorage {
    /// The drive of the data.
    pub data: BedDrive,
    /// The drive of the log, where it is another one.
    pub log: Option<BedDrive>,
}

/// The parts of the notation.
const EMULATED: &str = " (emulated)";
const SIMULATED: &str = " (simulated)";
const REAL: &str = "real storage";
const OF_SERVER: (&str, &str) = ("whatever ", " stands on");
const OF_DATA: &str = "the data's drive";
const NOT_STATED: &str = "storage not stated";
const LOG: &str = ", log on ";

impl BedDrive {
    /// The drive of a stored text; every text is one.
    pub fn read(text: &str) -> BedDrive {
        let (before, after) = OF_SERVER;
        let server = || text.strip_prefix(before)?.strip_suffix(after);
        match text {
            REAL => BedDrive::Real,
            OF_DATA => BedDrive::OfData,
            NOT_STATED => BedDrive::NotStated,
            _ => None
                .or_else(|| text.strip_suffix(EMULATED).map(|title| BedDrive::Emulated(title.to_owned())))
                .or_else(|| text.strip_suffix(SIMULATED).map(|title| BedDrive::Simulated(title.to_owned())))
                .or_else(|| server().map(|url| BedDrive::OfServer(url.to_owned())))
                .unwrap_or_else(|| BedDrive::Told(text.to_owned())),
        }
    }

    /// Its text in the spoken language.
    pub fn spoken(&self) -> String {
        match self {
            BedDrive::Emulated(drive) => say!("storage-emulated", drive),
            BedDrive::Simulated(bed) => say!("storage-simulated", bed),
            BedDrive::Real => say!("storage-real").to_owned(),
            BedDrive::OfServer(url) => say!("storage-of-server", url),
            BedDrive::OfData => say!("storage-of-data").to_owned(),
            BedDrive::NotStated => say!("storage-not-stated").to_owned(),
            BedDrive::Told(text) => text.clone(),
        }
    }
}

impl BedStorage {
    /// The storage of a stored text; every text is one.
    pub fn read(text: &str) -> BedStorage {
        let (data, log) = text.split_once(LOG).map_or((text, None), |(data, log)| (data, Some(log)));
        BedStorage { data: BedDrive::read(data), log: log.map(BedDrive::read) }
    }

    /// Its text in the spoken language.
    pub fn spoken(&self) -> String {
        let data = self.data.spoken();
        match &self.log {
            None => data,
            Some(log) => say!("storage-with-log", data, log = log.spoken()),
        }
    }
}

/// The stored text.
impl fmt::Display for BedDrive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = OF_SERVER;
        match self {
            BedDrive::Emulated(title) => write!(f, "{title}{EMULATED}"),
            BedDrive::Simulated(title) => write!(f, "{title}{SIMULATED}"),
            BedDrive::Real => f.write_str(REAL),
            BedDrive::OfServer(url) => write!(f, "{before}{url}{after}"),
            BedDrive::OfData => f.write_str(OF_DATA),
            BedDrive::NotStated => f.write_str(NOT_STATED),
            BedDrive::Told(text) => f.write_str(text),
        }
    }
}

/// The stored text.
impl fmt::Display for BedStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.log {
            None => self.data.fmt(f),
            Some(log) => write!(f, "{}{LOG}{log}", self.data),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_text_is_read_as_it_was_written_and_is_the_english_one() {
        let title = || "Kingston DC1500M".to_owned();
        let drives = [
            (BedDrive::Emulated(title()), "Kingston DC1500M (emulated)"),
            (BedDrive::Simulated(title()), "Kingston DC1500M (simulated)"),
            (BedDrive::Real, "real storage"),
            (
                BedDrive::OfServer("postgresql://a:5432/b".to_owned()),
                "whatever postgresql://a:5432/b stands on",
            ),
            (BedDrive::OfData, "the data's drive"),
            (BedDrive::NotStated, "storage not stated"),
            (BedDrive::Told("nvme0n1, sda".to_owned()), "nvme0n1, sda"),
        ];
        for (drive, text) in &drives {
            assert_eq!((drive.to_string().as_str(), drive.spoken().as_str()), (*text, *text));
            assert_eq!(BedDrive::read(text), *drive);
        }
        for (drive, _) in &drives {
            let storage = BedStorage { data: drives[0].0.clone(), log: Some(drive.clone()) };
            assert_eq!(BedStorage::read(&storage.to_string()), storage);
            assert_eq!(storage.spoken(), storage.to_string());
        }
        assert_eq!(BedStorage::read("").spoken(), "");
    }
}
