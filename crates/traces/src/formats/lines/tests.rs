//! What the tests of every format of lines do.

use super::fields::LineFields;
use super::{LineContent, LineFormat};
use crate::error::LineFault;
use crate::fields::scan::{TextBlock, WholeText};
use crate::formats::{Format, RawRequest, Record};
use crate::options::TraceOptions;
use slcache_base::request::HostOp;

impl<'a> RawRequest<'a> {
    /// A request of so many sectors from one on, without any of the notes.
    pub(crate) fn plain(at_ns: u64, (sector, sectors): (u64, u32), op: HostOp, volume: &'a [u8]) -> Self {
        Self { sector, sectors, ..Self::new(at_ns, op, volume) }
    }
}

/// What a format makes of a line, with the options as they are by default.
pub(in crate::formats) fn parse<'a>(format: &Format, line: &'a str) -> Result<Record<'a>, LineFault> {
    parse_with(format, &TraceOptions::default(), line)
}

/// What a format makes of a line with these options.
pub(in crate::formats) fn parse_with<'a>(
    format: &Format,
    options: &TraceOptions,
    line: &'a str,
) -> Result<Record<'a>, LineFault> {
    (format.build)(options).unwrap().record(line.as_bytes())
}

/// The request in a line below others, or what is said of it; with the options as they are by default.
pub(in crate::formats) fn below(
    format: &Format,
    above: &[&str],
    line: &str,
) -> Result<RawRequest<'static>, String> {
    let options = TraceOptions { rebase: Some(false), ..TraceOptions::default() };
    below_with(format, &options, above, line)
}

/// The request in a line below others, or what is said of it.
pub(in crate::formats) fn below_with(
    format: &Format,
    options: &TraceOptions,
    above: &[&str],
    line: &str,
) -> Result<RawRequest<'static>, String> {
    let mut parser = (format.build)(options).unwrap();
    for line in above {
        assert!(matches!(parser.record(line.as_bytes()), Ok(Record::Skipped(_))), "{line}");
    }
    match parser.record(line.to_owned().leak().as_bytes()) {
        Ok(Record::Request(raw)) => Ok(raw),
        Ok(Record::Skipped(reason)) => Err(reason.to_owned()),
        Ok(other) => Err(format!("{other:?}")),
        Err(fault) => Err(fault.to_string()),
    }
}

/// What may stand in a field instead: around what 64 bits hold, with zeros before it, nothing, and
/// what is no number.
const VALUES: &[&str] = &[
    "9999999999999999999",
    "18446744073709551615",
    "18446744073709551616",
    "1000000000000000000000000000000",
    "007",
    "000000000000000000000000000007",
    "0.00000000000000000000000000007",
    "",
    " ",
    " 7",
    "7 ",
    "-1",
    "+1",
    "1.5",
];

/// Lines that one pass takes are the same field by field, and so is whatever it takes of the same
/// lines with another value in any field.
pub(in crate::formats) fn both_ways_agree<F: LineFormat>(lines: &[&str]) {
    for line in lines {
        let (quick, _) = F::quick::<WholeText>(line.as_bytes()).expect(line);
        assert_eq!(F::careful(line.as_bytes()), Ok(LineContent::Line(quick)), "{line}");
    }
    let changed: Vec<String> = lines.iter().flat_map(|line| changed::<F>(line)).collect();
    assert!(!changed.is_empty(), "no line has a field for each column");
    changed.iter().for_each(|line| quick_is_careful::<F>(line));
}

/// A line with each value in the place of each field.
fn changed<F: LineFormat>(line: &str) -> Vec<String> {
    // A line of FIU may have a field more.
    let Ok(fields) = LineFields::split(F::COLUMNS, line.as_bytes()) else { return Vec::new() };
    let places = (1..=F::COLUMNS.columns.len()).map(|column| {
        let field = fields.get(column);
        let start = field.as_ptr().addr() - line.as_ptr().addr();
        start..start + field.len()
    });
    let with = |place: std::ops::Range<usize>, value: &&str| {
        format!("{}{value}{}", &line[..place.start], &line[place.end..])
    };
    places.flat_map(|place| VALUES.iter().map(move |value| with(place.clone(), value))).collect()
}

/// What one pass takes of a line, alone or among others, is what is found field by field.
fn quick_is_careful<F: LineFormat>(line: &str) {
    let careful = F::careful(line.as_bytes());
    let among = format!("{line}\n");
    let alone = F::quick::<WholeText>(line.as_bytes()).map(|(found, _)| found);
    let followed = F::quick::<TextBlock>(among.as_bytes()).map(|(found, _)| found);
    for quick in [alone, followed].into_iter().flatten() {
        assert_eq!(careful, Ok(LineContent::Line(quick)), "{line}");
    }
}

/// Lines that need a closer look.
pub(in crate::formats) fn only_careful<F: LineFormat>(lines: &[&str]) {
    for line in lines {
        assert_eq!(F::quick::<WholeText>(line.as_bytes()), None, "{line}");
        assert!(F::careful(line.as_bytes()).is_ok(), "{line}");
    }
}

/// Bad lines with what the message says of each.
pub(in crate::formats) fn refused(format: &Format, options: &TraceOptions, cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        let message = parse_with(format, options, line).unwrap_err().to_string();
        assert!(message.contains(expected), "{line}: {message}");
    }
}
