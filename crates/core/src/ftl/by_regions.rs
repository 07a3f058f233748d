//! What the device does with any scheme by its regions alone: no scheme writes it.

use super::answer::DeviceFull;
use super::any_region::{RegionStates, Role};
use super::io::Io;
use super::restore::Restoring;
use super::scheme::Scheme;
use crate::base::PlaneId;
use crate::hw::timing::RequestId;
use serde::{Deserialize, Serialize};

/// What a snapshot holds of a scheme.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SchemeState<T> {
    regions: RegionStates,
    /// What it has beside its regions.
    own: T,
}

/// What follows from a scheme's regions.
pub trait ByRegions: Scheme {
    /// Makes held and staged pages durable; `request` waits for them, unless power loss is covered.
    fn flush(&mut self, request: RequestId, io: &mut Io) -> Result<(), DeviceFull> {
        if io.policy().plp {
            return Ok(());
        }
        io.await_all_held(request);
        self.program_held(true, io)?;
        self.regions_mut(&mut |region| region.flush(request, io));
        Ok(())
    }

    /// Pads staged host pages of `plane` whose waiting time is over.
    fn stage_due(&mut self, plane: PlaneId, io: &mut Io) {
        self.regions_mut(&mut |region| region.pad_due(plane, io));
    }

    /// The time asked for with `Io::wake_at` has come.
    fn timer(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
        self.program_held(false, io)
    }

    /// Live bytes in the scheme's cache.
    fn cache_live_bytes(&self, io: &Io) -> u64 {
        let mut bytes = 0;
        self.regions(&mut |role, region| {
            if role == Role::Cache {
                bytes += region.live_bytes(io);
            }
        });
        bytes
    }

    /// What a snapshot holds of the scheme; nothing is in flight.
    fn save(&self) -> SchemeState<Self::State> {
        let mut regions = RegionStates::default();
        self.regions(&mut |_, region| region.save(&mut regions));
        SchemeState { regions, own: self.save_own() }
    }

    /// Takes a snapshot's part into a new scheme of the same configuration, or says why it cannot be
    /// the scheme's.
    fn load(&mut self, state: SchemeState<Self::State>, restoring: &mut Restoring) -> Result<(), String> {
        let SchemeState { mut regions, own } = state;
        let mut loaded = Ok(());
        self.regions_mut(&mut |region| {
            if loaded.is_ok() {
                loaded = region.load(&mut regions, restoring);
            }
        });
        loaded?;
        regions.check_empty()?;
        self.load_own(own, restoring.io)
    }
}

impl<S: Scheme> ByRegions for S {}
