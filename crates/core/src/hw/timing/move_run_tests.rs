//! Are moves emitted as runs what they are emitted one by one? Random orders on small devices, both ways.

use super::{MoveTarget, OpId, OpSpec, PageMove, Timing, Waiter};
use crate::base::op::{Cause, Class, OpKind};
use crate::base::rng::RngStream;
use crate::base::{BlockId, PlaneId};
use crate::hw::config::{PlaneParallelism, PoolConfig};
use crate::hw::geometry::Geometry;
use serde_json::json;

/// Pages that the test programs in a block before it erases it.
const PAGES: u32 = 40;
const CLASS: [Class; 4] = [Class::HostRead, Class::HostWrite, Class::Urgent, Class::Background];

/// The same device twice, and what the test keeps in mind of it.
struct Twins {
    runs: Timing,
    plain: Timing,
    geometry: Geometry,
    rng: RngStream,
    /// Pages programmed of each block, in state.
    written: Vec<u32>,
    /// Operations to raise or to wait for: both numbers and the serial.
    known: Vec<(OpId, OpId, u64)>,
    tokens: u32,
}

fn geometry(rng: &mut RngStream) -> Geometry {
    let chips = json!({
        "name": "nand", "channels": 1, "chips": 1 + rng.below(2), "dies": 1, "planes": 2, "blocks": 4,
        "wordlines": 64, "page_bytes": 4096, "bus": {"ps_per_byte": 10},
        "slc": {"read_ns": [1], "program_ns": [1], "erase_ns": 1},
    });
    let mut pool: PoolConfig = serde_json::from_value(chips).unwrap();
    pool.bus.extra_plane_read_ns = 3;
    pool.plane_parallelism =
        [PlaneParallelism::MultiPlane, PlaneParallelism::MultiPlane, PlaneParallelism::Serial]
            [rng.below(3) as usize];
    pool.suspend.program = rng.below(4) == 0;
    (pool.suspend.suspend_ns, pool.suspend.max_suspends) = (5, 2);
    Geometry::new(&[pool], 4096).unwrap()
}

impl Twins {
    fn new(seed: u64) -> Self {
        let mut rng = RngStream::new(seed, "move-runs");
        let geometry = geometry(&mut rng);
        let starvation_ns = if rng.below(3) == 0 { 700 } else { 0 };
        let mut runs = Timing::new(&geometry, starvation_ns);
        if rng.below(4) == 0 {
            runs.split_all_moves();
        }
        let (plain, written) = (runs.clone(), vec![0; geometry.block_numbers()]);
        Self { runs, plain, geometry, rng, written, known: Vec::new(), tokens: 0 }
    }

    fn spec(&mut self, kind: OpKind, class: Class, block: BlockId, page: u32) -> OpSpec {
        let place = self.geometry.planes[self.geometry.plane_of(block).index()];
        let (in_ns, array_ns) = (1 + self.rng.below(4), 20 + 10 * self.rng.below(3));
        let out_ns = if kind == OpKind::Read { 1 + self.rng.below(4) } else { 0 };
        let spec = OpSpec {
            plane_in_die: place.in_die,
            page: page as u16,
            array_ns,
            in_ns,
            out_ns,
            ..OpSpec::new(kind, Cause::Host, class, block, place.unit)
        };
        match kind {
            OpKind::Read => spec,
            _ => OpSpec { array_ns: 10 * array_ns, ..spec },
        }
    }

    /// Emits the same both ways, behind what is known if `held`, and has its end noticed.
    fn emit(&mut self, spec: OpSpec, held: bool) {
        let after = match self.known.last().filter(|_| held) {
            Some(&ids) if self.in_flight(ids) => vec![ids],
            _ => Vec::new(),
        };
        let (a, b): (Vec<OpId>, Vec<OpId>) = after.iter().map(|&(a, b, _)| (a, b)).unzip();
        let ids = (self.runs.emit(spec, &a), self.plain.emit(spec, &b));
        self.tokens += 1;
        self.runs.notify(ids.0, self.tokens);
        self.plain.notify(ids.1, self.tokens);
        self.know(ids.0, ids.1);
    }

    fn know(&mut self, run: OpId, plain: OpId) {
        assert_eq!(self.runs.serial(run), self.plain.serial(plain));
        self.known.push((run, plain, self.runs.serial(run)));
    }

    fn in_flight(&self, (run, plain, serial): (OpId, OpId, u64)) -> bool {
        let here = self.runs.is_in_flight(run, serial);
        assert_eq!(here, self.plain.is_in_flight(plain, serial));
        here
    }

    /// The block's next page; it is erased when it is full.
    fn next_page(&mut self, block: BlockId) -> u32 {
        if self.written[block.index()] == PAGES {
            let erase = self.spec(OpKind::Erase, Class::Urgent, block, 0);
            self.emit(erase, false);
            self.written[block.index()] = 0;
        }
        self.written[block.index()] += 1;
        self.written[block.index()] - 1
    }

    fn block(&mut self, index: u32) -> BlockId {
        let planes = self.geometry.planes.len() as u32;
        self.geometry.block(PlaneId(self.rng.below(planes)), index)
    }

    /// Moves pages of a block into another of its plane and erases it.
    fn clean(&mut self) {
        let index = self.rng.below(2);
        let source = self.block(index);
        let target = self.geometry.block(self.geometry.plane_of(source), 2);
        if self.written[target.index()] == PAGES {
            self.next_page(target);
        }
        let left = PAGES - self.written[target.index()];
        let class = CLASS[1 + self.rng.below(3) as usize];
        let (mut from, mut moves) = (0, Vec::new());
        for _ in 0..(1 + self.rng.below(20)).min(left) {
            from += self.rng.below(3);
            let (to, transfer_ns) = (self.next_page(target) as u16, 1 + self.rng.below(3));
            let (read_ns, program_ns) = (20 + 10 * self.rng.below(2), 200 + self.rng.below(2));
            moves.push(PageMove { from: from as u16, to, read_ns, program_ns, transfer_ns });
            from += 1;
        }
        let read = OpSpec { in_ns: 2, ..self.spec(OpKind::Read, class, source, 0) };
        let spec = |page: &PageMove| OpSpec {
            page: page.from,
            array_ns: page.read_ns,
            out_ns: 1 + page.transfer_ns,
            then: Some(MoveTarget {
                kind: OpKind::Program,
                block: target,
                page: page.to,
                array_ns: page.program_ns,
                in_ns: 3 + page.transfer_ns,
            }),
            ..read
        };
        let run = self.runs.emit_moves(spec(&moves[moves.len() - 1]), &moves);
        let last = moves.iter().map(|page| self.plain.emit(spec(page), &[])).last().unwrap();
        self.know(run, last);
        let erase = self.spec(OpKind::Erase, class, source, 0);
        self.emit(erase, true);
    }

    fn disturb(&mut self) {
        let class = CLASS[self.rng.below(4) as usize];
        match self.rng.below(8) {
            0 | 1 => self.clean(),
            2 => {
                let block = self.block(2);
                if self.written[block.index()] < PAGES {
                    let page = self.next_page(block);
                    let program = self.spec(OpKind::Program, class, block, page);
                    let held = self.rng.below(3) == 0;
                    self.emit(program, held);
                }
            }
            3 => {
                let at = self.known.len().saturating_sub(1 + self.rng.below(6) as usize);
                if let Some(&ids) = self.known.get(at).filter(|&&ids| self.in_flight(ids)) {
                    self.runs.raise(ids.0, class);
                    self.plain.raise(ids.1, class);
                }
            }
            _ => {
                let index = self.rng.below(4);
                let (block, page) = (self.block(index), self.rng.below(PAGES));
                let read = self.spec(OpKind::Read, class, block, page);
                self.emit(read, false);
            }
        }
        self.runs.kick();
        self.plain.kick();
    }

    fn step(&mut self) {
        assert!(self.runs.step().is_none() && self.plain.step().is_none());
        loop {
            let ended = (self.runs.take_finished(), self.plain.take_finished());
            assert_eq!(ended.0, ended.1);
            match ended.0 {
                Some(Waiter::Notice(_)) => (),
                _ => break,
            }
        }
    }

    fn compare(&self) {
        let (a, b) = (&self.runs, &self.plain);
        assert_eq!((a.now_ns(), a.next_ns(), a.serial), (b.now_ns(), b.next_ns(), b.serial));
        for (x, y) in a.units.iter().zip(&b.units) {
            assert_eq!((x.load_ns, x.outstanding, x.mask), (y.load_ns, y.outstanding, y.mask));
            assert_eq!(
                (x.phase, x.until_ns, x.busy_ns, x.host_ns),
                (y.phase, y.until_ns, y.busy_ns, y.host_ns)
            );
        }
        for (x, y) in a.channels.iter().zip(&b.channels) {
            assert_eq!((x.busy_ns, x.busy_until_ns), (y.busy_ns, y.busy_until_ns));
        }
        for (x, y) in a.blocks.iter().zip(&b.blocks) {
            assert_eq!((x.done, x.reads, x.last == 0), (y.done, y.reads, y.last == 0));
        }
    }
}

#[test]
fn moves_emitted_as_runs_go_as_if_emitted_one_by_one() {
    for seed in 0..120 {
        let mut twins = Twins::new(seed);
        for _ in 0..1500 {
            let idle = twins.runs.next_ns() == u64::MAX;
            if idle || (twins.runs.ops_in_flight() < 60 && twins.rng.below(3) == 0) {
                twins.disturb();
            } else {
                twins.step();
            }
            twins.compare();
        }
        while twins.runs.next_ns() != u64::MAX {
            twins.step();
            twins.compare();
        }
        assert_eq!((twins.runs.ops_in_flight(), twins.runs.runs.len()), (0, 0), "seed {seed}");
    }
}

impl Twins {
    /// Lets time pass both ways and compares whose ends were noticed when.
    fn pass(&mut self, ns: u64) {
        let until_ns = self.runs.now_ns() + ns;
        let mut ended = [Vec::new(), Vec::new()];
        for (timing, ended) in [&mut self.runs, &mut self.plain].into_iter().zip(&mut ended) {
            while timing.next_ns() <= until_ns {
                assert!(timing.step().is_none());
                while let Some(Waiter::Notice(token)) = timing.take_finished() {
                    ended.push((timing.now_ns(), token));
                }
            }
            timing.set_now(until_ns);
        }
        assert_eq!(ended[0], ended[1]);
        for unit in 0..self.runs.units.len() as u32 {
            let seen = |t: &Timing| (t.load_ns(unit), t.load(unit), t.channel_wait_ns(unit), t.is_idle(unit));
            assert_eq!(seen(&self.runs), seen(&self.plain));
        }
        for block in 0..self.written.len() as u32 {
            for page in 0..PAGES {
                let seen = |t: &Timing| t.in_flight(BlockId(block), page);
                assert_eq!(seen(&self.runs), seen(&self.plain));
            }
        }
    }
}

#[test]
fn moves_that_could_take_others_along_go_in_one_as_in_two() {
    for seed in 0..120 {
        let mut twins = Twins::new(seed);
        twins.plain.pairs = false;
        for _ in 0..600 {
            if twins.runs.ops_in_flight() < 60 && twins.rng.below(2) == 0 {
                twins.disturb();
            }
            let ns = u64::from(twins.rng.below(150));
            twins.pass(ns);
        }
        twins.pass(1_000_000);
        for (x, y) in twins.runs.units.iter().zip(&twins.plain.units) {
            assert_eq!(x.busy_ns, y.busy_ns);
        }
        for (x, y) in twins.runs.channels.iter().zip(&twins.plain.channels) {
            assert_eq!(x.busy_ns, y.busy_ns);
        }
        assert_eq!((twins.runs.ops_in_flight(), twins.plain.ops_in_flight()), (0, 0), "seed {seed}");
    }
}
