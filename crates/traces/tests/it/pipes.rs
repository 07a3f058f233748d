//! A pipe gives what the file gives, whatever is done with it: nothing is read
//! twice of what gives its bytes only once.

use crate::it::binary_formats::vscsi1;
use crate::it::blktrace::issued;
use crate::it::common::*;
use serde_json::{json, Value};
use slcache_traces::{writable_formats, ConvertReport, DefaultOp, TracePath, UnitBytes};
use std::os::fd::AsRawFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

/// A file, and a pipe of the same name that `cat` fills with its bytes: what a
/// shell makes of `<(cat file)`.
struct Case {
    name: String,
    options: TraceOptions,
    folder: tempfile::TempDir,
}

impl Case {
    fn new(name: &str, bytes: &[u8], options: TraceOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for part in ["file", "pipe"] {
            std::fs::create_dir(folder.path().join(part)).unwrap();
        }
        std::fs::write(folder.path().join("file").join(name), bytes).unwrap();
        Self { name: name.to_owned(), options, folder }
    }

    fn path(&self, part: &str) -> String {
        self.folder.path().join(part).join(&self.name).to_str().unwrap().to_owned()
    }

    fn pipe(&self) -> Child {
        let child = Command::new("cat").arg(self.path("file")).stdout(Stdio::piped()).spawn().unwrap();
        let handle = child.stdout.as_ref().unwrap().as_raw_fd();
        let pipe = self.path("pipe");
        let _ = std::fs::remove_file(&pipe);
        std::os::unix::fs::symlink(format!("/proc/self/fd/{handle}"), pipe).unwrap();
        child
    }

    /// Does something with the file and with the pipe; the same must come out.
    /// Whether it was no error.
    fn check(&self, what: &str, work: Verb) -> bool {
        let done = |part: &str| {
            let (path, options) = (self.path(part), self.options.clone());
            let out = self.folder.path().join(format!("out-{part}"));
            std::fs::create_dir(&out).unwrap();
            let (sender, receiver) = channel();
            let to = out.clone();
            // What hangs must fail the test.
            std::thread::spawn(move || sender.send(work(&path, &options, &to)));
            let result = receiver.recv_timeout(Duration::from_secs(60));
            let result = result.unwrap_or_else(|error| panic!("{}: {what}: {part}: {error}", self.name));
            let fine = result.is_ok();
            let told = result.map_or_else(|error| error.to_string(), |value| value.to_string());
            let folder = self.folder.path().to_str().unwrap();
            let plain = |text: &str| text.replace(&format!("{folder}/out-{part}"), "OUT");
            let told = plain(&told).replace(&format!("{folder}/{part}"), "IN");
            let mut files: Vec<_> = std::fs::read_dir(&out)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .map(|path| (plain(path.to_str().unwrap()), std::fs::read(&path).unwrap()))
                .collect();
            files.sort();
            std::fs::remove_dir_all(&out).unwrap();
            (told, files, fine)
        };
        let from_file = done("file");
        let mut child = self.pipe();
        let from_pipe = done("pipe");
        assert_eq!(from_pipe.0, from_file.0, "{}: {what}", self.name);
        assert!(from_pipe.1 == from_file.1, "{}: {what}: other bytes in the output", self.name);
        drop(child.stdout.take());
        child.wait().unwrap();
        from_file.2
    }
}

fn read(path: &str, options: &TraceOptions, _: &Path) -> Result<Value, TraceError> {
    let mut reader = open(path, options)?;
    let (mut batch, mut digest) = (Vec::new(), Vec::new());
    while reader.next_entries(&mut batch, 1000)? {
        digest.push(format!("{batch:?}"));
    }
    Ok(json!([digest, reader.format(), reader.summary(), reader.stream_names(), reader.done()]))
}

fn linted(path: &str, options: &TraceOptions, _: &Path) -> Result<Value, TraceError> {
    lint(path, options, 5).map(|report| serde_json::to_value(report).unwrap())
}

fn informed(path: &str, options: &TraceOptions, _: &Path) -> Result<Value, TraceError> {
    info(path, options).map(|info| serde_json::to_value(info).unwrap())
}

fn written_again(inputs: &[&str], options: &TraceOptions, out: &Path) -> Result<ConvertReport, TraceError> {
    let inputs = inputs.iter().map(|input| (*input).to_owned()).collect();
    let output = out.join("out.parquet");
    Conversion::of(inputs, options).write(
        output.to_str().unwrap(),
        &WriteOptions::default(),
        &mut |_, _, _| true,
    )
}

fn convert(path: &str, options: &TraceOptions, out: &Path) -> Result<Value, TraceError> {
    Ok(serde_json::to_value(written_again(&[path], options, out)?).unwrap())
}

fn part(path: &str, options: &TraceOptions, out: &Path) -> Result<Value, TraceError> {
    let taken = TraceOptions { skip: Some(3), take: Some(100_000), ..options.clone() };
    convert(path, &taken, out)
}

fn merged(path: &str, options: &TraceOptions, out: &Path) -> Result<Value, TraceError> {
    let other = out.join("../other.csv");
    std::fs::write(&other, msr_lines(500)).unwrap();
    let report = written_again(&[path, other.to_str().unwrap()], options, out)?;
    // Its own place differs with the output's.
    Ok(serde_json::to_value(report.outputs).unwrap())
}

type Verb = fn(&str, &TraceOptions, &Path) -> Result<Value, TraceError>;
const VERBS: [(&str, Verb); 6] = [
    ("read", read),
    ("lint", linted),
    ("info", informed),
    ("convert", convert),
    ("convert a part", part),
    ("convert several", merged),
];

fn entry(place: u64) -> TraceEntry {
    let op = if place % 3 == 0 { HostOp::Read } else { HostOp::Write };
    let request = Request {
        hint: 0,
        at_ns: place / 2 * 1_000_000_000,
        sector: place * 7919 % 100_003 * 8,
        sectors: (place % 30 + 1) as u32 * 8,
        stream: (place % 2) as u16,
        op,
    };
    TraceEntry { request, response_ns: None }
}

fn written(format: &str) -> (Vec<u8>, TraceOptions) {
    let file = tempfile::NamedTempFile::new().unwrap();
    let options = WriteOptions { format: Some(format.to_owned()), ..WriteOptions::default() };
    let losses = slcache_traces::Losses::parse("time,volume,response").unwrap();
    let options = WriteOptions { lossy: losses, ..options };
    let mut writer = TraceWriter::create(file.path().to_str().unwrap(), &options, None).unwrap();
    writer.write(&(0..3000).map(entry).collect::<Vec<_>>(), &[]).unwrap();
    let names = ["a".to_owned(), "b".to_owned()];
    let read_back = writer.finish(&TraceOrigin::default(), &names).unwrap().read_back;
    (std::fs::read(file.path()).unwrap(), read_back)
}

fn binary(format: &str) -> Vec<u8> {
    let record = |place: u64| match format {
        "vscsi" => vscsi1(0x2a, place * 8, 4096, place),
        "blktrace" => issued(place * 10, place * 8),
        _ => [
            (place as u32).to_le_bytes().to_vec(),
            place.to_le_bytes().into(),
            vec![0, 16, 0, 0],
            vec![255; 8],
        ]
        .concat(),
    };
    (0..500).flat_map(record).collect()
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for format in writable_formats() {
        let (bytes, options) = written(format);
        cases.push(Case::new(&format!("{format}.trace"), &bytes, options.clone()));
        // With the format to be told too, which may fail, but alike.
        let unnamed = TraceOptions { format: None, generic: None, ..options };
        let each = TraceOptions { volume: Some(VolumeChoice::Each), ..unnamed };
        cases.push(Case::new(&format!("{format}.txt"), &bytes, each));
    }
    let objects = TraceOptions {
        op_default: Some(DefaultOp::Write),
        object_unit: Some(UnitBytes::SECTOR),
        ..TraceOptions::default()
    };
    for format in ["vscsi", "blktrace", "oracle_general"] {
        let named = TraceOptions { format: Some(format.to_owned()), ..objects.clone() };
        cases.push(Case::new(format, &binary(format), named));
    }
    let plain = TraceOptions::default;
    cases.push(Case::new("unnamed", &binary("blktrace"), plain()));
    cases.push(Case::new("sda.blktrace.0", &binary("blktrace"), plain()));
    let archive = tar(&[("sda.blktrace.0", &binary("blktrace"))]);
    cases.push(Case::new("sda.tar", &archive, plain()));
    cases.push(Case::new("sda.tar.gz", &gzip(&archive), plain()));
    let msr = msr_lines(20_000).into_bytes();
    cases.push(Case::new("big.csv", &msr, plain()));
    cases.push(Case::new("big.csv.gz", &gzip(&msr), plain()));
    cases.push(Case::new("big.csv.zst", &zstd::encode_all(&msr[..], 1).unwrap(), plain()));
    cases.push(Case::new("cut.csv.gz", &gzip(&msr)[..1000], plain()));
    cases.push(Case::new("cut.parquet", &written("parquet").0[..1000], plain()));
    cases.push(Case::new("empty", b"", plain()));
    cases.push(Case::new("short", b"PA", plain()));
    let workload = b"requests = 1000\n[arrivals]\nprocess = \"constant\"\nrate_iops = 100\n\
        [global]\nrw = \"randwrite\"\nsize = \"1MiB\"\n";
    let seeded = TraceOptions { seed: Some(3), ..TraceOptions::with_format("workload") };
    cases.push(Case::new("a.toml", workload, seeded.clone()));
    cases.push(Case::new("workload", workload, seeded));
    cases
}

#[test]
fn a_pipe_gives_what_the_file_gives() {
    let cases = cases();
    assert!(cases.len() > 40, "{}", cases.len());
    let checks = cases.iter().flat_map(|case| VERBS.map(|(what, verb)| case.check(what, verb)));
    let fine = checks.filter(|fine| *fine).count();
    // What is an error is one of the file as well, and not the rule.
    assert!(fine > cases.len() * VERBS.len() / 2, "{fine}");
}

#[test]
fn a_copy_is_read_as_often_as_needed() {
    let case = Case::new("a.csv", msr_lines(2000).as_bytes(), TraceOptions::default());
    let mut child = case.pipe();
    let pipe = TracePath::new(&case.path("pipe"));
    assert!(pipe.is_read_once() && !TracePath::new(&case.path("file")).is_read_once());
    let copy = pipe.rereadable(&mut |_, _, _| true).unwrap();
    assert!(!copy.is_read_once());
    for _ in 0..3 {
        let mut reader = open(&copy, &TraceOptions::default()).unwrap();
        let mut batch = Vec::new();
        assert!(reader.next_batch(&mut batch, 5000).unwrap());
        assert_eq!(batch.len(), 2000);
        assert_eq!((reader.total(), reader.path().name()), (Some(reader.done()), copy.name()));
    }
    child.wait().unwrap();
    // One of Parquet is made when the pipe is opened.
    let case = Case::new("a.parquet", &written("parquet").0, TraceOptions::default());
    let mut child = case.pipe();
    let reader = open(case.path("pipe").as_str(), &TraceOptions::default()).unwrap();
    child.wait().unwrap();
    assert!(!reader.path().is_read_once() && open(reader.path(), &TraceOptions::default()).is_ok());
    // And one can be given up.
    let case = Case::new("a.csv", msr_lines(50_000).as_bytes(), TraceOptions::default());
    let mut child = case.pipe();
    let pipe = TracePath::new(&case.path("pipe"));
    let stopped = pipe.rereadable(&mut |phase, done, _| phase == "spool" && done < 100_000);
    assert!(matches!(stopped, Err(TraceError::Cancelled)));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_would_wait_or_be_halved_is_refused() {
    let case = Case::new("a.csv", msr_lines(10).as_bytes(), TraceOptions::default());
    let mut child = case.pipe();
    let pipe = case.path("pipe");
    let out = tempfile::tempdir().unwrap();
    let error = written_again(&[&pipe, &pipe], &TraceOptions::default(), out.path()).unwrap_err().to_string();
    assert!(error.contains("can be read only once, and is one of the traces twice"), "{error}");
    child.kill().unwrap();
    child.wait().unwrap();

    let recording = Case::new("sda.blktrace.0", &binary("blktrace"), TraceOptions::default());
    let file = recording.path("file");
    Command::new("mkfifo").arg(file.replace(".0", ".1")).status().unwrap();
    for path in [file.as_str(), file.trim_end_matches(".blktrace.0")] {
        let error = open(path, &TraceOptions::default()).err().unwrap().to_string();
        assert!(error.contains("sda.blktrace.1: is a pipe or a device"), "{error}");
    }
}

/// What gives no bytes, or bytes without an end, is refused before it is copied, read or hashed.
#[test]
fn what_is_no_file_is_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let opened = [
        open(path, &TraceOptions::default()).err().unwrap(),
        Workload::load(path, &Default::default()).err().unwrap(),
    ];
    assert!(opened.iter().all(|error| error.to_string().contains("cannot be opened: is a directory")));
    for device in ["/dev/zero", "/dev/urandom", "/dev/full"] {
        let told = TracePath::new(device).rereadable(&mut |_, _, _| true).unwrap_err().to_string();
        assert!(told.contains(device) && told.contains("is a device without an end"), "{told}");
        let told = open(device, &TraceOptions::default()).err().unwrap().to_string();
        assert!(told.contains("is a device without an end"), "{told}");
    }
    let mut zeros = Command::new("cat").arg("/dev/zero").stdout(Stdio::piped()).spawn().unwrap();
    let path = format!("/proc/self/fd/{}", zeros.stdout.as_ref().unwrap().as_raw_fd());
    // A copy that goes on is stopped, so that the test fails in place of filling the disk.
    let copied = TracePath::new(&path).rereadable(&mut |_, bytes, _| bytes < 64 << 20);
    zeros.kill().unwrap();
    zeros.wait().unwrap();
    let told = copied.unwrap_err().to_string();
    assert!(told.contains("longer than 262144 bytes; this is not a text trace"), "{told}");
}
