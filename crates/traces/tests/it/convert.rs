//! Converting: what a format cannot hold is refused by name, or lost by name
//! and counted; outputs appear whole or not at all.

use crate::it::common::*;
use slcache_traces::{Losses, Written};

const ALL_OPS: &str = "\
  8,0    0        1     0.000000150   1  D   W 8 + 8 [a]
  8,0    0        2     0.000001000   1  D   D 0 + 1024 [a]
  8,0    0        3     0.000002000   1  D  FN [a]
  8,0    0        4     0.000003000   1  D   R 16 + 8 [a]
";

fn input(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn convert(input: &str, output: &Path, format: Option<&str>, lossy: &str) -> Result<Written, String> {
    let options = WriteOptions { format: format.map(str::to_owned), lossy: Losses::parse(lossy).unwrap() };
    let conversion = Conversion::of(vec![input.to_owned()], &TraceOptions::default());
    let report = conversion.write(output.to_str().unwrap(), &options, &mut |_, _, _| true);
    report.map(|mut report| report.outputs.remove(0)).map_err(|error| error.to_string())
}

#[test]
fn what_does_not_fit_is_refused_or_lost_by_name_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let input = input(&folder, "ops.blkparse", ALL_OPS);
    let output = folder.path().join("out.csv");
    for (lossy, request, losses) in [
        ("", "request 1", "volume,response"),
        ("volume,response", "request 2", "trim"),
        ("volume,response,trim", "request 3", "flush"),
        ("volume,response,trim,flush", "request 4", "time"),
    ] {
        let error = convert(&input, &output, Some("msr"), lossy).unwrap_err();
        assert!(error.contains(&format!("{request} does not fit the format msr")), "{error}");
        assert!(error.contains(&format!("lossy = \"{losses}\"")), "{error}");
        assert!(!output.exists(), "nothing half-written");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no temporary file is left");
    let written = convert(&input, &output, Some("msr"), "time,volume,response,trim,flush").unwrap();
    // The first time is 0 after rebasing.
    let lost: Vec<(&str, u64)> = written.lost.into_iter().collect();
    assert_eq!(lost, [("flush", 1), ("response", 2), ("time", 1), ("trim", 1), ("volume", 2)]);
    assert_eq!(written.requests, 2);
    let text = std::fs::read_to_string(&output).unwrap();
    assert_eq!(text, "0,trace,0,Write,4096,4096,0\n28,trace,0,Read,8192,4096,0\n");
    assert_eq!(written.bytes, text.len() as u64);
}

/// What `info` tells of both events is in no file made of one of them.
#[test]
fn service_times_of_a_recording_are_counted_as_lost() {
    let folder = tempfile::tempdir().unwrap();
    let issue = "  8,0 1 1 0.000000000 9 D W 8 + 8 [a]\n";
    let both = input(&folder, "both.blkparse", &format!("{issue}  8,0 1 2 0.000002000 9 C W 8 + 8 [0]\n"));
    let alone = input(&folder, "alone.blkparse", issue);
    let output = folder.path().join("out.parquet");
    assert_eq!(
        convert(&both, &output, None, "").unwrap().lost.into_iter().collect::<Vec<_>>(),
        [("response", 1)]
    );
    assert!(convert(&alone, &output, None, "").unwrap().lost.is_empty());
}

#[test]
fn outputs_are_compressed_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let input = input(&folder, "a.csv", &msr_lines(500));
    let expected = read_entries(&input, &TraceOptions::default());
    for name in ["a.csv.gz", "a.csv.zst", "a.csv.xz", "b.csv"] {
        let output = folder.path().join(name);
        let written = convert(&input, &output, Some("msr"), "").unwrap();
        assert_eq!(written.bytes, output.metadata().unwrap().len(), "{name}");
        if !name.ends_with(".xz") {
            assert_eq!(read_entries(output.to_str().unwrap(), &TraceOptions::default()), expected, "{name}");
        }
    }
}

#[test]
fn bad_outputs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let input = input(&folder, "a.csv", &msr_lines(3));
    for (output, format, expected) in [
        ("out.csv", None, "the name does not tell the format; name one: parquet, msr, spc"),
        ("out.csv", Some("vscsi"), "\"vscsi\" is not allowed; allowed: a format that can be written"),
        ("missing/out.parquet", None, "cannot be written"),
        ("", None, "Is a directory"),
        ("a.parquet.gz", None, "compressed inside"),
    ] {
        let error = convert(&input, &folder.path().join(output), format, "").unwrap_err();
        assert!(error.contains(expected), "{output}: {error}");
    }
}

#[test]
fn what_fails_or_is_cancelled_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let bad = input(&folder, "bad.csv", &format!("{}x,hm\n", msr_lines(20_000)));
    let output = folder.path().join("out.parquet");
    std::fs::write(&output, "old").unwrap();
    let error = convert(&bad, &output, None, "").unwrap_err();
    assert!(error.contains("bad.csv:20001:"), "{error}");
    let conversion = Conversion::of(vec![bad], &TraceOptions::default());
    let mut calls = 0;
    let result =
        conversion.write(output.to_str().unwrap(), &WriteOptions::default(), &mut |_, done, total| {
            calls += 1;
            assert!(done <= total);
            calls < 3
        });
    assert_eq!(result.unwrap_err().to_string(), "cancelled");
    assert_eq!(std::fs::read(&output).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn a_label_is_kept_or_lost_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.txt").to_str().unwrap().to_owned();
    let mut options = WriteOptions { format: Some("mqsim".to_owned()), ..WriteOptions::default() };
    let label = Some("twin of hm_0");
    let error = slcache_traces::TraceWriter::create(&output, &options, label).err().unwrap().to_string();
    assert!(error.contains("no place to say that the trace is a twin of hm_0; lossy = \"label\""), "{error}");
    options.lossy = Losses::parse("label").unwrap();
    assert!(slcache_traces::TraceWriter::create(&output, &options, label).is_ok());
}
