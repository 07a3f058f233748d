//! Alibaba Cloud 2020: `device_id,opcode,offset,length,timestamp`.

use super::{as_written, Buffer, Holds, Line, TextFormat, VolumeNames};
use slcache_base::request::{HostOp, SECTOR_BYTES};

pub(super) const FORMAT: TextFormat = TextFormat {
    name: "alicloud",
    header: "",
    holds: Holds::transfers(1000, VolumeNames::Number),
    build: || Box::new(line),
    read_back: || as_written("alicloud"),
};

fn line(line: &Line<'_>, out: &mut Buffer) {
    let request = line.request;
    let op = if request.op == HostOp::Read { "R" } else { "W" };
    out.text(line.volume).text(",").text(op).text(",").number(request.sector * SECTOR_BYTES).text(",");
    out.number(request.bytes()).text(",").number(line.at_ns / 1000).text("\n");
}
