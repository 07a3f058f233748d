//! One stream at work.

use super::super::random::{mix, Random};
use super::resolve::StreamPlan;
use slcache_base::request::{HostOp, Request};

/// Makes the requests of one stream; constant memory.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    plan: StreamPlan,
    ops: Random,
    sizes: Random,
    places: Random,
    order: Random,
    shifts: Random,
    /// Where the last read, write and trim ended, in sectors from the first.
    ends: [u64; 3],
    writes_since_flush: u64,
}

impl Stream {
    pub(super) fn new(plan: &StreamPlan, seed: u64, part: usize) -> Self {
        let mut plan = plan.clone();
        let key = mix(seed ^ mix(part as u64 + 1));
        plan.places = plan.places.map(|places| places.with_key(key));
        let random = |decision| Random::new(seed, part, decision);
        Self {
            plan,
            ops: random("op"),
            sizes: random("size"),
            places: random("place"),
            order: random("order"),
            shifts: random("shift"),
            ends: [0; 3],
            writes_since_flush: 0,
        }
    }

    /// The request that arrives at `at_ns`.
    #[inline]
    pub(super) fn request(&mut self, at_ns: u64) -> Request {
        let op = self.op();
        if op == HostOp::Flush {
            return Request { at_ns, sector: 0, sectors: 0, stream: self.plan.number, hint: 0, op };
        }
        let kind = match op {
            HostOp::Read => 0,
            HostOp::Write => 1,
            HostOp::Trim | HostOp::Flush => 2,
        };
        let sectors = self.plan.sizes[kind].draw(&mut self.sizes);
        let start = self.start(kind, u64::from(sectors));
        self.ends[kind] = start + u64::from(sectors);
        Request { at_ns, sector: self.plan.first + start, sectors, stream: self.plan.number, hint: 0, op }
    }

    /// Whether a flush follows the request just made.
    #[inline]
    pub(super) fn flush_due(&mut self, request: &Request) -> Option<Request> {
        if self.plan.writes_per_flush == 0 || request.op != HostOp::Write {
            return None;
        }
        self.writes_since_flush += 1;
        if self.writes_since_flush < self.plan.writes_per_flush {
            return None;
        }
        self.writes_since_flush = 0;
        Some(Request { sector: 0, sectors: 0, op: HostOp::Flush, ..*request })
    }

    #[inline]
    fn op(&mut self) -> HostOp {
        let StreamPlan { flush, trim, read, .. } = self.plan;
        if flush.hit(self.ops.bits()) {
            HostOp::Flush
        } else if trim.hit(self.ops.bits()) {
            HostOp::Trim
        } else if read.hit(self.ops.bits()) {
            HostOp::Read
        } else {
            HostOp::Write
        }
    }

    /// Where a request of `sectors` starts, in sectors from the stream's first.
    #[inline]
    fn start(&mut self, kind: usize, sectors: u64) -> u64 {
        let Self { plan, .. } = self;
        let last = plan.len - sectors;
        let aligned = match &plan.places {
            Some(places) if plan.random.hit(self.order.bits()) => places.draw(&mut self.places) * plan.align,
            // The next multiple of the alignment, from the beginning at the end.
            _ => match self.ends[kind].next_multiple_of(plan.align) {
                next if next > last => 0,
                next => next,
            },
        };
        // A large request drawn too near the end is moved back to the last place it fits.
        let start = if aligned > last { last - last % plan.align } else { aligned };
        match plan.unaligned {
            Some(unaligned) if unaligned.hit(self.shifts.bits()) => self.shifted(start, last),
            _ => start,
        }
    }

    /// Off the alignment, upwards where there is room.
    fn shifted(&mut self, start: u64, last: u64) -> u64 {
        let shift = 1 + self.shifts.below(self.plan.align - 1);
        if start + shift <= last {
            start + shift
        } else {
            start.saturating_sub(shift)
        }
    }
}
