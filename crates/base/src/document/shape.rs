//! Whether a tree has the shape that a JSON schema gives it: every fault, found in one pass.
//!
//! Of JSON schema this knows what schemars writes of our types, with all parts inlined.

use super::nearest::nearest;
use super::tree::{self, shown, Key};
use crate::units::{parse_bytes, A_SIZE};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::JsonSchema;
use serde::Serialize;
pub use serde_json::Value as Schema;
use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::sync::Mutex;
use toml::{Table, Value};

/// The schema of `T`. Its objects have no other keys than their own, unless they say otherwise: serde
/// ignores what it does not know beside a flattened struct.
pub fn closed<T: JsonSchema>(inline_subschemas: bool) -> Schema {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = inline_subschemas;
    let settings = settings.with_transform(RecursiveTransform(close));
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The schema of what is written of a `T`: closed, and without numbers below 0 where nothing else is said.
pub fn written<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(close))
        .with_transform(RecursiveTransform(words_alone))
        .with_transform(RecursiveTransform(absent_where_none))
        .with_transform(RecursiveTransform(not_below_0))
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

fn close(schema: &mut schemars::Schema) {
    if let Some(object) = schema.as_object_mut().filter(|object| object.contains_key("properties")) {
        object.entry("additionalProperties").or_insert(false.into());
    }
}

/// A choice of words alone is a list of them.
fn words_alone(schema: &mut schemars::Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    let choices = object.get("oneOf").and_then(Schema::as_array);
    let words: Option<Vec<Schema>> =
        choices.and_then(|choices| choices.iter().map(|choice| choice.get("const").cloned()).collect());
    if let Some(words) = words {
        object.remove("oneOf");
        object.insert("enum".into(), words.into());
    }
}

/// A key that need not be there is not null where it is: what is written leaves out what there is none of.
fn absent_where_none(schema: &mut schemars::Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    let required = object.get("required").and_then(Schema::as_array).cloned().unwrap_or_default();
    let properties = object.get_mut("properties").and_then(Schema::as_object_mut).into_iter().flatten();
    for (_, inner) in properties.filter(|(key, _)| !required.contains(&key.as_str().into())) {
        if let Some(kinds) = inner.get_mut("type").and_then(Schema::as_array_mut) {
            kinds.retain(|kind| kind != "null");
        }
        let Some(Schema::Array(choices)) = inner.get("anyOf") else { continue };
        let there: Vec<_> =
            choices.iter().filter(|choice| choice.get("type").is_none_or(|kind| kind != "null")).collect();
        if let [Schema::Object(only)] = there[..] {
            let (only, inner) = (only.clone(), inner.as_object_mut().expect("a table has keys"));
            inner.remove("anyOf");
            inner.extend(only);
        }
    }
}

fn not_below_0(schema: &mut schemars::Schema) {
    let is_number = |kind: &Schema| {
        kind == "number" || kind.as_array().is_some_and(|kinds| kinds.contains(&"number".into()))
    };
    if let Some(object) = schema.as_object_mut().filter(|object| object.get("type").is_some_and(is_number)) {
        object.entry("minimum").or_insert(0.into());
    }
}

/// The schema of `T` with all parts in place, made once.
pub fn schema_of<T: JsonSchema + 'static>() -> &'static Schema {
    static SCHEMAS: Mutex<Option<HashMap<TypeId, &'static Schema>>> = Mutex::new(None);
    let mut schemas = SCHEMAS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    schemas
        .get_or_insert_default()
        .entry(TypeId::of::<T>())
        .or_insert_with(|| Box::leak(Box::new(closed::<T>(true))))
}

/// A fault in the shape of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub key: Key,
    /// The value found there, as the user would write it.
    pub value: String,
    /// What is wrong with it.
    pub kind: FaultKind,
    /// What is allowed, or what the schema says of it.
    pub allowed: String,
}

/// Why something does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// There is no such key.
    Unknown,
    /// It must be there.
    Missing,
    /// It is of another type, or not in its range.
    Value,
}

impl Fault {
    /// What was found.
    pub fn found(&self) -> String {
        match self.kind {
            FaultKind::Missing => self.key.to_string(),
            FaultKind::Unknown | FaultKind::Value => format!("{} = {}", self.key, self.value),
        }
    }

    /// What is wrong with it.
    pub fn reason(&self) -> String {
        let allowed = &self.allowed;
        match self.kind {
            FaultKind::Unknown => format!("unknown key{allowed}"),
            FaultKind::Missing => format!("missing; must be {allowed}"),
            FaultKind::Value => format!("must be {allowed}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.found(), self.reason())
    }
}

/// Everything wrong with the shape of `value`, which stands at `key`.
pub fn faults(schema: &Schema, value: &Value, key: &Key) -> Vec<Fault> {
    let mut faults = Vec::new();
    check(schema, value, key, &mut faults);
    faults
}

/// Everything that a value has which the schema of its type does not allow.
pub fn faults_of<T: Serialize + JsonSchema + 'static>(whole: &T) -> Vec<Fault> {
    let key = Key::default();
    match Value::try_from(whole) {
        Ok(tree) => faults(schema_of::<T>(), &tree, &key),
        // TOML has no larger integers.
        Err(error) => {
            let allowed = "made of numbers below 2^63".to_owned();
            vec![Fault { key, value: error.to_string(), kind: FaultKind::Value, allowed }]
        }
    }
}

/// Puts in the place of what is faulty what `below` has there, or nothing.
pub fn mend(tree: &mut Table, faults: &[Fault], below: impl Fn(&Key) -> Option<Value>) {
    for Fault { key, .. } in faults {
        match below(key) {
            Some(value) => drop(tree::set(tree, key, value)),
            None => drop(tree::remove(tree, key)),
        }
    }
}

/// A schema, or the options that it is a choice of.
pub fn options(schema: &Schema) -> Vec<&Schema> {
    let inner = ["anyOf", "oneOf"].into_iter().filter_map(|choice| schema.get(choice)?.as_array());
    let inner: Vec<&Schema> = inner.flatten().flat_map(options).collect();
    if inner.is_empty() {
        vec![schema]
    } else {
        inner
    }
}

/// The names that may be chosen: words, and the keys of tables of one key.
pub fn names(options: &[&Schema]) -> Vec<String> {
    let keys = options.iter().filter(|_| options.len() > 1).filter_map(|option| variant(option));
    let words = options.iter().filter_map(|option| words(option)).flatten();
    words.chain(keys).map(str::to_owned).collect()
}

/// The words that a schema is about, if it names them.
fn words(schema: &Schema) -> Option<Vec<&str>> {
    let word = schema.get("const").and_then(Schema::as_str).map(|word| vec![word]);
    word.or_else(|| Some(schema.get("enum")?.as_array()?.iter().filter_map(Schema::as_str).collect()))
}

/// The only key of a table, if that is the name of an option.
fn variant(schema: &Schema) -> Option<&str> {
    let required = schema.get("required")?.as_array()?;
    let is_lone = required.len() == 1 && schema.get("properties")?.as_object()?.len() == 1;
    is_lone.then(|| required[0].as_str()).flatten()
}

fn check(schema: &Schema, value: &Value, key: &Key, faults: &mut Vec<Fault>) {
    let options = options(schema);
    let Some(&chosen) = options.iter().find(|option| accepts(option, value, options.len() > 1)) else {
        // Names say enough.
        let hint = if names(&options).is_empty() { hint(schema) } else { String::new() };
        return add(faults, value, key, format!("{}{hint}", expected(&options)));
    };
    let number = match value {
        Value::Table(table) => return check_table(chosen, table, key, faults),
        Value::Array(list) => {
            if let Err(allowed) = check_list(chosen, list, key, faults) {
                add(faults, value, key, allowed);
            }
            return;
        }
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        Value::String(text) if is_size(chosen) => match parse_bytes(text) {
            Some(bytes) => bytes as f64,
            None => return add(faults, value, key, format!("{}{}", expected(&options), hint(schema))),
        },
        _ => return,
    };
    let (least, most) = bounds(chosen);
    if !(least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most)) {
        add(faults, value, key, range(least, most));
    }
}

fn add(faults: &mut Vec<Fault>, value: &Value, key: &Key, allowed: String) {
    faults.push(Fault { key: key.clone(), value: shown(value), kind: FaultKind::Value, allowed });
}

/// The first sentence that the schema says of a value, in brackets.
fn hint(schema: &Schema) -> String {
    let text = schema.get("description").and_then(Schema::as_str).unwrap_or_default().replace('\n', " ");
    match text.split(". ").next().unwrap_or_default().trim_end_matches('.') {
        "" => String::new(),
        first => format!(" ({first})"),
    }
}

/// Whether a value is of the kind that an option has.
fn accepts(option: &Schema, value: &Value, is_choice: bool) -> bool {
    let kinds = kinds(option);
    let is_of = |kind: &str| kinds.is_empty() || kinds.contains(&kind);
    match value {
        Value::String(text) => {
            is_of("string") && words(option).is_none_or(|words| words.contains(&text.as_str()))
        }
        Value::Integer(_) => is_of("integer") || is_of("number"),
        Value::Float(_) => is_of("number"),
        Value::Boolean(_) => is_of("boolean"),
        Value::Array(_) => is_of("array"),
        Value::Table(table) => {
            is_of("object") && (!is_choice || variant(option).is_none_or(|name| table.contains_key(name)))
        }
        Value::Datetime(_) => kinds.is_empty(),
    }
}

fn kinds(schema: &Schema) -> Vec<&str> {
    match schema.get("type") {
        Some(Schema::Array(kinds)) => kinds.iter().filter_map(Schema::as_str).collect(),
        Some(kind) => kind.as_str().into_iter().collect(),
        // A choice among words needs no type.
        None => words(schema).map(|_| "string").into_iter().collect(),
    }
}

fn is_size(schema: &Schema) -> bool {
    schema.get("format").is_some_and(|format| format == "bytes")
}

/// The least and the most that a number may be.
fn bounds(schema: &Schema) -> (Option<f64>, Option<f64>) {
    let number = |name: &str| schema.get(name).and_then(Schema::as_f64);
    let of_kind = match schema.get("format").and_then(Schema::as_str) {
        Some("uint32") => Some(f64::from(u32::MAX)),
        Some("uint16") => Some(f64::from(u16::MAX)),
        Some("uint8") => Some(f64::from(u8::MAX)),
        _ => None,
    };
    (number("minimum"), number("maximum").or(of_kind))
}

/// What may stand where these options hold, in words of whoever writes it.
fn expected(options: &[&Schema]) -> String {
    let names = names(options);
    let choice = (!names.is_empty()).then(|| format!("one of {}", names.join(", ")));
    let named =
        |option: &&&Schema| words(option).is_none() && (options.len() == 1 || variant(option).is_none());
    let kinds = options.iter().filter(named).flat_map(|option| {
        let phrases = kinds(option).into_iter().filter_map(|kind| phrase(option, kind));
        phrases.collect::<Vec<_>>()
    });
    let mut all: Vec<String> = choice.into_iter().chain(kinds).collect();
    all.dedup();
    all.join(", or ")
}

fn phrase(schema: &Schema, kind: &str) -> Option<String> {
    let text = match kind {
        // A size is a number or a text, and told once.
        "integer" if is_size(schema) => A_SIZE,
        "string" if is_size(schema) => return None,
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "string" => "a text in quotes",
        "array" => "a list",
        "object" => "a table, { key = value }",
        _ => return None,
    };
    let is_plain = is_size(schema) || !matches!(kind, "integer" | "number");
    Some(match bounds(schema) {
        bounds if is_plain || bounds == (None, None) => text.to_owned(),
        (Some(least), Some(most)) => format!("{text} {}", range(Some(least), Some(most))),
        (least, most) => format!("{text}, {}", range(least, most)),
    })
}

/// A range of numbers in words.
fn range(least: Option<f64>, most: Option<f64>) -> String {
    match (least.map(plain), most.map(plain)) {
        (Some(least), Some(most)) => format!("between {least} and {most}"),
        (Some(least), None) => format!("{least} or more"),
        (None, Some(most)) => format!("{most} or less"),
        (None, None) => String::new(),
    }
}

/// A number as one would write it.
fn plain(number: f64) -> String {
    if number != 0.0 && number.abs() < 1e-4 {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}

fn check_table(schema: &Schema, table: &Table, key: &Key, faults: &mut Vec<Fault>) {
    let none = serde_json::Map::new();
    let fields = schema.get("properties").and_then(Schema::as_object);
    let others = schema.get("additionalProperties");
    for (name, value) in table {
        let inner = key.field(name);
        match (fields.unwrap_or(&none).get(name), others) {
            (Some(field), _) => check(field, value, &inner, faults),
            (None, Some(other)) if other.is_object() => check(other, value, &inner, faults),
            (None, Some(other)) if other == true => {}
            (None, None) if fields.is_none() => {}
            (None, _) => {
                let allowed = others_than(name, fields.unwrap_or(&none));
                faults.push(Fault { key: inner, value: shown(value), kind: FaultKind::Unknown, allowed });
            }
        }
    }
    let required = schema.get("required").and_then(Schema::as_array).into_iter().flatten();
    for name in required.filter_map(Schema::as_str).filter(|name| !table.contains_key(*name)) {
        let told = |field| format!("{}{}", expected(&options(field)), hint(field));
        let allowed = fields.and_then(|fields| fields.get(name)).map_or_else(|| "there".to_owned(), told);
        let (key, value) = (key.field(name), String::new());
        faults.push(Fault { key, value, kind: FaultKind::Missing, allowed });
    }
}

/// The nearest key to one that there is not, and all.
fn others_than(name: &str, fields: &serde_json::Map<String, Schema>) -> String {
    let allowed: Vec<&str> = fields.keys().map(String::as_str).collect();
    let near = nearest(name, allowed.iter().copied());
    let near = near.map_or(".".to_owned(), |near| format!("; did you mean {near}?"));
    let allowed = if allowed.is_empty() { "none".to_owned() } else { allowed.join(", ") };
    format!("{near} Keys allowed here: {allowed}")
}

/// Checks the elements; how many there may be is the error.
fn check_list(schema: &Schema, list: &[Value], key: &Key, faults: &mut Vec<Fault>) -> Result<(), String> {
    let count = |name: &str| schema.get(name).and_then(Schema::as_u64);
    let (least, most) = (count("minItems").unwrap_or(0), count("maxItems").unwrap_or(u64::MAX));
    if !(least..=most).contains(&(list.len() as u64)) {
        return Err(match (least, most) {
            (least, u64::MAX) => format!("a list of {least} or more"),
            (least, most) if least == most => format!("a list of {least}"),
            (least, most) => format!("a list of {least} to {most}"),
        });
    }
    let first = schema.get("prefixItems").and_then(Schema::as_array);
    for (place, element) in list.iter().enumerate() {
        let of_place = first.and_then(|first| first.get(place)).or(schema.get("items"));
        if let Some(of_place) = of_place {
            check(of_place, element, &key.element(place), faults);
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
