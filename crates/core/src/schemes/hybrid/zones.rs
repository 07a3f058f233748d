//! SLC blocks in zones, one of each plane, that are written and rewritten together.

use crate::base::{BlockId, PlaneId};
use crate::ftl::io::Io;
use serde::{Deserialize, Serialize};

/// The number of no zone.
const NONE: u32 = u32::MAX;

/// Where a zone stands in a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum ZonePlace {
    /// No block of the plane was opened for it yet.
    Free,
    Holds(BlockId),
    /// Its block was rewritten before those of other planes.
    Gone,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Zone {
    parts: Vec<ZonePlace>,
    accessed: bool,
}

impl Zone {
    fn blocks(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.parts.iter().filter_map(|part| match part {
            ZonePlace::Holds(block) => Some(*block),
            _ => None,
        })
    }
}

/// Zones by number: the lowest free one is opened next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Zones {
    first_plane: u32,
    plane_blocks: u32,
    zones: Vec<Zone>,
    /// The zone of every block of the planes.
    of: Vec<u32>,
    /// Accesses since all bits were cleared, and how many clear them.
    accesses: u32,
    clear_accesses: u32,
}

impl Zones {
    /// No zone yet, in `planes` planes from `first_plane` on of `plane_blocks` blocks; more than
    /// `clear_accesses` accesses clear the bits of all zones.
    pub fn new(first_plane: PlaneId, planes: usize, plane_blocks: u32, clear_accesses: u32) -> Self {
        Self {
            first_plane: first_plane.0,
            plane_blocks,
            zones: vec![Zone { parts: vec![ZonePlace::Free; planes], accessed: false }],
            of: vec![NONE; planes * plane_blocks as usize],
            accesses: 0,
            clear_accesses,
        }
    }

    fn plane(&self, block: BlockId, io: &Io) -> usize {
        (io.geometry().plane_of(block).0 - self.first_plane) as usize
    }

    fn index(&self, block: BlockId, io: &Io) -> usize {
        let plane = io.geometry().plane_of(block);
        let place = block.0 - io.geometry().block(plane, 0).0;
        self.plane(block, io) * self.plane_blocks as usize + place as usize
    }

    /// Host data go to `block`, which joins the first zone that lacks one of its plane if it is new.
    pub fn written(&mut self, block: BlockId, io: &Io) {
        let (index, plane) = (self.index(block, io), self.plane(block, io));
        if self.of[index] == NONE {
            let lacking = self.zones.iter().position(|zone| zone.parts[plane] == ZonePlace::Free);
            let zone = lacking.unwrap_or(self.zones.len());
            if zone == self.zones.len() {
                let parts = vec![ZonePlace::Free; self.zones[0].parts.len()];
                self.zones.push(Zone { parts, accessed: false });
            }
            self.zones[zone].parts[plane] = ZonePlace::Holds(block);
            self.of[index] = zone as u32;
        }
        self.zones[self.of[index] as usize].accessed = true;
    }

    /// The host reads out of `block`.
    pub fn read(&mut self, block: BlockId, io: &Io) {
        let zone = self.of[self.index(block, io)];
        if let Some(zone) = self.zones.get_mut(zone as usize) {
            zone.accessed = true;
        }
    }

    /// Counts an access.
    pub fn count(&mut self) {
        self.accesses += 1;
        if self.accesses > self.clear_accesses {
            self.accesses = 0;
            self.zones.iter_mut().for_each(|zone| zone.accessed = false);
        }
    }

    /// The first zone by number that was not accessed, else the first one, whether it was, of those whose
    /// blocks are all closed and one of which is in `plane`.
    pub fn next(&self, plane: PlaneId, io: &Io) -> Option<(Vec<BlockId>, bool)> {
        let plane = (plane.0 - self.first_plane) as usize;
        let ready = |zone: &&Zone| {
            matches!(zone.parts[plane], ZonePlace::Holds(_)) && zone.blocks().all(|b| io.array().is_closed(b))
        };
        let zone = self.zones.iter().filter(ready).min_by_key(|zone| zone.accessed)?;
        Some((zone.blocks().collect(), zone.accessed))
    }

    /// `block` was rewritten; a zone without blocks is free.
    pub fn rewritten(&mut self, block: BlockId, io: &Io) {
        let (index, plane) = (self.index(block, io), self.plane(block, io));
        let zone = &mut self.zones[std::mem::replace(&mut self.of[index], NONE) as usize];
        zone.parts[plane] = ZonePlace::Gone;
        if zone.blocks().next().is_none() {
            zone.parts.fill(ZonePlace::Free);
            zone.accessed = false;
        }
    }

    /// Whether its blocks are those that `opened` tells of; the first violation is described.
    pub fn audit(&self, opened: impl Fn(BlockId) -> bool, io: &Io) -> Result<(), String> {
        for (zone, block) in self.zones.iter().enumerate().flat_map(|(i, z)| z.blocks().map(move |b| (i, b)))
        {
            if self.of.get(self.index(block, io)) != Some(&(zone as u32)) || !opened(block) {
                return Err(format!("zone {zone} has block {}, which is not of it", block.0));
            }
        }
        let blocks: usize = self.zones.iter().map(|zone| zone.blocks().count()).sum();
        match blocks == self.of.iter().filter(|&&zone| zone != NONE).count() {
            true => Ok(()),
            false => Err("blocks are of zones that do not have them".into()),
        }
    }
}
