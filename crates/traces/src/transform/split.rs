//! `split`: one trace into several files.
//!
//! - `by = "volume"`: a file per volume, which becomes the only one of it;
//! - `by = "requests", requests = N`: a file per N requests (flushes and trims
//!   among them);
//! - `by = "time", window_ns = T`: a file per T nanoseconds; times without a
//!   request give no file.
//!
//! `rebase = true` makes the beginning of each window, or the first request of
//! each other part, time 0. In the name of the output `{}` stands for the
//! volume's name or the part's number. The files appear together,
//! when all are whole.

use super::describe::{parse, refused, step_text};
use super::entries::{tell, Entries};
use super::plan::Plan;
use super::report::TransformReport;
use super::run::{report, Names};
use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::origin::Origin;
use crate::progress::Progress;
use crate::writers::{TraceWriter, WriteOptions, Written};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use slcache_files::Outputs;
use std::cell::RefCell;
use std::collections::BTreeSet;

const KIND: &str = "split";
/// Volumes written in one pass over the trace: bounds memory and open files.
const VOLUMES_PER_PASS: usize = 32;
/// What stands for the part in the name of the output.
const PLACE: &str = "{}";

/// The parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Split {
    by: By,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    requests: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_ns: Option<u64>,
    #[serde(default)]
    rebase: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum By {
    Volume,
    Requests,
    Time,
}

impl Plan {
    /// Runs the pipeline and writes several files: `parameters` are `by`
    /// (`volume`, `requests` or `time`), `requests`, `window_ns` and `rebase`;
    /// `{}` in `output` stands for the part.
    pub fn split(
        mut self,
        parameters: Value,
        output: &str,
        options: &WriteOptions,
        progress: &mut Progress<'_>,
    ) -> Result<TransformReport, TraceError> {
        let split: Split = parse(KIND, parameters)?;
        if output.matches(PLACE).count() != 1 {
            let reason =
                format!("the output {output} must hold {PLACE} once, for the name or number of the part");
            return Err(refused(KIND, reason));
        }
        let outputs = RefCell::new(self.outputs());
        let target = Target { outputs, output, options, step: step_text(KIND, &split), rebase: split.rebase };
        let report = match (split.by, split.requests, split.window_ns) {
            (By::Volume, None, None) => {
                self.tell_volumes_apart();
                self.spool(true, progress)?;
                by_volume(&self, &target, progress)
            }
            (By::Requests, Some(count), None) if count > 0 => {
                self.spool(false, progress)?;
                in_sequence(&self, &target, &|number, _| number / count, None, progress)
            }
            (By::Time, None, Some(window_ns)) if window_ns > 0 => {
                self.spool(false, progress)?;
                in_sequence(&self, &target, &|_, at_ns| at_ns / window_ns, Some(window_ns), progress)
            }
            _ => Err(refused(
                KIND,
                "allowed: by = \"volume\", by = \"requests\" with requests from 1, by = \"time\" with window_ns from 1",
            )),
        }?;
        if !progress("publish", 0, 0) {
            return Err(TraceError::Cancelled);
        }
        target.outputs.into_inner().publish()?;
        Ok(report)
    }
}

/// Where the parts go.
struct Target<'a> {
    /// The parts appear together, once the last one is whole.
    outputs: RefCell<Outputs>,
    output: &'a str,
    options: &'a WriteOptions,
    step: String,
    rebase: bool,
}

impl Target<'_> {
    fn part(&self, part: &str, label: Option<&str>) -> Result<Part, TraceError> {
        let mut outputs = self.outputs.borrow_mut();
        let path = self.output.replace(PLACE, part);
        let writer = TraceWriter::create_among(&mut outputs, &path, self.options, label)?;
        Ok(Part { writer, name: part.to_owned(), origin_ns: None })
    }

    fn finish(&self, part: Part, mut origin: Origin, names: &[String]) -> Result<Written, TraceError> {
        origin.steps.push(format!("{}, part {}", self.step, part.name));
        part.writer.finish(&origin, names)
    }
}

struct Part {
    writer: TraceWriter,
    name: String,
    /// Time 0 of the part, when rebased.
    origin_ns: Option<u64>,
}

impl Part {
    fn write(&mut self, mut entry: TraceEntry, rebase: bool, names: &[String]) -> Result<(), TraceError> {
        if rebase {
            let at_ns = entry.request.at_ns;
            let origin_ns = *self.origin_ns.get_or_insert(at_ns);
            entry.request.at_ns = at_ns.checked_sub(origin_ns).ok_or_else(|| {
                refused(KIND, format!("a request at {at_ns} ns lies before the first one of its part ({origin_ns} ns), which would be time 0; sort the trace or leave out rebase"))
            })?;
        }
        self.writer.write(&[entry], names)
    }
}

/// Parts one after the other: `part_of` numbers them by the request's number and time.
fn in_sequence(
    plan: &Plan,
    target: &Target<'_>,
    part_of: &dyn Fn(u64, u64) -> u64,
    window_ns: Option<u64>,
    progress: &mut Progress<'_>,
) -> Result<TransformReport, TraceError> {
    let mut entries = plan.open(progress)?;
    let label = entries.label();
    let (mut names, mut batch, mut outputs) = (Names::default(), Vec::new(), Vec::new());
    let (mut open, mut number): (Option<(u64, Part)>, u64) = (None, 0);
    while entries.next(&mut batch)? {
        names.update(entries.as_ref(), &batch);
        for entry in &batch {
            let at_ns = entry.request.at_ns;
            let wanted = part_of(number, at_ns);
            number += 1;
            if open.as_ref().is_none_or(|(current, _)| *current != wanted) {
                if let Some((current, part)) = open.take() {
                    if wanted < current {
                        return Err(refused(KIND, format!("time runs backwards from window {current} to {wanted} (at {at_ns} ns); sort the trace (unsorted = \"sort:N\")")));
                    }
                    outputs.push(target.finish(part, entries.origin(), &entries.names())?);
                }
                let mut part = target.part(&format!("{wanted:04}"), label.as_deref())?;
                part.origin_ns = window_ns.map(|window_ns| wanted * window_ns);
                open = Some((wanted, part));
            }
            if let Some((_, part)) = &mut open {
                part.write(*entry, target.rebase, &names.0)?;
            }
        }
        tell("split", entries.as_ref(), progress)?;
    }
    if let Some((_, part)) = open {
        outputs.push(target.finish(part, entries.origin(), &entries.names())?);
    }
    Ok(report(entries.as_ref(), outputs, label))
}

/// A part per volume, some volumes in every pass.
fn by_volume(
    plan: &Plan,
    target: &Target<'_>,
    progress: &mut Progress<'_>,
) -> Result<TransformReport, TraceError> {
    let mut outputs = Vec::new();
    let mut used = BTreeSet::new();
    let mut first = 0;
    loop {
        let mut entries = plan.open(progress)?;
        let label = entries.label();
        let pass = first..first + VOLUMES_PER_PASS;
        let streams = volume_pass(entries.as_mut(), target, pass, &mut used, &mut outputs, progress)?;
        first += VOLUMES_PER_PASS;
        if first >= streams {
            return Ok(report(entries.as_ref(), outputs, label));
        }
    }
}

/// Writes the volumes whose streams lie in `pass`; how many streams there are.
fn volume_pass(
    entries: &mut dyn Entries,
    target: &Target<'_>,
    pass: std::ops::Range<usize>,
    used: &mut BTreeSet<String>,
    outputs: &mut Vec<Written>,
    progress: &mut Progress<'_>,
) -> Result<usize, TraceError> {
    let label = entries.label();
    let mut parts: Vec<Option<Part>> = (0..VOLUMES_PER_PASS).map(|_| None).collect();
    let (mut names, mut batch, mut streams) = (Names::default(), Vec::new(), 0);
    while entries.next(&mut batch)? {
        names.update(entries, &batch);
        for mut entry in batch.drain(..) {
            let stream = usize::from(entry.request.stream);
            streams = streams.max(stream + 1);
            if !pass.contains(&stream) {
                continue;
            }
            let name = names.0.get(stream).filter(|name| !name.is_empty());
            let name = name.cloned().unwrap_or_else(|| stream.to_string());
            let part = match &mut parts[stream - pass.start] {
                Some(part) => part,
                empty => empty.insert(target.part(&file_name(&name, used), label.as_deref())?),
            };
            entry.request.stream = 0;
            part.write(entry, target.rebase, std::slice::from_ref(&name))?;
        }
        tell("split", entries, progress)?;
    }
    let all = entries.names();
    for (place, part) in parts.into_iter().enumerate() {
        if let Some(part) = part {
            let name = all.get(pass.start + place).cloned();
            outputs.push(target.finish(part, entries.origin(), name.as_slice())?);
        }
    }
    Ok(streams)
}

/// A volume's name as part of a file name that no other volume has.
fn file_name(volume: &str, used: &mut BTreeSet<String>) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_' | ',' | '#');
    let plain: String = volume.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    let mut name = plain.clone();
    let mut number = 2;
    while !used.insert(name.clone()) {
        name = format!("{plain}-{number}");
        number += 1;
    }
    name
}
