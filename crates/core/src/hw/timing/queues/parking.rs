//! Finding the first operation of a queue that may start, however many before it may not.
//!
//! What a search passes over is *parked*: it is not looked at again until the operation that it
//! waits for is complete. The parked operations are always the front part of their queue, so the
//! next search takes the first of those that have been woken, or goes on behind the part.

use super::super::ops::{Ops, FOLLOWS};
use super::super::spec::OpId;
use super::lists::Queues;
use crate::base::op::OpKind;
use crate::base::BlockId;
use std::cmp::Reverse;

impl Queues {
    /// Whether a queue has a parked front.
    #[inline(always)]
    pub(super) fn has_parked(&self, class: usize) -> bool {
        self.parked >> class & 1 == 1
    }

    /// The first operation of a queue, in its order, that may start.
    pub fn first_startable(&mut self, ops: &mut Ops, class: usize) -> OpId {
        let head = self.head(class);
        if head.is_none() || ops.startable(head) {
            return head;
        }
        let mut id = head;
        if self.has_parked(class) {
            let woken = self.first_woken(ops, class);
            if !woken.is_none() {
                return woken;
            }
            id = self.fronts[class].rest;
        }
        while !id.is_none() && !ops.startable(id) {
            self.park(ops, id);
            id = ops[id].next;
        }
        self.fronts[class].rest = id;
        id
    }

    fn first_woken(&mut self, ops: &mut Ops, class: usize) -> OpId {
        while let Some(&Reverse((place, index))) = self.fronts[class].woken.peek() {
            let id = OpId(index);
            let (op, more) = (&ops[id], ops.more(id));
            // Its number may be another's by now, in another unit.
            let here =
                more.parked && more.place == place && op.unit == self.unit && op.class as usize == class;
            if here && ops.startable(id) {
                return id;
            }
            self.fronts[class].woken.pop();
            if here {
                self.await_reads(ops, id);
            }
        }
        OpId::NONE
    }

    fn park(&mut self, ops: &mut Ops, id: OpId) {
        let (op, more) = ops.both_mut(id);
        more.parked = true;
        let class = op.class as usize;
        self.parked |= 1 << class;
        self.fronts[class].count += 1;
        self.await_reads(ops, id);
    }

    /// Has a parked erase woken when its block's reads are complete, if it waits for nothing else.
    fn await_reads(&mut self, ops: &mut Ops, id: OpId) {
        let op = &ops[id];
        if op.kind == OpKind::Erase && !op.has(FOLLOWS) {
            let block = op.block;
            ops.blocks.park_erase(block, true);
            self.erases.insert(block.0, id);
        }
    }

    /// A parked operation no longer waits for the one before it in its block.
    #[cold]
    pub fn wake_parked(&mut self, ops: &mut Ops, id: OpId) {
        if !ops.startable(id) {
            return self.await_reads(ops, id);
        }
        let (class, place) = (ops[id].class as usize, ops.more(id).place);
        self.fronts[class].woken.push(Reverse((place, id.0)));
    }

    /// The last read of a block with a parked erase is complete.
    #[cold]
    pub fn wake_erase(&mut self, ops: &mut Ops, block: BlockId) {
        ops.blocks.park_erase(block, false);
        if let Some(id) = self.erases.remove(&block.0) {
            self.wake_parked(ops, id);
        }
    }

    /// `id` was linked into a queue with a parked front, before `next`.
    #[cold]
    pub(super) fn linked_near_parked(&mut self, ops: &mut Ops, id: OpId, next: OpId) {
        let class = ops[id].class as usize;
        let in_front = !next.is_none() && ops.more(next).parked;
        if in_front {
            self.park(ops, id);
            if ops.startable(id) {
                self.wake_parked(ops, id);
            }
        } else if self.fronts[class].rest == next {
            self.fronts[class].rest = id;
        }
    }

    /// `id` leaves a queue with a parked front.
    #[cold]
    pub(super) fn unlinked_near_parked(&mut self, ops: &mut Ops, id: OpId) {
        let (op, more) = ops.both_mut(id);
        let was_parked = std::mem::take(&mut more.parked);
        let (class, next, block) = (op.class as usize, op.next, op.block);
        let is_erase = op.kind == OpKind::Erase;
        let front = &mut self.fronts[class];
        if !was_parked {
            if front.rest == id {
                front.rest = next;
            }
            return;
        }
        front.count -= 1;
        if front.count == 0 {
            front.woken.clear();
            self.parked &= !(1 << class);
        }
        if is_erase && self.erases.get(&block.0) == Some(&id) {
            self.erases.remove(&block.0);
            ops.blocks.park_erase(block, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::base::op::{Cause, Class, OpKind, CLASSES};
    use crate::base::rng::RngStream;
    use crate::base::{BlockId, CellMode};
    use crate::hw::config::{BusConfig, ModeConfig, PlaneParallelism, PoolConfig};
    use crate::hw::geometry::Geometry;
    use crate::hw::timing::{MoveTarget, OpId, OpSpec, Timing};

    const CLASS: [Class; CLASSES] =
        [Class::Run, Class::HostRead, Class::HostWrite, Class::Urgent, Class::Background];

    fn timing(starvation_ns: u64) -> Timing {
        let mode = ModeConfig {
            read_ns: vec![20],
            program_ns: vec![200],
            program_variation: 0.0,
            erase_ns: 3000,
            copyback_ns: None,
            fold: None,
            endurance_cycles: None,
            cells: None,
            program: Default::default(),
            page_kinds: Default::default(),
        };
        let bus = BusConfig {
            ps_per_byte: 0,
            read_command_ns: 1,
            read_data_ns: 1,
            program_command_ns: 1,
            erase_command_ns: 1,
            extra_plane_read_ns: 0,
            extra_plane_program_ns: 0,
            extra_plane_erase_ns: 0,
            commands_first: false,
        };
        let pool = PoolConfig {
            name: "nand".to_owned(),
            channels: 1,
            chips: 1,
            dies: 1,
            planes: 2,
            blocks: 8,
            wordlines: 8,
            page_bytes: 4096,
            bus,
            plane_parallelism: PlaneParallelism::Serial,
            suspend: Default::default(),
            slc: Some(mode),
            mlc: None,
            tlc: None,
            qlc: None,
            reprogram: None,
        };
        assert!(pool.mode(CellMode::Slc).is_some());
        Timing::new(&Geometry::new(&[pool], 4096).expect("a valid pool"), starvation_ns)
    }

    fn spec(kind: OpKind, class: Class, block: u32) -> OpSpec {
        let spec = OpSpec::new(kind, Cause::Host, class, BlockId(block), 0);
        OpSpec { array_ns: 200, in_ns: 1, ..spec }
    }

    /// What the search stands for: the queue from its head on.
    fn by_walking(timing: &Timing, class: usize) -> OpId {
        let mut id = timing.units[0].queues.head(class);
        while !id.is_none() && !timing.ops.startable(id) {
            id = timing.ops[id].next;
        }
        id
    }

    /// One random emission, release or raise.
    fn disturb(timing: &mut Timing, rng: &mut RngStream, held: &mut Vec<OpId>) {
        let class = CLASS[rng.below(CLASSES as u32) as usize];
        let choice = if timing.ops_in_flight() > 300 { 0 } else { rng.below(8) };
        match choice {
            0 if !held.is_empty() => {
                let id = held.swap_remove(rng.below(held.len() as u32) as usize);
                timing.fulfil(id);
            }
            1 if !held.is_empty() => {
                let id = held[rng.below(held.len() as u32) as usize];
                timing.raise(id, class);
            }
            n => {
                let kind = [OpKind::Read, OpKind::Erase, OpKind::Program, OpKind::Program][n as usize % 4];
                let deps = u32::from(rng.below(4) == 0);
                let mut spec = spec(kind, class, rng.below(4));
                if n == 4 {
                    let block = BlockId(4 + rng.below(2));
                    let kind = OpKind::Program;
                    spec.then = Some(MoveTarget {
                        kind,
                        mode: CellMode::Slc,
                        block,
                        page: 0,
                        array_ns: 200,
                        in_ns: 1,
                    });
                }
                let id = timing.submit(spec, deps);
                if deps > 0 {
                    held.push(id);
                }
            }
        }
    }

    #[test]
    fn the_search_finds_what_walking_the_queue_finds() {
        for seed in 0..40 {
            let mut rng = RngStream::new(seed, "parked");
            let mut timing = timing(if seed % 2 == 0 { 0 } else { 1500 });
            if seed % 4 < 2 {
                timing.split_all_moves();
            }
            let mut held = Vec::new();
            for round in 0..3000 {
                if rng.below(3) == 0 {
                    timing.kick();
                    if timing.step().is_some() {
                        unreachable!("no device events here");
                    }
                } else {
                    disturb(&mut timing, &mut rng, &mut held);
                }
                for class in 0..CLASSES {
                    let want = by_walking(&timing, class);
                    let asked = rng.below(2) == 0;
                    assert!(
                        !asked || timing.first_startable(0, class) == want,
                        "seed {seed}, round {round}, class {class}"
                    );
                }
            }
        }
    }

    /// A hundred thousand programs behind an erase that is held, and as many that may start: a
    /// search that walked past the held ones each time would take some 10^10 steps.
    #[test]
    fn what_may_not_start_is_passed_over_once() {
        let many = 100_000;
        let mut timing = timing(0);
        let erase = timing.submit(spec(OpKind::Erase, Class::HostWrite, 0), 1);
        for block in [0, 1] {
            (0..many).for_each(|_| {
                timing.emit(spec(OpKind::Program, Class::HostWrite, block), &[]);
            });
        }
        timing.kick();
        while timing.next_ns() != u64::MAX {
            timing.step();
        }
        assert_eq!(timing.ops_in_flight(), many + 1);
        timing.fulfil(erase);
        timing.kick();
        while timing.next_ns() != u64::MAX {
            timing.step();
        }
        assert_eq!(timing.ops_in_flight(), 0);
    }
}
