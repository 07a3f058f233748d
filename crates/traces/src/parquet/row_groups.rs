//! Reading the layout, some rows at a time, and refusing files that have other columns.

use super::columns::RequestColumns;
use super::metadata::{Metadata, StoredGroup, KEY};
use crate::error::quote::{cut, listed};
use crate::stored::opened::{PlacedReader, SharedFile};
use bytes::Bytes;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{get_typed_column_reader, ColumnReaderImpl};
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, FileReader, Length, RowGroupReader, SerializedFileReader};
use parquet::schema::types::{SchemaDescriptor, Type};
use std::io::{BufReader, Read};
use std::sync::Arc;

/// Rows in a row group: bounds what reading and writing hold in memory.
pub(super) const ROW_GROUP_ROWS: usize = 1 << 17;

/// Rows decoded at a time.
const CHUNK_ROWS: usize = 4096;

/// Bytes in front of the first row group.
const MAGIC_BYTES: i64 = 4;

/// The rows of a file in order.
pub(super) struct RowGroups {
    file: SerializedFileReader<SharedFile>,
    /// The group being read.
    group: Option<GroupRows>,
    next_group: usize,
}

struct GroupRows {
    at_ns: ColumnReaderImpl<Int64Type>,
    op: ColumnReaderImpl<Int32Type>,
    sector: ColumnReaderImpl<Int64Type>,
    sectors: ColumnReaderImpl<Int32Type>,
    stream: ColumnReaderImpl<Int32Type>,
    response_ns: ColumnReaderImpl<Int64Type>,
    /// None in files of the first version.
    hint: Option<ColumnReaderImpl<Int32Type>>,
    rows_left: usize,
}

impl RowGroups {
    /// Opens a file and checks that it is of this layout; the error says what
    /// is wrong.
    pub(super) fn open(file: SharedFile) -> Result<(Self, Metadata), String> {
        let unreadable = |error: ParquetError| format!("the Parquet file cannot be read: {}", plain(&error));
        let file = SerializedFileReader::new(file).map_err(unreadable)?;
        let found = file.metadata();
        if let Some(problem) = problem(found.file_metadata().schema_descr()).map_err(unreadable)? {
            return Err(problem);
        }
        let values = found.file_metadata().key_value_metadata();
        let ours = values.and_then(|values| values.iter().find(|value| value.key == KEY));
        let Some(text) = ours.and_then(|value| value.value.as_deref()) else {
            return Err(format!(
                "the Parquet file's footer has no {KEY}; expected a trace written by slcache"
            ));
        };
        let metadata = Metadata::parse(text)?;
        let sizes = found.row_groups().iter().map(|group| group.num_rows());
        if sizes.clone().any(|rows| !(1..=ROW_GROUP_ROWS as i64).contains(&rows)) {
            return Err(format!(
                "the file was changed: a row group does not hold 1 to {ROW_GROUP_ROWS} rows"
            ));
        }
        let rows = sizes.sum::<i64>() as u64;
        if metadata.rows() != Some(rows) {
            return Err(format!(
                "the file was changed or cut: it holds {rows} rows, and its footer counts {} reads, {} writes, {} trims and {} flushes",
                metadata.counts.reads, metadata.counts.writes, metadata.counts.trims, metadata.counts.flushes
            ));
        }
        check_places(found.row_groups(), &metadata.row_groups)?;
        Ok((Self { file, group: None, next_group: 0 }, metadata))
    }

    /// The row group that [`Self::next`] will open, if it will.
    pub(super) fn group_to_open(&self) -> Option<usize> {
        let is_due = self.group.as_ref().is_none_or(|group| group.rows_left == 0);
        (is_due && self.next_group < self.file.num_row_groups()).then_some(self.next_group)
    }

    /// Replaces `columns` by the next rows; `false` at the end.
    pub(super) fn next(&mut self, columns: &mut RequestColumns) -> Result<bool, ParquetError> {
        columns.clear();
        if let Some(place) = self.group_to_open() {
            let group = self.file.get_row_group(place)?;
            self.group = Some(GroupRows::open(group.as_ref())?);
            self.next_group += 1;
        }
        match &mut self.group {
            Some(group) if group.rows_left > 0 => group.read(columns).map(|()| true),
            _ => Ok(false),
        }
    }
}

/// Checks that the columns lie behind each other without a gap, in the row
/// groups whose checksums the footer has, and in the encoding of this layout.
fn check_places(groups: &[RowGroupMetaData], stored: &[StoredGroup]) -> Result<(), String> {
    let changed = || "the file was changed: its footer does not say where its own columns lie".to_owned();
    let mut end = MAGIC_BYTES;
    for (group, stored) in groups.iter().zip(stored) {
        for column in group.columns() {
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let fits = start == end
                && column.compressed_size() > 0
                && column.num_values() == group.num_rows()
                && matches!(column.compression(), Compression::ZSTD(_));
            end = end.checked_add(column.compressed_size()).filter(|_| fits).ok_or_else(changed)?;
        }
        if u64::try_from(end) != Ok(stored.end_byte) {
            return Err(changed());
        }
    }
    if groups.len() == stored.len() {
        Ok(())
    } else {
        Err(changed())
    }
}

impl GroupRows {
    fn open(group: &dyn RowGroupReader) -> Result<Self, ParquetError> {
        Ok(Self {
            at_ns: get_typed_column_reader(group.get_column_reader(0)?),
            op: get_typed_column_reader(group.get_column_reader(1)?),
            sector: get_typed_column_reader(group.get_column_reader(2)?),
            sectors: get_typed_column_reader(group.get_column_reader(3)?),
            stream: get_typed_column_reader(group.get_column_reader(4)?),
            response_ns: get_typed_column_reader(group.get_column_reader(5)?),
            hint: match group.num_columns() {
                6 => None,
                _ => Some(get_typed_column_reader(group.get_column_reader(6)?)),
            },
            rows_left: group.metadata().num_rows() as usize,
        })
    }

    fn read(&mut self, columns: &mut RequestColumns) -> Result<(), ParquetError> {
        let rows = self.rows_left.min(CHUNK_ROWS);
        read_all(&mut self.at_ns, rows, &mut columns.at_ns, None)?;
        read_all(&mut self.op, rows, &mut columns.op, None)?;
        read_all(&mut self.sector, rows, &mut columns.sector, None)?;
        read_all(&mut self.sectors, rows, &mut columns.sectors, None)?;
        read_all(&mut self.stream, rows, &mut columns.stream, None)?;
        read_all(&mut self.response_ns, rows, &mut columns.response_ns, Some(&mut columns.has_response))?;
        match &mut self.hint {
            Some(hint) => read_all(hint, rows, &mut columns.hint, None)?,
            None => columns.hint.resize(rows, 0),
        }
        if !columns.are_complete(rows) {
            return Err(ParquetError::General("a column holds fewer rows than its row group".to_owned()));
        }
        self.rows_left -= rows;
        Ok(())
    }
}

/// Reads exactly `rows` rows unless the column ends before.
fn read_all<T: DataType>(
    column: &mut ColumnReaderImpl<T>,
    rows: usize,
    values: &mut Vec<T::T>,
    mut levels: Option<&mut Vec<i16>>,
) -> Result<(), ParquetError> {
    let mut read = 0;
    while read < rows {
        let (records, ..) = column.read_records(rows - read, levels.as_deref_mut(), None, values)?;
        if records == 0 {
            break;
        }
        read += records;
    }
    Ok(())
}

/// The message alone, without the name of its kind in front.
pub(super) fn plain(error: &ParquetError) -> String {
    match error {
        ParquetError::General(text) | ParquetError::NYI(text) | ParquetError::EOF(text) => text.clone(),
        other => other.to_string(),
    }
}

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

/// Name, bits and whether a value may be missing, in the order of the file.
const COLUMNS: [(&str, i8, bool); 7] = [
    ("at_ns", 64, false),
    ("op", 8, false),
    ("sector", 64, false),
    ("sectors", 32, false),
    ("stream", 16, false),
    ("response_ns", 64, true),
    // Files of the first version end before it.
    ("hint", 8, false),
];

/// The layout as Parquet sees it.
pub(super) fn schema() -> Result<Arc<Type>, ParquetError> {
    let column = |&(name, bits, optional): &(&str, i8, bool)| {
        let physical = if bits == 64 { Physical::INT64 } else { Physical::INT32 };
        let repetition = if optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        Type::primitive_type_builder(name, physical)
            .with_repetition(repetition)
            .with_logical_type(Some(unsigned(bits)))
            .build()
            .map(Arc::new)
    };
    let columns = COLUMNS.iter().map(column).collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder("slcache_trace").with_fields(columns).build().map(Arc::new)
}

fn unsigned(bit_width: i8) -> LogicalType {
    LogicalType::integer(bit_width, false)
}

/// What is wrong with the columns of a file, if anything.
pub(super) fn problem(found: &SchemaDescriptor) -> Result<Option<String>, ParquetError> {
    let (fields, ours) = (found.root_schema().get_fields(), schema()?);
    let ours = ours.get_fields();
    if fields == ours || *fields == ours[..ours.len() - 1] {
        return Ok(None);
    }
    let expected: Vec<String> = COLUMNS
        .iter()
        .map(|(name, bits, optional)| {
            format!("{name} UINT{bits}{}", if *optional { " (optional)" } else { "" })
        })
        .collect();
    Ok(Some(format!(
        "not a trace in slcache's Parquet layout: it has the columns {}; expected {}. Convert another table to delimited text and read it as generic",
        listed(found.columns().iter().map(|column| cut(column.name()))),
        expected.join(", ")
    )))
}
