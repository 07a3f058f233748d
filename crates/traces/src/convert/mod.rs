//! Writing traces again: in another format, several as one, or as a twin of their own blocks.

mod blocks;
mod traces;

pub use crate::bootstrap::Blocks;

use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::request_source::{Progress, TraceEntry};
use crate::stored::blktrace_files::input_files;
use crate::summary::TraceSummary;
use crate::writers::{Loss, TraceWriter, WriteOptions, Written};
use blocks::BlockTwin;
use schemars::JsonSchema;
use serde::Serialize;
use slcache_files::Outputs;
use std::collections::BTreeMap;
use std::path::Path;
use traces::Traces;

/// One or more traces on their way into one file.
pub struct Conversion {
    /// Names; `-` is standard input.
    inputs: Vec<String>,
    options: TraceOptions,
    blocks: Option<Blocks>,
}

impl Conversion {
    /// Traces as they are, several in order of time. Each of several, or each of its volumes, becomes a
    /// volume of its own, unless the options merge volumes.
    pub fn of(inputs: Vec<String>, options: &TraceOptions) -> Self {
        Self { inputs, options: options.clone(), blocks: None }
    }

    /// A twin of them in their place.
    pub fn by_blocks(self, blocks: Blocks) -> Self {
        Self { blocks: Some(blocks), ..self }
    }

    /// Writes one file, or standard output for `-`.
    pub fn write(
        &self,
        output: &str,
        options: &WriteOptions,
        progress: &mut Progress<'_>,
    ) -> Result<ConvertReport, TraceError> {
        let mut outputs = Outputs::new(self.inputs.iter().flat_map(|input| input_files(input)));
        outputs.reserve(Path::new(if output == "-" { "/dev/stdout" } else { output }))?;
        let mut traces = Traces::open(&self.inputs, &self.options)?;
        let twin = self.blocks.map(|blocks| BlockTwin::of(blocks, &mut traces, progress));
        let mut twin = twin.transpose()?;
        let label = match &twin {
            Some(twin) => Some(twin.label(&traces)),
            None => traces.label(),
        };
        let mut writer = TraceWriter::create_among(&mut outputs, output, options, label.as_deref())?;
        let mut names = Vec::new();
        let mut batch: Vec<TraceEntry> = Vec::new();
        while match &mut twin {
            Some(twin) => twin.next(&mut batch)?,
            None => traces.next(&mut batch)?,
        } {
            // Names are asked for again only when a new volume appears.
            let highest = batch.iter().map(|entry| usize::from(entry.request.stream)).max();
            if highest.is_some_and(|highest| highest >= names.len()) {
                names = traces.names();
            }
            writer.write(&batch, &names)?;
            traces.tell("convert", progress)?;
        }
        let steps: Vec<StepReport> = twin.iter().map(BlockTwin::report).collect();
        let mut origin = traces.origin();
        if let Some(twin) = &twin {
            origin.label = Some(twin.label(&traces));
            origin.steps.extend(steps.iter().map(|step| step.step.clone()));
        }
        let mut written = writer.finish(&origin, &traces.names())?;
        let inputs = traces.report();
        let untold: u64 = inputs.iter().map(|input| input.summary.other_events()).sum();
        if untold > 0 {
            // Service times, which `info` tells of the two events of a recording.
            written.lost.entry(Loss::Response.name()).or_insert(untold.min(written.requests));
        }
        traces.tell("publish", progress)?;
        outputs.publish()?;
        Ok(ConvertReport { inputs, steps, outputs: vec![written], label })
    }
}

/// What was read, done and written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConvertReport {
    /// The traces read, in order.
    pub inputs: Vec<InputReport>,
    /// What was done beside reading and writing, in order.
    pub steps: Vec<StepReport>,
    /// The files written, in order.
    pub outputs: Vec<Written>,
    /// What the requests are where they are not a recording.
    pub label: Option<String>,
}

/// A trace that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InputReport {
    pub file: String,
    /// Format it was read as.
    pub format: &'static str,
    pub summary: TraceSummary,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StepReport {
    /// Its name and parameters.
    pub step: String,
    /// Requests left out or changed, by reason.
    pub counts: BTreeMap<&'static str, u64>,
}
