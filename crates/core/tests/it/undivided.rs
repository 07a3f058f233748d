//! `hierarchy` where its cache is not divided: no quotas and one victim over both levels, or pages that
//! either level's blocks give.

use crate::it::common::ops::*;
use crate::it::common::*;
use crate::it::ops_hierarchy::{fill_l1, hierarchy, updates_of};

fn ended(setup: &Setup, requests: &[Request]) -> Report {
    after(setup, 192, requests).finish().unwrap()
}

/// Parts of pages that fill four blocks of L1, each part written once.
fn four_blocks() -> Vec<Request> {
    (0..4).flat_map(|unit| fill_l1(20 * LATER * unit, 0, unit)).collect()
}

#[test]
fn without_quotas_no_partial_write_is_stopped_while_blocks_are_free() {
    for (quota, reclaimed, most) in [("hard", true, 2.0), ("none", false, 4.0)] {
        let report = ended(&with(hierarchy(1), &[("quota", json!(quota))]), &four_blocks());
        assert_eq!(figure(&report, "slc_blocks_reclaimed") > 0.0, reclaimed, "{quota}");
        assert_eq!(figure(&report, "l1_block_share_max"), most / 6.0, "{quota}");
    }
}

#[test]
fn the_victim_is_the_best_block_of_both_levels() {
    // A block of L2 whose pages are all written again, a second one, then L1's until room is short.
    let mut requests = writes((100..108).chain(100..108));
    for unit in 0..4 {
        requests.extend(fill_l1(100 * LATER + 20 * LATER * unit, 0, unit));
    }
    for (quota, migrates) in [("soft", true), ("none", false)] {
        let report = ended(&with(hierarchy(1), &[("quota", json!(quota))]), &requests);
        assert!(figure(&report, "slc_blocks_reclaimed") > 0.0, "{quota}");
        assert_eq!(figure(&report, "slc_pages_migrated") > 0.0, migrates, "{quota}");
    }
}

/// Units of the pages 100 to 103 that share a page, and seven whole pages behind them.
fn one_block_of_both_kinds() -> Vec<Request> {
    let mut requests = updates_of(0, 100, 0);
    requests.extend((1..8).map(|i| request(i * LATER, HostOp::Write, (103 + i) * PAGE, PAGE)));
    requests
}

#[test]
fn the_label_gives_pages_of_either_kind() {
    let setup = with(hierarchy(1), &[("page_source", json!("label")), ("quota", json!("none"))]);
    let sim = after(&setup, 192, &one_block_of_both_kinds());
    let block = |page| sim.media().array().geometry.block_of(homes(&sim, page)[0].unwrap());
    assert!((101..111).all(|page| block(page) == block(100)));
    let report = ended(&setup, &one_block_of_both_kinds());
    // The target stands where it began, so that every page is L2's (line 9); four parts are in the table.
    assert_eq!(figure(&report, "l1_block_share_max"), 0.0);
    assert_eq!(report.scheme.tables[1].entries, 4);
}

#[test]
fn each_kind_of_page_leaves_a_shared_block_in_its_own_way() {
    let setup = with(hierarchy(1), &[("page_source", json!("label")), ("quota", json!("none"))]);
    let mut requests = one_block_of_both_kinds();
    // A newer unit of a whole page of that block, in the next one.
    requests.extend(updates_of(50 * LATER, 104, 1));
    // Others until room is short: the first block has the least live data.
    requests.extend((0..35).map(|i| request((60 + i) * LATER, HostOp::Write, i * PAGE, PAGE)));
    let mut sim = after(&setup, 192, &requests);
    // What was merged is with its rest again; of the whole pages the newer unit is left behind.
    assert!((100..104).all(|page| modes(&sim, page) == [CellMode::Tlc; 4]));
    let [first, newer, ..] = modes(&sim, 104)[..] else { panic!("four units") };
    assert_eq!((first, newer), (CellMode::Tlc, CellMode::Slc));
    assert_eq!(figure(&sim.finish().unwrap(), "slc_pages_migrated"), 11.0);
}
