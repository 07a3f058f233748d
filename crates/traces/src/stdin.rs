//! Standard input as a file, for what needs more than one pass.

use crate::error::TraceError;
use slcache_files::Scratch;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A copy of standard input, removed when the value is dropped.
pub struct Spooled {
    path: PathBuf,
    _folder: Scratch,
}

impl Spooled {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it from its beginning.
    pub(crate) fn open(&self) -> std::io::Result<File> {
        File::open(&self.path)
    }
}

/// Copies standard input, as it is, to a temporary file.
pub fn spool_stdin() -> Result<Spooled, TraceError> {
    let spool = || {
        let folder = Scratch::temporary()?;
        let path = folder.path().join("stdin");
        std::io::copy(&mut std::io::stdin().lock(), &mut File::create_new(&path)?)?;
        Ok(Spooled { path, _folder: folder })
    };
    spool().map_err(|source| TraceError::Spool { source: Arc::new(source) })
}
