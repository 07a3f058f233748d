//! Several files that appear together or not at all.

use crate::identity::{folder_of, Identity};
use crate::place::{open_stream, Place};
use crate::plain;
use crate::scratch::Scratch;
use rustix::fs::{flock, FlockOperation};
use std::collections::BTreeMap;
use std::fs::{create_dir, hard_link, remove_dir, remove_file, rename, File};
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a folder is made anew that somebody else takes away.
const RETRIES: usize = 8;
/// How often, and after which pause, a locked folder is tried again.
const LOCK_TRIES: usize = 1000;
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// The outputs of one piece of work.
#[derive(Debug, Default)]
pub struct Outputs {
    inputs: Vec<Identity>,
    outputs: Vec<Identity>,
    /// By folder: the hidden one in it.
    scratches: BTreeMap<PathBuf, Scratch>,
    staged: Vec<Staged>,
    /// Folders made for the outputs, outermost first.
    made: Vec<PathBuf>,
}

/// A file that waits for its name.
#[derive(Debug)]
struct Staged {
    output: PathBuf,
    from: PathBuf,
    /// Where it shall lie.
    to: PathBuf,
    /// What lay there before, while the others are published.
    old: Option<PathBuf>,
}

impl Outputs {
    /// Outputs of work that reads `inputs`, none of which is ever replaced.
    pub fn new<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>) -> Self {
        let mut outputs = Self::default();
        outputs.inputs.extend(inputs.into_iter().map(|path| Identity::of(path.as_ref())));
        outputs
    }

    /// Makes a folder for outputs, and those it lies in; it goes away again
    /// when nothing is published. Learns now that nothing can be written there.
    pub fn folder(&mut self, folder: &Path) -> std::result::Result<(), OutputError> {
        let mut done = self.prepare(folder);
        // Who made it at the same time may have failed and taken it away again.
        for _ in 0..RETRIES {
            match done {
                Err(ref error) if error.kind() == ErrorKind::NotFound => done = self.prepare(folder),
                _ => break,
            }
        }
        done.map_err(OutputError::io(folder))
    }

    /// Takes a name for an output, so that what is wrong with it is told before
    /// the work: an input or an output already, a folder, or not to be written.
    pub fn reserve(&mut self, output: &Path) -> std::result::Result<(), OutputError> {
        let identity = self.checked(output)?;
        self.place(output).map_err(OutputError::io(output))?;
        self.outputs.push(identity);
        Ok(())
    }

    /// Begins an output: what is written to the file appears at `output` when
    /// all are published. What is no regular file is written into at once.
    pub fn create(&mut self, output: &Path) -> std::result::Result<File, OutputError> {
        if !self.outputs.iter().any(|reserved| reserved.path == output) {
            self.reserve(output)?;
        }
        self.open(output).map_err(OutputError::io(output))
    }

    /// Gives all files their names, or none of them.
    pub fn publish(mut self) -> std::result::Result<(), OutputError> {
        for staged in &self.staged {
            self.refuse_input(&staged.output)?;
        }
        let _locks = self.lock_folders();
        for index in 0..self.staged.len() {
            if let Err(source) = self.staged[index].publish() {
                self.staged[..index].iter().rev().for_each(Staged::take_back);
                return Err(OutputError::Io { path: self.staged[index].output.clone(), source });
            }
        }
        self.made.clear();
        Ok(())
    }

    fn checked(&self, output: &Path) -> std::result::Result<Identity, OutputError> {
        self.refuse_input(output)?;
        let identity = Identity::of(output);
        match self.outputs.iter().find(|other| identity.is_still(other)) {
            None => Ok(identity),
            Some(other) => Err(OutputError::Twice { output: output.to_owned(), other: other.path.clone() }),
        }
    }

    fn refuse_input(&self, output: &Path) -> std::result::Result<(), OutputError> {
        let identity = Identity::of(output);
        match self.inputs.iter().find(|input| identity.is_still(input)) {
            None => Ok(()),
            Some(input) => Err(OutputError::IsInput { output: output.to_owned(), input: input.path.clone() }),
        }
    }

    /// Where the output goes; a regular file has a hidden folder beside it from here on.
    fn place(&mut self, output: &Path) -> Result<Place> {
        let place = Place::of(output)?;
        if let Place::Regular(path) = &place {
            self.scratch(folder_of(path))?;
        }
        Ok(place)
    }

    fn open(&mut self, output: &Path) -> Result<File> {
        let Place::Regular(to) = self.place(output)? else {
            return open_stream(output);
        };
        let from = self.scratches[folder_of(&to)].path().join(self.staged.len().to_string());
        let file = File::create_new(&from)?;
        self.staged.push(Staged { output: output.to_owned(), from, to, old: None });
        Ok(file)
    }

    fn prepare(&mut self, folder: &Path) -> Result<()> {
        self.make(folder)?;
        self.scratch(&folder.canonicalize()?)
    }

    fn scratch(&mut self, folder: &Path) -> Result<()> {
        if !self.scratches.contains_key(folder) {
            self.scratches.insert(folder.to_owned(), Scratch::new(folder)?);
        }
        Ok(())
    }

    fn make(&mut self, folder: &Path) -> Result<()> {
        let missing = folder.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        for path in missing.collect::<Vec<_>>().into_iter().rev() {
            match create_dir(path) {
                Ok(()) => self.made.push(path.to_owned()),
                // Somebody else was faster: the folder is theirs.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Keeps others from publishing into the same folders meanwhile, where the system can lock them.
    fn lock_folders(&self) -> Vec<File> {
        // A hidden folder is locked already, and nobody else's.
        self.scratches
            .keys()
            .filter(|folder| !Scratch::is_one(folder))
            .filter_map(|folder| lock(folder))
            .collect()
    }
}

/// Locks a folder, unless somebody holds it for longer than files take to get their names.
fn lock(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    for _ in 0..LOCK_TRIES {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) => std::thread::sleep(LOCK_PAUSE),
            done => return done.is_ok().then_some(file),
        }
    }
    None
}

impl Drop for Outputs {
    fn drop(&mut self) {
        self.scratches.clear();
        for folder in self.made.iter().rev() {
            if remove_dir(folder).is_err() {
                break;
            }
        }
    }
}

impl Staged {
    fn publish(&mut self) -> Result<()> {
        let old = self.from.with_extension("old");
        match hard_link(&self.to, &old) {
            Ok(()) => self.old = Some(old),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            // A file system without hard links; a folder in the way fails here as well.
            Err(_) => {
                if self.to.is_dir() {
                    return Err(rustix::io::Errno::ISDIR.into());
                }
                rename(&self.to, &old)?;
                self.old = Some(old);
            }
        }
        rename(&self.from, &self.to).inspect_err(|_| {
            if let Some(old) = &self.old {
                let _ = rename(old, &self.to);
            }
        })
    }

    /// Undoes the publishing; what fails here has failed before with its own error.
    fn take_back(&self) {
        let _ = match &self.old {
            Some(old) => rename(old, &self.to),
            None => remove_file(&self.to),
        };
    }
}

/// An output that cannot be, or must not be, written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The output would replace what is read.
    #[error("{}: is the input {} as well, which writing would destroy; allowed: another file", .output.display(), .input.display())]
    IsInput { output: PathBuf, input: PathBuf },
    /// Two outputs are one file.
    #[error("{}: is the output {} as well; allowed: another file", .output.display(), .other.display())]
    Twice {
        output: PathBuf,
        /// Path of the output before it, as given.
        other: PathBuf,
    },
    /// The operating system refuses.
    #[error("{}: cannot be written: {}", .path.display(), plain(source))]
    Io {
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
}

impl OutputError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        |source| Self::Io { path: path.to_owned(), source }
    }
}
