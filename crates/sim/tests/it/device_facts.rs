//! What is told of a device without running on it is what runs on it show.

use crate::common::*;
use slcache_core::device::config::{HostConfig, Replay};
use slcache_core::device::Setup;
use slcache_core::schemes::{SchemeConfig, TlcOnlyConfig};
use slcache_sim::device_facts::{device_facts, pools};
use slcache_sim::preset::{find, Preset};

const LATER: u64 = 1_000_000_000;

/// How the host drives a preset.
fn host(preset: &Preset) -> HostConfig {
    let config = CATALOG.iter().find_map(|entry| resolve(&layers(preset.name, entry.name, &[])).ok());
    config.unwrap().host
}

/// One pool of `preset` in one mode throughout, an eighth of it the host's.
fn plain(preset: &Preset, pool: usize, mode: CellMode) -> Setup {
    let mut setup = resolve(&layers("tiny", "tlc-only", &[])).unwrap().setup();
    setup.scheme = SchemeConfig::TlcOnly(TlcOnlyConfig { mode: Some(mode), ..TlcOnlyConfig::default() });
    setup.host = host(preset);
    setup.device = preset.device();
    let mut chips = setup.device.pool.swap_remove(pool);
    chips.blocks = chips.blocks.min(64);
    setup.device.user_bytes = chips.raw_bytes(mode) / 8 / 65536 * 65536;
    setup.device.pool = vec![chips];
    (setup.device.piece_bytes, setup.device.disk) = (0, None);
    setup
}

fn request(at_ns: u64, op: HostOp, byte: u64, bytes: u64) -> Request {
    Request {
        hint: 0,
        at_ns,
        op,
        sector: byte / 512,
        sectors: u32::try_from(bytes / 512).unwrap(),
        stream: 0,
    }
}

/// The latency of a write and of a later read of 4 KiB on an idle device.
fn unloaded(setup: &Setup) -> (u64, u64) {
    let mut simulation = Simulation::new(setup).unwrap_or_else(|problems| panic!("{problems:?}"));
    simulation.keep_log();
    simulation.feed(&[request(0, HostOp::Write, 0, 4096), request(LATER, HostOp::Read, 0, 4096)]).unwrap();
    simulation.finish().unwrap();
    let mut log = simulation.log().to_vec();
    log.sort_by_key(|(request, _)| request.at_ns);
    (log[0].1, log[1].1)
}

/// MB/s of `op` on whole logical pages with everything busy.
fn busy(setup: &Setup, op: HostOp, pages: u64) -> f64 {
    let mut setup = setup.clone();
    (setup.host.replay, setup.host.queue_depth, setup.host.link) = (Replay::Closed, 4096, None);
    let page = u64::from(setup.device.piece_bytes());
    let mut simulation = Simulation::new(&setup).unwrap();
    if op == HostOp::Read {
        simulation.preload(&[(0, u32::try_from(pages).unwrap())]).unwrap();
    }
    let requests: Vec<_> = (0..pages).map(|i| request(0, op, i * page, page)).collect();
    simulation.feed(&requests).unwrap();
    let duration_ns = simulation.finish().unwrap().host.duration_ns;
    (pages * page) as f64 * 1e3 / duration_ns as f64
}

/// Every preset's pools and modes with what is told of them.
fn modes() -> Vec<(&'static str, usize, CellMode, Value)> {
    let mut all = Vec::new();
    for preset in PRESETS {
        let told = json!(pools(&preset.device(), &host(preset), false));
        for (pool, told) in told.as_array().unwrap().iter().enumerate() {
            for entry in told["modes"].as_array().unwrap() {
                let mode = CellMode::ALL.into_iter().find(|mode| entry["mode"] == mode.name()).unwrap();
                all.push((preset.name, pool, mode, entry.clone()));
            }
        }
    }
    all
}

#[test]
fn what_is_told_of_a_mode_is_what_a_run_takes() {
    let modes = modes();
    assert!(modes.len() >= 20, "{}", modes.len());
    for (preset, pool, mode, told) in modes {
        let what = format!("{preset} {pool} {mode:?}");
        let setup = plain(find(preset).unwrap(), pool, mode);
        // To the nanosecond on an idle device.
        let (write, read) = unloaded(&setup);
        assert_eq!((&told["read"]["ns"], &told["write"]["ns"]), (&read.into(), &write.into()), "{what}");
        let pages = (setup.device.user_bytes / u64::from(setup.device.piece_bytes())).min(8_000);
        for (op, key) in [(HostOp::Read, "peak_read"), (HostOp::Write, "peak_program")] {
            let (told, found) = (told[key]["mb_per_s"].as_f64().unwrap(), busy(&setup, op, pages));
            assert!((0.93..=1.03).contains(&(found / told)), "{what} {key}: told {told}, found {found}");
        }
    }
}

#[test]
fn what_looks_wrong_is_told() {
    let slow = [
        ("[device]", "[host]\nlink = \"ufs2\"\n[device]"),
        ("ps_per_byte", "ps_per_byte = 100 #"),
        ("channels = ", "channels = 16 #"),
    ];
    let half = [("3328KiB", "2048KiB"), ("slc_blocks = 3                # per plane", "slc_blocks = 6 #")];
    for (changes, told) in [
        (&[("3328KiB", "3300KiB")][..], ""),
        (&[("[device]", "[host]\nlink = \"pcie5x4\"\n[device]")], ""),
        (&[("wordlines = 8 ", "wordlines = 32 ")], "holds 7.4 times the user's data"),
        (&[("3328KiB", "6100KiB")], "over-provisioning is 0.7 %"),
        (&[("3328KiB", "6100KiB")], "no scheme can run"),
        (&[("[200_000]", "[2_000_000]")], "slc programs in 2000000 ns"),
        (&half, "the cache of baseline takes 6 of the 16 blocks"),
        (&slow, "the host link carries 1166 MB/s"),
    ] {
        let mut text = find("tiny").unwrap().text.to_owned();
        for (from, to) in changes {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        let file = file(&text, ".toml");
        let warnings = json!(device_facts(file.path().to_str().unwrap()).unwrap().warnings).to_string();
        assert!(if told.is_empty() { warnings == "[]" } else { warnings.contains(told) }, "{warnings}");
    }
}

#[test]
fn a_cache_goes_from_the_least_to_the_most_that_runs() {
    let facts = json!(device_facts("tiny").unwrap());
    let schemes = facts["schemes"].as_array().unwrap();
    assert_eq!(schemes.len(), CATALOG.len());
    let baseline = schemes.iter().find(|scheme| scheme["scheme"] == "baseline").unwrap();
    let range = &baseline["range"];
    // 4 planes of 8 SLC pages a block.
    let block_bytes = 4 * 8 * 4096;
    assert_eq!(baseline["slc_bytes"], 3 * block_bytes);
    for (end, beyond) in [("min", -1), ("max", 1)] {
        let value = range[end]["value"].as_i64().unwrap();
        assert_eq!(range[end]["slc_bytes"], value * block_bytes);
        let runs =
            |value: i64| resolve(&layers("tiny", "baseline", &[&format!("slc_blocks={value}")])).is_ok();
        assert!(runs(value) && !runs(value + beyond), "{end} {value}");
    }
    let unfit = schemes.iter().find(|scheme| scheme["scheme"] == "nvc").unwrap();
    assert!(unfit["problem"].as_str().unwrap().contains("disk"));
}
