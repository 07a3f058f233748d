//! What a scheme is: the contract between a published policy and the device.

use super::answer::{BlockShare, DeviceFull, Idle};
use super::any_region::{AnyRegion, Role};
use super::config::Separation;
use super::io::Io;
use super::knob::{Knob, KnobSpec, SignalSpec};
use super::oracle::Oracle;
use super::page_level;
use super::piece::Piece;
use super::window::{WindowCounters, WindowLength};
use crate::base::{PlaneId, Problem};
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub trait Parameters {
    /// Whether the data's home is a disk, and flash only a cache in front of it.
    const ON_DISK: bool = false;

    /// Whether the scheme knows what the trace will do, from a first pass over it.
    const LOOKS_AHEAD: bool = false;

    /// The scheme whose defaults on a device hold for this one too, where its own say nothing.
    const DEFAULTS_OF: Option<&'static str> = None;

    /// Bytes of its tables for each logical page, beyond the four for each mapping unit that all may have.
    const PAGE_BYTES: u64 = 0;

    /// How its store separates data by lifetime.
    fn separation(&self) -> Separation {
        Separation::None
    }

    /// Why its blocks cannot be moved without its doing, if they cannot: it knows more of where data lie than
    /// regions and map do.
    fn keeps_places(&self) -> Option<&'static str> {
        None
    }

    /// Adds every problem of the parameters on `device`.
    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>);

    /// Writes out what depends on the device where nothing is chosen.
    fn settle(&mut self, _device: &DeviceConfig) {}

    /// Why the parameter `key` changes nothing beside the others, if it does not.
    fn moot(&self, _key: &str) -> Option<&'static str> {
        None
    }
}

/// A policy: where writes go, what is reclaimed, what is done in idle time.
///
/// What follows from the regions it has, a scheme need not write: `regions!` names them, and `ByRegions`
/// has the rest.
///
/// A snapshot holds it as it is, but for what is skipped: what is counted since time 0, or in flight.
pub trait Scheme {
    /// Raised whenever the tables of the scheme's memory change their meaning; none = it has no memory.
    const MEMORY_VERSION: Option<u32> = None;

    /// What can be turned while the scheme runs.
    const KNOBS: &'static [KnobSpec] = &[];

    /// What the scheme shows a controller of the window just over.
    const SIGNALS: &'static [SignalSpec] = &[];

    /// Shows every region, in the scheme's order.
    fn regions(&self, visit: &mut dyn FnMut(Role, &dyn AnyRegion));

    /// Shows every region to be changed, in the scheme's order.
    fn regions_mut(&mut self, visit: &mut dyn FnMut(&mut dyn AnyRegion));

    /// Places what logical page `page` lacks of its mapping units in `mask`, before time 0 or at the
    /// page's first read; uncounted.
    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull>;

    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull>;

    /// Goes on out of a snapshot, where `fresh` is new: takes over from it what a snapshot does not hold.
    fn resume(&mut self, _fresh: Self) -> Result<(), String>
    where
        Self: Sized,
    {
        Ok(())
    }

    /// Whether what it counts beside its regions agrees with them; the first violation is described.
    fn audit_own(&self, _io: &Io) -> Result<(), String> {
        Ok(())
    }

    /// The scheme's own figures.
    fn report(&self, io: &Io) -> SchemeReport;

    #[inline]
    fn read(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        page_level::read(&piece, io);
        Ok(())
    }

    /// The controller served `units` mapping units of a read: the DRAM buffer, or the fetch of another read.
    #[inline]
    fn served_above(&mut self, _units: u32) {}

    /// Forgets mapping units `first..end`, which the host declared unused.
    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        io.trim(first, end);
    }

    /// Programs the held pieces that have waited long enough, or `all`.
    fn program_held(&mut self, _all: bool, _io: &mut Io) -> Result<(), DeviceFull> {
        Ok(())
    }

    /// Does one atomic step of idle work in `plane`.
    fn idle(&mut self, _plane: PlaneId, _io: &mut Io) -> Idle {
        Idle::Nothing
    }

    /// The host writes mapping units `first` to `last`: the request's pieces follow, unless the DRAM buffer
    /// takes them.
    #[inline]
    fn write_request(&mut self, _first: u32, _last: u32, _io: &Io) {}

    /// The trace that begins now is foreseen.
    fn foresee(&mut self, _oracle: Oracle) {}

    fn window_length(&self) -> WindowLength {
        WindowLength::NONE
    }

    /// A window is over; the first request of the next one has arrived.
    fn window(&mut self, _counters: &WindowCounters, _io: &mut Io) -> Result<(), DeviceFull> {
        Ok(())
    }

    /// The knobs as they stand, in the order of `KNOBS`.
    fn knobs(&self, _io: &Io) -> Vec<Knob> {
        Vec::new()
    }

    /// Turns knob number `knob` to `value`, which is in its range; `knobs` says how far that went where
    /// it takes room that cannot be won.
    fn turn(&mut self, knob: usize, _value: f64, _io: &mut Io) -> Result<(), DeviceFull> {
        unreachable!("Invariant: the scheme has no knob {knob}")
    }

    /// The signals of the window just over, in the order of `SIGNALS`; zeros before the first.
    fn signals(&self, _io: &Io) -> Vec<f64> {
        Vec::new()
    }

    /// Ends the run: moves the next part of what may not stay in the cache; false when nothing is
    /// left to move. What it moves completes before the next call.
    fn drain(&mut self, _io: &mut Io) -> Result<bool, DeviceFull> {
        Ok(false)
    }

    /// Ends the run after `drain`: nothing may stay held or staged.
    fn finish(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
        self.program_held(true, io)?;
        self.regions_mut(&mut |region| region.pad_all(io));
        Ok(())
    }

    /// What the scheme has learned so far.
    fn memory(&self) -> Option<Memory> {
        None
    }

    /// Begins with what was learned elsewhere, or says what does not fit and changes nothing.
    fn take_memory(&mut self, _memory: Memory) -> Result<(), String> {
        Err("the scheme has no memory".into())
    }

    /// The blocks the scheme uses, by pool and mode.
    fn blocks(&self) -> Vec<BlockShare> {
        let mut blocks = Vec::new();
        self.regions(&mut |_, region| blocks.push(region.share()));
        blocks
    }

    /// The phases of its cache, where it has phases plane by plane, each with how many planes are in it.
    fn phases(&self) -> Vec<(&'static str, usize)> {
        Vec::new()
    }

    /// The first thing that was wrong with a policy of elsewhere.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Most mapping units that wait in the controller once a piece is written, but for a larger piece that
    /// comes alone: overwritten there, they are never programmed.
    fn held_units_max(&self) -> u32 {
        0
    }

    /// Mapping units that the next program of the host's data takes in a plane.
    fn program_units(&self, io: &Io) -> u32 {
        io.policy().mus_per_page
    }

    /// Mapping units of all that a wordline of the host's data takes, which may be several programs.
    fn wordline_units(&self, io: &Io) -> u32 {
        self.program_units(io)
    }

    /// Whether units of several logical pages share a program; else a program takes a page at most.
    fn packs_units(&self) -> bool {
        false
    }

    /// What may ever be in SLC mode of the cache, where that is more than the size it is said to have.
    fn slc_bytes_max(&self, io: &Io) -> u64 {
        self.slc_cache_bytes(io)
    }

    /// What the cache may take in SLC mode with the data that the device holds now.
    fn slc_cache_limit_bytes(&self, io: &Io) -> u64 {
        self.slc_cache_bytes(io)
    }

    /// What the cache takes in SLC mode, at most where its size changes: on an empty device.
    fn slc_cache_bytes(&self, io: &Io) -> u64 {
        let mut bytes = 0;
        self.regions(&mut |role, region| {
            if role == Role::Cache {
                bytes += region.slc_bytes(io);
            }
        });
        bytes
    }
}

/// Names a scheme's regions by role and field, `regions! { Cache slc, Store store.region }`.
///
/// With `; dials dials` behind them the dials are all its knobs. Behind `=>` comes how a
/// scheme follows them, and behind `, wake` what it does beside that when one was turned.
macro_rules! regions {
    ($($role:ident $($field:ident).+),+; dials $dials:ident $(=> $follow:expr $(, wake $wake:expr)?)?) => {
        $crate::ftl::scheme::regions! { $($role $($field).+),+ }

        fn knobs(&self, _io: &$crate::ftl::io::Io) -> Vec<$crate::ftl::knob::Knob> {
            self.$dials.knobs(Self::KNOBS)
        }

        fn turn(
            &mut self,
            knob: usize,
            value: f64,
            _io: &mut $crate::ftl::io::Io,
        ) -> Result<(), $crate::ftl::answer::DeviceFull> {
            let _is_turned = self.$dials.turn(knob, value);
            $(
                let follow: fn(&mut Self) = $follow;
                follow(self);
                $(if _is_turned { $wake(self, _io) })?
            )?
            Ok(())
        }
    };
    ($($role:ident $($field:ident).+),+) => {
        fn regions(
            &self,
            visit: &mut dyn FnMut($crate::ftl::any_region::Role, &dyn $crate::ftl::any_region::AnyRegion),
        ) {
            $(visit($crate::ftl::any_region::Role::$role, &self.$($field).+);)+
        }

        fn regions_mut(&mut self, visit: &mut dyn FnMut(&mut dyn $crate::ftl::any_region::AnyRegion)) {
            $(visit(&mut self.$($field).+);)+
        }
    };
}
pub(crate) use regions;

/// What a scheme has learned: kept apart from the device's state, so that a later run on another device state or
/// another trace can begin with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    pub scheme: String,
    /// Which meaning its tables have, `Scheme::MEMORY_VERSION` of the scheme that wrote it.
    pub version: u32,
    /// What must agree for the tables to mean the same.
    pub shape: BTreeMap<String, f64>,
    pub tables: BTreeMap<String, Vec<f64>>,
}
