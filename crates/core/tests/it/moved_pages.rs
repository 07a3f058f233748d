//! Pages of a block that move together: the array must be as if each had moved alone.

use crate::it::common::pool;
use slcache_core::base::rng::RngStream;
use slcache_core::base::{BlockId, CellMode, Ppn, Slot};
use slcache_core::hw::array::{Fault, FlashArray, Owners};
use slcache_core::hw::geometry::Geometry;
use std::collections::BTreeMap;

const PAGES: u32 = 16;

/// Where each tag is said to live, and the pages said to have moved.
#[derive(Debug, Default, PartialEq)]
struct Told {
    slots: BTreeMap<u32, u32>,
    pages: Vec<(u32, u32, u32)>,
}

impl Owners for Told {
    fn fetch(&self, _tags: &[u32]) {}

    fn moved(&mut self, tag: u32, slot: u32) {
        self.slots.insert(tag, slot);
    }

    fn page(&mut self, from: u32, to: u32, units: u32) {
        self.pages.push((from, to, units));
    }
}

/// Block `source` with some pages of so many slots that live, in part, and block `target` with a few pages.
fn array(rng: &mut RngStream, slots: u32, source: u32, target: u32, closed: bool) -> FlashArray {
    let mut array = FlashArray::new(Geometry::new(&[pool(1, 1, 6, PAGES, slots * 4096)], 4096).unwrap());
    let region = array.new_region();
    for block in [target, source] {
        array.open(BlockId(block), CellMode::Slc, region).unwrap();
    }
    let programmed = if closed { PAGES } else { PAGES - 3 };
    for index in 0..programmed {
        let tags: Vec<u32> = (0..slots).map(|i| rng.below(3) / 2 * (100 + slots * index + i)).collect();
        array.program(array.geometry.page(BlockId(source), index), &tags).unwrap();
    }
    for index in 0..rng.below(4) {
        array.program(array.geometry.page(BlockId(target), index), &[1 + index]).unwrap();
    }
    array
}

fn one_by_one(array: &mut FlashArray, source: BlockId, to: Ppn, count: u32) -> Told {
    let (mut told, mut first) = (Told::default(), 0);
    for to in to.0..to.0 + count {
        let (index, next) = (array.next_live(source, first), array.geometry.page_in_block(Ppn(to)));
        let base = next << array.geometry.slot_bits;
        let from = array.geometry.page(source, index);
        let slots = &mut told.slots;
        let units = array.move_page(from, Ppn(to), |tag, place| {
            slots.insert(tag, base + place);
        });
        told.pages.push((index, next, units.unwrap()));
        first = index + 1;
    }
    told
}

#[test]
fn pages_that_move_together_are_where_each_would_be() {
    for seed in 0..500 {
        let mut rng = RngStream::new(seed, "moved-pages");
        let (source, target) = if seed % 2 == 0 { (1, 4) } else { (4, 1) };
        let slots = 1 << (seed % 5);
        let mut together = array(&mut rng, slots, source, target, seed % 3 > 0);
        let mut apart = together.clone();
        let (source, target) = (BlockId(source), BlockId(target));
        let to = together.geometry.page(target, together.block(target).write_ptr());
        let most = together.live_pages(source).min(PAGES - together.block(target).write_ptr());
        if most == 0 {
            continue;
        }
        let count = 1 + rng.below(most);
        let mut told = Told::default();
        let behind = together.move_pages(source, 0, to, count, &mut told).unwrap();
        assert_eq!(told, one_by_one(&mut apart, source, to, count), "seed {seed}");
        assert_eq!(behind, told.pages.last().unwrap().0 + 1);
        let [moved, one_by_one] = [&together, &apart].map(|array| serde_json::to_string(array).unwrap());
        assert_eq!(moved, one_by_one, "seed {seed}");
        for block in [source, target] {
            assert_eq!(together.scores(block, 1), apart.scores(block, 1), "seed {seed}");
        }
        assert_eq!(together.stored(CellMode::Slc), apart.stored(CellMode::Slc));
        together.audit().unwrap();
        for (&tag, &slot) in &told.slots {
            let first = together.geometry.slot(together.geometry.page(target, 0), 0).0;
            assert_eq!(together.tag(Slot(first + slot)), tag);
        }
    }
}

#[test]
fn no_more_pages_move_than_the_block_has_left() {
    let mut array = array(&mut RngStream::new(1, "moved-pages"), 4, 1, 4, true);
    let (to, left) = (array.block(BlockId(4)).write_ptr(), array.block(BlockId(4)).write_ptr());
    let to = array.geometry.page(BlockId(4), to);
    let answer = array.move_pages(BlockId(1), 0, to, PAGES - left + 1, &mut Told::default());
    assert_eq!(answer, Err(Fault::ProgramNotOpen(array.geometry.page(BlockId(4), PAGES))));
}
