//! Every request with its times and where they went, for whoever asked for it.

use super::front::Ends;
use super::keepers::KeptTime;
use super::requests::HostRequest;
use super::Simulation;
use crate::base::op::{Cause, Gap, CAUSES};
use crate::base::request::{HostOp, Request};
use crate::hw::timing::{
    LoggedOperation, RequestId, RequestPath, WaitTime, DISK_POSITIONING, DISK_TRANSFER, RETRY, WAIT_CHANNEL,
    WAIT_ORDER, WAIT_SOURCE, WAIT_SPIN_UP, WAIT_SUSPENDED,
};
use crate::metrics::components::{COMPONENTS, KEEPERS, RETRIES, SERVICES};

/// Waiting for room in a buffer.
const BUFFER: usize = SERVICES + CAUSES + 8;

/// A request that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedRequest {
    /// Its place in the order of arrival, from 0.
    pub number: u64,
    /// The request; its time is when it arrived at the host queue.
    pub request: Request,
    pub admitted_ns: u64,
    pub completed_ns: u64,
    /// Where the time between went, ns; they add up to it.
    pub components_ns: [u64; COMPONENTS],
}

/// Requests that are complete, until they are taken, and the numbers of those that are not.
#[derive(Clone, Default)]
pub(super) struct RequestLog {
    admitted: u64,
    numbers: Vec<u64>,
    complete: Vec<LoggedRequest>,
}

impl RequestLog {
    /// Numbers a request; they are admitted in the order of their arrival.
    pub(super) fn admit(&mut self, id: RequestId) -> u64 {
        let index = id.0 as usize;
        if index >= self.numbers.len() {
            self.numbers.resize(index + 1, 0);
        }
        self.numbers[index] = self.admitted;
        self.admitted += 1;
        self.numbers[index]
    }

    /// Notes a request that is complete at `end_ns`.
    pub(super) fn complete(
        &mut self,
        id: RequestId,
        record: &HostRequest,
        ends: Ends,
        end_ns: u64,
        (path, wait): (&RequestPath, Option<&WaitTime>),
        kept_ns: Option<&KeptTime>,
    ) {
        let mut components_ns = components(record, ends, end_ns - record.arrived_ns(), path, wait);
        if let Some(kept_ns) = kept_ns {
            components_ns[COMPONENTS - KEEPERS..].copy_from_slice(kept_ns);
            components_ns[BUFFER] -= kept_ns.iter().sum::<u64>();
        }
        self.complete.push(LoggedRequest {
            number: self.numbers[id.0 as usize],
            request: record.request,
            admitted_ns: record.admitted_ns,
            completed_ns: end_ns,
            components_ns,
        });
    }
}

/// Where a latency went; what nothing else explains is the gap before the path.
fn components(
    record: &HostRequest,
    ends: Ends,
    latency_ns: u64,
    path: &RequestPath,
    wait: Option<&WaitTime>,
) -> [u64; COMPONENTS] {
    let waited = |kind: usize| wait.map_or(0, |wait| wait[kind]);
    let mut parts = [0; COMPONENTS];
    let served = [path.array_ns, path.bus_ns, ends.link_ns, u64::from(record.buffer_ns)];
    parts[..4].copy_from_slice(&served);
    parts[4] = waited(DISK_POSITIONING);
    parts[5] = waited(DISK_TRANSFER);
    parts[6] = ends.controller_ns;
    parts[RETRIES] = waited(RETRY);
    for (cause, part) in parts[SERVICES..SERVICES + CAUSES].iter_mut().enumerate() {
        *part = waited(cause);
    }
    let kinds = [WAIT_CHANNEL, WAIT_ORDER, WAIT_SOURCE, WAIT_SUSPENDED, WAIT_SPIN_UP];
    let others = &mut parts[SERVICES + CAUSES..];
    for (part, kind) in others.iter_mut().zip(kinds) {
        *part = waited(kind);
    }
    others[9] = record.admitted_ns - record.arrived_ns();
    others[10] = record.link_wait_ns;
    others[11] = record.map_ns;
    others[12] = record.controller_wait_ns;
    let explained_ns: u64 = parts.iter().sum();
    if let Some(gap) = gap_component(path.gap) {
        parts[gap] += latency_ns.saturating_sub(explained_ns);
    }
    parts
}

fn gap_component(gap: Gap) -> Option<usize> {
    let first = SERVICES + CAUSES;
    match gap {
        Gap::None => None,
        Gap::Fetch => Some(first + 5),
        Gap::Stage => Some(first + 6),
        Gap::Merge => Some(first + 7),
        Gap::Buffer | Gap::Room => Some(BUFFER),
        Gap::Flush => Some(SERVICES + Cause::Flush as usize),
    }
}

impl Simulation {
    /// Numbers a request that has just been admitted, if anybody asked.
    #[inline(always)]
    pub(super) fn note_admitted(&mut self, id: RequestId) {
        if self.watched {
            self.number(id);
        }
    }

    #[cold]
    fn number(&mut self, id: RequestId) {
        if let Some(log) = self.request_log.as_mut() {
            let number = log.admit(id);
            self.io.timing_mut().number_request(id, Some(number));
        }
        self.note_levels();
    }

    /// Tells whoever asked for it of a request that is complete at `end_ns`.
    #[cold]
    pub(super) fn tell_watchers(&mut self, id: RequestId, end_ns: u64) {
        let record = *self.requests.host(id);
        let latency_ns = end_ns - record.arrived_ns();
        if let Some(log) = self.request_log.as_mut() {
            let ends = self.front.as_ref().map_or_else(Ends::default, |front| front.ends(&record));
            let path = self.io.timing().path(id);
            let kept_ns = (path.0.gap == Gap::Room).then(|| self.keepers.taken(id));
            log.complete(id, &record, ends, end_ns, path, kept_ns);
            self.io.timing_mut().number_request(id, None);
        }
        if record.request.op == HostOp::Trim {
            return;
        }
        self.io.take_read_error(id);
        if let Some(completed) = self.completed.as_mut() {
            completed.record(record.request.op, latency_ns);
        }
        if let Some(log) = self.log.as_mut() {
            log.push((record.request, latency_ns));
        }
    }

    /// Keeps every request with its times, from those that arrive next on, until they are taken.
    pub fn log_requests(&mut self) {
        self.request_log = Some(RequestLog::default());
        self.watched = true;
    }

    /// Keeps every operation as well, of those requests and of the device's own work.
    pub fn log_operations(&mut self) {
        self.io.timing_mut().log_operations();
    }

    /// Takes the operations that ended since, in the order of their ends, into `ended`, whose own are
    /// forgotten.
    pub fn take_operations(&mut self, ended: &mut Vec<LoggedOperation>) {
        self.io.timing_mut().take_operations(ended);
    }

    /// Takes the requests that were completed since, in the order of their completion, into `complete`,
    /// whose own are forgotten.
    pub fn take_logged(&mut self, complete: &mut Vec<LoggedRequest>) {
        complete.clear();
        if let Some(log) = self.request_log.as_mut() {
            std::mem::swap(&mut log.complete, complete);
        }
    }
}
