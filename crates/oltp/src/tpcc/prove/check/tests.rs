//! Each condition is broken alone, with everything that other conditions say about the same rows kept true,
//! and seen to fail alone.

use super::*;
use crate::tpcc::testing;

/// Loads, breaks with `sql`, and gives the numbers of the conditions that fail.
fn violated(sql: &str, stage: Stage) -> Vec<(u8, u64, String)> {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::loaded(temp.path(), 2);
    instance.connect().unwrap().execute_batch(sql).unwrap();
    let conditions = check(&instance, stage).unwrap();
    conditions.into_iter().filter(|c| c.violations > 0).map(|c| (c.number, c.violations, c.detail)).collect()
}

/// The one violation of one condition, and its example.
fn only(number: u8, sql: &str, stage: Stage) -> String {
    let mut violated = violated(sql, stage);
    assert_eq!(violated.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), [number], "{violated:?}");
    violated.remove(0).2
}

/// Order 5 of district 1/1 was delivered at load with lines of 0.00; order 25 waits. Their customers are
/// looked up where needed.
const CUSTOMER_OF_25: &str = "(SELECT o_c_id FROM orders WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 25)";
const AMOUNT_OF_25: &str =
    "(SELECT sum(ol_amount) FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 25)";

/// A payment of 5.00 by customer 1/1/1, kept true for conditions 10 and 12, noted under the given home
/// district.
fn payment(home_district: u32) -> String {
    format!(
        "INSERT INTO history VALUES (1, 1, 1, {home_district}, 1, 0, 500, 'x');
         UPDATE customer SET c_balance = c_balance - 500, c_ytd_payment = c_ytd_payment + 500 WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1;"
    )
}

/// Delivers order `order` of district 1/1 in all tables but new_order.
fn deliver(order: u32) -> String {
    let place = format!("ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = {order}");
    let key = format!("o_w_id = 1 AND o_d_id = 1 AND o_id = {order}");
    format!(
        "UPDATE orders SET o_carrier_id = 1 WHERE {key};
         UPDATE order_line SET ol_delivery_d = 1 WHERE {place};
         UPDATE customer SET c_balance = c_balance + (SELECT sum(ol_amount) FROM order_line WHERE {place})
         WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = (SELECT o_c_id FROM orders WHERE {key});"
    )
}

#[test]
fn a_fresh_load_violates_nothing() {
    assert_eq!(violated("", Stage::AfterLoad), []);
    assert_eq!(violated("", Stage::AfterRun), []);
}

#[test]
fn condition_1_sees_a_warehouse_that_is_not_the_sum_of_its_districts() {
    // A payment in a district that does not exist: the warehouse's own sum and history agree.
    let sql = payment(11) + "UPDATE warehouse SET w_ytd = w_ytd + 500 WHERE w_id = 1";
    let detail = only(1, &sql, Stage::AfterLoad);
    assert_eq!(detail, "warehouse 1: w_ytd 300500, sum(d_ytd) 300000");
}

#[test]
fn condition_1_sees_missing_warehouses_and_districts() {
    let gone = violated("DELETE FROM warehouse WHERE w_id = 2", Stage::AfterLoad);
    assert_eq!(gone.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), [1]);
    assert!(gone[0].2.contains("0 rows of warehouse and 10 of district"), "{gone:?}");
}

#[test]
fn condition_2_sees_a_skipped_order_number() {
    let detail =
        only(2, "UPDATE district SET d_next_o_id = 32 WHERE d_w_id = 2 AND d_id = 3", Stage::AfterLoad);
    assert_eq!(detail, "warehouse 2 district 3: d_next_o_id 32, max(o_id) 30, max(no_o_id) 30");
}

#[test]
fn condition_2_does_not_miss_new_orders_where_none_wait() {
    let all = (22..=30).map(deliver).collect::<String>()
        + "DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 1";
    assert_eq!(violated(&all, Stage::AfterRun), []);
}

#[test]
fn condition_3_sees_a_gap_in_new_orders() {
    let sql = deliver(25) + "DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = 25";
    let detail = only(3, &sql, Stage::AfterRun);
    assert_eq!(detail, "warehouse 1 district 1: no_o_id from 22 to 30, 8 rows");
}

#[test]
fn condition_4_sees_a_line_of_no_order() {
    let sql = "INSERT INTO order_line VALUES (99, 1, 1, 1, 1, 1, NULL, 1, 1, 'x')";
    assert!(only(4, sql, Stage::AfterLoad).starts_with("warehouse 1 district 1: sum(o_ol_cnt) "));
}

#[test]
fn condition_5_sees_an_order_without_carrier_that_is_not_new() {
    // Its lines of 0.00 lose their date too, so that 7, 10 and 12 stay true.
    let sql = "UPDATE orders SET o_carrier_id = NULL WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 5;
        UPDATE order_line SET ol_delivery_d = NULL WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 5";
    assert_eq!(only(5, sql, Stage::AfterLoad), "order 1/1/5: o_carrier_id null, not in new_order");
}

#[test]
fn condition_5_sees_a_new_order_that_has_a_carrier_or_does_not_exist() {
    assert_eq!(only(5, &deliver(25), Stage::AfterLoad), "order 1/1/25: o_carrier_id 1, in new_order");
    // The order vanishes from orders, district and lines alike.
    let sql = "DELETE FROM orders WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 25; DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 25";
    assert_eq!(only(5, sql, Stage::AfterRun), "order 1/1/25: in new_order, not in orders");
}

#[test]
fn condition_6_sees_an_order_that_miscounts_its_lines() {
    // One more here and one less there: the district's sum stays.
    let sql = "UPDATE orders SET o_ol_cnt = o_ol_cnt + 1 WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 5;
        UPDATE orders SET o_ol_cnt = o_ol_cnt - 1 WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 6";
    let found = violated(sql, Stage::AfterLoad);
    assert_eq!((found.len(), found[0].0, found[0].1), (1, 6, 2));
    assert!(found[0].2.starts_with("order 1/1/5: o_ol_cnt "));
}

#[test]
fn condition_6_sees_an_order_without_lines() {
    // An order of no lines that claims one, and a line of no order beside it, so that the district's sum
    // stays.
    let sql = "INSERT INTO orders VALUES (31, 1, 1, 1, 0, 1, 1, 1); UPDATE district SET d_next_o_id = 32 WHERE d_w_id = 1 AND d_id = 1;
        INSERT INTO order_line VALUES (99, 1, 1, 1, 1, 1, NULL, 1, 1, 'x');
        DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 1;";
    let delivered: String = (22..=30).map(deliver).collect();
    assert_eq!(only(6, &(delivered + sql), Stage::AfterRun), "order 1/1/31: o_ol_cnt 1, lines 0");
}

#[test]
fn condition_7_sees_a_delivered_order_with_an_undated_line() {
    let sql = "UPDATE order_line SET ol_delivery_d = NULL WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 5 AND ol_number = 2";
    assert!(only(7, sql, Stage::AfterLoad).starts_with("order 1/1/5: o_carrier_id "));
}

#[test]
fn condition_7_sees_a_waiting_order_with_a_dated_line() {
    let sql = format!(
        "UPDATE customer SET c_balance = c_balance + {AMOUNT_OF_25} WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = {CUSTOMER_OF_25};
         UPDATE order_line SET ol_delivery_d = 1 WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 25"
    );
    assert!(only(7, &sql, Stage::AfterLoad).starts_with("order 1/1/25: o_carrier_id null, "));
}

#[test]
fn condition_8_sees_a_payment_that_the_warehouse_does_not_know() {
    assert_eq!(only(8, &payment(11), Stage::AfterLoad), "warehouse 1: w_ytd 300000, sum(h_amount) 300500");
}

#[test]
fn condition_9_sees_a_payment_noted_in_the_wrong_district() {
    let sql = "UPDATE history SET h_d_id = 2 WHERE h_w_id = 1 AND h_d_id = 1 AND h_c_id = 7";
    let found = violated(sql, Stage::AfterLoad);
    assert_eq!((found.len(), found[0].0, found[0].1), (1, 9, 2));
    assert_eq!(found[0].2, "warehouse 1 district 1: d_ytd 30000, sum(h_amount) 29000");
}

#[test]
fn condition_10_sees_a_balance_that_history_does_not_explain() {
    let sql = "UPDATE customer SET c_balance = c_balance + 1, c_ytd_payment = c_ytd_payment - 1 WHERE c_w_id = 1 AND c_d_id = 4 AND c_id = 9";
    assert_eq!(only(10, sql, Stage::AfterLoad), "customer 1/4/9: c_balance -999, delivered 0, paid 1000");
}

#[test]
fn condition_11_sees_a_delivery_in_a_fresh_load_and_is_left_out_later() {
    let sql = deliver(22) + "DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = 22";
    assert_eq!(only(11, &sql, Stage::AfterLoad), "warehouse 1 district 1: 30 orders, 8 of them new");
    assert_eq!(violated(&sql, Stage::AfterRun), []);
}

#[test]
fn condition_12_sees_a_payment_that_is_not_in_the_balance() {
    let sql =
        "UPDATE customer SET c_ytd_payment = c_ytd_payment + 1 WHERE c_w_id = 1 AND c_d_id = 4 AND c_id = 9";
    assert_eq!(
        only(12, sql, Stage::AfterLoad),
        "customer 1/4/9: c_balance -1000, c_ytd_payment 1001, delivered 0"
    );
}

#[test]
fn violations_are_counted_over_all_sets() {
    let found = violated("UPDATE customer SET c_ytd_payment = 0 WHERE c_id = 3", Stage::AfterLoad);
    assert_eq!((found.len(), found[0].0, found[0].1), (1, 12, 20));
}

#[test]
fn a_check_ends_in_the_middle_of_a_statement() {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::loaded(temp.path(), 1);
    // Already over: the first statement is the one that is cut off, for nobody looks between statements.
    let until = Until { deadline_ns: Some(0), ..Until::default() };
    assert!(matches!(check_until(&instance, Stage::AfterLoad, &until), Err(OltpError::Stopped)));
}

#[test]
fn an_unfinished_load_is_no_database() {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::empty(temp.path(), 1 << 20);
    let error = check(&instance, Stage::AfterLoad).unwrap_err();
    assert!(error.to_string().contains("there are no tables"), "{error}");
    drop(instance);
    let other = tempfile::tempdir().unwrap();
    let instance = testing::loaded(other.path(), 1);
    instance.connect().unwrap().execute_batch("DELETE FROM drivetrain_load").unwrap();
    let error = check(&instance, Stage::AfterLoad).unwrap_err();
    assert!(error.to_string().contains("the load was never finished"), "{error}");
}
