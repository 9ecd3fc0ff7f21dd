//! The examples that end the help of each verb, in one place. A test parses every one of them.

/// A command line and its purpose.
pub(crate) type Example = (&'static str, &'static str);

/// Examples of the program as a whole.
pub(crate) const FIRST: &[Example] = &[
    ("drivetrain demo", "NVMe against SATA, in two minutes"),
    ("drivetrain init --list backup", "the named experiments about backups"),
    ("drivetrain run kingston-dc1500m/test-2 --scale tiny", "a named experiment, made small"),
    (
        "drivetrain run my.toml --storage new=/mnt/a --storage old=/mnt/b",
        "on real storage: a path for each bed",
    ),
    ("drivetrain run job.fio", "a fio job file, or a vdbench parameter file"),
    ("drivetrain compare", "the verdicts of the latest run"),
];

/// The longest command beside which its purpose stands; that of a longer one is on the next line.
const BESIDE_MOST: usize = 38;

/// The examples of each verb, two or three.
#[rustfmt::skip] // One row each.
const OF_VERBS: &[(&str, &[Example])] = &[
    ("demo", &[
        ("drivetrain demo", "two modelled drives under order entry, about two minutes"),
        ("drivetrain demo --set design.repeats=12", "twice the repeats, narrower intervals"),
        ("drivetrain demo --serve", "with the live page"),
    ]),
    ("init", &[
        ("drivetrain init", "a commented experiment.toml to start from"),
        ("drivetrain init --list backup", "the named experiments about backups"),
        ("drivetrain init kingston-dc1500m/test-4 -o backup.toml", "a named experiment as a file, to change it"),
    ]),
    ("doctor", &[
        ("drivetrain doctor", "this machine, with remedies"),
        ("drivetrain doctor --json", "the same for a program"),
    ]),
    ("plan", &[
        ("drivetrain plan my.toml", "order, time, space, and what would be destroyed"),
        ("drivetrain plan kingston-dc1500m/test-2 --scale tiny --cells", "every cell in its order"),
        ("drivetrain plan my.toml --storage nvme=/mnt/nvme --storage sata=/mnt/sata", "with the paths of this machine checked"),
    ]),
    ("run", &[
        ("drivetrain run kingston-dc1500m/test-3 --realm simulated", "at published size, in virtual time"),
        ("drivetrain run my.toml --storage nvme=/mnt/nvme --storage sata=/mnt/sata --tag good", "on real storage, and tagged"),
        ("drivetrain run my.toml --hosts a,b,c,d --scale-out 1,2,4", "on one, two and four machines at once, over ssh"),
    ]),
    ("fleet", &[
        ("drivetrain fleet command --hosts a,b my.toml", "the command of a run on two hosts, and those of its ranks"),
        ("drivetrain fleet command --hosts localhost:4 my.toml --storage nvme=/mnt/{rank}", "four ranks on this machine, each with a path of its own"),
    ]),
    ("resume", &[
        ("drivetrain resume", "the latest run, where it was interrupted"),
        ("drivetrain resume 3 --repeats 8", "more repeats for a finished run"),
        ("drivetrain resume 3 --cells 2,7", "two cells once more"),
    ]),
    ("block", &[
        ("drivetrain block --rw randread --bs 4k --depth 32 --time 30s FILE", "reads of a file or device, which is opened read-only"),
        ("drivetrain block --rw randrw --read 70 --bs 8k --rate 5000 --size 4GiB NEWFILE", "at a rate, on a file that is made for it"),
        ("drivetrain block --rw randread --depth 32 --drive micron-5200-eco-1920g --time 10s", "a modelled drive"),
    ]),
    ("replay", &[
        ("drivetrain replay io.log NEWFILE --size 10GiB", "in its own time, on a file that is made for it"),
        ("drivetrain replay trace.csv FILE --reads-only --fast", "the reads alone, as fast as the depth allows"),
        ("drivetrain replay blkparse.txt --speed 4 --destroy /dev/disk/by-id/nvme-EXAMPLE=S3RIAL", "over a whole device"),
    ]),
    ("import-job", &[
        ("drivetrain import-job job.fio", "the experiment that means the same"),
        ("drivetrain import-job job.fio -o job.toml", "into a file, to change it"),
    ]),
    ("show", &[
        ("drivetrain show", "the latest run in twenty lines"),
        ("drivetrain show 3 --full", "every cell of run 3"),
        ("drivetrain show good --json", "the latest run with the tag, for a program"),
    ]),
    ("compare", &[
        ("drivetrain compare", "the beds of the latest run"),
        ("drivetrain compare 5 3", "run 5 with run 3, bed by bed"),
        ("drivetrain compare 5 3 --treat storage", "runs that differ in their storage on purpose"),
    ]),
    ("check", &[
        ("drivetrain check", "the latest run against the last good one"),
        ("drivetrain check --run 7 --baseline 3 --baseline-notebook kept.db", "against a run of another notebook"),
        ("drivetrain check --baseline 1 --junit check.xml --markdown check.md", "with files for a CI system"),
    ]),
    ("trend", &[
        ("drivetrain trend", "the experiment of the latest run, with its changes"),
        ("drivetrain trend kingston-dc1500m/test-2 --page history.html", "as a page"),
        ("drivetrain trend --format otava", "as the CSV that Otava reads"),
    ]),
    ("report", &[
        ("drivetrain report 3", "the page of run 3 once more"),
        ("drivetrain report --figures figures", "every figure as SVG and PNG"),
        ("drivetrain report --format markdown", "the result in short, for a pull request"),
    ]),
    ("serve", &[
        ("drivetrain serve", "at an address of this machine alone"),
        ("drivetrain serve --listen 0.0.0.0:8080", "for other machines, with a token in the address"),
    ]),
    ("ls", &[
        ("drivetrain ls", "every run"),
        ("drivetrain ls --tag good --last 5", "the latest five with a tag"),
        ("drivetrain ls backup", "those with the word in name, question, beds or tags"),
    ]),
    ("tag", &[
        ("drivetrain tag latest good", "what `check` judges by"),
        ("drivetrain tag 3 firmware-2.1 --name \"after the update\"", "a tag and a name"),
        ("drivetrain tag 3 --remove good", "takes a tag away"),
    ]),
    ("note", &[
        ("drivetrain note 3 \"new firmware, same cable\"", "keeps a remark"),
        ("drivetrain note 3", "prints the remarks"),
    ]),
    ("rm", &[
        ("drivetrain rm 3", "asks, then removes run 3 with its data"),
        ("drivetrain rm 3 4 5 --yes", "several, without asking"),
    ]),
    ("import", &[
        ("drivetrain import other.db", "every run that is not here yet"),
        ("drivetrain import other.db --run 3", "run 3 of the other notebook"),
    ]),
    ("export", &[
        ("drivetrain export", "the latest run as CSV, a row for each value"),
        ("drivetrain export --format wide-csv -o cells.csv", "a row for each cell, a column for each metric"),
        ("drivetrain export 3 --format fio-json -o fio", "fio's JSON, a file for each cell, for fio-plot"),
    ]),
    ("drives", &[
        ("drivetrain drives", "the catalogue"),
        ("drivetrain drives kingston-dc1500m-960g", "one drive, with the source of every number"),
        ("drivetrain drives aws-ebs-gp3:size=500GiB", "a cloud volume: its size gives its limits"),
    ]),
    ("profile", &[
        ("drivetrain profile --quick /mnt/nvme", "measures the drive under a directory, about ten minutes"),
        ("drivetrain profile --from-map map.csv", "the error of the model against the measured drive"),
        ("drivetrain profile --from-map map.csv -o my-drive.toml", "the drive as a file, for every verb"),
    ]),
    ("mount", &[
        ("drivetrain mount --drive dc1500m /srv/bytes /mnt/nvme", "a directory on a modelled drive"),
        ("drivetrain mount --drive 5200-eco /srv/data /mnt/data /srv/log /mnt/log", "data and log on one drive"),
        ("drivetrain mount --repair /mnt/nvme", "what a killed drivetrain left behind"),
    ]),
    ("verify", &[
        ("drivetrain verify FILE --journal /other/device/run.journal", "after a crash of a run with `block --verify --journal`"),
        ("drivetrain verify /dev/disk/by-id/nvme-EXAMPLE --journal run.journal --json", "of a device, for a program"),
    ]),
    ("clean", &[
        ("drivetrain clean --dry-run", "what is there, and how much it takes"),
        ("drivetrain clean --run 3", "gives up the data of run 3; its results stay"),
        ("drivetrain clean --all", "the data of all runs that are not in use"),
    ]),
    ("observe", &[
        ("drivetrain observe --url postgresql://monitor@db.example/orders --for 10min", "ten minutes of a server's own load"),
        ("drivetrain observe --url mysql://monitor@localhost/orders --drive my-nvme.toml", "on its own machine, whose drive was profiled"),
    ]),
    ("predict", &[
        ("drivetrain predict 3 --drive micron-5200-eco-1920g", "run 3, had it been on another drive"),
        ("drivetrain predict 4 --from my-nvme.toml --to my-ssd.toml", "a load that was observed, between profiled drives"),
        ("drivetrain predict", "every bed from every bed that differs in the drive alone, judged"),
    ]),
    ("attribute", &[
        ("drivetrain attribute kingston-dc1500m/test-2", "what of the published gain is the drive's"),
        ("drivetrain attribute kingston-dc1500m/test-2 --keep", "kept with the latest run of the test, for its report"),
    ]),
    ("published", &[
        ("drivetrain published", "every printed number beside the model's"),
        ("drivetrain published K-2", "the procedures that begin so"),
    ]),
    ("audit", &[
        ("drivetrain audit kingston-dc1500m", "a built-in study"),
        ("drivetrain audit numbers.toml --all", "a file of printed numbers, the right ones too"),
    ]),
    ("calibrate", &[
        ("drivetrain calibrate --fit K-2 --out values.toml", "fits the procedures that begin so"),
        ("drivetrain calibrate --leave-one-out", "the error of the model for each test that it was not fitted to"),
    ]),
    ("help", &[
        ("drivetrain help run", "the same as `drivetrain run --help`"),
        ("drivetrain help options", "the options that every verb takes"),
        ("drivetrain help exit-codes", "the exit codes"),
    ]),
    ("schema", &[
        ("drivetrain schema", "the JSON Schema, for an editor"),
        ("drivetrain schema --quiet", "the same, without a word on stderr"),
    ]),
    ("completions", &[
        ("drivetrain completions bash", "for bash; zsh, fish, elvish and powershell are known too"),
        ("drivetrain completions zsh", "for zsh"),
    ]),
    ("man", &[
        ("drivetrain man", "the main page"),
        ("drivetrain man man1", "every page into a directory"),
    ]),
];

/// The examples of a verb.
pub(crate) fn of(verb: &str) -> &'static [Example] {
    OF_VERBS.iter().find(|(name, _)| *name == verb).map_or(&[], |(_, examples)| *examples)
}

/// The examples as a section of a help text.
pub(crate) fn section(examples: &[Example]) -> String {
    let beside = |command: &&str| command.len() <= BESIDE_MOST;
    let width = examples.iter().map(|(command, _)| *command).filter(beside).map(str::len).max().unwrap_or(0);
    let mut text = "Examples:".to_owned();
    for (command, purpose) in examples {
        match beside(command) {
            true => text.push_str(&format!("\n  {command:width$}  {purpose}")),
            false => text.push_str(&format!("\n  {command}\n      {purpose}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;

    use super::super::Verb;
    use super::*;
    use crate::cli::Cli;
    use crate::help;
    use crate::verbs::drives;

    /// The words of a command line; quotes hold words together.
    fn words(line: &str) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for (at, part) in line.split('"').enumerate() {
            match at % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_owned)),
                _ => words.push(part.to_owned()),
            }
        }
        words
    }

    #[test]
    fn every_verb_has_two_or_three_and_each_is_one_of_it() {
        for verb in help::command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let name = verb.get_name();
            let examples = of(name);
            assert!((2..=3).contains(&examples.len()), "{name}: {}", examples.len());
            for (line, purpose) in examples {
                assert_eq!(words(line)[..2], ["drivetrain", name], "{line}");
                assert!(!purpose.is_empty() && !purpose.ends_with('.'), "{purpose}");
            }
        }
        assert!(of("no-verb").is_empty());
    }

    #[test]
    fn every_example_is_understood_as_the_program_understands_it() {
        let verbs: Vec<String> =
            help::command().get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
        for (line, _) in FIRST.iter().chain(verbs.iter().flat_map(|verb| of(verb))) {
            let matches = help::command().try_get_matches_from(words(line));
            let matches = matches.unwrap_or_else(|error| panic!("{line}: {error}"));
            let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| panic!("{line}: {error}"));
            // A drive, and an experiment that is no file of the reader's, is there.
            if let Verb::Run(args) = &cli.verb
                && !args.source.experiment.contains('.')
            {
                assert!(experiment::find_named(&args.source.experiment).is_some(), "{line}");
            }
            let words = words(line);
            if let Some(at) = words.iter().position(|word| word == "--drive")
                && !words[at + 1].ends_with(".toml")
            {
                drives::find(&words[at + 1]).unwrap_or_else(|error| panic!("{line}: {error}"));
            }
        }
    }

    #[test]
    fn a_purpose_stands_beside_its_command_or_below_a_long_one() {
        let long = "drivetrain block --rw randread --bs 4k --depth 32 --time 30s --size 1GiB";
        let text = section(&[("drivetrain ls", "every run"), (long, "a load")]);
        assert_eq!(text, format!("Examples:\n  drivetrain ls  every run\n  {long}\n      a load"));
    }
}
