//! Whatever text it is given, the parser answers with an experiment or with faults that lie within the text.
//! It never panics.

use std::collections::BTreeSet;

use experiment::{apply_set, named, parse, template, to_toml};
use proptest::prelude::*;

/// Pieces that bring a mutated file near to the rules that it breaks.
const PIECES: [&str; 47] = [
    "\n",
    "\r\n",
    "\t",
    " ",
    "=",
    "[",
    "]",
    "[[bed]]\n",
    "[bed.setup]\n",
    "[[workload]]\n",
    "[[workload.stream]]\n",
    "[design]\n",
    "{",
    "}",
    "\"",
    "\"\"\"",
    "'",
    ",",
    ".",
    "#",
    "0",
    "-1",
    "1e400",
    "nan",
    "9223372036854775808",
    "0x",
    "true",
    "1979-05-27",
    "schema = 1\n",
    "name = \"nvme\"\n",
    "kind = \"block\"\n",
    "kind = \"sysbench\"\n",
    "kind = \"durability\"\n",
    "engine = \"mariadb\"\n",
    "url = \"mysql://me:secret@host/db\"\n",
    "pacing = { arrivals_per_second = 5 }\n",
    "crash = \"power\"\n",
    "instances = 4\n",
    "memory",
    "\"32MiB\"",
    "\"120%\"",
    "{ zipf = 1 }",
    "path",
    "é",
    "데",
    "\u{feff}",
    "\u{0}",
];

/// The valid files that are shipped.
fn valid_files() -> Vec<&'static str> {
    named().iter().map(|named| named.text).chain([template()]).collect()
}

fn examine(text: &str) {
    match parse(text, "file.toml") {
        Ok(experiment) => {
            let again =
                parse(&to_toml(&experiment), "again.toml").unwrap_or_else(|faults| panic!("{faults}"));
            assert_eq!(again, experiment);
        }
        Err(faults) => {
            assert!(faults.iter().len() > 0);
            let lines = text.split('\n').count();
            for fault in faults.iter() {
                assert!(!fault.message.is_empty());
                assert!(fault.span.end <= text.len() && text.get(fault.span.clone()).is_some(), "{fault:?}");
                assert!((1..=lines).contains(&fault.line) && fault.column >= 1, "{fault:?}");
            }
            let shown = faults.to_string();
            assert!(shown.contains("file.toml:") && shown.contains("error: "), "{shown}");
        }
    }
}

/// One change of a text: at a place (as a share of the text), this many bytes are replaced by a piece.
fn mutation() -> impl Strategy<Value = (f64, usize, String)> {
    let piece = prop_oneof![
        4 => prop::sample::select(PIECES.as_slice()).prop_map(str::to_owned),
        1 => any::<String>(),
        2 => Just(String::new()),
    ];
    (0.0..1.0, prop_oneof![Just(0_usize), 1_usize..4, 4_usize..200], piece)
}

fn mutate(text: &str, changes: &[(f64, usize, String)]) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for (place, removed, piece) in changes {
        let start = (*place * text.len() as f64) as usize;
        let end = (start + removed).min(text.len());
        text.splice(start..end, piece.chars());
    }
    text.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn arbitrary_text_is_answered(text: String) {
        examine(&text);
    }

    #[test]
    fn arbitrary_pieces_are_answered(pieces in prop::collection::vec(prop::sample::select(PIECES.as_slice()), 0..60)) {
        examine(&pieces.concat());
    }

    #[test]
    fn mutated_files_are_answered(file in 0_usize..15, changes in prop::collection::vec(mutation(), 1..6)) {
        examine(&mutate(valid_files()[file], &changes));
    }

    #[test]
    fn any_setting_is_answered(file in 0_usize..15, key in "[a-z0-9_.]{0,12}|(bed|workload|design|database)(\\.[a-z_0-9]{1,12}){0,3}", value: String) {
        if let Ok(text) = apply_set(valid_files()[file], &format!("{key}={value}")) {
            examine(&text);
        }
    }
}

#[test]
fn values_of_every_type_at_every_key_are_answered() {
    let values = [
        "1",
        "-1",
        "1.5",
        "\"x\"",
        "\"\"",
        "true",
        "[]",
        "[[]]",
        "{}",
        "{ a = 1 }",
        "1979-05-27",
        "inf",
        "[1, \"a\"]",
    ];
    let mut examined = BTreeSet::new();
    for text in valid_files() {
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            // The files of one study are mostly alike.
            if !examined.insert(*line) {
                continue;
            }
            let Some((key, _)) = line.split_once(" = ").filter(|(key, _)| !key.contains(['#', '{', ' ']))
            else {
                continue;
            };
            for value in values {
                let changed = format!("{key} = {value}");
                let mut file = lines.clone();
                file[index] = &changed;
                examine(&file.join("\n"));
            }
        }
    }
}

#[test]
fn deep_nesting_is_answered_without_overflowing_the_stack() {
    let deep = 100_000;
    for text in [
        format!("a = {}", "[".repeat(deep)),
        format!("a = {}", "{ a = ".repeat(deep)),
        format!("a = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("{}a = 1", "a.".repeat(deep)),
        format!("[{}a]", "a.".repeat(deep)),
        format!("[[{}a]]", "a.".repeat(deep)),
    ] {
        examine(&text);
        assert!(apply_set(&text, "schema=1").is_ok());
    }
    let value = format!("bed={}", "[".repeat(deep));
    examine(&apply_set(template(), &value).unwrap());
    let key = format!("{}a=1", "a.".repeat(deep));
    examine(&apply_set(template(), &key).unwrap_or_default());
}

#[test]
fn tens_of_thousands_of_faults_have_their_lines_and_the_first_are_shown() {
    let keys: String = (0..20_000).map(|number| format!("key_{number} = 3\n")).collect();
    let faults =
        parse(&format!("schema = 1\ntitle = \"x\"\n{keys}"), "many.toml").expect_err("all are faults");
    let last = faults.iter().last().expect("there are some");
    assert_eq!((last.line, last.message.as_str()), (20_002, "unknown key `key_19999`"));
    let shown = faults.render(false);
    assert!(shown.contains("more in many.toml") && shown.lines().count() < 300, "{}", shown.len());
}

#[test]
fn thousands_of_faults_in_one_line_have_their_columns() {
    let pairs: String = (0..20_000).map(|number| format!("u{number:05} = 3, ")).collect();
    let text = format!("schema = 1\ntitle = \"ü\"\ndesign = {{ {} }}\n", pairs.trim_end_matches(", "));
    let faults = parse(&text, "wide.toml").expect_err("all are faults");
    let unknown: Vec<_> = faults.iter().filter(|fault| fault.message.contains("unknown key `u")).collect();
    assert_eq!(unknown.len(), 20_000);
    for (number, fault) in unknown.iter().enumerate() {
        assert_eq!((fault.line, fault.column), (3, "design = { ".len() + 1 + 12 * number), "{fault:?}");
    }
}

#[test]
fn a_file_does_not_speak_to_the_terminal_through_its_faults() {
    let text =
        "schema = 1\ntitel = \"\u{9b}2J\u{202e}\"\n\"k\\u001b]0;x\\u0007\" = 1\ntitle = \"two\\nlines\"\n";
    let shown = parse(text, "\u{1b}c.toml").expect_err("it is faulty").render(false);
    let orders = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!shown.contains(orders), "{shown:?}");
    assert!(shown.contains("`title` holds the control character \\u{a}"), "{shown}");
}

/// A load without an experiment may be of any length, and a replay has a trace in place of streams.
#[test]
fn what_was_run_is_read_again_though_nobody_may_ask_for_it() {
    let bed = "schema = 1\ntitle = \"t\"\n[[bed]]\nname = \"target\"\nstorage = { real = \"/data\" }\n";
    let load = "[[workload]]\nkind = \"block\"\nsize = \"1GiB\"\nramp_up = \"0s\"\nmeasure = ";
    let streams = "\"50ms\"\ndepth = [4]\n[[workload.stream]]\nread = \"0%\"\nblock_size = \"4KiB\"\n";
    let trace = "\"0s\"\ndepth_max = 64\ntrace = { file = \"io.log\", checksum = \"0\", speed = 2.0 }\n";
    for (rest, levels) in [(streams, 4.0), (trace, 2.0), (&trace.replace(", speed = 2.0", ""), 64.0)] {
        let text = format!("{bed}{load}{rest}");
        let experiment = parse(&text, "run").unwrap();
        assert_eq!(experiment.workload[0].levels(), [levels]);
        assert_eq!(parse(&to_toml(&experiment), "again").unwrap(), experiment);
        experiment::parse_with(&text, "asked", &[]).unwrap_err();
    }
}

/// A bed on a cloud volume, with these keys of its storage.
fn on_a_volume(keys: &str) -> Result<experiment::Experiment, String> {
    let text = format!(
        "schema = 1\ntitle = \"a\"\n[[bed]]\nname = \"a\"\nstorage = {{ emulated = {keys} }}\n\
         [[workload]]\nkind = \"block\"\nramp_up = \"0s\"\nmeasure = \"1s\"\nsize = \"1MiB\"\n\
         depth = [1]\n[[workload.stream]]\nread = \"100%\"\nblock_size = \"4KiB\"\n"
    );
    experiment::parse(&text, "volume.toml").map_err(|faults| faults.to_string())
}

#[test]
fn a_cloud_volume_is_named_with_its_purchase() {
    let bought = r#""aws-ebs-gp3", size = "500GiB", iops = 6000, throughput = "250MiB/s""#;
    let storage =
        |keys: &str| on_a_volume(keys).unwrap_or_else(|faults| panic!("{faults}")).bed[0].storage.clone();
    let experiment::Storage::Emulated { drive, .. } = storage(bought) else { panic!("real") };
    assert_eq!(drive, "aws-ebs-gp3:size=500GiB,iops=6000,throughput=250MiB/s");
    assert_eq!(storage(&format!("{drive:?}")), storage(bought));
    for (keys, words) in [
        (r#""aws-ebs-gp3""#, "needs its size"),
        (r#""aws-ebs-gp3", size = "1GiB", iops = 9000"#, "3000 to 3000"),
        (r#""micron-5200-eco-1920g", size = "1GiB""#, "do not go with `micron-5200-eco-1920g`"),
    ] {
        let told = on_a_volume(keys).expect_err(keys);
        assert!(told.contains(words), "{keys}: {told}");
    }
}
