//! The flash cache of a disk, operation for operation, on the paper's own example: an SLC region of ten
//! blocks of four pages, here in front of a dense one of ten blocks of eight.

mod whole;

use crate::it::common::ops::{last_ns, lies, serve, LATER};
use crate::it::common::*;

const PAGE: u64 = 4096;
/// Long enough for the disk of these tests to be in standby, ns.
const ASLEEP: u64 = 20_000_000_000;

/// The scheme in front of a disk, on one plane of `blocks` blocks.
fn cache(scheme: &str, blocks: u32, values: &[(&str, Value)]) -> Setup {
    let mut chips = free_bus(pool(1, 1, blocks, 4, 4096));
    chips.mlc = Some(mode(40_000, 400_000, 3_000_000));
    chips.tlc = None;
    with(setup(device(chips, 4096 * PAGE), scheme), values)
}

/// The paper's example.
fn ten(values: &[(&str, Value)]) -> Setup {
    cache("nvc", 20, &[&[("slc_blocks", json!(10))], values].concat())
}

fn write(sim: &mut Simulation, pages: impl IntoIterator<Item = u64>) {
    pages.into_iter().for_each(|page| serve(sim, LATER / 10, HostOp::Write, page * PAGE, PAGE));
}

fn read(sim: &mut Simulation, pages: impl IntoIterator<Item = u64>) {
    pages.into_iter().for_each(|page| serve(sim, LATER / 10, HostOp::Read, page * PAGE, PAGE));
}

/// Fills the 36 pages in front of the reserve so that `valid` of pages 0..12, in the cold region, remain.
fn fill(sim: &mut Simulation, valid: &[u64]) {
    write(sim, 0..12);
    let overwritten: Vec<u64> = (0..12).filter(|page| !valid.contains(page)).collect();
    write(sim, overwritten.iter().copied());
    write(sim, (0..24 - overwritten.len() as u64).map(|i| 100 + i));
}

/// The operations of the disk from `from` on: read or write, cause, logical page.
fn disk_story(sim: &Simulation, from: usize) -> Vec<(bool, Cause, u32)> {
    sim.disk_ops()[from..].iter().map(|op| (op.write, op.cause, op.page)).collect()
}

/// A page's way from one block and page to another, for `cause`.
fn moved(cause: &str, (block, page): (u32, u32), (to, at): (u32, u32)) -> Vec<String> {
    vec![format!("read {cause} 0/{block} page {page}"), format!("program {cause} 0/{to} page {at}")]
}

#[test]
fn figure_2_few_valid_pages_of_the_cold_region_stay_in_slc() {
    let mut sim = watched(&ten(&[]));
    fill(&mut sim, &[0, 1, 3]);
    let before = sim.ops().len();
    assert!(sim.ops().iter().all(|op| op.cause == Cause::Host && op.kind == OpKind::Program));
    write(&mut sim, [200]);
    let kept =
        [0, 1, 3].into_iter().enumerate().flat_map(|(to, page)| moved("gc", (0, page), (9, to as u32)));
    let erased = (0..3).map(|block| format!("erase gc 0/{block}"));
    let want = kept.chain(erased).chain(["program host 0/9 page 3".into()]);
    assert_eq!(story(&sim, before, 99), want.collect::<Vec<_>>());
    assert!(sim.disk_ops().is_empty());
    let report = sim.finish().unwrap();
    assert_eq!(figure(&report, "slc_cleanings_stay"), 1.0);
    assert_eq!(figure(&report, "slc_from_slc_bytes"), 3.0 * 4096.0);
    assert_eq!(figure(&report, "host_bytes"), 37.0 * 4096.0);
    assert_eq!(figure(&report, "slc_bytes"), 40.0 * 4096.0);
    assert_eq!(figure(&report, "cycles_slc"), 0.3);
}

#[test]
fn figure_3_of_many_valid_pages_those_that_were_read_stay_in_slc() {
    let mut sim = watched(&ten(&[]));
    fill(&mut sim, &[0, 1, 2, 3, 6, 9]);
    read(&mut sim, [0, 1]);
    let before = sim.ops().len();
    write(&mut sim, [200]);
    let erase = |block: u32| vec![format!("erase gc 0/{block}")];
    let want = [
        moved("gc", (0, 0), (9, 0)),
        moved("gc", (0, 1), (9, 1)),
        moved("migration", (0, 2), (10, 0)),
        moved("migration", (0, 3), (10, 1)),
        erase(0),
        moved("migration", (1, 2), (10, 2)),
        erase(1),
        moved("migration", (2, 1), (10, 3)),
        erase(2),
        vec!["program host 0/9 page 2".into()],
    ];
    assert_eq!(story(&sim, before, 99), want.concat());
    assert_eq!([0, 1].map(|page| lies(&sim, page)), [Some(CellMode::Slc); 2]);
    assert_eq!([2, 3, 6, 9].map(|page| lies(&sim, page)), [Some(CellMode::Mlc); 4]);
    let report = sim.finish().unwrap();
    assert_eq!(figure(&report, "slc_cleanings_marked"), 1.0);
    assert_eq!(figure(&report, "dense_from_slc_bytes"), 4.0 * 4096.0);
}

#[test]
fn a_mark_is_gone_after_a_move() {
    let mut sim = watched(&ten(&[("slc.stay_invalid", json!(1.0)), ("slc.stay_marked_invalid", json!(0.4))]));
    fill(&mut sim, &[0, 1, 2, 3]);
    read(&mut sim, [0, 1]);
    write(&mut sim, [200]);
    let want = [CellMode::Slc, CellMode::Slc, CellMode::Mlc];
    assert_eq!([0, 1, 2].map(|page| lies(&sim, page)), want.map(Some));
    // Round the circle once more: nobody has read them since.
    write(&mut sim, (0..60).map(|i| 300 + i % 10));
    assert_eq!([0, 1].map(|page| lies(&sim, page)), [Some(CellMode::Mlc); 2]);
}

/// What becomes of the valid pages of a region's cold part, of which `invalid` pages are invalid, where the region
/// begins with `cold` pages and has room for `room`: how often all stay, those that were read, none. The last page
/// in front of the reserve and the next one come while the disk spins or sleeps.
fn verdict(setup: &Setup, [cold, room, invalid]: [u64; 3], spins: bool, tier: &str) -> [Option<f64>; 3] {
    let mut sim = watched(setup);
    write(&mut sim, (0..cold).chain(0..invalid));
    write(&mut sim, (0..room - cold - invalid).map(|i| 100 + i));
    if spins {
        read(&mut sim, [4000]);
    } else {
        write(&mut sim, [500]);
        let at_ns = sim.now_ns() + ASLEEP;
        rest(&mut sim, at_ns);
    }
    write(&mut sim, [501]);
    let report = sim.finish().unwrap();
    ["stay", "marked", "leave"]
        .map(|name| report.scheme.figures.get(&format!("{tier}_cleanings_{name}")).copied())
}

#[test]
fn the_slc_regions_limits_are_40_and_70_percent_whatever_the_disk_does() {
    // Its cold part is five blocks of twenty, with twenty pages.
    let setup = cache("nvc", 40, &[("slc_blocks", json!(20))]);
    for (spins, (invalid, want)) in [true, false]
        .into_iter()
        .flat_map(|spins| [(7, 2), (8, 1), (13, 1), (14, 0)].map(|case| (spins, case)))
    {
        let found = verdict(&setup, [20, 71, invalid], spins, "slc");
        assert_eq!(found, [0, 1, 2].map(|i| Some(f64::from(i == want))), "{invalid} of 20, {spins}");
    }
}

#[test]
fn above_the_disk_the_limit_is_60_percent_while_it_spins_and_40_while_it_sleeps() {
    // Its cold part is half of nine blocks of eight pages: five of them, with 40 pages.
    let setup = cache("nvc-mlc-only", 10, &[("clean.cold_share", json!(0.5))]);
    for (spins, invalid, stays) in
        [(true, 23, false), (true, 24, true), (false, 15, false), (false, 16, true)]
    {
        let found = verdict(&setup, [40, 71, invalid], spins, "dense");
        assert_eq!(
            found,
            [Some(f64::from(stays)), None, Some(f64::from(!stays))],
            "{invalid} of 40, {spins}"
        );
    }
}

#[test]
fn what_leaves_for_the_disk_is_written_by_address_and_clean_units_are_dropped() {
    for flush_clean in [false, true] {
        let values = [("flush_clean", json!(flush_clean))];
        let mut sim = watched(&cache("nvc-slc-only", 10, &values));
        // Four blocks are cold: two pages were read from the disk, two died.
        write(&mut sim, [30, 7, 8, 22]);
        read(&mut sim, [15, 9]);
        write(&mut sim, [12, 13, 1, 2, 40, 41, 42, 43, 44, 45]);
        write(&mut sim, (0..20).map(|i| if i < 2 { 12 + i } else { 100 + i }));
        let (flash, disk) = (sim.ops().len(), sim.disk_ops().len());
        write(&mut sim, [200]);
        let mut leaves = vec![1, 2, 7, 8, 9, 15, 22, 30, 40, 41, 42, 43, 44, 45];
        leaves.retain(|page| flush_clean || ![9, 15].contains(page));
        let want: Vec<_> = leaves.iter().map(|&page| (true, Cause::Migration, page)).collect();
        assert_eq!(disk_story(&sim, disk), want);
        let done = story(&sim, flash, 99);
        let reads = done.iter().filter(|op| op.starts_with("read migration")).count();
        assert_eq!(reads, leaves.len());
        assert_eq!(done[reads..reads + 4], [0, 1, 2, 3].map(|block| format!("erase migration 0/{block}")));
        assert_eq!(done[reads + 4], "program host 0/9 page 0");
        assert_eq!([15, 9, 30].map(|page| lies(&sim, page)), [None; 3]);
        let report = sim.finish().unwrap();
        assert_eq!(figure(&report, "disk_written_bytes"), leaves.len() as f64 * 4096.0);
    }
}

#[test]
fn a_read_of_the_disk_fills_slc_and_the_host_waits_only_for_the_disk() {
    let mut sim = watched(&ten(&[]));
    read(&mut sim, [2000]);
    assert_eq!(story(&sim, 0, 99), ["program fill 0/0 page 0"]);
    assert_eq!(disk_story(&sim, 0), [(false, Cause::Host, 2000)]);
    // Half a turn, 4 KiB at 100 MB/s, and a seek.
    let first = last_ns(&sim, HostOp::Read);
    assert!((5_000_000 + 40_960..25_000_000).contains(&first), "{first}");
    read(&mut sim, [2000]);
    assert_eq!(story(&sim, 1, 99), ["read host 0/0 page 0"]);
    assert_eq!(sim.disk_ops().len(), 1);
    assert_eq!(last_ns(&sim, HostOp::Read), 20_000);
    let report = sim.finish().unwrap();
    assert_eq!(["slc_hit_rate", "miss_rate"].map(|name| figure(&report, name)), [0.5, 0.5]);
}

#[test]
fn what_finds_no_memory_on_its_way_into_flash_is_not_copied() {
    for scheme in ["nvc", "nvc-slc-only", "nvc-mlc-only"] {
        let mut sim = watched(&cache(scheme, 20, &[("copy_buffer_bytes", json!("8KiB"))]));
        let at_once: Vec<_> = (0..5).map(|page| request(0, HostOp::Read, page * PAGE, PAGE)).collect();
        sim.feed(&at_once).unwrap();
        rest(&mut sim, LATER);
        // The programs of the first two are over: there is room again.
        read(&mut sim, [7]);
        let copied = (0..10).filter(|&page| lies(&sim, page).is_some());
        assert_eq!(copied.collect::<Vec<_>>(), [0, 1, 7], "{scheme}");
        let report = sim.finish().unwrap();
        assert_eq!(figure(&report, "uncopied_units"), 3.0, "{scheme}");
    }
}

/// A device on which pages 2 and 3, new data of the host, lie in the dense region.
fn with_dense(policy: u32) -> Simulation {
    let mut sim = watched(&ten(&[("policy", json!(policy)), ("slc.stay_invalid", json!(0.9))]));
    if policy == 2 {
        // Larger than 16 KiB.
        sim.feed(&[request(LATER, HostOp::Write, 0, 5 * PAGE)]).unwrap();
        rest(&mut sim, 2 * LATER);
    } else {
        fill(&mut sim, &[2, 3]);
        write(&mut sim, [200]);
    }
    assert_eq!([2, 3].map(|page| lies(&sim, page)), [Some(CellMode::Mlc); 2]);
    sim
}

#[test]
fn a_hit_in_the_dense_region_moves_the_page_to_slc_but_under_policy_2() {
    for policy in [0, 1, 3] {
        let mut sim = with_dense(policy);
        let before = sim.ops().len();
        read(&mut sim, [3]);
        let done: Vec<String> = story(&sim, before, 99);
        assert_eq!(done[0], "read host 0/10 page 1", "policy {policy}");
        assert!(done[1].starts_with("program promote 0/"), "policy {policy}: {done:?}");
        assert_eq!((done.len(), lies(&sim, 3)), (2, Some(CellMode::Slc)));
        // The host waits for the read only.
        assert_eq!(last_ns(&sim, HostOp::Read), 40_000);
        assert_eq!(figure(&sim.finish().unwrap(), "slc_from_dense_bytes"), 4096.0);
    }
    let mut sim = with_dense(2);
    let before = sim.ops().len();
    read(&mut sim, [3]);
    assert_eq!(story(&sim, before, 99), ["read host 0/10 page 3"]);
    assert_eq!(lies(&sim, 3), Some(CellMode::Mlc));
}

#[test]
fn policies_1_and_2_write_large_requests_to_the_dense_region() {
    for (policy, mode) in [(0, CellMode::Slc), (1, CellMode::Mlc), (2, CellMode::Mlc), (3, CellMode::Slc)] {
        let mut sim = watched(&ten(&[("policy", json!(policy))]));
        sim.feed(&[request(LATER, HostOp::Write, 0, 4 * PAGE)]).unwrap();
        sim.feed(&[request(2 * LATER, HostOp::Write, 10 * PAGE, 4 * PAGE + 512)]).unwrap();
        rest(&mut sim, 3 * LATER);
        assert_eq!(lies(&sim, 0), Some(CellMode::Slc), "16 KiB, policy {policy}");
        assert_eq!([10, 14].map(|page| lies(&sim, page)), [Some(mode); 2], "more, policy {policy}");
    }
}

#[test]
fn under_policy_2_what_is_cold_in_slc_leaves_for_the_disk_and_under_policy_3_for_the_dense_region() {
    let filled = |policy: u32, valid: &[u64]| {
        let mut sim = watched(&ten(&[("policy", json!(policy))]));
        fill(&mut sim, valid);
        sim
    };
    // Half of the cold region is invalid, more than the 40 % of a disk in standby and less than 60 %.
    let valid = [0, 1, 2, 3, 6, 9];
    let mut sim = filled(2, &valid);
    let at_ns = sim.now_ns() + ASLEEP;
    rest(&mut sim, at_ns);
    write(&mut sim, [200]);
    assert!(sim.disk_ops().is_empty());
    assert_eq!([0, 2].map(|page| lies(&sim, page)), [Some(CellMode::Slc); 2]);
    let mut sim = filled(2, &valid);
    read(&mut sim, [3000]);
    assert_eq!(valid.map(|page| lies(&sim, page)), [None; 6]);
    let mut sim = filled(3, &[0, 1, 3]);
    read(&mut sim, [0]);
    write(&mut sim, [200]);
    assert_eq!([0, 1, 3].map(|page| lies(&sim, page)), [Some(CellMode::Mlc); 3]);
}

#[test]
fn a_write_of_a_part_of_a_unit_keeps_the_rest_of_it_from_wherever_it_lies() {
    let mut sim = watched(&ten(&[]));
    let part = |sim: &Simulation| request(sim.now_ns() + LATER, HostOp::Write, 50 * PAGE + 512, 1024);
    sim.feed(&[part(&sim)]).unwrap();
    let at_ns = sim.now_ns() + 3 * LATER;
    rest(&mut sim, at_ns);
    assert_eq!(disk_story(&sim, 0), [(false, Cause::Rmw, 50)]);
    assert_eq!(story(&sim, 0, 99), ["program host 0/0 page 0"]);
    // The program came after the disk's read.
    assert!(last_ns(&sim, HostOp::Write) > 5_000_000 + 200_000);
    sim.feed(&[part(&sim)]).unwrap();
    let at_ns = sim.now_ns() + 3 * LATER;
    rest(&mut sim, at_ns);
    assert_eq!(story(&sim, 1, 99), ["read rmw 0/0 page 0", "program host 0/0 page 1"]);
    assert_eq!(last_ns(&sim, HostOp::Write), 220_000);
    assert_eq!(sim.disk_ops().len(), 1);
}

#[test]
fn cleaning_of_the_dense_region_ends_before_the_page_that_needs_it_is_moved() {
    // Two dense blocks, one of them the reserve: eight pages.
    let mut sim = watched(&cache("nvc", 12, &[("slc_blocks", json!(10)), ("policy", json!(3))]));
    write(&mut sim, (0..36).map(|i| 900 - i));
    let (flash, disk) = (sim.ops().len(), sim.disk_ops().len());
    write(&mut sim, [50]);
    let moved = |block, page, to, at| moved("migration", (block, page), (to, at));
    let mut want = Vec::new();
    for block in 0..2 {
        want.extend((0..4).flat_map(|page| moved(block, page, 10, 4 * block + page)));
        want.push(format!("erase migration 0/{block}"));
    }
    // What is still being programmed comes from the controller: there are no reads.
    want.push("erase migration 0/10".into());
    want.extend((0..4).flat_map(|page| moved(2, page, 11, page)));
    want.extend(["erase migration 0/2".into(), "program host 0/9 page 0".into()]);
    assert_eq!(story(&sim, flash, 99), want);
    // By address, which is not the order in which they were written.
    assert_eq!(
        disk_story(&sim, disk),
        (893..=900).map(|page| (true, Cause::Migration, page)).collect::<Vec<_>>()
    );
}
