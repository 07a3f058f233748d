//! Lines of the formats whose columns are in a table.

use super::{as_written, Buffer, FormatPlaces, Response, TextFormat, WritableLine};
use crate::formats::columns::{Columns, Header, Holds, Units};
use crate::formats::Format;
use slcache_base::request::{HostOp, SECTOR_BYTES};

/// How a format of columns is written.
pub(super) fn format(format: &'static Format, columns: &'static Columns) -> TextFormat {
    TextFormat {
        name: format.name,
        header: match columns.header {
            Header::Usual(_) => columns.names() + "\n",
            Header::Never | Header::Maybe => String::new(),
        },
        places: places(columns),
        lines: Box::new(|request, out| line(columns, request, out)),
        read_back: as_written(format.name),
    }
}

fn places(columns: &Columns) -> FormatPlaces {
    let mut places = FormatPlaces::transfers(1, columns.volumes);
    for column in columns.columns {
        match column.holds {
            Holds::Ticks(unit_ns) => places.time_step_ns = unit_ns,
            Holds::ResponseTicks(step_ns) => places.response = Response::Required { step_ns },
            Holds::ResponseSeconds => places.response = Response::Optional,
            _ => {}
        }
    }
    places
}

fn line(of: &Columns, line: &WritableLine<'_>, out: &mut Buffer) {
    let Columns { units, volumes, columns, .. } = of;
    let request = line.request;
    let reads = request.op == HostOp::Read;
    // Names without two parts are replaced before a line is made of them.
    let (first, last) = volumes.parts(line.volume).unwrap_or(("", line.volume));
    for (place, column) in columns.iter().enumerate() {
        out.text(if place == 0 { "" } else { of.delimiter() });
        match column.holds {
            Holds::Unused(blank) => out.text(blank),
            Holds::VolumeText => out.text(first),
            Holds::Volume => out.text(last),
            Holds::Op(codes) => out.text(if reads { codes.reads[0] } else { codes.writes[0] }),
            Holds::Flags(read) => out.number(if reads { u64::from(read) } else { 0 }),
            Holds::Address if *units == Units::Bytes => out.number(request.sector * SECTOR_BYTES),
            Holds::Address => out.number(request.sector),
            Holds::Size if *units == Units::Sectors => out.number(u64::from(request.sectors)),
            Holds::Size => out.number(request.bytes()),
            Holds::Ticks(unit_ns) => out.number(line.at_ns / unit_ns),
            Holds::Seconds => out.decimal(line.at_ns, 9),
            Holds::Milliseconds => out.decimal(line.at_ns, 6),
            Holds::ResponseTicks(unit_ns) => out.number(line.response_ns.unwrap_or(0) / unit_ns),
            Holds::ResponseSeconds => match line.response_ns {
                Some(response_ns) => out.decimal(response_ns, 9),
                None => out,
            },
        };
    }
    out.text("\n");
}
