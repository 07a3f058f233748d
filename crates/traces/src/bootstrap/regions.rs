//! Regions: what lies together of a volume's addresses, and moves as a whole.

use super::blocks::{shuffle, BlockPlace, BlockRecord};
use slcache_base::rng::RngStream;

/// Requests up to 64 KiB apart lie together.
const NEAR_SECTORS: u64 = 128;
/// A region that changes its place is cut once it has 4 MiB, so that it says little about the volume.
const CUT_SECTORS: u64 = 8192;
/// Regions begin at multiples of 16 KiB, so that requests keep their places in flash pages.
const ALIGN_SECTORS: u64 = 32;

/// Sectors that a request was the first to use, or may have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fresh {
    pub volume: u32,
    /// The first of them.
    pub sector: u64,
    pub sectors: u32,
    /// The place of the request among the records, if they are where it begins.
    pub record: Option<u32>,
}

/// A region of a volume, in sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Region {
    volume: u32,
    length: u64,
    /// The first record in it.
    first: u32,
}

/// Finds the regions, gives each a place in its volume, tells the records where they go in it, and
/// returns the length of each volume in sectors. Regions are cut and get their places at random, or
/// they follow each other as in the source.
pub(super) fn form(
    mut fresh: Vec<Fresh>,
    records: &mut [BlockRecord],
    random: Option<&mut RngStream>,
) -> Vec<u64> {
    fresh.sort_unstable();
    let most = if random.is_some() { CUT_SECTORS } else { u64::MAX };
    let mut regions: Vec<Region> = Vec::new();
    let (mut volume, mut begin, mut end) = (0, 0, 0);
    // By record: its region, and how far inside it is.
    let mut inside = Vec::new();
    for Fresh { volume: of, sector, sectors, record } in fresh {
        let is_full = sector >= end && end - begin >= most;
        if regions.is_empty() || of != volume || is_full || sector >= end + NEAR_SECTORS {
            (volume, begin, end) = (of, sector / ALIGN_SECTORS * ALIGN_SECTORS, 0);
            regions.push(Region { volume, length: 0, first: u32::MAX });
        }
        end = end.max(sector + u64::from(sectors));
        let number = regions.len() - 1;
        regions[number].length = (end - begin).next_multiple_of(ALIGN_SECTORS);
        regions[number].first = regions[number].first.min(record.unwrap_or(u32::MAX));
        inside.extend(record.map(|record| (record, number, sector - begin)));
    }
    let (begins, lengths) = lay(&regions, random);
    for (record, region, offset) in inside {
        records[record as usize].place = BlockPlace::Fresh { sector: begins[region] + offset };
    }
    lengths
}

/// Lays the regions of each volume side by side: their first sectors, and the volumes' lengths.
fn lay(regions: &[Region], random: Option<&mut RngStream>) -> (Vec<u64>, Vec<u64>) {
    let mut order: Vec<usize> = (0..regions.len()).collect();
    if let Some(random) = random {
        // So the order in the source has no say.
        order.sort_by_key(|&number| regions[number].first);
        shuffle(&mut order, random);
    }
    let volumes = regions.last().map_or(0, |region| region.volume as usize + 1);
    let (mut begins, mut lengths) = (vec![0; regions.len()], vec![0; volumes]);
    for number in order {
        let Region { volume, length, .. } = regions[number];
        begins[number] = lengths[volume as usize];
        lengths[volume as usize] += length;
    }
    (begins, lengths)
}

/// Sectors of a volume that nothing was placed on, round by round.
#[derive(Clone, Debug, Default)]
pub(super) struct Bases {
    /// The round, and where its regions begin.
    round: (u64, u64),
    next: u64,
}

impl Bases {
    /// Where so many sectors go that are `sector` in their round, of a volume of `length`. What would
    /// pass `end` begins at 0 again.
    pub(super) fn of(&mut self, sector: u64, sectors: u64, round: u64, length: u64, end: u64) -> u64 {
        if self.round.0 != round {
            self.round = (round, self.next);
            self.next = wrapped(self.next + length, 0, end);
        }
        wrapped(self.round.1 + sector, sectors, end)
    }

    /// Room for so many sectors.
    pub(super) fn take(&mut self, sectors: u64, end: u64) -> u64 {
        let base = wrapped(self.next, sectors, end);
        self.next = base + sectors.next_multiple_of(ALIGN_SECTORS);
        base
    }
}

/// A first sector of so many that all lie below `end`, at the same place in its flash page if it can.
fn wrapped(sector: u64, sectors: u64, end: u64) -> u64 {
    let turn = (end / ALIGN_SECTORS * ALIGN_SECTORS).max(1);
    let sector = if sector < end { sector } else { sector % turn };
    sector.min(end - sectors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use slcache_base::request::HostOp;

    const RECORD: BlockRecord =
        BlockRecord { gap_ns: 0, sectors: 8, stream: 0, hint: 0, op: HostOp::Write, place: BlockPlace::None };

    /// Where the records of first sectors go, and the volumes' lengths.
    fn formed(places: &[(u32, u64, u32)], random: Option<&mut RngStream>) -> (Vec<u64>, Vec<u64>) {
        let mut records = vec![RECORD; places.len()];
        let fresh = places.iter().zip(0..).map(|(&(volume, sector, sectors), record)| Fresh {
            volume,
            sector,
            sectors,
            record: Some(record),
        });
        let lengths = form(fresh.collect(), &mut records, random);
        let begin = |record: &BlockRecord| match record.place {
            BlockPlace::Fresh { sector } => sector,
            place => panic!("{place:?}"),
        };
        (records.iter().map(begin).collect(), lengths)
    }

    #[test]
    fn what_is_near_lies_together() {
        let places = [(0, 1000, 8), (0, 40, 8), (0, 160, 8), (1, 48, 8), (0, 301, 8)];
        assert_eq!(formed(&places, None), (vec![200, 8, 128, 16, 173], vec![224, 32]));
    }

    #[test]
    fn regions_that_change_places_are_cut_between_requests() {
        let places: Vec<(u32, u64, u32)> = (0..7).map(|place| (0, 3000 * place, 3000)).collect();
        let whole = formed(&places, None);
        assert_eq!(whole, ((0..7).map(|place| 3000 * place).collect(), vec![21_024]));
        let lengths = [9024, 9024, 3040];
        let mut found = std::collections::BTreeSet::new();
        for seed in 0..40 {
            let (sectors, length) = formed(&places, Some(&mut RngStream::new(seed, "regions")));
            assert_eq!(length, [lengths.iter().sum::<u64>()]);
            // Requests of a region stay together, the second one 8 sectors behind a flash page.
            assert_eq!([sectors[1] - sectors[0], sectors[5] - sectors[3]], [3000, 6000]);
            assert_eq!([sectors[0] % 32, sectors[3] % 32, sectors[6] % 32], [0, 8, 16]);
            found.insert([sectors[0], sectors[3], sectors[6]]);
        }
        assert_eq!(found.len(), 6);
    }

    #[test]
    fn every_round_has_places_of_its_own_until_there_are_no_more() {
        let mut bases = Bases::default();
        let mut of = |sector, round| bases.of(sector, 8, round, 160, 400);
        assert_eq!(
            [of(96, 1), of(0, 1), of(0, 2), of(152, 2), of(0, 3), of(88, 3)],
            [96, 0, 160, 312, 320, 24]
        );
        assert_eq!(of(76, 3), 392);
        assert_eq!([bases.take(8, 400), bases.take(8, 400), bases.take(400, 400)], [96, 128, 0]);
    }
}
