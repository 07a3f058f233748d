//! The nearest size that passes, where one is too large or too small for its device.

use super::RunConfig;
use serde_json::Value;
use slcache_base::document::shape::Fault;
use slcache_base::document::tree::{self, Key};
use slcache_core::base::Problem;
use toml::Table;

/// The size nearest to `invalid` that passes; between sizes that pass all do.
pub fn furthest(mut valid: u64, mut invalid: u64, passes: impl Fn(u64) -> bool) -> u64 {
    while valid.abs_diff(invalid) > 1 {
        let middle = valid.midpoint(invalid);
        *if passes(middle) { &mut valid } else { &mut invalid } = middle;
    }
    valid
}

/// The counts of blocks that a configuration has of its scheme.
pub fn of(config: &RunConfig) -> Vec<(Key, u64)> {
    let mut found = Vec::new();
    let scheme = Key::default().field("scheme").field(config.scheme.name());
    let mut tables = vec![(config.to_json()["scheme"][config.scheme.name()].take(), scheme)];
    while let Some((Value::Object(table), key)) = tables.pop() {
        for (name, value) in table {
            match value.as_u64() {
                Some(blocks) if name.ends_with("blocks") => found.push((key.field(&name), blocks)),
                _ if value.is_object() => tables.push((value, key.field(&name))),
                _ => {}
            }
        }
    }
    found
}

/// Which size at `key` passes, nearest to the `given` one, which does not, with all else left alone.
pub fn nearest_valid(tree: &Table, key: &Key, given: u64, problem: &Problem) -> Option<String> {
    let passes = |size: u64| i64::try_from(size).is_ok_and(|size| passes_with(tree, key, size));
    let below = std::iter::successors(Some(given), |&size| (size > 0).then(|| size - size.div_ceil(8)));
    let above = std::iter::successors(Some(given), |&size| size.checked_add(size / 8 + 1)).take(64);
    let valid = below.chain(above).find(|&size| passes(size))?;
    let nearest = furthest(valid, given, passes);
    let end = if nearest < given { "largest" } else { "least" };
    let is_own = Key::of_problem(&problem.key) == *key;
    let is_told = is_own && format!("{} ", problem.allowed).contains(&format!("and {nearest} "));
    let name = if is_own { String::new() } else { format!("{key} = ") };
    (!is_told).then(|| format!("; with all else as it is, {name}{nearest} is the {end} that passes"))
}

/// Which size passes where a fault is about one that its schema does not allow.
pub fn of_fault(mended: &Table, fault: &Fault) -> Option<String> {
    let Fault { key, value, allowed, .. } = fault;
    let is_size = key.section() == "scheme" && key.to_string().ends_with("blocks");
    let given = value.parse().ok().filter(|_| is_size)?;
    nearest_valid(mended, key, given, &Problem::new(key.to_string(), value, allowed))
}

/// Whether another size at `key` leaves nothing wrong.
fn passes_with(tree: &Table, key: &Key, size: i64) -> bool {
    let mut changed = tree.clone();
    let read = tree::lay(&mut changed, key, size.into()).is_ok().then(|| changed.try_into());
    let Some(Ok::<RunConfig, _>(mut config)) = read else { return false };
    config.settle();
    config.setup().check().is_empty()
}
