//! A channel, and the units on it.

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
    /// The end of a read's array phase need not be an event, as data may be coming, or as the channel has one unit
    /// alone; false are the tests' oracles.
    pub(super) plans: bool,
    pub(super) alone: bool,
    /// Units that want to start an operation.
    pub(super) wish_count: u32,
    /// The unit after which the round robin goes on.
    pub(super) last_bit: u32,
    /// Units on the channel, in the order of their bits.
    pub(super) units: Vec<u32>,
    /// Command and transfer times.
    pub(super) bus: BusConfig,
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
            alone: false,
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

    #[inline(always)]
    pub(super) fn hold(&mut self, now_ns: u64, ns: u32) {
        self.busy_until_ns = now_ns + u64::from(ns);
        self.busy_ns += u64::from(ns);
    }

    /// The next unit in round-robin order that wishes to start, taken off the list.
    pub(super) fn next_wish(&mut self) -> Option<u32> {
        self.next_wish_of(|_| true)
    }

    /// The next such unit of those that are `wanted`.
    #[inline(always)]
    pub(super) fn next_wish_of(&mut self, wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let n = self.units.len() as u32;
        let wishes = |b: u32| self.wishes[(b / 64) as usize] >> (b % 64) & 1 == 1;
        let bit = (1..=n)
            .map(|i| (self.last_bit + i) % n)
            .find(|&b| wishes(b) && wanted(self.units[b as usize]))?;
        self.wishes[(bit / 64) as usize] &= !(1 << (bit % 64));
        self.wish_count -= 1;
        self.last_bit = bit;
        Some(self.units[bit as usize])
    }
}
