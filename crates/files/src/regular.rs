//! Files that are read whole, which pipes and devices are not: to open the one or to read the other may take for
//! ever.

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Opens a file to read; a folder, a pipe and a device are refused before they are opened.
pub fn open_regular(path: &Path) -> Result<File> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(Error::from(ErrorKind::IsADirectory));
    }
    if !kind.is_file() {
        return Err(Error::other("is a pipe or a device, not a file"));
    }
    File::open(path)
}
