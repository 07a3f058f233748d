//! Every shipped device resolves for the schemes it gives defaults for.

use crate::common::*;
use slcache_sim::preset::catalogue;

#[test]
fn every_preset_resolves() {
    let mut resolved = 0;
    for preset in PRESETS {
        let file: toml::Table = toml::from_str(preset.text).unwrap();
        assert_eq!(file["device"]["name"].as_str(), Some(preset.name));
        let Some(defaults) = file.get("scheme-defaults").and_then(|table| table.as_table()) else {
            continue;
        };
        for scheme in defaults.keys() {
            let config = resolve(&crate::common::layers(preset.name, scheme, &[]));
            let config = config.unwrap_or_else(|errors| panic!("{} with {scheme}:\n{errors}", preset.name));
            assert_eq!(config.scheme.name(), scheme);
            resolved += 1;
        }
    }
    assert!(resolved >= 2 * 4 + 3, "{resolved}");
}

#[test]
fn capacities_are_those_of_the_papers() {
    let catalogue = catalogue();
    let capacity = |name: &str| {
        let entry = catalogue.as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap();
        entry["capacity_bytes"].as_u64().unwrap()
    };
    // All blocks in the densest mode.
    assert_eq!(capacity("hierarchy-44g"), 48 << 30);
    assert_eq!(capacity("hierarchy-44g-mqsim"), 48 << 30);
    assert_eq!(capacity("ips-384g"), 384 << 30);
    assert_eq!(capacity("rl-32g"), 2138 << 24);
    assert_eq!(capacity("mqsim-like"), 24 << 30);
    assert_eq!(capacity("mqsim-512g"), 512 << 30);
    assert_eq!(capacity("gc-8g"), 8 << 30);
    assert_eq!(capacity("nvc-hdd"), 1 << 30);
    assert_eq!(capacity("nvc-7200"), 6 << 30);
    assert_eq!(capacity("hyssd-st"), (2 << 30) + 5462 * (3 << 20));
    assert_eq!(capacity("hyssd-mt"), (2 << 30) + 5462 * (3 << 20));
}

#[test]
fn the_two_forms_of_hierarchy_44g_differ_in_what_mqsim_does_and_in_nothing_else() {
    let file = |name: &str| -> toml::Table {
        toml::from_str(slcache_sim::preset::find(name).unwrap().text).unwrap()
    };
    let mut literal = file("hierarchy-44g");
    let mqsim = file("hierarchy-44g-mqsim");
    let device = literal["device"].as_table_mut().unwrap();
    for key in ["name", "summary", "source"] {
        device.insert(key.to_owned(), mqsim["device"][key].clone());
    }
    device.insert("rmw_transfer".to_owned(), "request".into());
    device["pool"][0]["plane_parallelism"] = "multi-plane".into();
    literal.insert("trace".to_owned(), toml::toml! { prefill = "touched-units" }.into());
    assert_eq!(literal, mqsim);
}

#[test]
fn page_times_with_the_bus_are_those_of_the_papers_tables() {
    use CellMode::{Mlc, Slc, Tlc};
    for (preset, pool, mode, read_us, program_us, copyback_us) in [
        ("hyssd-st", 0, Slc, 125, 300, Some(225)),
        ("hyssd-st", 1, Tlc, 350, 2500, Some(2450)),
        ("hyssd-mt", 0, Mlc, 175, 1400, Some(1375)),
        ("hyssd-mt", 1, Tlc, 350, 2500, Some(2450)),
        ("nvc-hdd", 0, Slc, 409, 431, None),
        ("nvc-hdd", 0, Mlc, 403, 994, None),
    ] {
        let pool = &slcache_sim::preset::find(preset).unwrap().device().pool[pool];
        let (times, transfer_ns) = (pool.mode(mode).unwrap(), pool.bus.transfer_ns(pool.page_bytes));
        assert_eq!(times.read_ns[0] + transfer_ns, read_us * 1000, "{preset} {mode:?}");
        assert_eq!(times.program_ns[0] + transfer_ns, program_us * 1000, "{preset} {mode:?}");
        assert_eq!(times.copyback_ns, copyback_us.map(|us| us * 1000), "{preset} {mode:?}");
    }
}
