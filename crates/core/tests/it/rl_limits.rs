//! The bounds of `rl`'s knobs: what each option does to the knobs and to the decisions.

use crate::it::common::*;
use crate::it::rl::{small, writes, MIB};
use slcache_core::ftl::knob::KnobRange;

/// Blocks of the plane of `small`.
const BLOCKS: f64 = 64.0;

fn simulation(values: &[(&str, Value)]) -> Simulation {
    Simulation::new(&small(values)).unwrap()
}

/// The least and the most SLC blocks that the knob allows.
fn slc_bounds(values: &[(&str, Value)]) -> (f64, f64) {
    match simulation(values).knobs()[0].range {
        KnobRange::Steps { min, max, .. } => (min, max),
        KnobRange::Ladder(_) => panic!("blocks are counted"),
    }
}

/// A run whose agent acts by chance, so that it comes to both ends of the ranges.
fn by_chance(values: &[(&str, Value)]) -> Report {
    ended(&small(&[values, &[("agent", json!("random"))]].concat()), &writes(4000, 8 * MIB, 1)).1
}

/// What a series came to, ascending.
fn reached(report: &Report, name: &str) -> Vec<f64> {
    let series = report.scheme.series.iter().find(|series| series.name == name).unwrap();
    let mut values = series.values.to_vec();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

#[test]
fn the_threshold_goes_from_rung_to_rung_of_the_ladder_given() {
    let own = [("theta_ladder_bytes", json!([512, 6144, 65536])), ("initial_theta_bytes", json!(6144))];
    let mut sim = simulation(&own);
    assert_eq!(sim.knobs()[1].range, KnobRange::Ladder(vec![512.0, 6144.0, 65536.0]));
    sim.turn(1, 512.0).unwrap();
    assert!(sim.turn(1, 4096.0).is_err());
    let report = by_chance(&own);
    assert_eq!(reached(&report, "theta_bytes"), [512.0, 6144.0, 65536.0]);
    let steps = report.scheme.series.iter().find(|series| series.name == "theta_bytes").unwrap();
    assert!(steps.values.windows(2).all(|pair| pair != [512.0, 65536.0] && pair != [65536.0, 512.0]));
    let one = [("theta_ladder_bytes", json!([8192])), ("initial_theta_bytes", json!(8192))];
    assert_eq!(reached(&by_chance(&one), "theta_bytes"), [8192.0]);
}

#[test]
fn the_slc_region_goes_from_the_minimum_given_to_the_share_given() {
    assert_eq!(slc_bounds(&[]), (2.0, 35.0));
    for (share, min, least, most) in [
        (0.02, 2, 1.0, 1.0),
        (0.1, 2, 2.0, 6.0),
        (0.8, 2, 2.0, 51.0),
        (0.56, 0, 0.0, 35.0),
        (0.56, 9, 9.0, 35.0),
    ] {
        let given = [("slc_share_max", json!(share)), ("slc_blocks_min", json!(min))];
        let given = if min == 2 { &given[..1] } else { &given };
        assert_eq!(slc_bounds(given), (least, most), "{share}");
        let report = by_chance(&[given, &[("slc_step_blocks", json!(8))]].concat());
        let sizes = reached(&report, "slc_blocks");
        assert_eq!((sizes.first(), sizes.last()), (Some(&least), Some(&most)), "{share}, {min}: {sizes:?}");
        assert_eq!(figure(&report, "forced_shrink_blocks"), 0.0);
    }
}

/// 64 blocks of 1 MiB, `fill` of 44 MiB in them: 64 - data - held back, at most 35 and at least 2. Held
/// back are the two blocks that cleaning wants, or the spare ones where these are more.
#[test]
fn the_slc_region_takes_no_more_than_what_data_and_spare_blocks_leave() {
    for (spare, held) in [(0.03, 2), (0.05, 3), (0.5, 32), (0.9, 57)] {
        for (fill, data) in [(0.0, 0), (0.5, 22), (1.0, 44)] {
            let most = (64 - data - held).clamp(2, 35);
            let mut setup = small(&[("dense_spare_share", json!(spare)), ("agent", json!("random"))]);
            setup.precondition.fill = fill;
            let mut sim = Simulation::new(&setup).unwrap();
            sim.precondition(&mut |_, _| true).unwrap();
            let KnobRange::Steps { max, .. } = sim.knobs()[0].range else { panic!("blocks are counted") };
            assert_eq!(max, f64::from(most), "{spare} spare, {fill} full");
            sim.feed(&writes(300, 8 * MIB, 5)).unwrap();
            let sizes = reached(&sim.finish().unwrap(), "slc_blocks");
            // What is written comes to the data, and never makes room for more.
            assert!(sizes.last().unwrap() <= &f64::from(most), "{spare} spare, {fill} full: {sizes:?}");
        }
    }
}

#[test]
fn a_region_begins_no_larger_than_the_spare_blocks_leave_and_that_is_what_is_reported() {
    let given = [("slc_share_max", json!(0.95)), ("initial_slc_blocks", json!(60)), ("agent", json!("none"))];
    let given = [&given[..], &[("dense_spare_share", json!(0.25))]].concat();
    let sim = simulation(&given);
    assert_eq!((sim.knobs()[0].value, slc_bounds(&given)), (48.0, (2.0, 48.0)));
    assert_eq!({ sim }.finish().unwrap().cache.slc_bytes, 48 * MIB / 4);
    for scheme in ["dwa", "rl"] {
        for (spare, most) in [(0.0, 35), (0.03, 35), (0.5, 32), (0.9, 7)] {
            let setup = with(setup(small(&[]).device, scheme), &[("dense_spare_share", json!(spare))]);
            assert_eq!(ended(&setup, &[]).1.cache.slc_bytes, most * MIB / 4, "{scheme} {spare}");
        }
    }
}

/// The dense region has four blocks at first, and all the data the device holds come to it.
#[test]
fn a_region_that_begins_as_large_as_it_may_gives_way_to_the_data() {
    for (agent, fill) in [("none", 0.0), ("none", 0.9), ("q-learning", 0.0)] {
        let share = [("slc_share_max", json!(0.95)), ("initial_slc_blocks", json!(60))];
        let mut setup = small(&[&share[..], &[("agent", json!(agent))]].concat());
        setup.precondition.fill = fill;
        let (sim, _) = ended(&setup, &writes(3000, 43 * MIB, 3));
        assert!(sim.knobs()[0].value < 60.0, "{agent}, {fill} full");
    }
}

/// The first of the states' features.
fn slc_bins(report: &Report) -> Vec<u64> {
    let states = report.scheme.histograms.iter().find(|histogram| histogram.name == "states").unwrap();
    let bins = states.axes[0].bins.len();
    states.counts.chunks(states.counts.len() / bins).map(|part| part.iter().sum()).collect()
}

#[test]
fn the_bins_of_the_slc_share_end_at_the_greatest_share() {
    for (share, bin) in [(0.28, 7), (0.56, 3), (0.9, 2)] {
        let at_a_fifth = [("slc_share_max", json!(share)), ("initial_slc_blocks", json!(14))];
        let mut sim = simulation(&at_a_fifth);
        sim.feed(&writes(40, 8 * MIB, 2)).unwrap();
        let first = slc_bins(&sim.finish().unwrap());
        // 14 of 64 blocks; the agent moves a block per step, which few steps leave in that bin.
        let (fullest, _) = first.iter().enumerate().max_by_key(|(_, &count)| count).unwrap();
        assert_eq!(fullest, bin, "{share}: {first:?} of {BLOCKS}");
    }
}

#[test]
fn a_memory_of_other_bounds_is_refused_by_what_differs() {
    let rungs = |rungs: Value| ("theta_ladder_bytes", rungs);
    let refused = |here: &[(&str, Value)], there: &[(&str, Value)], told: &str| {
        let memory = simulation(there).memory().unwrap();
        let error = simulation(here).take_memory(memory).unwrap_err();
        assert_eq!(error, format!("rl: {told}"));
    };
    refused(&[], &[("slc_share_max", json!(0.5))], "slc_share_max is 0.56 here and was 0.5 there");
    let doubled = [rungs(json!([16384, 32768, 65536]))];
    refused(&doubled, &[], "theta_max_bytes is 65536 here and was 524288 there");
    let uneven = [rungs(json!([16384, 20480, 65536]))];
    refused(&doubled, &uneven, "theta_rung_0_bytes is nothing here and was 16384 there");
    let other = [rungs(json!([16384, 24576, 65536]))];
    refused(&other, &uneven, "theta_rung_1_bytes is 24576 here and was 20480 there");
    let memory = simulation(&uneven).memory().unwrap();
    simulation(&[&uneven[..], &[("slc_blocks_min", json!(1))]].concat()).take_memory(memory).unwrap();
}
