//! blkparse's default text, every request as an event D (issued) on CPU 0.

use super::{as_written, Buffer, Holds, Line, TextFormat, VolumeNames};
use slcache_base::request::HostOp;

pub(super) const FORMAT: TextFormat = TextFormat {
    name: "blkparse",
    header: "",
    holds: Holds { trims: true, flushes: true, ..Holds::transfers(1, VolumeNames::MajorAndMinor) },
    build: || Box::new(line),
    read_back: || as_written("blkparse"),
};

fn line(line: &Line<'_>, out: &mut Buffer) {
    let request = line.request;
    let rwbs = match request.op {
        HostOp::Read => "R",
        HostOp::Write => "W",
        HostOp::Trim => "D",
        HostOp::Flush => "FN",
    };
    out.text(line.volume).text(" 0 1 ").decimal(line.at_ns, 9).text(" 0 D ").text(rwbs).text(" ");
    if request.op != HostOp::Flush {
        out.number(request.sector).text(" + ").number(u64::from(request.sectors)).text(" ");
    }
    out.text("[-]\n");
}
