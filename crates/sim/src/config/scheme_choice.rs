//! The scheme that a name stands for.

use slcache_base::document::nearest::nearest;
use slcache_core::schemes::CATALOG;
use std::borrow::Cow;
use toml::Value;

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
        let set = format!("scheme.custom.source={}", Value::String(name.to_owned()));
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
