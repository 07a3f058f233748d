//! What holds of every text format: examples, detection and units.

use crate::it::common::*;
use slcache_traces::format_catalogue;

/// Formats whose codes or units nothing in the file tells, and lines of them
/// with the formats that fit.
const NAMED: [(&str, &[&str]); 4] = [
    ("938513000 4 264719034 16 0\n", &["mqsim", "ssdsim", "disksim"]),
    ("0.221 5 162947904 16 1\n", &["disksim"]),
    ("938513000 4 264719034 16 81\n", &["disksim"]),
    ("1538323199,13896880,128,0,1063\n", &["tencent"]),
];

/// The text formats of the registry with their examples.
fn examples() -> Vec<(&'static str, String)> {
    let all = format_catalogue().into_iter().filter(|format| !format.example.starts_with("(binary)"));
    let told = all.filter(|format| !["parquet", "generic"].contains(&format.name));
    told.map(|format| (format.name, format!("{}\n", format.example))).collect()
}

#[test]
fn every_example_is_told_as_its_format_alone_or_must_be_named() {
    let mut told = Vec::new();
    for (name, example) in examples() {
        match detect(path(&file(example.as_bytes()))) {
            Ok(found) => {
                assert_eq!(found, name, "{example}");
                told.push((name, example));
            }
            Err(error) => {
                let error = error.to_string();
                let named = error.contains(&format!("{name} (")) && error.contains("is not guessed");
                assert!(named, "{name}: {error}");
            }
        }
    }
    for (name, _) in &told {
        for (other, lines) in told.iter().filter(|(other, _)| other != name) {
            let outcome = read(lines.as_bytes(), &TraceOptions::with_format(name));
            assert!(outcome.requests.is_empty(), "lines of {other} pass as {name}");
        }
    }
    assert!(told.len() >= 12, "{told:?}");
    for (name, lines) in [
        ("fio", "fio version 2 iolog\n/dev/sda read 0 4096\n"),
        ("mobileblockio", "proces,device,rw_flag,sector,size,timestamp\r\nx-1,8388608,R,8,32,5.5\r\n"),
        ("systor17", "Timestamp,Response,IOType,LUN,Offset,Size\n1.0,0.1,R,0,0,4096\n"),
    ] {
        assert_eq!(detect(path(&file(lines.as_bytes()))).unwrap(), name);
    }
}

#[test]
fn what_is_not_guessed_names_the_candidates() {
    for (line, candidates) in NAMED {
        let error = detect(path(&file(line.as_bytes()))).unwrap_err().to_string();
        for name in ["mqsim", "ssdsim", "disksim", "tencent"] {
            let listed = error.contains(&format!("{name} ("));
            assert_eq!(listed, candidates.contains(&name), "{name}: {error}");
        }
        let advice = format!("format = \"{}\",", candidates.join("\" or \""));
        assert!(error.contains(&advice), "{advice}: {error}");
    }
}

#[test]
fn one_request_in_the_units_of_every_format() {
    // Those in the middle say how long it took: 2 us.
    let lines = [
        ("spc", "3,8,1024,R,1.0\n"),
        ("alicloud", "3,R,4096,1024,1000000\n"),
        ("tencent", "1,8,2,0,3\n"),
        ("fiu", "1000000000 1 p 8 2 R 3 0\n"),
        ("k5cloud", "3,1.0,R,4096,1024\n"),
        ("mobileblockio", "p,3,R,8,2,1.0\n"),
        ("blkparse", "3,0 0 1 1.000000000 1 D R 8 + 2 [p]\n"),
        ("fio", "fio version 3 iolog\n1000000 f read 4096 1024\n"),
        ("fio", "fio version 2 iolog\nf wait 1000000\nf read 4096 1024\n"),
        ("ftrace", "p-1 [0] 1.000000: block_rq_issue: 3,0 R 1024 () 8 + 2 [p]\n"),
        ("blkreplay", "start;sector;length;op\n1.0;8;2;R\n"),
        ("mqsim", "1000000000 3 8 2 1\n"),
        ("ssdsim", "1000000000 3 8 2 1\n"),
        ("disksim", "1000.0 3 8 2 1\n"),
        ("msr", "10000000,a,0,Read,4096,1024,20\n"),
        ("systor17", "1.0,0.000002,R,3,4096,1024\n"),
        ("biosnoop", "TIME(ms) COMM PID DISK T SECTOR BYTES LAT(us)\n1000.002 p 1 3 R 8 1024 2\n"),
        ("xperf", "DiskRead,TimeStamp,ByteOffset,IOSize,ElapsedTime\nDiskRead,1000002,0x1000,0x400,2\n"),
    ];
    let timed = ["msr", "systor17", "biosnoop", "xperf"];
    for (name, line) in lines {
        let options = TraceOptions { rebase: Some(false), ..TraceOptions::with_format(name) };
        let entries = read_entries(path(&file(line.as_bytes())), &options);
        let [entry] = entries.as_slice() else { panic!("{name}: {} requests", entries.len()) };
        let request = entry.request;
        assert_eq!((request.op, request.sector, request.sectors), (HostOp::Read, 8, 2), "{name}");
        let response_ns = timed.contains(&name).then_some(2000);
        assert_eq!((request.at_ns, entry.response_ns), (1_000_000_000, response_ns), "{name}");
    }
}

#[test]
fn volumes_are_told_by_name() {
    for (name, one, other, volumes) in [
        ("spc", "0,8,1024,R,1.0", "1,8,1024,R,1.0", ["0", "1"]),
        ("systor17", "1.0,0,R,4,0,512", "1.0,0,R,6,0,512", ["4", "6"]),
        ("alicloud", "419,R,0,512,7", "3,R,0,512,7", ["419", "3"]),
        ("tencent", "1,0,8,0,1063", "1,0,8,0,7", ["1063", "7"]),
        ("fiu", "1 1 p 8 2 R 6 0", "1 1 p 8 2 R 8 1", ["6,0", "8,1"]),
        ("k5cloud", "1,1.0,R,0,512", "2,1.0,R,0,512", ["1", "2"]),
        ("mobileblockio", "p,8,R,0,8,1.0", "p,9,R,0,8,1.0", ["8", "9"]),
        (
            "ftrace",
            "p-1 [0] 1.0: block_rq_issue: 8,0 R 512 () 8 + 1 [p]",
            "p-1 [0] 1.0: block_rq_issue: 8,1 R 512 () 8 + 1 [p]",
            ["8,0", "8,1"],
        ),
        ("fio", "fio version 3 iolog\n1 a sync 0 0", "1 b read 0 512", ["a", "b"]),
        ("ssdsim", "1 0 0 8 1", "1 1 0 8 1", ["0", "1"]),
        ("disksim", "1 0 0 8 1", "1 1 0 8 1", ["0", "1"]),
    ] {
        let (lines, options) = (format!("{one}\n{other}\n"), TraceOptions::with_format(name));
        let error = message(lines.as_bytes(), &options);
        let listed = volumes.map(|volume| format!("{volume} (1 requests)")).join(", ");
        assert!(error.contains(&format!("the file holds 2 volumes: {listed}")), "{name}: {error}");
        let each = TraceOptions { volume: Some(VolumeChoice::Each), ..options };
        let streams: Vec<u16> =
            read(lines.as_bytes(), &each).requests.iter().map(|request| request.stream).collect();
        assert_eq!(streams, [0, 1], "{name}");
    }
    // MQSim itself ignores its device column.
    assert_eq!(read(b"1 0 0 8 1\n1 1 0 8 1\n", &mqsim()).requests.len(), 2);
}

#[test]
fn headers_count_once_each_wherever_they_stand() {
    let lines = "Timestamp,Response,IOType,LUN,Offset,Size\n1.0,0.1,R,0,0,512\n1.5,0.1,,0,0,512\n";
    let later = lines.replace("1.0", "2.0").replace("1.5", "2.5");
    let outcome = read(format!("{lines}{later}").as_bytes(), &TraceOptions::default());
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    let skipped: Vec<_> =
        outcome.summary.skipped.iter().map(|skipped| (&*skipped.reason, skipped.count)).collect();
    assert_eq!(skipped, [("header line", 2), ("blank IOType (no response was captured)", 2)]);
    assert_eq!(outcome.requests.len(), 2);
}

#[test]
fn whole_seconds_are_kept_or_spread() {
    let lines = b"7,0,8,0,1\n7,8,8,1,1\n6,16,8,0,1\n7,24,8,0,1\n7,32,8,0,1\n9,40,8,0,1\n";
    let sorted = TraceOptions { unsorted: Unsorted::Sort(4), ..TraceOptions::with_format("tencent") };
    let times = |options: &TraceOptions| -> (Vec<u64>, u64) {
        let outcome = read(lines, options);
        assert!(outcome.error.is_none(), "{:?}", outcome.error);
        let times = outcome.requests.iter().map(|request| request.at_ns / 1_000_000).collect();
        (times, outcome.summary.spread_inside_seconds)
    };
    assert_eq!(times(&sorted), (vec![0, 1000, 1000, 1000, 1000, 3000], 0));
    let spread = TraceOptions { coarse_time: CoarseTime::Spread, ..sorted };
    assert_eq!(times(&spread), (vec![0, 1000, 1250, 1500, 1750, 3000], 3));
    let fine = TraceOptions { coarse_time: CoarseTime::Spread, ..TraceOptions::with_format("spc") };
    let error = message(b"0,0,512,R,1.0\n0,0,512,R,1.5\n", &fine);
    assert!(error.starts_with(":2: 1500000000 ns is not a whole second; coarse_time"), "{error}");
}

#[test]
fn a_log_written_by_fio() {
    // fio 3.33 itself counted 28 reads and 32 writes of 4 KiB in this run, and
    // the log holds 6 sync and 6 datasync lines.
    let outcome = read(include_bytes!("../data/fio-3.33.log"), &TraceOptions::default());
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    let summary = outcome.summary;
    assert_eq!((summary.reads, summary.writes, summary.flushes), (28, 32, 12));
    assert_eq!((summary.read_bytes, summary.write_bytes), (28 * 4096, 32 * 4096));
    assert_eq!((summary.first_ns, summary.volumes[0].name.as_str()), (Some(158_000), "fio.dat"));
}

/// What some editors put in front of a text is no part of it, whether the format is told or found.
#[test]
fn a_byte_order_mark_in_front_changes_nothing() {
    for (name, lines) in examples() {
        let (plain, marked) = (file(lines.as_bytes()), file(format!("\u{feff}{lines}").as_bytes()));
        assert_eq!(detect(path(&marked)).ok(), detect(path(&plain)).ok(), "{name}");
        let options = TraceOptions::with_format(name);
        let (told, without) = (read_path(path(&marked), &options, 8), read_path(path(&plain), &options, 8));
        assert_eq!(
            (told.requests, told.error.is_some()),
            (without.requests, without.error.is_some()),
            "{name}"
        );
    }
    let error = read_path(path(&file("\u{feff}".as_bytes())), &msr(), 8).error.unwrap();
    assert!(matches!(error, TraceError::File { fault: FileFault::Empty, .. }), "{error}");
}
