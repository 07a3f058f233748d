//! A Parquet file of whole numbers and names, written a row group at a time: for tables that are no
//! traces.

use super::row_groups::ROW_GROUP_ROWS;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};
use std::io::{Error, Write};
use std::sync::Arc;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Names of which there are few.
    Name,
    /// Whole numbers that mostly rise, or hardly ever come twice.
    Rising,
    /// Whole numbers of which many are equal.
    Number,
}

/// The values of a column that wait for their row group.
enum Values {
    Names(Vec<ByteArray>),
    Numbers(Vec<i64>),
}

/// Takes rows and writes them as Parquet, compressed with zstd.
pub struct TableWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Values>,
    rows: usize,
}

impl<W: Write + Send> TableWriter<W> {
    pub fn new(output: W, columns: &[(String, Kind)]) -> Result<Self, Error> {
        let file = SerializedFileWriter::new(output, schema(columns)?, Arc::new(properties(columns)?))?;
        let empty = |(_, kind): &(String, Kind)| match kind {
            Kind::Name => Values::Names(Vec::new()),
            Kind::Rising | Kind::Number => Values::Numbers(Vec::new()),
        };
        Ok(Self { file, columns: columns.iter().map(empty).collect(), rows: 0 })
    }

    /// Appends a row: the names and the numbers, each in the order of their columns.
    pub fn push(&mut self, names: &[&'static str], numbers: &[u64]) -> Result<(), Error> {
        let (mut names, mut numbers) = (names.iter(), numbers.iter());
        for column in &mut self.columns {
            match column {
                Values::Names(values) => values.extend(names.next().map(|name| ByteArray::from(*name))),
                Values::Numbers(values) => values.extend(numbers.next().map(|&number| number as i64)),
            }
        }
        self.rows += 1;
        if self.rows == ROW_GROUP_ROWS {
            self.write_row_group()?;
        }
        Ok(())
    }

    /// Writes what is left and the footer, with `text` under `key`; gives the output back.
    pub fn finish(mut self, key: &str, text: String) -> Result<W, Error> {
        if self.rows > 0 {
            self.write_row_group()?;
        }
        self.file.append_key_value_metadata(KeyValue::new(key.to_owned(), text));
        Ok(self.file.into_inner()?)
    }

    fn write_row_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            write_column(&mut group, column)?;
        }
        group.close()?;
        self.file.flush()?;
        self.rows = 0;
        Ok(())
    }
}

fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &mut Values,
) -> Result<(), ParquetError> {
    let none = || ParquetError::General("the schema has fewer columns".to_owned());
    let mut column = group.next_column()?.ok_or_else(none)?;
    match values {
        Values::Names(names) => {
            column.typed::<ByteArrayType>().write_batch(names, None, None)?;
            names.clear();
        }
        Values::Numbers(numbers) => {
            column.typed::<Int64Type>().write_batch(numbers, None, None)?;
            numbers.clear();
        }
    }
    column.close()
}

fn schema(columns: &[(String, Kind)]) -> Result<Arc<Type>, ParquetError> {
    let column = |(name, kind): &(String, Kind)| {
        let (physical, logical) = match kind {
            Kind::Name => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Rising | Kind::Number => (Physical::INT64, None),
        };
        Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    };
    let columns = columns.iter().map(column).collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder("slcache_table").with_fields(columns).build().map(Arc::new)
}

/// Few different values go to a dictionary; others are stored as packed differences.
fn properties(columns: &[(String, Kind)]) -> Result<WriterProperties, ParquetError> {
    let mut builder = WriterProperties::builder()
        .set_created_by(format!("slcache {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS));
    for (name, _) in columns.iter().filter(|(_, kind)| *kind == Kind::Rising) {
        let column = ColumnPath::from(name.as_str());
        builder = builder
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    Ok(builder.build())
}
