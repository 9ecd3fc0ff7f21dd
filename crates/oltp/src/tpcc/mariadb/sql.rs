//! Every statement of the five transactions on MariaDB.
//!
//! Isolation (3.4.1). The writing transactions run at READ COMMITTED, whose locking reads (`FOR UPDATE`) and
//! updates see the latest committed version of a row and lock no gaps; what the clause forbids among
//! New-Order, Payment, Order-Status and Delivery cannot happen: what is changed is computed from a row that
//! is locked, or inside the UPDATE itself; what is only read and later relied upon (tax, discount, name,
//! price) never changes; New-Order locks its district before it takes the number; Delivery locks the oldest
//! new order, and a second one that waited for it goes on to the next; Order-Status is one statement and so
//! sees one moment. Locks are taken in one order (customer, district, warehouse; or district, then stock
//! sorted by warehouse and item), so that deadlocks are rare, and those that InnoDB finds are retried.

/// For each session. Dates are of no time zone; a wait for a lock ends long before a user would.
pub(super) const SESSION: &[&str] = &[
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "SET SESSION autocommit = 1, SESSION time_zone = '+00:00', SESSION innodb_lock_wait_timeout = 30",
];

pub(super) const BEGIN: &str = "START TRANSACTION";
pub(super) const COMMIT: &str = "COMMIT";
pub(super) const ROLLBACK: &str = "ROLLBACK";

pub(super) mod new_order {
    /// 2.4.2.2: the district's tax and next order number, locked; the warehouse's tax; the customer's
    /// discount, name and credit.
    pub(in super::super) const HEAD: &str = "
        SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE";
    pub(in super::super) const CUSTOMER: &str = "
        SELECT w_tax, c_discount, c_last, c_credit FROM warehouse, customer WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?";
    pub(in super::super) const DISTRICT: &str =
        "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?";
    pub(in super::super) const ORDER: &str = "
        INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local) VALUES (?, ?, ?, ?, ?, NULL, ?, ?)";
    pub(in super::super) const NEW_ORDER: &str =
        "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)";
    /// `{places}` stands for one parameter per line.
    pub(in super::super) const ITEMS: &str =
        "SELECT i_id, i_price, i_name, LOCATE('ORIGINAL', i_data) > 0 FROM item WHERE i_id IN ({places})";
    /// `{places}` stands for pairs of warehouse and item, sorted; `{district}` for the district's two digits.
    pub(in super::super) const STOCK: &str = "
        SELECT s_w_id, s_i_id, s_quantity, s_dist_{district}, LOCATE('ORIGINAL', s_data) > 0 FROM stock
        WHERE (s_w_id, s_i_id) IN ({places}) ORDER BY s_w_id, s_i_id FOR UPDATE";
    /// The stock rule of 2.4.2.2, computed by the client on the locked rows; every other column is the row's
    /// own.
    pub(in super::super) const UPDATE_STOCK: &str = "
        UPDATE stock SET
            s_quantity = CASE {quantities} END, s_ytd = s_ytd + CASE {sold} END, s_order_cnt = s_order_cnt + CASE {orders} END,
            s_remote_cnt = s_remote_cnt + CASE {remote} END
        WHERE (s_w_id, s_i_id) IN ({places})";
    /// One branch of these.
    pub(in super::super) const WHEN: &str = "WHEN s_i_id = ? AND s_w_id = ? THEN ?";
    /// `{rows}` stands for one row of ten parameters per line.
    pub(in super::super) const LINES: &str = "
        INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount,
            ol_dist_info) VALUES {rows}";
    pub(in super::super) const LINE: &str = "(?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)";
}

/// 2.5.2.2 and 2.6.2.2: customers of a name, sorted by first name (equal ones by number, so that the choice
/// is repeatable).
pub(super) const BY_NAME: &str =
    "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first, c_id";

pub(super) mod payment {
    /// Balance, year to date and count; a customer of bad credit gets the payment's numbers before the old
    /// C_DATA, which is cut at 500 characters.
    pub(in super::super) const CUSTOMER: &str = "
        UPDATE customer SET
            c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1,
            c_data = IF(c_credit = 'BC', LEFT(CONCAT(?, c_data), 500), c_data)
        WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    /// Of the row that is locked by now.
    pub(in super::super) const CUSTOMER_ROW: &str = "
        SELECT c_balance, IF(c_credit = 'BC', LEFT(c_data, 200), NULL), c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state,
            c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount
        FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    pub(in super::super) const DISTRICT: &str =
        "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?";
    pub(in super::super) const WAREHOUSE: &str = "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?";
    /// Names and addresses; they never change.
    pub(in super::super) const PLACES: &str = "
        SELECT w_name, d_name, w_street_1, w_street_2, w_city, w_state, w_zip, d_street_1, d_street_2, d_city, d_state, d_zip
        FROM warehouse, district WHERE w_id = ? AND d_w_id = w_id AND d_id = ?";
    pub(in super::super) const HISTORY: &str = "
        INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
}

/// One statement, so that customer, order and lines are of one moment. The customer's number is known by
/// then: neither names nor numbers ever change.
pub(super) const ORDER_STATUS: &str = "
    SELECT c_id, c_balance, o_id, o_carrier_id, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d IS NOT NULL, ol_delivery_d,
        o_entry_d, c_first, c_middle, c_last
    FROM customer, orders, order_line
    WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? AND o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
        AND o_id = (SELECT max(last.o_id) FROM orders AS last WHERE last.o_w_id = ? AND last.o_d_id = ? AND last.o_c_id = ?)
        AND ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
    ORDER BY ol_number";

pub(super) mod delivery {
    /// 2.7.4.2: the oldest order of the district that waits.
    pub(in super::super) const OLDEST: &str =
        "SELECT no_o_id FROM new_order WHERE no_w_id = ? AND no_d_id = ? ORDER BY no_o_id LIMIT 1 FOR UPDATE";
    /// `{places}` stands for pairs of district and number of the orders to deliver; the following statements
    /// are for all of them at once.
    pub(in super::super) const DELETE: &str =
        "DELETE FROM new_order WHERE (no_w_id, no_d_id, no_o_id) IN ({places})";
    pub(in super::super) const ORDERS: &str =
        "UPDATE orders SET o_carrier_id = ? WHERE (o_w_id, o_d_id, o_id) IN ({places})";
    pub(in super::super) const LINES: &str =
        "UPDATE order_line SET ol_delivery_d = ? WHERE (ol_w_id, ol_d_id, ol_o_id) IN ({places})";
    pub(in super::super) const AMOUNTS: &str = "
        SELECT o_d_id, o_c_id, sum(ol_amount) FROM orders, order_line
        WHERE (o_w_id, o_d_id, o_id) IN ({places}) AND ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id GROUP BY o_d_id, o_c_id
        ORDER BY o_d_id";
    pub(in super::super) const CUSTOMER: &str = "
        UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
}

/// 2.8.2.2: distinct items of the last 20 orders whose stock is below the threshold.
pub(super) const STOCK_LEVEL: &str = "
    SELECT count(DISTINCT s_i_id) FROM district STRAIGHT_JOIN order_line STRAIGHT_JOIN stock
    WHERE d_w_id = ? AND d_id = ? AND ol_w_id = d_w_id AND ol_d_id = d_id AND ol_o_id BETWEEN d_next_o_id - 20 AND d_next_o_id - 1
        AND s_w_id = d_w_id AND s_i_id = ol_i_id AND s_quantity < ?";
