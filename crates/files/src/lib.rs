//! The one place where slcache writes files.
//!
//! An output appears whole or not at all, several of them together; it never
//! takes the place of a file that is read; and what is no regular file (a
//! terminal, `/dev/null`, a FIFO) is written into, never replaced. What is not
//! finished lies in a hidden folder, which goes away even after a kill: the
//! next output into the same place removes it.

mod identity;
mod outputs;
mod place;
mod scratch;

pub use outputs::{OutputError, Outputs};
pub use scratch::{remove_scratches, Scratch};

use std::fmt::Display;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// What is told of an error, without the number that the standard library puts behind the system's reason.
pub fn plain(error: &impl Display) -> String {
    let told = error.to_string();
    let mut parts = told.split(" (os error ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |told, part| told + part.split_once(')').map_or("", |(_, behind)| behind))
}

/// Opens a file to be read whole; a folder, a pipe and a device are refused before they are opened: to open the one
/// or to read the other may take for ever.
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
