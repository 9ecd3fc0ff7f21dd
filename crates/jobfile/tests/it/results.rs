//! Figures of results against what their files state.

use jobfile::{ResultFormat, ToolCell, ToolFormat, ToolResult, Zone, detect, read_result};
use words::{Latency, LevelName, Metric, NoteKind, PhaseName, Remark, Statistic, WorkloadKind};

use crate::{RESULTS, data};

fn read(name: &str) -> ToolResult {
    let format = RESULTS.iter().find(|(known, _)| *known == name).unwrap().1;
    read_result(format, &data(name), None).unwrap_or_else(|fault| panic!("{}", fault.in_file(name)))
}

fn value(cell: &ToolCell, metric: Metric) -> f64 {
    let found = cell.values.iter().find(|(known, _)| *known == metric);
    found.unwrap_or_else(|| panic!("no {metric} in {:?}", cell.values)).1
}

fn has(cell: &ToolCell, metric: Metric) -> bool {
    cell.values.iter().any(|(known, _)| *known == metric)
}

fn series(cell: &ToolCell, metric: Metric) -> &[f64] {
    let name = metric.name();
    &cell.series.iter().find(|series| series.metric == name).unwrap_or_else(|| panic!("no {name}")).values
}

const fn latency(of: Latency, statistic: Statistic) -> Metric {
    Metric::Latency(of, statistic)
}

#[test]
fn every_result_is_found_by_its_content_and_no_metric_occurs_twice() {
    for (name, format) in RESULTS {
        assert_eq!(detect(&data(name)), Some(ToolFormat::Result(format)), "{name}");
        for cell in read(name).cells {
            let mut metrics: Vec<String> = cell.values.iter().map(|(metric, _)| metric.name()).collect();
            metrics.sort();
            let count = metrics.len();
            metrics.dedup();
            assert_eq!(metrics.len(), count, "{name}: {metrics:?}");
            assert!(cell.failed.is_none() && cell.length_s() > 0.0, "{name}");
            assert!(cell.values.iter().all(|(_, value)| value.is_finite() && *value >= 0.0), "{name}");
        }
    }
}

#[test]
fn fio_gives_all_of_its_jobs_in_the_order_of_the_file() {
    let result = read("fio.json");
    assert_eq!((result.tool, result.version.as_deref()), ("fio", Some("3.33")));
    let names: Vec<&str> = result.cells.iter().map(|cell| cell.workload.as_str()).collect();
    assert_eq!(names, ["randread-4k", "mixed-8k", "seqwrite-64k"]);
    let [read_job, mixed, write] = result.cells.as_slice() else { panic!("three jobs") };
    assert_eq!(
        (read_job.kind, read_job.level_name, read_job.level),
        (WorkloadKind::Block, LevelName::Depth, 1.0)
    );
    // As the file has them: bw_bytes, clat_ns.
    assert_eq!(value(read_job, Metric::Iops), 8173.493173);
    assert_eq!(value(read_job, Metric::Bandwidth), 33.478628);
    assert_eq!(value(read_job, Metric::LATENCY_MEAN), 0.120934352577);
    assert_eq!(value(read_job, Metric::LATENCY_P50), 0.090624);
    assert_eq!(value(read_job, Metric::LATENCY_P99), 0.366592);
    assert_eq!(value(read_job, Metric::LATENCY_P999), 4.882432);
    assert_eq!(value(read_job, latency(Latency::Answer, Statistic::Max)), 8.751268);
    assert_eq!(value(read_job, latency(Latency::Read, Statistic::P99)), 0.366592);
    assert_eq!(value(read_job, latency(Latency::Answer, Statistic::Count)), 24545.0);
    assert_eq!(read_job.phases, [(PhaseName::Measure, 0.0, 3.003)]);
    // 1.46569 % and 42.371752 % of 3,002 ms over 24,545 I/Os.
    assert!(
        (value(read_job, Metric::CpuPerIo) - 53_615.81).abs() < 0.01,
        "{:?}",
        value(read_job, Metric::CpuPerIo)
    );
    // Two jobs reported together; no percentile of both directions without their distributions.
    assert_eq!(mixed.level, 2.0);
    assert!(has(mixed, Metric::LATENCY_MEAN) && !has(mixed, Metric::LATENCY_P99));
    assert!(
        has(mixed, latency(Latency::Read, Statistic::P99))
            && has(mixed, latency(Latency::Write, Statistic::P99))
    );
    assert!(value(mixed, Metric::ReadIops) > value(mixed, Metric::WriteIops));
    assert_eq!(value(write, Metric::ReadIops), 0.0);
    // One after the other, the last one before the output.
    let starts: Vec<f64> = result.cells.iter().map(|cell| cell.start_s).collect();
    assert!(starts[0] == 0.0 && starts[1] == 3.003 && starts[2] > 6.0, "{starts:?}");
    let remarks: Vec<&Remark> = result.remarks.iter().map(|(_, remark)| remark).collect();
    assert!(remarks.contains(&&Remark::ImportedFioMixed { jobs: "mixed-8k".to_owned() }), "{remarks:?}");
    assert!(remarks.contains(&&Remark::ImportedFioTimes));
    let several = Remark::ImportedFioSeveralJobs { job: "mixed-8k".to_owned(), jobs: 2, depth: 1 };
    assert!(remarks.contains(&&several));
    assert_eq!(result.asked["job"][0]["bs"].as_str(), Some("4k"));
    assert!(
        result.started_at.unwrap().to_string().starts_with("2026-11-25T22:02:2"),
        "{:?}",
        result.started_at
    );
}

#[test]
fn distributions_of_json_plus_are_kept_and_merged() {
    let result = read("fio-plus.json");
    let mixed = &result.cells[0];
    let names: Vec<Latency> = mixed.histograms.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, [Latency::Answer, Latency::Read, Latency::Write]);
    let count = |at: usize| mixed.histograms[at].1.len();
    assert_eq!(count(0), count(1) + count(2));
    assert_eq!(count(0) as f64, value(mixed, latency(Latency::Answer, Statistic::Count)));
    assert!(value(mixed, Metric::LATENCY_P99) > 0.0);
    assert!(!result.remarks.iter().any(|(_, remark)| matches!(remark, Remark::ImportedFioMixed { .. })));
}

#[test]
fn copies_of_a_job_are_numbered_and_messages_around_the_document_are_passed_over() {
    let result = read("fio-clones.json");
    let names: Vec<&str> = result.cells.iter().map(|cell| cell.workload.as_str()).collect();
    assert_eq!(names, ["a", "a (2)"]);
    assert_eq!(result.cells[0].level, 4.0, "each row is one of the copies");
    // The depth that fio printed, not the one that was asked for of an engine that waits for each I/O.
    let waiting = String::from_utf8(data("fio-clones.json")).unwrap();
    let waiting = waiting.replace("\"1\" : 0.100000", "\"1\" : 100.000000");
    let waiting = read_result(ResultFormat::Fio, waiting.as_bytes(), None).unwrap();
    assert_eq!(waiting.cells[0].level, 1.0);
    let told = Remark::ImportedFioDepth { job: "a".to_owned(), asked: 4, kept: 1 };
    assert!(waiting.remarks.contains(&(NoteKind::Warning, told)), "{:?}", waiting.remarks);
    let told = Remark::ImportedFioClones { job: "a".to_owned(), count: 2 };
    assert!(result.remarks.contains(&(NoteKind::Warning, told)));
    let around =
        [b"fio: a note\n".to_vec(), data("fio-clones.json"), b"\nfio: terminating\n".to_vec()].concat();
    assert_eq!(read_result(ResultFormat::Fio, &around, None).unwrap().cells.len(), 2);
    let twice = [data("fio.json"), b"\n".to_vec(), data("fio-clones.json")].concat();
    let twice = read_result(ResultFormat::Fio, &twice, None).unwrap();
    assert_eq!(twice.cells.len(), 2, "the last document is the result");
    assert!(twice.remarks.contains(&(NoteKind::Warning, Remark::ImportedFioDocuments { count: 2 })));
}

#[test]
fn a_job_that_failed_is_a_cell_that_does_not_count() {
    let text = String::from_utf8(data("fio-clones.json")).unwrap();
    let failed = text.replacen("\"error\" : 0", "\"error\" : 28", 1);
    let cells = read_result(ResultFormat::Fio, failed.as_bytes(), None).unwrap().cells;
    assert_eq!(cells[0].failed.as_deref(), Some("fio ended the job with error 28"));
    assert_eq!(cells[1].failed, None);
}

#[test]
fn outputs_of_sysbench_are_levels_and_repeats() {
    let result = read("sysbench-levels.txt");
    assert_eq!(
        (result.tool, result.version.as_deref(), result.started_at),
        ("sysbench", Some("1.0.20"), None)
    );
    let [one, two] = result.cells.as_slice() else { panic!("two outputs") };
    assert_eq!((one.level, two.level, one.level_name), (1.0, 2.0, LevelName::Threads));
    assert_eq!((value(one, Metric::Tps), value(one, Metric::Qps)), (170.69, 3413.73));
    assert_eq!((value(one, Metric::LATENCY_MEAN), value(one, Metric::LATENCY_P95)), (5.85, 12.98));
    assert_eq!(value(one, latency(Latency::Answer, Statistic::Max)), 22.09);
    assert_eq!(value(two, Metric::Errors), 20.0);
    assert_eq!(series(one, Metric::Tps), [152.61, 192.18, 190.99, 141.0, 189.99, 156.83]);
    assert_eq!(series(one, Metric::Qps)[0], 3071.18);
    assert_eq!(series(two, Metric::LATENCY_P95)[5], 18.28);
    assert_eq!((one.start_s, two.start_s), (0.0, 6.0037));
    let twice = [data("sysbench-levels.txt"), data("sysbench-levels.txt")].concat();
    let cells = read_result(ResultFormat::Sysbench, &twice, None).unwrap().cells;
    let repeats: Vec<(f64, u32)> = cells.iter().map(|cell| (cell.level, cell.repeat)).collect();
    assert_eq!(repeats, [(1.0, 0), (2.0, 0), (1.0, 1), (2.0, 1)]);
}

#[test]
fn the_percentile_of_sysbench_is_the_one_that_was_asked_for() {
    let p99 = read("sysbench-p99.txt").cells;
    assert!(has(&p99[0], Metric::LATENCY_P99) && !has(&p99[0], Metric::LATENCY_P95));
    let p80 = read("sysbench-p80.txt");
    assert!(!p80.cells[0].values.iter().any(|(metric, _)| metric.name().contains("latency_p")));
    assert_eq!(p80.remarks, [(NoteKind::Warning, Remark::ImportedPercentile { percent: 80.0 })]);
    assert_eq!(read("sysbench-rate.txt").asked["rate"].as_float(), Some(20.0));
}

#[test]
fn outputs_of_pgbench_are_levels() {
    let result = read("pgbench-levels.txt");
    assert_eq!((result.tool, result.version.as_deref()), ("pgbench", Some("15.18")));
    let [one, four] = result.cells.as_slice() else { panic!("two outputs") };
    assert_eq!((one.kind, one.level_name), (WorkloadKind::Pgbench, LevelName::Clients));
    assert_eq!(one.workload, "<builtin: TPC-B (sort of)>");
    assert_eq!((one.level, four.level), (1.0, 4.0));
    assert_eq!((value(one, Metric::Tps), value(one, Metric::LATENCY_MEAN)), (255.024565, 3.92));
    assert_eq!(value(one, latency(Latency::Answer, Statistic::Stddev)), 2.551);
    assert_eq!(series(one, Metric::Tps), [220.0, 230.0, 227.0, 214.0, 381.0]);
    assert_eq!(series(four, Metric::LATENCY_MEAN)[4], 11.348);
    assert_eq!(series(four, latency(Latency::Answer, Statistic::Stddev))[0], 6.315);
    assert_eq!(result.asked["scale"].as_str(), Some("1"));
}

#[test]
fn progress_with_moments_tells_when_pgbench_began() {
    let result = read("pgbench-rate.txt");
    assert_eq!(result.started_at.unwrap().as_second(), 1_795_644_187);
    let cell = &result.cells[0];
    assert_eq!(value(cell, latency(Latency::Lateness, Statistic::Mean)), 0.657);
    assert_eq!(value(cell, latency(Latency::Lateness, Statistic::Max)), 19.476);
    assert_eq!(series(cell, Metric::Tps), [54.0, 54.0, 51.0]);
    let scripts = read("pgbench-scripts.txt");
    assert_eq!(scripts.cells[0].workload, "multiple scripts");
    assert_eq!(value(&scripts.cells[0], Metric::Tps), 791.224275, "of all scripts, not of one");
    assert_eq!(scripts.remarks, [(NoteKind::Warning, Remark::ImportedPgbenchScripts { count: 2 })]);
}

#[test]
fn older_outputs_of_pgbench_are_read() {
    let old = "starting vacuum...end.\nprogress: 5.0 s, 0.0 tps, lat -nan ms stddev -nan\n\
        progress: 10.0 s, 85.0 tps, lat 11.7 ms stddev 1.0\ntransaction type: <builtin: select only>\nscaling factor: 10\n\
        query mode: simple\nnumber of clients: 1\nnumber of threads: 1\nnumber of transactions per client: 850\n\
        number of transactions actually processed: 850/850\nlatency average = 11.738 ms\n\
        tps = 85.184871 (including connections establishing)\ntps = 85.296346 (excluding connections establishing)\n";
    let result = read_result(ResultFormat::Pgbench, old.as_bytes(), None).unwrap();
    let cell = &result.cells[0];
    assert_eq!((result.version, value(cell, Metric::Tps)), (None, 85.296346));
    assert!((cell.length_s() - 9.965).abs() < 0.001, "{}", cell.length_s());
    assert_eq!(series(cell, Metric::Tps).len(), 10);
}

#[test]
fn hammerdb_gives_rates_response_times_and_series() {
    let result = read("hammerdb.json");
    assert_eq!((result.tool, result.version.as_deref()), ("HammerDB", Some("6.0")));
    assert_eq!(result.title, "TPROC-C on PostgreSQL, 100 warehouses");
    let cell = &result.cells[0];
    assert_eq!((cell.kind, cell.level, cell.level_name), (WorkloadKind::Tpcc, 8.0, LevelName::VirtualUsers));
    assert_eq!((value(cell, Metric::Nopm), value(cell, Metric::Tpm)), (174_321.0, 403_210.0));
    assert_eq!(value(cell, latency(Latency::NewOrder, Statistic::P99)), 3.9);
    assert_eq!(value(cell, latency(Latency::StockLevel, Statistic::P95)), 1.7);
    assert_eq!(value(cell, latency(Latency::Payment, Statistic::Count)), 350_200.0);
    // Means weighted by calls.
    let (total, calls) =
        (350_000.0 * 1.2 + 350_200.0 * 0.8 + 35_010.0 * 3.4 + 34_990.0 + 35_020.0 * 0.5, 805_220.0);
    assert!((value(cell, Metric::LATENCY_MEAN) - total / calls).abs() < 1e-9);
    assert!(!has(cell, Metric::LATENCY_P99), "percentiles of several transactions cannot be put together");
    assert_eq!(cell.phases, [(PhaseName::RampUp, 0.0, 70.0), (PhaseName::Measure, 70.0, 130.0)]);
    let tpm = series(cell, Metric::Tpm);
    assert_eq!((tpm.len(), tpm[0], tpm[9], tpm[10], tpm[129]), (130, 180_000.0, 180_000.0, 402_000.0, 0.0));
    assert_eq!(series(cell, Metric::CpuIdle)[0], 50.0);
    assert_eq!(series(cell, Metric::Bandwidth)[119], 81.5);
    assert_eq!(result.host.iter().find(|(key, _)| key == "cpu.model").unwrap().1, "Example CPU 9000");
    assert_eq!(result.started_at.unwrap().to_string(), "2026-11-25T10:00:00Z");
    assert!(result.remarks.iter().any(|(_, remark)| matches!(remark, Remark::ImportedWithoutZone { .. })));
    let zone: Zone = "+09:00".parse().unwrap();
    let elsewhere = read_result(ResultFormat::HammerDb, &data("hammerdb.json"), Some(&zone)).unwrap();
    assert_eq!(elsewhere.started_at.unwrap().to_string(), "2026-11-25T01:00:00Z");
    assert!(
        !elsewhere.remarks.iter().any(|(_, remark)| matches!(remark, Remark::ImportedWithoutZone { .. }))
    );
}

#[test]
fn a_job_without_profiler_counter_and_metrics_gives_its_rates() {
    let text = String::from_utf8(data("hammerdb.json")).unwrap();
    let mut report: serde_json::Value = serde_json::from_str(&text).unwrap();
    for section in ["response_times", "transaction_count", "metrics", "analysis_hints", "system"] {
        report[section] = serde_json::json!({ "available": false });
    }
    report["benchmark_config"]["virtual_users"] = "12".into();
    report["result"].as_object_mut().unwrap().remove("active_virtual_users");
    let result = read_result(ResultFormat::HammerDb, report.to_string().as_bytes(), None).unwrap();
    let cell = &result.cells[0];
    assert_eq!((cell.level, cell.values.len(), cell.series.len()), (12.0, 2, 0));
    assert_eq!(cell.phases[1], (PhaseName::Measure, 60.0, 120.0));
    assert!(!result.remarks.iter().any(|(_, remark)| *remark == Remark::ImportedHammerdbPercentiles));
}
