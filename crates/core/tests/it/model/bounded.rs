//! No scheme programs less to dense cells, or writes less to the disk, than what its cache cannot keep from birth
//! to death; and no version is lost on the way to them.

use crate::it::common::*;
use slcache_base::bound::Meters;
use slcache_core::metrics::report::{BoundFigures, BoundReport};

/// Holds what was programmed against the bound of the run, and that against a count of `requests` where the
/// device took them whole, in this order, with units of `unit_sectors`. `in_dense` versions of them ever lay in
/// dense cells, where that is known.
pub fn check(report: &Report, requests: Option<&[Request]>, unit_sectors: u64, in_dense: Option<u64>) {
    let bound = report.bound.as_ref().expect("it is measured");
    let name = &report.scheme.name;
    let (BoundReport::Dense(figures) | BoundReport::Disk(figures)) = bound else {
        let writes = report.host.write.requests > 0;
        assert!(name.starts_with("ips") || requests.is_none() || !writes, "{name}: {bound:?}");
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
