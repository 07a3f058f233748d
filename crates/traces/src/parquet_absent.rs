//! Parquet where the feature is missing: such files are recognised, and told with the feature's name.

use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::features::missing;
use crate::options::TraceOptions;
use crate::origin::Origin;
use crate::stored::opened::Opened;
use crate::stored::shared_file::SharedFile;
use crate::summary::TraceSummary;
use std::convert::Infallible;
use std::io::Write;
use std::marker::PhantomData;
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

pub(crate) type ParquetError = std::io::Error;
/// First bytes of a Parquet file.
pub(crate) const MAGIC: &[u8] = b"PAR1";

pub(crate) struct ParquetSource(Infallible);

impl ParquetSource {
    pub(crate) fn open(opened: Opened, _: &TraceOptions) -> Result<Self, TraceError> {
        let message = missing("Parquet", "parquet").to_string();
        Err(TraceError::Parquet { file: opened.name().to_owned(), message })
    }

    pub(crate) fn step(&mut self, _: &mut Vec<TraceEntry>, _: usize) -> Result<bool, TraceError> {
        match self.0 {}
    }

    pub(crate) fn finish(&mut self) -> Result<(), TraceError> {
        match self.0 {}
    }

    pub(crate) fn update_summary(&mut self) {
        match self.0 {}
    }

    pub(crate) fn summary(&self) -> &TraceSummary {
        match self.0 {}
    }

    pub(crate) fn stream_names(&self) -> Vec<String> {
        match self.0 {}
    }

    pub(crate) fn bytes(&self) -> &SharedFile {
        match self.0 {}
    }

    pub(crate) fn origin(&self) -> &Origin {
        match self.0 {}
    }

    pub(crate) fn byte_counter(&self) -> Arc<AtomicU64> {
        match self.0 {}
    }

    pub(crate) fn bytes_total(&self) -> u64 {
        match self.0 {}
    }
}

pub(crate) struct ParquetWriter<W: Write + Send>(Infallible, PhantomData<W>);

impl<W: Write + Send> ParquetWriter<W> {
    pub(crate) fn new(_: W) -> Result<Self, ParquetError> {
        Err(missing("Parquet", "parquet"))
    }

    pub(crate) fn write(&mut self, _: &[TraceEntry]) -> Result<(), ParquetError> {
        match self.0 {}
    }

    pub(crate) fn finish(self, _: Origin, _: Vec<String>) -> Result<W, ParquetError> {
        match self.0 {}
    }
}

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

pub struct TableWriter<W: Write + Send>(Infallible, PhantomData<W>);

impl<W: Write + Send> TableWriter<W> {
    /// Refuses: the feature is missing.
    pub fn new(_: W, _: &[(String, Kind)]) -> Result<Self, std::io::Error> {
        Err(missing("Parquet", "parquet"))
    }

    pub fn push(&mut self, _: &[&'static str], _: &[u64]) -> Result<(), std::io::Error> {
        match self.0 {}
    }

    pub fn finish(self, _: &str, _: String) -> Result<W, std::io::Error> {
        match self.0 {}
    }
}
