//! Moves of pages as operations: emitted together, and taken off a queue one by one.

use super::engine::Timing;
use super::ids::OpId;
use super::ops::PageMove;
use super::spec::{MoveTarget, OpSpec};

impl Timing {
    /// Emits `moves`, one after the other, of which `last` is the last one: the read of a page whose data
    /// the same unit then programs. Returns the operation that stands for it. No read may wait for one of
    /// the others: what is in flight must be read from the controller.
    pub fn emit_moves(&mut self, last: OpSpec, moves: &[PageMove]) -> OpId {
        let (Some(then), [others @ .., end]) = (last.then, moves) else {
            unreachable!("Invariant: moves, each a read with its program");
        };
        // Operations that are kept are told apart from their emission on.
        if self.logged.is_some() || self.units[last.unit as usize].queues.folds(last.cause) {
            return self.emit_each(last, then, moves);
        }
        self.ops.count_emissions(others.len() as u64);
        let id = self.submit(last, 0);
        if others.is_empty() {
            return id;
        }
        let unit = last.unit as usize;
        let command_ns = last.in_ns + (last.out_ns - end.transfer_ns) + (then.in_ns - end.transfer_ns);
        self.units[unit].outstanding += others.len() as u32;
        self.ops.blocks.begin_reads(last.block, others.len() as u32);
        // A run stands in its queue from the start.
        if self.units[unit].pending == id {
            self.link_pending(last.unit);
        }
        self.units[unit].load_ns += self.ops.begin_run(id, moves, command_ns);
        // The unit is looked at again after it has started one, which then may have to pause.
        self.ready.push(last.unit);
        id
    }

    /// Emits `moves`, of which `last` is the last one, each as an operation of its own; returns the last.
    #[cold]
    fn emit_each(&mut self, last: OpSpec, then: MoveTarget, moves: &[PageMove]) -> OpId {
        let end = moves[moves.len() - 1];
        let spec = |page: &PageMove| OpSpec {
            page: page.from,
            array_ns: page.read_ns,
            out_ns: last.out_ns - end.transfer_ns + page.transfer_ns,
            then: Some(page.target(&end, then)),
            ..last
        };
        moves.iter().fold(OpId::NONE, |_, page| self.emit(spec(page), &[]))
    }
}
