//! The database against the model: the same inputs, the same screens, the same state afterwards.

use std::collections::BTreeMap;

use database::Instance as _;
use proptest::prelude::*;

use super::*;
use crate::tpcc::ask::input::{
    Delivery, Home, Inputs, Line, NewOrder, OrderStatus, Payment, StockLevel, Who, World,
};
use crate::tpcc::ask::profile::Profile;
use crate::tpcc::data::generate::Plan;
use crate::tpcc::data::money::Cents;
use crate::tpcc::data::names::last_name;
use crate::tpcc::data::nurand::Constants;
use crate::tpcc::data::population::Population;
use crate::tpcc::model::{Model, ModelHistory, ModelLine, ModelOrder};
use crate::tpcc::prove::check::{Stage, check};
use crate::tpcc::testing;

const WAREHOUSES: u32 = 2;

/// A database and the model of it, both right after the load.
fn both(dir: &std::path::Path, seed: u64) -> (Sqlite, Model) {
    let instance = testing::empty(dir, 16 << 20);
    crate::tpcc::load(&instance, &testing::miniature(WAREHOUSES, seed), &|_| {}).unwrap();
    // The date of the load is the one thing that the model cannot know.
    let at_ms = instance
        .connect()
        .unwrap()
        .query_row("SELECT max(o_entry_d) FROM orders", [], |row| row.get(0))
        .unwrap();
    let c_last = Constants::for_load(seed).last_name;
    let plan = Plan { warehouses: WAREHOUSES, population: Population::MINIATURE, seed, c_last, at_ms };
    (instance, Model::populated(&plan))
}

/// Runs `inputs` on both and compares every screen.
fn run_on_both(instance: &Sqlite, model: &mut Model, inputs: &[Input]) {
    let connection = instance.connect().unwrap();
    let mut terminal = SqliteTerminal::new(instance, &connection).unwrap();
    for input in inputs {
        let ours = terminal.execute(input).map(|executed| executed.screen);
        let theirs = model.execute(input).map(|executed| executed.screen);
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{input:?}"),
            (Err(Failure::Error { kind: ours, .. }), Err(Failure::Error { kind: theirs, .. })) => {
                assert_eq!(ours, theirs, "{input:?}")
            }
            (ours, theirs) => panic!("{input:?}: database {ours:?}, model {theirs:?}"),
        }
    }
}

/// Every value that transactions change is the same in both.
fn assert_same_state(instance: &Sqlite, model: &Model) {
    let connection = instance.connect().unwrap();
    let rows = |sql: &str| -> Vec<Vec<i64>> {
        let mut statement = connection.prepare(sql).unwrap();
        let columns = statement.column_count();
        statement
            .query_map([], |row| (0..columns).map(|c| row.get(c)).collect())
            .unwrap()
            .map(Result::unwrap)
            .collect()
    };
    let ytd: Vec<Vec<i64>> = model.warehouses.iter().map(|(&w, row)| vec![w.into(), row.0]).collect();
    assert_eq!(rows("SELECT w_id, w_ytd FROM warehouse ORDER BY 1"), ytd);
    let districts: Vec<Vec<i64>> = model
        .districts
        .iter()
        .map(|(&(w, d), row)| vec![w.into(), d.into(), row.ytd, row.next_order.into()])
        .collect();
    assert_eq!(rows("SELECT d_w_id, d_id, d_ytd, d_next_o_id FROM district ORDER BY 1, 2"), districts);
    let stock: Vec<Vec<i64>> = model
        .stock
        .iter()
        .map(|(&(w, i), row)| vec![w.into(), i.into(), row.quantity, row.ytd, row.orders, row.remote])
        .collect();
    assert_eq!(
        rows("SELECT s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt FROM stock ORDER BY 1, 2"),
        stock
    );
    let waiting: Vec<Vec<i64>> =
        model.waiting.iter().map(|&(w, d, o)| vec![w.into(), d.into(), o.into()]).collect();
    assert_eq!(rows("SELECT no_w_id, no_d_id, no_o_id FROM new_order ORDER BY 1, 2, 3"), waiting);
    let customers: Vec<Vec<i64>> = model
        .customers
        .iter()
        .map(|(&(w, d, c), row)| {
            vec![
                w.into(),
                d.into(),
                c.into(),
                row.balance,
                row.ytd_payment,
                row.payments.into(),
                row.deliveries.into(),
            ]
        })
        .collect();
    let sql = "SELECT c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt FROM customer ORDER BY 1, 2, 3";
    assert_eq!(rows(sql), customers);
    let sql = "SELECT c_data FROM customer ORDER BY c_w_id, c_d_id, c_id";
    let data: Vec<String> = connection
        .prepare(sql)
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(model.customers.values().map(|c| &c.data).eq(&data));
    assert_eq!(orders_of(&connection), model.orders);
    let sql =
        "SELECT h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_amount, h_data FROM history ORDER BY rowid";
    let history: Vec<ModelHistory> = connection
        .prepare(sql)
        .unwrap()
        .query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(history, model.history);
}

fn orders_of(connection: &Connection) -> BTreeMap<(u32, u32, u32), ModelOrder> {
    let sql = "SELECT o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_all_local, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d,
        ol_dist_info, ol_number, o_ol_cnt FROM orders JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
        ORDER BY o_w_id, o_d_id, o_id, ol_number";
    let mut statement = connection.prepare(sql).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut orders: BTreeMap<_, ModelOrder> = BTreeMap::new();
    while let Some(row) = rows.next().unwrap() {
        let key = (row.get_unwrap(0), row.get_unwrap(1), row.get_unwrap(2));
        let order = orders.entry(key).or_insert_with(|| ModelOrder {
            customer: row.get_unwrap(3),
            carrier: row.get_unwrap(4),
            all_local: row.get_unwrap(5),
            lines: Vec::new(),
        });
        order.lines.push(ModelLine {
            item: row.get_unwrap(6),
            supply_warehouse: row.get_unwrap(7),
            quantity: row.get_unwrap(8),
            amount: row.get_unwrap(9),
            delivered_at: row.get_unwrap(10),
            dist_info: row.get_unwrap(11),
        });
        assert_eq!(row.get_unwrap::<_, u32>(12) as usize, order.lines.len(), "lines are numbered from 1");
        assert!(order.lines.len() <= row.get_unwrap::<_, u32>(13) as usize);
    }
    orders
}

fn assert_consistent(instance: &Sqlite, stage: Stage) {
    let violated: Vec<_> = check(instance, stage).unwrap().into_iter().filter(|c| c.violations > 0).collect();
    assert_eq!(violated, []);
}

#[test]
fn the_load_is_what_was_generated() {
    let temp = tempfile::tempdir().unwrap();
    let (instance, model) = both(temp.path(), 3);
    assert_same_state(&instance, &model);
    assert_consistent(&instance, Stage::AfterLoad);
}

#[test]
fn a_rolled_back_order_leaves_no_trace() {
    let temp = tempfile::tempdir().unwrap();
    let (instance, mut model) = both(temp.path(), 4);
    let good = Line { item: 7, supply_warehouse: 1, quantity: 3 };
    let lines = vec![good, good, good, good, Line { item: 101, ..good }];
    let order = NewOrder { warehouse: 1, district: 2, customer: 3, lines, rolls_back: true, at_ms: 5 };
    let before = model.clone();
    run_on_both(&instance, &mut model, &[Input::NewOrder(order)]);
    assert_same_state(&instance, &before);
    assert_same_state(&instance, &model);
}

#[test]
fn the_customer_in_the_middle_is_chosen() {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::loaded(temp.path(), 1);
    let connection = instance.connect().unwrap();
    // Names of one, two and five bearers in a district of their own.
    connection.execute_batch("UPDATE customer SET c_last = 'X' || (c_id <= 1) || (c_id <= 3) || (c_id <= 8), c_first = 'F' || (50 - c_id) WHERE c_d_id = 1").unwrap();
    let mut find = customer::FindCustomer::prepare(&connection).unwrap();
    let mut chosen = |name: &str| find.find(1, 1, &Who::Name(name.into())).unwrap();
    // First names fall with the number, so the order is by number from high to low.
    assert_eq!(chosen("X111"), 1, "one bearer: that one");
    assert_eq!(chosen("X011"), 3, "two bearers: the first of them, not the second");
    assert_eq!(chosen("X001"), 6, "five bearers 8 7 6 5 4: the third");
    assert!(find.find(1, 1, &Who::Name("NOBODY".into())).is_err());
    assert_eq!(find.find(1, 1, &Who::Id(9)).unwrap(), 9);
}

#[test]
fn no_statement_scans_a_table() {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::loaded(temp.path(), 1);
    let connection = instance.connect().unwrap();
    let text = include_str!("sql.rs");
    // Every string constant of the file whose text is a statement on tables.
    let statements: Vec<String> = text
        .split("&str =")
        .filter_map(|part| part.trim_start().strip_prefix('"'))
        .filter_map(|rest| rest.split("\";").next())
        .map(|sql| sql.replace("{district}", "01"))
        .filter(|sql| sql.contains('?'))
        .collect();
    assert_eq!(statements.len(), 32, "the test no longer finds the statements");
    for sql in statements {
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let parameters = vec![0; plan.parameter_count()];
        let steps: Vec<String> = plan
            .query_map(rusqlite::params_from_iter(parameters), |row| row.get(3))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert!(
            steps.iter().all(|step| !step.contains("SCAN") && !step.contains("TEMP B-TREE FOR ORDER")),
            "{sql}: {steps:?}"
        );
    }
}

#[test]
fn failures_are_classed() {
    let fail = |code: std::ffi::c_int| {
        failure(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None))
    };
    assert!(matches!(fail(rusqlite::ffi::SQLITE_BUSY), Failure::Retry(_)));
    assert!(matches!(fail(rusqlite::ffi::SQLITE_IOERR_SHORT_READ), Failure::Fatal(_)));
    assert!(matches!(fail(rusqlite::ffi::SQLITE_FULL), Failure::Fatal(_)));
    assert!(matches!(fail(rusqlite::ffi::SQLITE_CORRUPT), Failure::Fatal(_)));
    assert!(matches!(
        fail(rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY),
        Failure::Error { kind: "constraint violated", .. }
    ));
    assert!(matches!(
        failure(rusqlite::Error::QueryReturnedNoRows),
        Failure::Error { kind: "missing row", .. }
    ));
}

/// Inputs as users make them.
fn generated(seed: u64, count: usize) -> Vec<Input> {
    let constants = Constants { last_name: 60, customer: 700, item: 5_000 };
    let world = World { warehouses: WAREHOUSES, population: Population::MINIATURE, constants };
    let mut inputs = Inputs::new(world, Home::All, Profile::Standard, seed, 0, 1);
    (0..count).map(|number| inputs.next(number as i64)).collect()
}

fn warehouse() -> impl Strategy<Value = u32> {
    1..=WAREHOUSES
}

/// By number, by a name that exists, or by one that does not.
fn who() -> impl Strategy<Value = Who> {
    prop_oneof![(1..=30u32).prop_map(Who::Id), (0..12u32).prop_map(|number| Who::Name(last_name(number)))]
}

/// Inputs as nobody makes them: few items, often the same one twice, bad items anywhere, many deliveries.
fn contrived() -> impl Strategy<Value = Input> {
    let line = (1..=8u32, warehouse(), 1..=10u32, prop::bool::weighted(0.02)).prop_map(
        |(item, supply_warehouse, quantity, bad)| Line {
            item: if bad { 101 } else { item },
            supply_warehouse,
            quantity,
        },
    );
    let order = (warehouse(), 1..=10u32, 1..=30u32, prop::collection::vec(line, 5..=15));
    let order = order.prop_map(|(warehouse, district, customer, lines)| {
        let rolls_back = lines.iter().any(|line| line.item == 101);
        Input::NewOrder(NewOrder { warehouse, district, customer, lines, rolls_back, at_ms: 77 })
    });
    let payment = (warehouse(), 1..=10u32, warehouse(), 1..=10u32, who(), 100..=500_000i64);
    let payment =
        payment.prop_map(|(warehouse, district, customer_warehouse, customer_district, who, amount)| {
            let amount = Cents(amount);
            Input::Payment(Payment {
                warehouse,
                district,
                customer_warehouse,
                customer_district,
                who,
                amount,
                at_ms: 78,
            })
        });
    let status = (warehouse(), 1..=10u32, who())
        .prop_map(|(warehouse, district, who)| Input::OrderStatus(OrderStatus { warehouse, district, who }));
    let delivery = (warehouse(), 1..=10u32)
        .prop_map(|(warehouse, carrier)| Input::Delivery(Delivery { warehouse, carrier, at_ms: 79 }));
    let level = (warehouse(), 1..=10u32, 10..=20u32).prop_map(|(warehouse, district, threshold)| {
        Input::StockLevel(StockLevel { warehouse, district, threshold })
    });
    prop_oneof![4 => order, 4 => payment, 2 => status, 3 => delivery, 2 => level]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn users_get_the_same_from_database_and_model(seed in any::<u64>()) {
        let temp = tempfile::tempdir().unwrap();
        let (instance, mut model) = both(temp.path(), seed);
        run_on_both(&instance, &mut model, &generated(seed, 400));
        assert_same_state(&instance, &model);
        assert_consistent(&instance, Stage::AfterRun);
    }

    #[test]
    fn odd_inputs_get_the_same_from_database_and_model(inputs in prop::collection::vec(contrived(), 1..200)) {
        let temp = tempfile::tempdir().unwrap();
        let (mut instance, mut model) = both(temp.path(), 5);
        run_on_both(&instance, &mut model, &inputs);
        // The same after everything went through the log, the checkpoint and a restart.
        instance.stop().unwrap();
        instance.start().unwrap();
        assert_same_state(&instance, &model);
        assert_consistent(&instance, Stage::AfterRun);
    }
}
