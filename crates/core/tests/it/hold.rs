//! Pieces that wait to be packed: when their writes are complete, what bounds them, what ends them.

use crate::it::common::ops::*;
use crate::it::common::{configure, device, pool, request, setup, versatile_pool};
use crate::it::conformance::using_flash;
use serde_json::json;
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::{CellMode, Mu};
use slcache_core::device::{Setup, Simulation};

/// The program of a page with `units` units: command, data and array, ns.
fn program_ns(units: u64) -> u64 {
    100 + units * MU + 200_000
}

/// One plane with SLC blocks of 8 pages under `hierarchy`.
fn hierarchy() -> Setup {
    let mut setup = setup(device(pool(1, 1, 18, 8, PAGE as u32), 8 * 24 * PAGE), "hierarchy");
    configure(&mut setup, &[("slc_blocks", json!(6)), ("slc.start_free_ratio", json!(0.0))]);
    configure(&mut setup, &[("merge.timeout_ns", json!(1_000_000))]);
    setup
}

/// Latencies of requests of one kind in the order of their arrival, ns.
fn latencies(setup: &Setup, requests: &[Request], op: HostOp) -> Vec<u64> {
    let mut sim = Simulation::new(setup).unwrap();
    sim.track_versions();
    sim.keep_log();
    sim.feed(requests).unwrap();
    sim.finish().unwrap();
    sim.audit().unwrap();
    let mut log: Vec<_> = sim.log().iter().filter(|(r, _)| r.op == op).copied().collect();
    log.sort_by_key(|(r, _)| r.at_ns);
    log.into_iter().map(|(_, ns)| ns).collect()
}

#[test]
fn acknowledged_on_program_a_write_ends_with_its_page() {
    let got = latencies(&hierarchy(), &partial(0, &[(0, 0, 2), (1, 0, 2)]), HostOp::Write);
    assert_eq!(got, [1000 + program_ns(4), program_ns(4)]);
}

#[test]
fn acknowledged_on_buffer_a_write_ends_when_it_is_held_as_long_as_there_is_room() {
    let mut setup = hierarchy();
    // Room for six units: held ones and those being programmed.
    let values = [("merge.acknowledge", json!("on-buffer")), ("merge.buffer_bytes", json!(6 * MU))];
    assert_eq!(configure(&mut setup, &values), 2);
    let writes = partial(0, &[(0, 0, 2), (1, 0, 2), (2, 0, 2), (3, 0, 2)]);
    // Four units are being programmed when the third write comes, six when the fourth does: it
    // ends with its page, which the one plane programs behind the first.
    let first_end_ns = 1000 + program_ns(4);
    let got = latencies(&setup, &writes, HostOp::Write);
    assert_eq!(got, [0, 0, 0, first_end_ns + program_ns(4) - 3000]);
}

#[test]
fn a_full_buffer_programs_its_oldest_piece_at_once() {
    let mut setup = hierarchy();
    assert_eq!(configure(&mut setup, &[("merge.buffer_bytes", json!(6 * MU))]), 1);
    // Three pieces of three units: the third finds no room and sends the first on its way.
    let got = latencies(&setup, &partial(0, &[(0, 0, 3), (1, 0, 3), (2, 0, 3)]), HostOp::Write);
    assert_eq!(got[0], 2000 + program_ns(3));
    assert_eq!(got[1], 1_000_000 + program_ns(3));
}

#[test]
fn a_rewrite_of_what_waits_joins_it() {
    let writes = partial(0, &[(0, 0, 1), (0, 0, 1), (0, 0, 1)]);
    let sim = after(&hierarchy(), 0, &writes);
    assert_eq!(counters(&sim), [("program", "slc", "host", 1, 1)]);
    let got = latencies(&hierarchy(), &writes, HostOp::Write);
    assert_eq!(got, [0, 1000, 2000].map(|ns| 1_000_000 + program_ns(1) - ns));
}

#[test]
fn a_trim_of_what_waits_completes_its_writes() {
    for scheme in ["sa", "sector", "hierarchy"] {
        let mut setup = setup(hierarchy().device, scheme);
        configure(&mut setup, &[("slc_blocks", json!(6)), ("merge.timeout_ns", json!(1_000_000))]);
        let mut requests = partial(0, &[(0, 0, 1), (1, 0, 2)]);
        requests.push(request(5000, HostOp::Trim, 0, PAGE + MU));
        let got = latencies(&setup, &requests, HostOp::Write);
        // All of page 0 is gone; of page 1 a unit is left, which waits on.
        assert_eq!(got, [5000, 1_000_000 + program_ns(1)], "{scheme}");
        let sim = after(&setup, 0, &requests);
        assert_eq!((sim.media().mapped(), sim.media().lookup(Mu(5)).is_some()), (1, true), "{scheme}");
    }
}

#[test]
fn without_power_loss_protection_a_flush_programs_what_waits() {
    for scheme in ["sa", "sector", "hierarchy"] {
        for acknowledge in ["on-program", "on-buffer"] {
            let mut setup = setup(hierarchy().device, scheme);
            configure(&mut setup, &[("slc_blocks", json!(6)), ("merge.acknowledge", json!(acknowledge))]);
            let mut requests = partial(0, &[(0, 0, 1)]);
            requests.push(request(10_000, HostOp::Flush, 0, 0));
            assert_eq!(latencies(&setup, &requests, HostOp::Flush), [0], "{scheme}");
            setup.device.plp = false;
            let got = latencies(&setup, &requests, HostOp::Flush);
            assert_eq!(got, [program_ns(1)], "{scheme} {acknowledge}");
        }
    }
}

#[test]
fn a_flush_waits_for_acknowledged_pages_that_are_being_programmed() {
    let mut setup = hierarchy();
    configure(&mut setup, &[("merge.acknowledge", json!("on-buffer"))]);
    setup.device.plp = false;
    let mut requests = partial(0, &[(0, 0, 2), (1, 0, 2)]);
    requests.push(request(10_000, HostOp::Flush, 0, 0));
    assert_eq!(latencies(&setup, &requests, HostOp::Write), [0, 0]);
    assert_eq!(latencies(&setup, &requests, HostOp::Flush), [1000 + program_ns(4) - 10_000]);
}

#[test]
fn nothing_waits_on_a_device_whose_pages_are_mapping_units() {
    for entry in using_flash() {
        let mut setup = setup(device(versatile_pool(2, 1, 18, 8, MU as u32), 2 * 8 * 24 * MU), entry.name);
        configure(&mut setup, &[("slc_blocks", json!(6)), ("initial_slc_blocks", json!(6))]);
        configure(&mut setup, &[("fast_blocks", json!(6)), ("destage", json!("background"))]);
        let writes: Vec<_> = (0..64).map(|i| request(i * LATER, HostOp::Write, i * MU, MU)).collect();
        let got = latencies(&setup, &writes, HostOp::Write);
        // The time of the mode in which the scheme writes first.
        let mut sim = Simulation::new(&setup).unwrap();
        sim.keep_ops();
        sim.feed(&writes[..1]).unwrap();
        let dense_ns = if sim.ops()[0].mode == CellMode::Slc { 0 } else { 600_000 };
        assert!(got.iter().all(|&ns| ns == program_ns(1) + dense_ns), "{}", entry.name);
    }
}

#[test]
fn the_load_of_an_idle_device_is_zero() {
    for entry in using_flash() {
        let mut setup = setup(device(versatile_pool(2, 2, 24, 8, PAGE as u32), 16 << 20), entry.name);
        configure(&mut setup, &[("slc_blocks", json!(6))]);
        let mut sim = Simulation::new(&setup).unwrap();
        sim.feed(&crate::it::common::random(5000, 16 << 20, 6, 0.4, 100_000.0, 1)).unwrap();
        assert!((0..4).any(|unit| sim.timing().load_ns(unit) > 0), "{}", entry.name);
        sim.finish().unwrap();
        assert!((0..4).all(|unit| sim.timing().load_ns(unit) == 0), "{}", entry.name);
    }
}
