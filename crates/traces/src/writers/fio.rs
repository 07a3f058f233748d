//! fio's iolog, version 3: `microseconds file action [offset length]`.

use super::{as_written, Buffer, FormatPlaces, TextFormat, VolumeNames, WritableLine};
use rustc_hash::FxHashSet;
use slcache_base::request::{HostOp, SECTOR_BYTES};

pub(super) fn format() -> TextFormat {
    let mut files = Files::default();
    TextFormat {
        name: "fio",
        header: "fio version 3 iolog\n".to_owned(),
        places: FormatPlaces {
            trims: true,
            flushes: true,
            ..FormatPlaces::transfers(1000, VolumeNames::Word)
        },
        lines: Box::new(move |request, out| line(&mut files, request, out)),
        read_back: as_written("fio"),
    }
}

/// The files named so far: fio wants each to be added and opened first.
#[derive(Default)]
struct Files {
    last: String,
    seen: FxHashSet<String>,
}

impl Files {
    /// Whether a file is named for the first time.
    fn is_new(&mut self, name: &str) -> bool {
        if name == self.last {
            return false;
        }
        self.last.clear();
        self.last.push_str(name);
        self.seen.insert(name.to_owned())
    }
}

fn line(files: &mut Files, line: &WritableLine<'_>, out: &mut Buffer) {
    let (us, request) = (line.at_ns / 1000, line.request);
    if files.is_new(line.volume) {
        for action in [" add\n", " open\n"] {
            out.number(us).text(" ").text(line.volume).text(action);
        }
    }
    let action = match request.op {
        HostOp::Read => " read ",
        HostOp::Write => " write ",
        HostOp::Trim => " trim ",
        HostOp::Flush => " sync ",
    };
    out.number(us).text(" ").text(line.volume).text(action);
    out.number(request.sector * SECTOR_BYTES).text(" ").number(request.bytes()).text("\n");
}
