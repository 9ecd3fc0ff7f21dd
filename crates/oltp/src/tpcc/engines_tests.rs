//! One body of tests for all engines: servers of our own in temporary directories, loaded in miniature.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use database::{Access, Backing, DatabaseError, Engine, Instance, InstanceSpec, ServerError, Synchronous};
use parking_lot::Mutex;
use testkit::need;

use super::ask::input::{Home, Input, Inputs, Line, NewOrder, World};
use super::ask::terminal::{Failure, Screen, Terminal as _};
use super::data::generate::Plan;
use super::data::money::Cents;
use super::data::nurand::Constants;
use super::model::Model;
use super::server::OrderEntryServer as _;
use super::*;
use crate::admin::{Admin, Server, blocking};
use crate::driver::{Asking, Control, Phase, Session, StartLine};
use crate::together::Together as _;

/// Evaluates an expression with the server behind an instance.
macro_rules! on_server {
    ($instance:expr, $server:ident => $answer:expr) => {
        match $instance.access() {
            Access::PostgreSql($server) => $answer,
            Access::MariaDb($server) => $answer,
            Access::Sqlite(_) => unreachable!("only servers are opened here"),
        }
    };
}

const WAREHOUSES: u32 = 2;
const SEED: u64 = 3;

fn spec(dir: &Path) -> InstanceSpec {
    InstanceSpec {
        dir: dir.to_owned(),
        data: Backing::Real,
        log: Backing::Real,
        log_dir: None,
        memory_bytes: 32 << 20,
        synchronous: Synchronous::Full,
        page_cache: false,
    }
}

/// A place that a server's own account can reach.
fn directory() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("drivetrain-test-").tempdir_in("/tmp").unwrap()
}

#[track_caller]
fn postgresql(dir: &Path) -> Option<database::Server> {
    started(database::postgresql::provision(spec(dir)))
}

#[track_caller]
fn mariadb(dir: &Path) -> Option<database::Server> {
    started(database::mariadb::provision(spec(dir)))
}

#[track_caller]
fn started(server: Result<database::Server, DatabaseError>) -> Option<database::Server> {
    let mut server = match server {
        Err(why @ DatabaseError::Server(ServerError::NotFound { .. })) => {
            return need::missing(&why.to_string());
        }
        server => server.unwrap(),
    };
    server.start().unwrap();
    Some(server)
}

fn options(mode: Mode, measure_ms: u64) -> RunOptions {
    RunOptions {
        virtual_users: 4,
        warehouses: WAREHOUSES,
        ramp_up: Duration::from_millis(100),
        measure: Duration::from_millis(measure_ms),
        mode,
        seed: 4,
        asking: Asking { patience: Duration::from_secs(2), ..Asking::default() },
        ..RunOptions::default()
    }
}

fn assert_consistent(instance: &dyn Instance, stage: Stage) {
    let violated: Vec<_> = check(instance, stage).unwrap().into_iter().filter(|c| c.violations > 0).collect();
    assert_eq!(violated, [], "{}", instance.engine());
}

/// A run that tells its acknowledged orders, while `meanwhile` does something to it.
fn run_and(
    instance: &dyn Instance,
    options: &RunOptions,
    meanwhile: impl FnOnce(&Control),
) -> (RunOutcome, Vec<Acknowledged>) {
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&acknowledged);
    let hear = move |order| sink.lock().push(order);
    let control = Control::default();
    let outcome = thread::scope(|scope| {
        let running = scope.spawn(|| run_acknowledging(instance, options, &control, &hear).unwrap());
        meanwhile(&control);
        running.join().unwrap()
    });
    let orders = acknowledged.lock().clone();
    (outcome, orders)
}

fn wait_for(control: &Control, orders: u64) {
    while control.live.first_class.load(Ordering::Relaxed) < orders && control.live.phase() < Phase::Done {
        thread::sleep(Duration::from_millis(2));
    }
}

/// Load, runs in both modes, checks: the same on every engine.
fn lives(instance: &dyn Instance) {
    let report = load(instance, &testing::miniature(WAREHOUSES, SEED), &|_| {}).unwrap();
    let engine = instance.engine();
    assert!(report.rows > 8_000 && report.warehouses == WAREHOUSES, "{engine}: {report:?}");
    assert_consistent(instance, Stage::AfterLoad);
    assert_eq!(Loaded::of_instance(instance).unwrap().seed, SEED);
    let again = load(instance, &testing::miniature(WAREHOUSES, SEED), &|_| {}).unwrap_err();
    assert!(again.to_string().contains("already"), "{engine}: {again}");
    let wrong = RunOptions { warehouses: 7, ..options(Mode::Statements, 1) };
    assert!(
        run(instance, &wrong, &Control::default()).unwrap_err().to_string().contains("holds 2 warehouses, 7")
    );
    for mode in [Mode::Statements, Mode::Procedures] {
        let (outcome, acknowledged) = run_and(instance, &options(mode, 1_500), |_| {});
        assert_eq!(
            (outcome.fatal.as_deref(), outcome.errors.len()),
            (None, 0),
            "{engine}: {:?}",
            outcome.errors
        );
        let orders = &outcome.per[&TransactionKind::NewOrder];
        assert!(outcome.per.values().all(|per| per.committed > 0), "{engine}: {outcome:?}");
        assert!(acknowledged.len() as u64 >= orders.committed, "{engine}");
        assert_eq!(missing_orders(instance, &acknowledged).unwrap(), [], "{engine}");
        let never = Acknowledged { warehouse: 1, district: 1, order: 1_000_000 };
        assert_eq!(missing_orders(instance, &[acknowledged[0], never]).unwrap(), [never]);
        assert_consistent(instance, Stage::AfterRun);
        if let Some(server) = &outcome.server {
            assert!(server.tpm > 0.0 && server.nopm > 0.0, "{server:?}");
            assert_eq!(outcome.lateness.len(), outcome.requests.due);
        }
    }
}

#[test]
fn sqlite_lives() {
    let temp = directory();
    lives(&testing::empty(temp.path(), 16 << 20));
}

#[test]
fn postgresql_lives() {
    let temp = directory();
    let Some(server) = postgresql(temp.path()) else { return };
    lives(&server);
}

#[test]
fn mariadb_lives() {
    let temp = directory();
    let Some(server) = mariadb(temp.path()) else { return };
    lives(&server);
}

/// Inputs as users make them, some with an item named twice.
fn inputs(count: usize) -> Vec<Input> {
    let constants = Constants { last_name: 60, customer: 700, item: 5_000 };
    let world = World { warehouses: WAREHOUSES, population: Population::MINIATURE, constants };
    let mut inputs = Inputs::new(world, Home::All, Profile::Standard, 9, 0, 1);
    let mut all: Vec<Input> =
        (0..count).map(|number| inputs.next(1_700_000_000_000 + number as i64)).collect();
    let line = |item, supply_warehouse| Line { item, supply_warehouse, quantity: 9 };
    let twice = vec![line(7, 1), line(8, 2), line(7, 1), line(7, 2), line(7, 1)];
    let bad = [twice.clone(), vec![line(101, 1)]].concat();
    for (lines, rolls_back) in [(twice, false), (bad, true)] {
        let order = NewOrder { warehouse: 1, district: 2, customer: 3, lines, rolls_back, at_ms: 5_000 };
        all.push(Input::NewOrder(order));
    }
    all
}

/// The data that transactions change, from the model, in the words of a server.
fn state(model: &Model) -> Vec<String> {
    let mut lines = Vec::new();
    let money = |cents: i64| Cents(cents).to_string();
    lines.extend(model.warehouses.iter().map(|(w, row)| format!("w {w} {}", money(row.0))));
    lines.extend(
        model
            .districts
            .iter()
            .map(|((w, d), row)| format!("d {w} {d} {} {}", money(row.ytd), row.next_order)),
    );
    lines.extend(model.stock.iter().map(|((w, i), row)| {
        format!("s {w} {i} {} {} {} {}", row.quantity, row.ytd, row.orders, row.remote)
    }));
    lines.extend(model.waiting.iter().map(|(w, d, o)| format!("n {w} {d} {o}")));
    lines.extend(model.customers.iter().map(|((w, d, c), row)| {
        let (balance, ytd) = (money(row.balance), money(row.ytd_payment));
        format!("c {w} {d} {c} {balance} {ytd} {} {} {}", row.payments, row.deliveries, row.data)
    }));
    for ((w, d, o), row) in &model.orders {
        let carrier = row.carrier.unwrap_or_default();
        lines.push(format!(
            "o {w} {d} {o} {} {carrier} {} {}",
            row.customer,
            u8::from(row.all_local),
            row.lines.len()
        ));
        lines.extend((1..).zip(&row.lines).map(|(number, line)| {
            let (amount, dated) = (money(line.amount), u8::from(line.delivered_at.is_some()));
            let (item, supply, quantity) = (line.item, line.supply_warehouse, line.quantity);
            format!("l {w} {d} {o} {number} {item} {supply} {quantity} {amount} {dated} {}", line.dist_info)
        }));
    }
    lines.extend(
        model.history.iter().map(|(cw, cd, c, w, d, amount, data)| {
            format!("h {cw} {cd} {c} {w} {d} {} {data}", money(*amount))
        }),
    );
    lines.sort();
    lines
}

/// The same as the server has it.
async fn state_on<S: Server>(admin: &mut Admin<S>) -> Result<Vec<String>, OltpError> {
    let queries = [
        ("w", "SELECT w_id, w_ytd FROM warehouse"),
        ("d", "SELECT d_w_id, d_id, d_ytd, d_next_o_id FROM district"),
        ("s", "SELECT s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt FROM stock"),
        ("n", "SELECT no_w_id, no_d_id, no_o_id FROM new_order"),
        (
            "c",
            "SELECT c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data FROM customer",
        ),
        (
            "o",
            "SELECT o_w_id, o_d_id, o_id, o_c_id, coalesce(o_carrier_id, 0), o_all_local, o_ol_cnt FROM orders",
        ),
        (
            "l",
            "SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount,
                CASE WHEN ol_delivery_d IS NULL THEN 0 ELSE 1 END, ol_dist_info FROM order_line",
        ),
        ("h", "SELECT h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_amount, h_data FROM history"),
    ];
    let mut lines = Vec::new();
    for (letter, sql) in queries {
        for row in admin.rows("reading the state", sql).await? {
            let columns: Vec<String> = row.into_iter().map(Option::unwrap_or_default).collect();
            lines.push(format!("{letter} {}", columns.join(" ")));
        }
    }
    lines.sort();
    Ok(lines)
}

/// The same inputs to a session and to the model: the same screens, the same state.
async fn compare(session: &mut (impl Session<Request = Input, Answer = Screen> + ?Sized), model: &mut Model) {
    for input in inputs(500) {
        match (session.execute(&input).await, model.execute(&input)) {
            (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs.screen, "{input:?}"),
            (ours, theirs) => panic!("{input:?}: server {ours:?}, model {theirs:?}"),
        }
    }
}

fn both_modes_do_what_the_model_does(open: fn(&Path) -> Option<database::Server>) {
    for mode in [Mode::Statements, Mode::Procedures] {
        let temp = directory();
        let Some(server) = open(temp.path()) else { return };
        load(&server, &testing::miniature(WAREHOUSES, SEED), &|_| {}).unwrap();
        let (population, c_last) = (Population::MINIATURE, Constants::for_load(SEED).last_name);
        let plan = Plan { warehouses: WAREHOUSES, population, seed: SEED, c_last, at_ms: 0 };
        let mut model = Model::populated(&plan);
        on_server!(server, engine => blocking(engine, async {
            let mut admin = Admin::enter(engine).await?;
            assert_eq!(state_on(&mut admin).await?, state(&model), "loaded");
            compare(&mut engine.session(mode).await.unwrap(), &mut model).await;
            assert!(
                state_on(&mut admin).await? == state(&model),
                "the states differ in {} mode",
                mode.name()
            );
            Ok(())
        }))
        .unwrap();
        assert_consistent(&server, Stage::AfterRun);
    }
}

#[test]
fn postgresql_does_what_the_model_does() {
    both_modes_do_what_the_model_does(postgresql);
}

#[test]
fn mariadb_does_what_the_model_does() {
    both_modes_do_what_the_model_does(mariadb);
}

/// 3.5.4: killed under load; every acknowledged order is there afterwards, and the run ends by itself.
fn survives_a_crash(mut server: database::Server) {
    load(&server, &testing::miniature(WAREHOUSES, SEED), &|_| {}).unwrap();
    for mode in [Mode::Statements, Mode::Procedures] {
        let (outcome, acknowledged) = run_and(&server, &options(mode, 3_600_000), |control| {
            wait_for(control, 60);
            server.crash_under_load(1).unwrap();
        });
        assert!(
            outcome.fatal.as_ref().is_some_and(|fatal| fatal.contains("has not taken a connection")),
            "{:?}",
            outcome.fatal
        );
        assert!(outcome.connections_lost > 0 && acknowledged.len() >= 60);
        server.recover().unwrap();
        assert_eq!(missing_orders(&server, &acknowledged).unwrap(), []);
        assert_consistent(&server, Stage::AfterRun);
    }
}

#[test]
fn postgresql_survives_a_crash() {
    let temp = directory();
    let Some(server) = postgresql(temp.path()) else { return };
    survives_a_crash(server);
}

#[test]
fn mariadb_survives_a_crash() {
    let temp = directory();
    let Some(server) = mariadb(temp.path()) else { return };
    survives_a_crash(server);
}

/// Ends every session but our own.
async fn cut_all<S: Server>(admin: &mut Admin<S>, engine: Engine) -> Result<(), OltpError> {
    let kills_itself = engine == Engine::PostgreSql; // In the query.
    let victims = if kills_itself {
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'drivetrain' AND pid <> pg_backend_pid()"
    } else {
        "SELECT id FROM information_schema.processlist WHERE command <> 'Daemon' AND id <> connection_id()"
    };
    let rows = admin.rows("looking for sessions", victims).await?;
    if !kills_itself {
        for id in rows.into_iter().flatten().flatten() {
            // One may have ended by itself.
            let _ = admin.run("ending a session", &format!("KILL {id}")).await;
        }
    }
    Ok(())
}

fn goes_on_after_cut_connections(server: &database::Server) {
    load(server, &testing::miniature(WAREHOUSES, SEED), &|_| {}).unwrap();
    let (outcome, acknowledged) = run_and(server, &options(Mode::Statements, 3_600_000), |control| {
        wait_for(control, 50);
        on_server!(server, engine => blocking(engine, async {
            let mut admin = Admin::enter(engine).await?;
            cut_all(&mut admin, server.engine()).await
        }))
        .unwrap();
        wait_for(control, control.live.first_class.load(Ordering::Relaxed) + 50);
        control.stop.store(true, Ordering::Release);
    });
    assert_eq!(outcome.fatal, None);
    assert!(outcome.interrupted && outcome.connections_lost >= 1, "{}", outcome.connections_lost);
    assert!(outcome.errors.keys().any(|kind| kind.ends_with("connection lost")), "{:?}", outcome.errors);
    assert_eq!(missing_orders(server, &acknowledged).unwrap(), []);
    assert_consistent(server, Stage::AfterRun);
}

#[test]
fn users_go_on_after_cut_connections() {
    for open in [postgresql, mariadb] {
        let temp = directory();
        if let Some(server) = open(temp.path()) {
            goes_on_after_cut_connections(&server);
        }
    }
}

/// Returns when a session waits for a lock.
async fn until_one_waits<S: Server>(admin: &mut Admin<S>, engine: Engine) -> Result<(), OltpError> {
    let waiting = match engine {
        Engine::PostgreSql => "SELECT 1 FROM pg_locks WHERE NOT granted",
        _ => "SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'",
    };
    // MariaDB looks at its transactions anew when nobody asked for a tenth of a second, and PostgreSQL for a
    // deadlock after a second.
    while admin.rows("looking for a lock", waiting).await?.is_empty() {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

/// Another session holds item 9 and wants item 3; ours holds 3 and wants 9. Ours is the victim, and succeeds
/// when asked again.
fn a_deadlock_is_told_and_can_be_retried(server: &database::Server) {
    load(server, &testing::miniature(WAREHOUSES, SEED), &|_| {}).unwrap();
    let line = |item| Line { item, supply_warehouse: 1, quantity: 1 };
    let order = NewOrder {
        warehouse: 1,
        district: 1,
        customer: 1,
        lines: vec![line(3), line(9)],
        rolls_back: false,
        at_ms: 0,
    };
    let input = Input::NewOrder(order);
    let mode = Mode::Statements;
    let answers = on_server!(server, engine => blocking(engine, async {
        let mut other = Admin::enter(engine).await?;
        other.run("beginning", "BEGIN").await?;
        // Much work, so that MariaDB spares it.
        other.run("changing", "UPDATE customer SET c_payment_cnt = c_payment_cnt WHERE c_w_id = 2").await?;
        other
            .run(
                "changing",
                "UPDATE customer SET c_data = concat(c_data, 'x') WHERE c_w_id = 2 AND length(c_data) < 500",
            )
            .await?;
        other.run("changing", "UPDATE stock SET s_ytd = s_ytd + 1 WHERE s_w_id = 1 AND s_i_id = 9").await?;
        let cross = async {
            until_one_waits(&mut other, server.engine()).await?;
            other
                .run("changing", "UPDATE stock SET s_ytd = s_ytd + 1 WHERE s_w_id = 1 AND s_i_id = 3")
                .await?;
            other.run("ending", "ROLLBACK").await
        };
        let mut session = engine.session(mode).await.unwrap();
        let (first, crossed) = tokio::join!(session.execute(&input), cross);
        crossed?;
        Ok((first, session.execute(&input).await))
    }));
    let (first, second) = answers.unwrap();
    assert_eq!(first, Err(Failure::Retry("deadlock")));
    assert!(matches!(second, Ok(Screen::NewOrder(_))), "{second:?}");
    assert_consistent(server, Stage::AfterRun);
}

#[test]
fn deadlocks_are_told_and_can_be_retried() {
    for open in [postgresql, mariadb] {
        let temp = directory();
        if let Some(server) = open(temp.path()) {
            a_deadlock_is_told_and_can_be_retried(&server);
        }
    }
}

/// Tables of another tool, which bear no note of a load.
fn adopts(server: &database::Server) {
    assert_eq!(adopt(server).unwrap(), None, "nothing is there");
    load(server, &testing::miniature(WAREHOUSES, SEED), &|_| {}).unwrap();
    let sql = |sql: &'static str| {
        on_server!(server, engine => blocking(engine, async {
            let mut admin = Admin::enter(engine).await?;
            let done = admin.run("changing tables", sql).await;
            admin.leave().await;
            done
        }))
        .unwrap();
    };
    sql("DROP TABLE drivetrain_load");
    let refused = run(server, &options(Mode::Statements, 100), &Control::default()).unwrap_err().to_string();
    assert!(refused.contains("no note of a load"), "{refused}");

    sql("UPDATE district SET d_ytd = d_ytd + 1 WHERE d_w_id = 1 AND d_id = 1");
    let refused = adopt(server).unwrap_err().to_string();
    assert!(refused.contains("not consistent") && refused.contains("condition 1"), "{refused}");
    sql("UPDATE district SET d_ytd = d_ytd - 1 WHERE d_w_id = 1 AND d_id = 1");

    let adopted = adopt(server).unwrap().unwrap();
    assert_eq!((adopted.warehouses, adopted.population.customers), (WAREHOUSES, 30));
    assert_eq!(Loaded::of_instance(server).unwrap(), adopted);
    let outcome = run(server, &options(Mode::Procedures, 300), &Control::default()).unwrap();
    assert!(outcome.nopm > 0.0 && outcome.fatal.is_none(), "{:?}", outcome.fatal);
    assert_consistent(server, Stage::AfterRun);

    sql("DROP TABLE drivetrain_load");
    sql("ALTER TABLE history DROP COLUMN h_data");
    let refused = adopt(server).unwrap_err().to_string();
    assert!(refused.contains("table `history` has no column `h_data`"), "{refused}");
}

#[test]
fn tables_of_another_tool_are_adopted_when_they_are_whole() {
    let (one, two) = (directory(), directory());
    [postgresql(one.path()), mariadb(two.path())].iter().flatten().for_each(adopts);
}

/// Several instances begin at one moment and count as one.
#[test]
fn runs_side_by_side_are_taken_together() {
    let (one, two) = (directory(), directory());
    let (Some(first), Some(second)) = (postgresql(one.path()), mariadb(two.path())) else { return };
    let servers = [first, second];
    for server in &servers {
        load(server, &testing::miniature(WAREHOUSES, SEED), &|_| {}).unwrap();
    }
    let controls: Vec<Control> = StartLine::places(2)
        .into_iter()
        .map(|place| Control { start: Some(place), ..Control::default() })
        .collect();
    let runs: Vec<RunOutcome> = thread::scope(|scope| {
        let each = servers.iter().zip(&controls);
        let threads: Vec<_> = each
            .map(|(server, control)| {
                scope.spawn(|| run(server, &options(Mode::Statements, 500), control).unwrap())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let apart_ns = runs[0].timeline_all.origin_ns().abs_diff(runs[1].timeline_all.origin_ns());
    assert!(apart_ns < 1_000_000_000, "they began {apart_ns} ns apart");
    let committed: u64 = runs.iter().map(RunOutcome::completed).sum();
    let nopm: f64 = runs.iter().map(|run| run.nopm).sum();
    // Not the same as the committed ones: answers after the end of the phase have a time of service, too.
    let served: u64 = runs.iter().map(|run| run.service.len()).sum();
    let together = RunOutcome::together(runs).unwrap();
    assert_eq!(together.completed(), committed);
    assert!((together.nopm - nopm).abs() < 1e-9 && together.nopm > 0.0);
    assert!(served > 0 && together.service.len() == served);
    assert!(RunOutcome::together(Vec::new()).is_none());
}
