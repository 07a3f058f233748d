//! Writing a trace in any of the formats.

use super::output::{stem, Output};
use super::text::TextWriter;
use super::{text_formats, writable_formats, Loss, Losses};
use crate::catalogue::PARQUET;
use crate::error::{FileFault, TraceError};
use crate::options::TraceOptions;
use crate::parquet::ParquetWriter;
use crate::request_source::{Origin, TraceEntry};
use schemars::JsonSchema;
use serde::Serialize;
use slcache_files::Outputs;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Name of the format; left out, a name that ends in `.parquet` tells it.
    pub format: Option<String>,
    /// What may get lost where the format has no place for it.
    pub lossy: Losses,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Written {
    pub file: String,
    pub format: &'static str,
    /// Requests in the file, flushes and trims included.
    pub requests: u64,
    /// Bytes of the file as stored.
    pub bytes: u64,
    /// How many requests lost something, by what was lost.
    pub lost: BTreeMap<&'static str, u64>,
    /// Trace options that read the file back as it was written.
    pub read_back: TraceOptions,
}

/// Writes requests to a file, which appears at its place only once it is whole.
pub struct TraceWriter {
    /// Those of this file, unless it is published with others.
    outputs: Option<Outputs>,
    file: String,
    format: &'static str,
    body: Body,
    requests: u64,
    label_lost: bool,
}

enum Body {
    Text(Box<(TextWriter, Output)>),
    Parquet(Box<ParquetWriter<Output>>),
}

impl TraceWriter {
    /// Begins a file, or standard output for `-`. `label` says what the
    /// requests are where they are not a recording.
    pub fn create(path: &str, options: &WriteOptions, label: Option<&str>) -> Result<Self, TraceError> {
        let mut outputs = Outputs::default();
        let writer = Self::create_among(&mut outputs, path, options, label)?;
        Ok(Self { outputs: Some(outputs), ..writer })
    }

    /// Begins a file that appears when `outputs` are published.
    pub fn create_among(
        outputs: &mut Outputs,
        path: &str,
        options: &WriteOptions,
        label: Option<&str>,
    ) -> Result<Self, TraceError> {
        let name = format_name(path, options)?;
        let text = text_formats().find(|format| format.name == name);
        let refused = |reason: String| TraceError::file(path, FileFault::Output, reason);
        let Some(text) = text else {
            let output = Output::create(path, outputs)?;
            if output.is_compressed() {
                return Err(refused("Parquet is compressed inside; leave out .gz, .zst or .xz".to_owned()));
            }
            let writer = ParquetWriter::new(output).map_err(|error| TraceError::write(path, error))?;
            let body = Body::Parquet(Box::new(writer));
            return Ok(Self {
                outputs: None,
                file: path.to_owned(),
                format: PARQUET,
                body,
                requests: 0,
                label_lost: false,
            });
        };
        if let Some(label) = label.filter(|_| !options.lossy.contains(Loss::Label)) {
            return Err(refused(format!(
                "the format {} has no place to say that the trace is a {label}; lossy = \"label\" writes it all the same, parquet keeps the label",
                text.name
            )));
        }
        let format = text.name;
        let writer = TextWriter::new(text, options.lossy.clone(), path);
        let body = Body::Text(Box::new((writer, Output::create(path, outputs)?)));
        let (file, label_lost) = (path.to_owned(), label.is_some());
        Ok(Self { outputs: None, file, format, body, requests: 0, label_lost })
    }

    /// Appends requests; `names` are the volumes' names by stream, as far as
    /// they are known.
    pub fn write(&mut self, entries: &[TraceEntry], names: &[String]) -> Result<(), TraceError> {
        self.requests += entries.len() as u64;
        match &mut self.body {
            Body::Text(text) => {
                let (writer, output) = text.as_mut();
                writer.write(entries, names, output)
            }
            Body::Parquet(writer) => {
                writer.write(entries).map_err(|error| TraceError::write(&self.file, error))
            }
        }
    }

    /// Ends the file; it gets its name now unless it is one of several. A trace holds at least one request.
    pub fn finish(self, origin: &Origin, names: &[String]) -> Result<Written, TraceError> {
        let Self { outputs, file, format, body, requests, label_lost } = self;
        let mut lost = BTreeMap::new();
        let (bytes, dropped, read_back) = match body {
            Body::Text(text) => {
                let (mut writer, mut output) = *text;
                writer.flush(&mut output)?;
                lost.extend(writer.lost().iter().map(|(loss, count)| (loss.name(), *count)));
                let dropped =
                    [Loss::Trim, Loss::Flush].map(|loss| writer.lost().get(&loss).copied().unwrap_or(0));
                let dropped = dropped.iter().sum::<u64>();
                refuse_empty(&file, requests - dropped)?;
                (output.finish()?, dropped, writer.read_back())
            }
            Body::Parquet(writer) => {
                refuse_empty(&file, requests)?;
                let finished = writer.finish(origin.clone(), names.to_vec(), None);
                let output = finished.map_err(|error| TraceError::write(&file, error))?;
                (output.finish()?, 0, TraceOptions::with_format(PARQUET))
            }
        };
        if let Some(outputs) = outputs {
            outputs.publish()?;
        }
        let requests = requests - dropped;
        if label_lost {
            lost.insert(Loss::Label.name(), requests);
        }
        Ok(Written { file, format, requests, bytes, lost, read_back })
    }
}

fn refuse_empty(file: &str, requests: u64) -> Result<(), TraceError> {
    if requests > 0 {
        return Ok(());
    }
    let reason = "no request is left to write; a trace holds at least one request";
    Err(TraceError::file(file, FileFault::Output, reason))
}

/// The format named, or told by the name of the output.
fn format_name(path: &str, options: &WriteOptions) -> Result<&'static str, TraceError> {
    let names = || writable_formats().collect::<Vec<_>>().join(", ");
    let refused = |reason: String| TraceError::file(path, FileFault::Output, reason);
    let by_name = stem(path).ends_with(".parquet").then_some(PARQUET);
    match &options.format {
        Some(name) if by_name.is_some_and(|told| told != name) => Err(refused(format!(
            "the name tells parquet, and the format is to be {name}: change one of the two"
        ))),
        Some(name) => writable_formats().find(|known| known == name).ok_or_else(|| {
            TraceError::option("format", name, format!("a format that can be written: {}", names()))
        }),
        None if by_name.is_some() => Ok(PARQUET),
        None => Err(refused(format!("the name does not tell the format; name one: {}", names()))),
    }
}
