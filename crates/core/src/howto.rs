//! The how-to's scheme is as its page prints it, and it runs.

use crate::base::request::{HostOp, Request};
use crate::device::config::TracePolicy;
use crate::device::{Setup, Simulation};
use crate::schemes::SchemeConfig;
use serde_json::json;

const PAGE: &str = include_str!("../../../CONTRIBUTING.md");
const LISTING: &str = include_str!("schemes/example.rs");

#[test]
fn the_how_to_prints_the_scheme() {
    assert!(PAGE.contains(&format!("```rust\n{LISTING}```\n")), "copy example.rs into the how-to");
}

/// Two planes with 4 SLC blocks of 8 pages and 12 dense blocks of 24 pages each.
fn setup() -> Setup {
    let mode = |read_ns: u32, program_ns: u32| json!({ "read_ns": [read_ns], "program_ns": [program_ns], "erase_ns": 3_000_000 });
    let pool = json!({
        "name": "nand", "channels": 1, "chips": 1, "dies": 1, "planes": 2, "blocks": 16, "wordlines": 8,
        "page_bytes": 4096, "bus": { "ps_per_byte": 1000 },
        "slc": mode(20_000, 200_000), "tlc": mode(60_000, 800_000),
    });
    let device = json!({ "name": "small", "user_bytes": 1 << 20, "pool": [pool] });
    let scheme = json!({ "example": { "slc_blocks": 4 } });
    Setup {
        device: serde_json::from_value(device).unwrap(),
        scheme: serde_json::from_value::<SchemeConfig>(scheme).unwrap(),
        host: Default::default(),
        buffer: None,
        precondition: Default::default(),
        trace: TracePolicy::default(),
        seed: 1,
    }
}

#[test]
fn the_how_tos_scheme_keeps_every_write() {
    let setup = setup();
    let mut sim = Simulation::new(&setup).unwrap();
    sim.track_versions();
    // Four times the cache, over and over the same pages.
    let writes = |from: u64| -> Vec<Request> {
        let page = |i: u64| Request {
            at_ns: i * 5_000_000,
            sector: i * 7 % 200 * 8,
            sectors: 8,
            stream: 0,
            hint: 0,
            op: HostOp::Write,
        };
        (from..from + 256).map(page).collect()
    };
    sim.feed(&writes(0)).unwrap();
    let report = sim.finish().unwrap();
    sim.audit().unwrap();
    assert_eq!((report.host.write.requests, report.scheme.name.as_str()), (256, "example"));
    let saved = serde_json::to_string(&sim.save()).unwrap();
    let from = &mut serde_json::Deserializer::from_str(&saved);
    let mut restored = Simulation::restore(&setup, from).unwrap();
    restored.feed(&writes(256)).unwrap();
    restored.finish().unwrap();
    restored.audit().unwrap();
}
