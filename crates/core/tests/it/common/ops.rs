//! What a short list of requests does to the flash, operation for operation.

use super::*;
use slcache_core::base::Ppn;
use slcache_core::metrics::counters::OpTotals;

/// Bytes of a logical page: four mapping units.
pub const PAGE: u64 = 16384;
/// Bytes of a mapping unit.
pub const MU: u64 = 4096;
/// Long enough for everything before to end, ns.
pub const LATER: u64 = 1_000_000_000;

/// Operations and pages by kind, mode and cause, in this order; only what occurred.
pub fn counters(sim: &Simulation) -> Vec<(&'static str, &'static str, &'static str, u64, u64)> {
    let row = |row: OpTotals| {
        (row.kind.name(), row.mode.name(), row.cause.name(), row.totals.count, row.totals.pages)
    };
    // Counters that hold only slots are no operations.
    sim.counters().iter().filter(|r| r.totals.pages > 0 || r.totals.count > 0).map(row).collect()
}

/// Mapping units programmed for `cause`.
pub fn slots(sim: &Simulation, cause: Cause) -> u64 {
    sim.counters().iter().filter(|r| r.cause == cause).map(|r| r.totals.slots).sum()
}

/// Bytes read or programmed for `cause`.
pub fn bytes(sim: &Simulation, kind: OpKind, cause: Cause) -> u64 {
    let rows = sim.counters().iter().filter(|r| r.kind == kind && r.cause == cause);
    rows.map(|row| row.totals.bytes).sum()
}

/// `channels` channels with a plane each; per plane `slc_blocks` blocks of 8 pages as a cache, reclaimed when fewer
/// than 2 are free, and 12 TLC blocks of 24 pages programmed three at a time.
pub fn cached(scheme: &str, channels: u32, slc_blocks: u32) -> Setup {
    let mut flash = pool(channels, 1, 12 + slc_blocks, 8, PAGE as u32);
    flash.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    let setup = setup(device(flash, u64::from(channels) * 8 * 24 * PAGE), scheme);
    let values = [
        ("slc_blocks", json!(slc_blocks)),
        ("slc.start_free_ratio", json!(0.0)),
        ("dense.start_free_ratio", json!(0.0)),
    ];
    with(setup, &values)
}

/// A device whose first `resident` logical pages lie in the store, after `requests`, all done.
pub fn after(setup: &Setup, resident: u32, requests: &[Request]) -> Simulation {
    let mut sim = Simulation::new(setup).unwrap_or_else(|problems| panic!("{problems:?}"));
    sim.track_versions();
    sim.keep_log();
    sim.preload(&[(0, resident)]).unwrap();
    and_then(&mut sim, requests);
    sim
}

/// Feeds further requests and lets them end.
pub fn and_then(sim: &mut Simulation, requests: &[Request]) {
    for request in requests {
        sim.feed(std::slice::from_ref(request)).unwrap();
        sim.audit().unwrap();
    }
    // A flush far behind lets everything before it finish.
    let end = requests.last().map_or(0, |r| r.at_ns) + LATER;
    rest(sim, end);
    let left = sim.timing().ops_in_flight();
    assert!(left == 0 || left == 1 && has_stage(sim), "{left} operations are left");
    sim.audit().unwrap();
}

/// Whether migrated pages may wait for a full wordline.
fn has_stage(sim: &Simulation) -> bool {
    let moved = counters(sim).into_iter().find(|c| c.0 == "program" && c.2 == "migration");
    moved.is_some_and(|(_, _, _, _, pages)| pages % 3 != 0)
}

/// Writes of whole logical pages, far apart.
pub fn writes(pages: impl IntoIterator<Item = u64>) -> Vec<Request> {
    let write = |(i, page): (usize, u64)| request(i as u64 * LATER, HostOp::Write, page * PAGE, PAGE);
    pages.into_iter().enumerate().map(write).collect()
}

/// Writes of (logical page, first unit, units), a microsecond apart, from `at_ns` on.
pub fn partial(at_ns: u64, pieces: &[(u64, u64, u64)]) -> Vec<Request> {
    let write = |(i, &(page, first, units)): (usize, &(u64, u64, u64))| {
        request(at_ns + i as u64 * 1000, HostOp::Write, page * PAGE + first * MU, units * MU)
    };
    pieces.iter().enumerate().map(write).collect()
}

/// A read of a whole logical page.
pub fn read(at_ns: u64, page: u64) -> Request {
    request(at_ns, HostOp::Read, page * PAGE, PAGE)
}

/// The flash page of each unit of a logical page.
pub fn homes(sim: &Simulation, page: u32) -> Vec<Option<Ppn>> {
    let home = |mu| sim.media().lookup(Mu(mu)).map(|slot| sim.media().array().geometry.page_of(slot));
    (page * 4..page * 4 + 4).map(home).collect()
}

/// The channel of each unit of a logical page.
pub fn channels(sim: &Simulation, page: u32) -> Vec<u32> {
    let geometry = &sim.media().array().geometry;
    let channel = |at: Ppn| geometry.planes[geometry.plane_of(geometry.block_of(at)).index()].channel;
    homes(sim, page).into_iter().flatten().map(channel).collect()
}

/// The cell mode that a unit lies in; none where no flash page holds it.
pub fn lies(sim: &Simulation, unit: u64) -> Option<CellMode> {
    let array = sim.media().array();
    let slot = sim.media().lookup(Mu(unit as u32))?;
    Some(array.block(array.geometry.block_of(array.geometry.page_of(slot))).mode())
}

/// The cell mode that each unit of a logical page lies in.
pub fn modes(sim: &Simulation, page: u32) -> Vec<CellMode> {
    (page * 4..page * 4 + 4).filter_map(|unit| lies(sim, unit.into())).collect()
}

/// How long the last request of a kind took, ns.
pub fn last_ns(sim: &Simulation, op: HostOp) -> u64 {
    sim.log().iter().rfind(|(request, _)| request.op == op).expect("a request").1
}

/// Serves a request after a pause and before another.
pub fn serve(sim: &mut Simulation, pause_ns: u64, op: HostOp, at: u64, bytes: u64) {
    let at_ns = sim.now_ns() + pause_ns;
    sim.feed(&[request(at_ns, op, at, bytes)]).unwrap();
    let at_ns = sim.now_ns() + pause_ns;
    rest(sim, at_ns);
    sim.audit().unwrap();
}
