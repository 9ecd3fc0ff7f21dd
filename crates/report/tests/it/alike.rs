//! Two runs are compared only when both are whole and were asked the same: a table of pairs.

use crate::given::{self, BLOCK, Given, ORDERS};
use report::{Outcome, ReportError};

/// The result of a pair.
enum Comes<'a> {
    /// Refused, with every one of these in the words.
    Refused(&'a [&'a str]),
    /// Compared.
    Compared,
}

use Comes::{Compared, Refused};

/// One pair: the special property of the judged run, the factor named as varied, and the result.
type Pair<'a> = (&'a str, &'a dyn Fn(Given) -> Given, &'a [&'a str], Comes<'a>);

pub(crate) fn answer(run: &Given, baseline: &Given, treat: &[&str]) -> Result<report::Comparison, String> {
    let directory = tempfile::tempdir().unwrap();
    let old = baseline.write(&directory.path().join("old.db"));
    judged(run, (&old.0, old.1), treat)
}

fn judged(
    run: &Given,
    (old, b): (&notebook::Notebook, notebook::RunId),
    treat: &[&str],
) -> Result<report::Comparison, String> {
    let directory = tempfile::tempdir().unwrap();
    let (new, a) = run.write(&directory.path().join("new.db"));
    let treat: Vec<String> = treat.iter().map(|name| (*name).to_owned()).collect();
    report::compare_runs((&new, a), (old, b), &treat, report::Declared::MayDiffer).map_err(|error| {
        let ReportError::Refused(refusal) = &error else { panic!("another error: {error}") };
        let document = refusal.to_json();
        assert_eq!(
            document["reasons"].as_array().unwrap().len() + document["differences"].as_array().unwrap().len(),
            refusal.reasons.len() + refusal.differences.len()
        );
        error.to_string()
    })
}

fn hold(base: &Given, pairs: &[Pair<'_>]) {
    let directory = tempfile::tempdir().unwrap();
    let old = base.write(&directory.path().join("old.db"));
    for (name, change, treat, comes) in pairs {
        match (judged(&change(base.clone()), (&old.0, old.1), treat), comes) {
            (Ok(_), Compared) => {}
            (Err(text), Refused(words)) => {
                for word in *words {
                    assert!(text.contains(word), "{name}: `{word}` is not said in:\n{text}");
                }
            }
            (Ok(_), Refused(_)) => panic!("{name}: compared, though not alike"),
            (Err(text), Compared) => panic!("{name}: refused:\n{text}"),
        }
    }
}

pub(crate) fn set(key: &'static str) -> impl Fn(Given) -> Given {
    move |given: Given| Given { toml: experiment::apply_set(&given.toml, key).unwrap(), ..given }
}

pub(crate) fn text(from: &'static str, to: &'static str) -> impl Fn(Given) -> Given {
    move |given: Given| {
        assert!(given.toml.contains(from), "{from} stands in the experiment");
        Given { toml: given.toml.replace(from, to), ..given }
    }
}

#[test]
fn what_was_asked_of_a_block_load_must_be_the_same() {
    let pairs: &[Pair<'_>] = &[
        ("the same again", &|g| g, &[], Compared),
        ("another seed", &|g| Given { seed: 99, ..g }, &[], Compared),
        ("another title", &set("title=\"Another\""), &[], Compared),
        ("another question", &set("question=\"Why?\""), &[], Compared),
        ("another label", &set("bed.nvme.label=\"Fast\""), &[], Compared),
        ("more repeats", &set("design.repeats=3"), &[], Compared),
        ("another order of cells", &set("design.order=sequential"), &[], Compared),
        ("another backing path", &text("path = \".\"", "path = \"/elsewhere\""), &[], Compared),
        ("another name of the file", &|g| Given { name: "copy of it.toml".to_owned(), ..g }, &[], Compared),
        ("values as they stand when left out", &set("workload.mixed.direct=true"), &[], Compared),
        ("workloads in another order", &|g| Given { toml: given::swapped(&g.toml), ..g }, &[], Compared),
        (
            "sequential in place of uniform",
            &set("workload.mixed.stream.pattern=sequential"),
            &[],
            Refused(&[
                "workload.mixed.stream.1.pattern: uniform -> sequential",
                "--treat workload.stream.pattern",
            ]),
        ),
        (
            "reads alone",
            &set("workload.mixed.stream.read=\"100%\""),
            &[],
            Refused(&["workload.mixed.stream.1.read: 50% -> 100%"]),
        ),
        (
            "another block size",
            &set("workload.mixed.stream.block_size=\"4KiB\""),
            &[],
            Refused(&["workload.mixed.stream.1.block_size: 64KiB -> 4KiB"]),
        ),
        (
            "another size",
            &set("workload.mixed.size=\"32MiB\""),
            &[],
            Refused(&["workload.mixed.size: 64MiB -> 32MiB"]),
        ),
        (
            "other times",
            &set("workload.mixed.measure=\"2s\""),
            &[],
            Refused(&["workload.mixed.measure: 1s -> 2s"]),
        ),
        ("no ramp-up", &set("workload.mixed.ramp_up=\"0s\""), &[], Refused(&["workload.mixed.ramp_up"])),
        (
            "fewer levels",
            &set("workload.mixed.depth=[2]"),
            &[],
            Refused(&["mixed at queue depth 4 is in run 1 of"]),
        ),
        ("more levels", &set("workload.mixed.depth=[2,4,8]"), &[], Refused(&["mixed at queue depth 8"])),
        (
            "fewer levels, named",
            &set("workload.mixed.depth=[2]"),
            &["depth", "workload"],
            Refused(&["mixed at queue depth 4"]),
        ),
        (
            "levels that count something else",
            &text("depth = [2, 4]", "rate = [2, 4]"),
            &[],
            Refused(&["workload.mixed.level: depth -> IOPS"]),
        ),
        (
            "a renamed workload",
            &text("\"mixed\"", "\"mixed2\""),
            &[],
            Refused(&["the workload `mixed2` is in run", "the workload `mixed` is in run"]),
        ),
        (
            "a renamed bed",
            &text("\"eco\"", "\"echo\""),
            &[],
            Refused(&["the bed `echo` is in", "the bed `eco` is in"]),
        ),
        (
            "one bed fewer",
            &|g| Given { toml: given::without(&g.toml, "eco"), ..g },
            &["bed"],
            Refused(&["the bed `eco` is in run 1 of"]),
        ),
        ("written, not scaled", &|g| Given { scale: 0.5, ..g }, &[], Refused(&["scale: 1/1 -> 1/2"])),
        ("nearly the same scale", &|g| Given { scale: 0.999, ..g }, &[], Refused(&["scale: 1/1 -> 0.999"])),
        (
            "simulated",
            &|g| Given { realm: "simulated", ..g },
            &[],
            Refused(&["realm: emulated -> simulated"]),
        ),
        ("simulated, named", &|g| Given { realm: "simulated", ..g }, &["realm"], Compared),
        (
            "a looser limit",
            &|g| Given { smallest_effect: 0.5, ..g },
            &[],
            Refused(&["smallest_effect.throughput: 0.03 -> 0.5"]),
        ),
        (
            "another block size, named",
            &set("workload.mixed.stream.block_size=\"4KiB\""),
            &["block_size"],
            Compared,
        ),
        (
            "another block size, named by its whole name",
            &set("workload.mixed.stream.block_size=\"4KiB\""),
            &["workload.mixed.stream.1.block_size"],
            Compared,
        ),
        (
            "named one of two",
            &|g| set("workload.mixed.size=\"32MiB\"")(set("workload.mixed.stream.block_size=\"4KiB\"")(g)),
            &["block_size"],
            Refused(&["workload.mixed.size: 64MiB -> 32MiB"]),
        ),
        ("a name in which nothing differs", &|g| g, &["memory"], Compared),
        (
            "a text that cannot be read",
            &|g| Given { stored: Some("schema = 9".to_owned()), ..g },
            &[],
            Refused(&["experiment: another text -> a text that this version cannot read"]),
        ),
    ];
    hold(&Given::of(BLOCK), pairs);
}

#[test]
fn drives_are_known_by_their_numbers_and_real_storage_by_its_drive() {
    let eco = "micron-5200-eco-1920g";
    let free = text("micron-5200-eco-1920g", "free");
    let own = |numbers: &'static [(&'static str, &'static str)]| {
        move |g: Given| Given { toml: g.toml.replace(eco, "my.toml"), ..g }.with_drive("eco", numbers)
    };
    let before = own(&[("data.read.latency_4k", "90 us"), ("data.read.rate_4k", "9000 1/s")]);
    let after = own(&[("data.read.latency_4k", "45 us"), ("data.read.rate_4k", "9000 1/s")]);
    let undeclared = text("treatment = [\"storage\"]", "treatment = []")(Given::of(BLOCK));
    hold(
        &undeclared,
        &[
            (
                "another drive",
                &free,
                &[],
                Refused(&[
                    "bed.eco.storage: emulated micron-5200-eco-1920g -> emulated free",
                    "--treat bed.storage",
                ]),
            ),
            ("another drive, named", &free, &["storage"], Compared),
            (
                "a newer program with the same catalogue's name",
                &|g| Given { tool: "drivetrain 9", ..g },
                &[],
                Refused(&["its numbers not recorded"]),
            ),
        ],
    );
    hold(
        &before(undeclared.clone()),
        &[
            ("the same file", &|g| g, &[], Compared),
            (
                "its numbers edited",
                &after,
                &[],
                Refused(&["bed.eco.storage.drive.read.latency_4k: 90 us -> 45 us"]),
            ),
            (
                "its numbers not recorded",
                &|g| Given { facts: Vec::new(), ..g },
                &[],
                Refused(&["its numbers not recorded"]),
            ),
            ("the same numbers from a file elsewhere", &text("my.toml", "/tmp/other.toml"), &[], Compared),
        ],
    );
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old.db"), directory.path().join("new.db"));
    let ((old, b), (new, a)) = (Given::of(BLOCK).write(&old), free(Given::of(BLOCK)).write(&new));
    let judged = |treat: &[&str]| {
        let treat: Vec<String> = treat.iter().map(|name| (*name).to_owned()).collect();
        report::compare_runs((&new, a), (&old, b), &treat, report::Declared::ToBeNamed)
    };
    assert!(judged(&[]).unwrap_err().to_string().contains("--treat bed.storage"), "a gate has it named");
    let gate = judged(&["storage"]).unwrap().gate();
    let varied = "bed.eco.storage: emulated micron-5200-eco-1920g -> emulated free";
    let taken = report::Taken { exit_code: 0, open_passes: false };
    for form in [gate.to_text(taken), gate.to_junit(taken).replace("&gt;", ">")] {
        assert!(form.contains(varied), "{form}");
    }
    // With the storage as the declared treatment of both, the drive is the subject of the test; the memory
    // beside it is not.
    hold(
        &Given::of(BLOCK),
        &[
            ("another drive", &free, &[], Compared),
            (
                "declared by one only",
                &|g| text("treatment = [\"storage\"]", "treatment = []")(free(g)),
                &[],
                Refused(&["bed.eco.storage"]),
            ),
            ("numbers edited", &after, &[], Compared),
        ],
    );
    let real = |numbers: &'static [(&'static str, &'static str)]| {
        move |g: Given| {
            let emulated = format!("emulated = \"{eco}\", path = \".\"");
            Given { toml: g.toml.replace(&emulated, "real = \"/mnt/a\""), ..g }.with_drive("eco", numbers)
        }
    };
    const HERE: &[(&str, &str)] = &[
        ("data.mount", "/mnt"),
        ("data.source", "/dev/sda1"),
        ("data.fs", "ext4"),
        ("data.model", "X"),
        ("data.serial", "1"),
    ];
    const RENAMED: &[(&str, &str)] = &[
        ("data.mount", "/mnt"),
        ("data.source", "/dev/sdb1"),
        ("data.fs", "xfs"),
        ("data.model", "X"),
        ("data.serial", "1"),
    ];
    const REPLACED: &[(&str, &str)] = &[
        ("data.mount", "/mnt"),
        ("data.source", "/dev/sda1"),
        ("data.fs", "ext4"),
        ("data.model", "X"),
        ("data.serial", "2"),
    ];
    hold(
        &real(HERE)(undeclared),
        &[
            ("the same drive under another name and file system", &real(RENAMED), &[], Compared),
            ("another directory of the same mount", &text("/mnt/a", "/mnt/b"), &[], Compared),
            (
                "another specimen at the same place",
                &real(REPLACED),
                &[],
                Refused(&["bed.eco.storage: real /mnt/a on X /dev/sda1 1 -> real /mnt/a on X /dev/sda1 2"]),
            ),
            ("a drive that was not recorded", &real(&[]), &[], Refused(&["its drive not recorded"])),
            (
                "a modelled one in its place",
                &text("real = \"/mnt/a\"", "emulated = \"free\", path = \".\""),
                &[],
                Refused(&["real /mnt/a on X /dev/sda1 1 -> emulated free"]),
            ),
        ],
    );
}

#[test]
fn what_was_asked_of_a_database_must_be_the_same() {
    let pairs: &[Pair<'_>] = &[
        ("the same again", &|g| g, &[], Compared),
        (
            "another engine",
            &set("database.engine=postgresql"),
            &[],
            Refused(&["database.engine: sqlite -> postgresql"]),
        ),
        (
            "a newer engine",
            &|g| Given { engine: Some("3.99.0"), ..g },
            &[],
            Refused(&[
                "bed.nvme.engine.version: 3.51.0 -> 3.99.0",
                "bed.eco.engine.version",
                "--treat bed.engine.version",
            ]),
        ),
        ("a newer engine, named", &|g| Given { engine: Some("3.99.0"), ..g }, &["engine.version"], Compared),
        (
            "an engine that was not recorded",
            &|g| Given { engine: None, ..g },
            &[],
            Refused(&["bed.eco.engine.version: 3.51.0 -> not recorded"]),
        ),
        (
            "more memory",
            &set("database.memory=\"16MiB\""),
            &[],
            Refused(&["bed.nvme.memory: 8MiB -> 16MiB", "bed.eco.memory"]),
        ),
        (
            "more memory on one bed",
            &set("bed.eco.memory=\"16MiB\""),
            &[],
            Refused(&["bed.eco.memory: 8MiB -> 16MiB"]),
        ),
        (
            "the same memory, said elsewhere",
            &|g| set("bed.nvme.memory=\"8MiB\"")(set("bed.eco.memory=\"8MiB\"")(g)),
            &[],
            Compared,
        ),
        ("no sync", &set("database.synchronous=off"), &[], Refused(&["database.synchronous: full -> off"])),
        (
            "more warehouses",
            &set("workload.warehouses=4"),
            &[],
            Refused(&["workload.tpcc.warehouses: 2 -> 4", "--treat workload.warehouses"]),
        ),
        ("fewer users", &set("workload.virtual_users=[1]"), &[], Refused(&["tpcc at 2 virtual users"])),
        (
            "a log on a drive of its own",
            &set("bed.eco.log={emulated=\"free\"}"),
            &[],
            Refused(&["bed.eco.log: on the data's drive -> a drive of its own"]),
        ),
        (
            "memory, though the storage is the treatment",
            &set("database.memory=\"16MiB\""),
            &["storage"],
            Refused(&["bed.nvme.memory"]),
        ),
        ("memory, named", &set("database.memory=\"16MiB\""), &["memory"], Compared),
    ];
    hold(&Given::of(ORDERS), pairs);
    let unknown = Given { engine: None, ..Given::of(ORDERS) };
    hold(&unknown, &[("both not recorded", &|g| g, &[], Refused(&["not recorded -> not recorded either"]))]);
}

#[test]
fn simulations_are_alike_only_with_the_same_model() {
    let base = Given { realm: "simulated", engine: None, ..Given::of(ORDERS) };
    let parameter = |value: &'static str| {
        move |g: Given| g.with_facts("simulated-parameters", &[("cpu.new_order_us", value)])
    };
    hold(
        &base,
        &[
            ("the same again", &|g| g, &[], Compared),
            (
                "another program",
                &|g| Given { tool: "drivetrain 9", ..g },
                &[],
                Refused(&["tool.version: drivetrain 0.1.0 -> drivetrain 9"]),
            ),
            ("other parameters", &parameter("80"), &[], Refused(&["model.cpu.new_order_us: nothing -> 80"])),
            (
                "the bed of a study",
                &set("bed.eco.simulated=kingston-nvme"),
                &[],
                Refused(&["bed.eco.simulated: nothing -> kingston-nvme"]),
            ),
        ],
    );
    // In real time neither the study's bed nor the program's version is asked.
    hold(
        &Given::of(ORDERS),
        &[("the bed of a study", &set("bed.eco.simulated=kingston-nvme"), &[], Compared)],
    );
}

#[test]
fn a_workload_that_is_called_storage_is_not_the_storage() {
    let named = text("\"mixed\"", "\"storage\"")(Given::of(BLOCK));
    hold(
        &named,
        &[
            (
                "the treatment of both",
                &set("workload.storage.stream.block_size=\"4KiB\""),
                &[],
                Refused(&["workload.storage.stream.1.block_size"]),
            ),
            (
                "named",
                &set("workload.storage.stream.block_size=\"4KiB\""),
                &["storage"],
                Refused(&["workload.storage.stream.1.block_size"]),
            ),
        ],
    );
}

#[test]
fn only_whole_runs_are_compared() {
    let base = Given::of(BLOCK);
    let unfinished = |state| move |g: Given| Given { state, unrun: 1, ..g };
    use notebook::RunState::{Failed, Interrupted, Running};
    hold(
        &base,
        &[
            (
                "interrupted",
                &unfinished(Interrupted),
                &[],
                Refused(&["is not finished (interrupted, 15 of 16 cells)", "drivetrain resume"]),
            ),
            ("running", &unfinished(Running), &[], Refused(&["is not finished (running"])),
            ("failed", &unfinished(Failed), &[], Refused(&["is not finished (failed"])),
            (
                "called finished with cells left",
                &unfinished(notebook::RunState::Finished),
                &[],
                Refused(&["15 of 16"]),
            ),
            (
                "interrupted, whatever is named",
                &unfinished(Interrupted),
                &["experiment", "workload", "bed"],
                Refused(&["is not finished"]),
            ),
            (
                "a level without a valid cell",
                &|g| Given { invalid: vec![("eco", "mixed", 4.0, 99)], ..g },
                &[],
                Refused(&[
                    "has no valid cell of mixed at queue depth 4 on `eco` (2 invalid, the first: the drive failed)",
                ]),
            ),
            ("one invalid cell", &|g| Given { invalid: vec![("eco", "mixed", 4.0, 1)], ..g }, &[], Compared),
        ],
    );
    // The other way round: the baseline is the one that is not whole.
    let text = answer(&base, &unfinished(Interrupted)(base.clone()), &[]).unwrap_err();
    assert!(text.contains("is not finished (interrupted"), "{text}");
}

#[test]
fn a_run_is_never_judged_by_itself_or_a_copy() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let (first, run) = Given::of(BLOCK).write(&path("first.db"));
    type Run<'a> = (&'a notebook::Notebook, notebook::RunId);
    fn refused(a: Run<'_>, b: Run<'_>) -> String {
        report::compare_runs(a, b, &["experiment".to_owned()], report::Declared::MayDiffer)
            .unwrap_err()
            .to_string()
    }
    let itself = refused((&first, run), (&first, run));
    assert!(itself.contains("run 1 is the baseline itself"), "{itself}");
    first.close().unwrap();
    std::fs::copy(path("first.db"), path("copy.db")).unwrap();
    let (first, copy) = (open(&path("first.db")), open(&path("copy.db")));
    assert!(refused((&first, run), (&copy, run)).contains("baseline itself"));
    // Imported under another number.
    let (other, _) = Given::of(ORDERS).write(&path("other.db"));
    let imported = other.import_runs(&first, &[run]).unwrap()[0];
    let text = refused((&other, imported), (&first, run));
    assert!(text.contains("run 2, a copy of run 1, is the baseline itself"), "{text}");
    // The same seed and the same text at another time is another run.
    let (second, again) = Given::of(BLOCK).write(&path("second.db"));
    report::compare_runs((&second, again), (&first, run), &[], report::Declared::MayDiffer).unwrap();
}

fn open(path: &std::path::Path) -> notebook::Notebook {
    notebook::Notebook::open_existing(path).unwrap()
}

#[test]
fn only_enough_repeats_close_a_gate() {
    let outcome = |repeats: &'static str, factor: f64, change: &dyn Fn(Given) -> Given| {
        let base = set(repeats)(Given::of(BLOCK));
        let run = change(Given { factor, ..base.clone() });
        answer(&run, &base, &[]).unwrap().gate()
    };
    let same = |g: Given| g;
    for few in ["design.repeats=2", "design.repeats=3"] {
        for factor in [0.5, 1.0, 2.0] {
            let gate = outcome(few, factor, &same);
            assert_eq!(gate.outcome, Outcome::Open, "{few}, {factor}");
            assert!(
                gate.reasons[0].contains("in each run would show a loss or exclude it"),
                "{:?}",
                gate.reasons
            );
            assert!(gate.repeats_to_settle.is_some_and(|repeats| repeats >= 4), "{gate:?}");
        }
    }
    let worse = outcome("design.repeats=4", 0.5, &same);
    assert_eq!(worse.outcome, Outcome::Regressed);
    assert_eq!(worse.decided_by.len(), worse.reasons.len());
    assert!(
        worse.reasons[0].starts_with("IOPS of ") && worse.reasons[0].contains("worse"),
        "{:?}",
        worse.reasons
    );
    assert_eq!(outcome("design.repeats=4", 1.0, &same).outcome, Outcome::Passed);
    assert_eq!(outcome("design.repeats=4", 2.0, &same).outcome, Outcome::Passed);
    // Six repeats against three are few as well.
    let fewer = outcome("design.repeats=6", 0.5, &set("design.repeats=3"));
    assert_eq!(fewer.outcome, Outcome::Open);
    // A cell of the judged run that does not count leaves the gate open, and a regression shown by the others
    // stays one.
    let lost = |g: Given| Given { invalid: vec![("eco", "mixed", 4.0, 1)], ..g };
    let open = outcome("design.repeats=6", 1.0, &lost);
    assert_eq!(open.outcome, Outcome::Open);
    assert!(open.reasons[0].contains("1 cell of the run does not count"), "{:?}", open.reasons);
    assert_eq!(outcome("design.repeats=6", 0.5, &lost).outcome, Outcome::Regressed);
    // Nothing measured is no pass.
    assert_eq!(outcome("design.repeats=6", 0.0, &same).outcome, Outcome::Open);
}

#[test]
fn a_gain_of_unknown_size_passes_a_gate_and_a_loss_of_unknown_size_leaves_it_open() {
    let gate = |factor: f64| {
        let base = Given { spread: 0.02, ..set("design.repeats=6")(Given::of(BLOCK)) };
        answer(&Given { factor, ..base.clone() }, &base, &[]).unwrap().gate()
    };
    let gain = gate(1.05);
    assert_eq!(gain.outcome, Outcome::Passed, "{gain:?}");
    let iops = gain.checked.iter().find(|checked| checked.place.starts_with("IOPS")).unwrap();
    assert_eq!(iops.found, report::Found::NotWorse, "{iops:?}");
    assert!(iops.reason.contains("95 % interval") && iops.reason.contains("), not worse; "), "{iops:?}");
    let loss = gate(1.0 / 1.05);
    assert_eq!(loss.outcome, Outcome::Open, "{loss:?}");
    assert!(loss.reasons[0].contains("99 % interval") && loss.repeats_to_settle > Some(6), "{loss:?}");
    // One that does not count keeps it open, and no number of repeats is promised to decide it.
    let base = set("design.repeats=6")(Given::of(BLOCK));
    let lost = Given { invalid: vec![("eco", "mixed", 4.0, 1)], ..base.clone() };
    let open = answer(&lost, &base, &[]).unwrap().gate();
    assert_eq!((open.outcome, open.repeats_to_settle), (Outcome::Open, None));
}
