//! blktrace's binary records of version 7 or 8 (Linux from 6.18, for zones), in either byte order.
//!
//! The layout and the numbers are those of Linux' `blktrace_api.h`. As in
//! blkparse's text, one request shows up as several events; the `action` option
//! says which of them is the request, the others are counted. Sectors are 512
//! bytes, lengths bytes, times nanoseconds. blktrace writes one file per CPU;
//! the files of a recording, or a tar archive of them, are read merged by time.

use super::rwbs::{SKIPPED_FLUSH_END, SKIPPED_PASS_THROUGH};
use super::{Detection, Fit, Format, RawRequest, Record, RecordParser, Sample};
use crate::error::LineFault;
use crate::fields::binary::{number_fault, RecordFields};
use crate::fields::sectors::{NamedColumn, SizeRules};
use crate::options::{BlkparseAction, TraceOptions};
use slcache_base::request::HostOp;

mod action;

use action::{event, ActionEvent};

pub(crate) const BLKTRACE: &str = "blktrace";

pub(super) const FORMAT: Format = Format {
    name: BLKTRACE,
    about: "blktrace binary (NAME.blktrace.CPU merged by time, or a tar of them): device (volume), ns, action (D, Q or C is the request), 512 B sector, bytes",
    example: "(binary) magic=0x65617407 sequence=1 time=0 sector=14320672 bytes=16384 action=0x00890007 pid=17560 device=7,0",
    extensions: &["blktrace"],
    text: false,
    detection: Detection::By(detect),
    volume_name: device_name,
    options: &["action"],
    ..Format::of(|options| Ok(Box::new(Blktrace::new(options))))
};

/// Upper 24 bits of the magic number; the lowest byte is the version.
const MAGIC: u32 = 0x6561_7400;

/// Where a version of the record has its fields; the first five are at the same place in all.
struct BlktraceLayout {
    version: u32,
    /// Bytes of a record without its payload.
    header_bytes: usize,
    /// Place and width of the action.
    action: (usize, usize),
    device: usize,
    payload_bytes: usize,
    /// Widths of the fields in bytes, for turning them round.
    widths: &'static [usize],
}

static LAYOUTS: [BlktraceLayout; 2] = [
    BlktraceLayout {
        version: 7,
        header_bytes: 48,
        action: (28, 4),
        device: 36,
        payload_bytes: 46,
        widths: &[4, 4, 8, 8, 4, 4, 4, 4, 4, 2, 2],
    },
    BlktraceLayout {
        version: 8,
        header_bytes: 64,
        action: (32, 8),
        device: 40,
        payload_bytes: 50,
        widths: &[4, 4, 8, 8, 4, 4, 8, 4, 4, 2, 2],
    },
];

/// The layout of a record by its magic number, in the byte order it is read in.
fn layout(magic: u32) -> Option<&'static BlktraceLayout> {
    LAYOUTS.iter().find(|layout| magic == MAGIC | layout.version)
}

/// The layout of a record that the parser has set off and normalised.
fn layout_of(record: &[u8]) -> &'static BlktraceLayout {
    layout(RecordFields::little(record).u32(0)).expect("the parser sets off records of known versions")
}

const SECTOR: NamedColumn<'static> = NamedColumn { number: 4, name: "sector" };
const BYTES: NamedColumn<'static> = NamedColumn { number: 5, name: "bytes" };

/// The fields of a record in the byte order its magic number shows.
fn fields(record: &[u8]) -> Option<RecordFields<'_>> {
    let little = RecordFields::little(record);
    let big = RecordFields::ordered(record, true);
    [little, big].into_iter().find(|fields| fields.u32(0) & 0xffff_ff00 == MAGIC)
}

/// What puts the records of several CPUs in order: time, then as blkparse does
/// device and sequence number.
pub(crate) type MergeKey = (u64, u32, u32);

/// The place of a record among those of other CPUs; the record is one that
/// the parser has set off.
pub(crate) fn merge_key(record: &[u8]) -> MergeKey {
    let fields = RecordFields::little(record);
    (fields.u64(8), fields.u32(layout_of(record).device), fields.u32(4))
}

struct Blktrace {
    action: BlkparseAction,
    sizes: SizeRules,
}

impl Blktrace {
    fn new(options: &TraceOptions) -> Self {
        Self { action: options.action, sizes: SizeRules::new(options) }
    }

    fn request<'a>(
        &self,
        record: &'a [u8],
        device: usize,
        event: ActionEvent,
    ) -> Result<Record<'a>, LineFault> {
        let fields = RecordFields::little(record);
        let (sector, bytes) = (fields.u64(16), fields.u32(24));
        if event.pass_through {
            return Ok(Record::Skipped(SKIPPED_PASS_THROUGH));
        }
        let mut raw = RawRequest::new(fields.u64(8), HostOp::Flush, &record[device..device + 4]);
        if bytes == 0 && event.preflush {
            return Ok(Record::Request(raw));
        }
        if bytes == 0 && event.ends {
            return Ok(Record::Skipped(SKIPPED_FLUSH_END));
        }
        if bytes == 0 && event.op == HostOp::Read {
            return Ok(Record::Skipped(SKIPPED_PASS_THROUGH));
        }
        raw.op = event.op;
        raw.flush_before = event.preflush;
        raw.forced_unit_access = event.forced_unit_access && event.op == HostOp::Write;
        let extent = self.sizes.extent_of_sector_and_bytes((sector, SECTOR), (bytes.into(), BYTES))?;
        Ok(Record::transfer(raw, extent))
    }
}

impl RecordParser for Blktrace {
    fn frame(&mut self, pending: &[u8]) -> Result<usize, LineFault> {
        if pending.len() < LAYOUTS[0].header_bytes {
            return Ok(LAYOUTS[0].header_bytes);
        }
        let Some(fields) = fields(pending) else {
            let allowed =
                "the magic number 0x656174 and a version of a blktrace record, in either byte order";
            return Err(LineFault::field(1, "magic", &pending[..4], allowed));
        };
        match layout(fields.u32(0)) {
            Some(layout) if pending.len() < layout.header_bytes => Ok(layout.header_bytes),
            Some(layout) => Ok(layout.header_bytes + usize::from(fields.u16(layout.payload_bytes))),
            None => {
                let version = fields.u32(0) & 0xff;
                Err(number_fault((1, "version of magic"), version.into(), "version 7 or 8"))
            }
        }
    }

    fn normalise(&mut self, record: &mut [u8]) {
        let Some(layout) = layout(RecordFields::ordered(record, true).u32(0)) else {
            return;
        };
        let mut place = 0;
        for width in layout.widths {
            record[place..place + width].reverse();
            place += width;
        }
    }

    fn record<'a>(&mut self, record: &'a [u8]) -> Result<Record<'a>, LineFault> {
        let layout = layout_of(record);
        let (place, width) = layout.action;
        match event(RecordFields::little(record).unsigned(place, width), self.action)? {
            Ok(event) => Ok(self.request(record, layout.device, event)?.of_event(event.role)),
            Err(reason) => Ok(Record::Skipped(reason)),
        }
    }
}

/// `major,minor`, as blkparse writes it; the key is the kernel's device number,
/// little-endian.
fn device_name(key: &[u8]) -> String {
    let Ok(bytes) = <[u8; 4]>::try_from(key) else {
        return crate::error::quote::quoted(key);
    };
    let device = u32::from_le_bytes(bytes);
    format!("{},{}", device >> 20, device & 0xf_ffff)
}

/// Certain by the magic number of the first record, or of the first member of
/// a tar archive.
fn detect(sample: &Sample<'_>) -> Fit {
    let bytes = match looks_like_tar(sample.bytes) {
        true => first_content(sample.bytes),
        false => sample.bytes,
    };
    Fit::certain(bytes.len() >= LAYOUTS[0].header_bytes && begins_record(bytes))
}

/// Whether the bytes begin with the magic number of a known version, in either byte order.
fn begins_record(bytes: &[u8]) -> bool {
    let magic = |big_endian| layout(RecordFields::ordered(bytes, big_endian).u32(0));
    bytes.len() >= 4 && (magic(false).is_some() || magic(true).is_some())
}

/// Bytes of a block in a tar archive.
const TAR_BLOCK_BYTES: usize = 512;

/// Whether the bytes begin as a tar archive (POSIX or GNU) does.
pub(crate) fn looks_like_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

/// The beginning of the first content in an archive: directories, extended
/// headers and empty files may stand before it.
fn first_content(bytes: &[u8]) -> &[u8] {
    let blocks = (TAR_BLOCK_BYTES..bytes.len()).step_by(TAR_BLOCK_BYTES);
    blocks.map(|start| &bytes[start..]).find(|content| begins_record(content)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
