//! Regions: what lies together of a volume's addresses, and moves as a whole.

use super::record::{Place, Record};

/// Requests up to 64 KiB apart lie together.
const NEAR_SECTORS: u64 = 128;
/// A region is cut once it has 4 MiB, so that it says little about the volume.
const CUT_SECTORS: u64 = 8192;
/// Regions begin at multiples of 16 KiB, so that requests keep their places in flash pages.
const ALIGN_SECTORS: u64 = 32;

/// A request that goes where nothing was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fresh {
    /// Its volume.
    pub volume: u32,
    /// Its first sector.
    pub sector: u64,
    /// Its place among the records.
    pub record: u32,
}

/// Finds the regions, tells the records which they belong to, and returns their lengths in sectors.
pub(super) fn form(mut fresh: Vec<Fresh>, records: &mut [Record]) -> Vec<u64> {
    fresh.sort_unstable();
    let mut lengths: Vec<u64> = Vec::new();
    let (mut volume, mut begin, mut end) = (0, 0, 0);
    for Fresh { volume: of, sector, record } in fresh {
        let is_full = sector >= end && end - begin >= CUT_SECTORS;
        if lengths.is_empty() || of != volume || is_full || sector >= end + NEAR_SECTORS {
            (volume, begin, end) = (of, sector / ALIGN_SECTORS * ALIGN_SECTORS, 0);
            lengths.push(0);
        }
        let record = &mut records[record as usize];
        end = end.max(sector + u64::from(record.sectors));
        let region = lengths.len() - 1;
        lengths[region] = (end - begin).next_multiple_of(ALIGN_SECTORS);
        record.place = Place::Fresh { region: region as u32, offset: (sector - begin) as u32 };
    }
    lengths
}

/// The first sectors of regions, given out as they are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Bases {
    /// By region; those of an earlier round are void.
    given: Vec<Option<(u64, u64)>>,
    next: u64,
}

impl Bases {
    /// The first sector of a region in a round. Regions that would pass `end` begin at 0 again.
    pub(super) fn of(&mut self, region: u32, round: u64, lengths: &[u64], end: u64) -> u64 {
        self.given.resize(lengths.len(), None);
        match self.given[region as usize] {
            Some((base, of)) if of == round => base,
            _ => {
                let base = self.take(lengths[region as usize], end);
                self.given[region as usize] = Some((base, round));
                base
            }
        }
    }

    /// Room for so many sectors.
    pub(super) fn take(&mut self, sectors: u64, end: u64) -> u64 {
        if sectors > end.saturating_sub(self.next) {
            self.next = 0;
        }
        let base = self.next;
        self.next += sectors.next_multiple_of(ALIGN_SECTORS);
        base
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slcache_base::request::HostOp;

    #[test]
    fn what_is_near_lies_together() {
        let record = Record { gap_ns: 0, sectors: 8, stream: 0, op: HostOp::Write, place: Place::None };
        let mut records = vec![record; 5];
        let places = [(0, 1000), (0, 40), (0, 160), (1, 48), (0, 301)];
        let fresh =
            places.iter().zip(0..).map(|(&(volume, sector), record)| Fresh { volume, sector, record });
        let lengths = form(fresh.collect(), &mut records);
        let found: Vec<Place> = records.iter().map(|record| record.place).collect();
        let at = |region, offset| Place::Fresh { region, offset };
        assert_eq!(found, [at(2, 8), at(0, 8), at(0, 128), at(3, 16), at(1, 13)]);
        assert_eq!(lengths, [160, 32, 32, 32]);
    }

    #[test]
    fn a_long_run_is_cut_between_requests() {
        let record = Record { gap_ns: 0, sectors: 3000, stream: 0, op: HostOp::Write, place: Place::None };
        let mut records = vec![record; 7];
        let fresh = (0..7).map(|record| Fresh { volume: 0, sector: 3000 * u64::from(record), record });
        let lengths = form(fresh.collect(), &mut records);
        assert_eq!(lengths.len(), 3);
        assert_eq!(records[3].place, Place::Fresh { region: 1, offset: 8 });
    }

    #[test]
    fn every_round_has_places_of_its_own_until_there_are_no_more() {
        let (mut bases, lengths) = (Bases::default(), [64, 96]);
        let mut of = |region, round| bases.of(region, round, &lengths, 300);
        assert_eq!([of(1, 1), of(0, 1), of(1, 1), of(0, 2), of(1, 2), of(0, 2)], [0, 96, 0, 160, 0, 160]);
    }
}
