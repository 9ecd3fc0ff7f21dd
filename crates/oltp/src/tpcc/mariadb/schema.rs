//! Tables and indexes: the standard's names and columns in lower case (1.3), with the types that other tools
//! expect under these names.
//!
//! Texts are ASCII, compared byte by byte (4.3.2.2 asks for at least 128 characters), so that "sorted by
//! first name" means the same everywhere and a character takes one byte.

/// The options of every table.
pub(super) const OPTIONS: &str = "ENGINE = InnoDB CHARACTER SET ascii COLLATE ascii_bin";

/// A table with its columns and keys. Keys are there from the beginning: a load into an empty table sorts
/// them and builds them whole.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: &'static str,
    /// Indexes besides the primary key, added when the rows are there.
    pub(super) indexes: &'static str,
}

/// In the order in which they are created.
pub(super) const TABLES: [Table; 9] = [
    Table {
        name: "item",
        columns: "i_id int NOT NULL, i_im_id int NOT NULL, i_name varchar(24) NOT NULL, i_price decimal(5,2) NOT NULL,
            i_data varchar(50) NOT NULL, PRIMARY KEY (i_id)",
        indexes: "",
    },
    Table {
        name: "warehouse",
        columns: "w_id int NOT NULL, w_name varchar(10) NOT NULL, w_street_1 varchar(20) NOT NULL, w_street_2 varchar(20) NOT NULL,
            w_city varchar(20) NOT NULL, w_state char(2) NOT NULL, w_zip char(9) NOT NULL, w_tax decimal(4,4) NOT NULL,
            w_ytd decimal(12,2) NOT NULL, PRIMARY KEY (w_id)",
        indexes: "",
    },
    Table {
        name: "district",
        columns: "d_id int NOT NULL, d_w_id int NOT NULL, d_name varchar(10) NOT NULL, d_street_1 varchar(20) NOT NULL,
            d_street_2 varchar(20) NOT NULL, d_city varchar(20) NOT NULL, d_state char(2) NOT NULL, d_zip char(9) NOT NULL,
            d_tax decimal(4,4) NOT NULL, d_ytd decimal(12,2) NOT NULL, d_next_o_id int NOT NULL, PRIMARY KEY (d_w_id, d_id)",
        indexes: "",
    },
    Table {
        name: "stock",
        columns: "s_i_id int NOT NULL, s_w_id int NOT NULL, s_quantity int NOT NULL, s_dist_01 char(24) NOT NULL,
            s_dist_02 char(24) NOT NULL, s_dist_03 char(24) NOT NULL, s_dist_04 char(24) NOT NULL, s_dist_05 char(24) NOT NULL,
            s_dist_06 char(24) NOT NULL, s_dist_07 char(24) NOT NULL, s_dist_08 char(24) NOT NULL, s_dist_09 char(24) NOT NULL,
            s_dist_10 char(24) NOT NULL, s_ytd int NOT NULL, s_order_cnt int NOT NULL, s_remote_cnt int NOT NULL,
            s_data varchar(50) NOT NULL, PRIMARY KEY (s_w_id, s_i_id)",
        indexes: "",
    },
    Table {
        name: "customer",
        columns: "c_id int NOT NULL, c_d_id int NOT NULL, c_w_id int NOT NULL, c_first varchar(16) NOT NULL, c_middle char(2) NOT NULL,
            c_last varchar(16) NOT NULL, c_street_1 varchar(20) NOT NULL, c_street_2 varchar(20) NOT NULL, c_city varchar(20) NOT NULL,
            c_state char(2) NOT NULL, c_zip char(9) NOT NULL, c_phone char(16) NOT NULL, c_since datetime(3) NOT NULL,
            c_credit char(2) NOT NULL, c_credit_lim decimal(12,2) NOT NULL, c_discount decimal(4,4) NOT NULL,
            c_balance decimal(12,2) NOT NULL, c_ytd_payment decimal(12,2) NOT NULL, c_payment_cnt int NOT NULL,
            c_delivery_cnt int NOT NULL, c_data varchar(500) NOT NULL, PRIMARY KEY (c_w_id, c_d_id, c_id)",
        indexes: "ADD KEY customer_by_name (c_w_id, c_d_id, c_last, c_first, c_id)",
    },
    Table {
        name: "history",
        columns: "h_c_id int NOT NULL, h_c_d_id int NOT NULL, h_c_w_id int NOT NULL, h_d_id int NOT NULL, h_w_id int NOT NULL,
            h_date datetime(3) NOT NULL, h_amount decimal(6,2) NOT NULL, h_data varchar(24) NOT NULL",
        indexes: "ADD KEY history_by_customer (h_c_w_id, h_c_d_id, h_c_id)",
    },
    Table {
        name: "orders",
        columns: "o_id int NOT NULL, o_d_id int NOT NULL, o_w_id int NOT NULL, o_c_id int NOT NULL, o_entry_d datetime(3) NOT NULL,
            o_carrier_id int, o_ol_cnt int NOT NULL, o_all_local int NOT NULL, PRIMARY KEY (o_w_id, o_d_id, o_id)",
        indexes: "ADD KEY orders_by_customer (o_w_id, o_d_id, o_c_id, o_id)",
    },
    Table {
        name: "new_order",
        columns: "no_o_id int NOT NULL, no_d_id int NOT NULL, no_w_id int NOT NULL, PRIMARY KEY (no_w_id, no_d_id, no_o_id)",
        indexes: "",
    },
    Table {
        name: "order_line",
        columns: "ol_o_id int NOT NULL, ol_d_id int NOT NULL, ol_w_id int NOT NULL, ol_number int NOT NULL, ol_i_id int NOT NULL,
            ol_supply_w_id int NOT NULL, ol_delivery_d datetime(3), ol_quantity int NOT NULL, ol_amount decimal(6,2) NOT NULL,
            ol_dist_info char(24) NOT NULL, PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)",
        indexes: "",
    },
];

/// A table of our own with the parameters of the load; its row is the last thing a load writes.
pub(super) const NOTE: &str = "CREATE TABLE drivetrain_load (
    warehouses int NOT NULL, items int NOT NULL, customers int NOT NULL, names int NOT NULL, seed varchar(20) NOT NULL, c_last int NOT NULL)";
