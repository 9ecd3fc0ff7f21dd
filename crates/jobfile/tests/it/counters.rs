//! Counters: names, zones, and their places beside cells.

use jobfile::{
    CellTime, Choice, CounterFormat, Counters, CountersError, Pattern, ToolFormat, Zone, detect,
    read_counters,
};

use crate::{COUNTERS, data};

fn choose(patterns: &[&str]) -> Choice {
    Choice::Matching(patterns.iter().map(|text| text.parse::<Pattern>().unwrap()).collect())
}

fn read(name: &str, choice: &Choice, zone: Option<&str>) -> Result<Counters, String> {
    let format = COUNTERS.iter().find(|(known, _)| *known == name).unwrap().1;
    read_bytes(format, &data(name), choice, zone)
}

fn read_bytes(
    format: CounterFormat,
    bytes: &[u8],
    choice: &Choice,
    zone: Option<&str>,
) -> Result<Counters, String> {
    let zone: Option<Zone> = zone.map(|zone| zone.parse().unwrap());
    read_counters(format, bytes, choice, zone.as_ref()).map_err(|error| match error {
        CountersError::Fault(fault) => fault.in_file("FILE"),
        CountersError::Io(error) => panic!("{error}"),
    })
}

fn names(counters: &Counters) -> Vec<&str> {
    counters.chosen.iter().map(|counter| counter.name.as_str()).collect()
}

/// A cell of so many seconds that began at a time of 25 November 2026.
fn cell(begin: &str, seconds: f64) -> CellTime {
    CellTime { zero: format!("2026-11-25T{begin}Z").parse().unwrap(), from_s: 0.0, to_s: seconds }
}

#[test]
fn the_content_tells_the_form() {
    for (name, format) in COUNTERS {
        assert_eq!(detect(&data(name)), Some(ToolFormat::Counters(format)), "{name}");
    }
}

#[test]
fn without_a_pattern_those_of_drives_and_processors_are_listed() {
    let perfmon = read("perfmon.csv", &Choice::Names, None).unwrap();
    assert_eq!(perfmon.in_all, 6);
    assert_eq!(names(&perfmon).len(), 5, "not the memory");
    let typeperf = read("typeperf.csv", &Choice::Names, None).unwrap();
    assert_eq!(names(&typeperf), [r"\\SQL1\Processor(_Total)\% Processor Time"], "a list needs no zone");
    let esxtop = read("esxtop.csv", &Choice::Names, None).unwrap();
    assert!(
        names(&esxtop).contains(
            &r"\\esx1\Physical Disk SCSI Device(naa.55cd2e4150aa0001)\Average Guest MilliSec/Command"
        )
    );
    assert!(!names(&esxtop).iter().any(|name| name.contains("Memory") || name.contains("Group")));
    for name in ["sadf.csv", "sar.txt"] {
        let sar = read(name, &Choice::Names, None).unwrap();
        for counter in [r"\\bench1\CPU(all)\%iowait", r"\\bench1\DEV(vda)\await", r"\\bench1\DEV(vda)\%util"]
        {
            assert!(names(&sar).contains(&counter), "{name}: {:?}", names(&sar));
        }
        assert!(!names(&sar).iter().any(|name| name.contains("CPU(0)")));
    }
}

#[test]
fn samples_of_perfmon_lie_where_its_zone_puts_them() {
    let counters = read("perfmon.csv", &choose(&["*disk reads/sec", r"\Processor(*"]), None).unwrap();
    assert!(counters.zone_is_stated);
    assert_eq!(counters.zone.to_string(), "UTC-08:00");
    let (first, last) = counters.span.unwrap();
    assert_eq!(counters.zone.show(first), "2026-11-25 02:00:00 UTC-08:00");
    assert_eq!(last.to_string(), "2026-11-25T10:02:15.142Z");
    // The cell begins 20 s into the file; samples stand for the 5 s before them.
    let series = &counters.place(&[cell("10:00:20", 30.0)], 0.0)[0];
    let read = series.iter().find(|series| series.metric.contains("(0 C:)")).unwrap();
    assert_eq!(read.metric, r"beside:\\SQL1\PhysicalDisk(0 C:)\Disk Reads/sec");
    assert_eq!((read.unit.as_str(), read.start_s, read.values.len()), ("1/s", 0.0, 30));
    assert_eq!((read.values[2], read.values[29]), (1025.0, 1050.0));
    assert_eq!(series.len(), 3);
    // Later by 5 s: the sample before.
    let shifted = &counters.place(&[cell("10:00:20", 30.0)], 5.0)[0];
    assert_eq!(shifted[0].values[2], 1020.0);
    // The given zone comes before the file's.
    let utc =
        read_bytes(CounterFormat::Perfmon, &data("perfmon.csv"), &choose(&["*reads*"]), Some("UTC")).unwrap();
    assert!(!utc.zone_is_stated);
    assert!(utc.place(&[cell("10:00:20", 30.0)], 0.0)[0].is_empty());
    assert_eq!(utc.place(&[cell("02:00:20", 30.0)], 0.0)[0].len(), 2);
}

#[test]
fn a_file_without_a_zone_needs_one() {
    let chosen = choose(&["*"]);
    let refused = read("typeperf.csv", &chosen, None).unwrap_err();
    assert!(
        refused.contains("does not state the time zone") && refused.contains("--zone local"),
        "{refused}"
    );
    let counters = read("typeperf.csv", &chosen, Some("UTC")).unwrap();
    let series = &counters.place(&[cell("02:00:00", 20.0)], 0.0)[0];
    assert_eq!(series[0].values.len(), 9, "-1 is no value: {series:?}");
    assert!(read("sar.txt", &chosen, None).unwrap_err().contains("--zone"));
}

#[test]
fn esxtop_and_sar_give_the_same_way() {
    let esxtop = read("esxtop.csv", &choose(&["*MBytes Read/sec", "*% Ready"]), None).unwrap();
    assert_eq!(
        names(&esxtop),
        [r"\\esx1\Group Cpu(1234:sql1)\% Ready", r"\\esx1\Physical Disk Adapter(vmhba1)\MBytes Read/sec"]
    );
    let series = &esxtop.place(&[cell("10:00:00", 60.0)], 0.0)[0];
    assert_eq!((series[1].unit.as_str(), series[1].values[59]), ("MB/s", 62.6));
    let chosen = choose(&[r"\CPU(all)\%iowait", r"\DEV(vda)\rkB/s"]);
    let table = read("sadf.csv", &chosen, None).unwrap();
    let text = read("sar.txt", &chosen, Some("UTC")).unwrap();
    assert!(table.zone_is_stated && !text.zone_is_stated);
    assert_eq!(names(&table), names(&text));
    let at = [cell("22:02:22", 10.0)];
    let (table, text) = (&table.place(&at, 0.0)[0], &text.place(&at, 0.0)[0]);
    assert_eq!(table, text, "one recording in two forms");
    assert_eq!(table[1].values[0], 31480.0);
    assert_eq!(table[1].values.len(), 10);
}

#[test]
fn a_day_of_sar_goes_on_after_midnight() {
    let text = "Linux 6.1 (h) \t11/25/2026 \t_x86_64_\t(2 CPU)\n\n11:59:58 PM     CPU     %user     %idle\n\
        11:59:59 PM     all      10.00     90,00\n12:00:00 AM     all      20.00     80.00\n12:00:01 AM     all      30.00     70.00\n\
        Average:        all      20.00     80.00\n";
    let chosen = choose(&["*%user", "*%idle"]);
    let counters = read_bytes(CounterFormat::Sar, text.as_bytes(), &chosen, Some("UTC")).unwrap();
    let (first, last) = counters.span.unwrap();
    assert_eq!(
        (first.to_string(), last.to_string()),
        ("2026-11-25T23:59:59Z".into(), "2026-11-26T00:00:01Z".into())
    );
    let series = &counters.place(&[cell("23:59:58", 60.0)], 0.0)[0];
    assert_eq!((&series[0].values, series[1].values[0]), (&vec![10.0, 20.0, 30.0], 90.0));
    let odd = text.replace("11/25/2026", "25,11,2026");
    let refused = read_bytes(CounterFormat::Sar, odd.as_bytes(), &chosen, Some("UTC")).unwrap_err();
    assert!(
        refused.contains("FILE:1: `25,11,2026` is no date") && refused.contains("S_TIME_FORMAT=ISO"),
        "{refused}"
    );
}

#[test]
fn seconds_since_1970_and_restarts_are_read() {
    let text = "# hostname;interval;timestamp;CPU;%user;%idle\nh;1;1795644141;-1;1.0;99.0\n\
        h;-1;1795644142;LINUX-RESTART\t(2 CPU)\nh;1;1795644200;-1;3.0;97.0\n";
    let counters = read_bytes(CounterFormat::Sadf, text.as_bytes(), &choose(&["*user"]), None).unwrap();
    assert!(counters.zone_is_stated);
    let series = &counters.place(&[cell("22:02:20", 90.0)], 0.0)[0][0];
    let held: Vec<f64> = series.values.iter().copied().filter(|value| value.is_finite()).collect();
    assert_eq!((held[0], held.last().copied()), (1.0, Some(3.0)));
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_line() {
    let perfmon = String::from_utf8(data("perfmon.csv")).unwrap();
    let row = "\"11/25/2026 02:00:05.012\",\"1005.0000000000000\"";
    assert!(perfmon.contains(row));
    let with = |new: &str| perfmon.replacen(row, new, 1);
    let time = "\"11/25/2026 02:00:05.012\"";
    let cases = [
        (
            with(&format!("{time},\"nan\"")),
            "FILE:3: `\\\\SQL1\\PhysicalDisk(0 C:)\\Disk Reads/sec`: `nan` is no finite number",
        ),
        (with(&format!("{time},\"-7\"")), "`-7` is less than nothing"),
        (with(&format!("{time},\"1e300\"")), "`1e300` is more than any counter counts"),
        (with(&format!("{time},\"many\"")), "`many` is no number"),
        (with("\"soon\",\"1\""), "FILE:3: `soon` is no time"),
        (with("\"11/25/2026 01:00:05.012\",\"1\""), "FILE:3: is earlier than the sample before it"),
        (with("\"13/45/2026 02:00:05.012\",\"1\""), "is no time"),
        (with(time), "FILE:3: has 6 columns, the header has 7"),
        (perfmon.replace("(PDH-CSV", "(PDH-TSV"), "FILE:1: `(PDH-TSV 4.0)"),
        (perfmon[..perfmon.len() - 30].to_owned(), "remove this line"),
    ];
    for (text, said) in cases {
        let error = read_bytes(CounterFormat::Perfmon, text.as_bytes(), &choose(&["*"]), None).unwrap_err();
        assert!(error.contains(said), "{said}: {error}");
    }
    let latin = [&perfmon.as_bytes()[..200], b"\xe4", &perfmon.as_bytes()[200..]].concat();
    let error = read_bytes(CounterFormat::Perfmon, &latin, &choose(&["*"]), None).unwrap_err();
    assert!(error.contains("FILE:1: holds bytes that are not UTF-8") && error.contains("iconv"), "{error}");
    let many: Vec<String> = (0..200).map(|n| format!("\"\\\\H\\Processor({n})\\x\"")).collect();
    let many = format!("\"(PDH-CSV 4.0) (UTC)(0)\",{}\n", many.join(","));
    let error = read_bytes(CounterFormat::Perfmon, many.as_bytes(), &choose(&["*"]), None).unwrap_err();
    assert!(error.contains("more than 100 counters"), "{error}");
    let wide = read_bytes(
        CounterFormat::Sadf,
        b"# hostname;interval;timestamp;CPU;%user[...];DEV;tps[...]\n",
        &choose(&["*"]),
        None,
    );
    assert!(wide.unwrap_err().contains("without -h"));
}

/// A line without an end, as long as a disk.
struct Endless(u64);

impl std::io::Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0 += buffer.len() as u64;
        buffer.fill(b'x');
        Ok(buffer.len())
    }
}

#[test]
fn a_line_without_an_end_is_refused_before_it_fills_the_memory() {
    let mut endless = Endless(0);
    let input = std::io::BufReader::with_capacity(1 << 20, &mut endless);
    match read_counters(CounterFormat::Perfmon, input, &Choice::Names, None) {
        Err(CountersError::Fault(fault)) => {
            assert!(fault.in_file("F").starts_with("F:1: is longer than 64 MiB"), "{fault}")
        }
        other => panic!("{other:?}"),
    }
    assert!(endless.0 < 70 << 20);
}
