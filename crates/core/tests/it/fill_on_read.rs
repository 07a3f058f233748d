//! A DRAM buffer that keeps what reads bring: what the flash still does, and who waits for what.
//!
//! One plane, pages of 4 mapping units, data resident in TLC. A read of a whole page out of TLC takes
//! 60 us and the channel, a read out of the buffer 1 us.

use crate::it::common::ops::{after, and_then, bytes, counters, read, slots, LATER, MU, PAGE};
use crate::it::common::*;

const ACCESS_NS: u64 = 1000;
/// Command, array, command and data.
const TLC_READ_NS: u64 = 100 + 60_000 + 10 + PAGE;

/// `baseline` behind a buffer of so many logical pages.
fn buffered(pages: u64) -> Setup {
    let setup = setup(device(pool(1, 1, 16, 8, PAGE as u32), 100 * PAGE), "baseline");
    let access_ns = ACCESS_NS as u32;
    let buffer = BufferConfig { access_ns, fill_on_read: true, ..BufferConfig::new(pages * PAGE) };
    Setup { buffer: Some(buffer), ..with(setup, &[("slc_blocks", 4.into())]) }
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

/// Requests far apart: what each takes, and how many flash reads and programs there are.
#[test]
fn what_was_read_is_in_the_buffer_until_what_was_used_later_pushes_it_out() {
    let (hit, miss, program) = (ACCESS_NS, TLC_READ_NS, 100 + PAGE + 200_000);
    let (mut unfilled, mut through) = (buffered(4), buffered(2));
    unfilled.buffer.as_mut().unwrap().fill_on_read = false;
    through.buffer.as_mut().unwrap().acknowledge = Acknowledge::OnProgram;
    let (r, w) = (|page| read(0, page), |page| write(0, page));
    let trim = request(0, HostOp::Trim, PAGE, PAGE);
    let (part, unit) = (request(0, HostOp::Read, PAGE + 512, 512), request(0, HostOp::Read, PAGE, MU));
    for (setup, requests, want_ns, reads, programs) in [
        (buffered(4), vec![r(1), r(1)], vec![miss, hit], 1, 0),
        (unfilled, vec![r(1), r(1)], vec![miss, miss], 2, 0),
        // Page 1 is used again before page 3 comes: page 2 leaves, which costs nothing.
        (buffered(2), vec![r(1), r(2), r(1), r(3), r(1), r(2)], vec![miss, miss, hit, miss, hit, miss], 4, 0),
        // A write takes the place of a clean page at once.
        (buffered(1), vec![r(1), w(2)], vec![miss, hit], 1, 0),
        // A read that finds the buffer dirty has its oldest page written back and does not wait.
        (buffered(1), vec![w(1), r(2), r(2)], vec![hit, miss, hit], 1, 1),
        // A read of part of a unit brings all of it.
        (buffered(1), vec![part, unit], vec![miss - PAGE + MU, hit], 1, 0),
        // What is trimmed or was never written is not in the buffer.
        (buffered(4), vec![r(1), trim, r(1), r(50), r(50)], vec![miss, 0, 0, 0], 1, 0),
        // Written through it, too.
        (through, vec![w(1), r(2), r(1), r(3), r(1)], vec![program, miss, hit, miss, hit], 2, 1),
    ] {
        let sim = after(&setup, 5, &apart(&requests));
        assert_eq!(latencies_ns(&sim), want_ns, "{requests:?}");
        let of = |kind| counters(&sim).iter().filter(|row| row.0 == kind).map(|row| row.3).sum::<u64>();
        assert_eq!((of("read"), of("program")), (reads, programs), "{requests:?}");
    }
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

/// Behind the buffer a disk and nothing else: a read takes an average seek of 8 ms, half a turn of 10 ms
/// and the transfer at 100 MB/s.
fn on_disk() -> Setup {
    let mut on_disk = setup(device(pool(1, 1, 16, 8, PAGE as u32), 100 * PAGE), "disk-only");
    on_disk.buffer = buffered(4).buffer;
    on_disk
}

const MS: u64 = 1_000_000;
const DISK_READ_NS: u64 = 13 * MS + 10 * PAGE;

/// What another read fetches from the disk ends with it, what is written meanwhile comes out of the buffer, and
/// what is written in part is there when the rest has come.
#[test]
fn a_read_during_a_fetch_from_the_disk_waits_for_what_it_lacks() {
    let part = request(MS, HostOp::Write, PAGE, 512);
    for (requests, want_ns) in [
        ([read(0, 1), read(MS, 1), read(LATER, 1)], [DISK_READ_NS, DISK_READ_NS - MS, ACCESS_NS]),
        ([read(0, 1), write(MS, 1), read(2 * MS, 1)], [DISK_READ_NS, ACCESS_NS, ACCESS_NS]),
        ([read(0, 1), part, read(2 * MS, 1)], [DISK_READ_NS, ACCESS_NS, DISK_READ_NS - 2 * MS]),
    ] {
        let sim = after(&on_disk(), 0, &requests);
        let took = |request| sim.log().iter().find(|(logged, _)| *logged == request).unwrap().1;
        assert_eq!(requests.map(took), want_ns);
    }
}
