//! What a twin keeps of its source, counted in both by plain lists.

use super::*;
use std::collections::BTreeMap;

const PAUSE_NS: u64 = 1_000_000;
/// Blocks of the source below, and requests of each at least.
const BLOCKS: u64 = 60;
const BLOCK_REQUESTS: u64 = 64;

/// Bursts of 64 and more: fresh data in two far places, rewrites of what is hot, runs, reads.
fn source(shift: u64, swap: bool) -> Vec<Request> {
    let mut random = RngStream::new(7, "source");
    let (mut requests, mut at_ns) = (Vec::new(), 0);
    let mut written: Vec<(u64, u32)> = Vec::new();
    let areas = if swap { [1 << 30, 0] } else { [0, 1 << 30] };
    let mut ends = areas;
    for block in 0..BLOCKS {
        at_ns += PAUSE_NS * (2 + block % 5);
        for place in 0..BLOCK_REQUESTS + u64::from(random.below(20)) {
            at_ns += u64::from(random.below(5_000));
            let kind = random.below(10);
            let op = if kind < 3 { HostOp::Read } else { HostOp::Write };
            let (sector, sectors) = match kind {
                // Hot data, more often the newest of them.
                0..=6 if written.len() > 9 => {
                    let upto = random.below(written.len() as u32);
                    let back = random.below(1 + upto);
                    written[written.len() - 1 - back as usize]
                }
                _ => {
                    let end = &mut ends[usize::from(place % 3 == 0)];
                    let sectors = 8 << random.below(4);
                    *end += u64::from(sectors) + 8 * u64::from(random.below(2) * 40);
                    (*end - u64::from(sectors), sectors)
                }
            };
            written.push((sector, sectors));
            requests.push(Request { at_ns, sector: sector + shift, sectors, stream: 0, hint: 0, op });
        }
    }
    requests
}

fn drawing(seed: u64) -> Blocks {
    let (pause_ns, block_requests) = (PAUSE_NS, BLOCK_REQUESTS);
    Blocks { seed, stages: 1, pause_ns, block_requests, ..Blocks::default() }
}

fn drawn(requests: &[Request], blocks: Blocks) -> Result<Twin, TraceError> {
    let mut source = Source::new(blocks);
    requests.iter().for_each(|request| source.add(request, 0).unwrap());
    source.draw(true)
}

fn twin_of(requests: &[Request], blocks: Blocks) -> Vec<Request> {
    let mut twin = drawn(requests, blocks).unwrap();
    std::iter::from_fn(|| twin.next().unwrap()).collect()
}

/// Gap, operation and size of each request, by block; the gap before a block is the block's own.
fn blocks(requests: &[Request]) -> Vec<Vec<(u64, HostOp, u32)>> {
    let mut blocks: Vec<Vec<(u64, HostOp, u32)>> = Vec::new();
    let mut last_ns = None;
    for request in requests {
        let gap_ns = last_ns.map_or(u64::MAX, |last_ns| request.at_ns - last_ns);
        last_ns = Some(request.at_ns);
        if gap_ns > PAUSE_NS {
            blocks.push(Vec::new());
        }
        let inner_ns = if gap_ns > PAUSE_NS { 0 } else { gap_ns };
        blocks.last_mut().unwrap().push((inner_ns, request.op, request.sectors));
    }
    blocks
}

/// How many requests of an operation go where: distances in classes of doubling length; -1 is fresh,
/// -2 is behind the request before.
fn distances(requests: &[Request]) -> BTreeMap<(HostOp, i32), f64> {
    let mut newest: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    let (mut counts, mut last_end) = (BTreeMap::new(), None);
    for request in requests {
        let list = newest.entry(request.sectors).or_default();
        let known = list.iter().rev().position(|&sector| sector == request.sector);
        let class = match known {
            _ if last_end == Some(request.sector) => -2,
            Some(distance) => (usize::BITS - distance.leading_zeros()) as i32,
            None => -1,
        };
        if let Some(distance) = known {
            list.remove(list.len() - 1 - distance);
        }
        list.push(request.sector);
        last_end = Some(request.end_sector());
        *counts.entry((request.op, class)).or_insert(0.0) += 1.0;
    }
    counts
}

#[test]
fn blocks_appear_as_they_were() {
    let requests = source(0, false);
    let (mut before, mut after) = (blocks(&requests), blocks(&twin_of(&requests, drawing(1))));
    assert_eq!(before.len(), BLOCKS as usize);
    assert_ne!(before, after);
    before.sort();
    after.sort();
    assert_eq!(before, after);
}

#[test]
fn time_is_as_long_as_it_was() {
    let requests = source(0, false);
    let twin = twin_of(&requests, drawing(2));
    assert_eq!(twin[0].at_ns, 0);
    assert_eq!(twin.last().unwrap().at_ns, requests.last().unwrap().at_ns - requests[0].at_ns);
}

#[test]
fn distances_are_those_of_the_source() {
    let requests = source(0, false);
    let before = distances(&requests);
    for places in [Places::Kept, Places::Drawn] {
        for seed in 0..3 {
            let after = distances(&twin_of(&requests, Blocks { places, ..drawing(seed) }));
            for (class, count) in &before {
                let found = after.get(class).copied().unwrap_or(0.0);
                // Four deviations of a count, and what has to wait until there is enough data.
                let allowed = 4.0 * count.sqrt() + 0.02 * requests.len() as f64;
                assert!((found - count).abs() <= allowed, "{places:?} {class:?}: {found}, {count} before");
            }
        }
    }
}

#[test]
fn fresh_data_and_runs_are_as_many() {
    let requests = source(0, false);
    let touched = |requests: &[Request]| {
        let mut pages = crate::page_set::PageSet::default();
        for request in requests {
            pages.insert(request.sector / 8, request.end_sector().div_ceil(8));
        }
        pages.into_ranked().len() as f64
    };
    let sequential = |requests: &[Request]| {
        requests.windows(2).filter(|pair| pair[0].end_sector() == pair[1].sector).count() as f64
    };
    let twin = twin_of(&requests, drawing(4));
    assert!((touched(&twin) / touched(&requests) - 1.0).abs() < 0.02);
    let (found, before) = (sequential(&twin), sequential(&requests));
    assert!((found - before).abs() < 4.0 * before.sqrt(), "{found}, {before} before");
}

#[test]
fn nothing_is_left_of_addresses() {
    let twin = twin_of(&source(0, false), drawing(5));
    // Elsewhere, and with its two areas in each other's place, a source has the same twin.
    assert_eq!(twin, twin_of(&source(1 << 40, false), drawing(5)));
    assert_eq!(twin, twin_of(&source(0, true), drawing(5)));
}

/// Reads and writes of any size that overlap each other, in places far apart.
fn overlapping(seed: u64) -> Vec<Request> {
    let mut random = RngStream::new(seed, "overlapping");
    let request = |place: u64| {
        let op = [HostOp::Read, HostOp::Write][random.below(2) as usize];
        let sector = u64::from(random.below(9)) * 1_000_003 + u64::from(random.below(300));
        Request {
            at_ns: 2 * PAUSE_NS * place,
            sector,
            sectors: 1 + random.below(200),
            stream: 0,
            hint: 0,
            op,
        }
    };
    (0..3_000).map(request).collect()
}

#[test]
fn a_stage_for_each_block_and_regions_in_order_give_the_source_without_its_holes() {
    for seed in 0..5 {
        let requests = overlapping(seed);
        let used: std::collections::BTreeSet<u64> =
            requests.iter().flat_map(|request| request.sector..request.end_sector()).collect();
        // By sector: where it goes. A hole of 64 KiB or more is left out, up to a flash page's begin.
        let (mut goes, mut next, mut last) = (BTreeMap::new(), 0, None);
        for sector in used {
            next = match last {
                Some(last) if sector - last <= 128 => next + sector - last,
                None => sector % 32,
                Some(_) => next + (32 - next % 32) + sector % 32,
            };
            goes.insert(sector, next);
            last = Some(sector);
        }
        let whole = Blocks { stages: u64::MAX, regions: Regions::Kept, ..drawing(seed) };
        let expected = requests.iter().map(|request| Request { sector: goes[&request.sector], ..*request });
        assert!(twin_of(&requests, whole).into_iter().eq(expected));
    }
}

#[test]
fn the_seed_decides_and_nothing_else() {
    let requests = source(0, false);
    for places in [Places::Kept, Places::Drawn] {
        for regions in [Regions::Kept, Regions::Shuffled] {
            let of = |seed| twin_of(&requests, Blocks { places, regions, ..drawing(seed) });
            assert_eq!(of(9), of(9));
            assert_ne!(of(9), of(10));
        }
    }
}

#[test]
fn any_length_and_any_footprint() {
    let requests = source(0, false);
    for count in [1, 100, 5 * requests.len() as u64] {
        let bounded = Blocks { requests: Some(count), footprint_bytes: Some(20_000 * 512), ..drawing(6) };
        let twin = twin_of(&requests, bounded);
        assert_eq!(twin.len() as u64, count);
        assert!(twin.iter().all(|request| request.end_sector() <= 20_000));
        assert!(twin.windows(2).all(|pair| pair[0].at_ns <= pair[1].at_ns));
    }
    let small = Blocks { footprint_bytes: Some(63 * 512), ..drawing(6) };
    let refused = drawn(&requests, small).unwrap_err().to_string();
    assert!(refused.contains("footprint_bytes = 32256") && refused.contains("32768 bytes"), "{refused}");
}

#[test]
fn trims_that_come_too_early_are_not_made_up_for() {
    let request = |at_ns, sector, op| Request { at_ns, sector, sectors: 8, stream: 0, hint: 0, op };
    let mut source = Source::new(Blocks { pause_ns: 10, block_requests: 1, ..drawing(0) });
    for place in 0..20 {
        source.add(&request(100 * place, 1_000 * place, HostOp::Write), 0).unwrap();
    }
    source.add(&Request { sectors: 30_000, ..request(10_000, 0, HostOp::Trim) }, 0).unwrap();
    let mut twin = source.draw(true).unwrap();
    let made = std::iter::from_fn(|| twin.next().unwrap()).collect::<Vec<Request>>();
    assert_eq!(made.iter().filter(|request| request.op == HostOp::Write).count(), 20);
    assert_eq!(made.len() as u64 + twin.idle_trims(), 40);
    assert!(twin.idle_trims() > 0);
}

#[test]
fn a_trim_goes_where_its_data_are() {
    let request = |at_ns, sector, sectors, op| Request { at_ns, sector, sectors, stream: 0, hint: 0, op };
    let mut source = Source::new(Blocks { pause_ns: 10, block_requests: 1, ..drawing(1) });
    let mut at_ns = 0;
    for block in 0..20 {
        at_ns += 100;
        // Three writes far from all others, two of them side by side; a trim over all, one over nothing.
        let ops = [HostOp::Write, HostOp::Write, HostOp::Write, HostOp::Trim, HostOp::Trim];
        for (place, op) in ops.into_iter().enumerate() {
            let sector = block * 100_000 + [8, 16, 72, 0, 50_000][place];
            let sectors = [8, 16, 8, 1_000, 1_000][place];
            source.add(&request(at_ns + place as u64, sector, sectors, op), 0).unwrap();
        }
        source.add(&request(at_ns + 5, 0, 0, HostOp::Flush), 0).unwrap();
    }
    let mut twin = source.draw(true).unwrap();
    let made: Vec<Request> = std::iter::from_fn(|| twin.next().unwrap()).collect();
    assert_eq!((made.len(), twin.idle_trims()), (120, 20));
    for block in made.chunks(6) {
        let [first, second, third, one, other, flush] = block else { panic!("{block:?}") };
        assert_eq!((one.sector, one.sectors, one.op), (first.sector, 8 + 16, HostOp::Trim));
        assert_eq!((other.sector, other.sectors, other.op), (first.sector + 64, 8, HostOp::Trim));
        assert_eq!([second.sector, third.sector], [first.sector + 8, first.sector + 64]);
        assert_eq!((flush.op, flush.sectors), (HostOp::Flush, 0));
    }
}

#[test]
fn every_choice_has_the_name_that_the_verb_gives_it() {
    for (places, regions) in [("kept", "shuffled"), ("drawn", "kept")] {
        let blocks = Blocks::new(serde_json::json!({ "places": places, "regions": regions })).unwrap();
        let told = blocks.step_text();
        assert!(told.contains(&format!("\"places\":\"{places}\",\"regions\":\"{regions}\"")), "{told}");
    }
}
