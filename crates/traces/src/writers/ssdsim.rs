//! SSDsim: `time device lsn size operation` in nanoseconds, 1 = read and 0 = write.

use super::{as_written, Buffer, Holds, Line, TextFormat, VolumeNames};
use slcache_base::request::HostOp;

pub(super) const FORMAT: TextFormat = TextFormat {
    name: "ssdsim",
    header: "",
    holds: Holds::transfers(1, VolumeNames::Number),
    build: || Box::new(line),
    read_back: || as_written("ssdsim"),
};

fn line(line: &Line<'_>, out: &mut Buffer) {
    let request = line.request;
    let op = if request.op == HostOp::Read { "1" } else { "0" };
    out.number(line.at_ns).text(" ").text(line.volume).text(" ").number(request.sector).text(" ");
    out.number(u64::from(request.sectors)).text(" ").text(op).text("\n");
}
