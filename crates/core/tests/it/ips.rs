//! The in-place-switch family operation for operation: the figures of its paper.

use crate::it::common::*;

/// Long enough that one write is over before the next, too short for idle work.
const GAP: u64 = 10_000_000;
/// Long enough for all idle work.
const REST: u64 = 2_000_000_000;

fn on(flash: PoolConfig, scheme: &str, user_pages: u64) -> Setup {
    setup(device(flash, user_pages * 4096), scheme)
}

#[test]
fn figure_6a_two_planes_fill_switch_and_go_on_in_the_next_layers() {
    // Two planes of six blocks; a window is two layers of one wordline.
    let mut sim = watched(&on(switch_pool(1, 2, 6, 4, 1), "ips", 40));
    sim.feed(&page_writes(0, GAP, 0..24)).unwrap();
    // Step 1: the SLC layers of all blocks, block by block, planes in turn.
    let mut step_1 = Vec::new();
    for block in 0..6 {
        for wordline in 0..2 {
            step_1.extend((0..2).map(|plane| format!("program host {plane}/{block} w{wordline}.0")));
        }
    }
    assert_eq!(story(&sim, 0, 0), step_1);
    // Step 2: four operations switch the two SLC pages of a plane's first block.
    sim.feed(&page_writes(24 * GAP, GAP, 24..32)).unwrap();
    let step_2 = ["w0.1", "w0.2", "w1.1", "w1.2"];
    let step_2: Vec<_> = step_2
        .iter()
        .flat_map(|w| (0..2).map(move |plane| format!("reprogram host {plane}/0 {w}")))
        .collect();
    assert_eq!(story(&sim, 24, 0), step_2);
    // Step 3: the next two layers of that block are new SLC pages; then the second block's turn comes.
    sim.feed(&page_writes(32 * GAP, GAP, 32..38)).unwrap();
    let step_3 = [
        "program host 0/0 w2.0",
        "program host 1/0 w2.0",
        "program host 0/0 w3.0",
        "program host 1/0 w3.0",
        "reprogram host 0/1 w0.1",
        "reprogram host 1/1 w0.1",
    ];
    assert_eq!(story(&sim, 32, 0), step_3);
    // SLC speed in steps 1 and 3, TLC speed in step 2.
    sim.finish().unwrap();
    let ms: Vec<u64> = sim.log().iter().map(|(_, ns)| ns / 100_000).collect();
    assert_eq!(ms, [vec![5; 24], vec![30; 8], vec![5; 4], vec![30; 2]].concat());
    sim.audit().unwrap();
}

#[test]
fn a_wordline_is_read_as_slc_until_it_gains_a_bit() {
    let mut sim = watched(&on(switch_pool(1, 1, 6, 4, 1), "ips", 20));
    // Pages 0 and 1 are the two SLC pages of block 0; page 12 switches the first of them: both pages of the
    // wordline with two bits take a dense read; its neighbour holds one bit still.
    sim.feed(&page_writes(0, GAP, 0..12)).unwrap();
    for (i, read_ns) in [(0, 20_000), (1, 20_000), (12, 0), (0, 66_000), (12, 66_000), (1, 20_000)] {
        let at_ns = sim.now_ns() + GAP;
        let op = if read_ns == 0 { HostOp::Write } else { HostOp::Read };
        sim.feed(&[request(at_ns, op, i * 4096, 4096)]).unwrap();
        rest(&mut sim, at_ns + GAP);
        let took_ns = sim.log().iter().rev().find(|(r, _)| r.op == op).unwrap().1;
        assert!(op == HostOp::Write || took_ns == read_ns, "page {i}: {took_ns} ns");
    }
}

/// One plane of eight blocks, windows of two layers with two wordlines: four SLC pages, eight reprograms.
fn agc() -> Setup {
    literally(on(switch_pool(1, 1, 8, 4, 2), "ips-agc", 40))
}

#[test]
fn figure_7_a_host_write_interrupts_agc_between_two_pages() {
    let mut sim = watched(&agc());
    // Blocks 0 and 1 are used; page 4 is written anew, so that block 1 has one invalid page.
    sim.feed(&page_writes(0, GAP, (0..8).chain([4]))).unwrap();
    let idle_from = 8 * GAP + 500_000 + 50_000_000;
    // 1 ms into the first page move (0.02 ms of reading, 3 ms of reprogramming) a write comes.
    let arrival = idle_from + 1_000_000;
    sim.feed(&page_writes(arrival, 0, [20])).unwrap();
    assert_eq!(story(&sim, 9, 0), ["read agc 0/1 w1.0", "reprogram agc 0/0 w0.1", "program host 0/2 w1.0"]);
    // It is directed to another SLC page and waits for the one atomic step only.
    rest(&mut sim, arrival + 10_000_000);
    assert_eq!(sim.log()[9].1, 3_020_000 - 1_000_000 + 500_000);
    // Once the plane is idle again, AGC goes on with the pages that are left and erases the block.
    rest(&mut sim, arrival + REST);
    let rest_of_it = [
        "read agc 0/1 w2.0",
        "reprogram agc 0/0 w0.2",
        "read agc 0/1 w3.0",
        "reprogram agc 0/0 w1.1",
        "erase agc 0/1",
    ];
    assert_eq!(story(&sim, 12, 0), rest_of_it);
    let report = sim.finish().unwrap();
    assert_eq!((figure(&report, "agc_pages_moved"), figure(&report, "agc_blocks_erased")), (3.0, 1.0));
    sim.audit().unwrap();
}

#[test]
fn agc_stops_when_every_slc_layer_is_fresh() {
    let mut sim = watched(&agc());
    // Block 0 is used, block 1 has three invalid pages: one move would switch a wordline of block 0.
    sim.feed(&page_writes(0, GAP, (0..8).chain([4, 5, 6, 7]))).unwrap();
    rest(&mut sim, 13 * GAP + REST);
    // All of block 1 is invalid: it is erased and nothing is moved, though block 0 stays used.
    assert_eq!(story(&sim, 12, 0), ["erase agc 0/1"]);
}

#[test]
fn agc_collects_what_the_option_says() {
    // Block 1 is full of SLC pages and has one invalid page; no block is full in every bit.
    for (key, value, moves) in [
        ("agc.eligible", Value::from("any"), 3.0),
        ("agc.eligible", "used".into(), 3.0),
        ("agc.eligible", "full".into(), 0.0),
        ("agc.min_invalid", 2.into(), 0.0),
    ] {
        let mut sim = watched(&with(agc(), &[(key, value.clone())]));
        sim.feed(&page_writes(0, GAP, (0..8).chain([4]))).unwrap();
        rest(&mut sim, 10 * GAP + REST);
        assert_eq!(figure(&sim.finish().unwrap(), "agc_pages_moved"), moves, "{key} {value}");
    }
}

/// One plane: SLC blocks 0 to 2 with 8 pages each, of `blocks`, the others two-layer with windows of two pages.
fn cooperative(blocks: u32, user_pages: u64, values: &[(&str, Value)]) -> Setup {
    let setup = literally(on(switch_pool(1, 1, blocks, 8, 1), "ips-coop", user_pages));
    with(setup, &[&[("slc_blocks", 3.into())], values].concat())
}

#[test]
fn figure_8_both_caches_fill_and_empty_into_each_other() {
    let mut sim = watched(&cooperative(10, 60, &[]));
    // Step 1: the SLC pages of the seven two-layer blocks come first.
    sim.feed(&page_writes(0, GAP, 0..14)).unwrap();
    let step_1: Vec<_> =
        (3..10).flat_map(|b| (0..2).map(move |w| format!("program host 0/{b} w{w}.0"))).collect();
    assert_eq!(story(&sim, 0, 3), step_1);
    // Step 2.2: sustained writes go to the traditional cache.
    sim.feed(&page_writes(14 * GAP, GAP, 14..38)).unwrap();
    let step_2: Vec<_> =
        (0..3).flat_map(|b| (0..8).map(move |p| format!("program host 0/{b} page {p}"))).collect();
    assert_eq!(story(&sim, 14, 3), step_2);
    // Both are used: host data switch wordlines, here those of block 3 and half of block 4.
    sim.feed(&page_writes(38 * GAP, GAP, [38, 39, 40, 41])).unwrap();
    let switched = ["w0.1", "w0.2", "w1.1", "w1.2"].map(|w| format!("reprogram host 0/3 {w}"));
    assert_eq!(story(&sim, 38, 3), switched);
    // Idle. Step 3.1: what the traditional cache holds, oldest block first, switches the wordlines of
    // blocks 4 to 9: 24 pages. Step 4: each emptied block is erased.
    rest(&mut sim, 42 * GAP + REST);
    let mut step_3 = Vec::new();
    for n in 0..24 {
        step_3.push(format!("read migration 0/{} page {}", n / 8, n % 8));
        let (block, wordline, bit) = (4 + n / 4, n / 2 % 2, 1 + n % 2);
        step_3.push(format!("reprogram migration 0/{block} w{wordline}.{bit}"));
        if n % 8 == 7 {
            step_3.push(format!("erase migration 0/{}", n / 8));
        }
    }
    assert_eq!(story(&sim, 42, 3), step_3);
    sim.audit().unwrap();
}

#[test]
fn figure_8_step_3_2_takes_free_tlc_space_once_every_wordline_is_switched() {
    // Five two-layer blocks: 10 SLC pages and 20 further bits for the 24 pages of the SLC blocks.
    let mut sim = watched(&cooperative(8, 24, &[]));
    sim.feed(&page_writes(0, GAP, (0..24).chain(0..10))).unwrap();
    rest(&mut sim, 34 * GAP + REST);
    let told = story(&sim, 34, 3);
    let stores: Vec<_> = told.iter().filter(|op| op.contains("program")).map(String::as_str).collect();
    let third: Vec<String> = (3..8)
        .flat_map(|b| ["w0.1", "w0.2", "w1.1", "w1.2"].map(|w| format!("reprogram migration 0/{b} {w}")))
        .collect();
    assert_eq!(stores[..20], third);
    // No wordline is left: block 3, whose turn it is, is filled without pausing.
    let dense = [
        "program migration 0/3 w2.0",
        "program migration 0/3 w3.0",
        "reprogram migration 0/3 w2.1",
        "reprogram migration 0/3 w2.2",
    ];
    assert_eq!(stores[20..], dense);
    assert_eq!(told.iter().filter(|op| op.starts_with("erase migration")).count(), 3);
    let report = sim.finish().unwrap();
    let migrated = |what: &str| figure(&report, &format!("traditional_pages_migrated{what}"));
    assert_eq!((migrated(""), migrated("_by_switching"), migrated("_at_end")), (24.0, 20.0, 0.0));
    sim.audit().unwrap();
}

#[test]
fn figure_8_step_2_1_agc_switches_what_the_traditional_cache_leaves() {
    let mut sim = watched(&cooperative(10, 60, &[]));
    // Ten SLC pages, page 2 of block 4 twice: block 4 has an invalid page, nothing is traditional.
    sim.feed(&page_writes(0, GAP, (0..9).chain([2]))).unwrap();
    rest(&mut sim, 10 * GAP + REST);
    let step_2_1 = ["read agc 0/4 w1.0", "reprogram agc 0/3 w0.1", "erase agc 0/4"];
    assert_eq!(story(&sim, 10, 3), step_2_1);
}

#[test]
fn idle_time_does_with_the_partly_filled_traditional_block_what_is_asked() {
    // The end of a run empties the traditional cache if asked to.
    for (reclaim_open, drain, moved, block, at_end) in [
        ("block", true, 7, 1, 1.0),
        ("data", true, 6, 0, 1.0),
        ("never", true, 0, 0, 4.0),
        ("never", false, 0, 0, 0.0),
    ] {
        // Seven two-layer blocks with 14 SLC pages; three pages go to the first traditional block.
        let mut sim =
            watched(&cooperative(10, 60, &[("reclaim_open", reclaim_open.into()), ("drain", drain.into())]));
        sim.feed(&page_writes(0, GAP, 0..17)).unwrap();
        rest(&mut sim, 17 * GAP + REST);
        let moves = [
            "read migration 0/0 page 0",
            "reprogram migration 0/3 w0.1",
            "read migration 0/0 page 1",
            "reprogram migration 0/3 w0.2",
            "read migration 0/0 page 2",
            "reprogram migration 0/3 w1.1",
            "erase migration 0/0",
        ];
        assert_eq!(story(&sim, 17, 3), moves[..moved]);
        // The next page for the traditional cache opens another block, or goes on in the first.
        sim.feed(&page_writes(17 * GAP + REST, 0, [17])).unwrap();
        assert!(story(&sim, 17 + moved, 3)[0].contains(&format!("0/{block} page")));
        let report = sim.finish().unwrap();
        let migrated = |what: &str| figure(&report, &format!("traditional_pages_migrated{what}"));
        assert_eq!((migrated(""), migrated("_at_end")), (moved.min(3) as f64 + at_end, at_end));
        sim.audit().unwrap();
    }
}

#[test]
fn moves_in_vain_are_those_of_agc_that_the_host_overwrote_and_migrations_count_in_full() {
    // One traditional block of four pages, eight two-layer blocks with four SLC pages each.
    let setup = literally(on(switch_pool(1, 1, 9, 4, 2), "ips-coop", 36));
    let mut sim = watched(&with(setup, &[("slc_blocks", 1.into())]));
    // Page 4 twice: AGC moves pages 5, 6 and 7 out of the second block and erases it.
    sim.feed(&page_writes(0, GAP, (0..8).chain([4]))).unwrap();
    rest(&mut sim, 9 * GAP + REST);
    // Pages 5 and 5 again: one of the three moves was in vain. These and 25 others use up the 27 SLC
    // pages left; two more go to the traditional cache and leave it at the end of the run.
    let more = [5, 5].into_iter().chain(8..33).chain([33, 34]);
    sim.feed(&page_writes(10 * GAP + REST, GAP, more)).unwrap();
    let report = sim.finish().unwrap();
    let f = |name: &str| figure(&report, name);
    let moved =
        ["agc_pages_moved", "agc_pages_moved_in_vain", "traditional_pages_migrated", "gc_pages_moved"];
    assert_eq!(moved.map(f), [3.0, 1.0, 2.0, 0.0]);
    let host = 9.0 + 29.0;
    assert_eq!((f("waf_all"), f("waf_extra")), (1.0 + 5.0 / host, 1.0 + 3.0 / host));
}

/// Turbo Write on one plane: two SLC blocks of 128 pages, 10 dense blocks.
fn turbo(values: &[(&str, Value)]) -> Setup {
    let setup = literally(on(switch_pool(1, 1, 12, 128, 2), "turbo-write", 1000));
    with(setup, &[&[("slc_blocks", 2.into())], values].concat())
}

#[test]
fn turbo_write_reclaims_a_block_without_interruption() {
    let mut sim = watched(&turbo(&[]));
    sim.preload(&[(500, 501)]).unwrap();
    sim.feed(&page_writes(0, GAP, 0..128)).unwrap();
    let starts = 127 * GAP + 500_000 + 50_000_000;
    // A write and a read that come 1 ns after the start wait for all of 128 moves and the erase.
    sim.feed(&page_writes(starts + 1, 0, [200])).unwrap();
    sim.feed(&[request(starts + 1, HostOp::Read, 500 * 4096, 4096)]).unwrap();
    rest(&mut sim, starts + REST);
    let run = 128 * 3_020_000 + 10_000_000;
    // The read goes first; its page lies in the dense store.
    for (op, more_ns) in [(HostOp::Read, 66_000), (HostOp::Write, 66_000 + 500_000)] {
        let found = sim.log().iter().find(|(r, _)| r.op == op && r.at_ns == starts + 1).unwrap();
        assert_eq!(found.1, run - 1 + more_ns);
    }
    let told = story(&sim, 128, 12);
    for (what, count) in
        [("read migration 0/0", 128), ("program migration 0/2", 128), ("erase migration 0/0", 1)]
    {
        assert_eq!(told.iter().filter(|op| op.starts_with(what)).count(), count, "{what}");
    }
}

/// Sixteen bursts of ten pages, each followed by a pause: 160 pages are a block and a quarter.
#[test]
fn turbo_write_moves_a_page_out_of_a_partly_filled_block_once_and_erases_as_asked() {
    for (reclaim_open, at_end, erases) in [("never", 32.0, 2), ("data", 0.0, 2), ("block", 0.0, 16)] {
        let mut sim = watched(&turbo(&[("reclaim_open", reclaim_open.into())]));
        for burst in 0..16 {
            let at_ns = burst * (10 * GAP + REST);
            sim.feed(&page_writes(at_ns, GAP, burst * 10..burst * 10 + 10)).unwrap();
        }
        rest(&mut sim, 16 * (10 * GAP + REST));
        sim.audit().unwrap();
        let report = sim.finish().unwrap();
        let f = |name: &str| figure(&report, name);
        assert_eq!((f("slc_pages_written"), f("direct_pages_written")), (160.0, 0.0));
        // What is moved at the end is counted among what was moved.
        assert_eq!((f("slc_pages_migrated"), f("slc_pages_migrated_at_end")), (160.0, at_end));
        let row = report.flash.ops.iter().find(|row| row.kind == "erase").expect("erases");
        assert_eq!((row.count, report.waf.total), (erases, 2.0), "{reclaim_open}");
    }
}

#[test]
fn turbo_write_goes_direct_when_its_cache_is_used_up_and_empties_it_at_the_end() {
    for (drain, at_end) in [(true, 256.0), (false, 0.0)] {
        let mut sim = watched(&turbo(&[("drain", drain.into())]));
        sim.feed(&page_writes(0, GAP, 0..300)).unwrap();
        let ms: Vec<u64> = sim.log().iter().map(|(_, ns)| ns / 100_000).collect();
        // Two blocks of SLC pages, then dense speed. The last write is still under way.
        assert_eq!(ms, [vec![5; 256], vec![30; 43]].concat());
        let report = sim.finish().unwrap();
        // I6: every host page is an SLC or a dense one.
        let figures = ["slc_pages_written", "direct_pages_written", "slc_pages_migrated_at_end"];
        assert_eq!(figures.map(|name| figure(&report, name)), [256.0, 44.0, at_end]);
        assert!((report.waf.total - (1.0 + at_end / 300.0)).abs() < 1e-12);
    }
}
