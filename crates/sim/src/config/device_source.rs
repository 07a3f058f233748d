//! The device as the user gives it.

use crate::preset;
use std::fmt;
use std::path::PathBuf;
use toml::Table;

/// A device: the name of a preset, the path of a device file, or what such a file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceSource {
    /// A preset's name or a path.
    Named(String),
    Content(Table),
}

impl DeviceSource {
    /// The device's file, if it is in one.
    pub fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Named(name) => preset::find(name).is_none().then(|| PathBuf::from(name)),
            Self::Content(_) => None,
        }
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Named(name) if name.is_empty())
    }
}

impl Default for DeviceSource {
    fn default() -> Self {
        Self::Named(String::new())
    }
}

impl From<String> for DeviceSource {
    fn from(name: String) -> Self {
        Self::Named(name)
    }
}

impl From<&str> for DeviceSource {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl fmt::Display for DeviceSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Named(name) => name,
            Self::Content(_) => "device",
        })
    }
}
