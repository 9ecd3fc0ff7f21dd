//! The nine tables of servers: the standard's names and columns in lower case (1.3), with the types that
//! other tools expect under these names, as standard SQL spells them. What engines spell otherwise is in the
//! room of each.

/// A table with its columns and its keys.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// Definitions of its columns.
    pub(crate) columns: &'static str,
    /// Columns of its primary key.
    pub(crate) key: Option<&'static str>,
    /// Name and columns of its other index.
    pub(crate) index: Option<(&'static str, &'static str)>,
}

/// In the order in which servers' loads know them.
pub(crate) const TABLES: [Table; 9] = [
    Table {
        name: "item",
        columns: "i_id int NOT NULL, i_im_id int NOT NULL, i_name varchar(24) NOT NULL, i_price numeric(5,2) NOT NULL,
            i_data varchar(50) NOT NULL",
        key: Some("i_id"),
        index: None,
    },
    Table {
        name: "warehouse",
        columns: "w_id int NOT NULL, w_name varchar(10) NOT NULL, w_street_1 varchar(20) NOT NULL, w_street_2 varchar(20) NOT NULL,
            w_city varchar(20) NOT NULL, w_state char(2) NOT NULL, w_zip char(9) NOT NULL, w_tax numeric(4,4) NOT NULL,
            w_ytd numeric(12,2) NOT NULL",
        key: Some("w_id"),
        index: None,
    },
    Table {
        name: "district",
        columns: "d_id int NOT NULL, d_w_id int NOT NULL, d_name varchar(10) NOT NULL, d_street_1 varchar(20) NOT NULL,
            d_street_2 varchar(20) NOT NULL, d_city varchar(20) NOT NULL, d_state char(2) NOT NULL, d_zip char(9) NOT NULL,
            d_tax numeric(4,4) NOT NULL, d_ytd numeric(12,2) NOT NULL, d_next_o_id int NOT NULL",
        key: Some("d_w_id, d_id"),
        index: None,
    },
    Table {
        name: "stock",
        columns: "s_i_id int NOT NULL, s_w_id int NOT NULL, s_quantity int NOT NULL, s_dist_01 char(24) NOT NULL,
            s_dist_02 char(24) NOT NULL, s_dist_03 char(24) NOT NULL, s_dist_04 char(24) NOT NULL, s_dist_05 char(24) NOT NULL,
            s_dist_06 char(24) NOT NULL, s_dist_07 char(24) NOT NULL, s_dist_08 char(24) NOT NULL, s_dist_09 char(24) NOT NULL,
            s_dist_10 char(24) NOT NULL, s_ytd int NOT NULL, s_order_cnt int NOT NULL, s_remote_cnt int NOT NULL,
            s_data varchar(50) NOT NULL",
        key: Some("s_w_id, s_i_id"),
        index: None,
    },
    Table {
        name: "customer",
        columns: "c_id int NOT NULL, c_d_id int NOT NULL, c_w_id int NOT NULL, c_first varchar(16) NOT NULL, c_middle char(2) NOT NULL,
            c_last varchar(16) NOT NULL, c_street_1 varchar(20) NOT NULL, c_street_2 varchar(20) NOT NULL, c_city varchar(20) NOT NULL,
            c_state char(2) NOT NULL, c_zip char(9) NOT NULL, c_phone char(16) NOT NULL, c_since timestamp NOT NULL,
            c_credit char(2) NOT NULL, c_credit_lim numeric(12,2) NOT NULL, c_discount numeric(4,4) NOT NULL,
            c_balance numeric(12,2) NOT NULL, c_ytd_payment numeric(12,2) NOT NULL, c_payment_cnt int NOT NULL,
            c_delivery_cnt int NOT NULL, c_data varchar(500) NOT NULL",
        key: Some("c_w_id, c_d_id, c_id"),
        index: Some(("customer_by_name", "c_w_id, c_d_id, c_last, c_first, c_id")),
    },
    Table {
        name: "history",
        columns: "h_c_id int NOT NULL, h_c_d_id int NOT NULL, h_c_w_id int NOT NULL, h_d_id int NOT NULL, h_w_id int NOT NULL,
            h_date timestamp NOT NULL, h_amount numeric(6,2) NOT NULL, h_data varchar(24) NOT NULL",
        key: None,
        index: Some(("history_by_customer", "h_c_w_id, h_c_d_id, h_c_id")),
    },
    Table {
        name: "orders",
        columns: "o_id int NOT NULL, o_d_id int NOT NULL, o_w_id int NOT NULL, o_c_id int NOT NULL, o_entry_d timestamp NOT NULL,
            o_carrier_id int, o_ol_cnt int NOT NULL, o_all_local int NOT NULL",
        key: Some("o_w_id, o_d_id, o_id"),
        index: Some(("orders_by_customer", "o_w_id, o_d_id, o_c_id, o_id")),
    },
    Table {
        name: "new_order",
        columns: "no_o_id int NOT NULL, no_d_id int NOT NULL, no_w_id int NOT NULL",
        key: Some("no_w_id, no_d_id, no_o_id"),
        index: None,
    },
    Table {
        name: "order_line",
        columns: "ol_o_id int NOT NULL, ol_d_id int NOT NULL, ol_w_id int NOT NULL, ol_number int NOT NULL, ol_i_id int NOT NULL,
            ol_supply_w_id int NOT NULL, ol_delivery_d timestamp, ol_quantity int NOT NULL, ol_amount numeric(6,2) NOT NULL,
            ol_dist_info char(24) NOT NULL",
        key: Some("ol_w_id, ol_d_id, ol_o_id, ol_number"),
        index: None,
    },
];

/// The names of the tables, in the same order.
pub(crate) const NAMES: [&str; 9] = {
    let mut names = [""; 9];
    let mut table = 0;
    while table < names.len() {
        names[table] = TABLES[table].name;
        table += 1;
    }
    names
};

impl Table {
    /// Names and types of its columns.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        // The comma inside of "numeric(5,2)" has no space behind it.
        self.columns.split(", ").flat_map(|line| line.split(",\n")).filter_map(|definition| {
            let mut words = definition.split_whitespace();
            Some((words.next()?, words.next()?))
        })
    }
}
