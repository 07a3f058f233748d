//! What a pipeline is made of, so that it can be opened as often as needed.

use super::entries::{Entries, Progress, Read};
use super::merge::Merge;
use super::step::Step;
use crate::error::TraceError;
use crate::input_files::input_files;
use crate::options::TraceOptions;
use crate::reader::open;
use crate::trace_path::TracePath;
use serde_json::Value;
use slcache_files::Outputs;

/// One or more traces and the transformations between them and the output.
#[derive(Clone)]
pub struct Plan {
    pub(super) inputs: Vec<(TracePath, TraceOptions)>,
    pub(super) merge: Option<Merge>,
    steps: Vec<Step>,
}

impl Plan {
    /// One trace as it is; `-` is standard input.
    pub fn of(path: &str, options: &TraceOptions) -> Self {
        Self::of_inputs(vec![(path.to_owned(), options.clone())], None)
    }

    /// Several traces as one, in order of time. `parameters` are those of
    /// `merge`: `addresses` is `streams` (each trace, or volume, a volume of its
    /// own; the default), `one` (one address space, addresses as they are) or
    /// `stacked` (one behind the other); `offsets_bytes`, one for each trace,
    /// are added to the addresses with `one`.
    pub fn merged(inputs: Vec<(String, TraceOptions)>, parameters: Value) -> Result<Self, TraceError> {
        let merge = Merge::new(parameters, &inputs)?;
        Ok(Self::of_inputs(inputs, Some(merge)))
    }

    fn of_inputs(inputs: Vec<(String, TraceOptions)>, merge: Option<Merge>) -> Self {
        let inputs = inputs.into_iter().map(|(path, options)| (TracePath::new(&path), options));
        Self { inputs: inputs.collect(), merge, steps: Vec::new() }
    }

    /// Adds a transformation behind the others, by its name and parameters.
    pub fn then(mut self, kind: &str, parameters: Value) -> Result<Self, TraceError> {
        self.steps.push(Step::new(kind, parameters)?);
        Ok(self)
    }

    /// How many transformations there are.
    pub(super) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Copies what gives its bytes only once to a file if it has to be read again.
    pub(super) fn spool(&mut self, reads_again: bool, progress: &mut Progress<'_>) -> Result<(), TraceError> {
        let merge_reads_again = self.merge.as_ref().is_some_and(Merge::reads_again);
        if reads_again || merge_reads_again || self.steps.iter().any(Step::reads_again) {
            for (path, _) in &mut self.inputs {
                *path = path.clone().rereadable(progress)?;
            }
        }
        Ok(())
    }

    /// Outputs that take no input's place.
    pub(super) fn outputs(&self) -> Outputs {
        Outputs::new(self.inputs.iter().flat_map(|(path, _)| input_files(path.name())))
    }

    /// Opens the stream behind the first `steps` transformations.
    pub(super) fn open(
        &self,
        steps: usize,
        progress: &mut Progress<'_>,
    ) -> Result<Box<dyn Entries>, TraceError> {
        let mut entries: Box<dyn Entries> = match &self.merge {
            Some(merge) => merge.entries(self, progress)?,
            None => self.read(0)?,
        };
        for (place, step) in self.steps[..steps].iter().enumerate() {
            entries = step.behind(entries, self, place, progress)?;
        }
        Ok(entries)
    }

    /// Opens one of the traces.
    pub(super) fn read(&self, input: usize) -> Result<Box<dyn Entries>, TraceError> {
        let (path, options) = &self.inputs[input];
        Ok(Box::new(Read { path: path.name().to_owned(), reader: open(path, options)? }))
    }
}
