//! What is said of the state before a run and of the cache in it, against what the array holds.

use crate::it::common::*;
use crate::it::conformance::{mixed, small, using_flash};
use slcache_core::ftl::any_region::Role;

const PAGE: u64 = 16384;
const USER: u64 = 24 << 20;
/// Planes and SLC pages of a block of `small`.
const PLANES: u64 = 4;
const BLOCK_PAGES: u64 = 16;

/// Bytes in SLC mode and live bytes among them, block by block.
fn in_slc(sim: &Simulation) -> (u64, u64) {
    let array = sim.media().array();
    let held = array.used_blocks().filter(|&block| array.block(block).state() != BlockState::Free);
    held.map(|block| of_block(sim, block)).fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1))
}

fn of_block(sim: &Simulation, block: BlockId) -> (u64, u64) {
    let array = sim.media().array();
    let record = array.block(block);
    if !record.is_two_layer() {
        let slc = record.mode() == CellMode::Slc;
        let bytes = if slc { BLOCK_PAGES * PAGE } else { 0 };
        return (bytes, if slc { u64::from(record.live()) * 4096 } else { 0 });
    }
    let mut sums = (0, 0);
    let layout = array.geometry.pool_of(array.geometry.plane_of(block)).two_layer();
    for index in 0..record.write_ptr() {
        let page = array.geometry.page(block, index);
        if layout.step(index).bit == 0 && record.write_ptr() <= u32::from(layout.step(index).second) {
            let live = array.page_tags(page).iter().filter(|&&tag| tag != 0).count() as u64;
            sums = (sums.0 + PAGE, sums.1 + live * 4096);
        }
    }
    sums
}

fn has_slc_cache(sim: &Simulation, scheme: &str) -> bool {
    let is_slc = |&(role, mode): &(Role, CellMode)| role == Role::Cache && mode == CellMode::Slc;
    sim.region_roles().iter().any(is_slc) || scheme.starts_with("ips")
}

/// The states that `--state` names: fill, overwrite, steady.
const STATES: [(f64, f64, bool); 4] =
    [(0.0, 0.0, false), (0.9, 0.0, false), (0.9, 0.3, false), (0.9, 0.0, true)];

#[test]
fn what_is_said_of_the_state_is_what_the_array_holds() {
    for entry in using_flash() {
        for (fill, overwrite, steady) in STATES {
            let mut setup = small(entry.name, USER);
            let config = &mut setup.precondition;
            (config.fill, config.overwrite, config.steady) = (fill, overwrite, steady);
            let mut sim = Simulation::new(&setup).unwrap();
            let done = sim.precondition(&mut |_, _| true).unwrap();
            if !entry.on_disk {
                sim.preload(&[(0, 16)]).unwrap();
            }
            let case = format!("{} {fill} {overwrite}", entry.name);
            let mapped = sim.media().mapped();
            let user_bytes = setup.device.user_bytes;
            if !entry.on_disk {
                assert_eq!(mapped, 4 * done.filled.max(16), "{case}");
            }
            let requests = mixed(user_bytes, 3);
            foresee(&mut sim, &requests);
            let mut most = in_slc(&sim).0;
            for part in requests.chunks(40) {
                sim.feed(part).unwrap();
                most = most.max(in_slc(&sim).0);
            }
            let state = sim.finish().unwrap().state;
            assert_eq!(state.full_share, mapped as f64 / f64::from(sim.media().mus()), "{case}");
            let times = if done.filled == 0 { 0.0 } else { done.overwritten as f64 / done.filled as f64 };
            assert_eq!(state.overwritten_share, Some(times), "{case}");
            assert_eq!(state.cache.is_some(), has_slc_cache(&sim, entry.name), "{case}");
            let Some(cache) = state.cache else { continue };
            let slc_of_all = PLANES * 24 * BLOCK_PAGES * PAGE;
            assert!((most..=slc_of_all).contains(&cache.peak_bytes), "{case}: {cache:?}, seen {most}");
            assert!(cache.mean_bytes <= cache.peak_bytes as f64, "{case}: {cache:?}");
            assert_eq!(cache.left_bytes, in_slc(&sim).1, "{case}");
            assert!(cache.limit_bytes <= slc_of_all, "{case}: {cache:?}");
            assert!(cache.full_ns.is_none_or(|ns| ns <= sim.now_ns()), "{case}: {cache:?}");
        }
    }
}

/// A cache of six SLC blocks per plane of which cleaning needs none, written in order one at a time.
fn written(scheme: &str, pages: u64) -> Report {
    let mut setup = small(scheme, USER);
    configure(&mut setup, &[("idle.threshold_ns", 60_000_000_000u64.into())]);
    (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, 1);
    setup.trace.prefill = Prefill::None;
    let writes: Vec<_> = (0..pages).map(|page| request(0, HostOp::Write, page * PAGE, PAGE)).collect();
    ended(&setup, &writes).1
}

#[test]
fn a_cache_is_full_when_a_page_more_than_it_has_is_written() {
    for scheme in ["turbo-write", "client"] {
        let pages = PLANES * 6 * BLOCK_PAGES;
        let [fits, over] = [pages, pages + PLANES].map(|pages| written(scheme, pages));
        let [within, beyond] = [&fits, &over].map(|report| report.state.cache.unwrap());
        assert_eq!((within.full_ns, within.peak_bytes), (None, pages * PAGE), "{scheme}");
        assert_eq!((within.limit_bytes, beyond.peak_bytes), (pages * PAGE, pages * PAGE), "{scheme}");
        // The write that is one too many begins when the one before it is complete.
        let full_ns = beyond.full_ns.unwrap();
        assert!(full_ns >= fits.host.duration_ns && full_ns < over.host.duration_ns, "{scheme}");
    }
}

#[test]
fn the_mean_is_over_time() {
    // One block from time 0 on; a second one, in the next plane, in the second half.
    let late_ns = 1_000_000_000;
    let writes = [(0, 0), (late_ns, PAGE)].map(|(at, byte)| request(at, HostOp::Write, byte, PAGE));
    let read = request(2 * late_ns, HostOp::Read, 0, PAGE);
    let report = ended(&small("baseline", USER), &[&writes[..], &[read]].concat()).1;
    let (cache, end_ns) = (report.state.cache.unwrap(), report.host.duration_ns as f64);
    let block = (BLOCK_PAGES * PAGE) as f64;
    assert_eq!(cache.peak_bytes as f64, 2.0 * block);
    let want = block * (1.0 + (end_ns - late_ns as f64) / end_ns);
    assert!((cache.mean_bytes - want).abs() < 1e-6 * want, "{cache:?}, not {want}");
    assert_eq!((cache.full_ns, cache.left_bytes), (None, 2 * PAGE));
}

fn random_writes(setup: &Setup, count: usize) -> Report {
    ended(setup, &random(count, setup.device.user_bytes, 4, 0.0, 2_000_000.0, 7)).1
}

#[test]
fn a_run_is_steady_once_its_store_is_cleaned_and_goes_on_alike() {
    let mut setup = setup(device(versatile_pool(2, 2, 24, 16, 16384), 56 << 20), "tlc-only");
    let fresh = random_writes(&setup, 20_000).state;
    (setup.precondition.fill, setup.precondition.overwrite) = (1.0, 3.0);
    let worn = random_writes(&setup, 20_000).state;
    assert_eq!((worn.steady, worn.store_cleaned), (Some(true), true), "{worn:?}");
    let [first, second] = fresh.waf_by_half.unwrap();
    assert!(first < second, "an empty device cleans little at first: {fresh:?}");
    setup.precondition = Default::default();
    let short = random_writes(&setup, 50).state;
    assert_eq!((short.steady, short.store_cleaned), (Some(false), false), "{short:?}");
}
