//! The pages in a real browser: they load nothing from elsewhere, complain of nothing, and show their
//! figures; the live page follows its run.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use testkit::Browser;

use crate::common::watched::Watched;
use crate::common::{BLOCK, PACED, QUICK, SMALL, Scratch};
use crate::fleet::wait_until;

/// The state of a live page, and how many seconds of the cell it has.
const STATE: &str = "document.getElementById('page').dataset.state";
const SECONDS: &str = "Number(document.getElementById('page').dataset.seconds)";

/// A browser whose files lie in the folder of the test.
#[track_caller]
fn browser(scratch: &Scratch) -> Option<Browser> {
    Browser::start(&scratch.path().join("profile"))
}

/// Panics if a page complained, or asked another host than the server for anything.
#[track_caller]
fn expect_no_complaint(browser: &Browser, server: &str) {
    let complaints = browser.complaints();
    assert!(complaints.is_empty(), "{complaints:#?}");
    let elsewhere = |address: &String| !address.starts_with(&format!("http://{server}/"));
    let elsewhere: Vec<String> = browser.requests().into_iter().filter(elsewhere).collect();
    assert!(elsewhere.is_empty(), "{elsewhere:#?}");
}

/// Notes in the page each state that it passes through.
fn note_states(browser: &Browser) {
    browser.run(
        "const page = document.getElementById('page');
         window.passed = [page.dataset.state];
         new MutationObserver(() => { if (passed.at(-1) !== page.dataset.state) passed.push(page.dataset.state); })
             .observe(page, { attributes: true });",
    );
}

#[test]
fn a_report_needs_no_network_and_logs_no_error() {
    let scratch = Scratch::with("block.toml", BLOCK);
    let Some(browser) = browser(&scratch) else { return };
    scratch.run_in_virtual_time(&["run", "block.toml", "--set", "design.repeats=2"]).expect(0);
    let page = scratch.report("drivetrain-report-1-");
    browser.open(&format!("file://{}", page.display()));
    assert!(browser.run("return document.querySelectorAll('svg').length").as_u64() > Some(2));
    assert!(browser.complaints().is_empty());
    let requests = browser.requests();
    assert_eq!(requests, [format!("file://{}", page.display())], "the page alone");
}

#[test]
fn every_page_of_a_notebook_loads_from_its_server_alone() {
    let scratch = Scratch::with("block.toml", BLOCK);
    let Some(browser) = browser(&scratch) else { return };
    for _ in 0..2 {
        // A line of seconds has two whole ones at least.
        let short = ["--set", "design.repeats=2", "--set", "workload.measure=3s"];
        scratch.run_in_virtual_time(&[&["run", "block.toml"], &short[..]].concat()).expect(0);
    }
    let server = Watched::serve(&scratch, "127.0.0.1:0");
    for (path, shown) in [
        ("/", "document.querySelectorAll('table tbody tr').length === 2"),
        ("/run/1", "document.querySelector('svg')"),
        ("/?q=blockish", "document.querySelectorAll('table tbody tr').length === 0"),
        ("/?kind=block&realm=emulated", "document.querySelectorAll('table tbody tr').length === 2"),
        (
            "/trend?run=1",
            "document.querySelector('a[href=\"/run/2\"] .mark') && document.querySelector('#runs table')",
        ),
        ("/compare?a=2&b=1", "document.querySelector('section table').innerText.includes('nvme')"),
        ("/run/2/live", "document.querySelector('#seconds svg polyline')"),
    ] {
        browser.open(&server.page(path));
        browser.wait_for(shown);
        expect_no_complaint(&browser, &server.address);
    }
    assert_eq!(browser.run(&format!("return {STATE}")), "finished");
}

/// Opens the live page of the first run. The address is told before the run is in the notebook.
fn open_live(browser: &Browser, run: &Watched) {
    wait_until("the run has a page", || run.ask("GET", "/run/1/live").starts_with("HTTP/1.1 200"));
    browser.open(&run.page("/run/1/live"));
}

#[test]
fn the_live_page_gets_a_second_each_second_and_stops_the_run_after_its_cell() {
    let scratch = Scratch::with("x.toml", SMALL);
    let Some(browser) = browser(&scratch) else { return };
    let run = [&["x.toml", "--set", "workload.measure=30s"], &PACED[..]].concat();
    let mut run = Watched::run(&scratch, &run);
    open_live(&browser, &run);
    browser.wait_for(&format!("{SECONDS} >= 2 && {STATE} === 'running'"));
    note_states(&browser);
    // On a busy machine a timer of 5 s takes longer.
    let five_s = "new Promise((resolve) => setTimeout(resolve, 5000))";
    let [more, passed_s] = browser
        .wait_for(&format!(
            "(async () => {{
                const had = {SECONDS}, since = performance.now();
                await {five_s};
                return [{SECONDS} - had, (performance.now() - since) / 1000];
            }})()"
        ))
        .as_array()
        .and_then(|both| Some([both.first()?.as_f64()?, both.get(1)?.as_f64()?]))
        .unwrap();
    assert!((more - passed_s).abs() <= 1.5, "{more} seconds came in {passed_s} s");
    for (dash, lines) in [(":not(.d1, .d2)", "rate and p99"), (".d1", "p50"), (".d2", "p99.9")] {
        let drawn = format!("document.querySelectorAll('#seconds polyline.k-heavy{dash}').length > 0");
        assert_eq!(browser.run(&format!("return {drawn}")), true, "{lines}");
    }
    let course = run.json("/api/run/1/seconds");
    let rates = course["shown"]["series"][0]["values"].as_array().unwrap();
    assert!(rates.len() >= 5 && course["shown"]["series"][0]["metric"] == "nopm", "{course}");
    browser.wait_for("document.querySelector('#drives td svg')");
    let now = run.json("/api/run/1/now");
    let told = browser.run(
        "const text = (id) => document.getElementById(id).innerText;
         const cells = [...document.querySelectorAll('#drives td.n')].map((cell) => cell.innerText);
         return [text('limits'), text('shares'), text('limits-last'), document.querySelector('#drives th').innerText, ...cells]",
    );
    let told: Vec<&str> = told.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let [limits, shares, last, drive, reads, writes, .., written] = told[..] else { panic!("{told:?}") };
    assert!(!limits.is_empty() && shares.contains("processors") && shares.contains(drive), "{told:?}");
    assert!(last.contains("No cell of this bed and level"), "{told:?}");
    assert_eq!(now["drives"][0]["name"], drive, "{now}");
    assert!(
        (reads, writes) != ("0", "0")
            && written.ends_with("B")
            && now["drives"][0]["so_far"]["written_bytes"].as_u64() > Some(0),
        "{told:?} {now}"
    );
    browser.click("[data-stop=cell]");
    browser.wait_for(&format!("{STATE} === 'stopping-cell'"));
    assert_eq!(run.child.wait().unwrap().code(), Some(130), "interrupted");
    let passed = browser.run("return passed");
    assert_eq!(passed, serde_json::json!(["running", "stopping-cell", "interrupted"]));
    let shown = scratch.run(&["show", "--json"]).expect(0).json();
    let done = shown["cells"].as_array().unwrap().iter().filter(|cell| cell["state"] == "done").count();
    assert_eq!(done, 1, "the cell was completed: {shown}");
}

#[test]
fn the_live_page_of_a_run_that_ends_says_how() {
    let scratch = Scratch::with("x.toml", QUICK);
    let Some(browser) = browser(&scratch) else { return };
    let plan = [
        "x.toml",
        "--set",
        "design.repeats=1",
        "--set",
        "workload.threads=[1]",
        "--set",
        "workload.measure=3s",
    ];
    let mut run = Watched::run(&scratch, &plan);
    // A quick run may be asked for before it is there.
    while !run.ask("GET", "/run/1/live").contains("200 OK") {
        assert!(run.child.try_wait().unwrap().is_none(), "it ended before its page was there");
        std::thread::sleep(Duration::from_millis(20));
    }
    open_live(&browser, &run);
    note_states(&browser);
    browser.wait_for(&format!("{STATE} === 'finished'"));
    expect_no_complaint(&browser, &run.address);
    assert_eq!(run.child.wait().unwrap().code(), Some(0));
    let passed = browser.run("return passed");
    let passed: Vec<&str> = passed.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let known = ["waiting", "loading", "running", "finished"];
    assert!(
        passed.iter().is_sorted_by_key(|state| known.iter().position(|known| known == state)),
        "{passed:?}"
    );
    assert!(passed.contains(&"running") && passed.last() == Some(&"finished"), "{passed:?}");
}

#[test]
fn a_page_says_that_its_server_is_gone_and_goes_on_when_it_is_back() {
    let scratch = Scratch::with("x.toml", QUICK);
    let Some(browser) = browser(&scratch) else { return };
    let mut run = scratch.command(&["run", "x.toml", "--quiet", "--set", "workload.measure=60s"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !scratch.path().join("drivetrain.db-live").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let server = Watched::serve(&scratch, "127.0.0.1:0");
    let address = server.address.clone();
    browser.open(&server.page("/run/1/live"));
    browser.wait_for(&format!("{SECONDS} >= 2 && {STATE} === 'running'"));
    expect_no_complaint(&browser, &address);
    note_states(&browser);
    drop(server); // Killed.
    browser.wait_for(&format!("{STATE} === 'disconnected'"));
    let told = browser.run(
        "return document.getElementById('answer').innerText + document.getElementById('chip').innerText",
    );
    let told = told.as_str().unwrap();
    assert!(told.contains("does not answer") && told.contains("disconnected"), "{told}");
    assert_eq!(browser.run("return document.querySelector('[data-stop=now]').disabled"), true);
    let server = Watched::serve(&scratch, &address);
    browser.wait_for(&format!("{STATE} === 'running' && {SECONDS} >= 4"));
    assert_eq!(browser.run("return passed"), serde_json::json!(["running", "disconnected", "running"]));
    browser.click("#table summary");
    let table =
        "[...document.querySelectorAll('#table tbody tr')].map((row) => Number(row.cells[0].textContent))";
    let seconds = browser.wait_for(&format!("{table}.length > 3 && {table}"));
    let seconds: Vec<f64> = seconds.as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    assert!(seconds.is_sorted_by(|a, b| b - a > 0.5), "each second is there once: {seconds:?}");
    browser.click("[data-stop=now]");
    browser.wait_for(&format!("{STATE} === 'interrupted'"));
    assert_eq!(run.wait().unwrap().code(), Some(130));
    let passed = browser.run("return passed.slice(3)");
    assert_eq!(passed, serde_json::json!(["stopping-now", "interrupted"]));
    drop(server);
}

/// The points of a heavy line of the page in the units of its axes: second and value; then the greatest error
/// of a value, for places are rounded to a tenth of a pixel.
fn drawn(browser: &Browser, is_rate: bool, dash: &str) -> (Vec<(f64, f64)>, f64) {
    let points = browser.run(&format!(
        "const svg = document.querySelector('#seconds > svg');
         const place = (text, name) => Number(text.getAttribute(name));
         const number = (text) => Number(text.textContent.replaceAll(',', ''));
         const ticks = (anchor) => [...svg.querySelectorAll(`text.tick[text-anchor=${{anchor}}]`)].filter((text) => !Number.isNaN(number(text)));
         const isHere = (y) => (y < 210) === {is_rate};
         const ys = ticks('end').map((text) => [place(text, 'y') - 4, number(text)]).filter(([y]) => isHere(y));
         const isLog = !{is_rate} && [...svg.querySelectorAll('text.axis')].some((text) => text.textContent.includes('log'));
         const [[y0, v0], [y1, v1]] = [ys[0], ys.at(-1)].map(([y, v]) => [y, isLog ? Math.log10(v) : v]);
         const value = (y) => {{ const v = v0 + (y - y0) / (y1 - y0) * (v1 - v0); return isLog ? 10 ** v : v; }};
         const xs = ticks('middle').map((text) => [place(text, 'x'), number(text)]);
         const [[x0, s0], [x1, s1]] = [xs[0], xs.at(-1)];
         const lines = [...svg.querySelectorAll('polyline.k-heavy{dash}')].map((line) => line.getAttribute('points').split(' ').map((point) => point.split(',').map(Number)));
         const line = lines.find((line) => isHere(line[0][1]));
         const error = isLog ? (10 ** (0.15 * Math.abs((v1 - v0) / (y1 - y0))) - 1) * 10 ** Math.max(v0, v1) : 0.15 * Math.abs((v1 - v0) / (y1 - y0));
         return [line.map(([x, y]) => [s0 + (x - x0) / (x1 - x0) * (s1 - s0), value(y)]), error];"
    ));
    let number = |point: &Value, at: usize| point[at].as_f64().unwrap();
    let line = points[0].as_array().unwrap().iter().map(|point| (number(point, 0), number(point, 1)));
    (line.collect(), number(&points, 1))
}

/// The drawings second by second on a page, as they stand there.
fn drawings(browser: &Browser) -> Value {
    browser
        .run("return [...document.querySelectorAll('figure[id*=seconds-] svg')].map((svg) => svg.outerHTML)")
}

#[test]
fn the_replay_of_a_finished_run_is_drawn_as_its_report_and_each_cell_with_the_values_of_the_notebook() {
    let scratch = Scratch::with("block.toml", BLOCK);
    let Some(browser) = browser(&scratch) else { return };
    let plan = ["run", "block.toml", "--set", "design.repeats=1", "--set", "workload.measure=12s"];
    scratch.run_in_virtual_time(&plan).expect(0);
    let server = Watched::serve(&scratch, "127.0.0.1:0");
    browser.open(&server.page("/run/1"));
    let of_report = drawings(&browser);
    assert!(of_report.as_array().unwrap().len() >= 2, "rate and p99 at several widths: {of_report}");
    browser.open(&server.page("/run/1/live"));
    browser.wait_for("document.querySelector('#seconds figure svg')");
    assert!(drawings(&browser) == of_report, "the figures of the replay are those of the report");
    let exported = scratch.run(&["export", "1", "--format", "jsonl"]).expect(0).stdout;
    let lines: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = lines.iter().rfind(|line| line["type"] == "cell").unwrap();
    let number = server.json("/api/run/1")["cells"].as_array().unwrap().len();
    browser.click(&format!("#plan rect.n{number}"));
    browser.wait_for("document.querySelector('#seconds > svg polyline.k-heavy')");
    let kept = |metric: &str| {
        let is_it = |line: &&Value| {
            line["type"] == "series" && line["metric"] == metric && line["cell"] == last["id"]
        };
        let series = lines.iter().find(is_it).unwrap_or_else(|| panic!("no series {metric}"));
        let values = series["values"].as_array().unwrap().iter();
        values
            .map(|value| value.as_f64().unwrap_or(0.0))
            .enumerate()
            .filter(|(_, value)| *value > 0.0)
            .collect::<Vec<_>>()
    };
    for (is_rate, dash, metric) in [
        (true, "", "iops"),
        (false, ".d1", "latency_p50"),
        (false, ":not(.d1, .d2)", "latency_p99"),
        (false, ".d2", "latency_p999"),
    ] {
        let ((drawn, error), mut kept) = (drawn(&browser, is_rate, dash), kept(metric));
        // Seconds after the twelve measured ones are kept and not drawn.
        kept.retain(|(second, _)| *second < 12);
        assert_eq!((drawn.len(), kept.len()), (12, 12), "{metric}: {drawn:?} {kept:?}");
        for ((x, y), (second, value)) in drawn.iter().zip(&kept) {
            let is_near = (x - 0.5 - *second as f64).abs() < 0.02 && (y - value).abs() <= error;
            assert!(
                is_near,
                "{metric} at {second} s: {y} is drawn at {x} s for {value}, error up to {error}"
            );
        }
    }
    browser.click(&format!("#plan rect.n{number}"));
    browser.wait_for("document.querySelector('#seconds figure svg')");
    expect_no_complaint(&browser, &server.address);
}

#[test]
fn the_copy_buttons_of_a_report_put_table_and_picture_on_the_clipboard() {
    let scratch = Scratch::with("block.toml", BLOCK);
    let Some(browser) = browser(&scratch) else { return };
    scratch.run_in_virtual_time(&["run", "block.toml", "--set", "design.repeats=2"]).expect(0);
    let server = Watched::serve(&scratch, "127.0.0.1:0");
    browser.open(&server.page("/run/1"));
    browser.grant("clipboard-read");
    browser.grant("clipboard-write");
    browser.run(
        "for (const folded of document.querySelectorAll('details')) folded.open = true;
         const figure = document.querySelector('figure .under table').closest('figure');
         figure.querySelectorAll('.copies button').forEach((button, at) => button.dataset.copy = at);
         figure.dataset.copied = '';",
    );
    browser.click("[data-copied] [data-copy='0']");
    browser.wait_for("document.querySelector(\"[data-copy='0']\").textContent === 'copied'");
    let text = browser.wait_for("navigator.clipboard.readText()");
    let cells = browser.run(
        "return [...document.querySelector('[data-copied] table').rows].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))",
    );
    let shown: Vec<Vec<&str>> = cells
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_array().unwrap().iter().filter_map(Value::as_str).collect())
        .collect();
    let copied: Vec<Vec<&str>> =
        text.as_str().unwrap().lines().map(|line| line.split('\t').collect()).collect();
    assert!(copied.len() > 1 && copied[0].len() > 1, "{copied:?}");
    let plain = |rows: &[Vec<&str>]| -> Vec<Vec<String>> {
        rows.iter()
            .map(|row| row.iter().map(|cell| cell.split_whitespace().collect::<Vec<_>>().join(" ")).collect())
            .collect()
    };
    assert_eq!(plain(&copied), plain(&shown));
    browser.click("[data-copied] [data-copy='1']");
    let size = browser.wait_for(
        "(async () => {
             const [item] = await navigator.clipboard.read();
             const picture = await createImageBitmap(await item.getType('image/png'));
             return [picture.width, picture.height];
         })()",
    );
    assert!(size[0].as_u64() > Some(500) && size[1].as_u64() > Some(100), "{size}");
    expect_no_complaint(&browser, &server.address);
}
