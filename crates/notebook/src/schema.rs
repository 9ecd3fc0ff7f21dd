//! The ordered migrations that make a notebook; `user_version` is the number of the last one applied.

mod kinds;

pub(crate) use kinds::fill as fill_kinds;
use rusqlite::Connection;

/// Marks a SQLite file as a notebook (`PRAGMA application_id`): the letters `DRVT`.
pub const APPLICATION_ID: i32 = 0x4452_5654;

/// The files of `migrations`, in the order of their numbers. Never change one that was released: add another.
const MIGRATIONS: &[&str] = include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// The version from which on cells have kinds.
pub(crate) const WITH_KINDS: i64 = 3;

/// The newest notebook version this build reads and the one it writes (`PRAGMA user_version`).
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// The two numbers in the file's header that say whose file it is and which version.
pub(crate) struct Header {
    pub(crate) application_id: i32,
    pub(crate) user_version: i64,
    pub(crate) objects: i64,
}

impl Header {
    pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Header> {
        Ok(Header {
            application_id: connection.pragma_query_value(None, "application_id", |row| row.get(0))?,
            user_version: connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
            objects: connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?,
        })
    }

    /// A file that no program has put anything into: new, or left by a kill while it was being created.
    pub(crate) fn is_blank(&self) -> bool {
        self.application_id == 0 && self.user_version == 0 && self.objects == 0
    }
}

/// Brings the file to [`SCHEMA_VERSION`] in one transaction: a kill leaves the old version or the new one.
pub(crate) fn migrate(connection: &Connection) -> rusqlite::Result<()> {
    let transaction =
        rusqlite::Transaction::new_unchecked(connection, rusqlite::TransactionBehavior::Immediate)?;
    let applied = Header::read(&transaction)?.user_version;
    for migration in MIGRATIONS.iter().skip(usize::try_from(applied).unwrap_or(0)) {
        transaction.execute_batch(migration)?;
    }
    if applied < WITH_KINDS {
        fill_kinds(&transaction)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrating_twice_is_migrating_once() {
        let connection = Connection::open_in_memory().unwrap();
        assert!(Header::read(&connection).unwrap().is_blank());
        migrate(&connection).unwrap();
        let first = Header::read(&connection).unwrap();
        migrate(&connection).unwrap();
        let second = Header::read(&connection).unwrap();
        assert_eq!((first.objects, first.user_version), (second.objects, SCHEMA_VERSION));
        assert_eq!(second.application_id, APPLICATION_ID);
        assert!(!second.is_blank());
    }

    #[test]
    fn a_migration_that_fails_leaves_the_old_version() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE cell (id INTEGER)").unwrap();
        migrate(&connection).unwrap_err();
        let header = Header::read(&connection).unwrap();
        assert_eq!((header.user_version, header.application_id, header.objects), (0, 0, 1));
    }
}
