//! What holds of every text format: examples, detection and units.

use crate::it::common::{file, path, read, read_path};
use slcache_traces::{
    detect, format_catalogue, CoarseTime, FileFault, HostOp, TraceError, TraceOptions, Unsorted, VolumeChoice,
};

/// Formats that are told from their lines, and lines of them.
const TOLD: [(&str, &str); 12] = [
    ("msr", "128166385295514663,hm,0,Write,9056014336,2048,2833\n"),
    ("spc", "0,303567,3584,w,0.026214\n"),
    ("systor17", "Timestamp,Response,IOType,LUN,Offset,Size\n1456095145.133076000,0.000806000,R,0,0,4096\n"),
    ("alicloud", "419,W,8792731648,16384,1577808144360767\n"),
    ("fiu", "89968195792462 20782 gzip 283193184 8 R 6 0 56f11b711d91a065a2b6458eca924523\n"),
    ("k5cloud", "1283,3.000012,W,42932745216,65536\n"),
    ("mobileblockio", "proces,device,rw_flag,sector,size,timestamp\r\nx-1,8388608,R,8,32,5.5\r\n"),
    ("blkparse", "  7,0    0      568     0.000000000 17560  D  RS 14320672 + 32 [mariadbd]\n"),
    ("ftrace", "writer-901 [001] d... 100.000100: block_rq_issue: 8,0 W 0 () 2048 + 8 [writer]\n"),
    (
        "blkreplay",
        "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n0.5 ; 8 ; 8 ; W ; 0.0 ; 0.0\n",
    ),
    ("biosnoop", "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n1.0 a 9 sda W 8 4096 0.5\n"),
    (
        "xperf",
        "DiskRead, TimeStamp, ByteOffset, IOSize, ElapsedTime, DiskNum\nDiskRead, 9, 0x0, 0x200, 1, 0\n",
    ),
];

/// Formats whose codes or units nothing in the file tells, and lines of them
/// with the formats that fit.
const NAMED: [(&str, &[&str]); 4] = [
    ("938513000 4 264719034 16 0\n", &["mqsim", "ssdsim", "disksim"]),
    ("0.221 5 162947904 16 1\n", &["disksim"]),
    ("938513000 4 264719034 16 81\n", &["disksim"]),
    ("1538323199,13896880,128,0,1063\n", &["tencent"]),
];

const TEXT_FORMATS: [&str; 17] = [
    "msr",
    "spc",
    "systor17",
    "alicloud",
    "tencent",
    "fiu",
    "k5cloud",
    "mobileblockio",
    "blkparse",
    "fio",
    "ftrace",
    "blkreplay",
    "biosnoop",
    "xperf",
    "mqsim",
    "ssdsim",
    "disksim",
];

#[test]
fn every_example_is_told_as_itself_or_must_be_named() {
    let text = format_catalogue().into_iter().filter(|format| TEXT_FORMATS.contains(&format.name));
    let mut tried = 0;
    for format in text {
        let file = file(format!("{}\n", format.example).as_bytes());
        match detect(path(&file)) {
            Ok(found) => assert_eq!(found, format.name, "{}", format.example),
            Err(error) => {
                let error = error.to_string();
                let named = error.contains(&format!("{} (", format.name)) && error.contains("is not guessed");
                assert!(named, "{}: {error}", format.name);
            }
        }
        tried += 1;
    }
    assert_eq!(tried, TEXT_FORMATS.len());
}

#[test]
fn lines_are_told_as_one_format_only() {
    for (name, lines) in TOLD {
        assert_eq!(detect(path(&file(lines.as_bytes()))).unwrap(), name);
        for (other, others) in TOLD.iter().filter(|(other, _)| *other != name) {
            let outcome = read(others.as_bytes(), &TraceOptions::with_format(name));
            assert!(outcome.requests.is_empty(), "lines of {other} pass as {name}");
        }
    }
    let header = "fio version 2 iolog\n/dev/sda read 0 4096\n";
    assert_eq!(detect(path(&file(header.as_bytes()))).unwrap(), "fio");
}

#[test]
fn what_is_not_guessed_names_the_candidates() {
    for (line, candidates) in NAMED {
        let error = detect(path(&file(line.as_bytes()))).unwrap_err().to_string();
        for name in ["mqsim", "ssdsim", "disksim", "tencent"] {
            let listed = error.contains(&format!("{name} ("));
            assert_eq!(listed, candidates.contains(&name), "{name}: {error}");
        }
        assert!(error.contains("on whether 0 is a read or a write; this is not guessed"), "{error}");
        let advice = format!("format = \"{}\",", candidates.join("\" or \""));
        assert!(error.contains(&advice), "{advice}: {error}");
    }
}

#[test]
fn one_request_in_the_units_of_every_format() {
    let lines = [
        ("msr", "10000000,a,0,Read,4096,1024,20\n", Some(2000)),
        ("spc", "3,8,1024,R,1.0\n", None),
        ("systor17", "1.0,0.000002,R,3,4096,1024\n", Some(2000)),
        ("alicloud", "3,R,4096,1024,1000000\n", None),
        ("tencent", "1,8,2,0,3\n", None),
        ("fiu", "1000000000 1 p 8 2 R 3 0\n", None),
        ("k5cloud", "3,1.0,R,4096,1024\n", None),
        ("mobileblockio", "p,3,R,8,2,1.0\n", None),
        ("blkparse", "3,0 0 1 1.000000000 1 D R 8 + 2 [p]\n", None),
        ("fio", "fio version 3 iolog\n1000000 f read 4096 1024\n", None),
        ("fio", "fio version 2 iolog\nf wait 1000000\nf read 4096 1024\n", None),
        ("ftrace", "p-1 [0] 1.000000: block_rq_issue: 3,0 R 1024 () 8 + 2 [p]\n", None),
        ("blkreplay", "start;sector;length;op\n1.0;8;2;R\n", None),
        (
            "biosnoop",
            "TIME(ms) COMM PID DISK T SECTOR BYTES LAT(us)\n1000.002 p 1 3 R 8 1024 2\n",
            Some(2000),
        ),
        (
            "xperf",
            "DiskRead,TimeStamp,ByteOffset,IOSize,ElapsedTime\nDiskRead,1000002,0x1000,0x400,2\n",
            Some(2000),
        ),
        ("mqsim", "1000000000 3 8 2 1\n", None),
        ("ssdsim", "1000000000 3 8 2 1\n", None),
        ("disksim", "1000.0 3 8 2 1\n", None),
    ];
    for (name, line, response_ns) in lines {
        let options = TraceOptions { rebase: Some(false), ..TraceOptions::with_format(name) };
        let file = file(line.as_bytes());
        let mut reader = slcache_traces::open(path(&file), &options).unwrap();
        let mut entries = Vec::new();
        assert!(reader.next_entries(&mut entries, 8).unwrap(), "{name}");
        let [entry] = entries.as_slice() else { panic!("{name}: {} requests", entries.len()) };
        let request = entry.request;
        assert_eq!((request.op, request.sector, request.sectors), (HostOp::Read, 8, 2), "{name}");
        assert_eq!((request.at_ns, entry.response_ns), (1_000_000_000, response_ns), "{name}");
    }
}

#[test]
fn volumes_are_told_by_name() {
    let two = [
        ("spc", "0,8,1024,R,1.0\n1,8,1024,R,1.0\n", "0 (1 requests), 1 (1 requests)"),
        ("systor17", "1.0,0,R,4,0,512\n1.0,0,R,6,0,512\n", "4 (1 requests), 6 (1 requests)"),
        ("alicloud", "419,R,0,512,7\n3,R,0,512,7\n", "419 (1 requests), 3 (1 requests)"),
        ("tencent", "1,0,8,0,1063\n1,0,8,0,7\n", "1063 (1 requests), 7 (1 requests)"),
        ("fiu", "1 1 p 8 2 R 6 0\n1 1 p 8 2 R 8 1\n", "6,0 (1 requests), 8,1 (1 requests)"),
        ("k5cloud", "1,1.0,R,0,512\n2,1.0,R,0,512\n", "1 (1 requests), 2 (1 requests)"),
        ("mobileblockio", "p,8,R,0,8,1.0\np,9,R,0,8,1.0\n", "8 (1 requests), 9 (1 requests)"),
        ("ftrace", "p-1 [0] 1.0: block_rq_issue: 8,0 R 512 () 8 + 1 [p]\np-1 [0] 1.0: block_rq_issue: 8,1 R 512 () 8 + 1 [p]\n", "8,0 (1 requests), 8,1 (1 requests)"),
        ("fio", "fio version 3 iolog\n1 a sync 0 0\n1 b read 0 512\n", "a (1 requests), b (1 requests)"),
        ("ssdsim", "1 0 0 8 1\n1 1 0 8 1\n", "0 (1 requests), 1 (1 requests)"),
        ("disksim", "1 0 0 8 1\n1 1 0 8 1\n", "0 (1 requests), 1 (1 requests)"),
    ];
    for (name, lines, listed) in two {
        let options = TraceOptions::with_format(name);
        let error = crate::it::common::message(lines.as_bytes(), &options);
        let expected = format!("the file holds 2 volumes: {listed}. Allowed");
        assert!(error.contains(&expected), "{name}: {error}");
        let each = TraceOptions { volume: Some(VolumeChoice::Each), ..options };
        let streams: Vec<u16> =
            read(lines.as_bytes(), &each).requests.iter().map(|request| request.stream).collect();
        assert_eq!(streams, [0, 1], "{name}");
    }
    // MQSim itself ignores its device column.
    assert_eq!(read(b"1 0 0 8 1\n1 1 0 8 1\n", &crate::it::common::mqsim()).requests.len(), 2);
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
    let error = crate::it::common::message(b"0,0,512,R,1.0\n0,0,512,R,1.5\n", &fine);
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
    let text = format_catalogue().into_iter().filter(|format| TEXT_FORMATS.contains(&format.name));
    let mut read_any = 0;
    for format in text {
        let lines = format!("{}\n", format.example);
        let (plain, marked) = (file(lines.as_bytes()), file(format!("\u{feff}{lines}").as_bytes()));
        assert_eq!(detect(path(&plain)).ok(), detect(path(&marked)).ok(), "{}", format.name);
        let options = TraceOptions { format: Some(format.name.to_owned()), ..TraceOptions::default() };
        let (told, without) = (read_path(path(&marked), &options, 8), read_path(path(&plain), &options, 8));
        assert_eq!(told.requests, without.requests, "{}", format.name);
        read_any += usize::from(!told.requests.is_empty());
        // A header alone, as some examples are, holds no request: that is said either way.
        let words = |error: Option<TraceError>, name| error.map(|e| e.to_string().replace(name, "FILE"));
        assert_eq!(words(told.error, path(&marked)), words(without.error, path(&plain)), "{}", format.name);
    }
    assert!(read_any >= TEXT_FORMATS.len() - 4, "{read_any} formats were read");
}

#[test]
fn a_byte_order_mark_alone_is_an_empty_trace() {
    let marked = file("\u{feff}".as_bytes());
    let options = TraceOptions { format: Some("msr".to_owned()), ..TraceOptions::default() };
    let error = read_path(path(&marked), &options, 8).error.unwrap();
    assert!(matches!(error, TraceError::File { fault: FileFault::Empty, .. }), "{error}");
}
