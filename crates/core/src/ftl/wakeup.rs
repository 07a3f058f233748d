//! What the FTL asks the clock to be woken for.

use crate::base::PlaneId;

/// A reason to wake the scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakeup {
    /// A partly filled wordline of the plane has waited long enough.
    StageDue(PlaneId),
    /// A stripe of the DRAM buffer is over.
    StripeEnd,
    /// What is in the DRAM buffer may have waited long enough for more.
    BufferDue,
    /// Blocks of the plane may be moved because of their cells.
    Upkeep(PlaneId),
    /// The next block of the patrol is due.
    Patrol,
    /// The scheme's timer.
    Timer,
}

/// Where the numbers of planes' upkeep begin, and numbers of what is no plane's: there are fewer planes.
const UPKEEP: u32 = 1 << 31;
const PATROL: u32 = u32::MAX - 3;
const STRIPE_END: u32 = u32::MAX - 2;
const BUFFER_DUE: u32 = u32::MAX - 1;
const TIMER: u32 = u32::MAX;

impl Wakeup {
    /// The number by which the clock keeps it; of several at one time the lowest comes first.
    pub fn number(self) -> u32 {
        match self {
            Self::StageDue(plane) => plane.0,
            Self::Upkeep(plane) => UPKEEP | plane.0,
            Self::Patrol => PATROL,
            Self::StripeEnd => STRIPE_END,
            Self::BufferDue => BUFFER_DUE,
            Self::Timer => TIMER,
        }
    }

    pub fn from_number(number: u32) -> Self {
        match number {
            PATROL => Self::Patrol,
            STRIPE_END => Self::StripeEnd,
            BUFFER_DUE => Self::BufferDue,
            TIMER => Self::Timer,
            plane if plane >= UPKEEP => Self::Upkeep(PlaneId(plane & !UPKEEP)),
            plane => Self::StageDue(PlaneId(plane)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_leads_back() {
        let planes = [Wakeup::StageDue(PlaneId(0)), Wakeup::StageDue(PlaneId(7)), Wakeup::Upkeep(PlaneId(7))];
        for wakeup in
            planes.into_iter().chain([Wakeup::Patrol, Wakeup::StripeEnd, Wakeup::BufferDue, Wakeup::Timer])
        {
            assert_eq!(Wakeup::from_number(wakeup.number()), wakeup);
        }
        assert!(Wakeup::StageDue(PlaneId(7)).number() < Wakeup::Timer.number());
    }
}
