//! A trace read once and kept as columns of fixed size, so that many runs read it without parsing.
//!
//! Layout: magic; blocks of up to [`BLOCK_ROWS`] requests, each with its rows, the CRC-32 of its
//! columns and the columns one after the other; the header as JSON, which is known at the end; its
//! length and CRC-32; magic. Integers are little-endian, a request takes 24 bytes.

mod block;
mod header;
mod source;

pub(crate) use block::encode;
pub(crate) use header::Header;
pub(crate) use source::PreparedSource;

use crate::error::TraceError;
use std::path::Path;

pub(crate) const MAGIC: &[u8; 8] = b"SLCTRC2\n";
/// Requests of a block: about 1.5 MB, which is read at once.
pub(crate) const BLOCK_ROWS: usize = 1 << 16;
/// Length and CRC-32 of the header, and the magic number.
const TRAILER_BYTES: usize = 8 + 4 + MAGIC.len();

fn damaged(file: &Path, what: &str) -> TraceError {
    TraceError::Prepared { file: file.display().to_string(), what: what.to_owned() }
}
