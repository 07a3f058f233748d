//! The files behind the name of a trace, which no output may replace.

use crate::stored::blktrace_files;
use std::path::PathBuf;

/// Every file that reading `path` reads: itself, all files of a blktrace
/// recording, and what standard input is redirected from for `-`.
pub fn input_files(path: &str) -> Vec<PathBuf> {
    if path == "-" {
        return vec!["/dev/stdin".into()];
    }
    let mut files = vec![PathBuf::from(path)];
    // A recording with a gap is refused when it is read.
    if let Ok(Some(parts)) = blktrace_files::files_of(path) {
        files.extend(parts.into_iter().map(PathBuf::from));
    }
    files
}
