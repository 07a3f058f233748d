//! Settings that say one thing in two ways: none of them may win in silence.

use super::device_file::{DeviceFile, SCHEME_DEFAULTS};
use super::error::Argument;
use super::setting::Setting;
use super::ConfigError;
use slcache_base::document::tree::{Key, Step};
use std::collections::HashMap;
use toml::{Table, Value};

/// An error for every setting whose key, or a part or whole of it, an earlier one has set.
pub fn errors(settings: &[Setting]) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    // A single setting is above a configuration file, which may say the same.
    let mut layers = [Earlier::default(), Earlier::default()];
    for (place, later) in settings.iter().enumerate() {
        let layer = &mut layers[usize::from(later.is_from_file())];
        if let Some(earlier) = layer.overlapping(&later.key).map(|place| &settings[place]) {
            // A single setting tells its key.
            let is_told = [later, earlier].iter().any(|said| said.origin.argument == Argument::Setting);
            let key = if is_told { String::new() } else { format!("{}: ", later.key) };
            let message = format!("{key}{} says it as well; give one of the two", earlier.origin.plain());
            errors.push(ConfigError::new(later.origin.clone(), &later.key, message));
        }
        layer.add(&later.key, place);
    }
    errors
}

/// The settings of a layer so far, by key.
#[derive(Default)]
struct Earlier<'a> {
    /// The first that sets a key as a whole.
    whole: HashMap<&'a [Step], usize>,
    /// The first that sets a key or something in it.
    within: HashMap<&'a [Step], usize>,
}

impl<'a> Earlier<'a> {
    fn add(&mut self, key: &'a Key, place: usize) {
        self.whole.entry(&key.0).or_insert(place);
        for steps in key.around() {
            self.within.entry(steps).or_insert(place);
        }
    }

    /// The first that sets `key`, a part of it or something around it.
    fn overlapping(&self, key: &Key) -> Option<usize> {
        let around = key.around().filter_map(|steps| self.whole.get(steps));
        around.chain(self.within.get(&key.0[..])).min().copied()
    }
}

/// An error for every key that a device file gives to `scheme` and to its defaults.
pub fn in_file(file: &DeviceFile, scheme: &str, defaults: &Table, own: &Table) -> Vec<ConfigError> {
    let (Some(below), Some(above)) = (defaults.get(scheme), own.get(scheme)) else {
        return Vec::new();
    };
    let mut keys = Vec::new();
    common_keys(below, above, &Key::default(), &mut keys);
    let told = |key: &Key| {
        let [own, default] = ["scheme", SCHEME_DEFAULTS].map(|section| key.under(&[section, scheme]));
        let message = format!("{own}: {default} says it as well; give one of the two");
        ConfigError::new(file.source.origin(&own).unwrap_or_default(), &own, message)
    };
    keys.iter().map(told).collect()
}

/// Adds the keys that both values give, tables field by field.
fn common_keys(below: &Value, above: &Value, key: &Key, keys: &mut Vec<Key>) {
    match (below, above) {
        (Value::Table(below), Value::Table(above)) => {
            let both = above.iter().filter_map(|(name, value)| Some((name, below.get(name)?, value)));
            both.for_each(|(name, below, above)| common_keys(below, above, &key.field(name), keys));
        }
        _ => keys.push(key.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::keys;
    use crate::{resolve, Layers};
    use slcache_core::schemes::CATALOG;

    /// The ways to write a key of the schema.
    fn spellings(key: &str, scheme: &str) -> Vec<String> {
        let full = key.replace("[]", "[0]");
        let dotted = key.replace("[]", ".0");
        let short = full.strip_prefix(&format!("scheme.{scheme}.")).map(str::to_owned);
        let whole = full.rsplit_once(['.', '[']).map(|(front, _)| front.to_owned());
        [Some(full), Some(dotted), short, whole].into_iter().flatten().collect()
    }

    fn refusal(scheme: &str, sets: [&str; 2]) -> String {
        let sets = sets.map(|key| format!("{key}=1")).to_vec();
        let layers = Layers { device: "tiny".into(), scheme: scheme.into(), sets, ..Layers::default() };
        resolve(&layers).expect_err("must be refused").to_string()
    }

    #[test]
    fn no_key_of_the_schema_is_set_twice_however_it_is_written() {
        for scheme in CATALOG.iter().map(|entry| entry.name) {
            let prefix = format!("scheme.{scheme}.");
            let mine = |key: &&String| !key.starts_with("scheme") || key.starts_with(&prefix);
            let keys: Vec<&String> = keys::all().keys().filter(mine).collect();
            // Sections that schemes share are tried with one of them.
            for key in keys.iter().filter(|key| key.starts_with(&prefix) || scheme == "baseline") {
                for one in spellings(key, scheme) {
                    let text = refusal(scheme, [key.replace("[]", "[0]").as_str(), &one]);
                    assert!(text.contains("as well; give one of the two"), "{key} and {one}: {text}");
                }
            }
        }
    }

    #[test]
    fn an_option_or_an_alias_is_a_way_to_set_a_key() {
        let refusal = |scheme: &str, set: &str| {
            let sets = vec![set.to_owned()];
            let replay = Some("closed:4".to_owned());
            let layers = Layers { device: "tiny".into(), scheme: scheme.into(), sets, seed: Some(1), replay };
            resolve(&layers).expect_err("must be refused").to_string()
        };
        for (set, said) in [
            ("run.seed=1", "--seed 1: run.seed=1 says it as well"),
            ("host.replay=closed", "--replay closed:4: host.replay=closed says it"),
            ("host.queue_depth=8", "--replay closed:4: host.queue_depth=8 says it"),
        ] {
            let text = refusal("baseline", set);
            assert!(text.contains(said), "{text}");
        }
        let text = refusal("slc-only", "mode=tlc");
        assert!(text.contains("--set mode=tlc: scheme slc-only says it"), "{text}");
    }
}
