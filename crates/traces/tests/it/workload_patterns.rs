//! Patterns do what their keys say, the same on every machine.

use crate::it::common::*;

fn load(text: &str) -> Workload {
    Workload::parse("w.toml", text, &BTreeMap::new()).unwrap_or_else(|error| panic!("{error}"))
}

fn make(text: &str, count: usize) -> Vec<Request> {
    load(text).generate(11).take(count).collect()
}

fn share(requests: &[Request], hit: impl Fn(&Request) -> bool) -> f64 {
    requests.iter().filter(|request| hit(request)).count() as f64 / requests.len() as f64
}

#[test]
fn a_seed_makes_its_own_requests_and_the_same_each_time() {
    for name in ["zipf-4k", "bursty-desktop", "hierarchy-hm_0"] {
        let workload = Workload::load(name, &BTreeMap::new()).unwrap();
        assert!(workload.generate(1).take(3).eq(workload.generate(1).take(3)), "{name}");
        assert!(!workload.generate(2).take(3).eq(workload.generate(1).take(3)), "{name}");
    }
}

#[test]
fn shares_sizes_and_bounds_are_kept() {
    let requests = make(
        r#"footprint_bytes = "64MiB"
        offset_bytes = "1GiB"
        [global]
        rw = "randrw"
        rwmixread = 70
        bs = "8k,16k,1M"
        trim_share = 0.1
        flush_share = 0.05
        unaligned_share = 0.25"#,
        100_000,
    );
    // Four standard deviations of 100 000 draws are 0.0064 at most.
    let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 0.0064, "{found} {wanted}");
    near(share(&requests, |r| r.op == HostOp::Flush), 0.05);
    near(share(&requests, |r| r.op == HostOp::Trim), 0.95 * 0.1);
    near(share(&requests, |r| r.op == HostOp::Read), 0.95 * 0.9 * 0.7);
    near(share(&requests, |r| r.op == HostOp::Write), 0.95 * 0.9 * 0.3);
    near(share(&requests, |r| r.sector % 16 != 0), 0.95 * 0.25);
    for request in &requests {
        let sectors = match request.op {
            HostOp::Read => 16,
            HostOp::Write => 32,
            HostOp::Trim => 2048,
            HostOp::Flush => 0,
        };
        assert_eq!(request.sectors, sectors);
        let inside = request.sector >= 1 << 21 && request.end_sector() <= (1 << 21) + (1 << 17);
        assert!(inside || request.op == HostOp::Flush, "{request:?}");
    }
}

#[test]
fn uniform_places_are_uniform() {
    let requests = make("footprint_bytes = \"400KiB\"\n[global]\nrw = \"randread\"", 100_000);
    let mut counts = [0f64; 100];
    requests.iter().for_each(|request| counts[(request.sector / 8) as usize] += 1.0);
    let chi_square: f64 = counts.iter().map(|count| (count - 1000.0) * (count - 1000.0) / 1000.0).sum();
    // 99 degrees of freedom: 148 is exceeded once in a thousand times.
    assert!(chi_square < 148.0, "{chi_square}");
}

#[test]
fn sequential_goes_round_and_round() {
    let requests = make("footprint_bytes = \"10KiB\"\n[global]\nrw = \"write\"\nbs = \"4k\"", 5);
    let sectors: Vec<u64> = requests.iter().map(|request| request.sector).collect();
    assert_eq!(sectors, [0, 8, 0, 8, 0]);
}

#[test]
fn part_of_a_random_stream_can_be_sequential() {
    let text = "footprint_bytes = \"1GiB\"\n[global]\nrw = \"randwrite\"\npercentage_random = 40";
    let requests = make(text, 50_000);
    let pairs: Vec<&[Request]> = requests.windows(2).collect();
    let following = pairs.iter().filter(|pair| pair[0].end_sector() == pair[1].sector).count();
    let following = following as f64 / pairs.len() as f64;
    assert!((following - 0.6).abs() < 0.009, "{following}");
}

#[test]
fn streams_mix_by_weight_and_keep_to_their_parts() {
    let requests = make(
        r#"footprint_bytes = "2GiB"
        [global]
        bs = "4k"
        [[stream]]
        weight = 3
        rw = "randwrite"
        size = "1GiB"
        [[stream]]
        stream = 7
        rw = "read"
        bs = "64k"
        offset = "1GiB""#,
        100_000,
    );
    assert!((share(&requests, |r| r.stream == 0) - 0.75).abs() < 0.0055);
    for request in requests {
        let first = request.stream == 0;
        assert_eq!(request.op, if first { HostOp::Write } else { HostOp::Read });
        assert_eq!(request.sectors, if first { 8 } else { 128 });
        assert_eq!(request.sector < 1 << 21, first);
    }
}

#[test]
fn a_flush_follows_every_so_many_writes() {
    let requests = make("footprint_bytes = \"1GiB\"\n[global]\nrw = \"randrw\"\nfsync = 3", 10_000);
    let mut writes = 0;
    for request in requests {
        match request.op {
            HostOp::Write => writes += 1,
            HostOp::Flush => assert_eq!(std::mem::take(&mut writes), 3),
            _ => assert!(writes < 3),
        }
    }
}

#[test]
fn bounds_end_the_workload() {
    let timed = "footprint_bytes = \"1GiB\"\nduration_ns = \"1s\"\n\
                 [arrivals]\nprocess = \"constant\"\nrate_iops = 100\n[global]\nrw = \"randread\"";
    let (workload, counted) =
        (load(timed), load("requests = 7\nfootprint_bytes = 4096\n[global]\nrw = \"read\""));
    assert!(workload.bounded() && counted.bounded());
    assert_eq!((workload.generate(1).count(), counted.generate(1).count()), (100, 7));
    assert!(!load("footprint_bytes = 4096\n[global]\nrw = \"read\"").bounded());
}

#[test]
fn canonical_text_forgets_how_values_were_written() {
    let a = load("name = \"a\"\nfootprint_bytes = \"1GiB\"\n[global]\nrw = \"read\"");
    let b = load("footprint_bytes = 1073741824\n[global]\nrw = \"read\"");
    let c = load("footprint_bytes = \"2GiB\"\n[global]\nrw = \"read\"");
    assert_eq!(a.canonical(), b.canonical());
    assert_ne!(a.canonical(), c.canonical());
    assert!(load(&a.canonical()).generate(1).take(100).eq(a.generate(1).take(100)));
}
