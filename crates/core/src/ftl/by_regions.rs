//! What the device does with any scheme by its regions alone: no scheme writes it.

use super::answer::DeviceFull;
use super::any_region::Role;
use super::audit::Claims;
use super::io::Io;
use super::scheme::Scheme;
use crate::base::PlaneId;
use crate::hw::timing::RequestId;

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

    fn cache_live_bytes(&self, io: &Io) -> u64 {
        let mut bytes = 0;
        self.regions(&mut |role, region| {
            if role == Role::Cache {
                bytes += region.live_bytes(io);
            }
        });
        bytes
    }

    fn shapes(&self) -> Vec<String> {
        let mut shapes = Vec::new();
        self.regions(&mut |_, region| shapes.push(region.shape()));
        shapes
    }

    /// Proves that each block ever used is one region's, or free, and that the scheme counts what they hold;
    /// the first violation is described.
    fn audit(&self, io: &Io) -> Result<(), String> {
        let mut claims = Claims::new(io)?;
        let mut audited = Ok(());
        self.regions(&mut |_, region| {
            if audited.is_ok() {
                audited = region.audit(&mut claims);
            }
        });
        audited?;
        claims.finish()?;
        self.audit_own(io)
    }
}

impl<S: Scheme> ByRegions for S {}
