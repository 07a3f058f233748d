//! Where the heads are and how long an operation takes: overhead, seek, rotation, transfer.
//!
//! The seek grows with the root of the distance, as the arm's does that speeds up half of the way
//! and brakes the other half (Ruemmler and Wilkes, "An introduction to disk drive modeling", IEEE
//! Computer 27(3), 1994): `track + (average - track) * 15/8 * sqrt(distance / capacity)`. The mean
//! root of the distance of two random places is 8/15, so that the mean seek is the data sheet's.

use super::config::{DiskConfig, Rotation};
use crate::base::Cause;

pub const SECTOR_BYTES: u64 = 512;

/// What an operation on the disk works on.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// First sector, of 512 bytes.
    pub sector: u64,
    /// Sectors, 1 or more.
    pub sectors: u32,
    pub write: bool,
    pub cause: Cause,
}

/// What an operation's time consists of; the parts follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// The disk's controller, ns.
    pub overhead_ns: u64,
    /// Moving the heads, ns.
    pub seek_ns: u64,
    /// Waiting for the first sector, ns.
    pub rotation_ns: u64,
    /// Reading or writing, ns.
    pub transfer_ns: u64,
}

impl Service {
    pub fn total_ns(&self) -> u64 {
        self.overhead_ns + self.seek_ns + self.rotation_ns + self.transfer_ns
    }
}

#[derive(Clone, Debug)]
pub struct Mechanics {
    rotation: Rotation,
    overhead_ns: u64,
    track_seek_ns: u64,
    average_seek_ns: u64,
    /// What the longest seek has beyond that to a neighbouring track, ns.
    stroke_ns: f64,
    mb_per_s: u64,
    turn_ns: u64,
    sectors: u64,
    track_sectors: u64,
    /// The sector after the last one passed; none once the heads have been parked.
    head: Option<u64>,
    /// How far the platters had turned at time 0, ns.
    turned_ns: u64,
}

impl Mechanics {
    /// The mechanics of a disk of so many bytes, its heads parked.
    pub fn new(config: &DiskConfig, capacity_bytes: u64) -> Self {
        let turn_ns = 60_000_000_000 / u64::from(config.rpm);
        let mb_per_s = u64::from(config.mb_per_s);
        Self {
            rotation: config.rotation,
            overhead_ns: config.overhead_ns,
            track_seek_ns: config.track_seek_ns,
            average_seek_ns: config.average_seek_ns,
            stroke_ns: (config.average_seek_ns - config.track_seek_ns) as f64 * 15.0 / 8.0,
            mb_per_s,
            turn_ns,
            sectors: capacity_bytes / SECTOR_BYTES,
            track_sectors: (turn_ns * mb_per_s / 1000 / SECTOR_BYTES).max(1),
            head: None,
            turned_ns: 0,
        }
    }

    /// Moves the heads away from the data.
    pub fn park(&mut self) {
        self.head = None;
    }

    /// The sector after the last one passed and the platters' angle, ns of a turn.
    pub fn place(&self, now_ns: u64) -> (Option<u64>, u64) {
        (self.head, self.angle_ns(now_ns))
    }

    /// Puts heads and platters where they were, at time 0; whether such a place exists.
    pub fn put(&mut self, (head, turned_ns): (Option<u64>, u64)) -> bool {
        (self.head, self.turned_ns) = (head, turned_ns);
        head.is_none_or(|sector| sector <= self.sectors) && turned_ns < self.turn_ns
    }

    /// Does an operation that begins now.
    pub fn serve(&mut self, now_ns: u64, order: &Order) -> Service {
        let end = order.sector + u64::from(order.sectors);
        debug_assert!(order.sectors > 0 && end <= self.sectors, "{order:?} of {} sectors", self.sectors);
        let mut service = Service {
            overhead_ns: self.overhead_ns,
            transfer_ns: (u64::from(order.sectors) * SECTOR_BYTES * 1000).div_ceil(self.mb_per_s),
            ..Service::default()
        };
        // What continues is under the heads or in the disk's own buffer.
        if self.head != Some(order.sector) {
            service.seek_ns = self.seek_ns(order.sector);
            let there_ns = now_ns + service.overhead_ns + service.seek_ns;
            service.rotation_ns = self.rotation_ns(there_ns, order.sector);
        }
        self.head = Some(end);
        service
    }

    /// From wherever the heads are parked, an average seek; none within a track.
    fn seek_ns(&self, sector: u64) -> u64 {
        let Some(head) = self.head else {
            return self.average_seek_ns;
        };
        if head / self.track_sectors == sector / self.track_sectors {
            return 0;
        }
        let share = head.abs_diff(sector) as f64 / self.sectors as f64;
        self.track_seek_ns + libm::round(self.stroke_ns * libm::sqrt(share)) as u64
    }

    fn rotation_ns(&self, there_ns: u64, sector: u64) -> u64 {
        match self.rotation {
            Rotation::Mean => self.turn_ns / 2,
            Rotation::Angle => {
                let place_ns = sector * (SECTOR_BYTES * 1000) / self.mb_per_s % self.turn_ns;
                (place_ns + self.turn_ns - self.angle_ns(there_ns)) % self.turn_ns
            }
        }
    }

    fn angle_ns(&self, now_ns: u64) -> u64 {
        (now_ns + self.turned_ns) % self.turn_ns
    }
}
