//! Regions and chips of every kind to their end: nothing is lost and nothing stops.

use super::*;

/// The schemes in front of a disk, `nvc` once for each policy.
fn every() -> Vec<(&'static str, Vec<(&'static str, Value)>)> {
    let policy = |policy: u32| ("nvc", vec![("policy", json!(policy))]);
    let mut schemes: Vec<_> = (0..4).map(policy).collect();
    schemes.extend(["nvc-slc-only", "nvc-mlc-only", "disk-only"].map(|scheme| (scheme, vec![])));
    schemes
}

/// Serves random requests on `setup`, with pauses in which the disk falls asleep, and looks after every
/// tenth whether each unit is newest in just one place.
fn survive(setup: &Setup, seed: u64) -> Report {
    let mut sim = fresh(setup);
    let units = 300 * PAGE;
    let mut pause_ns = 0;
    for (i, mut request) in random(1500, units, 6, 0.4, 2_000_000.0, seed).into_iter().enumerate() {
        if i % 100 == 99 {
            pause_ns += ASLEEP / 4 * (i as u64 / 100 % 5);
        }
        request.at_ns += pause_ns;
        sim.feed(&[request]).unwrap();
        if i % 10 == 0 {
            sim.audit().unwrap();
        }
    }
    let report = sim.finish().unwrap();
    sim.audit().unwrap();
    report
}

#[test]
fn the_smallest_regions_lose_nothing_and_never_stop() {
    for (scheme, values) in every() {
        for (blocks, slc) in [(4, 2), (5, 3), (5, 2), (9, 3)] {
            let mut setup = cache(scheme, blocks, &values);
            configure(&mut setup, &[("slc_blocks", json!(slc))]);
            let report = survive(&setup, u64::from(blocks + slc));
            check_volumes(&values, &report);
        }
    }
}

/// What a policy forbids did not happen, and the volumes add up.
fn check_volumes(values: &[(&str, Value)], report: &Report) {
    let figures = &report.scheme.figures;
    let of = |name: &str| figures.get(name).copied().unwrap_or(0.0);
    match values.first().and_then(|(_, policy)| policy.as_u64()) {
        Some(2) => assert_eq!((of("dense_from_slc_bytes"), of("slc_from_dense_bytes")), (0.0, 0.0)),
        Some(3) => assert_eq!((of("slc_from_slc_bytes"), of("dense_from_dense_bytes")), (0.0, 0.0)),
        _ => {}
    }
    for name in ["slc", "dense"] {
        let from = ["slc", "dense", "disk"].map(|from| of(&format!("{name}_from_{from}_bytes")));
        let from_host = match name {
            "dense" => of("dense_from_host_bytes"),
            _ => of("host_bytes") - of("dense_from_host_bytes"),
        };
        if figures.contains_key(&format!("{name}_bytes")) {
            assert_eq!(from.iter().sum::<f64>() + from_host, of(&format!("{name}_bytes")), "{figures:?}");
        }
    }
    let rates = ["dram_hit_rate", "slc_hit_rate", "dense_hit_rate", "miss_rate"].map(of);
    assert!((rates.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{figures:?}");
}

#[test]
fn chips_of_any_kind_lose_nothing_and_never_stop() {
    for (scheme, values) in every() {
        for (planes, page_bytes, one_shot, plp) in
            [(4, 4096, false, true), (1, 16384, true, true), (2, 8192, true, false), (4, 16384, true, false)]
        {
            let mut chips = pool(2, planes, 8, 4, page_bytes);
            if one_shot {
                chips.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
            }
            let mut device = device(chips, 1 << 20);
            device.plp = plp;
            let mut setup = setup(device, scheme);
            configure(&mut setup, &values);
            let report = survive(&setup, u64::from(page_bytes + planes));
            check_volumes(&values, &report);
        }
    }
}

#[test]
fn figures_count_from_time_0_on_and_anew_from_a_snapshot_on() {
    for (scheme, values) in every() {
        let mut setup = cache(scheme, 20, &values);
        setup.precondition.fill = 0.1;
        setup.precondition.overwrite = 0.5;
        let mut sim = fresh(&setup);
        sim.precondition(&mut |_, _| true).unwrap();
        write(&mut sim, 0..10);
        let mut again = crate::it::common::restart::again(&setup, &sim);
        let written = |report: &Report| match scheme {
            "disk-only" => figure(report, "disk_written_bytes"),
            _ => figure(report, "host_bytes"),
        };
        assert_eq!(written(&sim.finish().unwrap()), 10.0 * 4096.0, "{scheme} {values:?}");
        assert_eq!(written(&again.finish().unwrap()), 0.0, "{scheme} {values:?}");
    }
}
