//! The device as the user gives it. A device file or preset is a part of a run's configuration, parsed
//! alone so that errors keep file and line.

use super::error::{Argument, Origin, Statement};
use super::evidence::{Evidence, EVIDENCE};
use super::source::{self, ConfigText};
use super::{keys, moot, ConfigError, ConfigErrors};
use crate::preset;
use serde::Deserialize;
use serde_json::{json, Value as Schema};
use slcache_base::document::shape;
use slcache_base::document::tree::{self, Key};
use slcache_core::device::config::{Acknowledge, BufferConfig, DeviceConfig, HostConfig};
use slcache_core::schemes::SchemeConfig;
use std::fmt;
use std::path::PathBuf;
use std::sync::OnceLock;
use toml::{Table, Value};

/// The section of a device file with its defaults for schemes.
pub const SCHEME_DEFAULTS: &str = "scheme-defaults";

/// The device that a preset or file describes, how its host drives it, whatever runs on it, and whether a buffer
/// acknowledges writes.
pub fn device_config(name: &str) -> Result<(DeviceConfig, HostConfig, bool), ConfigErrors> {
    #[derive(Deserialize)]
    struct Parts {
        device: DeviceConfig,
        #[serde(default)]
        host: HostConfig,
        buffer: Option<BufferConfig>,
    }
    let file = DeviceFile::read(name).map_err(|error| ConfigErrors(vec![error]))?;
    if !file.errors.is_empty() {
        return Err(ConfigErrors(file.errors));
    }
    let parts: Parts = Value::Table(file.tree).try_into().expect("a file without errors has a device");
    let (mut device, host) = (parts.device, parts.host);
    device.settle();
    let buffered = parts.buffer.is_some_and(|buffer| buffer.acknowledge == Acknowledge::OnBuffer);
    Ok((device, host, buffered))
}

/// What a preset or file says of itself.
pub fn evidence_of(name: &str) -> Result<Evidence, ConfigErrors> {
    let file = DeviceFile::read(name).map_err(|error| ConfigErrors(vec![error]))?;
    Ok(file.evidence)
}

/// The line in which a preset or file says `key`, with its comment, and where that is; none where it
/// says nothing of it.
pub fn line_with(name: &str, key: &str) -> Result<Option<(String, String)>, ConfigErrors> {
    let file = DeviceFile::read(name).map_err(|error| ConfigErrors(vec![error]))?;
    let Some(key) = Key::parse(key) else { return Ok(None) };
    let mut places = vec![key.clone()];
    if key.section() == "scheme" {
        places.push(Key(key.0[1..].to_vec()).under(&[SCHEME_DEFAULTS]));
    }
    let said = places.iter().find(|place| tree::get(&file.tree, place).is_some());
    Ok(said.and_then(|place| file.source.line_with(place, &file.tree)))
}

/// The schema of every scheme's parameters, under its name.
fn schemes_schema() -> &'static Schema {
    &keys::schema()["properties"]["scheme"]
}

/// The schema of a device file; what schemes hold is checked apart.
fn sections() -> &'static Schema {
    static SECTIONS: OnceLock<Schema> = OnceLock::new();
    SECTIONS.get_or_init(|| {
        let mut schema = keys::schema().clone();
        let schemes = json!({ "type": "object" });
        (schema["properties"]["scheme"], schema["properties"][SCHEME_DEFAULTS]) = (schemes.clone(), schemes);
        schema["properties"][EVIDENCE] = shape::schema_of::<Evidence>().clone();
        schema["required"] = json!(["device"]);
        schema
    })
}

/// A device file after parsing: its tree with faulty parts replaced, and its faults.
pub struct DeviceFile {
    pub source: ConfigText,
    /// The sections, but for the evidence.
    pub tree: Table,
    pub evidence: Evidence,
    /// Everything wrong with its shape.
    pub errors: Vec<ConfigError>,
}

impl DeviceFile {
    /// Reads a device, wherever it is.
    pub fn of(source: &DeviceSource) -> Result<Self, ConfigError> {
        match source {
            DeviceSource::Named(name) => Self::read(name),
            DeviceSource::Content(tree) => Ok(Self::checked(ConfigText::held(source), tree.clone())),
        }
    }

    /// Reads the preset or file called `name`.
    fn read(name: &str) -> Result<Self, ConfigError> {
        if let Some(preset) = preset::find(name) {
            return Self::parse(format!("preset {name}"), preset.text.to_owned());
        }
        let path = std::path::Path::new(name);
        if !path.exists() {
            let said = Statement::new(Argument::Device, name);
            return Err(ConfigError::new(said, "device", preset::not_found(name)));
        }
        if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            let reason = "is a pipe or a device, which can be read only once, and a device file is read for each scheme; save it as a file";
            return Err(ConfigError::new(Origin::file(name), "", reason));
        }
        match source::read_text(path) {
            Ok(text) => Self::parse(name.to_owned(), text),
            Err(error) => Err(ConfigError::new(Origin::file(name), "", format!("cannot be read: {error}"))),
        }
    }

    /// Parses the text of a device file; a syntax error hides everything else.
    fn parse(label: String, text: String) -> Result<Self, ConfigError> {
        let (source, tree) = ConfigText::parse(label, text)?;
        Ok(Self::checked(source, tree))
    }

    fn checked(source: ConfigText, tree: Table) -> Self {
        let evidence = Evidence::default();
        let mut file = Self { source, tree, evidence, errors: Vec::new() };
        file.check_sections();
        for section in [SCHEME_DEFAULTS, "scheme"] {
            file.check_schemes(section);
        }
        file
    }

    /// All that it says, with its evidence.
    pub fn whole(&self) -> Table {
        let mut tree = self.tree.clone();
        if self.evidence != Evidence::default() {
            let evidence = Value::try_from(&self.evidence).expect("evidence is plain data");
            tree.insert(EVIDENCE.to_owned(), evidence);
        }
        tree
    }

    fn check_sections(&mut self) {
        let faults = shape::faults(sections(), &Value::Table(self.tree.clone()), &Key::default());
        shape::mend(&mut self.tree, &faults, |_| None);
        let evidence = self.tree.remove(EVIDENCE);
        self.evidence = evidence.clone().and_then(|evidence| evidence.try_into().ok()).unwrap_or_default();
        if evidence.is_some() && faults.is_empty() {
            for (key, message) in self.evidence.problems(&self.tree) {
                self.add(&key, message);
            }
        }
        for fault in faults {
            self.add(&fault.key, fault.to_string());
        }
        let device =
            self.tree.get("device").and_then(|device| DeviceConfig::deserialize(device.clone()).ok());
        if let Some(message) = device.and_then(|device| moot::unfit(&device)) {
            self.add(&Key::default().field("device").field("stated_user_bytes"), message);
        }
    }

    /// Checks every scheme's table in `section`, used in this run or not.
    fn check_schemes(&mut self, section: &str) {
        let Some(Value::Table(schemes)) = self.tree.remove(section) else {
            return;
        };
        let place = Key::default().field(section);
        let mut kept = Table::new();
        for (name, settings) in schemes {
            let key = place.field(&name);
            if SchemeConfig::default_for(&name).is_none() {
                self.add(&key, format!("{key}: {}", super::super::catalogue::unknown_scheme(&name)));
                continue;
            }
            let alone = Table::from_iter([(name, settings)]);
            let faults = shape::faults(schemes_schema(), &Value::Table(alone.clone()), &place);
            let mut whole = Table::from_iter([(section.to_owned(), Value::Table(alone))]);
            shape::mend(&mut whole, &faults, |_| None);
            for fault in faults {
                self.add(&fault.key, fault.to_string());
            }
            if let Some(Value::Table(alone)) = whole.remove(section) {
                kept.extend(alone);
            }
        }
        self.tree.insert(section.to_owned(), Value::Table(kept));
    }

    fn add(&mut self, key: &Key, message: String) {
        let error = ConfigError::new(self.source.place(key), key, message);
        self.errors.push(error);
    }
}

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
