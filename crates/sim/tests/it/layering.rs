//! A setting changes its own key and no other: for every preset and scheme, every key of the
//! resolved configuration, in every way to say it.

use crate::common::*;
use slcache_sim::schema::run_schema;
use slcache_sim::snapshot;

/// Presets that take little to make.
const SMALL: [&str; 3] = ["tiny", "gc-8g", "nvc-hdd"];

type Leaves = BTreeMap<String, Value>;

/// Keys whose other values need a second setting or other chips than those of the presets, or which
/// do nothing in a scheme.
const BOUND: [&str; 15] = [
    "client.dynamic.shape",
    "custom.idle.",
    "client.flush.high",
    "client.flush.low",
    "mode",
    "idle_free_ratio",
    "tlc-only.idle.",
    "slc.separate_frontier",
    "lifetime.step",
    "suspend.",
    "precondition.",
    "host.replay",
    "reprogram.",
    "nvc.large_request_bytes",
    "merge.wait",
];

/// Every key that holds a plain value or a list of them.
fn leaves(value: &Value, key: &str, found: &mut Leaves) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let dot = if key.is_empty() { "" } else { "." };
                leaves(field, &format!("{key}{dot}{name}"), found);
            }
        }
        Value::Array(list) if list.iter().all(Value::is_object) => {
            for (index, element) in list.iter().enumerate() {
                leaves(element, &format!("{key}[{index}]"), found);
            }
        }
        _ => drop(found.insert(key.to_owned(), value.clone())),
    }
}

fn resolved(device: &str, scheme: &str, sets: &[&str]) -> Result<Leaves, String> {
    let config = resolve(&layers(device, scheme, sets)).map_err(|errors| errors.to_string())?;
    let mut found = Leaves::new();
    leaves(&config.to_json(), "", &mut found);
    Ok(found)
}

/// Every preset with every scheme that it runs without settings.
fn runs() -> Vec<(&'static str, &'static str, Leaves)> {
    let pairs = PRESETS.iter().flat_map(|preset| CATALOG.iter().map(|entry| (preset.name, entry.name)));
    let run = |(device, scheme)| Some((device, scheme, resolved(device, scheme, &[]).ok()?));
    let runs: Vec<_> = pairs.filter_map(run).collect();
    let schemes: BTreeSet<_> = runs.iter().map(|run| run.1).collect();
    assert_eq!(schemes.len(), CATALOG.len(), "every scheme runs on a preset: {schemes:?}");
    runs
}

/// The keys with a value that a setting can give; those that schemes share with one scheme only.
fn settable(scheme: &str, leaves: &Leaves) -> Vec<(String, Value)> {
    let mine = |key: &str| key.starts_with("scheme.") || scheme == "tlc-only";
    let some = leaves.iter().filter(|(key, value)| !value.is_null() && mine(key));
    some.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// `key=value` with the key written out, and as a table at every depth below the scheme.
fn spellings(key: &str, value: &Value) -> Vec<String> {
    let mut all = vec![format!("{key}={value}")];
    let mut text = value.to_string();
    let mut front = key;
    while let Some((outer, name)) = front.rsplit_once('.').filter(|(outer, _)| outer.contains('.')) {
        if name.contains('[') || outer == "scheme" {
            break;
        }
        text = format!("{{{name}={text}}}");
        all.push(format!("{outer}={text}"));
        front = outer;
    }
    all
}

/// The parts of a schema that a value may be read by.
fn choices<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let target = schema["$ref"].as_str().and_then(|target| root.pointer(target.trim_start_matches('#')));
    let parts = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|name| schema[name].as_array()).flatten();
    let inner = target.into_iter().chain(parts).flat_map(|part| choices(root, part));
    std::iter::once(schema).chain(inner).collect()
}

/// The words that the schema allows at `key`.
fn words(root: &Value, key: &str) -> Vec<Value> {
    let mut here = choices(root, root);
    for step in key.split('.') {
        let (name, is_list) = step.split_once('[').map_or((step, false), |(name, _)| (name, true));
        let fields = here.iter().filter_map(|schema| schema["properties"].get(name));
        here = fields.flat_map(|field| choices(root, field)).collect();
        if is_list {
            let elements = here.iter().filter_map(|schema| schema.get("items"));
            here = elements.flat_map(|element| choices(root, element)).collect();
        }
    }
    let listed = here.iter().filter_map(|schema| schema["enum"].as_array()).flatten();
    listed.chain(here.iter().filter_map(|schema| schema.get("const"))).cloned().collect()
}

/// Other values that `key` may perhaps have.
fn others(root: &Value, key: &str, value: &Value) -> Vec<Value> {
    let candidates: Vec<Value> = match value {
        Value::Bool(flag) => vec![(!flag).into()],
        Value::String(text) => {
            let free = format!("{text}-x");
            words(root, key).into_iter().chain([free.into()]).collect()
        }
        Value::Number(number) => match number.as_u64() {
            Some(n) => [n + 1, n.saturating_sub(1), n * 2, n / 2, 100_000, 4096, 0].map(Value::from).into(),
            None => {
                let n = number.as_f64().unwrap();
                [n + 0.01, n - 0.01, n * 2.0, n / 2.0].map(Value::from).into()
            }
        },
        Value::Array(list) => {
            let more = list.iter().map(|n| n.as_u64().map_or(Value::Null, |n| (n + 1).into()));
            let fewer = list.iter().take(list.len().saturating_sub(1)).cloned();
            vec![more.collect(), fewer.collect()]
        }
        _ => Vec::new(),
    };
    candidates.into_iter().filter(|other| other != value).collect()
}

#[test]
fn a_key_set_to_its_own_value_changes_nothing() {
    let mut tried = 0;
    // Each scheme on a fifth of the presets it runs on.
    for (device, scheme, before) in runs().into_iter().step_by(5) {
        for (key, value) in settable(scheme, &before) {
            for set in spellings(&key, &value) {
                match resolved(device, scheme, &[&set]) {
                    Ok(after) => assert_eq!(after, before, "{scheme} on {device}: --set {set}"),
                    Err(message) => assert!(message.contains("has no effect"), "{set}: {message}"),
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 1000, "{tried}");
}

#[test]
fn a_key_set_to_another_value_changes_that_key_alone() {
    let root = run_schema();
    let mut unchanged = BTreeSet::new();
    let mut changed = BTreeSet::new();
    for (device, scheme, before) in runs() {
        for (key, value) in settable(scheme, &before) {
            let allowed = |other: &Value| {
                let set = format!("{key}={other}");
                let after = resolved(device, scheme, &[&set]).ok()?;
                // A capacity that is rounded is another, and keeps what was stated.
                let rounded = after.contains_key("device.stated_user_bytes");
                (!rounded).then_some((set, other.clone(), after))
            };
            let Some((set, other, after)) = others(&root, &key, &value).iter().find_map(allowed) else {
                unchanged.insert(key);
                continue;
            };
            let mut expected = before.clone();
            expected.insert(key.clone(), other);
            if key.starts_with("device.pool") {
                // A cell mode that is left open follows the chips.
                let modes = after.iter().filter(|(at, _)| at.ends_with("mode"));
                expected.extend(modes.map(|(at, mode)| (at.clone(), mode.clone())));
            }
            assert_eq!(after, expected, "{scheme} on {device}: --set {set}");
            changed.insert(key);
        }
    }
    // A key that no other value suits on one preset has one on another.
    let never = unchanged.difference(&changed);
    let free: Vec<_> = never.filter(|key| !BOUND.iter().any(|part| key.contains(part))).collect();
    assert!(free.is_empty(), "{free:?}");
}

/// Values that a key may have which holds none: of every kind, and the words it may be.
fn any(root: &Value, key: &str) -> Vec<Value> {
    let plain = [true.into(), 1.into(), 4.into(), 4096.into(), 1_000_000.into(), 0.5.into(), json!([1, 2])];
    words(root, key).into_iter().chain(plain).chain([json!([[0.5, 65_536]])]).collect()
}

/// Every key of a scheme in another value than its own, as far as one is allowed: a state with any of them is
/// read as it was written.
#[test]
fn a_state_is_read_whatever_the_scheme_is_set_to() {
    let (root, folder) = (run_schema(), tempfile::tempdir().unwrap());
    let path = folder.path().join("state");
    let mut tried = BTreeMap::<&str, usize>::new();
    for scheme in CATALOG.iter().map(|entry| entry.name).filter(|&scheme| scheme != "custom") {
        let Some(device) = SMALL.into_iter().find(|device| resolved(device, scheme, &[]).is_ok()) else {
            continue;
        };
        let before = resolved(device, scheme, &[]).unwrap();
        for (key, value) in before.iter().filter(|(key, _)| key.starts_with("scheme.")) {
            let values = if value.is_null() { any(&root, key) } else { others(&root, key, value) };
            // What is made in no time is tried with every value.
            let most = if device == SMALL[0] { values.len() } else { 1 };
            for value in &values[..most.min(values.len())] {
                let set = format!("{key}={value}");
                let Ok(mut config) = resolve(&layers(device, scheme, &[&set])) else { continue };
                let simulation = Simulation::new(&config.setup()).unwrap();
                snapshot::save(&path, &config, &simulation).unwrap();
                let read = snapshot::load(&path, &mut config);
                assert!(read.is_ok(), "{scheme} on {device}, {set}: {}", read.err().unwrap());
                *tried.entry(scheme).or_default() += 1;
            }
        }
    }
    assert!(tried.len() >= 20 && tried.values().sum::<usize>() > 500, "{tried:?}");
}
