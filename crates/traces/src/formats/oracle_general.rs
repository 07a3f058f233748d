//! libCacheSim's oracleGeneral: 24 bytes per record, little-endian, no header.
//!
//! Time in whole seconds, object id, size in bytes, and the record at which the
//! object comes again. It carries no operation, and nothing in it tells it
//! from other binary data, so the user names the format, the operation of all
//! records and the unit of the ids, which are block addresses only where the
//! trace was one of a disk (`oracleGeneralBin.h` of libCacheSim).

use super::{Detection, Format, RawRequest, Record, RecordParser};
use crate::error::{LineFault, TraceError};
use crate::fields::binary::{number_fault, time_ns, RecordFields};
use crate::fields::sectors::{NamedColumn, SizeRules};
use crate::options::{DefaultOp, TraceOptions};
use crate::records::batch::RowParser;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "oracle_general",
    about: "libCacheSim oracleGeneral binary (24 B): s, object id, bytes; op_default and object_unit must be given",
    example: "(binary) real_time=5633898 obj_id=42932745 obj_size=512 next_access_vtime=-1",
    extensions: &["oracleGeneral", "bin"],
    text: false,
    detection: Detection::Never,
    options: &["op_default", "object_unit"],
    ..Format::of(build)
};

const RECORD_BYTES: usize = 24;
const UNIT_NS: u64 = 1_000_000_000;
const ID: NamedColumn<'static> = NamedColumn { number: 2, name: "obj_id" };
const SIZE: NamedColumn<'static> = NamedColumn { number: 3, name: "obj_size" };

struct OracleGeneral {
    op: HostOp,
    /// Bytes that an id counts.
    unit_bytes: u64,
    sizes: SizeRules,
}

fn build(options: &TraceOptions) -> Result<Box<dyn RowParser>, TraceError> {
    let needed = |key, value: &str, allowed: &str| Err(TraceError::option(key, value, allowed));
    let unit = "\"sector\" (512 bytes), \"byte\" or a positive number of bytes: what the ids of objects count in, if they are block addresses at all";
    let unit_bytes = match options.object_unit.map(|unit| unit.bytes()) {
        None => return needed("object_unit", "nothing given, for format oracle_general", unit),
        Some(0) => return needed("object_unit", "0", unit),
        Some(bytes) => bytes,
    };
    let op = match options.op_default {
        Some(DefaultOp::Read) => HostOp::Read,
        Some(DefaultOp::Write) => HostOp::Write,
        None => {
            let allowed = "\"read\" or \"write\": the records carry no operation, so all of them are this";
            return needed("op_default", "nothing given, for format oracle_general", allowed);
        }
    };
    Ok(Box::new(OracleGeneral { op, unit_bytes, sizes: SizeRules::new(options) }))
}

impl RecordParser for OracleGeneral {
    fn frame(&mut self, _pending: &[u8]) -> Result<usize, LineFault> {
        Ok(RECORD_BYTES)
    }

    fn record<'a>(&mut self, record: &'a [u8]) -> Result<Record<'a>, LineFault> {
        let fields = RecordFields::little(record);
        let (id, size) = (fields.u64(4), fields.u32(12).into());
        let at_ns = time_ns((1, "real_time"), fields.u32(0).into(), UNIT_NS)?;
        let Some(address) = id.checked_mul(self.unit_bytes) else {
            let allowed = format!("an id whose address in units of {} bytes fits 64 bits", self.unit_bytes);
            return Err(number_fault((ID.number, ID.name), id, allowed));
        };
        let extent = self.sizes.extent_of_bytes((address, ID), (size, SIZE))?;
        Ok(Record::transfer(RawRequest::new(at_ns, self.op, b""), extent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::generic::UnitBytes;

    const RECORD: [u8; 24] =
        [2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255];

    fn options(op: Option<DefaultOp>, unit: Option<UnitBytes>) -> TraceOptions {
        TraceOptions { op_default: op, object_unit: unit, ..TraceOptions::default() }
    }

    #[test]
    fn a_record_as_stated() {
        for (unit, sector) in [(UnitBytes::SECTOR, 9), (UnitBytes::Bytes(4096), 72)] {
            let mut parser = build(&options(Some(DefaultOp::Write), Some(unit))).unwrap();
            assert_eq!(parser.frame(&RECORD), Ok(24));
            let expected = RawRequest::plain(2_000_000_000, (sector, 8), HostOp::Write, b"");
            assert_eq!(parser.record(&RECORD), Ok(Record::Request(expected)));
        }
    }

    #[test]
    fn what_it_does_not_say_must_be_given() {
        let error = |options| build(&options).err().unwrap().to_string();
        let op = error(options(None, Some(UnitBytes::SECTOR)));
        assert!(op.contains("trace option op_default"), "{op}");
        let unit = error(options(Some(DefaultOp::Read), None));
        assert!(unit.contains("trace option object_unit") && unit.contains("oracle_general"), "{unit}");
        assert!(error(options(Some(DefaultOp::Read), Some(UnitBytes::Bytes(0)))).contains("positive"));
    }

    #[test]
    fn ids_past_the_address_space() {
        let mut record = RECORD;
        record[4..12].fill(255);
        let mut parser = build(&options(Some(DefaultOp::Read), Some(UnitBytes::SECTOR))).unwrap();
        let fault = parser.record(&record).unwrap_err().to_string();
        assert!(fault.contains("column 2 (obj_id): \"18446744073709551615\" is not an id"), "{fault}");
    }
}
