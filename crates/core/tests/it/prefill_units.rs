//! Data from before time 0 by mapping units: pages of which only a part is there.

use crate::it::common::ops::*;
use crate::it::common::*;
use crate::it::conformance::{small, using_flash};
use slcache_core::device::config::RmwTransfer;

/// Ascending ranges of mapping units: runs with holes, some over several pages.
fn ranges() -> Vec<(u32, u32)> {
    (0..60).map(|i| (i * 23, i * 23 + 1 + i % 11)).collect()
}

fn count(ranges: &[(u32, u32)]) -> u64 {
    ranges.iter().map(|(first, end)| u64::from(end - first)).sum()
}

/// One plane under `scheme`, which requests nothing of the cleaning.
fn one_plane(scheme: &str) -> Setup {
    let mut setup = setup(device(pool(1, 1, 18, 8, PAGE as u32), 8 * 24 * PAGE), scheme);
    configure(&mut setup, &[("slc_blocks", json!(4)), ("slc.start_free_ratio", json!(0.0))]);
    setup
}

/// The device with data from before time 0 in `units`, after a write of the first unit of pages 0 and 1.
fn updated(setup: &Setup, units: &[(u32, u32)]) -> Simulation {
    let mut sim = Simulation::new(setup).unwrap();
    sim.track_versions();
    sim.preload_units(units).unwrap();
    sim.audit().unwrap();
    and_then(&mut sim, &partial(0, &[(0, 0, 1), (1, 0, 1)]));
    sim
}

#[test]
fn sa_packs_updates_of_half_pages_and_not_of_whole_ones() {
    let half = updated(&one_plane("sa"), &[(0, 2), (4, 6)]);
    assert_eq!(counters(&half), [("read", "tlc", "rmw", 2, 2), ("program", "slc", "host", 1, 1)]);
    assert_eq!((slots(&half, Cause::Host), slots(&half, Cause::Rmw)), (2, 2));
    assert_eq!(homes(&half, 0)[..2], homes(&half, 1)[..2]);
    let whole = updated(&one_plane("sa"), &[(0, 8)]);
    assert_eq!(counters(&whole), [("read", "tlc", "rmw", 2, 2), ("program", "slc", "host", 2, 2)]);
    assert_eq!((slots(&whole, Cause::Host), slots(&whole, Cause::Rmw)), (2, 6));
}

#[test]
fn an_update_reads_and_keeps_only_what_is_there() {
    for (transfer, half, whole) in [(RmwTransfer::Page, 2, 4), (RmwTransfer::Request, 1, 3)] {
        let mut setup = one_plane("baseline");
        setup.device.rmw_transfer = transfer;
        for (units, each) in [(&[(0, 2), (4, 6)][..], half), (&[(0, 8)][..], whole)] {
            let sim = updated(&setup, units);
            assert_eq!(bytes(&sim, OpKind::Read, Cause::Rmw), 2 * each * MU, "{transfer:?}");
        }
    }
    // A part that covers all there is needs no read, under whatever scheme.
    for scheme in ["baseline", "sa", "sector", "hierarchy", "tlc-only"] {
        let sim = updated(&one_plane(scheme), &[(0, 1), (4, 5)]);
        assert!(counters(&sim).iter().all(|row| row.0 == "program"), "{scheme}: {:?}", counters(&sim));
    }
}

#[test]
fn a_page_with_a_hole_lies_in_one_flash_page() {
    for scheme in ["baseline", "sa", "sector", "hierarchy", "tlc-only", "turbo-write"] {
        let mut sim = Simulation::new(&one_plane(scheme)).unwrap();
        sim.preload_units(&[(0, 1), (2, 4), (7, 9)]).unwrap();
        let page = homes(&sim, 0);
        assert!(page[0].is_some() && page[1].is_none(), "{scheme}");
        assert_eq!((page[0], page[0]), (page[2], page[3]), "{scheme}");
        assert_eq!(sim.media().mapped(), 5, "{scheme}");
    }
}

#[test]
fn under_every_scheme_exactly_the_units_asked_for_are_there() {
    for entry in using_flash().filter(|entry| !entry.on_disk) {
        let mut sim = Simulation::new(&small(entry.name, 24 << 20)).unwrap();
        sim.track_versions();
        sim.preload_units(&ranges()).unwrap();
        sim.audit().unwrap();
        assert_eq!(sim.media().mapped(), count(&ranges()), "{}", entry.name);
        let there = |mu: u32| ranges().iter().any(|(first, end)| (*first..*end).contains(&mu));
        assert!((0..2000).all(|mu| sim.media().lookup(Mu(mu)).is_some() == there(mu)), "{}", entry.name);
        assert_eq!((sim.now_ns(), sim.counters().iter().count()), (0, 0), "{}: uncounted", entry.name);
        // What is there already is not placed again.
        sim.preload_units(&[(0, 2)]).unwrap();
        assert_eq!(sim.media().mapped(), count(&ranges()) + 1, "{}", entry.name);
        // What is there takes flash reads, what is not takes none and is counted.
        let read = |(i, mu): (u64, u64)| request(i * LATER, HostOp::Read, mu * MU, MU);
        let reads: Vec<_> = (0..1400).zip(0..).map(read).collect();
        sim.feed(&reads).unwrap();
        let report = sim.finish().unwrap();
        assert_eq!(report.host.unmapped_reads, 1400 - count(&ranges()) - 1, "{}", entry.name);
        // Pauses may have moved data, which loses none.
        assert_eq!(sim.media().mapped(), count(&ranges()) + 1, "{}", entry.name);
        sim.audit().unwrap();
    }
}

#[test]
fn units_that_make_up_whole_pages_are_those_pages() {
    for entry in using_flash() {
        let state = |place: &dyn Fn(&mut Simulation)| {
            let mut sim = Simulation::new(&small(entry.name, 24 << 20)).unwrap();
            place(&mut sim);
            let state = sim.save();
            serde_json::to_string(&state).unwrap()
        };
        let pages = state(&|sim| sim.preload(&[(3, 40), (90, 700)]).unwrap());
        let units = state(&|sim| sim.preload_units(&[(12, 50), (50, 160), (360, 2800)]).unwrap());
        assert!(pages == units, "{}", entry.name);
    }
}
