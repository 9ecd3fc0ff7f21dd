//! What can be simulated: whatever the model has no answer for is refused before anything runs, with the reason and what to do.

use experiment::{
    Backup, Block, BlockEngine, Experiment, Home, Method, Mitigation, Neighbour, NeighbourKind, OneOrMix,
    Pacing, Pattern, Size, Stream, Tpcc, Workload,
};

use crate::LabError;

/// Refuses the first workload that the model has no honest answer for.
pub(super) fn check(experiment: &Experiment) -> Result<(), LabError> {
    for workload in &experiment.workload {
        let refused = match workload {
            Workload::Tpcc(tpcc) => order_entry(tpcc),
            Workload::Backup(backup) => of_backup(backup),
            Workload::Neighbour(neighbour) => of_neighbour(neighbour),
            Workload::Durability(_) => Some((
                "durability is not simulated: what an engine has on its drive when it crashes is its own code's doing, and a model of it would prove nothing",
                "run it on emulated storage, where the power is cut under a real engine",
            )),
            Workload::Fragmentation(_) => Some((
                "fragmentation is not simulated: the model's drives do not know where the pieces of a file lie",
                "run it on real storage: --storage BED=PATH",
            )),
            Workload::Block(block) => of_block(block),
            Workload::Sysbench(_) => Some((
                "sysbench is not simulated: no study in the data prints a number of it, so the processor time of its statements is fitted to nothing",
                "run it on emulated or real storage: --storage BED=PATH",
            )),
            Workload::Scan(_) => Some((
                "scans against lookups are not simulated: the printed times are of another engine's plans, and which plan reads how is an engine's own",
                "run it on emulated or real storage; `drivetrain published IOD` simulates the printed scans",
            )),
        };
        if let Some((what, fix)) = refused {
            return Err(LabError::Experiment {
                what: format!("workload `{}`: {what}", workload.name()),
                place: format!("[[workload]] of kind {}", workload.kind()),
                fix: fix.to_owned(),
            });
        }
    }
    Ok(())
}

/// What cannot be simulated, and what to do instead.
type Refused = Option<(&'static str, &'static str)>;

fn order_entry(tpcc: &Tpcc) -> Refused {
    if tpcc.home == Home::Fixed {
        return Some((
            "users with a warehouse of their own are not simulated: the model's buffer pool knows users that are spread over all warehouses",
            "set workload.home=all, or run it on emulated or real storage",
        ));
    }
    if matches!(tpcc.pacing, Pacing::ArrivalsPerSecond(_)) {
        return Some((
            "arrivals at a rate are not simulated",
            "set workload.pacing=none or keyed, or run it on emulated or real storage",
        ));
    }
    None
}

fn of_backup(backup: &Backup) -> Refused {
    if backup.method == Method::Logical || backup.compress {
        return Some((
            "the model knows backups of files as they are: what a dump or a compression costs the processor was fitted to nothing",
            "set workload.method=physical and workload.compress=false, or run it on emulated or real storage",
        ));
    }
    if backup.target.is_some() {
        return Some((
            "a target on other storage is not simulated: a simulated bed has one storage",
            "leave workload.target out, or run it on emulated or real storage",
        ));
    }
    if backup.virtual_users.iter().any(|&users| users > 0) {
        return Some((
            "users on the database that is backed up are not simulated; backups of other machines beside users are",
            "set workload.virtual_users=[0], or see kingston-dc1500m/test-5",
        ));
    }
    None
}

fn of_block(block: &Block) -> Refused {
    let elsewhere = "run it on emulated or real storage";
    let (main, burst) = (super::block::main_stream(block), super::block::burst_stream(block));
    let expected = usize::from(main.is_some()) + usize::from(burst.is_some());
    if main.is_none() || block.streams.len() != expected {
        return Some((
            "several streams side by side are not simulated, but for page writes in bursts beside one other stream",
            elsewhere,
        ));
    }
    if burst.is_some_and(|stream| stream.read.0 > 0.0 || stream.block_size != OneOrMix::One(Size(8192))) {
        return Some(("bursts of anything but writes of 8KiB are not simulated", elsewhere));
    }
    let is_special = |stream: &Stream| {
        stream.target.is_some()
            || stream.write_block_size.is_some()
            || stream.discard.is_some()
            || stream.think.is_some()
            || stream.fsync.or(stream.fdatasync).is_some()
            || stream.write_through
            || stream.rate.is_some()
            || matches!(stream.pattern, Pattern::Stride(_) | Pattern::Backward(_) | Pattern::Zones(_))
    };
    if block.streams.iter().any(is_special) {
        return Some((
            "the simulation knows sequential and random streams at a depth or a rate; flushes, discards, pauses, targets and strides it does not",
            elsewhere,
        ));
    }
    if block.find.is_some() || !block.paths.is_empty() || block.engine == BlockEngine::Null || block.verify {
        return Some(("searches, files by name and verification are not simulated", elsewhere));
    }
    None
}

fn of_neighbour(neighbour: &Neighbour) -> Refused {
    if matches!(neighbour.neighbour, NeighbourKind::Block | NeighbourKind::Scan) {
        return Some((
            "a neighbour that streams or scans is not simulated",
            "set workload.neighbour=backup, database or idle, or run it on emulated or real storage",
        ));
    }
    if matches!(neighbour.mitigation, Some(Mitigation::IdleIo | Mitigation::Weight)) {
        return Some((
            "what a scheduler's weights do is not simulated: the model has no kernel",
            "set workload.mitigation=rate-limit, or run it on emulated or real storage",
        ));
    }
    None
}
