//! The old notebooks: one short run of every kind of workload, measured once by the build that keeps the set.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};

use super::ask::Program;

/// One run: the notebook's name, the realm, the experiment's `[database]` and its `[[workload]]`.
struct Run {
    name: &'static str,
    realm: &'static str,
    database: &'static str,
    workload: &'static str,
}

const SQLITE: &str = "[database]\nengine = \"sqlite\"\nmemory = \"16MiB\"";
const POSTGRESQL: &str = "[database]\nengine = \"postgresql\"\nmemory = \"32MiB\"";
const MARIADB: &str = "[database]\nengine = \"mariadb\"\nmemory = \"64MiB\"";

const ORDER_ENTRY: &str =
    "kind = \"tpcc\"\nwarehouses = 1\nvirtual_users = [1, 2]\nramp_up = \"200ms\"\nmeasure = \"2s\"";

/// One of every kind, and of every engine.
const RUNS: &[Run] = &[
    Run { name: "simulated", realm: "simulated", database: SQLITE, workload: ORDER_ENTRY },
    Run { name: "order-entry-sqlite", realm: "emulated", database: SQLITE, workload: ORDER_ENTRY },
    Run { name: "order-entry-postgresql", realm: "emulated", database: POSTGRESQL, workload: ORDER_ENTRY },
    Run { name: "order-entry-mariadb", realm: "emulated", database: MARIADB, workload: ORDER_ENTRY },
    Run {
        name: "sysbench",
        realm: "emulated",
        database: POSTGRESQL,
        workload: "kind = \"sysbench\"\ntest = \"oltp_read_write\"\ntables = 1\nrows = 1000\nthreads = [1, 2]\nramp_up = \"200ms\"\nmeasure = \"2s\"",
    },
    Run {
        name: "durability",
        realm: "emulated",
        database: SQLITE,
        workload: "kind = \"durability\"\nwarehouses = 1\nvirtual_users = 2\nload_for = \"1s\"\nrounds = 3\ncrash = \"power\"",
    },
    Run {
        name: "block",
        realm: "emulated",
        database: "",
        workload: "kind = \"block\"\nsize = \"256MiB\"\ndepth = [1, 8]\nramp_up = \"100ms\"\nmeasure = \"2s\"\n[[workload.stream]]\nread = \"70%\"\nblock_size = \"8KiB\"",
    },
    Run {
        name: "backup",
        realm: "emulated",
        database: SQLITE,
        workload: "kind = \"backup\"\nwarehouses = 1\ncycles = 2\nvirtual_users = [0, 1]\nramp_up = \"200ms\"",
    },
    Run {
        name: "scan",
        realm: "emulated",
        database: SQLITE,
        workload: "kind = \"scan\"\nrows = 20000\nselectivity = [\"0.1%\", \"1%\", \"10%\", \"100%\"]",
    },
    Run {
        name: "fragmentation",
        realm: "emulated",
        database: SQLITE,
        workload: "kind = \"fragmentation\"\nrows = 20000\nfragments = [\"1MiB\", \"64KiB\"]",
    },
    Run {
        name: "neighbour",
        realm: "emulated",
        database: SQLITE,
        workload: "kind = \"neighbour\"\nvictims = 2\nwarehouses = 1\nvirtual_users = 1\nramp_up = \"200ms\"\nmeasure = \"2s\"\nneighbour = \"database\"\nneighbours = 1\narms = [\"alone\", \"together\", \"with-neighbour\"]",
    },
];

/// Measures the runs into `folder`; for the small set the simulated one alone. A notebook that is there is
/// kept as it is.
///
/// # Errors
/// When a run fails, or a notebook cannot be written.
pub(super) fn measure(program: &Program, folder: &Path, small: bool) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    for run in RUNS.iter().filter(|run| !small || run.realm == "simulated") {
        let kept = folder.join(run.name).with_extension("db");
        if kept.exists() {
            continue;
        }
        let place = program.folder()?;
        fs::write(place.join("run.toml"), run.text()).context("writing an experiment")?;
        let call = ["run", "run.toml", "--realm", run.realm, "--seed", "7", "--report", "/dev/null"];
        let (code, _, stderr) = program.run(&place, &call.map(str::to_owned))?;
        if code != 0 {
            bail!("{} ended with {code}:\n{stderr}", run.name);
        }
        let made = place.join("drivetrain.db");
        fs::copy(&made, &kept)
            .with_context(|| format!("copying {} to {}", made.display(), kept.display()))?;
    }
    Ok(())
}

impl Run {
    /// The experiment: two beds on modelled drives, or one on this machine's storage for the kinds that need
    /// it.
    fn text(&self) -> String {
        let storages: &[(&str, &str)] = match self.name {
            "fragmentation" => &[("here", "{ real = \".\" }")],
            "durability" => &[("nvme", "{ emulated = \"kingston-dc1500m-960g\", path = \".\" }")],
            _ => &[
                ("nvme", "{ emulated = \"kingston-dc1500m-960g\", path = \".\" }"),
                ("sata", "{ emulated = \"micron-5200-eco-1920g\", path = \".\" }"),
            ],
        };
        let mut text = format!("schema = 1\ntitle = \"Kept: {}\"\n", self.name);
        for (name, storage) in storages {
            text += &format!("\n[[bed]]\nname = \"{name}\"\nstorage = {storage}\n");
        }
        text += &format!("\n{}\n\n[[workload]]\n{}\n\n[design]\nrepeats = 2\n", self.database, self.workload);
        if storages.len() > 1 {
            text += "treatment = [\"storage\"]\n";
        }
        text
    }
}
