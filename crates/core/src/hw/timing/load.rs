//! What those outside ask of units: what they have to do, and until when.

use super::engine::Timing;
use super::unit::Phase;

impl Timing {
    /// How long what is on the channel of `unit` still holds it, ns.
    #[inline]
    pub fn channel_wait_ns(&self, unit: u32) -> u64 {
        let u = &self.units[unit as usize];
        let (channel, is_past) = (u.channel as usize, |at_ns| self.clock.is_past(unit, at_ns));
        let until_ns = match u.phase {
            Phase::Move | Phase::Pair | Phase::Stretch => self.move_holds_until_ns(unit),
            Phase::Out if self.channels[channel].alone && is_past(u.read_end_ns) => u.until_ns,
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
