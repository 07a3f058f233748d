//! What those outside ask: which pages are programmed in time, what units have to do, and until when.

use super::engine::Timing;
use super::spec::OpId;
use super::unit::UnitPhase;
use crate::base::BlockId;

impl Timing {
    /// Whether page `page` of `block` is programmed in state but not yet in time.
    #[inline(always)]
    pub fn in_flight(&self, block: BlockId, page: u32) -> bool {
        self.ops.blocks.in_flight(block, page) && (self.stretching == 0 || !self.is_over(block, page))
    }

    /// Whether all of the first `pages` pages of `block` are programmed in time.
    #[inline(always)]
    pub fn all_done(&self, block: BlockId, pages: u32) -> bool {
        self.ops.blocks.all_done(block, pages) || (self.stretching > 0 && self.is_over(block, pages - 1))
    }

    /// The program in flight that covers `page` of `block`, if any; of a run, where there are no stretches.
    pub fn program_of(&self, block: BlockId, page: u32) -> OpId {
        self.ops.program_of(block, page)
    }

    /// Adds `count` blocks behind those of the array; the number of the first.
    pub fn add_blocks(&mut self, count: u32) -> u32 {
        let first = self.ops.blocks.last_block().0 + 1;
        self.ops.blocks.add(count as usize);
        first
    }

    /// Records that the last of the first `pages` pages of `block` is programmed without the clock;
    /// those before it are too, or in flight.
    #[inline(always)]
    pub fn set_done(&mut self, block: BlockId, pages: u32) {
        self.ops.blocks.set_done(block, pages);
    }

    /// Records that pages `first` to `end` - 1 of `block`, its last, are programmed without the clock.
    pub fn set_done_from(&mut self, block: BlockId, first: u32, end: u32) {
        self.ops.blocks.set_done_from(block, first, end);
    }

    /// Records that `block` is erased, in state: what of its former life is still to be programmed says
    /// nothing of the next.
    pub fn set_erased(&mut self, block: BlockId) {
        self.ops.blocks.set_erased(block);
    }
}

impl Timing {
    /// How long what is on the channel of `unit` still holds it, ns.
    #[inline]
    pub fn channel_wait_ns(&self, unit: u32) -> u64 {
        let u = &self.units[unit as usize];
        let (channel, is_past) = (u.channel as usize, |at_ns| self.clock.is_past(unit, at_ns));
        let until_ns = match u.phase {
            UnitPhase::Move | UnitPhase::Pair | UnitPhase::Stretch => self.move_holds_until_ns(unit),
            UnitPhase::Out if self.channels[channel].alone && is_past(u.read_end_ns) => u.until_ns,
            _ => self.busy_until_ns(channel),
        };
        until_ns.saturating_sub(self.clock.now_ns())
    }

    /// Until when what the move at work in `unit` has on the channel, or had last, holds it: the command of its
    /// read, the data of that, or the program's command and data, ns.
    #[cold]
    fn move_holds_until_ns(&self, unit: u32) -> u64 {
        let u = &self.units[unit as usize];
        let read = &self.ops[u.current];
        let (begin_ns, array_ns, read_end_ns, in_end_ns) = match self.at_work(unit) {
            Some(at) => (at.read_end_ns - at.read_ns, at.array_ns, at.read_end_ns, at.in_end_ns),
            None => (u.started_ns, read.array_ns, u.read_end_ns, u.read_end_ns + self.program_in_ns(unit)),
        };
        let command_end_ns = begin_ns + u64::from(read.in_ns);
        let is_past = |at_ns| self.clock.is_past(unit, at_ns);
        match is_past(command_end_ns + u64::from(array_ns)) {
            _ if is_past(read_end_ns) => in_end_ns,
            true => read_end_ns,
            false => command_end_ns,
        }
    }

    /// Whether nothing runs or waits in `unit`: what rests in the controller does neither.
    pub fn is_idle(&self, unit: u32) -> bool {
        self.units[unit as usize].is_idle()
    }

    /// Operations emitted to `unit` and not complete: its load.
    #[inline(always)]
    pub fn load(&self, unit: u32) -> u32 {
        let over = self.at_work(unit).map_or(0, |at| at.over);
        self.units[unit as usize].outstanding - over
    }

    /// Service time of what was emitted to `unit` and is not complete, ns: an estimate of how long a
    /// new operation would wait there, channel and priorities apart.
    #[inline(always)]
    pub fn load_ns(&self, unit: u32) -> u64 {
        let u = &self.units[unit as usize];
        if u.load_ns == 0 {
            return 0;
        }
        if let Some(at) = self.at_work(unit) {
            let has_read = self.clock.is_past(unit, at.read_end_ns);
            return u.load_ns - at.over_ns - if has_read { at.read_ns } else { 0 };
        }
        if matches!(u.phase, UnitPhase::Move | UnitPhase::Pair) && !self.is_reading(unit) {
            return u.load_ns - self.ops[u.current].service_ns();
        }
        u.load_ns
    }

    /// What all units on `channel` have to do, each as `load_ns` tells it, ns.
    #[inline]
    pub fn channel_load_ns(&self, channel: usize) -> u64 {
        self.channels[channel].units.iter().map(|&unit| self.load_ns(unit)).sum()
    }
}
