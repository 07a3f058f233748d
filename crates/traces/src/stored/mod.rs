//! A trace as it is stored: files, their compression, and their bytes counted and hashed.

pub(crate) mod blktrace_files;
pub(crate) mod compression;
pub(crate) mod input;
pub(crate) mod opened;
pub(crate) mod stored_hash;
pub(crate) mod trace_path;
