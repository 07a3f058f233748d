//! The device against a naive flash translation layer: a map from mapping unit to version.
//!
//! Without a DRAM buffer every write must give each of its units a version newer than any before,
//! and reads must return it until the next; with one, rewrites merge in the buffer, so after the
//! buffer is written back the same units must hold data and the audit proves that each maps to its
//! newest version.

mod common;

use common::{configure, device, request, setup, versatile_pool};
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, RngSeed};
use serde_json::json;
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::Mu;
use slcache_core::device::config::{Acknowledge, BufferConfig, InflightRead, SubMu};
use slcache_core::device::{Setup, Simulation};
use slcache_core::ftl::config::{MergeAcknowledge, Placement, Victim, WearLevelling};
use slcache_core::ftl::gather::Gather;
use slcache_core::hw::config::{PlaneParallelism, ProgramRule};
use slcache_core::schemes::{FullPieces, Quota, Trigger, CATALOG};
use std::collections::HashMap;

/// Requests between two audits: the devices are tiny, so after every one.
const BATCH: usize = 1;

/// The naive translation layer.
#[derive(Default)]
struct Model {
    /// Version of each unit as the device numbered it when it was written.
    versions: HashMap<u32, u32>,
    /// The newest of all.
    last: u32,
}

impl Model {
    /// Applies a request that the device has just taken and numbered as `newest` says, if it does.
    fn apply(&mut self, request: &Request, newest: Option<&[u32]>) {
        let (first, end) = (request.sector, request.end_sector());
        match request.op {
            HostOp::Write => {
                let mus = first / 8..end.div_ceil(8);
                let before = self.last;
                for mu in mus {
                    let version = newest.map_or(1, |newest| newest[mu as usize]);
                    assert!(newest.is_none() || version > before, "unit {mu} was not written");
                    self.last = self.last.max(version);
                    self.versions.insert(mu as u32, version);
                }
            }
            // Only units that lie wholly in the range are unused.
            HostOp::Trim => (first.div_ceil(8)..end / 8).for_each(|mu| {
                self.versions.remove(&(mu as u32));
            }),
            HostOp::Read | HostOp::Flush => {}
        }
    }

    fn check(&self, sim: &Simulation, exact: bool) {
        let newest = &sim.media().versions().unwrap().newest;
        for mu in 0..sim.media().mus() {
            let want = self.versions.get(&mu).copied().unwrap_or(0);
            let got = sim.media().read_version(Mu(mu));
            assert_eq!(got, newest[mu as usize], "unit {mu} reads an old version");
            if exact {
                assert_eq!(got, want, "unit {mu}");
            } else {
                assert_eq!(got != 0, want != 0, "unit {mu} reads {got}, model {want}");
            }
        }
    }
}

/// One choice of everything the FTL offers, on a tiny device.
#[derive(Clone, Debug)]
struct Choice {
    scheme: &'static str,
    slots: u32,
    planes: u32,
    one_shot: bool,
    parallelism: PlaneParallelism,
    victim: Victim,
    placement: Placement,
    wear_levelling: WearLevelling,
    separate_frontier: bool,
    buffer: Option<Acknowledge>,
    plp: bool,
    sub_mu: SubMu,
    inflight_read: InflightRead,
    trigger: Trigger,
    merge_acknowledge: MergeAcknowledge,
    gather: Gather,
    full_pieces: FullPieces,
    quota: Quota,
    idle_scope: &'static str,
}

fn choices() -> impl Strategy<Value = Choice> {
    use prop::sample::select;
    let shape = (
        select(CATALOG.iter().map(|entry| entry.name).collect::<Vec<_>>()),
        select(vec![1, 4]),
        1..=4u32,
        any::<bool>(),
        select(vec![PlaneParallelism::Independent, PlaneParallelism::MultiPlane, PlaneParallelism::Serial]),
        select(vec![InflightRead::Buffer, InflightRead::Wait]),
        select(vec!["plane", "device"]),
    );
    let victims =
        vec![Victim::Greedy, Victim::Fifo, Victim::Random, Victim::CostBenefit, Victim::DChoices { d: 3 }];
    let policy = (
        select(victims),
        select(vec![Placement::Static, Placement::RoundRobin, Placement::LeastLoaded]),
        select(vec![WearLevelling::Fifo, WearLevelling::Dynamic]),
        any::<bool>(),
    );
    let host = (
        select(vec![None, Some(Acknowledge::OnBuffer), Some(Acknowledge::OnProgram)]),
        any::<bool>(),
        select(vec![SubMu::Round, SubMu::Rmw]),
    );
    let mixed = (
        select(vec![Trigger::FreeBlocks, Trigger::ValidShare]),
        select(vec![MergeAcknowledge::OnProgram, MergeAcknowledge::OnBuffer]),
        select(vec![Gather::All, Gather::VictimOnly]),
        select(vec![FullPieces::Packed, FullPieces::OwnPage]),
        select(vec![Quota::Hard, Quota::Soft]),
    );
    (shape, policy, host, mixed).prop_map(|(s, p, h, m)| Choice {
        trigger: m.0,
        merge_acknowledge: m.1,
        gather: m.2,
        full_pieces: m.3,
        quota: m.4,
        scheme: s.0,
        slots: s.1,
        planes: s.2,
        one_shot: s.3,
        parallelism: s.4,
        inflight_read: s.5,
        idle_scope: s.6,
        victim: p.0,
        placement: p.1,
        wear_levelling: p.2,
        separate_frontier: p.3,
        buffer: h.0,
        plp: h.1,
        sub_mu: h.2,
    })
}

/// The tiny device of a choice with the largest user capacity it accepts.
fn tiny(choice: &Choice) -> Setup {
    let page_bytes = choice.slots * 4096;
    let mut flash = versatile_pool(1, choice.planes, 12, 4, page_bytes);
    flash.plane_parallelism = choice.parallelism;
    if choice.one_shot {
        flash.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    }
    // Of 12 blocks with 12 dense pages, 4 are the cache; 2 frontiers and 2 free are held back.
    let mut bare = setup(device(flash.clone(), 1 << 20), choice.scheme);
    let cache = 4 * configure(&mut bare, &[("slc_blocks", 4.into())]) as u32;
    let usable = 12 - 4 - cache;
    let user_bytes = u64::from(choice.planes * usable * 12 * page_bytes);
    let mut setup = setup(device(flash, user_bytes), choice.scheme);
    (setup.device.plp, setup.device.inflight_read) = (choice.plp, choice.inflight_read);
    setup.trace.sub_mu = choice.sub_mu;
    let bytes = u64::from(4 * page_bytes);
    setup.buffer = choice.buffer.map(|acknowledge| BufferConfig { bytes, acknowledge, access_ns: 1000 });
    configure(
        &mut setup,
        &[
            ("slc_blocks", 4.into()),
            ("placement", json!(choice.placement)),
            ("trigger", json!(choice.trigger)),
            ("merge.acknowledge", json!(choice.merge_acknowledge)),
            ("merge.buffer_bytes", (u64::from(page_bytes) * 3 / 2).into()),
            ("l1_gather", json!(choice.gather)),
            ("full_pieces", json!(choice.full_pieces)),
            ("quota", json!(choice.quota)),
            // Short enough that idle work comes between the requests.
            ("idle", json!({ "threshold_ns": 200_000, "scope": choice.idle_scope })),
        ],
    );
    for section in ["clean", "slc", "dense"] {
        let keys = ["victim", "wear_levelling", "separate_frontier"].map(|key| format!("{section}.{key}"));
        configure(
            &mut setup,
            &[
                (&keys[0], json!(choice.victim)),
                (&keys[1], json!(choice.wear_levelling)),
                (&keys[2], choice.separate_frontier.into()),
            ],
        );
    }
    setup
}

/// A request drawn from `kind`, `place` and `len`, somewhere on a device of `user_bytes`.
fn drawn(at_ns: u64, (kind, place, len, aligned): (u8, u32, u32, bool), user_bytes: u64) -> Request {
    let op = match kind {
        0..=5 => HostOp::Write,
        6..=8 => HostOp::Read,
        9..=10 => HostOp::Trim,
        _ => HostOp::Flush,
    };
    let sectors = (user_bytes / 512) as u32;
    let (place, len) = if aligned { (place / 8 * 8, len.next_multiple_of(8)) } else { (place, len) };
    let first = place % (sectors - len);
    let first = if aligned { first / 8 * 8 } else { first };
    if op == HostOp::Flush {
        return Request { at_ns, sector: 0, sectors: 0, stream: 0, op };
    }
    request(at_ns, op, u64::from(first) * 512, u64::from(len) * 512)
}

/// Feeds `requests`, auditing as it goes, and finishes.
fn play(sim: &mut Simulation, model: &mut Model, requests: &[Request], exact: bool) {
    for batch in requests.chunks(BATCH) {
        sim.feed(batch).unwrap();
        let newest = sim.media().versions().map(|versions| &versions.newest[..]).filter(|_| exact);
        batch.iter().for_each(|request| model.apply(request, newest));
        sim.audit().unwrap();
        if exact {
            model.check(sim, true);
        }
    }
    let reads_and_writes = requests.iter().filter(|r| matches!(r.op, HostOp::Read | HostOp::Write)).count();
    let report = sim.finish().unwrap();
    assert_eq!(report.host.requests, reads_and_writes as u64, "a request never completed");
    assert_eq!(sim.timing().ops_in_flight(), 0);
    sim.audit().unwrap();
    model.check(sim, exact);
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20),
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    }
}

type Draw = (u8, u32, u32, bool);

fn draws(n: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Draw>> {
    prop::collection::vec((0..12u8, any::<u32>(), 1..80u32, any::<bool>()), n)
}

proptest! {
    #![proptest_config(config(120))]

    #[test]
    fn every_unit_reads_its_last_version(choice in choices(), draws in draws(50..600), gap in 1..400_000u64) {
        let setup = tiny(&choice);
        let mut sim = Simulation::new(&setup).unwrap_or_else(|problems| panic!("{problems:?}"));
        sim.track_versions();
        let requests: Vec<_> =
            draws.iter().enumerate().map(|(i, &d)| drawn(i as u64 * gap, d, setup.device.user_bytes)).collect();
        play(&mut sim, &mut Model::default(), &requests, choice.buffer.is_none());
    }

    #[test]
    fn a_full_device_overwritten_many_times_loses_nothing(choice in choices(), seed in any::<u64>()) {
        let setup = tiny(&choice);
        let mut sim = Simulation::new(&setup).unwrap();
        sim.track_versions();
        let bytes = setup.device.user_bytes;
        let page = u64::from(choice.slots) * 4096;
        let mut requests: Vec<_> = (0..bytes / page).map(|i| request(0, HostOp::Write, i * page, page)).collect();
        let mut later = common::random(600 * choice.planes as usize, bytes, 2 * choice.slots, 0.1, 50_000.0, seed);
        requests.append(&mut later);
        play(&mut sim, &mut Model::default(), &requests, choice.buffer.is_none());
        prop_assert_eq!(sim.media().mapped(), bytes / 4096);
    }

    #[test]
    fn a_restored_device_holds_the_same_data_and_goes_on(choice in choices(), draws in draws(200..400)) {
        let setup = tiny(&choice);
        let mut sim = Simulation::new(&setup).unwrap();
        let bytes = setup.device.user_bytes;
        let requests: Vec<_> = draws.iter().enumerate().map(|(i, &d)| drawn(i as u64 * 100_000, d, bytes)).collect();
        let (before, after) = requests.split_at(requests.len() / 2);
        sim.feed(before).unwrap();
        sim.finish().unwrap();
        let mut restored = Simulation::restore(&setup, sim.save()).unwrap();
        let map = |sim: &Simulation| (0..sim.media().mus()).map(|mu| sim.media().lookup(Mu(mu))).collect::<Vec<_>>();
        prop_assert_eq!(map(&restored), map(&sim));
        let mut model = Model::default();
        requests.iter().for_each(|request| model.apply(request, None));
        restored.feed(after).unwrap();
        restored.finish().unwrap();
        restored.audit().unwrap();
        for mu in 0..restored.media().mus() {
            prop_assert_eq!(restored.media().lookup(Mu(mu)).is_some(), model.versions.contains_key(&mu));
        }
    }
}
