//! The catalogue of schemes.

use serde_json::{json, Value};
use slcache_core::schemes::{CatalogEntry, SchemeConfig, CATALOG};

/// Every scheme: name, aliases, summary, paper, the version of its
/// memory, the schema of its parameters and its knobs (parameters that may be turned while it runs).
pub fn schemes() -> Value {
    CATALOG.iter().map(describe).collect()
}

fn describe(entry: &CatalogEntry) -> Value {
    let aliases = entry.aliases.iter().map(|(name, set)| json!({ "name": name, "set": set }));
    // No scheme of the catalogue has a parameter that can be turned while it runs.
    let knobs: [&str; 0] = [];
    json!({
        "name": entry.name,
        "aliases": aliases.collect::<Vec<_>>(),
        "summary": entry.summary,
        "paper": entry.paper,
        "memory_version": entry.memory_version,
        "config_schema": SchemeConfig::schema_for(entry.name).map(|schema| schema.to_value()),
        "knobs": knobs,
    })
}
