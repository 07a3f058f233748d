//! A device's state in a file: versioned, checksummed, tied to its configuration.
//!
//! Layout: magic, format version, length of the header, header (JSON), body
//! (zstd-compressed postcard), SHA-256 of everything before it. Integers are
//! little-endian.

use crate::config::RunConfig;
use crate::differences::{differences, Sides};
use ring::digest::{digest, SHA256};
use serde_json::{json, Value};
use slcache_core::device::config::PreconditionConfig;
use slcache_core::device::{RunError, Setup, Simulation};
use slcache_files::{open_regular, OutputError, Outputs};
use std::io::{Read, Write};
use std::path::Path;

const MAGIC: &[u8; 8] = b"SLCSNAP\n";
/// Raised whenever the layout of a state changes, be it of one scheme.
const FORMAT_VERSION: u32 = 14;
const PREFIX_BYTES: usize = MAGIC.len() + 4 + 4;
const CHECKSUM_BYTES: usize = 32;
/// zstd level: level 1 writes about 500 MB/s, and higher ones gain little on maps.
const COMPRESSION_LEVEL: i32 = 1;
/// The parts of a configuration that a state depends on.
const BOUND_PARTS: [&str; 4] = ["device", "scheme", "buffer", "run"];
const SIDES: Sides = Sides("snapshot", "run");

/// Why a snapshot was not saved or restored.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The file cannot be read or written.
    #[error("snapshot {path}: {source}")]
    Io {
        path: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The file is an input, or cannot be written.
    #[error("snapshot {0}")]
    Output(#[from] OutputError),
    /// The file is something else.
    #[error("snapshot {path}: not a snapshot of slcache")]
    NotASnapshot { path: String },
    /// Another version wrote the file.
    #[error("snapshot {path}: format version {found}, and this program reads version {FORMAT_VERSION}; make the snapshot anew")]
    Version { path: String, found: u32 },
    /// The file is cut short or damaged.
    #[error("snapshot {path}: truncated or damaged ({what})")]
    Damaged { path: String, what: String },
    /// The snapshot belongs to another device, scheme, buffer or seed.
    #[error("snapshot {path}: made with another configuration; different: {}", .keys.join("; "))]
    OtherConfig {
        path: String,
        /// The keys that differ, with both values.
        keys: Vec<String>,
    },
    /// The policy cannot be saved.
    #[error("snapshot {path}: {message}")]
    Unsaved { path: String, message: String },
    /// The model refuses the state.
    #[error("snapshot {path}: {source}")]
    Refused { path: String, source: RunError },
}

impl SnapshotError {
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Output(_) => None,
            Self::Io { path, .. }
            | Self::NotASnapshot { path }
            | Self::Version { path, .. }
            | Self::Damaged { path, .. }
            | Self::OtherConfig { path, .. }
            | Self::Unsaved { path, .. }
            | Self::Refused { path, .. } => Some(path),
        }
    }
}

/// Saves the state of `simulation`, whole or not at all.
pub fn save(path: &Path, config: &RunConfig, simulation: &Simulation) -> Result<(), SnapshotError> {
    save_among(path, config, simulation, Outputs::default())
}

/// Like [`save`]; `outputs` knows what may not be replaced.
pub fn save_among(
    path: &Path,
    config: &RunConfig,
    simulation: &Simulation,
    mut outputs: Outputs,
) -> Result<(), SnapshotError> {
    let failed = |source| SnapshotError::Io { path: path.display().to_string(), source };
    let whole = encode(config, simulation).map_err(failed)?;
    if let Some(message) = simulation.save_failure() {
        return Err(SnapshotError::Unsaved { path: path.display().to_string(), message });
    }
    let mut file = outputs.create(path)?;
    file.write_all(&whole).map_err(failed)?;
    // A device or a pipe keeps nothing that could be made sure of.
    if file.metadata().map_err(failed)?.is_file() {
        file.sync_all().map_err(failed)?;
    }
    Ok(outputs.publish()?)
}

/// Restores a device saved under the same device, scheme, buffer and seed. The
/// preconditioning of `config` becomes the one the snapshot was made with.
pub fn load(path: &Path, config: &mut RunConfig) -> Result<Simulation, SnapshotError> {
    let file = path.display().to_string();
    let mut whole = Vec::new();
    let read = open_regular(path).and_then(|mut file| file.read_to_end(&mut whole));
    read.map_err(|source| SnapshotError::Io { path: file.clone(), source })?;
    let (header, body) = split(&whole, &file)?;
    adopt(&header, config, &file)?;
    let damaged = |what: String| SnapshotError::Damaged { path: file.clone(), what };
    let setup = config.setup();
    let raw = decompress(body, state_bytes_max(&setup)).map_err(|error| damaged(error.to_string()))?;
    let mut state = postcard::Deserializer::from_bytes(&raw);
    let restored = Simulation::restore(&setup, &mut state);
    let simulation = restored.map_err(|source| SnapshotError::Refused { path: file.clone(), source })?;
    match state.finalize() {
        Ok([]) => Ok(simulation),
        rest => Err(damaged(format!("{} bytes behind the state", rest.map_or(0, <[u8]>::len)))),
    }
}

/// More than the state of any such device takes: four bytes of file may claim to be terabytes.
fn state_bytes_max(setup: &Setup) -> u64 {
    let device = &setup.device;
    let raw: u64 = device.pool.iter().map(|pool| pool.raw_bytes(pool.densest())).sum();
    let blocks: u64 = device.pool.iter().map(|p| u64::from(p.plane_count()) * u64::from(p.blocks)).sum();
    // Numbers take up to five bytes, and tables are up to eight times as large as what they hold.
    (64 << 20) + (raw + device.user_bytes) / u64::from(device.mu_bytes) * 48 + blocks * 256
}

fn decompress(body: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    let mut raw = Vec::new();
    zstd::Decoder::new(body)?.take(most + 1).read_to_end(&mut raw)?;
    if raw.len() as u64 > most {
        return Err(std::io::Error::other(format!("a state of more than {most} bytes")));
    }
    Ok(raw)
}

fn encode(config: &RunConfig, simulation: &Simulation) -> std::io::Result<Vec<u8>> {
    let config = config.to_json();
    let mut header = json!({ "precondition": config["precondition"] });
    for part in BOUND_PARTS {
        header[part] = config[part].clone();
    }
    let header = header.to_string();
    let raw = postcard::to_stdvec(&simulation.save()).map_err(std::io::Error::other)?;
    let mut whole = Vec::new();
    whole.extend_from_slice(MAGIC);
    whole.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    whole.extend_from_slice(&(header.len() as u32).to_le_bytes());
    whole.extend_from_slice(header.as_bytes());
    zstd::stream::copy_encode(raw.as_slice(), &mut whole, COMPRESSION_LEVEL)?;
    let checksum = digest(&SHA256, &whole);
    whole.extend_from_slice(checksum.as_ref());
    Ok(whole)
}

/// Header and body of a file whose checksum holds.
fn split<'a>(whole: &'a [u8], file: &str) -> Result<(Value, &'a [u8]), SnapshotError> {
    let path = file.to_owned();
    if !whole.starts_with(MAGIC) {
        return Err(SnapshotError::NotASnapshot { path });
    }
    let number = |at: usize| {
        let bytes = whole.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let short = || SnapshotError::Damaged { path: path.clone(), what: "too short".to_owned() };
    let version = number(MAGIC.len()).ok_or_else(short)?;
    if version != FORMAT_VERSION {
        return Err(SnapshotError::Version { path, found: version });
    }
    let header_bytes = number(MAGIC.len() + 4).ok_or_else(short)? as usize;
    if whole.len() < PREFIX_BYTES + CHECKSUM_BYTES {
        return Err(short());
    }
    let (content, checksum) = whole.split_at(whole.len() - CHECKSUM_BYTES);
    if digest(&SHA256, content).as_ref() != checksum {
        let what = "the checksum does not match".to_owned();
        return Err(SnapshotError::Damaged { path, what });
    }
    let body = content.get(PREFIX_BYTES + header_bytes..).ok_or_else(short)?;
    let header = serde_json::from_slice(&content[PREFIX_BYTES..PREFIX_BYTES + header_bytes]);
    let header = header.map_err(|error| SnapshotError::Damaged { path, what: error.to_string() })?;
    Ok((header, body))
}

/// Checks that the configuration fits the header, and takes over its preconditioning.
fn adopt(header: &Value, config: &mut RunConfig, file: &str) -> Result<(), SnapshotError> {
    let path = file.to_owned();
    let own = config.to_json();
    let mut keys = Vec::new();
    for part in BOUND_PARTS {
        differences(part, &header[part], &own[part], SIDES, &mut keys);
    }
    // Asking for nothing takes what the snapshot has; asking for something else is a contradiction.
    if config.precondition != PreconditionConfig::default() {
        differences("precondition", &header["precondition"], &own["precondition"], SIDES, &mut keys);
    }
    if !keys.is_empty() {
        return Err(SnapshotError::OtherConfig { path, keys });
    }
    let found = serde_json::from_value(header["precondition"].clone());
    config.precondition = found.map_err(|error| SnapshotError::Damaged { path, what: error.to_string() })?;
    Ok(())
}
