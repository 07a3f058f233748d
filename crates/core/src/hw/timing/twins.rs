//! One small device twice, moves emitted as runs on the one and one by one on the other: random orders
//! to both, for tests of what runs short cut.

use super::{MoveTarget, OpId, OpSpec, PageMove, Timing, Waiter};
use crate::base::op::{Cause, Class, OpKind};
use crate::base::rng::RngStream;
use crate::base::{BlockId, CellMode, PlaneId};
use crate::hw::config::{PlaneParallelism, PoolConfig};
use crate::hw::geometry::Geometry;
use serde_json::json;

/// Pages that the test programs in a block before it erases it.
pub(super) const PAGES: u32 = 40;
pub(super) const CLASS: [Class; 4] = [Class::HostRead, Class::HostWrite, Class::Urgent, Class::Background];

/// Two devices that are alike, and what the test keeps in mind of them.
pub(super) struct Twins {
    pub(super) runs: Timing,
    pub(super) plain: Timing,
    pub(super) geometry: Geometry,
    pub(super) rng: RngStream,
    /// Pages programmed of each block, in state.
    written: Vec<u32>,
    /// Operations to raise or to wait for: both numbers and the serial.
    known: Vec<(OpId, OpId, u64)>,
    tokens: u32,
    /// The last erase of each block, of which no page is moved before it is over.
    erases: Vec<(BlockId, (OpId, OpId, u64))>,
    /// Times are multiples of 10 ns: much happens at the same time.
    pub(super) coarse: bool,
    /// The channel takes no time at all.
    pub(super) free_bus: bool,
    /// Some of what is emitted starts only at the next event.
    pub(super) lazy: bool,
    /// What finds its unit free is queued on the plain device; how often that was.
    pub(super) queues_all: bool,
    pub(super) at_hand: u32,
}

fn geometry(rng: &mut RngStream, channels: u32, chips: u32) -> Geometry {
    let chips = json!({
        "name": "nand", "channels": channels, "chips": chips, "dies": 1, "planes": 2, "blocks": 4,
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
    /// A device of these channels with so many chips each.
    pub(super) fn new(seed: u64, channels: u32, chips: u32) -> Self {
        let mut rng = RngStream::new(seed, "move-runs");
        let geometry = geometry(&mut rng, channels, chips);
        let starvation_ns = if rng.below(3) == 0 { 700 } else { 0 };
        let mut runs = Timing::new(&geometry, starvation_ns);
        if rng.below(4) == 0 {
            runs.split_all_moves();
        }
        let (plain, written) = (runs.clone(), vec![0; geometry.block_numbers()]);
        Self {
            runs,
            plain,
            geometry,
            rng,
            written,
            known: Vec::new(),
            tokens: 0,
            erases: Vec::new(),
            coarse: false,
            free_bus: false,
            lazy: false,
            queues_all: false,
            at_hand: 0,
        }
    }

    /// A time on the channel, one of so many, ns.
    fn bus_ns(&mut self, below: u32) -> u32 {
        let ns = 1 + self.rng.below(below);
        match (self.free_bus, self.coarse) {
            (true, _) => 0,
            (_, true) => 10,
            _ => ns,
        }
    }

    pub(super) fn spec(&mut self, kind: OpKind, class: Class, block: BlockId, page: u32) -> OpSpec {
        let place = self.geometry.planes[self.geometry.plane_of(block).index()];
        let cause = if self.rng.below(3) == 0 { Cause::Migration } else { Cause::Host };
        let (in_ns, array_ns) = (self.bus_ns(4), 20 + 10 * self.rng.below(3));
        let out_ns = if kind == OpKind::Read { self.bus_ns(4) } else { 0 };
        let spec = OpSpec {
            plane_in_die: place.in_die,
            page: page as u16,
            array_ns,
            in_ns,
            out_ns,
            ..OpSpec::new(kind, cause, class, block, place.unit)
        };
        match kind {
            OpKind::Read => spec,
            _ => OpSpec { array_ns: 10 * array_ns, ..spec },
        }
    }

    /// Emits the same both ways, behind what is known if `held`, and has its end noticed.
    pub(super) fn emit(&mut self, spec: OpSpec, held: bool) {
        let after = match self.known.last().filter(|_| held) {
            Some(&ids) if self.in_flight(ids) => vec![ids],
            _ => Vec::new(),
        };
        let (a, b): (Vec<OpId>, Vec<OpId>) = after.iter().map(|&(a, b, _)| (a, b)).unzip();
        let ids = (self.runs.emit(spec, &a), self.plain.emit(spec, &b));
        if self.queues_all {
            self.at_hand += u32::from(self.plain.units[spec.unit as usize].pending == ids.1);
            self.plain.link_pending(spec.unit);
        }
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
        let erase = self.erases.iter().find(|(block, _)| *block == source);
        if erase.is_some_and(|&(_, ids)| self.in_flight(ids)) {
            return;
        }
        let target = self.geometry.block(self.geometry.plane_of(source), 2);
        if self.written[target.index()] == PAGES {
            self.next_page(target);
        }
        let left = PAGES - self.written[target.index()];
        let class = CLASS[1 + self.rng.below(3) as usize];
        let (mut from, mut moves) = (0, Vec::new());
        for _ in 0..(1 + self.rng.below(20)).min(left) {
            from += self.rng.below(3);
            let (to, transfer_ns) = (self.next_page(target) as u16, self.bus_ns(3));
            let longer_ns = self.bus_ns(2);
            let (read_ns, program_ns) = (20 + 10 * self.rng.below(2), 200 + longer_ns);
            moves.push(PageMove { from: from as u16, to, read_ns, program_ns, transfer_ns });
            from += 1;
        }
        self.emit_moves(class, source, target, &moves);
        let erase = self.spec(OpKind::Erase, class, source, 0);
        self.emit(erase, true);
        self.erases.retain(|(block, _)| *block != source);
        self.erases.extend(self.known.last().map(|&ids| (source, ids)));
    }

    /// Emits moves from one block to another, as a run and one by one; returns the last of them.
    pub(super) fn emit_moves(
        &mut self,
        class: Class,
        source: BlockId,
        target: BlockId,
        moves: &[PageMove],
    ) -> (OpId, OpId) {
        let (data_ns, command_ns) = match (self.free_bus, self.coarse) {
            (true, _) => (0, 0),
            (_, true) => (10, 20),
            _ => (1, 3),
        };
        let read = OpSpec { in_ns: 2 * data_ns, ..self.spec(OpKind::Read, class, source, 0) };
        let spec = |page: &PageMove| OpSpec {
            page: page.from,
            array_ns: page.read_ns,
            out_ns: data_ns + page.transfer_ns,
            then: Some(MoveTarget {
                kind: OpKind::Program,
                mode: CellMode::Slc,
                block: target,
                page: page.to,
                array_ns: page.program_ns,
                in_ns: command_ns + page.transfer_ns,
            }),
            ..read
        };
        let run = self.runs.emit_moves(spec(&moves[moves.len() - 1]), moves);
        let plain = moves.iter().map(|page| self.plain.emit(spec(page), &[])).last().unwrap();
        self.know(run, plain);
        (run, plain)
    }

    /// Emits or raises something both ways.
    pub(super) fn disturb(&mut self) {
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
        if self.lazy && self.rng.below(3) == 0 {
            return;
        }
        self.runs.kick();
        self.plain.kick();
    }

    /// Handles an event both ways, which must end the same.
    pub(super) fn step(&mut self) {
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

    /// Compares all that there is to see of the two.
    pub(super) fn compare(&self) {
        let (a, b) = (&self.runs, &self.plain);
        assert_eq!((a.now_ns(), a.next_ns(), a.ops.latest()), (b.now_ns(), b.next_ns(), b.ops.latest()));
        for (x, y) in a.units.iter().zip(&b.units) {
            assert_eq!(
                (x.load_ns, x.outstanding, x.queues.mask()),
                (y.load_ns, y.outstanding, y.queues.mask())
            );
            assert_eq!(
                (x.phase, x.until_ns, x.busy_ns, x.host_ns),
                (y.phase, y.until_ns, y.busy_ns, y.host_ns)
            );
        }
        for (x, y) in a.channels.iter().zip(&b.channels) {
            assert_eq!((x.busy_ns, x.busy_until_ns), (y.busy_ns, y.busy_until_ns));
        }
        assert!(a.ops.blocks.booked().eq(b.ops.blocks.booked()));
    }
}

/// Handles events until an end is noticed, but none after `until_ns`; when that was, and of what.
fn to_notice(timing: &mut Timing, until_ns: u64) -> (u64, Vec<u32>) {
    let mut tokens = Vec::new();
    while tokens.is_empty() {
        timing.expect_start(until_ns);
        if timing.next_ns() > until_ns {
            break;
        }
        assert!(timing.step().is_none());
        while let Some(Waiter::Notice(token)) = timing.take_finished() {
            tokens.push(token);
        }
    }
    if tokens.is_empty() {
        timing.set_now(until_ns);
    }
    (timing.now_ns(), tokens)
}

impl Twins {
    /// Lets time pass both ways to the next end that is noticed, at most `ns`, and compares all that can
    /// be asked then.
    pub(super) fn pass(&mut self, ns: u64) {
        let until_ns = self.runs.now_ns() + ns;
        assert_eq!(to_notice(&mut self.runs, until_ns), to_notice(&mut self.plain, until_ns));
        assert_eq!(self.runs.last_host_ns(), self.plain.last_host_ns());
        for unit in 0..self.runs.units.len() as u32 {
            let seen = |t: &Timing| (t.load_ns(unit), t.load(unit), t.channel_wait_ns(unit), t.is_idle(unit));
            assert_eq!(seen(&self.runs), seen(&self.plain));
        }
        for block in (0..self.written.len() as u32).map(BlockId) {
            for page in 0..PAGES {
                let seen = |t: &Timing| (t.in_flight(block, page), t.all_done(block, page));
                assert_eq!(seen(&self.runs), seen(&self.plain));
            }
        }
    }

    /// Lets all that is in flight end, and compares what was booked.
    pub(super) fn end(&mut self) {
        while self.runs.next_ns() != u64::MAX || self.plain.next_ns() != u64::MAX {
            self.pass(1_000_000);
        }
        for (x, y) in self.runs.units.iter().zip(&self.plain.units) {
            assert_eq!((x.busy_ns, x.host_ns), (y.busy_ns, y.host_ns));
        }
        for (x, y) in self.runs.channels.iter().zip(&self.plain.channels) {
            assert_eq!(x.busy_ns, y.busy_ns);
        }
        assert_eq!((self.runs.ops_in_flight(), self.plain.ops_in_flight()), (0, 0));
        assert_eq!((self.runs.ops.runs(), self.runs.stretching), (0, 0));
    }
}
