//! What a configuration is told about though it runs: capacities of labels, times of no chip, shared dies.

use crate::common::*;
use slcache_core::hw::config::PoolConfig;
use slcache_sim::config::RunConfig;
use slcache_sim::notes::notes;

/// The capacities that drives are sold with, of 50 GB to 2 TB, by the formula of the trade (IDEMA LBA1-03).
fn of_labels() -> impl Iterator<Item = u64> {
    [50_u64, 64, 100, 120, 128, 240, 250, 256, 480, 500, 512, 960, 1000, 1024, 1920, 2000]
        .into_iter()
        .map(|gb| (97_696_368 + 1_953_504 * (gb - 50)) * 512)
}

/// `device` with the least blocks and wordlines that hold a capacity.
fn large(device: &str, bytes: u64) -> RunConfig {
    let user = format!("device.user_bytes={bytes}");
    let sizes = (8..17).flat_map(|blocks| (6..13).map(move |wordlines| (1 << blocks, 1 << wordlines)));
    let mut fitting = sizes.filter_map(|(blocks, wordlines): (u32, u32)| {
        let blocks = format!("device.pool[0].blocks={blocks}");
        let wordlines = format!("device.pool[0].wordlines={wordlines}");
        resolve(&layers(device, "tlc-only", &[&blocks, &wordlines, &user])).ok()
    });
    fitting.next().unwrap_or_else(|| panic!("{device} cannot hold {bytes} bytes"))
}

#[test]
fn every_capacity_on_a_label_is_rounded_down_and_said() {
    assert!(of_labels().any(|bytes| bytes == 1_000_204_886_016));
    let mut rounded = 0;
    for bytes in of_labels() {
        for device in ["ips-384g", "hierarchy-44g"] {
            let config = large(device, bytes);
            let piece = u64::from(config.device.piece_bytes());
            assert_eq!(config.device.user_bytes, bytes - bytes % piece, "{device}");
            let told =
                notes(&config).iter().any(|note| note.contains(&format!("user_bytes = {bytes} is no")));
            assert_eq!(told, bytes % piece != 0, "{device} {bytes}");
            rounded += usize::from(told);
        }
    }
    assert!(rounded > 0, "no capacity needed it");
}

#[test]
fn a_pool_that_a_scheme_does_not_use_is_told() {
    let mut found = 0;
    for (scheme, unused) in
        [("tlc-only", true), ("baseline", true), ("hyssd", false), ("hyssd-static", false)]
    {
        for device in PRESETS {
            // What fits one pool alone.
            let small = ["device.user_bytes=2MiB"];
            let Ok(config) = resolve(&layers(device.name, scheme, &small)) else { continue };
            let told = notes(&config).iter().any(|note| note.contains("stores nothing in device pool"));
            assert_eq!(told, unused && config.device.pool.len() > 1, "{scheme} on {}", device.name);
            found += u32::from(told);
        }
    }
    assert!(found > 1, "{found}");
}

#[test]
fn a_region_that_is_to_keep_more_free_than_it_has_is_told() {
    for (start, told) in [(3, false), (4, true), (1000, true)] {
        let set = format!("slc.start_free_blocks={start}");
        let found = notes(&resolve(&layers("tiny", "baseline", &[&set])).unwrap());
        assert_eq!(found.iter().any(|note| note.contains("cleaning is always due")), told, "{start}");
    }
    for device in PRESETS {
        for entry in slcache_core::schemes::CATALOG {
            let Ok(config) = resolve(&layers(device.name, entry.name, &[])) else { continue };
            let found = notes(&config);
            assert!(!found.iter().any(|note| note.contains("always due")), "{} {found:?}", device.name);
        }
    }
}

/// Every time of the chips, and the key it has.
fn times(at: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, inner)| times(&format!("{at}.{key}"), inner, found));
        }
        _ if at.ends_with("_ns") && !value.is_null() => found.push(at.to_owned()),
        _ => {}
    }
}

#[test]
fn every_time_of_a_chip_is_looked_at() {
    let config = resolved("tiny", "tlc-only", &[]).to_json();
    let mut keys = Vec::new();
    times("device.pool[0]", &config["device"]["pool"][0], &mut keys);
    assert!(keys.len() > 12, "{keys:?}");
    for preset in PRESETS {
        let told = slcache_sim::notes::of_device(&preset.device());
        assert!(told.is_empty(), "{}: {told:?}", preset.name);
    }
    for key in keys {
        let list = key.ends_with(".read_ns") || key.ends_with(".program_ns");
        let is_cell = !key.contains(".bus.") && !key.contains(".suspend.");
        let is_list = list && is_cell && !key.contains(".reprogram.");
        // A command may hold the channel for a second at most; suspension has to be on to count.
        for ns in if is_cell { vec![160, 999_999_999] } else { vec![2_000_000] } {
            let value = if is_list { format!("{key}=[{ns}]") } else { format!("{key}={ns}") };
            let on = ["device.pool[0].suspend.program=true", "device.pool[0].suspend.max_suspends=1"];
            let told = notes(&resolved("tiny", "tlc-only", &[on[0], on[1], &value]));
            assert!(
                told.iter().any(|note| note.starts_with(&format!("{key}: {ns} ns"))),
                "{value}: {told:?}"
            );
        }
    }
}

#[test]
fn tiers_on_one_pool_are_said_to_share_dies() {
    for scheme in ["hyssd", "hyssd-static"] {
        for (device, shares) in [("tiny", true), ("ips-384g", true), ("hyssd-st", false), ("hyssd-mt", false)]
        {
            let says = notes(&resolved(device, scheme, &[])).iter().any(|note| note.contains("same dies"));
            assert_eq!(says, shares, "{scheme} on {device}");
        }
    }
    assert!(notes(&resolved("tiny", "baseline", &[])).is_empty());
}

/// A buffer gathers a stripe while another is programmed: two of them, of a wordline in each plane.
#[test]
fn a_buffer_short_of_two_stripes_is_told_with_what_it_needs() {
    let mut found = [0; 2];
    for (device, scheme) in PRESETS.iter().flat_map(|device| ["client", "qlc-only"].map(|s| (device.name, s)))
    {
        let placement = format!("scheme.{scheme}.placement");
        let striped = format!("{placement}=striped");
        let Ok(config) = resolve(&layers(device, scheme, &[&striped])) else { continue };
        let is_one_shot = |pool: &&PoolConfig| pool.program_bytes() > u64::from(pool.page_bytes);
        let Some(pool) = config.device.pool.iter().find(is_one_shot) else { continue };
        let own = &config.to_json()["scheme"][scheme];
        let few = own["dense"]["parallel"].as_u64().unwrap_or(u64::MAX);
        let stripe = few.min(u64::from(pool.plane_count())) * pool.program_bytes();
        let fills =
            stripe - stripe / pool.program_bytes() * u64::from(pool.page_bytes) + u64::from(pool.page_bytes);
        let is_direct = own["full"] != "through";
        for bytes in [fills - 4096, fills, 2 * stripe - 4096, 2 * stripe] {
            let buffer = format!("buffer={{bytes={bytes},write_back=\"at-once\"}}");
            let Ok(config) = resolve(&layers(device, scheme, &[&striped, &buffer])) else { continue };
            let told = notes(&config);
            let begin = format!("buffer.bytes = {bytes}: with {placement}");
            let note = told.iter().find(|note| note.starts_with(&begin));
            let is_short = is_direct && bytes < 2 * stripe;
            assert_eq!(note.is_some(), is_short, "{scheme} on {device}, {bytes}: {told:?}");
            let needed = format!("at least {} are needed", 2 * stripe);
            assert!(note.is_none_or(|note| note.ends_with(&needed)), "{note:?}");
            assert!(note.is_none_or(|note| note.contains("padded") == (bytes < fills)), "{note:?}");
            found[usize::from(is_short)] += 1;
        }
        // As presets come they have the room.
        if let Ok(config) = resolve(&layers(device, scheme, &[])) {
            assert!(!notes(&config).iter().any(|note| note.contains("wordline")), "{scheme} on {device}");
        }
    }
    assert!(found.iter().all(|&count| count > 3), "{found:?}");
}
