//! The database: the settings that fit its engine, and addresses of existing servers.

use crate::checker::Checker;
use crate::file::servers_in_words;
use crate::file::{Database, Engine, Experiment, Mode};
use crate::units::Size;
use crate::workload::Workload;
use tomlfile::passwords;
use words::ServerUrl;

/// The memory of a server besides its buffer pool, without which it does not start.
const LIMIT_ABOVE_MEMORY: Size = Size(64 << 20);

impl Checker<'_> {
    pub(super) fn database(&mut self, experiment: &Experiment) {
        let Some(database) = &experiment.database else {
            let mut workloads = experiment.workload.iter().enumerate();
            let needs = |(index, workload): &(usize, &Workload)| {
                workload.uses_database() && !self.is_broken(&format!("workload.{index}.kind"))
            };
            if let Some((index, _)) = workloads.find(needs).filter(|_| !self.is_broken("database")) {
                let kind = experiment.workload[index].kind();
                let help = "add a table [database] with `engine = \"sqlite\"` and `memory = \"32MiB\"`";
                let message = format!("a {kind} workload needs a database, and the file has none");
                self.fault(&format!("workload.{index}.kind"), message, "needs [database]", help);
            }
            return;
        };
        self.memory("database.memory", database.memory);
        self.limits(experiment, database);
        if self.is_broken("database.engine") {
            return;
        }
        if database.mode == Mode::Procedures && !database.engine.is_server() {
            let help = format!("leave `mode` out, or use the engine {}", servers_in_words());
            self.fault("database.mode", format!("{} has no procedures", database.engine), "", help);
        }
        if database.page_cache && !database.engine.is_server() {
            let message =
                format!("{} reads and writes past the kernel's page cache on every drive", database.engine);
            let help = format!("leave `page_cache` out, or use the engine {}", servers_in_words());
            self.fault("database.page_cache", message, "", help);
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

    /// Limits that can be set: of processes of our own, and with room for more than the buffer pool.
    fn limits(&mut self, experiment: &Experiment, database: &Database) {
        let common = ("database".to_owned(), database.cpus, database.memory_limit, Some(database.memory));
        let of_beds = experiment.bed.iter().enumerate().map(|(index, bed)| {
            (format!("bed.{index}"), bed.cpus, bed.memory_limit, experiment.memory_of(bed))
        });
        for (path, cpus, limit, memory) in std::iter::once(common).chain(of_beds) {
            for key in [cpus.map(|_| "cpus"), limit.map(|_| "memory_limit")].into_iter().flatten() {
                self.limited_processes(&format!("{path}.{key}"), experiment, database);
            }
            let least = memory.map(|memory| Size(memory.0.saturating_add(LIMIT_ABOVE_MEMORY.0)));
            if let Some((limit, least)) = limit.zip(least).filter(|(limit, least)| limit < least) {
                let message = format!("{limit} leaves a server too little besides its buffer pool");
                let help = format!(
                    "write {least} at least: `memory` and {LIMIT_ABOVE_MEMORY} for processes and page cache"
                );
                self.fault(&format!("{path}.memory_limit"), message, "", help);
            }
        }
    }

    fn limited_processes(&mut self, path: &str, experiment: &Experiment, database: &Database) {
        if !database.engine.is_server() && !self.is_broken("database.engine") {
            let message =
                format!("{} runs inside this program and has no processes to limit", database.engine);
            let help = format!("leave it out, or use the engine {}", servers_in_words());
            self.fault(path, message, "", help);
        } else if experiment.bed.iter().any(|bed| experiment.url_of(bed).is_some()) {
            let message = "a server that this program did not start is not limited by it".to_owned();
            let help = "leave it out, or leave `url` out: the run then starts servers of its own";
            self.fault(path, message, "", help);
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
        let Some(scheme) = engine.schemes().first() else {
            let message = format!("{engine} is built in and has no server");
            let help = "leave `url` out; `storage` says where the database lies";
            return self.fault(path, message, "", help);
        };
        let example = format!("for example \"{scheme}://USER@HOST/DATABASE\"");
        let address = url.split_once("://").filter(|(scheme, _)| engine.schemes().contains(scheme));
        if !passwords(url).is_empty() {
            let variable = engine.password_variable();
            let message =
                "a password does not belong in an experiment, which is stored with its results".to_owned();
            let help = format!("take it out, and put it into the environment variable {variable}");
            self.fault(path, message, "holds a password", help);
        } else if address.is_none() {
            let message = format!("this is not the address of a {engine} server");
            self.fault(path, message, "", format!("write {example}"));
        } else if address.is_some_and(|(_, rest)| rest.is_empty()) {
            self.fault(path, "the address names no server".to_owned(), "", format!("write {example}"));
        } else if let Err(faults) = ServerUrl::read(url, engine) {
            for fault in faults {
                self.fault(path, fault, "", format!("write {example}"));
            }
        }
    }
}
