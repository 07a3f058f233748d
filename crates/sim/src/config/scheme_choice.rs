//! The scheme that a name stands for.

use crate::nearest::nearest;
use slcache_core::schemes::CATALOG;

/// The scheme a run uses, and what an alias adds.
pub struct Chosen {
    /// Its name in the catalogue.
    pub name: &'static str,
    /// The setting that an alias stands for.
    pub alias_set: Option<&'static str>,
}

/// What to say about a scheme that is not in the catalogue.
pub fn unknown_scheme(name: &str) -> String {
    let aliases = CATALOG.iter().flat_map(|entry| entry.aliases.iter().map(|alias| alias.0));
    let names: Vec<&str> = CATALOG.iter().map(|entry| entry.name).chain(aliases).collect();
    let near = nearest(name, names.iter().copied());
    let near = near.map(|near| format!(" Did you mean {near}?")).unwrap_or_default();
    format!("\"{name}\" is not a scheme; schemes: {}.{near}", names.join(", "))
}

/// The scheme called `name`, directly or by an alias.
pub fn find_scheme(name: &str) -> Option<Chosen> {
    CATALOG.iter().find_map(|entry| {
        if entry.name == name {
            return Some(Chosen { name: entry.name, alias_set: None });
        }
        let alias = entry.aliases.iter().find(|alias| alias.0 == name)?;
        Some(Chosen { name: entry.name, alias_set: Some(alias.1) })
    })
}
