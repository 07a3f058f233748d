//! Everything a simulation is made from, and the check of it all at once.

use super::config::{BufferConfig, DeviceConfig, HostConfig, PreconditionConfig, Prefill, TracePolicy};
use crate::base::problem::{self, Problem};
use crate::ftl::oracle::Foresight;
use crate::ftl::separator::Separator;
use crate::hw::array::FlashArray;
use crate::hw::cells::Cells;
use crate::hw::geometry::Geometry;
use crate::hw::timing::Timing;
use crate::schemes::SchemeConfig;
use schemars::JsonSchema;
use serde::Serialize;

/// A resolved configuration.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Setup {
    /// The flash device.
    pub device: DeviceConfig,
    /// The scheme and its parameters.
    pub scheme: SchemeConfig,
    /// How the host drives the device.
    pub host: HostConfig,
    /// DRAM buffer, if any.
    pub buffer: Option<BufferConfig>,
    /// State before time 0.
    pub precondition: PreconditionConfig,
    /// What the trace does not say.
    pub trace: TracePolicy,
    /// Seed of every random stream.
    #[serde(skip)]
    pub seed: u64,
}

/// What a device's tables take, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryNeed {
    /// Of address space: all tables.
    pub tables_bytes: u64,
    /// Of memory at time 0: what the state before it fills. More is used as the trace writes.
    pub filled_bytes: u64,
}

impl Setup {
    /// What the device takes, once `check` has found nothing.
    pub fn memory(&self) -> MemoryNeed {
        let device = &self.device;
        let Ok(geometry) = Geometry::new(&device.pool, device.mu_bytes) else {
            return MemoryNeed { tables_bytes: 0, filled_bytes: 0 };
        };
        let mus = device.user_bytes / u64::from(device.mu_bytes);
        // The map, and as much for a scheme's own counts and the buffer's index.
        let by_mu = mus * 2 * size_of::<u32>() as u64;
        let pages =
            if self.scheme.looks_ahead() { device.user_bytes / u64::from(device.piece_bytes()) } else { 0 };
        let trimmed = if self.trace.prefill == Prefill::OnRead { size_of::<u32>() as u64 } else { 0 };
        let by_page = Separator::page_bytes(self.scheme.separation()) + self.scheme.page_bytes() + trimmed;
        let by_page = device.user_bytes / u64::from(device.piece_bytes()) * by_page;
        let by_slot = FlashArray::slot_bytes(&geometry) + by_mu + Foresight::page_bytes(pages) + by_page;
        let cells = device.cells.as_ref().map_or(0, |_| Cells::bytes(&geometry));
        let blocks = FlashArray::block_bytes(&geometry) + Timing::block_bytes(&geometry) + cells;
        MemoryNeed {
            tables_bytes: by_slot + blocks,
            filled_bytes: (by_slot as f64 * self.precondition.fill) as u64 + blocks,
        }
    }

    /// Every problem, across all sections; empty if the setup can run.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = problem::of_shape(self);
        // Beside values out of their range the others mean nothing.
        if !problems.is_empty() {
            return problems;
        }
        self.device.check(&mut problems);
        self.host.check(&mut problems);
        self.precondition.check(&mut problems);
        if let Some(buffer) = &self.buffer {
            buffer.check(&self.device, &mut problems);
        }
        if problems.is_empty() {
            if let Err(problem) = Geometry::new(&self.device.pool, self.device.mu_bytes) {
                problems.push(problem);
            }
            if self.device.user_bytes / u64::from(self.device.mu_bytes) >= u64::from(u32::MAX) {
                let allowed = "fewer than 2^32 - 1 mapping units; use a larger device.mu_bytes";
                problems.push(Problem::new("device.user_bytes", self.device.user_bytes, allowed));
            }
            self.scheme.check(&self.device, &mut problems);
        }
        problems
    }
}
