//! What the tests of every format of lines do.

use super::{Found, LineFormat};
use crate::error::LineFault;
use crate::formats::{Format, Record};
use crate::line_end::Alone;
use crate::options::TraceOptions;

/// What a format makes of a line, with the options as they are by default.
pub(in crate::formats) fn parse<'a>(format: &Format, line: &'a str) -> Result<Record<'a>, LineFault> {
    parse_with(format, &TraceOptions::default(), line)
}

/// The same with other options.
pub(in crate::formats) fn parse_with<'a>(
    format: &Format,
    options: &TraceOptions,
    line: &'a str,
) -> Result<Record<'a>, LineFault> {
    (format.build)(options).unwrap().record(line.as_bytes())
}

/// Lines that one pass takes are the same field by field.
pub(in crate::formats) fn both_ways_agree<F: LineFormat>(lines: &[&str]) {
    for line in lines {
        let (quick, _) = F::quick::<Alone>(line.as_bytes()).expect(line);
        assert_eq!(F::careful(line.as_bytes()), Ok(Found::Line(quick)), "{line}");
    }
}

/// Lines that need a closer look.
pub(in crate::formats) fn only_careful<F: LineFormat>(lines: &[&str]) {
    for line in lines {
        assert_eq!(F::quick::<Alone>(line.as_bytes()), None, "{line}");
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
