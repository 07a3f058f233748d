//! Where a twin's requests go whose updates repeat extents: size by size, place by place.

use super::super::random::Random;
use super::extent_plan::ExtentPlan;
use super::extents::{Area, ExtentNumber, Piece, SizeExtents, Variants};
use super::generator::{elsewhere, Sequential};
use super::quota::Quota;
use super::sizes::{SizeClass, SECTORS};
use super::TwinPlan;

/// Sizes and places, request by request.
#[derive(Clone, Debug)]
pub(super) struct ExtentWalk {
    places: ExtentPlaces,
    sizes: Random,
    sequential: Sequential,
    /// Sector at which the last request ended.
    end: Option<u64>,
    /// The extent that starts there, with its size, if a write may go on there.
    next: Option<(usize, ExtentNumber)>,
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
    fn write(&mut self, quota: &mut Quota<SizeClass>, go_on: bool) -> Option<(SizeClass, ExtentChoice)> {
        let next = self.next.filter(|_| go_on).and_then(|next| self.places.write_on(next));
        if let Some((class, choice)) = next.filter(|(class, _)| quota.take(*class)) {
            return Some((class, choice));
        }
        let first = self.places.first().filter(|class| quota.take(*class));
        let class = first.or_else(|| quota.draw(&mut self.sizes))?;
        let Self { places, next, end, .. } = self;
        Some((class, elsewhere(|| places.write(class, *next), |choice| Some(choice.sector) == *end)))
    }

    fn read(&mut self, quota: &mut Quota<SizeClass>, go_on: bool) -> Option<(SizeClass, ExtentChoice)> {
        let class = quota.draw(&mut self.sizes)?;
        let end = self.end.filter(|_| go_on);
        let choice = end.and_then(|end| self.places.read_on(class, end));
        let Self { places, end, .. } = self;
        let elsewhere = || elsewhere(|| places.read(class), |choice| Some(choice.sector) == *end);
        Some((class, choice.unwrap_or_else(elsewhere)))
    }
}

/// Fresh extents by which a sequential run may get ahead of the schedule.
const AHEAD: f64 = 8.0;

/// What a request does to the extents.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    Fresh(ExtentNumber),
    Repeat(ExtentNumber),
    Variant(Piece),
    Elsewhere,
}

/// A place for a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExtentChoice {
    pub(super) sector: u64,
    /// The size's number among those of its kind.
    size: usize,
    target: Target,
}

/// Extents written, and extents only read.
#[derive(Clone, Debug)]
pub(super) struct ExtentPlaces {
    written: Area,
    read_only: Area,
    /// For each size of reads, the size of writes that equals it.
    written_as: Vec<Option<usize>>,
    variants: Variants,
    /// Overwriting writes that may differ from all before, in the long run.
    variant_share: f64,
    /// Those due, less those made.
    variants_due: f64,
    random: Random,
}

impl ExtentPlaces {
    /// The places of `plan`, nothing touched yet.
    pub(super) fn new(plan: &TwinPlan, extents: &ExtentPlan, seed: u64) -> Self {
        let mut random = Random::new(seed, 0, "place");
        let skews = |class: SizeClass| (plan.update_skew_of(class), plan.read_skew);
        let mut page = plan.first_page;
        let written = Area::new(&plan.writes, &extents.written, skews, &mut page, &mut random);
        let read_only = Area::new(&plan.reads, &extents.read_only, skews, &mut page, &mut random);
        let as_written = |class: &SizeClass| written.sizes.iter().position(|size| size.class == *class);
        Self {
            written_as: plan.reads.iter().map(|(class, _)| as_written(class)).collect(),
            variants: Variants::new(extents.variants_per_extent.clone()),
            variant_share: 1.0 - extents.repeated_share,
            variants_due: 0.0,
            written,
            read_only,
            random,
        }
    }

    /// The size that has to be written first: the largest, where smaller ones
    /// have no extents of their own and go into larger ones.
    pub(super) fn first(&self) -> Option<SizeClass> {
        let homeless = |size: &SizeExtents| size.requests() > 0 && size.all() == 0;
        if self.written.pages > 0 || !self.written.sizes.iter().any(homeless) {
            return None;
        }
        let largest = self.written.sizes.iter().filter(|size| size.all() > 0);
        largest.max_by_key(|size| size.class.pages()).map(|size| size.class)
    }

    /// Where the next write of a size goes; if fresh, not to `avoid`.
    pub(super) fn write(&mut self, class: SizeClass, avoid: Option<(usize, ExtentNumber)>) -> ExtentChoice {
        let number = number(&self.written, class);
        let size = &self.written.sizes[number];
        if size.all() > 0 && (size.must_be_fresh() || size.schedule.wants(1, self.random.unit())) {
            let avoid = avoid.filter(|(other, _)| *other == number).map(|(_, extent)| extent);
            if let Some(extent) = size.fresh(avoid) {
                return ExtentChoice {
                    sector: size.sector(extent),
                    size: number,
                    target: Target::Fresh(extent),
                };
            }
        }
        self.overwrite(number)
    }

    fn overwrite(&mut self, number: usize) -> ExtentChoice {
        let differs = self.variants_due > 0.0 && self.random.unit() < self.variants_due;
        let variant = if differs { self.variant(number) } else { None };
        variant
            .or_else(|| self.repeat(number))
            .or_else(|| self.variant(number))
            .expect("the largest size has an extent, and every other fits into it")
    }

    fn repeat(&mut self, number: usize) -> Option<ExtentChoice> {
        let size = &mut self.written.sizes[number];
        if let Some(extent) = size.popular(false, &mut self.random) {
            return Some(ExtentChoice {
                sector: size.sector(extent),
                size: number,
                target: Target::Repeat(extent),
            });
        }
        let piece = self.variants.again(number, &mut self.random)?;
        let sector = self.variants.sector(number, piece, &self.written.sizes)?;
        Some(ExtentChoice { sector, size: number, target: Target::Elsewhere })
    }

    fn variant(&mut self, number: usize) -> Option<ExtentChoice> {
        loop {
            let piece = self.variants.open(number, &self.written.sizes, &mut self.random)?;
            if let Some(sector) = self.variants.sector(number, piece, &self.written.sizes) {
                return Some(ExtentChoice { sector, size: number, target: Target::Variant(piece) });
            }
            self.variants.take(number, piece);
        }
    }

    pub(super) fn read(&mut self, class: SizeClass) -> ExtentChoice {
        let number = number(&self.read_only, class);
        let size = &self.read_only.sizes[number];
        if size.all() > 0 && (size.must_be_fresh() || size.schedule.wants(1, self.random.unit())) {
            if let Some(extent) = size.fresh(None) {
                return ExtentChoice {
                    sector: size.sector(extent),
                    size: number,
                    target: Target::Fresh(extent),
                };
            }
        }
        // Among what has been touched, written or only read, each page alike.
        let all = (self.written.pages + self.read_only.pages).max(1);
        let written = self.written.exists() && self.random.below(all) < self.written.pages.max(1);
        let written = written || !self.read_only.exists();
        let (area, own) = match written {
            true => (&mut self.written, self.written_as[number]),
            false => (&mut self.read_only, Some(number)),
        };
        let same = own.and_then(|own| Some((own, area.sizes[own].popular(true, &mut self.random)?)));
        match same {
            Some((own, extent)) => {
                let target = if written { Target::Repeat(extent) } else { Target::Elsewhere };
                ExtentChoice { sector: area.sizes[own].sector(extent), size: number, target }
            }
            None => ExtentChoice {
                sector: area.inside(class, &mut self.random),
                size: number,
                target: Target::Elsewhere,
            },
        }
    }

    /// The write that goes on where an extent ended, if it may be made now.
    pub(super) fn write_on(
        &self,
        (number, extent): (usize, ExtentNumber),
    ) -> Option<(SizeClass, ExtentChoice)> {
        let size = &self.written.sizes[number];
        let fresh = !size.is_touched(extent);
        let in_time = if fresh { size.schedule.due(1) > -AHEAD } else { !size.must_be_fresh() };
        let target = if fresh { Target::Fresh(extent) } else { Target::Repeat(extent) };
        in_time.then(|| (size.class, ExtentChoice { sector: size.sector(extent), size: number, target }))
    }

    /// The read of a size from `sector` on, if there are neighbours to read.
    pub(super) fn read_on(&self, class: SizeClass, sector: u64) -> Option<ExtentChoice> {
        let number = number(&self.read_only, class);
        let (page, pages) = (sector / SECTORS, class.pages());
        let side_by_side = self.written.side_by_side(page, pages) || self.read_only.side_by_side(page, pages);
        let fits = sector % SECTORS == 0 && !class.shifted && side_by_side;
        let free = !self.read_only.sizes[number].must_be_fresh();
        (fits && free).then_some(ExtentChoice { sector, size: number, target: Target::Elsewhere })
    }

    /// Notes a request; the extent that starts where it ends, with its size, if
    /// a write may go on there.
    pub(super) fn commit(&mut self, choice: ExtentChoice, write: bool) -> Option<(usize, ExtentNumber)> {
        let area = if write { &mut self.written } else { &mut self.read_only };
        let size = &mut area.sizes[choice.size];
        let fresh = match choice.target {
            Target::Fresh(extent) => Some(extent),
            _ => None,
        };
        size.touch(fresh);
        if fresh.is_some() {
            area.pages += size.class.pages();
        } else if write {
            self.variants_due += self.variant_share;
        }
        if let Target::Variant(piece) = choice.target {
            self.variants.take(choice.size, piece);
            self.variants_due -= 1.0;
        }
        let (Target::Fresh(extent) | Target::Repeat(extent)) = choice.target else {
            return None;
        };
        let number =
            if write { Some(choice.size) } else { self.written_as[choice.size].filter(|_| fresh.is_none()) };
        number.and_then(|number| Some((number, self.written.sizes[number].next(extent)?)))
    }
}

fn number(area: &Area, class: SizeClass) -> usize {
    area.sizes.iter().position(|size| size.class == class).expect("every size has its extents, if none")
}
