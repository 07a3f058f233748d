//! Writing the layout, one row group in memory at a time.

use super::columns::Columns;
use super::metadata::{Metadata, Reading, StoredGroup, Totals, KEY};
use super::row_groups::ROW_GROUP_ROWS;
use super::schema::schema;
use crate::entry::TraceEntry;
use crate::origin::Origin;
use crc32fast::Hasher;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::ColumnPath;
use std::io::Write;
use std::sync::Arc;

/// Takes requests and writes them as Parquet.
pub(crate) struct ParquetWriter<W: Write + Send> {
    file: SerializedFileWriter<Checked<W>>,
    columns: Columns,
    totals: Totals,
    row_groups: Vec<StoredGroup>,
}

impl<W: Write + Send> ParquetWriter<W> {
    pub(crate) fn new(output: W) -> Result<Self, ParquetError> {
        let output = Checked::new(output);
        let file = SerializedFileWriter::new(output, schema()?, Arc::new(properties()?))?;
        Ok(Self { file, columns: Columns::default(), totals: Totals::default(), row_groups: Vec::new() })
    }

    pub(crate) fn write(&mut self, entries: &[TraceEntry]) -> Result<(), ParquetError> {
        for entry in entries {
            self.columns.push(entry);
            self.totals.add(entry);
            if self.columns.len() == ROW_GROUP_ROWS {
                self.write_row_group()?;
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
    ) -> Result<W, ParquetError> {
        if self.columns.len() > 0 {
            self.write_row_group()?;
        }
        let metadata = Metadata::new(origin, volumes, self.totals.counts(), self.row_groups, reading);
        let text =
            serde_json::to_string(&metadata).map_err(|error| ParquetError::External(Box::new(error)))?;
        self.file.append_key_value_metadata(KeyValue::new(KEY.to_owned(), text));
        Ok(self.file.into_inner()?.inner)
    }

    fn write_row_group(&mut self) -> Result<(), ParquetError> {
        let columns = &self.columns;
        let mut group = self.file.next_row_group()?;
        write_wide(&mut group, &columns.at_ns, None)?;
        write_narrow(&mut group, &columns.op)?;
        write_wide(&mut group, &columns.sector, None)?;
        write_narrow(&mut group, &columns.sectors)?;
        write_narrow(&mut group, &columns.stream)?;
        write_wide(&mut group, &columns.response_ns, Some(&columns.has_response))?;
        write_narrow(&mut group, &columns.hint)?;
        group.close()?;
        self.file.flush()?;
        let end_byte = self.file.bytes_written() as u64;
        let crc32 = self.file.inner_mut().take_crc32();
        self.row_groups.push(StoredGroup { end_byte, crc32 });
        self.columns.clear();
        Ok(())
    }
}

fn write_wide<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[i64],
    present: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column = next(group)?;
    column.typed::<Int64Type>().write_batch(values, present, None)?;
    column.close()
}

fn write_narrow<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[i32],
) -> Result<(), ParquetError> {
    let mut column = next(group)?;
    column.typed::<Int32Type>().write_batch(values, None, None)?;
    column.close()
}

fn next<'a, W: Write + Send>(
    group: &'a mut SerializedRowGroupWriter<'_, W>,
) -> Result<parquet::file::writer::SerializedColumnWriter<'a>, ParquetError> {
    group.next_column()?.ok_or_else(|| ParquetError::General("the schema has fewer columns".to_owned()))
}

/// Few different values go to a dictionary; times and addresses are stored as
/// packed differences.
fn properties() -> Result<WriterProperties, ParquetError> {
    let mut builder = WriterProperties::builder()
        .set_created_by(format!("slcache {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS));
    for name in ["at_ns", "sector", "response_ns"] {
        let column = ColumnPath::from(name);
        builder = builder
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    Ok(builder.build())
}

/// Passes bytes on and sums them up.
pub(super) struct Checked<W> {
    pub inner: W,
    hasher: Hasher,
}

impl<W: Write> Checked<W> {
    /// Nothing summed up yet.
    pub(super) fn new(inner: W) -> Self {
        Self { inner, hasher: Hasher::new() }
    }

    /// The checksum of the bytes since the last call.
    pub(super) fn take_crc32(&mut self) -> u32 {
        std::mem::take(&mut self.hasher).finalize()
    }
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}
