//! The same check on a server.

use futures_util::future::try_join_all;

use super::conditions::{CONDITIONS, FIXED_ROWS, SUMMARIES, Summary};
use super::{CHECKERS_MAX, Condition, SET_MAX, Stage, empty, for_warehouses, incomplete, merge, question};
use crate::admin::{Admin, Server, TextRow, blocking_until, blocking_while_it_answers};
use crate::error::OltpError;
use crate::tpcc::load::loaded::Loaded;
use crate::until::Until;

/// Checkers that run at the same time: the work is the server's.
const CHECKERS: u32 = 2;

pub(crate) fn check(server: impl Server, stage: Stage, until: &Until) -> Result<Vec<Condition>, OltpError> {
    let checking = async {
        let mut admin = Admin::enter(server).await?;
        let loaded = Loaded::ask(&mut admin).await?;
        admin.leave().await;
        lanes(server, stage, &loaded).await
    };
    blocking_until(server, || until.is_over(), checking)
}

/// The same for a database that bears no note of a load.
pub(crate) fn check_loaded(
    server: impl Server,
    stage: Stage,
    loaded: &Loaded,
) -> Result<Vec<Condition>, OltpError> {
    blocking_while_it_answers(server, lanes(server, stage, loaded))
}

async fn lanes(server: impl Server, stage: Stage, loaded: &Loaded) -> Result<Vec<Condition>, OltpError> {
    let checkers = CHECKERS.min(CHECKERS_MAX as u32).min(loaded.warehouses);
    let set = loaded.warehouses.div_ceil(checkers).min(SET_MAX);
    let lanes = (0..checkers).map(|lane| check_lane(server, stage, loaded, set, lane, checkers));
    let mut total = empty(stage);
    for part in try_join_all(lanes).await? {
        merge(&mut total, part);
    }
    Ok(total)
}

/// Every `lanes`-th set of warehouses.
async fn check_lane<S: Server>(
    server: S,
    stage: Stage,
    loaded: &Loaded,
    set: u32,
    lane: u32,
    lanes: u32,
) -> Result<Vec<Condition>, OltpError> {
    let mut admin = Admin::enter(server).await?;
    admin.run("getting ready for the check", S::CHECK_SESSION).await?;
    let mut total = empty(stage);
    let firsts = (1..=loaded.warehouses).step_by(set as usize).skip(lane as usize).step_by(lanes as usize);
    for first in firsts {
        let last = (first + set - 1).min(loaded.warehouses);
        merge(&mut total, check_set(&mut admin, stage, loaded, first, last).await?);
    }
    admin.leave().await;
    Ok(total)
}

async fn check_set<S: Server>(
    admin: &mut Admin<S>,
    stage: Stage,
    loaded: &Loaded,
    first: u32,
    last: u32,
) -> Result<Vec<Condition>, OltpError> {
    for Summary { name, key, content } in SUMMARIES {
        let content = for_warehouses(content, first, last);
        for sql in S::summary(name, key, &content) {
            admin.run("summing up for the check", &sql).await?;
        }
    }
    let mut found = empty(stage);
    let text = S::TEXT_TYPE;
    for (condition, source) in found.iter_mut().zip(CONDITIONS.iter().filter(|source| source.applies(stage)))
    {
        let rows = admin.rows("checking a condition", &question(source, loaded, text, first, last)).await?;
        (condition.violations, condition.detail) = (number(&rows, 0), text_of(&rows, 1));
    }
    let rows = admin.rows("counting warehouses", &for_warehouses(FIXED_ROWS, first, last)).await?;
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
