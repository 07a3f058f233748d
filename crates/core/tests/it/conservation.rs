//! Nothing appears and nothing is lost: latencies, programs, bytes and time series add up.

use crate::it::cells::cells;
use crate::it::common::*;
use crate::it::waiting_for_room::run_logged;
use slcache_core::device::config::{PartReads, ReadTransfer};
use slcache_core::device::request_log::LoggedRequest;
use slcache_core::hw::controller_config::ControllerConfig;
use slcache_core::hw::disk::config::AtStart;
use slcache_core::metrics::components::components;
use slcache_core::metrics::report::{HostOpReport, MapReport, OpRow};
use std::cell::{Cell, RefCell};
use std::sync::LazyLock;

const USER: u64 = 24 << 20;

/// Devices on which every part of a latency occurs, cleaning, contention, reads in the way, and that differ in one
/// thing each, by name.
pub fn variants(scheme: &str) -> Vec<(String, Setup)> {
    let mut all = vec![("plain".to_owned(), small(scheme))];
    let mut add = |name: &str, change: &dyn Fn(&mut Setup)| {
        let mut setup = small(scheme);
        change(&mut setup);
        all.push((name.to_owned(), setup));
    };
    add("one-shot", &|s| s.device.pool[0].tlc.as_mut().unwrap().program = ProgramRule::OneShot);
    add("one-shot without power-loss protection", &|s| {
        s.device.pool[0].tlc.as_mut().unwrap().program = ProgramRule::OneShot;
        s.device.plp = false;
    });
    add("copy-back", &|s| {
        let pool = &mut s.device.pool[0];
        pool.slc.as_mut().unwrap().copyback_ns = Some(220_000);
        pool.tlc.as_mut().unwrap().copyback_ns = Some(860_000);
        (pool.suspend.program, pool.suspend.max_suspends) = (true, 3);
    });
    add("multi-plane", &|s| s.device.pool[0].plane_parallelism = PlaneParallelism::MultiPlane);
    add("serial planes", &|s| s.device.pool[0].plane_parallelism = PlaneParallelism::Serial);
    add("suspension", &|s| {
        let suspend = &mut s.device.pool[0].suspend;
        (suspend.program, suspend.erase, suspend.max_suspends) = (true, true, 3);
        (suspend.suspend_ns, suspend.resume_ns) = (5_000, 7_000);
    });
    add("reads wait for programs", &|s| s.device.inflight_read = InflightRead::Wait);
    add("reads of whole pages, part by part", &|s| {
        (s.device.read_transfer, s.device.part_reads) = (ReadTransfer::Page, PartReads::InTurn);
    });
    add("starvation bound", &|s| s.device.starvation_ns = 2_000_000);
    add("closed replay", &|s| (s.host.replay, s.host.queue_depth) = (Replay::Closed, 16));
    add("bounded queue", &|s| s.host.queue_depth = 8);
    let buffer = |acknowledge, fill_on_read| {
        Some(BufferConfig { acknowledge, access_ns: 1000, fill_on_read, ..BufferConfig::new(1 << 20) })
    };
    add("write-back buffer", &|s| s.buffer = buffer(Acknowledge::OnBuffer, false));
    add("write-back buffer that reads fill", &|s| s.buffer = buffer(Acknowledge::OnBuffer, true));
    add("write-back buffer that is emptied at once", &|s| {
        s.buffer = buffer(Acknowledge::OnBuffer, false);
        s.buffer.as_mut().unwrap().write_back = WriteBack::AtOnce;
    });
    add("write-back buffer that is emptied in stripes, behind a controller", &|s| {
        s.device.plp = false;
        s.device.controller = Some(ControllerConfig {
            read_ns: 7_000,
            jitter_ns: 2_000,
            write_ns: 11_000,
            flush_ns: 300_000,
            commands_per_s: Some(2_000),
        });
        s.buffer = Some(BufferConfig {
            write_back: WriteBack::AtOnce,
            stripe_planes: 2,
            stripes_in_flight: Some(1),
            run_overhead_ns: 40_000,
            ..BufferConfig::new(1 << 20)
        });
    });
    add("write-through buffer", &|s| s.buffer = buffer(Acknowledge::OnProgram, false));
    add("host link", &|s| {
        s.host.link = Some(LinkConfig {
            lanes: 1,
            lane_mb_per_s: 100,
            payload_bytes: 256,
            header_bytes: 26,
            read_overhead_ns: 11,
            write_overhead_ns: 17,
        });
    });
    add("small buffer that many ask", &|s| {
        (s.host.replay, s.host.queue_depth) = (Replay::Closed, 32);
        s.buffer = Some(BufferConfig::new(32 << 10));
    });
    let map = |moves| {
        let map = json!({ "cache_bytes": 2048, "page_bytes": 512, "moves": moves });
        Some(serde_json::from_value(map).unwrap())
    };
    add("mapping cache", &|s| s.device.map = map("charged"));
    add("mapping cache below a buffer, unprotected", &|s| {
        (s.device.map, s.device.plp, s.buffer) = (map("free"), false, buffer(Acknowledge::OnBuffer, true));
        s.device.map.as_mut().unwrap().access_ns = 700;
    });
    for mode in ["expected", "sampled"] {
        add(&format!("cells that err, {mode}"), &|s| {
            s.device.cells = cells(json!({ "mode": mode, "age_scale": 1e6 }));
        });
    }
    if all[0].1.device.disk.is_some() {
        let mut asleep = small(scheme);
        asleep.device.disk.as_mut().unwrap().at_start = AtStart::Standby;
        all.push(("disk in standby".to_owned(), asleep));
    }
    all
}

/// Reads, writes of whole and partial units, trims and flushes, dense enough to queue up.
pub fn mix(n: usize) -> Vec<Request> {
    let mut rng = RngStream::new(3, "mix");
    let mut at = 0.0;
    (0..n)
        .map(|_| {
            at += rng.exponential(400_000.0);
            let sectors = 1 + rng.below(100);
            let first = rng.below((USER / 512) as u32 - sectors);
            let op = match rng.below(100) {
                0..=49 => HostOp::Write,
                50..=93 => HostOp::Read,
                94..=97 => HostOp::Trim,
                _ => return request(at as u64, HostOp::Flush, 0, 0),
            };
            request(at as u64, op, u64::from(first) * 512, u64::from(sectors) * 512)
        })
        .collect()
}

/// Every scheme on every variant, run once for all the questions that are asked of it.
static RUNS: LazyLock<Vec<(String, Simulation, Report)>> = LazyLock::new(|| {
    let requests = mix(6000);
    let run = |(name, setup): (String, Setup)| {
        let mut sim = Simulation::new(&setup).unwrap_or_else(|problems| panic!("{problems:?}"));
        let (log, report) = run_logged(&mut sim, &requests);
        assert_eq!(log.len(), requests.len(), "{name}");
        for (number, logged) in log.iter().enumerate() {
            let request = Request { at_ns: logged.request.at_ns, ..requests[number] };
            assert_eq!((logged.number, logged.request), (number as u64, request), "{name}");
            assert!(request.at_ns <= logged.admitted_ns, "{name}: {logged:?}");
        }
        assert_told(&name, &log, &report);
        (name, sim, report)
    };
    // Each scheme on every other variant, beginning elsewhere, and behind a small buffer.
    let of = |(i, scheme): (usize, &'static str)| {
        let is_chosen = move |(j, (name, _)): &(usize, (String, Setup))| {
            j % few(2) == i % few(2) || name.starts_with("small buffer")
        };
        let some = variants(scheme).into_iter().enumerate().filter(is_chosen);
        some.map(move |(_, (name, setup))| (format!("{scheme} {name}"), setup))
    };
    CATALOG.iter().map(|entry| entry.name).enumerate().flat_map(of).map(run).collect()
});

/// The parts of each request add up to its latency to the nanosecond, and over all requests to what is told.
pub fn assert_told(name: &str, log: &[LoggedRequest], report: &Report) {
    for logged in log {
        let latency_ns = logged.completed_ns - logged.request.at_ns;
        assert_eq!(logged.components_ns.iter().sum::<u64>(), latency_ns, "{name}: {logged:?}");
    }
    for (op, host) in [(HostOp::Read, &report.host.read), (HostOp::Write, &report.host.write)] {
        for (i, component) in components().enumerate() {
            let of_op = log.iter().filter(|logged| logged.request.op == op);
            let sum_ns: u64 = of_op.map(|logged| logged.components_ns[i]).sum();
            let parts = &host.attribution_us;
            let parts = if component.is_service { &parts.service } else { &parts.wait };
            let told_us = parts.get(component.name).copied().unwrap_or(0.0);
            assert_near(&format!("{name} {}", component.name), sum_ns as f64 / 1000.0, told_us);
        }
    }
}

fn check_all(check: impl Fn(&str, &Simulation, &Report, &[Request])) {
    let requests = mix(6000);
    for (name, sim, report) in RUNS.iter() {
        check(name, sim, report, &requests);
    }
}

fn assert_near(name: &str, got: f64, want: f64) {
    assert!((got - want).abs() <= want.abs() * 1e-9, "{name}: {got} is not {want}");
}

#[test]
fn waiting_and_service_add_up_to_the_latency() {
    let (kinds, retries) = (RefCell::new(BTreeSet::new()), Cell::new(0));
    check_all(|name, _, report, _| {
        for host in [&report.host.read, &report.host.write] {
            let parts = &host.attribution_us;
            let sum: f64 = parts.service.values().chain(parts.wait.values()).sum();
            assert_near(name, sum, parts.total);
            let mean_us = host.latency_us.as_ref().map_or(0.0, |us| us.mean);
            assert_near(name, parts.total, mean_us * host.requests as f64);
            assert!(parts.service.values().chain(parts.wait.values()).all(|&us| us >= 0.0), "{name}");
            kinds.borrow_mut().extend(parts.wait.keys().cloned());
            // What kept a buffer full is known.
            let untold = parts.wait.get("buffer").copied().unwrap_or(0.0);
            let kept = parts.wait.iter().filter(|(kind, _)| kind.starts_with("buffer-"));
            let is_known = untold <= 0.01 * kept.map(|(_, us)| us).sum::<f64>();
            assert!(is_known || !name.contains("small buffer"), "{name}: {:?}", parts.wait);
        }
        let retried = report.host.read.attribution_us.service.get("retry").is_some_and(|&us| us > 0.0);
        assert!(!retried || name.contains("cells that err"), "{name}");
        retries.set(retries.get() + usize::from(retried));
    });
    // Each kind of waiting occurs somewhere, but for some causes and some that keep a buffer full, and there is no
    // other.
    assert!(retries.get() > CATALOG.len() / few(2) / 2, "{retries:?}");
    let known: BTreeSet<&str> = components().filter(|part| !part.is_service).map(|part| part.name).collect();
    let kinds = kinds.into_inner();
    assert!(kinds.iter().all(|kind| known.contains(kind.as_str())), "{kinds:?}");
    let is_other =
        |kind: &str| kind.starts_with("buffer-") || Cause::ALL.iter().any(|cause| cause.name() == kind);
    assert!(known.iter().all(|kind| is_other(kind) || kinds.contains(*kind)), "{kinds:?}");
    let flash = ["host", "rmw", "migration", "gc", "flush", "promote", "fill"];
    let others = ["channel", "order", "disk", "merge", "stripe"];
    let missing = flash.iter().chain(&others).filter(|kind| !kinds.contains(&format!("buffer-{kind}")));
    assert_eq!(missing.collect::<Vec<_>>(), [&""; 0]);
}

#[test]
fn every_request_and_every_byte_is_booked_once() {
    check_all(|name, _, report, requests| {
        let of = |op: HostOp| requests.iter().filter(move |r| r.op == op);
        for (op, host) in [(HostOp::Read, &report.host.read), (HostOp::Write, &report.host.write)] {
            assert_eq!(host.requests, of(op).count() as u64, "{name}");
            assert_eq!(host.bytes, of(op).map(Request::bytes).sum::<u64>(), "{name}");
        }
        assert_eq!(report.host.trim.requests, of(HostOp::Trim).count() as u64, "{name}");
        assert_eq!(report.host.trim.bytes, of(HostOp::Trim).map(Request::bytes).sum::<u64>(), "{name}");
        assert_eq!(report.host.flush.requests, of(HostOp::Flush).count() as u64, "{name}");
        // A flash page has 16 KiB, and is read whole only where that is said.
        let reads = || report.flash.ops.iter().filter(|row| row.kind == "read" && row.cause != "map");
        let whole: u64 = reads().map(|row| row.pages * 16384).sum();
        let bytes: u64 = reads().map(|row| row.bytes).sum();
        assert!(
            bytes <= whole && (bytes == whole || !name.contains("whole pages")),
            "{name}: {bytes} {whole}"
        );
    });
}

/// What runs at a time are planes, or dies whose planes take turns.
#[test]
fn operations_take_no_more_than_the_time_there_is() {
    let busiest = RefCell::new(0.0);
    check_all(|name, _, report, _| {
        let until_us = report.flash.ops_until_ns as f64 / 1e3;
        let units = if name.contains("serial planes") { 2.0 } else { 4.0 };
        let share = report.flash.ops.iter().map(|row| row.time_us).sum::<f64>() / until_us / units;
        assert!(share <= 1.0 + 1e-9 || report.flash.ops.is_empty(), "{name}: {share}");
        let disk_us = report.disk.iter().flat_map(|disk| &disk.ops).map(|op| op.time_us).sum::<f64>();
        assert!(disk_us <= until_us + 1e-3, "{name}: {disk_us} of {until_us}");
        // What was read crosses a link behind its operation.
        let has_all = report.host.duration_ns <= report.flash.ops_until_ns || name.contains("host link");
        assert!(has_all || report.flash.ops.is_empty(), "{name}");
        busiest.replace_with(|most| f64::max(*most, share));
    });
    assert!(busiest.into_inner() > 0.5, "nothing was tried");
}

#[test]
fn what_a_mapping_cache_does_adds_up() {
    check_all(|name, _, report, _| {
        let Some(map) = &report.map else { return };
        mapped(name, map, report);
        let moves = ["migration", "gc", "agc", "promote"];
        let moved = report.flash.ops.iter().any(|op| op.kind == "program" && moves.contains(&op.cause));
        assert_eq!(map.look_ups_for_moves > 0, moved && !name.contains("below a buffer"), "{name} {map:?}");
    });
}

pub fn mapped(name: &str, map: &MapReport, report: &Report) {
    assert_eq!(map.hits + map.misses, map.look_ups, "{name}");
    assert!(map.reads <= map.misses && map.cached <= map.capacity, "{name} {map:?}");
    assert_eq!(map.evicted_clean + map.evicted_dirty, map.misses - map.cached, "{name} {map:?}");
    let of =
        |kind: &'static str| report.flash.ops.iter().filter(move |op| op.kind == kind && op.cause == "map");
    let (programs, pages): (u64, u64) = of("program").fold((0, 0), |(n, p), op| (n + op.count, p + op.pages));
    assert_eq!(programs, pages, "{name}");
    // A page that is changed again while it waits to be programmed is programmed once.
    assert!(programs <= map.evicted_dirty + map.moved, "{name} {map:?} {programs}");
    assert_eq!(of("erase").map(|op| op.count).sum::<u64>(), map.erases, "{name}");
}

/// Pages still in place in blocks of `mode`, and those that its erases took, had every block been full.
fn pages_in_state(sim: &Simulation, mode: CellMode, pages_per_block: u64) -> (u64, u64) {
    let array = sim.media().array();
    array.used_blocks().fold((0, 0), |(here, erased), block| {
        let record = array.block(block);
        let holds = record.state() != BlockState::Free && record.mode() == mode;
        let pages = u64::from(record.write_ptr()) * u64::from(holds);
        (here + pages, erased + u64::from(array.erases(block, mode)) * pages_per_block)
    })
}

#[test]
fn counted_operations_are_those_the_state_remembers() {
    check_all(|name, sim, report, _| {
        for mode in [CellMode::Slc, CellMode::Tlc] {
            // Translation pages have blocks of their own.
            let of_data = |row: &&OpRow| row.mode == mode.name() && row.cause != "map";
            let rows = || report.flash.ops.iter().filter(of_data);
            let pages: u64 = rows().filter(|row| stores(row)).map(|row| row.pages).sum();
            assert_eq!(pages, sim.media().array().stored(mode), "{name}");
            let erases: u64 = rows().filter(|row| row.kind == "erase").map(|row| row.count).sum();
            let array = sim.media().array();
            let worn: u64 = array.used_blocks().map(|block| u64::from(array.erases(block, mode))).sum();
            assert_eq!(erases, worn, "{name}");
            let in_wear: u64 =
                report.wear.pools.iter().filter(|r| r.mode == mode.name()).map(|r| r.erases).sum();
            assert_eq!(in_wear, worn, "{name}");
            let Some(by_mode) = report.wear.by_mode.get(mode.name()) else { continue };
            // A disk's device may write nothing to flash.
            let all = report.flash.ops.iter().filter(|row| row.kind == "erase" && row.mode == mode.name());
            let bytes = all.map(|row| row.count).sum::<u64>() * 16 * u64::from(mode.bits()) * 16384;
            let factor = by_mode.erase_factor.unwrap();
            assert_near(name, factor * report.host.write.bytes as f64, bytes as f64);
            // Programs wear, whether erased by now or not; so does what is erased before it is full.
            let (here, erased) = pages_in_state(sim, mode, 16 * u64::from(mode.bits()));
            let rows = report.wear.pools.iter().filter(|row| row.mode == mode.name());
            let cycles: f64 = rows.map(|row| row.cycles).sum();
            assert_near(name, cycles * 16.0 * f64::from(mode.bits()), (here + erased) as f64);
        }
    });
}

fn stores(row: &OpRow) -> bool {
    ["program", "reprogram", "copy-back"].contains(&row.kind)
}

#[test]
fn every_page_counted_is_in_place_or_was_erased() {
    check_all(|name, sim, report, _| {
        let two_layer = report.flash.ops.iter().any(|row| row.kind == "reprogram");
        let data = || report.flash.ops.iter().filter(|row| stores(row) && row.cause != "map");
        let (mut here, mut gone) = (0, 0);
        for mode in [CellMode::Slc, CellMode::Tlc] {
            // 16 wordlines of one or three pages.
            let (held, erased) = pages_in_state(sim, mode, 16 * u64::from(mode.bits()));
            let pages: u64 = data().filter(|row| row.mode == mode.name()).map(|row| row.pages).sum();
            // Plain blocks are erased only when full, two-layer blocks and those of a logical block also before.
            assert!(two_layer || name.starts_with("ust") || pages == held + erased, "{name} {mode:?}");
            (here, gone) = (here + held, gone + erased);
        }
        let pages: u64 = data().map(|row| row.pages).sum();
        assert!(pages >= here && pages <= here + gone, "{name}");
        let slots: u64 = report.flash.slots.iter().map(|row| row.count).sum();
        let programs = report.flash.ops.iter().filter(|row| stores(row) && row.cause != "pad");
        let full: u64 = programs.map(|row| row.pages).sum();
        assert!(slots >= full && slots <= full * 4, "{name}: {slots} slots in {full} pages");
    });
}

/// A life is what the host wrote by the share of it that was used, and some block is no less worn than
/// the mean one.
#[test]
fn a_life_is_what_was_written_by_what_was_used_of_it() {
    check_all(|name, _, report, _| {
        let Some(damage) = &report.wear.damage else { return };
        let host = report.host.write.bytes as f64;
        assert_near(name, report.wear.lifetime_host_bytes.unwrap() * damage.mean, host);
        assert_near(name, report.wear.lifetime_most_worn_host_bytes.unwrap() * damage.max, host);
        assert!(damage.max >= damage.mean * (1.0 - 1e-12), "{name}");
        let used = damage.modes.iter().map(|mode| report.wear.by_mode[mode].percent_used.unwrap());
        assert_near(name, used.sum::<f64>(), 100.0 * damage.mean);
    });
}

#[test]
fn write_amplification_is_the_sum_of_its_causes_and_modes() {
    check_all(|name, _, report, _| {
        let (waf, host) = (&report.waf, report.host.write.bytes as f64);
        assert_near(name, waf.by_cause.values().sum(), waf.total);
        assert_near(name, waf.by_mode.values().sum(), waf.total);
        let bytes = |mode: Option<&str>| -> f64 {
            let rows =
                report.flash.ops.iter().filter(|row| stores(row) && mode.is_none_or(|m| row.mode == m));
            rows.map(|row| row.bytes as f64).sum()
        };
        waf.by_mode.iter().for_each(|(mode, factor)| assert_near(name, factor * host, bytes(Some(mode))));
        assert_near(name, waf.total * host, bytes(None));
        // By cause it is that of the units programmed, and padding what is left empty.
        let slots = |cause: &str| {
            let rows = report.flash.slots.iter().filter(|row| row.cause == cause);
            4096.0 * rows.map(|row| row.count).sum::<u64>() as f64
        };
        let empty = bytes(None) - Cause::ALL.iter().map(|cause| slots(cause.name())).sum::<f64>();
        for cause in Cause::ALL {
            let expected = if cause == Cause::Pad { empty } else { slots(cause.name()) };
            let share = waf.by_cause.get(cause.name()).copied().unwrap_or(0.0);
            assert_near(&format!("{name}, {}", cause.name()), share * host, expected);
        }
    });
}

fn check_host_columns(name: &str, report: &Report, op: &str, host: &HostOpReport) {
    let sum = |column: &str| report.series.columns[&format!("{op}_{column}")].counts().iter().sum::<u64>();
    assert_eq!(sum("requests"), host.requests, "{name}");
    assert_eq!(sum("bytes"), host.bytes, "{name}");
    assert_near(name, sum("latency_ns_sum") as f64 / 1000.0, host.attribution_us.total);
    let longest = report.series.columns[&format!("{op}_latency_ns_max")].latencies();
    let longest = longest.iter().copied().flatten().max().map_or(0.0, |ns| ns as f64 / 1000.0);
    assert_near(name, longest, host.latency_us.as_ref().map_or(0.0, |us| us.max));
}

#[test]
fn every_time_series_sums_to_its_total() {
    check_all(|name, sim, report, _| {
        check_host_columns(name, report, "read", &report.host.read);
        check_host_columns(name, report, "write", &report.host.write);
        for cause in Cause::ALL {
            let rows = sim.counters().iter().filter(|r| r.kind.stores() && r.cause == cause);
            let pages: u64 = rows.map(|row| row.totals.pages).sum();
            let column = report.series.columns.get(&format!("program_pages_{}", cause.name()));
            assert_eq!(column.map_or(0, |c| c.counts().iter().sum()), pages, "{name} {cause:?}");
        }
        let erases = sim.counters().iter().filter(|row| row.kind == OpKind::Erase);
        let erases: u64 = erases.map(|row| row.totals.count).sum();
        assert_eq!(report.series.columns["erases"].counts().iter().sum::<u64>(), erases, "{name}");
    });
}
