//! Job files of fio and vdbench, written for these tests: the resulting experiment of each, and the messages
//! about those that cannot be converted.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use experiment::{Workload, parse, to_toml};
use jobfile::{ImportError, Imported, Surroundings, import, is_job_file};
use proptest::prelude::*;

/// A machine that is the same everywhere.
struct Fixed;

impl Surroundings for Fixed {
    fn include(&self, _path: &str, _from: &str) -> Result<String, String> {
        Err("no such file".to_owned())
    }

    fn variable(&self, name: &str) -> Option<String> {
        (name == "SIZE").then(|| "1g".to_owned())
    }

    fn page_bytes(&self) -> u64 {
        4096
    }

    fn memory_mebibytes(&self) -> u64 {
        8192
    }

    fn processors(&self) -> u64 {
        4
    }

    fn size_bytes(&self, _path: &str) -> Option<u64> {
        None
    }
}

fn read(text: &str, name: &str) -> Result<Imported, ImportError> {
    import(text, name, &Fixed)
}

fn files(folder: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jobs").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn each(folder: &str, mut check: impl FnMut(&str, &str)) {
    for path in files(folder) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(is_job_file(name, &text), "{name} is told apart from an experiment");
        check(name, &text);
    }
}

fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(format!("job-{}", name.replace('.', "-")), text);
    });
}

#[test]
fn accepted_files_become_experiments_that_read_back() {
    for folder in ["fio", "vdbench"] {
        each(folder, |name, text| {
            let imported = read(text, name).unwrap_or_else(|error| panic!("{name}\n{error}"));
            let toml = to_toml(&imported.experiment);
            assert_eq!(parse(&toml, name).unwrap(), imported.experiment, "{name}");
            let mut shown = toml;
            for note in &imported.notes {
                writeln!(shown, "# line {}: {}", note.line, note.text).unwrap();
            }
            snapshot(name, &shown);
        });
    }
}

#[test]
fn refused_files_say_every_line_and_reason() {
    each("refused", |name, text| {
        let error = read(text, name).map(|imported| to_toml(&imported.experiment)).unwrap_err();
        snapshot(name, &error.to_string());
    });
}

#[test]
fn thousands_of_definitions_of_one_name_are_told_apart_or_refused_at_once() {
    let storage = "sd=sd1,lun=/tmp/x,size=1g\n";
    let work = "wd=wd1,sd=sd1,xfersize=4k,rdpct=100\n";
    let run = "rd=r1,wd=wd1,iorate=100,elapsed=1,interval=1\n";
    let runs =
        read(&format!("{storage}{work}{}", run.repeat(3000)), "runs.txt").expect("runs may share a name");
    let names: Vec<&str> = runs.experiment.workload.iter().map(Workload::name).collect();
    assert_eq!((names.len(), names[0], names[1], names[2999]), (3000, "r1", "r1-2", "r1-3000"));
    let refused = read(&format!("{storage}{}{}", work.repeat(3000), run.repeat(9)), "works.txt").unwrap_err();
    assert_eq!(refused.files()[0].iter().len(), 2999, "each but the first");
    assert!(refused.to_string().contains("`wd1` is defined twice"), "{refused}");
}

/// Lines of real files, for texts that are nearly right.
fn line() -> impl Strategy<Value = String> {
    let keys = prop::sample::select(vec![
        "bs",
        "size",
        "rw",
        "numjobs",
        "filename",
        "rate",
        "runtime",
        "bssplit",
        "bsrange",
        "offset",
        "ss",
        "flow",
        "loops",
        "random_distribution",
        "thinktime",
        "io_size",
        "iodepth",
        "include",
        "wait_for",
        "nrfiles",
        "filesize",
        "latency_target",
        "sd",
        "wd",
        "rd",
        "xfersize",
        "iorate",
        "curve",
        "threads",
        "forthreads",
        "range",
        "count",
        "skew",
        "rhpct",
        "maxdata",
    ]);
    let value = prop_oneof![
        "[0-9]{1,20}[kmgtpzd%]?",
        "[0-9a-z/:,.*()%$ -]{0,30}",
        prop::sample::select(vec![
            "randrw:8",
            "1k-64k",
            "zoned:50/5:",
            "4k/50:8k/",
            "(4k-512k,d)",
            "max",
            "curve",
            "sd*",
            "/dev/sdx"
        ])
        .prop_map(str::to_owned),
    ];
    prop_oneof![
        (keys, value).prop_map(|(key, value)| format!("{key}={value}")),
        Just("[global]".to_owned()),
        "\\[[a-z]{0,5}\\]",
        prop::collection::vec("(sd|wd|rd|lun|xfersize|iorate|rdpct)=[a-z0-9(),*-]{0,12}", 1..5)
            .prop_map(|pairs| pairs.join(",")),
        "\\PC{0,40}",
    ]
}

/// Whatever is accepted reads back, and whatever is refused has a place.
fn is_answered(text: &str, name: &str) {
    match read(text, name) {
        Ok(imported) => {
            assert!(!imported.experiment.workload.is_empty());
            let back = parse(&to_toml(&imported.experiment), name).unwrap();
            let names =
                |workloads: &[Workload]| workloads.iter().map(|w| w.name().to_owned()).collect::<Vec<_>>();
            assert_eq!(names(&back.workload), names(&imported.experiment.workload));
        }
        Err(error) => assert!(error.files().iter().all(|file| file.iter().all(|fault| fault.line > 0))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_lines_are_answered(lines in prop::collection::vec(line(), 0..20)) {
        is_answered(&lines.join("\n"), "x.fio");
    }

    #[test]
    fn real_files_with_a_line_changed_are_answered(
        folder in prop::sample::select(vec!["fio", "vdbench", "refused"]),
        file: prop::sample::Index,
        at: prop::sample::Index,
        line in line(),
        replace: bool,
    ) {
        let path = file.get(&files(folder)).clone();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        let at = at.index(lines.len());
        if replace {
            lines[at] = &line;
        } else {
            lines.insert(at, &line);
        }
        is_answered(&lines.join("\n"), path.file_name().unwrap().to_str().unwrap());
    }
}
