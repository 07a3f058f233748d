//! Tencent CBS 2018: `Timestamp,Offset,Size,IOType,VolumeID`, 0 = read and 1 = write.

use super::{as_written, Buffer, Holds, Line, TextFormat, VolumeNames};
use slcache_base::request::HostOp;

pub(super) const FORMAT: TextFormat = TextFormat {
    name: "tencent",
    header: "",
    holds: Holds::transfers(1_000_000_000, VolumeNames::Number),
    build: || Box::new(line),
    read_back: || as_written("tencent"),
};

fn line(line: &Line<'_>, out: &mut Buffer) {
    let request = line.request;
    let op = if request.op == HostOp::Read { "0" } else { "1" };
    out.number(line.at_ns / 1_000_000_000).text(",").number(request.sector).text(",");
    out.number(u64::from(request.sectors)).text(",").text(op).text(",").text(line.volume).text("\n");
}
