//! FIU: `ts pid process lba size op major minor`, without the optional md5.

use super::{as_written, Buffer, Holds, Line, TextFormat, VolumeNames};
use slcache_base::request::HostOp;

pub(super) const FORMAT: TextFormat = TextFormat {
    name: "fiu",
    header: "",
    holds: Holds::transfers(1, VolumeNames::MajorAndMinor),
    build: || Box::new(line),
    read_back: || as_written("fiu"),
};

fn line(line: &Line<'_>, out: &mut Buffer) {
    let request = line.request;
    let op = if request.op == HostOp::Read { "R" } else { "W" };
    let (major, minor) = line.volume.split_once(',').unwrap_or(("0", line.volume));
    out.number(line.at_ns).text(" 0 - ").number(request.sector).text(" ");
    out.number(u64::from(request.sectors)).text(" ").text(op).text(" ");
    out.text(major).text(" ").text(minor).text("\n");
}
