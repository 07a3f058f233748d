//! Where neighbouring pages go when wordlines are programmed in one shot.

use crate::it::common::*;
use crate::it::conformance::{in_flash, small};

const USER: u64 = 24 << 20;
/// Planes of `small`, and pages of its wordlines.
const PLANES: usize = 4;
const WORDLINE: usize = 3;

fn plane_of(sim: &Simulation, page: u32) -> PlaneId {
    let geometry = &sim.media().array().geometry;
    geometry.plane_of(geometry.block_of(geometry.page_of(sim.media().lookup(Mu(page * 4)).unwrap())))
}

/// A device of `scheme`; none for a scheme without a choice.
fn placed(scheme: &str, placement: &str) -> Option<Simulation> {
    let mut setup = small(scheme, USER);
    let chosen = configure(&mut setup, &[("placement", json!(placement))]) > 0;
    chosen.then(|| Simulation::new(&setup).unwrap())
}

#[test]
fn neighbours_share_a_wordline_in_turn_and_lie_in_neighbouring_planes_where_striped() {
    let mut tried = 0;
    for entry in in_flash() {
        let [turns, striped] = ["round-robin", "striped"].map(|placement| {
            let mut sim = placed(entry.name, placement)?;
            sim.preload(&[(0, 24)]).unwrap();
            Some((0..24).map(|page| plane_of(&sim, page)).collect::<Vec<_>>())
        });
        let (Some(turns), Some(striped)) = (turns, striped) else { continue };
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

/// Whole pages, several times the SLC cache, with room enough in every plane.
#[test]
fn static_placement_keeps_a_page_on_its_plane_for_life() {
    for entry in in_flash() {
        let Some(mut sim) = placed(entry.name, "static") else {
            assert_eq!(entry.name, "ust", "its logical blocks have their planes anyway");
            continue;
        };
        let page = |i: u64| request(i * 1_000, HostOp::Write, i * 7 % 1000 * 16384, 16384);
        let requests: Vec<_> = (0..2000).map(page).collect();
        foresee(&mut sim, &requests);
        sim.feed(&requests).unwrap();
        sim.finish().unwrap();
        let strayed = (4..1000).filter(|&page| plane_of(&sim, page) != plane_of(&sim, page % 4)).count();
        assert_eq!(strayed, 0, "{}: pages away from the plane of their number", entry.name);
    }
}
