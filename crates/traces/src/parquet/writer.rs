//! Writing the layout, one row group in memory at a time.

use super::columns::code;
use super::metadata::{Metadata, Reading, StoredGroup, Totals, KEY};
use super::row_groups::{plain, schema, ROW_GROUP_ROWS};
use crate::request_source::{Origin, TraceEntry};
use crc32fast::Hasher;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::ColumnPath;
use slcache_base::request::Request;
use std::io::{Error, Result, Write};
use std::sync::Arc;

/// Takes requests and writes them as Parquet.
pub(crate) struct ParquetWriter<W: Write + Send> {
    file: SerializedFileWriter<Checked<W>>,
    /// The rows of the group to come.
    rows: Vec<TraceEntry>,
    totals: Totals,
    row_groups: Vec<StoredGroup>,
}

impl<W: Write + Send> ParquetWriter<W> {
    pub(crate) fn new(output: W) -> Result<Self> {
        let open = || {
            let properties = properties(["at_ns", "sector", "response_ns"].into_iter())?;
            SerializedFileWriter::new(Checked::new(output), schema()?, Arc::new(properties))
        };
        let file = open().map_err(reason)?;
        Ok(Self { file, rows: Vec::new(), totals: Totals::default(), row_groups: Vec::new() })
    }

    pub(crate) fn write(&mut self, entries: &[TraceEntry]) -> Result<()> {
        for entry in entries {
            self.rows.push(*entry);
            self.totals.add(entry);
            if self.rows.len() == ROW_GROUP_ROWS {
                self.write_row_group().map_err(reason)?;
            }
        }
        Ok(())
    }

    /// Writes what is left and the footer; gives the output back.
    pub(crate) fn finish(
        mut self,
        origin: Origin,
        volumes: Vec<String>,
        reading: Option<Reading>,
    ) -> Result<W> {
        if !self.rows.is_empty() {
            self.write_row_group().map_err(reason)?;
        }
        let metadata = Metadata::new(origin, volumes, self.totals.counts(), self.row_groups, reading);
        let text = serde_json::to_string(&metadata)?;
        self.file.append_key_value_metadata(KeyValue::new(KEY.to_owned(), text));
        into_inner(self.file)
    }

    fn write_row_group(&mut self) -> ParquetResult<()> {
        // Parquet stores the bits of unsigned numbers in signed ones, and only those response times that there are.
        let requests = || self.rows.iter().map(|row| &row.request);
        let responses = || self.rows.iter().map(|row| row.response_ns);
        let wide = |column: fn(&Request) -> u64| requests().map(|r| column(r) as i64).collect::<Vec<_>>();
        let narrow = |column: fn(&Request) -> u32| requests().map(|r| column(r) as i32).collect::<Vec<_>>();
        let present: Vec<i16> = responses().map(|response_ns| i16::from(response_ns.is_some())).collect();
        let response_ns: Vec<i64> = responses().flatten().map(|ns| ns as i64).collect();
        let mut group = self.file.next_row_group()?;
        write_column::<Int64Type, _>(&mut group, &wide(|request| request.at_ns), None)?;
        write_column::<Int32Type, _>(&mut group, &narrow(|request| code(request.op)), None)?;
        write_column::<Int64Type, _>(&mut group, &wide(|request| request.sector), None)?;
        write_column::<Int32Type, _>(&mut group, &narrow(|request| request.sectors), None)?;
        write_column::<Int32Type, _>(&mut group, &narrow(|request| request.stream.into()), None)?;
        write_column::<Int64Type, _>(&mut group, &response_ns, Some(&present))?;
        write_column::<Int32Type, _>(&mut group, &narrow(|request| request.hint.into()), None)?;
        group.close()?;
        self.file.flush()?;
        let end_byte = self.file.bytes_written() as u64;
        let crc32 = self.file.inner_mut().take_crc32();
        self.row_groups.push(StoredGroup { end_byte, crc32 });
        self.rows.clear();
        Ok(())
    }
}

/// Why something cannot be written: what the system said, without what Parquet puts in front.
pub(super) fn reason(error: ParquetError) -> Error {
    match error {
        ParquetError::External(error) => error.downcast().map_or_else(Error::other, |error| *error),
        error => Error::other(plain(&error)),
    }
}

/// Writes the footer; gives the output back. `into_inner` of Parquet would hide what the system said.
pub(super) fn into_inner<W: Write + Send>(mut file: SerializedFileWriter<Checked<W>>) -> Result<W> {
    file.finish().map_err(reason)?;
    Ok(file.inner_mut().inner.take().expect("Invariant: taken once, here"))
}

/// Writes the next column of a row group.
pub(super) fn write_column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    present: Option<&[i16]>,
) -> ParquetResult<()> {
    let none = || ParquetError::General("the schema has fewer columns".to_owned());
    let mut column = group.next_column()?.ok_or_else(none)?;
    column.typed::<T>().write_batch(values, present, None)?;
    column.close()
}

/// Few different values go to a dictionary; those of these columns are stored as packed differences.
pub(super) fn properties<'a>(rising: impl Iterator<Item = &'a str>) -> ParquetResult<WriterProperties> {
    let mut builder = WriterProperties::builder()
        .set_created_by(format!("slcache {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS));
    for column in rising.map(ColumnPath::from) {
        builder = builder
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    Ok(builder.build())
}

/// Passes bytes on and sums them up.
pub(super) struct Checked<W> {
    /// Until it is given back.
    inner: Option<W>,
    hasher: Hasher,
}

impl<W: Write> Checked<W> {
    /// Nothing summed up yet.
    pub(super) fn new(inner: W) -> Self {
        Self { inner: Some(inner), hasher: Hasher::new() }
    }

    /// The checksum of the bytes since the last call.
    pub(super) fn take_crc32(&mut self) -> u32 {
        std::mem::take(&mut self.hasher).finalize()
    }
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let count = self.inner.as_mut().map_or(Ok(0), |inner| inner.write(bytes))?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> Result<()> {
        self.inner.as_mut().map_or(Ok(()), W::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::{ColumnKind, TableWriter};
    use super::*;
    use slcache_base::request::HostOp;

    /// Takes so many bytes more.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            let count = bytes.len().min(self.0);
            self.0 -= count;
            match count {
                0 => Err(Error::from_raw_os_error(28)),
                count => Ok(count),
            }
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    fn trace(room: usize) -> Result<Full> {
        let request = Request { at_ns: 0, sector: 0, sectors: 8, stream: 0, hint: 0, op: HostOp::Read };
        let mut writer = ParquetWriter::new(Full(room))?;
        writer.write(&[TraceEntry { request, response_ns: None }])?;
        writer.finish(Origin::default(), Vec::new(), None)
    }

    fn table(room: usize) -> Result<Full> {
        let mut writer = TableWriter::new(Full(room), &[("number".to_owned(), ColumnKind::Number)])?;
        writer.push(&[], &[7])?;
        writer.finish("key", "about".repeat(20))
    }

    #[test]
    fn a_full_disk_is_told_as_the_system_tells_it_wherever_it_ends() {
        for write in [trace, table] {
            let bytes = (1 << 20) - write(1 << 20).unwrap().0;
            for room in 0..bytes {
                let error = write(room).err().expect("there is no room");
                assert_eq!(error.raw_os_error(), Some(28), "{error} behind {room} of {bytes} bytes");
            }
            assert!(write(bytes).is_ok());
        }
    }
}
