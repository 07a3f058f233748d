//! What the two tiers hold, and what they wait for.

use super::*;

#[test]
fn what_was_written_lately_is_not_forced_out() {
    let mut sim = watched(&holding(8, &[("force_after_writes", json!(6))]));
    write_units(&mut sim, 0..8);
    sim.turn(0, 0.1).unwrap();
    // Six write requests later the surplus is due, of which only 0, 1 and 2 were not written meanwhile.
    write_units(&mut sim, [3, 4, 5, 6, 7, 3]);
    pause(&mut sim);
    assert_eq!([0, 1, 2, 3].map(|unit| lies(&sim, unit)), [DENSE, DENSE, DENSE, FAST]);
    assert_eq!(figure_now(&sim), 5.0);
}

#[test]
fn the_fast_tier_never_holds_more_than_it_can_be_written_with() {
    // 400 blocks: 7 are held back, which leaves more than 97 %.
    let mut setup = pair("hyssd-static", &[("utilisation", json!(0.97))]);
    setup.device.pool[0].blocks = 400;
    setup.device.user_bytes = 900 * UNIT;
    let mut sim = watched(&setup);
    let most = (0.97 * 400.0 * 2.0) as u64;
    for request in random(6_000, setup.device.user_bytes, 4, 0.0, 2_000_000.0, 3) {
        sim.feed(&[request]).unwrap();
        assert!(live_slots(&sim, 0) <= 2 * most);
    }
    let report = sim.finish().unwrap();
    assert_eq!(figure(&report, "utilisation_max"), 0.97);
    assert_eq!(live_slots(&sim, 0), 2 * most, "it is full");
    sim.audit().unwrap();
}

/// Live mapping units in a pool's blocks.
fn live_slots(sim: &Simulation, pool: u8) -> u64 {
    let array = sim.media().array();
    let in_pool = |block: &slcache_core::base::BlockId| {
        array.geometry.planes[array.geometry.plane_of(*block).index()].pool == pool
    };
    array.used_blocks().filter(in_pool).map(|block| u64::from(array.block(block).live())).sum()
}

#[test]
fn the_tiers_wait_for_each_other_only_through_a_destage() {
    let mut sim = watched(&holding(4, &[]));
    write_units(&mut sim, 0..6);
    // Hits of the fast tier all the while that the dense one is read: neither notices the other.
    let start_ns = sim.now_ns() + LATER;
    let write = |i: u64| request(start_ns + i * 400_000, HostOp::Write, (2 + i % 4) * UNIT, UNIT);
    let read = |i: u64| request(start_ns + i * 60_000, HostOp::Read, (i % 2) * UNIT, UNIT);
    let mut both: Vec<Request> = (0..18).map(write).chain((0..200).map(read)).collect();
    both.sort_by_key(|request| request.at_ns);
    let before = sim.log().len();
    sim.feed(&both).unwrap();
    rest(&mut sim, start_ns + LATER);
    for (request, ns) in sim.log()[before..].iter().filter(|(r, _)| r.op != HostOp::Flush) {
        let want = if request.op == HostOp::Read { 60_000 } else { 400_000 };
        assert_eq!(*ns, want, "{request:?}");
    }
    assert!(sim.ops().iter().all(|op| op.cause != Cause::Gc));
}
