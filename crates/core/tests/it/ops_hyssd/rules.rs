//! Hit rates, the lifetime rule, and data from before time 0.

use super::*;

/// Positions by a list that is searched from the front.
#[derive(Default)]
struct NaiveStack {
    units: Vec<u64>,
    written: std::collections::BTreeSet<u64>,
    hits: [f64; 2],
    accesses: [f64; 2],
}

impl NaiveStack {
    /// A request of a part of one unit: those of one request would move each other.
    fn access(&mut self, request: &Request, size: usize) {
        let (is_write, unit) = (request.op == HostOp::Write, request.sector * 512 / UNIT);
        let place = self.units.iter().position(|&other| other == unit);
        if !is_write && !self.written.contains(&request.sector) {
            return; // Nothing is there to be read.
        }
        self.accesses[usize::from(is_write)] += 1.0;
        self.hits[usize::from(is_write)] += f64::from(u8::from(place.is_some_and(|place| place < size)));
        if is_write {
            self.written.insert(request.sector);
            place.map(|place| self.units.remove(place));
            self.units.insert(0, unit);
        }
    }
}

#[test]
fn hit_rates_are_those_of_a_list_searched_from_the_front() {
    for units in [4, 12, 24] {
        let mut naive = NaiveStack::default();
        let requests: Vec<Request> = random(4_000, UNITS * UNIT / 3, 1, 0.4, 2_000_000.0, 9);
        requests.iter().for_each(|request| naive.access(request, units as usize));
        let (_, report) = ended(&holding(units, &[]), &requests);
        let rates = ["read_hit_rate", "write_hit_rate"].map(|name| figure(&report, name));
        assert_eq!(rates, [0, 1].map(|kind| naive.hits[kind] / naive.accesses[kind]), "{units} units");
        // What the fast tier holds is what the list says: a write that misses is one that brings a unit.
        let missed = naive.accesses[1] - naive.hits[1];
        let distinct = naive.units.len() as f64;
        assert_eq!(figure(&report, "passive_units"), missed - distinct);
        assert_eq!(figure(&report, "destaged_units"), missed - f64::from(units));
    }
}

#[test]
fn the_lifetime_rule_evens_out_the_tiers() {
    let mut setup = pair("hyssd", &[("period_writes", json!(100))]);
    setup.device.pool[0].blocks = 64;
    setup.device.pool[1].blocks = 40;
    setup.device.user_bytes = 400 * UNIT;
    // The dense tier wears out sooner at the utilisation that is cheapest.
    setup.device.pool[0].slc.as_mut().unwrap().endurance_cycles = Some(7_000);
    setup.device.pool[1].tlc.as_mut().unwrap().endurance_cycles = Some(1_000);
    let gaps = |goal: &str| {
        let mut sim = Simulation::new(&with(setup.clone(), &[("goal", json!(goal))])).unwrap();
        sim.preload(&[(0, 400)]).unwrap();
        sim.feed(&random(20_000, 400 * UNIT, 2, 0.2, 4_000_000.0, 2)).unwrap();
        let report = sim.finish().unwrap();
        let series = |name: &str| {
            report.scheme.series.iter().find(|series| series.name == name).unwrap().values.clone()
        };
        let (fast, dense) = (series("lifetime_fast"), series("lifetime_dense"));
        let gap = |i: usize| (fast[i] - dense[i]).abs() / fast[i].min(dense[i]);
        [fast.len() / 8, fast.len() / 2, fast.len() - 1].map(gap)
    };
    let (even, free) = (gaps("lifetime"), gaps("performance"));
    assert!(even[0] > even[1] && even[1] > even[2] && even[2] < 0.1, "{even:?}");
    assert!(free[2] > 2.0 * even[2], "{free:?}, {even:?}");
}

#[test]
fn a_write_does_not_wait_for_a_wordline_that_nobody_fills() {
    let mut setup = holding(4, &[]);
    setup.device.stage_timeout_ns = 1_000_000_000;
    setup.device.pool[1].tlc = Some(mode(60_000, 800_000, 3_000_000));
    setup.device.pool[1].tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    for plp in [true, false] {
        setup.device.plp = plp;
        let mut sim = watched(&setup);
        let writes = (0..6).map(|i| request(i * 10_000_000, HostOp::Write, i * UNIT, UNIT));
        let read = request(100_000_000, HostOp::Read, 0, UNIT);
        sim.feed(&writes.chain([read]).collect::<Vec<_>>()).unwrap();
        sim.finish().unwrap();
        let latencies: Vec<u64> = sim.log().iter().map(|entry| entry.1).collect();
        // Two destaged pages of three: the writes wait for the reads alone. What is staged is read from the
        // controller, but is stored before a block opens whose cleaning would wait for it.
        assert_eq!(latencies[..6], [400_000, 400_000, 400_000, 400_000, 440_000, 440_000]);
        assert_eq!(latencies[6], if plp { 0 } else { 60_000 });
        sim.feed(&random(1_000, UNITS * UNIT, 4, 0.2, 3_000_000.0, 4)).unwrap();
        sim.finish().unwrap();
        sim.audit().unwrap();
    }
}

#[test]
fn data_from_before_time_0_fill_the_fast_tier_as_far_as_is_said() {
    for (share, units) in [(0.0, 0), (0.25, 8)] {
        let values = [("utilisation", json!(0.5)), ("initial_utilisation", json!(share))];
        let mut sim = watched(&pair("hyssd-static", &values));
        sim.preload(&[(0, UNITS as u32)]).unwrap();
        let fast: Vec<u64> = (0..UNITS).filter(|&unit| lies(&sim, unit) == FAST).collect();
        assert_eq!(fast, (0..units).collect::<Vec<_>>());
        // They are the coldest: the first to leave once the fast tier is full.
        write_units(&mut sim, 100..117);
        assert_eq!(lies(&sim, 0), if units > 0 { DENSE } else { lies(&sim, 0) });
        assert_eq!(lies(&sim, 116), FAST);
    }
}

#[test]
fn cold_misses_go_to_the_dense_tier_where_that_is_chosen() {
    let mut sim = watched(&holding(4, &[("misses", json!("dense")), ("period_writes", json!(4))]));
    // In the first period nothing is hot; at its end 1, 2, 3 and 0 are. Unit 4 is not, and 1 comes back.
    write_units(&mut sim, [0, 1, 2, 3, 4, 1]);
    let want = ["program host 1/0 page 4", "program host 0/0 page 0", "program host 0/0 page 1"];
    assert_eq!(story(&sim, 4, 99), want);
    assert_eq!([0, 1, 4].map(|unit| lies(&sim, unit)), [DENSE, FAST, DENSE]);
    // What a miss does not cover of a page is kept; a hit stays in the fast tier however cold it is.
    serve(&mut sim, SHORT, HostOp::Write, 4 * UNIT, HALF);
    serve(&mut sim, SHORT, HostOp::Write, UNIT, HALF);
    let want = ["read rmw 1/0 page 4", "program host 1/0 page 5", "program host 0/0 page 2"];
    assert_eq!(story(&sim, 7, 99), want);
    let report = sim.finish().unwrap();
    assert_eq!((figure(&report, "missed_units"), figure(&report, "passive_units")), (6.0, 1.0));
}

#[test]
fn a_trimmed_unit_leaves_its_place() {
    let mut sim = watched(&holding(4, &[]));
    write_units(&mut sim, 0..4);
    serve(&mut sim, SHORT, HostOp::Trim, 2 * UNIT, UNIT);
    serve(&mut sim, SHORT, HostOp::Trim, 3 * UNIT, HALF);
    let before = sim.ops().len();
    // There is room for one again; half of unit 3 keeps its place.
    write_units(&mut sim, [4]);
    assert!(sim.ops()[before..].iter().all(|op| op.cause == Cause::Host));
    write_units(&mut sim, [5]);
    assert_eq!([0, 1].map(|unit| lies(&sim, unit)), [DENSE, FAST]);
    write_units(&mut sim, [6, 7]);
    assert_eq!(lies(&sim, 3), [None, Some(CellMode::Tlc)]);
}

#[test]
fn a_fill_leaves_its_last_units_in_the_fast_tier_and_a_preload_its_first() {
    let setup = |scheme| pair(scheme, &[("initial_utilisation", json!(4.0 / 32.0))]);
    let lying = |sim: &Simulation| (0..UNITS).filter(|&unit| lies(sim, unit) == FAST).collect::<Vec<_>>();
    for scheme in ["hyssd", "hyssd-static"] {
        let mut filled = setup(scheme);
        filled.precondition.fill = 1.0;
        let mut sim = watched(&filled);
        sim.precondition(&mut |_, _| true).unwrap();
        // Written one after the other, as the host would: each that comes makes the oldest leave.
        assert_eq!(lying(&sim), Vec::from_iter(UNITS - 4..UNITS), "{scheme}");
        let mut sim = watched(&setup(scheme));
        sim.preload(&[(0, UNITS as u32)]).unwrap();
        // Placed where there is room: nothing leaves for what comes later.
        assert_eq!(lying(&sim), Vec::from_iter(0..4), "{scheme}");
    }
}
