//! `--set` and `--storage`: their effects, and their refusals.

use experiment::{Size, Storage, Workload, apply_set, find_named, parse, parse_with, template, use_storage};

fn test_1() -> &'static str {
    find_named("kingston-dc1500m/test-1").unwrap().text
}

fn changed(text: &str, settings: &[&str]) -> experiment::Experiment {
    let text = settings.iter().fold(text.to_owned(), |text, setting| apply_set(&text, setting).unwrap());
    parse(&text, "changed.toml").unwrap_or_else(|faults| panic!("{faults}"))
}

#[test]
fn a_setting_changes_its_value_and_not_the_text_around_it() {
    let before = template();
    let after = apply_set(before, "design.repeats=3").unwrap();
    let lines = before.lines().zip(after.lines()).filter(|(before, after)| before != after);
    let differing: Vec<(&str, &str)> = lines.collect();
    assert_eq!(before.lines().count(), after.lines().count());
    assert_eq!(differing.len(), 1);
    let (was, is) = differing[0];
    assert_eq!(is, was.replace("= 6", "= 3"));
}

#[test]
fn elements_are_named_by_index_by_name_or_not_at_all_when_there_is_one() {
    let experiment = changed(
        test_1(),
        &[
            "bed.1b.memory=64GB",
            "bed.0.label=half a TB",
            "workload.warehouses=7",
            "workload.0.virtual_users=[2, 3]",
        ],
    );
    assert_eq!(experiment.find_bed("1b").unwrap().memory, Some(Size(64_000_000_000)));
    assert_eq!(experiment.bed[0].label.as_deref(), Some("half a TB"));
    let Workload::Tpcc(tpcc) = &experiment.workload[0] else { panic!("test 1 is order entry") };
    assert_eq!((tpcc.warehouses, tpcc.virtual_users.as_slice()), (7, [2, 3].as_slice()));
}

#[test]
fn keys_and_tables_that_are_not_there_are_made() {
    let bare = template().split("[design]").next().unwrap();
    let experiment = changed(
        bare,
        &[
            "design.seed=7",
            "published=kingston-dc1500m/test-2",
            "bed.old.storage.path=/tmp/x",
            "bed.old.log.emulated=free",
        ],
    );
    assert_eq!(experiment.design.seed, Some(7));
    assert_eq!(experiment.published.as_deref(), Some("kingston-dc1500m/test-2"));
    assert_eq!(experiment.bed[1].storage.path().to_str(), Some("/tmp/x"));
    assert!(experiment.bed[1].log.is_some());
}

#[test]
fn a_table_of_a_list_is_replaced_by_a_table_alone() {
    let names = |experiment: &experiment::Experiment| -> Vec<String> {
        experiment.bed.iter().map(|bed| bed.name.clone()).collect()
    };
    let table = "bed.old={ name = \"old\", label = \"one of its own\", storage = { real = \"/tmp\" } }";
    let experiment = changed(template(), &[table, "design.repeats=3"]);
    assert_eq!(names(&experiment), names(&changed(template(), &[])));
    assert_eq!(experiment.bed[1].storage, Storage::Real { path: "/tmp".into() });
    assert_eq!(experiment.bed[1].label.as_deref(), Some("one of its own"));
    for value in ["1", "text", "[]", "[{}]"] {
        let refused = apply_set(template(), &format!("bed.old={value}")).unwrap_err().to_string();
        assert!(
            refused.starts_with("`bed.1` is a table") && refused.contains("bed.1.name=NAME"),
            "{refused}"
        );
    }
}

#[test]
fn a_long_key_is_told_by_its_beginning() {
    let long = "k".repeat(300);
    let beginning = format!("`{}...`", "k".repeat(60));
    for setting in [
        format!("{long}=1"),
        format!("design.{long}=1"),
        format!("bed.{long}=1"),
        format!("title.{long}=1"),
        format!("design.order={long}"),
        long.clone(),
    ] {
        let faults = parse_with(template(), "x.toml", &[setting]).unwrap_err();
        for fault in faults.iter() {
            assert!(fault.message.contains(&beginning) && fault.setting.is_some(), "{fault:?}");
        }
        assert!(faults.to_string().contains("^^^"), "{faults}");
    }
    let mut experiment = parse(template(), "x.toml").unwrap();
    for argument in [long.clone(), format!("{long}=/tmp")] {
        let refused = use_storage(&mut experiment, &argument).unwrap_err().to_string();
        assert!(refused.contains(&beginning), "{refused}");
    }
}

/// The faults of a text with settings: the setting or line of each, and the marked part.
fn shown(text: &str, settings: &[&str]) -> Vec<(String, String)> {
    let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
    let faults = parse_with(text, "x.toml", &settings).unwrap_err();
    let marked = |fault: &experiment::Diagnostic| match &fault.setting {
        Some(setting) => (setting.clone(), setting[fault.span.clone()].to_owned()),
        None => (fault.line.to_string(), text[fault.span.clone()].to_owned()),
    };
    faults.iter().map(marked).collect()
}

#[test]
fn a_wrong_setting_is_shown_as_it_was_written() {
    for (setting, marked) in [
        ("design.repeat=3", "repeat"),
        ("desing.repeats=3", "desing"),
        ("database.memory=64", "64"),
        ("design.order=alphabetical", "alphabetical"),
        ("design.baseline = nobody", "nobody"),
        ("workload.virtual_users=[1, 0]", "0"),
        ("repeats", "repeats"),
        ("title.x=1", "x"),
        ("bed.9.memory=1GB", "9"),
        ("bed.old=1", "old"),
        ("bed.0 = free", "0"),
        ("workload.0=[]", "0"),
    ] {
        let expected = vec![(setting.to_owned(), marked.to_owned())];
        assert_eq!(shown(template(), &["design.repeats=4", setting, "design.seed=7"]), expected);
    }
    let settings = ["design.repeat=3".to_owned()];
    let faults = parse_with(template(), "x.toml", &settings).unwrap_err().to_string();
    assert!(faults.contains("command line") && faults.contains("--set design.repeat=3"), "{faults}");
    assert!(faults.contains("^^^^^^") && !faults.contains("x.toml"), "{faults}");
}

#[test]
fn every_wrong_setting_is_shown_at_once() {
    let marked = |setting: &str, part: &str| (setting.to_owned(), part.to_owned());
    assert_eq!(
        shown(template(), &["a=b=c", "=", "design.seed=7", "design.repeats", "design.order=alphabetical"]),
        [
            marked("=", "="),
            marked("design.repeats", "design.repeats"),
            marked("a=b=c", "a"),
            marked("design.order=alphabetical", "alphabetical"),
        ]
    );
}

#[test]
fn a_fault_of_the_file_keeps_its_line_whatever_was_set() {
    let text = template().replace("[design]", "[design]\norder = \"by chance\"");
    let alone = shown(&text, &[]);
    assert_eq!(alone.len(), 1, "{alone:?}");
    assert_eq!(shown(&text, &["bed.0.label=x", "database.engine=postgresql", "question=Why?"]), alone);
    assert_eq!(shown(&text, &["design.order=sequential", "design.repeat=3"]).len(), 1);
}

#[test]
fn settings_that_lead_nowhere_are_refused() {
    let refused = |setting: &str| apply_set(test_1(), setting).unwrap_err().to_string();
    insta::assert_snapshot!(
        "refused_settings",
        [
            "repeats",
            "=3",
            "design..repeats=3",
            "title.x=1",
            "bed.1d.memory=1GB",
            "bed.9.memory=1GB",
            "workload.1.warehouses=2",
            "bed.memory=1GB"
        ]
        .map(|setting| format!("{setting}\n  {}", refused(setting)))
        .join("\n")
    );
}

#[test]
fn text_that_is_not_toml_is_left_for_the_parser_to_explain() {
    assert_eq!(apply_set("title = \"open", "design.repeats=3"), Ok("title = \"open".to_owned()));
}

#[test]
fn storage_moves_a_bed_to_a_real_path() {
    let mut experiment = changed(template(), &[]);
    use_storage(&mut experiment, "new=/mnt/nvme").unwrap();
    use_storage(&mut experiment, "old.log=/mnt/a=b").unwrap();
    let bed = experiment.find_bed("new").unwrap();
    assert!(
        bed.label.is_none() && bed.setup.is_empty(),
        "what the file says of a bed does not hold for another storage"
    );
    assert_eq!(experiment.bed[0].storage, Storage::Real { path: "/mnt/nvme".into() });
    assert_eq!(experiment.bed[1].log, Some(Storage::Real { path: "/mnt/a=b".into() }));
    assert!(matches!(experiment.bed[1].storage, Storage::Emulated { .. }));
    let mut refused = |argument: &str| use_storage(&mut experiment, argument).unwrap_err().to_string();
    insta::assert_snapshot!(
        "refused_storages",
        ["new", "new=", "=/mnt", "nwe=/mnt", "nvme=/mnt"]
            .map(|argument| format!("{argument}\n  {}", refused(argument)))
            .join("\n")
    );
}

#[test]
fn a_key_of_a_table_that_is_given_without_it_gets_its_whole_name() {
    let text = find_named("demo").unwrap().text;
    let told = |setting: &str| {
        experiment::parse_with(text, "demo", &[setting.to_owned()]).expect_err("an unknown key").to_string()
    };
    assert!(told("repeats=2").contains("did you mean `design.repeats`?"), "{}", told("repeats=2"));
    assert!(told("warehouses=2").contains("did you mean `workload.warehouses`?"));
    assert!(told("nonsense=2").contains("known keys are"), "{}", told("nonsense=2"));
}
