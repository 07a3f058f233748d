//! Loads of blkreplay: `start ; sector; length ; op ;  replay_delay ; replay_duration` below free text.
//!
//! Seconds from the start, 512-byte sectors, R or W. The last two columns are 0 in a load and measured
//! in the result of a replay.

use super::layout::ColumnPart;
use super::table::{self, Table};
use super::Format;
use crate::options::BlkparseAction;

pub(super) const FORMAT: Format = Format {
    name: "blkreplay",
    about: "blkreplay load, below its header: seconds, 512 B sector, sectors, R/W, replay delay and duration (response) in seconds",
    example: "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n      0.449518165 ;     37766917 ;   14 ; W ; 0.0 ; 0.0",
    extensions: &["load", "txt"],
    rebases: false,
    ..Format::of(|options| table::build(&TABLE, options, BlkparseAction::D))
};

const COLUMNS: &str = "start ; sector ; length ; op ; replay_delay ; replay_duration";

static TABLE: Table = Table {
    separator: Some(b';'),
    columns: &[
        ("start", ColumnPart::Time, 1_000_000_000),
        ("sector", ColumnPart::Address, 512),
        ("length", ColumnPart::Size, 512),
        ("op", ColumnPart::Op, 0),
        ("replay_duration", ColumnPart::Response, 1_000_000_000),
    ],
    time_of_day: None,
    free: None,
    kinds: None,
    assumed_header: Some(COLUMNS),
    notes: &["#"],
    completes: false,
    zero_flushes: false,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::lines::tests::{below, below_with};
    use crate::formats::RawRequest;
    use crate::options::TraceOptions;
    use slcache_base::request::HostOp;

    const HEADER: &[&str] = &[
        "Copying is permitted; see below.",
        "#####",
        "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0",
    ];

    #[test]
    fn requests_below_the_licence() {
        let write = RawRequest::plain(449_518_165, (37_766_917, 14), HostOp::Write, b"");
        assert_eq!(
            below(&FORMAT, HEADER, "      0.449518165 ;     37766917 ;   14 ; W ; 0.0 ; 0.0"),
            Ok(write)
        );
        let twice = [HEADER, HEADER].concat();
        assert_eq!(below(&FORMAT, &twice, "0.449518165 ; 37766917 ; 14 ; W ; 0.0 ; 0.0"), Ok(write));
        let read = RawRequest { op: HostOp::Read, response_ns: Some(1_500_000), ..write };
        assert_eq!(below(&FORMAT, HEADER, "0.449518165 ; 37766917 ; 14 ; R ; 0.1 ; 0.0015"), Ok(read));
    }

    #[test]
    fn a_file_named_as_of_this_format_may_lack_the_header() {
        let line = "0.449518165 ; 37766917 ; 14 ; w ; 0.0 ; 0.0";
        let write = RawRequest::plain(449_518_165, (37_766_917, 14), HostOp::Write, b"");
        let named = TraceOptions::with_format("blkreplay");
        assert_eq!(below_with(&FORMAT, &named, &["A licence."], line), Ok(write));
        let short = below_with(&FORMAT, &named, &[], "0.449518165 ; 37766917 ; 14 ; w").unwrap_err();
        assert!(short.contains("4 columns where 6"), "{short}");
        assert_eq!(below(&FORMAT, &[], line).unwrap_err(), "note");
    }

    #[test]
    fn bad_lines_are_named() {
        for (line, expected) in [
            ("-1 ; 8 ; 8 ; W ; 0.0 ; 0.0", "column 1 (start): \"-1\""),
            ("1.0 ; 8.5 ; 8 ; W ; 0.0 ; 0.0", "column 2 (sector): \"8.5\""),
            ("1.0 ; 8 ; -8 ; W ; 0.0 ; 0.0", "column 3 (length): \"-8\""),
            ("1.0 ; 8 ; 0 ; W ; 0.0 ; 0.0", "column 3 (length): a request of size 0"),
            ("1.0 ; 8 ; 8 ; X ; 0.0 ; 0.0", "column 4 (RWBS): \"X\""),
            ("1.0 ; 8 ; 8 ; W ; 0.0 ; x", "column 6 (replay_duration): \"x\""),
            ("1.0 ; 8 ; 8 ; W ; 0.0", "5 columns where 6, as in the header"),
        ] {
            let message = below(&FORMAT, HEADER, line).unwrap_err();
            assert!(message.contains(expected), "{line}: {message}");
        }
    }
}
