//! What the FTL asks the clock to be woken for.

use crate::base::PlaneId;

/// A reason to wake the scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakeup {
    /// A partly filled wordline of the plane has waited long enough.
    StageDue(PlaneId),
    /// The scheme's timer.
    Timer,
}

/// The timer's number: there are fewer planes.
const TIMER: u32 = u32::MAX;

impl Wakeup {
    /// The number by which the clock keeps it; of several at one time the lowest comes first.
    pub fn number(self) -> u32 {
        match self {
            Self::StageDue(plane) => plane.0,
            Self::Timer => TIMER,
        }
    }

    /// What `number` was given for.
    pub fn from_number(number: u32) -> Self {
        match number {
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
        for wakeup in [Wakeup::StageDue(PlaneId(0)), Wakeup::StageDue(PlaneId(7)), Wakeup::Timer] {
            assert_eq!(Wakeup::from_number(wakeup.number()), wakeup);
        }
        assert!(Wakeup::StageDue(PlaneId(7)).number() < Wakeup::Timer.number());
    }
}
