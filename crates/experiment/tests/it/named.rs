//! The shipped experiments parse at every scale, say what was shrunk, and match the numbers that they name.

use experiment::{
    Experiment, Home, Mode, Named, Pacing, Scale, Size, Storage, Workload, find_named, named, parse, scale,
    suggest_named, template, to_toml, use_storage,
};

fn read(text: &str, file: &str) -> Experiment {
    parse(text, file).unwrap_or_else(|faults| panic!("{faults}"))
}

fn named_experiment(name: &str) -> Experiment {
    read(find_named(name).unwrap().text, name)
}

/// Shipped studies on servers, whose drives `--storage` has to give; the durability test takes any directory.
fn on_servers() -> impl Iterator<Item = (&'static Named, Experiment)> {
    let all = named().iter().map(|named| (named, read(named.text, named.name)));
    all.filter(|(_, experiment)| {
        experiment.published.is_some()
            && experiment.database.as_ref().is_some_and(|database| database.engine.is_server())
    })
}

/// Shipped experiments after a study.
fn after_studies() -> impl Iterator<Item = (&'static Named, Experiment)> {
    let all = named().iter().map(|named| (named, read(named.text, named.name)));
    all.filter(|(_, experiment)| experiment.published.is_some())
}

#[test]
fn each_is_found_by_its_name_and_has_its_title() {
    assert!(named().len() >= 18, "none was lost");
    for named in named() {
        assert_eq!(find_named(named.name).unwrap().text, named.text);
        read(named.text, named.name);
        assert!(!named.title().is_empty() && !named.summary.is_empty());
        assert!(named.engine().is_some() || named.kinds().iter().all(|kind| kind.name() == "block"));
    }
    assert_eq!(find_named("kingston"), None);
    assert_eq!(suggest_named("dmo"), Some("demo"));
    assert_eq!(suggest_named("test-2"), Some("kingston-dc1500m/test-2"));
    assert_eq!(suggest_named("kingston/test-2"), Some("kingston-dc1500m/test-2"));
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
            let statement = scaled.statement.to_string();
            assert_eq!(statement.contains(" became "), shrunk, "{}", scaled.statement);
            assert!(statement.starts_with(|c: char| c.is_uppercase()) && statement.ends_with('.'));
            statements += &format!("{} at {asked}\n  {}\n", named.name, statement);
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
    assert_eq!(after_studies().count(), 17);
    for (named, experiment) in after_studies() {
        let keys = |index: usize| experiment.bed[index].setup.keys().collect::<Vec<_>>();
        assert!(keys(0).len() >= 12);
        assert!((1..experiment.bed.len()).all(|index| keys(index) == keys(0)), "{}", named.name);
        assert_eq!(experiment.design.repeats, 6);
        let published = experiment.published.unwrap();
        assert!(
            named.name == published || named.name.starts_with(&format!("{published}-")),
            "{}",
            named.name
        );
        let description = experiment.description.unwrap();
        assert!(description.contains("stud") && description.contains("here"), "{}", named.name);
    }
}

#[test]
fn every_published_number_finds_its_bed_and_the_levels_that_it_was_printed_for() {
    for (named, experiment) in after_studies() {
        let name = experiment.published.as_deref().unwrap();
        for bed in &experiment.bed {
            assert!(published::bed_facts(name, &bed.name).unwrap().contains_key("cpu"), "{}", named.name);
        }
        for number in published::of(name) {
            assert_eq!(published::find(&number.id), Some(number));
            assert!(number.kind.name() != "claim" || number.ours().is_none(), "{}", number.id);
            let Some(ours) = number.ours() else { continue };
            let bed = experiment.find_bed(ours.bed).unwrap();
            let Storage::Emulated { drive, .. } = &bed.storage else {
                panic!("{name} names the drive of each bed")
            };
            let model =
                ["dc1500m", "dc500m", "5200"].into_iter().find(|model| drive.contains(model)).unwrap();
            assert!(
                number.system.to_lowercase().contains(model),
                "{}: {} on {drive}",
                number.id,
                number.system
            );
            assert!(experiment.workload[0].levels().contains(&f64::from(ours.level)));
            assert_eq!(published::beside(name, ours.bed, ours.metric, ours.level), Some(number));
        }
    }
}

#[test]
fn a_study_on_another_engine_keeps_its_beds_and_its_load() {
    for (named, experiment) in on_servers() {
        let published = experiment.published.as_deref().unwrap();
        let Some(base) = find_named(published) else {
            assert!(named.name.starts_with("storagereview-skhynix/"), "{}", named.name);
            continue;
        };
        let base = read(base.text, published);
        assert_eq!(experiment.bed, base.bed, "{}", named.name);
        assert_eq!(experiment.workload, base.workload, "{}", named.name);
        assert_eq!(experiment.design, base.design, "{}", named.name);
        let (ours, theirs) = (experiment.database.unwrap(), base.database.unwrap());
        assert_eq!((ours.memory, ours.instances), (theirs.memory, theirs.instances), "{}", named.name);
        assert_eq!(ours.mode, Mode::Procedures);
    }
    let pairs = named().iter().filter_map(|named| Some((named, named.name.strip_suffix("-postgresql")?)));
    for (one, study) in pairs {
        let other = named_experiment(&format!("{study}-mariadb"));
        let one = read(one.text, one.name);
        assert_eq!((&one.bed, &one.workload), (&other.bed, &other.workload), "{study}");
    }
}

#[test]
fn a_server_stands_on_a_modelled_drive_or_bed_by_bed_on_real_storage() {
    assert_eq!(on_servers().count(), 13);
    for (named, written) in on_servers() {
        let mut experiment = scale(&written, Scale::Tiny).experiment;
        for bed in &written.bed {
            assert!(named.summary.contains(&format!("--storage {}=PATH", bed.name)), "{}", named.name);
            use_storage(&mut experiment, &format!("{0}=/mnt/{0}", bed.name)).unwrap();
        }
        assert_eq!(read(&to_toml(&experiment), named.name), experiment);
    }
}

#[test]
fn published_test_3_has_more_warehouses_longer_steps_and_more_users() {
    let experiment = named_experiment("kingston-dc1500m/test-3");
    let Workload::Tpcc(tpcc) = &experiment.workload[0] else { panic!("test 3 is order entry") };
    assert_eq!((tpcc.warehouses, tpcc.pacing, tpcc.home), (2000, Pacing::None, Home::All));
    assert_eq!(tpcc.virtual_users, [1, 2, 4, 8, 16, 32, 64, 89, 128]);
    assert_eq!(
        (tpcc.ramp_up.to_string(), tpcc.measure.to_string()),
        ("10min".to_owned(), "20min".to_owned())
    );
    assert!(experiment.bed.iter().all(|bed| bed.setup["virtual_machine"].starts_with("40 vCPU, 32 GB")));
    let beds: Vec<&str> = experiment.bed.iter().map(|bed| bed.name.as_str()).collect();
    assert_eq!(beds, ["nvme", "eco"]);
}

#[test]
fn the_published_sql_test_has_60_000_users_who_key_and_think() {
    let written = named_experiment("storagereview-skhynix/sql-postgresql");
    let Workload::Tpcc(tpcc) = &written.workload[0] else { panic!("the SQL test is order entry") };
    let database = written.database.as_ref().unwrap();
    assert_eq!(tpcc.virtual_users[0] * database.instances, 60_000);
    assert_eq!((tpcc.warehouses, tpcc.pacing, tpcc.home), (1500, Pacing::Keyed, Home::Fixed));
    assert_eq!(database.memory, Size(48_000_000_000));
    assert_eq!(
        (tpcc.ramp_up.to_string(), tpcc.measure.to_string()),
        ("150min".to_owned(), "30min".to_owned())
    );
    let scaled = scale(&written, Scale::Small).experiment;
    let Workload::Tpcc(tpcc) = &scaled.workload[0] else { panic!("the kind stays") };
    assert_eq!((tpcc.warehouses, tpcc.virtual_users.as_slice()), (25, [250].as_slice()));
    assert_eq!(scaled.database.unwrap().instances, 4);
}

#[test]
fn the_published_sysbench_test_has_eight_databases_of_a_billion_rows() {
    let written = named_experiment("storagereview-skhynix/sysbench-mariadb");
    let Workload::Sysbench(sysbench) = &written.workload[0] else { panic!("it is sysbench") };
    assert_eq!(
        (sysbench.tables, sysbench.rows, sysbench.threads.as_slice()),
        (100, 10_000_000, [32].as_slice())
    );
    assert_eq!(
        (sysbench.ramp_up.to_string(), sysbench.measure.to_string()),
        ("2h".to_owned(), "1h".to_owned())
    );
    let database = written.database.as_ref().unwrap();
    assert_eq!((database.instances, database.memory), (8, Size(24_000_000_000)));
    let instances = |asked: Scale| scale(&written, asked).experiment.database.unwrap().instances;
    assert_eq!([Scale::Tiny, Scale::Small, Scale::Factor(0.5)].map(instances), [2, 4, 8]);
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
    let kinds: Vec<&str> = uncommented.workload.iter().map(|workload| workload.kind().name()).collect();
    assert_eq!(kinds, ["tpcc", "sysbench", "durability", "block"]);
    assert!(uncommented.published.is_some() && uncommented.design.seed.is_some());
    assert!(matches!(uncommented.bed[0].storage, Storage::Real { .. }) && uncommented.bed[0].log.is_some());
}

#[test]
fn beds_of_the_guide_that_are_to_differ_in_their_drive_differ_in_nothing_else() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide");
    let mut seen = 0;
    for page in std::fs::read_dir(guide).unwrap() {
        let path = page.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for example in text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            let Ok(experiment) = experiment::parse(example, "guide") else { continue };
            if experiment.design.treatment != [experiment::Treatment::Storage] {
                continue;
            }
            seen += 1;
            let besides = |bed: &experiment::Bed| (bed.log.clone(), bed.memory, bed.url.clone());
            let first = besides(&experiment.bed[0]);
            for bed in &experiment.bed {
                assert_eq!(besides(bed), first, "{}: bed `{}`", path.display(), bed.name);
            }
        }
    }
    assert!(seen > 0, "the guide shows comparisons of drives");
}
