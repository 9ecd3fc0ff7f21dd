//! The examples of the README and the guide work: they run or can be planned, and their commands exist.

use crate::common::Scratch;

const README: &str = include_str!("../../../../README.md");

/// The pages of the guide: path and text.
fn guide() -> Vec<(String, String)> {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide");
    let pages = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    pages.map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap())).collect()
}

/// The fenced blocks of one language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
}

#[test]
fn the_example_runs_as_written() {
    let example = blocks(README, "toml").into_iter().next().expect("the README shows an experiment");
    let scratch = Scratch::with("my.toml", &example);
    let ran = scratch.run(&["run", "my.toml", "--seed", "1"]).expect(0);
    assert!(ran.stdout.contains("report: ") && ran.stdout.contains("interval"), "{}", ran.stdout);
    assert!(scratch.report("drivetrain-report-1-").exists());
}

/// The commands that a text shows, in its prose and in its blocks.
fn commands(text: &str) -> Vec<String> {
    let in_text = text.split('`').filter(|part| part.starts_with("drivetrain ")).map(str::to_owned);
    let in_blocks =
        blocks(text, "sh").into_iter().flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>());
    in_text.chain(in_blocks).filter(|line| line.starts_with("drivetrain ")).collect()
}

#[test]
fn every_command_shown_is_understood() {
    let scratch = Scratch::new();
    let mut shown = commands(README);
    assert!(shown.len() >= 10, "the README shows commands: {shown:?}");
    shown.extend(guide().iter().flat_map(|(_, text)| commands(text)));
    for command in shown {
        // Help is printed only when the words before it are understood.
        let words: Vec<&str> = command.split_whitespace().skip(1).take_while(|word| *word != "#").collect();
        scratch.run(&[&words[..], &["--help"]].concat()).expect(0);
    }
}

#[test]
fn every_page_of_the_guide_is_in_the_list_of_the_readme() {
    for (path, text) in guide() {
        let name = path.rsplit('/').next().unwrap();
        let title = text.lines().next().unwrap().trim_start_matches("# ");
        assert!(README.contains(&format!("| [{title}](docs/guide/{name}) | ")), "{title}: {name}");
    }
}

/// The page names modelled drives, and puts them on directories of this machine.
#[test]
fn the_example_of_your_own_drive_runs_on_real_directories() {
    let page = include_str!("../../../../docs/guide/own-drive.md");
    let scratch = Scratch::with("drives.toml", &blocks(page, "toml")[0]);
    ["nvme", "sata"].iter().for_each(|name| std::fs::create_dir(scratch.path().join(name)).unwrap());
    let short = [
        "design.repeats=1",
        "workload.warehouses=1",
        "workload.virtual_users=[1]",
        "workload.ramp_up=\"200ms\"",
        "workload.measure=\"1s\"",
    ];
    let mut arguments =
        vec!["run", "drives.toml", "--storage", "nvme=nvme", "--storage", "sata=sata", "--full"];
    short.iter().for_each(|setting| arguments.extend(["--set", setting]));
    let ran = scratch.run(&arguments).expect(0);
    // As the page says: two directories on one drive compare nothing.
    assert!(ran.stdout.contains("keep their data on one file system"), "{}", ran.stdout);
    assert!(scratch.run(&["ls"]).expect(0).stdout.contains(" real"), "the numbers are of real storage");
}

#[test]
fn every_run_of_a_named_experiment_that_is_shown_can_be_planned() {
    let scratch = Scratch::new();
    for (page, text) in guide().into_iter().chain([("README.md".to_owned(), README.to_owned())]) {
        for command in commands(&text) {
            let words: Vec<&str> = command.split_whitespace().take_while(|word| *word != "#").collect();
            let Some(("run", rest)) = words.get(1).copied().zip(words.get(2..)) else { continue };
            // A name of a study has a slash and no ending; files that the page describes are not there.
            if rest.first().is_some_and(|name| name.contains('/') && !name.contains('.')) {
                // The mount points of a reader's machine are not there.
                let (mut here, mut real): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
                let mut rest = rest.iter();
                while let Some(word) = rest.next() {
                    match *word {
                        "--storage" => real.extend(rest.next()),
                        "--realm" => drop(rest.next()),
                        word => here.push(word),
                    }
                }
                let planned = scratch.run(&[&["plan", "--json"], &here[..]].concat());
                assert_eq!(planned.code, Some(0), "{page}: {command}: {}", planned.stderr);
                // A command that puts a bed on real storage puts all of them there, or asks for a mixture.
                let beds = planned.json()["beds"].as_array().unwrap().clone();
                let is_real = |bed: &&serde_json::Value| {
                    real.iter().any(|one| one.split('=').next() == bed["name"].as_str())
                };
                let count = beds.iter().filter(is_real).count();
                let is_mixed = here.contains(&"--mixed");
                assert!(count == 0 || count == beds.len() || is_mixed, "{page}: {command}");
            }
        }
    }
}

#[test]
fn every_experiment_of_the_guide_can_be_planned() {
    for (page, text) in guide() {
        for experiment in blocks(&text, "toml") {
            let scratch = Scratch::with("x.toml", &experiment);
            let planned = scratch.run(&["plan", "x.toml", "--json"]);
            assert_eq!(planned.code, Some(0), "{page}: {}", planned.stderr);
        }
    }
}
