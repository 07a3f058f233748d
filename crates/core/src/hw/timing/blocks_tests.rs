//! Is what was programmed without the clock told from what is in flight?

use super::twins::{Twins, CLASS, PAGES};
use super::{OpId, Timing};
use crate::base::op::OpKind;
use crate::base::BlockId;
use std::collections::BTreeMap;

/// The plain way: the program that each page of the present generation waits for, if there is one.
type Programs = BTreeMap<(BlockId, u32), Option<(OpId, u64)>>;

/// Compares what the clock says of every page with what its program says; how many are done behind a
/// program in flight of their block.
fn check(timing: &Timing, programs: &Programs) -> u32 {
    let (mut ahead, mut flying) = (0, None);
    for (&(block, page), &program) in programs {
        let in_flight = program.is_some_and(|(id, serial)| timing.is_in_flight(id, serial));
        assert_eq!(timing.in_flight(block, page), in_flight, "{block:?} {page}");
        ahead += u32::from(!in_flight && flying == Some(block));
        if in_flight {
            flying = Some(block);
        }
    }
    ahead
}

#[test]
fn pages_done_ahead_of_their_block_are_not_in_flight() {
    let mut ahead = 0;
    for seed in 0..40 {
        let mut twins = Twins::new(seed, 1, 1);
        let (mut programs, mut written) = (Programs::new(), [0; 4]);
        for _ in 0..600 {
            let index = twins.rng.below(4);
            let block = twins.geometry.block(crate::base::PlaneId(index % 2), index / 2);
            let class = CLASS[1 + twins.rng.below(3) as usize];
            let page = written[index as usize];
            match twins.rng.below(8) {
                0..=2 if page < PAGES => {
                    let spec = twins.spec(OpKind::Program, class, block, page);
                    let id = twins.runs.emit(spec, &[]);
                    programs.insert((block, page), Some((id, twins.runs.serial(id))));
                    written[index as usize] += 1;
                }
                3 | 4 if page < PAGES => {
                    twins.runs.set_done(block, page + 1);
                    programs.insert((block, page), None);
                    written[index as usize] += 1;
                }
                5 if page > PAGES / 2 => {
                    let erase = twins.spec(OpKind::Erase, class, block, 0);
                    twins.runs.emit(erase, &[]);
                    programs.retain(|&(of, _), _| of != block);
                    written[index as usize] = 0;
                }
                _ => {
                    twins.runs.kick();
                    assert!(twins.runs.step().is_none());
                }
            }
            ahead += check(&twins.runs, &programs);
        }
    }
    assert!(ahead > 10_000, "{ahead}");
}
