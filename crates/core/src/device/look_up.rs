//! Requests that wait for their entries of the map: handed to the FTL when those are there.

use super::config::Acknowledge;
use super::pieces::bits;
use super::requests::{RequestOwner, RequestStage};
use super::Simulation;
use crate::base::request::{HostOp, Request, SECTOR_BYTES};
use crate::base::Mu;
use crate::ftl::io::LookUp;
use crate::ftl::piece::Piece;
use crate::hw::timing::event::EventKind;
use crate::hw::timing::RequestId;

impl Simulation {
    /// Looks up what a request needs of the map; whether it has to wait. What the buffer takes, or has,
    /// needs nothing.
    #[cold]
    pub(super) fn look_up(&mut self, id: RequestId, request: &Request) -> bool {
        if !matches!(request.op, HostOp::Read | HostOp::Write) {
            return false;
        }
        let (first, last) = self.units(request);
        let takes_writes = self.setup.buffer.is_some_and(|b| b.acknowledge == Acknowledge::OnBuffer);
        let is_needless = match request.op {
            HostOp::Write => takes_writes,
            _ => self.is_buffered(first, last),
        };
        if is_needless {
            return false;
        }
        let found = self.io.look_up(Mu(first), Mu(last), request.op == HostOp::Write, id);
        if found == LookUp::default() {
            return false;
        }
        let now_ns = self.io.now_ns();
        let record = self.requests.host(id);
        (record.stage, record.map_ns) = (RequestStage::Looking, now_ns);
        self.await_look_up(id, found);
        true
    }

    /// Lets go of a request that is held for its look-ups.
    fn await_look_up(&mut self, id: RequestId, found: LookUp) {
        if found.access_ns > 0 {
            self.io.timing_mut().hold_request(id);
            let at_ns = self.io.now_ns() + found.access_ns;
            self.io.timing_mut().schedule(at_ns, EventKind::DeviceFirst, id.0);
        }
        self.io.timing_mut().release_request(id);
    }

    /// The first and the last mapping unit of a request.
    fn units(&self, request: &Request) -> (u32, u32) {
        let unit = |byte: u64| (byte >> self.mu_shift) as u32;
        (unit(request.sector * SECTOR_BYTES), unit(request.end_sector() * SECTOR_BYTES - 1))
    }

    /// Whether the buffer has all of some mapping units.
    fn is_buffered(&self, first: u32, last: u32) -> bool {
        let n = self.io.policy().mus_per_page;
        self.buffer.as_ref().is_some_and(|buffer| {
            (first / n..=last / n).all(|page| {
                let mask = bits(first.max(page * n) - page * n, (last + 1).min((page + 1) * n) - page * n);
                buffer.get(page).is_some_and(|entry| entry.whole() & mask == mask)
            })
        })
    }

    /// A host request has its entries of the map.
    #[cold]
    pub(super) fn looked_up(&mut self, id: RequestId) {
        let now_ns = self.io.now_ns();
        let record = self.requests.host(id);
        (record.stage, record.map_ns) = (RequestStage::Inside, now_ns - record.map_ns);
        let request = record.request;
        self.io.timing_mut().hold_request(id);
        self.hand_over(id, &request);
        self.io.timing_mut().kick();
    }

    /// Looks up what the pieces of a write-back need of the map; whether they have to wait.
    #[cold]
    pub(super) fn look_up_write_back(&mut self, id: RequestId, pieces: &[Piece]) -> bool {
        let n = self.io.policy().mus_per_page;
        let mut all = LookUp::default();
        for piece in pieces {
            let first = piece.page * n;
            let found = self.io.look_up(Mu(first), Mu(first + n - 1), true, id);
            all.loads += found.loads;
            all.access_ns += found.access_ns;
        }
        let waits = all != LookUp::default();
        if waits {
            self.looking.extend(pieces);
            self.await_look_up(id, all);
        }
        waits
    }

    /// A write-back has its entries of the map, if `id` waited for them: what is still of use goes on.
    pub(super) fn write_back_looked_up(&mut self, id: RequestId) -> bool {
        let is_its = |piece: &Piece| piece.request == id;
        if !self.looking.iter().any(is_its) {
            return false;
        }
        let pieces: Vec<Piece> = self.looking.iter().copied().filter(is_its).collect();
        self.looking.retain(|piece| !is_its(piece));
        let now_ns = self.io.now_ns();
        if let RequestOwner::WriteBack(written) = self.requests.client(id) {
            written.map_ns = now_ns - written.begun_ns;
        }
        self.io.timing_mut().hold_request(id);
        let result = self.hand_over_write_back(id, &pieces);
        self.note_full(result);
        self.io.timing_mut().kick();
        true
    }
}
