//! What waits for a disk that sleeps: a flash block that is emptied into it, and whoever writes there next.

use crate::it::common::*;
use slcache_core::hw::disk::config::AtStart;

const PAGE: u64 = 4096;
/// An SLC program and an erase of these chips, ns.
const PROGRAM: u64 = 200_000;
const ERASE: u64 = 3_000_000;

/// Four SLC blocks of four pages, one of them in reserve and one of them cold, from which everything
/// leaves for a disk in standby.
fn four_blocks(planes: u32) -> Setup {
    let chips = free_bus(pool(1, planes, 4, 4, PAGE as u32));
    let leave = [("clean.stay_invalid_spinning", json!(1.0)), ("clean.stay_invalid_standby", json!(1.0))];
    let mut setup = with(setup(device(chips, 1024 * PAGE), "nvc-slc-only"), &leave);
    setup.device.disk.as_mut().unwrap().at_start = AtStart::Standby;
    setup
}

/// Latencies of requests that come all at once, ns.
fn latencies(setup: &Setup, requests: &[Request]) -> Vec<u64> {
    ended(setup, requests).0.log().iter().map(|(_, ns)| *ns).collect()
}

fn write(page: u64) -> Request {
    request(0, HostOp::Write, page * PAGE, PAGE)
}

#[test]
fn a_block_is_written_again_only_when_the_disk_has_what_it_held() {
    for plp in [true, false] {
        let mut setup = four_blocks(1);
        setup.device.plp = plp;
        // The thirteenth write empties the first block for the disk, the seventeenth is the first there.
        let ns = latencies(&setup, &(0..17).map(write).collect::<Vec<_>>());
        let spin_up_ns = disk().power.spin_up_ns;
        assert!(ns[..16].iter().all(|&ns| ns < spin_up_ns), "the reserve takes them: {ns:?}");
        // From the parked heads an average seek of 8 ms and half a turn of 10 ms to the first page; the next
        // three follow it. All four are still in the controller.
        let disk_ns = spin_up_ns + 8_000_000 + 5_000_000 + 4 * PAGE * 10;
        assert_eq!(ns[16], disk_ns + ERASE + PROGRAM);
    }
}

#[test]
fn clean_pages_keep_no_block_waiting() {
    let setup = four_blocks(1);
    let first = (0..12).map(|page| request(0, HostOp::Read, page * PAGE, PAGE));
    let later = |page| Request { at_ns: 10_000_000_000, ..write(page) };
    let ns = latencies(&setup, &first.chain((100..105).map(later)).collect::<Vec<_>>());
    // The disk sleeps again, and nobody wakes it.
    assert!(ns[12..].iter().all(|&ns| ns <= 5 * PROGRAM + ERASE), "{:?}", &ns[12..]);
}

/// The unit is still in the controller, or a read that may not look there waits for the disk twice.
#[test]
fn what_is_on_its_way_to_the_disk_is_read_as_it_is() {
    for (inflight_read, waits) in [(InflightRead::Buffer, false), (InflightRead::Wait, true)] {
        let mut setup = four_blocks(1);
        setup.device.inflight_read = inflight_read;
        let mut requests: Vec<Request> = (0..13).map(write).collect();
        requests.push(request(1_000_000, HostOp::Read, 0, PAGE));
        let ns = latencies(&setup, &requests);
        assert_eq!(ns[13] > disk().power.spin_up_ns / 2, waits, "{ns:?}");
    }
}
