//! From text and overrides to a checked specification, with every problem found.

use super::spec::WorkloadSpec;
use crate::error::workload_problem::{Problems, WorkloadProblem};
use serde_path_to_error::Segment;
use slcache_base::document::places::{line_at, Places};
use slcache_base::document::shape::{self, FaultKind};
use slcache_base::document::tree::{self, Key, Step};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// The value of an override that takes a key away.
const NONE: &str = "none";

/// A specification as far as it could be read, and what was wrong with it.
pub(super) struct Loaded {
    pub(super) spec: WorkloadSpec,
    pub(super) problems: Problems,
}

/// Reads TOML `text` with `overrides` laid over it.
pub(super) fn read(text: &str, overrides: &BTreeMap<String, String>) -> Loaded {
    let mut problems = Problems::default();
    let mut tree: Table = match toml::from_str(text) {
        Ok(tree) => tree,
        Err(error) => {
            let line = error.span().map(|span| line_at(text, span.start));
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            let message = format!("not valid TOML: {message}");
            problems.0.push(WorkloadProblem { line, key: String::new(), message });
            return Loaded { spec: WorkloadSpec::default(), problems };
        }
    };
    for (key, value) in overrides {
        if let Err(message) = lay(&mut tree, key, value) {
            problems.add(key.clone(), format!("override {key}={value}: {message}"));
        }
    }
    let spec = shape(tree, &mut problems);
    Loaded { spec, problems }
}

/// Sets what an override says, or takes it away with what is said of a twin's figure.
fn lay(tree: &mut Table, text: &str, value: &str) -> Result<(), String> {
    let key = Key::parse(text).ok_or("is not a key such as twin.update_ratio")?;
    if value != NONE {
        return tree::set(tree, &key, parse_value(value));
    }
    tree::remove(tree, &key).ok_or(format!("{NONE} takes away a key that is there, and this one is not"))?;
    if let [Step::Field(twin), Step::Field(figure)] = &key.0[..] {
        let free = Key(vec![Step::Field(twin.clone())]).field("free").field(figure);
        tree::remove(tree, &free);
    }
    Ok(())
}

/// Reads the tree as a specification: what has not the shape of one is recorded and taken out. Sizes and times
/// are read behind that, of which serde stops at the first that is none.
fn shape(mut tree: Table, problems: &mut Problems) -> WorkloadSpec {
    let whole = Value::Table(tree.clone());
    let faults = shape::faults(shape::schema_of::<WorkloadSpec>(), &whole, &Key::default());
    for fault in &faults {
        let value = if fault.kind == FaultKind::Missing { "" } else { &format!("{}: ", fault.value) };
        problems.add(fault.key.to_string(), format!("{value}{}", fault.reason()));
    }
    shape::mend(&mut tree, &faults, |_| None);
    loop {
        let error = match serde_path_to_error::deserialize(Value::Table(tree.clone())) {
            Ok(spec) => return spec,
            Err(error) => error,
        };
        let key = Key(error.path().iter().filter_map(step).collect());
        problems.add(key.to_string(), error.inner().message());
        // Where a table would no longer fit without it, that goes as a whole.
        let mut around: Vec<Key> = key.around().map(|steps| Key(steps.to_vec())).collect();
        around.reverse();
        if !around.iter().any(|key| tree::remove(&mut tree, key).is_some()) {
            return WorkloadSpec::default();
        }
    }
}

fn step(segment: &Segment) -> Option<Step> {
    match segment {
        Segment::Seq { index } => Some(Step::Index(*index)),
        Segment::Map { key } => Some(Step::Field(key.clone())),
        Segment::Enum { .. } | Segment::Unknown => None,
    }
}

/// A value as TOML has it, or else as text: `8GiB` needs no quotes.
fn parse_value(text: &str) -> Value {
    let parsed: Result<Table, _> = toml::from_str(&format!("value = {text}"));
    match parsed {
        Ok(mut table) if table.len() == 1 => table.remove("value").unwrap_or(Value::String(text.to_owned())),
        _ => Value::String(text.to_owned()),
    }
}

/// Fills in the lines of problems whose keys stand in `text`.
pub(super) fn add_lines(text: &str, overrides: &BTreeMap<String, String>, problems: &mut Problems) {
    let places = Places::of_toml(text);
    for problem in &mut problems.0 {
        let key = Key::parse(&problem.key).unwrap_or_default();
        let said = overrides.iter().find(|(said, _)| Key::parse(said).is_some_and(|said| said == key));
        if let Some((name, value)) = said {
            let said = format!("override {name}={value}");
            if !problem.message.starts_with(&said) {
                problem.message = format!("{} ({said})", problem.message);
            }
        } else if problem.line.is_none() {
            problem.line = places.of(&key).map(|offset| line_at(text, offset));
        }
    }
}
