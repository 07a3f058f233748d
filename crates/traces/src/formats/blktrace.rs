//! blktrace's binary records: 48 bytes and a payload, in either byte order.
//!
//! The layout and the numbers are those of Linux' `blktrace_api.h`. As in
//! blkparse's text, one request shows up as several events; the `action` option
//! says which of them is the request, the others are counted. Sectors are 512
//! bytes, lengths bytes, times nanoseconds. blktrace writes one file per CPU;
//! the files of a recording, or a tar archive of them, are read merged by time.

use super::{Fit, Format, RawRequest, Record, RecordParser, Sample, SKIPPED_ZERO_SIZE};
use crate::fields::binary::{number_fault, Fields};
use crate::error::LineFault;
use crate::options::{BlkparseAction, TraceOptions};
use crate::fields::sectors::{Column, SizeRules};
use slcache_base::request::HostOp;

mod action;

use action::{event, Event};

/// Name of the format.
pub(crate) const BLKTRACE: &str = "blktrace";

pub(super) const FORMAT: Format = Format {
    name: BLKTRACE,
    about: "blktrace binary (NAME.blktrace.CPU merged by time, or a tar of them): device (volume), ns, action (D, Q or C is the request), 512 B sector, bytes",
    example: "(binary) magic=0x65617407 sequence=1 time=0 sector=14320672 bytes=16384 action=0x00890007 pid=17560 device=7,0",
    extensions: &["blktrace"],
    rebases: true,
    merges_volumes: false,
    takes_columns: false,
    text: false,
    volume_name: device_name,
    detect,
    build: |options| Ok(Box::new(Blktrace::new(options))),
};

/// Upper 24 bits of the magic number, and the version in its lowest byte.
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;
/// Bytes of a record without its payload.
const HEADER_BYTES: usize = 48;
/// Where a record names the device.
const DEVICE: std::ops::Range<usize> = 36..40;

const SECTOR: Column<'static> = Column { number: 4, name: "sector" };
const BYTES: Column<'static> = Column { number: 5, name: "bytes" };

const SKIPPED_NO_BYTES: &str = "completion without sectors (end of a flush sequence)";
const SKIPPED_PASS_THROUGH: &str = "pass-through command (not a block request)";

/// Widths of a record's fields in bytes, for turning them round.
const WIDTHS: [usize; 11] = [4, 4, 8, 8, 4, 4, 4, 4, 4, 2, 2];

/// The fields of a record in the byte order its magic number shows.
fn fields(record: &[u8]) -> Option<Fields<'_>> {
    let little = Fields::little(record);
    let big = Fields::ordered(record, true);
    [little, big].into_iter().find(|fields| fields.u32(0) & 0xffff_ff00 == MAGIC)
}

/// What puts the records of several CPUs in order: time, then as blkparse does
/// device and sequence number.
pub(crate) type MergeKey = (u64, u32, u32);

/// The place of a record among those of other CPUs; the record is one that
/// the parser has set off.
pub(crate) fn merge_key(record: &[u8]) -> MergeKey {
    let fields = Fields::little(record);
    (fields.u64(8), fields.u32(36), fields.u32(4))
}

struct Blktrace {
    action: BlkparseAction,
    sizes: SizeRules,
}

impl Blktrace {
    fn new(options: &TraceOptions) -> Self {
        Self { action: options.action, sizes: SizeRules::new(options) }
    }

    /// The chosen event as a request.
    fn request<'a>(&self, record: &'a [u8], event: Event) -> Result<Record<'a>, LineFault> {
        let fields = Fields::little(record);
        let (sector, bytes) = (fields.u64(16), fields.u32(24));
        if event.pass_through {
            return Ok(Record::Skipped(SKIPPED_PASS_THROUGH));
        }
        let mut raw = RawRequest::plain(fields.u64(8), (0, 0), HostOp::Flush, &record[DEVICE]);
        if bytes == 0 && event.preflush {
            return Ok(Record::Request(raw));
        }
        if bytes == 0 && self.action == BlkparseAction::C {
            return Ok(Record::Skipped(SKIPPED_NO_BYTES));
        }
        if bytes == 0 && event.op == HostOp::Read {
            return Ok(Record::Skipped(SKIPPED_PASS_THROUGH));
        }
        raw.op = event.op;
        let Some(extent) = self.sizes.extent_of_sector_and_bytes((sector, SECTOR), (bytes.into(), BYTES))?
        else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        raw.sector = extent.sector;
        raw.sectors = extent.sectors;
        raw.rounded_to_sectors = extent.rounded;
        raw.flush_before = event.preflush;
        raw.forced_unit_access = event.forced_unit_access && event.op == HostOp::Write;
        Ok(Record::Request(raw))
    }
}

impl RecordParser for Blktrace {
    fn frame(&mut self, pending: &[u8]) -> Result<usize, LineFault> {
        if pending.len() < HEADER_BYTES {
            return Ok(HEADER_BYTES);
        }
        match fields(pending) {
            Some(fields) if fields.u32(0) & 0xff == VERSION => Ok(HEADER_BYTES + usize::from(fields.u16(46))),
            Some(fields) => {
                let allowed = "version 7, the only one there is";
                Err(number_fault((1, "version of magic"), (fields.u32(0) & 0xff).into(), allowed))
            }
            None => {
                let allowed = "the magic number 0x65617407 of a blktrace record, in either byte order";
                Err(LineFault::field(1, "magic", &pending[..4], allowed))
            }
        }
    }

    fn normalise(&mut self, record: &mut [u8]) {
        if Fields::little(record).u32(0) & 0xffff_ff00 == MAGIC {
            return;
        }
        let mut place = 0;
        for width in WIDTHS {
            record[place..place + width].reverse();
            place += width;
        }
    }

    fn record<'a>(&mut self, record: &'a [u8]) -> Result<Record<'a>, LineFault> {
        match event(Fields::little(record).u32(28), self.action)? {
            Ok(event) => self.request(record, event),
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
    let starts = |big_endian| {
        bytes.len() >= HEADER_BYTES && Fields::ordered(bytes, big_endian).u32(0) == MAGIC | VERSION
    };
    match starts(false) || starts(true) {
        true => Fit::Yes,
        false => Fit::No,
    }
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
    let magics = [(MAGIC | VERSION).to_le_bytes(), (MAGIC | VERSION).to_be_bytes()];
    let blocks = (TAR_BLOCK_BYTES..bytes.len()).step_by(TAR_BLOCK_BYTES);
    let mut contents = blocks.map(|start| &bytes[start..]);
    contents.find(|content| magics.iter().any(|magic| content.starts_with(magic))).unwrap_or_default()
}

#[cfg(test)]
mod tests;
