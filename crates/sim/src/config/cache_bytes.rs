//! A cache's size in bytes, where a key counts its blocks per plane.

use slcache_base::document::tree::{self, Key};
use slcache_base::units::parse_bytes;
use slcache_core::base::CellMode;
use slcache_core::hw::device_config::DeviceConfig;
use toml::{Table, Value};

/// Keys of schemes that count SLC blocks per plane.
const KEYS: [&str; 5] =
    ["slc_blocks", "static_blocks", "initial_slc_blocks", "slc_blocks_min", "slc_step_blocks"];

/// Replaces sizes such as `"32GiB"` at these keys by blocks per plane, and returns what is wrong with them. A
/// size is what the blocks of all planes hold in SLC mode. A device that cannot be read is told elsewhere.
pub fn count_blocks(merged: &mut Table, scheme: &str) -> Vec<(Key, String)> {
    let section = Key::default().field("scheme").field(scheme);
    let sized = |name: &&str| {
        let key = section.field(name);
        let text = tree::get(merged, &key)?.as_str()?.to_owned();
        // A number in quotes is no size: it may have been meant as a count.
        let bytes = parse_bytes(&text).filter(|_| text.ends_with('B'))?;
        Some((key, text, bytes))
    };
    let all: Vec<_> = KEYS.iter().filter_map(sized).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let Some(block_bytes) = slc_bytes_per_block(merged) else { return Vec::new() };
    let mut problems = Vec::new();
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
        tree::set(merged, &key, Value::Integer(blocks)).expect("Invariant: a value stands there already");
    }
    problems
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
