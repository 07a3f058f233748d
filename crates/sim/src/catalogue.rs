//! The catalogue of schemes and what a name in it stands for, the knobs of one on a device, and the figures of a run.

use crate::{memory, resolve, ConfigErrors, Layers, SimError};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{json, Value};
use slcache_base::document::nearest::nearest;
use slcache_core::base::Cause;
use slcache_core::device::Simulation;
use slcache_core::ftl::knob::{Knob, KnobRange, KnobSpec, SignalSpec};
use slcache_core::metrics::components::components;
use slcache_core::metrics::figures;
use slcache_core::schemes::{CatalogEntry, SchemeConfig, CATALOG};
use std::borrow::Cow;

/// Every figure of a run: name, unit, goal, sentence, whether it is whole and whether it is a part of a mean.
pub fn figures() -> Value {
    // Plain data with text keys always has a JSON form.
    serde_json::to_value(figures::figures()).expect("figures are plain data")
}

/// What causes of flash work and components of latencies are in words, by name.
pub fn kinds() -> Value {
    let causes: Value = Cause::ALL.iter().map(|cause| (cause.name(), cause.words())).collect();
    let of = |is_service: bool| -> Value {
        let parts = components().filter(|part| part.is_service == is_service);
        parts.map(|part| (part.name, part.words)).collect()
    };
    json!({ "causes": causes, "service": of(true), "wait": of(false) })
}

/// A scheme, as the catalogue lists it.
#[derive(Serialize, JsonSchema)]
pub struct SchemeEntry {
    /// Name in configuration, results and plots.
    name: &'static str,
    aliases: Vec<Alias>,
    /// What it does.
    summary: &'static str,
    /// Where it was published.
    paper: &'static str,
    /// Version of what it learns and can take along to another run; null where it has no memory.
    memory_version: Option<u32>,
    /// Whether it knows what the trace will do: a yardstick, no device can be built so.
    looks_ahead: bool,
    /// The JSON schema of its parameters.
    config_schema: Value,
    /// What can be turned while it runs.
    knobs: Vec<KnobEntry>,
    /// What it shows a controller.
    signals: &'static [SignalSpec],
    /// Why it does not run on the device that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// Another name of a scheme.
#[derive(Serialize, JsonSchema)]
struct Alias {
    name: &'static str,
    /// The setting that it stands for.
    set: &'static str,
}

/// A knob, and on a device the values that it may have there.
#[derive(Serialize, JsonSchema)]
pub struct KnobEntry {
    #[serde(flatten)]
    spec: KnobSpec,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Steps>,
    /// These values, ascending.
    #[serde(skip_serializing_if = "Option::is_none")]
    ladder: Option<Vec<f64>>,
}

/// Every `step` from `min` to `max`.
#[derive(Serialize, JsonSchema)]
struct Steps {
    min: f64,
    max: f64,
    step: f64,
}

/// Every scheme.
pub fn schemes() -> Vec<SchemeEntry> {
    CATALOG.iter().map(described).collect()
}

fn described(entry: &CatalogEntry) -> SchemeEntry {
    SchemeEntry {
        name: entry.name,
        aliases: entry.aliases.iter().map(|&(name, set)| Alias { name, set }).collect(),
        summary: entry.summary,
        paper: entry.paper,
        memory_version: entry.memory_version,
        looks_ahead: entry.looks_ahead,
        config_schema: SchemeConfig::schema_for(entry.name).unwrap_or_default(),
        knobs: entry.knobs.iter().map(|&spec| KnobEntry::from(spec)).collect(),
        signals: entry.signals,
        problem: None,
    }
}

impl From<KnobSpec> for KnobEntry {
    fn from(spec: KnobSpec) -> Self {
        Self { spec, value: None, steps: None, ladder: None }
    }
}

impl From<&Knob> for KnobEntry {
    /// A knob as it stands.
    fn from(knob: &Knob) -> Self {
        let (steps, ladder) = match &knob.range {
            &KnobRange::Steps { min, max, step } => (Some(Steps { min, max, step }), None),
            KnobRange::Ladder(values) => (None, Some(values.clone())),
        };
        Self { spec: *knob.spec, value: Some(knob.value), steps, ladder }
    }
}

/// The knobs of a scheme on an empty device: the values that each may have, and the one it has.
pub fn knobs(layers: &Layers) -> Result<Vec<KnobEntry>, SimError> {
    let setup = resolve(layers)?.setup();
    memory::check(&setup.memory())?;
    let simulation = Simulation::new(&setup).map_err(|problems| ConfigErrors::from_problems(&problems))?;
    Ok(simulation.knobs().iter().map(KnobEntry::from).collect())
}

/// The scheme a run uses, and what an alias adds.
pub struct SchemeChoice {
    /// Its name in the catalogue.
    pub name: &'static str,
    /// The setting that an alias, or the source of a policy, stands for.
    pub alias_set: Option<Cow<'static, str>>,
    /// The class that is its policy, by its name alone: settings may say it in place of `custom`.
    pub class: Option<String>,
}

/// What to say about a scheme that is not in the catalogue.
pub fn unknown_scheme(name: &str) -> String {
    let aliases = CATALOG.iter().flat_map(|entry| entry.aliases.iter().map(|alias| alias.0));
    let names: Vec<&str> = CATALOG.iter().map(|entry| entry.name).chain(aliases).collect();
    let near = nearest(name, names.iter().copied());
    let near = near.map(|near| format!(" Did you mean {near}?")).unwrap_or_default();
    format!("\"{name}\" is not a scheme; schemes: {}.{near}", names.join(", "))
}

/// Whether `name` is the source of a policy, `FILE:CLASS`: no scheme's name has a colon. A file without a class
/// is one too, of which the host says what it lacks.
fn is_source(name: &str) -> bool {
    let named = name.rsplit_once(':').is_some_and(|(place, class)| !place.is_empty() && !class.is_empty());
    named || name.ends_with(".py")
}

/// The scheme called `name`, directly, by an alias or by the source of its policy.
pub fn find_scheme(name: &str) -> Option<SchemeChoice> {
    if is_source(name) {
        let set = format!("scheme.custom.source={}", toml::Value::String(name.to_owned()));
        let class = name.rsplit([':', '.']).next().map(str::to_owned);
        return Some(SchemeChoice { name: "custom", alias_set: Some(set.into()), class });
    }
    CATALOG.iter().find_map(|entry| {
        if entry.name == name {
            return Some(SchemeChoice { name: entry.name, alias_set: None, class: None });
        }
        let alias = entry.aliases.iter().find(|alias| alias.0 == name)?;
        Some(SchemeChoice { name: entry.name, alias_set: Some(alias.1.into()), class: None })
    })
}
