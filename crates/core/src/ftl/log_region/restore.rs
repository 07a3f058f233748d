//! The circle of a log out of a snapshot: it follows from which blocks are free, and in which order.

use super::LogRegion;
use crate::base::{BlockId, PlaneId};
use crate::ftl::io::Io;
use crate::ftl::region::Writer;

impl LogRegion {
    /// Finds tail and frontier of a region just loaded, or says why its blocks are no circle.
    pub(super) fn find_circle(&mut self, io: &Io) -> Result<(), String> {
        let planes = self.region.planes();
        self.used = planes.iter().map(|&plane| self.region.used_blocks(plane)).max().unwrap_or(0);
        for (nth, &plane) in planes.iter().enumerate() {
            let told = |what: String| format!("log {}, plane {}: {what}", self.region.id(), plane.0);
            let tail = self.tail_of(plane, io).map_err(told)?;
            if nth > 0 && tail != self.tail {
                return Err(told(format!("row {tail} is the oldest, elsewhere row {}", self.tail)));
            }
            self.tail = tail;
        }
        match self.used + self.spans.reserve > self.spans.rows {
            true => Err(format!("log {}: {} rows are written", self.region.id(), self.used)),
            false => Ok(()),
        }
    }

    /// Place of the oldest row, as the blocks of `plane` tell it.
    fn tail_of(&self, plane: PlaneId, io: &Io) -> Result<u32, String> {
        let rows = self.spans.rows;
        let first = io.geometry().block(plane, self.region.spec.first_block).0;
        let free = self.region.free_order(plane, io)?;
        let next = free.first().ok_or("no block is free")?.0 - first;
        // Row by row from the next to be opened on: the free ones, then those written, oldest first.
        let block = |row: u32| BlockId(first + (next + row) % rows);
        if let Some(row) = (0..free.len()).find(|&row| free[row] != block(row as u32)) {
            return Err(format!("block {} is free out of turn", free[row].0));
        }
        let written = free.len() as u32..rows;
        let opened = |row: u32| io.array().block(block(row)).opened;
        if let Some(row) = written.clone().skip(1).find(|&row| opened(row - 1) > opened(row)) {
            return Err(format!("block {} was opened out of turn", block(row).0));
        }
        let open = self.region.open_block(plane, Writer::Host);
        let in_row = !self.is_unopened(plane) && open == Some(block(rows - 1));
        if open.is_some() && !in_row || written.len() as u32 + 1 < self.used {
            return Err(format!("{} of {} rows are written, {open:?} is open", written.len(), self.used));
        }
        Ok((next + written.start) % rows)
    }
}
