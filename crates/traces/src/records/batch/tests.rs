use super::*;
use crate::error::FileFault;
use crate::formats::{Format, Record, FORMATS};
use crate::options::{TraceOptions, Unsorted, VolumeChoice, ZeroSize};
use crate::stored::input::Input;
use crate::summary::TraceSummary;
use proptest::prelude::*;
use std::io::{Seek, Write};

/// A parser that looks at every line on its own.
struct OneByOne(Box<dyn RowParser>);

impl RecordParser for OneByOne {
    fn record<'a>(&mut self, line: &'a [u8]) -> Result<Record<'a>, LineFault> {
        self.0.record(line)
    }
}

/// The requests, the faults with their lines, and the counts.
type Outcome = (Vec<TraceEntry>, Vec<String>, TraceSummary);

/// Reads all lines, going on behind a faulty one.
fn outcome(mut parser: Box<dyn RowParser>, checker: Checker, text: &[u8], max: usize) -> Outcome {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text).unwrap();
    file.rewind().unwrap();
    let mut records = RecordReader::new("trace".to_owned(), Input::of_copy("trace", file).unwrap());
    let (mut checker, mut entries, mut faults) = (checker, Vec::new(), Vec::new());
    loop {
        let mut out = Vec::new();
        let batch = Batch { records: &mut records, checker: &mut checker, out: &mut out, max, left: max };
        let more = parser.take(batch);
        entries.extend(out);
        match more {
            Ok(true) => {}
            Ok(false) => break,
            Err(error @ TraceError::File { fault: FileFault::Empty, .. }) => {
                faults.push(error.to_string());
                break;
            }
            Err(error) => faults.push(error.to_string()),
        }
    }
    checker.update_summary(records.record());
    (entries, faults, checker.summary().clone())
}

fn options(unsorted: Unsorted, volume: VolumeChoice, rebase: bool) -> TraceOptions {
    let volume = Some(volume);
    TraceOptions { unsorted, volume, rebase: Some(rebase), zero_size: ZeroSize::Skip, ..Default::default() }
}

/// The formats of lines whose columns need not be declared.
fn lines_formats() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(|format| format.text && !format.takes_columns)
}

fn parser(format: &Format, options: &TraceOptions) -> Box<dyn RowParser> {
    (format.build)(options).unwrap()
}

/// In a row as one by one.
fn check(format: &Format, options: &TraceOptions, text: &[u8], max: usize) {
    let one_by_one = Box::new(OneByOne(parser(format, options)));
    let expected = outcome(one_by_one, format.checker(options), text, max);
    let found = outcome(parser(format, options), format.checker(options), text, max);
    assert_eq!(found, expected, "{} {options:?} {}", format.name, String::from_utf8_lossy(text));
}

/// Changes to a line: at a place, something is put over so many bytes.
type Changes = Vec<(usize, usize, &'static str)>;

fn changes() -> impl Strategy<Value = Changes> {
    let put = prop::sample::select(vec![
        "",
        "0",
        "7",
        "9",
        " ",
        "  ",
        "\t",
        ",",
        ".",
        "\r",
        "\n",
        "-",
        "x",
        "R",
        "W",
        "\0",
        "\u{c}",
        "1000",
        "99999999999999999999",
        "\r\n",
    ]);
    prop::collection::vec((0..60usize, 0..3usize, put), 0..3)
}

fn changed(line: &str, changes: &[(usize, usize, &str)]) -> Vec<u8> {
    let mut bytes = line.as_bytes().to_vec();
    for &(place, over, put) in changes {
        let start = place.min(bytes.len());
        bytes.splice(start..(start + over).min(bytes.len()), put.bytes());
    }
    bytes
}

/// Changed lines with their ends.
fn lines() -> impl Strategy<Value = Vec<(Changes, &'static str)>> {
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", " \n", "\r\r\n", ""]);
    prop::collection::vec((prop_oneof![2 => Just(Vec::new()), 1 => changes()], end), 1..12)
}

fn any_unsorted() -> impl Strategy<Value = Unsorted> {
    prop::sample::select(vec![Unsorted::Error, Unsorted::Keep, Unsorted::Sort(2)])
}

fn any_volume() -> impl Strategy<Value = VolumeChoice> {
    let named = VolumeChoice::Named("0".to_owned());
    prop::sample::select(vec![VolumeChoice::Error, VolumeChoice::Merge, VolumeChoice::Each, named])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lines_in_a_row_are_what_they_are_one_by_one(
        lines in lines(),
        unsorted in any_unsorted(),
        volume in any_volume(),
        rebase in any::<bool>(),
        max in prop::sample::select(vec![1usize, 3, 4096]),
    ) {
        for format in lines_formats() {
            // Of fio's example the first line is needed once.
            let (header, line) = format.example.split_once('\n').unwrap_or(("", format.example));
            let mut text = header.as_bytes().to_vec();
            text.extend(if header.is_empty() { "" } else { "\n" }.bytes());
            for (changes, end) in &lines {
                text.extend(changed(line, changes));
                text.extend(end.bytes());
            }
            check(format, &options(unsorted, volume.clone(), rebase), &text, max);
        }
    }

    #[test]
    fn what_is_quick_is_the_line_on_its_own(changes in changes(), end in prop::sample::select(vec!["\n", "\r\n"])) {
        for format in lines_formats() {
            let (header, line) = format.example.split_once('\n').unwrap_or(("", format.example));
            let mut parser = parser(format, &TraceOptions::default());
            if !header.is_empty() {
                parser.record(header.as_bytes()).unwrap();
            }
            let line = changed(line, &changes);
            let text = [&line, end.as_bytes(), b"1,2 3\n"].concat();
            if let Some((record, behind)) = parser.quick(&text) {
                let line = text[..text.len() - behind.len()].strip_suffix(b"\n").unwrap();
                prop_assert!(!line.contains(&b'\n'), "{} {line:?}", format.name);
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                prop_assert_eq!(parser.record(line), Ok(record));
            }
        }
    }
}

/// Formats of which each line is taken apart with care.
const CAREFUL: [&str; 4] = ["ftrace", "blkreplay", "biosnoop", "xperf"];

#[test]
fn examples_need_no_closer_look() {
    for format in lines_formats().filter(|format| !CAREFUL.contains(&format.name)) {
        let (header, line) = format.example.split_once('\n').unwrap_or(("", format.example));
        let mut parser = parser(format, &TraceOptions::default());
        if !header.is_empty() {
            parser.record(header.as_bytes()).unwrap();
        }
        // The first record may be told from the notes above it.
        parser.record(line.as_bytes()).unwrap();
        for end in ["\n", "\r\n"] {
            let text = format!("{line}{end}x");
            let (_, behind) = parser.quick(text.as_bytes()).expect(format.name);
            assert_eq!(behind, b"x", "{}", format.name);
            // Without its end nobody knows whether a line goes on.
            assert_eq!(parser.quick(line.as_bytes()), None, "{}", format.name);
        }
    }
}

#[test]
fn lines_across_blocks_are_whole() {
    for format in lines_formats() {
        let (header, line) = format.example.split_once('\n').unwrap_or(("", format.example));
        let header = if header.is_empty() { String::new() } else { format!("{header}\n") };
        let text = header.clone() + &format!("{line}\n").repeat(600_000 / line.len());
        let options = options(Unsorted::Keep, VolumeChoice::Error, true);
        check(format, &options, text.as_bytes(), 4096);
        let (entries, faults, summary) =
            outcome(parser(format, &options), format.checker(&options), text.as_bytes(), 4096);
        assert_eq!((entries.len(), faults.len()), (600_000 / line.len(), 0), "{}", format.name);
        assert_eq!(summary.lines, text.lines().count() as u64);
    }
}
