//! Tables and indexes as MariaDB and MySQL spell them.
//!
//! Texts are ASCII, compared byte by byte (4.3.2.2 asks for at least 128 characters), so that "sorted by
//! first name" means the same everywhere and a character takes one byte.

use crate::tpcc::data::tables::Table;

/// The options of every table.
pub(super) const OPTIONS: &str = "ENGINE = InnoDB CHARACTER SET ascii COLLATE ascii_bin";

/// The statement that creates a table with its primary key, which is there from the beginning: a load into an
/// empty table sorts its rows and builds it whole.
pub(super) fn create(table: &Table) -> String {
    // A `timestamp` changes by itself, ends in 2038 and has whole seconds.
    let columns = table.columns.replace("timestamp", "datetime(3)");
    let key = table.key.map(|key| format!(", PRIMARY KEY ({key})")).unwrap_or_default();
    format!("CREATE TABLE {} ({columns}{key}) {OPTIONS}", table.name)
}

/// The statement that adds its other index when the rows are there.
pub(super) fn index(table: &Table) -> Option<String> {
    table.index.map(|(index, columns)| format!("ALTER TABLE {} ADD KEY {index} ({columns})", table.name))
}

/// A table of our own with the parameters of the load; its row is the last thing a load writes.
pub(super) const NOTE: &str = "CREATE TABLE drivetrain_load (
    warehouses int NOT NULL, items int NOT NULL, customers int NOT NULL, names int NOT NULL, seed varchar(20) NOT NULL, c_last int NOT NULL)";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::data::tables::TABLES;

    #[test]
    fn moments_have_milliseconds_and_history_has_no_key() {
        let history = create(&TABLES[5]);
        assert!(history.contains("h_date datetime(3) NOT NULL"), "{history}");
        assert!(!history.contains("timestamp") && !history.contains("PRIMARY KEY"), "{history}");
        assert_eq!(
            index(&TABLES[5]).as_deref(),
            Some("ALTER TABLE history ADD KEY history_by_customer (h_c_w_id, h_c_d_id, h_c_id)")
        );
        assert!(create(&TABLES[7]).contains(", PRIMARY KEY (no_w_id, no_d_id, no_o_id))"));
    }
}
