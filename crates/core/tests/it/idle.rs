//! After a pause that is long enough no scheme has idle work left, on any device, whatever is
//! staged; and what idle time is to achieve is achieved.

use crate::it::common::*;
use slcache_core::hw::array::Block;
use slcache_core::hw::config::ModeConfig;
use slcache_core::hw::two_layer::WindowPhase;
use slcache_core::schemes::SchemeConfig;

const PAGE: u64 = 4096;
const BLOCKS: u32 = 16;
const SLC_BLOCKS: u32 = 4;
/// Share of the blocks that idle cleaning keeps free, where the scheme has such a thing.
const IDLE_FREE: f64 = 0.4;
/// How long the host must have stayed away, and a pause with time for all idle work, but not for a
/// second wait: what the device does of its own accord is no visit of the host.
const THRESHOLD_NS: u64 = 10_000_000_000;
const PAUSE_NS: u64 = 19_000_000_000;
/// Dense blocks of user data per plane where all idle work can be done.
const ROOMY: u32 = 3;

/// What a device may be that matters to staged pages and to when its units are idle.
#[derive(Clone, Copy, Debug)]
struct Shape {
    pages_per_program: u32,
    wordlines: u32,
    plp: bool,
    parallelism: PlaneParallelism,
    channels: u32,
    planes: u32,
    scope: &'static str,
    reclaim_open: &'static str,
}

/// Every shape with `pages_per_program`: blocks that do and do not end with a whole program.
fn shapes(pages_per_program: u32) -> impl Iterator<Item = Shape> {
    use PlaneParallelism::{Independent, MultiPlane, Serial};
    let dies = [(1, 1, Independent), (2, 2, Independent), (2, 2, MultiPlane), (2, 2, Serial)];
    (0..96usize).map(move |i| {
        let (channels, planes, parallelism) = dies[i % 32 / 8];
        Shape {
            pages_per_program,
            wordlines: [7, 12][i & 1],
            plp: i & 2 == 0,
            parallelism,
            channels,
            planes,
            scope: ["plane", "device"][i >> 2 & 1],
            reclaim_open: ["never", "data", "block"][i / 32],
        }
    })
}

impl Shape {
    /// The dense mode of which one program stores so many pages; one page at a time is TLC.
    fn dense(&self) -> CellMode {
        [CellMode::Tlc, CellMode::Mlc, CellMode::Tlc, CellMode::Qlc][self.pages_per_program as usize - 1]
    }

    /// A device for `user_blocks` dense blocks of user data per plane under `scheme`.
    fn setup(&self, scheme: &str, user_blocks: u32) -> Setup {
        let mut chips = versatile_pool(self.channels, self.planes, BLOCKS, self.wordlines, PAGE as u32);
        let program = if self.pages_per_program == 1 { ProgramRule::PerPage } else { ProgramRule::OneShot };
        let dense = ModeConfig { program, ..mode(60_000, 800_000, 3_000_000) };
        (chips.mlc, chips.tlc, chips.qlc) = (Some(dense.clone()), Some(dense.clone()), Some(dense));
        chips.plane_parallelism = self.parallelism;
        if let Some(reprogram) = chips.reprogram.as_mut().filter(|_| self.wordlines % 2 == 1) {
            (reprogram.wordlines_per_layer, reprogram.layers) = (self.wordlines, 1);
        }
        let block_pages = self.wordlines * self.dense().bits().min(3);
        let user_pages = self.channels * self.planes * user_blocks * block_pages;
        let mut setup = setup(device(chips, u64::from(user_pages) * PAGE), scheme);
        setup.device.plp = self.plp;
        let mode = json!(self.dense());
        configure(
            &mut setup,
            &[
                ("mode", mode.clone()),
                ("dense_mode", mode),
                ("slc_blocks", SLC_BLOCKS.into()),
                ("idle", json!({ "threshold_ns": THRESHOLD_NS, "scope": self.scope })),
                ("reclaim_open", self.reclaim_open.into()),
                ("agc.eligible", "any".into()),
                ("agc.min_invalid", 1.into()),
                ("clean.idle_free_ratio", IDLE_FREE.into()),
                ("period_writes", 10.into()),
                ("force_after_writes", 5.into()),
            ],
        );
        setup
    }
}

fn blocks(sim: &Simulation, plane: u32) -> impl Iterator<Item = (BlockId, &Block)> {
    let array = sim.media().array();
    let first = array.geometry.block(PlaneId(plane), 0).0;
    (first..first + BLOCKS).map(|b| (BlockId(b), array.block(BlockId(b))))
}

/// What idle time is to achieve in a plane with room to work in, seen in the array alone.
fn promise(setup: &Setup, shape: &Shape, sim: &Simulation, plane: u32) -> Result<(), String> {
    let used_slc = |(id, b): &(BlockId, &Block)| {
        let live = |block| sim.media().array().live_pages(block);
        let filled = match shape.reclaim_open {
            "never" => false,
            "data" => live(*id) > 0,
            _ => b.write_ptr() > 0,
        };
        let filled = filled || b.state() == BlockState::Closed;
        b.mode() == CellMode::Slc && !b.is_two_layer() && b.state() != BlockState::Free && filled
    };
    match setup.scheme.name() {
        "turbo-write" | "client" => none("used SLC blocks", blocks(sim, plane).filter(used_slc).count()),
        "ips-coop" => {
            none("used SLC blocks", blocks(sim, plane).filter(used_slc).count())?;
            nothing_to_collect(sim, plane)
        }
        "ips-agc" => nothing_to_collect(sim, plane),
        // How full the fast tier is to be is not seen in the array: ops_hyssd.rs has that.
        "hyssd" | "hyssd-static" => Ok(()),
        // What its policy promises, which here is nothing.
        "custom" => Ok(()),
        "tlc-only" | "raro" => {
            let free = blocks(sim, plane).filter(|(_, b)| b.state() == BlockState::Free).count();
            none("blocks short", ((IDLE_FREE * f64::from(BLOCKS)) as usize).saturating_sub(free))
        }
        _ => {
            let config = serde_json::to_string(&setup.scheme).unwrap();
            assert!(!config.contains(r#""idle":"#), "what does {} promise?", setup.scheme.name());
            Ok(())
        }
    }
}

fn none(what: &str, count: usize) -> Result<(), String> {
    if count == 0 {
        Ok(())
    } else {
        Err(format!("{count} {what}"))
    }
}

/// While there are wordlines to switch, AGC leaves dead pages only in the blocks being written: the
/// one being filled, the one being switched and the one that is filled without pausing.
fn nothing_to_collect(sim: &Simulation, plane: u32) -> Result<(), String> {
    let array = sim.media().array();
    let layout = array.geometry.pool_of(PlaneId(plane)).two_layer();
    let two_layer = || blocks(sim, plane).filter(|(_, b)| b.is_two_layer() && b.state() != BlockState::Free);
    let to_switch =
        |b: &Block| b.state() == BlockState::Open && layout.phase(b.write_ptr()) == WindowPhase::Switch;
    if two_layer().filter(|(_, b)| to_switch(b)).count() < 2 {
        return Ok(()); // The one may be the block that is filled without pausing.
    }
    let free_pages =
        |b: &Block| if b.state() == BlockState::Closed { 0 } else { layout.pages - b.write_ptr() };
    if blocks(sim, plane).filter(|(_, b)| b.is_two_layer()).map(|(_, b)| free_pages(b)).sum::<u32>()
        <= layout.pages
    {
        return Ok(()); // The last block's pages are for cleaning.
    }
    let dead = two_layer().filter(|(id, _)| array.dead_pages(*id) > 0).count();
    none("blocks with dead pages", dead.saturating_sub(3))
}

/// Lets a pause go by and asks whether anything was left undone.
fn pause(sim: &mut Simulation, now_ns: &mut u64) -> Result<(), String> {
    *now_ns += PAUSE_NS;
    rest(sim, *now_ns);
    sim.audit()?;
    none("planes with idle work left", usize::from(sim.idle_work_left()))
}

fn burst(setup: &Setup, now_ns: u64, requests: usize, seed: u64) -> Vec<Request> {
    let mut list = random(requests, setup.device.user_bytes, 3, 0.1, 100_000.0, seed);
    list.iter_mut().for_each(|r| r.at_ns += now_ns);
    list
}

/// Bursts and pauses on a device with room, then on one as full as may be that is emptied in the end.
fn play(scheme: &str, shape: &Shape) -> Result<(), String> {
    let planes = shape.channels * shape.planes;
    let requests = (planes * shape.wordlines * 4) as usize;
    let most = (ROOMY..BLOCKS).rev().find(|&blocks| shape.setup(scheme, blocks).check().is_empty());
    for user_blocks in [ROOMY, most.expect("a device that the scheme can run")] {
        let setup = shape.setup(scheme, user_blocks);
        let mut sim = Simulation::new(&setup).map_err(|problems| format!("{problems:?}"))?;
        sim.track_versions();
        let mut now_ns = 0;
        let kept = |sim: &Simulation| (0..planes).try_for_each(|plane| promise(&setup, shape, sim, plane));
        for round in 0..3 {
            sim.feed(&burst(&setup, now_ns, requests, round)).map_err(|e| e.to_string())?;
            now_ns = sim.now_ns();
            pause(&mut sim, &mut now_ns).map_err(|e| format!("round {round}, {user_blocks}: {e}"))?;
            if user_blocks == ROOMY {
                kept(&sim).map_err(|e| format!("round {round}: {e}"))?;
            }
        }
        // Single writes with a pause behind each: any of them may make work in a plane it does not go to.
        for (i, mut write) in burst(&setup, 0, 20, 9).into_iter().enumerate() {
            write.at_ns = now_ns;
            sim.feed(&[write]).map_err(|e| e.to_string())?;
            pause(&mut sim, &mut now_ns).map_err(|e| format!("write {i}, {user_blocks}: {e}"))?;
        }
        // Half of the data go: now there is room for what could not be moved before.
        sim.feed(&[request(now_ns, HostOp::Trim, 0, setup.device.user_bytes / 2 / PAGE * PAGE)]).unwrap();
        pause(&mut sim, &mut now_ns).map_err(|e| format!("after a trim, {user_blocks}: {e}"))?;
        kept(&sim).map_err(|e| format!("after a trim, {user_blocks}: {e}"))?;
        sim.finish().map_err(|e| e.to_string())?;
        sim.audit()?;
    }
    Ok(())
}

/// A host page that waits for its wordline is no rest: idle work stays away until it is stored.
#[test]
fn a_staged_page_that_the_host_waits_for_keeps_its_unit_busy() {
    let shape = shapes(3).next().unwrap();
    let mut setup = shape.setup("turbo-write", ROOMY);
    let threshold = json!({ "threshold_ns": setup.device.stage_timeout_ns / 2 });
    configure(&mut setup, &[("idle", threshold)]);
    let mut sim = Simulation::new(&setup).unwrap();
    sim.keep_ops();
    // The cache takes all but the last page, which goes past it and is staged alone.
    let cached = u64::from(SLC_BLOCKS * shape.wordlines);
    let gap_ns = 250_000;
    sim.feed(&page_writes(0, gap_ns, 0..=cached)).unwrap();
    rest(&mut sim, PAUSE_NS);
    let first = |cause| sim.ops().iter().find(|op| op.cause == cause).unwrap().at_ns;
    let padded_ns = cached * gap_ns + setup.device.stage_timeout_ns;
    assert_eq!(first(Cause::Pad), padded_ns);
    assert!(first(Cause::Migration) >= padded_ns + 800_000, "idle work begins while a write waits");
    assert!(!sim.idle_work_left());
}

/// A plane whose cache is used up fills a whole wordline at each turn; it must not get more data for it.
#[test]
fn planes_get_as_much_data_whether_their_cache_is_used_up_or_not() {
    let shape = Shape { planes: 1, ..shapes(3).nth(16).unwrap() };
    let mut setup = shape.setup("turbo-write", ROOMY);
    configure(&mut setup, &[("idle", json!({ "threshold_ns": 5_000_000 }))]);
    let mut sim = Simulation::new(&setup).unwrap();
    sim.keep_ops();
    let (gap_ns, cached) = (1_000_000, u64::from(2 * SLC_BLOCKS * shape.wordlines));
    sim.feed(&page_writes(0, gap_ns, 0..cached)).unwrap();
    // Reads of a page of plane 0 leave idle time to plane 1 alone.
    let read = |i: u64| request((cached + 2 * i) * gap_ns, HostOp::Read, 0, PAGE);
    sim.feed(&(0..250).map(read).collect::<Vec<_>>()).unwrap();
    let before = sim.ops().len();
    // Close enough for a wordline to be filled before it is padded.
    sim.feed(&page_writes(sim.now_ns() + gap_ns, gap_ns / 10, 0..40)).unwrap();
    let array = sim.media().array();
    let host = sim.ops()[before..].iter().filter(|op| op.cause == Cause::Host && op.kind == OpKind::Program);
    let pages = host.map(|op| {
        let block = array.geometry.block_of(op.page);
        (array.geometry.plane_of(block), op.mode)
    });
    let pages: Vec<_> = pages.collect();
    assert!(pages.contains(&(PlaneId(0), CellMode::Tlc)) && pages.contains(&(PlaneId(1), CellMode::Slc)));
    let of_plane_0 = pages.iter().filter(|(plane, _)| *plane == PlaneId(0)).count();
    assert!((18..=22).contains(&of_plane_0), "{of_plane_0} of {} pages", pages.len());
}

#[test]
fn a_pause_leaves_no_idle_work_however_many_pages_a_program_stores() {
    let mut broken = Vec::new();
    for (entry, pages) in CATALOG.iter().flat_map(|entry| (1..=4).map(move |pages| (entry, pages))) {
        let config = serde_json::to_string(&SchemeConfig::default_for(entry.name)).unwrap();
        let (has_idle, has_open) = (config.contains("\"idle\""), config.contains("\"reclaim_open\""));
        // Five goes over all that a shape may have, and each number of pages begins elsewhere.
        let shapes = shapes(pages).skip(pages as usize % few(5)).step_by(few(5));
        let shapes = shapes.filter(|s| has_idle || s.scope == "plane");
        for shape in shapes.filter(|s| has_open || s.reclaim_open == "never") {
            if let Err(what) = play(entry.name, &shape) {
                broken.push(format!("{}: {what} ({shape:?})", entry.name));
            }
        }
    }
    assert!(broken.is_empty(), "{} broken promises, among them\n{}", broken.len(), broken.join("\n"));
}
