//! Sizes of caches: in bytes where a key counts blocks, and the nearest that passes where one does not.

use super::RunConfig;
use serde_json::Value;
use slcache_base::document::shape::Fault;
use slcache_base::document::tree::{self, Key};
use slcache_base::units::parse_bytes;
use slcache_core::base::{CellMode, Problem};
use slcache_core::hw::device_config::DeviceConfig;
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
    let key = key.to_string();
    // A class of one's own is not called `custom` by its user.
    let key = key.strip_prefix("scheme.custom.").unwrap_or(&key);
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

/// Keys of schemes that count SLC blocks per plane.
const KEYS: [&str; 5] =
    ["slc_blocks", "static_blocks", "initial_slc_blocks", "slc_blocks_min", "slc_step_blocks"];

/// A count of blocks per plane that was given as a size.
pub struct Sized {
    pub key: Key,
    text: String,
    block_bytes: u64,
}

impl Sized {
    /// What is wrong with the count, told of the size; a range by counts and sizes.
    pub fn told(&self, value: &str, allowed: &str) -> String {
        let Self { key, text, block_bytes } = self;
        let sized = |count: &str| {
            let bytes = count.parse::<u64>().ok()?.checked_mul(*block_bytes)?;
            Some(format!("{count} ({})", size(bytes)))
        };
        let range = allowed.split_once("between ").and_then(|(before, range)| {
            let (least, rest) = range.split_once(" and ")?;
            let (most, why) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
            Some(format!("{before}between {} and {}{why}", sized(least)?, sized(most)?))
        });
        let allowed = range.as_deref().unwrap_or(allowed);
        format!("{key} = \"{text}\", {value} blocks per plane: must be {allowed}")
    }
}

/// Replaces sizes such as `"32GiB"` at these keys by blocks per plane, and returns them and what is wrong with
/// them. A size is what the blocks of all planes hold in SLC mode. A device that cannot be read is told elsewhere.
pub fn count_blocks(merged: &mut Table, scheme: &str) -> (Vec<Sized>, Vec<(Key, String)>) {
    let section = Key::default().field("scheme").field(scheme);
    let given = |name: &&str| {
        let key = section.field(name);
        let text = tree::get(merged, &key)?.as_str()?.to_owned();
        // A number in quotes is no size: it may have been meant as a count.
        let bytes = parse_bytes(&text).filter(|_| text.ends_with('B'))?;
        Some((key, text, bytes))
    };
    let all: Vec<_> = KEYS.iter().filter_map(given).collect();
    if all.is_empty() {
        return Default::default();
    }
    let Some(block_bytes) = slc_bytes_per_block(merged) else { return Default::default() };
    let (mut sized, mut problems) = (Vec::new(), Vec::new());
    for (key, text, bytes) in all {
        let blocks = bytes / block_bytes;
        if bytes % block_bytes != 0 {
            // What is told here is not told again as no number.
            let near = [blocks, blocks + 1].map(|n| format!("{n} ({})", size(n.saturating_mul(block_bytes))));
            let each = size(block_bytes);
            problems.push((
                key.clone(),
                format!(
                    "{key} = \"{text}\": must be whole blocks per plane, of which one is {each} in SLC mode; \
                     nearest are {} and {}",
                    near[0], near[1]
                ),
            ));
            continue;
        }
        let blocks = i64::try_from(blocks).unwrap_or(i64::MAX);
        tree::set(merged, &key, toml::Value::Integer(blocks))
            .expect("Invariant: a value stands there already");
        sized.push(Sized { key, text, block_bytes });
    }
    (sized, problems)
}

/// What one block of every plane holds in SLC mode, in the first pool that has it.
fn slc_bytes_per_block(merged: &Table) -> Option<u64> {
    let device: DeviceConfig = merged.get("device")?.clone().try_into().ok()?;
    let pool = device.pool.into_iter().find(|pool| pool.mode(CellMode::Slc).is_some())?;
    let pages = u64::from(pool.plane_count()) * u64::from(pool.pages_per_block(CellMode::Slc));
    Some(pages * u64::from(pool.page_bytes)).filter(|&bytes| bytes > 0)
}

/// A size as it may be set: whole, in the largest unit that it has.
fn size(bytes: u64) -> String {
    let units = ["TiB", "GiB", "MiB", "KiB"];
    let found = units.iter().zip([40, 30, 20, 10]).find(|(_, bits)| bytes > 0 && bytes % (1u64 << bits) == 0);
    found.map_or_else(|| format!("{bytes}B"), |(unit, bits)| format!("{}{unit}", bytes >> bits))
}
