//! Volumes side by side: each its own part of the device's address space.

use super::address_error::AddressError;
use schemars::JsonSchema;
use serde::Serialize;
use slcache_core::device::request::{HostOp, Request, SECTOR_BYTES};
use slcache_traces::StreamEnds;
use slcache_traces::VolumeCount;

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
