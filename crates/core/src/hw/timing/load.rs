//! What those outside ask of units: what they have to do, and until when.

use super::engine::Timing;
use super::unit::Phase;

impl Timing {
    /// How long what is on the channel of `unit` still holds it, ns.
    #[inline]
    pub fn channel_wait_ns(&self, unit: u32) -> u64 {
        let u = &self.units[unit as usize];
        let until_ns = match self.at_work(unit) {
            Some(at) if self.clock.is_past(unit, at.read_end_ns) => at.in_end_ns,
            Some(at) => self.read_holds_until_ns(unit, u.started_ns + at.over_ns, at.read_end_ns),
            None if self.is_reading(unit) => self.read_holds_until_ns(unit, u.started_ns, u.read_end_ns),
            None if u.phase == Phase::Move => u.read_end_ns + self.program_in_ns(unit),
            None => self.busy_until_ns(u.channel as usize),
        };
        until_ns.saturating_sub(self.clock.now_ns())
    }

    /// Until when the read of the move at work in `unit`, from `begin_ns` to `end_ns`, holds the channel: until its
    /// data have crossed it, or no longer than its command where they take no time, ns.
    #[inline]
    pub(super) fn read_holds_until_ns(&self, unit: u32, begin_ns: u64, end_ns: u64) -> u64 {
        let read = &self.ops[self.units[unit as usize].current];
        match read.out_ns {
            0 => begin_ns + u64::from(read.in_ns),
            _ => end_ns,
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
        if matches!(u.phase, Phase::Move | Phase::Pair) && !self.is_reading(unit) {
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
