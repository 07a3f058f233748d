use super::*;
use crate::base::rng::RngStream;

const PAGES: u32 = 12;
const PAGE_SECTORS: u32 = 16;

fn draw(rng: &mut RngStream) -> Request {
    let op = [HostOp::Write, HostOp::Write, HostOp::Write, HostOp::Read, HostOp::Trim, HostOp::Flush]
        [rng.below(6) as usize];
    let end = PAGES * PAGE_SECTORS;
    let sectors = if op == HostOp::Flush { 0 } else { 1 + rng.below(4 * PAGE_SECTORS) };
    let sector = rng.below(end - sectors.min(end - 1));
    Request {
        at_ns: 0,
        sector: u64::from(sector),
        sectors: sectors.min(end - sector),
        stream: 0,
        hint: 0,
        op,
    }
}

/// The logical pages that a request writes, or trims wholly.
fn pages(request: &Request, writes: bool) -> Vec<u32> {
    let (start, end) = (request.sector as u32, request.end_sector() as u32);
    let touched = |page: &u32| start < (page + 1) * PAGE_SECTORS && page * PAGE_SECTORS < end;
    let covered = |page: &u32| start <= page * PAGE_SECTORS && (page + 1) * PAGE_SECTORS <= end;
    match request.op {
        HostOp::Write if writes => (0..PAGES).filter(touched).collect(),
        HostOp::Trim if !writes => (0..PAGES).filter(covered).collect(),
        _ => Vec::new(),
    }
}

/// Every step of the requests: its page and whether it is a trim. The plain way.
fn steps(requests: &[Request]) -> Vec<(u32, bool)> {
    let mut steps: Vec<(u32, bool)> = Vec::new();
    for request in requests {
        steps.extend(pages(request, true).into_iter().map(|page| (page, false)));
        for page in pages(request, false) {
            let last = steps.iter().rev().find(|(of, _)| *of == page);
            if matches!(last, Some((_, false))) {
                steps.push((page, true));
            }
        }
    }
    steps
}

/// The step, from 1, of the first of `steps[from..]` that is of `page`.
fn next(steps: &[(u32, bool)], from: usize, page: u32) -> u32 {
    let found = steps[from..].iter().position(|(of, _)| *of == page);
    found.map_or(NEVER, |at| (from + at + 1) as u32)
}

#[test]
fn every_death_is_the_next_step_of_its_page() {
    let (mut deaths, mut trims) = (0, 0);
    for seed in 0..2_000 {
        let mut rng = RngStream::new(seed, "oracle");
        let requests: Vec<Request> = (0..1 + rng.below(30)).map(|_| draw(&mut rng)).collect();
        let steps = steps(&requests);
        let mut foresight = Foresight::new(PAGES, PAGE_SECTORS * 512);
        requests.iter().for_each(|request| foresight.add(request));
        assert_eq!(foresight.steps(), steps.len());
        let mut oracle = foresight.finish();
        for page in 0..PAGES {
            assert_eq!((oracle.death(page), oracle.written_at(page)), (next(&steps, 0, page), 0));
        }
        for (at, &(page, is_trim)) in steps.iter().enumerate() {
            if is_trim {
                continue;
            }
            oracle.advance(page);
            let step = at as u32 + 1;
            assert_eq!((oracle.now(), oracle.written_at(page)), (step, step), "seed {seed}");
            let death = next(&steps, at + 1, page);
            let by_trim = death != NEVER && steps[death as usize - 1].1;
            assert_eq!((oracle.death(page), oracle.step_after(step)), (death, (death, by_trim)));
            (deaths, trims) = (deaths + u32::from(death != NEVER), trims + u32::from(by_trim));
        }
        assert_eq!(oracle.unforeseen(), 0);
    }
    assert!(deaths > 10_000 && trims > 1_000, "{deaths} {trims}");
}

fn written(order: &[u64]) -> Oracle {
    let mut foresight = Foresight::new(PAGES, PAGE_SECTORS * 512);
    for &page in order {
        let sector = page * u64::from(PAGE_SECTORS);
        foresight.add(&Request {
            at_ns: 0,
            sector,
            sectors: PAGE_SECTORS,
            stream: 0,
            hint: 0,
            op: HostOp::Write,
        });
    }
    foresight.finish()
}

#[test]
fn a_write_that_overtakes_others_finds_its_own_page() {
    let mut oracle = written(&[3, 5, 3, 5, 3]);
    [5, 3, 5, 3].into_iter().for_each(|page| oracle.advance(page));
    assert_eq!((oracle.death(3), oracle.death(5), oracle.now()), (5, NEVER, 4));
}

#[test]
fn a_write_that_nobody_foresaw_is_counted() {
    let mut oracle = written(&[3]);
    [3, 3, 4].into_iter().for_each(|page| oracle.advance(page));
    assert_eq!((oracle.unforeseen(), oracle.death(3), oracle.written_at(3)), (2, NEVER, 0));
}
