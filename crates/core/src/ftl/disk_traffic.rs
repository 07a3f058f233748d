//! What is on its way from the disk or to it, by logical page.

use crate::base::slab::Slab;
use crate::hw::timing::{OpId, RequestId};
use std::collections::BTreeMap;

/// An operation of the disk in flight.
#[derive(Clone, Copy, Debug, Default)]
struct DiskJob {
    page: u32,
    /// Mapping units it brings or takes; those that the host has meanwhile overwritten left.
    mask: u32,
    write: bool,
    op: OpId,
    /// By which the operation is told from a later one of its number.
    serial: u64,
    /// The next one of the same page (0 = none).
    next: u32,
    /// The last of the requests that wait for it (0 = none).
    waits: u32,
}

/// A request that waits for what another one fetches.
#[derive(Clone, Copy, Debug)]
struct Wait {
    request: RequestId,
    /// The one before it for the same operation (0 = none).
    before: u32,
}

/// Operations of the disk in flight, and the requests that wait for some of them.
#[derive(Clone)]
pub struct DiskTraffic {
    jobs: Slab<DiskJob>,
    /// The first job of each page that has any.
    by_page: BTreeMap<u32, u32>,
    waits: Slab<Wait>,
}

impl Default for DiskTraffic {
    fn default() -> Self {
        Self {
            jobs: Slab::new(DiskJob::default()),
            by_page: BTreeMap::new(),
            waits: Slab::new(Wait { request: RequestId::NONE, before: 0 }),
        }
    }
}

impl DiskTraffic {
    /// Adds an operation; returns its token, with which it is told the number timing gave it.
    pub(super) fn begin(&mut self, page: u32, mask: u32, write: bool) -> u32 {
        let next = self.by_page.get(&page).copied().unwrap_or(0);
        let token = self.jobs.insert(DiskJob { page, mask, write, next, ..DiskJob::default() });
        self.by_page.insert(page, token);
        token
    }

    /// Tells the number that timing gave the operation of `token`.
    pub(super) fn set_op(&mut self, token: u32, op: OpId, serial: u64) {
        let job = &mut self.jobs[token as usize];
        (job.op, job.serial) = (op, serial);
    }

    fn of_page(&self, page: u32) -> impl Iterator<Item = (u32, &DiskJob)> {
        let mut next = self.by_page.get(&page).copied().unwrap_or(0);
        std::iter::from_fn(move || {
            let token = next;
            let job = (token != 0).then(|| &self.jobs[token as usize])?;
            next = job.next;
            Some((token, job))
        })
    }

    /// Mapping units of `page` that are on their way from the disk.
    #[inline]
    pub fn fetching(&self, page: u32) -> u32 {
        if self.by_page.is_empty() {
            return 0;
        }
        self.of_page(page).filter(|(_, job)| !job.write).fold(0, |mask, (_, job)| mask | job.mask)
    }

    /// Mapping units of `page` that are on their way to the disk.
    pub(super) fn writing(&self, page: u32) -> u32 {
        self.of_page(page).filter(|(_, job)| job.write).fold(0, |mask, (_, job)| mask | job.mask)
    }

    /// The operations, each with its serial, that a write of `mask` of `page`, or a read, has to follow.
    pub(super) fn before(&self, page: u32, mask: u32, write: bool) -> impl Iterator<Item = (OpId, u64)> + '_ {
        let conflicts = move |job: &&DiskJob| job.mask & mask != 0 && (job.write || write);
        self.of_page(page).map(|(_, job)| job).filter(conflicts).map(|job| (job.op, job.serial))
    }

    /// Makes `request` hear when units of `mask` have come; returns how many operations bring them.
    pub(super) fn wait(&mut self, page: u32, mask: u32, request: RequestId) -> u32 {
        let (mut count, mut token) = (0, self.by_page.get(&page).copied().unwrap_or(0));
        while token != 0 {
            let job = &mut self.jobs[token as usize];
            if !job.write && job.mask & mask != 0 {
                job.waits = self.waits.insert(Wait { request, before: job.waits });
                count += 1;
            }
            token = job.next;
        }
        count
    }

    /// The host overwrites units: what is on its way is not what a read of them returns.
    pub fn supersede(&mut self, page: u32, mask: u32) {
        let mut token = self.by_page.get(&page).copied().unwrap_or(0);
        while token != 0 {
            let job = &mut self.jobs[token as usize];
            if !job.write {
                job.mask &= !mask;
            }
            token = job.next;
        }
    }

    /// The operation of `token` is complete; the requests that waited for it follow, the first first.
    pub fn end(&mut self, token: u32) -> Vec<RequestId> {
        let DiskJob { page, next, mut waits, .. } = self.jobs[token as usize];
        self.jobs.remove(token);
        let first = self.by_page.get(&page).copied().unwrap_or(0);
        if first != token {
            let mut at = first;
            while self.jobs[at as usize].next != token {
                at = self.jobs[at as usize].next;
            }
            self.jobs[at as usize].next = next;
        } else if next == 0 {
            self.by_page.remove(&page);
        } else {
            self.by_page.insert(page, next);
        }
        let mut ended = Vec::new();
        while waits != 0 {
            let Wait { request, before } = self.waits[waits as usize];
            ended.push(request);
            self.waits.remove(waits);
            waits = before;
        }
        ended.reverse();
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_of_a_page_are_found_until_they_end_in_any_order() {
        let mut traffic = DiskTraffic::default();
        let tokens = [(7, 0b0011, false), (7, 0b0100, true), (9, 1, false), (7, 0b1000, false)]
            .map(|(page, mask, write)| traffic.begin(page, mask, write));
        assert_eq!((traffic.fetching(7), traffic.writing(7), traffic.fetching(9)), (0b1011, 0b0100, 1));
        let request = RequestId(5);
        assert_eq!(traffic.wait(7, 0b1010, request), 2);
        traffic.supersede(7, 0b0001);
        assert_eq!(traffic.fetching(7), 0b1010);
        assert_eq!(traffic.end(tokens[1]), []);
        assert_eq!(traffic.end(tokens[0]), [request]);
        assert_eq!((traffic.fetching(7), traffic.writing(7)), (0b1000, 0));
        assert_eq!(traffic.end(tokens[3]), [request]);
        assert_eq!((traffic.fetching(7), traffic.fetching(9)), (0, 1));
        traffic.end(tokens[2]);
        assert!(traffic.by_page.is_empty() && traffic.jobs.is_empty() && traffic.waits.is_empty());
    }

    #[test]
    fn requests_follow_in_the_order_in_which_they_came() {
        let mut traffic = DiskTraffic::default();
        let tokens = [traffic.begin(3, 0b01, false), traffic.begin(3, 0b10, false)];
        for (mask, request) in [(0b11, 8), (0b01, 5), (0b10, 9), (0b01, 2)] {
            traffic.wait(3, mask, RequestId(request));
        }
        assert_eq!(traffic.end(tokens[0]), [8, 5, 2].map(RequestId));
        assert_eq!(traffic.end(tokens[1]), [8, 9].map(RequestId));
    }
}
