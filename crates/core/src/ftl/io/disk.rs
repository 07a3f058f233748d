//! Reads and writes of the disk, which holds what is in no flash page.

use super::{Io, Programs};
use crate::base::op::{Cause, Class};
use crate::base::request::SECTOR_BYTES;
use crate::ftl::op_log::LoggedDiskOp;
use crate::ftl::piece::PageWrite;
use crate::hw::disk::{Disk, Order};
use crate::hw::timing::{DiskOp, OpId, RequestId};

/// Most runs of adjacent mapping units in a logical page.
const RUNS_MAX: usize = 8;

/// The operations of the disk that one verb emitted.
#[derive(Clone, Copy, Debug)]
pub struct DiskOps {
    ops: [OpId; RUNS_MAX],
    len: usize,
}

impl DiskOps {
    const NONE: Self = Self { ops: [OpId::NONE; RUNS_MAX], len: 0 };

    /// Their numbers: what waits for all of them is complete after them.
    pub fn ops(&self) -> &[OpId] {
        &self.ops[..self.len]
    }

    fn push(&mut self, op: OpId) {
        self.ops[self.len] = op;
        self.len += 1;
    }
}

/// What the operations of one verb have in common.
#[derive(Clone, Copy)]
struct Errand {
    page: u32,
    write: bool,
    cause: Cause,
    class: Class,
    request: RequestId,
    counts: bool,
}

impl Programs {
    /// Adds writes of the disk, which carry data out of the block that is to be erased.
    pub fn add_disk(&mut self, writes: &DiskOps) {
        self.list.extend_from_slice(writes.ops());
        self.filling = None;
    }
}

impl Io {
    /// Whether the data's home is a disk.
    #[inline(always)]
    pub fn has_disk(&self) -> bool {
        self.timing.disk().is_some()
    }

    #[inline]
    pub fn disk(&self) -> Option<&Disk> {
        self.timing.disk()
    }

    /// Whether the disk's platters turn, or will for something that was ordered: writing to it wakes
    /// nothing.
    pub fn disk_spins(&self) -> bool {
        let spins = |disk: &Disk| disk.spins(self.timing.now_ns());
        self.timing.disk().is_some_and(|disk| self.timing.disk_is_ordered() || spins(disk))
    }

    /// Mapping units of logical page `page` that are on their way from the disk.
    #[inline]
    pub fn fetching(&self, page: u32) -> u32 {
        self.traffic.fetching(page)
    }

    /// Reads units `mask` of logical page `page` from the disk, one operation per run of adjacent units.
    /// Those that are still on their way to the disk are in the controller and cost nothing, unless
    /// `inflight_read` says otherwise.
    pub fn read_disk(
        &mut self,
        page: u32,
        mut mask: u32,
        cause: Cause,
        class: Class,
        request: RequestId,
        counts: bool,
    ) -> DiskOps {
        if self.clockless {
            return DiskOps::NONE;
        }
        if self.policy.inflight_from_buffer {
            mask &= !self.traffic.writing(page);
        }
        let errand = Errand { page, write: false, cause, class, request, counts };
        self.emit_runs(&errand, mask, &[])
    }

    /// Writes units `mask` of `page` to the disk after `sources`, one operation per run. What is mapped of
    /// them is so no longer; with `fresh` they carry new data of the host.
    pub fn write_disk(
        &mut self,
        page: u32,
        mask: u32,
        fresh: bool,
        write: &PageWrite,
        sources: &[OpId],
    ) -> DiskOps {
        self.media.move_to_disk(page * self.policy.mus_per_page, mask, fresh);
        if self.clockless {
            return DiskOps::NONE;
        }
        let PageWrite { cause, class, request, .. } = *write;
        let counts = !request.is_none();
        let errand = Errand { page, write: true, cause, class, request, counts };
        self.emit_runs(&errand, mask, sources)
    }

    /// Forgets the flash copies of units `mask` of `page`, of which the disk has the same.
    pub fn drop_clean(&mut self, page: u32, mask: u32) {
        self.media.drop_clean(page * self.policy.mus_per_page, mask);
    }

    fn emit_runs(&mut self, errand: &Errand, mut mask: u32, sources: &[OpId]) -> DiskOps {
        let mut emitted = DiskOps::NONE;
        while mask != 0 {
            let first = mask.trailing_zeros();
            let units = (mask >> first).trailing_ones();
            let run = (((1u64 << units) - 1) as u32) << first;
            mask &= !run;
            emitted.push(self.emit_run(errand, first, units, run, sources));
        }
        emitted
    }

    fn emit_run(&mut self, errand: &Errand, first: u32, units: u32, run: u32, sources: &[OpId]) -> OpId {
        let Errand { page, write, cause, class, request, counts } = *errand;
        if let Some(log) = self.disk_ops.as_mut() {
            let behind = self.ops.as_ref().map_or(0, Vec::len);
            log.push(LoggedDiskOp { at_ns: self.timing.now_ns(), write, cause, page, mask: run, behind });
        }
        let mut after = std::mem::take(&mut self.disk_sources);
        after.clear();
        after.extend_from_slice(sources);
        let before = self.traffic.before(page, run, write);
        after.extend(before.filter(|&(op, serial)| self.timing.is_in_flight(op, serial)).map(|(op, _)| op));
        let sectors = self.media.array().geometry.mu_bytes / SECTOR_BYTES as u32;
        let mu = page * self.policy.mus_per_page + first;
        let order =
            Order { sector: u64::from(mu) * u64::from(sectors), sectors: units * sectors, write, cause };
        let token = self.traffic.begin(page, run, write);
        let op = self.timing.emit_disk(&DiskOp { order, class, request, counts, token }, &after);
        self.traffic.set_op(token, op, self.timing.serial(op));
        self.disk_sources = after;
        op
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::io::{Driver, IoPolicy};
    use crate::hw::array::FlashArray;
    use crate::hw::config::PoolConfig;
    use crate::hw::disk::config::DiskConfig;
    use crate::hw::geometry::Geometry;
    use crate::hw::timing::{Timing, Waiter};
    use serde_json::json;

    const SECOND_NS: u64 = 1_000_000_000;

    /// Logical pages of 4 units of 4 KiB on a disk that takes 10 ms to a place and 40.96 us for a unit.
    fn device() -> Driver {
        let mode = json!({"read_ns": [1], "program_ns": [1], "erase_ns": 1});
        let chips = json!({
            "name": "nand", "channels": 1, "chips": 1, "dies": 1, "planes": 1, "blocks": 4,
            "wordlines": 4, "page_bytes": 16384, "bus": {"ps_per_byte": 1000}, "slc": mode,
        });
        let pool: PoolConfig = serde_json::from_value(chips).unwrap();
        let disk: DiskConfig = serde_json::from_value(json!({
            "rpm": 6000, "track_seek_ns": 5_000_000, "average_seek_ns": 5_000_000, "mb_per_s": 100,
            "power": {
                "active_mw": 2000, "idle_mw": 800, "standby_mw": 200,
                "idle_after_ns": SECOND_NS, "to_idle_ns": 500_000_000, "to_idle_mj": 1000,
                "from_idle_ns": 500_000_000, "from_idle_mj": 1000,
                "standby_after_ns": 3 * SECOND_NS, "spin_down_ns": 2 * SECOND_NS, "spin_down_mj": 3000,
                "spin_up_ns": 1_500_000_000, "spin_up_mj": 5000,
            },
        }))
        .unwrap();
        let geometry = Geometry::new(&[pool], 4096).unwrap();
        let mut timing = Timing::new(&geometry, 0);
        timing.add_disk(Disk::new(&disk, 1 << 30));
        let policy = IoPolicy {
            rmw_whole_page: true,
            reads_whole_pages: false,
            parts_in_turn: false,
            inflight_from_buffer: true,
            plp: true,
            stage_timeout_ns: 1,
            mus_per_page: 4,
        };
        let mut io = Driver::new(FlashArray::new(geometry), 1 << 18, timing, 0, policy);
        io.track_versions();
        io
    }

    /// Lets everything happen; returns what was complete when, requests by their numbers.
    fn run(io: &mut Driver) -> Vec<(u64, Waiter)> {
        let mut done = Vec::new();
        io.timing_mut().kick();
        loop {
            while let Some(waiter) = io.timing_mut().take_finished() {
                if let Waiter::Disk(token) = waiter {
                    io.traffic().end(token);
                }
                done.push((io.now_ns(), waiter));
            }
            if io.timing().next_ns() == u64::MAX {
                return done;
            }
            io.timing_mut().step();
        }
    }

    fn read(io: &mut Driver, page: u32, mask: u32) -> RequestId {
        let request = io.timing_mut().add_request();
        io.read_disk(page, mask, Cause::Host, Class::HostRead, request, true);
        io.timing_mut().release_request(request);
        request
    }

    fn requests(done: &[(u64, Waiter)]) -> Vec<(u64, RequestId)> {
        let of = |&(at_ns, waiter): &(u64, Waiter)| match waiter {
            Waiter::Request(id) => Some((at_ns, id)),
            Waiter::Notice(_) | Waiter::Held(_) | Waiter::Disk(_) => None,
        };
        done.iter().filter_map(of).collect()
    }

    #[test]
    fn a_read_of_two_runs_is_two_operations_and_a_neighbour_continues_the_last() {
        let mut io = device();
        let first = read(&mut io, 5, 0b1011);
        let second = read(&mut io, 6, 0b0001);
        let done = run(&mut io);
        // Seek and half a turn to page 5, half a turn to its last unit (a gap), and straight on to page 6.
        let unit_ns = 40_960;
        let end_ns = 5_000_000 + 2 * 5_000_000 + 3 * unit_ns;
        assert_eq!(requests(&done), [(end_ns, first), (end_ns + unit_ns, second)]);
    }

    #[test]
    fn what_waits_for_a_sleeping_disk_waits_for_its_spin_up() {
        let mut io = device();
        io.timing_mut().set_now(100 * SECOND_NS);
        assert!(!io.disk_spins());
        let request = read(&mut io, 5, 1);
        let done = run(&mut io);
        let service_ns = 10_000_000 + 40_960;
        assert_eq!(requests(&done), [(100 * SECOND_NS + 1_500_000_000 + service_ns, request)]);
        let (path, wait) = io.timing().path(request);
        let wait = wait.unwrap();
        assert_eq!((path.array_ns, path.bus_ns), (0, 0));
        assert_eq!(wait[crate::hw::timing::WAIT_SPIN_UP], 1_500_000_000);
        assert_eq!(wait[crate::hw::timing::DISK_POSITIONING], 10_000_000);
        assert_eq!(wait[crate::hw::timing::DISK_TRANSFER], 40_960);
        assert_eq!(wait.iter().sum::<u64>(), 1_500_000_000 + service_ns);
    }

    #[test]
    fn requests_that_come_during_the_spin_up_wait_for_its_rest_and_then_behind_the_first() {
        let mut io = device();
        io.timing_mut().set_now(100 * SECOND_NS);
        let first = read(&mut io, 5, 1);
        io.timing_mut().kick();
        io.timing_mut().set_now(101 * SECOND_NS);
        let second = read(&mut io, 900, 1);
        let done = run(&mut io);
        let service_ns = 10_000_000 + 40_960;
        let awake_ns = 101_500_000_000;
        assert_eq!(requests(&done), [(awake_ns + service_ns, first), (awake_ns + 2 * service_ns, second)]);
        let wait = *io.timing().path(second).1.unwrap();
        assert_eq!(wait[crate::hw::timing::WAIT_SPIN_UP], 500_000_000);
        assert_eq!(wait[Cause::Host as usize], service_ns);
    }

    #[test]
    fn units_on_their_way_to_the_disk_are_read_from_the_controller() {
        let mut io = device();
        let write = PageWrite {
            bytes: 8192,
            fresh_slots: 2,
            slots: 2,
            cause: Cause::Host,
            class: Class::HostWrite,
            request: RequestId::NONE,
        };
        let written = io.write_disk(7, 0b0011, true, &write, &[]);
        assert_eq!(written.ops().len(), 1);
        let read = io.read_disk(7, 0b0111, Cause::Host, Class::HostRead, RequestId::NONE, false);
        assert_eq!((read.ops().len(), io.fetching(7)), (1, 0b0100));
        let again = io.write_disk(7, 0b0001, true, &write, &[]);
        // More urgent or not, the first version does not overwrite the second.
        io.timing_mut().raise(again.ops()[0], Class::HostRead);
        let done = run(&mut io);
        assert_eq!(done.len(), 3);
        assert_eq!((io.fetching(7), io.media().versions().unwrap().disk[28]), (0, 3));
    }
}
