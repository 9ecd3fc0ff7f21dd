//! A run: virtual users on one clock, a ramp-up that is not counted, then the measure phase.

pub(super) mod options;
pub(super) mod outcome;
pub(super) mod pace;
pub(super) mod serve;
mod together;

use database::Instance;

use super::ask::input::World;
use super::ask::terminal::Acknowledged;
use super::data::nurand::Constants;
use super::load::loaded::Noted as _;
use crate::driver::{Control, Phase};
use crate::error::OltpError;
use options::RunOptions;
use outcome::RunOutcome;

/// Hears of every New-Order whose commit has returned, ramp-up included, before the user goes on (3.5.4: the
/// client's success file).
pub(crate) type OnAcknowledged<'a> = &'a (dyn Fn(Acknowledged) + Sync);

/// The work of the users, and the control of the run.
pub(crate) struct Task<'a> {
    pub(crate) options: &'a RunOptions,
    pub(crate) control: &'a Control,
    pub(crate) on_acknowledged: OnAcknowledged<'a>,
    pub(crate) world: World,
}

/// An engine on which users work.
pub(crate) trait Run {
    /// Lets users work on the loaded `instance` of this engine.
    fn run(self, instance: &dyn Instance, task: &Task<'_>) -> Result<RunOutcome, OltpError>;
}

/// Runs the mix on a loaded, running instance.
///
/// Failures under load are part of the outcome: counted by class, or `fatal`.
///
/// # Errors
/// When the run cannot even begin: impossible options, nothing loaded, connections refused.
pub fn run(
    instance: &dyn Instance,
    options: &RunOptions,
    control: &Control,
) -> Result<RunOutcome, OltpError> {
    run_acknowledging(instance, options, control, &|_| {})
}

/// [`run`], which tells `on_acknowledged` of every New-Order whose commit has returned, ramp-up included,
/// before the user goes on (3.5.4: the client's success file).
///
/// # Errors
/// As [`run`].
pub fn run_acknowledging(
    instance: &dyn Instance,
    options: &RunOptions,
    control: &Control,
    on_acknowledged: &(dyn Fn(Acknowledged) + Sync),
) -> Result<RunOutcome, OltpError> {
    let result = begin(instance, options, control, on_acknowledged);
    control.enter(Phase::Done);
    result
}

fn begin(
    instance: &dyn Instance,
    options: &RunOptions,
    control: &Control,
    on_acknowledged: OnAcknowledged<'_>,
) -> Result<RunOutcome, OltpError> {
    database::on_engine!(instance.access(), engine => {
        control.enter(Phase::Preparing);
        let loaded = engine.loaded()?;
        if loaded.warehouses != options.warehouses {
            return Err(OltpError::OtherSize { loaded: loaded.warehouses, asked: options.warehouses });
        }
        let constants = Constants::for_run(options.seed, loaded.c_last);
        let world = World { warehouses: loaded.warehouses, population: loaded.population, constants };
        engine.run(instance, &Task { options, control, on_acknowledged, world })
    })
}

#[cfg(test)]
mod tests;
