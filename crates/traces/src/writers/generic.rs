//! Delimited text of slcache's own columns, with a header line; all that a trace says.

use super::{as_written, Buffer, FormatPlaces, Response, TextFormat, VolumeNames, WritableLine};
use crate::options::TraceOptions;
use slcache_base::request::HostOp;

pub(super) fn format() -> TextFormat {
    TextFormat {
        name: "generic",
        header: "at_ns,volume,op,sector,sectors,response_ns,hint\n".to_owned(),
        places: FormatPlaces {
            trims: true,
            flushes: true,
            hints: true,
            response: Response::Optional,
            ..FormatPlaces::transfers(1, VolumeNames::Field)
        },
        lines: Box::new(line),
        read_back: read_back(),
    }
}

fn read_back() -> TraceOptions {
    let columns = serde_json::json!({
        "header": true, "ops": { "R": "read", "W": "write", "T": "trim", "F": "flush" },
        "time": "at_ns", "time_unit": "ns", "response": "response_ns", "response_unit": "ns",
        "address": "sector", "address_unit": "sector", "size": "sectors", "size_unit": "sector",
        "op": "op", "stream": "volume", "hint": "hint",
    });
    let columns = serde_json::from_value(columns).expect("the columns are those of a declaration");
    TraceOptions { generic: Some(columns), ..as_written("generic") }
}

fn line(line: &WritableLine<'_>, out: &mut Buffer) {
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
