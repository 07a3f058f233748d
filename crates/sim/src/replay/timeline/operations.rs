//! Operations on the tracks of planes, channels and the disk.

use super::ordered::Ordered;
use super::packets::{Head, NameKind, Packets, Sequence};
use super::tracks::{CHANNELS, DISK, FIRST, PLANES};
use slcache_core::base::op::{Cause, OpKind};
use slcache_core::base::{CellMode, PlaneId};
use slcache_core::hw::geometry::Geometry;
use slcache_core::hw::timing::LoggedOperation;
use std::io::{Result, Write};

const FACTS: [&str; 5] = ["block", "page", "pages", "waited_ns", "suspended"];
/// Arrows from what was in the way have these numbers, those of requests lower ones.
const ARROWS: u64 = 1 << 62;

/// The last command of a unit: when it ended, and where its end waits to be written.
#[derive(Clone, Copy)]
struct LastCommand {
    end_ns: u64,
    slot: u32,
}

/// Draws operations, which come in the order of their ends.
pub struct Operations {
    geometry: Geometry,
    ordered: Ordered,
    /// Numbers of names by kind, mode and cause.
    names: Vec<Option<u64>>,
    facts: [u64; FACTS.len()],
    transfers: [u64; Cause::ALL.len()],
    before: Vec<Option<LastCommand>>,
    arrows: u64,
}

impl Operations {
    /// Names the tracks.
    pub fn begin<W: Write>(geometry: Geometry, has_disk: bool, packets: &mut Packets<W>) -> Result<Self> {
        packets.track(CHANNELS, None, "channels", CHANNELS)?;
        packets.track(PLANES, None, "planes", PLANES)?;
        if has_disk {
            packets.track(DISK, None, "disk", DISK)?;
        }
        for channel in 0..u64::from(geometry.channels) {
            packets.track(FIRST + channel, Some(CHANNELS), &format!("channel {channel}"), channel)?;
        }
        let first_plane = FIRST + u64::from(geometry.channels);
        for (number, plane) in geometry.planes.iter().enumerate() {
            let pool = &geometry.pools[usize::from(plane.pool)];
            let die = (number as u32 - pool.first_plane) / pool.config.planes;
            let name = format!("{} die {die} plane {} (channel {})", pool.name, plane.in_die, plane.channel);
            packets.track(first_plane + number as u64, Some(PLANES), &name, number as u64)?;
        }
        let mut facts = [0; FACTS.len()];
        for (number, name) in facts.iter_mut().zip(FACTS) {
            *number = packets.name(Sequence::Ordered, NameKind::Fact, name)?;
        }
        let mut transfers = [0; Cause::ALL.len()];
        for (number, cause) in transfers.iter_mut().zip(Cause::ALL) {
            *number = packets.name(Sequence::Ordered, NameKind::Event, cause.name())?;
        }
        let names = vec![None; OpKind::ALL.len() * (CellMode::COUNT + 1) * Cause::ALL.len()];
        let (ordered, before) = (Ordered::default(), Vec::new());
        Ok(Self { geometry, ordered, names, facts, transfers, before, arrows: ARROWS })
    }

    /// The first track that is free for others.
    pub fn free_track(&self) -> u64 {
        FIRST + u64::from(self.geometry.channels) + self.geometry.planes.len() as u64
    }

    /// The shape of the device.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    pub fn draw<W: Write>(&mut self, operation: &LoggedOperation, packets: &mut Packets<W>) -> Result<()> {
        let &LoggedOperation { begin_ns, end_ns, request, .. } = operation;
        let Some(plane) = operation.plane.map(PlaneId::index) else {
            let name = self.transfers[operation.cause as usize];
            let flows = [request.map(|number| number + 1), self.arrow(operation)];
            let head = Head { track: DISK, name, flows, facts: &[] };
            let slot = self.ordered.slice(begin_ns, end_ns, &head);
            self.note(operation, slot);
            return Ok(());
        };
        let name = self.name(operation, packets)?;
        let (facts, count) = self.facts_of(operation);
        let track = FIRST + u64::from(self.geometry.channels) + plane as u64;
        let flows = [request.map(|number| number + 1), self.arrow(operation)];
        let slot = self.ordered.slice(begin_ns, end_ns, &Head { track, name, flows, facts: &facts[..count] });
        if operation.leads {
            self.note(operation, slot);
            self.transfer(operation, FIRST + u64::from(self.geometry.planes[plane].channel));
        }
        Ok(())
    }

    /// An arrow from what the unit did until the operation of a request could begin, if it waited for that.
    fn arrow(&mut self, operation: &LoggedOperation) -> Option<u64> {
        let &LoggedOperation { queued_ns, begin_ns, unit, .. } = operation;
        operation.request.filter(|_| queued_ns < begin_ns)?;
        let before = self.before.get(unit as usize).copied().flatten();
        let slot = before.filter(|before| before.end_ns == begin_ns)?.slot;
        self.arrows += 1;
        self.ordered.flow(slot, self.arrows);
        Some(self.arrows)
    }

    fn note(&mut self, operation: &LoggedOperation, slot: u32) {
        let unit = operation.unit as usize;
        if self.before.len() <= unit {
            self.before.resize(unit + 1, None);
        }
        self.before[unit] = Some(LastCommand { end_ns: operation.end_ns, slot });
    }

    fn name<W: Write>(&mut self, operation: &LoggedOperation, packets: &mut Packets<W>) -> Result<u64> {
        let &LoggedOperation { kind, mode, cause, .. } = operation;
        let mode_place = mode.map_or(CellMode::COUNT, |mode| mode as usize);
        let place = (kind as usize * (CellMode::COUNT + 1) + mode_place) * Cause::ALL.len() + cause as usize;
        if let Some(number) = self.names[place] {
            return Ok(number);
        }
        let name = match mode {
            Some(mode) => format!("{} {} ({})", mode.name(), kind.name(), cause.name()),
            None => format!("{} ({})", kind.name(), cause.name()),
        };
        let number = packets.name(Sequence::Ordered, NameKind::Event, &name)?;
        self.names[place] = Some(number);
        Ok(number)
    }

    /// What is told of an operation on a plane, and how much that is.
    fn facts_of(&self, operation: &LoggedOperation) -> ([(u64, u64); FACTS.len()], usize) {
        let [block, page, pages, waited, suspended] = self.facts;
        let mut facts = [(0, 0); FACTS.len()];
        let mut count = 0;
        let mut tell = |name: u64, value: u64| {
            facts[count] = (name, value);
            count += 1;
        };
        if let Some(number) = operation.block_of(&self.geometry) {
            tell(block, u64::from(number));
        }
        if operation.kind != OpKind::Erase {
            tell(page, u64::from(operation.page));
            if operation.pages > 1 {
                tell(pages, u64::from(operation.pages));
            }
        }
        if operation.begin_ns > operation.queued_ns {
            tell(waited, operation.begin_ns - operation.queued_ns);
        }
        if operation.pauses {
            tell(suspended, 1);
        }
        (facts, count)
    }

    /// Draws when the command of an operation had the channel.
    fn transfer(&mut self, operation: &LoggedOperation, track: u64) {
        let LoggedOperation { begin_ns, end_ns, in_ns, out_ns, cause, .. } = *operation;
        let name = self.transfers[cause as usize];
        let head = Head { track, name, flows: [None; 2], facts: &[] };
        for (begin_ns, end_ns) in [(begin_ns, begin_ns + in_ns), (end_ns - out_ns, end_ns)] {
            if end_ns > begin_ns {
                self.ordered.slice(begin_ns, end_ns, &head);
            }
        }
    }

    /// Writes what is before `until_ns`, all of which is known.
    pub fn settle<W: Write>(&mut self, until_ns: u64, packets: &mut Packets<W>) -> Result<()> {
        self.ordered.settle(until_ns, packets)
    }
}
