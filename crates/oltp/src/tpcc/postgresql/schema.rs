//! Tables and indexes: the standard's names and columns in lower case (1.3), with the types that other tools
//! expect under these names.
//!
//! Names are compared byte by byte whatever the server's own collation, so that "sorted by first name" means
//! the same everywhere. Pages of tables that are updated in place keep some room: a new version of a row then
//! stays on its page and needs no new index entries.

/// A table with its columns.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: &'static str,
    /// Storage parameters.
    pub(super) with: &'static str,
    /// Keys and indexes, created when the rows are there.
    pub(super) indexes: &'static [&'static str],
}

/// In the order in which they are created.
pub(super) const TABLES: [Table; 9] = [
    Table {
        name: "item",
        columns: "i_id int NOT NULL, i_im_id int NOT NULL, i_name varchar(24) NOT NULL, i_price numeric(5,2) NOT NULL,
            i_data varchar(50) NOT NULL",
        with: "",
        indexes: &["ALTER TABLE item ADD PRIMARY KEY (i_id)"],
    },
    Table {
        name: "warehouse",
        columns: "w_id int NOT NULL, w_name varchar(10) NOT NULL, w_street_1 varchar(20) NOT NULL, w_street_2 varchar(20) NOT NULL,
            w_city varchar(20) NOT NULL, w_state char(2) NOT NULL, w_zip char(9) NOT NULL, w_tax numeric(4,4) NOT NULL,
            w_ytd numeric(12,2) NOT NULL",
        with: "WITH (fillfactor = 10)",
        indexes: &["ALTER TABLE warehouse ADD PRIMARY KEY (w_id)"],
    },
    Table {
        name: "district",
        columns: "d_id int NOT NULL, d_w_id int NOT NULL, d_name varchar(10) NOT NULL, d_street_1 varchar(20) NOT NULL,
            d_street_2 varchar(20) NOT NULL, d_city varchar(20) NOT NULL, d_state char(2) NOT NULL, d_zip char(9) NOT NULL,
            d_tax numeric(4,4) NOT NULL, d_ytd numeric(12,2) NOT NULL, d_next_o_id int NOT NULL",
        with: "WITH (fillfactor = 10)",
        indexes: &["ALTER TABLE district ADD PRIMARY KEY (d_w_id, d_id)"],
    },
    Table {
        name: "stock",
        columns: "s_i_id int NOT NULL, s_w_id int NOT NULL, s_quantity int NOT NULL, s_dist_01 char(24) NOT NULL,
            s_dist_02 char(24) NOT NULL, s_dist_03 char(24) NOT NULL, s_dist_04 char(24) NOT NULL, s_dist_05 char(24) NOT NULL,
            s_dist_06 char(24) NOT NULL, s_dist_07 char(24) NOT NULL, s_dist_08 char(24) NOT NULL, s_dist_09 char(24) NOT NULL,
            s_dist_10 char(24) NOT NULL, s_ytd int NOT NULL, s_order_cnt int NOT NULL, s_remote_cnt int NOT NULL,
            s_data varchar(50) NOT NULL",
        with: "WITH (fillfactor = 90)",
        indexes: &["ALTER TABLE stock ADD PRIMARY KEY (s_w_id, s_i_id)"],
    },
    Table {
        name: "customer",
        columns: "c_id int NOT NULL, c_d_id int NOT NULL, c_w_id int NOT NULL, c_first varchar(16) COLLATE \"C\" NOT NULL,
            c_middle char(2) NOT NULL, c_last varchar(16) COLLATE \"C\" NOT NULL, c_street_1 varchar(20) NOT NULL,
            c_street_2 varchar(20) NOT NULL, c_city varchar(20) NOT NULL, c_state char(2) NOT NULL, c_zip char(9) NOT NULL,
            c_phone char(16) NOT NULL, c_since timestamp NOT NULL, c_credit char(2) NOT NULL, c_credit_lim numeric(12,2) NOT NULL,
            c_discount numeric(4,4) NOT NULL, c_balance numeric(12,2) NOT NULL, c_ytd_payment numeric(12,2) NOT NULL,
            c_payment_cnt int NOT NULL, c_delivery_cnt int NOT NULL, c_data varchar(500) NOT NULL",
        with: "WITH (fillfactor = 90)",
        indexes: &[
            "ALTER TABLE customer ADD PRIMARY KEY (c_w_id, c_d_id, c_id)",
            "CREATE INDEX customer_by_name ON customer (c_w_id, c_d_id, c_last, c_first, c_id)",
        ],
    },
    Table {
        name: "history",
        columns: "h_c_id int NOT NULL, h_c_d_id int NOT NULL, h_c_w_id int NOT NULL, h_d_id int NOT NULL, h_w_id int NOT NULL,
            h_date timestamp NOT NULL, h_amount numeric(6,2) NOT NULL, h_data varchar(24) NOT NULL",
        with: "",
        indexes: &["CREATE INDEX history_by_customer ON history (h_c_w_id, h_c_d_id, h_c_id)"],
    },
    Table {
        name: "orders",
        columns: "o_id int NOT NULL, o_d_id int NOT NULL, o_w_id int NOT NULL, o_c_id int NOT NULL, o_entry_d timestamp NOT NULL,
            o_carrier_id int, o_ol_cnt int NOT NULL, o_all_local int NOT NULL",
        with: "",
        indexes: &[
            "ALTER TABLE orders ADD PRIMARY KEY (o_w_id, o_d_id, o_id)",
            "CREATE INDEX orders_by_customer ON orders (o_w_id, o_d_id, o_c_id, o_id)",
        ],
    },
    Table {
        name: "new_order",
        columns: "no_o_id int NOT NULL, no_d_id int NOT NULL, no_w_id int NOT NULL",
        with: "",
        indexes: &["ALTER TABLE new_order ADD PRIMARY KEY (no_w_id, no_d_id, no_o_id)"],
    },
    Table {
        name: "order_line",
        columns: "ol_o_id int NOT NULL, ol_d_id int NOT NULL, ol_w_id int NOT NULL, ol_number int NOT NULL, ol_i_id int NOT NULL,
            ol_supply_w_id int NOT NULL, ol_delivery_d timestamp, ol_quantity int NOT NULL, ol_amount numeric(6,2) NOT NULL,
            ol_dist_info char(24) NOT NULL",
        with: "",
        indexes: &["ALTER TABLE order_line ADD PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)"],
    },
];

/// A table of our own with the parameters of the load; its row is the last thing a load writes.
pub(super) const NOTE: &str = "CREATE TABLE drivetrain_load (
    warehouses int NOT NULL, items int NOT NULL, customers int NOT NULL, names int NOT NULL, seed text NOT NULL, c_last int NOT NULL)";

/// Names and columns of the nine tables, as they are created.
pub(crate) fn tables() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLES.iter().map(|table| (table.name, table.columns))
}
