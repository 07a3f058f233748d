//! What a block in two-layer layout can and cannot do.
//!
//! One plane of 6 blocks with 4 wordlines and 4 slots per page; a window is two wordlines, six pages.

use crate::it::common::{pool, versatile_pool};
use slcache_core::base::{BlockId, CellMode, Ppn};
use slcache_core::hw::array::{BlockState, Fault, FlashArray};
use slcache_core::hw::geometry::Geometry;

const LIVE: [u32; 4] = [1, 2, 3, 4];
const WINDOW: u32 = 6;
const PAGES: u32 = 12;

fn array() -> FlashArray {
    FlashArray::new(Geometry::new(&[versatile_pool(1, 1, 6, 4, 16384)], 4096).unwrap())
}

fn page(array: &FlashArray, block: u32, index: u32) -> Ppn {
    array.geometry.page(BlockId(block), index)
}

/// Programs or reprograms page `index` of block 0, whichever is due.
fn store(array: &mut FlashArray, index: u32) -> Result<(), Fault> {
    let at = page(array, 0, index);
    match array.gains_bit(at) {
        true => array.reprogram(at, &LIVE),
        false => array.program(at, &LIVE),
    }
}

/// An array whose block 0 is open in two-layer layout with `pages` live pages.
fn opened(pages: u32) -> FlashArray {
    let mut array = array();
    let region = array.new_region();
    array.open_two_layer(BlockId(0), region).unwrap();
    (0..pages).for_each(|index| store(&mut array, index).unwrap());
    array
}

fn kill(array: &mut FlashArray, index: u32) {
    for slot in 0..4 {
        let slot = array.geometry.slot(page(array, 0, index), slot);
        array.invalidate(slot).unwrap();
    }
}

/// Of every page with every number of pages before it: a window's SLC pages are programmed in order, then its
/// other bits reprogrammed in order, before the next window begins.
#[test]
fn a_page_is_stored_when_it_is_next_and_as_its_wordline_can_take_it() {
    for (pages, index) in (0..=PAGES).flat_map(|pages| (0..PAGES).map(move |index| (pages, index))) {
        let mut array = opened(pages);
        let at = page(&array, 0, index);
        let window = pages.min(PAGES - 1) / WINDOW;
        let gains_bit = index % WINDOW >= 2;
        let order = Fault::ProgramOrder { page: at, expected: pages };
        let reprogrammed = match () {
            () if index / WINDOW != window => Err(Fault::ReprogramWindow { page: at, window }),
            () if !gains_bit => Err(Fault::ReprogramErased(at)),
            () if pages == PAGES => Err(Fault::ProgramNotOpen(at)),
            () if index != pages => Err(order),
            () => Ok(()),
        };
        assert_eq!(array.reprogram(at, &LIVE), reprogrammed, "{index} after {pages}");
        let mut array = opened(pages);
        let programmed = array.program(at, &LIVE);
        assert_eq!(programmed.is_ok(), index == pages && !gains_bit, "{index} after {pages}: {programmed:?}");
        let next = index == pages;
        assert!(!next || !gains_bit || programmed == Err(Fault::ProgramNotErased(at)), "{programmed:?}");
    }
}

#[test]
fn a_full_block_stores_every_bit_of_every_wordline() {
    let mut array = opened(PAGES);
    assert!((0..PAGES).all(|index| array.wordline_bits(page(&array, 0, index)) == 3));
    assert_eq!((array.block(BlockId(0)).live(), array.live_pages(BlockId(0))), (PAGES * 4, PAGES));
    assert_eq!((array.stored(CellMode::Slc), array.stored(CellMode::Tlc)), (4, 8));
    assert_eq!(
        (array.block(BlockId(0)).mode(), array.block(BlockId(0)).state()),
        (CellMode::Tlc, BlockState::Closed)
    );
    // Numbers beyond the block's pages exist, pages do not.
    let beyond = page(&array, 0, PAGES);
    assert_eq!(array.program(beyond, &LIVE), Err(Fault::ProgramNotOpen(beyond)));
}

#[test]
fn plain_blocks_and_chips_without_reprogramming_take_none() {
    let mut array = array();
    let at = page(&array, 0, 2);
    assert_eq!(array.reprogram(at, &LIVE), Err(Fault::ProgramNotOpen(at)));
    let region = array.new_region();
    array.open(BlockId(0), CellMode::Tlc, region).unwrap();
    assert_eq!(array.reprogram(at, &LIVE), Err(Fault::ReprogramPlain(at)));
    assert_eq!(array.wordline_bits(at), 0);
    let mut array = FlashArray::new(Geometry::new(&[pool(1, 1, 6, 4, 16384)], 4096).unwrap());
    let region = array.new_region();
    assert_eq!(array.open_two_layer(BlockId(0), region), Err(Fault::NoReprogram(BlockId(0))));
    assert_eq!(array.open_two_layer(BlockId(6), region), Err(Fault::NoSuchBlock(BlockId(6))));
}

#[test]
fn what_is_live_counts_with_the_cache_until_its_wordline_gains_a_bit() {
    let mut array = opened(2);
    let slots = |array: &FlashArray| array.live_in(array.block(BlockId(0)).region());
    assert_eq!(slots(&array), 8);
    store(&mut array, 2).unwrap();
    assert_eq!(slots(&array), 4);
    // Page 0 shares its wordline with page 2 now, page 1 is alone on its own.
    kill(&mut array, 0);
    assert_eq!(slots(&array), 4);
    kill(&mut array, 1);
    assert_eq!(slots(&array), 0);
    array.audit().unwrap();
}

#[test]
fn an_emptied_block_is_erased_whatever_it_was_written_to() {
    for pages in [1, 3, WINDOW + 1, PAGES] {
        let mut array = opened(pages);
        assert_eq!(array.erase(BlockId(0)), Err(Fault::EraseLive(BlockId(0), pages as u16 * 4)));
        (0..pages).for_each(|index| kill(&mut array, index));
        assert_eq!(array.dead_pages(BlockId(0)), pages);
        array.erase(BlockId(0)).unwrap();
        assert_eq!((array.erases(BlockId(0), CellMode::Tlc), array.wear(BlockId(0))), (1, 1));
        // A new life, in any layout, with the first window first.
        let region = array.block(BlockId(0)).region();
        array.open_two_layer(BlockId(0), region).unwrap();
        store(&mut array, 0).unwrap();
        array.audit().unwrap();
    }
}

#[test]
fn the_score_is_the_number_of_dead_pages() {
    let mut array = opened(4);
    let score = |array: &FlashArray| array.scores(BlockId(0), 1)[0];
    assert_eq!(score(&array), 0);
    kill(&mut array, 1);
    kill(&mut array, 3);
    assert_eq!(score(&array), -2);
    // A page that is dead from the start is dead like any other.
    let at = page(&array, 0, 4);
    array.reprogram(at, &[0; 4]).unwrap();
    assert_eq!(score(&array), -3);
    array.close(BlockId(0)).unwrap();
    assert_eq!(score(&array), -3);
    array.audit().unwrap();
}
