//! The presets make the requests they have always made: results hang on them.

use crate::it::common::*;
use crate::it::workload_presets::load;
use slcache_base::request::{HostOp, Request};
use slcache_traces::workload::{is_workload, presets};

/// FNV-1a over numbers.
fn digest(numbers: impl Iterator<Item = u64>) -> u64 {
    let bytes = numbers.flat_map(u64::to_le_bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Of the first 20 000 requests of a workload with seed 1.
fn of_requests(workload: &Workload) -> u64 {
    let fields = |request: Request| {
        let op = u64::from(request.op == HostOp::Write);
        [request.at_ns, request.sector, u64::from(request.sectors), u64::from(request.stream), op]
    };
    digest(workload.generate(1).take(20_000).flat_map(fields))
}

/// Digests over those of the presets of each paper, and of our own.
const DIGESTS: [(&str, u64); 6] = [
    ("own", 0x719d_7762_dc4e_8358),
    ("hierarchy", 0x092f_475f_3660_d82c),
    ("ips", 0xe4a4_12bf_0ab8_e4fc),
    ("rl", 0xd6b6_e945_107c_32b6),
    ("hyssd", 0xa437_4625_8af0_c5e3),
    ("nvc", 0xb846_3dd7_6c63_2788),
];

fn says_what_it_is(name: &str, workload: &Workload) {
    assert!(is_workload(name) && workload.spec().name.as_deref() == Some(name));
    let description = workload.describe();
    assert_eq!(description.kind == "twin", workload.label().starts_with("twin of "), "{name}");
    for (figure, told) in description.figures {
        assert_eq!(told.free.is_some(), format!("{:?}", told.state) == "Free", "{name} {figure}");
    }
}

#[test]
fn presets_make_the_same_requests_as_ever() {
    let mut made: BTreeMap<&str, Vec<(&str, u64)>> = BTreeMap::new();
    for preset in presets() {
        let workload = load(preset.name, &[]);
        says_what_it_is(preset.name, &workload);
        let paper = DIGESTS.iter().find(|(paper, _)| preset.name.starts_with(&format!("{paper}-")));
        let family = paper.map_or("own", |(paper, _)| *paper);
        made.entry(family).or_default().push((preset.name, of_requests(&workload)));
    }
    let digests = made.iter().map(|(family, of)| (*family, digest(of.iter().map(|(_, digest)| *digest))));
    assert_eq!(digests.collect::<BTreeMap<_, _>>(), BTreeMap::from(DIGESTS), "requests moved: {made:x?}");
}

#[test]
fn a_twin_without_what_was_measured_makes_the_requests_it_once_made() {
    for (preset, idle, once) in [
        ("hierarchy-lun1", ("0.9", "50ms"), 0x16e0_c735_6c19_95a0),
        ("hierarchy-web_1", ("0.99", "100ms"), 0xf526_b564_f40c_98a0),
        ("ips-hm_0", ("0.99", "100ms"), 0xe6eb_4399_a690_54e8),
    ] {
        let set = [
            ("twin.class", "none"),
            ("twin.burst_requests", "64"),
            ("twin.idle_share", idle.0),
            ("twin.idle_over_ns", idle.1),
            ("twin.repeated_extent_share", "none"),
            ("twin.writers_per_16kib_page", "none"),
            ("twin.sequential_share", "0.1"),
        ];
        assert_eq!(of_requests(&load(preset, &set)), once, "{preset}");
    }
}
