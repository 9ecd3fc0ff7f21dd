//! `drivetrain fleet command`: the command lines that start a run on several hosts. None of them is started:
//! the options of schedulers differ from site to site.

use clap::{Args, Subcommand, ValueEnum};
use fleet::{Host, Hosts};
use words::shell;

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::hosts::HostsArgs;

/// Arguments of `fleet`.
#[derive(Debug, Args)]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print the commands that start the ranks of a run
    Command(CommandArgs),
}

/// Arguments of `fleet command`.
#[derive(Debug, Args)]
struct CommandArgs {
    /// The command that starts the ranks
    #[arg(long, value_enum, default_value_t = By::Ssh)]
    by: By,

    #[command(flatten)]
    hosts: HostsArgs,

    /// The arguments of `run`: the experiment and its options
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "RUN")]
    run: Vec<String>,
}

/// The command that starts a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// ssh, or the command of --ssh; the commands of the ranks follow as comments
    Ssh,
    /// mpirun, with a build that has MPI
    Mpirun,
    /// srun, in an allocation of Slurm
    Srun,
    /// kubectl exec, on pods of a manifest that is printed
    Kubernetes,
    /// mpirun in an MPIJob of Kubeflow, whose manifest is printed
    Mpijob,
}

/// srun as a command that runs a program on a host; the name of the host follows.
const SRUN: &str = "srun --quiet --nodes=1 --ntasks=1 --overlap --unbuffered --nodelist";
/// Pods that do nothing until a rank is started on them; `{ranks}` is their number.
const PODS: &str = include_str!("fleet/pods.yaml");
/// A job whose workers are the ranks: `{ranks}` is their number, `{arguments}` the list of those of mpirun.
const MPIJOB: &str = include_str!("fleet/mpijob.yaml");

/// Prints command lines.
pub(crate) fn fleet(args: &FleetArgs, console: &Console) -> anyhow::Result<Exit> {
    let What::Command(asked) = &args.what;
    let Some(hosts) = asked.hosts.read()? else {
        return Err(Coded::usage("fleet command: give the hosts, for example --hosts a,b,c"));
    };
    console.raw(&match asked.by {
        By::Ssh => format!("{}\n{}", run(asked, &asked.hosts), ranks(asked, &hosts)?),
        By::Mpirun => {
            let names: Vec<&str> = hosts.0.iter().map(|host| host.0.as_str()).collect();
            let ranks = format!("mpirun -n {} --host {}", hosts.size(), names.join(","));
            format!("{ranks} {}", run(asked, &asked.hosts.on("mpi")))
        }
        By::Srun => run(asked, &asked.hosts.by(SRUN)),
        By::Kubernetes => {
            let pods = PODS.replace("{ranks}", &hosts.size().to_string());
            let names: Vec<String> = (0..hosts.size()).map(|rank| format!("drivetrain-{rank}")).collect();
            let on_pods = asked.hosts.on(&names.join(",")).by("./on-pod");
            format!("{pods}# {}", run(asked, &on_pods))
        }
        By::Mpijob => mpijob(asked, hosts.size())?,
    });
    Ok(Exit::Done)
}

/// The command of the lead.
fn run(asked: &CommandArgs, hosts: &HostsArgs) -> String {
    format!("drivetrain run {} {}", quoted(&asked.run), quoted(&hosts.options()))
}

/// A manifest; a list of JSON is one of YAML, but for characters that YAML does not print.
fn mpijob(asked: &CommandArgs, ranks: u32) -> anyhow::Result<String> {
    let ranks = ranks.to_string();
    let words = ["-n", &ranks, "--wdir", "/data", "drivetrain", "run"].map(str::to_owned);
    let words = words.into_iter().chain(asked.run.iter().cloned()).chain(asked.hosts.on("mpi").options());
    // Kubernetes replaces `$(NAME)`, and reads `$$` as `$`.
    let words: Vec<String> = words.map(|word| word.replace('$', "$$")).collect();
    let is_printed = |c: char| {
        c == '\u{ad}' || !(('\u{7f}'..='\u{a0}').contains(&c) || "\u{2028}\u{2029}\u{feff}".contains(c))
    };
    let escaped = |c: char| if is_printed(c) { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) };
    let arguments: String = serde_json::to_string(&words)?.chars().map(escaped).collect();
    // The arguments last: they may contain braces.
    Ok(MPIJOB.trim_end().replace("{ranks}", &ranks).replace("{arguments}", &arguments))
}

/// The commands of the ranks, as comments.
fn ranks(asked: &CommandArgs, hosts: &Hosts) -> anyhow::Result<String> {
    let launch = asked.hosts.launch()?;
    let line = |(rank, host): (u32, &Host)| format!("# rank {rank}: {}", quoted(&launch.command(host)));
    Ok((0..).zip(&hosts.0).map(line).collect::<Vec<_>>().join("\n"))
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| shell::word(word)).collect::<Vec<_>>().join(" ")
}
