//! Operations as they end, for whoever asked: what a unit did, when, and for which request.

use super::engine::Timing;
use super::spec::{OpId, OpSpec, RequestId};
use super::unit::UnitPhase;
use crate::base::op::{Cause, Class, OpKind};
use crate::base::{BlockId, CellMode, PlaneId};
use crate::hw::geometry::Geometry;

/// An operation that is over, or that gives way to reads of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedOperation {
    /// Its number in the order of emission; both halves of a move, and all stretches of an operation
    /// that was suspended, have one.
    pub serial: u64,
    /// The request that waits for it, by its place in the order of arrival.
    pub request: Option<u64>,
    /// What it does; of the disk a read, whatever it is.
    pub kind: OpKind,
    /// How many bits the cells that it works on hold; of the disk none.
    pub mode: Option<CellMode>,
    pub cause: Cause,
    /// Its priority in the end.
    pub class: Class,
    /// The unit that ran it.
    pub unit: u32,
    /// Its plane; of the disk none.
    pub plane: Option<PlaneId>,
    pub block: BlockId,
    /// First page.
    pub page: u16,
    pub pages: u8,
    /// When it entered its unit's queue, ns.
    pub queued_ns: u64,
    /// When the command began, or went on, ns.
    pub begin_ns: u64,
    /// When it ended, or was suspended, ns.
    pub end_ns: u64,
    /// How long its command had the channel in front, ns.
    pub in_ns: u64,
    /// How long its command had the channel at the end, ns.
    pub out_ns: u64,
    /// Whether it is the first operation of its command, which tells what others share.
    pub leads: bool,
    /// Whether it gave way to reads and goes on later.
    pub pauses: bool,
}

impl LoggedOperation {
    /// Its block within its plane; what is of no block of the array is of the map, or of the disk.
    pub fn block_of(&self, geometry: &Geometry) -> Option<u32> {
        let own = self.plane.filter(|&plane| geometry.plane_of(self.block) == plane);
        own.map(|_| self.block.0 & ((1 << geometry.block_bits) - 1))
    }
}

/// Operations that are over until they are taken, and the numbers of the requests in flight.
#[derive(Clone, Default)]
pub(super) struct OperationLog {
    pub(super) numbers: Vec<Option<u64>>,
    /// By operation in flight: its mode, and that of the program which a move becomes.
    pub(super) modes: Vec<(Option<CellMode>, Option<CellMode>)>,
    pub(super) ended: Vec<LoggedOperation>,
}

impl Timing {
    /// Keeps every operation that ends from now on, until it is taken. Moves are handled by halves, so
    /// that each is seen: times are the same.
    pub fn log_operations(&mut self) {
        self.split_all_moves();
        self.logged = Some(Box::default());
    }

    /// Says which number a request has, where operations are kept; one that is over, or is the device's
    /// own, has none.
    pub fn number_request(&mut self, id: RequestId, number: Option<u64>) {
        let Some(log) = self.logged.as_mut() else { return };
        if log.numbers.len() <= id.index() {
            log.numbers.resize(id.index() + 1, None);
        }
        log.numbers[id.index()] = number;
    }

    /// Keeps the modes of an operation that is emitted.
    #[cold]
    pub(super) fn log_modes(&mut self, id: OpId, spec: &OpSpec) {
        let Some(log) = self.logged.as_mut() else { return };
        if log.modes.len() <= id.index() {
            log.modes.resize(id.index() + 1, (None, None));
        }
        log.modes[id.index()] = (spec.mode, spec.then.map(|target| target.mode));
    }

    /// Takes the operations that ended since, in the order of their ends, into `ended`, whose own are
    /// forgotten.
    pub fn take_operations(&mut self, ended: &mut Vec<LoggedOperation>) {
        ended.clear();
        if let Some(log) = self.logged.as_mut() {
            std::mem::swap(&mut log.ended, ended);
        }
    }

    /// When the earliest command that goes on began, ns: nothing that will still be taken began before.
    pub fn operations_from_ns(&self) -> u64 {
        let at_work = self.units.iter().filter(|u| !u.current.is_none()).map(|u| u.started_ns);
        at_work.fold(self.clock.now_ns(), u64::min)
    }

    /// Keeps what the command at work in `unit` has done since it began, or went on, until now.
    #[cold]
    pub(super) fn log_command(&mut self, unit: u32) {
        let u = &self.units[unit as usize];
        let pauses = u.phase == UnitPhase::Suspending;
        // The command's data are in the chip when it goes on.
        let goes_on = u.suspends > u32::from(pauses) && self.ops[u.current].kind != OpKind::Read;
        let (in_ns, out_ns) = match u.phase {
            UnitPhase::Disk => (0, 0),
            _ => {
                let (in_ns, _, out_ns) = self.command_times(unit, u.current);
                (if goes_on { 0 } else { in_ns }, if pauses { 0 } else { out_ns })
            }
        };
        let (first, begin_ns, end_ns) = (u.current, u.started_ns, self.clock.now_ns());
        let first_plane = u.first_plane;
        let Some(mut log) = self.logged.take() else { return };
        let mut mate = first;
        while !mate.is_none() {
            let op = &self.ops[mate];
            let (mode, moved) = log.modes.get(mate.index()).copied().unwrap_or_default();
            log.ended.push(LoggedOperation {
                serial: op.serial,
                request: log.numbers.get(op.request.index()).copied().flatten(),
                kind: op.kind,
                mode: moved.filter(|_| op.kind != OpKind::Read).or(mode),
                cause: op.cause,
                class: op.class,
                unit,
                plane: (unit != self.disk_unit).then(|| PlaneId(first_plane + u32::from(op.plane_in_die))),
                block: op.block,
                page: op.page,
                pages: op.pages,
                queued_ns: op.queued_ns,
                begin_ns,
                end_ns,
                in_ns: u64::from(in_ns),
                out_ns: u64::from(out_ns),
                leads: mate == first,
                pauses,
            });
            mate = op.next;
        }
        self.logged = Some(log);
    }
}
