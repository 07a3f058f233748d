//! libCacheSim's lcs: a header, then records as the header's version says.
//!
//! Three headers go by the name, all with one magic number at both ends: 1,024
//! bytes with a format string of Python's struct module and the numbers of the
//! fields; 1,024 bytes with a version (1 or 2); 8,192 bytes with a version (1
//! to 8). Times are seconds unless the header says otherwise, sizes bytes,
//! tenants volumes. Ids are block addresses only where the trace was one of a
//! disk, so their unit must be given (`lcs.h` of libCacheSim).

use super::objects::{Object, ObjectRules};
use super::{Fit, Format, Record, RecordParser, Sample};
use crate::fields::binary::{number_name, time_ns, Fields};
use crate::error::LineFault;
use crate::fields::sectors::Column;

mod header;

use header::{Field, Header, HEADER_BYTES_MIN, MAGIC};

pub(super) const FORMAT: Format = Format {
    name: "lcs",
    about: "libCacheSim lcs binary (header, then records by its version): s, object id, bytes, operation where it has one, tenant (volume); object_unit must be given",
    example: "(binary) header, then clock_time=5633898 obj_id=42932745 obj_size=512 op=13 tenant=0 next_access_vtime=-1",
    extensions: &["lcs"],
    rebases: true,
    merges_volumes: false,
    reorders: false,
    takes_columns: false,
    text: false,
    volume_name: number_name,
    detect,
    build: |options| Ok(Box::new(Lcs { rules: ObjectRules::new(options, FORMAT.name)?, header: None, taken: false })),
};

const SKIPPED_HEADER: &str = "file header";

struct Lcs {
    rules: ObjectRules,
    header: Option<Header>,
    /// Whether the header was handed out as the first record.
    taken: bool,
}

impl RecordParser for Lcs {
    fn frame(&mut self, pending: &[u8]) -> Result<usize, LineFault> {
        if let (Some(header), true) = (&self.header, self.taken) {
            return Ok(header.record_bytes);
        }
        let needed = Header::bytes(pending)?;
        if pending.len() >= needed {
            let header = Header::parse(&pending[..needed])?;
            if header.op.is_none() {
                self.rules.op_default()?;
            }
            self.header = Some(header);
        }
        Ok(needed)
    }

    fn record<'a>(&mut self, record: &'a [u8]) -> Result<Record<'a>, LineFault> {
        if !self.taken {
            self.taken = true;
            return Ok(Record::Skipped(SKIPPED_HEADER));
        }
        let header = self.header.as_ref().expect("records are framed first");
        let number = |field: &Field| -> Result<(u64, Column<'static>), LineFault> {
            Ok((field.value(record)?, Column { number: field.number, name: field.name }))
        };
        let (time, column) = number(&header.time)?;
        self.rules.request(Object {
            id: number(&header.id)?,
            size: number(&header.size)?,
            op: header.op.as_ref().map(number).transpose()?,
            at_ns: time_ns((column.number, column.name), time, header.time_unit_ns)?,
            volume: header
                .tenant
                .as_ref()
                .map_or(&[], |field| &record[field.place..field.place + field.width]),
        })
    }

    fn end(&self, records: u64) -> Result<(), LineFault> {
        let stated = self.header.as_ref().map_or(0, |header| header.records);
        let found = records.saturating_sub(1);
        match stated != 0 && stated != found {
            true => Err(LineFault::RecordCount { found, stated }),
            false => Ok(()),
        }
    }
}

/// Certain by the magic numbers at both ends of the header.
fn detect(sample: &Sample<'_>) -> Fit {
    let bytes = sample.bytes;
    let starts = bytes.len() >= HEADER_BYTES_MIN && Fields::little(bytes).u64(0) == MAGIC;
    match starts && Header::bytes(bytes).is_ok_and(|needed| needed <= bytes.len()) {
        true => Fit::Yes,
        false => Fit::No,
    }
}

#[cfg(test)]
mod tests;
