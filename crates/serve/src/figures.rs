//! The figures of a run's page as parts of it: drawn by the code that draws the report, and put into the page
//! as they are.

use askama::Template;
use axum::response::{Html, IntoResponse as _};
use notebook::{Notebook, RunId};
use report::Course;
use serde::Deserialize;
use words::say;

use crate::answer::{Answer, Failed};
use crate::drives;
use crate::routes::Shared;

/// The narrowest and the widest place of a figure, CSS pixels.
const WIDTHS: std::ops::RangeInclusive<u32> = 300..=2000;

/// The query of a page for the figure that it wants.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    /// The width of its place in CSS pixels.
    width: Option<u32>,
    /// A cell that has ended, by its number from 1.
    cell: Option<u32>,
}

/// The figure of this name; its addresses:
///
/// - `plan`: the cells in their order
/// - `now`, `now-table`: the running cell beside the last finished ones
/// - `drives`: the drives under the running cell
/// - `seconds`: of a run that has ended, the report's figures second by second; of one cell with `cell`
/// - `table`: the seconds of such a cell
///
/// # Errors
/// 404 for another name, and as the notebook is read.
pub(crate) fn figure(shared: &Shared, run: RunId, name: &str, wanted: &Wanted) -> Answer {
    let width = wanted.width.unwrap_or(744).clamp(*WIDTHS.start(), *WIDTHS.end());
    let open = || Notebook::open_existing(&shared.notebook);
    let part = match name {
        "plan" => {
            let notebook = open()?;
            let is_running = notebook.run(run)?.state == notebook::RunState::Running;
            let now = shared.courses.number().filter(|_| is_running);
            report::plan_svg(&notebook, run, now, width)?
        }
        "now" => shared.courses.with(run, open, |course| drawn(course, width))?.unwrap_or_else(nothing),
        "now-table" => shared.courses.with(run, open, Course::to_table)?.unwrap_or_default(),
        "drives" => drives::tables(&shared.courses.machine(), &shared.courses.written(run, open)?),
        "seconds" if wanted.cell.is_none() => {
            let notebook = open()?;
            match report::seconds_html(&notebook, run)? {
                figures if figures.is_empty() => {
                    of_cell(&notebook, run, None, |course| drawn(course, width))?
                }
                figures => {
                    format!(
                        "<h2>{}</h2><p class=\"sub\">{}</p><div class=\"figures\">{figures}</div>",
                        say!("live-seconds"),
                        say!("live-choose")
                    )
                }
            }
        }
        "seconds" => of_cell(&open()?, run, wanted.cell, |course| drawn(course, width))?,
        "table" => of_cell(&open()?, run, wanted.cell, Course::to_table)?,
        other => {
            let why = format!("there is no figure `{other}`");
            return Err(Failed(axum::http::StatusCode::NOT_FOUND, why));
        }
    };
    Ok(Html(part).into_response())
}

fn of_cell(
    notebook: &Notebook,
    run: RunId,
    cell: Option<u32>,
    then: impl FnOnce(&Course) -> String,
) -> Result<String, Failed> {
    Ok(Course::kept(notebook, run, cell)?.map_or_else(nothing, |course| then(&course)))
}

/// The course under its finding, or the sentence that there is none.
fn drawn(course: &Course, width: u32) -> String {
    if !course.has_seconds() {
        return nothing();
    }
    let titled = Titled {
        title: course.finding(),
        cell: say!("course-caption", cell = course.shown.number.to_string()),
        drawing: course.to_svg(width),
    };
    titled.render().unwrap_or_default()
}

fn nothing() -> String {
    format!("<h2>{}</h2><p class=\"soft\">{}</p>", say!("live-seconds"), say!("live-no-second"))
}

/// A course with its words.
#[derive(Template)]
#[template(path = "course.html")]
struct Titled {
    title: String,
    cell: String,
    drawing: String,
}
