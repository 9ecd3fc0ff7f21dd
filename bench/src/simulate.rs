//! The time that the studies' whole tests take in virtual time, at their published size: all levels, beds and
//! repeats, one thread.
//!
//! For one core: `taskset -c 0 cargo run --release -p bench -- simulate`.

use ground::Clock;
use lab::{Interrupt, Request, Silent, World};
use notebook::Notebook;

use crate::options::Options;

/// The five tests of the study "kingston-dc1500m"; the fifth as it was published, and corrected.
const TESTS: [&str; 6] = ["test-1", "test-2", "test-3", "test-4", "test-5-as-published", "test-5"];
/// Seconds that the five published tests may take together.
const GOAL_S: f64 = 180.0;

/// Simulates every test once; with `--smoke` one test with a single repeat.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let temp = tempfile::Builder::new().prefix("drivetrain-bench-").tempdir_in(&options.dir)?;
    let mut notebook = Notebook::open_or_create(temp.path().join("simulate.db"))?;
    let mut table =
        "# The Kingston tests in virtual time\n\n| test | cells | seconds |\n|---|---|---|\n".to_owned();
    let mut five_s = 0.0;
    let tests = if options.smoke { &TESTS[3..4] } else { &TESTS[..] };
    for test in tests {
        let name = format!("kingston-dc1500m/{test}");
        let start = Clock::Wall.stopwatch();
        let request = request(&name, options.smoke)?;
        let beds = study::Values::calibrated();
        let finished = lab::simulate(&request, &beds, &mut notebook, &Interrupt::new(), &Silent)?;
        let seconds = start.elapsed().as_secs_f64();
        anyhow::ensure!(finished.invalid == 0 && finished.left == 0, "{name}: not all cells count");
        if *test != "test-5" {
            five_s += seconds;
        }
        table.push_str(&format!("| {name} | {} | {seconds:.1} |\n", finished.done));
    }
    let kept = if five_s <= GOAL_S { "kept" } else { "MISSED" };
    table.push_str(&format!(
        "\nThe published five together: {five_s:.1} s; goal at most {GOAL_S:.0} s: {kept}\n"
    ));
    Ok(table)
}

fn request(name: &str, smoke: bool) -> anyhow::Result<Request> {
    let named = experiment::find_named(name).ok_or_else(|| anyhow::anyhow!("{name} is built in"))?;
    let mut text = named.text.to_owned();
    if smoke {
        text = experiment::apply_set(&text, "design.repeats=1").map_err(|e| anyhow::anyhow!("{e}"))?;
    }
    let experiment = experiment::parse(&text, name).map_err(|faults| anyhow::anyhow!("{faults}"))?;
    Ok(Request {
        experiment,
        experiment_toml: text,
        name: name.to_owned(),
        scale: 1.0,
        scale_statement: Default::default(),
        seed: 1,
        work_dir: "bench".to_owned(),
        directory: None,
        tool_version: "bench".to_owned(),
        world: World::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smoke_run_simulates_a_test() {
        let dir = tempfile::tempdir().unwrap();
        let options = Options::for_test(0.3, dir.path());
        let text = run(&options).unwrap();
        assert!(text.contains("kingston-dc1500m/test-4") && text.contains("kept"), "{text}");
    }
}
