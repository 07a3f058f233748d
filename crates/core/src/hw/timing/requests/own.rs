//! What the operations of a request have done on one unit.

use crate::base::op::CAUSES;

/// Time for which a unit was at work, ns: in the array, on the channel, waiting for the channel, on the
/// way of the disk's head and platter, and in the disk's transfer.
pub type Parts = [u64; 5];

/// What the operations of one request have done so far on one unit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Own {
    pub(super) unit: u32,
    /// The request's account of another unit (0: none).
    pub(super) next: u32,
    /// When the command counted last had ended, ns: several of its operations may be the request's.
    pub(super) counted_ns: Option<u64>,
    /// Time at work by the cause under which the unit books it, ns.
    pub(super) busy_ns: [u64; CAUSES],
    pub(super) parts_ns: Parts,
}

impl Own {
    pub(super) fn add(&mut self, cause: usize, parts_ns: &Parts) {
        self.busy_ns[cause] += parts_ns.iter().sum::<u64>();
        for (sum_ns, ns) in self.parts_ns.iter_mut().zip(parts_ns) {
            *sum_ns += ns;
        }
    }
}
