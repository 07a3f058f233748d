//! A trace's bytes as they are stored, opened once and never asked for twice.

use crate::error::{FileFault, TraceError};
use crate::request_source::Progress;
use crate::stored::trace_path::{TracePath, STDIN};
use std::fs::File;
use std::io::{Cursor, ErrorKind, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::sync::Arc;

/// Most bytes of a pipe that are copied to a temporary file; a pipe that never
/// ends must not fill the disk.
const COPY_BYTES_MAX: u64 = 256 << 30;
/// Bytes copied at a time.
const BLOCK_BYTES: usize = 256 * 1024;

/// Where the bytes are: all of them, or those that are still to come.
enum Bytes {
    Again(SharedFile),
    Once(Box<dyn Read + Send>),
}

/// An opened trace of which at most the beginning was looked at.
pub(crate) struct Opened {
    name: String,
    bytes: Bytes,
    /// What was looked at of bytes that come only once.
    first: Vec<u8>,
}

impl Opened {
    /// Opens what a path names, or takes its copy.
    pub(crate) fn of(path: &TracePath) -> Result<Self, TraceError> {
        let name = path.name().to_owned();
        let bytes = match path.copy() {
            Some(copy) => Ok(Bytes::Again(copy.clone())),
            None => open(&name),
        };
        match bytes {
            Ok(bytes) => Ok(Self { name, bytes, first: Vec::new() }),
            Err(source) => Err(TraceError::open(&name, source)),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the bytes begin so.
    pub(crate) fn begins_with(&mut self, magic: &[u8]) -> Result<bool, TraceError> {
        let mut found = Vec::with_capacity(magic.len());
        let wanted = magic.len() as u64;
        let read = match &mut self.bytes {
            Bytes::Again(file) => file.reader(0).take(wanted).read_to_end(&mut found),
            Bytes::Once(rest) => {
                let read = rest.take(wanted - self.first.len() as u64).read_to_end(&mut self.first);
                found.clone_from(&self.first);
                read
            }
        };
        read.map_err(|source| TraceError::open(&self.name, source))?;
        Ok(found == magic)
    }

    /// Up to so many bytes of the beginning, where all of them come only once.
    pub(crate) fn beginning(&mut self, bytes: u64) -> Result<&[u8], TraceError> {
        if let Bytes::Once(rest) = &mut self.bytes {
            let left = bytes.saturating_sub(self.first.len() as u64);
            let read = rest.take(left).read_to_end(&mut self.first);
            read.map_err(|source| TraceError::open(&self.name, source))?;
        }
        Ok(&self.first)
    }

    /// All bytes from the first on, in order, and how many there are where known.
    pub(crate) fn into_reader(self) -> (Box<dyn Read + Send>, Option<u64>) {
        match self.bytes {
            Bytes::Again(file) => (Box::new(file.reader(0)), Some(file.bytes())),
            Bytes::Once(rest) => (Box::new(Cursor::new(self.first).chain(rest)), None),
        }
    }

    /// The bytes in a file: as they are, or copied to a temporary one.
    pub(crate) fn into_shared(self, progress: &mut Progress<'_>) -> Result<SharedFile, TraceError> {
        match self.bytes {
            Bytes::Again(file) => Ok(file),
            Bytes::Once(rest) => copied(&self.name, Cursor::new(self.first).chain(rest), progress),
        }
    }
}

fn open(name: &str) -> std::io::Result<Bytes> {
    if name == STDIN {
        let stdin = std::io::stdin();
        refuse_endless(&File::from(stdin.as_fd().try_clone_to_owned()?))?;
        return Ok(Bytes::Once(Box::new(stdin)));
    }
    let file = File::open(name)?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        // Opening one succeeds, and only reading it fails.
        return Err(std::io::Error::from(ErrorKind::IsADirectory));
    }
    refuse_endless(&file)?;
    match kind.is_file() {
        true => SharedFile::new(file).map(Bytes::Again),
        false => Ok(Bytes::Once(Box::new(file))),
    }
}

/// Refuses a device such as `/dev/zero`, of which there is always more. Of the devices that give
/// characters a terminal has an end, and one that gives nothing at once.
fn refuse_endless(file: &File) -> std::io::Result<()> {
    let is_device = file.metadata()?.file_type().is_char_device() && !file.is_terminal();
    let mut reader = file;
    if is_device && reader.read(&mut [0])? > 0 {
        return Err(std::io::Error::other("is a device without an end; give a file, a pipe or a terminal"));
    }
    Ok(())
}

/// A copy in a temporary file that has no name: the system removes it when the
/// process ends, killed or not.
fn copied(name: &str, mut from: impl Read, progress: &mut Progress<'_>) -> Result<SharedFile, TraceError> {
    let full = |source: std::io::Error| {
        let reason = format!("can be read only once, and its copy in a temporary file (in the folder that TMPDIR names) cannot be written: {source}");
        TraceError::file(name, FileFault::Read, reason)
    };
    let mut file = tempfile::tempfile().map_err(full)?;
    let (mut block, mut bytes) = (vec![0; BLOCK_BYTES], 0u64);
    loop {
        if !progress("spool", bytes, 0) {
            return Err(TraceError::Cancelled);
        }
        let count = match from.read(&mut block) {
            Ok(0) => return SharedFile::new(file).map_err(full),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(TraceError::open(name, error)),
        };
        bytes += count as u64;
        if bytes > COPY_BYTES_MAX {
            let reason = format!("can be read only once, and more than the {COPY_BYTES_MAX} bytes that are copied to a temporary file came out of it; save it as a file");
            return Err(TraceError::file(name, FileFault::Read, reason));
        }
        file.write_all(&block[..count]).map_err(full)?;
    }
}

/// A file by its handle, never by its name: each reader has a place of its own,
/// and what the name stands for later does not matter.
#[derive(Clone, Debug)]
pub(crate) struct SharedFile {
    file: Arc<File>,
    bytes: u64,
}

impl SharedFile {
    /// Of an open file that can be read at any place.
    pub(crate) fn new(file: File) -> std::io::Result<Self> {
        let bytes = file.metadata()?.len();
        Ok(Self { file: Arc::new(file), bytes })
    }

    /// Bytes of the file when it was opened.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A reader from byte `start` on.
    pub(crate) fn reader(&self, start: u64) -> PlacedReader {
        PlacedReader { file: Arc::clone(&self.file), place: start }
    }
}

pub(crate) struct PlacedReader {
    file: Arc<File>,
    place: u64,
}

impl Read for PlacedReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read_at(buffer, self.place)?;
        self.place += count as u64;
        Ok(count)
    }
}
