//! blkparse's default text, every request as an event D (issued) on CPU 0.

use super::{as_written, Buffer, FormatPlaces, TextFormat, VolumeNames, WritableLine};
use slcache_base::request::HostOp;

pub(super) fn format() -> TextFormat {
    TextFormat {
        name: "blkparse",
        header: String::new(),
        places: FormatPlaces {
            trims: true,
            flushes: true,
            ..FormatPlaces::transfers(1, VolumeNames::MajorAndMinor)
        },
        lines: Box::new(line),
        read_back: as_written("blkparse"),
    }
}

fn line(line: &WritableLine<'_>, out: &mut Buffer) {
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
