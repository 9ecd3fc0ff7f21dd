//! The history of an experiment over several runs of one notebook: its changes, its breaks and its page.

use crate::given::{BLOCK, Given};
use notebook::{Notebook, RunId};
use report::Links;

/// Twelve runs: from the seventh on the drive has other numbers and is a tenth slower; before the eleventh
/// the kernel changed.
fn history(home: &tempfile::TempDir) -> (Notebook, RunId) {
    let path = home.path().join("h.db");
    let ran = |run: u32| {
        let (latency, kernel) =
            (if run < 7 { "90 us" } else { "110 us" }, if run < 11 { "6.1" } else { "6.12" });
        let factor = if run < 7 { 1.0 } else { 0.9 };
        let given = Given { factor: factor * (1.0 + 0.002 * f64::from(run * 7 % 5)), ..Given::of(BLOCK) };
        given
            .with_facts("host", &[("kernel.release", kernel)])
            .with_drive("nvme", &[("data.read.latency_4k", latency)])
            .write(&path)
    };
    last_of(12, ran)
}

/// Writes runs after each other: a notebook is open once.
fn last_of(runs: u32, ran: impl Fn(u32) -> (Notebook, RunId)) -> (Notebook, RunId) {
    (1..runs).for_each(|run| drop(ran(run)));
    ran(runs)
}

#[test]
fn a_change_has_its_interval_and_what_changed_in_every_form() {
    let home = tempfile::tempdir().unwrap();
    let (notebook, run) = history(&home);
    let trend = report::trend(&notebook, run).unwrap();
    let text = trend.to_text();
    assert!(text.starts_with("8 changes in 12 runs of x\n"), "{text}");
    assert!(text.contains(": \u{2212}10.0 % (\u{2212}10.5 to \u{2212}9.5) since run 7 ("), "{text}");
    assert!(
        text.contains("before run 7 changed: read latency at 4\u{a0}KiB of nvme 90 to 110\u{a0}\u{b5}s\n")
    );
    assert!(text.contains("break before run 11, the machine or its software changed: kernel 6.1 to 6.12\n"));
    let document = trend.to_json();
    let change = &document["lines"][0]["changes"][0];
    let number = |key: &str| change[key].as_f64().unwrap();
    assert!(number("low") < number("ratio") && number("ratio") < number("high"), "{change}");
    assert_eq!((&change["runs_before"], &change["runs_after"]), (&6.into(), &4.into()), "up to the break");
    assert!((number("after") / number("before") - number("ratio")).abs() < 1e-9, "{change}");
    assert_eq!(document["breaks"][1]["is_break"], true);
    assert_eq!(document["breaks"][0]["changes"][0]["key"], "bed.nvme.storage.drive.read.latency_4k");
}

#[test]
fn the_page_answers_first_and_bridges_no_break() {
    let home = tempfile::tempdir().unwrap();
    let (notebook, run) = history(&home);
    let page = report::trend(&notebook, run).unwrap().to_html(Links::None).unwrap();
    let answer = page.split("<p class=\"answer\">").nth(1).unwrap().split("</p>").next().unwrap();
    assert!(answer.contains(" lost <b>10.0\u{a0}%</b> (9.5 to 10.5) when read latency at"), "{answer}");
    assert!(answer.contains("<span class=\"verdict v-worse\">worse</span>. "), "{answer}");
    assert!(answer.contains("Since run 11 the machine or its software is another (kernel)"), "{answer}");
    assert!(page.contains("<h1>Has x changed?</h1>") && !page.contains("-&#62;") && !page.contains("-&gt;"));
    let figures = page.matches("<figure id=\"trend-").count();
    assert_eq!(figures, 16, "a figure for each metric at each place");
    assert_eq!(page.matches("<details><summary>Table</summary>").count(), figures);
    // Two lines of a break in each drawing, of which every figure has two.
    assert_eq!(page.matches("<polyline class=\"k-zigzag\"").count(), figures * 4);
    assert!(page.contains("break: kernel 6.1 to 6.12") && page.contains("class=\"band c0\""));
    assert!(page.contains(">bed.nvme.storage.drive.read.latency_4k</td>"), "the exact key is kept");
    let served = report::trend(&notebook, run).unwrap().to_html(Links::Served).unwrap();
    assert!(served.contains("<a href=\"/run/12\">") && !page.contains("href=\"/run/"));
}

#[test]
fn few_runs_show_no_change_and_one_run_has_a_page() {
    let home = tempfile::tempdir().unwrap();
    for runs in [1, 9] {
        let path = home.path().join(format!("{runs}.db"));
        let ran = |run: u32| Given { factor: 1.0 + f64::from(run / 5), ..Given::of(BLOCK) }.write(&path);
        let (notebook, run) = last_of(runs, ran);
        let trend = report::trend(&notebook, run).unwrap();
        let page = trend.to_html(Links::None).unwrap();
        assert!(trend.to_text().contains("too few to find a change") && page.contains("too few runs"));
        assert_eq!(page.contains("<svg class=\"at-lead\""), runs > 1, "one value is a table");
    }
}
