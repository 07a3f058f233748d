//! Did it change? Small runs whose every figure is fixed, one file a scheme in `golden/`.
//!
//! A golden proves sameness, not rightness. After an intended change, `make golden` rewrites them;
//! the changelog's Results section says what moved and why.

use crate::common::{file, layers};
use slcache_core::schemes::CATALOG;
use slcache_sim::traces::synthetic::{uniform, Arrivals, UniformWorkload};
use slcache_sim::traces::write_text;
use slcache_sim::{execute, trace_options, RunRequest};
use std::path::PathBuf;

fn workload(footprint_bytes: u64) -> String {
    let requests = uniform(&UniformWorkload {
        requests: 5_000,
        footprint_bytes,
        size_bytes: 8192,
        read_share: 0.4,
        arrivals: Arrivals::Poisson { mean_gap_ns: 600_000.0 },
        seed: 7,
    });
    let mut text = Vec::new();
    write_text("mqsim", &requests.unwrap(), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// The device of schemes that pack pages: `tiny` with pages of four mapping units, four times its size.
const FOUR_UNITS: [&str; 2] = ["device.pool[0].page_bytes=16384", "device.user_bytes=13312KiB"];

/// What a scheme's golden changes in `tiny`, whose pages are mapping units.
fn sets(scheme: &str) -> &'static [&'static str] {
    match scheme {
        "tlc-only" | "baseline" => &[],
        _ => &FOUR_UNITS,
    }
}

/// The run's figures without what depends on the machine, the build or the moment.
fn figures(scheme: &str) -> String {
    let footprint_bytes = if sets(scheme).is_empty() { 512 << 10 } else { 2 << 20 };
    let file = file(&workload(footprint_bytes), ".trace");
    let request = RunRequest {
        trace: file.path().to_str().unwrap().into(),
        trace_options: trace_options([("format", "mqsim")]).unwrap(),
        layers: layers("tiny", scheme, sets(scheme)),
        ..RunRequest::default()
    };
    let mut document = execute(&request, &mut |_, _, _| true).unwrap();
    let sections = document.as_object_mut().unwrap();
    sections.retain(|key, _| ["host", "flash", "waf", "wear", "scheme"].contains(&key.as_str()));
    let mut text = serde_json::to_string_pretty(&document).unwrap();
    text.push('\n');
    text
}

#[test]
fn golden_figures_have_not_moved() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden");
    for scheme in CATALOG {
        let path = folder.join(format!("{}.json", scheme.name));
        let now = figures(scheme.name);
        if std::env::var("SLCACHE_GOLDEN").as_deref() == Ok("write") {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &now).unwrap();
        }
        let before = std::fs::read_to_string(&path)
            .unwrap_or_else(|_| panic!("no golden for {}: run make golden", scheme.name));
        let line = before.lines().zip(now.lines()).position(|(a, b)| a != b);
        assert!(
            before == now,
            "{} moved from line {:?}: {:?} to {:?}; if intended, run make golden and say why in CHANGELOG.md",
            scheme.name,
            line.map(|l| l + 1),
            line.and_then(|l| before.lines().nth(l)),
            line.and_then(|l| now.lines().nth(l)),
        );
    }
}
