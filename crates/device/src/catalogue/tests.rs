use proptest::prelude::*;

use tomlfile::Diagnostic;

use super::*;
use crate::Duplex;

const SMALL: &str = r#"[drive]
name = "my-sata"
capacity_gb = 960
[link]
duplex = "half"
queue_limit = 32
read_bandwidth_mb_per_s = 550
write_bandwidth_mb_per_s = 520
[read]
latency_4k_us = { value = 120, source = "measured at depth 1" }
rate_4k_per_s = 95_000
rate_depth = 32
[write]
ack_us = 45
rate_4k_per_s = 30_000
[flush]
power_loss_protection = true
"#;

/// Every fault of a file in a line of its own: file, line, fault, allowed values.
fn told(faults: &Diagnostics) -> String {
    let one = |fault: &Diagnostic| {
        let help = fault.help.as_deref().unwrap_or_default();
        format!("{}:{}: {}; {help}", faults.file(), fault.line, fault.message)
    };
    faults.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// The faults of the small drive with one line replaced.
fn spoilt(line: &str, replacement: &str) -> String {
    assert!(SMALL.contains(line), "no line {line}");
    let text = SMALL.replacen(line, replacement, 1);
    told(&parse(&text, "my.toml").map(|entry| format!("accepted: {:?}", entry.spec)).expect_err("accepted"))
}

#[test]
fn numbers_out_of_range_are_told_beside_other_faults() {
    let told = spoilt(
        "queue_limit = 32\nread_bandwidth_mb_per_s = 550",
        "queue_limit = 0\nread_bandwith_mb_per_s = 0",
    );
    assert!(told.contains("did you mean `read_bandwidth_mb_per_s`"), "{told}");
    assert!(told.contains("a queue of 0 commands cannot work"), "{told}");
    assert_eq!(told.lines().count(), 2, "what is missing by a slip is not out of range as well: {told}");
}

#[test]
fn every_file_of_the_catalogue_is_read_and_named_like_its_file() {
    for (file, text) in FILES {
        let entry = parse(text, file).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(format!("{}.toml", entry.name), file);
        assert_eq!(find(&entry.name), Some(&entry));
    }
    assert_eq!(names().len(), FILES.len());
}

#[test]
fn every_number_of_the_catalogue_has_its_source_and_no_default_is_used() {
    for entry in all() {
        assert!(entry.facts.len() > 15, "{}", entry.name);
        for fact in &entry.facts {
            let named =
                fact.source != "not stated" && !fact.source.starts_with("default:") && fact.source.len() > 8;
            assert!(named, "{}: {fact:?}", entry.name);
            assert!(!fact.source.contains("from memory") || fact.guess, "{}: {fact:?}", entry.name);
        }
        assert!(entry.maker != "not stated" && entry.interface != "not stated");
    }
}

#[test]
fn a_users_drive_needs_few_lines_and_shows_its_defaults_as_guesses() {
    let entry = parse(SMALL, "my.toml").expect("a good drive");
    assert_eq!((entry.name.as_str(), entry.title.as_str()), ("my-sata", "my-sata"));
    assert_eq!(entry.capacity_bytes, 960_000_000_000);
    assert_eq!(entry.endurance_bytes_written, None);
    assert_eq!(entry.spec.duplex, Duplex::Half);
    assert_eq!(entry.spec.read_latency[0].latency_ns, 120_000);
    assert!((entry.spec.expected_reads_per_s(32) / 95e3 - 1.0).abs() < 1e-6);
    let fact = |key: &str| entry.facts.iter().find(|fact| fact.key == key).expect("a fact").clone();
    let latency = fact("read.latency_4k");
    assert_eq!((latency.value.as_str(), latency.unit.as_str(), latency.guess), ("120", "us", false));
    assert_eq!(latency.source, "measured at depth 1");
    assert_eq!((fact("write.ack").source.as_str(), fact("write.ack").guess), ("not stated", true));
    let default = fact("write.rate_8k");
    assert_eq!((default.value.as_str(), default.guess), ("15000", true));
    assert!(default.source.starts_with("default:"), "{}", default.source);
}

#[test]
fn units_of_one_dimension_are_interchangeable() {
    let text = SMALL
        .replace("ack_us = 45", "ack_ns = 45_000")
        .replace("capacity_gb = 960", "capacity_bytes = 960_000_000_000");
    let text = text.replace("read_bandwidth_mb_per_s = 550", "read_bandwidth_gb_per_s = 0.55");
    assert_eq!(parse(&text, "a").map(|entry| entry.spec), parse(SMALL, "b").map(|entry| entry.spec));
}

/// A line of the small drive, its replacement, and part of the message.
const SPOILT: &[(&str, &str, &str)] = &[
    (
        "ack_us = 45",
        "ack = 45",
        "my.toml:14: unknown key `ack`; it does not name its unit: write ack_ns, ack_us, ack_ms",
    ),
    ("ack_us = 45", "akc_us = 45", "my.toml:14: unknown key `akc_us`; did you mean `ack_us`?"),
    ("ack_us = 45", "queue_limit = 4", "my.toml:14: unknown key `queue_limit`; it belongs below [link]"),
    ("ack_us = 45", "ack_us = \"45us\"", "my.toml:14: `ack_us` must be a finite number; write for"),
    ("ack_us = 45", "ack_us = -1", "my.toml:14: `ack_us` cannot be -1; write a number of 0 or more"),
    ("ack_us = 45", "ack_us = nan", "my.toml:14: `ack_us` must be a finite number"),
    ("ack_us = 45", "ack_us = inf", "my.toml:14: `ack_us` must be a finite number"),
    ("ack_us = 45", "ack_us = 45\nack_ns = 4", "my.toml:15: `write.ack` is given twice, first in line 14"),
    ("ack_us = 45", "ack_us = { valu = 45 }", "my.toml:14: unknown key `valu`; did you mean `value`?"),
    ("ack_us = 45", "ack_us = { source = \"x\" }", "my.toml:14: `value` is missing from this number"),
    ("ack_us = 45", "ack_us = 0", "my.toml:14: write.ack: 0 ns is less than the 7877 ns that 4 KiB need"),
    ("ack_us = 45", "", "my.toml:15: `write.ack` is missing; add ack_ns or ack_us or ack_ms below [write]"),
    (
        "queue_limit = 32",
        "queue_limit = 0",
        "my.toml:6: link.queue_limit: a queue of 0 commands cannot work; give 1",
    ),
    ("queue_limit = 32", "queue_limit = 1.5", "my.toml:6: `queue_limit` must be a whole number"),
    (
        "duplex = \"half\"",
        "duplex = \"both\"",
        "my.toml:5: \"both\" is no kind of link; give \"half\" (SATA) or",
    ),
    (
        "read_bandwidth_mb_per_s = 550",
        "read_bandwidth_bytes = 1",
        "my.toml:7: unknown key `read_bandwidth_bytes`",
    ),
    (
        "rate_4k_per_s = 95_000",
        "rate_4k_per_s = 900_000",
        "my.toml:11: 900000 reads/s at depth 32 cannot be: with 120000 ns",
    ),
    (
        "rate_4k_per_s = 30_000",
        "rate_4k_per_s = 0",
        "my.toml:15: write.rate_4k: 0 /s is less than one operation",
    ),
    (
        "rate_4k_per_s = 30_000",
        "rate_4k_per_s = 200_000",
        "more than link.write_bandwidth (520 MB/s); lower the rate",
    ),
    (
        "power_loss_protection = true",
        "power_loss_protection = false",
        "my.toml:17: `flush.cost` is missing; add",
    ),
    (
        "power_loss_protection = true",
        "power_loss_protection = 1",
        "`power_loss_protection` must be true or false",
    ),
    ("[flush]", "[flsh]", "my.toml:16: unknown key `flsh`; did you mean `flush`?"),
    ("[drive]", "ack_us = 3\n[drive]", "my.toml:1: unknown key `ack_us`; it belongs below [write]"),
    (
        "name = \"my-sata\"",
        "name = \"My SATA\"",
        "my.toml:2: \"My SATA\" cannot be a name; use small letters",
    ),
    ("name = \"my-sata\"", "", "the drive has no name; write [drive] and name"),
    ("capacity_gb = 960", "capacity_gb = 0", "my.toml:3: the drive holds nothing; give its usable size"),
    (
        "capacity_gb = 960",
        "capacity_gb = 1e308",
        "my.toml:3: drive.capacity: 1e308 GB is out of range; give at most 1 EB",
    ),
    (
        "capacity_gb = 960",
        "capacity_gb = 9223372036854775807",
        "my.toml:3: drive.capacity: 9223372036854775807 GB is out of range",
    ),
    (
        "capacity_gb = 960",
        "capacity_gb = 960\nendurance_pb = 1e300",
        "my.toml:4: drive.endurance: 1e300 PB is out of range; give at most 10 EB",
    ),
    (
        "name = \"my-sata\"",
        "name = \"a23456789-123456789-123456789-123456789-123456789-123456789-123456789-123456789-123456789-123456789-1\"",
        "my.toml:2: a name of 101 characters is too long; give at most 100",
    ),
    (
        "source = \"measured at depth 1\"",
        "source = \"measured\\u001b]0;x\\u0007\"",
        "my.toml:10: `source` holds the control character \\u{1b}; leave it out",
    ),
    (
        "name = \"my-sata\"",
        "name = \"my-sata\"\ntitle = \"\\u001b[31mred\"",
        "my.toml:3: `title` holds the control character",
    ),
    (
        "power_loss_protection = true",
        "power_loss_protection = true\n[map]\nsource = \"a\\u0007b\"",
        "my.toml:19: `source` holds the control character",
    ),
    (
        "power_loss_protection = true",
        "power_loss_protection = true\n[map]\nsource = \"a\"\nreads_per_s = [0, 1e15]",
        "my.toml:20: an element of `reads_per_s` cannot be 1000000000000000; write a number between 0",
    ),
    ("ack_us = 45", "ack_us = ", "my.toml:14: "),
    ("ack_us = 45", "ack_us = 45\nburst_every_gib = 1", "`write.burst_length` is missing"),
];

#[test]
fn errors_give_file_line_what_is_wrong_and_what_is_allowed() {
    for (line, replacement, expected) in SPOILT {
        let message = spoilt(line, replacement);
        assert!(message.contains(expected), "{replacement}\n  gives    {message}\n  expected {expected}");
    }
}

#[test]
fn an_empty_file_says_all_that_is_missing() {
    let faults = parse("", "empty.toml").expect_err("accepted");
    let told = told(&faults);
    assert!(told.starts_with("empty.toml:1: the drive has no name; write [drive]"), "{told}");
    assert_eq!(faults.iter().len(), 11, "{told}");
}

#[test]
fn all_faults_are_shown_at_once_with_carets_and_without_their_consequences() {
    let text = SMALL
        .replace("ack_us = 45", "akc_us = 45")
        .replace("queue_limit = 32", "queue_limit = \"32\"")
        .replace("rate_4k_per_s = 30_000\n", "")
        .replace("[flush]", "[flsh]");
    let faults = parse(&text, "my.toml").expect_err("accepted");
    assert_eq!(
        told(&faults),
        "my.toml:6: `queue_limit` must be a whole number; write a whole number between 0 and 4294967295\n\
         my.toml:14: unknown key `akc_us`; did you mean `ack_us`?\n\
         my.toml:15: unknown key `flsh`; did you mean `flush`?\n"
            .trim_end()
            .replacen(
                "my.toml:6",
                "my.toml:1: `write.rate_4k` is missing; add rate_4k_per_s below [write]\nmy.toml:6",
                1
            )
    );
    let shown = faults.to_string();
    assert!(shown.contains("--> my.toml:14:1") && shown.contains("^^^^^^"), "{shown}");
}

#[test]
fn all_impossible_numbers_are_shown_at_once() {
    let text = SMALL
        .replace("queue_limit = 32", "queue_limit = 0")
        .replace("ack_us = 45", "ack_us = 45\nbuffer_tib = 2")
        .replace("rate_depth = 32", "rate_depth = 32\ntail_ratio = 0.5\nslowdown_by_writes = 101");
    let told = told(&parse(&text, "my.toml").expect_err("accepted"));
    assert_eq!(
        told,
        "my.toml:6: link.queue_limit: a queue of 0 commands cannot work; give 1 to 65536 (SATA has 32)\n\
         my.toml:13: read.tail_ratio: 0.5 is out of range; give 1 to 100\n\
         my.toml:14: read.slowdown_by_writes: 101 is out of range; give 0 to 100\n\
         my.toml:17: write.buffer: 2199023255552 bytes is out of range; give at most 1 TiB"
    );
}

#[test]
fn the_catalogues_readme_explains_every_key() {
    let readme = include_str!("../../../../catalogue/README.md");
    for quantity in quantities::quantities() {
        let size_of_latency = quantity.name.strip_prefix("read.latency_");
        let named = size_of_latency.map_or(readme.contains(quantity.key()), |size| readme.contains(size));
        assert!(named, "{} is not in catalogue/README.md", quantity.name);
    }
    assert!(readme.contains(&properties()), "catalogue/README.md is not of this build: cargo xtask schema");
}

#[test]
fn names_are_suggested() {
    assert_eq!(suggest("dc1500m"), Some("kingston-dc1500m-960g"));
    assert_eq!(suggest("micron-5200-eco-1920gb"), Some("micron-5200-eco-1920g"));
    assert_eq!(suggest("skhynx-pe6011"), Some("skhynix-pe6011"));
    assert_eq!(suggest("fre"), Some("free"));
    assert_eq!(suggest("zzz"), None);
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,200}") {
        prop_assert!(parse(&text, "any.toml").is_err());
    }

    #[test]
    fn no_damage_to_a_file_breaks_the_reader(at in 0usize..400, cut in 0usize..40, insert in "[\\[\\]{}=\".#\n0-9a-z_-]{0,6}") {
        let (start, end) = (at.min(SMALL.len()), (at + cut).min(SMALL.len()));
        let text = format!("{}{insert}{}", &SMALL[..start], &SMALL[end..]);
        match parse(&text, "damaged.toml") {
            Ok(entry) => prop_assert_eq!(entry.spec.validate(), Ok(())),
            Err(faults) => {
                let lines = text.lines().count().max(1) + 1;
                prop_assert!(faults.iter().len() > 0 && faults.iter().all(|fault| (1..=lines).contains(&fault.line)));
            }
        }
    }
}

#[test]
fn the_mark_of_the_numbers_is_of_their_values_alone() {
    let mark = |text: &str| parse(text, "my.toml").expect("a drive").numbers_mark;
    let from = "ack_us = 45";
    assert!(SMALL.contains(from), "{SMALL}");
    for same in ["ack_us = { value = 45, source = \"measured\" }", "ack_us = 45.0", "ack_ms = 0.045"] {
        assert_eq!(mark(SMALL), mark(&SMALL.replace(from, same)), "{same}");
    }
    assert_ne!(mark(SMALL), mark(&SMALL.replace(from, "ack_us = 45.001")));
    assert_ne!(mark(SMALL), mark(&SMALL.replace(from, "ack_us = 45\ntail_ratio = 2")), "a number more");
    assert_eq!(mark(SMALL).len(), 16);
}

#[test]
fn a_certificate_is_one_line_or_a_list_of_lines() {
    let profile = "\n[profile]\nfrom = \"a run\"\nmethod = \"left out\"\npoints = 9\np50_error_median_percent = 1\n\
        p50_error_nine_in_ten_percent = 1\np95_error_median_percent = 1\np95_error_nine_in_ten_percent = 1\n";
    let of = |certificate: &str| parse(&format!("{SMALL}{profile}certificate = {certificate}\n"), "my.toml");
    let read = |certificate: &str| of(certificate).expect("a drive").certificate().map(str::to_owned);
    assert_eq!(read("\" a day: 1 % \"").as_deref(), Some("a day: 1 %"));
    assert_eq!(read("[\"a day\", \"mix: 1 %\"]").as_deref(), Some("a day\nmix: 1 %"));
    for (wrong, words) in [
        ("[]", "`certificate` has no line"),
        ("[\"a day\", \" \"]", "is empty"),
        ("[\"a day\", 1]", "must be text"),
        ("[\"\\u001b[2J\"]", "holds the control character"),
        ("\"\"", "`certificate` is empty"),
        ("1", "must be text"),
    ] {
        let told = of(wrong).expect_err(wrong).render(false);
        assert!(told.contains(words), "{wrong}: {told}");
    }
}

#[test]
fn a_drive_has_a_short_name_whatever_names_it() {
    for (drive, name) in [
        ("aws-ebs-gp3:size=500GiB,iops=6000,throughput=250MiB/s", "aws-ebs-gp3"),
        ("aws-ebs-gp3", "aws-ebs-gp3"),
        ("/a/b/my-drive.toml", "my-drive"),
        ("micron-5200-eco-1920g", "micron-5200-eco-1920g"),
    ] {
        assert_eq!(short_name(drive), name);
    }
}

#[test]
fn a_model_is_inaccurate_by_its_mean_and_p99_or_by_the_percentiles_of_its_map() {
    let of = |mean: Option<f64>, p50: f64, p95: f64, p99: Option<f64>| {
        let nine = |percent: f64| (1.0, percent);
        let accuracy = Accuracy {
            from: String::new(),
            method: String::new(),
            points: 9,
            p50_percent: nine(p50),
            p95_percent: nine(p95),
            mean_percent: mean.map(nine),
            p99_percent: p99.map(nine),
            circumstances: Vec::new(),
            certified_numbers: None,
        };
        accuracy.beyond_good()
    };
    assert_eq!(of(Some(35.0), 90.0, 90.0, Some(35.0)), None, "p50 and p95 of loads count less");
    assert_eq!(of(Some(36.0), 1.0, 1.0, Some(48.0)), Some(("p99", 48.0)));
    assert_eq!(of(Some(36.0), 1.0, 1.0, None), Some(("mean", 36.0)));
    assert_eq!(of(None, 12.0, 77.3, None), Some(("p95", 77.3)), "a map states no others");
}
