//! The event loop: events happen, requests complete, idle time is offered, the run ends.

use super::requests::{HostRequest, RequestOwner, RequestStage};
use super::{RunError, Simulation};
use crate::base::units::TIME_LIMIT_NS;
use crate::base::{Gap, PlaneId};
use crate::ftl::answer::{DeviceFull, Idle};
use crate::ftl::by_regions::ByRegions;
use crate::ftl::scheme::Scheme;
use crate::ftl::wakeup::Wakeup;
use crate::hw::timing::event::{Event, EventKind};
use crate::hw::timing::{RequestId, Waiter};

/// Requests in the device whose records the caches still hold when each ends.
const IN_CACHE: u32 = 4096;
/// Events between two looks at the order to stop.
const LOOK_EVERY: usize = 256;

impl Simulation {
    /// Handles the next event; false if there is none.
    #[inline]
    pub(super) fn step(&mut self) -> bool {
        self.io.timing_mut().expect_start(u64::MAX);
        let next_ns = self.io.timing().next_ns();
        if next_ns >= TIME_LIMIT_NS {
            if next_ns != u64::MAX {
                self.out_of_time(next_ns);
            }
            return false;
        }
        if let Some(event) = self.io.timing_mut().step() {
            self.device_event(event);
        }
        self.settle();
        true
    }

    /// Handles the events up to `at_ns`, a time within the limit.
    #[inline(always)]
    pub(super) fn run_until(&mut self, at_ns: u64) {
        loop {
            self.io.timing_mut().expect_start(at_ns);
            if self.io.timing().next_ns() > at_ns {
                return;
            }
            if let Some(event) = self.io.timing_mut().run_until(at_ns) {
                self.device_event(event);
            }
            self.settle();
        }
    }

    /// Time would pass the limit: the run ends with this error.
    #[cold]
    pub(super) fn out_of_time(&mut self, at_ns: u64) {
        self.full.get_or_insert(RunError::TimeLimit { index: self.fed, at_ns });
    }

    /// Completes what has finished and offers idle time that is due.
    #[inline]
    pub(super) fn settle(&mut self) {
        while let Some(waiter) = self.io.timing_mut().take_finished() {
            match waiter {
                Waiter::Request(id) => {
                    if self.in_flight > IN_CACHE {
                        self.requests.prefetch(self.io.timing().next_request());
                    }
                    self.finished(id);
                }
                Waiter::Notice(token) => self.hear_notice(token),
                Waiter::Held(id) => self.end_hold(id),
                Waiter::Disk(token) => self.end_disk_op(token),
            }
        }
        while let Some(unit) = self.io.timing_mut().take_idle_due() {
            self.offer_idle(unit);
        }
    }

    /// A notice is due; apart, as what follows is: the loop above is short without them.
    #[inline(never)]
    fn hear_notice(&mut self, token: u32) {
        self.end_early_write(token);
        self.io.timing_mut().kick();
    }

    /// What a request was held for is complete: if for more than its map entries, a flush.
    #[inline(never)]
    fn end_hold(&mut self, id: RequestId) {
        self.io.timing_mut().set_gap(id, Gap::Flush);
        self.io.timing_mut().release_request(id);
    }

    #[cold]
    fn device_event(&mut self, event: Event) {
        match event.kind {
            EventKind::DeviceFirst => self.request_event(RequestId(event.index)),
            EventKind::DeviceLast => match Wakeup::from_number(event.index) {
                Wakeup::StageDue(plane) => self.scheme.stage_due(plane, &mut self.io),
                Wakeup::Timer => self.wake_scheme(event.at_ns),
                Wakeup::Upkeep(plane) => self.keep_up(plane),
                Wakeup::Patrol => _ = self.io.patrol(),
                Wakeup::StripeEnd => self.stripe_ended(),
                Wakeup::BufferDue => self.buffer_due(),
            },
            EventKind::Unit | EventKind::Channel | EventKind::Idle => {
                unreachable!("Invariant: the engine handles its own events")
            }
        }
        self.io.timing_mut().kick();
    }

    /// The disk has served an operation: those who waited for what it brings go on.
    #[cold]
    fn end_disk_op(&mut self, token: u32) {
        for request in self.io.traffic().end(token) {
            self.io.timing_mut().set_gap(request, Gap::Fetch);
            self.io.timing_mut().release_request(request);
        }
    }

    /// A request's data have come from the host, or are with it, or the host is ready for the next one.
    fn request_event(&mut self, id: RequestId) {
        let RequestOwner::Host(HostRequest { stage, request, .. }) = *self.requests.client(id) else {
            return self.io.timing_mut().release_request(id);
        };
        match stage {
            RequestStage::Inside => self.start(id),
            RequestStage::Looking => self.io.timing_mut().release_request(id),
            RequestStage::Returning => self.leave(id, request.stream),
            RequestStage::Complete => self.free_place(id, request.stream),
            RequestStage::Waiting => unreachable!("Invariant: nothing of it is on its way"),
        }
    }

    /// Wakes the scheme, unless it has meanwhile been woken for an earlier time.
    fn wake_scheme(&mut self, at_ns: u64) {
        if self.io.take_wake(at_ns) {
            let result = self.scheme.timer(&mut self.io);
            self.note_full(result);
        }
    }

    /// Keeps the first failure until the feeding or finishing of the run reports it.
    pub(super) fn note_full(&mut self, result: Result<(), DeviceFull>) {
        if let Err(source) = result {
            if self.io.retires() && self.io.ends_full() {
                return;
            }
            let error = self.stopped(self.fed, source);
            self.full.get_or_insert(error);
        }
    }

    /// Why the scheme cannot go on, at request `index`.
    #[cold]
    pub(super) fn stopped(&self, index: u64, source: DeviceFull) -> RunError {
        match self.scheme.failure() {
            Some(message) => RunError::Policy { index, message },
            None => RunError::Full { index, source },
        }
    }

    /// The failure that was kept, if any.
    #[cold]
    pub(super) fn take_failure(&mut self) -> Result<(), RunError> {
        self.full.take().map_or(Ok(()), Err)
    }

    #[inline(never)]
    fn offer_idle(&mut self, unit: u32) {
        // Hours of idle time may lie between two requests: nothing more is begun in them.
        if self.stop.is_ordered() {
            self.full.get_or_insert(RunError::Cancelled);
            return;
        }
        let (first_plane, mut planes) = self.io.timing_mut().idle_planes(unit);
        while planes != 0 {
            let in_die = planes.trailing_zeros() as u8;
            planes &= planes - 1;
            let plane = PlaneId(first_plane + u32::from(in_die));
            match self.idle_step(plane) {
                // Planes that fold share commands: the others of the die are asked too.
                Idle::Step if self.io.timing().is_folding(unit) => {}
                Idle::Step => break,
                Idle::Nothing => self.io.timing_mut().mark_idle_work(unit, in_die, false),
                Idle::Failed => {
                    self.io.timing_mut().mark_idle_work(unit, in_die, false);
                    self.note_full(Err(DeviceFull));
                }
            }
        }
        if self.levels.is_some() {
            self.note_levels();
        }
        self.io.timing_mut().kick();
    }

    /// Offers idle time in `plane` to the scheme, if it uses the plane.
    fn idle_step(&mut self, plane: PlaneId) -> Idle {
        match self.uses(plane) {
            true if self.keep_up_idle(plane) => Idle::Step,
            true => self.io.at_leisure(|io| self.scheme.idle(plane, io)),
            false => Idle::Nothing,
        }
    }

    /// Whether the scheme uses `plane`.
    pub(super) fn uses(&self, plane: PlaneId) -> bool {
        let pool = self.io.geometry().planes[plane.index()].pool;
        self.scheme_pools >> pool & 1 == 1
    }

    fn run_out(&mut self) -> Result<(), RunError> {
        loop {
            self.look()?;
            for _ in 0..LOOK_EVERY {
                if !self.step() {
                    return Ok(());
                }
            }
        }
    }

    /// Looks whether to stop.
    pub(super) fn look(&self) -> Result<(), RunError> {
        if self.stop.is_ordered() {
            return Err(RunError::Cancelled);
        }
        Ok(())
    }

    /// Lets the scheme move the next part of what may not stay in its cache; false at the end.
    fn drain_scheme(&mut self) -> bool {
        match self.io.at_leisure(|io| self.scheme.drain(io)) {
            Ok(more) => more,
            Err(full) => {
                self.note_full(Err(full));
                false
            }
        }
    }

    /// With a disk: completes the host's requests, up to which its energy counts.
    fn close_disk_books(&mut self) {
        if self.io.has_disk() {
            while self.in_flight > 0 && self.step() {}
            self.io.timing_mut().close_disk();
        }
    }

    /// Pads what is staged until nothing is: a read that waits for a staged page may let more be staged.
    fn finish_staged(&mut self) -> Result<(), RunError> {
        loop {
            let began_ns = self.io.now_ns();
            let result = self.scheme.finish(&mut self.io);
            self.note_full(result);
            self.io.timing_mut().kick();
            self.run_out()?;
            if self.io.timing().ops_in_flight() == 0 || self.io.now_ns() == began_ns {
                return Ok(());
            }
        }
    }

    /// Ends the run: everything in flight completes, the buffer is written back, nothing stays staged.
    pub(super) fn drain(&mut self) -> Result<(), RunError> {
        self.drop_pending();
        self.close_disk_books();
        // Requests that are still on their way find work for idle time, which is not to come.
        self.io.timing_mut().set_ending(true);
        self.run_out()?;
        self.end_of_host();
        self.write_back_all();
        self.run_out()?;
        self.drop_clean();
        while self.drain_scheme() {
            self.io.timing_mut().kick();
            self.run_out()?;
        }
        self.finish_staged()?;
        self.io.timing_mut().set_ending(false);
        if let Some(front) = self.front.as_mut() {
            front.rest();
        }
        self.io.timing_mut().reopen_disk();
        // What the end cut off goes on if anything comes after it.
        self.io.mark_all_idle_work();
        self.take_failure()?;
        if self.has_ended() {
            self.give_up_in_flight();
            return Ok(());
        }
        let (requests, ops) = (self.in_flight, self.io.timing().ops_in_flight());
        assert!(
            requests == 0 && ops == 0,
            "Invariant: {requests} requests and {ops} operations never ended: {}",
            self.io.timing().describe_stuck()
        );
        debug_assert!(self.io.timing().has_no_paths(), "Invariant: what is complete waits for nothing");
        Ok(())
    }
}
