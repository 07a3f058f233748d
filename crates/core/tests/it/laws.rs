//! What may be changed about a run without changing a latency: units, names of pages, what comes later, and how
//! a trace is told.

use crate::it::common::*;
use crate::it::conformance::{ageing, all_at_once, behind_a_link, in_flash, mixed, run, small};
use crate::it::waiting_for_room::run_logged;
use crate::it::{map_cache, retirement};
use std::ops::Range;

/// A configuration in other units: what its names tell to be times or sizes is multiplied, and rates with them.
fn in_units<T: serde::Serialize + serde::de::DeserializeOwned>(config: &T, times: f64, sizes: f64) -> T {
    fn visit(name: &str, value: &mut Value, units: (f64, f64)) {
        let (times, sizes) = units;
        match value {
            Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| visit(name, value, units)),
            Value::Array(items) => items.iter_mut().for_each(|item| visit(name, item, units)),
            Value::Number(number) => {
                let factor = match () {
                    _ if name.ends_with("_ns") => times,
                    _ if name.ends_with("ps_per_byte") => times / sizes,
                    _ if name.ends_with("mb_per_s") => sizes / times,
                    _ if name == "bytes" || name.ends_with("_bytes") => sizes,
                    _ => return,
                };
                let scaled = number.as_u64().unwrap() as f64 * factor;
                assert_eq!(scaled.fract(), 0.0, "{name}");
                *value = (scaled as u64).into();
            }
            _ => {}
        }
    }
    let mut value = serde_json::to_value(config).unwrap();
    visit("", &mut value, (times, sizes));
    serde_json::from_value(value).unwrap()
}

/// The requests of a run with their latencies, everything in the units given.
fn log_in_units(setup: &Setup, requests: &[Request], (times, sizes): (u32, u32)) -> Vec<(Request, u64)> {
    let (t, b) = (f64::from(times), f64::from(sizes));
    let setup = Setup {
        device: in_units(&setup.device, t, b),
        scheme: in_units(&setup.scheme, t, b),
        host: in_units(&setup.host, t, b),
        buffer: setup.buffer.as_ref().map(|buffer| in_units(buffer, t, b)),
        ..setup.clone()
    };
    let (times, wide) = (u64::from(times), u64::from(sizes));
    let scaled = |r: &Request| Request {
        at_ns: times * r.at_ns,
        sector: wide * r.sector,
        sectors: sizes * r.sectors,
        ..*r
    };
    let mut sim = begin(&setup);
    sim.precondition(&mut |_, _| true).unwrap();
    sim.keep_log();
    run(&mut sim, &requests.iter().map(scaled).collect::<Vec<_>>());
    let back = |(r, ns): &(Request, u64)| {
        assert_eq!(ns % times, 0, "{} of {r:?}", setup.scheme.name());
        (
            Request { at_ns: r.at_ns / times, sector: r.sector / wide, sectors: r.sectors / sizes, ..*r },
            ns / times,
        )
    };
    sim.log().iter().map(back).collect()
}

/// Units are nothing to the model: neither a time nor a size is written into the source.
#[test]
fn in_other_units_every_latency_is_the_same() {
    // A disk's times are rounded to nanoseconds.
    for (i, entry) in in_flash().enumerate() {
        let makes = [all_at_once, small, behind_a_link, map_cache::in_part];
        for make in makes.into_iter().skip(i % few(2)).step_by(few(2)) {
            let setup = make(entry.name, 20 << 20);
            let requests = random(3000, 20 << 20, 8, 0.4, 300_000.0, 6);
            let expected = log_in_units(&setup, &requests, (1, 1));
            for units in [(2, 1), (1, 2)] {
                let found = log_in_units(&setup, &requests, units);
                let different = expected.iter().zip(&found).position(|(a, b)| a != b);
                let different = different.map(|at| (at, expected[at], found[at]));
                assert_eq!(different, None, "{} of device {i}, units {units:?}", entry.name);
                assert_eq!(expected.len(), found.len(), "{}", entry.name);
            }
        }
    }
}

/// Page-level schemes take no notice of where a page lies in the address space: with the pages renamed, every
/// latency is the same.
#[test]
fn the_names_of_pages_are_nothing_to_schemes_that_map_each() {
    const PAGE: u64 = 16384;
    let pages = (16 << 20) / PAGE;
    let mut rng = RngStream::new(7, "pages");
    let mut at_ns = pages * 3_000_000;
    let fill = (0..pages).map(|page| request(page * 3_000_000, HostOp::Write, page * PAGE, PAGE));
    let mut requests: Vec<_> = fill.collect();
    for _ in 0..4000 {
        at_ns += rng.exponential(600_000.0) as u64;
        let (first, page) = (rng.below(4), rng.below(pages as u32).min(rng.below(pages as u32)));
        let op = if rng.fraction() < 0.4 { HostOp::Read } else { HostOp::Write };
        let bytes = 4096 * u64::from(1 + rng.below(4 - first));
        requests.push(request(at_ns, op, u64::from(page) * PAGE + u64::from(first) * 4096, bytes));
    }
    let renamed = |r: &Request| {
        let (page, within) = (r.sector / (PAGE / 512), r.sector % (PAGE / 512));
        Request { sector: (page * 5 + 77) % pages * (PAGE / 512) + within, ..*r }
    };
    let others: Vec<_> = requests.iter().map(renamed).collect();
    // One maps logical blocks, one learns from where a write goes.
    for entry in in_flash().filter(|entry| !["ust", "classifier"].contains(&entry.name)) {
        for make in [small, behind_a_link] {
            let setup = make(entry.name, 16 << 20);
            let log = |requests: &[Request]| {
                let mut sim = begin(&setup);
                sim.keep_log();
                run(&mut sim, requests);
                sim.log().iter().map(|(r, ns)| (r.at_ns, *ns)).collect::<Vec<_>>()
            };
            let (expected, found) = (log(&requests), log(&others));
            let different = expected.iter().zip(&found).find(|(a, b)| a != b);
            assert_eq!(different, None, "{}", entry.name);
        }
    }
}

/// Effects come after causes: what has ended before a request arrives is the same without that request and all
/// that follow it.
#[test]
fn what_comes_later_changes_nothing_that_has_ended() {
    for (i, entry) in CATALOG.iter().enumerate() {
        let makes = [all_at_once, small, behind_a_link, ageing, map_cache::in_part, retirement::worn];
        for make in makes.into_iter().skip(i % few(3)).step_by(few(3)) {
            let setup = make(entry.name, 24 << 20);
            if setup.scheme.looks_ahead() {
                continue;
            }
            let requests = mixed(setup.device.user_bytes, 9);
            let log = |requests: &[Request]| {
                let mut sim = begin(&setup);
                sim.precondition(&mut |_, _| true).unwrap();
                run_logged(&mut sim, requests).0
            };
            let whole = log(&requests);
            for count in [1, 900, 1499, 2999] {
                let next_ns = whole[count].request.at_ns;
                for (found, expected) in log(&requests[..count]).iter().zip(&whole) {
                    let none_has_ended = expected.completed_ns.min(found.completed_ns) > next_ns;
                    let is_same = none_has_ended || found == expected;
                    assert!(is_same, "{} to {next_ns}: {found:?}, {expected:?}", entry.name);
                }
            }
        }
    }
}

/// Latencies by the number of the request; trims and flushes among them.
fn latencies(setup: &Setup, requests: &[Request]) -> Vec<u64> {
    let mut sim = begin(setup);
    sim.precondition(&mut |_, _| true).unwrap();
    let (log, _) = run_logged(&mut sim, requests);
    log.iter().map(|logged| logged.completed_ns - logged.request.at_ns).collect()
}

/// Each request as those of one page each that come at the same time, with the places of its own.
fn in_pages(requests: &[Request]) -> (Vec<Request>, Vec<Range<usize>>) {
    let (mut pages, mut places) = (Vec::new(), Vec::new());
    for r in requests {
        let begin = pages.len();
        match r.op {
            HostOp::Flush => pages.push(*r),
            _ => pages.extend((0..r.sectors / 32).map(|i| Request {
                sector: r.sector + u64::from(i) * 32,
                sectors: 32,
                ..*r
            })),
        }
        places.push(begin..pages.len());
    }
    (pages, places)
}

/// The requests with others between them, at the same times, in the half of the device that has no data.
fn with_others(requests: &[Request], op: HostOp, half: u64) -> (Vec<Request>, Vec<Range<usize>>) {
    let (mut all, mut places) = (Vec::new(), Vec::new());
    for (i, r) in requests.iter().enumerate() {
        places.push(all.len()..all.len() + 1);
        all.push(*r);
        if i % 7 == 0 {
            all.push(Request { op, sector: half / 512 + i as u64 % 100 * 8, sectors: 24, ..*r });
        }
    }
    (all, places)
}

/// Schemes that look at the size of a request, or count requests.
const BY_REQUEST: [&str; 6] = ["classifier", "dwa", "slc-share", "ust", "hyssd", "hyssd-static"];

/// Makes a device of a size under a scheme.
type Make = fn(&str, u64) -> Setup;

#[test]
fn a_trace_told_otherwise_has_the_same_latencies() {
    let makes: [(&str, Make); 5] = [
        ("plain", small),
        ("all at once", all_at_once),
        ("link", behind_a_link),
        ("ageing", ageing),
        ("map", map_cache::in_part),
    ];
    for (i, entry) in in_flash().enumerate() {
        for (device, make) in makes.into_iter().skip(i % few(2)).step_by(few(2)) {
            let setup = make(entry.name, 24 << 20);
            let half = setup.device.user_bytes / 2;
            let whole_pages = |r: &Request| {
                let sectors = r.sectors.div_ceil(32) * 32;
                Request { sector: (r.sector / 32 * 32).min(half / 512 - u64::from(sectors)), sectors, ..*r }
            };
            let requests: Vec<_> = mixed(half, 9).iter().map(whole_pages).collect();
            let each = |change: fn(u16, &Request) -> Request| {
                let changed: Vec<_> = (0..).zip(&requests).map(|(i, r)| change(i, r)).collect();
                let places = (0..changed.len()).map(|place| place..place + 1).collect();
                (changed, places)
            };
            // With the devices that take it for another trace.
            let ways = [
                ("hints", each(|i, r| Request { hint: i as u8 % 5, ..*r }), &[][..]),
                // A link takes its requests from several queues.
                ("streams", each(|i, r| Request { stream: i % 5, ..*r }), &["link"]),
                // Data age.
                ("later", each(|_, r| Request { at_ns: r.at_ns + 1_000_000_000, ..*r }), &["ageing"]),
                ("trims of nothing", with_others(&requests, HostOp::Trim, half), &[]),
                // A first read may find old data, and crosses the link.
                ("reads of nothing", with_others(&requests, HostOp::Read, half), &["all at once", "link"]),
                // The buffer and the link take time for each request, and blocks are moved between requests.
                ("pages", in_pages(&requests), &["all at once", "link", "ageing"]),
            ];
            let expected = latencies(&setup, &requests);
            for (way, (told, places), not_on) in ways {
                if not_on.contains(&device) || way == "pages" && BY_REQUEST.contains(&entry.name) {
                    continue;
                }
                let found = latencies(&setup, &told);
                for (request, (own, expected)) in places.into_iter().zip(&expected).enumerate() {
                    let last = found[own].iter().max();
                    assert_eq!(last, Some(expected), "{}, {device}, {way}: {request}", entry.name);
                }
            }
        }
    }
}
