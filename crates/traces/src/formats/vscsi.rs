//! CloudPhysics' binary vscsi traces: one SCSI command of a virtual disk per
//! record, little-endian, 32 bytes in version 1 and 40 in version 2.
//!
//! The layout is that of libCacheSim's `vscsi.h`. No document gives the units;
//! they were told from a published file of version 1 (two hours of one disk,
//! 113,872 records): `ts` spans 7,200.09 million, so it is microseconds; every
//! `len` is a multiple of 512, so it is bytes; the next record begins at
//! `lbn + len / 512` 29,558 times and at `lbn + len` 3 times, so `lbn` counts
//! 512-byte blocks. Version 2 adds `rt`, taken as the response time in
//! microseconds like `ts`; no file of that version could be checked.

use super::{Detection, Fit, Format, RawRequest, Record, RecordParser, Sample};
use crate::error::LineFault;
use crate::fields::binary::{number_fault, time_ns, RecordFields};
use crate::fields::sectors::{NamedColumn, SizeRules};
use crate::options::TraceOptions;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "vscsi",
    about: "CloudPhysics vscsi binary, version 1 (32 B) or 2 (40 B): SCSI commands, µs, 512 B block, length in bytes",
    example: "(binary) sn=1 len=4096 nSG=1 cmd=0x2a ver=0x100 lbn=8 ts=5633898368802",
    extensions: &["vscsi", "vscsitrace"],
    text: false,
    detection: Detection::By(detect),
    ..Format::of(|options| Ok(Box::new(Vscsi::new(options))))
};

/// Records looked at to tell the version.
const SAMPLE_RECORDS: usize = 64;
/// Nanoseconds in a unit of time.
const UNIT_NS: u64 = 1000;

/// Where the fields of a version stand: place in bytes, and number from 1.
struct VscsiLayout {
    version: u16,
    bytes: usize,
    len: (usize, usize),
    cmd: (usize, usize),
    ver: (usize, usize),
    lbn: (usize, usize),
    ts: (usize, usize),
    rt: Option<(usize, usize)>,
}

static LAYOUTS: [VscsiLayout; 2] = [
    VscsiLayout {
        version: 1,
        bytes: 32,
        len: (4, 2),
        cmd: (12, 4),
        ver: (14, 5),
        lbn: (16, 6),
        ts: (24, 7),
        rt: None,
    },
    VscsiLayout {
        version: 2,
        bytes: 40,
        len: (8, 4),
        cmd: (0, 1),
        ver: (2, 2),
        lbn: (16, 6),
        ts: (24, 7),
        rt: Some((32, 8)),
    },
];

impl VscsiLayout {
    fn version_of(&self, record: &[u8]) -> u16 {
        RecordFields::little(record).u16(self.ver.0) >> 8
    }

    /// How many of the whole records at the front carry this version, out of how many.
    fn matches(&self, pending: &[u8]) -> (usize, usize) {
        let records = pending.chunks_exact(self.bytes).take(SAMPLE_RECORDS);
        let all = records.len();
        (records.filter(|record| self.version_of(record) == self.version).count(), all)
    }
}

struct Vscsi {
    layout: Option<&'static VscsiLayout>,
    sizes: SizeRules,
}

impl Vscsi {
    fn new(options: &TraceOptions) -> Self {
        Self { layout: None, sizes: SizeRules::new(options) }
    }
}

/// The version that most records at the front carry, when it is only one: a
/// bad record must not hide it, since it is then reported by its number.
fn layout_of(pending: &[u8]) -> Option<&'static VscsiLayout> {
    let fits = |layout: &&VscsiLayout| {
        let (matching, all) = layout.matches(pending);
        matching > 0 && matching * 2 >= all
    };
    let mut fitting = LAYOUTS.iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(layout), None) => Some(layout),
        _ => None,
    }
}

impl RecordParser for Vscsi {
    fn frame(&mut self, pending: &[u8]) -> Result<usize, LineFault> {
        if let Some(layout) = self.layout {
            return Ok(layout.bytes);
        }
        if pending.len() < LAYOUTS[0].bytes {
            return Ok(LAYOUTS[0].bytes);
        }
        self.layout = layout_of(pending);
        self.layout.map(|layout| layout.bytes).ok_or_else(|| LineFault::Unknown {
            text: pending[..LAYOUTS[0].bytes].to_vec(),
            expected: "records of vscsi version 1 (32 bytes, 1 in byte 15) or version 2 (40 bytes, 2 in byte 3), and of one version only".to_owned(),
        })
    }

    fn record<'a>(&mut self, record: &'a [u8]) -> Result<Record<'a>, LineFault> {
        let layout = self.layout.expect("records are framed first");
        let fields = RecordFields::little(record);
        if layout.version_of(record) != layout.version {
            let allowed =
                format!("version {0} ({0} in the upper byte), as in the records before", layout.version);
            return Err(number_fault((layout.ver.1, "ver"), fields.u16(layout.ver.0).into(), allowed));
        }
        let at_ns = time_ns((layout.ts.1, "ts"), fields.u64(layout.ts.0), UNIT_NS)?;
        let op = match command(fields.u16(layout.cmd.0)) {
            Some(Command::Op(op)) => op,
            Some(Command::Skipped(reason)) => return Ok(Record::Skipped(reason)),
            None => {
                let value = fields.u16(layout.cmd.0).into();
                return Err(number_fault(
                    (layout.cmd.1, "cmd"),
                    value,
                    "a SCSI operation code from 0 to 255",
                ));
            }
        };
        let mut raw = RawRequest::new(at_ns, op, &[]);
        if let Some((place, number)) = layout.rt {
            raw.response_ns = Some(time_ns((number, "rt"), fields.u64(place), UNIT_NS)?);
        }
        if op == HostOp::Flush {
            return Ok(Record::Request(raw));
        }
        let lbn = (fields.u64(layout.lbn.0), NamedColumn { number: layout.lbn.1, name: "lbn" });
        let len = (fields.u32(layout.len.0).into(), NamedColumn { number: layout.len.1, name: "len" });
        Ok(Record::transfer(raw, self.sizes.extent_of_sector_and_bytes(lbn, len)?))
    }
}

/// Certain when all of several records carry the version: text has no such bytes.
fn detect(sample: &Sample<'_>) -> Fit {
    let all_match = |layout: &VscsiLayout| {
        let (matching, all) = layout.matches(sample.bytes);
        all >= 2 && matching * 10 >= all * 9
    };
    Fit::certain(layout_of(sample.bytes).is_some_and(all_match))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    /// It is a request.
    Op(HostOp),
    /// It is left out, and why.
    Skipped(&'static str),
}

/// The command of an operation code; `None` when it is none (they are 8 bits).
fn command(code: u16) -> Option<Command> {
    let code = u8::try_from(code).ok()?;
    Some(match code {
        // READ(6), (10), (12), (16).
        0x08 | 0x28 | 0xa8 | 0x88 => Command::Op(HostOp::Read),
        // WRITE(6), (10), (12), (16) and WRITE AND VERIFY(10), (12), (16).
        0x0a | 0x2a | 0xaa | 0x8a | 0x2e | 0xae | 0x8e => Command::Op(HostOp::Write),
        // SYNCHRONIZE CACHE(10), (16).
        0x35 | 0x91 => Command::Op(HostOp::Flush),
        0x00 => Command::Skipped("SCSI TEST UNIT READY"),
        0x42 => Command::Skipped("SCSI UNMAP (its ranges are not in the trace)"),
        0x41 | 0x93 => Command::Skipped("SCSI WRITE SAME (its range is not in the trace)"),
        0x7f => Command::Skipped("SCSI command of variable length (what it asks is not in the trace)"),
        _ => Command::Skipped("other SCSI command (no read, write or cache flush)"),
    })
}

#[cfg(test)]
mod tests;
