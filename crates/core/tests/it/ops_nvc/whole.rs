//! Regions and chips of every kind to their end: the figures add up.

use super::*;

/// The schemes in front of a disk, `nvc` once for each policy.
fn every() -> Vec<(&'static str, Vec<(&'static str, Value)>)> {
    let policy = |policy: u32| ("nvc", vec![("policy", json!(policy))]);
    let mut schemes: Vec<_> = (0..4).map(policy).collect();
    schemes.extend(["nvc-slc-only", "nvc-mlc-only", "disk-only"].map(|scheme| (scheme, vec![])));
    schemes
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

/// The smallest regions and chips of any kind, with pauses in which the disk falls asleep. That nothing is lost
/// on others, too, the model tests see.
#[test]
fn volumes_add_up_and_nothing_is_lost_on_any_chips() {
    for (scheme, values) in every() {
        let mut setups: Vec<Setup> = [4, 5, 9].map(|blocks| cache(scheme, blocks, &values)).into();
        for (setup, slc) in setups.iter_mut().zip([2, 3, 3]) {
            configure(setup, &[("slc_blocks", json!(slc))]);
        }
        for (planes, page_bytes, plp) in [(4, 4096, true), (2, 8192, false), (4, 16384, false)] {
            let mut chips = pool(2, planes, 8, 4, page_bytes);
            chips.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
            let mut device = device(chips, 1 << 20);
            device.plp = plp;
            setups.push(with(setup(device, scheme), &values));
        }
        for (i, setup) in setups.into_iter().enumerate() {
            let mut requests = random(600, 300 * PAGE, 6, 0.4, 2_000_000.0, i as u64);
            let pause = |(i, request): (u64, &mut Request)| request.at_ns += i / 100 * ASLEEP;
            (0..).zip(&mut requests).for_each(pause);
            check_volumes(&values, &ended(&setup, &requests).1);
        }
    }
}

#[test]
fn figures_count_from_time_0_on_and_anew_from_a_snapshot_on() {
    for (scheme, values) in every() {
        let mut setup = cache(scheme, 20, &values);
        setup.precondition.fill = 0.1;
        setup.precondition.overwrite = 0.5;
        let mut sim = watched(&setup);
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
