//! fio's iolog, version 2: `file action [offset length]` with waits between.

use super::fio::{action, Files, PLACES};
use super::{as_written, Buffer, Line, LineWriter, TextFormat};

pub(super) fn format() -> TextFormat {
    TextFormat {
        name: "fio_v2",
        header: "fio version 2 iolog\n".to_owned(),
        places: PLACES,
        lines: Box::new(FioV2::default()),
        read_back: as_written("fio"),
    }
}

#[derive(Default)]
struct FioV2 {
    files: Files,
    waited_ns: u64,
}

impl LineWriter for FioV2 {
    fn line(&mut self, line: &Line<'_>, out: &mut Buffer) -> Result<(), String> {
        let Some(wait_ns) = line.at_ns.checked_sub(self.waited_ns) else {
            return Err(format!(
                "its time of {} ns lies before the request in front of it ({} ns), and version 2 only knows waits; sort the trace (unsorted = \"sort:N\") or write version 3 (fio)",
                line.at_ns, self.waited_ns
            ));
        };
        if self.files.is_new(line.volume) {
            out.text(line.volume).text(" add\n").text(line.volume).text(" open\n");
        }
        if wait_ns > 0 {
            out.text(line.volume).text(" wait ").number(wait_ns / 1000).text(" 0\n");
            self.waited_ns = line.at_ns;
        }
        action(line, out);
        Ok(())
    }
}
