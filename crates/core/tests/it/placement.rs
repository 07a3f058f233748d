//! Where neighbouring pages go when wordlines are programmed in one shot.

use crate::it::common::{configure, device, pool, request, setup, with};
use crate::it::conformance::{small, using_flash};
use serde_json::json;
use slcache_core::base::request::HostOp;
use slcache_core::base::{Mu, PlaneId};
use slcache_core::device::Simulation;

const USER: u64 = 24 << 20;
/// Planes of `small`, and pages of its wordlines.
const PLANES: usize = 4;
const WORDLINE: usize = 3;

/// The planes of the first pages that were there before time 0; none for a scheme without a choice.
fn planes(scheme: &str, placement: &str) -> Option<Vec<PlaneId>> {
    let mut setup = small(scheme, USER);
    if configure(&mut setup, &[("placement", json!(placement))]) == 0 {
        return None;
    }
    let mut sim = Simulation::new(&setup).unwrap();
    sim.preload(&[(0, 24)]).unwrap();
    let plane = |page: u32| {
        let geometry = &sim.media().array().geometry;
        geometry.plane_of(geometry.block_of(geometry.page_of(sim.media().lookup(Mu(page * 4)).unwrap())))
    };
    Some((0..24).map(plane).collect())
}

#[test]
fn neighbours_share_a_wordline_in_turn_and_lie_in_neighbouring_planes_where_striped() {
    let mut tried = 0;
    for entry in using_flash().filter(|entry| !entry.on_disk) {
        let Some(turns) = planes(entry.name, "round-robin") else { continue };
        let Some(striped) = planes(entry.name, "striped") else { panic!("{}", entry.name) };
        // Chips of two-layer blocks are programmed page by page.
        if turns[0] != turns[1] {
            continue;
        }
        tried += 1;
        assert!(turns.chunks(WORDLINE).all(|w| w.iter().all(|&p| p == w[0])), "{}: {turns:?}", entry.name);
        let round = |w: &[PlaneId]| (1..PLANES).all(|i| !w[..i].contains(&w[i]));
        assert!(striped.chunks(PLANES).all(round), "{}: {striped:?}", entry.name);
    }
    assert!(tried >= 8, "{tried}");
}

/// Two dies, each alone on its channel: one programs, the other reads, and the channels of both are free. So
/// a write takes its turn: it is not sent behind the program.
#[test]
fn a_die_that_reads_has_its_channel_free_until_the_data_cross_it() {
    let chips = pool(2, 1, 24, 8, 4096);
    let setup = with(setup(device(chips, 1 << 20), "tlc-only"), &[("placement", json!("least-loaded"))]);
    let mut sim = Simulation::new(&setup).unwrap();
    sim.preload(&[(0, 1)]).unwrap();
    let write = |at_ns, page: u64| request(at_ns, HostOp::Write, page * 4096, 4096);
    let read = request(10_000, HostOp::Read, 0, 4096);
    sim.feed(&[write(0, 40), read, write(20_000, 41)]).unwrap();
    sim.finish().unwrap();
    let plane = |page: u32| {
        let geometry = &sim.media().array().geometry;
        geometry.plane_of(geometry.block_of(geometry.page_of(sim.media().lookup(Mu(page)).unwrap())))
    };
    assert_eq!([plane(0), plane(40), plane(41)], [PlaneId(0), PlaneId(1), PlaneId(0)]);
}
