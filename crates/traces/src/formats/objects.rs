//! What libCacheSim's formats share: objects with an id and a size in bytes,
//! and its numbers for operations.
//!
//! An id is a block address only where the trace was one of a disk, and its
//! unit is not in the file, so the user has to say it (`object_unit`).

use super::{RawRequest, Record, SKIPPED_ZERO_SIZE};
use crate::error::{LineFault, TraceError};
use crate::fields::binary::number_fault;
use crate::fields::sectors::{Column, SizeRules};
use crate::options::objects::DefaultOp;
use crate::options::TraceOptions;
use slcache_base::request::HostOp;

/// An object as a record gives it, with the columns to name in messages.
pub(super) struct Object<'a> {
    /// Id and its column.
    pub id: (u64, Column<'static>),
    /// Size in bytes and its column.
    pub size: (u64, Column<'static>),
    /// The number of the operation and its column, where there is one.
    pub op: Option<(u64, Column<'static>)>,
    /// Time in nanoseconds.
    pub at_ns: u64,
    /// Tenant or name space; empty where there is none.
    pub volume: &'a [u8],
}

/// The user's choices about objects.
pub(super) struct ObjectRules {
    op_default: Option<HostOp>,
    unit_bytes: u64,
    sizes: SizeRules,
}

impl ObjectRules {
    /// The choices in the options; an error where one that is needed is missing.
    pub(super) fn new(options: &TraceOptions, format: &str) -> Result<Self, TraceError> {
        let Some(unit) = options.object_unit else {
            return Err(TraceError::Option {
                key: "object_unit",
                value: format!("nothing given, for format {format}"),
                allowed: "\"sector\" (512 bytes), \"byte\" or a number of bytes: what the ids of objects count in, if they are block addresses at all".to_owned(),
            });
        };
        if unit.bytes() == 0 {
            return Err(TraceError::Option {
                key: "object_unit",
                value: "0".to_owned(),
                allowed: "\"sector\", \"byte\" or a positive number of bytes".to_owned(),
            });
        }
        let op_default = options.op_default.map(|op| match op {
            DefaultOp::Read => HostOp::Read,
            DefaultOp::Write => HostOp::Write,
        });
        Ok(Self { op_default, unit_bytes: unit.bytes(), sizes: SizeRules::new(options) })
    }

    /// The operation of records that carry none; a fault without one.
    pub(super) fn op_default(&self) -> Result<HostOp, LineFault> {
        self.op_default.ok_or(LineFault::NoOperation)
    }

    /// An object as a request.
    pub(super) fn request<'a>(&self, object: Object<'a>) -> Result<Record<'a>, LineFault> {
        let op = match object.op {
            None => self.op_default()?,
            Some(number) => match self.op(number)? {
                Ok(op) => op,
                Err(reason) => return Ok(Record::Skipped(reason)),
            },
        };
        let (id, id_column) = object.id;
        let Some(address) = id.checked_mul(self.unit_bytes) else {
            let allowed = format!("an id whose address in units of {} bytes fits 64 bits", self.unit_bytes);
            return Err(number_fault((id_column.number, id_column.name), id, allowed));
        };
        let Some(extent) = self.sizes.extent_of_bytes((address, id_column), object.size)? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let mut raw = RawRequest::plain(object.at_ns, (extent.sector, extent.sectors), op, object.volume);
        raw.rounded_to_sectors = extent.rounded;
        Ok(Record::Request(raw))
    }

    /// libCacheSim's `req_op_e`; reads and writes are those it counts as such.
    fn op(&self, (number, column): (u64, Column<'_>)) -> Result<Result<HostOp, &'static str>, LineFault> {
        Ok(match number {
            1 | 2 | 12 => Ok(HostOp::Read),
            3 | 4 | 6 | 13 | 14 => Ok(HostOp::Write),
            9 => Ok(HostOp::Trim),
            5 | 7 | 8 | 10 | 11 => Err("operation on a part of a value (cas, append, prepend, incr, decr)"),
            0 | 15 => Ok(self.op_default()?),
            _ => {
                let allowed = "an operation of libCacheSim (0 to 15)";
                return Err(number_fault((column.number, column.name), number, allowed));
            }
        })
    }
}
