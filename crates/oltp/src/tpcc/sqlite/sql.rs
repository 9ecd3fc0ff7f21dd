//! Every statement of the five transactions, each below the clause that requires it.

pub(super) const BEGIN_READ: &str = "BEGIN";
pub(super) const BEGIN_WRITE: &str = "BEGIN IMMEDIATE";
pub(super) const COMMIT: &str = "COMMIT";
pub(super) const ROLLBACK: &str = "ROLLBACK";

pub(super) mod new_order {
    /// 2.4.2.2: the warehouse's tax.
    pub(in super::super) const WAREHOUSE: &str = "SELECT w_tax FROM warehouse WHERE w_id = ?1";

    /// The district's tax and next order number, which is counted up.
    pub(in super::super) const DISTRICT: &str = "
        UPDATE district SET d_next_o_id = d_next_o_id + 1
        WHERE d_w_id = ?1 AND d_id = ?2
        RETURNING d_next_o_id - 1, d_tax";

    /// The customer's discount, name and credit.
    pub(in super::super) const CUSTOMER: &str =
        "SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = ?1 AND c_d_id = ?2 AND c_id = ?3";

    pub(in super::super) const ORDER: &str = "
        INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
        VALUES (?1, ?2, ?3, ?4, ?5, NULL, ?6, ?7)";

    pub(in super::super) const NEW_ORDER: &str =
        "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (?1, ?2, ?3)";

    pub(in super::super) const ITEM: &str = "SELECT i_price, i_name, i_data FROM item WHERE i_id = ?1";

    /// The stock rule of 2.4.2.2 in one statement per district: `{district}` is its two digits.
    pub(in super::super) const STOCK: &str = "
        UPDATE stock SET
            s_quantity = CASE WHEN s_quantity >= ?1 + 10 THEN s_quantity - ?1 ELSE s_quantity - ?1 + 91 END,
            s_ytd = s_ytd + ?1, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ?2
        WHERE s_w_id = ?3 AND s_i_id = ?4
        RETURNING s_quantity, s_dist_{district}, s_data";

    pub(in super::super) const LINE: &str = "
        INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
            ol_quantity, ol_amount, ol_dist_info)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL, ?7, ?8, ?9)";
}

pub(super) mod customer {
    /// 2.5.2.2 and 2.6.2.2: customers of a name, sorted by first name (equal ones by number, so that the
    /// choice is repeatable).
    pub(in super::super) const BY_NAME: &str = "
        SELECT c_id FROM customer WHERE c_w_id = ?1 AND c_d_id = ?2 AND c_last = ?3 ORDER BY c_first, c_id";
}

pub(super) mod payment {
    pub(in super::super) const WAREHOUSE: &str = "
        UPDATE warehouse SET w_ytd = w_ytd + ?1 WHERE w_id = ?2
        RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip";

    pub(in super::super) const DISTRICT: &str = "
        UPDATE district SET d_ytd = d_ytd + ?1 WHERE d_w_id = ?2 AND d_id = ?3
        RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip";

    /// 2.5.2.2: balance, year to date and count; a customer of bad credit gets the payment's numbers (?5)
    /// before the old C_DATA, which is cut at 500 characters.
    pub(in super::super) const CUSTOMER: &str = "
        UPDATE customer SET
            c_balance = c_balance - ?1, c_ytd_payment = c_ytd_payment + ?1, c_payment_cnt = c_payment_cnt + 1,
            c_data = CASE c_credit WHEN 'BC' THEN substr(?5 || c_data, 1, 500) ELSE c_data END
        WHERE c_w_id = ?2 AND c_d_id = ?3 AND c_id = ?4
        RETURNING c_balance, c_credit, substr(c_data, 1, 200), c_first, c_middle, c_last, c_street_1, c_street_2,
            c_city, c_state, c_zip, c_phone, c_since, c_credit_lim, c_discount";

    pub(in super::super) const HISTORY: &str = "
        INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
}

pub(super) mod order_status {
    pub(in super::super) const CUSTOMER: &str = "
        SELECT c_balance, c_first, c_middle, c_last FROM customer WHERE c_w_id = ?1 AND c_d_id = ?2 AND c_id = ?3";

    /// 2.6.2.2: the customer's order with the largest number.
    pub(in super::super) const LAST_ORDER: &str = "
        SELECT o_id, o_entry_d, o_carrier_id FROM orders WHERE o_w_id = ?1 AND o_d_id = ?2 AND o_c_id = ?3
        ORDER BY o_id DESC LIMIT 1";

    pub(in super::super) const LINES: &str = "
        SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line
        WHERE ol_w_id = ?1 AND ol_d_id = ?2 AND ol_o_id = ?3";
}

pub(super) mod delivery {
    /// 2.7.4.2: the oldest order of the district that waits.
    pub(in super::super) const OLDEST: &str =
        "SELECT no_o_id FROM new_order WHERE no_w_id = ?1 AND no_d_id = ?2 ORDER BY no_o_id LIMIT 1";

    pub(in super::super) const DELETE: &str =
        "DELETE FROM new_order WHERE no_w_id = ?1 AND no_d_id = ?2 AND no_o_id = ?3";

    pub(in super::super) const ORDER: &str = "
        UPDATE orders SET o_carrier_id = ?1 WHERE o_w_id = ?2 AND o_d_id = ?3 AND o_id = ?4 RETURNING o_c_id";

    pub(in super::super) const LINES: &str =
        "UPDATE order_line SET ol_delivery_d = ?1 WHERE ol_w_id = ?2 AND ol_d_id = ?3 AND ol_o_id = ?4";

    pub(in super::super) const AMOUNT: &str = "SELECT coalesce(sum(ol_amount), 0) FROM order_line WHERE ol_w_id = ?1 AND ol_d_id = ?2 AND ol_o_id = ?3";

    pub(in super::super) const CUSTOMER: &str = "
        UPDATE customer SET c_balance = c_balance + ?1, c_delivery_cnt = c_delivery_cnt + 1
        WHERE c_w_id = ?2 AND c_d_id = ?3 AND c_id = ?4";
}

pub(super) mod stock_level {
    pub(in super::super) const NEXT_ORDER: &str =
        "SELECT d_next_o_id FROM district WHERE d_w_id = ?1 AND d_id = ?2";

    /// 2.8.2.2: distinct items of the last 20 orders whose stock is below the threshold. `CROSS JOIN` is
    /// SQLite's way to fix the order: lines first, then the stock of each.
    pub(in super::super) const LOW: &str = "
        SELECT count(DISTINCT s_i_id) FROM order_line CROSS JOIN stock
        WHERE ol_w_id = ?1 AND ol_d_id = ?2 AND ol_o_id >= ?3 - 20 AND ol_o_id < ?3
            AND s_w_id = ?1 AND s_i_id = ol_i_id AND s_quantity < ?4";
}

/// Read-only statements that touch the pages which a writing transaction is going to need.
pub(super) mod read_ahead {
    pub(in super::super) const ITEM: &str = "SELECT i_price FROM item WHERE i_id = ?1";

    pub(in super::super) const STOCK: &str = "SELECT s_quantity FROM stock WHERE s_w_id = ?1 AND s_i_id = ?2";

    pub(in super::super) const CUSTOMER: &str =
        "SELECT c_balance FROM customer WHERE c_w_id = ?1 AND c_d_id = ?2 AND c_id = ?3";

    /// The place of a customer's next order in the index by customer.
    pub(in super::super) const CUSTOMERS_ORDER: &str =
        "SELECT max(o_id) FROM orders WHERE o_w_id = ?1 AND o_d_id = ?2 AND o_c_id = ?3";

    /// The place of a district's next order: the ends of three tables.
    pub(in super::super) const LAST_ORDER: &str =
        "SELECT max(o_id) FROM orders WHERE o_w_id = ?1 AND o_d_id = ?2";
    pub(in super::super) const LAST_NEW_ORDER: &str =
        "SELECT max(no_o_id) FROM new_order WHERE no_w_id = ?1 AND no_d_id = ?2";
    pub(in super::super) const LAST_LINE: &str =
        "SELECT max(ol_o_id) FROM order_line WHERE ol_w_id = ?1 AND ol_d_id = ?2";

    pub(in super::super) const ORDER: &str =
        "SELECT o_c_id, o_carrier_id FROM orders WHERE o_w_id = ?1 AND o_d_id = ?2 AND o_id = ?3";
}
