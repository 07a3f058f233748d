//! A channel, and who gets it: read data first, then commands in turn.

use super::engine::Timing;
use super::event::{Event, EventKind};
use super::requests::WAIT_CHANNEL;
use super::unit::Phase;
use crate::hw::config::BusConfig;
use std::collections::VecDeque;

/// A channel: carries one command or transfer at a time.
#[derive(Clone)]
pub(super) struct Channel {
    /// When it falls free, ns.
    pub(super) busy_until_ns: u64,
    /// A wake-up at that time is pending.
    pub(super) armed: bool,
    /// Units whose read data wait, first come first served.
    pub(super) outs: VecDeque<u32>,
    /// Bit per unit that wants to start an operation.
    pub(super) wishes: Vec<u64>,
    /// Bit per unit whose data are coming: see `coming`.
    pub(super) coming: u64,
    /// When the first of them begin to cross the channel, ns (`u64::MAX`: never).
    pub(super) coming_ns: u64,
    /// The end of a read's array phase need not be an event; false is the tests' oracle.
    pub(super) plans: bool,
    /// Units that want to start an operation.
    pub(super) wish_count: u32,
    /// The unit after which the round robin goes on.
    pub(super) last_bit: u32,
    /// Units on the channel, in the order of their bits.
    pub(super) units: Vec<u32>,
    /// Command and transfer times.
    pub(super) bus: BusConfig,
    /// Time the channel was used, ns.
    pub(super) busy_ns: u64,
}

impl Channel {
    /// A free channel.
    pub(super) fn new(bus: BusConfig) -> Self {
        Self {
            busy_until_ns: 0,
            armed: false,
            outs: VecDeque::new(),
            wishes: Vec::new(),
            coming: 0,
            coming_ns: u64::MAX,
            plans: false,
            wish_count: 0,
            last_bit: 0,
            units: Vec::new(),
            bus,
            busy_ns: 0,
        }
    }

    /// Whether an operation may take the channel now without passing anyone.
    #[inline(always)]
    pub(super) fn open(&self, now_ns: u64) -> bool {
        self.busy_until_ns <= now_ns && self.wish_count == 0 && self.outs.is_empty()
    }

    /// Holds the channel from `now_ns` for `ns`.
    #[inline(always)]
    pub(super) fn hold(&mut self, now_ns: u64, ns: u32) {
        self.busy_until_ns = now_ns + u64::from(ns);
        self.busy_ns += u64::from(ns);
    }

    /// The next unit in round-robin order that wishes to start, taken off the list.
    pub(super) fn next_wish(&mut self) -> Option<u32> {
        let n = self.units.len() as u32;
        let bit = (1..=n)
            .map(|i| (self.last_bit + i) % n)
            .find(|&b| self.wishes[(b / 64) as usize] >> (b % 64) & 1 == 1)?;
        self.wishes[(bit / 64) as usize] &= !(1 << (bit % 64));
        self.wish_count -= 1;
        self.last_bit = bit;
        Some(self.units[bit as usize])
    }
}

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
        if let Some(unit) = self.channels[index].outs.pop_front() {
            let waited_ns = self.clock.now_ns() - self.units[unit as usize].until_ns;
            self.book_out_wait(unit, waited_ns);
            self.start_out(unit);
        } else {
            while let Some(unit) = self.channels[index].next_wish() {
                let u = &mut self.units[unit as usize];
                u.wishes = false;
                let waited_ns = self.clock.now_ns() - u.wish_ns;
                u.wished_ns += waited_ns;
                if self.begin_next(unit, waited_ns) {
                    break;
                }
            }
        }
        let c = &self.channels[index];
        if c.wish_count > 0 || !c.outs.is_empty() {
            self.arm_channel(index);
        }
    }

    pub(super) fn want_out(&mut self, unit: u32) {
        let channel = self.units[unit as usize].channel as usize;
        self.settle_channel(channel);
        let c = &mut self.channels[channel];
        if c.busy_until_ns <= self.clock.now_ns() && c.outs.is_empty() {
            return self.start_out(unit);
        }
        c.outs.push_back(unit);
        self.units[unit as usize].phase = Phase::WaitOut;
        self.part_coming(channel);
        self.arm_channel(channel);
    }

    fn start_out(&mut self, unit: u32) {
        let (_, _, out_ns) = self.command_times(unit, self.units[unit as usize].current);
        let u = &mut self.units[unit as usize];
        u.phase = Phase::Out;
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
