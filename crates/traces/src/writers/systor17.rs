//! SYSTOR '17: `Timestamp,Response,IOType,LUN,Offset,Size` with a header line.

use super::{as_written, Buffer, Holds, Line, Response, TextFormat, VolumeNames};
use slcache_base::request::{HostOp, SECTOR_BYTES};

pub(super) const FORMAT: TextFormat = TextFormat {
    name: "systor17",
    header: "Timestamp,Response,IOType,LUN,Offset,Size\n",
    holds: Holds { response: Response::Optional, ..Holds::transfers(1, VolumeNames::Number) },
    build: || Box::new(line),
    read_back: || as_written("systor17"),
};

fn line(line: &Line<'_>, out: &mut Buffer) {
    let request = line.request;
    let op = if request.op == HostOp::Read { "R" } else { "W" };
    out.decimal(line.at_ns, 9).text(",");
    if let Some(response_ns) = line.response_ns {
        out.decimal(response_ns, 9);
    }
    out.text(",").text(op).text(",").text(line.volume).text(",");
    out.number(request.sector * SECTOR_BYTES).text(",").number(request.bytes()).text("\n");
}
