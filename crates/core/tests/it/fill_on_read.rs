//! A DRAM buffer that keeps what reads bring: what the flash still does, and who waits for what.
//!
//! One plane, pages of 4 mapping units, data resident in TLC. A read of a whole page out of TLC takes
//! 60 us and the channel, a read out of the buffer 1 us.

use crate::it::common::ops::{after, and_then, bytes, counters, partial, read, slots, LATER, MU, PAGE};
use crate::it::common::{configure, device, pool, request, setup};
use slcache_core::base::op::{Cause, OpKind};
use slcache_core::base::request::{HostOp, Request};
use slcache_core::device::config::{Acknowledge, BufferConfig};
use slcache_core::device::{Setup, Simulation};

const ACCESS_NS: u64 = 1000;
/// Command, array, command and data.
const TLC_READ_NS: u64 = 100 + 60_000 + 10 + PAGE;

/// `baseline` behind a buffer of so many logical pages.
fn buffered(pages: u64) -> Setup {
    let mut setup = setup(device(pool(1, 1, 16, 8, PAGE as u32), 100 * PAGE), "baseline");
    configure(&mut setup, &[("slc_blocks", 4.into())]);
    setup.buffer = Some(BufferConfig {
        access_ns: ACCESS_NS as u32,
        fill_on_read: true,
        ..BufferConfig::new(pages * PAGE)
    });
    setup
}

fn write(at_ns: u64, page: u64) -> Request {
    request(at_ns, HostOp::Write, page * PAGE, PAGE)
}

/// Requests a second apart.
fn apart(requests: &[Request]) -> Vec<Request> {
    let at = |(i, request): (usize, &Request)| Request { at_ns: i as u64 * LATER, ..*request };
    requests.iter().enumerate().map(at).collect()
}

/// Latencies in the order of completion, without those of flushes.
fn latencies_ns(sim: &Simulation) -> Vec<u64> {
    sim.log().iter().filter(|(request, _)| request.op != HostOp::Flush).map(|(_, ns)| *ns).collect()
}

#[test]
fn what_was_read_once_is_read_from_the_buffer() {
    let requests = apart(&[read(0, 1), read(0, 1)]);
    let mut setup = buffered(4);
    let sim = after(&setup, 3, &requests);
    assert_eq!(counters(&sim), [("read", "tlc", "host", 1, 1)]);
    assert_eq!(latencies_ns(&sim), [TLC_READ_NS, ACCESS_NS]);
    setup.buffer.as_mut().unwrap().fill_on_read = false;
    let sim = after(&setup, 3, &requests);
    assert_eq!(counters(&sim), [("read", "tlc", "host", 2, 2)]);
}

#[test]
fn the_page_used_longest_ago_leaves_and_a_clean_one_costs_nothing() {
    // Page 1 is used again before page 3 comes: page 2 leaves.
    let requests = apart(&[read(0, 1), read(0, 2), read(0, 1), read(0, 3), read(0, 1), read(0, 2)]);
    let sim = after(&buffered(2), 5, &requests);
    assert_eq!(counters(&sim), [("read", "tlc", "host", 4, 4)]);
    let (hit, miss) = (ACCESS_NS, TLC_READ_NS);
    assert_eq!(latencies_ns(&sim), [miss, miss, hit, miss, hit, miss]);
}

#[test]
fn a_write_takes_the_place_of_a_clean_page_at_once() {
    let sim = after(&buffered(1), 3, &apart(&[read(0, 1), write(0, 2)]));
    assert_eq!(latencies_ns(&sim), [TLC_READ_NS, ACCESS_NS]);
    assert_eq!(counters(&sim), [("read", "tlc", "host", 1, 1)]);
}

#[test]
fn a_read_that_finds_a_dirty_buffer_has_its_oldest_page_written_back_and_does_not_wait() {
    let mut sim = after(&buffered(1), 3, &apart(&[write(0, 1), read(0, 2)]));
    assert_eq!(latencies_ns(&sim), [ACCESS_NS, TLC_READ_NS]);
    let ops = [("read", "tlc", "host", 1, 1), ("program", "slc", "host", 1, 1)];
    assert_eq!(counters(&sim), ops);
    // Page 2 has come in meanwhile.
    and_then(&mut sim, &[read(10 * LATER, 2)]);
    assert_eq!(counters(&sim), ops);
}

#[test]
fn while_a_fill_waits_for_room_nothing_is_filled_twice_and_a_write_waits_behind_it() {
    // The write-back of page 1 takes 200 us in the array. The second read of page 2 finds nothing in
    // the buffer. The write gets in when page 2, clean, has come in and gone again.
    let requests = [write(0, 1), read(1000, 2), read(2000, 2), write(3000, 3)];
    let sim = after(&buffered(1), 3, &requests);
    assert_eq!(counters(&sim), [("read", "tlc", "host", 2, 2), ("program", "slc", "host", 1, 1)]);
    let (_, waited_ns) = sim.log().iter().find(|(request, _)| *request == requests[3]).unwrap();
    assert!((200_000..400_000).contains(waited_ns), "{waited_ns}");
}

#[test]
fn only_what_was_written_is_written_back() {
    // Four units come with the read, one of them is written; page 2 pushes the page out.
    let mut requests = vec![read(0, 1)];
    requests.extend(partial(LATER, &[(1, 1, 1)]));
    requests.push(read(2 * LATER, 2));
    let sim = after(&buffered(1), 3, &requests);
    assert_eq!((slots(&sim, Cause::Host), slots(&sim, Cause::Rmw)), (1, 3));
}

#[test]
fn a_read_makes_a_unit_whole_that_was_written_in_part() {
    let half = MU / 2;
    let requests = apart(&[
        request(0, HostOp::Write, PAGE, half),
        request(0, HostOp::Read, PAGE, half), // out of flash: the buffer has only a part of the unit
        request(0, HostOp::Read, PAGE, MU),
    ]);
    let mut setup = buffered(1);
    setup.device.rmw_transfer = slcache_core::device::config::RmwTransfer::Request;
    let mut sim = after(&setup, 3, &requests);
    assert_eq!(counters(&sim), [("read", "tlc", "host", 1, 1)]);
    assert_eq!(bytes(&sim, OpKind::Read, Cause::Host), MU);
    // Written back, it needs nothing of the old unit: three others are kept.
    and_then(&mut sim, &[read(10 * LATER, 2)]);
    assert_eq!((slots(&sim, Cause::Host), slots(&sim, Cause::Rmw)), (1, 3));
    assert_eq!(bytes(&sim, OpKind::Read, Cause::Rmw), 3 * MU);
}

#[test]
fn a_read_of_part_of_a_unit_brings_all_of_it() {
    let requests = apart(&[request(0, HostOp::Read, PAGE + 512, 512), request(0, HostOp::Read, PAGE, MU)]);
    let sim = after(&buffered(1), 3, &requests);
    assert_eq!(counters(&sim), [("read", "tlc", "host", 1, 1)]);
    assert_eq!(bytes(&sim, OpKind::Read, Cause::Host), MU);
}

#[test]
fn what_is_trimmed_or_was_never_written_is_not_in_the_buffer() {
    let trim = request(0, HostOp::Trim, PAGE, PAGE);
    let sim = after(&buffered(4), 3, &apart(&[read(0, 1), trim, read(0, 1), read(0, 50), read(0, 50)]));
    assert_eq!(counters(&sim), [("read", "tlc", "host", 1, 1)]);
    assert_eq!(sim.stats().unmapped_reads, 3);
}

#[test]
fn written_through_the_buffer_keeps_reads_as_it_keeps_writes() {
    let mut setup = buffered(2);
    setup.buffer.as_mut().unwrap().acknowledge = Acknowledge::OnProgram;
    let sim = after(&setup, 5, &apart(&[write(0, 1), read(0, 2), read(0, 1), read(0, 3), read(0, 1)]));
    assert_eq!(counters(&sim), [("read", "tlc", "host", 2, 2), ("program", "slc", "host", 1, 1)]);
}

/// Behind the buffer a disk and nothing else: a read takes an average seek of 8 ms, half a turn of 10 ms
/// and the transfer at 100 MB/s.
fn on_disk() -> Setup {
    let mut on_disk = setup(device(pool(1, 1, 16, 8, PAGE as u32), 100 * PAGE), "disk-only");
    on_disk.buffer = buffered(4).buffer;
    on_disk
}

const MS: u64 = 1_000_000;
const DISK_READ_NS: u64 = 13 * MS + 10 * PAGE;

#[test]
fn a_read_of_what_another_one_fetches_from_the_disk_ends_with_it() {
    let requests = [read(0, 1), read(MS, 1), read(LATER, 1)];
    let sim = after(&on_disk(), 0, &requests);
    let mut ns = latencies_ns(&sim);
    ns.sort_unstable();
    assert_eq!(ns, [ACCESS_NS, DISK_READ_NS - MS, DISK_READ_NS]);
}

#[test]
fn a_read_of_what_was_written_during_the_fetch_comes_out_of_the_buffer() {
    let requests = [read(0, 1), write(MS, 1), read(2 * MS, 1)];
    let sim = after(&on_disk(), 0, &requests);
    assert_eq!(latencies_ns(&sim), [ACCESS_NS, ACCESS_NS, DISK_READ_NS]);
}

#[test]
fn written_in_part_during_the_fetch_a_unit_is_there_when_the_rest_has_come() {
    let requests = [read(0, 1), request(MS, HostOp::Write, PAGE, 512), read(2 * MS, 1)];
    let sim = after(&on_disk(), 0, &requests);
    assert_eq!(latencies_ns(&sim), [ACCESS_NS, DISK_READ_NS, DISK_READ_NS - 2 * MS]);
}
