//! Is the disk the one its figures describe: mechanics and power against closed forms?

use slcache_core::base::rng::RngStream;
use slcache_core::base::Cause;
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

#[test]
fn the_mean_random_seek_is_the_data_sheets() {
    let mut rng = RngStream::new(1, "disk");
    let count = 200_000;
    let places: Vec<u64> = (0..count).map(|_| (rng.fraction() * (SECTORS - 8) as f64) as u64).collect();
    let mut disk = Disk::new(&config(), CAPACITY);
    let (services, _) = back_to_back(&mut disk, places.iter().map(|&sector| read(sector, 8)));
    let mean_ms = services.iter().map(|s| s.seek_ns).sum::<u64>() as f64 / f64::from(count) / 1e6;
    // The seek's variance over random pairs is that of the root: 10 ms * 15/8 * sqrt(1/3 - 64/225) = 4.15 ms.
    let error_ms = 4.15 / f64::from(count).sqrt();
    assert!((mean_ms - 12.0).abs() < 4.0 * error_ms, "{mean_ms} ms, standard error {error_ms}");
    assert!(services.iter().all(|s| s.seek_ns >= 2 * MS || s.seek_ns == 0));
    // 10 ms a turn; 4 KiB at 40 MB/s.
    assert!(services.iter().all(|s| (s.rotation_ns, s.transfer_ns) == (5 * MS, 102_400)));
}

#[test]
fn what_continues_runs_at_the_transfer_rate() {
    let mut disk = Disk::new(&config(), CAPACITY);
    let orders = (0..10_000_u64).map(|i| read(i * 256, 256));
    let (services, end_ns) = back_to_back(&mut disk, orders);
    let first = services[0];
    assert_eq!((first.seek_ns, first.rotation_ns), (12 * MS, 5 * MS), "from parked heads");
    let streamed_ns = end_ns - first.total_ns();
    assert_eq!(streamed_ns, 9_999 * 256 * 512 * 1000 / 40);
}

#[test]
fn the_angle_waits_half_a_turn_on_average_and_never_a_whole_one() {
    let mut rng = RngStream::new(1, "disk");
    let count = 100_000;
    let places: Vec<u64> = (0..count).map(|_| (rng.fraction() * (SECTORS - 8) as f64) as u64).collect();
    let mut disk = Disk::new(&DiskConfig { rotation: Rotation::Angle, ..config() }, CAPACITY);
    let (services, _) = back_to_back(&mut disk, places.iter().map(|&sector| read(sector, 8)));
    let mean_ms = services.iter().map(|s| s.rotation_ns).sum::<u64>() as f64 / f64::from(count) / 1e6;
    let error_ms = 10.0 / 12.0_f64.sqrt() / f64::from(count).sqrt();
    assert!((mean_ms - 5.0).abs() < 4.0 * error_ms, "{mean_ms} ms, standard error {error_ms}");
    assert!(services.iter().all(|s| s.rotation_ns < 10 * MS));
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
fn a_lone_request_after_long_silence_costs_the_spin_up_and_its_active_time() {
    let mut disk = Disk::new(&DiskConfig { at_start: AtStart::Standby, ..config() }, CAPACITY);
    let hour = 3600 * SECOND;
    let (awake_ns, end_ns) = serve_at(&mut disk, hour, &read(0, 8));
    assert_eq!(awake_ns, hour + 1600 * MS);
    disk.settle(end_ns);
    let standby_pj = 250 * u128::from(hour);
    let active_pj = 2550 * u128::from(end_ns - awake_ns);
    assert_eq!(energy_pj(&disk) - standby_pj, 5 * JOULE + active_pj);
    assert_eq!((disk.books().spin_ups(), disk.books().spin_downs()), (1, 0));
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
