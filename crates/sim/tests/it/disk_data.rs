//! No data are lost on the presets with a disk, made small: DRAM, flash and disk as they are meant to work
//! together, with pauses in which the disk falls asleep.

use crate::common::resolved;
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::rng::RngStream;
use slcache_core::base::Mu;
use slcache_core::device::Simulation;

/// Bytes that the host uses, several times what the flash holds.
const USED: u64 = 32 << 20;
/// What makes a preset small, and lets writes cover units in part.
const SMALL: [&str; 5] = [
    "device.user_bytes=64MiB",
    "device.pool[0].blocks=10",
    "device.pool[0].wordlines=8",
    "buffer.bytes=256KiB",
    "trace.sub_mu=rmw",
];

/// The schemes, each with its settings.
const SCHEMES: [(&str, &[&str]); 9] = [
    ("nvc", &["policy=0"]),
    ("nvc", &["policy=1"]),
    ("nvc", &["policy=2"]),
    ("nvc", &["policy=3"]),
    ("nvc", &["slc_blocks=2", "flush_clean=true"]),
    ("nvc", &["slc_blocks=8"]),
    ("nvc-slc-only", &["blocks=2"]),
    ("nvc-mlc-only", &[]),
    ("disk-only", &[]),
];

/// Requests of a few KiB in bursts, most of them to an eighth of the space, with pauses of up to 20 s.
fn requests(seed: u64) -> Vec<Request> {
    let mut rng = RngStream::new(seed, "disk data");
    let mut at_ns = 0.0;
    let request = |i| {
        at_ns += rng.exponential(5e6);
        if i % 100 == 99 {
            at_ns += 5e8 + rng.fraction() * 2e10;
        }
        let op = match rng.below(20) {
            0 => {
                return Request {
                    at_ns: at_ns as u64,
                    sector: 0,
                    sectors: 0,
                    stream: 0,
                    hint: 0,
                    op: HostOp::Flush,
                }
            }
            1 => HostOp::Trim,
            2..=8 => HostOp::Read,
            _ => HostOp::Write,
        };
        let (is_large, is_far) = (rng.below(8) == 0, rng.below(4) == 0);
        let sectors = 1 + rng.below(if is_large { 200 } else { 20 });
        let space = (USED / 512) as u32 / if is_far { 1 } else { 8 };
        let sector = u64::from(rng.below(space - sectors));
        Request { at_ns: at_ns as u64, sector, sectors, stream: 0, hint: 0, op }
    };
    (0..3000).map(request).collect()
}

/// Of each mapping unit, whether it holds data in the end.
fn present(requests: &[Request], mus: usize, mu_sectors: u64) -> Vec<bool> {
    let mut present = vec![false; mus];
    for request in requests {
        let (first, end) = (request.sector, request.end_sector());
        match request.op {
            HostOp::Write => {
                present[(first / mu_sectors) as usize..end.div_ceil(mu_sectors) as usize].fill(true);
            }
            // Units that lie wholly in the range.
            HostOp::Trim => {
                let whole = first.div_ceil(mu_sectors)..end / mu_sectors;
                whole.for_each(|mu| present[mu as usize] = false);
            }
            HostOp::Read | HostOp::Flush => {}
        }
    }
    present
}

fn loses_nothing(preset: &str, scheme: &str, settings: &[&str], seed: u64) {
    let config = resolved(preset, scheme, &[&SMALL, settings].concat());
    let mut sim = Simulation::new(&config.setup()).unwrap_or_else(|problems| panic!("{problems:?}"));
    sim.track_versions();
    let requests = requests(seed);
    for batch in requests.chunks(100) {
        sim.feed(batch).unwrap();
        sim.audit().unwrap();
    }
    let report = sim.finish().unwrap();
    sim.audit().unwrap();
    assert_eq!(sim.timing().ops_in_flight(), 0);
    let media = sim.media();
    let mu_sectors = u64::from(media.array().geometry.mu_bytes) / 512;
    for (mu, present) in present(&requests, media.mus() as usize, mu_sectors).into_iter().enumerate() {
        let version = media.read_version(Mu(mu as u32));
        assert_eq!(version != 0, present, "{preset} {scheme} {settings:?}: unit {mu}");
        assert_eq!(
            version,
            media.versions().unwrap().newest[mu],
            "{preset} {scheme} {settings:?}: unit {mu}"
        );
    }
    let disk = report.disk.expect("what the disk did");
    assert!(
        report.scheme.figures["disk_written_bytes"] > 0.0 && report.scheme.figures["dram_hit_rate"] > 0.0
    );
    assert!(disk.spin_ups > 5, "{preset} {scheme} {settings:?}: the disk slept and woke");
}

#[test]
fn presets_with_a_disk_lose_nothing() {
    for preset in ["nvc-hdd", "nvc-7200"] {
        for (scheme, settings) in SCHEMES {
            loses_nothing(preset, scheme, settings, 1);
        }
    }
}
