//! The measured loads of a profile in one table.

use crate::error::ReportError;
use crate::loaded_run::LoadedRun;
use crate::number;
use crate::page::Section;
use crate::sentences;
use crate::source::Source;
use crate::table::{Table, columns};
use notebook::Notebook;
use study::StudyError;
use study::profile::{Direction, Load, MeasuredLoads, loads_of_run};
use words::say;

/// The loads of a run; `None` where it has none that are loads of one stream.
fn measured(notebook: &Notebook, loaded: &LoadedRun) -> Result<Option<MeasuredLoads>, ReportError> {
    match loads_of_run(notebook, loaded.run.id) {
        Ok(measured) => Ok(Some(measured)),
        Err(StudyError::Notebook(error)) => Err(error.into()),
        Err(_) => Ok(None),
    }
}

/// Heading, table and the number of missing cells, for a terminal.
pub(super) fn told(notebook: &Notebook, loaded: &LoadedRun) -> Result<String, ReportError> {
    let Some(measured) = measured(notebook, loaded)? else { return Ok(String::new()) };
    let mut text = format!("\n{}\n{}", say!("profile-loads"), table(&measured.loads).to_text("  "));
    if measured.missing > 0 {
        text.push_str(&say!("profile-missing", count = sentences::grouped(measured.missing)));
        text.push('\n');
    }
    Ok(text)
}

/// The section of the page.
pub(super) fn section(source: &Source<'_>) -> Result<Section, ReportError> {
    let Some(measured) = measured(source.notebook, source.loaded)? else { return Ok(Section::default()) };
    if measured.loads.is_empty() {
        return Ok(Section::default());
    }
    Ok(Section {
        id: "loads".into(),
        heading: say!("profile-loads").to_owned(),
        body: table(&measured.loads).to_html(&say!("profile-loads-caption", mark = source.mark)),
        ..Section::default()
    })
}

fn table(loads: &[Load]) -> Table {
    let mut table = Table::new(columns![
        text say!("column-load"),
        number say!("profile-column-reads"),
        number say!("profile-column-writes"),
        number "MB/s",
        number say!("profile-column-read-p50"),
        number say!("profile-column-read-p99"),
        number say!("profile-column-write-p50"),
        number say!("profile-column-write-p99"),
        number say!("profile-column-flush-p50"),
    ]);
    loads.iter().for_each(|load| table.row(row(load)));
    table
}

fn row(load: &Load) -> [String; 9] {
    let rate = |direction: &Option<Direction>| {
        direction.as_ref().map_or_else(String::new, |direction| number::short(direction.per_s))
    };
    let at = |direction: &Option<Direction>, quantile: f64| match direction {
        Some(direction) if direction.latency.supports(quantile) => {
            number::plain(direction.latency.quantile_ns(quantile) as f64 / 1e3)
        }
        _ => String::new(),
    };
    [
        load.shape().said(),
        rate(&load.reads),
        rate(&load.writes),
        number::plain(load.per_s() * load.block_bytes as f64 / 1e6),
        at(&load.reads, 0.5),
        at(&load.reads, 0.99),
        at(&load.writes, 0.5),
        at(&load.writes, 0.99),
        at(&load.flushes, 0.5),
    ]
}
