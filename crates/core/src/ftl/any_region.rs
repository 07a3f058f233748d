//! A region of any kind, as the contract of a scheme deals with it.

use super::answer::{BlockShare, RegionLevel};
use super::audit::Claims;
use super::io::Io;
use super::piece::Job;
use super::region::Region;
use super::two_layer::TwoLayerRegion;
use crate::base::{BlockId, CellMode, PlaneId};
use crate::hw::array::RegionId;
use crate::hw::timing::RequestId;

/// What a region is to its scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Fast blocks that data leave again: what lives there counts as cached.
    Cache,
    /// Where data stay.
    Store,
}

/// What became of a block that was to be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewed {
    Moved,
    /// There is no room for what lives in it.
    NoRoom,
    /// It is another region's.
    NotMine,
}

pub trait AnyRegion {
    fn share(&self) -> BlockShare;

    /// Its number, if it has SLC pages.
    fn slc_region(&self) -> Option<RegionId>;

    /// What its SLC pages hold.
    fn slc_bytes(&self, io: &Io) -> u64;

    /// Live bytes in it that count as cached if it is a cache.
    fn live_bytes(&self, io: &Io) -> u64;

    /// How full it is.
    fn level(&self, io: &Io) -> RegionLevel;

    /// Whether pages written in SLC mode become dense where they lie.
    fn turns_dense(&self) -> bool {
        false
    }

    fn shape(&self) -> String;

    /// What separation by lifetime came to, by name; nothing without it.
    fn separation_figures(&self) -> Vec<(String, f64)> {
        Vec::new()
    }

    /// Proves that its counts and frontiers agree with its blocks, which it claims; the first violation is
    /// described.
    fn audit(&self, claims: &mut Claims) -> Result<(), String>;

    /// Moves what lives in `block`, which is closed, within its plane and erases it, if the block is its own.
    fn renew(&mut self, _block: BlockId, _job: Job, _io: &mut Io) -> Renewed {
        Renewed::NotMine
    }

    /// Moves what lives in `block`, which is closed, to the most worn erased block of its plane and erases it, if
    /// the block is its own.
    fn even_out(&mut self, _block: BlockId, _io: &mut Io) -> Renewed {
        Renewed::NotMine
    }

    /// Pads the wordlines of `plane` whose staged host pages have waited long enough.
    fn pad_due(&mut self, _plane: PlaneId, _io: &mut Io) {}

    /// Makes `request` wait for everything staged, and pads it.
    fn flush(&mut self, _request: RequestId, _io: &mut Io) {}

    /// Pads everything staged.
    fn pad_all(&mut self, _io: &mut Io) {}
}

impl AnyRegion for Region {
    fn share(&self) -> BlockShare {
        self.share()
    }

    fn slc_region(&self) -> Option<RegionId> {
        (self.spec.mode == CellMode::Slc).then_some(self.id())
    }

    fn slc_bytes(&self, io: &Io) -> u64 {
        self.slc_bytes(self.spec.blocks, io)
    }

    fn live_bytes(&self, io: &Io) -> u64 {
        self.live_bytes(io)
    }

    fn level(&self, io: &Io) -> RegionLevel {
        self.level(io)
    }

    fn shape(&self) -> String {
        self.shape()
    }

    fn separation_figures(&self) -> Vec<(String, f64)> {
        self.separation_figures()
    }

    fn audit(&self, claims: &mut Claims) -> Result<(), String> {
        self.audit(claims)
    }

    fn renew(&mut self, block: BlockId, job: Job, io: &mut Io) -> Renewed {
        match self.holds(block, io) {
            true if self.renew(block, job, io) => Renewed::Moved,
            true => Renewed::NoRoom,
            false => Renewed::NotMine,
        }
    }

    fn even_out(&mut self, block: BlockId, io: &mut Io) -> Renewed {
        match self.holds(block, io) {
            true if self.even_out(block, io) => Renewed::Moved,
            true => Renewed::NoRoom,
            false => Renewed::NotMine,
        }
    }

    fn pad_due(&mut self, plane: PlaneId, io: &mut Io) {
        if self.has(plane) {
            self.pad(io, plane, false);
        }
    }

    fn flush(&mut self, request: RequestId, io: &mut Io) {
        for plane in self.planes().to_vec() {
            for op in self.all_staged(plane).filter(|op| !op.is_none()) {
                io.await_staged(op, request);
            }
            self.pad(io, plane, true);
        }
    }

    fn pad_all(&mut self, io: &mut Io) {
        for plane in self.planes().to_vec() {
            self.pad(io, plane, true);
        }
    }
}

/// Its pages are stored one by one, so that nothing is ever staged.
impl AnyRegion for TwoLayerRegion {
    fn share(&self) -> BlockShare {
        self.share()
    }

    fn slc_region(&self) -> Option<RegionId> {
        Some(self.id())
    }

    /// Those of a window of each block: the others are denser by the time they are used.
    fn slc_bytes(&self, io: &Io) -> u64 {
        let page_bytes = io.geometry().pools[self.spec.pool].page_bytes;
        self.share().blocks * u64::from(self.window_wordlines()) * u64::from(page_bytes)
    }

    fn live_bytes(&self, io: &Io) -> u64 {
        self.cache_live_bytes(io)
    }

    fn level(&self, io: &Io) -> RegionLevel {
        self.level(io)
    }

    fn turns_dense(&self) -> bool {
        true
    }

    fn shape(&self) -> String {
        self.shape()
    }

    fn audit(&self, claims: &mut Claims) -> Result<(), String> {
        self.audit(claims)
    }
}
