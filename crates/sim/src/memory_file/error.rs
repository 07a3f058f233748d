//! Why there is no memory to save or to take over.

use serde_json::Value;
use slcache_core::schemes::CATALOG;
use slcache_files::OutputError;

/// Raised whenever the file's layout changes.
pub(super) const FORMAT_VERSION: u64 = 1;

/// Why a memory was not saved or taken over.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The file cannot be read or written.
    #[error("memory {path}: {source}")]
    Io {
        path: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The file is an input, or cannot be written.
    #[error("memory {0}")]
    Output(#[from] OutputError),
    /// The file is something else.
    #[error("memory {path}: not a memory of slcache")]
    NotAMemory { path: String },
    /// Another version wrote the file.
    #[error(
        "memory {path}: format version {found}, and this program reads version {FORMAT_VERSION}; learn anew"
    )]
    Version { path: String, found: Value },
    /// The file is cut short or damaged.
    #[error("memory {path}: truncated or damaged ({what})")]
    Damaged { path: String, what: String },
    /// Another scheme learned it.
    #[error("memory {path}: learned by {found}, and the run's scheme is {scheme}")]
    OtherScheme {
        path: String,
        /// Who learned it.
        found: String,
        /// The run's scheme.
        scheme: &'static str,
    },
    /// Another version of the scheme learned it.
    #[error("memory {path}: version {found} of the memory of {scheme}, and this program reads version {needed}; learn anew")]
    TablesVersion { path: String, scheme: &'static str, found: u32, needed: u32 },
    /// It means something else here: another device, or other states or actions.
    #[error("memory {path}: learned under other conditions; different: {}", .keys.join("; "))]
    OtherConditions {
        path: String,
        /// What differs, with both values.
        keys: Vec<String>,
    },
    /// The scheme refuses it.
    #[error("memory {path}: {what}")]
    Refused { path: String, what: String },
}

impl MemoryError {
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Output(_) => None,
            Self::Io { path, .. }
            | Self::NotAMemory { path }
            | Self::Version { path, .. }
            | Self::Damaged { path, .. }
            | Self::OtherScheme { path, .. }
            | Self::TablesVersion { path, .. }
            | Self::OtherConditions { path, .. }
            | Self::Refused { path, .. } => Some(path),
        }
    }
}

/// The scheme learns nothing that could be saved or taken over.
#[derive(Debug, thiserror::Error)]
#[error("scheme {scheme} has no memory{}; schemes with one: {}", if *.otherwise { " with these settings" } else { "" }, with_memory())]
pub struct NoMemory {
    pub scheme: &'static str,
    /// Whether it has one with other settings.
    pub otherwise: bool,
}

fn with_memory() -> String {
    let with = CATALOG.iter().filter(|entry| entry.memory_version.is_some());
    let names: Vec<&str> = with.map(|entry| entry.name).collect();
    names.join(", ")
}
