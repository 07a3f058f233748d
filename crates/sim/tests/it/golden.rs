//! Did it change? Small runs whose every figure is fixed, one file each in `golden/`: every scheme,
//! and what those runs do not show.
//!
//! A golden proves sameness, not rightness. After an intended change, `make golden` rewrites them;
//! the changelog's Results section says what moved and why.

use crate::common::*;
use crate::golden_versions::{self, folder};
use slcache_sim::snapshot;
use slcache_sim::traces::synthetic::UniformWorkload;
use slcache_sim::traces::write_text;
use std::fmt::Write;

/// Parts of a result that do not depend on the machine, the build or the moment.
const SECTIONS: [&str; 6] = ["host", "flash", "waf", "wear", "scheme", "disk"];

/// The device of schemes that pack pages: `tiny` with pages of four mapping units, four times its size.
const FOUR_UNITS: [&str; 2] = ["device.pool[0].page_bytes=16384", "device.user_bytes=13312KiB"];

/// Chips that the scheme leaves alone, before those it uses.
const OTHER_POOL: &str = r#"[[device.pool]]
name = "other"
channels = 1
chips = 1
dies = 1
planes = 1
blocks = 8
wordlines = 8
page_bytes = 4096

[device.pool.bus]
ps_per_byte = 1250

[device.pool.qlc]
read_ns = [140_000]
program_ns = [3_000_000]
erase_ns = 5_000_000

"#;

fn requests(requests: usize, footprint_bytes: u64) -> Vec<Request> {
    UniformWorkload {
        requests,
        footprint_bytes,
        size_bytes: 8192,
        read_share: 0.4,
        mean_gap_ns: 600_000.0,
        seed: 7,
    }
    .make()
}

/// The same, small enough that the size of the SLC region follows the data, in windows of 256 KiB.
const FILLING: [&str; 3] =
    ["device.pool[0].page_bytes=16384", "device.user_bytes=4MiB", "scheme.dwa.window_bytes=256KiB"];

/// The pair of SSDs of two page sizes, with few blocks, in periods that are over soon.
const PAIR: [&str; 7] = [
    "device.pool[0].blocks=16",
    "device.pool[1].blocks=16",
    "device.user_bytes=24MiB",
    "scheme.hyssd.period_writes=200",
    "scheme.hyssd.goal=lifetime",
    "scheme.hyssd.fast.start_free_blocks=2",
    "scheme.hyssd.dense.start_free_blocks=2",
];

/// Half of the blocks for either tier of `tiny`, which that leaves room for less data.
const SPLIT: [&str; 5] = [
    "device.pool[0].page_bytes=16384",
    "device.user_bytes=4MiB",
    "scheme.hyssd-static.period_writes=200",
    "scheme.hyssd-static.fast_blocks=8",
    "scheme.hyssd-static.separate_frontier=true",
];

/// Cells do not err, so that what is read often moves whatever its reads take.
const HOT_ALONE: [&str; 4] =
    [FOUR_UNITS[0], FOUR_UNITS[1], "scheme.raro.min_retries=[0, 0]", "scheme.raro.idle.threshold_ns=100000"];

/// Pauses in which the disk falls asleep.
const ASLEEP: [&str; 3] = [ON_DISK[0], ON_DISK[1], "host.time_scale=2000"];

/// The same, with limits at which all, some and none of what is cold in SLC stay there.
const ALL_VERDICTS: [&str; 5] = [
    ON_DISK[0],
    ON_DISK[1],
    "host.time_scale=2000",
    "scheme.nvc.slc.stay_invalid=0.15",
    "scheme.nvc.slc.stay_marked_invalid=0.05",
];

/// What a scheme's golden changes in its device: `tiny`, whose pages are mapping units, or the pair.
fn sets(scheme: &str) -> &'static [&'static str] {
    match scheme {
        "tlc-only" | "baseline" => &[],
        "dwa" => &FILLING,
        "raro" => &HOT_ALONE,
        "hyssd" => &PAIR,
        "hyssd-static" => &SPLIT,
        "nvc" => &ALL_VERDICTS,
        on_disk if is_on_disk(on_disk) => &ASLEEP,
        _ => &FOUR_UNITS,
    }
}

/// The result of a run of `requests`.
fn run(layers: Layers, requests: &[Request]) -> Value {
    let mut text = Vec::new();
    write_text("mqsim", requests, &mut text).unwrap();
    let bench = Bench::new(&String::from_utf8(text).unwrap());
    crate::common::run(&RunRequest { layers, ..bench.request("tlc-only", &[]) }).unwrap()
}

fn figures(mut document: Value) -> String {
    document.as_object_mut().unwrap().retain(|key, _| SECTIONS.contains(&key.as_str()));
    serde_json::to_string_pretty(&document).unwrap() + "\n"
}

fn scheme(name: &str) -> String {
    let footprint_bytes = match name {
        // About the flash in front of the disk: some of what is cold stays there.
        "nvc" | "nvc-mlc-only" => 4 << 20,
        _ if sets(name).is_empty() => 512 << 10,
        _ => 2 << 20,
    };
    let device = if name == "hyssd" { "hyssd-st" } else { "tiny" };
    figures(run(layers(device, name, sets(name)), &requests(5_000, footprint_bytes)))
}

/// The time series of a short run, a column a line.
fn series() -> String {
    let document = run(layers("tiny", "turbo-write", &FOUR_UNITS), &requests(150, 2 << 20));
    let series = &document["series"];
    let mut text = format!("{{\n  \"window_ns\": {},\n  \"columns\": {{", series["window_ns"]);
    for (i, (name, column)) in series["columns"].as_object().unwrap().iter().enumerate() {
        write!(text, "{}\n    \"{name}\": {column}", if i == 0 { "" } else { "," }).unwrap();
    }
    text + "\n  }\n}\n"
}

fn two_pools() -> String {
    let device = DEVICE.replacen("[[device.pool]]", &format!("{OTHER_POOL}[[device.pool]]"), 1);
    let device = file(&device, ".toml");
    let sets = ["device.user_bytes=1MiB", "slc_blocks=4"];
    let layers = layers(device.path().to_str().unwrap(), "baseline", &sets);
    figures(run(layers, &requests(3_000, 512 << 10)))
}

/// A DRAM buffer of four pages that acknowledges writes.
fn buffer() -> String {
    let sets = [FOUR_UNITS[0], FOUR_UNITS[1], "buffer.bytes=64KiB", "buffer.acknowledge=on-buffer"];
    figures(run(layers("tiny", "hierarchy", &sets), &requests(3_000, 2 << 20)))
}

/// Windows of write requests that a DRAM buffer absorbs.
fn windows() -> String {
    let window = "scheme.sector.window_writes=100";
    let sets = [FOUR_UNITS[0], FOUR_UNITS[1], "buffer.bytes=64KiB", window];
    figures(run(layers("tiny", "sector", &sets), &requests(3_000, 2 << 20)))
}

/// Data that come into being with their first read, while writes are in flight.
fn on_read() -> String {
    let sets = [FOUR_UNITS[0], FOUR_UNITS[1], "trace.prefill=on-read", "host.time_scale=0.2"];
    figures(run(layers("tiny", "hierarchy", &sets), &requests(3_000, 8 << 20)))
}

/// A device that was filled and overwritten before time 0.
fn preconditioned() -> String {
    let sets = [FOUR_UNITS[0], FOUR_UNITS[1], "precondition.fill=0.8", "precondition.overwrite=0.5"];
    figures(run(layers("tiny", "hierarchy", &sets), &requests(3_000, 2 << 20)))
}

/// The second half of a run, on a device that was saved and restored after the first.
fn restart(scheme: &str) -> String {
    let mut config = resolve(&layers("tiny", scheme, &FOUR_UNITS)).unwrap();
    let requests = requests(5_000, 2 << 20);
    let (first, second) = requests.split_at(requests.len() / 2);
    let mut simulation = Simulation::new(&config.setup()).unwrap();
    simulation.feed(first).unwrap();
    simulation.finish().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    snapshot::save(&path, &config, &simulation).unwrap();
    let mut restored = snapshot::load(&path, &mut config).unwrap();
    restored.feed(second).unwrap();
    figures(serde_json::to_value(restored.finish().unwrap()).unwrap())
}

/// Every golden by name, as it is now.
fn goldens() -> Vec<(String, String)> {
    let schemes = CATALOG.iter().map(|entry| (entry.name.to_owned(), scheme(entry.name)));
    let others = [
        ("series", series()),
        ("two-pools", two_pools()),
        ("buffer", buffer()),
        ("windows", windows()),
        ("on-read", on_read()),
        ("preconditioned", preconditioned()),
        ("restart-hierarchy", restart("hierarchy")),
        ("restart-ips-coop", restart("ips-coop")),
    ];
    schemes.chain(others.map(|(name, text)| (name.to_owned(), text))).collect()
}

#[test]
fn golden_figures_have_not_moved() {
    let (folder, rewrite) = (folder(), std::env::var("SLCACHE_GOLDEN").as_deref() == Ok("write"));
    for (name, now) in goldens() {
        let path = folder.join(format!("{name}.json"));
        if rewrite {
            std::fs::write(&path, &now).unwrap();
        }
        let before = std::fs::read_to_string(&path)
            .unwrap_or_else(|_| panic!("no golden for {name}: run make golden"));
        let line = before.lines().zip(now.lines()).position(|(a, b)| a != b);
        assert!(
            before == now,
            "{name} moved from line {:?}: {:?} to {:?}; if intended, raise MODEL_VERSION, run make golden \
             and say why in CHANGELOG.md",
            line.map(|l| l + 1),
            line.and_then(|l| before.lines().nth(l)),
            line.and_then(|l| now.lines().nth(l)),
        );
    }
    golden_versions::check(rewrite);
}
