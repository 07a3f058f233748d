//! The files of one blktrace recording: one per CPU, side by side or in a tar
//! archive.

use crate::error::{FileFault, TraceError};
use crate::stored::input::Input;
use crate::stored::trace_path::is_read_once;
use std::fs::File;
use std::io::{Chain, Cursor, Read, Write};
use std::path::{Path, PathBuf};

/// What stands between a recording's name and the number of the CPU.
const INFIX: &str = ".blktrace.";
/// Endings of compressed files.
const COMPRESSED: [&str; 4] = [".gz", ".zst", ".xz", ".bz2"];
/// Bytes copied at a time.
const COPY_BYTES: usize = 64 * 1024;

/// A file name taken apart: recording, CPU, ending of a compressed file.
struct Name<'a> {
    recording: &'a str,
    cpu: u32,
    ending: &'a str,
}

/// `NAME.blktrace.CPU`, perhaps compressed.
fn parse_name(path: &str) -> Option<Name<'_>> {
    let ending = COMPRESSED.into_iter().find(|ending| path.ends_with(ending)).unwrap_or("");
    let (recording, cpu) = path[..path.len() - ending.len()].rsplit_once(INFIX)?;
    let plain = cpu.bytes().all(|byte| byte.is_ascii_digit()) && (cpu == "0" || !cpu.starts_with('0'));
    let cpu = plain.then(|| cpu.parse().ok())??;
    Some(Name { recording, cpu, ending: &path[path.len() - ending.len()..] })
}

/// The files of the recording that `path` names, by one of its files or by its
/// name alone, in order of CPUs; `None` when it names no recording. A gap in
/// the numbers is an error: half a recording reads like a whole one.
pub(crate) fn files_of(path: &str) -> Result<Option<Vec<String>>, TraceError> {
    let (recording, ending) = match parse_name(path) {
        Some(name) => (name.recording, name.ending),
        None if !Path::new(path).exists() && Path::new(&format!("{path}{INFIX}0")).is_file() => (path, ""),
        None => return Ok(None),
    };
    let name_of = |cpu: u32| format!("{recording}{INFIX}{cpu}{ending}");
    let cpus = cpus_beside(recording, ending).map_err(|source| TraceError::open(path, source))?;
    match cpus.iter().zip(0..).find(|&(&cpu, expected)| cpu != expected) {
        Some((_, missing)) => Err(member_missing(path, &name_of(missing))),
        None if cpus.is_empty() => Ok(None),
        None => several(cpus.into_iter().map(name_of).collect()).map(Some),
    }
}

/// Pipes beside each other could wait for one another without end.
fn several(files: Vec<String>) -> Result<Vec<String>, TraceError> {
    match files.iter().find(|file| files.len() > 1 && is_read_once(file)) {
        None => Ok(files),
        Some(pipe) => Err(TraceError::file(pipe, FileFault::Read, "is a pipe or a device, which can be read only once, and a recording of several files is read from all of them by turns; give files, or one tar of them")),
    }
}

/// Numbers of the CPUs that have a file of this recording, in order.
fn cpus_beside(recording: &str, ending: &str) -> std::io::Result<Vec<u32>> {
    let recording = Path::new(recording);
    let folder = recording.parent().filter(|folder| !folder.as_os_str().is_empty());
    let stem = recording.file_name().unwrap_or_default();
    let mut cpus = Vec::new();
    for entry in std::fs::read_dir(folder.unwrap_or(Path::new(".")))? {
        let file = entry?.file_name();
        let Some(name) = file.to_str().and_then(parse_name) else { continue };
        if Some(name.recording) == stem.to_str() && name.ending == ending {
            cpus.push(name.cpu);
        }
    }
    cpus.sort_unstable();
    Ok(cpus)
}

/// A member of an archive, copied to a temporary file.
pub(crate) struct Member {
    /// The archive's path and the member's name.
    pub name: String,
    /// Its content.
    pub input: Input,
    cpu: u32,
}

/// An archive, read through.
pub(crate) struct Archive {
    /// The files of the recording in order of CPUs.
    pub members: Vec<Member>,
    /// Members that are no such files.
    pub others: u64,
    /// The archive as stored, read to its end.
    pub input: Input,
}

/// Takes the files of a recording out of a tar archive, of which `first` was
/// read already. Members are copied to temporary files, since merging them
/// needs all at once.
pub(crate) fn unpack(path: &str, first: Vec<u8>, input: Input) -> Result<Archive, TraceError> {
    let mut rest = ArchiveRest { content: Cursor::new(first).chain(input), ended: false, failed: false };
    let taken = copy_members(path, &mut rest);
    let ArchiveRest { content, ended, failed } = rest;
    let (_, mut input) = content.into_inner();
    let (mut members, others) = taken.map_err(|failure| match failure {
        Failure::Trace(error) => error,
        Failure::Read(source) if failed => input.explain(path, ("record", 0), source),
        Failure::Read(_) if ended => truncated(path, "inside a member"),
        Failure::Read(source) => {
            TraceError::file(path, FileFault::Damaged, format!("the tar archive is damaged: {source}"))
        }
    })?;
    // To the end, for the hash and for what the compression says there.
    if let Err(source) = std::io::copy(&mut input, &mut std::io::sink()) {
        return Err(input.explain(path, ("record", 0), source));
    }
    members.sort_by_key(|member| member.cpu);
    check_members(path, &members)?;
    Ok(Archive { members, others, input })
}

enum Failure {
    Read(std::io::Error),
    Trace(TraceError),
}

/// The unread archive, knowing how reading it went.
struct ArchiveRest {
    content: Chain<Cursor<Vec<u8>>, Input>,
    /// Whether there was nothing more to read.
    ended: bool,
    /// Whether reading failed.
    failed: bool,
}

impl Read for ArchiveRest {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.content.read(buffer);
        self.ended |= matches!(read, Ok(0)) && !buffer.is_empty();
        self.failed |= read.is_err();
        read
    }
}

fn copy_members(path: &str, rest: &mut ArchiveRest) -> Result<(Vec<Member>, u64), Failure> {
    let truncated = |place: String| Failure::Trace(truncated(path, &place));
    let (mut members, mut others, mut last) = (Vec::new(), 0, "before its first member".to_owned());
    let mut archive = tar::Archive::new(&mut *rest);
    for entry in archive.entries().map_err(Failure::Read)? {
        let mut entry = entry.map_err(Failure::Read)?;
        if entry.header().entry_type().is_dir() {
            continue;
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let size_bytes = entry.size();
        let (copied_bytes, member) = match parse_name(&name).filter(|_| entry.header().entry_type().is_file())
        {
            Some(Name { cpu, .. }) => copy_member(&format!("{path}:{name}"), cpu, &mut entry)?,
            None => {
                others += 1;
                (std::io::copy(&mut entry, &mut std::io::sink()).map_err(Failure::Read)?, None)
            }
        };
        if copied_bytes != size_bytes {
            return Err(truncated(format!("inside {name} ({copied_bytes} of {size_bytes} bytes)")));
        }
        members.extend(member);
        last = format!("behind {name}, without the empty blocks at the end of an archive");
    }
    match rest.ended {
        true => Err(truncated(last)),
        false => Ok((members, others)),
    }
}

/// Bytes copied, and the copy.
fn copy_member(name: &str, cpu: u32, entry: &mut impl Read) -> Result<(u64, Option<Member>), Failure> {
    let failed = |source: std::io::Error| Failure::Trace(TraceError::open(name, source));
    let mut file: File = tempfile::tempfile().map_err(failed)?;
    let (mut block, mut copied_bytes) = (vec![0; COPY_BYTES], 0);
    loop {
        let count = entry.read(&mut block).map_err(Failure::Read)?;
        if count == 0 {
            break;
        }
        file.write_all(&block[..count]).map_err(failed)?;
        copied_bytes += count as u64;
    }
    std::io::Seek::rewind(&mut file).map_err(failed)?;
    let input = Input::of_copy(name, file).map_err(Failure::Trace)?;
    Ok((copied_bytes, Some(Member { name: name.to_owned(), input, cpu })))
}

/// One recording, with a file of every CPU from 0.
fn check_members(path: &str, members: &[Member]) -> Result<(), TraceError> {
    let refused = |message: String| TraceError::file(path, FileFault::Damaged, message);
    let Some(first) = members.first() else {
        return Err(refused("the tar archive holds no file NAME.blktrace.CPU".to_owned()));
    };
    let recording = |member: &Member| parse_name(&member.name).map(|name| name.recording.to_owned());
    if let Some(other) = members.iter().find(|member| recording(member) != recording(first)) {
        return Err(refused(format!(
            "the tar archive holds several recordings ({} and {}); one is expected",
            first.name, other.name
        )));
    }
    match members.iter().zip(0..).find(|(member, expected)| member.cpu != *expected) {
        Some((member, missing)) if member.cpu < missing => {
            Err(refused(format!("{} is in the tar archive twice", member.name)))
        }
        Some((member, missing)) => {
            let missing = format!("{}{INFIX}{missing}", recording(member).unwrap_or_default());
            Err(member_missing(&member.name, &missing))
        }
        None => Ok(()),
    }
}

fn truncated(path: &str, place: &str) -> TraceError {
    TraceError::file(path, FileFault::Truncated, format!("the tar archive is truncated: it ends {place}"))
}

fn member_missing(file: &str, missing: &str) -> TraceError {
    let reason = format!("{missing} is missing beside it; the files of a recording number its CPUs from 0 (if that CPU was offline, make an empty file of this name)");
    TraceError::file(file, FileFault::Read, reason)
}

/// Every file that reading `path` reads: itself, all files of a blktrace
/// recording, and what standard input is redirected from for `-`.
pub fn input_files(path: &str) -> Vec<PathBuf> {
    if path == "-" {
        return vec!["/dev/stdin".into()];
    }
    let mut files = vec![PathBuf::from(path)];
    // A recording with a gap is refused when it is read.
    if let Ok(Some(parts)) = files_of(path) {
        files.extend(parts.into_iter().map(PathBuf::from));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let parsed = |path| parse_name(path).map(|name| (name.recording, name.cpu, name.ending));
        assert_eq!(parsed("a/b.blktrace.12.gz"), Some(("a/b", 12, ".gz")));
        assert_eq!(parsed("sda.blktrace.0"), Some(("sda", 0, "")));
        for other in ["sda.blktrace", "sda.blktrace.x", "sda.blktrace.01", "sda.blktrace.-1", "blktrace.0"] {
            assert_eq!(parsed(other), None, "{other}");
        }
    }
}
