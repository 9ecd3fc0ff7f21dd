use super::*;

fn of(study: &str) -> Vec<Finding> {
    file(super::study(study).expect("the study is in our data"), "x.toml").expect("it can be audited")
}

fn rating(findings: &[Finding], about: &str, part: &str) -> Option<Rating> {
    let found = findings.iter().find(|f| f.about.iter().any(|id| id == about) && f.check.contains(part));
    found.map(|finding| finding.rating)
}

#[test]
fn the_kingston_paper_is_found_out() {
    let all = of("kingston-dc1500m");
    for (about, part, expected) in [
        ("K059", "+132.8 % more", Rating::Wrong),
        ("K020", "3.818", Rating::Loose),
        ("K015", "33.3 % lower, so the speed is 50 %", Rating::Loose),
        ("K021", "67.2 %", Rating::Loose),
        ("K026", "6.38", Rating::Loose),
        ("K027", "4.889", Rating::Loose),
        ("K018", "255 in flight", Rating::Inconsistent),
        ("K012", "142 in flight", Rating::Inconsistent),
        ("K024", "122 in flight", Rating::Inconsistent),
        ("K003", "needs 7", Rating::Loose),
        ("K046", "16441.5", Rating::Holds),
        ("K090", "157.1 GB", Rating::Holds),
        ("K093", "180.6 GB", Rating::Inconsistent),
        ("K041", "0.2332", Rating::Inconsistent),
        ("K050", "one run is reported twice", Rating::NotAlike),
        ("E11", "12 against 9", Rating::Wrong),
        ("E20", "-13.9", Rating::Unsupported),
        ("E26", "3.938", Rating::Loose),
        ("E29", "94.2", Rating::Wrong),
        ("K-SATA", "Silver 4114", Rating::NotAlike),
    ] {
        assert_eq!(rating(&all, about, part), Some(expected), "{about} {part}: {all:#?}");
    }
    let inconsistent = all.iter().filter(|f| f.check.contains("at equal concurrency")).count();
    assert_eq!(inconsistent, 3, "4k, 64k and 128k: {all:#?}");
}

#[test]
fn the_other_two_studies_are_found_out() {
    let review = of("storagereview-skhynix");
    assert_eq!(rating(&review, "E41", "3.06"), Some(Rating::Loose));
    assert_eq!(rating(&review, "E40", "7.7"), Some(Rating::Inconsistent));
    assert_eq!(rating(&review, "S011", "as set"), Some(Rating::Holds));
    let drive = of("iodrive-2009");
    for (about, part, expected) in [
        ("E50", "376.8", Rating::Loose),
        ("E51", "295", Rating::Loose),
        ("E53", "789", Rating::Inconsistent),
        ("E54", "cores busy", Rating::Unsupported),
        ("E56", "4.749", Rating::Holds),
        ("E57", "8.212", Rating::Loose),
        ("E58", "250", Rating::Holds),
    ] {
        assert_eq!(rating(&drive, about, part), Some(expected), "{about}: {drive:#?}");
    }
}

#[test]
fn a_file_of_a_users_own_is_audited_by_the_same_rules() {
    let text = r#"
study = "mine"
[[number]]
id = "a"
test = "t"
system = "fast"
metric = "IOPS"
unit = "IOPS"
value = 1000
conditions = "2 VMs, QD=4, threads=1, 4k"
kind = "measured"
[[number]]
id = "b"
test = "t"
system = "fast"
metric = "mean latency"
unit = "ms"
value = 16
conditions = "2 VMs, QD=4, threads=1, 4k"
kind = "measured"
[[statement]]
id = "s"
text = "ten times"
printed = 10
formula = "a / 500"
"#;
    let found = file(text, "mine.toml").expect("it is good");
    assert_eq!(rating(&found, "b", "16 in flight; the setting is 8"), Some(Rating::Inconsistent));
    assert_eq!(rating(&found, "s", "a / 500 = 2, not 10"), Some(Rating::Wrong));
}

#[test]
fn bad_files_are_refused_in_words_with_all_their_faults() {
    let refused = |text: &str| file(text, "x.toml").expect_err("it is bad").to_string();
    assert!(refused("").contains("nothing to audit"));
    let many: String = (0..201).map(|number| format!("[[bed]]\nid = \"b{number}\"\n")).collect();
    assert!(refused(&many).contains("it holds 201 beds"), "{}", refused(&many));
    assert!(refused("x = [").contains("x.toml:1:"));
    let all = refused(
        "[[number]]\nid = \"a\"\n[[number]]\nmetrc = \"p99\"\nvalue = \"fast\"\n[[statement]]\nid = \"a\"\n[[statment]]\n",
    );
    for part in [
        "`metric` is missing",
        "`value` is missing",
        "did you mean `metric`?",
        "`value` cannot be `fast`",
        "`text` is missing",
        "the id `a` is that of line 1",
        "unknown key `statment`",
        "x.toml:4:1",
        "^",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
}

#[test]
fn references_that_cannot_be_evaluated_are_faults_of_the_file() {
    let numbers = "[[number]]\nid = \"N1\"\nmetric = \"TPM\"\nvalue = 5\n\
                   [[number]]\nid = \"N2\"\nmetric = \"TPM\"\nvalue = 0\n\
                   [[number]]\nid = \"N3\"\nmetric = \"TPM\"\nvalue = \"fast\"\n";
    let claims = [
        (r#"numbers = ["N1", "N2"]"#, "`N2` is 0", "\"N2\""),
        (r#"numbers = ["N1", "N1"]"#, "the ratio of `N1` to itself", "\"N1\""),
        (r#"numbers = ["N1", "M1"]"#, "there is no number `M1`", "\"M1\""),
        (r#"formula = "ceil(N2""#, "a bracket is not closed", "ceil("),
        (r#"formula = "N2 / N1 +""#, "a number or an id is missing", "\""),
        (r#"formula = "N2 // N1""#, "a number or an id is missing", "/"),
        (r#"formula = "N1 / N9""#, "there is no number `N9`", "N9"),
        (r#"formula = "1 + ((((N1""#, "a bracket is not closed", "("),
        (r#"formula = "N1 / N2""#, "`N2` is 0", "N2"),
        (r#"formula = "N1 / N1""#, "the ratio of `N1` to itself", "N1"),
        (r#"formula = """#, "a number or an id is missing", "\"\""),
    ];
    let verdict = "verdict = \"right\"\n";
    let text = claims.iter().fold(numbers.to_owned(), |text, (claim, ..)| {
        format!("{text}[[claim]]\ntext = \"5x the TPM\"\n{verdict}{claim}\n")
    });
    let faults = file(&text, "x.toml").expect_err("nothing is judged");
    assert_eq!(faults.iter().len(), claims.len() + 1, "and the value that is no number: {faults}");
    for ((claim, message, at), fault) in claims.iter().zip(faults.iter().skip(1)) {
        assert!(fault.message.contains(message), "{claim}: {fault:?}");
        assert_eq!(&&text[fault.span.clone()], at, "{claim}");
        assert_eq!(text.lines().nth(fault.line - 1), Some(*claim), "{fault:?}");
    }
    let unread = format!("{numbers}[[claim]]\ntext = \"5x\"\nformula = \"N1 / N3\"\n");
    let faults = file(&unread, "x.toml").expect_err("one value is no number");
    assert_eq!(faults.iter().len(), 1, "a fault is told once: {faults}");
}

#[test]
fn statements_of_our_data_judge_no_numbers_that_the_file_lacks() {
    let text = "study = \"kingston-dc1500m\"\n[[number]]\nmetric = \"TPM\"\nvalue = 5\n";
    let found = file(text, "x.toml").expect("it is good");
    let without = |f: &&Finding| f.check.contains("there is no number");
    assert!(found.iter().any(|f| without(&f)), "{found:#?}");
    assert!(found.iter().filter(without).all(|f| f.rating == Rating::Unmatched), "{found:#?}");
}

/// A study of which nothing is in our data.
const UNSEEN: &str = r#"
[[number]]
test = "oltp"
system = "Fresh"
metric = "TPM"
value = "1.84 M"
[[number]]
test = "oltp"
system = "Stale"
metric = "TPM"
value = 960000
[[number]]
test = "oltp"
system = "Fresh"
metric = "mean latency"
value = 0.92
unit = "ms"
[[number]]
test = "oltp"
system = "Stale"
metric = "mean latency"
value = 2360
unit = "us"
[[number]]
test = "oltp"
system = "Fresh"
metric = "p99 latency"
value = 1.61
unit = "ms"
[[number]]
test = "oltp"
system = "Stale"
metric = "p99 latency"
value = 7.05
unit = "ms"
[[number]]
test = "backup"
system = "Fresh"
metric = "backup time"
value = 73
unit = "min"
[[number]]
test = "backup"
system = "Stale"
metric = "backup time"
value = "2.0333 h"
"#;

fn claimed(text: &str) -> Finding {
    let toml = format!("{UNSEEN}[[statement]]\ntext = {text:?}\n");
    let found = file(&toml, "unseen.toml").expect("it is good");
    found.into_iter().find(|f| f.is_claim).expect("the claim is judged")
}

#[test]
fn claims_of_an_unseen_study_find_their_numbers() {
    for (text, rating, part) in [
        (
            "TPM/NOPM increase 200 %",
            Rating::Wrong,
            "+91.7 % more, not +200 %: the ratio was read as an increase",
        ),
        (
            "mean latency increase 256 %",
            Rating::Wrong,
            "+156.5 % more, not +256 %: the ratio was read as an increase",
        ),
        ("p99 increase 437 %", Rating::Wrong, "+337.9 % more, not +437 %: the ratio was read as an increase"),
        ("backup speed 1.67x", Rating::Holds, "so 1.671x"),
        ("Fresh has 92 % more TPM than Stale", Rating::Holds, "+91.7 % more"),
        ("Stale has 92 % more TPM than Fresh", Rating::Wrong, "but lower"),
        ("TPM of Stale is 48 % lower than that of Fresh", Rating::Holds, "47.8 % lower"),
        ("Mean latency is 61 % lower on Fresh", Rating::Holds, "61.0 % lower"),
        ("Mean latency is 61 % higher on Stale", Rating::Wrong, "the other is lower by that percentage"),
        ("Mean latency is 156 % lower with Fresh", Rating::Wrong, "nothing becomes lower by more than 100 %"),
        ("p99 latency is 4.4x lower on Fresh than on Stale", Rating::Holds, "so 4.379x"),
        ("The 99th percentile is 4.4 times shorter", Rating::Holds, "so 4.379x"),
        ("TPM doubles", Rating::Holds, "1.917"),
        ("TPM nearly doubles on Fresh", Rating::Holds, "1.917"),
        ("Fresh triples TPM", Rating::Wrong, "overstates"),
        ("TPM is 1.9x on Fresh", Rating::Holds, "1.917"),
        ("TPM is about 2x on Fresh", Rating::Holds, "1.917"),
        ("TPM is 2x on Fresh", Rating::Loose, "overstates"),
        ("Fresh has 1.92 times more TPM than Stale", Rating::Holds, "as much"),
        ("Stale reaches half the TPM of Fresh", Rating::Holds, "so 0.5217x"),
        ("Backups are 67 % faster on Fresh", Rating::Holds, "the speed is 67 % higher"),
        ("Backup time falls by 40 %", Rating::Holds, "40.2 % lower"),
        ("Backups are 40 % faster", Rating::Loose, "the speed is 67 % higher"),
        ("The backup is 1.67 times faster", Rating::Holds, "so 1.671x"),
    ] {
        let found = claimed(text);
        assert_eq!(found.rating, rating, "{text}: {found:#?}");
        assert!(found.check.contains(part), "{text}: {found:#?}");
        assert_eq!(found.about.len(), 3, "the claim and its two numbers: {found:#?}");
    }
}

#[test]
fn what_cannot_be_matched_is_said_and_nothing_is_invented() {
    for (text, part) in [
        ("IOPS increase 50 %", "no number has its metric"),
        ("write latency is 3x lower", "no number has its metric"),
        ("restore is 2x faster", "no number has its metric"),
        ("users are happier", "no figure that compares"),
    ] {
        let found = claimed(text);
        assert!(found.rating == Rating::Unmatched && found.check.contains(part), "{text}: {found:#?}");
    }
    let third = "[[number]]\ntest = \"oltp\"\nsystem = \"Other\"\nmetric = \"TPM\"\nvalue = 5\n";
    let toml = format!(
        "{UNSEEN}{third}[[statement]]\ntext = \"TPM increases 92 %\"\n[[statement]]\ntext = \"TPM: Fresh 92 % over Stale\"\n"
    );
    let found = file(&toml, "unseen.toml").expect("it is good");
    let ratings: Vec<_> = found.iter().filter(|f| f.is_claim).map(|f| (f.rating, f.check.clone())).collect();
    assert!(
        ratings.iter().any(|(v, why)| *v == Rating::Unmatched && why.contains("which two of")),
        "{ratings:?}"
    );
    assert!(ratings.iter().any(|(v, _)| *v == Rating::Holds), "{ratings:?}");
}

#[test]
fn a_claim_may_be_a_number_and_hold_for_a_part_only() {
    let toml = format!(
        "{UNSEEN}[[number]]\nid = \"C\"\ntest = \"oltp\"\nsystem = \"Fresh vs Stale\"\nmetric = \"latency lower by\"\nvalue = 61\nunit = \"%\"\nkind = \"claim\"\n"
    );
    let found = file(&toml, "unseen.toml").expect("it is good");
    let claim = found.iter().find(|f| f.about.first().is_some_and(|id| id == "C")).expect("it is judged");
    assert!(
        claim.rating == Rating::Loose
            && claim.check.contains("mean latency")
            && claim.check.contains("p99 latency"),
        "{claim:#?}"
    );
}

#[test]
fn the_guides_example_is_audited_as_it_says() {
    let guide = include_str!("../../../../docs/guide/simulated.md");
    for example in ["audit", "audit conditions"] {
        let part = |kind: &str| {
            let opened = format!("```{kind} {example}\n");
            guide.split(&opened).nth(1).and_then(|rest| rest.split("```").next()).expect("the guide has it")
        };
        let found = file(part("toml"), "my-study.toml").expect("it is good");
        let all: String = found
            .iter()
            .map(|f| format!("{} {} [{}]\n{}\n", f.rating, f.claim, f.about.join(", "), f.check))
            .collect();
        for line in part("text").lines() {
            assert!(all.contains(line.trim()), "{line}: {all}");
        }
    }
}

#[test]
fn a_formulas_result_is_held_to_the_figure() {
    let numbers = r#"
[[number]]
id = "N1"
metric = "TPM"
value = "1.84 M"
[[number]]
id = "N2"
metric = "TPM"
value = 960000
[[number]]
id = "N3"
metric = "IOPS"
value = "200K"
[[number]]
id = "N4"
metric = "backup time"
value = 73
unit = "min"
[[number]]
id = "N5"
metric = "backup time"
value = "2.0333 h"
[[claim]]
"#;
    use Rating::{Holds, Loose, Unmatched, Wrong};
    for (keys, rating, part) in [
        (r#"text = "more", printed = 1.92, unit = "x", formula = "N1 / N2""#, Holds, "N1 / N2 = 1.917 x"),
        (r#"text = "more", printed = 2, unit = "x", formula = "N1 / N2""#, Loose, "1.917 x, not 2"),
        (r#"text = "more", printed = 5, unit = "x", formula = "N2 / 960000""#, Wrong, "1 x, not 5"),
        (r#"text = "more", printed = 10, unit = "x", formula = "N1 / N2 * 3""#, Wrong, "5.75 x, not 10"),
        (r#"text = "more", printed = 1.33, unit = "x", formula = "N3 / 150000""#, Holds, "1.333 x"),
        (r#"text = "both", printed = "2.8 M", unit = "TPM", formula = "N1 + N2""#, Holds, "2.8 M TPM"),
        (r#"text = "1.92x the TPM", formula = "N1 / N2""#, Holds, "1.917"),
        (r#"text = "twice the TPM", formula = "N1 / N2""#, Holds, "1.917"),
        (r#"text = "over 3x the TPM", formula = "N1 / N2""#, Wrong, "not 3"),
        (r#"text = "over 1.5x the TPM", formula = "N1 / N2""#, Holds, "1.917"),
        (r#"text = "48 % lower", unit = "%", formula = "(N2 / N1 - 1) * 100""#, Holds, "-47.83 %"),
        (r#"text = "1.9x lower", unit = "x", formula = "N2 / N1""#, Holds, "0.5217 x"),
        (r#"text = "200 % more", unit = "%", formula = "(N1 / N2 - 1) * 100""#, Wrong, "91.67 %, not 200"),
        (r#"text = "92 % more", formula = "N1 / N2""#, Unmatched, "give unit"),
        (r#"text = "more", unit = "x", formula = "N1 / N2""#, Unmatched, "give `printed`"),
        (r#"text = "1.67x the speed", formula = "N5 / N4""#, Unmatched, "N5 is in h and N4 in min"),
        (r#"text = "1.67x the speed", formula = "N5 * 60 / N4""#, Holds, "1.671"),
        (r#"text = "more", printed = 5, formula = "N1 / N2", verdict = "right""#, Holds, "1.917"),
    ] {
        let toml = format!("{numbers}{}\n", keys.replace(", ", "\n"));
        let found = file(&toml, "unseen.toml").unwrap_or_else(|faults| panic!("{keys}: {faults}"));
        let found = found.iter().find(|f| f.is_claim).expect("the claim is judged");
        assert!(found.rating == rating && found.check.contains(part), "{keys}: {found:#?}");
    }
}

#[test]
fn the_studies_have_names() {
    assert!(studies().contains(&"kingston-dc1500m") && studies().iter().all(|name| study(name).is_some()));
}

#[test]
fn rounding_follows_the_printed_digits() {
    assert!(rounds_to(1.994, 2.0) && rounds_to(6.349, 6.3) && !rounds_to(6.38, 6.3));
    assert!(rounds_to(64_600.0, 65_000.0) && !rounds_to(64_400.0, 65_000.0));
}
