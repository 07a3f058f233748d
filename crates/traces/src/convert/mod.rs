//! Writing traces again: in another format, several as one, or as a twin of their own blocks.

mod blocks;
mod entries;
mod merged;
mod report;

pub use crate::bootstrap::Blocks;
pub use report::{ConvertReport, InputReport, StepReport};

use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::progress::Progress;
use crate::stored::blktrace_files::input_files;
use crate::writers::{TraceWriter, WriteOptions};
use entries::{tell, Entries, Read};
use merged::Merged;
use slcache_files::Outputs;
use std::path::Path;

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
        let mut entries = self.open(progress)?;
        let label = entries.label();
        let mut writer = TraceWriter::create_among(&mut outputs, output, options, label.as_deref())?;
        let mut names = Vec::new();
        let mut batch: Vec<TraceEntry> = Vec::new();
        while entries.next(&mut batch)? {
            // Names are asked for again only when a new volume appears.
            let highest = batch.iter().map(|entry| usize::from(entry.request.stream)).max();
            if highest.is_some_and(|highest| highest >= names.len()) {
                names = entries.names();
            }
            writer.write(&batch, &names)?;
            tell("convert", entries.as_ref(), progress)?;
        }
        let written = writer.finish(&entries.origin(), &entries.names())?;
        tell("publish", entries.as_ref(), progress)?;
        outputs.publish()?;
        let (mut inputs, mut steps) = (Vec::new(), Vec::new());
        entries.report(&mut inputs, &mut steps);
        Ok(ConvertReport { inputs, steps, outputs: vec![written], label })
    }

    fn open(&self, progress: &mut Progress<'_>) -> Result<Box<dyn Entries>, TraceError> {
        let entries: Box<dyn Entries> = match self.inputs.as_slice() {
            [one] => Box::new(Read::open(one, &self.options)?),
            several => Box::new(Merged::open(several, &self.options)?),
        };
        match &self.blocks {
            Some(blocks) => blocks::twin(*blocks, entries, progress),
            None => Ok(entries),
        }
    }
}
