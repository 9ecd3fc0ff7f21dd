//! `--hosts`: several machines at one run.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use fleet::{Coordinator, Hosts, Launch, Limits, Live};
use lab::{Interrupt, Led, Terms};

use crate::console::Console;
use crate::destroy::DestroyArgs;
use crate::exit::{Coded, Exit};

/// The program that runs a command on another host. It must not ask for a password: nobody could answer.
const SSH: &str = "ssh -o BatchMode=yes";
/// In place of hosts: the ranks of MPI.
const MPI: &str = "mpi";
/// drivetrain on a host, as its PATH finds it.
const PROGRAM: &str = "drivetrain";
/// The longest silence of a rank, s.
const SILENCE_S: u64 = 30;
/// The verb of a rank.
const WORKER: &str = "worker";

/// Hosts and the way to them.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct HostsArgs {
    /// Run on several hosts at once, one rank each: a,b,c over ssh, localhost:4 for four processes of this
    /// machine, or mpi under mpirun or srun (a build with MPI)
    #[arg(long, value_name = "HOSTS")]
    hosts: Option<String>,

    /// The command that runs a program on a host: HOST and the program follow
    #[arg(long, value_name = "COMMAND", env = "DRIVETRAIN_SSH", default_value = SSH, requires = "hosts")]
    ssh: String,

    /// drivetrain on the hosts (default: `drivetrain` in their PATH)
    #[arg(long, value_name = "PROGRAM", default_value = PROGRAM, requires = "hosts")]
    program: String,

    /// A rank that sends nothing for this time has failed. Twice this time, at least 10 s, is the limit for
    /// its first message, and for the silence of this command, after which a rank ends its load
    #[arg(long, value_name = "SECONDS", default_value_t = SILENCE_S, requires = "hosts", value_parser = clap::value_parser!(u64).range(2..=3600))]
    silence: u64,
}

impl HostsArgs {
    /// True if several hosts are asked for.
    pub(crate) fn are_given(&self) -> bool {
        self.hosts.is_some()
    }

    /// The same with another command that runs a program on a host.
    pub(crate) fn by(&self, ssh: &str) -> HostsArgs {
        HostsArgs { ssh: ssh.to_owned(), ..self.clone() }
    }

    /// The same on other hosts.
    pub(crate) fn on(&self, hosts: &str) -> HostsArgs {
        HostsArgs { hosts: Some(hosts.to_owned()), ..self.clone() }
    }

    /// The options as they are given, those that differ from the usual.
    pub(crate) fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        let mut add = |option: &str, value: &str| options.extend([option.to_owned(), value.to_owned()]);
        self.hosts.iter().for_each(|hosts| add("--hosts", hosts));
        if self.ssh != SSH {
            add("--ssh", &self.ssh);
        }
        if self.program != PROGRAM {
            add("--program", &self.program);
        }
        if self.silence != SILENCE_S {
            add("--silence", &self.silence.to_string());
        }
        options
    }

    /// The hosts.
    ///
    /// # Errors
    /// Exit code 2 for a faulty list, and for the ranks of MPI, which only they know.
    pub(crate) fn read(&self) -> anyhow::Result<Option<Hosts>> {
        if self.hosts.as_deref() == Some(MPI) {
            return Err(Coded::usage("--hosts mpi: the ranks are known under mpirun alone; name the hosts"));
        }
        let hosts = self.hosts.as_deref().map(Hosts::read).transpose();
        hosts.map_err(|error| Coded::usage(error.to_string()))
    }

    /// The ranks of the run, as far as they are known before they are started.
    ///
    /// # Errors
    /// Exit code 2 for a faulty list, and for MPI in a build without it.
    pub(crate) fn ranks(&self, console: &Console) -> anyhow::Result<Ranks> {
        if self.hosts.as_deref() == Some(MPI) {
            return of_mpi::ranks(console);
        }
        Ok(self.read()?.map_or(Ranks::None, Ranks::Processes))
    }

    /// The same hosts and ways as a run was started by, but for what is given now.
    pub(crate) fn or_as_before(&self, before: &BTreeMap<String, String>) -> HostsArgs {
        if self.are_given() {
            return self.clone();
        }
        let known = |key: &str, now: &str| before.get(key).map_or(now.to_owned(), String::clone);
        HostsArgs {
            hosts: before.get("hosts").cloned(),
            ssh: known("ssh", &self.ssh),
            program: known("program", &self.program),
            silence: self.silence,
        }
    }

    /// Starts the ranks; `None` without hosts. They end with the result.
    ///
    /// # Errors
    /// Those of a rank that cannot be started, says nothing, or is of another version.
    pub(crate) fn start(
        &self,
        ranks: Ranks,
        (notebook, destroy): (&Path, &DestroyArgs),
        interrupt: &Interrupt,
        console: &Console,
    ) -> anyhow::Result<Option<Led>> {
        let (connections, hosts, is_local) = match ranks {
            Ranks::None | Ranks::Served(_) => return Ok(None),
            Ranks::Processes(hosts) => {
                let is_local = hosts.0.iter().all(fleet::Host::is_local);
                (fleet::start_ranks(&hosts, &self.launch()?)?, hosts.to_string(), is_local)
            }
            Ranks::Connected(connections) => (connections, MPI.to_owned(), true),
        };
        let limits = Limits::of(Duration::from_secs(self.silence));
        let watch = Starting { interrupt, console };
        let coordinator =
            Coordinator::assemble(connections, &build(), limits, &watch).map_err(|error| match error {
                fleet::FleetError::Stopped { .. } => Coded::interrupted(error.to_string()),
                other => other.into(),
            })?;
        let (size, plural) = (coordinator.size(), if coordinator.size() == 1 { "" } else { "s" });
        console.note(&format!("fleet of {size} rank{plural}: {hosts}"));
        if size == 1 && hosts == MPI {
            console.warn(
                "MPI has one rank; start several with mpirun: mpirun -n 4 drivetrain run ... --hosts mpi",
            );
        }
        let facts = [("hosts", hosts), ("ssh", self.ssh.clone()), ("program", self.program.clone())];
        Ok(Some(Led {
            coordinator,
            terms: Terms {
                destroy: destroy.destroy.clone(),
                overwrite: destroy.overwrite.clone(),
                notebook: notebook_of_ranks(is_local, notebook),
            },
            started_by: facts.map(|(key, value)| (key.to_owned(), value)).into(),
        }))
    }

    /// The command that starts a rank.
    ///
    /// # Errors
    /// Exit code 2 for an empty command.
    pub(crate) fn launch(&self) -> anyhow::Result<Launch> {
        let remote: Vec<String> = self.ssh.split_whitespace().map(str::to_owned).collect();
        if remote.is_empty() {
            return Err(Coded::usage("--ssh: give a command, for example --ssh ssh"));
        }
        let own = std::env::current_exe()?.display().to_string();
        let program = self.program.clone();
        Ok(Launch { remote, local_program: own, remote_program: program, arguments: vec![WORKER.to_owned()] })
    }
}

/// The build of this program: ranks of another one measure something else.
pub(crate) fn build() -> String {
    format!("drivetrain {} ({})", env!("CARGO_PKG_VERSION"), env!("DRIVETRAIN_COMMIT"))
}

/// The notebooks of the ranks are beside that of the lead where all are processes of this machine or of MPI,
/// and in the directory in which the ranks start elsewhere.
fn notebook_of_ranks(is_local: bool, notebook: &Path) -> String {
    let stem = notebook.file_stem().unwrap_or_default().to_string_lossy().replace(['{', '}'], "");
    let name = format!("{stem}.rank-{{rank}}.db");
    match is_local {
        true => notebook.with_file_name(name).display().to_string(),
        false => name,
    }
}

/// The ranks of a run.
pub(crate) enum Ranks {
    /// The run is of this process alone.
    None,
    /// Processes that are to be started.
    Processes(Hosts),
    /// Ranks that are there already.
    #[cfg_attr(not(feature = "mpi"), allow(dead_code, reason = "only MPI starts ranks before the lead"))]
    Connected(fleet::Connections),
    /// This process was a rank itself, and has ended.
    #[cfg_attr(not(feature = "mpi"), allow(dead_code, reason = "only MPI starts ranks by the same command"))]
    Served(Exit),
}

impl Ranks {
    /// Their number; `None` for a run of one process.
    pub(crate) fn size(&self) -> Option<u32> {
        match self {
            Ranks::None | Ranks::Served(_) => None,
            Ranks::Processes(hosts) => Some(hosts.size()),
            Ranks::Connected(connections) => Some(connections.size()),
        }
    }
}

#[cfg(feature = "mpi")]
mod of_mpi {
    use std::thread::JoinHandle;

    use fleet::mpi::Place;

    use super::*;
    use crate::verbs::worker;

    /// The rank in the process of the lead; it is waited for.
    struct Own(Option<JoinHandle<()>>);

    impl Drop for Own {
        fn drop(&mut self) {
            self.0.take().map(JoinHandle::join);
        }
    }

    /// Takes this process's place: as the lead with its rank, or as another rank until its end.
    pub(super) fn ranks(console: &Console) -> anyhow::Result<Ranks> {
        match fleet::mpi::join()? {
            Place::Rank(pipe, _carrier) => {
                Ok(Ranks::Served(worker::over((pipe.try_clone()?, pipe), console)?))
            }
            Place::Lead(connections, pipe) => {
                let (from, to, end) = (pipe.try_clone()?, pipe.try_clone()?, pipe);
                let own = std::thread::spawn(move || {
                    worker::beside_lead((from, to));
                    let _ = end.shutdown(std::net::Shutdown::Both); // A pipe that is closed is closed.
                });
                Ok(Ranks::Connected(connections.keeping(Own(Some(own)))))
            }
        }
    }
}

#[cfg(not(feature = "mpi"))]
mod of_mpi {
    use super::*;

    /// Refuses.
    pub(super) fn ranks(_: &Console) -> anyhow::Result<Ranks> {
        Err(Coded::usage(
            "--hosts mpi: this build has no MPI; build it with --features mpi, or name the hosts: a,b,c over ssh",
        ))
    }
}

/// Watches while the ranks are started.
struct Starting<'a> {
    interrupt: &'a Interrupt,
    console: &'a Console,
}

impl fleet::Watch for Starting<'_> {
    fn live(&self, _: u32, _: Live) {}

    fn loading(&self, _: &str, _: f64) {}

    fn told(&self, host: &str, _: bool, text: &str) {
        self.console.warn(&format!("{host}: {text}"));
    }

    fn stops(&self) -> Option<bool> {
        self.interrupt.requested().then(|| self.interrupt.at_once())
    }
}
