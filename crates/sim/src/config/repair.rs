//! Turning a TOML tree into a typed value and finding every fault in one go.
//!
//! serde stops at the first fault. So a faulty value is recorded, replaced
//! (by the layer below, by nothing, or by a stand-in of another type) and the
//! tree is read again, until it fits.

use super::keys;
use super::tree::{self, Key, Step};
use super::wording;
use crate::nearest::nearest;
use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;
use toml::{Table, Value};

/// Faults that are looked for: each takes another reading of the tree.
pub const FAULTS_MAX: usize = 128;

/// A fault in the shape of a tree.
pub struct Fault {
    /// Where.
    pub key: Key,
    /// What is wrong, with key, value and what is allowed.
    pub message: String,
}

/// What came out of reading a tree.
pub struct Outcome<T> {
    /// The value, with faulty parts replaced; `None` if that did not help.
    pub value: Option<T>,
    /// Every fault found.
    pub faults: Vec<Fault>,
    /// Whether a stand-in was needed, so that checks across keys would mislead.
    pub guessed: bool,
}

/// Reads `tree` as `T`; `below` gives the value of a lower layer.
/// The tree is left with its faulty parts replaced.
pub fn read<T: DeserializeOwned>(tree: &mut Table, below: &dyn Fn(&Key) -> Option<Value>) -> Outcome<T> {
    let mut outcome = Outcome { value: None, faults: Vec::new(), guessed: false };
    let mut tried: Vec<(Key, usize)> = Vec::new();
    loop {
        let error = match serde_path_to_error::deserialize(Value::Table(tree.clone())) {
            Ok(value) => {
                outcome.value = Some(value);
                return outcome;
            }
            Err(error) => error,
        };
        let message = error.inner().message().to_owned();
        let key = fault_key(error.path(), &message);
        let known = outcome.faults.iter().any(|fault| key.is_within(&fault.key));
        if !known {
            let message = describe(tree, &key, &message);
            outcome.faults.push(Fault { key: key.clone(), message });
        }
        if outcome.faults.len() == FAULTS_MAX {
            return outcome;
        }
        let attempt = next_attempt(&mut tried, &key);
        match replace(tree, &key, attempt, below) {
            Some(guessed) => outcome.guessed |= guessed,
            None => return outcome,
        }
    }
}

/// The key of a fault: a missing field is named by the message, not by the path.
fn fault_key(path: &serde_path_to_error::Path, message: &str) -> Key {
    let steps = path.iter().filter_map(|segment| match segment {
        Segment::Seq { index } => Some(Step::Index(*index)),
        Segment::Map { key } => Some(Step::Field(key.clone())),
        Segment::Enum { variant } => Some(Step::Field(variant.clone())),
        Segment::Unknown => None,
    });
    let key = Key(steps.collect());
    match quoted(message).first() {
        Some(name) if message.starts_with("missing field") => key.field(name),
        _ => key,
    }
}

fn next_attempt(tried: &mut Vec<(Key, usize)>, key: &Key) -> usize {
    match tried.iter_mut().find(|(other, _)| other == key) {
        Some((_, attempt)) => {
            *attempt += 1;
            *attempt
        }
        None => {
            tried.push((key.clone(), 0));
            0
        }
    }
}

/// Replaces the value at `key`; whether by a stand-in, or `None` when nothing is left to try.
fn replace(
    tree: &mut Table,
    key: &Key,
    attempt: usize,
    below: &dyn Fn(&Key) -> Option<Value>,
) -> Option<bool> {
    let stand_in = match attempt {
        0 => match below(key) {
            Some(value) => {
                tree::set(tree, key, value).ok()?;
                return Some(false);
            }
            None => {
                tree::remove(tree, key);
                return Some(false);
            }
        },
        1 => Value::Integer(1),
        2 => Value::String("x".to_owned()),
        3 => Value::Array(vec![Value::Integer(1)]),
        4 => Value::Table(Table::new()),
        5 => Value::Boolean(false),
        _ => return None,
    };
    tree::set(tree, key, stand_in).ok()?;
    Some(true)
}

/// The fault in a user's words.
fn describe(tree: &Table, key: &Key, message: &str) -> String {
    let names = quoted(message);
    if message.starts_with("missing field") {
        return format!("{key}: missing{}", hint(key));
    }
    let value = tree::get(tree, key).map(tree::shown).unwrap_or_default();
    if message.starts_with("unknown field") {
        let allowed = names.get(1..).unwrap_or_default();
        let near = names.first().and_then(|name| nearest(name, allowed.iter().copied()));
        let near = near.map_or(".".to_owned(), |name| format!("; did you mean {name}?"));
        let allowed = if allowed.is_empty() { "none".to_owned() } else { allowed.join(", ") };
        return format!("{key} = {value}: unknown key{near} Keys allowed here: {allowed}");
    }
    if message.starts_with("unknown variant") {
        return format!("{key} = {value}: must be one of {}", names[1..].join(", "));
    }
    format!("{key} = {value}: {}{}", wording::of(message, key), hint(key))
}

fn hint(key: &Key) -> String {
    let description = keys::description(&key.to_string());
    description.map(|text| format!(" ({})", text.trim_end_matches('.'))).unwrap_or_default()
}

/// The names in back quotes in a message of serde's.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}
