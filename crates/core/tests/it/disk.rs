//! Is the disk the one its figures describe: mechanics and power against closed forms?

use crate::it::common::*;
use slcache_core::hw::disk::config::{AtStart, DiskConfig, DiskPowerConfig, Rotation};
use slcache_core::hw::disk::{Disk, Order, PowerState, Service};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;
/// Picojoules in a joule.
const JOULE: u128 = 1_000_000_000_000;
const CAPACITY: u64 = 80_000_000_000;
const SECTORS: u64 = CAPACITY / 512;

/// A disk whose turn takes 10 ms, with the power states of the cache's paper.
fn config() -> DiskConfig {
    DiskConfig {
        rpm: 6000,
        track_seek_ns: 2 * MS,
        average_seek_ns: 12 * MS,
        mb_per_s: 40,
        overhead_ns: 0,
        rotation: Rotation::Mean,
        at_start: AtStart::Active,
        power: DiskPowerConfig {
            active_mw: 2550,
            idle_mw: 800,
            standby_mw: 250,
            idle_after_ns: SECOND,
            to_idle_ns: 500 * MS,
            to_idle_mj: 1150,
            from_idle_ns: 500 * MS,
            from_idle_mj: 1150,
            standby_after_ns: 3380 * MS,
            spin_down_ns: 2300 * MS,
            spin_down_mj: 2940,
            spin_up_ns: 1600 * MS,
            spin_up_mj: 5000,
        },
    }
}

fn read(sector: u64, sectors: u32) -> Order {
    Order { sector, sectors, write: false, cause: Cause::Host }
}

/// Does operations one after another; the parts of their times and when the last one ended.
fn back_to_back(disk: &mut Disk, orders: impl Iterator<Item = Order>) -> (Vec<Service>, u64) {
    let mut now_ns = 0;
    let serve = |order| {
        assert_eq!(disk.wake(now_ns), now_ns, "a busy disk stays active");
        let service = disk.serve(now_ns, &order);
        now_ns += service.total_ns();
        service
    };
    (orders.map(serve).collect(), now_ns)
}

/// When the disk begins with an operation that comes at `now_ns`, and when it is done.
fn serve_at(disk: &mut Disk, now_ns: u64, order: &Order) -> (u64, u64) {
    let awake_ns = disk.wake(now_ns);
    let service = disk.serve(awake_ns, order);
    (awake_ns, awake_ns + service.total_ns())
}

fn energy_pj(disk: &Disk) -> u128 {
    PowerState::ALL.into_iter().map(|state| disk.books().energy_pj(state)).sum()
}

/// The mean rotation is half a turn, exactly or where the angle counts, and never a whole one.
#[test]
fn the_mean_random_seek_is_the_data_sheets() {
    let (mut rng, count) = (RngStream::new(1, "disk"), 100_000);
    let places: Vec<u64> = (0..count).map(|_| (rng.fraction() * (SECTORS - 8) as f64) as u64).collect();
    for rotation in [Rotation::Mean, Rotation::Angle] {
        let mut disk = Disk::new(&DiskConfig { rotation, ..config() }, CAPACITY);
        let (services, _) = back_to_back(&mut disk, places.iter().map(|&sector| read(sector, 8)));
        let is_mean = |of: fn(&Service) -> u64, want_ms: f64, deviation_ms: f64| {
            let mean_ms = services.iter().map(of).sum::<u64>() as f64 / f64::from(count) / 1e6;
            let error_ms = deviation_ms / f64::from(count).sqrt();
            assert!((mean_ms - want_ms).abs() < 4.0 * error_ms, "{mean_ms} ms, standard error {error_ms}");
        };
        // The seek's variance over random pairs is that of the root: 10 ms * 15/8 * sqrt(1/3 - 64/225) = 4.15 ms.
        is_mean(|s| s.seek_ns, 12.0, 4.15);
        is_mean(|s| s.rotation_ns, 5.0, 10.0 / 12.0_f64.sqrt());
        assert!(services.iter().all(|s| s.seek_ns >= 2 * MS || s.seek_ns == 0));
        // 10 ms a turn; 4 KiB at 40 MB/s.
        assert!(services.iter().all(|s| s.rotation_ns < 10 * MS && s.transfer_ns == 102_400));
        let is_half = |s: &Service| s.rotation_ns == 5 * MS;
        assert!(rotation == Rotation::Angle || services.iter().all(is_half));
    }
}

#[test]
fn the_angle_is_the_sectors_place_at_that_time() {
    // A turn is 10 ms and 400 kB at 40 MB/s: 781 whole sectors.
    let mut disk = Disk::new(&DiskConfig { rotation: Rotation::Angle, ..config() }, CAPACITY);
    let first = disk.serve(0, &read(0, 8));
    // There after 12 ms, 2 ms into a turn: sector 0 comes after 8 more.
    assert_eq!((first.seek_ns, first.rotation_ns), (12 * MS, 8 * MS));
    let end_ns = first.total_ns();
    // Skipping 100 sectors of the same track takes as long as reading them.
    let skipped = disk.serve(end_ns, &read(108, 8));
    assert_eq!((skipped.seek_ns, skipped.rotation_ns), (0, 100 * 512 * 1000 / 40));
    // The sector just passed comes again after a turn less than what has passed since.
    let end_ns = end_ns + skipped.total_ns();
    let again = disk.serve(end_ns, &read(108, 8));
    assert_eq!((again.seek_ns, again.rotation_ns), (0, 10 * MS - 8 * 512 * 1000 / 40));
}

#[test]
fn a_request_waits_for_the_transition_in_course_and_the_way_back() {
    // Active until 1 s, to idle until 1.5 s, idle until 4.88 s, down until 7.18 s; ms.
    for (at_ms, awake_ms, state) in [
        (0, 0, PowerState::Active),
        (999, 999, PowerState::Active),
        (1000, 2000, PowerState::ToIdle),
        (1400, 2000, PowerState::ToIdle),
        (1500, 2000, PowerState::Idle),
        (4879, 5379, PowerState::Idle),
        (4880, 7180 + 1600, PowerState::SpinDown),
        (7179, 7180 + 1600, PowerState::SpinDown),
        (7180, 7180 + 1600, PowerState::Standby),
        (60_000, 61_600, PowerState::Standby),
    ] {
        let mut disk = Disk::new(&config(), CAPACITY);
        assert_eq!(disk.state(at_ms * MS), state, "{at_ms} ms");
        assert_eq!(disk.spins(at_ms * MS), state != PowerState::Standby);
        assert_eq!(disk.wake(at_ms * MS), awake_ms * MS, "{at_ms} ms");
        // Another that comes meanwhile changes nothing.
        let between_ms = (at_ms + awake_ms) / 2;
        assert_eq!(disk.wake(between_ms * MS), awake_ms * MS, "{at_ms} ms");
        assert_eq!(disk.state(awake_ms * MS), PowerState::Active, "{at_ms} ms");
        disk.serve(awake_ms * MS, &read(0, 8));
    }
}

/// Continuing takes 0.1024 ms, another place of the track 5 ms more and a way from parked heads 17 ms more.
#[test]
fn ten_requests_take_the_energy_worked_out_by_hand() {
    let mut disk = Disk::new(&config(), CAPACITY);
    let us = |us: u64| us * 1000;
    for (at_us, sector, awake_us, end_ns) in [
        (0, 0, 0, 17_102_400),
        (500_000, 8, 500_000, 500_102_400),
        (501_000, 0, 501_000, 506_102_400),
        // Active until 1506.1 ms, on its way to idle until 2006.1 ms, back at 2506.1 ms.
        (1_800_000, 0, 2_506_102, 2_523_204_800),
        // Idle from 4023.2 ms.
        (5_000_000, 0, 5_500_000, 5_517_102_400),
        // Idle from 7017.1 ms, spinning down from 10397.1 ms to 12697.1 ms.
        (11_000_000, 0, 14_297_102, 14_314_204_800),
        // Waits for the one before it.
        (12_000_000, 8, 14_314_204, 14_314_307_200),
        // Idle from 15814.3 ms, spinning down from 19194.3 ms, in standby from 21494.3 ms.
        (30_000_000, 0, 31_600_000, 31_617_102_400),
        (32_000_000, 8, 32_000_000, 32_000_102_400),
        (32_900_000, 16, 32_900_000, 32_900_102_400),
    ] {
        // The seventh is asked for while the disk is busy for the sixth.
        let asked_ns = us(at_us).max(if at_us == 12_000_000 { 14_314_204_800 } else { 0 });
        let (awake_ns, done_ns) = serve_at(&mut disk, asked_ns, &read(sector, 8));
        assert_eq!((awake_ns / 1000, done_ns), (awake_us, end_ns), "the one at {at_us} us");
    }
    disk.settle(32_900_102_400);
    let active_ns = 1_506_102_400 + 1_017_102_400 + 1_017_102_400 + 1_017_204_800 + 1_300_102_400;
    let idle_ns = (5_000_000_000 - 4_023_204_800) + 2 * 3_380_000_000;
    let standby_ns = 30_000_000_000 - 21_494_307_200;
    for (state, ns, count, mj) in [
        (PowerState::ToIdle, 500 * MS, 4, 1150),
        (PowerState::FromIdle, 500 * MS, 2, 1150),
        (PowerState::SpinDown, 2300 * MS, 2, 2940),
        (PowerState::SpinUp, 1600 * MS, 2, 5000),
    ] {
        assert_eq!(disk.books().time_ns(state), count * ns, "{state:?}");
        assert_eq!(disk.books().energy_pj(state), u128::from(count * mj) * 1_000_000_000, "{state:?}");
    }
    assert_eq!(disk.books().time_ns(PowerState::Active), active_ns);
    assert_eq!(disk.books().time_ns(PowerState::Idle), idle_ns);
    assert_eq!(disk.books().time_ns(PowerState::Standby), standby_ns);
    let steady_pj = active_ns * 2550 + idle_ns * 800 + standby_ns * 250;
    let transitions_mj = 4 * 1150 + 2 * 1150 + 2 * 2940 + 2 * 5000;
    assert_eq!(energy_pj(&disk), u128::from(steady_pj) + transitions_mj * 1_000_000_000);
    assert_eq!(disk.books().until_ns(), 32_900_102_400);
    assert_eq!((disk.books().spin_ups(), disk.books().spin_downs()), (2, 2));
}

#[test]
fn closed_books_take_no_more() {
    let mut disk = Disk::new(&config(), CAPACITY);
    // In the middle of spinning down: half of its energy.
    disk.settle(4880 * MS + 1150 * MS);
    assert_eq!(disk.books().energy_pj(PowerState::SpinDown), 2940 * JOULE / 1000 / 2);
    let (energy, until_ns) = (energy_pj(&disk), disk.books().until_ns());
    serve_at(&mut disk, 60 * SECOND, &read(0, 8));
    assert_eq!((energy_pj(&disk), disk.books().until_ns()), (energy, until_ns));
    assert_eq!((disk.books().spin_ups(), disk.counters().get(false, Cause::Host).count), (0, 1));
    // Reopened, they go on with what follows.
    disk.resume(3600 * SECOND);
    disk.settle(3601 * SECOND);
    assert_eq!((energy_pj(&disk), disk.books().until_ns()), (energy + JOULE / 4, until_ns + SECOND));
}

#[test]
fn a_wake_up_without_a_time_costs_none() {
    let free = DiskPowerConfig { from_idle_ns: 0, from_idle_mj: 0, ..config().power };
    let mut disk = Disk::new(&DiskConfig { power: free, ..config() }, CAPACITY);
    assert_eq!(disk.wake(2 * SECOND), 2 * SECOND);
    disk.serve(2 * SECOND, &read(0, 8));
    assert_eq!(disk.wake(3200 * MS), 3_517_102_400, "it still finishes going idle");
}

#[test]
fn the_shares_of_the_states_add_up_in_every_window() {
    let mut rng = RngStream::new(1, "disk");
    let mut disk = Disk::new(&config(), CAPACITY);
    let mut now_ns = 0;
    for _ in 0..8_000 {
        now_ns += rng.exponential(3e9) as u64;
        now_ns = serve_at(&mut disk, now_ns, &read(0, 8)).1;
    }
    disk.settle(now_ns);
    let series = disk.books().series();
    let shares = PowerState::ALL.map(|state| series.shares(state));
    let windows = shares[0].len();
    assert!((512..=1024).contains(&windows), "{windows} windows");
    assert_eq!(windows as u64, now_ns.div_ceil(series.window_ns()));
    for window in 0..windows {
        let sum: f64 = shares.iter().map(|shares| shares[window]).sum();
        assert!((sum - 1.0).abs() < 1e-9, "window {window}: {sum}");
    }
    for (state, shares) in PowerState::ALL.into_iter().zip(&shares) {
        let last_ns = now_ns - (windows as u64 - 1) * series.window_ns();
        let whole: f64 = shares[..windows - 1].iter().sum();
        let ns = whole * series.window_ns() as f64 + shares[windows - 1] * last_ns as f64;
        let booked = disk.books().time_ns(state) as f64;
        assert!((ns - booked).abs() < 1e-6 * now_ns as f64, "{state:?}: {ns} of {booked}");
        assert!(booked > 0.0, "{state:?} never occurred");
    }
}
