//! What a read moves, and in which order the parts of a logical page are read.

use crate::it::common::ops::*;
use crate::it::common::*;
use crate::it::ops_hierarchy::{hierarchy, updates_of};
use slcache_core::device::config::{PartReads, ReadTransfer};

#[test]
fn a_unit_takes_as_long_as_its_page() {
    for (transfer, moved) in [(ReadTransfer::Request, MU), (ReadTransfer::Page, PAGE)] {
        let mut setup = hierarchy(1);
        setup.device.read_transfer = transfer;
        let sim = after(&setup, 8, &[request(0, HostOp::Read, MU, MU)]);
        assert_eq!(sim.log()[0].1, 100 + 60_000 + 10 + moved);
        assert_eq!(bytes(&sim, OpKind::Read, Cause::Host), moved);
    }
}

/// How long a page takes to read of which a unit lies on another channel.
fn read_of_two_parts_ns(parts: PartReads) -> u64 {
    let mut setup = hierarchy(4);
    setup.device.part_reads = parts;
    let mut requests = vec![request(0, HostOp::Write, 0, PAGE)];
    requests.extend(updates_of(LATER, 0, 0));
    requests.push(read(2 * LATER, 0));
    let sim = after(&setup, 16, &requests);
    assert_ne!(channels(&sim, 0)[0], channels(&sim, 0)[1]);
    sim.log().iter().find(|(r, _)| r.op == HostOp::Read).unwrap().1
}

#[test]
fn parts_are_read_side_by_side_or_one_after_the_other() {
    let read_ns = |units: u64| 100 + 20_000 + 10 + units * MU;
    assert_eq!(read_of_two_parts_ns(PartReads::Together), read_ns(3));
    assert_eq!(read_of_two_parts_ns(PartReads::InTurn), read_ns(1) + read_ns(3));
}
