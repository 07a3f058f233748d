//! Data that will cross the channel as soon as they are read, without an event at the end of the array phase.
//!
//! Where a channel has several units, something else may hold it by then, so that a read is an event at the
//! end of its array phase and one at the end of its transfer. A read that starts is given the second one
//! alone if nothing is known that could be in its way: its data are *coming*. What takes the channel beyond
//! the end of the array phase gives it the first event back. Whoever looks at a channel first lets those
//! cross it that have begun to by then.

use super::channel::Channel;
use super::engine::Timing;
use super::event::{Event, EventKind};
use super::unit::{Unit, UnitPhase};

/// Units of a channel that may have data coming: as many as a mask has bits.
const UNITS_MAX: usize = 64;

/// Has the data of the read that `u` has begun come right after its array phase.
#[inline(always)]
pub(super) fn plan(u: &mut Unit, c: &mut Channel, out_ns: u32) {
    u.phase = UnitPhase::Read;
    u.read_end_ns = u.until_ns;
    u.until_ns += u64::from(out_ns);
    c.coming |= 1 << u.bit;
    c.coming_ns = c.coming_ns.min(u.read_end_ns);
}

impl Channel {
    /// The data of `u` have begun to cross the channel.
    #[inline(always)]
    fn come(&mut self, u: &Unit) {
        self.coming &= !(1 << u.bit);
        self.busy_until_ns = self.busy_until_ns.max(u.until_ns);
        self.busy_ns += u.until_ns - u.read_end_ns;
    }
}

impl Timing {
    /// Lets reads be one event where they may.
    pub(super) fn plan_reads(&mut self, whole: bool) {
        for c in &mut self.channels {
            let in_turn = !c.bus.commands_first;
            c.plans = whole && in_turn && (2..=UNITS_MAX).contains(&c.units.len());
            c.alone = whole && c.units.len() == 1;
        }
    }

    /// `unit` has begun an operation on a settled channel where data are coming: those in the way get their
    /// event back. If it is a read, its own data come, unless others would find it so; when its event is
    /// due, ns.
    #[inline(never)]
    pub(super) fn begin_beside(&mut self, unit: u32, out_ns: u32) -> u64 {
        let u = &self.units[unit as usize];
        let (channel, from_ns) = (u.channel as usize, u.until_ns);
        self.part_coming(channel);
        let c = &self.channels[channel];
        if out_ns == 0 || from_ns == self.clock.now_ns() || !c.plans {
            return from_ns;
        }
        let until_ns = from_ns + u64::from(out_ns);
        let (mut rest, mut in_the_way) = (c.coming, 0u64);
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let other = c.units[bit as usize];
            let o = &self.units[other as usize];
            if (o.read_end_ns, other) > (from_ns, unit) {
                in_the_way |= u64::from(o.read_end_ns < until_ns) << bit;
            } else if o.until_ns > from_ns {
                return from_ns;
            }
        }
        self.part(channel, in_the_way);
        let u = &mut self.units[unit as usize];
        plan(u, &mut self.channels[channel], out_ns);
        until_ns
    }

    /// The data of the read at which `unit` is have crossed the channel.
    #[inline(always)]
    pub(super) fn end_coming(&mut self, unit: u32) {
        let u = &self.units[unit as usize];
        let channel = u.channel as usize;
        let c = &mut self.channels[channel];
        if c.coming == 1 << u.bit {
            c.come(u);
            c.coming_ns = u64::MAX;
        } else {
            self.settle_channel(channel);
        }
    }

    /// Lets the data cross a channel that have begun to by now.
    #[inline(always)]
    pub(super) fn settle_channel(&mut self, channel: usize) {
        if self.channels[channel].coming_ns <= self.clock.now_ns() {
            self.settle_coming(channel);
        }
    }

    #[inline(never)]
    pub(super) fn settle_coming(&mut self, channel: usize) {
        let (mut rest, mut next_ns) = (self.channels[channel].coming, u64::MAX);
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let unit = self.channels[channel].units[bit as usize];
            let u = &self.units[unit as usize];
            if self.clock.is_past(unit, u.read_end_ns) {
                self.channels[channel].come(u);
            } else {
                next_ns = next_ns.min(u.read_end_ns);
            }
        }
        self.channels[channel].coming_ns = next_ns;
    }

    /// Something holds a settled channel from now on: data that would find it so get their event back.
    #[inline(never)]
    pub(super) fn part_coming(&mut self, channel: usize) {
        let c = &self.channels[channel];
        let (mut rest, mut in_the_way) = (c.coming, 0u64);
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let at_ns = self.units[c.units[bit as usize] as usize].read_end_ns;
            // At the very end it is the turn of data that wait.
            let waits = at_ns < c.busy_until_ns || (at_ns == c.busy_until_ns && !c.outs.is_empty());
            in_the_way |= u64::from(waits) << bit;
        }
        self.part(channel, in_the_way);
    }

    /// Ends of array phases are events again, for those units of a channel whose bits are set.
    fn part(&mut self, channel: usize, units: u64) {
        if units == 0 {
            return;
        }
        self.channels[channel].coming &= !units;
        let mut rest = units;
        while rest != 0 {
            let unit = self.channels[channel].units[rest.trailing_zeros() as usize];
            rest &= rest - 1;
            let u = &mut self.units[unit as usize];
            (u.phase, u.void_ns) = (UnitPhase::Array, u.until_ns);
            let at_ns = u.read_end_ns;
            self.push_unit_event(unit, at_ns);
        }
        let c = &self.channels[channel];
        let mut next_ns = u64::MAX;
        let mut rest = c.coming;
        while rest != 0 {
            next_ns = next_ns.min(self.units[c.units[rest.trailing_zeros() as usize] as usize].read_end_ns);
            rest &= rest - 1;
        }
        self.channels[channel].coming_ns = next_ns;
    }

    /// Time is to go on, to the next event or to `until_ns`: what was emitted and not started yet starts before,
    /// but behind what is due now, as the end of an array phase may be.
    #[inline(always)]
    pub fn expect_start(&mut self, until_ns: u64) {
        if !self.ready.is_empty() {
            self.start_before(until_ns);
        }
    }

    #[cold]
    fn start_before(&mut self, until_ns: u64) {
        let now_ns = self.clock.now_ns();
        let ends_now = |&unit: &u32| {
            let u = &self.units[unit as usize];
            u.phase == UnitPhase::Read && u.read_end_ns == now_ns && !self.clock.is_past(unit, now_ns)
        };
        if let Some(index) = (0..self.units.len() as u32).find(ends_now) {
            self.clock.push(Event { at_ns: now_ns, kind: EventKind::Unit, index });
        } else if self.clock.next_ns().min(until_ns) > now_ns {
            self.kick();
        }
    }

    /// When a channel falls free of what has begun to cross it by now, ns.
    pub(super) fn busy_until_ns(&self, channel: usize) -> u64 {
        let c = &self.channels[channel];
        let mut until_ns = c.busy_until_ns;
        let mut rest = if c.coming_ns <= self.clock.now_ns() { c.coming } else { 0 };
        while rest != 0 {
            let unit = c.units[rest.trailing_zeros() as usize];
            rest &= rest - 1;
            let u = &self.units[unit as usize];
            if self.clock.is_past(unit, u.read_end_ns) {
                until_ns = until_ns.max(u.until_ns);
            }
        }
        until_ns
    }
}
