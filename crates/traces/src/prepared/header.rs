//! What a prepared trace says about the trace it was made of.

use super::{damaged, MAGIC, TRAILER_BYTES};
use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::summary::TraceSummary;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Everything about the trace but its requests.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    /// Format it was read as.
    pub format: String,
    /// How it was read.
    pub options: TraceOptions,
    /// Whether its streams are volumes with addresses of their own.
    pub has_volumes: bool,
    /// The names of the volumes by stream.
    pub stream_names: Vec<String>,
    /// What its reader counted.
    pub summary: TraceSummary,
    /// Requests of any kind.
    pub rows: u64,
}

impl Header {
    /// The header with its trailer, as it ends the file.
    pub fn encode(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        let (length, crc) = (bytes.len() as u64, crc32fast::hash(&bytes));
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&crc.to_le_bytes());
        bytes.extend_from_slice(MAGIC);
        Ok(bytes)
    }

    /// Reads the header of an open file; also the byte at which it begins.
    pub fn read(file: &File, path: &Path) -> Result<(Self, u64), TraceError> {
        let failed = |error: std::io::Error| damaged(path, &error.to_string());
        let bytes = file.metadata().map_err(failed)?.len();
        let least = (MAGIC.len() + TRAILER_BYTES) as u64;
        if bytes < least {
            return Err(damaged(path, "too short"));
        }
        let (mut magic, mut trailer) = ([0; MAGIC.len()], [0; TRAILER_BYTES]);
        file.read_exact_at(&mut magic, 0).map_err(failed)?;
        file.read_exact_at(&mut trailer, bytes - TRAILER_BYTES as u64).map_err(failed)?;
        if magic != *MAGIC || trailer[12..] != *MAGIC {
            return Err(damaged(path, "its magic number is missing"));
        }
        let (length, crc) = (trailer.first_chunk::<8>(), trailer[8..].first_chunk::<4>());
        let length = length.map_or(0, |bytes| u64::from_le_bytes(*bytes));
        if length > bytes - least {
            return Err(damaged(path, "too short for its header"));
        }
        let start = bytes - TRAILER_BYTES as u64 - length;
        let mut text = vec![0; length as usize];
        file.read_exact_at(&mut text, start).map_err(failed)?;
        if crc.map(|bytes| u32::from_le_bytes(*bytes)) != Some(crc32fast::hash(&text)) {
            return Err(damaged(path, "the checksum of its header does not match"));
        }
        let header = serde_json::from_slice(&text).map_err(|error| damaged(path, &error.to_string()))?;
        Ok((header, start))
    }
}
