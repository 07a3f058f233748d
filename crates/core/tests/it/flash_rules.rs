//! What flash can and cannot do, and how its addresses are packed.

use crate::it::common::{mode, pool};
use slcache_core::base::{BlockId, CellMode, PlaneId, Ppn};
use slcache_core::hw::array::{BlockState, Fault, FlashArray};
use slcache_core::hw::config::PoolConfig;
use slcache_core::hw::geometry::Geometry;
use std::collections::BTreeSet;

const PAGES: u32 = 4;
const SLOTS: usize = 4;
const LIVE: [u32; SLOTS] = [1, 2, 3, 4];

/// One plane of 6 blocks with 4 wordlines and 4 slots per page; SLC and TLC.
fn array() -> FlashArray {
    FlashArray::new(Geometry::new(&[pool(1, 1, 6, PAGES, 16384)], 4096).unwrap())
}

fn page(array: &FlashArray, block: u32, index: u32) -> Ppn {
    array.geometry.page(BlockId(block), index)
}

/// Opens a block for a region of its own.
fn open(array: &mut FlashArray, block: u32, mode: CellMode) -> Result<(), Fault> {
    let region = array.new_region();
    array.open(BlockId(block), mode, region)
}

/// An array whose block 0 is open in SLC mode with `pages` live pages.
fn opened(pages: u32) -> FlashArray {
    let mut array = array();
    open(&mut array, 0, CellMode::Slc).unwrap();
    for index in 0..pages {
        let at = page(&array, 0, index);
        array.program(at, &LIVE).unwrap();
    }
    array
}

fn kill(array: &mut FlashArray, block: u32, index: u32) {
    for slot in 0..SLOTS as u32 {
        let slot = array.geometry.slot(page(array, block, index), slot);
        array.invalidate(slot).unwrap();
    }
}

/// A full life of block 0 in `mode`.
fn cycle(array: &mut FlashArray, mode: CellMode) {
    open(array, 0, mode).unwrap();
    for index in 0..PAGES * mode.bits() {
        let at = page(array, 0, index);
        array.program(at, &LIVE).unwrap();
        kill(array, 0, index);
    }
    array.erase(BlockId(0)).unwrap();
}

#[test]
fn a_block_is_free_then_open_then_closed_then_free_again() {
    let mut array = opened(PAGES - 1);
    assert_eq!(array.block(BlockId(0)).state(), BlockState::Open);
    let last = page(&array, 0, PAGES - 1);
    array.program(last, &[0; SLOTS]).unwrap();
    assert_eq!(array.block(BlockId(0)).state(), BlockState::Closed);
    // The last page was born dead: it is no live page and holds no live slot.
    assert_eq!(array.live_pages(BlockId(0)), PAGES - 1);
    assert_eq!(array.block(BlockId(0)).live(), (PAGES - 1) * SLOTS as u32);
    (0..PAGES - 1).for_each(|index| kill(&mut array, 0, index));
    array.erase(BlockId(0)).unwrap();
    assert_eq!(array.block(BlockId(0)).state(), BlockState::Free);
    let other = array.new_region();
    assert_ne!(array.block(BlockId(0)).region(), other);
    assert_eq!(array.open(BlockId(0), CellMode::Tlc, other), Ok(()));
    assert_eq!(array.block(BlockId(0)).region(), other);
}

#[test]
#[should_panic(expected = "only erased blocks are free")]
fn a_block_with_data_is_on_no_list_of_free_blocks() {
    opened(1).link_free(BlockId(0), 0);
}

#[test]
fn a_page_takes_no_more_slots_than_its_pool_has() {
    // Pages of 4 slots and of 1, in one geometry: a page of the second pool has room for 1.
    let pools = [pool(1, 1, 6, PAGES, 16384), pool(1, 1, 6, PAGES, 4096)];
    let mut array = FlashArray::new(Geometry::new(&pools, 4096).unwrap());
    let block = array.geometry.block(PlaneId(1), 0);
    let at = array.geometry.page(block, 0);
    open(&mut array, block.0, CellMode::Slc).unwrap();
    let refused = Fault::SlotsBeyondPage { page: at, given: 2, slots: 1 };
    assert_eq!(array.program(at, &[1, 2]), Err(refused));
    assert_eq!(array.program(at, &[1]), Ok(()));
    array.audit().unwrap();
}

#[test]
fn a_page_is_live_until_its_last_slot_dies() {
    let mut array = opened(1);
    for left in (0..SLOTS as u32).rev() {
        let slot = array.geometry.slot(page(&array, 0, 0), left);
        array.invalidate(slot).unwrap();
        assert_eq!(array.block(BlockId(0)).live(), left);
        assert_eq!(array.live_pages(BlockId(0)), u32::from(left > 0));
    }
}

/// What flash does not do: nothing but the next page of an open block is programmed, an open block is closed, a
/// free block is opened in a mode it has, a written block without data is erased, and a live slot dies.
#[test]
fn what_flash_cannot_do_is_refused() {
    let mut array = opened(2);
    for wrong in [0, 1, 3, PAGES, PAGES + 1] {
        let at = page(&array, 0, wrong);
        assert_eq!(array.program(at, &LIVE), Err(Fault::ProgramOrder { page: at, expected: 2 }));
    }
    assert_eq!(open(&mut array, 0, CellMode::Slc), Err(Fault::OpenNotFree(BlockId(0))));
    for index in 2..PAGES {
        assert_eq!(array.program(page(&array, 0, index), &LIVE), Ok(()));
    }
    assert_eq!(open(&mut array, 0, CellMode::Tlc), Err(Fault::OpenNotFree(BlockId(0))));
    for absent in [CellMode::Mlc, CellMode::Qlc] {
        assert_eq!(open(&mut array, 1, absent), Err(Fault::NoSuchMode(BlockId(1), absent)));
    }
    open(&mut array, 1, CellMode::Tlc).unwrap();
    assert_eq!(array.erase(BlockId(1)), Err(Fault::EraseEmpty(BlockId(1))));
    array.close(BlockId(1)).unwrap();
    // Blocks 0 and 1 are closed and 2 is free; of 12 pages of a TLC block an SLC block has no fifth.
    for (block, index) in [(0, 0), (0, PAGES), (1, 0), (2, 0)] {
        let at = page(&array, block, index);
        assert_eq!(array.program(at, &LIVE), Err(Fault::ProgramNotOpen(at)));
        assert_eq!(array.close(BlockId(block)), Err(Fault::CloseNotOpen(BlockId(block))));
    }
    assert_eq!(array.erase(BlockId(2)), Err(Fault::EraseEmpty(BlockId(2))));
    // 6 blocks take 8 numbers: 6 and 7 are the rounding gap, 8 is beyond the only plane.
    for block in [6, 7, 8, u32::MAX >> 8] {
        assert_eq!(open(&mut array, block, CellMode::Slc), Err(Fault::NoSuchBlock(BlockId(block))));
    }
    assert_eq!(open(&mut array, 5, CellMode::Slc), Ok(()));
    let at = page(&array, 5, 0);
    array.program(at, &[0, 0, 7, 0]).unwrap();
    assert_eq!(array.erase(BlockId(5)), Err(Fault::EraseLive(BlockId(5), 1)));
    let [live, dead, unwritten, free] = [(5, 0, 2), (5, 0, 1), (5, 1, 0), (2, 0, 0)]
        .map(|(block, index, slot)| array.geometry.slot(page(&array, block, index), slot));
    array.invalidate(live).unwrap();
    for slot in [live, dead, unwritten, free] {
        assert_eq!(array.invalidate(slot), Err(Fault::InvalidateDead(slot)));
    }
    assert_eq!(array.erase(BlockId(5)), Ok(()));
    assert_eq!(array.erase(BlockId(5)), Err(Fault::EraseEmpty(BlockId(5))));
    // Nothing of this touched the others.
    assert!((0..PAGES).all(|index| array.page_tags(page(&array, 0, index)) == LIVE));
}

#[test]
fn a_refused_opening_leaves_no_trace() {
    let mut array = opened(1);
    let before = array.openings();
    open(&mut array, 0, CellMode::Slc).unwrap_err();
    open(&mut array, 1, CellMode::Qlc).unwrap_err();
    assert_eq!(array.openings(), before);
    // The next block opened must not share the storage of block 0.
    open(&mut array, 1, CellMode::Slc).unwrap();
    let at = page(&array, 1, 0);
    array.program(at, &[9; SLOTS]).unwrap();
    assert_eq!(array.page_tags(page(&array, 0, 0)), &LIVE);
    assert_eq!(array.page_tags(at), &[9; SLOTS]);
}

#[test]
fn wear_is_counted_per_mode() {
    let mut array = array();
    cycle(&mut array, CellMode::Slc);
    cycle(&mut array, CellMode::Tlc);
    cycle(&mut array, CellMode::Slc);
    let erases = CellMode::ALL.map(|mode| array.erases(BlockId(0), mode));
    assert_eq!(erases, [2, 0, 1, 0]);
    assert_eq!((array.wear(BlockId(0)), array.wear(BlockId(1))), (3, 0));
    array.reset_wear();
    assert_eq!(array.wear(BlockId(0)), 0);
}

/// Two pools that differ in every size.
fn two_pools() -> Vec<PoolConfig> {
    let mut small = pool(3, 2, 5, 3, 4096);
    small.tlc = None;
    vec![small, pool(2, 1, 12, 7, 16384)]
}

fn check_round_trips(pools: &[PoolConfig]) {
    let geometry = Geometry::new(pools, 4096).unwrap();
    let mut seen = BTreeSet::new();
    let mut planes = 0;
    for (index, config) in pools.iter().enumerate() {
        for plane in (planes..planes + config.plane_count()).map(PlaneId) {
            assert_eq!(usize::from(geometry.planes[plane.index()].pool), index);
            for number in 0..config.blocks {
                let block = geometry.block(plane, number);
                assert_eq!(geometry.plane_of(block), plane);
                for p in 0..config.pages_per_block(config.densest()) {
                    let page = geometry.page(block, p);
                    assert_eq!((geometry.block_of(page), geometry.page_in_block(page)), (block, p));
                    for s in 0..config.page_bytes / 4096 {
                        let slot = geometry.slot(page, s);
                        assert_eq!(geometry.page_of(slot), page);
                        assert!(seen.insert(slot), "{slot:?} is numbered twice");
                    }
                }
            }
        }
        planes += config.plane_count();
    }
    assert_eq!(geometry.planes.len() as u32, planes);
}

#[test]
fn addresses_survive_the_round_trip_and_are_unique() {
    check_round_trips(&two_pools()[1..]);
    check_round_trips(&two_pools());
}

/// 2 channels, 3 chips, 2 dies, 5 planes: numbered ((channel * 3 + chip) * 2 + die) * 5 + plane.
fn wide() -> Geometry {
    let mut config = pool(2, 5, 4, 1, 4096);
    (config.chips, config.dies) = (3, 2);
    Geometry::new(&[config], 4096).unwrap()
}

#[test]
fn the_first_letter_of_a_plane_order_varies_fastest_and_each_plane_comes_once() {
    let geometry = wide();
    let mut orders = BTreeSet::new();
    let letters = ['C', 'W', 'D', 'P'];
    for (i, j, k) in
        (0..64).map(|n| (n / 16, n / 4 % 4, n % 4)).filter(|(i, j, k)| i != j && j != k && i != k)
    {
        let order: String = [i, j, k, 6 - i - j - k].into_iter().map(|at| letters[at]).collect();
        let planes = geometry.plane_order(0, &order);
        assert!(
            planes.iter().collect::<BTreeSet<_>>().len() == 60 && planes.iter().all(|plane| plane.0 < 60)
        );
        orders.insert(planes);
    }
    assert_eq!(orders.len(), 24);
    let first =
        |order: &str, n: usize| geometry.plane_order(0, order)[..n].iter().map(|p| p.0).collect::<Vec<_>>();
    // One step of a channel is 30 planes, of a chip 10, of a die 5.
    assert_eq!(first("CWDP", 7), [0, 30, 10, 40, 20, 50, 5]);
    assert_eq!(first("PDWC", 7), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(first("DPCW", 5), [0, 5, 1, 6, 2]);
}

#[test]
fn the_planes_of_a_second_pool_follow_those_of_the_first() {
    let geometry = Geometry::new(&two_pools(), 4096).unwrap();
    assert_eq!(geometry.plane_order(1, "CWDP"), [PlaneId(6), PlaneId(7)]);
    // Three channels with one die of two planes, then two channels with one plane each.
    let channels: Vec<u32> = geometry.planes.iter().map(|p| p.channel).collect();
    assert_eq!(channels, [0, 0, 1, 1, 2, 2, 3, 4]);
    assert_eq!((geometry.channels, geometry.units), (5, 8));
}

#[test]
fn a_geometry_beyond_its_address_width_is_refused() {
    // 2^8 channels x 2^4 planes x 2^16 blocks x 2^2 pages x 2^2 slots = 2^32 slots.
    let mut huge = pool(256, 16, 65536, 4, 16384);
    huge.tlc = None;
    assert!(Geometry::new(&[huge.clone()], 4096).is_err());
    huge.channels = 128;
    assert!(Geometry::new(&[huge], 4096).is_ok());
    // 4096 wordlines x 4 bits x 4 slots = 65536 mapping units, one more than a block counts.
    let mut deep = pool(1, 1, 4, 4096, 16384);
    deep.qlc = Some(mode(1, 1, 1));
    assert!(Geometry::new(&[deep.clone()], 4096).is_err());
    deep.qlc = None;
    deep.tlc = None;
    deep.mlc = Some(mode(1, 1, 1));
    assert!(Geometry::new(&[deep], 4096).is_ok());
}
