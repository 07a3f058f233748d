//! What a trace is called, and its bytes where they can be had only once.

use crate::stored::opened::SharedFile;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of standard input.
pub(crate) const STDIN: &str = "-";

/// The name of a trace: a file, a workload or `-` for standard input; with a
/// copy of its bytes once one was made, since a pipe gives them only once, with
/// what was prepared of it, or with the text of a workload that is in no file.
#[derive(Clone, Debug, Default)]
pub struct TracePath {
    name: String,
    copy: Option<SharedFile>,
    prepared: Option<PathBuf>,
    content: Option<Arc<str>>,
}

impl TracePath {
    /// Of a trace that nothing was read of yet.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// With the bytes that were read of it.
    pub(crate) fn with_copy(name: &str, copy: SharedFile) -> Self {
        Self { name: name.to_owned(), copy: Some(copy), ..Self::default() }
    }

    /// With a file that [`crate::sources::preparation`] made of it, which is read in its place.
    pub fn with_prepared(name: &str, file: impl Into<PathBuf>) -> Self {
        Self { name: name.to_owned(), prepared: Some(file.into()), ..Self::default() }
    }

    /// Of a workload that is in no file; messages and results call it `workload.toml`.
    pub fn of_workload(text: &str) -> Self {
        Self { name: "workload.toml".to_owned(), content: Some(text.into()), ..Self::default() }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The copy of its bytes, if there is one.
    pub(crate) fn copy(&self) -> Option<&SharedFile> {
        self.copy.as_ref()
    }

    /// The text of a workload that is in no file.
    pub(crate) fn content(&self) -> Option<&str> {
        self.content.as_deref()
    }

    /// What is read in its place, if something is.
    pub(crate) fn prepared(&self) -> Option<&Path> {
        self.prepared.as_deref()
    }

    /// Whether its bytes can be had only once: standard input, a pipe or a
    /// device of which there is no copy yet.
    pub fn is_read_once(&self) -> bool {
        self.copy.is_none() && self.prepared.is_none() && is_read_once(&self.name)
    }

    /// What tells apart the bytes that can be had only once; none of any other trace.
    pub(crate) fn pipe(&self) -> Option<(u64, u64)> {
        use std::os::unix::fs::MetadataExt;
        if !self.is_read_once() {
            return None;
        }
        let found = std::fs::metadata(if self.name == STDIN { "/dev/stdin" } else { &self.name });
        found.map(|found| (found.dev(), found.ino())).ok()
    }
}

impl From<&str> for TracePath {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<&String> for TracePath {
    fn from(name: &String) -> Self {
        Self::new(name)
    }
}

impl From<&TracePath> for TracePath {
    fn from(path: &TracePath) -> Self {
        path.clone()
    }
}

/// Whether what a name stands for gives its bytes only once; what cannot be
/// looked at does not: opening it says why.
pub(crate) fn is_read_once(name: &str) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let again = |kind: std::fs::FileType| kind.is_file() || kind.is_dir() || kind.is_block_device();
    name == STDIN || Path::new(name).metadata().is_ok_and(|found| !again(found.file_type()))
}
