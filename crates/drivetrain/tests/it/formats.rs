//! Files of other tools: job files in, and results out that those tools read unmodified.

use std::path::PathBuf;
use std::process::Command;

use crate::common::{self, BLOCK, Scratch};
use serde_json::Value;
use testkit::need;

const JOB: &str = "\
; a job as people write it
[global]
ioengine=libaio
time_based
runtime=1
size=16m
bs=4k

[reads]
rw=randread
iodepth=4

[writes]
stonewall
rw=randwrite
iodepth=2
";

#[test]
fn a_fio_job_file_just_runs() {
    let scratch = Scratch::with("job.fio", JOB);
    let ran = scratch.run(&["run", "job.fio", "--json"]).expect(0);
    assert!(ran.stderr.contains("job.fio:3: `libaio` is carried out with io_uring"), "{}", ran.stderr);
    let document = ran.json();
    let cells = document["cells"].as_array().unwrap();
    let seen: Vec<_> =
        cells.iter().map(|cell| (cell["workload"].as_str().unwrap(), cell["level"].as_f64())).collect();
    assert_eq!(seen, [("reads", Some(4.0)), ("writes", Some(2.0))]);
    for cell in cells {
        assert_eq!(cell["state"], "done", "{cell:#}");
        assert!(cell["metrics"]["iops"]["value"].as_f64().unwrap() > 0.0);
    }
    scratch.run(&["report", "-o", "page.html"]).expect(0);
    let page = std::fs::read_to_string(scratch.path().join("page.html")).unwrap();
    assert!(page.contains("is carried out with io_uring"), "the page has the notes of the file");
}

#[test]
fn import_job_prints_the_experiment_that_runs_the_same() {
    let scratch = Scratch::with("job.fio", JOB);
    let printed = scratch.run(&["import-job", "job.fio"]).expect(0);
    assert!(printed.stdout.contains("depth = [4]") && printed.stderr.contains("job.fio:3:"), "{printed:#?}");
    scratch.write("job.toml", &printed.stdout);
    let plan = |file: &str| scratch.run(&["plan", file, "--json"]).expect(0).json();
    let (job, toml) = (plan("job.fio"), plan("job.toml"));
    assert_eq!((&job["cells"], &job["beds"]), (&toml["cells"], &toml["beds"]));
    scratch.run(&["import-job", "job.fio", "-o", "written.toml"]).expect(0);
    assert_eq!(std::fs::read_to_string(scratch.path().join("written.toml")).unwrap(), printed.stdout);
    let document = scratch.run(&["import-job", "job.fio", "--json"]).expect(0).json();
    assert_eq!(document["notes"][0]["line"], 3);
}

#[test]
fn what_cannot_be_carried_over_is_usage_with_its_line() {
    let scratch =
        Scratch::with("job.fio", &JOB.replace("iodepth=2", "iodepth=2\nexec_prerun=reboot\niodpeth=3"));
    for verb in ["import-job", "run", "plan"] {
        let ran = scratch.run(&[verb, "job.fio"]).expect(2);
        assert!(
            ran.stderr.contains("job.fio:17:1") && ran.stderr.contains("runs no commands"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("job.fio:18:1") && ran.stderr.contains("`iodepth`?"), "{}", ran.stderr);
    }
    let vdbench = Scratch::with(
        "parm.txt",
        "sd=sd1,lun=/dev/sdb,openflags=o_direct\nwd=wd1,sd=sd1,xfersize=4k\nrd=r1,wd=wd1,iorate=max,elapsed=5\n",
    );
    assert!(vdbench.run(&["import-job", "parm.txt"]).expect(0).stdout.contains("paths = [\"/dev/sdb\"]"));
}

#[test]
fn jobs_side_by_side_end_when_each_has_moved_its_bytes() {
    let job = "[global]\nioengine=psync\nsize=4m\nbs=64k\n[a]\nrw=write\nfsync=16\n[b]\nrw=read\nnumjobs=2\nfilename=shared\nsize=2m\n";
    let scratch = Scratch::with("both.fio", job);
    let document = scratch.run(&["run", "both.fio", "--json"]).expect(0).json();
    let cell = &document["cells"][0];
    assert_eq!((&cell["state"], &cell["workload"]), (&"done".into(), &"a+b".into()), "{cell:#}");
    // Files that the job names stay, as with fio; all others go.
    assert_eq!(std::fs::metadata(scratch.path().join("shared")).unwrap().len(), 4 << 20);
}

#[test]
fn traces_are_replayed_and_broken_ones_are_said() {
    let trace = "fio version 3 iolog\n0 /f write 4096 4096\n5 /f read 0 8192\nbroken\n9 /f trim 0 512\n";
    let scratch = Scratch::with("io.log", trace);
    let played = scratch
        .run(&["replay", "io.log", "new.dat", "--size", "16MiB", "--buffered", "--fast", "--json"])
        .expect(0)
        .json();
    let seen = |key: &str| played[key].as_u64();
    assert_eq!((seen("broken_lines"), seen("skipped"), seen("errors")), (Some(1), Some(0), Some(0)));
    assert_eq!(played["discard_latency_us"]["count"].as_u64(), Some(1), "{played:#}");
    assert_eq!(
        (played["read_latency_us"]["count"].as_u64(), played["format"].as_str()),
        (Some(1), Some("fio iolog"))
    );
    assert!(!scratch.path().join("new.dat").exists());
    let spoken =
        scratch.run(&["replay", "io.log", "new.dat", "--size", "16MiB", "--buffered", "--full"]).expect(0);
    assert!(spoken.stdout.contains("line 4") && spoken.stdout.contains("lag"), "{}", spoken.stdout);
    scratch.write("no.log", "nothing of a trace\n");
    let refused = scratch.run(&["replay", "no.log", "new.dat"]).expect(2);
    assert!(refused.stderr.contains("neither fio's iolog"), "{}", refused.stderr);
    for speed in ["0", "nan", "1e308"] {
        let refused = scratch.run(&["replay", "io.log", "new.dat", "--speed", speed]).expect(2).stderr;
        assert!(refused.contains("use 0.000001 to 1000000, or --fast"), "{refused}");
        assert!(!scratch.path().join("new.dat").exists(), "nothing is made for a speed that is refused");
    }
    scratch.write("writes.log", "fio version 2 iolog\n/f add\n/f open\n/f write 0 4096\n/f close\n");
    scratch.write("data", "x".repeat(8192).as_str());
    let nothing = ["replay", "--reads-only", "writes.log", "data", "--buffered", "--fast", "--full"];
    let told = scratch.run(&nothing).expect(7).stdout;
    assert!(told.contains("the only planned cell is not valid"), "no result without I/Os: {told}");
    scratch.write("theirs", "precious");
    scratch.run(&["replay", "io.log", "theirs"]).expect(6);
}

#[test]
fn a_run_writes_its_own_trace_which_replays() {
    let scratch = Scratch::new();
    let ran = scratch
        .run(&[
            "block",
            "--rw",
            "randrw",
            "--buffered",
            "--size",
            "16MiB",
            "--time",
            "200ms",
            "--depth",
            "2",
            "--verify",
            "--record",
            "own.log",
            "new.dat",
        ])
        .expect(0);
    assert!(ran.stderr.contains("left out 0") && ran.stdout.contains("verified: no faults"), "{ran:#?}");
    let played = scratch
        .run(&["replay", "own.log", "again.dat", "--size", "16MiB", "--buffered", "--fast", "--json"])
        .expect(0)
        .json();
    assert_eq!(
        (played["broken_lines"].as_u64(), played["wrapped"].as_u64(), played["rounded"].as_u64()),
        (Some(0), Some(0), Some(0))
    );
    assert!(played["lines"].as_u64().unwrap() > 10);
}

#[test]
fn buffered_writes_of_odd_sizes_run_as_etcds_users_know_them() {
    let job = "[wal]\nrw=write\nioengine=sync\nfdatasync=1\nsize=230000\nbs=2300\n";
    let scratch = Scratch::with("wal.fio", job);
    let cell = scratch.run(&["run", "wal.fio", "--json"]).expect(0).json()["cells"][0].clone();
    assert_eq!(cell["state"], "done", "{cell:#}");
    assert!(cell["metrics"]["flush_latency_p50"]["value"].as_f64().unwrap() > 0.0, "{cell:#}");
}

/// A finished run of block reads on two modelled drives.
fn finished() -> Scratch {
    let scratch = Scratch::with("block.toml", BLOCK);
    scratch
        .run_in_virtual_time(&[
            "run",
            "block.toml",
            "--set",
            "design.repeats=1",
            "--set",
            "workload.0.depth=[1, 4]",
        ])
        .expect(0);
    scratch
}

#[test]
fn fios_own_tool_reads_the_json_plus() {
    let (Some(_), Some(_)) = (need::program("fio"), need::program("six.py")) else { return };
    let scratch = finished();
    let document = scratch.run(&["export", "--format", "fio-json"]).expect(0).json();
    let jobs = document["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 4);
    for job in jobs {
        let described = job["job options"]["description"].as_str().unwrap();
        assert!(described.ends_with(" (emulated)"), "{described}");
        let read = &job["read"];
        let counted: u64 =
            read["clat_ns"]["bins"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
        assert_eq!(Some(counted), read["total_ios"].as_u64());
        let shares: f64 = ["latency_ns", "latency_us", "latency_ms"]
            .iter()
            .flat_map(|unit| job[*unit].as_object().unwrap().values().filter_map(Value::as_f64))
            .sum();
        assert!((shares - 100.0).abs() < 1e-6, "{shares}");
        assert!(read["clat_ns"]["percentile"]["99.000000"].as_u64().unwrap() > 0);
        assert_eq!(
            (&job["job options"]["rw"], &job["job options"]["bs"]),
            (&"randread".into(), &"4k".into())
        );
    }
    scratch.run(&["export", "--format", "fio-json", "-o", "all.json"]).expect(0);
    for arguments in [&["all.json", "out.csv"][..], &["all.json", "out.csv", "--validate"]] {
        let tool = Command::new("fio_jsonplus_clat2csv")
            .args(arguments)
            .current_dir(scratch.path())
            .output()
            .unwrap();
        assert!(tool.status.success(), "{}", String::from_utf8_lossy(&tool.stderr));
    }
    assert!(std::fs::read_to_string(scratch.path().join("out_job3.csv")).unwrap().lines().count() > 10);
}

#[test]
fn logs_have_fios_lines_and_names() {
    let scratch = finished();
    for format in ["fio-json", "fio-log", "hdr-log"] {
        scratch.run(&["export", "--format", format, "-o", "out"]).expect(0);
    }
    let own: PathBuf = scratch.path().join("out/nvme-emulated/block/repeat-1");
    assert!(own.join("randread-4-1.json").exists());
    for kind in ["bw", "iops", "lat", "clat", "slat"] {
        let text =
            std::fs::read_to_string(own.join(format!("randread-iodepth-4-numjobs-1_{kind}.1.log"))).unwrap();
        for line in text.lines() {
            let fields: Vec<u64> = line.split(", ").map(|field| field.parse().unwrap()).collect();
            assert!(
                fields.len() == 5 && fields[0].is_multiple_of(1000) && fields[2] == 0 && fields[3] == 4096,
                "{line}"
            );
        }
        assert!(text.lines().count() >= 1, "{kind}");
    }
    let hdr = std::fs::read_to_string(own.join("randread-iodepth-1-numjobs-1_latency.hlog")).unwrap();
    assert!(hdr.starts_with("#[Histogram log format version 1.3]") && hdr.contains(",HISTFAAA"), "{hdr}");
    let other = Scratch::with("x.toml", common::QUICK);
    other.run(&["run", "x.toml", "--set", "design.repeats=1", "--set", "workload.0.threads=[1]"]).expect(0);
    let refused = other.run(&["export", "--format", "fio-json"]).expect(2);
    assert!(refused.stderr.contains("no measured cell of block I/O"), "{}", refused.stderr);
}
