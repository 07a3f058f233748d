//! Who gets a channel: read data first, then commands in turn; or commands without data before all.

use super::engine::Timing;
use super::event::{Event, EventKind};
use super::requests::WAIT_CHANNEL;
use super::unit::UnitPhase;
use crate::base::op::OpKind;

impl Timing {
    pub(super) fn arm_channel(&mut self, channel: usize) {
        let c = &mut self.channels[channel];
        if !c.armed {
            c.armed = true;
            let at_ns = c.busy_until_ns.max(self.clock.now_ns());
            self.clock.push(Event { at_ns, kind: EventKind::Channel, index: channel as u32 });
        }
    }

    pub(super) fn channel_event(&mut self, channel: u32) {
        let index = channel as usize;
        self.channels[index].armed = false;
        self.settle_channel(index);
        if self.channels[index].busy_until_ns > self.clock.now_ns() {
            return self.arm_channel(index);
        }
        if self.begin_command_first(index) {
            // Data that wait leave behind it.
        } else if let Some(unit) = self.channels[index].outs.pop_front() {
            let waited_ns = self.clock.now_ns() - self.units[unit as usize].until_ns;
            self.book_out_wait(unit, waited_ns);
            self.start_out(unit);
        } else {
            while let Some(unit) = self.channels[index].next_wish() {
                if self.grant(unit) {
                    break;
                }
            }
        }
        let c = &self.channels[index];
        if c.wish_count > 0 || !c.outs.is_empty() {
            self.arm_channel(index);
        }
    }

    /// Has a unit begin what it wished the channel for; whether that needs it.
    #[inline(always)]
    fn grant(&mut self, unit: u32) -> bool {
        let u = &mut self.units[unit as usize];
        u.wishes = false;
        let waited_ns = self.clock.now_ns() - u.wish_ns;
        u.wished_ns += waited_ns;
        self.begin_next(unit, waited_ns)
    }

    /// Begins a command without data although data wait, where the channel has them go first; whether
    /// there was one.
    fn begin_command_first(&mut self, channel: usize) -> bool {
        let c = &self.channels[channel];
        if !c.bus.commands_first || c.outs.is_empty() {
            return false;
        }
        loop {
            let Self { channels, units, ops, .. } = self;
            let has_no_data = |unit: u32| {
                let queues = &units[unit as usize].queues;
                let head = queues.head(queues.mask().trailing_zeros() as usize);
                matches!(ops[head].kind, OpKind::Read | OpKind::Erase)
            };
            let Some(unit) = channels[channel].next_wish_of(has_no_data) else {
                return false;
            };
            if self.grant(unit) {
                return true;
            }
        }
    }

    pub(super) fn want_out(&mut self, unit: u32) {
        let channel = self.units[unit as usize].channel as usize;
        self.settle_channel(channel);
        let c = &mut self.channels[channel];
        let is_next = c.outs.is_empty() && !(c.bus.commands_first && c.wish_count > 0);
        if is_next && c.busy_until_ns <= self.clock.now_ns() {
            return self.start_out(unit);
        }
        c.outs.push_back(unit);
        self.units[unit as usize].phase = UnitPhase::WaitOut;
        self.part_coming(channel);
        self.arm_channel(channel);
    }

    fn start_out(&mut self, unit: u32) {
        let (_, _, out_ns) = self.command_times(unit, self.units[unit as usize].current);
        let u = &mut self.units[unit as usize];
        u.phase = UnitPhase::Out;
        let channel = u.channel as usize;
        self.channels[channel].hold(self.clock.now_ns(), out_ns);
        if self.channels[channel].coming != 0 {
            self.part_coming(channel);
        }
        let (u, end_ns) = (&mut self.units[unit as usize], self.clock.now_ns() + u64::from(out_ns));
        if u.void_ns == end_ns {
            // What was in the way has gone: there is an event.
            (u.until_ns, u.void_ns) = (end_ns, u64::MAX);
            return;
        }
        self.push_unit_event(unit, end_ns);
    }

    /// Books the wait of finished read data for the channel.
    fn book_out_wait(&mut self, unit: u32, waited_ns: u64) {
        let mut mate = self.units[unit as usize].current;
        while !mate.is_none() {
            self.requests.add_wait(&mut self.ops, mate, WAIT_CHANNEL, waited_ns);
            mate = self.ops[mate].next;
        }
    }
}
