//! The database: what goes with its engine, and addresses of servers that are there already.

use crate::check::Checker;
use crate::file::{Database, Engine, Experiment, Mode};
use crate::secret;

impl Checker<'_> {
    pub(super) fn database(&mut self, experiment: &Experiment) {
        let Some(database) = &experiment.database else {
            let needed = experiment.workload.iter().position(|workload| workload.uses_database());
            if let Some(index) = needed.filter(|_| !self.is_broken("database")) {
                let kind = experiment.workload[index].kind();
                let help = "add a table [database] with `engine = \"sqlite\"` and `memory = \"32MiB\"`";
                let message = format!("a {kind} workload needs a database, and the file has none");
                self.fault(&format!("workload.{index}.kind"), message, "needs [database]", help);
            }
            return;
        };
        self.memory("database.memory", database.memory);
        if self.is_broken("database.engine") {
            return;
        }
        if database.mode == Mode::Procedures && !database.engine.is_server() {
            let help = "leave `mode` out, or use the engine \"postgresql\" or \"mariadb\"";
            self.fault("database.mode", format!("{} has no procedures", database.engine), "", help);
        }
        let of_beds = experiment.bed.iter().enumerate();
        let of_beds = of_beds.map(|(index, bed)| (format!("bed.{index}.url"), bed.url.as_ref()));
        let common = ("database.url".to_owned(), database.url.as_ref());
        let urls: Vec<(String, &String)> =
            std::iter::once(common).chain(of_beds).filter_map(|(path, url)| Some((path, url?))).collect();
        for (path, url) in &urls {
            self.url(path, url, database.engine);
        }
        if !urls.is_empty() {
            self.one_instance(database);
        }
    }

    fn one_instance(&mut self, database: &Database) {
        if database.instances > 1 {
            let message = format!("a `url` is one server, not {}", database.instances);
            let help = "leave `instances` out, or leave `url` out and let the run start its own servers";
            self.fault("database.instances", message, "", help);
        }
    }

    /// The address of an existing server. It is not repeated in messages: it may hold a password.
    fn url(&mut self, path: &str, url: &str, engine: Engine) {
        let schemes: &[&str] = match engine {
            Engine::Sqlite => {
                let message = "sqlite is built in and has no server".to_owned();
                let help = "leave `url` out; `storage` says where the database lies";
                return self.fault(path, message, "", help);
            }
            Engine::Postgresql => &["postgresql", "postgres"],
            Engine::Mariadb => &["mysql", "mariadb"],
        };
        let example = format!("for example \"{}://USER@HOST/DATABASE\"", schemes[0]);
        let address = url.split_once("://").filter(|(scheme, _)| schemes.contains(scheme));
        if !secret::passwords(url).is_empty() {
            let variable = if engine == Engine::Postgresql { "PGPASSWORD" } else { "MYSQL_PWD" };
            let message =
                "a password does not belong in an experiment, which is stored with its results".to_owned();
            let help = format!("take it out, and put it into the environment variable {variable}");
            self.fault(path, message, "holds a password", help);
        } else if address.is_none() {
            let message = format!("this is not the address of a {engine} server");
            self.fault(path, message, "", format!("write {example}"));
        } else if address.is_some_and(|(_, rest)| rest.is_empty()) {
            self.fault(path, "the address names no server".to_owned(), "", format!("write {example}"));
        }
    }
}
