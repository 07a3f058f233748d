//! What flash can and cannot do, and how its addresses are packed.

use crate::it::common::*;
use slcache_core::base::Ppn;
use slcache_core::hw::array::{Fault, FlashArray, RegionId};
use slcache_core::hw::geometry::Geometry;

const BLOCKS: u32 = 6;
const PAGES: u32 = 4;
const SLOTS: usize = 4;
/// Wordlines and pages of a window of a two-layer block.
const WINDOW: [usize; 2] = [2, 6];

/// One plane of 6 blocks with 4 wordlines and 4 slots per page; SLC, TLC, and TLC in windows of two wordlines.
fn array() -> FlashArray {
    FlashArray::new(Geometry::new(&[versatile_pool(1, 1, BLOCKS, PAGES, 16384)], 4096).unwrap())
}

fn page(array: &FlashArray, block: u32, index: u32) -> Ppn {
    array.geometry.page(BlockId(block), index)
}

/// A block by the rules alone.
#[derive(Clone, Default)]
struct Naive {
    /// Mode, whether in two-layer layout, and region of a block that is not free.
    life: Option<(CellMode, bool, RegionId)>,
    closed: bool,
    pages: Vec<[u32; SLOTS]>,
    erases: [u32; 4],
}

impl Naive {
    fn is_two_layer(&self) -> bool {
        self.life.is_some_and(|life| life.1)
    }

    fn state(&self) -> BlockState {
        match self.life {
            None => BlockState::Free,
            Some(_) if self.closed => BlockState::Closed,
            Some(_) => BlockState::Open,
        }
    }

    fn live_pages(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let live = |page: &[u32; SLOTS]| page.iter().filter(|&&tag| tag != 0).count() as u64;
        self.pages.iter().map(live).enumerate().filter(|(_, live)| *live > 0)
    }

    fn live(&self) -> u64 {
        self.live_pages().map(|(_, live)| live).sum()
    }

    /// What counts with the region: of a two-layer block what lies in wordlines of one bit.
    fn in_cache(&self) -> u64 {
        let [wordlines, pages] = WINDOW;
        let is_alone = |index: usize| {
            let second = index / pages * pages + wordlines + index % pages * 2;
            index % pages < wordlines && self.pages.len() <= second
        };
        let counts = |(index, _): &(usize, u64)| !self.is_two_layer() || is_alone(*index);
        self.live_pages().filter(counts).map(|(_, live)| live).sum()
    }

    fn open(&mut self, block: BlockId, mode: Option<CellMode>, region: RegionId) -> Result<(), Fault> {
        match mode {
            _ if block.0 >= BLOCKS => Err(Fault::NoSuchBlock(block)),
            Some(absent @ (CellMode::Mlc | CellMode::Qlc)) => Err(Fault::NoSuchMode(block, absent)),
            _ if self.life.is_some() => Err(Fault::OpenNotFree(block)),
            _ => {
                self.life = Some((mode.unwrap_or(CellMode::Tlc), mode.is_none(), region));
                Ok(())
            }
        }
    }

    /// Programs the next page, or reprograms its wordline.
    fn store(&mut self, at: Ppn, index: u32, tags: [u32; SLOTS], reprograms: bool) -> Result<(), Fault> {
        let (next, [wordlines, pages]) = (self.pages.len() as u32, WINDOW);
        let gains_bit = index as usize % pages >= wordlines;
        let window = |page: u32| page / pages as u32;
        let in_use = window(next.min(3 * PAGES - 1));
        match self.life {
            None => Err(Fault::ProgramNotOpen(at)),
            Some((_, false, _)) if reprograms => Err(Fault::ReprogramPlain(at)),
            _ if reprograms && window(index) != in_use => {
                Err(Fault::ReprogramWindow { page: at, window: in_use })
            }
            _ if reprograms && !gains_bit => Err(Fault::ReprogramErased(at)),
            _ if self.closed => Err(Fault::ProgramNotOpen(at)),
            _ if index != next => Err(Fault::ProgramOrder { page: at, expected: next }),
            Some((_, true, _)) if !reprograms && gains_bit => Err(Fault::ProgramNotErased(at)),
            Some((mode, ..)) => {
                self.pages.push(tags);
                self.closed = self.pages.len() as u32 == PAGES * mode.bits();
                Ok(())
            }
        }
    }

    fn erase(&mut self, block: BlockId) -> Result<(), Fault> {
        match (self.life, self.live()) {
            (Some(_), live @ 1..) => Err(Fault::EraseLive(block, live as u16)),
            (Some((mode, ..)), _) if !self.pages.is_empty() => {
                self.erases[mode as usize] += 1;
                *self = Self { erases: self.erases, ..Self::default() };
                Ok(())
            }
            _ => Err(Fault::EraseEmpty(block)),
        }
    }

    /// Whether the array's block is this one.
    fn check(&self, array: &FlashArray, block: BlockId) {
        let record = array.block(block);
        let stored = self.pages.len() as u32;
        assert_eq!((record.state(), u64::from(record.live())), (self.state(), self.live()), "{block:?}");
        assert_eq!(CellMode::ALL.map(|mode| array.erases(block, mode)), self.erases);
        assert_eq!(array.wear(block), self.erases.iter().sum::<u32>());
        let Some((mode, is_two_layer, region)) = self.life else { return };
        let told = (record.mode(), record.is_two_layer(), record.region(), record.write_ptr());
        assert_eq!(told, (mode, is_two_layer, region, stored), "{block:?}");
        let live = self.live_pages().count() as u32;
        assert_eq!((array.live_pages(block), array.dead_pages(block)), (live, stored - live), "{block:?}");
        assert!(!is_two_layer || array.scores(block, 1)[0] == live as i16 - stored as i16, "{block:?}");
        for (index, tags) in (0..).zip(&self.pages) {
            assert_eq!(array.page_tags(page(array, block.0, index)), tags, "{block:?} {index}");
        }
    }
}

#[test]
fn an_array_does_what_a_naive_one_does_and_refuses_what_that_refuses() {
    let mut rng = RngStream::new(1, "flash");
    let mut array = array();
    let regions = [0; 2].map(|_| array.new_region());
    let mut naive = vec![Naive::default(); BLOCKS as usize];
    let (mut stored, mut opened, mut done) = ([0; 4], 0, BTreeSet::new());
    for step in 0..60_000_u32 {
        let number = rng.below(BLOCKS);
        let (block, own) = (BlockId(number), &mut naive[number as usize]);
        // Mostly the next page.
        let next = own.pages.len() as u32;
        let index = if rng.below(4) > 0 { next } else { rng.below(3 * PAGES + 2) };
        let at = page(&array, number, index);
        let (what, found, want) = match rng.below(40) {
            0 => {
                // Six blocks take eight numbers: two are the rounding gap, and the ninth is beyond the only plane.
                let wrong = [6, 7, 8, u32::MAX >> 8][rng.below(4) as usize];
                let block = if rng.below(3) == 0 { BlockId(wrong) } else { block };
                let mode = [None, Some(CellMode::ALL[rng.below(4) as usize])][rng.below(2) as usize];
                let region = regions[rng.below(2) as usize];
                let found = match mode {
                    Some(mode) => array.open(block, mode, region),
                    None => array.open_two_layer(block, region),
                };
                opened += u32::from(found.is_ok());
                ("open", found, own.open(block, mode, region))
            }
            1 => {
                let want = match own.state() {
                    BlockState::Open => Ok(()),
                    _ => Err(Fault::CloseNotOpen(block)),
                };
                own.closed |= want.is_ok();
                ("close", array.close(block), want)
            }
            2..=8 => ("erase", array.erase(block), own.erase(block)),
            9..=26 => {
                let slot =
                    array.geometry.slot(page(&array, number, rng.below(3 * PAGES)), rng.below(SLOTS as u32));
                let index = array.geometry.page_in_block(array.geometry.page_of(slot)) as usize;
                let tag = own.pages.get_mut(index).map(|tags| &mut tags[slot.0 as usize % SLOTS]);
                let want = match tag.filter(|tag| **tag != 0) {
                    Some(tag) => {
                        *tag = 0;
                        Ok(())
                    }
                    None => Err(Fault::InvalidateDead(slot)),
                };
                ("invalidate", array.invalidate(slot), want)
            }
            27 if step % 50 == 0 => {
                array.reset_wear();
                naive.iter_mut().for_each(|block| block.erases = [0; 4]);
                ("reset wear", Ok(()), Ok(()))
            }
            _ => {
                let tags = [1, 2, 3, 4].map(|tag| (4 * step + tag) * rng.below(2));
                let reprograms =
                    rng.below(8) > 0 && array.gains_bit(page(&array, number, index.min(3 * PAGES - 1)));
                let found = if reprograms { array.reprogram(at, &tags) } else { array.program(at, &tags) };
                let mode = own.life.map(|life| life.0).filter(|_| reprograms || !own.is_two_layer());
                stored[mode.unwrap_or(CellMode::Slc) as usize] += u64::from(found.is_ok());
                ("store", found, own.store(at, index, tags, reprograms))
            }
        };
        assert_eq!(found, want, "{what} {block:?} {index}, after {next} pages");
        done.insert((what, found.map_err(|fault| fault.to_string().replace(char::is_numeric, ""))));
        (0..).zip(&naive).for_each(|(number, own)| own.check(&array, BlockId(number)));
        assert_eq!((CellMode::ALL.map(|mode| array.stored(mode)), array.openings()), (stored, opened));
        for region in regions {
            let of_region = naive.iter().filter(|block| block.life.is_some_and(|life| life.2 == region));
            assert_eq!(array.live_in(region), of_region.map(Naive::in_cache).sum::<u64>());
        }
        assert!(array.audit().is_ok(), "{:?}", array.audit());
    }
    // Every kind of fault but those of other chips.
    assert!(done.len() >= 17, "{done:#?}");
}

#[test]
fn plain_chips_take_no_block_of_two_layers() {
    let mut array = FlashArray::new(Geometry::new(&[pool(1, 1, BLOCKS, PAGES, 16384)], 4096).unwrap());
    let region = array.new_region();
    assert_eq!(array.open_two_layer(BlockId(0), region), Err(Fault::NoReprogram(BlockId(0))));
}

#[test]
#[should_panic(expected = "only erased blocks are free")]
fn a_block_with_data_is_on_no_list_of_free_blocks() {
    let mut array = array();
    let region = array.new_region();
    array.open(BlockId(0), CellMode::Slc, region).unwrap();
    array.link_free(BlockId(0), 0);
}

#[test]
fn a_page_takes_no_more_slots_than_its_pool_has() {
    // Pages of 4 slots and of 1, in one geometry: a page of the second pool has room for 1.
    let pools = [pool(1, 1, 6, PAGES, 16384), pool(1, 1, 6, PAGES, 4096)];
    let mut array = FlashArray::new(Geometry::new(&pools, 4096).unwrap());
    let block = array.geometry.block(PlaneId(1), 0);
    let at = array.geometry.page(block, 0);
    let region = array.new_region();
    array.open(block, CellMode::Slc, region).unwrap();
    let refused = Fault::SlotsBeyondPage { page: at, given: 2, slots: 1 };
    assert_eq!(array.program(at, &[1, 2]), Err(refused));
    assert_eq!(array.program(at, &[1]), Ok(()));
    array.audit().unwrap();
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
