//! No bytes make a reader panic, and none are taken as something they are not.

use crate::it::common::{file, path, read_path};
use proptest::prelude::*;
use slcache_traces::{info, lint, TraceOptions, Unsorted, VolumeChoice};

fn options() -> Vec<TraceOptions> {
    let generic = r#"{"format": "generic", "generic": {"time": 1, "time_unit": "s", "address": 2,
        "address_unit": 4096, "size": 3, "size_unit": "byte", "op": 4, "delimiter": "whitespace"}}"#;
    let mut all: Vec<TraceOptions> = ["msr", "mqsim", "blkparse", "ftrace", "blkreplay", "biosnoop", "xperf"]
        .map(TraceOptions::with_format)
        .into();
    all.push(serde_json::from_str(generic).unwrap());
    all.push(TraceOptions::default());
    let loose: Vec<TraceOptions> = all
        .iter()
        .cloned()
        .map(|options| TraceOptions {
            unsorted: Unsorted::Sort(3),
            volume: Some(VolumeChoice::Each),
            zero_size: slcache_traces::ZeroSize::Skip,
            sub_sector: slcache_traces::SubSector::Round,
            rebase: Some(true),
            ..options
        })
        .collect();
    all.extend(loose);
    all
}

fn try_all(bytes: &[u8]) {
    let file = file(bytes);
    for options in options() {
        let outcome = read_path(path(&file), &options, 10);
        assert!(outcome.error.is_some() || !outcome.requests.is_empty());
        if let Ok(report) = lint(path(&file), &options, 5) {
            // A last line without an end may be whole, so it is no error.
            let doubted = report.counts.get("no line end").copied().unwrap_or(0);
            assert_eq!(report.total() == doubted, outcome.error.is_none());
        }
        assert_eq!(info(path(&file), &options).is_ok(), outcome.error.is_none());
    }
}

/// Lines that are nearly right: fields of every format in any order.
fn near_lines() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::sample::select(vec![
        "0",
        "1",
        "8",
        "4096",
        "-1",
        "18446744073709551615",
        "18446744073709551616",
        "1.5",
        "0.000000001",
        "7,0",
        "D",
        "Q",
        "C",
        "FN",
        "WS",
        "FWFS",
        "DS",
        "N",
        "+",
        "[x]",
        "(12)",
        "R",
        "W",
        "Read",
        "Write",
        "hm",
        "",
        "TIME(s)",
        "LAT(ms)",
        "SECTOR",
        "BYTES",
        "T",
        "DISK",
        "COMM",
        "start",
        "DiskRead",
        "TimeStamp",
        "BeginHeader",
        "1.5:",
        "block_rq_issue:",
        "ufshcd_command:",
        "()",
    ]);
    let separator = prop::sample::select(vec![" ", ",", "\n", "  ", "\r\n"]);
    prop::collection::vec((words, separator), 0..60).prop_map(|parts| {
        parts.into_iter().flat_map(|(word, separator)| [word, separator]).collect::<String>().into_bytes()
    })
}

/// Whole lines of the formats with single bytes replaced.
fn mutated_lines() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec![
        "128166385295514663,hm,0,Write,9056014336,2048,2833\n",
        "  7,0    0      568     0.000000000 17560  D  RS 14320672 + 32 [mariadbd]\n",
        "  7,5    0       35     1.014268784 13558  D  FN [kworker/u8:1]\n",
        "938513000 4 264719034 16 0\n",
        "1.5 12 4096 R\n",
        "writer-901 [001] d... 100.000100: block_rq_issue: 8,0 W 0 () 2048 + 8 [writer]\n",
        "a-1 [000] 1.0: ufshcd_command: send_req: u: tag: 1, DB: 0x1, size: 4096, IS: 0, LBA: 16, opcode: 0x28, group_id: 0x0, hwq_id: 0\n",
        "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n",
        "0.449518165 ; 37766917 ; 14 ; W ; 0.0 ; 0.0\n",
        "TIME(s)     COMM           PID    DISK      T SECTOR     BYTES   LAT(ms)\n",
        "2.004204    kworker/0:3    77     nvme0n1   R 41950344   65536      0.34\n",
        "DiskRead, TimeStamp, ThreadID, ByteOffset, IOSize, ElapsedTime, DiskNum, FileName\n",
        "DiskRead, 8612, 11844, 0x018f0b8000, 0x00001000, 283, 0, \"C:\\one, two\"\n",
    ]);
    (
        prop::collection::vec(line, 1..8),
        prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
    )
        .prop_map(|(lines, changes)| {
            let mut bytes = lines.concat().into_bytes();
            for (place, byte) in changes {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            bytes
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        try_all(&bytes);
    }

    #[test]
    fn nearly_right_lines(bytes in near_lines()) {
        try_all(&bytes);
    }

    #[test]
    fn lines_with_changed_bytes(bytes in mutated_lines()) {
        try_all(&bytes);
    }

    #[test]
    fn compressed_junk(bytes in prop::collection::vec(any::<u8>(), 0..100), gzip in any::<bool>()) {
        let magic: &[u8] = if gzip { &[0x1f, 0x8b, 8, 0] } else { &[0x28, 0xb5, 0x2f, 0xfd] };
        try_all(&[magic, &bytes].concat());
    }
}
