//! A scheme whose decisions are taken elsewhere: a class of Python, or the defaults of all of them.
//!
//! **What it does.** A policy says which regions may take a write; the first that has room in the write's
//! plane does. Before a region with blocks of its own opens one, the policy says what is emptied, and
//! whither; so it does in a pause. Regions without blocks of their own share the rest of each plane, hold
//! the user's data and are cleaned together. By default a write tries all regions in order, and the one that
//! is out of blocks empties one into the last.
//! **Paper.** None: it is the ground on which new ones are tried.
//! **What the paper leaves open and what we chose.** Every region takes turns among the planes of its own;
//! a one-shot wordline that a write had to fall back on is filled first, as `turbo-write` does it.
//! **Knobs.** None; a policy changes its mind by `window`.

mod build;
mod by_page;
mod config;
mod host;
mod policy;
mod reclaim;
mod shelf;
mod view;
mod writing;

pub use config::CustomConfig;
pub use host::{set_host, Description, Host, OptionValue, PolicySource, RegionConfig};
pub use policy::{BlockReclaim, Choice, Hooks, Policy, Whither, Write, REGIONS_MAX};
pub use view::{ClosedBlock, View};

use super::common::tables::page_table;
use super::common::turns::Turns;
use crate::base::op::Class;
use crate::base::{CellMode, PlaneId};
use crate::ftl::answer::{BlockShare, DeviceFull, Idle};
use crate::ftl::any_region::{AnyRegion, Role};
use crate::ftl::io::Io;
use crate::ftl::piece::Piece;
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::scheme::Scheme;
use crate::ftl::window::{WindowCounters, WindowLength, WindowUnit};
use crate::metrics::report::SchemeReport;
use policy::Decider;
use reclaim::Emptied;
use serde::{Deserialize, Serialize};
use shelf::Shelf;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use writing::WriteHistory;

/// What a region came to since time 0.
#[derive(Clone, Copy, Debug, Default)]
struct CustomFigures {
    pages_written: u64,
    blocks_reclaimed: u64,
    pages_moved_out: u64,
    pages_kept: u64,
}

/// Regions, and the policy that decides about them.
#[derive(Serialize, Deserialize)]
pub struct Custom {
    name: String,
    names: Vec<String>,
    shelf: Shelf,
    policy: Decider,
    hooks: Hooks,
    turns: Vec<Turns>,
    /// By region that was tried first: the one that took the last write instead.
    fell: Vec<usize>,
    /// Planes where a pause found no room: asked again when the host changed anything.
    cramped: Vec<PlaneId>,
    history: WriteHistory,
    drain: bool,
    window_writes: u64,
    #[serde(skip)]
    figures: Vec<CustomFigures>,
    /// The policy's own, at the end of a run.
    #[serde(skip)]
    own_figures: BTreeMap<String, f64>,
    /// The first thing that went wrong with the policy.
    #[serde(skip)]
    failure: OnceLock<String>,
}

impl Custom {
    /// What was counted of every region.
    fn counted(&self) -> BTreeMap<String, f64> {
        let mut counted = BTreeMap::new();
        for (name, (region, figures)) in self.names.iter().zip(self.shelf.regions.iter().zip(&self.figures)) {
            let mut figure = |what: &str, value: f64| counted.insert(format!("{name}_{what}"), value);
            figure("pages_written", figures.pages_written as f64);
            figure("blocks_reclaimed", figures.blocks_reclaimed as f64);
            figure("pages_moved_out", figures.pages_moved_out as f64);
            if figures.pages_kept > 0 {
                figure("pages_kept", figures.pages_kept as f64);
            }
            figure("free_blocks_min", f64::from(region.free_blocks_min()));
        }
        counted
    }
}

impl Scheme for Custom {
    fn regions(&self, visit: &mut dyn FnMut(Role, &dyn AnyRegion)) {
        for region in &self.shelf.regions {
            let is_slc = region.spec.mode == CellMode::Slc;
            visit(if is_slc { Role::Cache } else { Role::Store }, region);
        }
    }

    fn regions_mut(&mut self, visit: &mut dyn FnMut(&mut dyn AnyRegion)) {
        self.shelf.regions.iter_mut().for_each(|region| visit(region));
    }

    fn resume(&mut self, fresh: Self) -> Result<(), String> {
        self.figures = fresh.figures;
        self.policy.resume(fresh.policy)
    }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.shelf.preload(page, mask, io)
    }

    #[inline]
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.check_policy()?;
        if !self.cramped.is_empty() {
            self.ask_cramped_again(io);
        }
        let choice = self.choose(&piece, io)?;
        let first = choice.first();
        let plane = self.plane(&piece, first, io);
        let written = try_planes(
            self,
            plane,
            |scheme| scheme.shelf.regions[first].allocator(),
            |scheme, plane| Ok(scheme.place(&piece, &choice, plane, io)?.then_some(())),
        );
        written.map_err(|_| self.refuse(&choice))
    }

    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        io.trim(first, end);
        self.ask_cramped_again(io);
    }

    fn idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
        let Some(policy) = self.policy.as_mut().filter(|_| self.hooks.idle) else {
            return Idle::Nothing;
        };
        let asked = policy.idle(&View::new(&self.shelf.regions, io, Some(plane)));
        let emptied = asked.map_err(|message| self.fail(message)).and_then(|what| match what {
            Some(what) => {
                self.empty(&what, plane, if what.uninterrupted { Class::Run } else { Class::Background }, io)
            }
            None => Ok(Emptied::Nothing),
        });
        match emptied {
            Ok(Emptied::Block) => Idle::Step,
            Ok(Emptied::Nothing) => Idle::Nothing,
            Ok(Emptied::NoRoom) => {
                self.cramped.push(plane);
                Idle::Nothing
            }
            Err(_) => Idle::Failed,
        }
    }

    fn window_length(&self) -> WindowLength {
        WindowLength { unit: WindowUnit::WriteRequests, count: self.window_writes }
    }

    fn window(&mut self, counters: &WindowCounters, io: &mut Io) -> Result<(), DeviceFull> {
        let Some(policy) = self.policy.as_mut().filter(|_| self.hooks.window) else {
            return Ok(());
        };
        let quotas = policy.window(counters, &View::new(&self.shelf.regions, io, None));
        quotas.and_then(|quotas| self.set_quotas(&quotas)).map_err(|message| self.fail(message))
    }

    fn drain(&mut self, io: &mut Io) -> Result<bool, DeviceFull> {
        match self.drain {
            true => self.drain_caches(io),
            false => Ok(false),
        }
    }

    fn finish(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
        self.shelf.regions.iter_mut().for_each(|region| AnyRegion::pad_all(region, io));
        // Before time 0 there is nothing to tell.
        if io.clockless() {
            return Ok(());
        }
        let figures = self.policy.as_ref().map_or(Ok(BTreeMap::new()), |policy| policy.figures());
        self.own_figures = figures.map_err(|message| self.fail(message))?;
        let counted = self.counted();
        match self.own_figures.keys().find(|name| counted.contains_key(*name)) {
            Some(name) => {
                Err(self.fail(format!("figures: \"{name}\" is counted already; choose another name")))
            }
            None => Ok(()),
        }
    }

    /// Regions that share their blocks have them once.
    fn blocks(&self) -> Vec<BlockShare> {
        let home = self.shelf.home();
        let counted = |i: &usize| !self.shelf.shared[*i] || *i == home;
        (0..self.shelf.regions.len()).filter(counted).map(|i| self.shelf.regions[i].share()).collect()
    }

    fn failure(&self) -> Option<String> {
        self.failure.get().or(self.policy.unsaved.get()).cloned()
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: self.name.clone(), ..SchemeReport::default() };
        report.figures = self.counted();
        report.figures.extend(self.own_figures.clone());
        report.tables.push(page_table(io));
        report
    }
}
