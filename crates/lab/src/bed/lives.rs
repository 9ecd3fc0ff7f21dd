//! The check that the servers under a load are still the same ones, and answer at all.

use std::time::Duration;

use database::{DatabaseError, Instance, Life, ServerError};
use ground::Clock;
use oltp::tpcc;
use words::{Reason, Reasons};

use crate::bed::fleet::numbered;

/// A connection that broke is noticed at the first question and made again at the next; a server that
/// recovers may refuse a few.
const ATTEMPTS: u32 = 4;
const PAUSE: Duration = Duration::from_millis(500);

/// The time limit for an answer of a server whose users waited in vain.
const ANSWER_MAX: Duration = Duration::from_secs(10);

/// The reason why an instance that left requests without an answer cannot be checked: it does not answer at
/// all.
pub(crate) fn silent(instances: &[Box<dyn Instance>]) -> Option<Reason> {
    let several = instances.len() > 1;
    instances.iter().enumerate().find_map(|(index, instance)| {
        let error = tpcc::answers(&**instance, ANSWER_MAX).err()?;
        Some(numbered(several, index, Reason::Silent { error: error.to_string() }))
    })
}

/// The present life of an instance; `None` where it has none to tell, or does not tell it.
pub(crate) fn of(instance: &dyn Instance) -> Option<Life> {
    instance.life().ok().flatten()
}

/// The end of an instance's life since `before`. A server that does not answer now is not reported here: its
/// users do that.
pub(crate) fn end_since(instance: &dyn Instance, before: Option<&Life>, clock: &Clock) -> Option<Reason> {
    before?.ended_before(&ask(instance, clock)?)
}

/// The present lives of all instances.
pub(crate) fn of_all(instances: &[Box<dyn Instance>]) -> Vec<Option<Life>> {
    instances.iter().map(|instance| of(&**instance)).collect()
}

/// [`end_since`] of all instances.
pub(crate) fn ends_since(instances: &[Box<dyn Instance>], before: &[Option<Life>], clock: &Clock) -> Reasons {
    let several = instances.len() > 1;
    let ends = instances.iter().zip(before).enumerate().filter_map(|(index, (instance, before))| {
        Some(numbered(several, index, end_since(&**instance, before.as_ref(), clock)?))
    });
    ends.collect()
}

fn ask(instance: &dyn Instance, clock: &Clock) -> Option<Life> {
    for attempt in 1..=ATTEMPTS {
        match instance.life() {
            Ok(life) => return life,
            // Silence was waited for long enough, or nobody waits any more.
            Err(DatabaseError::Server(ServerError::NoAnswer { .. } | ServerError::Stopped { .. })) => {
                return None;
            }
            Err(_) if attempt < ATTEMPTS => clock.sleep(PAUSE),
            Err(_) => {}
        }
    }
    None
}
