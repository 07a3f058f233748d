//! Telling the format from the first lines of a file.

use crate::error::quote::{first_binary_byte, quoted};
use crate::error::{FileFault, TraceError};
use crate::formats::{self, Fit, Format, Sample, FORMATS};
use crate::records::blocks::{RecordReader, BYTE_ORDER_MARK};
use crate::stored::opened::Opened;
use crate::stored::trace_path::TracePath;

/// Lines looked at.
const SAMPLE_LINES: usize = 64;

/// The format of a file by its content (and, between several that fit, its
/// name). An error that names the candidates when it cannot be told without
/// guessing: what 0 and 1 mean in a column is never guessed.
pub fn detect(path: &str) -> Result<&'static str, TraceError> {
    let mut records = RecordReader::open(Opened::of(&TracePath::new(path))?)?;
    detect_in(path, records.sample()?).map(|format| format.name)
}

/// The format of a file that begins with `sample`.
pub(crate) fn detect_in(path: &str, sample: &[u8]) -> Result<&'static Format, TraceError> {
    let sample = Sample { bytes: sample, lines: sample_lines(sample) };
    let fits = |wanted: Fit| -> Vec<&'static Format> {
        FORMATS.iter().filter(|format| format.detect(&sample) == wanted).collect()
    };
    let certain = fits(Fit::Yes);
    let by_name: Vec<&'static Format> =
        certain.iter().copied().filter(|format| named_like(path, format)).collect();
    match (certain.as_slice(), by_name.as_slice()) {
        ([format], _) | (_, [format]) => Ok(format),
        _ => {
            let reason = reason(&sample.lines, &certain, &fits(Fit::MustBeNamed));
            Err(TraceError::file(path, FileFault::Format, reason))
        }
    }
}

/// The whole lines at the beginning; a line cut by the end of the sample only
/// counts when it is the only one.
fn sample_lines(sample: &[u8]) -> Vec<&[u8]> {
    let sample = sample.strip_prefix(BYTE_ORDER_MARK).unwrap_or(sample);
    let whole = memchr::memrchr(b'\n', sample).unwrap_or(sample.len());
    sample[..whole]
        .split(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .take(SAMPLE_LINES)
        .collect()
}

/// Whether the file name ends as those of the format do, compression aside.
fn named_like(path: &str, format: &Format) -> bool {
    let stem = [".gz", ".zst", ".xz", ".bz2"].iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    let extension = stem.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| format.extensions.contains(&extension))
}

fn reason(lines: &[&[u8]], certain: &[&Format], must_be_named: &[&Format]) -> String {
    let names = |formats: &[&Format]| formats.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
    let first = lines.first().copied().unwrap_or_default();
    if !certain.is_empty() {
        return format!("several formats fit: {}; format = \"NAME\" says which", names(certain));
    }
    if !must_be_named.is_empty() {
        return must_be_named_reason(must_be_named, first);
    }
    if first.starts_with(b"PAR1") {
        // Unpacked, it would have been recognised before.
        return "this is compressed Parquet; unpack it, as Parquet is compressed in itself".to_owned();
    }
    if first.starts_with(b"\xff\xfe") || first.starts_with(b"\xfe\xff") {
        return "this is text in UTF-16, as PowerShell writes it; convert it to UTF-8".to_owned();
    }
    if let Some((line, (column, byte))) =
        (1..).zip(lines).find_map(|(number, line)| Some((number, first_binary_byte(line)?)))
    {
        return format!(
            "this is not a text trace: binary data (byte {byte:#04x}) in line {line}, column {column}; known formats: {}",
            formats::names()
        );
    }
    format!(
        "no known format fits the first lines; known formats: {}. format = \"NAME\" says which, and \"generic\" lets you declare the columns of a delimited file. First line: {}",
        formats::names(),
        quoted(first)
    )
}

/// Lines that fit formats of which each says something else about them.
fn must_be_named_reason(candidates: &[&Format], first: &[u8]) -> String {
    let each = |format: &&Format| format!("{} ({})", format.name, format.about);
    format!(
        "the lines fit {}, but formats with such lines disagree on units and on whether 0 is a read or a write; this is not guessed. Say which: format = \"{}\", or \"generic\" and declare the columns. First line: {}",
        candidates.iter().map(each).collect::<Vec<_>>().join("; or "),
        candidates.iter().map(|format| format.name).collect::<Vec<_>>().join("\" or \""),
        quoted(first)
    )
}
