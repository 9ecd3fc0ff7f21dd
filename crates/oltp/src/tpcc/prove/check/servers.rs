//! The same check on a server.

use futures_util::future::try_join_all;

use super::conditions::{CONDITIONS, FIXED_ROWS, SUMMARIES, Summary};
use super::{CHECKERS_MAX, Condition, SET_MAX, Stage, empty, for_warehouses, incomplete, merge, question};
use crate::tpcc::asker::{Asker, Place, TextRow, blocking_until, blocking_while_it_answers};
use crate::tpcc::error::OltpError;
use crate::tpcc::load::loaded::Loaded;
use crate::until::Until;

/// Checkers that run at the same time: the work is the server's.
const CHECKERS: u32 = 2;

pub(super) fn check(place: Place<'_>, stage: Stage, until: &Until) -> Result<Vec<Condition>, OltpError> {
    let checking = async {
        let mut asker = Asker::enter(place).await?;
        let loaded = Loaded::ask(&mut asker).await?;
        asker.leave().await;
        lanes(place, stage, &loaded).await
    };
    blocking_until(place, || until.is_over(), checking)
}

/// The same for a database that bears no note of a load.
pub(crate) fn check_loaded(
    place: Place<'_>,
    stage: Stage,
    loaded: &Loaded,
) -> Result<Vec<Condition>, OltpError> {
    blocking_while_it_answers(place, lanes(place, stage, loaded))
}

async fn lanes(place: Place<'_>, stage: Stage, loaded: &Loaded) -> Result<Vec<Condition>, OltpError> {
    let checkers = CHECKERS.min(CHECKERS_MAX as u32).min(loaded.warehouses);
    let set = loaded.warehouses.div_ceil(checkers).min(SET_MAX);
    let lanes = (0..checkers).map(|lane| check_lane(place, stage, loaded, set, lane, checkers));
    let mut total = empty(stage);
    for part in try_join_all(lanes).await? {
        merge(&mut total, part);
    }
    Ok(total)
}

/// Every `lanes`-th set of warehouses.
async fn check_lane(
    place: Place<'_>,
    stage: Stage,
    loaded: &Loaded,
    set: u32,
    lane: u32,
    lanes: u32,
) -> Result<Vec<Condition>, OltpError> {
    let mut asker = Asker::enter(place).await?;
    asker.run("getting ready for the check", asker.check_session()).await?;
    let mut total = empty(stage);
    let firsts = (1..=loaded.warehouses).step_by(set as usize).skip(lane as usize).step_by(lanes as usize);
    for first in firsts {
        let last = (first + set - 1).min(loaded.warehouses);
        merge(&mut total, check_set(&mut asker, stage, loaded, first, last).await?);
    }
    asker.leave().await;
    Ok(total)
}

async fn check_set(
    asker: &mut Asker,
    stage: Stage,
    loaded: &Loaded,
    first: u32,
    last: u32,
) -> Result<Vec<Condition>, OltpError> {
    for Summary { name, key, content } in SUMMARIES {
        let content = for_warehouses(content, first, last);
        for sql in asker.summary(name, key, &content) {
            asker.run("summing up for the check", &sql).await?;
        }
    }
    let mut found = empty(stage);
    let text = asker.text_type();
    for (condition, source) in found.iter_mut().zip(CONDITIONS.iter().filter(|source| source.applies(stage)))
    {
        let rows = asker.rows("checking a condition", &question(source, loaded, text, first, last)).await?;
        (condition.violations, condition.detail) = (number(&rows, 0), text_of(&rows, 1));
    }
    let rows = asker.rows("counting warehouses", &for_warehouses(FIXED_ROWS, first, last)).await?;
    if let Some(what) = incomplete(first, last, number(&rows, 0) as u32, number(&rows, 1) as u32) {
        // Rows that are gone violate nothing that is said about rows; the sums of condition 1 are where they
        // belong.
        found[0].violations += 1;
        found[0].detail = what;
    }
    Ok(found)
}

fn text_of(rows: &[TextRow], column: usize) -> String {
    rows.first().and_then(|row| row.get(column).cloned().flatten()).unwrap_or_default()
}

fn number(rows: &[TextRow], column: usize) -> u64 {
    text_of(rows, column).parse().unwrap_or_default()
}
