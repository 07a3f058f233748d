//! The columns of the layout, and refusing files that have others.

use crate::error::quote::{cut, listed};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::errors::ParquetError;
use parquet::schema::types::{SchemaDescriptor, Type};
use std::sync::Arc;

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
