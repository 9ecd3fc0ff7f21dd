//! Runs whose storage is no contrast at all, on a machine that did something else as well, with limits of
//! their own, and with texts that a terminal would obey.

use crate::given::{BLOCK, Given, ORDERS};

/// A run of real beds, each on the source and mount that is given.
fn on(places: [(&str, &str); 2]) -> Given {
    let run = Given { realm: "real", ..Given::of(BLOCK) };
    ["nvme", "eco"].into_iter().zip(places).fold(run, |run, (bed, (source, mount))| {
        run.with_drive(bed, &[("data.source", source), ("data.mount", mount), ("data.fs", "xfs")])
    })
}

fn warnings(run: &Given) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let (notebook, run) = run.write(&directory.path().join("run.db"));
    report::compare(&notebook, run).unwrap().warnings
}

#[test]
fn two_folders_of_one_file_system_are_no_two_drives() {
    let said = |run: &Given| warnings(run).into_iter().find(|w| w.contains("on one file system"));
    let shared = said(&on([("/dev/sda1", "/data"), ("/dev/sda1", "/data")])).unwrap();
    assert!(shared.starts_with("nvme and eco keep their data on one file system (/dev/sda1"), "{shared}");
    assert_eq!(said(&on([("/dev/sda1", "/data"), ("/dev/sdb1", "/other")])), None);
    let nodes = on([("devtmpfs", "/dev"), ("devtmpfs", "/dev")]);
    let nodes = ["nvme", "eco"].into_iter().fold(nodes, |run, bed| {
        run.with_drive(bed, &[("data.source", "devtmpfs"), ("data.mount", "/dev"), ("data.fs", "devtmpfs")])
    });
    assert_eq!(said(&nodes), None, "device nodes are drives of their own");
    let memory = Given {
        toml: BLOCK.replace("treatment = [\"storage\"]", "treatment = []"),
        ..on([("/dev/sda1", "/data"), ("/dev/sda1", "/data")])
    };
    assert_eq!(said(&memory), None, "the storage is not what is compared");
    assert_eq!(said(&Given::of(BLOCK)), None, "modelled drives are what they are named");
}

#[test]
fn a_page_holds_nothing_that_a_terminal_obeys() {
    let directory = tempfile::tempdir().unwrap();
    // The title of an experiment is refused with these; a notebook of another program can hold them anywhere.
    let hostile = Given { tool: "\u{1b}]0;gone\u{7} \u{9b}2J", ..Given::of(BLOCK) };
    let (notebook, run) = hostile.write(&directory.path().join("run.db"));
    let page = report::render_html(&notebook, run).unwrap();
    assert!(page.contains("]0;gone"), "the name is there");
    let orders: Vec<char> = page.chars().filter(|c| c.is_control() && *c != '\n' && *c != '\t').collect();
    assert!(orders.is_empty(), "{orders:?}");
}

#[test]
fn programs_that_took_the_processors_are_named() {
    let said = |run: &Given| -> Vec<String> {
        warnings(run).into_iter().filter(|warning| warning.contains("Other programs")).collect()
    };
    assert!(said(&Given { others: 3.0, ..Given::of(ORDERS) }).is_empty());
    let told = said(&Given { others: 40.0, ..Given::of(ORDERS) });
    assert!(told.len() == 1 && told[0].matches("up to 40 %").count() == 2, "one for all beds: {told:?}");
}

#[test]
fn two_runs_beside_different_loads_are_said_to_be_apart() {
    let directory = tempfile::tempdir().unwrap();
    let (quiet, baseline) =
        Given { others: 2.0, ..Given::of(ORDERS) }.write(&directory.path().join("quiet.db"));
    let first = |others: f64| {
        let (notebook, run) =
            Given { others, ..Given::of(ORDERS) }.write(&directory.path().join(format!("{others}.db")));
        report::compare_runs((&notebook, run), (&quiet, baseline), &[], report::Declared::MayDiffer)
            .unwrap()
            .warnings
            .first()
            .cloned()
    };
    let apart = first(30.0).unwrap();
    assert!(apart.starts_with("Other programs took 30 % of the processor time in "), "{apart}");
    assert!(apart.contains("and 2 % in "), "{apart}");
    assert!(!first(4.0).unwrap_or_default().contains("Other programs"), "a difference that is none");
    // Other programs in the run that is worse may have made it so; in its baseline they hide a loss.
    let orders = ORDERS.replace("repeats = 2", "repeats = 6");
    let gate = |factor: f64, others: f64, against: f64| {
        let [run, baseline] = [("run", factor, others), ("baseline", 1.0, against)].map(|given| {
            let (name, factor, others) = given;
            let place = directory.path().join(format!("{name}-{factor}-{others}-{against}.db"));
            Given { others, factor, ..Given::of(&orders) }.write(&place)
        });
        let declared = report::Declared::MayDiffer;
        let compared = report::compare_runs((&run.0, run.1), (&baseline.0, baseline.1), &[], declared);
        compared.unwrap().gate()
    };
    let outcome = |factor, others, against| gate(factor, others, against).outcome;
    assert_eq!([outcome(1.0, 2.0, 4.0), outcome(1.0, 30.0, 2.0)], [report::Outcome::Passed; 2]);
    assert_eq!([outcome(0.8, 2.0, 4.0), outcome(0.8, 2.0, 30.0)], [report::Outcome::Regressed; 2]);
    assert_eq!([outcome(0.8, 30.0, 2.0), outcome(1.0, 2.0, 30.0)], [report::Outcome::Open; 2]);
    let masked = gate(1.0, 2.0, 30.0);
    assert!(masked.reasons.iter().all(|reason| reason.contains("other programs took 2 %")), "{masked:?}");
    assert_eq!(masked.repeats_to_settle, None, "repeats beside other programs settle nothing");
    let undecided = report::Taken { exit_code: 4, open_passes: false };
    assert!(masked.to_markdown(undecided).contains("- Other programs took 2 %"), "the caveats are there");
}

#[test]
fn each_kind_of_figure_has_a_smallest_effect_of_its_own() {
    let effects = |run: &Given| {
        let directory = tempfile::tempdir().unwrap();
        let (notebook, run) = run.write(&directory.path().join("run.db"));
        let comparison = report::compare(&notebook, run).unwrap();
        ["iops", "latency_p99"].map(|metric| {
            let contrast =
                comparison.contrasts.iter().find(|contrast| contrast.metric.name() == metric).unwrap();
            contrast.judgement.smallest_effect
        })
    };
    let toml = format!("{BLOCK}smallest_effect = {{ nopm = \"1%\", iops = \"20%\" }}\n");
    let run = Given { smallest_effect: 0.01, ..Given::of(&toml) };
    assert_eq!(effects(&run), [0.2, 0.1]);
    // A run of an older version has one for every kind of throughput.
    let older = Given { stored: Some(BLOCK.to_owned()), smallest_effect: 0.05, ..Given::of(BLOCK) };
    assert_eq!(effects(&older), [0.05, 0.1]);
}
