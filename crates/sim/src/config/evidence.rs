//! What a device file says of itself: on what each of its keys stands, and a sentence for whoever sees
//! it. Nothing of it is part of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slcache_base::document::tree::{self, Key, Step};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// The section's name.
pub const EVIDENCE: &str = "evidence";
/// What a file says of what it describes, and not how that works.
const WORDS: [&str; 3] = ["device.name", "device.summary", "device.source"];

/// On what a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A source says it.
    Known,
    /// It follows from what sources say.
    Derived,
    /// It was chosen so that the device does what was measured.
    Calibrated,
    /// It was read from a log of the drive, between `low` and `high`.
    Fitted,
    /// Nothing says it.
    Assumed,
    /// A log of the drive cannot tell it.
    NotIdentifiable,
}

/// The evidence for one key, and for all below it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ground {
    /// What kind it is of.
    pub kind: Kind,
    /// Who says it, or how it follows.
    pub source: String,
    /// The least that it may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// The section.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Evidence {
    /// What whoever sees the device is told.
    pub statement: Option<String>,
    /// The evidence by key.
    pub keys: BTreeMap<String, Ground>,
}

impl Evidence {
    /// What is wrong with it in a file that says `tree`: evidence for nothing, and keys without any.
    pub fn problems(&self, tree: &Table) -> Vec<(Key, String)> {
        let place = |name: &str| Key(vec![field(EVIDENCE), field("keys"), field(name)]);
        let mut marked = Vec::new();
        let mut problems = Vec::new();
        for (name, ground) in &self.keys {
            match Key::parse(name).filter(|key| tree::get(tree, key).is_some()) {
                Some(key) => marked.push(key),
                None => {
                    problems.push((place(name), format!("{EVIDENCE}.keys: the file does not say {name}")))
                }
            }
            if ground.source.trim().is_empty() {
                problems.push((
                    place(name),
                    format!("{EVIDENCE}.keys: {name}: source = \"\": say where it is from"),
                ));
            }
            if !(ground.low <= ground.high || ground.high.is_none()) {
                problems.push((place(name), format!("{EVIDENCE}.keys: {name}: low must not be above high")));
            }
        }
        for key in leaves(tree) {
            let is_told = marked.iter().any(|mark| key.is_within(mark));
            if !is_told && !WORDS.contains(&key.to_string().as_str()) {
                let message = format!("{key}: [{EVIDENCE}.keys] does not say on what it stands");
                problems.push((key, message));
            }
        }
        problems
    }
}

fn field(name: &str) -> Step {
    Step::Field(name.to_owned())
}

/// Every key that the file gives a value, but for the evidence.
fn leaves(tree: &Table) -> Vec<Key> {
    let mut found = Vec::new();
    for (name, value) in tree.iter().filter(|(name, _)| *name != EVIDENCE) {
        collect(value, Key(vec![field(name)]), &mut found);
    }
    found
}

fn collect(value: &Value, key: Key, found: &mut Vec<Key>) {
    match value {
        Value::Table(table) => table.iter().for_each(|(name, value)| collect(value, key.field(name), found)),
        // A list of tables has keys of its own; any other is one value.
        Value::Array(list) if list.iter().any(Value::is_table) => {
            for (index, value) in list.iter().enumerate() {
                collect(value, key.element(index), found);
            }
        }
        _ => found.push(key),
    }
}
