//! Servers by their address: the refusals, and that nothing of theirs is touched.

use database::Instance as _;

use crate::support::{Engine, Storage, fill, run, servers, sum, sum_of};

#[test]
fn an_existing_server_is_visited_and_not_touched() {
    for engine in servers() {
        let storage = Storage::new();
        let server = engine.started(storage.spec("bed"));
        fill(&server, 30);
        let endpoint = server.endpoint();
        let password = endpoint.password.as_ref().unwrap().reveal();
        let mut existing = engine.existing(&engine.url(endpoint, &endpoint.user, password)).unwrap();
        existing.start().unwrap();
        existing.require_create().unwrap();
        assert!(existing.server_counters().unwrap()["commits"] >= 0.0);
        existing.wait_sample().unwrap();
        assert!(existing.settings().iter().any(|(name, _)| name.ends_with(".server")));
        assert!(!format!("{existing:?}{:?}", existing.settings()).contains(password));
        for refused in [
            existing.crash().unwrap_err(),
            existing.remove().unwrap_err(),
            existing.cut_power(1).unwrap_err(),
            existing.snapshot(&storage.path("kept")).unwrap_err(),
            existing.restore(&storage.path("kept")).unwrap_err(),
        ] {
            assert!(refused.to_string().contains("was not created by drivetrain"), "{refused}");
        }
        existing.stop().unwrap();
        drop(existing);
        assert_eq!(sum(&server), sum_of(30), "{engine:?}");
    }
}

#[test]
fn wrong_addresses_are_explained() {
    for engine in servers() {
        let storage = Storage::new();
        let server = engine.started(storage.spec("bed"));
        let endpoint = server.endpoint().clone();
        let password = endpoint.password.clone().unwrap();
        let message = |url: &str| engine.existing(url).unwrap_err().to_string();
        let variable = if engine == Engine::PostgreSql { "PGPASSWORD" } else { "MYSQL_PWD" };

        let wrong = message(&engine.url(&endpoint, &endpoint.user, "wrong-word"));
        assert!(wrong.contains("refused user `drivetrain`") && wrong.contains(variable), "{wrong}");
        assert!(!wrong.contains("wrong-word"), "{wrong}");
        let wrong = message(&engine.url(&endpoint, "nobody-here", "wrong-word"));
        assert!(wrong.contains("refused user `nobody-here`"), "{wrong}");
        let elsewhere = database::Endpoint { database: "none".to_owned(), ..endpoint.clone() };
        let wrong = message(&engine.url(&elsewhere, &endpoint.user, password.reveal()));
        assert!(wrong.contains("has no database `none`"), "{wrong}");
        let silent = database::Endpoint { port: 1, ..endpoint.clone() };
        let wrong = message(&engine.url(&silent, &endpoint.user, password.reveal()));
        assert!(wrong.contains("cannot reach") && wrong.contains("127.0.0.1:1"), "{wrong}");
        assert!(message("localhost").contains("://USER@HOST"), "an example");
    }
}

#[test]
fn a_user_who_may_not_create_is_told_what_grants_it() {
    for engine in servers() {
        let storage = Storage::new();
        let server = engine.started(storage.spec("bed"));
        let statements: &[&str] = if engine == Engine::PostgreSql {
            &["create user visitor password 'word'", "revoke create on schema public from public"]
        } else {
            &[
                "create user visitor@'127.0.0.1' identified by 'word'",
                "grant select on drivetrain.* to visitor@'127.0.0.1'",
            ]
        };
        for statement in statements {
            run(&server, statement);
        }
        let visitor = engine.existing(&engine.url(server.endpoint(), "visitor", "word")).unwrap();
        let message = visitor.require_create().unwrap_err().to_string();
        assert!(
            message.contains("user `visitor` lacks a privilege") && message.contains("GRANT "),
            "{message}"
        );
    }
}

/// MariaDB refuses the login to a database of which the user may see nothing.
#[test]
fn a_user_who_may_not_see_the_database_is_told_what_grants_it() {
    for engine in servers().filter(|engine| *engine != Engine::PostgreSql) {
        let storage = Storage::new();
        let server = engine.started(storage.spec("bed"));
        run(&server, "create user visitor@'127.0.0.1' identified by 'word'");
        let refused = engine.existing(&engine.url(server.endpoint(), "visitor", "word"));
        let message = refused.and_then(|visitor| visitor.require_create()).unwrap_err().to_string();
        assert!(message.contains("GRANT SELECT ON `drivetrain`.* TO that user"), "{message}");
    }
}
