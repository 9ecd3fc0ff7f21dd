//! A run reaches databases by the servers of its world only.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use database::{DatabaseError, Existing, HangUp, Instance, InstanceSpec, Needs, Watched};
use ground::Clock;
use lab::{Interrupt, Servers, Silent, World};
use notebook::{Notebook, RunId, RunState};
use words::Engine;

const LOAD: &str = r#"
schema = 1
title = "A database that cannot be made"
[[bed]]
name = "here"
storage = { real = "PATH" }
[database]
engine = "sqlite"
memory = "16MiB"
[[workload]]
kind = "tpcc"
warehouses = 1
virtual_users = [1]
ramp_up = "0s"
measure = "1s"
[design]
treatment = []
repeats = 1
"#;

/// Servers that are never there, and how often they were asked for.
#[derive(Debug, Default)]
struct Absent(AtomicU32);

impl Absent {
    fn refuse<T>(&self, doing: &'static str, path: &Path) -> Result<T, DatabaseError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let source = std::io::Error::other("no server is in this world");
        Err(DatabaseError::Io { doing, path: path.to_owned(), source })
    }
}

impl Servers for Absent {
    fn provision(&self, _: Engine, spec: InstanceSpec, _: Needs) -> Result<Box<dyn Instance>, DatabaseError> {
        self.refuse("making", &spec.dir)
    }

    fn visit(&self, _: Engine, url: &str, _: HangUp) -> Result<Existing, DatabaseError> {
        self.refuse("visiting", Path::new(url))
    }

    fn watch(&self, _: Engine, url: &str, _: HangUp) -> Result<Watched, DatabaseError> {
        self.refuse("watching", Path::new(url))
    }
}

#[test]
fn no_database_is_made_beside_the_world() {
    let scratch = tempfile::tempdir().unwrap();
    let text = LOAD.replace("PATH", scratch.path().to_str().unwrap());
    let absent = Arc::new(Absent::default());
    let mut request = crate::request(&text, 7, Clock::Wall);
    request.world = World { servers: Arc::<Absent>::clone(&absent), ..World::of(Clock::Wall) };
    let mut notebook = Notebook::in_memory().unwrap();
    let refused = lab::run(&request, &mut notebook, &Interrupt::default(), &Silent).unwrap_err();
    assert!(refused.to_string().contains("no server is in this world"), "{refused}");
    assert_eq!(absent.0.load(Ordering::Relaxed), 1, "one load, which the bed's only cell needs");
    assert_eq!(notebook.run(RunId(1)).unwrap().state, RunState::Failed);
}

#[test]
fn a_server_is_observed_by_the_world() {
    let absent = Arc::new(Absent::default());
    let world = World { servers: Arc::<Absent>::clone(&absent), ..World::of(Clock::Wall) };
    let observing = lab::Observing {
        engine: Engine::PostgreSql,
        url: "postgresql://nobody@nowhere/none".to_owned(),
        time: std::time::Duration::from_secs(1),
        storage: None,
        processors: None,
        interrupt: Interrupt::default(),
    };
    let refused = lab::observe(&observing, &world, &mut |_| {}).unwrap_err().to_string();
    assert!(refused.contains("no server is in this world"), "{refused}");
    assert_eq!(absent.0.load(Ordering::Relaxed), 1);
}
