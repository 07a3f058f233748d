//! Why a file is not written.

use std::path::{Path, PathBuf};

/// An output that cannot be, or must not be, written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The output would replace what is read.
    #[error("{}: is the input {} as well, which writing would destroy; allowed: another file", .output.display(), .input.display())]
    IsInput { output: PathBuf, input: PathBuf },
    /// Two outputs are one file.
    #[error("{}: is the output {} as well; allowed: another file", .output.display(), .other.display())]
    Twice {
        output: PathBuf,
        /// Path of the output before it, as given.
        other: PathBuf,
    },
    /// The operating system refuses.
    #[error("{}: cannot be written: {source}", .path.display())]
    Io {
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
}

impl OutputError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        |source| Self::Io { path: path.to_owned(), source }
    }
}
