//! Suspension: a program or an erase gives way to reads of the host, and goes on behind them.

use super::engine::Timing;
use super::requests::WAIT_SUSPENDED;
use super::unit::UnitPhase;
use crate::base::op::{Class, OpKind};

impl Timing {
    /// Suspends the operation at work if a read of the host waits that may start, and the rules allow it.
    pub(super) fn try_suspend(&mut self, unit: u32) {
        let u = &self.units[unit as usize];
        let op = &self.ops[u.current];
        let allowed = match op.kind {
            _ if op.class == Class::Run => false,
            OpKind::Program | OpKind::Reprogram | OpKind::CopyBack => u.suspend.program,
            OpKind::Erase => u.suspend.erase,
            OpKind::Read => false,
        };
        let array_starts_ns = u.until_ns.saturating_sub(u64::from(op.array_ns));
        if !allowed || u.suspends >= u.suspend.max_suspends || self.clock.now_ns() < array_starts_ns {
            return;
        }
        // A program raised for a read may wait for this very operation: nothing would be won.
        if self.first_startable(unit, Class::HostRead as usize).is_none() {
            return;
        }
        let u = &mut self.units[unit as usize];
        u.suspended_ns = self.clock.now_ns();
        u.suspended_left_ns = u.until_ns - self.clock.now_ns();
        u.suspends += 1;
        u.phase = UnitPhase::Suspending;
        let at_ns = self.clock.now_ns() + u64::from(u.suspend.suspend_ns);
        self.push_unit_event(unit, at_ns);
    }

    /// The operation at work is suspended: the unit is free for reads.
    #[inline]
    pub(super) fn end_suspending(&mut self, unit: u32) {
        self.count_own(unit);
        self.log_command(unit);
        let u = &mut self.units[unit as usize];
        u.suspended = std::mem::take(&mut u.current);
        u.phase = UnitPhase::Idle;
        let cause = self.ops[u.suspended].cause as usize;
        u.busy_ns[cause] += self.clock.now_ns() - u.started_ns;
        self.ready.push(unit);
    }

    /// Goes on with the suspended operation.
    pub(super) fn resume(&mut self, unit: u32) {
        let now_ns = self.clock.now_ns();
        let u = &mut self.units[unit as usize];
        u.current = std::mem::take(&mut u.suspended);
        u.started_ns = now_ns;
        u.phase = UnitPhase::Array;
        let at_ns = now_ns + u64::from(u.suspend.resume_ns) + u.suspended_left_ns;
        let lost_ns = now_ns - u.suspended_ns + u64::from(u.suspend.resume_ns);
        let mut mate = u.current;
        self.push_unit_event(unit, at_ns);
        while !mate.is_none() {
            self.requests.add_wait(&mut self.ops, mate, WAIT_SUSPENDED, lost_ns);
            mate = self.ops[mate].next;
        }
    }
}
