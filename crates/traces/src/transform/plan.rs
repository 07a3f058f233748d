//! What a pipeline is made of, so that it can be opened as often as needed.

use super::entries::{Entries, Progress, Read};
use super::merge::Merge;
use super::step::Step;
use crate::error::TraceError;
use crate::input_files::input_files;
use crate::options::TraceOptions;
use crate::reader::open;
use crate::stdin::{spool_stdin, Spooled};
use serde_json::Value;
use slcache_files::Outputs;
use std::sync::Arc;

/// One or more traces and the transformations between them and the output.
#[derive(Clone)]
pub struct Plan {
    pub(super) inputs: Vec<(String, TraceOptions)>,
    pub(super) merge: Option<Merge>,
    steps: Vec<Step>,
    /// Standard input, for as long as it may be read again.
    spooled: Option<Arc<Spooled>>,
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
        Self { inputs, merge, steps: Vec::new(), spooled: None }
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

    /// Copies standard input to a file if it has to be read more than once.
    pub(super) fn spool(&mut self, reads_again: bool) -> Result<(), TraceError> {
        let merge_reads_again = self.merge.as_ref().is_some_and(Merge::reads_again);
        let needed = reads_again || merge_reads_again || self.steps.iter().any(Step::reads_again);
        let stdin = self.inputs.iter_mut().find(|(path, _)| path == "-");
        if let Some((path, _)) = stdin.filter(|_| needed) {
            let file = spool_stdin()?;
            *path = file.path().to_string_lossy().into_owned();
            self.spooled = Some(Arc::new(file));
        }
        Ok(())
    }

    /// Outputs that take no input's place.
    pub(super) fn outputs(&self) -> Outputs {
        Outputs::new(self.inputs.iter().flat_map(|(path, _)| input_files(path)))
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
        Ok(Box::new(Read { path: path.clone(), reader: open(path, options)? }))
    }
}
