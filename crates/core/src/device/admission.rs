//! A request's way through the device: it arrives, is admitted, served, and leaves.

use super::config::Replay;
use super::control::Fed;
use super::front::Ends;
use super::requests::{HostRequest, RequestOwner, RequestStage};
use super::{RunError, Simulation};
use crate::base::request::{HostOp, Request, SECTOR_BYTES};
use crate::base::room::Room;
use crate::base::units::TIME_LIMIT_NS;
use crate::base::Mu;
use crate::ftl::by_regions::ByRegions;
use crate::ftl::scheme::Scheme;
use crate::ftl::window::WindowCounters;
use crate::hw::timing::event::EventKind;
use crate::hw::timing::RequestId;

/// How many requests ahead map entries, block records and reverse entries are fetched.
const MAP_AHEAD: usize = 8;
const BLOCK_AHEAD: usize = 4;
const TAGS_AHEAD: usize = 2;
/// Requests between two looks at the order to stop and at the room there is.
const LOOK_EVERY: usize = 256;

impl Simulation {
    /// Simulates the requests in order; earlier ones may still be in flight when it returns.
    pub fn feed(&mut self, requests: &[Request]) -> Result<(), RunError> {
        let mut taken = 0;
        while taken < requests.len() {
            taken += self.feed_control(&requests[taken..])?.taken;
        }
        Ok(())
    }

    /// Simulates requests until a window of the controller is over, or there are no more. The request
    /// before which it ends has arrived and is not taken: feed the rest, from it on, next.
    pub fn feed_control(&mut self, requests: &[Request]) -> Result<Fed, RunError> {
        let has_windows = self.control.has_length() || self.window.has_length();
        let retires = self.io.retires();
        // What no request changes is looked up once.
        let to_mu = self.mu_shift - SECTOR_BYTES.trailing_zeros();
        let is_scaled = self.setup.host.time_scale != 1.0;
        for (taken, request) in requests.iter().enumerate() {
            self.look_ahead(requests, taken, to_mu);
            self.fed += 1;
            if taken % LOOK_EVERY == 0 {
                self.look()?;
                self.make_room()?;
            }
            self.check(request)?;
            if retires && self.has_ended() {
                self.leave_unserved(&requests[taken..])?;
                break;
            }
            let arrived_ns = self.await_turn(request, is_scaled);
            if retires && self.has_ended() {
                self.leave_unserved(&requests[taken..])?;
                break;
            }
            if self.full.is_none() {
                if has_windows {
                    if self.control.is_complete() || self.window.is_complete() {
                        let window = self.end_windows_before(request);
                        if window.is_some() {
                            self.fed -= 1;
                            return Ok(Fed { taken, window });
                        }
                    }
                    self.count_in_windows(request);
                }
                if self.full.is_none() {
                    self.enter(request, arrived_ns);
                }
            }
            if self.full.is_some() {
                self.take_failure()?;
            }
        }
        Ok(Fed { taken: requests.len(), window: None })
    }

    /// Makes room for more requests at a time before it is needed: later, a lack of memory would end
    /// the process without a word.
    fn make_room(&mut self) -> Result<(), RunError> {
        let done = self
            .pending
            .make_room()
            .and_then(|()| self.requests.make_room())
            .and_then(|()| self.waiting.make_room())
            .and_then(|()| self.keepers.make_room())
            .and_then(|()| self.flushing.make_room())
            .and_then(|()| self.io.timing_mut().make_room());
        done.map_err(|_| RunError::OutOfMemory { index: self.fed, backlog: self.backlog() })
    }

    /// Ends the windows that are over before `request`; returns the controller's. What the scheme does
    /// at the end of its own belongs to the controller's next one, as what the controller does.
    #[cold]
    fn end_windows_before(&mut self, request: &Request) -> Option<WindowCounters> {
        let is_over = self.control.is_over_before(request);
        let over = is_over.then(|| self.control.end(self.io.counters(), self.io.now_ns()));
        if self.window.is_over_before(request) {
            self.end_scheme_window();
        }
        over
    }

    #[inline(never)]
    fn count_in_windows(&mut self, request: &Request) {
        // What the end of a window could not do ends the run.
        if self.full.is_none() {
            self.window.count(request);
            self.control.count(request);
        }
    }

    /// Tells the scheme that its window is over.
    fn end_scheme_window(&mut self) {
        let counters = self.window.end(self.io.counters(), self.io.now_ns());
        let result = self.io.at_leisure(|io| self.scheme.window(&counters, io));
        self.note_full(result);
        if self.levels.is_some() {
            self.note_window();
        }
    }

    /// Fetches what the requests a little further on will touch first: their map entry, then the
    /// block record it leads to, then the reverse entry.
    #[inline(always)]
    fn look_ahead(&self, requests: &[Request], i: usize, to_mu: u32) {
        let Some(coming) = requests.get(i..i + MAP_AHEAD + 1) else { return };
        let media = self.io.media();
        let mu = |ahead: usize| Mu((coming[ahead].sector >> to_mu) as u32);
        media.prefetch_map(mu(MAP_AHEAD));
        media.prefetch_block(mu(BLOCK_AHEAD));
        media.prefetch_tags(mu(TAGS_AHEAD));
    }

    #[inline(always)]
    pub(super) fn check(&self, request: &Request) -> Result<(), RunError> {
        let room = self.user_sectors.saturating_sub(request.sector);
        // A size of 0 becomes the largest. A flush carries no address.
        if u64::from(request.sectors).wrapping_sub(1) >= room && request.op != HostOp::Flush {
            return Err(self.refusal(request));
        }
        Ok(())
    }

    /// What is wrong with a request that `check` refuses.
    #[cold]
    fn refusal(&self, request: &Request) -> RunError {
        if request.sectors == 0 {
            return RunError::ZeroSize { index: self.fed, sector: request.sector };
        }
        let end = (u128::from(request.sector) + u128::from(request.sectors)) * u128::from(SECTOR_BYTES);
        RunError::OutOfRange {
            index: self.fed,
            sector: request.sector,
            sectors: request.sectors,
            end: u64::try_from(end).unwrap_or(u64::MAX),
            user_bytes: self.setup.device.user_bytes,
        }
    }

    /// Lets time pass until the request arrives: when the trace says, or when it is its turn. Returns
    /// that time.
    #[inline(always)]
    fn await_turn(&mut self, request: &Request, is_scaled: bool) -> u64 {
        if self.setup.host.replay == Replay::Closed {
            let depth = self.setup.host.queue_depth;
            while self.of_stream(request.stream) >= depth && self.step() {}
            return self.io.now_ns();
        }
        let mut at_ns = request.at_ns;
        if is_scaled {
            at_ns = self.scaled(at_ns);
        }
        if at_ns >= TIME_LIMIT_NS {
            self.out_of_time(at_ns);
            return at_ns;
        }
        let at_ns = at_ns.max(self.io.now_ns());
        self.last_arrival_ns = at_ns;
        self.run_until(at_ns);
        self.io.timing_mut().set_now(at_ns);
        at_ns
    }

    /// A time of the trace as it is replayed. Out of line: converting forth and back takes a dozen
    /// instructions.
    #[inline(never)]
    fn scaled(&self, at_ns: u64) -> u64 {
        (at_ns as f64 * self.setup.host.time_scale) as u64
    }

    /// Counts a request that has arrived and admits it, or lets it wait for a place in the device.
    #[inline(always)]
    fn enter(&mut self, request: &Request, arrived_ns: u64) {
        let open = self.is_open_replay();
        let depth = self.setup.host.queue_depth;
        if open && depth > 0 && self.in_flight >= depth {
            self.pending.push_back((arrived_ns, *request));
        } else {
            self.admit(request, arrived_ns);
        }
        if open {
            self.backlog_max = self.backlog_max.max(self.backlog());
        }
    }

    #[inline]
    fn admit(&mut self, request: &Request, arrived_ns: u64) {
        self.in_flight += 1;
        if !self.is_open_replay() {
            self.enter_stream(request.stream);
        }
        let now_ns = self.io.now_ns();
        let id = self.add_request(RequestOwner::Host(HostRequest::new(*request, arrived_ns, now_ns)));
        let served_ns = if self.front.is_none() { now_ns } else { self.come_in(id) };
        self.note_admitted(id);
        if served_ns > now_ns {
            return self.io.timing_mut().schedule(served_ns, EventKind::DeviceFirst, id.0);
        }
        self.serve(id, request);
        self.io.timing_mut().kick();
        self.settle();
    }

    /// When a request that comes now is in the device: the FTL can have it.
    #[inline(never)]
    fn come_in(&mut self, id: RequestId) -> u64 {
        let record = self.requests.host(id);
        let now_ns = record.admitted_ns;
        self.front.as_mut().map_or(now_ns, |front| front.come_in(record, now_ns))
    }

    /// Has timing count the operations that `client` waits for, held once until `release_request`.
    #[inline(always)]
    pub(super) fn add_request(&mut self, client: RequestOwner) -> RequestId {
        let id = self.io.timing_mut().add_request();
        self.requests.insert(id, client);
        id
    }

    #[inline(always)]
    fn enter_stream(&mut self, stream: u16) {
        let stream = usize::from(stream);
        if stream >= self.by_stream.len() {
            self.by_stream.resize(stream + 1, 0);
        }
        self.by_stream[stream] += 1;
    }

    /// Requests of a stream in the device.
    #[inline(always)]
    fn of_stream(&self, stream: u16) -> u32 {
        self.by_stream.get(usize::from(stream)).copied().unwrap_or(0)
    }

    /// Hands a request whose data have come to the FTL.
    pub(super) fn start(&mut self, id: RequestId) {
        let request = self.requests.host(id).request;
        self.serve(id, &request);
    }

    /// Hands a request to the FTL, once its entries of the map are there.
    #[inline]
    fn serve(&mut self, id: RequestId, request: &Request) {
        if !(self.io.has_map_cache() && self.look_up(id, request)) {
            self.hand_over(id, request);
        }
    }

    /// Hands a request to the FTL.
    #[inline]
    pub(super) fn hand_over(&mut self, id: RequestId, request: &Request) {
        match request.op {
            HostOp::Read | HostOp::Write => {
                let result = self.cut(id, request);
                if result.is_err() {
                    self.note_full(result);
                    self.refuse(id);
                }
            }
            HostOp::Trim => self.trim(request),
            HostOp::Flush => self.flush(id),
        }
        self.io.timing_mut().release_request(id);
    }

    /// All flash work of a request is done.
    // Apart: in the loop around it the addresses of all its fields would be reckoned beforehand, once a request.
    #[inline(never)]
    pub(super) fn finished(&mut self, id: RequestId) {
        let now_ns = self.io.now_ns();
        let record = match self.requests.client(id) {
            RequestOwner::Host(record) if record.stage == RequestStage::Inside => record,
            RequestOwner::Host(HostRequest { stage: RequestStage::Looking, .. }) => {
                return self.looked_up(id)
            }
            RequestOwner::Host(_) => {
                self.end_waiting(id);
                self.requests.host(id)
            }
            RequestOwner::WriteBack(written) => {
                let written = *written;
                if self.write_back_looked_up(id) {
                    return;
                }
                self.tell_waiting(id, &written);
                self.io.timing_mut().remove_request(id);
                return self.written_back(written);
            }
        };
        let mut end_ns = now_ns + u64::from(record.buffer_ns);
        if let (HostOp::Read, Some(front)) = (record.request.op, self.front.as_mut()) {
            end_ns = front.go_out(record, end_ns);
        }
        let stream = record.request.stream;
        if end_ns > now_ns {
            record.stage = RequestStage::Returning;
            self.io.timing_mut().schedule(end_ns, EventKind::DeviceFirst, id.0);
            return self.book(id, end_ns);
        }
        self.book(id, end_ns);
        self.leave(id, stream);
    }

    /// Records a request that is complete at `end_ns`.
    #[inline(always)]
    fn book(&mut self, id: RequestId, end_ns: u64) {
        if self.watched {
            if self.take_refusal(id) {
                return;
            }
            self.tell_watchers(id, end_ns);
        }
        let Self { requests, io, stats, front, .. } = self;
        let record = &*requests.host(id);
        let ends = front.as_ref().map_or_else(Ends::default, |front| front.ends(record));
        let Request { op, .. } = record.request;
        let bytes = record.request.bytes();
        let latency_ns = end_ns - record.arrived_ns();
        stats.last_completion_ns = stats.last_completion_ns.max(end_ns);
        if op == HostOp::Trim {
            stats.trims += 1;
            stats.trim_bytes += bytes;
            return;
        }
        let (path, wait) = io.timing().path(id);
        let bucket = stats.of(op).record(latency_ns, record, ends, path, wait);
        if op == HostOp::Flush {
            return;
        }
        if io.series().is_over(end_ns) {
            let live = self.scheme.cache_live_bytes(io);
            io.series_mut().advance(end_ns, live);
        }
        io.series_mut().complete(op, bytes, latency_ns, bucket);
        if op == HostOp::Write {
            self.note_halves();
        }
    }

    /// A request leaves the device; the next pending one may enter.
    #[inline(always)]
    pub(super) fn leave(&mut self, id: RequestId, stream: u16) {
        self.in_flight -= 1;
        if !self.is_open_replay() {
            let host = &self.setup.host;
            if host.turnaround_ns | host.turnaround_ps_per_byte > 0 {
                return self.turn_around(id);
            }
            self.by_stream[usize::from(stream)] -= 1;
        }
        self.io.timing_mut().remove_request(id);
        if let Some((arrived_ns, request)) = self.pending.pop_front() {
            self.admit(&request, arrived_ns);
        }
    }
    /// The host takes its time before it uses the place of a complete request again.
    #[cold]
    fn turn_around(&mut self, id: RequestId) {
        let record = self.requests.host(id);
        record.stage = RequestStage::Complete;
        let at_ns = self.io.now_ns() + self.setup.host.turnaround_ns(record.request.bytes());
        self.io.timing_mut().schedule(at_ns, EventKind::DeviceFirst, id.0);
    }

    /// The place of a complete request in its stream's queue is free.
    pub(super) fn free_place(&mut self, id: RequestId, stream: u16) {
        self.io.timing_mut().remove_request(id);
        self.by_stream[usize::from(stream)] -= 1;
    }
}
