//! What shrinks of backups, scans and neighbours.

use std::time::Duration;

use super::{
    INSTANCES, MEASURE_MIN, RAMP_UP_MIN, part, scale_levels, scale_time, scale_times, scale_warehouses,
    shrink,
};
use crate::units::Size;
use crate::workload::{Backup, Neighbour};

/// Fewer rows lie in too few pages for a share of 0.01 % to be one.
const ROWS_MIN: u32 = 100_000;
/// Shorter, and a backup would begin while the last one ends.
const INTERVAL_MIN: Duration = Duration::from_secs(2);
/// Half of a neighbour's measuring must hold a backup.
const NEIGHBOUR_MEASURE_MIN: Duration = Duration::from_secs(10);
const LIMIT_MIN: Size = Size(2 << 20);

pub(super) fn scale_backup(backup: &mut Backup, factor: f64, changes: &mut Vec<String>) {
    scale_warehouses(&mut backup.warehouses, factor, changes);
    let alone = backup.virtual_users.contains(&0);
    let mut users: Vec<u32> = backup.virtual_users.iter().copied().filter(|users| *users > 0).collect();
    if !users.is_empty() {
        scale_levels(&mut users, factor.sqrt(), "virtual users", changes);
    }
    backup.virtual_users = alone.then_some(0).into_iter().chain(users).collect();
    scale_time(&mut backup.ramp_up, factor, RAMP_UP_MIN, "ramp-up", changes);
    scale_time(&mut backup.pause, factor, Duration::ZERO, "the pause", changes);
}

pub(super) fn scale_rows(rows: &mut u32, factor: f64, changes: &mut Vec<String>) {
    let scaled = (f64::from(*rows) * factor).round() as u32;
    shrink(rows, scaled.max(ROWS_MIN), "rows of a table", u32::to_string, changes);
}

pub(super) fn scale_neighbour(neighbour: &mut Neighbour, factor: f64, changes: &mut Vec<String>) {
    scale_warehouses(&mut neighbour.warehouses, factor, changes);
    let users = part(neighbour.virtual_users, factor.sqrt());
    shrink(&mut neighbour.virtual_users, users, "virtual users", u32::to_string, changes);
    // Hours as written: shrunk as other times they would be many minutes for each of five arms.
    let floors = [RAMP_UP_MIN, NEIGHBOUR_MEASURE_MIN.max(MEASURE_MIN)];
    let of_neighbours = factor.powf(4.0 / 3.0);
    scale_times(&mut neighbour.ramp_up, &mut neighbour.measure, of_neighbours, floors, changes);
    scale_time(&mut neighbour.interval, factor, INTERVAL_MIN, "the interval", changes);
    if let Some(limit) = &mut neighbour.limit {
        // Times shrink less than sizes: a limit that shrank as the sizes do would be lower in relation.
        let bytes = (limit.0 as f64 * factor.powf(0.25)).round() as u64;
        shrink(limit, Size((bytes >> 10 << 10).max(LIMIT_MIN.0)), "the limit", Size::to_string, changes);
    }
    let Some(most) = INSTANCES.iter().find(|(at, _)| factor <= *at).map(|(_, most)| *most) else { return };
    if let Some(away) = &mut neighbour.victims_taken_away {
        // As large a part as was taken away before, and one at least.
        let scaled = f64::from(*away) * f64::from(most) / f64::from(neighbour.victims.max(1));
        *away = (scaled.round() as u32).clamp(1, most.max(2) - 1).min(*away);
    }
    shrink(&mut neighbour.neighbours, (most / 2).max(1), "neighbours", u32::to_string, changes);
    shrink(&mut neighbour.victims, most, "victims", u32::to_string, changes);
}
