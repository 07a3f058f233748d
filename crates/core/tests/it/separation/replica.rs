//! A store told again in plain words: it must open, program and erase what the device does, in order.

use super::separate_store;
use crate::it::common::*;

const BLOCKS: u32 = 120;

/// What happened: an operation, its cause, the block by the order in which blocks were opened, the page.
type Event = (OpKind, Cause, usize, u32);

#[derive(Clone)]
struct Block {
    plane: usize,
    class: usize,
    born: u64,
    slots: Vec<u32>,
    erased: bool,
}

struct Replica {
    pages: usize,
    planes: usize,
    free: Vec<u32>,
    open: Vec<[Option<usize>; 6]>,
    blocks: Vec<Block>,
    home: Vec<Option<(usize, usize)>>,
    turn: usize,
    clock: u64,
    last: Vec<Option<u64>>,
    queue: u64,
    lifespan: f64,
    lifespans: Vec<u64>,
    events: Vec<Event>,
    lent: u64,
}

impl Replica {
    fn new(planes: usize, pages: usize, user: usize) -> Self {
        Self {
            pages,
            planes,
            free: vec![BLOCKS; planes],
            open: vec![[None; 6]; planes],
            blocks: Vec::new(),
            home: vec![None; user],
            turn: 0,
            clock: 0,
            last: vec![None; user],
            queue: 0,
            lifespan: f64::INFINITY,
            lifespans: Vec::new(),
            events: Vec::new(),
            lent: 0,
        }
    }

    fn live(&self, block: usize) -> usize {
        let lives = |(index, page): (usize, &u32)| self.home[*page as usize] == Some((block, index));
        self.blocks[block].slots.iter().enumerate().filter(|&entry| lives(entry)).count()
    }

    fn class_of_write(&mut self, page: u32) -> usize {
        let live = self.home.iter().flatten().count() - usize::from(self.home[page as usize].is_some());
        self.clock += 1;
        let age = self.last[page as usize].map_or(f64::INFINITY, |last| (self.clock - last) as f64);
        let class = if age < self.lifespan.min(self.queue as f64) { 0 } else { 1 };
        self.last[page as usize] = Some(self.clock);
        self.queue += 1;
        if self.queue as f64 > self.lifespan.min(live as f64) {
            self.queue -= 1;
            if self.queue as f64 > self.lifespan {
                self.queue -= 1;
            }
        }
        class
    }

    fn class_of_move(&self, page: u32, from: usize) -> usize {
        let age = (self.clock - self.last[page as usize].unwrap()) as f64;
        match from {
            0 => 2,
            _ if age < 4.0 * self.lifespan => 3,
            _ if age < 16.0 * self.lifespan => 4,
            _ => 5,
        }
    }

    /// The block that takes a page of `class`: its own, a new one, or the nearest that is open.
    fn place(&mut self, plane: usize, class: usize, reserve: u32) -> Option<usize> {
        if self.open[plane][class].is_none() && self.free[plane] > reserve {
            self.free[plane] -= 1;
            let new = Block { plane, class, born: self.clock, slots: Vec::new(), erased: false };
            self.blocks.push(new);
            self.open[plane][class] = Some(self.blocks.len() - 1);
        }
        if self.open[plane][class].is_some() {
            return Some(class);
        }
        let near = (0..6).filter(|&other| self.open[plane][other].is_some());
        let found = near.min_by_key(|&other| other.abs_diff(class))?;
        self.lent += 1;
        Some(found)
    }

    fn program(&mut self, plane: usize, class: usize, page: u32, cause: Cause) {
        let block = self.open[plane][class].unwrap();
        let index = self.blocks[block].slots.len();
        self.blocks[block].slots.push(page);
        self.home[page as usize] = Some((block, index));
        self.events.push((OpKind::Program, cause, block, index as u32));
        if index + 1 == self.pages {
            self.open[plane][class] = None;
        }
    }

    /// Cleans until two blocks are free, or no block with a dead page is left.
    fn clean(&mut self, plane: usize) {
        while self.free[plane] < 2 {
            let closed = |&block: &usize| {
                let Block { plane: at, ref slots, erased, .. } = self.blocks[block];
                at == plane && !erased && slots.len() == self.pages
            };
            let full = (0..self.blocks.len()).filter(closed).map(|block| (self.live(block), block));
            let Some((live, victim)) = full.min().filter(|&(live, _)| live < self.pages) else {
                return;
            };
            let open = self.open[plane].iter().flatten();
            let left: usize = open.map(|&block| self.pages - self.blocks[block].slots.len()).sum();
            if live > left + self.free[plane] as usize * self.pages {
                return;
            }
            let from = self.blocks[victim].class;
            for (index, page) in self.blocks[victim].slots.clone().into_iter().enumerate() {
                if self.home[page as usize] == Some((victim, index)) {
                    let class = self.class_of_move(page, from);
                    let class = self.place(plane, class, 0).expect("the room was counted");
                    self.program(plane, class, page, Cause::Gc);
                }
            }
            self.events.push((OpKind::Erase, Cause::Gc, victim, 0));
            self.blocks[victim].erased = true;
            self.free[plane] += 1;
            if from == 0 {
                self.lifespans.push(self.clock - self.blocks[victim].born);
                if self.lifespans.len() == 16 {
                    self.lifespan = self.lifespans.iter().sum::<u64>() as f64 / 16.0;
                    self.lifespans.clear();
                }
            }
        }
    }

    fn write(&mut self, page: u32) {
        let class = self.class_of_write(page);
        let first = self.turn;
        self.turn = (self.turn + 1) % self.planes;
        for step in 0..self.planes {
            let plane = (first + step) % self.planes;
            if self.open[plane][class].is_none() {
                self.clean(plane);
            }
            if let Some(class) = self.place(plane, class, 1) {
                return self.program(plane, class, page, Cause::Host);
            }
            if self.turn == plane {
                self.turn = (plane + 1) % self.planes;
            }
        }
        panic!("no room for page {page}");
    }
}

/// The device's operations as the replica tells them.
fn events(sim: &Simulation) -> Vec<Event> {
    let geometry = &sim.media().array().geometry;
    let (mut number, mut opened) = (BTreeMap::new(), 0);
    let stored = sim.ops().iter().filter(|op| op.kind != OpKind::Read);
    stored
        .map(|op| {
            let (block, page) = (geometry.block_of(op.page), geometry.page_in_block(op.page));
            if op.kind == OpKind::Program && page == 0 {
                number.insert(block.0, opened);
                opened += 1;
            }
            (op.kind, op.cause, number[&block.0], page)
        })
        .collect()
}

#[test]
fn a_plain_store_with_sepbit_does_the_same_operation_by_operation() {
    let mut lent = 0;
    for seed in (0..12u64).step_by(few(4)) {
        let mut rng = RngStream::new(seed, "replica");
        let (planes, wordlines) = (1 + rng.below(3), 1 + rng.below(3));
        let pages = 3 * wordlines;
        // From three quarters full to as full as can be: six open blocks and two free.
        let filled = if seed % 3 == 0 { BLOCKS - 8 } else { 90 + rng.below(BLOCKS - 98) };
        let user = planes * pages * filled;
        let mut setup =
            setup(device(pool(1, planes, BLOCKS, wordlines, 4096), u64::from(user) * 4096), "tlc-only");
        separate_store(&mut setup, &json!("sepbit"));
        let mut sim = Simulation::new(&setup).unwrap();
        sim.keep_ops();
        let mut replica = Replica::new(planes as usize, pages as usize, user as usize);
        let hot = 1 + user / (2 + rng.below(20));
        let drawn = (0..9 * user).map(|_| if rng.below(4) > 0 { rng.below(hot) } else { rng.below(user) });
        let order: Vec<u32> = (0..user).chain(drawn).collect();
        let write = |(i, &page): (usize, &u32)| {
            request(i as u64 * 100_000_000, HostOp::Write, u64::from(page) * 4096, 4096)
        };
        sim.feed(&order.iter().enumerate().map(write).collect::<Vec<_>>()).unwrap();
        order.iter().for_each(|&page| replica.write(page));
        let report = sim.finish().unwrap();
        let found = events(&sim);
        let differs = found.iter().zip(&replica.events).position(|(a, b)| a != b);
        assert_eq!(differs.map(|i| (i, found[i], replica.events[i])), None, "seed {seed}");
        assert_eq!(found.len(), replica.events.len(), "seed {seed}");
        let figures = &report.scheme.figures;
        assert_eq!(figures["separation_queue_units"], replica.queue as f64);
        assert_eq!(
            figures.get("separation_threshold_units").copied().unwrap_or(f64::INFINITY),
            replica.lifespan
        );
        assert_eq!(figures["separation_lent_blocks"], replica.lent as f64);
        lent += replica.lent;
    }
    assert!(lent > 0, "no device was so full that a class had to borrow");
}
