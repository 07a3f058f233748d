//! How full the regions are, where the knobs stand and when windows end, as it changes, for whoever asks.

use super::Simulation;
use crate::base::CellMode;
use crate::ftl::answer::RegionLevel;
use crate::ftl::any_region::Role;
use crate::ftl::scheme::Scheme;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Changed {
    /// How full a region is, by its place in the scheme's order.
    Region(usize, RegionLevel),
    /// Where a knob stands, by its place in the scheme's order.
    Knob(usize, f64),
    /// How many planes are in a phase of the cache, by its place in the scheme's order.
    Phase(usize, usize),
    /// The scheme's window of this number is over.
    Window(u64),
}

/// Something that changed, and when it was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    pub at_ns: u64,
    pub what: Changed,
}

/// What was seen last, and what changed since it was taken.
#[derive(Clone)]
pub(super) struct Levels {
    every_ns: u64,
    next_ns: u64,
    regions: Vec<Option<RegionLevel>>,
    knobs: Vec<Option<f64>>,
    phases: Vec<Option<usize>>,
    windows: u64,
    changes: Vec<Change>,
}

impl Simulation {
    /// Looks from now on at the scheme's regions and knobs, where something happens and at most once in
    /// `every_ns`; at the end of each of its windows in any case.
    pub fn log_levels(&mut self, every_ns: u64) {
        let none = Levels {
            every_ns,
            next_ns: 0,
            regions: Vec::new(),
            knobs: Vec::new(),
            phases: Vec::new(),
            windows: 0,
            changes: Vec::new(),
        };
        self.levels = Some(Box::new(none));
        self.look_at_levels();
    }

    /// What each of the scheme's regions is, and the mode of its cells.
    pub fn region_roles(&self) -> Vec<(Role, CellMode)> {
        let mut roles = Vec::new();
        self.scheme.regions(&mut |role, region| roles.push((role, region.share().mode)));
        roles
    }

    /// The names of the phases of the scheme's cache.
    pub fn phases(&self) -> Vec<&'static str> {
        self.scheme.phases().into_iter().map(|(name, _)| name).collect()
    }

    /// Looks, if it is time.
    #[cold]
    pub(super) fn note_levels(&mut self) {
        let now_ns = self.io.now_ns();
        if self.levels.as_ref().is_some_and(|levels| now_ns >= levels.next_ns) {
            self.look_at_levels();
        }
    }

    /// A window of the scheme is over, and it has done what it does then.
    #[cold]
    pub(super) fn note_window(&mut self) {
        let at_ns = self.io.now_ns();
        if let Some(levels) = self.levels.as_mut() {
            levels.changes.push(Change { at_ns, what: Changed::Window(levels.windows) });
            levels.windows += 1;
        }
        self.look_at_levels();
    }

    fn look_at_levels(&mut self) {
        let Some(mut levels) = self.levels.take() else { return };
        let at_ns = self.io.now_ns();
        levels.next_ns = at_ns + levels.every_ns;
        let mut place = 0;
        self.scheme.regions(&mut |_, region| {
            let level = region.level(&self.io);
            levels.see(at_ns, |levels| &mut levels.regions, place, level, Changed::Region);
            place += 1;
        });
        for (place, knob) in self.scheme.knobs(&self.io).into_iter().enumerate() {
            levels.see(at_ns, |levels| &mut levels.knobs, place, knob.value, Changed::Knob);
        }
        for (place, (_, planes)) in self.scheme.phases().into_iter().enumerate() {
            levels.see(at_ns, |levels| &mut levels.phases, place, planes, Changed::Phase);
        }
        self.levels = Some(levels);
    }

    /// Takes what changed since into `changes`, whose own are forgotten; the regions are looked at now.
    pub fn take_changes(&mut self, changes: &mut Vec<Change>) {
        changes.clear();
        self.look_at_levels();
        if let Some(levels) = self.levels.as_mut() {
            std::mem::swap(&mut levels.changes, changes);
        }
    }
}

impl Levels {
    /// Sees `value` in a place, which changed if another was seen there last.
    fn see<T: Copy + PartialEq>(
        &mut self,
        at_ns: u64,
        seen: impl Fn(&mut Self) -> &mut Vec<Option<T>>,
        place: usize,
        value: T,
        what: impl Fn(usize, T) -> Changed,
    ) {
        let all = seen(self);
        if all.len() <= place {
            all.resize(place + 1, None);
        }
        if all[place].replace(value) != Some(value) {
            self.changes.push(Change { at_ns, what: what(place, value) });
        }
    }
}
