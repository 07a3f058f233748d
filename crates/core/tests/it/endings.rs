//! Devices that once stood still or fell over: each found by the model tests, here by itself.

use crate::it::common::*;

/// A read waits for a program that waits for the suspended one: what is suspended must go on.
#[test]
fn a_suspended_program_goes_on_where_the_read_waits_for_it() {
    let mut flash = pool(1, 1, 12, 4, 4096);
    (flash.suspend.program, flash.suspend.max_suspends) = (true, 1);
    let mut setup = setup(device(flash, 12 * 4096), "tlc-only");
    setup.device.inflight_read = InflightRead::Wait;
    let mut sim = Simulation::new(&setup).unwrap();
    let page = |at_ns, op, page: u64| request(at_ns, op, page * 4096, 4096);
    sim.feed(&[page(0, HostOp::Write, 0), page(0, HostOp::Write, 1), page(300_000, HostOp::Read, 1)])
        .unwrap();
    let report = sim.finish().unwrap();
    assert_eq!((report.host.requests, sim.timing().ops_in_flight()), (3, 0));
}

/// A scheme is asked for idle work in its own pool only, whichever comes first.
#[test]
fn idle_work_stays_in_the_pool_of_the_scheme() {
    for own_first in [true, false] {
        let mut other = pool(1, 2, 6, 4, 4096);
        (other.name, other.tlc) = ("other".into(), None);
        let mut setup = setup(device(pool(1, 2, 16, 4, 4096), 64 * 4096), "turbo-write");
        setup.device.pool.insert(usize::from(own_first), other);
        configure(&mut setup, &[("slc_blocks", 3.into())]);
        setup.precondition.fill = 1.0;
        let mut sim = Simulation::new(&setup).unwrap();
        sim.precondition(&mut |_, _| true).unwrap();
        let mut restored = crate::it::common::restart::again(&setup, &sim);
        restored.feed(&[request(200_000_000, HostOp::Write, 0, 4096)]).unwrap();
        restored.finish().unwrap();
        restored.audit().unwrap();
    }
}

/// Requests that are on the link when the run ends bring no idle work with them, which would leave
/// pages staged for ever.
#[test]
fn a_run_ends_while_requests_are_on_the_link() {
    let mut flash = pool(1, 1, 18, 4, 4096);
    flash.tlc = Some(mode(60_000, 800_000, 3_000_000));
    flash.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    let pages = (18 - 4) * 12;
    let mut setup = setup(device(flash, pages * 4096), "tlc-only");
    let idle = json!(0.5);
    configure(&mut setup, &[("clean.idle_free_ratio", idle), ("idle.threshold_ns", 10_000.into())]);
    setup.host.link = Some(LinkConfig {
        lanes: 1,
        lane_mb_per_s: 1,
        payload_bytes: 256,
        header_bytes: 24,
        read_overhead_ns: 0,
        write_overhead_ns: 0,
    });
    for seed in 0..20 {
        let mut sim = Simulation::new(&setup).unwrap();
        sim.feed(&random(400, pages * 4096, 1, 0.0, 1.0, seed)).unwrap();
        sim.finish().unwrap();
        assert_eq!(sim.timing().ops_in_flight(), 0);
    }
}

/// Without power-loss protection each victim is followed by padding, which must not become the next
/// victim's only gain.
#[test]
fn idle_cleaning_ends_though_every_step_pads() {
    let mut flash = pool(1, 1, 18, 4, 4096);
    flash.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    let mut setup = setup(device(flash, (18 - 4) * 12 * 4096), "tlc-only");
    setup.device.plp = false;
    configure(&mut setup, &[("clean.idle_free_ratio", json!(0.5))]);
    (setup.precondition.fill, setup.precondition.overwrite) = (1.0, 1.0);
    let mut sim = Simulation::new(&setup).unwrap();
    sim.precondition(&mut |_, _| true).unwrap();
    sim.audit().unwrap();
}

/// A read that waits for a program is not waited for by a wordline that an erase waits for: its data are in
/// the controller, and its request may be over before it.
#[test]
fn a_read_that_nothing_waits_for_outlives_its_request() {
    let mut flash = pool(1, 2, 12, 4, 16384);
    flash.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    let user_bytes = 2 * (12 - 4) * 12 * 16384;
    let mut setup = setup(device(flash, user_bytes), "tlc-only");
    (setup.device.plp, setup.device.inflight_read) = (false, InflightRead::Wait);
    configure(&mut setup, &[("placement", json!("least-loaded"))]);
    for seed in 0..20 {
        let mut sim = Simulation::new(&setup).unwrap();
        sim.feed(&random(2_000, user_bytes / 8, 3, 0.1, 50_000.0, seed)).unwrap();
        sim.finish().unwrap();
        assert_eq!(sim.timing().ops_in_flight(), 0);
    }
}
