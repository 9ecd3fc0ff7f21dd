//! Runs by what they are about: the one search of lists, whether on a terminal or on a page.

use rusqlite::{Row, params};
use words::{Engine, Realm, RunState, WorkloadKind};

use crate::error::NotebookError;
use crate::labels::RunKey;
use crate::open::Notebook;
use crate::records::{RunId, RunSummary};
use crate::runs::{SUMMARIES, key_of, of_run, several, state_of};

/// The limits of a list of runs. `None` limits nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// A text in the name, the title, the question, the label, a bed or a tag, whatever its case; or the id.
    pub text: Option<String>,
    /// A tag.
    pub tag: Option<String>,
    /// A kind of workload that the run has.
    pub kind: Option<WorkloadKind>,
    /// The database engine of its beds.
    pub engine: Option<Engine>,
    /// The sort of its numbers.
    pub realm: Option<Realm>,
    /// Its state.
    pub state: Option<RunState>,
}

/// A part of the runs that are wanted.
#[derive(Clone, Debug, Default)]
pub struct Sought {
    /// The latest first.
    pub runs: Vec<RunSummary>,
    /// All that are wanted, also on other pages.
    pub all: usize,
    /// Those of them that are later than `runs`.
    pub passed: usize,
    /// True if there are earlier ones.
    pub has_older: bool,
    /// The run before which those of the page of later runs began; `None` if that page is the first.
    pub newer: Option<RunId>,
}

/// The columns that a search reads. Engines are facts of the beds of planned runs, and of servers
/// that were observed.
const FOUND: &str =
    "SELECT run.id, run.name, run.title, run.question, run.label, run.realm, run.started_at, run.work_dir, run.seed,
         run.state,
         (SELECT group_concat(tag, ' ' ORDER BY tag) FROM tag WHERE tag.run = run.id) AS tags,
         (SELECT group_concat(coalesce(label, name), char(10) ORDER BY id) FROM bed WHERE bed.run = run.id) AS beds
     FROM run
     WHERE (?1 IS NULL OR run.realm = ?1)
       AND (?2 IS NULL OR EXISTS (SELECT 1 FROM tag WHERE tag.run = run.id AND tag.tag = ?2))
       AND (?3 IS NULL OR EXISTS (SELECT 1 FROM cell WHERE cell.run = run.id AND cell.kind = ?3))
       AND (?4 IS NULL OR EXISTS (SELECT 1 FROM fact_set JOIN fact ON fact.fact_set = fact_set.id
                WHERE fact_set.run = run.id AND fact.key = 'database.engine' AND fact.value = ?4))
     ORDER BY run.id DESC";

/// A run as a search sees it.
struct Found {
    id: RunId,
    state: RunState,
    key: RunKey,
    texts: Vec<String>,
}

impl Notebook {
    /// At most `count` of the runs that are wanted, the latest first: those that were started before a run,
    /// or the latest of all. Only the runs of the answer are read whole.
    ///
    /// # Errors
    /// As SQLite reports.
    pub fn sought(
        &self,
        wanted: &Wanted,
        before: Option<RunId>,
        count: usize,
    ) -> Result<Sought, NotebookError> {
        let ids = self.found(wanted)?;
        let passed = before.map_or(0, |before| ids.iter().take_while(|id| **id >= before).count());
        let of_page = &ids[passed..ids.len().min(passed.saturating_add(count))];
        let numbers: Vec<i64> = of_page.iter().map(|id| id.0).collect();
        let list = serde_json::Value::from(numbers).to_string();
        let asked = "WHERE run.id IN (SELECT value FROM json_each(?1))";
        let runs = match of_page.is_empty() {
            true => Vec::new(),
            false => self.summaries(
                &format!("{SUMMARIES} {asked} GROUP BY run.id ORDER BY run.id DESC"),
                params![list],
            )?,
        };
        Ok(Sought {
            all: ids.len(),
            has_older: passed + of_page.len() < ids.len(),
            newer: passed.checked_sub(count.saturating_add(1)).and_then(|at| ids.get(at)).copied(),
            runs,
            passed,
        })
    }

    /// Every tag of the notebook, sorted.
    ///
    /// # Errors
    /// As SQLite reports.
    pub fn all_tags(&self) -> Result<Vec<String>, NotebookError> {
        let failed = self.failed("listing the tags");
        let mut statement =
            self.connection().prepare_cached("SELECT DISTINCT tag FROM tag ORDER BY tag").map_err(&failed)?;
        let tags = statement.query_map([], |row| row.get(0)).map_err(&failed)?;
        tags.collect::<Result<_, _>>().map_err(failed)
    }

    /// The runs that are wanted, the latest first.
    fn found(&self, wanted: &Wanted) -> Result<Vec<RunId>, NotebookError> {
        let failed = self.failed("searching the runs");
        let mut statement = self.connection().prepare_cached(FOUND).map_err(&failed)?;
        let asked = params![
            wanted.realm.map(Realm::name),
            wanted.tag,
            wanted.kind.map(WorkloadKind::name),
            wanted.engine.map(Engine::name)
        ];
        let rows = statement.query_map(asked, of_run(read_found)).map_err(&failed)?;
        let mut found = rows.collect::<Result<Vec<Found>, _>>().map_err(failed)?;
        // The stored state may be old: only the lock of the notebook tells whether a run is under way.
        if found.iter().any(|run| run.state == RunState::Running) {
            let work = self.work();
            found.iter_mut().for_each(|run| run.state = self.told(run.id, run.state, work));
        }
        let text = wanted.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        found.retain(|run| {
            wanted.state.is_none_or(|state| state == run.state) && text.is_none_or(|text| run.has(text))
        });
        Ok(found.into_iter().map(|run| run.id).collect())
    }
}

impl Found {
    fn has(&self, text: &str) -> bool {
        let small = text.to_lowercase();
        self.key.as_str() == text || self.texts.iter().any(|found| found.to_lowercase().contains(&small))
    }
}

fn read_found(row: &Row<'_>) -> rusqlite::Result<Found> {
    let of = |column: &str| row.get::<_, Option<String>>(column);
    let mut texts: Vec<String> =
        [of("name")?, of("title")?, of("question")?, of("label")?].into_iter().flatten().collect();
    texts.extend(several(row, "beds", '\n')?);
    texts.extend(several(row, "tags", ' ')?);
    Ok(Found { id: RunId(row.get("id")?), state: state_of(row)?, key: key_of(row)?, texts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bed, Facts, PlannedCell, RunPlan};

    fn notebook(path: &std::path::Path) -> Notebook {
        let notebook = Notebook::open_or_create(path).unwrap();
        for number in 0..7_u32 {
            let is_odd = number % 2 == 1;
            let bed = Bed {
                name: "a".to_owned(),
                label: Some(if is_odd { "NVMe (\u{c4}lter)" } else { "SATA" }.to_owned()),
                ..Bed::default()
            };
            let cell = PlannedCell {
                bed: "a".to_owned(),
                workload: "w".to_owned(),
                kind: if is_odd { WorkloadKind::Block } else { WorkloadKind::Tpcc },
                level: 1.0,
                ..PlannedCell::default()
            };
            let plan = RunPlan {
                name: format!("experiment {number}"),
                realm: if number < 3 { "emulated" } else { "real" }.to_owned(),
                scale: 1.0,
                seed: u64::from(number),
                ..RunPlan::default()
            };
            let run = notebook.start_run(&plan, &[bed], &[cell]).unwrap();
            let engine = Facts::from([("database.engine".to_owned(), "sqlite".to_owned())]);
            if !is_odd {
                notebook.add_fact_set(run, "bed:a", &engine).unwrap();
            }
            notebook.finish_run(run, RunState::Finished).unwrap();
        }
        notebook
    }

    fn numbers(sought: &Sought) -> Vec<i64> {
        sought.runs.iter().map(|run| run.id.0).collect()
    }

    #[test]
    fn each_limit_leaves_the_runs_that_it_names() {
        let home = tempfile::tempdir().unwrap();
        let notebook = notebook(&home.path().join("n.db"));
        let of = |wanted: &Wanted| numbers(&notebook.sought(wanted, None, usize::MAX).unwrap());
        assert_eq!(of(&Wanted::default()), [7, 6, 5, 4, 3, 2, 1]);
        let text = |text: &str| Wanted { text: Some(text.to_owned()), ..Wanted::default() };
        assert_eq!(of(&text("\u{e4}LTER")), [6, 4, 2], "whatever the case, in every alphabet");
        assert_eq!(of(&text("  experiment 3 ")), [4]);
        assert_eq!(of(&text("100%")), [0; 0], "no text is a pattern");
        assert_eq!(of(&Wanted { kind: Some(WorkloadKind::Block), ..Wanted::default() }), [6, 4, 2]);
        assert_eq!(of(&Wanted { engine: Some(Engine::Sqlite), ..Wanted::default() }), [7, 5, 3, 1]);
        let both = Wanted { engine: Some(Engine::Sqlite), realm: Some(Realm::Emulated), ..Wanted::default() };
        assert_eq!(of(&both), [3, 1]);
        assert_eq!(of(&Wanted { state: Some(RunState::Failed), ..Wanted::default() }), [0; 0]);
        assert_eq!(of(&Wanted { tag: Some("no".to_owned()), ..Wanted::default() }), [0; 0]);
        assert!(notebook.all_tags().unwrap().is_empty());
    }

    #[test]
    fn pages_follow_each_other_in_both_directions() {
        let home = tempfile::tempdir().unwrap();
        let notebook = notebook(&home.path().join("n.db"));
        let page = |before: Option<i64>| notebook.sought(&Wanted::default(), before.map(RunId), 3).unwrap();
        let first = page(None);
        assert_eq!((numbers(&first), first.all, first.passed), (vec![7, 6, 5], 7, 0));
        assert!(first.has_older && first.newer.is_none());
        let last = page(Some(2));
        assert_eq!((numbers(&last), last.passed, last.has_older), (vec![1], 6, false));
        assert_eq!(numbers(&page(last.newer.map(|run| run.0))), [4, 3, 2]);
        assert_eq!(page(Some(5)).newer, None, "the page before it is the first");
    }
}
