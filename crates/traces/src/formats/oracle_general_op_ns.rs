//! libCacheSim's oracleGeneralOpNS: oracleGeneral with an operation and a name
//! space, 27 bytes per record, little-endian, no header.
//!
//! The name space is the volume. The unit of the ids must be given
//! (`oracleGeneralBin.h` of libCacheSim).

use super::objects::{Object, ObjectRules};
use super::oracle_general::{ID, SIZE};
use super::{Fit, Format, Record, RecordParser};
use crate::fields::binary::{number_name, time_ns, Fields};
use crate::error::LineFault;
use crate::fields::sectors::Column;

pub(super) const FORMAT: Format = Format {
    name: "oracle_general_op_ns",
    about: "libCacheSim oracleGeneralOpNS binary (27 B): s, object id, bytes, operation, name space (volume); object_unit must be given",
    example: "(binary) real_time=5633898 obj_id=42932745 obj_size=512 op=13 ns=1 next_access_vtime=-1",
    extensions: &["oracleGeneralOpNS"],
    rebases: true,
    merges_volumes: false,
    reorders: false,
    takes_columns: false,
    text: false,
    volume_name: number_name,
    detect: |_| Fit::No,
    build: |options| Ok(Box::new(OracleGeneralOpNs { rules: ObjectRules::new(options, FORMAT.name)? })),
};

const RECORD_BYTES: usize = 27;
const UNIT_NS: u64 = 1_000_000_000;
const OP: Column<'static> = Column { number: 4, name: "op" };

struct OracleGeneralOpNs {
    rules: ObjectRules,
}

impl RecordParser for OracleGeneralOpNs {
    fn frame(&mut self, _pending: &[u8]) -> Result<usize, LineFault> {
        Ok(RECORD_BYTES)
    }

    fn record<'a>(&mut self, record: &'a [u8]) -> Result<Record<'a>, LineFault> {
        let fields = Fields::little(record);
        self.rules.request(Object {
            id: (fields.u64(4), ID),
            size: (fields.u32(12).into(), SIZE),
            op: Some((record[16].into(), OP)),
            at_ns: time_ns((1, "real_time"), fields.u32(0).into(), UNIT_NS)?,
            volume: &record[17..19],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::TraceOptions;
    use crate::options::generic::UnitBytes;
    use crate::options::objects::DefaultOp;
    use slcache_base::request::HostOp;

    fn op(number: u8, default: Option<DefaultOp>) -> Result<HostOp, String> {
        let options = TraceOptions {
            object_unit: Some(UnitBytes::BYTE),
            op_default: default,
            ..TraceOptions::default()
        };
        let mut record = [0; 27];
        record[4..6].copy_from_slice(&[0, 16]);
        record[12..14].copy_from_slice(&[0, 2]);
        record[16] = number;
        record[17..19].copy_from_slice(&[1, 1]);
        let mut parser = (FORMAT.build)(&options).unwrap();
        match parser.record(&record) {
            Ok(Record::Request(raw)) => {
                assert_eq!((raw.sector, raw.sectors, number_name(raw.volume)), (8, 1, "257".to_owned()));
                Ok(raw.op)
            }
            Ok(Record::Skipped(reason)) => Err(reason.to_owned()),
            Err(fault) => Err(fault.to_string()),
        }
    }

    #[test]
    fn operations() {
        for (numbers, expected) in
            [(&[1, 2, 12][..], HostOp::Read), (&[3, 4, 6, 13, 14], HostOp::Write), (&[9], HostOp::Trim)]
        {
            for &number in numbers {
                assert_eq!(op(number, None), Ok(expected), "{number}");
            }
        }
        assert_eq!(op(0, Some(DefaultOp::Write)), Ok(HostOp::Write));
        assert!(op(15, None).unwrap_err().contains("op_default"));
        assert!(op(5, None).unwrap_err().contains("cas"));
        assert!(op(16, None).unwrap_err().contains("column 4 (op): \"16\" is not an operation"));
    }
}
