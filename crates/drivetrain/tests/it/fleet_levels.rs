//! The levels of fleets: their totals, their numbers of ranks, and their plans.

use crate::common::{PACED, Ran, Scratch};
use crate::fleet::{MODELLED, open, values};
use crate::servers::{Foreign, ONE_BED};

fn run(scratch: &Scratch, more: &[&str]) -> Ran {
    scratch.run_in_virtual_time(&[&["run", "x.toml", "--hosts", "localhost:4"], more].concat())
}

#[test]
fn the_number_of_ranks_is_a_level_with_its_knee() {
    let one_depth = MODELLED.replace("depth = [1, 4]", "depth = [4]").replace("repeats = 2", "repeats = 1");
    let scratch = Scratch::with("x.toml", &one_depth);
    let ran = run(&scratch, &["--scale-out", "1,2,4"]).expect(0);
    // Each rank has a modelled drive of its own.
    let told = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("There is no knee"), "{told}");
    assert!(told.contains("Each rank had a modelled drive of its own"), "{told}");
    let plan = scratch.run(&["plan", "x.toml", "--hosts", "localhost:4", "--scale-out", "1,2,4"]).expect(0);
    assert!(plan.stdout.contains("the modelled drive is its own"), "{}", plan.stdout);
    assert!(told.contains("4 ranks (queue depth 4 on each)"), "{told}");
    let whole = open(&scratch, "drivetrain.db");
    let mut together = values(&whole, "hosts_together");
    together.sort_by(f64::total_cmp);
    assert_eq!(together, [1.0, 2.0, 4.0]);
    // A rank has the cells that it takes part in, and the whole is their sum.
    let of_rank = |rank: u32| values(&open(&scratch, &format!("drivetrain.rank-{rank}.db")), "latency_count");
    assert_eq!([0, 1, 2, 3].map(|rank| of_rank(rank).len()), [3, 2, 1, 1]);
    let all: f64 = (0..4).flat_map(of_rank).sum();
    assert_eq!(values(&whole, "latency_count").iter().sum::<f64>(), all);
    let shown = scratch.run(&["compare", "--json"]).expect(0).json();
    let scale_out = &shown["scale_out"][0];
    let points = scale_out["points"].as_array().unwrap();
    assert_eq!(points.iter().map(|point| point["ranks"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 4]);
    assert!(points[2]["efficiency"].as_f64().unwrap() > 0.9, "{scale_out}");
    assert!(scale_out["knee"].is_null() && points[1]["gain_interval_95"].is_null(), "{scale_out}");
    assert_eq!(scale_out["hint"], "few_repeats");
    assert!(ran.stdout.contains("A hint, no finding: fewer than"), "{}", ran.stdout);
    let page = std::fs::read_to_string(scratch.report("drivetrain-report-1-")).unwrap();
    // Its levels are no depths.
    let profiled = scratch.run(&["profile", "--from-run", "1"]).expect(2).stderr;
    assert!(profiled.contains("several ranks"), "{profiled}");
    assert!(page.contains("id=\"scale-out\"") && page.contains("Throughput against ranks"));
    let again = page.split("drivetrain run experiment.toml --set design.seed=").nth(1).unwrap();
    assert!(again.lines().next().unwrap().contains(" --hosts localhost:4<"), "{again}");
    // One more repeat, each cell at its place on every rank.
    let resumed = scratch.run_in_virtual_time(&["resume", "--repeats", "2"]).expect(0);
    assert!(resumed.stderr.contains("fleet of 4 ranks"), "{}", resumed.stderr);
    assert_eq!(values(&whole, "hosts_together").len(), 6);
    assert_eq!([0, 1, 2, 3].map(|rank| of_rank(rank).len()), [6, 4, 2, 2]);
    let shown = scratch.run(&["compare", "--json"]).expect(0).json();
    let gain = &shown["scale_out"][0]["points"][1];
    assert_eq!(gain["gain_repeats"], 2);
    let number = |of: &str| gain.pointer(of).unwrap().as_f64().unwrap();
    assert!(number("/gain_interval_95/low") <= number("/gain"), "{gain}");
    assert!(number("/gain") <= number("/gain_interval_95/high"), "{gain}");
}

#[test]
fn levels_that_do_not_fit_the_fleet_are_refused_before_anything_is_made() {
    let scratch = Scratch::with("x.toml", MODELLED);
    let refused = |more: &[&str], part: &str| {
        let ran = run(&scratch, more).expect(2);
        assert!(ran.stderr.contains(part), "{more:?}: {}", ran.stderr);
    };
    refused(&["--scale-out", "1,2,4"], "more than one load");
    let one = ["--set", "workload.depth=[4]"];
    refused(&[&["--scale-out", "1,8"], &one[..]].concat(), "the largest level has 8 ranks, and 4 are given");
    refused(&[&["--scale-out", "1,2"], &one[..]].concat(), "some would have no work");
    refused(&[&["--scale-out", "1,x"], &one[..]].concat(), "scale_out");
    let alone = scratch.run(&[&["run", "x.toml", "--scale-out", "1,2"], &one[..]].concat()).expect(2);
    assert!(alone.stderr.contains("--hosts localhost:2"), "{}", alone.stderr);
    let files: Vec<_> =
        std::fs::read_dir(scratch.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(files, ["x.toml"]);
}

#[test]
fn a_start_that_a_rank_refuses_leaves_no_run() {
    let real =
        MODELLED.replace("{ emulated = \"kingston-dc1500m-960g\", path = \".\" }", "{ real = \"d-{rank}\" }");
    let scratch = Scratch::with("x.toml", &real.replace("engine = \"modelled\"\n", ""));
    std::fs::create_dir(scratch.path().join("d-0")).unwrap();
    let refused = scratch.run(&["run", "x.toml", "--hosts", "localhost:2"]).expect(1);
    let one_line = "rank 1 (localhost): the storage path d-1 does not exist; in the experiment: bed `nvme`";
    assert!(refused.stderr.contains(one_line) && !refused.stderr.contains("\\n"), "{}", refused.stderr);
    let made = |name: &str| scratch.path().join(name).exists();
    assert!(!made("drivetrain.db") && !made("drivetrain.rank-0.db") && !made("drivetrain.rank-1.db"));
    let plan = scratch.run(&["plan", "x.toml", "--hosts", "localhost:2"]).expect(2);
    assert!(plan.stderr.contains("d-1 does not exist"), "{}", plan.stderr);
}

#[test]
fn the_plan_of_a_fleet_adds_up_what_its_ranks_share() {
    let scratch = Scratch::with("x.toml", &MODELLED.replace("depth = [1, 4]", "rate = [100]"));
    let plan = |hosts: &str| {
        scratch.run(&["plan", "x.toml", "--hosts", hosts, "--seed=7", "--json"]).expect(0).json()
    };
    let (one, three, apart) = (plan("localhost"), plan("localhost:3"), plan("a,b"));
    let number = |plan: &serde_json::Value, of: &str| plan.pointer(of).unwrap().as_f64().unwrap();
    for of in ["/space_bytes", "/beds/0/written_bytes", "/storages/0/written_bytes"] {
        assert_eq!(number(&three, of), 3.0 * number(&one, of), "{of}");
    }
    assert_eq!(three["storages"][0]["ranks"], serde_json::json!([0, 1, 2]));
    assert_eq!(apart["storages"].as_array().unwrap().len(), 2);
    assert_eq!(number(&apart, "/storages/1/space_bytes"), number(&one, "/space_bytes"));
    assert!(three["cells"][0].as_str().unwrap().contains("300 IOPS"), "{three:#}");
    let text = scratch.run(&["plan", "x.toml", "--hosts", "localhost:3"]).expect(0).stdout;
    assert!(text.contains("at most on all 3 ranks") && text.contains("localhost      3"), "{text}");
}

#[test]
fn the_workers_of_a_load_are_dealt_to_ranks() {
    let dealt = MODELLED
        .replace("depth = [1, 4]", "rate = [600]\nworkers = 4\nfiles = 4")
        .replace("repeats = 2\nseed = 7", "repeats = 1\nseed = 7\n[fleet]\ndeal = true");
    let scratch = Scratch::with("x.toml", &dealt);
    scratch.run_in_virtual_time(&["run", "x.toml", "--hosts", "localhost:3"]).expect(0);
    let iops = |name: &str| values(&open(&scratch, name), "iops")[0];
    // Two workers of four, and one each; together the load of the file.
    let parts = [0, 1, 2].map(|rank| iops(&format!("drivetrain.rank-{rank}.db")));
    for (part, asked) in parts.iter().zip([300.0, 150.0, 150.0]) {
        assert!((part / asked - 1.0).abs() < 0.2, "{parts:?}");
    }
    assert_eq!(iops("drivetrain.db"), parts.iter().sum::<f64>());
    let refused = scratch.run(&["run", "x.toml", "--hosts", "localhost:5"]).expect(2);
    assert!(refused.stderr.contains("dealt to 4 ranks at most, and 5 are given"), "{}", refused.stderr);
}

/// Two victims and a neighbour that makes backups, each a machine.
const ROLES: &str = r#"
schema = 1
title = "Roles by rank"
[[bed]]
name = "here"
storage = { real = "." }
[database]
engine = "sqlite"
memory = "16MiB"
[[workload]]
kind = "neighbour"
victims = 2
warehouses = 1
virtual_users = 1
ramp_up = "200ms"
measure = "1500ms"
neighbour = "backup"
arms = ["alone", "with-neighbour"]
[design]
treatment = []
repeats = 1
seed = 7
[fleet]
deal = true
"#;

#[test]
fn victims_and_neighbours_have_roles_by_rank() {
    let scratch = Scratch::with("x.toml", ROLES);
    let plan = scratch.run(&["plan", "x.toml", "--hosts", "localhost:3"]).expect(0).stdout;
    assert!(plan.contains("1 on localhost: bed here of its own: the victims 2 to 2 of 2"), "{plan}");
    assert!(plan.contains("2 on localhost: bed here of its own: 1 of 1 neighbours"), "{plan}");
    scratch.run(&["run", "x.toml", "--hosts", "localhost:3"]).expect(0);
    let figures = |name: &str, metric: &str| values(&open(&scratch, name), metric);
    // The first victim alone, and then both; by their ranks, whose notebooks have them under the same
    // numbers.
    assert_eq!(figures("drivetrain.db", "nopm_victim_1").len(), 2);
    let second = figures("drivetrain.db", "nopm_victim_2");
    assert_eq!(second, figures("drivetrain.rank-1.db", "nopm_victim_2"));
    assert_eq!((second.len(), figures("drivetrain.rank-2.db", "nopm").len()), (1, 0));
    assert!(figures("drivetrain.db", "neighbour_rate")[0] > 0.0);
    let shown = scratch.run(&["compare", "--json"]).expect(0).json();
    let beside =
        shown["hosts"].as_array().unwrap().iter().find(|of| of["neighbours"] != serde_json::json!([]));
    let beside = beside.expect("an arm with a neighbour");
    assert_eq!(
        (&beside["neighbours"][0]["rank"], &beside["hosts"].as_array().unwrap().len()),
        (&2.into(), &2)
    );
    assert_eq!(beside["fairness"].as_f64().map(|fairness| fairness > 0.0), Some(true), "{beside:#}");
    let text = scratch.run(&["compare", "--full"]).expect(0).stdout;
    assert!(text.contains("2 localhost (neighbour)") && text.contains("beside them 1 neighbour"), "{text}");
    // Of the study: twelve machines, on storage that they share.
    let hosts: Vec<String> = (0..12).map(|rank| format!("h{rank}")).collect();
    let hosts = hosts.join(",");
    let study = ["plan", "kingston-dc1500m/test-5", "--hosts", &hosts];
    let refused = scratch.run(&study).expect(2);
    assert!(refused.stderr.contains("--storage nvme=/mnt/shared"), "{}", refused.stderr);
    let shared = ["--storage", "nvme=/mnt/n", "--storage", "eco=/mnt/e", "--json"];
    let plan = scratch.run(&[&study[..], &shared].concat()).expect(0).json();
    let ranks = plan["ranks"].as_array().unwrap();
    assert_eq!(ranks.len(), 12, "{plan:#}");
    assert!(ranks[7].as_str().unwrap().contains("the victims 8 to 8 of 8"), "{ranks:?}");
    assert!(ranks[8].as_str().unwrap().contains("1 of 4 neighbours"), "{ranks:?}");
}

#[test]
fn ranks_on_one_server_are_levels_as_well() {
    let Some(server) = Foreign::start() else { return };
    let scratch = Scratch::with("x.toml", &ONE_BED.replace("[2]", "[4]"));
    let levels = ["run", "x.toml", "--hosts", "localhost:2", "--scale-out", "1,2", "--set", &server.set];
    let mut command = scratch.command(&[&levels[..], &PACED[..]].concat());
    Ran::from(command.env("PGPASSWORD", &server.password).output().unwrap()).expect(0);
    let whole = open(&scratch, "drivetrain.db");
    let mut together = values(&whole, "hosts_together");
    together.sort_by(f64::total_cmp);
    assert_eq!(together, [1.0, 2.0], "both levels kept the consistency conditions");
    // Each rank brings two of the four users, at either level.
    let per_user = |name: &str| {
        let (all, each) =
            (values(&open(&scratch, name), "tpm"), values(&open(&scratch, name), "tpm_per_user"));
        all.iter().zip(each).map(|(all, each)| (all / each).round()).collect::<Vec<_>>()
    };
    assert_eq!(per_user("drivetrain.rank-0.db"), [2.0, 2.0]);
    assert_eq!(per_user("drivetrain.rank-1.db"), [2.0]);
    // One rank checks the data before the run and reads the server's own counts, which are those of all.
    let checks = |name: &str| -> i64 {
        let count = "SELECT count(*) FROM note WHERE kind = 'load'";
        open(&scratch, name).query_row(count, [], |row| row.get(0)).unwrap()
    };
    assert_eq!([checks("drivetrain.rank-0.db"), checks("drivetrain.rank-1.db")], [1, 0]);
    let counts = |name: &str| values(&open(&scratch, name), "server_tpm").len();
    assert_eq!([counts("drivetrain.rank-0.db"), counts("drivetrain.rank-1.db")], [2, 0]);
    assert_eq!(values(&whole, "server_tpm").len(), 2);
    let shown = scratch.run(&["compare", "--json"]).expect(0).json();
    assert_eq!(shown["scale_out"][0]["points"].as_array().unwrap().len(), 2, "{shown:#}");
    assert_eq!(shown["scale_out"][0]["own_drives"], false);
    let paces = shown["paces"].as_array().unwrap();
    assert_eq!(paces.len(), 2, "{shown:#}");
    for figure in ["delay_p50_ms", "delay_p99_ms", "connection_wait_p99_ms"] {
        assert!(paces.iter().all(|pace| pace[figure].as_f64().is_some_and(|ms| ms >= 0.0)), "{paces:?}");
    }
    let text = scratch.run(&["compare", "--full"]).expect(0).stdout;
    assert!(text.contains("\nPace of the load generator (means over repeats)\n"), "{text}");
}

/// The mixed load of a published test on the beds of its study.
const CLUSTER: &str = r#"
schema = 1
title = "Load generators on one cluster"
[[bed]]
name = "nvme"
storage = { emulated = "kingston-dc1500m-960g", path = "." }
simulated = "kingston-nvme"
[[workload]]
kind = "block"
size = "10GB"
depth = [32]
ramp_up = "10s"
measure = "1min"
[[workload.stream]]
read = "70%"
block_size = "64KiB"
[design]
treatment = []
repeats = 1
[fleet]
scale_out = [1, 4, 16, 64]
"#;

#[test]
fn load_generators_on_one_simulated_cluster_have_a_knee() {
    let scratch = Scratch::with("x.toml", CLUSTER);
    let ran = scratch.run(&["run", "x.toml", "--realm", "simulated", "--seed=7", "--json"]).expect(0).json();
    let of = &ran["comparison"]["scale_out"][0];
    assert_eq!(of["points"][3]["ranks"], 64);
    assert_eq!(of["knee"]["limiter"], "drive", "{of:#}");
    assert!(of["points"][3]["efficiency"].as_f64().unwrap() < 0.5, "{of:#}");
    let text = scratch.run(&["compare", "--full"]).expect(0).stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("The knee is at"), "{text}");
}
