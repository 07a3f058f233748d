//! Is what the meter says the most that can be kept?

use super::{KeptVersions, Meters};
use crate::rng::RngStream;
use std::collections::BTreeMap;

type Requests = Vec<(Vec<u32>, bool)>;

/// Birth and death of every version; what lives on dies at the end.
fn versions(requests: &Requests) -> Vec<(usize, usize)> {
    let (mut alive, mut all) = (BTreeMap::new(), Vec::new());
    for (now, (units, writes)) in requests.iter().enumerate() {
        for &unit in units {
            if let Some(version) = alive.remove(&unit) {
                let version: &mut (usize, usize) = &mut all[version as usize];
                version.1 = now;
            }
            if *writes {
                alive.insert(unit, all.len() as u32);
                all.push((now, requests.len()));
            }
        }
    }
    all
}

/// Most of `versions` that live at once: after a request, with its deaths and births.
fn overlap(versions: &[(usize, usize)]) -> usize {
    let at = |now: usize| versions.iter().filter(|v| v.0 <= now && now < v.1).count();
    versions.iter().map(|v| at(v.0)).max().unwrap_or(0)
}

/// The most of any subset of which at most `slots` live at once.
fn by_force(versions: &[(usize, usize)], slots: u32) -> u64 {
    let subset = |mask: u32| -> Vec<_> {
        (0..versions.len()).filter(|i| mask >> i & 1 == 1).map(|i| versions[i]).collect()
    };
    let fits = |mask: &u32| overlap(&subset(*mask)) <= slots as usize;
    (0..1u32 << versions.len()).filter(fits).map(|mask| u64::from(mask.count_ones())).max().unwrap_or(0)
}

/// The bound with the future known: at every birth, while too many live, the one that dies last is dropped.
fn by_sweep(versions: &[(usize, usize)], slots: u32) -> u64 {
    let (mut held, mut dropped): (Vec<(usize, usize)>, u64) = (Vec::new(), 0);
    for (i, &(birth, death)) in versions.iter().enumerate() {
        held.retain(|&(_, death)| death > birth);
        held.push((i, death));
        // Births of one request come together, so the order among them does not matter.
        while held.len() > slots as usize {
            let last = (0..held.len()).max_by_key(|&at| (held[at].1, held[at].0)).unwrap();
            held.remove(last);
            dropped += 1;
        }
    }
    versions.len() as u64 - dropped
}

fn all_kept(requests: &Requests, slots: &[u32]) -> Vec<KeptVersions> {
    let mut meters = Meters::new(slots);
    requests.iter().for_each(|(units, writes)| meters.request(units.iter().copied(), *writes));
    meters.finish()
}

fn kept(requests: &Requests, slots: u32) -> KeptVersions {
    all_kept(requests, &[slots])[0]
}

fn draw(rng: &mut RngStream, requests: usize, units: u32, longest: u32) -> Requests {
    let one = |rng: &mut RngStream| {
        let first = rng.below(units);
        let end = units.min(first + 1 + rng.below(longest));
        ((first..end).collect(), rng.below(6) > 0)
    };
    (0..requests).map(|_| one(rng)).collect()
}

fn died(versions: &[(usize, usize)], end: usize) -> Vec<(usize, usize)> {
    versions.iter().copied().filter(|version| version.1 < end).collect()
}

#[test]
fn as_many_versions_are_kept_as_any_choice_keeps() {
    let mut rng = RngStream::new(1, "bound");
    let mut case = 0;
    while case < 10_000 {
        let longest = 1 + rng.below(3);
        let requests = draw(&mut rng, 6, 4, longest);
        let all = versions(&requests);
        if all.len() > 10 {
            continue;
        }
        case += 1;
        let slots = rng.below(5);
        let found = kept(&requests, slots);
        assert_eq!(found.all, by_force(&all, slots), "{case}: {requests:?} in {slots}");
        let died = died(&all, requests.len());
        assert_eq!(found.died, by_force(&died, slots), "{case}: {requests:?} in {slots}");
    }
}

#[test]
fn long_runs_are_counted_as_by_who_knows_the_future() {
    let mut rng = RngStream::new(2, "bound");
    for case in 0..200 {
        let requests = draw(&mut rng, 400, 60, 8);
        let all = versions(&requests);
        let most = overlap(&all) as u32;
        let mut sizes = [0, 1, 2, 5, 5, 17, most - 1, most, most + 1];
        sizes.sort_unstable();
        for (slots, found) in sizes.into_iter().zip(all_kept(&requests, &sizes)) {
            assert_eq!(found.all, by_sweep(&all, slots), "{case} in {slots}");
            assert_eq!(found.died, by_sweep(&died(&all, requests.len()), slots), "{case} in {slots}");
        }
        assert_eq!(kept(&requests, 0), KeptVersions { died: 0, all: 0 });
        assert_eq!(kept(&requests, most).all, all.len() as u64);
    }
}

#[test]
fn each_further_slot_keeps_no_more_than_the_one_before_it() {
    let mut rng = RngStream::new(3, "bound");
    for _ in 0..50 {
        let requests = draw(&mut rng, 300, 40, 4);
        for of in [|kept: KeptVersions| kept.all, |kept: KeptVersions| kept.died] {
            let curve: Vec<u64> =
                all_kept(&requests, &(0..42).collect::<Vec<_>>()).into_iter().map(of).collect();
            let gains: Vec<u64> = curve.windows(2).map(|two| two[1] - two[0]).collect();
            assert!(gains.windows(2).all(|two| two[1] <= two[0]), "{curve:?}");
        }
    }
}

#[test]
fn it_does_not_matter_where_units_lie() {
    let mut rng = RngStream::new(4, "bound");
    for _ in 0..20 {
        let requests = draw(&mut rng, 400, 60, 8);
        let apart = |unit: &u32| unit * 701;
        let spread =
            requests.iter().map(|(units, writes)| (units.iter().map(apart).collect(), *writes)).collect();
        assert_eq!(all_kept(&requests, &[3, 17]), all_kept(&spread, &[3, 17]));
    }
}

#[test]
fn a_unit_that_is_written_again_and_again_needs_one_slot() {
    let requests: Requests = (0..100).map(|_| (vec![0], true)).collect();
    assert_eq!(kept(&requests, 1), KeptVersions { died: 99, all: 100 });
    assert_eq!(kept(&requests, 0), KeptVersions { died: 0, all: 0 });
}

#[test]
fn what_is_lost_so_far_is_what_died_and_was_not_kept() {
    let mut meters = Meters::new(&[0, 1]);
    let lost = |meters: &Meters| meters.lost().collect::<Vec<_>>();
    meters.request([0, 1, 2].into_iter(), true);
    assert_eq!(lost(&meters), [0, 0]);
    meters.request([0, 1].into_iter(), true);
    assert_eq!(lost(&meters), [2, 1]);
    meters.request([0, 1, 2].into_iter(), false);
    assert_eq!(lost(&meters), [5, 3]);
    assert_eq!(meters.finish(), [KeptVersions { died: 0, all: 0 }, KeptVersions { died: 2, all: 2 }]);
}
