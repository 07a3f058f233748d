//! How long a device lasts, against closed forms: cells wear by what is programmed in them, blocks that
//! change their mode in each, and under cyclic writes all alike.

use crate::it::common::*;
use slcache_core::metrics::report::WearRow;

const PLANES: u64 = 4;
const BLOCKS: u64 = 32;
const WORDLINES: u64 = 8;
const PAGE: u64 = 4096;
const USER: u64 = 4 << 20;
const SLC_CYCLES: u32 = 20_000;
const TLC_CYCLES: u32 = 1_000;

fn small(scheme: &str, slc_blocks: u32) -> Setup {
    let mut chips = pool(2, 2, BLOCKS as u32, WORDLINES as u32, PAGE as u32);
    chips.slc.as_mut().unwrap().endurance_cycles = Some(SLC_CYCLES);
    chips.tlc.as_mut().unwrap().endurance_cycles = Some(TLC_CYCLES);
    let mut setup = setup(device(chips, USER), scheme);
    configure(&mut setup, &[("slc_blocks", slc_blocks.into())]);
    setup
}

/// The report of writing the first `span` bytes in a circle, `passes` times.
fn cyclic(setup: &Setup, span: u64, passes: f64) -> Report {
    const BYTES: u64 = 64 << 10;
    let writes = (passes * (span / BYTES) as f64) as u64;
    let write = |i: u64| request(i * 20_000_000, HostOp::Write, i * BYTES % span, BYTES);
    ended(setup, &(0..writes).map(write).collect::<Vec<_>>()).1
}

/// Bytes of `blocks` blocks in a mode with so many bits.
fn capacity(blocks: u64, bits: u64) -> f64 {
    (blocks * WORDLINES * bits * PAGE) as f64
}

fn waf(report: &Report, mode: &str) -> f64 {
    report.waf.by_mode.get(mode).copied().unwrap_or(0.0)
}

fn assert_life(told: Option<f64>, expected: f64, what: &str) {
    let told = told.unwrap_or_else(|| panic!("{what}: no life"));
    assert!((told / expected - 1.0).abs() < 1e-9, "{what}: {told}, and {expected} by the closed form");
}

/// endurance * capacity / WAF, from empty and from full; where blocks serve in both modes, they wear in both: the
/// inverses of the lives add up.
#[test]
fn blocks_of_one_or_two_modes_wear_by_the_sum_over_modes() {
    for (scheme, fill) in [("tlc-only", 0.0), ("tlc-only", 1.0), ("client", 0.0), ("dwa", 0.0), ("rl", 0.0)] {
        let mut both = 0;
        for passes in [0.1, 1.0, 3.0, 12.0] {
            let mut setup = small(scheme, 6);
            setup.precondition.fill = fill;
            let report = cyclic(&setup, USER, passes);
            let parts = [("slc", 1, SLC_CYCLES), ("tlc", 3, TLC_CYCLES)].map(|(mode, bits, cycles)| {
                waf(&report, mode) / (f64::from(cycles) * capacity(PLANES * BLOCKS, bits))
            });
            both += i32::from(parts.iter().all(|&part| part > 0.0));
            let what = format!("{scheme}, {passes} passes");
            let life = 1.0 / (parts[0] + parts[1]);
            assert_life(report.wear.lifetime_host_bytes, life, &what);
            assert_life(report.wear.drive_writes_per_day, life / USER as f64 / (365.0 * 5.0), &what);
            let used = report.wear.by_mode.values().filter_map(|mode| mode.percent_used).sum::<f64>();
            assert_life(Some(used / 100.0), report.wear.damage.unwrap().mean, &what);
        }
        // What the others do with a stream this long is their business.
        assert!(both > 0 || scheme != "client", "{scheme} wore one mode alone");
    }
}

/// Regions with blocks of their own wear apart, and the first that is used up ends the device.
#[test]
fn regions_apart_last_as_long_as_the_first_of_them() {
    for slc_blocks in [4, 8, 16] {
        let report = cyclic(&small("baseline", slc_blocks), USER / 2, 4.0);
        let slc = PLANES * u64::from(slc_blocks);
        let lives = [("slc", 1, SLC_CYCLES, slc), ("tlc", 3, TLC_CYCLES, PLANES * BLOCKS - slc)].map(
            |(mode, bits, cycles, blocks)| f64::from(cycles) * capacity(blocks, bits) / waf(&report, mode),
        );
        let what = format!("{slc_blocks} SLC blocks");
        assert_life(report.wear.lifetime_host_bytes, lives[0].min(lives[1]), &what);
        let modes = report.wear.damage.unwrap().modes;
        assert_eq!(modes, [if lives[0] < lives[1] { "slc" } else { "tlc" }], "{what}");
    }
}

#[test]
fn less_than_a_block_tells_no_life() {
    let page = |i| request(i * 1_000_000, HostOp::Write, i * PAGE, PAGE);
    let read = request(0, HostOp::Read, 0, PAGE);
    for (scheme, pages) in [("tlc-only", 3 * WORDLINES), ("baseline", WORDLINES), ("client", WORDLINES)] {
        let of = |pages: u64| ended(&small(scheme, 6), &(0..pages).map(page).collect::<Vec<_>>()).1.wear;
        let (before, after) = (of(pages - 1), of(pages));
        assert!(before.damage.is_none() && before.lifetime_host_bytes.is_none(), "{scheme}");
        assert!(before.lifetime_most_worn_host_bytes.is_none(), "{scheme}");
        assert!(after.lifetime_host_bytes.is_some(), "{scheme}");
        assert!(ended(&small(scheme, 6), &[read]).1.wear.damage.is_none(), "{scheme}");
    }
}

#[test]
fn an_unknown_endurance_of_a_mode_in_use_tells_no_life() {
    for mode in ["slc", "tlc"] {
        let mut setup = small("baseline", 6);
        let chips = &mut setup.device.pool[0];
        let unknown = if mode == "slc" { &mut chips.slc } else { &mut chips.tlc };
        unknown.as_mut().unwrap().endurance_cycles = None;
        let wear = cyclic(&setup, USER, 3.0).wear;
        assert!(wear.damage.is_none() && wear.by_mode[mode].percent_used.is_none(), "{mode}");
    }
}

/// Ties of victims go by age: none is chosen again and again because of its number.
#[test]
fn cyclic_writes_wear_blocks_evenly() {
    let schemes = ["tlc-only", "baseline", "sa", "sector", "turbo-write", "hierarchy"];
    for scheme in schemes {
        for victim in ["greedy", "cost-benefit", "fifo"] {
            let mut setup = small(scheme, 6);
            let victims = ["clean.victim", "slc.victim", "dense.victim"].map(|key| (key, victim.into()));
            configure(&mut setup, &victims);
            let report = cyclic(&setup, USER, 40.0);
            for row in report.wear.pools.iter().filter(|row| row.erases > 0) {
                let WearRow { mode, mean, min, max, .. } = row;
                let even = f64::from(max - min) <= 2.0 + 0.05 * mean;
                assert!(even, "{scheme}, {victim}: {min} to {max} erases in {mode}, {mean} on average");
            }
        }
    }
}
