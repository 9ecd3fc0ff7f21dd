//! The messages of commands about common mistakes of users.

use crate::common::{BLOCK, SMALL, Scratch};

/// fio's `iodepth=8` with `numjobs=2` is twice a queue depth of 8, never one of 8.
#[test]
fn a_depth_of_several_workers_is_named_as_such() {
    let text = BLOCK.replace("depth = [4]", "depth = [8]\nworkers = 2").replace("repeats = 6", "repeats = 1");
    let scratch = Scratch::with("x.toml", &text);
    assert!(scratch.run(&["plan", "x.toml"]).expect(0).stdout.contains("nvme, 2 x depth 8, repeat 1"));
    scratch.run(&["run", "x.toml"]).expect(0);
    let page = std::fs::read_to_string(scratch.report("drivetrain-report-1-")).unwrap();
    assert!(page.contains("2 x queue depth 8"));
    assert!(!page.replace("2 x queue depth 8", "").contains("queue depth 8"));
}

#[test]
fn a_plan_of_block_loads_speaks_of_block_loads() {
    let scratch = Scratch::with("x.toml", BLOCK);
    let plan = scratch.run(&["plan", "x.toml"]).expect(0).stdout;
    assert!(plan.contains("estimates assume: 50000 IOPS") && !plan.contains("warehouse"), "{plan}");
}

#[test]
fn a_smallest_effect_that_judges_nothing_is_a_fault() {
    let text = SMALL.replace("seed = 11", "seed = 11\nsmallest_effect = { iops = \"5%\" }");
    let refused = Scratch::with("x.toml", &text).run(&["plan", "x.toml"]).expect(2).stderr;
    for part in ["no workload has results that `iops` judges", "x.toml:27:28", "^^^^", "`nopm`"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
}

#[test]
fn an_unknown_procedure_is_answered_with_the_known_ones() {
    let refused = Scratch::new().run(&["published", "kingston-dc1500m/test-2"]).expect(2).stderr;
    assert!(refused.contains("the procedures are K-"), "{refused}");
}

#[test]
fn a_run_that_is_imported_again_is_known() {
    let scratch = Scratch::with("x.toml", &BLOCK.replace("repeats = 6", "repeats = 1"));
    scratch.run(&["run", "x.toml"]).expect(0);
    let import = ["import", "drivetrain.db", "--notebook", "other.db"];
    assert_eq!(scratch.run(&import).expect(0).stdout, "run 1 of drivetrain.db is run 1 here\n");
    let again = scratch.run(&import).expect(0);
    assert_eq!(
        again.stdout,
        "run 1 of drivetrain.db is run 1 here already; it was not copied (remove it with `drivetrain rm` to copy it anew)\n"
    );
    let runs = scratch.run(&["ls", "--notebook", "other.db", "--json"]).expect(0).json();
    assert_eq!(runs.as_array().unwrap().len(), 1, "{runs:#}");
}

#[test]
fn init_replaces_its_own_file_until_somebody_changes_it() {
    let scratch = Scratch::new();
    scratch.run(&["init"]).expect(0);
    scratch.run(&["init", "demo"]).expect(0);
    scratch.run(&["init"]).expect(0);
    let text = std::fs::read_to_string(scratch.path().join("experiment.toml")).unwrap();
    scratch.write("experiment.toml", &format!("{text}# mine"));
    scratch.run(&["init"]).expect(6);
}

#[test]
fn a_fio_job_without_a_runtime_says_how_long_it_is_planned() {
    let job = "[job]\nrw=randread\nbs=4k\nsize=1m\nfilename=data\n";
    let scratch = Scratch::with("x.fio", job);
    let planned = scratch.run(&["plan", "x.fio"]).expect(0).stderr;
    assert!(planned.contains("without `runtime`") && planned.contains("a plan counts 24 h"), "{planned}");
}

/// A load that writes makes the file that it names, and the next run uses it again.
#[test]
fn clean_names_the_file_that_a_finished_block_run_keeps() {
    let text = BLOCK
        .replace("{ emulated = \"kingston-dc1500m-960g\", path = \".\" }", "{ real = \".\" }")
        .replace("size = \"1GiB\"", "size = \"1MiB\"\npaths = [\"kept.dat\"]\nengine = \"psync\"")
        .replace("depth = [4]", "depth = [1]")
        .replace("read = \"100%\"", "read = \"0%\"")
        .replace("repeats = 6", "repeats = 1");
    let scratch = Scratch::with("x.toml", &text);
    scratch.run(&["run", "x.toml"]);
    let path = scratch.path().canonicalize().unwrap().join("kept.dat");
    assert!(path.exists());
    let told = scratch.run(&["clean"]).expect(0).stdout;
    assert!(
        told.contains("kept") && told.contains(path.to_str().unwrap()) && told.contains("run 1"),
        "{told}"
    );
    scratch.run(&["clean", "kept.dat"]).expect(0);
    assert!(!path.exists());
    assert!(!scratch.run(&["clean"]).expect(0).stdout.contains("kept.dat"));
}
