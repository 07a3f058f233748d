//! Every shipped device resolves for the schemes it gives defaults for.

use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::CellMode;
use slcache_core::device::Simulation;
use slcache_core::hw::config::PoolConfig;
use slcache_sim::preset::{catalogue, PRESETS};
use slcache_sim::resolve;

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
fn every_device_is_sound_whatever_the_scheme() {
    for preset in PRESETS {
        let mut problems = Vec::new();
        preset.device().check(&mut problems);
        assert!(problems.is_empty(), "{}: {problems:?}", preset.name);
        assert!(!preset.device().summary.is_empty() && !preset.device().source.is_empty());
    }
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
fn hyssd_page_times_include_the_bus_as_in_the_paper_and_copy_backs_do_not() {
    for (preset, pool, read_us, program_us, copyback_us) in [
        ("hyssd-st", 0, 125, 300, 225),
        ("hyssd-st", 1, 350, 2500, 2450),
        ("hyssd-mt", 0, 175, 1400, 1375),
        ("hyssd-mt", 1, 350, 2500, 2450),
    ] {
        let device = slcache_sim::preset::find(preset).unwrap().device();
        let pool = &device.pool[pool];
        let mode = pool.mode(pool.densest()).unwrap();
        let transfer_ns = (u64::from(pool.page_bytes) * u64::from(pool.bus.ps_per_byte)).div_ceil(1000);
        assert_eq!(u64::from(mode.read_ns[0]) + transfer_ns, read_us * 1000, "{preset}");
        assert_eq!(u64::from(mode.program_ns[0]) + transfer_ns, program_us * 1000, "{preset}");
        assert_eq!(mode.copyback_ns, Some(copyback_us * 1000), "{preset}");
        assert_eq!(mode.copyback_ns, Some(mode.read_ns[0] + mode.program_ns[0]), "{preset}");
    }
}

/// Devices without a disk that offer SLC and a denser mode in one pool, each with requests that go around twice.
#[test]
fn ust_runs_on_every_preset_that_has_an_slc_mode_beside_another() {
    let mut names = Vec::new();
    for preset in PRESETS.iter().filter(|preset| preset.device().disk.is_none()) {
        let pools = preset.device().pool;
        let hybrid = |pool: &PoolConfig| pool.slc.is_some() && pool.densest() != CellMode::Slc;
        let resolved = resolve(&crate::common::layers(preset.name, "ust", &[]));
        if !pools.iter().any(hybrid) {
            assert!(resolved.is_err_and(|errors| errors.to_string().contains("scheme.ust.dense_mode")));
            continue;
        }
        let setup = resolved.unwrap_or_else(|errors| panic!("{}:\n{errors}", preset.name)).setup();
        let mut simulation = Simulation::new(&setup).unwrap();
        let write = |i: u64| Request {
            hint: 0,
            at_ns: i * 100_000,
            sector: i * 123_456_789 % (1 << 11) * 8,
            sectors: 8 << (i % 4),
            stream: 0,
            op: HostOp::Write,
        };
        let requests: Vec<Request> =
            (0..2000).map(write).filter(|r| r.end_sector() * 512 <= setup.device.user_bytes).collect();
        simulation.feed(&requests).unwrap();
        simulation.finish().unwrap();
        names.push(preset.name);
    }
    assert!(names.len() >= 5, "{names:?}");
}

#[test]
fn nvc_hdd_page_times_with_the_bus_are_those_of_the_papers_table() {
    let device = slcache_sim::preset::find("nvc-hdd").unwrap().device();
    let pool = &device.pool[0];
    let transfer_ns = pool.bus.transfer_ns(pool.page_bytes);
    for (mode, read_us, program_us) in [(CellMode::Slc, 409, 431), (CellMode::Mlc, 403, 994)] {
        let times = pool.mode(mode).unwrap();
        assert_eq!(times.read_ns[0] + transfer_ns, read_us * 1000);
        assert_eq!(times.program_ns[0] + transfer_ns, program_us * 1000);
        assert_eq!(times.erase_ns, 872_000);
        assert_eq!(pool.raw_bytes(mode), if mode == CellMode::Slc { 512 << 20 } else { 1 << 30 });
    }
}

/// Nothing else can run where the data's home is a disk.
#[test]
fn disks_are_for_flash_caches_and_flash_caches_for_disks() {
    for preset in PRESETS {
        let disk = preset.device().disk.is_some();
        for scheme in slcache_core::schemes::CATALOG {
            let own = scheme.name.starts_with("nvc") || scheme.name == "disk-only";
            match resolve(&crate::common::layers(preset.name, scheme.name, &[])) {
                Ok(_) => assert_eq!(own, disk, "{} on {}", scheme.name, preset.name),
                Err(errors) if own == disk => assert!(!disk, "{} on {}:\n{errors}", scheme.name, preset.name),
                Err(errors) => assert!(errors.to_string().contains("device.disk"), "{errors}"),
            }
        }
    }
}
