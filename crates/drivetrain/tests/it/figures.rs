//! Figures and results that are taken out of a report: SVG, PNG, Markdown, and the result in twenty lines.

use crate::common::{self, Scratch};

fn simulated() -> Scratch {
    let text = common::SMALL.replace("\"1s\"", "\"4s\"");
    let scratch = Scratch::with("x.toml", &text);
    scratch.run(&["run", "x.toml", "--realm", "simulated"]).expect(0);
    scratch
}

#[test]
fn every_figure_is_written_as_svg_and_png_and_foreign_files_are_spared() {
    let scratch = simulated();
    let told = scratch.run(&["report", "--figures", "figures", "--json"]).expect(0).json();
    let figures = told["figures"].as_array().expect("figures");
    assert!(figures.len() >= 4, "{told:#}");
    let path =
        |figure: &serde_json::Value, form: &str| scratch.path().join(figure[form].as_str().expect(form));
    for figure in figures {
        let svg = std::fs::read_to_string(path(figure, "svg")).expect("an SVG document");
        let title = figure["title"].as_str().expect("a title").replace('&', "&amp;");
        assert!(svg.starts_with("<svg xmlns=") && svg.contains(&title), "{svg}");
        assert!(svg.contains("class=\"source\"") && svg.contains("simulated"), "it says where it comes from");
        assert!(!svg.contains("var(") && !svg.contains("http:/") || svg.matches("http:/").count() == 1);
        let png = std::fs::read(path(figure, "png")).expect("a PNG document");
        assert!(png.starts_with(b"\x89PNG") && png.len() > 5_000, "{} bytes", png.len());
    }
    // A second time they are ours and replaced; a file of somebody else is not.
    scratch.run(&["report", "--figures", "figures"]).expect(0);
    std::fs::write(path(&figures[0], "png"), b"\x89PNG of somebody else").expect("a file");
    let refused = scratch.run(&["report", "--figures", "figures"]).expect(6);
    assert!(refused.stderr.contains("png"), "{refused:#?}");
}

#[test]
fn the_result_is_markdown_for_a_pull_request() {
    let scratch = simulated();
    let text = scratch.run(&["report", "--format", "markdown"]).expect(0).stdout;
    assert!(text.starts_with("<!-- drivetrain report -->\n## "), "{text}");
    let rows = text.lines().filter(|line| line.starts_with("| ")).count();
    assert!(rows >= 4 && text.contains("| --: |"), "{text}");
    scratch.run(&["report", "--format", "markdown", "-o", "answer.md"]).expect(0);
    // As an HTML page, it is replaced by the next one, and a file of somebody else is not.
    scratch.write("mine.md", "# mine\n");
    let refused = scratch.run(&["report", "--format", "markdown", "-o", "mine.md"]).expect(6).stderr;
    assert!(refused.contains("mine.md"), "{refused}");
    scratch.run(&["report", "--format", "markdown", "-o", "answer.md"]).expect(0);
    let written = std::fs::read_to_string(scratch.path().join("answer.md")).expect("the file");
    assert_eq!(written.trim_end(), text.trim_end());
}

#[test]
fn a_result_has_twenty_lines_and_full_has_the_rest() {
    let scratch = simulated();
    for verb in ["show", "compare"] {
        let short = scratch.run(&[verb]).expect(0).stdout;
        assert!(short.lines().count() <= 20, "{verb}: {short}");
        assert!(short.contains("next: drivetrain"), "{verb}: {short}");
        let full = scratch.run(&[verb, "--full"]).expect(0).stdout;
        assert!(full.len() > short.len(), "{verb}");
    }
    let again = scratch.run(&["run", "x.toml", "--realm", "simulated", "--seed", "5"]).expect(0).stdout;
    assert!(again.lines().count() <= 20 && again.contains("report: "), "{again}");
}
