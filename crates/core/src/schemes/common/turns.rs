//! Whose turn it is where some planes are written in SLC pages and others in one-shot wordlines.

use crate::base::PlaneId;
use crate::ftl::config::Placement;
use crate::ftl::io::Io;
use crate::ftl::region::{Region, Writer};
use serde::{Deserialize, Serialize};

/// The turns that planes have had ahead. A one-shot wordline that direct writes began is filled before
/// the turn goes on; its plane then waits until the others have had as many pages. Otherwise a plane
/// whose cache is used up, the slowest, would get the most data. With static placement a page stays on
/// its plane, and each plane fills a wordline of its own.
#[derive(Clone, Serialize, Deserialize)]
pub struct Turns {
    /// The plane of the last direct write.
    direct: Option<PlaneId>,
    /// By plane: it is passed over as often.
    ahead: Vec<u32>,
}

impl Turns {
    /// No plane is ahead of any other.
    pub fn new(io: &Io) -> Self {
        Self { direct: None, ahead: vec![0; io.geometry().planes.len()] }
    }

    /// Notes that a direct write went to `plane`.
    #[inline]
    pub fn went_to(&mut self, plane: PlaneId) {
        self.direct = Some(plane);
    }

    /// The plane of the last direct write.
    #[inline]
    pub fn direct(&self) -> Option<PlaneId> {
        self.direct
    }

    /// The plane of the next write, for logical page `page`, to `slc` or `dense`.
    #[inline]
    pub fn choose(&mut self, page: u32, slc: &mut Region, dense: &Region, io: &Io) -> PlaneId {
        let is_staged = self.direct.is_some_and(|plane| dense.staged(plane, Writer::Host).is_some());
        self.choose_beside(page, slc, is_staged, io)
    }

    /// The plane of the next write to `slc`, where a wordline that the last direct write began may be staged.
    #[inline]
    pub fn choose_beside(&mut self, page: u32, slc: &mut Region, is_staged: bool, io: &Io) -> PlaneId {
        let fills = matches!(slc.spec.placement, Placement::RoundRobin | Placement::LeastLoaded);
        match self.direct {
            Some(plane) if fills && is_staged => {
                let takes_turns = slc.spec.placement == Placement::RoundRobin;
                self.ahead[plane.index()] += u32::from(takes_turns);
                plane
            }
            _ => loop {
                let plane = slc.choose_plane(io, page);
                let ahead = &mut self.ahead[plane.index()];
                if *ahead == 0 {
                    return plane;
                }
                *ahead -= 1;
            },
        }
    }
}
