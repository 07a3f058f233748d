//! SPC / UMass: `ASU,LBA,Size,Opcode,Timestamp`.

use super::{as_written, Buffer, Holds, Line, TextFormat, VolumeNames};
use slcache_base::request::HostOp;

pub(super) const FORMAT: TextFormat = TextFormat {
    name: "spc",
    header: "",
    holds: Holds::transfers(1, VolumeNames::Number),
    build: || Box::new(line),
    read_back: || as_written("spc"),
};

fn line(line: &Line<'_>, out: &mut Buffer) {
    let request = line.request;
    let op = if request.op == HostOp::Read { "r" } else { "w" };
    out.text(line.volume).text(",").number(request.sector).text(",").number(request.bytes()).text(",");
    out.text(op).text(",").decimal(line.at_ns, 9).text("\n");
}
