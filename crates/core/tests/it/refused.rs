//! What the schemes refuse, by key, value and range: one mistake, one problem, as a user gives it and as it
//! is settled.

use crate::it::common::*;
use crate::it::ops_hyssd::{pair, tier, UNIT};
use crate::it::rl::{small, MIB};
use crate::it::separation::separate;
use crate::it::{cells, map_cache, retirement, write_path};

const PAGE: u32 = 4096;

/// A device that suits `scheme`.
fn base(scheme: &str) -> Setup {
    let (chips, user_bytes) = match scheme {
        "rl" => return small(&[]),
        "pair" => return pair("hyssd", &[("goal", json!("lifetime"))]),
        "raro" | "slc-share" => {
            let qlc = Some(mode(140_000, 3_102_000, 3_500_000));
            (PoolConfig { qlc, ..pool(1, 2, 60, 16, PAGE) }, 8 * MIB)
        }
        "nvc" | "nvc-slc-only" | "nvc-mlc-only" => {
            let mlc = Some(mode(40_000, 400_000, 3_000_000));
            (PoolConfig { mlc, ..pool(1, 2, 20, 4, 16384) }, MIB)
        }
        // Two planes of 32 blocks, 8 wordlines of 4 KiB each: 2 MiB in SLC mode.
        "client" => (pool(1, 2, 32, 8, PAGE), MIB),
        // 64 blocks of 8 SLC or 24 TLC pages of 4 KiB, which both tiers share.
        "hyssd" | "hyssd-static" => (pool(1, 1, 64, 8, PAGE), 2 * MIB),
        _ => (pool(2, 2, 24, 16, PAGE), 8 * MIB),
    };
    let mut setup = setup(device(chips, user_bytes), scheme);
    if scheme != "nvc" {
        configure(&mut setup, &[("slc_blocks", json!(6))]);
    }
    setup
}

/// What is said of `setup`, before and after it is settled.
fn problems(setup: &Setup) -> Vec<String> {
    let mut settled = setup.clone();
    settled.scheme.settle(&setup.device);
    assert_eq!(told(setup), told(&settled));
    told(setup)
}

#[track_caller]
fn refused(setup: &Setup, want: &str) {
    let found = problems(setup);
    assert!(found.len() == 1 && found[0].starts_with(want), "{found:#?}, not {want}");
}

#[test]
fn a_value_out_of_its_range() {
    let never = "0: the scheme cleans nothing in idle time";
    let half = "enough for two logical pages and at most 0.5";
    for (scheme, key, value, allowed) in [
        ("hyssd", "utilisation_min", json!(-0.5), "between 0 and 0.5"),
        ("hyssd", "utilisation_min", json!(0.6), "between 0 and 0.5"),
        ("hyssd", "initial_utilisation", json!(0.6), "between 0 and 0.5"),
        ("hyssd", "utilisation_step", json!(0), "between 0.0001 and 1"),
        ("hyssd", "lifetime.step", json!(0), "above 0 and at most 1"),
        ("hyssd", "min_writes", json!(0), "between 1 and 1000000000"),
        ("hyssd", "force_after_writes", json!(0), "between 1 and 1000000000"),
        ("hyssd", "utilisation_max", json!(0.6), half),
        ("hyssd", "utilisation_max", json!(0.001), half),
        ("hyssd", "utilisation_max", json!(-1), half),
        ("hyssd", "fast_blocks", json!(4), "more: 4 blocks of the fast tier"),
        ("hyssd", "unit_bytes", json!(0), "a divisor of the logical page of 4096 bytes"),
        ("hyssd-static", "utilisation", json!(-0.5), "between 0 and 0.5"),
        ("hyssd-static", "utilisation", json!(0.6), "between 0 and 0.5"),
        ("hyssd-static", "period_writes", json!(0), "between 1 and 1000000000"),
        ("hyssd-static", "fast.start_free_blocks", json!(2000), "between 1 and 1024"),
        ("hyssd-static", "dense.start_free_blocks", json!(2000), "between 1 and 1024"),
        ("nvc", "slc_blocks", json!(1), "between 2 and 18"),
        ("nvc", "slc_blocks", json!(19), "between 2 and 18"),
        ("nvc", "dense.cold_share", json!(-0.1), "between 0 and 1"),
        ("nvc", "slc.reserve_share", json!(0.51), "between 0 and 0.5"),
        ("nvc", "policy", json!(4), "between 0 and 3"),
        ("nvc", "dense.stay_invalid_standby", json!(1.1), "between 0 and 1"),
        ("nvc", "large_request_bytes", json!(100), "between 512 and 1073741824"),
        ("nvc-slc-only", "blocks", json!(1), "between 2 and 20"),
        ("nvc-slc-only", "blocks", json!(21), "between 2 and 20"),
        ("client", "dynamic.max_bytes", json!((2 << 20) + 1), "between 0 and 2097152"),
        ("client", "dynamic.share", json!(0), "between 0.01 and 1"),
        ("client", "fold.keep_blocks", json!(1), "between 2 and 30"),
        ("client", "fold.keep_blocks", json!(31), "between 2 and 30"),
        ("client", "fold.stop_blocks", json!(2), "between 3 and 32"),
        ("client", "fold.ratio", json!(9), "between 0 and 8"),
        ("client", "fold.overhead_ns", json!(1_000_000_001), "between 0 and 1000000000"),
        ("client", "static_blocks", json!(30), "between 0 and 29"),
        ("client", "reopen", json!(1.5), "between 0 and 1"),
        ("client", "flush.reopen", json!(-0.1), "between 0 and 1"),
        ("client", "flush.high", json!(-0.5), "between 0 and 1"),
        ("client", "flush.low", json!(0.8), "at most flush.high, which is 0.75"),
        ("client", "flush.busy_ratio", json!(5), "between 0 and 4"),
        ("rl", "slc_share_max", json!(0.96), "between 0.01 and 0.95"),
        ("rl", "slc_share_max", json!(0), "between 0.01 and 0.95"),
        ("rl", "slc_share_max", json!(0.015), "a share that is 1 to 62 of the 64 blocks of a plane"),
        ("rl", "dense_spare_share", json!(-0.01), "between 0 and 0.9"),
        ("rl", "dense_spare_share", json!(0.91), "between 0 and 0.9"),
        ("rl", "slc_blocks_min", json!(36), "between 0 and 35"),
        ("clairvoyant", "plan_share", json!(1.1), ""),
        ("clairvoyant", "plan_share", json!(-0.1), ""),
        ("clairvoyant", "stay_share", json!(1), ""),
        ("clairvoyant", "windows", json!(0), ""),
        ("clairvoyant", "windows", json!(5), ""),
        ("clairvoyant", "window_pages", json!(0), ""),
        ("clairvoyant", "slc_blocks", json!(2), ""),
        ("baseline", "slc.idle_free_ratio", json!(0.2), never),
        ("baseline", "dense.idle_free_ratio", json!(0.1), never),
        ("sa", "dense.idle_free_ratio", json!(0.1), never),
        ("sector", "slc.idle_free_ratio", json!(0.2), never),
        ("hierarchy", "dense.idle_free_ratio", json!(0.1), never),
        ("turbo-write", "dense.idle_free_ratio", json!(0.1), never),
    ] {
        let setup = with(base(scheme), &[(key, value.clone())]);
        refused(&setup, &format!("scheme.{scheme}.{key} = {value}: must be {allowed}"));
    }
}

#[test]
fn what_is_no_number_or_contradicts_another_key() {
    let table = |pairs: Value| json!({ "dynamic.rule": "table", "dynamic.table": pairs });
    let wait = json!({ "merge.wait": "until-full", "merge.acknowledge": "on-program" });
    let waits_for_ever = "merge.acknowledge = on-program: must be on-buffer or on-fill";
    let long_ladder = Vec::from_iter((1..=65).map(|rung| rung * 65536));
    let one_rung = "initial_theta_bytes = 65536: must be one of 4096, 16384 (theta_ladder_bytes)";
    for (scheme, values, want) in [
        (
            "nvc",
            json!({ "slc.stay_invalid": 0.3 }),
            "slc.stay_marked_invalid = 0.4: must be between 0 and 0.3",
        ),
        ("nvc", json!({ "dense_mode": "slc" }), "dense_mode = slc: "),
        ("nvc", json!({ "dense_mode": "mlc" }), ""),
        ("nvc-mlc-only", json!({ "dense_mode": "qlc" }), "dense_mode = qlc: "),
        ("nvc-mlc-only", json!({ "dense_mode": "mlc" }), ""),
        ("client", table(json!([[0.0, 1 << 20], [0.5, 1 << 19], [1.0, 0]])), ""),
        (
            "client",
            table(json!([[0.0, 1000], [0.5, 2000]])),
            "dynamic.table = (0.0, 1000) before (0.5, 2000)",
        ),
        ("client", table(json!([[0.5, 1000], [0.5, 900]])), "dynamic.table = "),
        ("client", table(json!([[0.0, 3 << 20]])), "dynamic.table = 3145728: must be between 0 and 2097152"),
        ("client", table(json!([[1.5, 0]])), "dynamic.table = 1.5: must be between 0 and 1"),
        ("client", table(json!([])), "dynamic.table = empty: must be at least one pair"),
        ("client", json!({ "dynamic.rule": "table" }), "dynamic.table = absent"),
        ("client", json!({ "fold.path": "chip" }), "fold.path = chip: must be auto or controller"),
        ("client", json!({ "full": "through", "fold.host": "dense" }), "fold.host = dense: must be slc"),
        ("rl", json!({ "theta_ladder_bytes": [] }), "theta_ladder_bytes = ["),
        ("rl", json!({ "theta_ladder_bytes": [0, 65536] }), "theta_ladder_bytes = ["),
        ("rl", json!({ "theta_ladder_bytes": [65536, 65536] }), "theta_ladder_bytes = ["),
        ("rl", json!({ "theta_ladder_bytes": [4000, 65536] }), "theta_ladder_bytes = ["),
        ("rl", json!({ "theta_ladder_bytes": [65536, 1_u64 << 31] }), "theta_ladder_bytes = ["),
        ("rl", json!({ "theta_ladder_bytes": long_ladder }), "theta_ladder_bytes = ["),
        ("rl", json!({ "theta_ladder_bytes": [4096, 16384] }), one_rung),
        (
            "rl",
            json!({ "slc_share_max": 0.1, "slc_blocks_min": 7 }),
            "slc_blocks_min = 7: must be between 0 and 6",
        ),
        (
            "rl",
            json!({ "slc_share_max": 0.1, "initial_slc_blocks": 7 }),
            "initial_slc_blocks = 7: must be between 0 and 6",
        ),
        ("raro", json!({ "min_retries": [8, 4] }), "min_retries"),
        ("raro", json!({ "min_retries": [1] }), "min_retries"),
        ("raro", json!({ "warm_reads": 9 }), "warm_reads"),
        ("slc-share", json!({ "shares_percent": vec![56; 10] }), "shares_percent"),
        ("slc-share", json!({ "shares_percent": vec![0; 11] }), "shares_percent"),
        ("slc-share", json!({ "shares_percent": vec![96; 11] }), "shares_percent"),
        ("sa", wait.clone(), waits_for_ever),
        ("sector", wait.clone(), waits_for_ever),
        ("hierarchy", wait, waits_for_ever),
    ] {
        let values: Vec<_> =
            values.as_object().unwrap().iter().map(|(k, v)| (k.as_str(), v.clone())).collect();
        let setup = with(base(scheme), &values);
        match want {
            "" => assert_eq!(problems(&setup), [""; 0], "{values:?}"),
            _ => refused(&setup, &format!("scheme.{scheme}.{want}")),
        }
    }
    // What the key leaves of the device is less than the user's data.
    refused(&with(base("client"), &[("static_blocks", json!(29))]), "device.user_bytes = ");
    refused(&with(base("rl"), &[("slc_blocks_min", json!(30))]), "device.user_bytes = ");
}

/// A device in which `at`, a pointer into its document or that of its buffer, may stand.
fn around(at: &str) -> Setup {
    match at.split('/').nth(1).unwrap() {
        "disk" => setup(device(pool(1, 1, 4, 4, PAGE), 8 << 30), "disk-only"),
        "cells" | "map" => {
            let mut setup = cells::small("tlc-only", json!({ "bad_blocks": { "retire": true } }));
            setup.device.map = map_cache::cached("tlc-only", 4).device.map;
            setup
        }
        "controller" | "buffer" => write_path::wordlines_in_stripes(),
        _ => {
            let mut setup = cells::small("tlc-only", json!({}));
            setup.device.pool[0].plane_parallelism = PlaneParallelism::MultiPlane;
            setup
        }
    }
}

/// Of every section of a device a value that it cannot have, and what is told: the key, where it is another, the
/// value and the range.
#[test]
fn a_device_that_cannot_be() {
    const LATE: &str = "first-plane-without-spare";
    let (s, long) = (1_000_000_000u64, 1_000_000_001u64);
    let mut untold = Vec::new();
    for (at, value, want) in [
        ("/cells/drift", json!(0.5), "0.5: "),
        ("/cells/variation", json!(2.0), "2: "),
        ("/cells/age_scale", json!(-1.0), "-1: "),
        ("/cells/retry/step", json!(0.0), "0: "),
        ("/cells/retry/max_steps", json!(64), "64: "),
        ("/cells/code/soft_errors", json!(71), "71: "),
        ("/cells/code/soft_errors", json!(3277), "3277: "),
        ("/cells/start", json!({ "qlc": { "cycles": 1 } }), ".qlc = present: "),
        ("/cells/start", json!({ "tlc": { "days": -1.0 } }), ".tlc.days = -1: "),
        // Times of a read with all its steps are counted in 32 bits, on the channel too.
        ("/cells/retry/decode_ns", json!(50_000_000), "device.cells.retry = "),
        ("/pool/0/tlc/read_ns", json!([100_000_000]), "at most 1000000000 ns"),
        ("/pool/0/bus/ps_per_byte", json!(1_000_000), "holds the channel for at most 1000000000 ns"),
        ("/pool/0/bus/program_command_ns", json!(u32::MAX), "holds the channel for 4295000063 ns: "),
        ("/pool/0/slc/endurance_cycles", json!(null), "none: must be given"),
        ("/pool/0/tlc/cells", json!({ "senses": [1, 2] }), ".senses = [1, 2]: "),
        ("/cells/bad_blocks/factory_bad", json!(-0.1), "-0.1: "),
        ("/cells/bad_blocks/factory_bad", json!(1.0), "1: must be 0 to below 1"),
        ("/cells/bad_blocks/spare_blocks", json!(25), "25: must be 0 to 24"),
        (
            "/cells/bad_blocks",
            json!({ "spare_blocks": 1 }),
            ".spare_blocks = 1: must be 0 where no block retires",
        ),
        ("/cells/bad_blocks", json!({ "end_of_life": LATE }), ".end_of_life = first-plane-without-spare: "),
        ("/map/cache_bytes", json!(511), "511: "),
        ("/map/cache_bytes", json!((1_u64 << 38) + 1), "274877906945: must be between"),
        ("/map/page_bytes", json!(3000), "3000: "),
        ("/map/page_bytes", json!(32768), "32768: "),
        ("/map/entry_bytes", json!(0), "0: "),
        ("/map/mode", json!("qlc"), "qlc: "),
        ("/map/blocks", json!(1), "1: must be between 2 and"),
        ("/disk/rpm", json!(0), "0: must be between 1000 and"),
        (
            "/disk/track_seek_ns",
            json!(8_000_001),
            "8000001: must be at most average_seek_ns, which is 8000000",
        ),
        ("/disk/average_seek_ns", json!(2 * s), "2000000000: "),
        ("/disk/mb_per_s", json!(0), "0: must be between 1 and"),
        ("/disk/overhead_ns", json!(2 * s), "2000000000: must be between 0 and 1000000000"),
        ("/disk/power/active_mw", json!(2_000_000), "2000000: must be between 0 and 1000000"),
        ("/disk/power/idle_mw", json!(2501), "2501: must be at most active_mw, which is 2500"),
        ("/disk/power/standby_mw", json!(801), "801: must be at most idle_mw, which is 800"),
        ("/disk/power/idle_after_ns", json!(0), "0: must be between 1 and"),
        ("/disk/power/standby_after_ns", json!(0), "0: must be between 1 and"),
        ("/disk/power/spin_up_ns", json!(0), "device.disk.power.spin_up_mj = 5000: "),
        ("/disk/power/from_idle_ns", json!(0), "device.disk.power.from_idle_mj = 1150: "),
        ("/disk/power/spin_down_ns", json!(61 * s), "61000000000: "),
        ("/buffer/bytes", json!(212_991), "212991: must be at least 212992, a stripe"),
        ("/buffer/stripe_planes", json!(0), "0: must be between 1 and 4096"),
        ("/buffer/stripe_planes", json!(5), "5: must be at most 4, the planes there are"),
        ("/buffer/stripes_in_flight", json!(0), "0: must be between 1 and 65536"),
        ("/buffer/flush_after_ns", json!(999), "999: must be between 1000 and 1"),
        ("/controller/commands_per_s", json!(0), "0: must be between 1 and 100000000"),
        ("/controller/flush_ns", json!(1), "1: must be 0 with device.plp = true"),
        ("/controller/read_ns", json!(long), "1000000001: must be between 0 and 1000000000"),
    ] {
        let mut setup = around(at);
        assert_eq!(told(&setup), [""; 0], "{at}");
        let mut whole = json!({ "device": setup.device, "buffer": setup.buffer });
        let at = if at.starts_with("/buffer") { at.to_owned() } else { format!("/device{at}") };
        let (section, last) = at.rsplit_once('/').unwrap();
        whole.pointer_mut(section).unwrap()[last] = value.clone();
        setup.device = serde_json::from_value(whole["device"].take()).unwrap();
        setup.buffer = serde_json::from_value(whole["buffer"].take()).unwrap();
        let found = told(&setup);
        let key = at[1..].replace("/0/", "[0]/").replace("/[0]", "[0]").replace('/', ".");
        // What begins with a number or a word is said of the key itself, a key behind a dot lies in it.
        let want = match want {
            other if ["device.", "at most", "holds"].iter().any(|begin| other.starts_with(begin)) => {
                want.to_owned()
            }
            inner if inner.starts_with('.') => format!("{key}{want}"),
            _ => format!("{key} = {want}"),
        };
        if !found.iter().any(|told| told.contains(&want)) {
            untold.push((at, value, found));
        }
    }
    assert!(untold.is_empty(), "{untold:#?}");
    let mut senses = cells::small("tlc-only", json!({}));
    senses.device.pool[0].tlc.as_mut().unwrap().cells =
        serde_json::from_value(json!({ "senses": [1, 1, 1] })).unwrap();
    senses.device.cells = None;
    refused(&senses, "device.pool[0].tlc.cells = present: must be left out without device.cells");
    let found = told(&retirement::small("nvc", 3000, json!({ "retire": true })));
    assert!(
        found[0].starts_with("device.cells.bad_blocks = present: must be left out beside a disk"),
        "{found:?}"
    );
}

#[test]
fn what_two_tiers_cannot_be_made_of() {
    for (key, value, allowed) in [
        ("utilisation_max", json!(0.8), "enough for two logical pages and at most 0.75"),
        ("utilisation_min", json!(0.76), "between 0 and 0.75"),
        ("unit_bytes", json!(0), "a divisor of the logical page of 8192 bytes"),
        ("unit_bytes", json!(6144), "a divisor of the logical page of 8192 bytes"),
        ("unit_bytes", json!(2048), "a multiple of the mapping unit of 4096 bytes"),
        ("fast_blocks", json!(8), "left out: on a device of two pools each tier is a pool"),
    ] {
        let setup = with(base("pair"), &[(key, value.clone())]);
        refused(&setup, &format!("scheme.hyssd.{key} = {value}: must be {allowed}"));
    }
    refused(&with(base("pair"), &[("fast_mode", json!("mlc"))]), "scheme.hyssd.fast_mode = mlc: must be ");
    type Change = fn(&mut Setup);
    let changes: [(Change, &str); 7] = [
        (|_| (), ""),
        (|s| s.device.pool.push(tier("third", 16, PAGE, CellMode::Slc)), "device.pool = 3 pools: must be"),
        (|s| drop(s.device.pool.remove(0)), "device.pool[0]"),
        (|s| s.device.pool[0].blocks = 4, "device.pool[0].blocks = 4: must be more: 4 blocks of a plane"),
        (
            |s| s.device.pool[1].tlc.as_mut().unwrap().endurance_cycles = None,
            "device.pool[1].tlc.endurance_cycles = not given: must be 1 or more",
        ),
        (
            |s| s.device.pool[0].slc.as_mut().unwrap().endurance_cycles = Some(0),
            "device.pool[0].slc.endurance_cycles = 0: must be between 1 and",
        ),
        (
            |s| (s.device.pool[0].page_bytes, s.device.piece_bytes) = (16384, UNIT as u32),
            "scheme.hyssd.unit_bytes = 8192: must be a multiple of the 16384 bytes of a page of pool \"fast\"",
        ),
    ];
    for (change, want) in changes {
        let mut setup = base("pair");
        change(&mut setup);
        match want {
            "" => assert_eq!(problems(&setup), [""; 0]),
            _ => refused(&setup, want),
        }
    }
}

/// More data than both tiers hold are refused with what they hold, and that is accepted.
#[test]
fn more_data_than_two_tiers_hold() {
    // 60 dense blocks of 24 pages with 4 held back, and a twentieth of the 4 x 8 fast pages there are; or 14
    // blocks of 12 units, and 1 unit at a utilisation of 0.05, less a logical page in both.
    let shared = with(base("hyssd"), &[("fast_blocks", json!(5))]);
    let most = u64::from(PAGE) * ((59 - 4) * 24 + 2 - 1);
    let fewer = "fewer scheme.hyssd.fast_blocks leave it more";
    let held_back = "held back for frontiers and cleaning";
    for (mut setup, most, piece, why) in
        [(shared, most, u64::from(PAGE), fewer), (base("pair"), 168 * UNIT, UNIT, held_back)]
    {
        for (bytes, want) in [(most, 0), (most + piece, 1)] {
            setup.device.user_bytes = bytes;
            let found = problems(&setup);
            assert_eq!(found.len(), want, "{bytes}: {found:?}");
            let want = format!("device.user_bytes = {bytes}: must be at most {most}: ");
            assert!(found.iter().all(|told| told.starts_with(&want) && told.ends_with(why)), "{found:?}");
        }
    }
}

#[test]
fn a_fold_or_a_copy_back_that_no_chip_has() {
    let fold = |fold: Value| {
        let mut setup = base("client");
        setup.device.pool[0].tlc.as_mut().unwrap().fold = serde_json::from_value(fold).unwrap();
        setup
    };
    assert_eq!(problems(&fold(json!({}))), [""; 0]);
    refused(&fold(json!({ "program_ns": 999_999_999 })), "device.pool[0].tlc.fold = 1000059999 ns");
    refused(&fold(json!({ "read_ns": 0 })), "device.pool[0].tlc.fold.read_ns = 0");
    let mut slc = base("client");
    slc.device.pool[0].slc.as_mut().unwrap().fold = Some(Default::default());
    refused(&slc, "device.pool[0].slc.fold = present");
    for (ns, program, is_refused) in [
        (0, "per-page", true),
        (1, "per-page", false),
        (1_000_000_000, "per-page", false),
        (1_000_000_001, "per-page", true),
        (5, "one-shot", true),
    ] {
        let mut setup = base("tlc-only");
        let tlc = setup.device.pool[0].tlc.as_mut().unwrap();
        (tlc.copyback_ns, tlc.program) = (Some(ns), serde_json::from_value(json!(program)).unwrap());
        match is_refused {
            true => refused(&setup, &format!("device.pool[0].tlc.copyback_ns = {ns}: ")),
            false => assert_eq!(problems(&setup), [""; 0]),
        }
    }
}

#[test]
fn a_scheme_where_its_data_have_no_home() {
    for entry in CATALOG {
        let mut setup = setup(device(pool(1, 2, 20, 4, 16384), MIB), entry.name);
        (setup.device.disk, setup.device.user_bytes) = match setup.device.disk {
            Some(_) => (None, MIB),
            None => (Some(disk()), 1 << 30),
        };
        let home = if entry.on_disk { "device.disk = absent" } else { "device.disk = present" };
        assert!(told(&setup).iter().any(|problem| problem.starts_with(home)), "{}", entry.name);
    }
}

#[test]
fn what_cannot_be_separated() {
    let plain = |scheme: &str, blocks| setup(device(pool(1, 1, blocks, 2, 16384), MIB), scheme);
    let cached = |scheme: &str| with(plain(scheme, 256), &[("slc_blocks", json!(12))]);
    let (clean, chain) = ("clean.separation", |classes: u32| json!({ "age-chain": { "classes": classes } }));
    let one_frontier = with(cached("baseline"), &[("dense.separate_frontier", json!(false))]);
    for (setup, key, rule, want) in [
        (plain("tlc-only", 120), clean, json!("sepbit"), ""),
        (plain("tlc-only", 119), clean, json!("sepbit"), clean),
        (plain("tlc-only", 40), clean, chain(2), ""),
        (plain("tlc-only", 40), clean, chain(3), clean),
        (one_frontier, "dense.separation", json!("sepbit"), "dense.separate_frontier"),
        (cached("baseline"), "slc.separation", json!("sepbit"), "slc.separation"),
        (cached("custom"), "dense.separation", json!("sepbit"), "dense.separation"),
        (
            plain("tlc-only", 400),
            clean,
            json!({ "streams": { "classes": 9 } }),
            "clean.separation.streams.classes",
        ),
    ] {
        let mut setup = setup;
        separate(&mut setup, key, &rule);
        let keys: Vec<_> = setup.check().into_iter().map(|problem| problem.key).collect();
        let want = (!want.is_empty()).then(|| format!("scheme.{}.{want}", setup.scheme.name()));
        assert_eq!(keys, Vec::from_iter(want), "{key} {rule}");
    }
}

#[test]
fn regions_that_cannot_be() {
    let slc = |name: &str, blocks: u32| json!({ "name": name, "mode": "slc", "blocks": blocks });
    let (b, many) = (json!({ "name": "b" }), 4_000_000_000);
    for (regions, key) in [
        (json!([slc("a", 2), slc("a", 2), b]), "scheme.custom.regions[1].name"),
        (json!([slc("", 2), b]), "scheme.custom.regions[0].name"),
        (json!([slc("a", 2)]), "scheme.custom.regions"),
        (json!([slc("a", 2), b, { "name": "c", "mode": "mlc" }]), "scheme.custom.regions"),
        (json!([slc("a", 0), b]), "scheme.custom.regions"),
        (json!([slc("a", many), slc("c", many), b]), "scheme.custom.regions"),
        (json!([slc("a", 20), b]), "device.user_bytes"),
    ] {
        let found = with(base("custom"), &[("regions", regions.clone())]).check();
        assert!(found.iter().any(|problem| problem.key == key), "{regions}: {found:?}");
    }
    crate::it::common::hosted::register();
    let both = with(base("custom"), &[("source", json!("random:1")), ("regions", json!([b]))]).check();
    assert!(both.iter().any(|problem| problem.key == "scheme.custom.regions"), "{both:?}");
}
