//! fio's iolog, version 3: `microseconds file action [offset length]`.

use super::{as_written, Buffer, Line, LineWriter, Places, TextFormat, VolumeNames};
use rustc_hash::FxHashSet;
use slcache_base::request::{HostOp, SECTOR_BYTES};

pub(super) fn format() -> TextFormat {
    TextFormat {
        name: "fio",
        header: "fio version 3 iolog\n".to_owned(),
        places: PLACES,
        lines: Box::new(Fio::default()),
        read_back: as_written("fio"),
    }
}

/// What both versions have a place for.
pub(super) const PLACES: Places =
    Places { trims: true, flushes: true, ..Places::transfers(1000, VolumeNames::Word) };

#[derive(Default)]
struct Fio {
    files: Files,
}

impl LineWriter for Fio {
    fn line(&mut self, line: &Line<'_>, out: &mut Buffer) -> Result<(), String> {
        let us = line.at_ns / 1000;
        if self.files.is_new(line.volume) {
            for action in [" add\n", " open\n"] {
                out.number(us).text(" ").text(line.volume).text(action);
            }
        }
        out.number(us).text(" ");
        action(line, out);
        Ok(())
    }
}

/// The files named so far: fio wants each to be added and opened first.
#[derive(Default)]
pub(super) struct Files {
    last: String,
    seen: FxHashSet<String>,
}

impl Files {
    /// Whether a file is named for the first time.
    pub(super) fn is_new(&mut self, name: &str) -> bool {
        if name == self.last {
            return false;
        }
        self.last.clear();
        self.last.push_str(name);
        self.seen.insert(name.to_owned())
    }
}

pub(super) fn action(line: &Line<'_>, out: &mut Buffer) {
    let request = line.request;
    let action = match request.op {
        HostOp::Read => " read ",
        HostOp::Write => " write ",
        HostOp::Trim => " trim ",
        HostOp::Flush => " sync ",
    };
    out.text(line.volume).text(action);
    out.number(request.sector * SECTOR_BYTES).text(" ").number(request.bytes()).text("\n");
}
