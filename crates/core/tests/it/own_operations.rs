//! A request that waits for its own operations is served meanwhile: it waits behind nobody.

use crate::it::common::{device, pool, request, setup};
use crate::it::conservation::{mix, variants};
use slcache_core::base::request::HostOp;
use slcache_core::device::config::{Acknowledge, Replay};
use slcache_core::device::{Setup, Simulation};
use slcache_core::hw::config::PlaneParallelism;
use slcache_core::metrics::report::HostOpReport;
use slcache_core::schemes::CATALOG;

fn one_outstanding(setup: &mut Setup) {
    (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, 1);
}

fn waiting_us(host: &HostOpReport, kind: &str) -> f64 {
    host.attribution_us.wait.get(kind).copied().unwrap_or(0.0)
}

#[test]
fn with_one_request_outstanding_nothing_waits_behind_the_host() {
    let requests = mix(1500);
    let mut found = Vec::new();
    for entry in CATALOG {
        for (name, mut setup) in variants(entry.name) {
            // What has been acknowledged early is written while the next request is outstanding: by a
            // buffer, or by schemes that hold pages for a wordline and let only the last one wait.
            let early = setup.buffer.as_ref().is_some_and(|b| b.acknowledge == Acknowledge::OnBuffer)
                || name.starts_with("one-shot") && ["qlc-only", "dwa", "client"].contains(&entry.name);
            if early {
                continue;
            }
            one_outstanding(&mut setup);
            let mut sim = Simulation::new(&setup).unwrap();
            sim.feed(&requests).unwrap();
            let host = sim.finish().unwrap().host;
            for (kind, side) in [("read", &host.read), ("write", &host.write)] {
                for cause in ["host", "rmw"] {
                    let us = waiting_us(side, cause);
                    if us > 0.0 {
                        found.push(format!("{} {name}: {kind}s wait {us} us behind {cause}", entry.name));
                    }
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Array, transfer and total time of one request of `pages` pages of 4 KiB on the only die of one channel, us.
fn of_one(op: HostOp, pages: u64, planes: u32, parallelism: PlaneParallelism) -> (f64, f64, f64) {
    let mut pool = pool(1, planes, 24, 16, 4096);
    pool.plane_parallelism = parallelism;
    let mut setup = setup(device(pool, 1 << 20), "tlc-only");
    one_outstanding(&mut setup);
    let mut sim = Simulation::new(&setup).unwrap();
    let write = request(0, HostOp::Write, 0, pages * 4096);
    let requests = [write, request(1, HostOp::Read, 0, pages * 4096)];
    sim.feed(&requests).unwrap();
    let host = sim.finish().unwrap().host;
    let parts = if op == HostOp::Read { &host.read } else { &host.write }.attribution_us.clone();
    assert!(parts.wait.values().all(|&us| us == 0.0), "{op:?} of {pages}: {:?}", parts.wait);
    (parts.service["array"], parts.service["transfer"], parts.total)
}

fn assert_near((array_us, transfer_us, total_us): (f64, f64, f64), in_array_us: f64, on_channel_us: f64) {
    let near = |got: f64, want: f64| (got - want).abs() < 1e-6;
    assert!(near(array_us, in_array_us), "{array_us} us in the array, not {in_array_us}");
    assert!(near(transfer_us, on_channel_us), "{transfer_us} us on the channel, not {on_channel_us}");
    assert!(near(total_us, in_array_us + on_channel_us), "{total_us} us in all");
}

#[test]
fn the_pages_of_a_request_on_one_plane_follow_each_other() {
    for pages in [1, 2, 3, 7, 40] {
        let k = pages as f64;
        // 60 us in the array, .1 us of command and 4.106 us of transfer a page; programs 800 us.
        let read = of_one(HostOp::Read, pages, 1, PlaneParallelism::Serial);
        assert_near(read, k * 60.0, k * 4.206);
        let write = of_one(HostOp::Write, pages, 1, PlaneParallelism::Serial);
        assert_near(write, k * 800.0, k * 4.196);
    }
}

#[test]
fn so_do_the_commands_of_a_multi_plane_die() {
    for commands in [1, 2, 5] {
        let k = commands as f64;
        let write = of_one(HostOp::Write, 2 * commands, 2, PlaneParallelism::MultiPlane);
        assert_near(write, k * 800.0, k * (0.1 + 2.0 * 4.096));
    }
}
