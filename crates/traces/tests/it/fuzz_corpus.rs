//! The checks of the fuzz targets for a part of a second each, other files in every run; see
//! `fuzz/src/runner.rs`. A build for libFuzzer takes all crates anew with a sanitizer, which is more
//! than the tests' time has room for: `make fuzz` does that.

use crate::it::common::few;

#[path = "../../fuzz/src/checks.rs"]
mod checks;
#[path = "../../fuzz/src/runner.rs"]
mod runner;
#[path = "../../fuzz/src/seeds.rs"]
mod seeds;

#[test]
fn every_reader() {
    for format in checks::names() {
        runner::run(format, &seeds::of_reader(format), |data| checks::reader(format, data));
    }
}

#[test]
fn compression_and_archives() {
    runner::run("input", &seeds::of_input(), checks::input);
}

#[test]
fn declared_columns() {
    runner::run("layout", &seeds::of_layout(), checks::layout);
}

#[test]
fn workloads() {
    let seeds: Vec<_> = seeds::of_workload().into_iter().step_by(few(3)).collect();
    runner::run("workload", &seeds, checks::workload);
}

#[test]
fn seeds_are_valid() {
    for format in checks::names() {
        let seed = &seeds::of_reader(format)[0];
        let read = checks::requests(format, seed);
        assert!(read.is_ok(), "{format}: {read:?}");
    }
}
