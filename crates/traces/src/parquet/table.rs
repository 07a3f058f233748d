//! A Parquet file of whole numbers and names, written a row group at a time: for tables that are no
//! traces.

use super::row_groups::ROW_GROUP_ROWS;
use super::writer::{into_inner, properties, reason, write_column, Checked};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::KeyValue;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::{Result, Write};
use std::sync::Arc;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
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
    file: SerializedFileWriter<Checked<W>>,
    columns: Vec<Values>,
    rows: usize,
}

impl<W: Write + Send> TableWriter<W> {
    pub fn new(output: W, columns: &[(String, ColumnKind)]) -> Result<Self> {
        let rising =
            columns.iter().filter(|(_, kind)| *kind == ColumnKind::Rising).map(|(name, _)| name.as_str());
        let open = || {
            let properties = Arc::new(properties(rising)?);
            SerializedFileWriter::new(Checked::new(output), schema(columns)?, properties)
        };
        let file = open().map_err(reason)?;
        let empty = |(_, kind): &(String, ColumnKind)| match kind {
            ColumnKind::Name => Values::Names(Vec::new()),
            ColumnKind::Rising | ColumnKind::Number => Values::Numbers(Vec::new()),
        };
        Ok(Self { file, columns: columns.iter().map(empty).collect(), rows: 0 })
    }

    /// Appends a row: the names and the numbers, each in the order of their columns.
    pub fn push(&mut self, names: &[&'static str], numbers: &[u64]) -> Result<()> {
        let (mut names, mut numbers) = (names.iter(), numbers.iter());
        for column in &mut self.columns {
            match column {
                Values::Names(values) => values.extend(names.next().map(|name| ByteArray::from(*name))),
                Values::Numbers(values) => values.extend(numbers.next().map(|&number| number as i64)),
            }
        }
        self.rows += 1;
        if self.rows == ROW_GROUP_ROWS {
            self.write_row_group().map_err(reason)?;
        }
        Ok(())
    }

    /// Writes what is left and the footer, with `text` under `key`; gives the output back.
    pub fn finish(mut self, key: &str, text: String) -> Result<W> {
        if self.rows > 0 {
            self.write_row_group().map_err(reason)?;
        }
        self.file.append_key_value_metadata(KeyValue::new(key.to_owned(), text));
        into_inner(self.file)
    }

    fn write_row_group(&mut self) -> ParquetResult<()> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            match column {
                Values::Names(names) => {
                    write_column::<ByteArrayType, _>(&mut group, names, None)?;
                    names.clear();
                }
                Values::Numbers(numbers) => {
                    write_column::<Int64Type, _>(&mut group, numbers, None)?;
                    numbers.clear();
                }
            }
        }
        group.close()?;
        self.file.flush()?;
        self.rows = 0;
        Ok(())
    }
}

fn schema(columns: &[(String, ColumnKind)]) -> ParquetResult<Arc<Type>> {
    let column = |(name, kind): &(String, ColumnKind)| {
        let (physical, logical) = match kind {
            ColumnKind::Name => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnKind::Rising | ColumnKind::Number => (Physical::INT64, None),
        };
        Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    };
    let columns = columns.iter().map(column).collect::<ParquetResult<Vec<_>>>()?;
    Type::group_type_builder("slcache_table").with_fields(columns).build().map(Arc::new)
}
