//! Cells that err: what reads take of them, whose time that is, and that nothing else changes.

use crate::it::common::{self, *};
use crate::it::waiting_for_room::run_logged;
use slcache_core::device::request_log::LoggedRequest;
use slcache_core::hw::config::{CellsConfig, ModeCells};
use slcache_core::metrics::cells::CellRow;
use slcache_core::metrics::components::RETRIES;

pub(super) const PAGE: u64 = 16_384;
pub(super) const USER: u64 = 24 << 20;
const READ_NS: u64 = 60_000;

pub(super) fn cells(config: Value) -> Option<CellsConfig> {
    Some(serde_json::from_value(config).unwrap())
}

/// Half-worn cells whose data are a month old, where a second ages them by a day.
pub(super) fn worn() -> Value {
    json!({
        "age_scale": 86_400.0,
        "start": { "slc": { "cycles": 500, "days": 30.0 }, "tlc": { "cycles": 1500, "days": 30.0 } },
    })
}

/// A device with all of the catalogue's needs whose cells err like that.
pub(super) fn small(scheme: &str, config: Value) -> Setup {
    let mut setup = common::small(scheme);
    setup.device.cells = cells(config);
    setup.precondition.fill = 0.5;
    setup
}

fn run(sim: &mut Simulation, requests: &[Request]) -> Report {
    foresee(sim, requests);
    sim.feed(requests).unwrap();
    sim.finish().unwrap()
}

fn mix(n: usize, gap_ns: f64) -> Vec<Request> {
    random(n, USER, 8, 0.5, gap_ns, 5)
}

fn rows<'a>(report: &'a Report, mode: &'a str) -> impl Iterator<Item = &'a CellRow> {
    report.cells.iter().flat_map(|cells| &cells.reads).filter(move |row| row.mode == mode)
}

/// One plane with a filled device, worn and aged.
fn reader(start: Value, retry: Value) -> Simulation {
    let mut setup = setup(device(pool(1, 1, 16, 16, PAGE as u32), 4 << 20), "tlc-only");
    setup.device.cells = cells(json!({ "variation": 0.0, "start": { "tlc": start }, "retry": retry }));
    let tlc = setup.device.pool[0].tlc.as_mut().unwrap();
    tlc.cells = Some(ModeCells { eps: None, senses: Some(vec![1, 1, 1]) });
    setup.precondition.fill = 1.0;
    begin(&setup)
}

fn log(mut sim: Simulation, requests: &[Request]) -> Vec<LoggedRequest> {
    run_logged(&mut sim, requests).0
}

/// Reads of a whole page by cycles and days: steps, soft, as the specification's table has them.
#[test]
fn a_read_takes_the_steps_of_the_table_and_their_time() {
    let read = [request(0, HostOp::Read, 0, PAGE)];
    let (in_ns, out_ns) = (100, 10 + PAGE);
    for (cycles, days, steps, soft) in
        [(0, 0.0, 0, 0), (0, 90.0, 3, 0), (1000, 30.0, 5, 0), (1000, 180.0, 13, 0), (2000, 365.0, 22, 1)]
    {
        let start = json!({ "cycles": cycles, "days": days });
        let sensings = 1 + steps + 6 * soft;
        let logged = log(reader(start.clone(), json!({})), &read)[0];
        let latency_ns = logged.completed_ns - logged.request.at_ns;
        assert_eq!(latency_ns, in_ns + sensings * (READ_NS + out_ns) + 20_000 * soft, "{cycles} {days}");
        let retry_ns = (sensings - 1) * (READ_NS + out_ns) + 20_000 * soft;
        assert_eq!(logged.components_ns[RETRIES], retry_ns);
        assert_eq!(logged.components_ns[..2], [READ_NS, in_ns + out_ns]);
        // A pipelined ladder of half as long steps.
        let fast = json!({ "time_factor": 0.5, "decode_ns": 1000, "transfer": "last" });
        let logged = log(reader(start, fast), &read)[0];
        let latency_ns = logged.completed_ns - logged.request.at_ns;
        let array_ns = READ_NS + steps * (READ_NS / 2 + 1000) + soft * (6 * READ_NS + 20_000);
        assert_eq!(latency_ns, in_ns + array_ns + out_ns, "{cycles} {days}");
    }
}

#[test]
fn what_cannot_be_corrected_is_an_error_after_all_its_time() {
    let start = json!({ "cycles": 6000, "days": 2000.0 });
    let mut sim = reader(start.clone(), json!({}));
    let report = run(&mut sim, &[0, 1, 2].map(|i| request(i * 10_000_000, HostOp::Read, i * PAGE, PAGE)));
    assert_eq!((report.host.read.requests, report.host.read_errors), (3, Some(3)));
    let row = rows(&report, "tlc").next().unwrap();
    assert_eq!((row.reads, row.errors, row.soft_decodes, row.steps), (3, 3, 3, 72));
    assert_eq!((row.histogram.len(), row.histogram[24]), (25, 3));
    assert_eq!(report.cells.as_ref().unwrap().unreadable_moved, 0);
    // A write of a part of a page reads the rest of it: the host's write is none that reads.
    let mut sim = reader(start, json!({}));
    let report = run(&mut sim, &[request(0, HostOp::Write, 0, 4096)]);
    assert_eq!((report.host.read_errors, report.cells.unwrap().unreadable_moved), (Some(0), 1));
}

#[test]
fn reads_disturb_the_block_they_read() {
    // Two hundred thousand times the disturbance of a read.
    let shape = json!({ "reads": 1e6 });
    let mut setup = setup(device(pool(1, 1, 16, 16, PAGE as u32), 4 << 20), "tlc-only");
    setup.device.cells =
        cells(json!({ "variation": 0.0, "shape": shape, "start": { "tlc": { "cycles": 3000 } } }));
    setup.precondition.fill = 1.0;
    let sim = begin(&setup);
    let log =
        log(sim, &(0..2000).map(|i| request(i * 10_000_000, HostOp::Read, 0, PAGE)).collect::<Vec<_>>());
    let retry_ns: Vec<u64> = log.iter().map(|logged| logged.components_ns[RETRIES]).collect();
    assert!(retry_ns[0] == 0 && retry_ns[1999] > 0 && retry_ns.is_sorted());
}

#[test]
fn equal_seeds_draw_equal_reads_and_others_do_not() {
    let text = |seed: u64| {
        let mut config = worn();
        (config["mode"], config["start"]["tlc"]["days"]) = ("sampled".into(), 2.0.into());
        let mut setup = small("tlc-only", config);
        setup.seed = seed;
        serde_json::to_string(&run(&mut begin(&setup), &mix(2000, 300_000.0)).cells).unwrap()
    };
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}

/// Blocks that pass through both modes wear by each rule as in closed form.
#[test]
fn lives_follow_the_rule() {
    let lives = |wear: &str| {
        let mut setup = small("client", json!({ "wear": wear }));
        let chips = &mut setup.device.pool[0];
        (chips.slc.as_mut().unwrap().endurance_cycles, chips.tlc.as_mut().unwrap().endurance_cycles) =
            (Some(20_000), Some(3000));
        let pages = USER / PAGE;
        let write = |i: u64| request(i * 300_000, HostOp::Write, i % pages * PAGE, PAGE);
        run(&mut begin(&setup), &(0..4 * pages).map(write).collect::<Vec<_>>()).wear
    };
    let wear = lives("damage");
    let [damage, same, apart] = ["damage", "same", "apart"].map(|rule| wear.by_rule[rule]);
    assert!(apart.mean <= damage.mean && damage.mean <= same.mean, "{wear:?}");
    assert!(apart.mean < damage.mean && damage.mean < same.mean, "{wear:?}");
    for (rule, life) in [("damage", damage), ("same", same), ("apart", apart)] {
        let wear = lives(rule);
        assert_eq!((wear.rule, wear.by_rule[rule]), (Some(rule), life));
        assert_eq!(wear.lifetime_host_bytes, Some(life.lifetime_host_bytes));
        assert_eq!(wear.damage.map(|damage| (damage.mean, damage.max)), Some((life.mean, life.max)));
    }
}
