//! Operations as they end, for whoever asked: what a unit did, when, and for which request.

use super::engine::Timing;
use super::ids::{OpId, RequestId};
use super::operation_log::LoggedOperation;
use super::spec::OpSpec;
use super::unit::Phase;
use crate::base::op::OpKind;
use crate::base::PlaneId;

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
        let pauses = u.phase == Phase::Suspending;
        // The command's data are in the chip when it goes on.
        let goes_on = u.suspends > u32::from(pauses) && self.ops[u.current].kind != OpKind::Read;
        let (in_ns, out_ns) = match u.phase {
            Phase::Disk => (0, 0),
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
