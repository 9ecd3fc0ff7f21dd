//! Tables and indexes as PostgreSQL spells them.
//!
//! Names are compared byte by byte whatever the server's own collation, so that "sorted by first name" means
//! the same everywhere. Pages of tables that are updated in place keep some room: a new version of a row then
//! stays on its page and needs no new index entries.

use crate::tpcc::data::tables::Table;

/// The statement that creates a table without its keys.
pub(super) fn create(table: &Table) -> String {
    let mut columns = table.columns.to_owned();
    for name in ["c_first varchar(16)", "c_last varchar(16)"] {
        columns = columns.replace(name, &format!("{name} COLLATE \"C\""));
    }
    let with = match table.name {
        "warehouse" | "district" => "WITH (fillfactor = 10)",
        "stock" | "customer" => "WITH (fillfactor = 90)",
        _ => "",
    };
    format!("CREATE TABLE {} ({columns}) {with}", table.name)
}

/// The statements that make its keys and indexes when the rows are there.
pub(super) fn indexes(table: &Table) -> impl Iterator<Item = String> {
    let name = table.name;
    let key = table.key.map(|key| format!("ALTER TABLE {name} ADD PRIMARY KEY ({key})"));
    let index = table.index.map(|(index, columns)| format!("CREATE INDEX {index} ON {name} ({columns})"));
    key.into_iter().chain(index)
}

/// A table of our own with the parameters of the load; its row is the last thing a load writes.
pub(super) const NOTE: &str = "CREATE TABLE drivetrain_load (
    warehouses int NOT NULL, items int NOT NULL, customers int NOT NULL, names int NOT NULL, seed text NOT NULL, c_last int NOT NULL)";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::data::tables::TABLES;

    #[test]
    fn names_of_customers_are_compared_byte_by_byte() {
        let customer = create(&TABLES[4]);
        assert!(customer.contains("c_first varchar(16) COLLATE \"C\" NOT NULL"), "{customer}");
        assert!(customer.contains("c_last varchar(16) COLLATE \"C\" NOT NULL"), "{customer}");
        assert!(customer.ends_with("WITH (fillfactor = 90)"), "{customer}");
        assert_eq!(indexes(&TABLES[4]).count(), 2);
    }
}
