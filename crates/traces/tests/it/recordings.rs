//! What the tools that record on Linux and Windows print: files made after each tool's form, read whole,
//! and files from elsewhere where they are at hand.

use crate::it::common::*;
use slcache_traces::{BlkparseAction, GenericColumns};

fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Operation, first sector and sectors.
fn place(request: &Request) -> String {
    let op = match request.op {
        HostOp::Flush => return "flush".to_owned(),
        HostOp::Read => 'R',
        HostOp::Write => 'W',
        HostOp::Trim => 'T',
    };
    format!("{op} {}+{}", request.sector, request.sectors)
}

/// Time in microseconds, what is asked, and how many microseconds it took.
fn line(entry: &TraceEntry) -> String {
    let took = entry.response_ns.map(|ns| format!(" took {}", ns as f64 / 1e3));
    format!("{} {}{}", entry.request.at_ns as f64 / 1e3, place(&entry.request), took.unwrap_or_default())
}

#[track_caller]
fn reads(path: &str, options: &TraceOptions, expected: &str) {
    let found: Vec<String> = read_entries(path, options).iter().map(line).collect();
    assert_eq!(found.join("; "), expected, "{path}");
}

#[test]
fn every_tool_is_told_and_read() {
    for (name, format, expected) in [
        ("trace-pipe.txt", "ftrace", "0 W 2048+16; 99990 R 4096+256; 100000 T 65536+2048; 100010 flush"),
        ("trace-cmd.txt", "ftrace", "0 W 1000+8; 1000 flush; 1000 W 2000+32; 2000 R 3000+8"),
        ("perf-script.txt", "ftrace", "0 W 1000+8; 100 flush; 100 W 2000+8; 300 R 3000+128"),
        ("ufshcd.txt", "ftrace", "0 R 5600+8; 1000 W 8192+1024; 2000 flush; 3000 T 32+16"),
        (
            "biosnoop-bcc.txt",
            "biosnoop",
            "0 W 1142400+8 took 550; 600 W 41963888+6 took 50; 851 flush took 470",
        ),
        (
            "biosnoop-libbpf.txt",
            "biosnoop",
            "0 W 4096+16 took 250; 350 flush took 900; 2125 T 65536+2048 took 125",
        ),
        ("blkreplay.txt", "blkreplay", "0 W 37766853+64; 449518.165 R 0+1 took 250"),
        ("xperf.csv", "xperf", "0 W 4096+128 took 500; 129 R 13075904+8 took 283; 1300 flush took 200"),
        ("blkparse-6.17.txt", "blkparse", "0 W 2048+8; 1000 W 768+32; 2000 W 4096+80; 3000 W 524288+256"),
    ] {
        let path = data(name);
        assert_eq!(detect(&path).unwrap(), format, "{name}");
        let text = std::fs::read_to_string(&path).unwrap();
        reads(&path, &TraceOptions::default(), expected);
        let windows = file(text.replace('\n', "\r\n").as_bytes());
        reads(crate::it::common::path(&windows), &TraceOptions::default(), expected);
    }
}

#[test]
fn completions_by_their_own_time() {
    let options = TraceOptions { action: BlkparseAction::C, ..TraceOptions::default() };
    let all = "0 W 4096+16 took 250; 1000 flush took 900; 2000 T 65536+2048 took 125";
    reads(&data("biosnoop-libbpf.txt"), &options, all);
    reads(&data("trace-pipe.txt"), &options, "0 W 2048+16");
    reads(&data("ufshcd.txt"), &options, "0 R 5600+8");
}

/// What completes first may have begun before the time that the file counts from.
#[test]
fn times_are_told_as_the_file_counts_them() {
    let biosnoop = "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n";
    let first = format!("{biosnoop}0.000000 a 1 sda W 8 4096 0.736\n");
    for (text, rebased_by_ns) in [
        (first.clone(), -736_000),
        (format!("{biosnoop}2.000000 a 1 sda W 8 4096 0.736\n"), 1_999_264_000),
        ("128166372003061629,a,0,Write,8192,4096,9\n".to_owned(), 12_816_637_200_306_162_900),
    ] {
        let outcome = read(text.as_bytes(), &TraceOptions::default());
        assert_eq!(outcome.summary.rebased_by_ns, rebased_by_ns, "{text}");
    }
    let keep = TraceOptions { unsorted: Unsorted::Keep, ..TraceOptions::default() };
    let error =
        message(format!("{biosnoop}2.0 a 1 sda W 8 512 1\n1.0 a 1 sda W 8 512 0\n").as_bytes(), &keep);
    assert!(error.contains("1000000000 ns lies before the first record (1999000000 ns)"), "{error}");
    let as_given = TraceOptions { rebase: Some(false), ..TraceOptions::default() };
    assert!(message(first.as_bytes(), &as_given).contains("action = C takes the time as it is"));
}

/// Lines are put in order of their issues, so that two recordings would be mixed.
#[test]
fn a_second_recording_below_the_first_is_told() {
    let one = std::fs::read_to_string(data("biosnoop-bcc.txt")).unwrap();
    let error = message((one.clone() + &one).as_bytes(), &TraceOptions::default());
    assert!(error.contains("(TIME)") && error.contains("another recording begins here"), "{error}");
    let later = one.lines().filter(|line| line.starts_with("TIME")).map(|header| format!("{header}\n"));
    let goes_on = one.clone() + &later.collect::<String>() + "900.0 a 1 sda W 8 4096 0.5\n";
    assert!(read(goes_on.as_bytes(), &TraceOptions::default()).error.is_none());
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
    let flags = "W 2048+8; W 768+32; W 4096+80; W 524288+256; R 8192+256";
    for (name, options, expected) in [
        ("biosnoop.txt", None, "W 13092560+8; W 13092432+8; R 41950344+128"),
        ("biosnoop_queued.txt", None, "W 1142400+8; W 41963894+6"),
        ("blkparse_f_columns.csv", Some(generic(own)), "W 2048+8; R 4096+8"),
        ("blkparse_new_flags.txt", None, flags),
        ("blkparse_with_note.txt", None, flags),
        ("ftrace_new.txt", None, "W 4096+8; W 8192+80; T 16384+128; W 768+32; flush"),
        ("ftrace_old.txt", None, "W 2048+8; R 9999360+256"),
        ("ftrace_ufshcd.txt", None, "R 49772088+8; W 125024+24; flush"),
        ("generic_with_licence.txt", Some(generic(licence)), "W 2048+8; R 4096+16"),
        ("perf_script.txt", None, "W 2048+8; R 9999360+256"),
        ("xperf_diskio.csv", None, "R 13075904+8; W 4096+128"),
    ] {
        let Some(path) = shared(&format!("samples/{name}")) else { continue };
        let outcome = read_path(&path, &options.unwrap_or_default(), 100);
        assert!(outcome.error.is_none(), "{name}: {:?}", outcome.error);
        let found: Vec<String> = outcome.requests.iter().map(place).collect();
        assert_eq!(found.join("; "), expected, "{name}");
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
    let told = |action, volume| {
        let options = TraceOptions { action, volume: Some(volume), ..TraceOptions::default() };
        info(path(&trace), &options).unwrap()
    };
    for (action, event) in [(BlkparseAction::D, "issue"), (BlkparseAction::C, "completion")] {
        let all = told(action, VolumeChoice::Each);
        assert_eq!(all.event, Some(event));
        let response = all.response.unwrap();
        assert_eq!((response.requests, response.unanswered), (3, 2));
        assert_eq!(response.read_us.map(|us| (us.min, us.max)), Some((1.0, 4.0)));
        assert_eq!(response.write_us.map(|us| (us.min, us.max)), Some((100.0, 100.0)));
    }
    let other = told(BlkparseAction::D, VolumeChoice::Named("8,16".to_owned())).response.unwrap();
    assert_eq!((other.requests, other.write_us), (1, None));
    let issues: String =
        BOTH_EVENTS.lines().filter(|line| !line.contains(" C ")).map(|line| line.to_owned() + "\n").collect();
    let trace = file(issues.as_bytes());
    let options = TraceOptions { volume: Some(VolumeChoice::Each), ..TraceOptions::default() };
    assert!(info(path(&trace), &options).unwrap().response.is_none());
}

/// Microseconds and events of one place: an issue that is requeued, and one whose completion was lost.
const REQUEUED_AND_LOST: [(u64, char); 8] = [
    (0, 'D'),
    (100, 'R'),
    (1000, 'D'),
    (1200, 'C'),
    (5_000_000, 'D'),
    (7_000_000, 'D'),
    (7_000_300, 'C'),
    (9_000_000, 'D'),
];

#[test]
fn what_is_requeued_or_lost_spoils_no_other_time() {
    let text = |line: &dyn Fn(u64, char) -> String| {
        let lines: Vec<String> = REQUEUED_AND_LOST.iter().map(|&(us, event)| line(us, event)).collect();
        lines.concat().into_bytes()
    };
    let seconds = |us: u64| format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    let blkparse = text(&|us, event| format!("8,0 0 1 {} 7 {event} WS 8 + 8 [a]\n", seconds(us)));
    let ftrace = text(&|us, event| {
        let name = [("D", "issue"), ("R", "requeue"), ("C", "complete")];
        let (_, name) = name.into_iter().find(|(letter, _)| letter.starts_with(event)).unwrap();
        format!("a-1 [0] {}: block_rq_{name}: 8,0 WS () 8 + 8 [0]\n", seconds(us))
    });
    let number =
        |event| 1 << 17 | [('D', 7), ('R', 6), ('C', 8)].into_iter().find(|of| of.0 == event).unwrap().1;
    let record = |(us, event)| crate::it::blktrace::record(us * 1000, 8, number(event), 7 << 20, 1);
    let blktrace = REQUEUED_AND_LOST.map(record).concat();
    for (format, bytes) in [("blkparse", blkparse), ("ftrace", ftrace), ("blktrace", blktrace)] {
        let trace = file(&bytes);
        reads(path(&trace), &TraceOptions::default(), "0 W 8+8; 5000000 W 8+8; 7000000 W 8+8; 9000000 W 8+8");
        let told = info(path(&trace), &TraceOptions::default()).unwrap();
        assert_eq!(told.format, format);
        let count = |skipped: &str| told.summary.skipped.iter().find(|each| each.reason.contains(skipped));
        for reason in ["event R (requeued)", "requeued: it counts once"] {
            assert_eq!(count(reason).map(|skipped| skipped.count), Some(1), "{format}: {reason}");
        }
        let response = told.response.unwrap();
        assert_eq!((response.requests, response.unanswered), (2, 2), "{format}");
        let unanswered = |options| lint(path(&trace), &options, 9).unwrap().unanswered;
        assert_eq!(unanswered(TraceOptions::default()), Some(2), "{format}");
        let completions = TraceOptions { action: BlkparseAction::C, ..TraceOptions::default() };
        assert_eq!(unanswered(completions), None, "{format}");
        assert_eq!(response.write_us.map(|us| (us.min, us.max)), Some((200.0, 300.0)), "{format}");
    }
}

#[test]
fn discards_issued_again_without_a_requeue_are_told() {
    let line = |us: u64, event| format!("8,0 0 1 0.{us:06} 7 {event} DS 8 + 8 [a]\n");
    let events = [(0, 'D'), (100, 'D'), (200, 'D'), (1200, 'C')];
    for (taken, told) in [(4, Some(2)), (3, None)] {
        let trace =
            file(events[..taken].iter().map(|&(us, event)| line(us, event)).collect::<String>().as_bytes());
        let found = lint(path(&trace), &TraceOptions::default(), 9).unwrap();
        assert_eq!((found.summary.trims, found.unanswered), (3, told));
    }
}

#[test]
fn what_hides_service_times_is_told() {
    let with = |event: &str| {
        let trace = file(format!("{BOTH_EVENTS}{event}\n").as_bytes());
        let options = TraceOptions { volume: Some(VolumeChoice::Each), ..TraceOptions::default() };
        info(path(&trace), &options).unwrap()
    };
    let times = |event: &str| with(event).response.map(|response| response.requests);
    for end_of_a_flush in ["WS 0 + 0 [0]", "WS 0 [0]", "WFS 2100864 + 0 [0]", "WFS 2100864 [0]"] {
        let line = format!("  8,0    0       11     0.000300000   1  C  {end_of_a_flush}");
        assert_eq!(times(&line), Some(3), "{end_of_a_flush}");
    }
    let trace = file(BOTH_EVENTS.as_bytes());
    for part in ["take\":1", "from_ns\":0", "copies\":\"2\"", "time_scale\":\"2\"", "resample\":2"] {
        let options: TraceOptions =
            serde_json::from_str(&format!("{{\"volume\":\"each\",\"{part}}}")).unwrap();
        let told = info(path(&trace), &options).unwrap();
        assert!(told.response.is_none(), "{part}");
        assert!(told.response_unknown.unwrap().contains("service times: they are told of whole recordings"));
    }
    let hidden = with("  8,0    0       11     0.000300000   1  C   X 16 + 8 [0]");
    assert!(hidden.response.is_none());
    let unknown = hidden.response_unknown.unwrap();
    assert!(unknown.contains(":11: column 7 (RWBS): \"X\""), "{unknown}");
}
