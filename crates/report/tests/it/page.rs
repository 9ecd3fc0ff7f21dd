//! The page: whole, readable without a network or scripts, honest about what is missing.

use crate::fixture::{Fixture, HOSTILE};

/// Every kind of run that the fixture knows.
const KINDS: [&str; 10] =
    ["plain", "twin", "block", "nuisance", "partial", "single", "one-level", "dead", "few", "hostile"];

fn page(fixture: &Fixture) -> String {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (notebook, run) = fixture.write(&directory.path().join("notebook.db"));
    report::render_html(&notebook, run).expect("a page")
}

/// A tag as it is in the page: name, attributes as text, and its form: opening, closing or empty.
struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
    closes: bool,
    alone: bool,
}

/// The tags of a page in their order. Attribute values may hold `>` only if they are quoted, as everywhere in
/// this page.
fn tags(html: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let mut quoted = false;
        let end = rest.find(|c: char| {
            quoted ^= c == '"';
            c == '>' && !quoted
        });
        let end = end.expect("every tag ends");
        let inner = &rest[..end];
        rest = &rest[end + 1..];
        if inner.starts_with('!') {
            continue;
        }
        let closes = inner.starts_with('/');
        let inner = inner.trim_start_matches('/');
        let alone = inner.ends_with('/');
        let name = inner.split([' ', '/', '\n']).next().expect("split gives one part at least");
        tags.push(Tag { name, attributes: inner[name.len()..].trim_end_matches('/'), closes, alone });
        // The content of a style sheet is no markup.
        if name == "style" && !closes {
            rest = &rest[rest.find("</style>").expect("the style sheet ends")..];
        }
    }
    tags
}

/// Names and values of attributes.
fn attributes<'a>(tag: &Tag<'a>) -> Vec<(&'a str, &'a str)> {
    let mut found = Vec::new();
    let mut rest = tag.attributes;
    while let Some(equals) = rest.find("=\"") {
        let name = rest[..equals].rsplit(' ').next().expect("split gives one part at least");
        let value = &rest[equals + 2..];
        let end = value.find('"').expect("a value ends");
        found.push((name, &value[..end]));
        rest = &value[end + 1..];
    }
    found
}

const VOID: [&str; 6] = ["meta", "link", "br", "input", "hr", "img"];

#[test]
fn every_tag_is_closed_in_order_whatever_the_run() {
    for kind in KINDS {
        let html = page(&Fixture::of_kind(kind));
        let mut open: Vec<&str> = Vec::new();
        for tag in tags(&html) {
            if tag.closes {
                assert_eq!(open.pop(), Some(tag.name), "{kind}: closed out of order");
            } else if !tag.alone && !VOID.contains(&tag.name) {
                open.push(tag.name);
            }
        }
        assert!(open.is_empty(), "{kind}: left open: {open:?}");
    }
}

#[test]
fn nothing_is_fetched() {
    for kind in KINDS {
        let html = page(&Fixture::of_kind(kind));
        let policy = "default-src 'none'; script-src ";
        assert!(
            html.contains(policy) && html.contains("; style-src 'unsafe-inline'; img-src data:"),
            "{kind}"
        );
        for tag in tags(&html) {
            assert!(
                !["iframe", "img", "object", "embed", "form"].contains(&tag.name),
                "{kind}: {}",
                tag.name
            );
            for (name, value) in attributes(&tag) {
                assert!(!name.starts_with("on"), "{kind}: {name}");
                if ["href", "src", "srcset", "action", "data", "xlink:href"].contains(&name) {
                    assert!(value.starts_with('#') || value.starts_with("data:"), "{kind}: {name}={value}");
                }
            }
        }
        let style = &html[html.find("<style>").unwrap()..html.find("</style>").unwrap()];
        assert!(!style.contains("url(") && !style.contains("@import"), "{kind}");
    }
}

#[test]
fn every_figure_has_drawings_with_words_and_a_table() {
    for kind in KINDS {
        let html = page(&Fixture::of_kind(kind));
        let figures: Vec<&str> =
            html.split("<figure ").skip(1).map(|part| part.split("</figure>").next().unwrap()).collect();
        // Where nothing was ever done there is little to draw.
        let least = if kind == "dead" { 2 } else { 6 };
        assert!(figures.len() >= least, "{kind}: {} figures", figures.len());
        for figure in figures {
            let drawings = figure.matches("<svg ").count();
            assert!((2..=3).contains(&drawings), "{kind}: {drawings} drawings");
            assert_eq!(figure.matches("role=\"img\"").count(), drawings);
            assert_eq!(figure.matches("<desc id=").count(), drawings);
            assert!(figure.contains("class=\"at-narrow\""), "{kind}: no drawing for a narrow screen");
            assert_eq!(figure.matches("<table").count(), 1, "{kind}: a table behind each figure");
            assert!(figure.matches("<tr>").count() >= 2, "{kind}: the table has rows");
            assert!(
                figure.contains("emulated, scale 1/600"),
                "{kind}: the kind of number stands under each figure"
            );
            let inside = figure.split("</svg>").take(drawings);
            for drawing in inside {
                assert!(
                    drawing.contains("class=\"source\"") && drawing.contains("drivetrain \u{b7} emulated"),
                    "{kind}: a cropped figure says where it comes from"
                );
            }
        }
    }
}

#[test]
fn identifiers_are_unique_and_references_have_targets() {
    for kind in KINDS {
        let html = page(&Fixture::of_kind(kind));
        let all = tags(&html);
        let values = |wanted: &str| -> Vec<&str> {
            all.iter()
                .flat_map(|tag| attributes(tag))
                .filter(|(name, _)| *name == wanted)
                .map(|pair| pair.1)
                .collect()
        };
        let mut ids = values("id");
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "{kind}: an identifier occurs twice");
        for reference in values("aria-labelledby").iter().flat_map(|value| value.split(' ')) {
            assert!(ids.contains(&reference), "{kind}: nothing is called {reference}");
        }
        for target in values("href").iter().filter_map(|value| value.strip_prefix('#')) {
            assert!(ids.contains(&target), "{kind}: no section {target}");
        }
    }
}

#[test]
fn numbers_are_numbers_and_the_page_stays_small() {
    for kind in KINDS {
        let html = page(&Fixture::of_kind(kind));
        for nonsense in ["NaN", ">inf<", "-inf", "Infinity"] {
            assert!(!html.contains(nonsense), "{kind}: {nonsense}");
        }
        assert!(html.len() < 1_000_000, "{kind}: {} bytes", html.len());
    }
}

#[test]
fn colours_come_from_the_style_sheet_only() {
    let html = page(&Fixture::default());
    let body = &html[html.find("</style>").unwrap()..];
    assert!(!body.contains("style=") && !body.contains("fill=") && !body.contains("stroke=\""));
}

#[test]
fn text_from_outside_stays_text() {
    let html = page(&Fixture::of_kind("hostile"));
    assert!(!html.contains("<script>"));
    assert!(!html.contains(HOSTILE));
    assert!(
        html.contains("&lt;script&gt;alert(1)&lt;/script&gt;") || html.contains("&#60;script&#62;alert(1)"),
        "it is shown"
    );
    assert_eq!(html.matches("</style>").count(), 1);
}

#[test]
fn the_sections_stand_in_their_order() {
    let html = page(&Fixture::default());
    let order = [
        "<h1>",
        "class=\"answer\"",
        "id=\"f0-nopm\"",
        "class=\"tiles\"",
        "class=\"prov\"",
        "class=\"stop\"",
        "class=\"notes\"",
        "id=\"f0-distribution-latency\"",
        "id=\"f0-seconds-tpm\"",
        "id=\"verdicts\"",
        "id=\"all-figures\"",
        "id=\"f0-tpm\"",
        "id=\"f0-tpm-per-user\"",
        "id=\"f0-latency-mean\"",
        "id=\"f0-latency-p99\"",
        "id=\"f0-cpu-idle\"",
        "id=\"f0-ios-per-transaction\"",
        "id=\"f0-bytes-per-transaction\"",
        "id=\"all-numbers\"",
        "id=\"limiters\"",
        "id=\"all-cells\"",
        "id=\"cells\"",
        "id=\"beside\"",
        "id=\"published\"",
        "id=\"how\"",
        "id=\"basis\"",
        "id=\"beds\"",
        "id=\"floor\"",
        "id=\"fingerprint\"",
        "id=\"limits\"",
        "id=\"deviations\"",
        "id=\"reproduce\"",
        "class=\"foot\"",
    ];
    let places: Vec<usize> =
        order.iter().map(|part| html.find(part).unwrap_or_else(|| panic!("{part} is missing"))).collect();
    assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
}

#[test]
fn what_is_missing_is_said() {
    let partial = page(&Fixture::of_kind("partial"));
    assert!(partial.contains("interrupted after 32 cells of 72"));
    assert!(partial.contains("40 not run"));
    let nuisance = page(&Fixture::of_kind("nuisance"));
    assert!(nuisance.contains("class=\"stop\"") && nuisance.contains("database.page_size"));
    let plain = page(&Fixture::default());
    let single = page(&Fixture::of_kind("single"));
    assert!(!single.contains("The order was not randomised"), "one bed has no order");
    assert!(plain.contains("not comparable to published TPC-C"));
    assert_eq!(plain.matches("Not the same count: HammerDB").count(), 1, "told once, not on every row");
    assert!(plain.contains("--set design.seed=20260504"));
}

/// The part of a page between two marks, without the time of the run.
fn part(html: &str, from: &str, to: &str) -> String {
    let start = html.find(from).expect("the first mark");
    let end = start + html[start..].find(to).expect("the second mark");
    html[start..end].to_owned()
}

#[test]
fn the_first_screen() {
    insta::assert_snapshot!(part(&page(&Fixture::default()), "<h1>", "<section "));
}

#[test]
fn one_figure() {
    let fixture =
        Fixture { beds: vec!["nvme", "eco"], levels: vec![1.0, 8.0], repeats: 3, ..Fixture::default() };
    insta::assert_snapshot!(part(&page(&fixture), "<figure id=\"f0-nopm\"", "<figure id=\"f0-tpm\""));
}

#[test]
fn published_numbers() {
    insta::assert_snapshot!(part(&page(&Fixture::default()), "<section id=\"published\"", "</section>"));
}

#[test]
fn the_only_script_of_a_page_is_the_one_that_its_policy_names() {
    let html = page(&Fixture::default());
    assert_eq!(html.matches("<script").count(), 1);
    assert!(html.contains(&format!("script-src {};", report::script_source())));
    assert!(report::script_source().starts_with("'sha256-"));
}
