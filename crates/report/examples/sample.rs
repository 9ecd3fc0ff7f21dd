//! Writes the report of a made-up run: `cargo run -p report --example sample -- OUT.html
//! [plain|block|nuisance|partial|single|dead|few]`.
//!
//! The numbers are invented; the page is for looking at.

#[path = "../tests/it/fixture.rs"]
mod fixture;

use fixture::Fixture;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().ok_or("the path of the page to write is missing")?;
    let kind = arguments.next().unwrap_or_default();
    if std::path::Path::new(&kind).is_file() {
        let notebook = notebook::Notebook::open_existing(&kind)?;
        let run = notebook.latest_run()?.ok_or("the notebook has no run")?;
        std::fs::write(&out, report::render_html(&notebook, run)?)?;
        return Ok(());
    }
    let directory = tempfile::tempdir()?;
    let (notebook, run) = Fixture::of_kind(&kind).write(&directory.path().join("sample.db"));
    std::fs::write(&out, report::render_html(&notebook, run)?)?;
    Ok(())
}
