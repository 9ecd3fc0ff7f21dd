//! Reports, verdicts and tables in every language.

use unicode_width::UnicodeWidthStr as _;

use crate::common::{self, Ran, Scratch};

fn said_in(scratch: &Scratch, language: &str, arguments: &[&str]) -> String {
    scratch.run(&[arguments, &["--language", language]].concat()).expect(0).stdout
}

/// True if the text has characters of the script of the language; Indonesian writes Latin letters.
fn has_script(language: &str, text: &str) -> bool {
    match language {
        "ko" => text.chars().any(|c| ('\u{ac00}'..='\u{d7a3}').contains(&c)),
        "zh" => text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)),
        _ => text.contains("pengguna virtual"),
    }
}

#[test]
fn a_result_is_told_in_every_language() {
    let scratch = Scratch::with("x.toml", common::SMALL);
    let english = scratch.run(&["run", "x.toml", "--realm", "simulated"]).expect(0).stdout;
    for language in ["ko", "zh", "id"] {
        for verb in ["show", "compare"] {
            for more in [&[][..], &["--full"]] {
                let told = said_in(&scratch, language, &[&[verb], more].concat());
                assert!(has_script(language, &told), "{language} {verb}: {told}");
                let prose = told.lines().filter(|line| line.contains('\u{3002}'));
                assert!(prose.clone().all(|line| line.width() <= 100), "{told}");
                for sentence in ["virtual users", "not distinguishable", "limited by", "begun"] {
                    assert!(!told.contains(sentence), "{language} {verb}: {sentence} in {told}");
                }
            }
        }
        let page = format!("{language}.html");
        said_in(&scratch, language, &["report", "-o", &page]);
        let page = std::fs::read_to_string(scratch.path().join(page)).expect("a page");
        assert!(page.contains(&format!("<html lang=\"{language}\">")) && has_script(language, &page));
        // Names and numbers for machines are the same in every language.
        let of = |language: &str| -> serde_json::Value {
            serde_json::from_str(&said_in(&scratch, language, &["show", "--json"])).expect("JSON")
        };
        let (told, plain) = (of(language), of("en"));
        assert_eq!(told["cells"][0]["limiter"], plain["cells"][0]["limiter"]);
        assert_eq!(told["cells"][0]["metrics"], plain["cells"][0]["metrics"]);
        assert_eq!(said_in(&scratch, language, &["export"]), said_in(&scratch, "en", &["export"]));
    }
    assert!(english.contains("virtual user"), "{english}");
    // Thousands and decimals change their places in Indonesian.
    let shown = said_in(&scratch, "id", &["show", "--full"]);
    assert!(shown.contains(',') && !shown.contains("1.00x") && shown.contains("x"), "{shown}");
}

#[test]
fn a_list_tells_a_verdict_in_the_language_of_its_reader_and_not_of_the_run() {
    let scratch = Scratch::with("x.toml", common::SMALL);
    said_in(&scratch, "ko", &["run", "x.toml", "--realm", "simulated"]);
    let listed = |language: &str| said_in(&scratch, language, &["ls"]);
    assert!(has_script("ko", &listed("ko")) && has_script("zh", &listed("zh")));
    let english = listed("en");
    assert!(!has_script("ko", &english) && english.contains("x, "), "{english}");
    let of = |language: &str| said_in(&scratch, language, &["ls", "--json"]);
    assert_eq!(of("ko"), of("en"));
}

#[test]
fn documents_for_programs_are_the_same_in_every_language() {
    let scratch = Scratch::with("x.toml", common::SMALL);
    for seed in ["1", "2"] {
        scratch.run(&["run", "x.toml", "--realm", "simulated", "--seed", seed]).expect(0);
    }
    let documents = [
        &["check", "--baseline", "1"][..],
        &["compare"],
        &["compare", "2", "--baseline", "1"],
        &["trend"],
        &["show"],
    ];
    for document in documents {
        let of =
            |language: &str| scratch.run(&[document, &["--json", "--language", language]].concat()).stdout;
        let english = of("en");
        assert!(!english.is_empty(), "{document:?}");
        for language in ["ko", "zh", "id"] {
            assert_eq!(of(language), english, "{language} {document:?}");
        }
    }
    // The text that people read beside a document is in their language.
    let check = ["check", "--baseline", "1", "--json", "--markdown", "c.md", "--language", "ko"];
    let code = scratch.run(&check).code;
    assert!(matches!(code, Some(0 | 3 | 4)), "{code:?}");
    let read = |name: &str| std::fs::read_to_string(scratch.path().join(name)).unwrap();
    assert!(has_script("ko", &read("c.md")));
    scratch.run(&["report", "--json", "-o", "r.html", "--language", "ko"]).expect(0);
    assert!(read("r.html").contains("<html lang=\"ko\">"));
}

#[test]
fn the_locale_chooses_and_the_option_wins() {
    let scratch = Scratch::with("x.toml", common::SMALL);
    scratch.run(&["run", "x.toml", "--realm", "simulated"]).expect(0);
    let show = |settings: &[(&str, &str)], arguments: &[&str]| {
        let mut command = scratch.command(&[&["show"], arguments].concat());
        command.env_remove("DRIVETRAIN_LANGUAGE").env_remove("LC_ALL").env_remove("LC_MESSAGES");
        command.env_remove("LANG").envs(settings.iter().copied());
        Ran::from(command.output().expect("the binary starts"))
    };
    let korean = show(&[("LANG", "ko_KR.UTF-8")], &[]).expect(0).stdout;
    assert!(has_script("ko", &korean), "{korean}");
    // A locale without a translation is no fault; the first variable that is set counts.
    for settings in [
        &[("LANG", "tlh_XX")][..],
        &[("LANG", "ko_KR"), ("LC_ALL", "C")],
        &[("LC_ALL", ""), ("LANG", "en_US")],
        &[],
    ] {
        let told = show(settings, &[]).expect(0).stdout;
        assert!(!has_script("ko", &told), "{settings:?}: {told}");
    }
    // An empty variable is none.
    let told = show(&[("LANG", "ko_KR.UTF-8"), ("DRIVETRAIN_LANGUAGE", "")], &[]).expect(0).stdout;
    assert!(has_script("ko", &told), "{told}");
    let told = show(&[("LANG", "ko_KR.UTF-8")], &["--language", "id"]).expect(0).stdout;
    assert!(!has_script("ko", &told) && has_script("id", &told), "{told}");
    let refused = show(&[], &["--language", "tlh"]).expect(2).stderr;
    assert!(refused.contains("tlh") && refused.contains("en, id, ko, zh"), "{refused}");
}
