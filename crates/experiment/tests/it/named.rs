//! The shipped experiments parse at every scale, say what was shrunk, and stand beside the numbers that they name.

use experiment::{
    Experiment, Scale, Size, Storage, Workload, find_named, named, parse, published, scale, suggest_named,
    template, to_toml,
};

fn read(text: &str, file: &str) -> Experiment {
    parse(text, file).unwrap_or_else(|faults| panic!("{faults}"))
}

fn named_experiment(name: &str) -> Experiment {
    read(find_named(name).unwrap().text, name)
}

#[test]
fn each_is_found_by_its_name_and_has_its_title() {
    assert!(named().len() >= 3);
    for named in named() {
        assert_eq!(find_named(named.name).unwrap().text, named.text);
        assert_eq!(read(named.text, named.name).title, named.title);
        assert!(!named.summary.is_empty());
    }
    assert_eq!(find_named("kingston"), None);
    assert_eq!(suggest_named("dmo"), Some("demo"));
    assert_eq!(suggest_named("test-2"), Some("kingston-dc1500m/test-2"));
    assert_eq!(suggest_named("kingston-dc1500/test1"), Some("kingston-dc1500m/test-1"));
    assert_eq!(suggest_named("something else"), None);
}

#[test]
fn each_parses_at_every_scale_and_says_what_was_shrunk() {
    let mut statements = String::new();
    for named in named() {
        let written = read(named.text, named.name);
        for asked in ["tiny", "small", "full", "0.01", "1", "1e-6"] {
            let scaled = scale(&written, asked.parse().unwrap());
            let again = read(&to_toml(&scaled.experiment), named.name);
            assert_eq!(again, scaled.experiment, "{} at {asked}", named.name);
            let shrunk = scaled.experiment != written;
            assert_eq!(scaled.scale < 1.0, shrunk, "{} at {asked}", named.name);
            assert_eq!(scaled.statement.contains(" became "), shrunk, "{}", scaled.statement);
            assert!(
                scaled.statement.starts_with(|c: char| c.is_uppercase()) && scaled.statement.ends_with('.')
            );
            statements += &format!("{} at {asked}\n  {}\n", named.name, scaled.statement);
        }
    }
    insta::assert_snapshot!("statements", statements);
}

#[test]
fn published_test_2_at_tiny_scale_keeps_its_proportions() {
    let written = named_experiment("kingston-dc1500m/test-2");
    let scaled = scale(&written, Scale::Tiny).experiment;
    let (Workload::Tpcc(before), Workload::Tpcc(after)) = (&written.workload[0], &scaled.workload[0]) else {
        panic!("test 2 is order entry");
    };
    assert_eq!((before.warehouses, after.warehouses), (1200, 2));
    assert_eq!(after.virtual_users, [1, 2, 4]);
    assert_eq!((after.ramp_up.to_string(), after.measure.to_string()), ("1s".to_owned(), "2.5s".to_owned()));
    let memory = |experiment: &Experiment| experiment.memory_of(&experiment.bed[0]).unwrap().bytes() as f64;
    let per_warehouse = (memory(&scaled) / 2.0) / (memory(&written) / 1200.0);
    assert!((per_warehouse - 1.0).abs() < 0.002, "{per_warehouse}");
    assert_eq!(scaled.design, written.design);
    assert_eq!(scaled.bed, written.bed);
}

#[test]
fn published_test_1_varies_memory_and_nothing_else() {
    let experiment = named_experiment("kingston-dc1500m/test-1");
    let memory: Vec<Size> = experiment.bed.iter().map(|bed| experiment.memory_of(bed).unwrap()).collect();
    assert_eq!(memory, [Size(128_000_000_000), Size(32_000_000_000), Size(32_000_000_000)]);
    assert!(experiment.bed.iter().all(|bed| bed.storage.same_kind(&experiment.bed[0].storage)));
    let driver: Vec<&str> = experiment.bed.iter().map(|bed| &bed.setup["driver"][..6]).collect();
    assert_eq!(driver, ["remote", "remote", "local:"]);
    let description = experiment.description.unwrap();
    assert!(description.contains("recorded as set-up") && description.contains("driver always runs locally"));
    assert!(description.contains("one run of each"));
}

#[test]
fn published_set_ups_are_kept_with_the_same_keys_for_every_bed() {
    for name in ["kingston-dc1500m/test-1", "kingston-dc1500m/test-2"] {
        let experiment = named_experiment(name);
        let keys = |index: usize| experiment.bed[index].setup.keys().collect::<Vec<_>>();
        assert!(keys(0).len() >= 12);
        assert!((1..experiment.bed.len()).all(|index| keys(index) == keys(0)), "{name}");
        assert_eq!(experiment.design.repeats, 6);
        assert_eq!(experiment.published.as_deref(), Some(name));
    }
}

#[test]
fn every_published_number_finds_its_bed_and_the_levels_that_it_was_printed_for() {
    for name in published::names() {
        let experiment = named_experiment(name);
        for number in published::of(name) {
            assert_eq!(published::find(&number.id), Some(number));
            assert_eq!(number.ours.is_none(), number.kind == "claim", "{}", number.id);
            let Some(ours) = &number.ours else { continue };
            let bed = experiment.find_bed(&ours.bed).unwrap();
            let Storage::Emulated { drive, .. } = &bed.storage else {
                panic!("{name} runs on modelled drives")
            };
            let model =
                ["dc1500m", "dc500m", "5200"].into_iter().find(|model| drive.contains(model)).unwrap();
            assert!(
                number.system.to_lowercase().contains(model),
                "{}: {} on {drive}",
                number.id,
                number.system
            );
            assert!(experiment.workload[0].levels().contains(&f64::from(ours.virtual_users)));
            assert_eq!(published::beside(name, &ours.bed, &ours.metric, ours.virtual_users), Some(number));
            assert!(published::bed_facts(name, &ours.bed).unwrap().contains_key("cpu"));
        }
    }
}

#[test]
fn the_commented_lines_of_the_template_are_right_when_uncommented() {
    let written = read(template(), "template.toml");
    assert_eq!(written.bed.len(), 2);
    let setting = |line: &str| {
        let text = line.strip_prefix("# ")?;
        let is_setting =
            text.starts_with('[') || text.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
        is_setting.then(|| text.to_owned())
    };
    let mut lines: Vec<String> = Vec::new();
    for line in template().lines() {
        match setting(line) {
            Some(alternative) if alternative.starts_with("storage = ") => {
                assert!(lines.iter().any(|line| line.starts_with("storage = ")));
                lines.retain(|line| !line.starts_with("storage = "));
                lines.push(alternative);
            }
            Some(text) => lines.push(text),
            None => lines.push(line.to_owned()),
        }
    }
    let uncommented = read(&lines.join("\n"), "uncommented.toml");
    assert_eq!(uncommented.workload.len(), 2);
    assert!(uncommented.published.is_some() && uncommented.design.seed.is_some());
    assert!(matches!(uncommented.bed[0].storage, Storage::Real { .. }) && uncommented.bed[0].log.is_some());
}
