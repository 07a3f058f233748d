//! From text and overrides to a checked specification, with every problem found.

use super::spec::WorkloadSpec;
use crate::error::workload_problem::{Problems, WorkloadProblem};
use serde_path_to_error::Segment;
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

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
        let done =
            if value == NONE { unset(&mut tree, key) } else { set(&mut tree, key, parse_value(value)) };
        if let Err(message) = done {
            problems.add(key.clone(), format!("override {key}={value}: {message}"));
        }
    }
    let spec = shape(tree, &mut problems);
    Loaded { spec, problems }
}

/// Reads the tree as a specification. serde stops at the first fault, and no
/// key is required by shape, so what is faulty is recorded, taken out, and the
/// rest read again.
fn shape(mut tree: Table, problems: &mut Problems) -> WorkloadSpec {
    loop {
        let error = match serde_path_to_error::deserialize(Value::Table(tree.clone())) {
            Ok(spec) => return spec,
            Err(error) => error,
        };
        let message = error.inner().message().lines().collect::<Vec<_>>().join(", ");
        let mut path: Vec<String> = error.path().iter().filter_map(step).collect();
        if let Some(unknown) = unknown_field(&message).filter(|name| path.last() != Some(name)) {
            path.push(unknown);
        }
        let value = find(&tree, &path).map(|value| format!("{value} is not allowed: ")).unwrap_or_default();
        problems.add(path.join("."), format!("{value}{message}"));
        if !remove_nearest(&mut tree, &path) {
            return WorkloadSpec::default();
        }
    }
}

fn step(segment: &Segment) -> Option<String> {
    match segment {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key } => Some(key.clone()),
        Segment::Enum { .. } | Segment::Unknown => None,
    }
}

fn unknown_field(message: &str) -> Option<String> {
    let rest = message.strip_prefix("unknown field `")?;
    rest.split('`').next().map(str::to_owned)
}

fn find<'a>(tree: &'a Table, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(tree.get(first)?, |value, step| match value {
        Value::Table(table) => table.get(step),
        Value::Array(list) => list.get(step.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Takes out the value at `path`; where a list or table around it would no
/// longer fit without it (an element, a key that is missing), that as a whole.
fn remove_nearest(tree: &mut Table, path: &[String]) -> bool {
    (1..=path.len()).rev().any(|len| remove(tree, &path[..len]))
}

fn remove(tree: &mut Table, path: &[String]) -> bool {
    let Some((last, parents)) = path.split_last() else {
        return false;
    };
    let Some((first, rest)) = parents.split_first() else {
        return tree.remove(last).is_some();
    };
    let Some(mut parent) = tree.get_mut(first) else {
        return false;
    };
    for step in rest {
        let inner = match parent {
            Value::Table(table) => table.get_mut(step),
            Value::Array(list) => step.parse::<usize>().ok().and_then(|index| list.get_mut(index)),
            _ => None,
        };
        match inner {
            Some(inner) => parent = inner,
            None => return false,
        }
    }
    // An element is not taken out: the places of those behind it would shift.
    parent.as_table_mut().is_some_and(|table| table.remove(last).is_some())
}

/// A value as TOML has it, or else as text: `8GiB` needs no quotes.
fn parse_value(text: &str) -> Value {
    let parsed: Result<Table, _> = toml::from_str(&format!("value = {text}"));
    match parsed {
        Ok(mut table) if table.len() == 1 => table.remove("value").unwrap_or(Value::String(text.to_owned())),
        _ => Value::String(text.to_owned()),
    }
}

/// Sets `a.b.0.c`; tables on the way are made, elements of lists are not.
fn set(tree: &mut Table, key: &str, value: Value) -> Result<(), String> {
    let steps: Vec<&str> = key.split('.').collect();
    let Some((last, parents)) = steps.split_last() else {
        return Err("the key is empty".to_owned());
    };
    let mut table = tree;
    let mut parents = parents.iter().peekable();
    while let Some(name) = parents.next() {
        let inner = table.entry((*name).to_owned()).or_insert_with(|| Value::Table(Table::new()));
        let inner = match inner {
            Value::Array(list) => {
                let (index, len) = (parents.next().copied().unwrap_or_default(), list.len());
                let place = index.parse::<usize>().ok().filter(|&place| place < len);
                let place = place.ok_or_else(|| {
                    format!("{name} is a list of {len}; write {name}.N with N from 0 below {len}")
                })?;
                &mut list[place]
            }
            inner => inner,
        };
        table = inner.as_table_mut().ok_or_else(|| format!("{name} holds a value, not further keys"))?;
    }
    table.insert((*last).to_owned(), value);
    Ok(())
}

/// Takes `a.b.c` away as if the text did not have it, and what is said of a twin's figure with it.
fn unset(tree: &mut Table, key: &str) -> Result<(), String> {
    let path: Vec<String> = key.split('.').map(str::to_owned).collect();
    if !remove(tree, &path) {
        return Err(format!("{NONE} takes away a key that is there, and this one is not"));
    }
    if let [twin, figure] = path.as_slice() {
        remove(tree, &[twin.clone(), "free".to_owned(), figure.clone()]);
    }
    Ok(())
}

/// Fills in the lines of problems whose keys stand in `text`.
pub(super) fn add_lines(text: &str, overrides: &BTreeMap<String, String>, problems: &mut Problems) {
    let Ok(root) = DeTable::parse(text) else {
        return;
    };
    for problem in &mut problems.0 {
        if let Some(value) = overrides.get(&problem.key) {
            let said = format!("override {}={value}", problem.key);
            if !problem.message.starts_with(&said) {
                problem.message = format!("{} ({said})", problem.message);
            }
        } else if problem.line.is_none() {
            problem.line = offset_of(root.get_ref(), &problem.key).map(|offset| line_at(text, offset));
        }
    }
}

/// Where `key` starts, or the innermost table around it that the file has.
fn offset_of(root: &DeTable<'_>, key: &str) -> Option<usize> {
    let mut steps = key.split('.');
    let (mut offset, mut value) = entry(root, steps.next()?)?;
    for step in steps {
        let inner = match value.get_ref() {
            DeValue::Table(table) => entry(table, step),
            DeValue::Array(list) => {
                let element = step.parse::<usize>().ok().and_then(|index| list.get(index));
                element.map(|element| (element.span().start, element))
            }
            _ => None,
        };
        let Some(found) = inner else { break };
        (offset, value) = found;
    }
    Some(offset)
}

fn entry<'a, 'i>(table: &'a DeTable<'i>, name: &str) -> Option<(usize, &'a Spanned<DeValue<'i>>)> {
    let (key, value) = table.iter().find(|(key, _)| key.get_ref().as_ref() == name)?;
    Some((key.span().start, value))
}

fn line_at(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    text.as_bytes()[..end].iter().filter(|&&byte| byte == b'\n').count() + 1
}
