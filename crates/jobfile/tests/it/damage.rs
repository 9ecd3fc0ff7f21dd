//! Damaged files: each is read, or refused with a place and a remedy; none ends in a panic.

use jobfile::{
    Choice, CounterFormat, CountersError, FileFault, FilePlace, ResultFormat, Zone, detect, read_counters,
    read_result,
};
use proptest::prelude::*;

use crate::{COUNTERS, RESULTS, data};

/// Reads counters as far as to series beside a cell.
fn beside(format: CounterFormat, bytes: &[u8]) -> Result<(), FileFault> {
    let choice = Choice::Matching(vec!["*".parse().unwrap()]);
    match read_counters(format, bytes, &choice, Some(&Zone::utc())) {
        Ok(counters) => {
            let Some((first, _)) = counters.span else { return Ok(()) };
            let cells = [jobfile::CellTime { zero: first, from_s: 0.0, to_s: 60.0 }];
            let _ = counters.place(&cells, 0.0);
            Ok(())
        }
        Err(CountersError::Fault(fault)) => Err(fault),
        Err(CountersError::Io(error)) => panic!("bytes cannot fail to be read: {error}"),
    }
}

/// Everything that a fault must have.
fn check(fault: &FileFault) {
    assert!(!fault.message.is_empty() && !fault.help.is_empty(), "{fault:?}");
    assert!(fault.in_file("F").len() < 600, "{fault:?}");
}

#[test]
fn a_file_that_is_cut_anywhere_is_refused_or_is_whole_without_its_end() {
    for (name, format) in RESULTS {
        let whole = data(name);
        let cells = read_result(format, &whole, None).unwrap().cells.len();
        for cut in (0..whole.len()).step_by(1 + whole.len() / 700) {
            match read_result(format, &whole[..cut], None) {
                // The rest is a result of its own: an earlier level, or the same without its last words.
                Ok(rest) => {
                    assert!(!rest.cells.is_empty() && rest.cells.len() <= cells, "{name} cut at {cut}")
                }
                Err(fault) => check(&fault),
            }
        }
        let fault = read_result(format, &whole[..whole.len() / 3], None).unwrap_err();
        assert!(fault.place != FilePlace::Whole || format == ResultFormat::Pgbench, "{name}: {fault:?}");
    }
    for (name, format) in COUNTERS {
        let whole = data(name);
        for cut in (0..whole.len()).step_by(1 + whole.len() / 500) {
            if let Err(fault) = beside(format, &whole[..cut]) {
                check(&fault);
            }
        }
    }
}

#[test]
fn numbers_that_contradict_each_other_are_refused_with_both() {
    use ResultFormat::{Fio, HammerDb, Pgbench, Sysbench};
    const IOPS: &str = "\"iops\" : 8173.493173";
    const P50: &str = "\"50.000000\" : 90624";
    let cases = [
        (
            Fio,
            "fio.json",
            IOPS,
            "\"iops\" : 999999.0",
            "jobs[0].read.iops: is 999999, and `total_ios`, 24545, in",
        ),
        (
            Fio,
            "fio.json",
            IOPS,
            "\"iops\" : 7700",
            "the `runtime` of 3003 ms is 8173.493 per second; import the",
        ),
        (Fio, "fio.json", IOPS, "\"iops\" : -0.0", "jobs[0].read.iops: is -0, which is less than nothing"),
        (
            Fio,
            "fio.json",
            IOPS,
            "\"iops\" : 8173.493173, \"iops\" : 5",
            "iops: stands twice in its object, with",
        ),
        (
            Fio,
            "fio.json",
            "\"runtime\" : 3003",
            "\"runtime\" : 0",
            "and `total_ios` is 24545 in a `runtime` of 0 ms",
        ),
        (
            Fio,
            "fio.json",
            "\"bw_bytes\" : 33478628",
            "\"bw_bytes\" : 3347862",
            "bw_bytes: is 3347862, and `io_bytes`",
        ),
        (Fio, "fio.json", P50, "\"50.000000\" : 9000000", "50.000000: is 9000000, above `max`, 8751268"),
        (Fio, "fio.json", P50, "\"50.000000\" : 1", "clat_ns.percentile: fall: 40 % is"),
        (Fio, "fio.json", P50, "\"150.0\" : 90624", "is of no percentage"),
        (Fio, "fio.json", "\"max\" : 8751268", "\"max\" : 1", "jobs[0].read.clat_ns.min: is"),
        (
            Fio,
            "fio-clones.json",
            "\"jobs\" :",
            "\"jobs\" : 3, \"jobs\" :",
            "F: jobs: stands twice in its object, with `3` and",
        ),
        (
            HammerDb,
            "hammerdb.json",
            "\"nopm\": 174321",
            "\"nopm\": 174321, \"nopm\": 1",
            "F: result.nopm: stands twice",
        ),
        (HammerDb, "hammerdb.json", "\"p50_ms\": ", "\"p50_ms\": 999", "rows[0]: has a p50 of 999"),
        (
            Sysbench,
            "sysbench-levels.txt",
            "(170.69 per sec.)",
            "(99999.00 per sec.)",
            "F:25: states 99999 per second, and counts 1025 in",
        ),
        (Sysbench, "sysbench-levels.txt", "6.0037s", "0.0000s", "in the total time of 0 s"),
        (
            Sysbench,
            "sysbench-levels.txt",
            "(3413.73 per sec.)",
            "(341.37 per sec.)",
            "F:26: states 341.37 per second",
        ),
        (
            Sysbench,
            "sysbench-levels.txt",
            " 12.98",
            " 1200.00",
            "states a percentile of 1200 ms, above the max of 22.09",
        ),
        (
            Sysbench,
            "sysbench-levels.txt",
            " 1.14",
            " 99.00",
            "F:35: states a min of 99 ms, above the max of 22.09",
        ),
        (Sysbench, "sysbench-levels.txt", "95th percentile", "999th percentile", "is of no percentage"),
        (
            Pgbench,
            "pgbench-levels.txt",
            "tps = 255.024565",
            "tps = 99999.0",
            "F:20: states 99999 transactions per second, and 1273",
        ),
        (
            Pgbench,
            "pgbench-levels.txt",
            "tps = 255.024565",
            "tps = 25.5",
            "were processed in the duration of 5 s",
        ),
        (Pgbench, "pgbench-levels.txt", "tps = 255.024565", "tps = -0.0", "is less than nothing"),
        (
            Pgbench,
            "pgbench-levels.txt",
            "latency average = 3.920 ms",
            "latency average = 39.20 ms",
            "which keep 10 clients busy, and there are 1",
        ),
        (
            Pgbench,
            "pgbench-levels.txt",
            "failed transactions: 0 ",
            "failed transactions: 999999 ",
            "F:16: states 999999 failed",
        ),
        (
            Pgbench,
            "pgbench-levels.txt",
            "processed: 1273",
            "processed: 1273/1200",
            "F:15: counts 1273 transactions",
        ),
        (
            Pgbench,
            "pgbench-scripts.txt",
            "tps = 791.224275",
            "tps = 7.91",
            "by 2 clients with a mean of 2.528 ms",
        ),
    ];
    for (format, name, old, new, said) in cases {
        let text = String::from_utf8(data(name)).unwrap();
        assert!(text.contains(old), "{name}: {old}");
        let fault = read_result(format, text.replacen(old, new, 1).as_bytes(), None);
        let fault = fault.map(|_| panic!("{name}: accepted {new}")).unwrap_err();
        check(&fault);
        assert!(fault.in_file("F").contains(said), "{said}: {}", fault.in_file("F"));
    }
}

#[test]
fn what_the_tools_themselves_write_of_odd_runs_is_read() {
    let fio = String::from_utf8(data("fio-clones.json")).unwrap();
    // A job of less than a millisecond has no rate in fio's own output.
    let mut instant: serde_json::Value = serde_json::from_str(&fio).unwrap();
    for direction in ["read", "write"] {
        for key in ["runtime", "iops", "bw", "bw_bytes"] {
            instant["jobs"][0][direction][key] = 0.into();
        }
    }
    let cells = read_result(ResultFormat::Fio, instant.to_string().as_bytes(), None).unwrap().cells;
    assert!(
        cells[0].failed.as_deref().is_some_and(|why| why.contains("a millisecond")),
        "{:?}",
        cells[0].failed
    );
    // pgbench waits for the last transactions, however long they take.
    let late = "transaction type: slow.sql\nnumber of clients: 1\nduration: 5 s\n\
        number of transactions actually processed: 1\nnumber of failed transactions: 0 (0.000%)\n\
        latency average = 20000.000 ms\ntps = 0.050000 (without initial connection time)\n";
    assert_eq!(read_result(ResultFormat::Pgbench, late.as_bytes(), None).unwrap().cells.len(), 1);
    // A run at a rate ends early where the next start lies beyond its time.
    let paced = "transaction type: <builtin: TPC-B (sort of)>\nnumber of clients: 2\nduration: 2 s\n\
        number of transactions actually processed: 3\nnumber of failed transactions: 0 (0.000%)\n\
        latency average = 3.389 ms\nlatency stddev = 1.256 ms\n\
        rate limit schedule lag: avg 0.973 (max 1.667) ms\ninitial connection time = 13.404 ms\n\
        tps = 1.823201 (without initial connection time)\n";
    assert_eq!(read_result(ResultFormat::Pgbench, paced.as_bytes(), None).unwrap().cells.len(), 1);
    // Most transactions of a run can fail.
    let failing = "transaction type: x.sql\nnumber of clients: 2\nduration: 10 s\n\
        number of transactions actually processed: 100\nnumber of failed transactions: 900 (90.000%)\n\
        latency average = 20.000 ms (including failures)\ntps = 10.000000 (without initial connection time)\n";
    assert_eq!(read_result(ResultFormat::Pgbench, failing.as_bytes(), None).unwrap().cells.len(), 1);
}

#[test]
fn reports_of_parts_of_a_run_are_no_report_of_the_run() {
    let text = String::from_utf8(data("sysbench-levels.txt")).unwrap();
    let parts = format!("[ 1s ] Checkpoint report:\n{text}");
    let fault = read_result(ResultFormat::Sysbench, parts.as_bytes(), None);
    let fault = fault.map(|_| panic!("a part is no whole")).unwrap_err();
    check(&fault);
    assert!(fault.in_file("F").contains("without --report-checkpoints"), "{}", fault.in_file("F"));
}

#[test]
fn wrong_values_are_told_with_their_path_or_line() {
    let fio = String::from_utf8(data("fio.json")).unwrap();
    let hammerdb = String::from_utf8(data("hammerdb.json")).unwrap();
    let sysbench = String::from_utf8(data("sysbench-levels.txt")).unwrap();
    let pgbench = String::from_utf8(data("pgbench-levels.txt")).unwrap();
    use ResultFormat::{Fio, HammerDb, Pgbench, Sysbench};
    let cases = [
        (
            Fio,
            &fio,
            "\"iops\" : 8173.493173",
            "\"iops\" : -3",
            "F: jobs[0].read.iops: is -3, which is less than nothing",
        ),
        (Fio, &fio, "\"iops\" : 8173.493173", "\"iops\" : nan", "F:29:19: is no JSON"),
        (Fio, &fio, "\"iops\" : 8173.493173", "\"iops\" : 1e400", "number out of range"),
        (Fio, &fio, "\"iops\" : 8173.493173", "\"iops\" : 1e200", "which no tool measures"),
        (
            Fio,
            &fio,
            "\"iops\" : 8173.493173",
            "\"iops\" : {}",
            "jobs[0].read.iops: is an object, not a number",
        ),
        (
            Fio,
            &fio,
            "\"runtime\" : 3003",
            "\"runtime\" : 99999999999",
            "jobs[0].read.runtime: is more than a week",
        ),
        (Fio, &fio, "\"jobs\" :", "\"jabs\" :", "has no `jobs`"),
        (Fio, &fio, "\"clat_ns\" :", "\"clat\" :", "jobs[0].read: has latencies in microseconds"),
        (Fio, &fio, "fio-3.33", "fio-2.16", "fio version: is \"2.16\"; run it again with fio 3"),
        (Fio, &fio, "\"numjobs\" : \"2\"", "\"numjobs\" : \"0\"", "jobs[1]: has the option numjobs=\"0\""),
        (HammerDb, &hammerdb, "-report-v1", "-report-v9", "F: schema: is \"hammerdb-job-report-v9\""),
        (
            HammerDb,
            &hammerdb,
            "\"benchmark\": \"TPROC-C\"",
            "\"benchmark\": \"TPROC-H\"",
            "job.benchmark: is \"TPROC-H\"",
        ),
        (
            HammerDb,
            &hammerdb,
            "\"nopm\": 174321",
            "\"nopm\": \"many\"",
            "F: result.nopm: is `many`, not a number",
        ),
        (
            HammerDb,
            &hammerdb,
            "\"timestamp\": \"2026-11-25 10:00:10\"",
            "\"timestamp\": \"2026-13-25\"",
            ".timestamp: is \"2026-13-25\", not a time",
        ),
        (
            HammerDb,
            &hammerdb,
            "\"timestamp\": \"2026-11-25 10:00:30\"",
            "\"timestamp\": \"2026-11-24 10:00:30\"",
            "points[3].timestamp: is earlier than the point before",
        ),
        (
            HammerDb,
            &hammerdb,
            "\"duration_minutes\": 1",
            "\"duration_minutes\": 1e9",
            "duration_minutes: is more than a week",
        ),
        (HammerDb, &hammerdb, "PAYMENT", "NEWORD", "response_times.rows[1].name: occurs twice"),
        (
            Sysbench,
            &sysbench,
            "Number of threads: 1",
            "Number of threads: 0",
            "F:4: has no number of threads",
        ),
        (Sysbench, &sysbench, "tps: 192.18", "tps: nan", "F:14: `nan` does not begin with a number"),
        (Sysbench, &sysbench, "[ 3s ]", "[ 1s ]", "F:15: is not later than the interval before it"),
        (Sysbench, &sysbench, "[ 6s ]", "[ 9999999999s ]", "is more than a week"),
        (Sysbench, &sysbench, "(170.69 per sec.)", "(-1 per sec.)", "`-1` is less than nothing"),
        (
            Sysbench,
            &sysbench,
            "Threads started!",
            "FATAL: error 2002: no server",
            "sysbench failed: `FATAL: error 2002",
        ),
        (
            Sysbench,
            &sysbench,
            "SQL statistics:",
            "",
            "F:1: the output of sysbench that begins here has no `SQL statistics`",
        ),
        (Pgbench, &pgbench, "tps = 255.024565", "tps = inf", "does not begin with a number"),
        (Pgbench, &pgbench, "number of clients: 4", "number of clients: 1e12", "no number of clients from 1"),
        (
            Pgbench,
            &pgbench,
            "progress: 2.0 s",
            "progress: 1.0 s",
            "F:4: is not later than the progress before it",
        ),
        (
            Pgbench,
            &pgbench,
            "latency average = 3.920 ms\n",
            "",
            "F:8: the output of pgbench that begins here does not state its latency",
        ),
    ];
    for (format, text, old, new, said) in cases {
        assert!(text.contains(old), "{old}");
        let fault = read_result(format, text.replacen(old, new, 1).as_bytes(), None).unwrap_err();
        check(&fault);
        assert!(fault.in_file("F").contains(said), "{said}: {}", fault.in_file("F"));
    }
    let cpu = read_result(Sysbench, &data("sysbench-cpu.txt"), None).unwrap_err();
    assert!(cpu.to_string().contains("only its OLTP tests"), "{cpu}");
    for format in ResultFormat::ALL {
        check(&read_result(*format, b"", None).unwrap_err());
        check(&read_result(*format, b"{}", None).unwrap_err());
        check(&read_result(*format, b"\xff\xfe{\0", None).unwrap_err());
        check(&read_result(*format, &[b'x'; 3 << 20], None).unwrap_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn overwritten_bytes_never_end_in_a_panic(
        file in 0..RESULTS.len() + COUNTERS.len(),
        at in 0..100_000_usize,
        bytes in proptest::collection::vec(prop_oneof![any::<u8>(), b'0'..=b'9', Just(b'-'), Just(b'"'), Just(b';'), Just(b'\n')], 1..8),
    ) {
        let name = RESULTS.get(file).map_or_else(|| COUNTERS[file - RESULTS.len()].0, |result| result.0);
        let mut text = data(name);
        let at = at % text.len();
        let end = (at + bytes.len()).min(text.len());
        text.splice(at..end, bytes);
        let _ = detect(&text);
        let outcome = match RESULTS.get(file) {
            Some((_, format)) => read_result(*format, &text, None).map(drop),
            None => beside(COUNTERS[file - RESULTS.len()].1, &text),
        };
        if let Err(fault) = outcome {
            check(&fault);
        }
    }

    #[test]
    fn any_bytes_are_refused_by_every_form(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for format in ResultFormat::ALL {
            if let Err(fault) = read_result(*format, &bytes, None) {
                check(&fault);
            }
        }
        for format in CounterFormat::ALL {
            if let Err(fault) = beside(*format, &bytes) {
                check(&fault);
            }
        }
    }
}
