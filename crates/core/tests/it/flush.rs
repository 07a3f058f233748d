//! What does a flush wait for?

use crate::it::common::*;
use slcache_core::ftl::config::Placement;
use slcache_core::schemes::SchemeConfig;

const PAGE: u64 = 4096;

/// Two planes, pages by static placement; the first page of a block is fast, the second slow; a
/// write-back buffer of one page without power-loss protection.
fn buffered(plp: bool) -> Setup {
    let mut p = pool(1, 2, 16, 16, PAGE as u32);
    let mut tlc = mode(60_000, 0, 3_000_000);
    tlc.program_ns = vec![200_000, 800_000, 800_000];
    p.tlc = Some(tlc);
    let mut d = device(p, 512 * PAGE);
    d.plp = plp;
    let mut s = setup(d, "tlc-only");
    s.buffer = Some(BufferConfig::new(PAGE));
    if let SchemeConfig::TlcOnly(config) = &mut s.scheme {
        config.placement = Placement::Static;
    }
    s
}

fn flush_latencies_ns(s: &Setup) -> Vec<u64> {
    let ms = 1_000_000;
    let write = |at_ns, page| request(at_ns, HostOp::Write, page * PAGE, PAGE);
    let flush = |at_ns| request(at_ns, HostOp::Flush, 0, 0);
    let mut sim = Simulation::new(s).unwrap();
    sim.keep_log();
    // Page 0 takes plane 0's fast page; page 2, its slow one. While that is written back, page 1
    // is pushed out to plane 1's fast page and is done first.
    let requests = [
        write(0, 0),
        flush(ms),
        write(10 * ms, 2),
        flush(11 * ms),
        write(11 * ms + 1, 1),
        write(11 * ms + 2, 3),
    ];
    sim.feed(&requests).unwrap();
    sim.finish().unwrap();
    let flushes = sim.log().iter().filter(|(r, _)| r.op == HostOp::Flush);
    flushes.map(|&(_, ns)| ns).collect()
}

#[test]
fn a_flush_waits_for_all_that_was_acknowledged_before_it_unless_power_loss_does_not_matter() {
    // Command 100 ns and 4096 ns of data, then the array: 200 us for page 0, 800 us for page 2.
    assert_eq!(flush_latencies_ns(&buffered(false)), [204_196, 804_196]);
    assert_eq!(flush_latencies_ns(&buffered(true)), [0, 0]);
}
