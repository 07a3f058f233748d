//! A hidden folder for what is not finished, gone at the end whatever happens.

use rustix::fs::{flock, openat, FlockOperation, Mode, OFlags, CWD};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{read_dir, symlink_metadata, File};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

const PREFIX: &str = ".slcache-";
const SUFFIX: &str = ".tmp";

/// How often a folder is tried to be removed into which somebody still puts files.
const REMOVE_TRIES: usize = 100;

/// The folders of this process; none once it ends, when no more are made.
static LIVING: Mutex<Option<BTreeSet<PathBuf>>> = Mutex::new(Some(BTreeSet::new()));

/// A folder of one's own inside another. Its lock lives as long as the process,
/// so that the next one knows the folders of those that were killed.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    _lock: File,
}

impl Scratch {
    /// Removes what killed processes have left in `parent` and makes a folder there.
    pub fn new(parent: &Path) -> Result<Self> {
        sweep(parent);
        // Held until the folder is known, so that none is made unseen while the process ends.
        let mut living = living();
        let known = living.as_mut().ok_or_else(|| Error::other("the process is ending"))?;
        loop {
            let folder = tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).tempdir_in(parent);
            let folder = folder.map_err(without_name)?;
            // Between its making and its locking somebody else may have swept it away.
            let Ok(lock) = open(folder.path()) else { continue };
            if flock(&lock, FlockOperation::NonBlockingLockExclusive) == Err(rustix::io::Errno::WOULDBLOCK) {
                continue;
            }
            if folder.path().exists() {
                known.insert(folder.path().to_owned());
                return Ok(Self { folder, _lock: lock });
            }
        }
    }

    /// A folder where temporary files belong.
    pub fn temporary() -> Result<Self> {
        Self::new(&std::env::temp_dir())
    }

    pub(crate) fn is_one(folder: &Path) -> bool {
        let name = folder.file_name().and_then(OsStr::to_str);
        name.is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Removes it now, and tells if that fails.
    pub fn close(self) -> Result<()> {
        std::fs::remove_dir_all(self.folder.path())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(known) = living().as_mut() {
            known.remove(self.folder.path());
        }
    }
}

/// Removes all folders of this process, at its end: work that was left alone cannot. After this none
/// is made any more.
pub fn remove_scratches() {
    let known = living().take();
    for folder in known.into_iter().flatten() {
        // What fails here is removed by the next one into the same place.
        let tries = (0..REMOVE_TRIES).map(|_| std::fs::remove_dir_all(&folder));
        let _ = tries.take_while(is_filled_again).count();
    }
}

/// Whether a folder could not be removed since a file came into it meanwhile.
fn is_filled_again(removed: &Result<()>) -> bool {
    removed.as_ref().is_err_and(|error| error.kind() == ErrorKind::DirectoryNotEmpty)
}

fn living() -> MutexGuard<'static, Option<BTreeSet<PathBuf>>> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the folders that no living process has locked; what cannot be removed stays.
fn sweep(parent: &Path) {
    for entry in read_dir(parent).into_iter().flatten().flatten() {
        if Scratch::is_one(&entry.path()) {
            let _ = sweep_one(&entry.path());
        }
    }
}

fn sweep_one(folder: &Path) -> Result<()> {
    let is_own = symlink_metadata(folder)?.uid() == rustix::process::geteuid().as_raw();
    if is_own {
        let lock = open(folder)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        std::fs::remove_dir_all(folder)?;
    }
    Ok(())
}

/// The system's error alone: `tempfile` puts a hidden name behind it, and its number is in the text only.
fn without_name(error: Error) -> Error {
    let told = error.to_string();
    let number = told.split_once("(os error ").and_then(|(_, behind)| behind.split_once(')')?.0.parse().ok());
    number.map_or(error, Error::from_raw_os_error)
}

fn open(folder: &Path) -> Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(openat(CWD, folder, flags, Mode::empty())?))
}
