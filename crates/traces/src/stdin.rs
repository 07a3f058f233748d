//! Standard input as a file, for what needs more than one pass.

use crate::error::TraceError;
use std::sync::Arc;
use tempfile::NamedTempFile;

/// Copies standard input, as it is, to a temporary file that is removed when
/// the value is dropped.
pub fn spool_stdin() -> Result<NamedTempFile, TraceError> {
    let spool = || {
        let mut file = NamedTempFile::new()?;
        std::io::copy(&mut std::io::stdin().lock(), file.as_file_mut())?;
        Ok(file)
    };
    spool().map_err(|source| TraceError::Spool { source: Arc::new(source) })
}
