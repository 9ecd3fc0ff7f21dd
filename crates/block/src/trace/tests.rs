use super::*;
use proptest::prelude::*;

fn read(text: &str) -> (Vec<TraceIo>, TraceLines, TraceFormat) {
    let mut reader = TraceReader::new(text.as_bytes()).unwrap();
    let mut ios = Vec::new();
    while let Some(io) = reader.next_io().unwrap() {
        ios.push(io);
    }
    (ios, reader.counted().clone(), reader.format())
}

fn io(at_ns: u64, op: TraceOp, offset_bytes: u64, length_bytes: u64) -> TraceIo {
    TraceIo { at_ns, op, offset_bytes, length_bytes }
}

#[test]
fn fio_iologs_of_both_versions() {
    let third = "fio version 3 iolog\n21 /f add\n128 /f open\n131 /f read 61440 4096\n384 /f write 774144 4096\n400 /f sync\n500 /f trim 0 512\n900 /f close\n";
    let (ios, lines, format) = read(third);
    assert_eq!((format, lines.broken), (TraceFormat::FioIolog, 0));
    let expected = [
        io(131_000, TraceOp::Read, 61440, 4096),
        io(384_000, TraceOp::Write, 774_144, 4096),
        io(400_000, TraceOp::Flush, 0, 0),
        io(500_000, TraceOp::Trim, 0, 512),
    ];
    assert_eq!(ios, expected);
    let second = "fio version 2 iolog\n/f add\n/f open\n/f write 0 8192\n/f wait 1500 0\n/f read 8192 4096\n/f close\n";
    assert_eq!(read(second).0, [io(0, TraceOp::Write, 0, 8192), io(1_500_000, TraceOp::Read, 8192, 4096)]);
}

#[test]
fn blkparse_counts_each_io_once() {
    let text = "\
  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]
  8,0    3        2     0.000001829   697  G   W 223490 + 8 [kjournald]
  8,0    3        3     0.000002197   697  D   W 223490 + 8 [kjournald]
  8,0    1        4     0.500000000   700  Q  RA 100 + 16 [cat]
  8,0    1        5     0.600000000   700  Q FWS [sync]
  8,0    3        6     0.700000000     0  C   W 223490 + 8 [0]
CPU3 (8,0):
 Reads Queued:           1,        8KiB\n";
    let (ios, lines, format) = read(text);
    assert_eq!(format, TraceFormat::Blkparse);
    assert_eq!(
        ios,
        [io(0, TraceOp::Write, 223_490 * 512, 4096), io(500_000_000, TraceOp::Read, 51200, 8192)]
    );
    assert_eq!(lines.broken, 1, "{lines:?}");
    let issued = read("8,0 3 1 1.5 9 D R 8 + 8 [x]\n8,0 3 2 1.6 9 C R 8 + 8 [x]\n").0;
    assert_eq!(issued, [io(1_500_000_000, TraceOp::Read, 4096, 4096)]);
}

#[test]
fn csv_of_msr_of_spc_and_with_a_header() {
    let msr =
        "128166372003061629,hm,0,Read,383496192,32768,413\n128166372016382155,hm,0,Write,2822144,4096,461\n";
    let (ios, _, format) = read(msr);
    assert_eq!(format, TraceFormat::Csv);
    assert_eq!((ios[0].offset_bytes, ios[0].length_bytes, ios[1].op), (383_496_192, 32768, TraceOp::Write));
    assert_eq!(ios[1].at_ns - ios[0].at_ns, 1_332_052_600);
    assert_eq!(
        read("0,20941264,8192,W,0.551706\n0,20939840,8192,r,0.554041\n").0[1],
        io(554_041_000, TraceOp::Read, 20_939_840 * 512, 8192)
    );
    let header = "time_us,op,offset,size\n10,read,4096,512\n20,write,0,1024\n";
    assert_eq!(read(header).0, [io(10_000, TraceOp::Read, 4096, 512), io(20_000, TraceOp::Write, 0, 1024)]);
}

#[test]
fn broken_lines_are_counted_and_the_first_is_kept() {
    let text = "fio version 3 iolog\n1 /f read 0 4096\n2 /f reed 0 4096\nx /f read 0 1\n3 /f read 4096\n9 /f read 4096 4096\n";
    let (ios, lines, _) = read(text);
    assert_eq!((ios.len(), lines.broken), (2, 3));
    assert_eq!(lines.first_broken, Some((3, "the action is not known".to_owned())));
    let long = format!("fio version 3 iolog\n1 /f read 0 4096\n{}\n2 /f read 0 4096\n", "x".repeat(300_000));
    let (ios, lines, _) = read(&long);
    assert_eq!((ios.len(), lines.broken, lines.lines), (2, 1, 4));
    for wrong in ["", "hello\n", "[global]\nrw=read\n"] {
        assert!(TraceReader::new(wrong.as_bytes()).is_err(), "{wrong}");
    }
}

proptest! {
    #[test]
    fn any_lines_are_read_to_their_end(
        head in prop::sample::select(vec!["fio version 3 iolog\n1 /f read 0 4096\n", "fio version 2 iolog\n/f read 0 1\n", "8,0 3 1 0.1 9 Q R 8 + 8 [x]\n", "1,hm,0,Read,0,512,4\n", ""]),
        lines in prop::collection::vec("([0-9]{1,25}|/f|read|write|wait|8,0|Q|[+]|,|\\.|\\PC){0,12}( [0-9]{1,22}){0,5}", 0..20),
    ) {
        let text = format!("{head}{}", lines.join("\n"));
        if let Ok(mut reader) = TraceReader::new(text.as_bytes()) {
            let mut ios = 0_u64;
            while reader.next_io().unwrap().is_some() {
                ios += 1;
            }
            prop_assert!(ios + reader.counted().broken <= reader.counted().lines);
        }
    }
}
