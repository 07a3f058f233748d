//! The traces that a pipeline reads.

use super::entries::{Entries, Read};
use crate::error::TraceError;
use crate::options::{TraceOptions, VolumeChoice};
use crate::progress::Progress;
use crate::sources::reader::open;
use crate::stored::input_files::input_files;
use crate::stored::trace_path::TracePath;
use slcache_files::Outputs;

/// Traces with their options, in order.
#[derive(Clone)]
pub(super) struct Inputs(Vec<(TracePath, TraceOptions)>);

impl Inputs {
    /// Traces by name; `-` is standard input.
    pub(super) fn new(inputs: Vec<(String, TraceOptions)>) -> Self {
        Self(inputs.into_iter().map(|(path, options)| (TracePath::new(&path), options)).collect())
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// What they are, in order.
    pub(super) fn paths(&self) -> impl Iterator<Item = &TracePath> {
        self.0.iter().map(|(path, _)| path)
    }

    /// Takes volumes for streams of their own where the user does not say what to do with them.
    pub(super) fn tell_volumes_apart(&mut self) {
        for (_, options) in &mut self.0 {
            options.volume.get_or_insert(VolumeChoice::Each);
        }
    }

    /// Copies what gives its bytes only once to a file.
    pub(super) fn spool(&mut self, progress: &mut Progress<'_>) -> Result<(), TraceError> {
        for (path, _) in &mut self.0 {
            *path = path.clone().rereadable(progress)?;
        }
        Ok(())
    }

    /// Outputs that take no input's place.
    pub(super) fn outputs(&self) -> Outputs {
        Outputs::new(self.paths().flat_map(|path| input_files(path.name())))
    }

    /// Opens one of the traces.
    pub(super) fn open(&self, input: usize) -> Result<Box<dyn Entries>, TraceError> {
        let (path, options) = &self.0[input];
        Ok(Box::new(Read { path: path.name().to_owned(), reader: open(path, options)? }))
    }
}
