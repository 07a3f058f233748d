//! A request that waits for its own operations is served meanwhile: it waits behind nobody.

use crate::it::common::*;
use crate::it::conservation::{mix, variants};

#[test]
fn with_one_request_outstanding_nothing_waits_behind_the_host() {
    let requests = mix(1000);
    for (i, entry) in CATALOG.iter().enumerate() {
        // Every variant of some scheme: the neighbours in the catalogue have the others.
        for (name, setup) in variants(entry.name).into_iter().skip(i % few(3)).step_by(few(3)) {
            // What has been acknowledged early is written while the next request is outstanding: by a
            // buffer, or by schemes that hold pages for a wordline and let only the last one wait.
            let early = setup.buffer.as_ref().is_some_and(|b| b.acknowledge == Acknowledge::OnBuffer)
                || name.starts_with("one-shot") && ["qlc-only", "dwa", "client"].contains(&entry.name);
            if early {
                continue;
            }
            let mut sim = Simulation::new(&closed(setup, 1)).unwrap();
            sim.feed(&requests).unwrap();
            let host = sim.finish().unwrap().host;
            for side in [&host.read, &host.write] {
                let wait = &side.attribution_us.wait;
                let none = ["host", "rmw"].iter().all(|&cause| wait.get(cause).is_none_or(|&us| us == 0.0));
                assert!(none, "{} {name}: {wait:?}", entry.name);
            }
        }
    }
}

/// Array, transfer and total time of one request of `pages` pages of 4 KiB on the only die of one channel, us.
fn of_one(op: HostOp, pages: u64, planes: u32, parallelism: PlaneParallelism) -> (f64, f64, f64) {
    let mut pool = pool(1, planes, 24, 16, 4096);
    pool.plane_parallelism = parallelism;
    let mut sim = Simulation::new(&closed(setup(device(pool, 1 << 20), "tlc-only"), 1)).unwrap();
    let write = request(0, HostOp::Write, 0, pages * 4096);
    let requests = [write, request(1, HostOp::Read, 0, pages * 4096)];
    sim.feed(&requests).unwrap();
    let host = sim.finish().unwrap().host;
    let parts = if op == HostOp::Read { &host.read } else { &host.write }.attribution_us.clone();
    assert!(parts.wait.values().all(|&us| us == 0.0), "{op:?} of {pages}: {:?}", parts.wait);
    (parts.service["array"], parts.service["transfer"], parts.total)
}

/// 60 us in the array for a read, 800 us for a program; 0.1 us of command and 4.106 us or 4.096 us of transfer.
#[test]
fn the_pages_of_a_request_on_one_plane_follow_each_other_and_so_do_the_commands_of_a_die() {
    use PlaneParallelism::{MultiPlane, Serial};
    let near = |got: f64, want: f64| assert!((got - want).abs() < 1e-6, "{got} us, not {want}");
    for k in [1, 2, 3, 7, 40] {
        for (op, planes, parallelism, array_us, channel_us) in [
            (HostOp::Read, 1, Serial, 60.0, 4.206),
            (HostOp::Write, 1, Serial, 800.0, 4.196),
            (HostOp::Write, 2, MultiPlane, 800.0, 0.1 + 2.0 * 4.096),
        ] {
            let found = of_one(op, k * u64::from(planes), planes, parallelism);
            near(found.0, k as f64 * array_us);
            near(found.1, k as f64 * channel_us);
            near(found.2, k as f64 * (array_us + channel_us));
        }
    }
}
