//! The disk as one more unit: what it is ordered to do, what waits for it, when it is awake, and how long it
//! takes, which is asked when an operation starts.

use super::channel::Channel;
use super::engine::Timing;
use super::ops::QUEUED;
use super::queues::Queues;
use super::requests::{DISK_POSITIONING, DISK_TRANSFER};
use super::spec::{OpId, OpSpec, RequestId};
use super::unit::{Unit, UnitPhase};
use crate::base::op::{Class, OpKind};
use crate::hw::config::SuspendConfig;
use crate::hw::disk::{Disk, Order};

impl Timing {
    /// Adds the disk, behind the units of the flash.
    pub fn add_disk(&mut self, disk: Disk) {
        assert!(self.disk.is_none() && self.clock.now_ns() == 0, "Invariant: one disk, at the start");
        self.disk_unit = self.units.len() as u32;
        let mut channel = Channel::new(self.channels[0].bus);
        channel.units.push(self.disk_unit);
        channel.wishes.push(0);
        let number = self.channels.len() as u32;
        self.channels.push(channel);
        let queues = Queues::new(self.disk_unit, 1, false);
        self.units.push(Unit::new(number, 0, 0, queues, SuspendConfig::default()));
        // A block of its own, whose reads are what the disk does.
        self.ops.blocks.add(1);
        self.disk = Some(Box::new(DiskUnit { disk, orders: Vec::new() }));
    }

    #[inline(always)]
    pub fn disk(&self) -> Option<&Disk> {
        self.disk.as_ref().map(|unit| &unit.disk)
    }

    /// Whether anything was emitted to the disk that is not complete.
    pub fn disk_is_ordered(&self) -> bool {
        self.disk.is_some() && self.load(self.disk_unit) > 0
    }

    /// Closes the books of the disk's energy and times: what it does from now on is counted in
    /// operations only.
    pub fn close_disk(&mut self) {
        let now_ns = self.clock.now_ns();
        if let Some(unit) = self.disk.as_mut() {
            unit.disk.settle(now_ns);
        }
    }

    /// Goes on with the closed books of the disk, from now.
    pub fn reopen_disk(&mut self) {
        let now_ns = self.clock.now_ns();
        if let Some(unit) = self.disk.as_mut() {
            unit.disk.resume(now_ns);
        }
    }

    /// Emits an operation of the disk that waits for those of `after`; its token comes back when it is
    /// complete.
    pub fn emit_disk(&mut self, op: &DiskOp, after: &[OpId]) -> OpId {
        let block = self.ops.blocks.last_block();
        // The disk keeps no order but that of priority and emission, as a block its reads.
        let spec = OpSpec {
            request: op.request,
            counts: op.counts,
            ..OpSpec::new(OpKind::Read, op.order.cause, op.class, block, self.disk_unit)
        };
        // Queued only when its order is known.
        let id = self.submit(spec, after.len() as u32 + 1);
        for &first in after {
            self.ops.wake(first, id);
        }
        let unit = self.disk.as_mut().expect("Invariant: there is a disk");
        if unit.orders.len() <= id.index() {
            unit.orders.resize(id.index() + 1, (op.order, 0));
        }
        unit.orders[id.index()] = (op.order, op.token);
        self.requests.expect_disk();
        self.fulfil(id);
        id
    }

    /// Something waits for the disk: it serves as soon as it is awake.
    #[cold]
    pub(super) fn wake_disk(&mut self, channel: usize) {
        if let Some(unit) = self.disk.as_mut() {
            self.channels[channel].busy_until_ns = unit.disk.wake(self.clock.now_ns());
        }
    }

    /// Starts an operation that was taken off the disk's queue.
    #[cold]
    pub(super) fn start_disk(&mut self, unit: u32, id: OpId, spin_up_ns: u64) {
        let now_ns = self.clock.now_ns();
        let op = &mut self.ops[id];
        op.next = OpId::NONE;
        op.clear(QUEUED);
        self.book_wait(id, spin_up_ns);
        let own = self.disk.as_mut().expect("Invariant: there is a disk");
        let (order, _) = own.orders[id.index()];
        let service = own.disk.serve(now_ns, &order);
        let positioning_ns = service.overhead_ns + service.seek_ns + service.rotation_ns;
        self.requests.add_wait(&mut self.ops, id, DISK_POSITIONING, positioning_ns);
        self.requests.add_wait(&mut self.ops, id, DISK_TRANSFER, service.transfer_ns);
        let u = &mut self.units[unit as usize];
        (u.current, u.started_ns, u.phase) = (id, now_ns, UnitPhase::Disk);
        u.read_end_ns = now_ns + positioning_ns;
        self.push_unit_event(unit, now_ns + positioning_ns + service.transfer_ns);
    }

    /// The disk has served its operation.
    #[cold]
    pub(super) fn complete_disk(&mut self, unit: u32) {
        let id = self.units[unit as usize].current;
        if let Some(own) = &self.disk {
            self.requests.finish_disk(own.orders[id.index()].1);
        }
        self.complete(unit);
    }
}

/// An operation of the disk to emit.
#[derive(Clone, Copy, Debug)]
pub struct DiskOp {
    /// What is read or written.
    pub order: Order,
    /// Priority.
    pub class: Class,
    /// The request whose latency it is part of.
    pub request: RequestId,
    /// Whether the request waits for this very operation (not only for what waits for it).
    pub counts: bool,
    /// Given back when it is complete.
    pub token: u32,
}

/// The disk, and what its operations in flight are.
#[derive(Clone)]
pub(super) struct DiskUnit {
    pub(super) disk: Disk,
    /// Order and token of each operation in flight, by its number.
    pub(super) orders: Vec<(Order, u32)>,
}
