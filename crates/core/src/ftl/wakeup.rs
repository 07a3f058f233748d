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
    /// The scheme's timer.
    Timer,
}

/// Numbers of what is no plane's: there are fewer planes.
const STRIPE_END: u32 = u32::MAX - 2;
const BUFFER_DUE: u32 = u32::MAX - 1;
const TIMER: u32 = u32::MAX;

impl Wakeup {
    /// The number by which the clock keeps it; of several at one time the lowest comes first.
    pub fn number(self) -> u32 {
        match self {
            Self::StageDue(plane) => plane.0,
            Self::StripeEnd => STRIPE_END,
            Self::BufferDue => BUFFER_DUE,
            Self::Timer => TIMER,
        }
    }

    pub fn from_number(number: u32) -> Self {
        match number {
            STRIPE_END => Self::StripeEnd,
            BUFFER_DUE => Self::BufferDue,
            TIMER => Self::Timer,
            plane => Self::StageDue(PlaneId(plane)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_leads_back() {
        let planes = [Wakeup::StageDue(PlaneId(0)), Wakeup::StageDue(PlaneId(7))];
        for wakeup in planes.into_iter().chain([Wakeup::StripeEnd, Wakeup::BufferDue, Wakeup::Timer]) {
            assert_eq!(Wakeup::from_number(wakeup.number()), wakeup);
        }
        assert!(Wakeup::StageDue(PlaneId(7)).number() < Wakeup::Timer.number());
    }
}
