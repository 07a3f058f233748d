//! Whether two paths are one file, whatever they are called.

use std::ffi::OsString;
use std::fs::{metadata, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

type Node = (u64, u64);

/// What a path stands for: the file behind all links, or a name in a folder.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) path: PathBuf,
    file: Option<Node>,
    /// Only of a file that does not exist yet.
    place: Option<(Node, OsString)>,
    /// Of a file whose folder does not exist yet either.
    name: Option<PathBuf>,
}

impl Identity {
    /// Looks the path up. One device or pipe may well be read and written, as a
    /// terminal is: it has no identity.
    pub(crate) fn of(path: &Path) -> Self {
        let (file, place, name) = match metadata(path) {
            Ok(found) if found.is_file() || found.is_dir() => (Some(node(&found)), None, None),
            Ok(_) => (None, None, None),
            Err(_) => (None, place(path), std::path::absolute(path).ok()),
        };
        Self { path: path.to_owned(), file, place, name }
    }

    /// Whether both are one file, by path, symbolic or hard link.
    pub(crate) fn is(&self, other: &Self) -> bool {
        (self.file.is_some() && self.file == other.file)
            || (self.place.is_some() && self.place == other.place)
            || (self.name.is_some() && self.name == other.name)
    }

    /// The same, where `other` was looked up a while ago: a file that has been replaced meanwhile may
    /// have left its number to another one.
    pub(crate) fn is_still(&self, other: &Self) -> bool {
        self.is(other) && (self.file.is_none() || Self::of(&self.path).is(&Self::of(&other.path)))
    }
}

pub(crate) fn node(found: &Metadata) -> Node {
    (found.dev(), found.ino())
}

fn place(path: &Path) -> Option<(Node, OsString)> {
    let name = path.file_name()?.to_owned();
    let folder = metadata(folder_of(path)).ok()?;
    Some((node(&folder), name))
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
