//! MobileBlockIO: `proces,device,rw_flag,sector,size,timestamp` with a header line.

use super::{as_written, Buffer, Holds, Line, TextFormat, VolumeNames};
use slcache_base::request::HostOp;

pub(super) const FORMAT: TextFormat = TextFormat {
    name: "mobileblockio",
    header: "proces,device,rw_flag,sector,size,timestamp\n",
    holds: Holds::transfers(1, VolumeNames::Number),
    build: || Box::new(line),
    read_back: || as_written("mobileblockio"),
};

fn line(line: &Line<'_>, out: &mut Buffer) {
    let request = line.request;
    let op = if request.op == HostOp::Read { "R" } else { "W" };
    out.text("-,").text(line.volume).text(",").text(op).text(",").number(request.sector).text(",");
    out.number(u64::from(request.sectors)).text(",").decimal(line.at_ns, 9).text("\n");
}
