//! What the tools that record on Linux and Windows print: files made after each tool's form, read whole,
//! and files from elsewhere where they are at hand.

use crate::it::common::{file, message, path, read_entries, read_path, shared};
use slcache_traces::{detect, BlkparseAction, GenericColumns, HostOp, TraceOptions, VolumeChoice};
use HostOp::{Flush, Read, Trim, Write};

/// Time in nanoseconds, operation, first sector, sectors, response time in nanoseconds.
type Expected = (u64, HostOp, u64, u32, Option<u64>);

fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[track_caller]
fn reads(path: &str, options: &TraceOptions, expected: &[Expected]) {
    let entries = read_entries(path, options);
    let found: Vec<Expected> = entries
        .iter()
        .map(|entry| {
            let request = entry.request;
            (request.at_ns, request.op, request.sector, request.sectors, entry.response_ns)
        })
        .collect();
    assert_eq!(found, expected, "{path}");
}

#[test]
fn every_tool_is_told_and_read() {
    let files: [(&str, &str, &[Expected]); 9] = [
        (
            "trace-pipe.txt",
            "ftrace",
            &[
                (0, Write, 2048, 16, None),
                (99_990_000, Read, 4096, 256, None),
                (100_000_000, Trim, 65_536, 2048, None),
                (100_010_000, Flush, 0, 0, None),
            ],
        ),
        (
            "trace-cmd.txt",
            "ftrace",
            &[
                (0, Write, 1000, 8, None),
                (1_000_000, Flush, 0, 0, None),
                (1_000_000, Write, 2000, 32, None),
                (2_000_000, Read, 3000, 8, None),
            ],
        ),
        (
            "perf-script.txt",
            "ftrace",
            &[
                (0, Write, 1000, 8, None),
                (100_000, Flush, 0, 0, None),
                (100_000, Write, 2000, 8, None),
                (300_000, Read, 3000, 128, None),
            ],
        ),
        (
            "ufshcd.txt",
            "ftrace",
            &[
                (0, Read, 5600, 8, None),
                (1_000_000, Write, 8192, 1024, None),
                (2_000_000, Flush, 0, 0, None),
                (3_000_000, Trim, 32, 16, None),
            ],
        ),
        (
            "biosnoop-bcc.txt",
            "biosnoop",
            &[
                (0, Write, 1_142_400, 8, Some(550_000)),
                (600_000, Write, 41_963_888, 6, Some(50_000)),
                (851_000, Flush, 0, 0, Some(470_000)),
            ],
        ),
        (
            "biosnoop-libbpf.txt",
            "biosnoop",
            &[
                (0, Write, 4096, 16, Some(250_000)),
                (350_000, Flush, 0, 0, Some(900_000)),
                (2_125_000, Trim, 65_536, 2048, Some(125_000)),
            ],
        ),
        (
            "blkreplay.txt",
            "blkreplay",
            &[(0, Write, 37_766_853, 64, None), (449_518_165, Read, 0, 1, Some(250_000))],
        ),
        (
            "xperf.csv",
            "xperf",
            &[
                (0, Write, 4096, 128, Some(500_000)),
                (129_000, Read, 0x0001_8f0b_8000 / 512, 8, Some(283_000)),
                (1_300_000, Flush, 0, 0, Some(200_000)),
            ],
        ),
        (
            "blkparse-6.17.txt",
            "blkparse",
            &[
                (0, Write, 2048, 8, None),
                (1_000_000, Write, 768, 32, None),
                (2_000_000, Write, 4096, 80, None),
                (3_000_000, Write, 524_288, 256, None),
            ],
        ),
    ];
    for (name, format, expected) in files {
        let path = data(name);
        assert_eq!(detect(&path).unwrap(), format, "{name}");
        let text = std::fs::read_to_string(&path).unwrap();
        let options = TraceOptions::default();
        reads(&path, &options, expected);
        let windows = crate::it::common::file(text.replace('\n', "\r\n").as_bytes());
        reads(crate::it::common::path(&windows), &options, expected);
    }
}

#[test]
fn completions_by_their_own_time() {
    let options = TraceOptions { action: BlkparseAction::C, ..TraceOptions::default() };
    reads(
        &data("biosnoop-libbpf.txt"),
        &options,
        &[
            (0, Write, 4096, 16, Some(250_000)),
            (1_000_000, Flush, 0, 0, Some(900_000)),
            (2_000_000, Trim, 65_536, 2048, Some(125_000)),
        ],
    );
    reads(&data("trace-pipe.txt"), &options, &[(0, Write, 2048, 16, None)]);
    reads(&data("ufshcd.txt"), &options, &[(0, Read, 5600, 8, None)]);
}

#[test]
fn a_bad_line_is_told_by_its_number() {
    for (name, from, to, expected) in [
        ("trace-pipe.txt", "() 4096 + 256", "() 4096 + 2x6", ":12: column 12 (sectors): \"2x6\""),
        ("ufshcd.txt", "LBA: 1024", "LBA: 10 24", ":3: column 19 (LBA): \"10\""),
        ("biosnoop-bcc.txt", "3072", "30xx", ":4: column 9 (BYTES): \"30xx\""),
        ("blkreplay.txt", ";    1 ; R", ";    1 R", ":8: 5 columns where 6"),
        ("xperf.csv", "0x00010000", "65536x", ":9: column 8 (IOSize): \"65536x\""),
    ] {
        let text = std::fs::read_to_string(data(name)).unwrap();
        assert!(text.contains(from), "{name}");
        let error = message(text.replace(from, to).as_bytes(), &TraceOptions::default());
        assert!(error.starts_with(expected), "{name}: {error}");
    }
}

/// Of each request the operation, the first sector and how many.
type Requests = &'static [(HostOp, u64, u32)];

#[test]
fn samples_of_recordings() {
    let generic = |text: &str| {
        let columns: GenericColumns = serde_json::from_str(text).unwrap();
        TraceOptions { generic: Some(columns), ..TraceOptions::with_format("generic") }
    };
    let own = r#"{"keep_column": 7, "keep_value": "D", "time": 5, "time_unit": "s", "op": 8,
        "address": 9, "address_unit": "sector", "size": 10, "size_unit": "sector"}"#;
    let licence = r#"{"skip_lines": 2, "delimiter": ";", "time": 1, "time_unit": "s", "op": 4,
        "address": 2, "address_unit": "sector", "size": 3, "size_unit": "sector"}"#;
    let default = TraceOptions::default;
    let samples: [(&str, TraceOptions, Requests); 11] = [
        (
            "biosnoop.txt",
            default(),
            &[(Write, 13_092_560, 8), (Write, 13_092_432, 8), (Read, 41_950_344, 128)],
        ),
        ("biosnoop_queued.txt", default(), &[(Write, 1_142_400, 8), (Write, 41_963_894, 6)]),
        ("blkparse_f_columns.csv", generic(own), &[(Write, 2048, 8), (Read, 4096, 8)]),
        (
            "blkparse_new_flags.txt",
            default(),
            &[
                (Write, 2048, 8),
                (Write, 768, 32),
                (Write, 4096, 80),
                (Write, 524_288, 256),
                (Read, 8192, 256),
            ],
        ),
        (
            "blkparse_with_note.txt",
            default(),
            &[
                (Write, 2048, 8),
                (Write, 768, 32),
                (Write, 4096, 80),
                (Write, 524_288, 256),
                (Read, 8192, 256),
            ],
        ),
        (
            "ftrace_new.txt",
            default(),
            &[(Write, 4096, 8), (Write, 8192, 80), (Trim, 16_384, 128), (Write, 768, 32), (Flush, 0, 0)],
        ),
        ("ftrace_old.txt", default(), &[(Write, 2048, 8), (Read, 9_999_360, 256)]),
        ("ftrace_ufshcd.txt", default(), &[(Read, 49_772_088, 8), (Write, 125_024, 24), (Flush, 0, 0)]),
        ("generic_with_licence.txt", generic(licence), &[(Write, 2048, 8), (Read, 4096, 16)]),
        ("perf_script.txt", default(), &[(Write, 2048, 8), (Read, 9_999_360, 256)]),
        ("xperf_diskio.csv", default(), &[(Read, 0x0001_8f0b_8000 / 512, 8), (Write, 4096, 128)]),
    ];
    for (name, options, expected) in samples {
        let Some(path) = shared(&format!("samples/{name}")) else { continue };
        let outcome = read_path(&path, &options, 100);
        assert!(outcome.error.is_none(), "{name}: {:?}", outcome.error);
        let found: Vec<(HostOp, u64, u32)> =
            outcome.requests.iter().map(|request| (request.op, request.sector, request.sectors)).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn an_hour_of_servers_as_blkreplay_keeps_it() {
    for (name, reads, writes, sectors, last_ns) in [
        ("linux-mysql", 7187, 73_607, 2_313_256, 3_599_890_074_831),
        ("windows-mssql", 2528, 40_448, 2_065_622, 3_062_338_015_914),
        ("windows-shared-server", 0, 1371, 10_543, 3_597_137_874_735),
    ] {
        let Some(path) = shared(&format!("public/blkreplay_{name}.load.gz")) else { continue };
        let outcome = read_path(&path, &TraceOptions::default(), 4096);
        assert!(outcome.error.is_none(), "{name}: {:?}", outcome.error);
        let summary = outcome.summary;
        assert_eq!((summary.reads, summary.writes), (reads, writes), "{name}");
        assert_eq!((summary.read_bytes + summary.write_bytes) / 512, sectors, "{name}");
        assert_eq!(summary.last_ns, Some(last_ns), "{name}");
    }
}

/// Two requests to one place, one that is lost, one that began before, a flush and another volume.
const BOTH_EVENTS: &str = "\
  8,0    0        1     0.000000000   1  C   R 900 + 8 [0]
  8,0    0        2     0.000001000   1  D   R 16 + 8 [a]
  8,0    0        3     0.000002000   1  D   W 16 + 8 [a]
  8,0    0        4     0.000003000   1  D  FN [a]
  8,16   0        5     0.000004000   1  D   R 16 + 8 [a]
  8,0    0        6     0.000005000   1  D   R 16 + 8 [a]
  8,0    0        7     0.000006000   1  C   R 16 + 8 [0]
  8,16   0        8     0.000008000   1  C   R 16 + 8 [0]
  8,0    0        9     0.000102000   1  C   W 16 + 8 [0]
  8,0    0       10     0.000200000   1  D   W 64 + 8 [a]
";

#[test]
fn service_times_of_recordings_with_both_events() {
    let trace = file(BOTH_EVENTS.as_bytes());
    let info = |action, volume| {
        let options = TraceOptions { action, volume: Some(volume), ..TraceOptions::default() };
        slcache_traces::info(path(&trace), &options).unwrap()
    };
    for (action, event) in [(BlkparseAction::D, "issue"), (BlkparseAction::C, "completion")] {
        let all = info(action, VolumeChoice::Each);
        assert_eq!(all.event, Some(event));
        let response = all.response.unwrap();
        assert_eq!(response.requests, 3);
        assert_eq!(response.read_us.map(|us| (us.min, us.max)), Some((4.0, 5.0)));
        assert_eq!(response.write_us.map(|us| (us.min, us.max)), Some((100.0, 100.0)));
    }
    let other = info(BlkparseAction::D, VolumeChoice::Named("8,16".to_owned())).response.unwrap();
    assert_eq!((other.requests, other.write_us), (1, None));
    let issues: String =
        BOTH_EVENTS.lines().filter(|line| !line.contains(" C ")).map(|line| line.to_owned() + "\n").collect();
    let trace = file(issues.as_bytes());
    let options = TraceOptions { volume: Some(VolumeChoice::Each), ..TraceOptions::default() };
    assert!(slcache_traces::info(path(&trace), &options).unwrap().response.is_none());
}

#[test]
fn what_hides_service_times_is_told() {
    let with = |event: &str| {
        let trace = file(format!("{BOTH_EVENTS}{event}\n").as_bytes());
        let options = TraceOptions { volume: Some(VolumeChoice::Each), ..TraceOptions::default() };
        slcache_traces::info(path(&trace), &options).unwrap()
    };
    let times = |event: &str| with(event).response.map(|response| response.requests);
    for end_of_a_flush in ["0.000300000   1  C  WS 0 + 0 [0]", "0.000300000   1  C  WS 0 [0]"] {
        assert_eq!(times(&format!("  8,0    0       11     {end_of_a_flush}")), Some(3), "{end_of_a_flush}");
    }
    let info = with("  8,0    0       11     0.000300000   1  C   X 16 + 8 [0]");
    assert!(info.response.is_none());
    let unknown = info.response_unknown.unwrap();
    assert!(unknown.contains(":11: column 7 (RWBS): \"X\""), "{unknown}");
}
