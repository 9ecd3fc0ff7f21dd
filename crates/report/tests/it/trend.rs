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
    assert!(answer.contains("Since run 11 the machine or its software is different (kernel)"), "{answer}");
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

/// Twelve runs; the ones from `lost` on have no value of any metric.
fn without_values(path: &std::path::Path, lost: u32) -> report::Trend {
    let places = ["nvme", "eco"].into_iter().flat_map(|bed| {
        [("mixed", 2.0), ("mixed", 4.0), ("other", 1.0), ("other", 8.0)].map(|at| (bed, at.0, at.1, 2))
    });
    let invalid: Vec<_> = places.collect();
    let ran = |run: u32| {
        let invalid = if run < lost { Vec::new() } else { invalid.clone() };
        Given { invalid, ..Given::of(BLOCK) }.write(path)
    };
    let (notebook, run) = last_of(12, ran);
    report::trend(&notebook, run).unwrap()
}

#[test]
fn the_latest_value_is_said_to_be_of_its_run() {
    let home = tempfile::tempdir().unwrap();
    let trend = without_values(&home.path().join("a.db"), 11);
    let (text, page) = (trend.to_text(), trend.to_html(Links::None).unwrap());
    assert!(text.contains("1/s in run 10, the latest with a value\n"), "{text}");
    assert!(!text.contains("in the latest run") && page.contains("Latest run with a value, 10"), "{text}");
    assert_eq!(trend.to_json()["lines"][0]["too_few"], false);
    let few = without_values(&home.path().join("b.db"), 2);
    let (text, page) = (few.to_text(), few.to_html(Links::None).unwrap());
    let told = "12 runs of x, but no series has 10 runs with a value: too few to find a change";
    assert!(text.starts_with(told) && page.contains(told), "{text}");
    assert!(page.contains("too few values") && !page.contains("too few runs") && !text.contains("No change"));
    assert!(page.contains("The first run with a value: ") && !page.contains("since the break"));
    assert_eq!(few.to_json()["lines"][0]["too_few"], true);
}

#[test]
fn a_metric_that_becomes_zero_has_means_and_no_ratio() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("z.db");
    let ran = |run: u32| Given { factor: f64::from(u8::from(run < 9)), ..Given::of(BLOCK) }.write(&path);
    let (notebook, run) = last_of(20, ran);
    let trend = report::trend(&notebook, run).unwrap();
    let (text, page) = (trend.to_text(), trend.to_html(Links::None).unwrap());
    assert!(text.contains(": changed since run 9 (") && text.contains(" before, 0 1/s after\n"), "{text}");
    let change = &trend.to_json()["lines"][0]["changes"][0];
    assert!(change["ratio"].is_null() && change["low"].is_null() && change["after"] == 0.0, "{change}");
    let answer = page.split("<p class=\"answer\">").nth(1).unwrap().split("</p>").next().unwrap();
    assert!(answer.contains(" went from <b>1,000 to 0 1/s</b> at run 9"), "{answer}");
    assert!(answer.contains(">worse</span>"), "{answer}");
    assert!(!page.contains("NaN") && !page.contains("inf\"") && !page.contains("too few"));
}

#[test]
fn the_title_of_a_figure_names_its_metric() {
    let home = tempfile::tempdir().unwrap();
    let (notebook, run) = history(&home);
    let page = report::trend(&notebook, run).unwrap().to_html(Links::None).unwrap();
    for at in ["queue depth 2", "queue depth 4", "queue depth 1", "queue depth 8"] {
        let title = format!("IOPS at {at}: \u{2212}10.0 % since run 7, the only change of this metric");
        assert!(page.replace('\u{a0}', " ").contains(&title), "{title}");
    }
}
