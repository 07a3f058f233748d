//! blktrace recordings: files of several CPUs, archives of them, and real ones
//! against the text that blkparse makes of the same recording.

use crate::it::common::*;
use slcache_traces::BlkparseAction;

const READ_ISSUED: u32 = 7 | 1 << 16;
const WRITE_ISSUED: u32 = 7 | 1 << 17;

pub(crate) fn record(time_ns: u64, sector: u64, action: u32, device: u32, sequence: u32) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend(0x6561_7407u32.to_le_bytes());
    record.extend(sequence.to_le_bytes());
    record.extend(time_ns.to_le_bytes());
    record.extend(sector.to_le_bytes());
    for number in [4096, action, 1, device, 0, 0] {
        record.extend(u32::to_le_bytes(number));
    }
    record
}

pub(crate) fn issued(time_ns: u64, sector: u64) -> Vec<u8> {
    record(time_ns, sector, WRITE_ISSUED, 7 << 20, 1)
}

/// A folder with the files of a recording.
fn recording(ending: &str, files: &[Vec<u8>]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (cpu, bytes) in files.iter().enumerate() {
        std::fs::write(folder.path().join(format!("sda.blktrace.{cpu}{ending}")), bytes).unwrap();
    }
    folder
}

fn inside(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

fn sectors(requests: &[Request]) -> Vec<u64> {
    requests.iter().map(|request| request.sector).collect()
}

fn three_cpus() -> Vec<Vec<u8>> {
    vec![
        [issued(10, 1), issued(40, 4)].concat(),
        Vec::new(),
        [record(5, 0, 1 << 26, 7 << 20, 0), issued(20, 2), issued(30, 3), issued(50, 5)].concat(),
    ]
}

#[test]
fn the_files_of_all_cpus_are_merged_by_time() {
    let plain = recording("", &three_cpus());
    let packed = recording(".gz", &three_cpus().iter().map(|bytes| gzip(bytes)).collect::<Vec<_>>());
    for (folder, name) in [
        (&plain, "sda.blktrace.0"),
        (&plain, "sda.blktrace.2"),
        (&plain, "sda"),
        (&packed, "sda.blktrace.0.gz"),
    ] {
        let outcome = read_path(&inside(folder, name), &TraceOptions::default(), 2);
        assert!(outcome.error.is_none(), "{name}: {:?}", outcome.error);
        assert_eq!(sectors(&outcome.requests), [1, 2, 3, 4, 5]);
        assert_eq!((outcome.requests[0].at_ns, outcome.requests[4].at_ns), (0, 40));
        assert_eq!((outcome.summary.lines, outcome.summary.skipped[0].count), (6, 1));
    }
    // At equal times by device and sequence.
    let at_10 = |sector, device: u32, sequence| record(10, sector, WRITE_ISSUED, device << 20, sequence);
    let folder = recording("", &[at_10(3, 8, 1), [at_10(1, 7, 4), at_10(2, 7, 9)].concat()]);
    let options = TraceOptions { volume: Some(VolumeChoice::Merge), ..TraceOptions::default() };
    assert_eq!(sectors(&read_path(&inside(&folder, "sda"), &options, 9).requests), [1, 2, 3]);
}

#[test]
fn the_sha_covers_every_file() {
    let folder = recording("", &three_cpus());
    let sha = || read_path(&inside(&folder, "sda"), &TraceOptions::default(), 9).summary.sha256.unwrap();
    let before = sha();
    assert_eq!(before, sha());
    let mut last = std::fs::read(inside(&folder, "sda.blktrace.2")).unwrap();
    last[33] ^= 1;
    std::fs::write(inside(&folder, "sda.blktrace.2"), last).unwrap();
    assert_ne!(before, sha());
}

#[test]
fn faults_name_file_and_record() {
    let mut files = three_cpus();
    files[2][48 + 28] = 99;
    let folder = recording("", &files);
    let error = read_path(&inside(&folder, "sda"), &TraceOptions::default(), 1).error.unwrap().to_string();
    assert!(error.contains("sda.blktrace.2: record 2 (up to byte 96): column 6 (action)"), "{error}");
    files[2][48 + 28] = 7;
    files[0].truncate(60);
    let folder = recording("", &files);
    let outcome = read_path(&inside(&folder, "sda"), &TraceOptions::default(), 9);
    assert!(outcome.error.is_none() && outcome.summary.last_line_unterminated);
    assert_eq!(sectors(&outcome.requests), [1, 2, 3, 5]);
    assert!(outcome.summary.skipped.iter().any(|each| each.reason.contains("cut short")));
    std::fs::remove_file(folder.path().join("sda.blktrace.1")).unwrap();
    let error = open(&inside(&folder, "sda.blktrace.0"), &TraceOptions::default()).err().unwrap().to_string();
    assert!(error.contains("sda.blktrace.1 is missing beside it"), "{error}");
}

#[test]
fn volumes_are_told_apart() {
    let folder =
        recording("", &[issued(1, 1), [record(2, 2, READ_ISSUED, 8 << 20 | 16, 1), issued(3, 3)].concat()]);
    let path = inside(&folder, "sda");
    let error = read_path(&path, &TraceOptions::default(), 9).error.unwrap().to_string();
    assert!(error.contains("the file holds 2 volumes: 7,0 (2 requests), 8,16 (1 requests)"), "{error}");
    let each = TraceOptions { volume: Some(VolumeChoice::Each), ..TraceOptions::default() };
    let requests = read_path(&path, &each, 9).requests;
    assert_eq!(requests.iter().map(|request| request.stream).collect::<Vec<_>>(), [0, 1, 0]);
    assert_eq!(requests[1].op, HostOp::Read);
}

#[test]
fn an_archive_holds_the_files_or_is_refused() {
    let files = three_cpus();
    let whole = tar(&[
        ("notes.txt", b"ext4 on a loop device"),
        ("run/sda.blktrace.2", &files[2]),
        ("run/sda.blktrace.0", &files[0]),
        ("run/sda.blktrace.1", &files[1]),
    ]);
    for bytes in [whole.clone(), gzip(&whole), zstd::encode_all(&whole[..], 3).unwrap()] {
        let outcome = read(&bytes, &TraceOptions::default());
        assert!(outcome.error.is_none(), "{:?}", outcome.error);
        assert_eq!(sectors(&outcome.requests), [1, 2, 3, 4, 5]);
        let skipped = &outcome.summary.skipped;
        assert!(skipped.iter().any(|skipped| skipped.reason.contains("archive") && skipped.count == 1));
        assert_eq!(outcome.summary.sha256, Some(sha256(&bytes)));
    }
    let named = TraceOptions::with_format("blktrace");
    for keep in [700, 1600, 2200, whole.len() - 1024] {
        let message = message(&whole[..keep], &named);
        assert!(message.contains("the tar archive is truncated"), "{keep}: {message}");
    }
    let record = issued(1, 1);
    type Members<'a> = &'a [(&'a str, &'a [u8])];
    let cases: [(Members<'_>, &str); 4] = [
        (&[("a.txt", b"x")], "holds no file NAME.blktrace.CPU"),
        (&[("a.blktrace.0", &record), ("b.blktrace.0", &record)], "several recordings"),
        (&[("a.blktrace.0", &record), ("a.blktrace.2", &record)], "a.blktrace.1 is missing"),
        (&[("a.blktrace.0", &record), ("a.blktrace.0", &record)], "in the tar archive twice"),
    ];
    for (members, expected) in cases {
        let message = message(&tar(members), &named);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn real_recordings_are_what_blkparse_says() {
    for name in ["bursts", "desktop"] {
        let Some(binary) = shared(&format!("recorded/{name}.blktrace.tar.zst")) else { return };
        let Some(text) = shared(&format!("recorded/{name}.blkparse.zst")) else { return };
        for action in [BlkparseAction::D, BlkparseAction::C] {
            let options = TraceOptions { action, ..TraceOptions::default() };
            let (ours, theirs) = (read_entries(&binary, &options), read_entries(&text, &options));
            assert_eq!(ours.len(), theirs.len(), "{name} {action:?}");
            let different = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
            assert_eq!(different.map(|place| (place, ours[place], theirs[place])), None, "{name} {action:?}");
        }
    }
}
