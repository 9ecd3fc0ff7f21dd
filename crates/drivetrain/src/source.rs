//! From a name or a file to the experiment that is run: overrides, storage, scale.

use clap::Args;
use experiment::{Experiment, Scale};
use ground::{Clock, mix};
use words::ScaleStatement;

use crate::console::Console;
use crate::exit::Coded;
use crate::input;
use crate::job_file;

/// The experiment, and its changes before the run.
#[derive(Clone, Debug, Args)]
pub(crate) struct SourceArgs {
    #[arg(help = format!(
        "Experiment file, {}, or the name of a built-in experiment (`drivetrain init --list`)",
        job_file::forms(", "),
    ))]
    pub(crate) experiment: String,

    /// Shrink warehouses, users, bytes and times together: tiny, small, full, or a factor such as 0.01
    #[arg(long, value_name = "SCALE", default_value = "full")]
    pub(crate) scale: String,

    /// Override one value of the file, for example --set design.repeats=3 (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Put a bed on real storage, for example --storage nvme=/mnt/nvme (may be repeated)
    #[arg(long, value_name = "BED=PATH")]
    pub(crate) storage: Vec<String>,

    /// Compare beds on real storage with beds on modelled drives, which is refused otherwise
    #[arg(long)]
    pub(crate) mixed: bool,

    /// The number of ranks as the level, for example 1,2,4,8: with --hosts, each cell runs on this many ranks
    /// at once, each with the one load of the workload
    #[arg(long, value_name = "RANKS")]
    pub(crate) scale_out: Option<String>,

    /// Seed of the order and of every random stream (default: the file's, else drawn and printed)
    #[arg(long)]
    pub(crate) seed: Option<u64>,
}

/// The experiment as it will run.
pub(crate) struct Resolved {
    pub(crate) name: String,
    pub(crate) experiment: Experiment,
    pub(crate) toml: String,
    pub(crate) scale: f64,
    pub(crate) statement: ScaleStatement,
    pub(crate) seed: u64,
}

impl SourceArgs {
    /// Reads, overrides, checks and scales.
    ///
    /// # Errors
    /// Exit code 2 with the rendered diagnostics for a faulty file, name or override.
    pub(crate) fn resolve(&self, console: &Console) -> anyhow::Result<Resolved> {
        let (name, text) = self.read()?;
        let text = job_file::as_experiment(text, &name, console)?;
        let scale_out = self.scale_out.iter().map(|ranks| format!("fleet.scale_out=[{ranks}]"));
        let settings: Vec<String> = self.set.iter().cloned().chain(scale_out).collect();
        let mut experiment = experiment::parse_with(&text, &name, &settings)
            .map_err(|d| Coded::faulty(d.render(console.color())))?;
        self.each_storage_once()?;
        for storage in &self.storage {
            experiment::use_storage(&mut experiment, storage)
                .map_err(|e| Coded::usage(format!("--storage {storage}: {e}")))?;
        }
        experiment.design.mixed |= self.mixed;
        let scale: Scale =
            self.scale.parse().map_err(|e| Coded::usage(format!("--scale {}: {e}", self.scale)))?;
        let scaled = experiment::scale(&experiment, scale);
        let seed = self.seed.or(scaled.experiment.design.seed).unwrap_or_else(draw_seed);
        let toml = experiment::to_toml(&scaled.experiment);
        // The experiment after overrides and scale must make sense as well, for example still differ in the
        // treatment.
        let made = format!("{name}, as --storage and --scale make it");
        experiment::parse(&toml, &made).map_err(|d| Coded::faulty(d.render(console.color())))?;
        Ok(Resolved {
            name,
            experiment: scaled.experiment,
            toml,
            scale: scaled.scale,
            statement: scaled.statement,
            seed,
        })
    }

    /// Refuses two paths for one bed or one log.
    fn each_storage_once(&self) -> anyhow::Result<()> {
        let bed = |storage: &str| storage.split_once('=').map(|(bed, _)| bed.to_owned());
        for (at, storage) in self.storage.iter().enumerate() {
            let before =
                self.storage[..at].iter().find(|first| bed(first).is_some() && bed(first) == bed(storage));
            if let Some(first) = before {
                return Err(Coded::usage(format!(
                    "--storage {storage}: the storage is given already, by --storage {first}; leave one of them out"
                )));
            }
        }
        Ok(())
    }

    fn read(&self) -> anyhow::Result<(String, String)> {
        if let Some(named) = experiment::find_named(&self.experiment) {
            return Ok((named.name.to_owned(), named.text.to_owned()));
        }
        let path = std::path::Path::new(&self.experiment);
        emulate::fuse::check_answers(path)?;
        if !path.exists() {
            let hint = experiment::suggest_named(&self.experiment)
                .map(|n| format!("; did you mean `{n}`?"))
                .unwrap_or_default();
            return Err(Coded::usage(format!(
                "no file and no built-in experiment `{}`{hint} (`drivetrain init --list` lists them)",
                self.experiment
            )));
        }
        let text = input::text(path)?;
        Ok((self.experiment.clone(), text))
    }
}

/// A seed from the clock: any will do, it is printed and stored.
pub(crate) fn draw_seed() -> u64 {
    // Short enough to type again.
    mix(Clock::Wall.now_ns()) % 1_000_000_007
}
