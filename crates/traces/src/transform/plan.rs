//! What a pipeline is made of, so that it can be opened as often as needed.

use super::entries::Entries;
use super::inputs::Inputs;
use super::merge::Merge;
use super::step::Step;
use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::progress::Progress;
use serde_json::Value;
use slcache_files::Outputs;

/// One or more traces and the transformations between them and the output.
#[derive(Clone)]
pub struct Plan {
    inputs: Inputs,
    merge: Option<Merge>,
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
        Self { inputs: Inputs::new(inputs), merge, steps: Vec::new() }
    }

    /// Adds a transformation behind the others, by its name and parameters.
    pub fn then(mut self, kind: &str, parameters: Value) -> Result<Self, TraceError> {
        self.steps.push(Step::new(kind, parameters)?);
        Ok(self)
    }

    /// Copies what gives its bytes only once to a file if it has to be read again.
    pub(super) fn spool(&mut self, reads_again: bool, progress: &mut Progress<'_>) -> Result<(), TraceError> {
        let merge_reads_again = self.merge.as_ref().is_some_and(Merge::reads_again);
        if reads_again || merge_reads_again || self.steps.iter().any(Step::reads_again) {
            self.inputs.spool(progress)?;
        }
        Ok(())
    }

    /// Reads the volumes of each trace one by one where the user does not say what to do with them.
    pub(super) fn tell_volumes_apart(&mut self) {
        self.inputs.tell_volumes_apart();
    }

    /// Outputs that take no input's place.
    pub(super) fn outputs(&self) -> Outputs {
        self.inputs.outputs()
    }

    /// Opens the stream behind all transformations.
    pub(super) fn open(&self, progress: &mut Progress<'_>) -> Result<Box<dyn Entries>, TraceError> {
        let mut entries = match &self.merge {
            Some(merge) => merge.entries(&self.inputs, progress)?,
            None => self.inputs.open(0)?,
        };
        for (place, step) in self.steps.iter().enumerate() {
            let before = Self { steps: self.steps[..place].to_vec(), ..self.clone() };
            entries = step.behind(entries, Box::new(move |progress| before.open(progress)), progress)?;
        }
        Ok(entries)
    }
}
