//! What a scheme that is not written here decides: where a write goes, what is reclaimed, what a pause is for.

use super::view::View;
use crate::base::BlockId;
use crate::ftl::window::WindowCounters;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

pub const REGIONS_MAX: usize = 16;

/// The regions that may take a write, the first that has room first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    regions: [u8; REGIONS_MAX],
    len: u8,
}

impl Choice {
    /// `region` alone.
    pub fn one(region: usize) -> Self {
        let mut choice = Self { regions: [0; REGIONS_MAX], len: 0 };
        choice.add(region);
        choice
    }

    /// All of `count` regions, in their order.
    pub fn all(count: usize) -> Self {
        let mut choice = Self::one(0);
        (1..count).for_each(|region| choice.add(region));
        choice
    }

    /// Adds another region to fall back on; one that is there already stays where it is.
    pub fn add(&mut self, region: usize) {
        if !self.regions().any(|there| there == region) {
            self.regions[usize::from(self.len)] = region as u8;
            self.len += 1;
        }
    }

    /// The regions, in order.
    pub fn regions(&self) -> impl Iterator<Item = usize> + '_ {
        self.regions[..usize::from(self.len)].iter().map(|&region| usize::from(region))
    }

    /// The region that is tried first.
    #[inline]
    pub fn first(&self) -> usize {
        usize::from(self.regions[0])
    }
}

/// A piece of a host write, as a policy sees it.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    /// Logical page.
    pub page: u32,
    /// Bytes of the piece.
    pub bytes: u32,
    /// Bytes of the whole request.
    pub request_bytes: u64,
    /// The request's stream.
    pub stream: u16,
    /// What the host says about the data; 0 for nothing.
    pub hint: u8,
    /// Whether it is the first piece of its request.
    pub first: bool,
    pub time_ns: u64,
    /// Time since the logical page was last written, ns; none before, and where no history is kept.
    pub age_ns: Option<u64>,
    /// How often the logical page was written before; 0 where no history is kept.
    pub frequency: u32,
}

/// Whither what lives in a block goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whither {
    /// All of it to a region, which may be its own: then only a block of which something is dead is emptied.
    Region(usize),
    /// Each logical page to the region that `Policy::destination` says.
    Each,
}

/// A block to be emptied and erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockReclaim {
    /// The region it is taken from.
    pub region: usize,
    /// Whither its data go.
    pub to: Whither,
    /// The block; none = the next one by the region's rule.
    pub block: Option<BlockId>,
    /// Where no block is full: the data of the one that is being filled.
    pub open: bool,
    /// In a pause: the host waits until it is done, nothing interrupts it.
    pub uninterrupted: bool,
}

/// Which decisions a policy takes; the others are the scheme's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hooks {
    pub place: bool,
    pub reclaim: bool,
    pub idle: bool,
    pub window: bool,
}

/// A policy of elsewhere. What it answers is checked; an error is told to the user and ends the run.
pub trait Policy: Send + Sync {
    /// Which decisions it takes.
    fn hooks(&self) -> Hooks;

    fn place(&mut self, write: &Write, view: &View) -> Result<Choice, String>;

    /// Which block is emptied before `region` opens one in the view's plane; asked until none is.
    fn reclaim(&mut self, region: usize, view: &View) -> Result<Option<BlockReclaim>, String>;

    /// The region that logical page `page` goes to, out of a block of `region`.
    fn destination(&mut self, page: u32, region: usize, view: &View) -> Result<usize, String>;

    /// Which block a pause of the view's plane empties.
    fn idle(&mut self, view: &View) -> Result<Option<BlockReclaim>, String>;

    /// What a window came to; answers the regions whose number of blocks per plane changes.
    fn window(&mut self, counters: &WindowCounters, view: &View) -> Result<Vec<(usize, u32)>, String>;

    /// Its figures at the end of a run.
    fn figures(&self) -> Result<BTreeMap<String, f64>, String>;

    /// All that decides what it does next, as text.
    fn save(&self) -> Result<String, String>;

    /// Goes on where `state` was saved, or says what does not fit.
    fn load(&mut self, state: &str) -> Result<(), String>;

    /// An exact copy.
    fn copy(&self) -> Result<Box<dyn Policy>, String>;
}

/// A policy, if there is one.
#[derive(Default)]
pub struct Decider {
    policy: Option<Box<dyn Policy>>,
    /// What a snapshot says of it.
    saved: Option<String>,
    /// Why it could not be saved.
    pub unsaved: OnceLock<String>,
}

impl From<Option<Box<dyn Policy>>> for Decider {
    fn from(policy: Option<Box<dyn Policy>>) -> Self {
        Self { policy, ..Self::default() }
    }
}

impl Deref for Decider {
    type Target = Option<Box<dyn Policy>>;
    fn deref(&self) -> &Self::Target {
        &self.policy
    }
}

impl DerefMut for Decider {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.policy
    }
}

impl Serialize for Decider {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let saved = self.policy.as_ref().map(|policy| policy.save()).transpose();
        let saved = saved.unwrap_or_else(|message| {
            self.unsaved.get_or_init(|| message);
            None
        });
        saved.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Decider {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Option::deserialize(from).map(|saved| Self { saved, ..Self::default() })
    }
}

impl Decider {
    /// Goes on where the policy of the snapshot was, with `fresh`.
    pub fn resume(&mut self, fresh: Self) -> Result<(), String> {
        self.policy = fresh.policy;
        match (&mut self.policy, self.saved.take()) {
            (None, None) => Ok(()),
            (Some(policy), Some(state)) => policy.load(&state),
            _ => Err("the state of a policy, or none, where there is none, or one".into()),
        }
    }
}
