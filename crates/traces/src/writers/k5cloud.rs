//! Fujitsu K5 cloud: `ID,Timestamp,Type,Offset,Length`.

use super::{as_written, Buffer, Holds, Line, TextFormat, VolumeNames};
use slcache_base::request::{HostOp, SECTOR_BYTES};

pub(super) const FORMAT: TextFormat = TextFormat {
    name: "k5cloud",
    header: "",
    holds: Holds::transfers(1, VolumeNames::Number),
    build: || Box::new(line),
    read_back: || as_written("k5cloud"),
};

fn line(line: &Line<'_>, out: &mut Buffer) {
    let request = line.request;
    let op = if request.op == HostOp::Read { "R" } else { "W" };
    out.text(line.volume).text(",").decimal(line.at_ns, 9).text(",").text(op).text(",");
    out.number(request.sector * SECTOR_BYTES).text(",").number(request.bytes()).text("\n");
}
