//! The report in a real browser: it loads nothing, complains of nothing, and shows its figures.

use std::process::Command;

use crate::common::{BLOCK, Scratch};

#[test]
fn the_report_needs_no_network_and_logs_no_error() {
    let Some(chromium) = testkit::need::program("chromium") else { return };
    let scratch = Scratch::with("block.toml", BLOCK);
    scratch.run_in_virtual_time(&["run", "block.toml", "--set", "design.repeats=2"]).expect(0);
    let page = scratch.report("drivetrain-report-1-");
    let log = scratch.path().join("net.json");
    let output = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--v=0",
            "--virtual-time-budget=3000",
        ])
        .arg(format!("--log-net-log={}", log.display()))
        .arg(format!("--user-data-dir={}", scratch.path().join("profile").display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("chromium starts");
    let (dom, complaints) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(dom.contains("<svg") && dom.contains("</html>"), "the page is rendered");
    let console: Vec<_> = complaints.lines().filter(|l| l.contains(":CONSOLE")).collect();
    assert!(console.is_empty(), "{console:#?}");
    let net = std::fs::read_to_string(&log).expect("chromium writes its network log");
    let from_page: Vec<_> = net
        .lines()
        .filter(|l| l.contains("\"initiator\":\"file://") && l.contains("\"url\":\"http"))
        .collect();
    assert!(from_page.is_empty(), "{from_page:#?}");
}
