//! What of the clock decides the future while nothing is in flight.

use super::channel::Channel;
use super::engine::Timing;
use super::unit::Unit;
use crate::base::PlaneId;
use crate::hw::config::IdleRule;
use crate::hw::disk::{Disk, DiskState};
use crate::hw::geometry::Geometry;
use serde::{Deserialize, Serialize};

/// What a snapshot holds of the clock.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClockState {
    /// How long the host must have stayed away before idle work, ns.
    idle_threshold_ns: u64,
    /// Planes with idle work, ascending.
    idle_planes: Vec<PlaneId>,
    /// The unit of each channel after which the round robin goes on, by its place on the channel.
    turns: Vec<u32>,
    disk: Option<DiskState>,
}

impl Timing {
    /// What a snapshot holds.
    pub fn save_clock(&self) -> ClockState {
        let planes = |u: &Unit| {
            let (first, planes) = (u.first_plane, u.idle_planes);
            (0..u16::BITS).filter(move |bit| planes >> bit & 1 == 1).map(move |bit| PlaneId(first + bit))
        };
        let mut idle_planes: Vec<PlaneId> = self.units.iter().flat_map(planes).collect();
        idle_planes.sort_unstable();
        let turns = self.channels.iter().map(|channel| channel.last_bit).collect();
        let disk = self.disk().map(Disk::save);
        ClockState { idle_threshold_ns: self.idle.threshold_ns, idle_planes, turns, disk }
    }

    /// Takes a snapshot's part into a new clock, or says why it does not fit.
    pub fn load_clock(&mut self, state: ClockState, geometry: &Geometry) -> Result<(), String> {
        let fits = |(channel, &turn): (&Channel, &u32)| (turn as usize) < channel.units.len();
        if state.turns.len() != self.channels.len() || !self.channels.iter().zip(&state.turns).all(fits) {
            return Err(format!("the turns {:?} of {} channels", state.turns, self.channels.len()));
        }
        for (channel, turn) in self.channels.iter_mut().zip(state.turns) {
            channel.last_bit = turn;
        }
        match (self.disk.as_mut(), state.disk) {
            (Some(own), Some(disk)) => own.disk.load(disk)?,
            (None, None) => {}
            (own, _) => return Err(format!("{} disk", if own.is_some() { "no" } else { "a" })),
        }
        self.idle.threshold_ns = state.idle_threshold_ns;
        if self.idle.threshold_ns > IdleRule::THRESHOLD_NS_MAX {
            return Err(format!("idle work after {} ns", self.idle.threshold_ns));
        }
        let ascend = state.idle_planes.windows(2).all(|two| two[0] < two[1]);
        let place = |plane: &PlaneId| geometry.planes.get(plane.index());
        let Some(places) = state.idle_planes.iter().map(place).collect::<Option<Vec<_>>>().filter(|_| ascend)
        else {
            return Err(format!("idle work in {:?} of {} planes", state.idle_planes, geometry.planes.len()));
        };
        places.into_iter().for_each(|place| self.mark_idle_work(place.unit, place.in_die, true));
        Ok(())
    }
}
