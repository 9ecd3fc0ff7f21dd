//! The kinds of the cells of older notebooks, read from the experiment that each run keeps.

use rusqlite::{Connection, params};
use words::{LevelName, WorkloadKind};

/// Gives every cell without a kind that of its workload: by the experiment of its run, else by the unit of
/// its levels.
pub(crate) fn fill(connection: &Connection) -> rusqlite::Result<()> {
    let mut runs = connection
        .prepare("SELECT id, experiment FROM run WHERE id IN (SELECT run FROM cell WHERE kind = '')")?;
    let runs: Vec<(i64, String)> =
        runs.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    for (run, experiment) in runs {
        for (workload, kind) in named(&experiment) {
            connection.execute(
                "UPDATE cell SET kind = ?3 WHERE run = ?1 AND workload = ?2 AND kind = ''",
                params![run, workload, kind.name()],
            )?;
        }
    }
    for (level, kind) in BY_LEVEL {
        connection.execute(
            "UPDATE cell SET kind = ?2 WHERE kind = '' AND level_name = ?1",
            params![level.name(), kind.name()],
        )?;
    }
    connection.execute("UPDATE cell SET kind = ?1 WHERE kind = ''", [WorkloadKind::Block.name()])?;
    Ok(())
}

/// Only one kind has each of these levels, or nearly so; the rest is block I/O.
const BY_LEVEL: [(LevelName, WorkloadKind); 5] = [
    (LevelName::RowShare, WorkloadKind::Scan),
    (LevelName::Pieces, WorkloadKind::Fragmentation),
    (LevelName::Arm, WorkloadKind::Neighbour),
    (LevelName::VirtualUsers, WorkloadKind::Tpcc),
    (LevelName::Threads, WorkloadKind::Sysbench),
];

/// Names and kinds of the workloads of an experiment; a workload without a name bears that of its kind.
fn named(experiment: &str) -> Vec<(String, WorkloadKind)> {
    let Ok(table) = experiment.parse::<toml::Table>() else { return Vec::new() };
    let workloads = table.get("workload").and_then(|workloads| workloads.as_array()).cloned();
    let one = |workload: toml::Value| {
        let text = |key: &str| workload.get(key).and_then(|value| value.as_str());
        let kind = WorkloadKind::of(text("kind")?)?;
        Some((text("name").unwrap_or(kind.name()).to_owned(), kind))
    };
    workloads.into_iter().flatten().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_come_from_the_experiment_and_else_from_the_levels() {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE run (id INTEGER, experiment TEXT);
                 CREATE TABLE cell (id INTEGER, run INTEGER, workload TEXT, level_name TEXT, kind TEXT DEFAULT '');
                 INSERT INTO run VALUES (1, '[[workload]]\nkind = \"backup\"\n[[workload]]\nkind = \"durability\"\nname = \"crash\"'), (2, 'no = [');
                 INSERT INTO cell (id, run, workload, level_name) VALUES (1, 1, 'backup', 'virtual users'), (2, 1, 'crash', 'virtual users'),
                     (3, 2, 'tpcc', 'virtual users'), (4, 2, 'x', 'arm'), (5, 2, 'y', 'depth'), (6, 2, 'z', 'threads');",
            )
            .unwrap();
        fill(&connection).unwrap();
        let mut kinds = connection.prepare("SELECT kind FROM cell ORDER BY id").unwrap();
        let kinds: Vec<String> = kinds.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(kinds, ["backup", "durability", "tpcc", "neighbour", "block", "sysbench"]);
    }
}
