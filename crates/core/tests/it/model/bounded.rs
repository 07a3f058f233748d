//! No scheme programs less to dense cells, or writes less to the disk, than what its cache cannot keep from birth
//! to death; and no version is lost on the way to them.

use crate::it::common::{configure, device, pool, request, setup};
use slcache_base::bound::Meters;
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::rng::RngStream;
use slcache_core::device::Simulation;
use slcache_core::metrics::report::{BoundFigures, BoundReport, Report};

/// Holds what was programmed against the bound of the run, and that against a count of `requests` where the
/// device took them whole, in this order, with units of `unit_sectors`. `in_dense` versions of them ever lay in
/// dense cells, where that is known.
pub fn check(report: &Report, requests: Option<&[Request]>, unit_sectors: u64, in_dense: Option<u64>) {
    let bound = report.bound.as_ref().expect("it is measured");
    holds(bound, &report.scheme.name, report.host.write.requests > 0, requests, unit_sectors, in_dense);
}

fn holds(
    bound: &BoundReport,
    name: &str,
    writes: bool,
    requests: Option<&[Request]>,
    unit_sectors: u64,
    in_dense: Option<u64>,
) {
    let (BoundReport::Dense(figures) | BoundReport::Disk(figures)) = bound else {
        let in_place = name.starts_with("ips");
        let turned = requests.is_none();
        assert!(in_place || turned || !writes, "{name}: {bound:?}");
        return;
    };
    let BoundFigures { counted, least, .. } = *figures;
    assert!(counted >= least, "{name}: {figures:?}");
    // Versions are conserved: those that never lay in dense cells were all kept, which no cache can for more
    // than the bound says; and each of the others was programmed there, and that is counted.
    if let Some(in_dense) = in_dense {
        assert!(in_dense >= least, "{name}: {in_dense} in dense cells, {figures:?}");
        assert!(counted >= in_dense, "{name}: {in_dense} in dense cells, {figures:?}");
    }
    if let Some(requests) = requests {
        let (versions, kept) = counted_apart(requests, figures.capacity_slots, unit_sectors);
        assert_eq!((figures.versions, figures.kept), (versions, kept), "{name}");
    }
}

/// How many versions `requests` write, and how many of them `slots` can keep.
fn counted_apart(requests: &[Request], slots: u64, unit_sectors: u64) -> (u64, u64) {
    let (mut meters, mut versions) = (Meters::new(&[slots as u32]), 0);
    for request in requests {
        let (first, end) = (request.sector, request.end_sector());
        let units = match request.op {
            HostOp::Write => first / unit_sectors..end.div_ceil(unit_sectors),
            HostOp::Trim => first.div_ceil(unit_sectors)..end / unit_sectors,
            HostOp::Read | HostOp::Flush => continue,
        };
        let units = units.start as u32..units.end as u32;
        let writes = request.op == HostOp::Write;
        versions += if writes { units.len() as u64 } else { 0 };
        meters.request(units, writes);
    }
    (versions, meters.finish()[0].all)
}

/// A run in which every version that leaves the cache is programmed dense once, and nothing else is.
fn run_of_small_pages() -> (BoundFigures, u64, Vec<Request>) {
    let mut setup = setup(device(pool(2, 2, 24, 16, 4096), 8 << 20), "baseline");
    configure(&mut setup, &[("slc_blocks", 6.into())]);
    let mut rng = RngStream::new(7, "rewrites");
    let write = |at_ns| request(at_ns, HostOp::Write, u64::from(rng.below(2000)) * 4096, 4096);
    let requests: Vec<Request> = (0..6000).map(|i| i * 100_000).map(write).collect();
    let mut sim = Simulation::new(&setup).unwrap();
    sim.track_versions();
    sim.measure_bound();
    sim.feed(&requests).unwrap();
    let report = sim.finish().unwrap();
    let Some(BoundReport::Dense(figures)) = report.bound else { panic!("{:?}", report.bound) };
    (figures, sim.versions_in_dense().expect("versions are tracked"), requests)
}

/// A fault of the meter, of the counters or of the scheme is seen, also where what was counted stays above
/// the bound.
#[test]
fn a_fault_of_each_side_is_caught() {
    let (figures, in_dense, requests) = run_of_small_pages();
    let is_caught = |figures: BoundFigures, in_dense| {
        let bound = BoundReport::Dense(figures);
        let check = || holds(&bound, "baseline", true, Some(&requests), 8, Some(in_dense));
        std::panic::catch_unwind(check).is_err()
    };
    assert!(!is_caught(figures, in_dense));
    assert_eq!(figures.counted, in_dense);
    assert!(figures.counted > figures.least + 1, "{figures:?}: there is room for what hides above the bound");
    // The meter keeps a version too few or too many, or has births before deaths.
    let meter = |kept| BoundFigures { kept, least: figures.versions - kept, ..figures };
    assert!(is_caught(meter(figures.kept - 1), in_dense));
    assert!(is_caught(meter(figures.kept + 1), in_dense));
    // The cache in pages where slots are meant.
    assert!(is_caught(BoundFigures { capacity_slots: figures.capacity_slots / 2, ..figures }, in_dense));
    // A migration that nobody counts, and one that never was: both leave more than the bound.
    assert!(is_caught(BoundFigures { counted: figures.counted - 1, ..figures }, in_dense));
    assert!(is_caught(figures, figures.least - 1));
    // Fewer programs than the least.
    assert!(is_caught(BoundFigures { counted: figures.least - 1, ..figures }, figures.least - 1));
}
