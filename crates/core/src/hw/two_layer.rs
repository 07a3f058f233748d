//! The two-layer layout of a block: a window of neighbouring layers serves as SLC, then gains its
//! other bits in place, then the next window begins.
//!
//! The pages of such a block are numbered in the order in which they are programmed, so that a
//! block's count of pages tells what each wordline holds. In a window of w wordlines and b bits the
//! first w pages are the first bits of its wordlines, programmed as SLC; the other w * (b - 1) are
//! reprograms, one wordline after the other, each bit in turn.

use super::config::{PoolConfig, ReprogramConfig};
use crate::base::CellMode;
use serde::{Deserialize, Serialize};

/// What page `n` of a two-layer block is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PageStep {
    pub wordline: u16,
    /// Bit of the wordline: 0 is programmed, the others are reprogrammed.
    pub bit: u8,
    /// The page that is the wordline's second bit: once it is stored, reads are dense ones.
    pub second: u16,
    /// The page that is the wordline's first bit.
    pub first: u16,
    /// Read time while the wordline holds one bit, ns.
    pub slc_read_ns: u32,
    /// Read time once it holds more, ns.
    pub dense_read_ns: u32,
    /// Time of the program or reprogram, ns.
    pub program_ns: u32,
}

/// What a block of two-layer layout does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowPhase {
    /// Its window has SLC pages to program.
    Fill,
    /// Its window's wordlines are to gain bits.
    Switch,
    /// Every wordline holds all its bits.
    Done,
}

/// The two-layer layout of a pool's blocks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TwoLayer {
    /// Mode that every wordline ends in.
    pub mode: CellMode,
    /// Wordlines of a window, which are its SLC pages.
    pub window_wordlines: u32,
    /// Pages of a window in the end.
    pub window_pages: u32,
    /// Pages of a block.
    pub pages: u32,
    steps: Vec<PageStep>,
}

impl TwoLayer {
    /// The layout, if the pool's chips can be reprogrammed. The configuration is checked.
    pub fn new(pool: &PoolConfig) -> Option<Self> {
        let config = pool.reprogram?;
        let window_wordlines = config.window_wordlines();
        let mode = config.final_mode(pool);
        let window_pages = window_wordlines * mode.bits();
        let pages = pool.pages_per_block(mode);
        let steps = (0..pages).map(|page| step(pool, &config, page)).collect::<Option<Vec<_>>>()?;
        Some(Self { mode, window_wordlines, window_pages, pages, steps })
    }

    #[inline(always)]
    pub fn step(&self, page: u32) -> &PageStep {
        &self.steps[page as usize]
    }

    /// What a block with `programmed` pages does next.
    #[inline(always)]
    pub fn phase(&self, programmed: u32) -> WindowPhase {
        if programmed == self.pages {
            WindowPhase::Done
        } else if self.step(programmed).bit == 0 {
            WindowPhase::Fill
        } else {
            WindowPhase::Switch
        }
    }

    /// The window that page `page` is in.
    pub fn window_of(&self, page: u32) -> u32 {
        page / self.window_pages
    }

    /// Wordlines with one bit in a block with `programmed` pages.
    pub fn wordlines_with_one_bit(&self, programmed: u32) -> u32 {
        let in_window = programmed % self.window_pages;
        let gained = in_window.saturating_sub(self.window_wordlines).div_ceil(self.mode.bits() - 1);
        in_window.min(self.window_wordlines) - gained
    }
}

fn step(pool: &PoolConfig, config: &ReprogramConfig, page: u32) -> Option<PageStep> {
    let mode = config.final_mode(pool);
    let (slc, dense) = (pool.slc.as_ref()?, pool.mode(mode)?);
    let wordlines = config.window_wordlines();
    let more_bits = mode.bits() - 1;
    let window = page / (wordlines * mode.bits());
    let window_page = window * wordlines * mode.bits();
    let (wordline, bit) = match (page - window_page).checked_sub(wordlines) {
        None => (page - window_page, 0),
        Some(reprogram) => (reprogram / more_bits, 1 + reprogram % more_bits),
    };
    let read_ns = dense.read_ns.get(bit as usize).or(dense.read_ns.first())?;
    Some(PageStep {
        wordline: (window * wordlines + wordline) as u16,
        bit: bit as u8,
        second: (window_page + wordlines + wordline * more_bits) as u16,
        first: (window_page + wordline) as u16,
        slc_read_ns: *slc.read_ns.first()?,
        dense_read_ns: *read_ns,
        program_ns: if bit == 0 { *slc.program_ns.first()? } else { config.read_ns + config.program_ns },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hw::config::{BusConfig, ModeConfig, PageKinds, PlaneParallelism, ProgramRule, SuspendConfig};

    fn mode(read_ns: &[u32], program_ns: u32) -> ModeConfig {
        ModeConfig {
            read_ns: read_ns.to_vec(),
            program_ns: vec![program_ns],
            program_variation: 0.0,
            erase_ns: 10_000,
            copyback_ns: None,
            fold: None,
            endurance_cycles: None,
            cells: None,
            program: ProgramRule::PerPage,
            page_kinds: PageKinds::ByWordline,
        }
    }

    /// Four wordlines, two layers at a time.
    fn layout(mode_name: CellMode, wordlines_per_layer: u32, read_ns: u32) -> TwoLayer {
        let pool = PoolConfig {
            name: "nand".into(),
            channels: 1,
            chips: 1,
            dies: 1,
            planes: 1,
            blocks: 4,
            wordlines: 4,
            page_bytes: 4096,
            bus: BusConfig {
                ps_per_byte: 0,
                read_command_ns: 0,
                read_data_ns: 0,
                program_command_ns: 0,
                erase_command_ns: 0,
                extra_plane_read_ns: 0,
                extra_plane_program_ns: 0,
                extra_plane_erase_ns: 0,
                commands_first: false,
            },
            plane_parallelism: PlaneParallelism::Independent,
            suspend: SuspendConfig::default(),
            slc: Some(mode(&[20], 500)),
            mlc: Some(mode(&[40], 1000)),
            tlc: Some(mode(&[60, 70, 80], 3000)),
            qlc: None,
            reprogram: Some(ReprogramConfig {
                program_ns: 2000,
                read_ns,
                mode: Some(mode_name),
                wordlines_per_layer,
                layers: 2,
                max_reprograms: 4,
            }),
        };
        TwoLayer::new(&pool).unwrap()
    }

    fn order(layout: &TwoLayer) -> Vec<(u16, u8)> {
        (0..layout.pages).map(|page| (layout.step(page).wordline, layout.step(page).bit)).collect()
    }

    #[test]
    fn a_window_is_written_as_slc_then_each_wordline_gains_its_bits() {
        let tlc = layout(CellMode::Tlc, 1, 0);
        let first = [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1), (1, 2)];
        let second = [(2, 0), (3, 0), (2, 1), (2, 2), (3, 1), (3, 2)];
        assert_eq!(order(&tlc), [first, second].concat());
        // Two wordlines in a layer: the window is the whole block here.
        let wide = layout(CellMode::Tlc, 2, 0);
        assert_eq!(order(&wide)[..5], [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1)]);
        assert_eq!((wide.window_wordlines, wide.window_pages, wide.pages), (4, 12, 12));
        let mlc = layout(CellMode::Mlc, 1, 0);
        assert_eq!(order(&mlc)[..5], [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0)]);
    }

    /// Bits that the wordline of page `page` holds in a block with `programmed` pages.
    fn bits(layout: &TwoLayer, page: u32, programmed: u32) -> u32 {
        let step = layout.step(page);
        let more = programmed.saturating_sub(u32::from(step.second)).min(layout.mode.bits() - 1);
        u32::from(u32::from(step.first) < programmed) + more
    }

    #[test]
    fn bits_and_phases_follow_from_the_number_of_pages() {
        let tlc = layout(CellMode::Tlc, 1, 0);
        // Wordlines 0 and 1 (by their first pages), after each page of the first window.
        let both = |n| (bits(&tlc, 0, n), bits(&tlc, 1, n));
        let want = [(0, 0), (1, 0), (1, 1), (2, 1), (3, 1), (3, 2), (3, 3)];
        assert_eq!((0..=6).map(both).collect::<Vec<_>>(), want);
        // A wordline's bits can be asked for by any of its pages.
        assert_eq!((bits(&tlc, 2, 3), bits(&tlc, 3, 4), bits(&tlc, 5, 2)), (2, 3, 1));
        for (layout, pages) in [(&tlc, 12), (&layout(CellMode::Mlc, 1, 0), 8)] {
            for n in 0..=pages {
                let first = (0..pages).filter(|&page| layout.step(page).bit == 0);
                let single = first.filter(|&page| bits(layout, page, n) == 1).count() as u32;
                assert_eq!(layout.wordlines_with_one_bit(n), single, "{n} pages");
            }
        }
        let phases: Vec<WindowPhase> = [0, 1, 2, 5, 6, 8, 11, 12].map(|n| tlc.phase(n)).to_vec();
        use WindowPhase::{Done, Fill, Switch};
        assert_eq!(phases, [Fill, Fill, Switch, Switch, Fill, Switch, Switch, Done]);
    }

    #[test]
    fn times_are_those_of_the_bit_and_a_pre_read_is_added() {
        let tlc = layout(CellMode::Tlc, 1, 25);
        let times = |page| {
            let step = tlc.step(page);
            (step.program_ns, step.slc_read_ns, step.dense_read_ns)
        };
        assert_eq!(times(0), (500, 20, 60));
        assert_eq!(times(2), (2025, 20, 70));
        assert_eq!(times(3), (2025, 20, 80));
    }
}
