//! The cost of a fleet: a fleet of one against the plain run, and four ranks against one process with as many
//! users on one PostgreSQL server. Everything is measured through the program `drivetrain` beside this one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::builds::{answer, number};
use crate::machine;
use crate::options::Options;
use crate::pairs::{Goal, Pairs, Row, interleave, table};
use crate::servers::provision;

/// A fleet of one may cost so much of the plain run's processor time.
const COST_AT_MOST: f64 = 1.01;
/// Four ranks on one server give the throughput of one process within this share: the server is the limit.
const SAME_WITHIN: f64 = 0.05;
const RANKS: u32 = 4;
/// Users of the one server, together.
const USERS: u32 = 16;
const WAREHOUSES: u32 = 8;
const MEMORY_BYTES: u64 = 512 << 20;

/// A run as the program ended it.
struct Ran {
    cell: Value,
    /// Processor time of the program and of all that it waited for, s.
    cpu_s: f64,
}

impl Ran {
    fn figure(&self, metric: &str) -> anyhow::Result<f64> {
        number(&self.cell, &format!("/metrics/{metric}/value"))
    }
}

/// A row of the table from one load.
struct Asked {
    what: &'static str,
    metric: &'static str,
    digits: usize,
    goal: Option<Goal>,
}

const CHEAP: Option<Goal> = Some(Goal::RatioAtMost(COST_AT_MOST));

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let temp = tempfile::Builder::new().prefix("drivetrain-bench-").tempdir_in(&options.dir)?;
    let program = std::env::current_exe()?.with_file_name("drivetrain");
    ensure!(program.exists(), "{} is missing: cargo build --release -p drivetrain", program.display());
    let bench = Bench { program, dir: temp.path(), options };
    let mut text = format!("# A fleet\n\n{}\n\n", machine::describe());
    let (mut rows, mut circumstances) = (Vec::new(), String::new());
    for (name, load) in [("null engine", bench.null_engine()), ("SQLite", bench.order_entry())] {
        let of = |hosts| bench.run(&load.toml, hosts, &[]);
        let runs = interleave(name, options, || of(&["--hosts", "localhost"]), || of(&[]))?;
        circumstances += &format!("{name}: {}", runs.circumstances());
        rows.extend(rows_of(name, &load, &runs)?);
    }
    text += &table("a fleet of one", "the plain run", &rows);
    text += &bench.one_server(&mut circumstances)?;
    if options.smoke {
        circumstances += "These are figures of a smoke test: they mean nothing.\n";
    }
    Ok(format!("{text}\n{circumstances}"))
}

/// An experiment of one cell, and what is compared of it.
struct Load {
    toml: String,
    asked: Vec<Asked>,
    /// The metric of the work by which the processor time of all processes is divided, and its unit in s.
    work: (&'static str, f64),
}

fn rows_of(name: &str, load: &Load, runs: &Pairs<Ran>) -> anyhow::Result<Vec<Row>> {
    let row = |what: &str, digits, goal, of: &dyn Fn(&Ran) -> anyhow::Result<f64>| {
        let pair = |(ours, plain): &(Ran, Ran)| Ok((of(ours)?, of(plain)?));
        let pairs = runs.runs.iter().map(pair).collect::<anyhow::Result<_>>()?;
        Ok(Row { what: what.to_owned(), pairs, digits, goal })
    };
    let asked = load
        .asked
        .iter()
        .map(|asked| row(asked.what, asked.digits, asked.goal, &|ran| ran.figure(asked.metric)));
    // Starting a second process, whose cost a longer run spreads over more work.
    let all = row(&format!("{name}: CPU of all processes, start and end included (s)"), 2, None, &|ran| {
        Ok(ran.cpu_s)
    });
    let (metric, unit_s) = load.work;
    let work = row(&format!("{name}: work per second"), 0, None, &|ran| Ok(ran.figure(metric)? / unit_s));
    asked.chain([all, work]).collect()
}

struct Bench<'a> {
    program: PathBuf,
    dir: &'a Path,
    options: &'a Options,
}

impl Bench<'_> {
    fn times(&self) -> String {
        let measure_ms = (1e3 * self.options.seconds.max(1.0)).round() as u64;
        format!("ramp_up = \"{}ms\"\nmeasure = \"{measure_ms}ms\"\n", measure_ms / 5)
    }

    fn null_engine(&self) -> Load {
        let toml = format!(
            "schema = 1\ntitle = \"Null engine\"\n\n[[bed]]\nname = \"here\"\nstorage = {{ real = \".\" }}\n\n\
             [[workload]]\nkind = \"block\"\nengine = \"null\"\nsize = \"1GiB\"\ndepth = [32]\n{}\
             [[workload.stream]]\nread = \"100%\"\nblock_size = \"4KiB\"\n\n[design]\nrepeats = 1\n",
            self.times()
        );
        let asked = vec![Asked {
            what: "null engine: CPU per I/O (ns)",
            metric: "cpu_per_io",
            digits: 2,
            goal: CHEAP,
        }];
        Load { toml, asked, work: ("iops", 1.0) }
    }

    fn order_entry(&self) -> Load {
        let asked = |what, metric| Asked { what, metric, digits: 1, goal: CHEAP };
        Load {
            toml: self.tpcc("engine = \"sqlite\"\nmemory = \"256MiB\"\nsynchronous = \"off\"", 1, 2),
            asked: vec![asked("SQLite: CPU per transaction (us)", "own_cpu_per_transaction")],
            work: ("nopm", 60.0),
        }
    }

    fn tpcc(&self, database: &str, warehouses: u32, users: u32) -> String {
        format!(
            "schema = 1\ntitle = \"Order entry\"\n\n[[bed]]\nname = \"here\"\nstorage = {{ real = \".\" }}\n\n\
             [database]\n{database}\n\n[[workload]]\nkind = \"tpcc\"\nwarehouses = {warehouses}\n\
             virtual_users = [{users}]\n{}\n[design]\nrepeats = 1\n",
            self.times()
        )
    }

    fn run(&self, toml: &str, hosts: &[&str], secrets: &[(&str, &str)]) -> anyhow::Result<Ran> {
        let work = tempfile::tempdir_in(self.dir)?;
        fs::write(work.path().join("fleet.toml"), toml)?;
        let mut command = Command::new(&self.program);
        command.args(["run", "--quiet", "--json", "--seed=1", "fleet.toml"]).args(hosts);
        command.current_dir(work.path()).envs(secrets.iter().copied());
        let before_s = machine::children_s();
        let document: Value = serde_json::from_str(&answer(command)?)?;
        let cpu_s = machine::children_s() - before_s;
        let cell = document.pointer("/cells/0").context("no cell")?.clone();
        ensure!(cell["state"] == "done", "the cell does not count: {}", cell["reason"]);
        Ok(Ran { cell, cpu_s })
    }

    /// Four ranks and one process with as many users, each on a server and with data of its own: what a run
    /// leaves in the data and the log would slow the next. Each run checks the consistency conditions.
    fn one_server(&self, circumstances: &mut String) -> anyhow::Result<String> {
        let users = if self.options.smoke { RANKS } else { USERS };
        let ranks = format!("localhost:{RANKS}");
        // The server is another program than those that are measured, and takes the processors by intention.
        let beside_server = Options { quiet: false, ..self.options.clone() };
        let of = |hosts: &[&str]| self.on_new_server(hosts, users);
        let runs = interleave("one server", &beside_server, || of(&["--hosts", &ranks]), || of(&[]))?;
        *circumstances += &format!("one server: {}", runs.circumstances());
        let pair = |(fleet, plain): &(Ran, Ran)| Ok((fleet.figure("nopm")?, plain.figure("nopm")?));
        let row = Row {
            what: format!("PostgreSQL, {users} users: NOPM"),
            pairs: runs.runs.iter().map(pair).collect::<anyhow::Result<_>>()?,
            digits: 0,
            goal: Some(Goal::RatioWithin(SAME_WITHIN)),
        };
        Ok(format!("\n{}", table("four ranks on one server", "one process", &[row])))
    }

    /// A run of these users on a PostgreSQL server that is made for it.
    fn on_new_server(&self, hosts: &[&str], users: u32) -> anyhow::Result<Ran> {
        let folder = tempfile::tempdir_in(self.dir)?;
        // The account of the server enters it.
        for folder in [self.dir, folder.path()] {
            fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        }
        let server = provision("postgresql", &folder.path().join("server"), MEMORY_BYTES)?;
        let at = server.endpoint();
        let password = at.password.as_ref().map(|password| password.reveal().to_owned()).unwrap_or_default();
        let database = format!(
            "engine = \"postgresql\"\nmemory = \"512MiB\"\nurl = \"postgresql://{}@127.0.0.1:{}/{}\"",
            at.user, at.port, at.database
        );
        let warehouses = if self.options.smoke { 1 } else { WAREHOUSES };
        self.run(&self.tpcc(&database, warehouses, users), hosts, &[("PGPASSWORD", password.as_str())])
    }
}
