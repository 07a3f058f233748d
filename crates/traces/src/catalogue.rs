//! All formats, read or written, and the names of those that are no records one after the other.

use crate::formats::FORMATS;
use crate::writers::{loss_names, writable_formats};
use serde::Serialize;

/// A format that is read, and perhaps written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CatalogueEntry {
    /// Name, as `format` in the trace options or for an output takes it.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// A line of such a file; empty for binary ones.
    pub example: &'static str,
    /// Usual endings of file names, without compression.
    pub extensions: &'static [&'static str],
    /// Options of the reader that it has a use for and most formats do not.
    pub options: &'static [&'static str],
    pub reads: bool,
    /// Whether it can be written.
    pub writes: bool,
    /// What may have to be lost on the way into it, by the names of the losses.
    pub losses: Vec<&'static str>,
}

/// Every format: slcache's own layout, then the others in the order of their registry.
pub fn format_catalogue() -> Vec<CatalogueEntry> {
    let entry = |name, about, example, extensions, options| CatalogueEntry {
        name,
        about,
        example,
        extensions,
        options,
        reads: true,
        writes: writable_formats().any(|written| written == name),
        losses: loss_names(name),
    };
    let about = "slcache's own layout: everything a trace says, checked and compressed";
    let parquet = entry(PARQUET, about, "", &["parquet"], &[]);
    let others = FORMATS.iter().map(|of| entry(of.name, of.about, of.example, of.extensions, of.options));
    std::iter::once(parquet).chain(others).collect()
}

/// slcache's own layout.
pub(crate) const PARQUET: &str = "parquet";
/// A workload file in the place of a trace.
pub(crate) const WORKLOAD: &str = "workload";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_there_once_with_what_it_can_do() {
        let all = format_catalogue();
        let find = |name: &str| {
            let found: Vec<&CatalogueEntry> = all.iter().filter(|entry| entry.name == name).collect();
            assert_eq!(found.len(), 1, "{name}");
            found[0]
        };
        assert!(find("parquet").losses.is_empty());
        assert_eq!(find("tencent").losses, ["time", "flush", "trim", "volume", "response", "hint", "label"]);
        assert_eq!(find("generic").losses, ["volume", "label"]);
        assert!(all.iter().all(|entry| entry.reads && !entry.about.is_empty()));
    }
}
