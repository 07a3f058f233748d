use super::*;
use crate::base::CellMode;
use crate::hw::config::ModeCells;

struct Case {
    rates: Rates,
    mode: ModeRates,
    kinds: Vec<f64>,
}

fn case(mode: CellMode, endurance_cycles: f64) -> Case {
    let mut cells = ModeCells::default();
    cells.settle(mode);
    let (eps, senses) = (cells.eps.unwrap(), cells.senses.unwrap());
    let rates = Rates::new(&CellsConfig::default());
    Case { rates, mode: ModeRates { eps, endurance_cycles }, kinds: of_kinds(&senses) }
}

fn modes() -> [Case; 4] {
    let rated = [50_000.0, 5_000.0, 3_000.0, 1_000.0];
    [0, 1, 2, 3].map(|i| case(CellMode::ALL[i], rated[i]))
}

fn at(cycles: f64, days: f64) -> Condition {
    Condition { cycles, days, reads: 0.0 }
}

impl Case {
    /// A read of 16 KiB of a page that errs as the mean, in a median block.
    fn read(&self, at: Condition) -> Outcome {
        self.rates.outcome(self.rates.rates(self.mode, 1.0, at), self.rates.worst_of(16_384, 0.5))
    }
}

/// As the checker of the model's specification has it: mode, cycles, days, steps, soft.
#[test]
fn reads_take_as_many_steps_as_another_program_finds() {
    let modes = modes();
    for (mode, cycles, days, steps, soft) in [
        (0, 0.0, 0.0, 0, false),
        (0, 50_000.0, 365.0, 0, false),
        (1, 5_000.0, 365.0, 0, false),
        (2, 0.0, 0.0, 0, false),
        (2, 0.0, 90.0, 3, false),
        (2, 1_000.0, 30.0, 5, false),
        (2, 1_000.0, 180.0, 13, false),
        (2, 2_000.0, 365.0, 22, true),
        (3, 0.0, 0.0, 0, false),
        (3, 0.0, 30.0, 2, false),
        (3, 500.0, 30.0, 7, false),
        (3, 500.0, 90.0, 13, false),
        (3, 1_000.0, 30.0, 9, true),
        (3, 1_000.0, 365.0, 24, true),
    ] {
        let found = modes[mode].read(at(cycles, days));
        assert_eq!(found, Outcome { steps, soft, error: false }, "mode {mode}, {cycles} cycles, {days} days");
    }
    let kinds = &modes[3].kinds;
    let steps = kinds.iter().map(|&kind| {
        let rates = modes[3].rates.rates(modes[3].mode, kind, at(500.0, 30.0));
        modes[3].rates.outcome(rates, modes[3].rates.worst_of(16_384, 0.5)).steps
    });
    assert_eq!(steps.collect::<Vec<_>>(), [8, 8, 8, 6]);
}

#[test]
fn rates_are_those_of_the_fit_in_closed_form() {
    let tlc = &modes()[2];
    for (cycles, days, best, default) in [
        (0.0, 90.0, 2.194e-3, 1.646e-2),
        (1_000.0, 30.0, 3.069e-3, 2.381e-2),
        (2_000.0, 365.0, 8.169e-3, 9.627e-2),
    ] {
        let found = tlc.rates.rates(tlc.mode, 1.0, at(cycles, days));
        assert!((found.0 / best - 1.0).abs() < 1e-3, "{found:?}");
        assert!((found.1 / default - 1.0).abs() < 1e-3, "{found:?}");
    }
    // Rated cycles and a year: 7.69 times unworn cells.
    let worn = tlc.rates.rates(tlc.mode, 1.0, at(2_999.0, 365.0)).0;
    assert!((worn / 1.48e-3 - 7.69).abs() < 1e-2);
    assert!((tlc.rates.of_block(0) - 1.01399).abs() < 1e-5);
    for (bytes, z) in [(1, 0.0), (1024, 0.0), (4096, 0.998_148_882), (16_384, 1.723_526_05)] {
        assert!((tlc.rates.worst_of(bytes, 0.5) - z).abs() < 1e-8, "{bytes}");
    }
}

/// All outcomes at a condition, and until when they hold.
fn found(case: &Case, zs: &[f64], at: Condition) -> (Vec<Outcome>, Until) {
    let mut all = Vec::new();
    let until = case.rates.all_outcomes(case.mode, &case.kinds, zs, at, |_, _, outcome| all.push(outcome));
    (all, until)
}

#[test]
fn what_reads_take_changes_at_the_age_and_reads_foretold_and_not_before() {
    for (case, cycles) in modes().iter().zip([20_000.0, 2_500.0, 1_000.0, 500.0]) {
        let zs: Vec<f64> = (1..=4).map(|units| case.rates.worst_of(units * 4096, 0.5)).collect();
        let (mut now, mut changes) = (at(cycles, 0.0), 0);
        while now.days < 4000.0 {
            let (before, until) = found(case, &zs, now);
            if until.days > 4000.0 {
                break;
            }
            assert!(until.days > now.days, "{now:?} {until:?}");
            let share = |part: f64| Condition { days: now.days + (until.days - now.days) * part, ..now };
            assert_eq!(found(case, &zs, share(0.5)).0, before);
            assert_eq!(found(case, &zs, share(0.9999)).0, before);
            let after = Condition { days: until.days * 1.000_001, ..now };
            assert_ne!(found(case, &zs, after).0, before, "{now:?} {until:?}");
            (now, changes) = (after, changes + 1);
        }
        assert!(changes > 20 || case.mode.eps < 1e-3, "{changes}");
        let (before, until) = found(case, &zs, at(cycles, 10.0));
        let read = |reads: f64| found(case, &zs, Condition { reads, ..at(cycles, 10.0) });
        assert_eq!((read(until.reads * 0.999).0, read(until.reads * 0.999).1.reads), (before, until.reads));
        assert!(read(until.reads * 1.001).1.reads > until.reads);
    }
}

#[test]
fn reads_never_take_less_with_cycles_age_or_reads() {
    for case in &modes() {
        let rated = case.mode.endurance_cycles;
        let mut grid = Vec::new();
        for cycles in [0.0, rated / 4.0, rated, 2.0 * rated] {
            for days in [0.0, 1.0, 30.0, 365.0] {
                grid.extend([0.0, 10.0, 1000.0].map(|reads| Condition { cycles, days, reads }));
            }
        }
        let worth = |at: &Condition| {
            let Outcome { steps, soft, error } = case.read(*at);
            (steps, soft, error)
        };
        for a in &grid {
            for b in &grid {
                if a.cycles <= b.cycles && a.days <= b.days && a.reads <= b.reads {
                    let ((n, soft, error), (n_later, soft_later, error_later)) = (worth(a), worth(b));
                    assert!(n <= n_later && soft <= soft_later && error <= error_later, "{a:?} {b:?}");
                }
            }
        }
    }
}

#[test]
fn draws_agree_with_the_chance_in_closed_form() {
    let case = &modes()[2];
    let rates = case.rates.rates(case.mode, 1.0, at(500.0, 3.0));
    let mut rng = crate::base::rng::RngStream::new(1, "cells");
    let reads = 100_000;
    let drawn = |_: &u32| {
        let z = case.rates.worst_of(16_384, rng.fraction().max(f64::MIN_POSITIVE));
        case.rates.outcome(rates, z).steps > 0
    };
    let share = (0..reads).filter(drawn).count() as f64 / f64::from(reads);
    // 1 - Phi((L - R) / sqrt(R (1 - R) / w))^16, from Python.
    let law = 0.6201881582096832;
    let error = libm::sqrt(law * (1.0 - law) / f64::from(reads));
    assert!((share - law).abs() < 3.0 * error, "{share}, not {law}");
}

#[test]
fn outcomes_fit_a_byte() {
    for outcome in [
        Outcome::default(),
        Outcome { steps: 63, soft: true, error: true },
        Outcome { steps: 24, soft: true, error: false },
    ] {
        assert_eq!(Outcome::unpacked(outcome.packed()), outcome);
    }
}
