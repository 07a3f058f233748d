//! Where requests lie on the device: volumes side by side, requests beyond its capacity, and renumbering.

use schemars::JsonSchema;
use serde::Serialize;
use slcache_core::device::config::AddressPolicy;
use slcache_core::device::request::{HostOp, Request, SECTOR_BYTES};
use slcache_traces::{RankedPages, StreamEnds, VolumeCount};

/// How many requests the policy changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressCounts {
    /// Moved by wrapping.
    pub wrapped: u64,
    /// Cut at the capacity.
    pub clipped: u64,
    /// Left out: wholly beyond the capacity, or trims of pages the trace never touches.
    pub dropped: u64,
    /// Moved by renumbering.
    pub compacted: u64,
}

/// Applies an address policy to requests in trace order.
pub struct AddressMapper {
    policy: AddressPolicy,
    capacity: u64,
    page: u64,
    dense: Option<RankedPages>,
    number: u64,
    counts: AddressCounts,
}

impl AddressMapper {
    /// A mapper for a device of `user_bytes` in logical pages of `piece_bytes`;
    /// `Compact` needs `dense`, the pages that the whole trace touches.
    pub fn new(
        policy: AddressPolicy,
        user_bytes: u64,
        piece_bytes: u32,
        dense: Option<RankedPages>,
    ) -> Result<Self, AddressError> {
        if let Some(pages) = &dense {
            let touched = pages.len().saturating_mul(u64::from(piece_bytes));
            if touched > user_bytes {
                return Err(AddressError::FootprintTooLarge { touched, capacity: user_bytes });
            }
        }
        Ok(Self {
            policy,
            capacity: user_bytes / SECTOR_BYTES,
            page: u64::from(piece_bytes) / SECTOR_BYTES,
            dense,
            number: 0,
            counts: AddressCounts::default(),
        })
    }

    /// Begins a pass over the same requests: none was changed yet.
    pub fn begin_again(&mut self) {
        (self.number, self.counts) = (0, AddressCounts::default());
    }

    /// What was changed so far.
    pub fn counts(&self) -> AddressCounts {
        self.counts
    }

    /// Applies the policy to a batch; requests left out vanish from it.
    pub fn apply(&mut self, batch: &mut Vec<Request>) -> Result<(), AddressError> {
        let unchanged = self.unchanged(batch);
        self.number += unchanged as u64;
        let mut kept = unchanged;
        for place in unchanged..batch.len() {
            self.number += 1;
            if let Some(request) = self.place(batch[place])? {
                batch[kept] = request;
                kept += 1;
            }
        }
        batch.truncate(kept);
        Ok(())
    }

    /// How many requests from the first on stay as they are: mostly all, which is told without a copy.
    fn unchanged(&self, batch: &[Request]) -> usize {
        if self.policy == AddressPolicy::Compact {
            return 0;
        }
        // A flush carries no address.
        let stays = |r: &&Request| r.op == HostOp::Flush || r.end_sector() <= self.capacity;
        batch.iter().take_while(stays).count()
    }

    #[inline]
    fn place(&mut self, request: Request) -> Result<Option<Request>, AddressError> {
        if request.op == HostOp::Flush {
            return Ok(Some(request));
        }
        if self.policy == AddressPolicy::Compact {
            return Ok(self.compact(request));
        }
        if request.end_sector() <= self.capacity {
            return Ok(Some(request));
        }
        match self.policy {
            AddressPolicy::Wrap => self.wrap(request).map(Some),
            AddressPolicy::Clip => Ok(self.clip(request)),
            AddressPolicy::Error | AddressPolicy::Compact => Err(AddressError::Beyond {
                number: self.number,
                what: name(request.op),
                first: request.sector.saturating_mul(SECTOR_BYTES),
                bytes: request.bytes(),
                capacity: self.capacity * SECTOR_BYTES,
            }),
        }
    }

    /// The address modulo the capacity. A request that would cross the end is
    /// moved back to end there: one request stays one request of its size.
    fn wrap(&mut self, mut request: Request) -> Result<Request, AddressError> {
        let length = u64::from(request.sectors);
        if length > self.capacity {
            return Err(AddressError::LargerThanDevice {
                number: self.number,
                what: name(request.op),
                bytes: request.bytes(),
                capacity: self.capacity * SECTOR_BYTES,
            });
        }
        self.counts.wrapped += 1;
        request.sector = (request.sector % self.capacity).min(self.capacity - length);
        Ok(request)
    }

    fn clip(&mut self, mut request: Request) -> Option<Request> {
        if request.sector >= self.capacity {
            self.counts.dropped += 1;
            return None;
        }
        self.counts.clipped += 1;
        // The request started below the capacity and ended above it, so the rest is shorter than it was.
        request.sectors = (self.capacity - request.sector) as u32;
        Some(request)
    }

    fn compact(&mut self, request: Request) -> Option<Request> {
        let Some(moved) = self.dense.as_ref()?.place(request, self.page) else {
            self.counts.dropped += 1;
            return None;
        };
        self.counts.compacted += u64::from(moved != request);
        Some(moved)
    }
}

fn name(op: HostOp) -> &'static str {
    match op {
        HostOp::Read => "a read",
        HostOp::Write => "a write",
        HostOp::Trim => "a trim",
        HostOp::Flush => "a flush",
    }
}

/// Where a volume lies.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Namespace {
    /// Number of the volume among the trace's, from 0.
    pub stream: usize,
    /// The volume's name in the trace.
    pub volume: Option<String>,
    /// Where the volume begins on the device.
    pub base_bytes: u64,
    /// How much room the volume has.
    pub size_bytes: u64,
}

/// Where each volume lies: behind the volume before it, at a logical page.
pub struct Namespaces {
    /// First sector by stream.
    bases: Vec<u64>,
    /// First sector behind each volume's own addresses, by stream.
    end_sectors: Vec<u64>,
}

impl Namespaces {
    /// Lays volumes side by side, each beginning at a multiple of `piece_bytes`.
    pub fn side_by_side(ends: &StreamEnds, piece_bytes: u32) -> Result<Self, AddressError> {
        let placed = ends.side_by_side(u64::from(piece_bytes) / SECTOR_BYTES);
        let (bases, _) = placed.ok_or(AddressError::Namespaces { volumes: ends.end_sectors().len() })?;
        Ok(Self { bases, end_sectors: ends.end_sectors().to_vec() })
    }

    /// Moves the requests of a batch to their volumes' places.
    pub fn apply(&self, batch: &mut [Request]) {
        for request in batch.iter_mut().filter(|request| request.op != HostOp::Flush) {
            // The scan has seen every stream, and that the sum fits.
            request.sector += self.bases[usize::from(request.stream)];
        }
    }

    /// The places as the result shows them.
    pub fn places(&self, volumes: &[VolumeCount]) -> Vec<Namespace> {
        let place = |(stream, (base, end)): (usize, (&u64, &u64))| Namespace {
            stream,
            volume: volumes.get(stream).map(|volume| volume.name.clone()),
            base_bytes: base * SECTOR_BYTES,
            size_bytes: end * SECTOR_BYTES,
        };
        self.bases.iter().zip(&self.end_sectors).enumerate().map(place).collect()
    }
}

/// A request that the address policy does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The request ends behind the last sector.
    #[error(
        "request {number} of the trace ({what} of {bytes} bytes at byte {first}) ends beyond the \
         device's {capacity} bytes; trace.address = \"wrap\", \"compact\" or \"clip\" says what to do"
    )]
    Beyond {
        /// Number of the request in the trace, from 1.
        number: u64,
        /// The operation.
        what: &'static str,
        /// First byte.
        first: u64,
        /// Length.
        bytes: u64,
        /// The device's capacity in bytes.
        capacity: u64,
    },
    /// The request does not fit the device at any address.
    #[error(
        "request {number} of the trace ({what} of {bytes} bytes) is larger than the device \
         ({capacity} bytes), so it cannot be wrapped; trace.address = \"clip\" cuts it"
    )]
    LargerThanDevice {
        /// Number of the request in the trace, from 1.
        number: u64,
        /// The operation.
        what: &'static str,
        /// Length.
        bytes: u64,
        /// The device's capacity in bytes.
        capacity: u64,
    },
    /// The touched pages do not fit, however densely they lie.
    #[error(
        "trace.address = \"compact\": the trace touches {touched} bytes in whole logical pages, \
         and the device holds {capacity}"
    )]
    FootprintTooLarge {
        /// Bytes of all touched logical pages.
        touched: u64,
        /// The device's capacity in bytes.
        capacity: u64,
    },
    /// The volumes do not fit a 64-bit address space side by side.
    #[error(
        "the trace's {volumes} volumes side by side reach past the last byte a 64-bit address can name; \
         volume = \"NAME\" takes one of them"
    )]
    Namespaces { volumes: usize },
}

#[cfg(test)]
mod tests {
    use super::*;
    use slcache_core::base::rng::RngStream;
    use slcache_traces::PageSet;

    fn request(op: HostOp, sector: u64, sectors: u32) -> Request {
        Request { at_ns: 0, sector, sectors, stream: 0, hint: 0, op }
    }

    /// 16 pages of 4 KiB.
    fn mapper(policy: AddressPolicy, dense: Option<RankedPages>) -> AddressMapper {
        AddressMapper::new(policy, 65_536, 4096, dense).unwrap()
    }

    fn apply(mapper: &mut AddressMapper, requests: &[Request]) -> Vec<(u64, u32)> {
        let mut batch = requests.to_vec();
        mapper.apply(&mut batch).unwrap();
        batch.iter().map(|r| (r.sector, r.sectors)).collect()
    }

    /// The plain way: each request placed by itself.
    fn one_by_one(mapper: &mut AddressMapper, batch: &[Request]) -> Result<Vec<Request>, AddressError> {
        let mut kept = Vec::new();
        for &request in batch {
            mapper.number += 1;
            kept.extend(mapper.place(request)?);
        }
        Ok(kept)
    }

    #[test]
    fn a_batch_goes_where_its_requests_go_one_by_one() {
        const OPS: [HostOp; 4] = [HostOp::Read, HostOp::Write, HostOp::Trim, HostOp::Flush];
        let mut rng = RngStream::new(1, "addresses");
        let (mut within, mut beyond) = (0, 0);
        for policy in [AddressPolicy::Error, AddressPolicy::Wrap, AddressPolicy::Clip, AddressPolicy::Compact]
        {
            for _ in 0..200 {
                let [mut together, mut alone] = [(); 2].map(|()| {
                    let mut pages = PageSet::default();
                    for page in 0..10 {
                        pages.insert(2 * page, 2 * page + 1);
                    }
                    mapper(policy, (policy == AddressPolicy::Compact).then(|| pages.into_ranked()))
                });
                for _ in 0..4 {
                    // The device ends at sector 128: most batches begin within it.
                    let most = 100 + rng.below(60);
                    let mut batch: Vec<Request> = (0..rng.below(12))
                        .map(|_| {
                            let sector = u64::from(rng.below(most));
                            request(OPS[rng.below(4) as usize], sector, 1 + rng.below(16))
                        })
                        .collect();
                    let plain = one_by_one(&mut alone, &batch);
                    let first = together.unchanged(&batch);
                    (within, beyond) = (within + first, beyond + batch.len() - first);
                    let result = together.apply(&mut batch);
                    match plain {
                        Ok(plain) => assert_eq!((result.is_ok(), batch), (true, plain)),
                        Err(error) => {
                            assert_eq!(result.unwrap_err(), error);
                            break;
                        }
                    }
                    assert_eq!((together.counts(), together.number), (alone.counts(), alone.number));
                }
            }
        }
        assert!(within > 2_000 && beyond > 2_000, "{within} {beyond}");
    }

    #[test]
    fn error_names_the_request() {
        let mut mapper = mapper(AddressPolicy::Error, None);
        let fine = request(HostOp::Write, 120, 8);
        let beyond = request(HostOp::Read, 121, 8);
        let error = mapper.apply(&mut vec![fine, beyond]).unwrap_err().to_string();
        assert!(error.contains("request 2 of the trace (a read of 4096 bytes at byte 61952)"), "{error}");
        assert!(error.contains("65536 bytes"), "{error}");
    }

    #[test]
    fn wrap_keeps_sizes() {
        let mut mapper = mapper(AddressPolicy::Wrap, None);
        let requests = [(0, 8), (128, 8), (300, 4), (124, 8)].map(|(s, n)| request(HostOp::Write, s, n));
        assert_eq!(apply(&mut mapper, &requests), [(0, 8), (0, 8), (44, 4), (120, 8)]);
        assert_eq!(mapper.counts().wrapped, 3);
        let error = mapper.apply(&mut vec![request(HostOp::Trim, 0, 129)]).unwrap_err();
        assert!(matches!(error, AddressError::LargerThanDevice { number: 5, .. }));
    }

    #[test]
    fn clip_cuts_and_drops() {
        let mut mapper = mapper(AddressPolicy::Clip, None);
        let mut requests =
            [(124, 8), (128, 8), (8, 8), (0, 500)].map(|(s, n)| request(HostOp::Trim, s, n)).to_vec();
        requests.push(request(HostOp::Flush, 0, 0));
        assert_eq!(apply(&mut mapper, &requests), [(124, 4), (8, 8), (0, 128), (0, 0)]);
        let counts = mapper.counts();
        assert_eq!((counts.clipped, counts.dropped), (2, 1));
    }

    #[test]
    fn compact_keeps_order_and_adjacency() {
        let mut pages = PageSet::default();
        pages.insert(10, 12);
        pages.insert(1 << 40, (1 << 40) + 1);
        let mut mapper = mapper(AddressPolicy::Compact, Some(pages.into_ranked()));
        let far = 8u64 << 40;
        let requests = [
            request(HostOp::Write, 82, 10),
            request(HostOp::Read, far + 1, 2),
            request(HostOp::Trim, 0, 84),
            request(HostOp::Trim, 90, 4000),
            request(HostOp::Trim, 400, 80),
        ];
        assert_eq!(apply(&mut mapper, &requests), [(2, 10), (17, 2), (0, 4), (10, 6)]);
        let counts = mapper.counts();
        assert_eq!((counts.compacted, counts.dropped), (4, 1));
    }

    #[test]
    fn compact_refuses_what_does_not_fit() {
        let mut pages = PageSet::default();
        pages.insert(0, 17);
        let error = AddressMapper::new(AddressPolicy::Compact, 65_536, 4096, Some(pages.into_ranked()));
        assert_eq!(error.err(), Some(AddressError::FootprintTooLarge { touched: 69_632, capacity: 65_536 }));
    }
}
