//! What schemes share on a device is equal, so that what they do differently is all that differs.
//!
//! A parameter that two schemes have by the same name must resolve to the same value on every preset
//! that both run on. Where that cannot be, an exception says why; one that excepts nothing is a fault.

use crate::common::*;
use serde_json::Map;

/// Parameters that differ: scheme, key (or a section's beginning), device or "" for all, and the reason.
const EXCEPTIONS: &[(&str, &str, &str, &str)] = &[
    ("hierarchy", "slc.", "tiny", "of three SLC blocks one each is for L1, for L2 and for reclamation"),
    ("dwa", "slc.start_free_blocks", "", "the paper's number for an SLC region that changes its size"),
    ("rl", "slc.start_free_blocks", "", "the same"),
    ("slc-share", "slc.start_free_blocks", "", "its table says how many there are, all of which are written"),
    ("client", "idle.scope", "", "drives wait for the whole device, as makers say"),
    ("client", "drain", "", "measured drives keep what they hold when the load ends"),
    ("ips-coop", "slc_blocks", "", "not all of its cache: its two-layer blocks offer SLC pages too"),
];

/// The leaves of `value` by dotted key.
fn leaves(prefix: &str, value: &Value, into: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, field) in fields {
                let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                leaves(&key, field, into);
            }
        }
        _ => drop(into.insert(prefix.to_owned(), value.clone())),
    }
}

/// A scheme's parameters by key. `tlc-only` calls by other names what the others say of their store.
fn parameters(config: &RunConfig) -> BTreeMap<String, Value> {
    let all: Map<String, Value> =
        serde_json::from_value(serde_json::to_value(&config.scheme).unwrap()).unwrap();
    let (scheme, own) = all.iter().next().unwrap();
    let mut found = BTreeMap::new();
    leaves("", own, &mut found);
    if scheme == "tlc-only" {
        let renamed = |key: String| match key.strip_prefix("clean.") {
            Some(rest) => format!("dense.{rest}"),
            None => key.replace("mode", "dense_mode"),
        };
        found = found.into_iter().map(|(key, value)| (renamed(key), value)).collect();
    }
    start_of_cleaning(config.device.pool[0].blocks, &mut found);
    found
}

/// Not every scheme gives a ratio beside a number: what counts is the larger.
fn start_of_cleaning(blocks: u32, found: &mut BTreeMap<String, Value>) {
    let ratio = found.remove("dense.start_free_ratio").and_then(|ratio| ratio.as_f64()).unwrap_or(0.0);
    if let Some(least) = found.get("dense.start_free_blocks").and_then(Value::as_u64) {
        let start = least.max((ratio * f64::from(blocks)) as u64);
        found.insert("dense.start_free_blocks".into(), start.into());
    }
}

fn is_excepted(scheme: &str, key: &str, device: &str) -> Option<usize> {
    EXCEPTIONS.iter().position(|(whose, section, place, _)| {
        *whose == scheme && key.starts_with(section) && (place.is_empty() || *place == device)
    })
}

/// The value that most schemes have, the first on ties.
fn usual(values: &[(&str, Value)]) -> Value {
    let count = |value: &Value| values.iter().filter(|(_, other)| other == value).count();
    let most = values.iter().map(|(_, value)| count(value)).max().unwrap();
    values.iter().find(|(_, value)| count(value) == most).unwrap().1.clone()
}

/// Each scheme's parameters on a device, of those that run on it.
fn on(device: &str) -> Vec<(&'static str, RunConfig)> {
    let run = |name: &'static str| Some((name, resolve(&crate::common::layers(device, name, &[])).ok()?));
    CATALOG.iter().filter_map(|scheme| run(scheme.name)).collect()
}

#[test]
fn what_schemes_share_is_equal_on_every_device() {
    let (mut faults, mut used, mut compared) = (Vec::new(), BTreeSet::new(), 0);
    for preset in PRESETS {
        let mut by_key: BTreeMap<String, Vec<(&str, Value)>> = BTreeMap::new();
        for (scheme, config) in on(preset.name) {
            for (key, value) in parameters(&config) {
                by_key.entry(key).or_default().push((scheme, value));
            }
        }
        for (key, values) in by_key {
            let excepted = |scheme: &str| is_excepted(scheme, &key, preset.name);
            let plain: Vec<_> = values.iter().filter(|(s, _)| excepted(s).is_none()).cloned().collect();
            if plain.is_empty() {
                continue;
            }
            compared += plain.len() - 1;
            let usual = usual(&plain);
            for (scheme, value) in values.iter().filter(|(_, value)| *value != usual) {
                match excepted(scheme) {
                    Some(index) => drop(used.insert(index)),
                    None => {
                        faults.push(format!("{}: {scheme} has {key} = {value}, others {usual}", preset.name))
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let idle: Vec<_> = EXCEPTIONS.iter().enumerate().filter(|(i, _)| !used.contains(i)).collect();
    assert!(idle.is_empty(), "{idle:?} except nothing");
    assert!(compared > 300, "{compared}");
}

/// User capacity, host, buffer, preconditioning: nothing of them depends on the scheme.
#[test]
fn the_rest_of_a_configuration_does_not_depend_on_the_scheme() {
    for preset in PRESETS {
        let rest = |config: &RunConfig| {
            let mut all = serde_json::to_value(config).unwrap();
            all.as_object_mut().unwrap().remove("scheme");
            all
        };
        let runs = on(preset.name);
        assert!(!runs.is_empty(), "{}", preset.name);
        for (scheme, config) in &runs {
            assert_eq!(rest(config), rest(&runs[0].1), "{scheme} on {}", preset.name);
        }
    }
}
