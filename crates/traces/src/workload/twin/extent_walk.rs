//! Where a twin's requests go whose updates repeat extents: size by size, place by place.

use super::super::random::Random;
use super::extent_places::{Choice, ExtentPlaces};
use super::extent_plan::ExtentPlan;
use super::extents::Extent;
use super::plan::TwinPlan;
use super::quota::Quota;
use super::sequential::{elsewhere, Sequential};
use super::sizes::SizeClass;

/// Sizes and places, request by request.
#[derive(Clone, Debug)]
pub(super) struct ExtentWalk {
    places: ExtentPlaces,
    sizes: Random,
    sequential: Sequential,
    /// Sector at which the last request ended.
    end: Option<u64>,
    /// The extent that starts there, with its size, if a write may go on there.
    next: Option<(usize, Extent)>,
}

impl ExtentWalk {
    /// The walk of `plan`, nothing touched yet.
    pub(super) fn new(plan: &TwinPlan, extents: &ExtentPlan, seed: u64) -> Self {
        Self {
            places: ExtentPlaces::new(plan, extents, seed),
            sizes: Random::new(seed, 0, "size"),
            sequential: Sequential::new(plan.sequential_share, seed),
            end: None,
            next: None,
        }
    }

    /// Sector and sectors of the next request, whose size comes out of `quota`.
    pub(super) fn next(&mut self, quota: &mut Quota<SizeClass>, write: bool) -> Option<(u64, u32)> {
        let go_on = self.sequential.is_due();
        let (class, choice) = match write {
            true => self.write(quota, go_on)?,
            false => self.read(quota, go_on)?,
        };
        if self.end == Some(choice.sector) {
            self.sequential.made();
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
        let Self { places, next, end, .. } = self;
        Some((class, elsewhere(|| places.write(class, *next), |choice| Some(choice.sector) == *end)))
    }

    fn read(&mut self, quota: &mut Quota<SizeClass>, go_on: bool) -> Option<(SizeClass, Choice)> {
        let class = quota.draw(&mut self.sizes)?;
        let end = self.end.filter(|_| go_on);
        let choice = end.and_then(|end| self.places.read_on(class, end));
        let Self { places, end, .. } = self;
        let elsewhere = || elsewhere(|| places.read(class), |choice| Some(choice.sector) == *end);
        Some((class, choice.unwrap_or_else(elsewhere)))
    }
}
