use super::*;

fn of(study: &str) -> Vec<Finding> {
    file(super::study(study).expect("the study is in our data"), "x.toml").expect("it can be audited")
}

fn verdict(findings: &[Finding], about: &str, part: &str) -> Option<Verdict> {
    let found = findings.iter().find(|f| f.about.iter().any(|id| id == about) && f.check.contains(part));
    found.map(|finding| finding.verdict)
}

#[test]
fn the_kingston_paper_is_found_out() {
    let all = of("kingston-dc1500m");
    for (about, part, expected) in [
        ("K059", "+132.8 % more", Verdict::Wrong),
        ("K020", "3.818", Verdict::Loose),
        ("K015", "33.3 % lower; at that the speed is 50 %", Verdict::Loose),
        ("K021", "67.2 %", Verdict::Loose),
        ("K026", "6.38", Verdict::Loose),
        ("K027", "4.889", Verdict::Loose),
        ("K018", "255 in flight", Verdict::Inconsistent),
        ("K012", "142 in flight", Verdict::Inconsistent),
        ("K024", "122 in flight", Verdict::Inconsistent),
        ("K003", "needs 7", Verdict::Loose),
        ("K046", "16441.5", Verdict::Holds),
        ("K090", "157.1 GB", Verdict::Holds),
        ("K093", "180.6 GB", Verdict::Inconsistent),
        ("K041", "0.2332", Verdict::Inconsistent),
        ("K050", "one run reported twice", Verdict::NotAlike),
        ("E11", "12 against 9", Verdict::Wrong),
        ("E20", "-13.9", Verdict::Unsupported),
        ("E26", "3.938", Verdict::Loose),
        ("E29", "94.2", Verdict::Wrong),
        ("K-SATA", "Silver 4114", Verdict::NotAlike),
    ] {
        assert_eq!(verdict(&all, about, part), Some(expected), "{about} {part}: {all:#?}");
    }
    let inconsistent = all.iter().filter(|f| f.check.contains("at equal concurrency")).count();
    assert_eq!(inconsistent, 3, "4k, 64k and 128k: {all:#?}");
}

#[test]
fn the_other_two_studies_are_found_out() {
    let review = of("storagereview-skhynix");
    assert_eq!(verdict(&review, "E41", "3.06"), Some(Verdict::Loose));
    assert_eq!(verdict(&review, "E40", "7.7"), Some(Verdict::Inconsistent));
    assert_eq!(verdict(&review, "S011", "as set"), Some(Verdict::Holds));
    let drive = of("iodrive-2009");
    for (about, part, expected) in [
        ("E50", "376.8", Verdict::Loose),
        ("E51", "295", Verdict::Loose),
        ("E53", "789", Verdict::Inconsistent),
        ("E54", "cores busy", Verdict::Unsupported),
        ("E56", "4.749", Verdict::Holds),
        ("E57", "8.212", Verdict::Loose),
        ("E58", "250", Verdict::Holds),
    ] {
        assert_eq!(verdict(&drive, about, part), Some(expected), "{about}: {drive:#?}");
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
    assert_eq!(verdict(&found, "b", "16 in flight, 8 are set"), Some(Verdict::Inconsistent));
    assert_eq!(verdict(&found, "s", "= 2"), Some(Verdict::Loose));
}

#[test]
fn bad_files_are_refused_in_words() {
    for (text, part) in
        [("", "nothing to audit"), ("x = [", "TOML"), ("[[number]]\nid = \"a\"\n", "missing field")]
    {
        let error = file(text, "x.toml").expect_err("it is bad").to_string();
        assert!(error.starts_with("x.toml: ") && (error.contains(part) || part == "TOML"), "{error}");
    }
}

#[test]
fn rounding_follows_the_printed_digits() {
    assert!(rounds_to(1.994, 2.0) && rounds_to(6.349, 6.3) && !rounds_to(6.38, 6.3));
    assert!(rounds_to(64_600.0, 65_000.0) && !rounds_to(64_400.0, 65_000.0));
}
