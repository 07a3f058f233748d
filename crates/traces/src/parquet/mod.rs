//! slcache's own layout of a trace: a Parquet file of flat columns.
//!
//! | column | type | |
//! |---|---|---|
//! | `at_ns` | UINT64 | arrival time in nanoseconds |
//! | `op` | UINT8 | 0 = read, 1 = write, 2 = trim, 3 = flush |
//! | `sector` | UINT64 | first 512-byte sector; 0 for a flush |
//! | `sectors` | UINT32 | length in sectors; 0 for a flush only |
//! | `stream` | UINT16 | place among the volumes of the footer |
//! | `response_ns` | UINT64, optional | published response time in nanoseconds |
//! | `hint` | UINT8 | what the host says about the data; not in files of version 1 |
//!
//! The footer holds, under the key `slcache.trace`, what the requests come from,
//! their counts with a digest, and a checksum of each row group, so that a file
//! that was cut or changed is told before anything is made of it.

mod columns;
mod metadata;
mod row_groups;
mod source;
mod table;
mod writer;

pub(crate) use metadata::Reading;
pub(crate) use source::ParquetSource;
pub use table::{ColumnKind, TableWriter};
pub(crate) use writer::ParquetWriter;

/// First and last bytes of a Parquet file.
pub(crate) const MAGIC: &[u8] = b"PAR1";
