//! MSR Cambridge: `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`.

use super::{as_written, Buffer, Holds, Line, Response, TextFormat, VolumeNames};
use slcache_base::request::{HostOp, SECTOR_BYTES};

pub(super) const FORMAT: TextFormat = TextFormat {
    name: "msr",
    header: "",
    holds: Holds {
        response: Response::Required { step_ns: TICK_NS },
        ..Holds::transfers(TICK_NS, VolumeNames::HostAndDisk)
    },
    build: || Box::new(line),
    read_back: || as_written("msr"),
};

/// Nanoseconds in a tick of Windows file time.
const TICK_NS: u64 = 100;

fn line(line: &Line<'_>, out: &mut Buffer) {
    let request = line.request;
    let op = if request.op == HostOp::Read { "Read" } else { "Write" };
    // Names that are not HOST_NUMBER are replaced before a line is made.
    let (host, disk) = line.volume.rsplit_once('_').unwrap_or((line.volume, "0"));
    out.number(line.at_ns / TICK_NS).text(",").text(host).text(",").text(disk).text(",").text(op).text(",");
    out.number(request.sector * SECTOR_BYTES).text(",").number(request.bytes()).text(",");
    out.number(line.response_ns.unwrap_or(0) / TICK_NS).text("\n");
}
