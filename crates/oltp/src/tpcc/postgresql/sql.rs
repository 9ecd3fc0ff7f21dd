//! Every statement of the five transactions on PostgreSQL.
//!
//! Isolation (3.4.1). All run at READ COMMITTED, and what the clause forbids among New-Order, Payment,
//! Order-Status and Delivery cannot happen: what is changed is computed from the row's latest version under
//! its lock (`UPDATE ... SET x = x + ...`), never from a value read before; what is only read and later
//! relied upon (tax, discount, name, price) never changes; New-Order locks its district before it takes the
//! number, so that orders of a district appear in order without gaps; Delivery takes its warehouse's turn
//! before it looks for the oldest orders; Order-Status is one statement and so sees one moment. Locks are
//! taken in one order (customer, district, warehouse; or district, then stock sorted by warehouse and item),
//! so that deadlocks need not be expected.

pub(super) const BEGIN: &str = "BEGIN";
pub(super) const COMMIT: &str = "COMMIT";
pub(super) const ROLLBACK: &str = "ROLLBACK";

/// For each session: plans are made once, since tables do not change their nature in a run, and they go from
/// the given keys through the indexes even where tables are small: so rows are locked in the order in which
/// they are named.
pub(super) const SESSION: &str =
    "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off;
    SET enable_mergejoin = off; SET jit = off; SET timezone = 'UTC'";

pub(super) mod new_order {
    /// 2.4.2.2: the district's tax and next order number, which is counted up; the warehouse's tax; the
    /// customer's discount, name and credit.
    pub(in super::super) const HEAD: &str = "
        WITH d AS (
            UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1 AND d_id = $2
            RETURNING d_next_o_id - 1 AS o_id, d_tax)
        SELECT o_id, d_tax, w_tax, c_discount, c_last, c_credit FROM d, warehouse, customer
        WHERE w_id = $1 AND c_w_id = $1 AND c_d_id = $2 AND c_id = $3";

    /// The items of all lines.
    pub(in super::super) const ITEMS: &str =
        "SELECT i_id, i_price, i_name, strpos(i_data, 'ORIGINAL') > 0 FROM item WHERE i_id = ANY($1::int[])";

    /// Order, new order, and the lines with their stock (the stock rule of 2.4.2.2). No two of these lines
    /// are of the same stock.
    pub(in super::super) const ORDER: &str = "
        WITH o AS (
            INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
            VALUES ($3, $2, $1, $9, $10, NULL, $11, $12)),
        n AS (INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES ($3, $2, $1)),
        {lines}";

    /// Further lines of stock that the order has named before.
    pub(in super::super) const MORE: &str = "WITH {lines}";

    /// The text for `{lines}`: $1 warehouse, $2 district, $3 order, then number, item, supplying warehouse,
    /// quantity and amount of each.
    pub(in super::super) const LINES: &str = "
        s AS (
            UPDATE stock SET
                s_quantity = CASE WHEN s_quantity >= quantity + 10 THEN s_quantity - quantity ELSE s_quantity - quantity + 91 END,
                s_ytd = s_ytd + quantity, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + (supply <> $1)::int
            FROM unnest($4::int[], $5::int[], $6::int[], $7::int[], $8::numeric[]) AS line (number, item, supply, quantity, amount)
            WHERE s_w_id = supply AND s_i_id = item
            RETURNING number, item, supply, quantity, amount, s_quantity, strpos(s_data, 'ORIGINAL') > 0 AS original,
                CASE $2::int WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05
                    WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END AS dist),
        l AS (
            INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity,
                ol_amount, ol_dist_info)
            SELECT $3, $2, $1, number, item, supply, NULL, quantity, amount, dist FROM s)
        SELECT number, s_quantity, original FROM s";
}

/// 2.5.2.2 and 2.6.2.2: of the customers with the name $5 (or $3), sorted by first name, the one at position
/// n/2 rounded up. Equal first names by number, so that the choice is repeatable.
pub(super) mod customer {
    pub(in super::super) const MIDDLE: &str = "(
        SELECT (array_agg(c_id ORDER BY c_first, c_id))[(count(*) + 1) / 2] FROM customer
        WHERE c_w_id = {warehouse} AND c_d_id = {district} AND c_last = {name})";
}

/// One statement, which is a transaction: the warehouse, which every Payment of it wants, is locked last and
/// for the shortest time. Each part reads from the one before, which fixes their order. `{customer}` is the
/// number $5 or the search for the name $5.
pub(super) const PAYMENT: &str = "
    WITH c AS (
        UPDATE customer SET
            c_balance = c_balance - $6, c_ytd_payment = c_ytd_payment + $6, c_payment_cnt = c_payment_cnt + 1,
            c_data = CASE c_credit WHEN 'BC'
                THEN left(concat_ws(' ', c_id, c_d_id, c_w_id, $2::int, $1::int, $6::numeric) || '|' || c_data, 500) ELSE c_data END
        WHERE c_w_id = $3 AND c_d_id = $4 AND c_id = {customer}
        RETURNING c_id, c_balance, CASE c_credit WHEN 'BC' THEN left(c_data, 200) END AS c_data, c_first, c_middle, c_last, c_street_1,
            c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount),
    d AS (
        UPDATE district SET d_ytd = d_ytd + $6 FROM c WHERE d_w_id = $1 AND d_id = $2
        RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip),
    w AS (
        UPDATE warehouse SET w_ytd = w_ytd + $6 FROM d WHERE w_id = $1
        RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip, d.*),
    h AS (
        INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
        SELECT c_id, $4, $3, $2, $1, $7, $6, w_name || '    ' || d_name FROM c, w)
    SELECT c.*, w.* FROM c, w";

/// One statement, so that customer, order and lines are of one moment. `{customer}` is the number $3 or the
/// search for the name $3.
pub(super) const ORDER_STATUS: &str = "
    WITH c AS (
        SELECT c_id, c_balance, c_first, c_middle, c_last FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = {customer}),
    o AS (
        SELECT o_id, o_carrier_id, o_entry_d FROM orders WHERE o_w_id = $1 AND o_d_id = $2 AND o_c_id = (SELECT c_id FROM c)
        ORDER BY o_id DESC LIMIT 1)
    SELECT c_id, c_balance, o_id, o_carrier_id, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d IS NOT NULL,
        ol_delivery_d, o_entry_d, c_first, c_middle, c_last
    FROM c, o, order_line WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = o_id ORDER BY ol_number";

pub(super) mod delivery {
    /// Deliveries of one warehouse go one after the other: a second one that looked at the same moment would
    /// find the same oldest orders, and nothing left once the first is done. The number keeps clear of other
    /// programs' locks.
    pub(in super::super) const TURN: &str = "SELECT pg_advisory_xact_lock(541415493, $1)";

    /// 2.7.4.2, all ten districts at once: the oldest new orders are deleted, their orders get the carrier
    /// and their lines the date, and their customers the amount.
    pub(in super::super) const DELIVER: &str = "
        WITH oldest AS MATERIALIZED (
            SELECT district, (
                SELECT no_o_id FROM new_order WHERE no_w_id = $1 AND no_d_id = district ORDER BY no_o_id LIMIT 1) AS number
            FROM generate_series(1, 10) AS district),
        gone AS (
            DELETE FROM new_order USING oldest WHERE no_w_id = $1 AND no_d_id = district AND no_o_id = number
            RETURNING no_d_id, no_o_id),
        delivered AS (
            UPDATE orders SET o_carrier_id = $2 FROM gone WHERE o_w_id = $1 AND o_d_id = no_d_id AND o_id = no_o_id
            RETURNING o_d_id, o_id, o_c_id),
        line AS (
            UPDATE order_line SET ol_delivery_d = $3 FROM delivered WHERE ol_w_id = $1 AND ol_d_id = o_d_id AND ol_o_id = o_id
            RETURNING ol_d_id, o_c_id, ol_amount),
        total AS MATERIALIZED (SELECT ol_d_id, o_c_id, sum(ol_amount) AS amount FROM line GROUP BY ol_d_id, o_c_id ORDER BY ol_d_id),
        paid AS (
            UPDATE customer SET c_balance = c_balance + amount, c_delivery_cnt = c_delivery_cnt + 1 FROM total
            WHERE c_w_id = $1 AND c_d_id = ol_d_id AND c_id = o_c_id)
        SELECT o_d_id, o_id FROM delivered";
}

/// 2.8.2.2: distinct items of the last 20 orders whose stock is below the threshold.
pub(super) const STOCK_LEVEL: &str = "
    SELECT count(DISTINCT s_i_id)::int FROM district, order_line, stock
    WHERE d_w_id = $1 AND d_id = $2 AND ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id >= d_next_o_id - 20 AND ol_o_id < d_next_o_id
        AND s_w_id = $1 AND s_i_id = ol_i_id AND s_quantity < $3";
