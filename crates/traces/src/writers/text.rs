//! Requests as lines: what has no place in the format is an error or, where the
//! user says so, a counted loss.

use super::{FormatPlaces, Loss, Losses, Response, TextFormat, WritableLine};
use crate::error::quote::quoted;
use crate::error::{FileFault, TraceError};
use crate::options::TraceOptions;
use crate::request_source::TraceEntry;
use slcache_base::request::HostOp;
use std::collections::BTreeMap;
use std::io::Write;

/// Bytes of lines handed to the output at a time.
const BLOCK_BYTES: usize = 1 << 16;

/// Writes one text format.
pub(super) struct TextWriter {
    format: TextFormat,
    allowed: Losses,
    file: String,
    buffer: Buffer,
    /// How the format names each stream, and whether that is its name.
    volumes: Vec<(String, bool)>,
    requests: u64,
    lost: BTreeMap<Loss, u64>,
}

impl TextWriter {
    pub(super) fn new(format: TextFormat, allowed: Losses, file: &str) -> Self {
        let mut buffer = Buffer::default();
        buffer.text(&format.header);
        Self {
            format,
            allowed,
            file: file.to_owned(),
            buffer,
            volumes: Vec::new(),
            requests: 0,
            lost: BTreeMap::new(),
        }
    }

    /// Appends requests; `names` are the volumes' names by stream.
    pub(super) fn write(
        &mut self,
        entries: &[TraceEntry],
        names: &[String],
        output: &mut impl Write,
    ) -> Result<(), TraceError> {
        for entry in entries {
            self.requests += 1;
            self.name_streams(entry.request.stream, names);
            self.line(entry, names)?;
            if self.buffer.bytes().len() >= BLOCK_BYTES {
                self.flush(output)?;
            }
        }
        Ok(())
    }

    /// Hands the lines so far to the output.
    pub(super) fn flush(&mut self, output: &mut impl Write) -> Result<(), TraceError> {
        let written = output.write_all(self.buffer.bytes());
        self.buffer.clear();
        written.map_err(|source| TraceError::write(&self.file, source))
    }

    /// Trace options that read the file back as it was written.
    pub(super) fn read_back(&self) -> TraceOptions {
        self.format.read_back.clone()
    }

    pub(super) fn lost(&self) -> &BTreeMap<Loss, u64> {
        &self.lost
    }

    #[inline]
    fn line(&mut self, entry: &TraceEntry, names: &[String]) -> Result<(), TraceError> {
        let places = self.format.places;
        let (volume, is_named) = &self.volumes[usize::from(entry.request.stream)];
        let lost = losses(places, entry, *is_named);
        if lost.clone().any(|loss| !self.allowed.contains(loss)) {
            return Err(self.does_not_fit(entry, names, lost));
        }
        let mut dropped = false;
        for loss in lost {
            *self.lost.entry(loss).or_insert(0) += 1;
            dropped |= matches!(loss, Loss::Trim | Loss::Flush);
        }
        if dropped {
            return Ok(());
        }
        let cut = |ns: u64, step_ns: u64| ns - ns % step_ns;
        let response_ns = match places.response {
            Response::Absent => None,
            Response::Optional => entry.response_ns,
            Response::Required { step_ns } => entry.response_ns.map(|ns| cut(ns, step_ns)),
        };
        let at_ns = cut(entry.request.at_ns, places.time_step_ns);
        let line = WritableLine { at_ns, request: &entry.request, volume, response_ns };
        (self.format.lines)(&line, &mut self.buffer);
        Ok(())
    }

    /// Settles how streams up to `stream` are named in the format.
    #[inline]
    fn name_streams(&mut self, stream: u16, names: &[String]) {
        while self.volumes.len() <= usize::from(stream) {
            let next = self.volumes.len();
            let volumes = self.format.places.volumes;
            let name = names.get(next).filter(|name| !name.is_empty());
            let is_named = name.is_none_or(|name| volumes.express(name));
            // With the loss named, all volumes are numbered, so that no number meets a name.
            let kept = name.filter(|_| is_named && !self.allowed.contains(Loss::Volume));
            let text = kept.cloned().unwrap_or_else(|| volumes.number(next as u16));
            let is_kept = name.is_none_or(|name| *name == text);
            self.volumes.push((text, is_kept));
        }
    }

    #[cold]
    fn does_not_fit(
        &self,
        entry: &TraceEntry,
        names: &[String],
        lost: impl Iterator<Item = Loss>,
    ) -> TraceError {
        let missing: Vec<Loss> = lost.filter(|loss| !self.allowed.contains(*loss)).collect();
        let places = self.format.places;
        let request = &entry.request;
        let reason = |loss: Loss| match loss {
            Loss::Time => format!(
                "its time of {} ns is not a multiple of {} ns, the format's unit",
                request.at_ns, places.time_step_ns
            ),
            Loss::Flush => "it is a flush, which the format does not know".to_owned(),
            Loss::Trim => "it is a trim, which the format does not know".to_owned(),
            Loss::Volume => format!(
                "its volume {} is not {}",
                quoted(names.get(usize::from(request.stream)).map_or("", String::as_str)),
                places.volumes.allowed()
            ),
            Loss::Response => response_reason(places.response, entry.response_ns),
            Loss::Hint => format!("its hint is {}, and the format knows none", request.hint),
            Loss::Label => "the label".to_owned(),
        };
        let reason = format!(
            "request {} does not fit the format {}: {}; lossy = \"{}\" writes it all the same and counts it",
            self.requests,
            self.format.name,
            missing.iter().copied().map(reason).collect::<Vec<_>>().join("; "),
            missing.iter().copied().map(Loss::name).collect::<Vec<_>>().join(","),
        );
        TraceError::file(self.file.as_str(), FileFault::Unfit, reason)
    }
}

/// What a format has no place for in a request; one that is left out loses nothing else.
#[inline]
fn losses(places: FormatPlaces, entry: &TraceEntry, is_named: bool) -> impl Iterator<Item = Loss> + Clone {
    let TraceEntry { request, response_ns } = entry;
    let is_trim = request.op == HostOp::Trim && !places.trims;
    let is_flush = request.op == HostOp::Flush && !places.flushes;
    let response_fits = match places.response {
        Response::Absent => response_ns.is_none(),
        Response::Optional => true,
        Response::Required { step_ns } => response_ns.is_some_and(|ns| ns % step_ns == 0),
    };
    let others = [
        (Loss::Time, places.time_step_ns > 1 && request.at_ns % places.time_step_ns != 0),
        (Loss::Volume, !is_named),
        (Loss::Response, !response_fits),
        (Loss::Hint, request.hint != 0 && !places.hints),
    ];
    let others = others.map(|(loss, is_lost)| (loss, is_lost && !is_trim && !is_flush));
    let all = [(Loss::Trim, is_trim), (Loss::Flush, is_flush)].into_iter().chain(others);
    all.filter(|(_, is_lost)| *is_lost).map(|(loss, _)| loss)
}

fn response_reason(places: Response, response_ns: Option<u64>) -> String {
    match (places, response_ns) {
        (Response::Required { step_ns }, Some(ns)) => {
            format!("its response time of {ns} ns is not a multiple of {step_ns} ns, the format's unit")
        }
        (Response::Required { .. }, None) => {
            "it has no response time, and the format has one for every request".to_owned()
        }
        _ => "it has a response time, which the format does not know".to_owned(),
    }
}

/// Lines on their way to the output.
#[derive(Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    digits: itoa::Buffer,
}

impl Buffer {
    /// The lines so far.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Forgets the lines, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    #[inline]
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes.extend_from_slice(text.as_bytes());
        self
    }

    /// Appends a whole number.
    #[inline]
    pub(super) fn number(&mut self, number: u64) -> &mut Self {
        self.bytes.extend_from_slice(self.digits.format(number).as_bytes());
        self
    }

    /// Appends a number of units of `10^decimals` parts with all its decimals.
    #[inline]
    pub(super) fn decimal(&mut self, parts: u64, decimals: usize) -> &mut Self {
        let unit = 10u64.pow(decimals as u32);
        self.number(parts / unit).text(".");
        let fraction = self.digits.format(parts % unit).as_bytes();
        self.bytes.extend_from_slice(&b"0000000000"[..decimals - fraction.len()]);
        self.bytes.extend_from_slice(fraction);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_their_zeros() {
        let mut buffer = Buffer::default();
        buffer.decimal(1_000_000_007, 9).text(" ").decimal(221, 6).text(" ").number(u64::MAX);
        assert_eq!(buffer.bytes(), b"1.000000007 0.000221 18446744073709551615");
    }
}
