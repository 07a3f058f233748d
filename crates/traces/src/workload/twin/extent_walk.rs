//! Where a twin's requests go whose updates repeat extents: size by size, place by place.

use super::super::random::Random;
use super::extent_places::{Choice, ExtentPlaces};
use super::extent_plan::ExtentPlan;
use super::extents::Extent;
use super::plan::TwinPlan;
use super::quota::Quota;
use super::sizes::SizeClass;

/// How often a place that would be sequential by chance is drawn again.
const REDRAWS: usize = 8;

/// Sizes and places, request by request.
#[derive(Clone, Debug)]
pub(super) struct ExtentWalk {
    places: ExtentPlaces,
    sizes: Random,
    runs: Random,
    sequential_share: f64,
    /// Sequential requests due, less those made.
    sequential_due: f64,
    /// Sector at which the last request ended.
    end: Option<u64>,
    /// The extent that starts there, with its size, if a write may go on there.
    next: Option<(usize, Extent)>,
}

impl ExtentWalk {
    /// The walk of `plan`, nothing touched yet.
    pub(super) fn new(plan: &TwinPlan, extents: &ExtentPlan, seed: u64) -> Self {
        let random = |decision| Random::new(seed, 0, decision);
        Self {
            places: ExtentPlaces::new(plan, extents, seed),
            sizes: random("size"),
            runs: random("run"),
            sequential_share: plan.sequential_share,
            sequential_due: 0.0,
            end: None,
            next: None,
        }
    }

    /// Sector and sectors of the next request, whose size comes out of `quota`.
    pub(super) fn next(&mut self, quota: &mut Quota<SizeClass>, write: bool) -> Option<(u64, u32)> {
        self.sequential_due += self.sequential_share;
        let go_on = self.sequential_due > 0.0 && self.runs.unit() < self.sequential_due;
        let (class, choice) = match write {
            true => self.write(quota, go_on)?,
            false => self.read(quota, go_on)?,
        };
        // What comes out sequential by chance counts as well.
        if self.end == Some(choice.sector) {
            self.sequential_due -= 1.0;
        }
        self.next = self.places.commit(choice, write);
        self.end = Some(choice.sector + u64::from(class.sectors));
        Some((choice.sector, class.sectors))
    }

    /// The next write. One that goes on takes the size of the one before: what
    /// lies behind it is an extent of that size.
    fn write(&mut self, quota: &mut Quota<SizeClass>, go_on: bool) -> Option<(SizeClass, Choice)> {
        let next = self.next.filter(|_| go_on).and_then(|next| self.places.write_on(next));
        if let Some((class, choice)) = next.filter(|(class, _)| quota.take(*class)) {
            return Some((class, choice));
        }
        let first = self.places.first().filter(|class| quota.take(*class));
        let class = first.or_else(|| quota.draw(&mut self.sizes))?;
        Some((class, self.elsewhere(|walk| walk.places.write(class, walk.next))))
    }

    fn read(&mut self, quota: &mut Quota<SizeClass>, go_on: bool) -> Option<(SizeClass, Choice)> {
        let class = quota.draw(&mut self.sizes)?;
        let end = self.end.filter(|_| go_on);
        let choice = end.and_then(|end| self.places.read_on(class, end));
        Some((class, choice.unwrap_or_else(|| self.elsewhere(|walk| walk.places.read(class)))))
    }

    /// A place that is not sequential, if it can be helped.
    fn elsewhere(&mut self, draw: impl Fn(&mut Self) -> Choice) -> Choice {
        let mut choice = draw(self);
        for _ in 0..REDRAWS {
            if Some(choice.sector) != self.end {
                break;
            }
            choice = draw(self);
        }
        choice
    }
}
