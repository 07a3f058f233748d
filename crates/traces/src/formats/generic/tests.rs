use super::*;
use crate::formats::rwbs::SKIPPED_PASS_THROUGH;
use crate::options::generic::{ColumnReference, GenericColumns, NamedUnit, TimeUnit, UnitBytes};

fn columns() -> GenericColumns {
    let text = r#"{"time": 6, "time_unit": "s", "address": 4, "address_unit": "sector",
        "size": 5, "size_unit": "sector", "op": 3, "ops": {"R": "read", "W": "write", "D": "trim", "F": "flush"}}"#;
    serde_json::from_str(text).unwrap()
}

fn parser(columns: GenericColumns) -> Result<Generic, TraceError> {
    Generic::new(&TraceOptions { generic: Some(columns), ..TraceOptions::default() })
}

#[test]
fn the_documented_line() {
    let mut parser = parser(columns()).unwrap();
    let Ok(Record::Request(raw)) = parser.record(FORMAT.example.as_bytes()) else {
        panic!("not a request");
    };
    let expected = RawRequest::plain(5_218_127_730_127_000, (3_103_800, 32), HostOp::Read, b"");
    assert_eq!(raw, expected);
    let flush = parser.record(b"x,1,F,,,7.5").unwrap();
    assert_eq!(flush, Record::Request(RawRequest::new(7_500_000_000, HostOp::Flush, b"")));
}

#[test]
fn columns_of_blkparse() {
    let text = r#"{"delimiter": "whitespace", "time": 1, "time_unit": "s", "nanoseconds": 2, "op": 3,
        "address": 4, "address_unit": "sector", "size": 5, "size_unit": "byte"}"#;
    let mut parser = parser(serde_json::from_str(text).unwrap()).unwrap();
    fn parsed<'a>(parser: &mut Generic, line: &'a str) -> Result<Record<'a>, String> {
        parser.record(line.as_bytes()).map_err(|fault| fault.to_string())
    }
    let plain = |op| RawRequest::plain(3_000_000_850, (2048, 8), op, b"");
    for (op, expected) in [
        ("WS", plain(HostOp::Write)),
        ("RAM", plain(HostOp::Read)),
        ("DS", plain(HostOp::Trim)),
        ("FWFS", RawRequest { flush_before: true, forced_unit_access: true, ..plain(HostOp::Write) }),
    ] {
        let line = format!("    3 850 {op} 2048 4096 ");
        assert_eq!(parsed(&mut parser, &line), Ok(Record::Request(expected)), "{op}");
    }
    let flush = RawRequest::new(3_000_000_850, HostOp::Flush, b"");
    assert_eq!(parsed(&mut parser, "3 000000850 FN 0 0"), Ok(Record::Request(flush)));
    assert_eq!(parsed(&mut parser, "3 0 N 0 0"), Ok(Record::Skipped(SKIPPED_PASS_THROUGH)));
    assert!(parsed(&mut parser, "3 0 WS 8 0").unwrap_err().contains("column 5 (size): a request of size 0"));
    assert!(parsed(&mut parser, "3 0 x 8 512").unwrap_err().contains("write, or RWBS of Linux such as WS"));
}

#[test]
fn what_data_frames_write() {
    let text = r#"{"header": true, "time": "at, s", "time_unit": "s", "op": "op",
        "address": "address", "address_unit": "byte", "size": "size", "size_unit": "byte"}"#;
    let mut parser = parser(serde_json::from_str(text).unwrap()).unwrap();
    let header = br#""","name","at, s","op","address",size"#;
    assert_eq!(parser.record(header), Ok(Record::Skipped(SKIPPED_HEADER)));
    let expected = RawRequest::plain(1850, (8, 8), HostOp::Write, b"");
    for line in [
        r#""1","a, b",0.00000185,"W",4096,4096"#,
        r#"1,"a ""b, c"" d",1.85e-06,W,4096.0,4.096e+03"#,
        r#" "1" , 5" x, 0:0:0.00000185, "W" ,"4096","4096" "#,
        r#"1,"x,0.00000185,W,4096,4096"#,
    ] {
        assert_eq!(parser.record(line.as_bytes()), Ok(Record::Request(expected)), "{line}");
    }
    for (line, expected) in [
        (r#""1","a",b,0.1,W,4096,4096"#, "7 columns where 6"),
        (r#"1,a,0.1,W,4096.5,4096"#, "column 5 (address): \"4096.5\""),
        (r#"1,a,-1e-6,W,4096,4096"#, "column 3 (time): \"-1e-6\""),
    ] {
        let message = parser.record(line.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(expected), "{line}: {message}");
    }
}

#[test]
fn a_hint_is_a_number_or_none() {
    let declared = GenericColumns { hint: Some(ColumnReference::Number(7)), ..columns() };
    let mut parser = parser(declared).unwrap();
    for (text, expected) in [("", Ok(0)), ("3", Ok(3)), ("0xff", Ok(255)), ("256", Err(())), ("hot", Err(()))]
    {
        let line = format!("p,1,W,8,8,1.0,{text}");
        match (parser.record(line.as_bytes()), expected) {
            (Ok(Record::Request(raw)), Ok(hint)) => assert_eq!(raw.hint, hint, "{line}"),
            (Err(fault), Err(())) => assert!(fault.to_string().contains("column 7 (hint)"), "{fault}"),
            other => panic!("{line}: {other:?}"),
        }
    }
}

#[test]
fn a_header_names_the_columns() {
    let name = |text: &str| ColumnReference::Name(text.to_owned());
    let declared = GenericColumns {
        header: true,
        delimiter: "whitespace".to_owned(),
        time: name("timestamp"),
        time_unit: TimeUnit::Filetime,
        address: name("page"),
        address_unit: UnitBytes::Bytes(4096),
        size: name("bytes"),
        size_unit: UnitBytes::Named(NamedUnit::Byte),
        op: name("rw"),
        stream: Some(name("disk")),
        ..columns()
    };
    let mut parser = parser(declared.clone()).unwrap();
    let header = b"disk timestamp rw  page bytes note";
    assert_eq!(parser.record(header), Ok(Record::Skipped(SKIPPED_HEADER)));
    let Ok(Record::Request(raw)) = parser.record(b"sda 12 W 3 1024 x") else {
        panic!("not a request");
    };
    assert_eq!(raw, RawRequest::plain(1200, (24, 2), HostOp::Write, b"sda"));
    let message = parser.record(b"sda 12 W 3 1024").unwrap_err().to_string();
    assert!(message.contains("5 columns where 6, as in the first line"), "{message}");
    let mut parser = self::parser(declared).unwrap();
    for line in ["disk time rw page bytes", "sda 12 W 3 1024"] {
        let message = parser.record(line.as_bytes()).unwrap_err().to_string();
        assert!(message.contains("names column \"timestamp\" (time) once"), "{line}: {message}");
    }
    assert_eq!(parser.record(header), Ok(Record::Skipped(SKIPPED_HEADER)));
}

#[test]
fn bad_fields_are_named() {
    let cases = [
        ("p,1,R,-1,8,1.0", "column 4 (address): \"-1\""),
        ("p,1,R,36028797018963968,8,1.0", "column 4 (address)"),
        ("p,1,R,1,8.5,1.0", "column 5 (size): \"8.5\""),
        ("p,1,R,1,0,1.0", "column 5 (size): a request of size 0"),
        ("p,1,R,1,8,1e3s", "column 6 (time): \"1e3s\""),
        ("p,1,0,1,8,1.0", "column 3 (op): \"0\" is not one of the codes declared: D, F, R, W"),
        ("p,1,R,1,8", "5 columns where at least 6"),
    ];
    for (line, expected) in cases {
        let message = parser(columns()).unwrap().record(line.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(expected), "{line}: {message}");
    }
}

#[test]
fn lines_that_are_no_records_are_left_out() {
    let declared = GenericColumns {
        delimiter: ";".to_owned(),
        skip_lines: 2,
        comment: Some("//".to_owned()),
        keep_column: Some(ColumnReference::Number(7)),
        keep_value: Some("D".to_owned()),
        ..columns()
    };
    let mut parser = parser(declared).unwrap();
    for (line, expected) in [
        ("Anybody may use these lines.", SKIPPED_NOTE),
        ("", SKIPPED_NOTE),
        ("  // a comment", SKIPPED_NOTE),
        ("x;;R;0;8;1.0;Q;9", SKIPPED_OTHER),
        ("a row of another kind", SKIPPED_OTHER),
        (" \t", SKIPPED_EMPTY),
    ] {
        assert_eq!(parser.record(line.as_bytes()), Ok(Record::Skipped(expected)), "{line:?}");
    }
    let expected = RawRequest::plain(1_000_000_000, (0x800, 8), HostOp::Write, b"");
    assert_eq!(parser.record(b"x ; ; W ; 0x800 ; 8 ; 1.0 ; D"), Ok(Record::Request(expected)));
    let message = parser.record(b"x;;W;0x8g;8;1.0;D").unwrap_err().to_string();
    assert!(message.contains("column 4 (address): \"0x8g\""), "{message}");
    let message = parser.record(b"x;;W;8;8;1.0;D;9").unwrap_err().to_string();
    assert!(message.contains("8 columns where 7, as in the first line"), "{message}");
}

#[test]
fn the_column_that_tells_requests_may_have_a_name_and_hold_something_else() {
    let name = |text: &str| Some(ColumnReference::Name(text.to_owned()));
    let declared = GenericColumns {
        header: true,
        keep_column: name("rw"),
        keep_value: Some("W".to_owned()),
        op: ColumnReference::Name("rw".to_owned()),
        ..columns()
    };
    let mut parser = parser(declared).unwrap();
    assert_eq!(parser.record(b"p,d,rw,lba,size,time"), Ok(Record::Skipped(SKIPPED_HEADER)));
    assert_eq!(parser.record(b"p,1,R,8,8,1.0"), Ok(Record::Skipped(SKIPPED_OTHER)));
    assert!(matches!(parser.record(b"p,1,W,8,8,1.0"), Ok(Record::Request(_))));
}

#[test]
fn bad_declarations_are_refused() {
    let refused = |change: fn(&mut GenericColumns), expected: &str| {
        let mut declared = columns();
        change(&mut declared);
        let message = parser(declared).err().expect(expected).to_string();
        assert!(message.contains(expected), "{message}");
    };
    refused(|columns| columns.delimiter = "::".to_owned(), "generic.delimiter");
    refused(|columns| columns.time = ColumnReference::Number(0), "from 1 to 65536");
    refused(|columns| columns.time = ColumnReference::Number(usize::MAX), "from 1 to 65536");
    refused(|columns| columns.time = ColumnReference::Number(4), "only once");
    refused(|columns| columns.op = ColumnReference::Name("rw".to_owned()), "header = false");
    refused(|columns| columns.size_unit = UnitBytes::Bytes(1000), "multiple of 512");
    refused(|columns| columns.ops.clear(), "at least one code");
    refused(|columns| columns.keep_value = Some("D".to_owned()), "generic.keep_column");
    refused(|columns| columns.comment = Some(String::new()), "generic.comment");
    assert!(Generic::new(&TraceOptions::default()).is_err());
}

#[test]
fn response_times_may_be_missing_and_have_their_own_unit() {
    let declared = GenericColumns {
        response: Some(ColumnReference::Number(7)),
        response_unit: Some(TimeUnit::Us),
        ..columns()
    };
    let mut parser = parser(declared.clone()).unwrap();
    let line = |response: &str| format!("p,1,R,8,8,1.0,{response}");
    for (field, expected) in [("12.5", Some(12_500)), ("0", Some(0)), ("", None)] {
        let text = line(field);
        let Ok(Record::Request(raw)) = parser.record(text.as_bytes()) else { panic!("{text}") };
        assert_eq!(raw.response_ns, expected, "{text}");
    }
    let error = parser.record(line("x").as_bytes()).unwrap_err().to_string();
    assert!(error.contains("column 7 (response): \"x\""), "{error}");
    let alone = GenericColumns { response: None, ..declared };
    assert!(self::parser(alone).is_err(), "a unit without a column");
}
