//! What a trace will do: when what is written to each logical page dies.
//!
//! A *step* is a write to a logical page, or a trim that covers all of a page that was written. Steps are
//! numbered from 1 on in the trace's order; what a step writes dies with the page's next step. The chain
//! is one of a page's own steps, so that requests that overtake each other lose nothing but punctuality.

use crate::base::request::{HostOp, Request, SECTOR_BYTES};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A step that never comes.
pub const NEVER: u32 = u32::MAX;
/// Beside a step's number: it is a trim.
const TRIM: u32 = 1 << 31;
/// Beside a step's number: it is a page's first, and yet to come.
const FIRST: u32 = 1 << 31;

/// The first pass over a trace, from which an [`Oracle`] is made.
#[derive(Clone, Debug)]
pub struct Foresight {
    page_sectors: u64,
    /// Of each step the page's next one. Step 0 is none.
    next: Vec<u32>,
    /// Of each page its first step and its last.
    first: Vec<u32>,
    last: Vec<u32>,
}

impl Foresight {
    pub const STEPS_MAX: usize = (1 << 31) - 2;

    /// Of a trace for a device of so many logical pages.
    pub fn new(pages: u32, page_bytes: u32) -> Self {
        let none = vec![0; pages as usize];
        let page_sectors = u64::from(page_bytes) / SECTOR_BYTES;
        Self { page_sectors, next: vec![NEVER], first: none.clone(), last: none }
    }

    /// Bytes that the device's logical pages take, whatever the trace does.
    pub fn page_bytes(pages: u64) -> u64 {
        pages * 2 * size_of::<u32>() as u64
    }

    pub fn steps(&self) -> usize {
        self.next.len() - 1
    }

    /// Adds the next request, which lies on the device.
    pub fn add(&mut self, request: &Request) {
        let (start, end) = (request.sector, request.end_sector());
        let sectors = self.page_sectors;
        match request.op {
            HostOp::Write => {
                (start / sectors..end.div_ceil(sectors)).for_each(|page| self.step(page as usize, 0));
            }
            HostOp::Trim => {
                (start.div_ceil(sectors)..end / sectors).for_each(|page| self.trim(page as usize));
            }
            HostOp::Read | HostOp::Flush => {}
        }
    }

    fn trim(&mut self, page: usize) {
        let last = self.last[page];
        if last != 0 && last & TRIM == 0 {
            self.step(page, TRIM);
        }
    }

    fn step(&mut self, page: usize, kind: u32) {
        let step = self.next.len() as u32;
        self.next.push(NEVER);
        match std::mem::replace(&mut self.last[page], step | kind) {
            0 => self.first[page] = step,
            last => self.next[(last & !TRIM) as usize] = step | kind,
        }
    }

    pub fn finish(self) -> Oracle {
        let at = self.first.into_iter().map(|step| if step == 0 { 0 } else { step | FIRST }).collect();
        Oracle { next: Arc::new(self.next), at, now: 0, unforeseen: 0 }
    }
}

/// When what lies in each logical page dies, in the steps of a trace that is being replayed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Oracle {
    next: Arc<Vec<u32>>,
    /// The step that wrote what each page holds, or with `FIRST` the first that will. 0: none.
    at: Vec<u32>,
    now: u32,
    #[serde(skip)]
    unforeseen: u64,
}

impl Oracle {
    /// The trace writes logical page `page`.
    #[inline]
    pub fn advance(&mut self, page: u32) {
        let at = &mut self.at[page as usize];
        let mut step = if *at & FIRST != 0 { *at & !FIRST } else { self.next[*at as usize] };
        if step != NEVER && step & TRIM != 0 {
            step = self.next[(step & !TRIM) as usize];
        }
        if step == NEVER {
            (*at, self.unforeseen) = (0, self.unforeseen + 1);
        } else {
            (*at, self.now) = (step, self.now.max(step));
        }
    }

    /// The last step taken.
    pub fn now(&self) -> u32 {
        self.now
    }

    /// The step that wrote what `page` holds; 0 where that is from before, or was not foreseen.
    #[inline]
    pub fn written_at(&self, page: u32) -> u32 {
        let at = self.at[page as usize];
        if at & FIRST != 0 {
            0
        } else {
            at
        }
    }

    /// The step at which what `page` holds dies, or `NEVER`.
    #[inline]
    pub fn death(&self, page: u32) -> u32 {
        let at = self.at[page as usize];
        match at & FIRST {
            0 => self.step_after(at).0,
            _ => at & !FIRST,
        }
    }

    /// Writes that the first pass did not see.
    pub fn unforeseen(&self) -> u64 {
        self.unforeseen
    }

    /// Steps, numbered from 1.
    pub fn steps(&self) -> u32 {
        self.next.len() as u32 - 1
    }

    /// The step that ends what `step` wrote, or `NEVER`, and whether it is a trim.
    #[inline]
    pub fn step_after(&self, step: u32) -> (u32, bool) {
        match self.next[step as usize] {
            NEVER => (NEVER, false),
            next => (next & !TRIM, next & TRIM != 0),
        }
    }

    pub fn bytes(&self) -> u64 {
        ((self.next.len() + self.at.len()) * size_of::<u32>()) as u64
    }
}

/// What a separated store is told of the data, beside where they lie: kept only where a store asks for it.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct DataHints {
    /// When they die, since the trace began.
    pub oracle: Option<Oracle>,
    /// The hint of each logical page's last write.
    pub hints: Vec<u8>,
}

impl DataHints {
    /// The trace writes mapping units `first` to `last`, so many to a logical page, with `hint`.
    #[cold]
    pub fn write(&mut self, first: u32, last: u32, mus_per_page: u32, hint: u8) {
        for page in first / mus_per_page..=last / mus_per_page {
            if let Some(oracle) = &mut self.oracle {
                oracle.advance(page);
            }
            if let Some(kept) = self.hints.get_mut(page as usize) {
                *kept = hint;
            }
        }
    }
}

#[cfg(test)]
mod tests;
