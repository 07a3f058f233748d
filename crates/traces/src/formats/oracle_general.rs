//! libCacheSim's oracleGeneral: 24 bytes per record, little-endian, no header.
//!
//! Time in whole seconds, object id, size in bytes, and the record at which the
//! object comes again. It carries no operation, and nothing in it tells it
//! from other binary data, so the user names the format, the operation of all
//! records and the unit of the ids (`oracleGeneralBin.h` of libCacheSim).

use super::objects::{Object, ObjectRules};
use super::{Fit, Format, Record, RecordParser};
use crate::records::batch::RowParser;
use crate::fields::binary::{time_ns, Fields};
use crate::error::{LineFault, TraceError};
use crate::options::TraceOptions;
use crate::fields::sectors::Column;
use crate::records::volumes::plain_name;

pub(super) const FORMAT: Format = Format {
    name: "oracle_general",
    about: "libCacheSim oracleGeneral binary (24 B): s, object id, bytes; op_default and object_unit must be given",
    example: "(binary) real_time=5633898 obj_id=42932745 obj_size=512 next_access_vtime=-1",
    extensions: &["oracleGeneral", "bin"],
    rebases: true,
    merges_volumes: false,
    reorders: false,
    takes_columns: false,
    text: false,
    volume_name: plain_name,
    detect: |_| Fit::No,
    build,
};

const RECORD_BYTES: usize = 24;
const UNIT_NS: u64 = 1_000_000_000;
pub(super) const ID: Column<'static> = Column { number: 2, name: "obj_id" };
pub(super) const SIZE: Column<'static> = Column { number: 3, name: "obj_size" };

struct OracleGeneral {
    rules: ObjectRules,
}

fn build(options: &TraceOptions) -> Result<Box<dyn RowParser>, TraceError> {
    let rules = ObjectRules::new(options, FORMAT.name)?;
    if rules.op_default().is_err() {
        return Err(TraceError::Option {
            key: "op_default",
            value: format!("nothing given, for format {}", FORMAT.name),
            allowed: "\"read\" or \"write\": the records carry no operation, so all of them are this"
                .to_owned(),
        });
    }
    Ok(Box::new(OracleGeneral { rules }))
}

impl RecordParser for OracleGeneral {
    fn frame(&mut self, _pending: &[u8]) -> Result<usize, LineFault> {
        Ok(RECORD_BYTES)
    }

    fn record<'a>(&mut self, record: &'a [u8]) -> Result<Record<'a>, LineFault> {
        let fields = Fields::little(record);
        self.rules.request(Object {
            id: (fields.u64(4), ID),
            size: (fields.u32(12).into(), SIZE),
            op: None,
            at_ns: time_ns((1, "real_time"), fields.u32(0).into(), UNIT_NS)?,
            volume: &[],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::RawRequest;
    use crate::options::generic::UnitBytes;
    use crate::options::objects::DefaultOp;
    use slcache_base::request::HostOp;

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
