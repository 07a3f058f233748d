//! The power states of a disk, by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum PowerState {
    /// Serves operations, or could at once.
    Active = 0,
    /// From active to idle.
    ToIdle = 1,
    /// Spins, heads parked.
    Idle = 2,
    /// From idle to active.
    FromIdle = 3,
    /// From idle to standby.
    SpinDown = 4,
    /// Does not spin.
    Standby = 5,
    /// From standby to active.
    SpinUp = 6,
}

pub const POWER_STATES: usize = 7;

impl PowerState {
    pub const ALL: [Self; POWER_STATES] =
        [Self::Active, Self::ToIdle, Self::Idle, Self::FromIdle, Self::SpinDown, Self::Standby, Self::SpinUp];

    /// The name used in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::ToIdle => "to-idle",
            Self::Idle => "idle",
            Self::FromIdle => "from-idle",
            Self::SpinDown => "spin-down",
            Self::Standby => "standby",
            Self::SpinUp => "spin-up",
        }
    }
}

/// What stands in `PowerState::ALL` stands at its own number.
const _: () = {
    let mut i = 0;
    while i < POWER_STATES {
        assert!(PowerState::ALL[i] as usize == i);
        i += 1;
    }
};
