//! Runs on real database servers, on several instances and through crashes, by the built binary.

use crate::common::{self, Scratch};
use database::{Backing, Instance as _, InstanceSpec, Server};
use serde_json::Value;

/// One bed on this directory's own storage, one warehouse, one short cell.
pub(crate) const ONE_BED: &str = r#"
schema = 1
title = "One bed"

[[bed]]
name = "here"
storage = { real = "." }

[database]
engine = "postgresql"
memory = "32MiB"

[[workload]]
kind = "tpcc"
warehouses = 1
virtual_users = [2]
ramp_up = "200ms"
measure = "1s"

[design]
repeats = 1
seed = 3
"#;

/// A few rounds of a built-in durability test, shortened.
fn durability(scratch: &Scratch, name: &str, rounds: u32, code: i32) -> Value {
    let name = format!("durability/{name}");
    let rounds = format!("workload.rounds={rounds}");
    let shorter = [&rounds, "workload.load_for=1s", "workload.warehouses=1", "workload.virtual_users=4"];
    let mut arguments = vec!["run", &name, "--json"];
    shorter.iter().for_each(|setting| arguments.extend(["--set", setting]));
    scratch.run(&arguments).expect(code).json()["comparison"]["durability"][0].clone()
}

#[test]
fn what_was_acknowledged_survives_a_crash_on_every_engine() {
    // A second round begins with a fresh copy after the crash of a server, and of the embedded engine.
    for (engine, rounds) in [("sqlite", 2), ("postgresql", 1), ("mariadb", 2)] {
        let Some(()) = common::engine(engine) else { continue };
        let found = durability(&Scratch::new(), engine, rounds, 0);
        assert_eq!(
            (&found["crashes"], &found["passed"]),
            (&rounds.into(), &rounds.into()),
            "{engine}: {found:#}"
        );
        assert_eq!(found["orders_lost"], 0, "{engine}");
        assert!(found["orders_acknowledged"].as_u64().unwrap() > 0, "{engine}: {found:#}");
    }
}

#[test]
fn without_syncs_a_power_cut_is_found_to_lose_orders() {
    let scratch = Scratch::new();
    let found = durability(&scratch, "sqlite-without-sync", 2, 7);
    assert!(found["orders_lost"].as_u64().unwrap() > 0, "{found:#}");
    let text = scratch.run(&["show"]).expect(0).stdout;
    assert!(text.contains("did not keep its promises"), "{text}");
}

#[test]
fn a_hammerdb_like_run_lists_where_it_leaves_the_clauses() {
    let scratch = Scratch::with("x.toml", ONE_BED);
    let engine = ["--set", "database.engine=sqlite", "--set", "workload.profile=hammerdb-like"];
    let ran = scratch.run(&[&["run", "x.toml", "--json"], &engine[..]].concat()).expect(0).json();
    let cell = &ran["cells"][0];
    assert_eq!(cell["metrics"]["input_rollbacks"]["value"], 0.0, "{cell:#}");
    assert_eq!(cell["metrics"]["input_payments_by_name"]["value"], 0.0);
    let report = std::fs::read_to_string(ran["report"].as_str().unwrap()).unwrap();
    assert!(report.contains("hammerdb-like: customers and items are drawn uniformly"));
}

/// A PostgreSQL server that no run started, and the way to it.
pub(crate) struct Foreign {
    server: Server,
    /// `database.url=...`, for `--set`.
    pub(crate) set: String,
    pub(crate) password: String,
    _home: tempfile::TempDir,
}

impl Foreign {
    /// `None` without PostgreSQL.
    pub(crate) fn start() -> Option<Foreign> {
        common::engine("postgresql")?;
        let home = tempfile::Builder::new().prefix("drivetrain-test-").tempdir_in("/tmp").unwrap();
        let spec = InstanceSpec {
            dir: home.path().to_owned(),
            data: Backing::Real,
            log: Backing::Real,
            log_dir: None,
            memory_bytes: 32 << 20,
            synchronous: database::Synchronous::Off,
            page_cache: false,
        };
        let mut server: Server = database::postgresql::provision(spec).unwrap();
        server.start().unwrap();
        let at = server.endpoint();
        let set = format!("database.url=postgresql://{}@127.0.0.1:{}/{}", at.user, at.port, at.database);
        let password = at.password.as_ref().unwrap().reveal().to_owned();
        Some(Foreign { server, set, password, _home: home })
    }
}

/// A foreign server: it stays as it is, and keeps the data that a run loaded.
#[test]
fn an_existing_server_is_loaded_once_found_again_and_left_running() {
    let Some(Foreign { server, set, password, .. }) = &Foreign::start() else { return };
    let scratch = Scratch::with("x.toml", ONE_BED);
    let run = |code| {
        let arguments = [&["run", "x.toml", "--json", "--set", set], &common::PACED[..]].concat();
        let mut command = scratch.command(&arguments);
        common::Ran::from(command.env("PGPASSWORD", password).output().unwrap()).expect(code)
    };
    let first = run(0);
    assert!(first.stderr.contains("loaded 1 warehouse "), "{}", first.stderr);
    assert_eq!(first.json()["cells"][0]["state"], "done");
    let second = run(0);
    assert!(second.stderr.contains("found 1 warehouse "), "{}", second.stderr);
    assert!(server.is_running());
    assert!(
        !std::fs::read(scratch.path().join("drivetrain.db"))
            .unwrap()
            .windows(password.len())
            .any(|w| w == password.as_bytes())
    );

    let mut wrong = scratch.command(&["run", "x.toml", "--set", set]);
    let refused = common::Ran::from(wrong.env("PGPASSWORD", "wrong").output().unwrap()).expect(1);
    assert!(refused.stderr.contains("PGPASSWORD"), "{}", refused.stderr);
}
