//! The shape of the flash array and the packing of its addresses.
//!
//! Every pool shares one packing: a slot number is `plane | block | page | index` in power-of-two
//! fields, so that going from slot to page to block to plane is a shift. Unused numbers cost
//! address space, never memory.

use super::config::{BusConfig, ModeConfig, PlaneParallelism, PoolConfig, ProgramRule};
use super::two_layer::TwoLayer;
use crate::base::rng::mix;
use crate::base::{BlockId, CellMode, PlaneId, Ppn, Problem, Slot};

/// A plane's place in the device.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    pub pool: u8,
    /// Index of the plane in its die.
    pub in_die: u8,
    /// Mapping units per page.
    pub slots: u16,
    /// What runs one array operation at a time: the plane or its die.
    pub unit: u32,
    /// Channel, counted over all pools.
    pub channel: u32,
    /// Page size, bytes.
    pub page_bytes: u32,
    /// Command and transfer times of its channel.
    pub bus: BusConfig,
}

/// What one cell mode means in a pool, resolved per page.
#[derive(Clone, Debug)]
pub struct ModeTimes {
    /// Pages per block.
    pub pages: u32,
    /// Read time of each page, ns.
    pub read_ns: Vec<u32>,
    /// Program time of each page, ns (of the whole wordline for one-shot).
    pub program_ns: Vec<u32>,
    /// Block erase time, ns.
    pub erase_ns: u32,
    /// Pages per program operation: the wordline's for one-shot, else 1.
    pub pages_per_program: u32,
    /// Endurance in program/erase cycles, if known.
    pub endurance_cycles: Option<u32>,
}

/// A pool of identical chips, resolved.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Name used in results.
    pub name: String,
    pub first_plane: u32,
    pub planes: u32,
    /// Blocks per plane.
    pub blocks: u32,
    /// Page size, bytes.
    pub page_bytes: u32,
    /// Mapping units per page.
    pub slots_per_page: u32,
    /// The cell modes offered, by `CellMode as usize`.
    pub modes: [Option<ModeTimes>; CellMode::COUNT],
    /// The two-layer layout, if the chips can be reprogrammed.
    pub two_layer: Option<TwoLayer>,
    /// The configuration it came from.
    pub config: PoolConfig,
}

impl Pool {
    /// The resolved mode; the configuration check has made sure that schemes ask only for offered ones.
    pub fn mode(&self, mode: CellMode) -> &ModeTimes {
        self.modes[mode as usize].as_ref().expect("Invariant: schemes use only modes the pool offers")
    }

    /// The two-layer layout; schemes ask for it only where the chips can be reprogrammed.
    #[inline(always)]
    pub fn two_layer(&self) -> &TwoLayer {
        self.two_layer.as_ref().expect("Invariant: two-layer blocks exist only where chips are reprogrammed")
    }
}

/// The whole array's shape.
#[derive(Clone, Debug, Default)]
pub struct Geometry {
    /// Bits of the index within a page.
    pub slot_bits: u32,
    /// Bits of the page within a block.
    pub page_bits: u32,
    /// Bits of the block within a plane.
    pub block_bits: u32,
    /// Mapping unit, bytes.
    pub mu_bytes: u32,
    /// The fewest mapping units that a page of any pool holds.
    pub least_slots: u16,
    /// Every plane of every pool.
    pub planes: Vec<Plane>,
    pub pools: Vec<Pool>,
    /// (read, program) time of each page, ns, by pool, mode and page.
    times_ns: Vec<(u32, u32)>,
    /// By how much program times vary, millionths, by pool and mode; empty where none do.
    variation_ppm: Vec<u32>,
    /// Copy-back time, ns, by pool and mode; 0 = none.
    copyback_ns: Vec<u32>,
    /// Array time of a fold by pool and mode, ns; 0 = the chips have none.
    fold_ns: Vec<u32>,
    /// Units over all pools.
    pub units: u32,
    /// Channels over all pools.
    pub channels: u32,
}

fn bits_for(count: u32) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

impl Geometry {
    /// The geometry of `pools`, or why its slots do not fit 32 bits.
    pub fn new(pools: &[PoolConfig], mu_bytes: u32) -> Result<Self, Problem> {
        let most = |f: &dyn Fn(&PoolConfig) -> u32| pools.iter().map(f).max().unwrap_or(1);
        let mut geometry = Self {
            slot_bits: bits_for(most(&|p| p.page_bytes / mu_bytes)),
            page_bits: bits_for(most(&|p| p.pages_per_block(p.densest()))),
            block_bits: bits_for(most(&|p| p.blocks)),
            mu_bytes,
            least_slots: u16::MAX,
            planes: Vec::new(),
            pools: Vec::new(),
            times_ns: Vec::new(),
            variation_ppm: Vec::new(),
            copyback_ns: Vec::new(),
            fold_ns: Vec::new(),
            units: 0,
            channels: 0,
        };
        for (index, pool) in pools.iter().enumerate() {
            geometry.add_pool(index as u8, pool);
        }
        let modes = || pools.iter().flat_map(|pool| CellMode::ALL.map(|mode| pool.mode(mode)));
        let share = |mode: Option<&ModeConfig>| mode.map_or(0.0, |mode| mode.program_variation);
        if modes().any(|mode| share(mode) > 0.0) {
            geometry.variation_ppm = modes().map(|mode| libm::round(share(mode) * 1e6) as u32).collect();
        }
        geometry.check_width()?;
        Ok(geometry)
    }

    fn check_width(&self) -> Result<(), Problem> {
        let slots = (self.planes.len() as u64) << (self.slot_bits + self.page_bits + self.block_bits);
        if slots >= u64::from(u32::MAX) {
            let allowed = "small enough that its slots, each level rounded up to a power of two, number below 2^32 - 1; use a larger device.mu_bytes";
            return Err(Problem::new("device.pool", format!("{slots} slots"), allowed));
        }
        if self.slots_per_block() > u32::from(u16::MAX) {
            let allowed = "at most 65535 mapping units per block (each level rounded up to a power of two)";
            return Err(Problem::new("device.pool", self.slots_per_block(), allowed));
        }
        Ok(())
    }

    fn add_pool(&mut self, index: u8, config: &PoolConfig) {
        let first_plane = self.planes.len() as u32;
        self.least_slots = self.least_slots.min((config.page_bytes / self.mu_bytes) as u16);
        let dies = config.channels * config.chips * config.dies;
        let per_plane = config.plane_parallelism == PlaneParallelism::Independent;
        for i in 0..config.plane_count() {
            let die = i / config.planes;
            self.planes.push(Plane {
                pool: index,
                in_die: (i % config.planes) as u8,
                slots: (config.page_bytes / self.mu_bytes) as u16,
                unit: self.units + if per_plane { i } else { die },
                channel: self.channels + i / (config.chips * config.dies * config.planes),
                page_bytes: config.page_bytes,
                bus: config.bus,
            });
        }
        self.units += if per_plane { config.plane_count() } else { dies };
        self.channels += config.channels;
        self.pools.push(Pool {
            name: config.name.clone(),
            first_plane,
            planes: config.plane_count(),
            blocks: config.blocks,
            page_bytes: config.page_bytes,
            slots_per_page: config.page_bytes / self.mu_bytes,
            modes: CellMode::ALL.map(|mode| resolve_mode(config, mode)),
            two_layer: TwoLayer::new(config),
            config: config.clone(),
        });
        let copyback_ns = |mode| config.mode(mode).and_then(|config| config.copyback_ns).unwrap_or(0);
        self.copyback_ns.extend(CellMode::ALL.map(copyback_ns));
        // Checked times fit; 0 stands for no fold.
        let fold_ns = |mode| config.fold_ns(mode).and_then(|ns| u32::try_from(ns).ok()).unwrap_or(0);
        self.fold_ns.extend(CellMode::ALL.map(fold_ns));
        let stride = 1 << self.page_bits;
        for mode in &self.pools[index as usize].modes {
            let pages = mode.iter().flat_map(|m| m.read_ns.iter().copied().zip(m.program_ns.iter().copied()));
            let end = self.times_ns.len() + stride;
            self.times_ns.extend(pages);
            self.times_ns.resize(end, (0, 0));
        }
    }

    /// Read and program time of page `index` of a block of `pool` in `mode`, ns.
    #[inline(always)]
    pub fn page_times_ns(&self, pool: usize, mode: CellMode, index: u32) -> (u32, u32) {
        self.times_ns[((pool * CellMode::COUNT + mode as usize) << self.page_bits) + index as usize]
    }

    /// Read and program times of all pages of a block of `pool` in `mode`, in order, ns.
    #[inline(always)]
    pub fn times_ns_of_pages(&self, pool: usize, mode: CellMode) -> &[(u32, u32)] {
        &self.times_ns[(pool * CellMode::COUNT + mode as usize) << self.page_bits..][..1 << self.page_bits]
    }

    /// Whether program times vary.
    #[inline(always)]
    pub fn programs_vary(&self) -> bool {
        !self.variation_ppm.is_empty()
    }

    /// What the program of page `index` of `block` takes, ns, where the mode's programs take `ns`.
    #[inline(always)]
    pub fn varied_ns(&self, pool: usize, mode: CellMode, block: BlockId, index: u32, ns: u32) -> u32 {
        match self.programs_vary() {
            true => self.vary(pool, mode, block, index, ns),
            false => ns,
        }
    }

    #[inline(never)]
    fn vary(&self, pool: usize, mode: CellMode, block: BlockId, index: u32, ns: u32) -> u32 {
        let ppm = u64::from(self.variation_ppm[pool * CellMode::COUNT + mode as usize]);
        let most = (u64::from(ns) * ppm / 1_000_000) as u32;
        let wordline = u64::from(block.0) << 32 | u64::from(index / mode.bits());
        ns - most + ((u128::from(scattered(wordline)) * u128::from(2 * most + 1)) >> 64) as u32
    }

    /// Time of a copy-back between blocks of a plane of `pool` in `mode`, ns, where its chips have it.
    #[inline(always)]
    pub fn copyback_ns(&self, pool: usize, mode: CellMode) -> Option<u32> {
        let ns = self.copyback_ns[pool * CellMode::COUNT + mode as usize];
        (ns > 0).then_some(ns)
    }

    /// Array time of a fold of SLC pages into a wordline of `mode` in a plane of `pool`, ns, where its
    /// chips have it.
    pub fn fold_ns(&self, pool: usize, mode: CellMode) -> Option<u32> {
        let ns = self.fold_ns[pool * CellMode::COUNT + mode as usize];
        (ns > 0).then_some(ns)
    }

    /// Slots of a block's number range (a power of two).
    pub fn slots_per_block(&self) -> u32 {
        1 << (self.slot_bits + self.page_bits)
    }

    /// Blocks of the device's number range.
    pub fn block_numbers(&self) -> usize {
        self.planes.len() << self.block_bits
    }

    /// The page that holds `slot`.
    #[inline(always)]
    pub fn page_of(&self, slot: Slot) -> Ppn {
        Ppn(slot.0 >> self.slot_bits)
    }

    /// The block that holds `page`.
    #[inline(always)]
    pub fn block_of(&self, page: Ppn) -> BlockId {
        BlockId(page.0 >> self.page_bits)
    }

    /// The number of `page` within its block.
    #[inline(always)]
    pub fn page_in_block(&self, page: Ppn) -> u32 {
        page.0 & ((1 << self.page_bits) - 1)
    }

    /// The plane that holds `block`.
    #[inline(always)]
    pub fn plane_of(&self, block: BlockId) -> PlaneId {
        PlaneId(block.0 >> self.block_bits)
    }

    #[inline(always)]
    pub fn block(&self, plane: PlaneId, index: u32) -> BlockId {
        BlockId(plane.0 << self.block_bits | index)
    }

    #[inline(always)]
    pub fn page(&self, block: BlockId, index: u32) -> Ppn {
        Ppn(block.0 << self.page_bits | index)
    }

    #[inline(always)]
    pub fn slot(&self, page: Ppn, index: u32) -> Slot {
        Slot(page.0 << self.slot_bits | index)
    }

    /// Whether `slot` is not the first of its page.
    #[inline(always)]
    pub fn is_inner(&self, slot: Slot) -> bool {
        slot.0 & ((1 << self.slot_bits) - 1) != 0
    }

    /// Whether `count` slots from `first` on lie in one page.
    #[inline(always)]
    pub fn is_one_page(&self, first: Slot, count: u32) -> bool {
        let mask = (1 << self.slot_bits) - 1;
        (first.0 & mask) + count <= mask + 1
    }

    #[inline(always)]
    pub fn pool_of(&self, plane: PlaneId) -> &Pool {
        &self.pools[self.planes[plane.index()].pool as usize]
    }

    /// The planes of `pool` in the order in which consecutive pages go to them; `letters` is fastest first.
    pub fn plane_order(&self, pool: usize, letters: &str) -> Vec<PlaneId> {
        let p = &self.pools[pool];
        let c = &p.config;
        // Physical numbering: channel is the slowest field, plane the fastest.
        let field = |letter: char| match letter {
            'C' => (c.channels, c.chips * c.dies * c.planes),
            'W' => (c.chips, c.dies * c.planes),
            'D' => (c.dies, c.planes),
            _ => (c.planes, 1),
        };
        let fields: Vec<(u32, u32)> = letters.chars().map(field).collect();
        (0..p.planes)
            .map(|i| {
                let mut rest = i;
                let mut plane = p.first_plane;
                for &(size, stride) in &fields {
                    plane += rest % size * stride;
                    rest /= size;
                }
                PlaneId(plane)
            })
            .collect()
    }
}

/// A number that looks drawn for each `key`: a step of SplitMix64.
pub fn scattered(key: u64) -> u64 {
    mix(key.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

fn resolve_mode(pool: &PoolConfig, mode: CellMode) -> Option<ModeTimes> {
    let config = pool.mode(mode)?;
    let pages = pool.pages_per_block(mode);
    let per_page = |list: &[u32]| {
        (0..pages).map(|p| if list.len() == 1 { list[0] } else { list[config.page_kind(mode, p)] }).collect()
    };
    let one_shot = config.program == ProgramRule::OneShot;
    Some(ModeTimes {
        pages,
        read_ns: per_page(&config.read_ns),
        program_ns: per_page(&config.program_ns),
        erase_ns: config.erase_ns,
        pages_per_program: if one_shot { mode.bits() } else { 1 },
        endurance_cycles: config.endurance_cycles,
    })
}
