//! The requests whose operations timing counts: who they are to the device.

use crate::base::op::Cause;
use crate::base::prefetch;
use crate::base::request::Request;
use crate::base::room::Room;
use crate::hw::timing::RequestId;
use std::collections::TryReserveError;

/// How far a host request has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestStage {
    /// Its data are on the way to the device, or it is in there.
    Inside,
    /// It waits for its entries of the map.
    Looking,
    /// It has to wait for room in the DRAM buffer, or had to.
    Waiting,
    /// All its data are on the way to the host.
    Returning,
    /// It is complete, and the host has not used its place in the queue yet.
    Complete,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct HostRequest {
    /// The request; its time is when it arrived at the host queue.
    pub request: Request,
    pub admitted_ns: u64,
    pub controller_wait_ns: u64,
    pub link_wait_ns: u64,
    /// Waiting for its entries of the map, ns; meanwhile when that began.
    pub map_ns: u64,
    /// Time in the DRAM buffer, ns.
    pub buffer_ns: u32,
    pub stage: RequestStage,
    /// Its chance among 65,536, by which its time in the controller varies.
    pub draw: u16,
}

impl HostRequest {
    /// A request taken at `admitted_ns`.
    #[inline(always)]
    pub fn new(request: Request, arrived_ns: u64, admitted_ns: u64) -> Self {
        let request = Request { at_ns: arrived_ns, ..request };
        Self {
            request,
            admitted_ns,
            controller_wait_ns: 0,
            link_wait_ns: 0,
            map_ns: 0,
            buffer_ns: 0,
            stage: RequestStage::Inside,
            draw: 0,
        }
    }

    /// When it arrived at the host queue, ns.
    #[inline(always)]
    pub fn arrived_ns(&self) -> u64 {
        self.request.at_ns
    }
}

/// What leaves the DRAM buffer as one.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenBack {
    /// Of its acknowledged data.
    pub token: u32,
    /// Mapping units that have room again afterwards.
    pub units: u32,
    pub stripe: u32,
    /// Why it is written back.
    pub cause: Cause,
    /// When it left the buffer, ns.
    pub begun_ns: u64,
    /// Waiting for its entries of the map, ns.
    pub map_ns: u64,
    /// What the stripe before took beside its programs meanwhile, ns.
    pub overhead_ns: u64,
}

/// Who waits for a request: one cache line.
#[derive(Clone, Copy, Debug)]
pub(super) enum RequestOwner {
    Host(HostRequest),
    /// The DRAM buffer.
    WriteBack(WrittenBack),
}

/// Fills new places, so that who comes is written once and into its own.
const NOBODY: RequestOwner = RequestOwner::WriteBack(WrittenBack {
    token: 0,
    units: 0,
    stripe: 0,
    cause: Cause::Host,
    begun_ns: 0,
    map_ns: 0,
    overhead_ns: 0,
});

/// The clients of all requests in flight, by the numbers that timing gave the requests.
#[derive(Clone, Default)]
pub(super) struct RequestOwners {
    clients: Vec<RequestOwner>,
}

impl RequestOwners {
    /// Notes who waits for `id`, a number that is new or free again.
    #[inline(always)]
    pub fn insert(&mut self, id: RequestId, client: RequestOwner) {
        let index = id.0 as usize;
        if index >= self.clients.len() {
            self.clients.resize(index + 1, NOBODY);
        }
        self.clients[index] = client;
    }

    pub fn make_room(&mut self) -> Result<(), TryReserveError> {
        self.clients.make_room()
    }

    /// Asks for the client of `id`, which will be used soon.
    #[inline(always)]
    pub fn prefetch(&self, id: RequestId) {
        prefetch::read(&self.clients, id.0 as usize);
    }

    /// Who waits for `id`.
    #[inline(always)]
    pub fn client(&mut self, id: RequestId) -> &mut RequestOwner {
        &mut self.clients[id.0 as usize]
    }

    #[inline(always)]
    pub fn host(&mut self, id: RequestId) -> &mut HostRequest {
        match self.client(id) {
            RequestOwner::Host(record) => record,
            RequestOwner::WriteBack(_) => unreachable!("Invariant: no host waits for a write-back"),
        }
    }
}

const _: () = assert!(size_of::<RequestOwner>() == 64, "one cache line");
