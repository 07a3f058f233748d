//! What a scheme has learned, in a file: versioned, checksummed, tied to the scheme and the device.
//!
//! One line of JSON, `{"format":"slcache memory","format_version":1,"sha256":"...","content":{...}}`;
//! the checksum is that of the content as it stands there. The content has `memory` (scheme, version
//! of its tables, `shape`, `tables`), the `device` it was learned on and `runs`, where it was learned,
//! first to last. Numbers are written so that reading gives the same bits.

mod error;

pub use error::{MemoryError, NoMemory};

use crate::config::RunConfig;
use crate::differences::{differences, Sides};
use crate::provenance::{sha256_hex, LearningRun, MemoryIn, MemoryOut};
use error::FORMAT_VERSION;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use slcache_core::device::Simulation;
use slcache_core::ftl::scheme::Memory;
use slcache_core::schemes::CATALOG;
use slcache_files::{open_regular, Outputs};
use std::io::{Read, Write};
use std::path::Path;

const MAGIC: &str = r#"{"format":"slcache memory","#;
/// More than any scheme learns.
const BYTES_MAX: u64 = 1 << 30;
/// What tells a device for its reader and changes no run.
const TOLD_ONLY: [&str; 3] = ["name", "source", "summary"];
const SIDES: Sides = Sides("memory", "run");

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    device: Value,
    memory: Memory,
    runs: Vec<LearningRun>,
}

pub struct MemoryFile {
    path: String,
    content: Content,
    sha256: String,
}

impl MemoryFile {
    /// Reads a file that is whole and fits the scheme and the device of `config`.
    pub fn read(path: &Path, config: &RunConfig) -> Result<Self, MemoryError> {
        let name = path.display().to_string();
        let text = contents(path).map_err(|source| MemoryError::Io { path: name.clone(), source })?;
        let file = Self { content: parse(&text, &name)?, sha256: sha256_hex(&text), path: name };
        file.check(config)?;
        Ok(file)
    }

    fn check(&self, config: &RunConfig) -> Result<(), MemoryError> {
        let (path, memory, scheme) = (self.path.clone(), &self.content.memory, config.scheme.name());
        if memory.scheme != scheme {
            return Err(MemoryError::OtherScheme { path, found: memory.scheme.clone(), scheme });
        }
        let needed = version(scheme).unwrap_or_default();
        if memory.version != needed {
            return Err(MemoryError::TablesVersion { path, scheme, found: memory.version, needed });
        }
        self.same("device", &self.content.device, &device(config))
    }

    /// Refuses a memory whose tables mean something else to the scheme of `simulation`.
    pub fn check_shape(&self, simulation: &Simulation) -> Result<(), MemoryError> {
        let own = simulation.memory().map_or(Value::Null, |memory| shape(&memory));
        self.same("memory", &shape(&self.content.memory), &own)
    }

    fn same(&self, key: &str, found: &Value, needed: &Value) -> Result<(), MemoryError> {
        let mut keys = Vec::new();
        differences(key, found, needed, SIDES, &mut keys);
        match keys.is_empty() {
            true => Ok(()),
            false => Err(MemoryError::OtherConditions { path: self.path.clone(), keys }),
        }
    }

    /// Lets the scheme of `simulation` begin with the memory.
    pub fn give(&self, simulation: &mut Simulation) -> Result<(), MemoryError> {
        let taken = simulation.take_memory(self.content.memory.clone());
        taken.map_err(|what| MemoryError::Refused { path: self.path.clone(), what })
    }

    /// The runs it was learned in, first to last.
    pub fn into_runs(self) -> Vec<LearningRun> {
        self.content.runs
    }

    /// File, checksum and runs, as a result tells them.
    pub fn told(&self) -> MemoryIn {
        MemoryIn { file: self.path.clone(), sha256: self.sha256.clone(), runs: self.content.runs.clone() }
    }
}

/// Refuses a scheme of which no version has a memory.
pub fn check_scheme(config: &RunConfig) -> Result<(), NoMemory> {
    let scheme = config.scheme.name();
    version(scheme).map(drop).ok_or(NoMemory { scheme, otherwise: false })
}

/// Saves `memory`, whole or not at all; `outputs` knows what may not be replaced. Returns the file
/// with its checksum, as a result tells them.
pub fn save_among(
    path: &Path,
    config: &RunConfig,
    memory: Memory,
    runs: Vec<LearningRun>,
    mut outputs: Outputs,
) -> Result<MemoryOut, MemoryError> {
    let name = path.display().to_string();
    if let Some(what) = not_finite(&memory) {
        return Err(MemoryError::Refused { path: name, what });
    }
    let text = encode(&Content { device: device(config), memory, runs });
    let failed = |source| MemoryError::Io { path: path.display().to_string(), source };
    let mut file = outputs.create(path)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    // A device or a pipe keeps nothing that could be made sure of.
    if file.metadata().map_err(failed)?.is_file() {
        file.sync_all().map_err(failed)?;
    }
    outputs.publish()?;
    Ok(MemoryOut { file: name, sha256: sha256_hex(text.as_bytes()) })
}

fn version(scheme: &str) -> Option<u32> {
    CATALOG.iter().find(|entry| entry.name == scheme)?.memory_version
}

/// The device, apart from what it is called.
fn device(config: &RunConfig) -> Value {
    let mut device = config.to_json()["device"].take();
    if let Value::Object(fields) = &mut device {
        fields.retain(|key, _| !TOLD_ONLY.contains(&key.as_str()));
    }
    device
}

/// All of a memory that must agree: what its tables mean, and how long they are.
fn shape(memory: &Memory) -> Value {
    let lengths: serde_json::Map<String, Value> =
        memory.tables.iter().map(|(name, values)| (name.clone(), values.len().into())).collect();
    json!({ "shape": memory.shape, "values": lengths })
}

fn not_finite(memory: &Memory) -> Option<String> {
    let shape = memory.shape.iter().map(|(name, value)| (name.clone(), *value));
    let tables = memory.tables.iter().flat_map(|(name, values)| {
        values.iter().enumerate().map(move |(index, value)| (format!("{name}[{index}]"), *value))
    });
    let mut all = shape.chain(tables);
    all.find(|(_, value)| !value.is_finite()).map(|(name, value)| format!("{name} = {value}: must be finite"))
}

fn encode(content: &Content) -> String {
    // Plain data with text keys, whose numbers are finite.
    let content = serde_json::to_value(content).expect("a memory is plain data").to_string();
    let sha256 = sha256_hex(content.as_bytes());
    format!("{MAGIC}\"format_version\":{FORMAT_VERSION},\"sha256\":\"{sha256}\",\"content\":{content}}}\n")
}

/// The file, or of another kind of file no more than shows that.
fn contents(path: &Path) -> std::io::Result<Vec<u8>> {
    let (mut bytes, mut file) = (Vec::new(), open_regular(path)?);
    Read::by_ref(&mut file).take(MAGIC.len() as u64).read_to_end(&mut bytes)?;
    if bytes == MAGIC.as_bytes() {
        file.take(BYTES_MAX).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn parse(text: &[u8], file: &str) -> Result<Content, MemoryError> {
    let path = file.to_owned();
    if !text.starts_with(MAGIC.as_bytes()) {
        return Err(MemoryError::NotAMemory { path });
    }
    let damaged = |what: String| MemoryError::Damaged { path: path.clone(), what };
    if text.len() as u64 > BYTES_MAX {
        return Err(damaged(format!("more than {BYTES_MAX} bytes")));
    }
    let mut whole: Value = serde_json::from_slice(text).map_err(|error| damaged(error.to_string()))?;
    if whole["format_version"] != FORMAT_VERSION {
        return Err(MemoryError::Version { path, found: whole["format_version"].take() });
    }
    let content = whole["content"].take();
    if whole["sha256"] != sha256_hex(content.to_string().as_bytes()) {
        return Err(damaged("the checksum does not match".to_owned()));
    }
    serde_path_to_error::deserialize(content).map_err(|error| damaged(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{resolve, Layers};
    use std::collections::BTreeMap;

    fn memory(q: Vec<f64>) -> Memory {
        Memory {
            scheme: "baseline".to_owned(),
            version: 0,
            shape: BTreeMap::from([("step_share".to_owned(), 0.1 + 0.2)]),
            tables: BTreeMap::from([("q".to_owned(), q)]),
        }
    }

    fn config() -> RunConfig {
        let layers = Layers { device: "tiny".into(), scheme: "baseline".into(), ..Layers::default() };
        resolve(&layers).unwrap()
    }

    /// Values whose shortest decimal forms differ in kind, and all neighbours of a third.
    fn odd_values() -> Vec<f64> {
        let third = 1.0_f64 / 3.0;
        let near = (0..64).map(|step| f64::from_bits(third.to_bits() + step));
        let odd = [0.0, -0.0, 1e300, -5e-324, f64::MAX, 0.1, -1.0, f64::EPSILON, 123_456_789.0];
        odd.into_iter().chain(near).collect()
    }

    #[test]
    fn what_is_read_has_the_bits_that_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory");
        let run = LearningRun { trace_sha256: Some("ab".into()), config_hash: "cd".into() };
        let want = memory(odd_values());
        save_among(&path, &config(), want.clone(), vec![run.clone()], Outputs::default()).unwrap();
        let text = contents(&path).unwrap();
        let read = parse(&text, "memory").unwrap();
        let bits = |memory: &Memory| memory.tables["q"].iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&read.memory), bits(&want));
        assert_eq!((read.memory, read.runs), (want, vec![run]));
    }

    #[test]
    fn a_number_that_is_none_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory");
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let saved = save_among(&path, &config(), memory(vec![0.0, bad]), Vec::new(), Outputs::default());
            assert!(saved.unwrap_err().to_string().contains("q[1] = "), "{bad}");
            assert!(!path.exists());
        }
    }
}
