//! A trace's file as the Parquet library reads it.

use crate::stored::shared_file::{PlacedReader, SharedFile};
use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use std::io::{BufReader, Read};

impl Length for SharedFile {
    fn len(&self) -> u64 {
        self.bytes()
    }
}

impl ChunkReader for SharedFile {
    type T = BufReader<PlacedReader>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::new(self.reader(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        // Not allocated at once: a damaged footer may ask for anything.
        let mut bytes = Vec::new();
        let read = self.reader(start).take(length as u64).read_to_end(&mut bytes)?;
        match read == length {
            true => Ok(bytes.into()),
            false => Err(ParquetError::EOF(format!("Expected to read {length} bytes, read only {read}"))),
        }
    }
}
