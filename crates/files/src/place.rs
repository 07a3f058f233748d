//! What an output is written to: a regular file, or something that is only written into.

use crate::identity::{folder_of, node};
use std::fs::{metadata, read_link, symlink_metadata, File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

/// Symbolic links followed to a file that does not exist yet.
const LINKS_MAX: usize = 40;

/// Where an output goes.
pub(crate) enum Place {
    /// A regular file, old or new, by its path without symbolic links.
    Regular(PathBuf),
    /// A device, a pipe, or a stream that is open already.
    Stream,
}

impl Place {
    /// Finds out what `path` names, and that it may be written.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let found = match metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return new(path),
            Err(error) => return Err(error),
        };
        if found.is_dir() {
            return Err(Error::from(rustix::io::Errno::ISDIR));
        }
        if !found.is_file() || open_already(&found).is_some() || is_descriptor(path) {
            return Ok(Self::Stream);
        }
        rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?;
        Ok(Self::Regular(path.canonicalize()?))
    }
}

/// Opens what is written into. A pipe waits here for its reader.
pub(crate) fn open_stream(path: &Path) -> Result<File> {
    let found = metadata(path)?;
    match open_already(&found) {
        Some(stream) => Ok(stream),
        None => OpenOptions::new().write(true).truncate(found.is_file()).open(path),
    }
}

/// Standard output or error, where they are redirected to this very file: a file of that
/// name beside them would take away what they have written and will write.
fn open_already(found: &Metadata) -> Option<File> {
    let (out, error) = (std::io::stdout(), std::io::stderr());
    let streams: [BorrowedFd<'_>; 2] = [out.as_fd(), error.as_fd()];
    for stream in streams {
        let Ok(copy) = stream.try_clone_to_owned().map(File::from) else { continue };
        let same = copy.metadata().is_ok_and(|own| node(&own) == node(found));
        if same && found.is_file() {
            return Some(copy);
        }
    }
    None
}

/// Whether the path leads through the list of open descriptors, such as `/dev/fd/5`.
fn is_descriptor(path: &Path) -> bool {
    let folder = folder_of(path).canonicalize().unwrap_or_default();
    let link = read_link(path).unwrap_or_default();
    [folder, link].iter().any(|place| place.starts_with("/proc") || place.starts_with("/dev/fd"))
}

/// The place of a file that does not exist, behind symbolic links that lead nowhere.
fn new(path: &Path) -> Result<Place> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        match symlink_metadata(&path) {
            Err(_) => {
                let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
                return Ok(Place::Regular(folder_of(&path).canonicalize()?.join(name)));
            }
            // Somebody else has made it meanwhile.
            Ok(found) if !found.is_symlink() => return Place::of(&path),
            Ok(_) => path = folder_of(&path).join(read_link(&path)?),
        }
    }
    Err(Error::from(rustix::io::Errno::LOOP))
}
