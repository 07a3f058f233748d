//! Delimited text of slcache's own columns, with a header line; all that a trace says.

use super::{as_written, Buffer, Line, Places, Response, TextFormat, VolumeNames};
use crate::options::generic::{ColumnReference, GenericColumns, OpName, TimeUnit, UnitBytes};
use crate::options::TraceOptions;
use slcache_base::request::HostOp;

pub(super) fn format() -> TextFormat {
    TextFormat {
        name: "generic",
        header: "at_ns,volume,op,sector,sectors,response_ns,hint\n".to_owned(),
        places: Places {
            trims: true,
            flushes: true,
            hints: true,
            response: Response::Optional,
            ..Places::transfers(1, VolumeNames::Field)
        },
        lines: Box::new(line),
        read_back: read_back(),
    }
}

fn read_back() -> TraceOptions {
    let column = |name: &str| ColumnReference::Name(name.to_owned());
    let ops = [("R", OpName::Read), ("W", OpName::Write), ("T", OpName::Trim), ("F", OpName::Flush)];
    let columns = GenericColumns {
        delimiter: ",".to_owned(),
        header: true,
        skip_lines: 0,
        comment: None,
        keep_column: None,
        keep_value: None,
        time: column("at_ns"),
        time_unit: TimeUnit::Ns,
        address: column("sector"),
        address_unit: UnitBytes::SECTOR,
        size: column("sectors"),
        size_unit: UnitBytes::SECTOR,
        op: column("op"),
        ops: ops.map(|(code, op)| (code.to_owned(), op)).into(),
        stream: Some(column("volume")),
        response: Some(column("response_ns")),
        hint: Some(column("hint")),
        response_unit: Some(TimeUnit::Ns),
    };
    TraceOptions { generic: Some(columns), ..as_written("generic") }
}

fn line(line: &Line<'_>, out: &mut Buffer) {
    let request = line.request;
    let op = match request.op {
        HostOp::Read => "R",
        HostOp::Write => "W",
        HostOp::Trim => "T",
        HostOp::Flush => "F",
    };
    out.number(line.at_ns).text(",").text(line.volume).text(",").text(op).text(",");
    out.number(request.sector).text(",").number(u64::from(request.sectors)).text(",");
    if let Some(response_ns) = line.response_ns {
        out.number(response_ns);
    }
    out.text(",").number(u64::from(request.hint)).text("\n");
}
