//! `scale`: times and addresses by a factor.
//!
//! - `time = F`: every arrival time times F, rounded down to nanoseconds: 0.5
//!   doubles the load. Response times are those of the traced system and stay.
//! - `address = F`: the number of the `unit_bytes` (4 KiB) unit that a request
//!   begins in times F, rounded down; its place in the unit and its size stay.
//!   Below 1 different places may fall together, above 1 neighbours move apart.

use super::describe::{refused, unit_sectors};
use super::entries::Stage;
use super::ratio::Ratio;
use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::times;
use serde::{Deserialize, Serialize};
use slcache_base::request::{HostOp, SECTOR_BYTES};

pub(super) const KIND: &str = "scale";

/// The parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scale {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<Ratio>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<Ratio>,
    #[serde(default = "default_unit")]
    unit_bytes: u64,
}

fn default_unit() -> u64 {
    4096
}

impl Scale {
    /// Makes the stage.
    pub(super) fn stage(&self) -> Result<Box<dyn Stage>, TraceError> {
        if self.time.is_none() && self.address.is_none() {
            return Err(refused(KIND, "give a factor for time or address"));
        }
        let unit_sectors = unit_sectors(KIND, "unit_bytes", self.unit_bytes)?;
        Ok(Box::new(Scaler { time: self.time, address: self.address, unit_sectors }))
    }
}

struct Scaler {
    time: Option<Ratio>,
    address: Option<Ratio>,
    unit_sectors: u64,
}

impl Scaler {
    fn moved(&self, address: Ratio, sector: u64, sectors: u32) -> Option<u64> {
        let unit = address.times(sector / self.unit_sectors)?;
        let moved = unit.checked_mul(self.unit_sectors)?.checked_add(sector % self.unit_sectors)?;
        let end = moved.checked_add(u64::from(sectors))?;
        (end <= u64::MAX / SECTOR_BYTES).then_some(moved)
    }
}

impl Stage for Scaler {
    fn apply(&mut self, batch: &mut Vec<TraceEntry>) -> Result<(), TraceError> {
        for TraceEntry { request, .. } in batch {
            if let Some(time) = self.time {
                let at_ns = request.at_ns;
                request.at_ns = times::allowed(time.times(at_ns)).ok_or_else(|| {
                    refused(KIND, format!("time = {time}: the request at {at_ns} ns would not come before 2^62 ns (146 years)"))
                })?;
            }
            if let Some(address) = self.address.filter(|_| request.op != HostOp::Flush) {
                let (sector, sectors) = (request.sector, request.sectors);
                request.sector = self.moved(address, sector, sectors).ok_or_else(|| {
                    refused(KIND, format!("sector {sector} times the factor lies past the last byte a 64-bit address can name"))
                })?;
            }
        }
        Ok(())
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}
