//! The check of snapshots: whatever the state behind a right checksum, loading comes to an end, and what
//! loads passes its audit.

use sha2::{Digest, Sha256};
use slcache_core::base::request::{HostOp, Request};
use slcache_core::device::Simulation;
use slcache_sim::{resolve, snapshot, Layers, RunConfig};
use std::cell::RefCell;
use std::path::Path;
use std::sync::LazyLock;

/// Requests that a device serves which was restored.
const REQUESTS: u32 = 200;
/// Magic, version and length of the header.
const PREFIX_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 32;

/// Every scheme once on the smallest preset, aged, and what is special to some.
const CASES: [(&str, &[&str]); 22] = [
    ("tlc-only", &["clean.wear_levelling=dynamic"]),
    ("tlc-only", &["device.pool[0].tlc.program=one-shot", "precondition.overwrite=1.01"]),
    ("baseline", &[]),
    ("sa", &[]),
    ("sector", &["window_writes=100"]),
    ("hierarchy", &[]),
    ("turbo-write", &[]),
    ("ips", &[]),
    ("ips-agc", &[]),
    ("ips-coop", &[]),
    ("ips-coop", &["precondition.drain=false"]),
    ("qlc-only", &[]),
    ("dwa", &[]),
    ("ust", &[]),
    ("rl", &["step_bytes=65536"]),
    ("hyssd", &["period_writes=50", "precondition.overwrite=0.5"]),
    ("hyssd-static", &[]),
    ("hyssd-static", &["misses=dense", "period_writes=50"]),
    ("nvc", &ON_DISK),
    ("nvc-slc-only", &ON_DISK),
    ("nvc-mlc-only", &ON_DISK),
    ("client", &[]),
];

/// What gives the device a disk, of a little more than its flash.
const ON_DISK: [&str; 2] = [
    "device.user_bytes=8MiB",
    "device.disk={rpm=5400,track_seek_ns=2000000,average_seek_ns=12000000,mb_per_s=40,power={\
     active_mw=2550,idle_mw=800,standby_mw=250,idle_after_ns=1000000000,to_idle_ns=500000000,to_idle_mj=1150,\
     from_idle_ns=500000000,from_idle_mj=1150,standby_after_ns=3380000000,spin_down_ns=2300000000,\
     spin_down_mj=2940,spin_up_ns=1600000000,spin_up_mj=5000}}",
];

struct Case {
    config: RunConfig,
    /// The file up to the state.
    head: Vec<u8>,
    state: Vec<u8>,
}

static ALL: LazyLock<Vec<Case>> =
    LazyLock::new(|| CASES.iter().map(|(scheme, sets)| case(scheme, sets)).collect());

fn case(scheme: &str, sets: &[&str]) -> Case {
    let aged = ["precondition.fill=0.9", "precondition.overwrite=1"].into_iter();
    let aged = aged.filter(|set| !sets.iter().any(|other| other.split('=').next() == set.split('=').next()));
    let sets = aged.chain(sets.iter().copied()).map(str::to_owned).collect();
    let layers = Layers { device: "tiny".into(), scheme: scheme.into(), sets, ..Layers::default() };
    let config = resolve(&layers).unwrap_or_else(|errors| panic!("{scheme}: {errors}"));
    let mut simulation = Simulation::new(&config.setup()).expect("a checked device");
    simulation.precondition(&mut |_, _| true).expect("an aged device");
    let whole = with_path(|path| {
        snapshot::save(path, &config, &simulation).expect("a snapshot");
        std::fs::read(path).expect("a snapshot")
    });
    let length = whole[PREFIX_BYTES - 4..PREFIX_BYTES].try_into().expect("four bytes");
    let head = PREFIX_BYTES + u32::from_le_bytes(length) as usize;
    let state = zstd::decode_all(&whole[head..whole.len() - CHECKSUM_BYTES]).expect("a state");
    Case { config, head: whole[..head].to_vec(), state }
}

fn with_path<T>(work: impl FnOnce(&Path) -> T) -> T {
    thread_local! {
        static FOLDER: RefCell<tempfile::TempDir> = RefCell::new(tempfile::tempdir().expect("a folder"));
    }
    FOLDER.with_borrow(|folder| work(&folder.path().join("state")))
}

/// Valid states, each behind the number of its case.
pub fn seeds() -> Vec<Vec<u8>> {
    ALL.iter().enumerate().map(|(i, case)| [&[i as u8], &case.state[..]].concat()).collect()
}

/// The check: the first byte chooses the device, the rest is its state before compression.
pub fn check(data: &[u8]) {
    // Refusal is as good an end as any.
    let _ = loaded(data);
}

/// What the loader says of a state; the device that it is has served some requests.
pub fn restored(data: &[u8]) -> Result<(), String> {
    let (mut simulation, user_bytes) = loaded(data)?;
    go_on(&mut simulation, user_bytes);
    Ok(())
}

/// The device in a state, and its capacity.
fn loaded(data: &[u8]) -> Result<(Simulation, u64), String> {
    let Some((&choice, state)) = data.split_first() else { return Err("no case".into()) };
    let case = &ALL[usize::from(choice) % ALL.len()];
    let mut file = case.head.clone();
    file.extend(zstd::encode_all(state, 1).expect("memory"));
    let checksum = Sha256::digest(&file);
    file.extend_from_slice(&checksum);
    let loaded = with_path(|path| {
        std::fs::write(path, &file).expect("a file");
        snapshot::load(path, &mut case.config.clone())
    });
    let simulation = loaded.map_err(|error| error.to_string())?;
    simulation.audit().expect("what loads is sound");
    Ok((simulation, case.config.device.user_bytes))
}

fn go_on(simulation: &mut Simulation, user_bytes: u64) {
    let pages = (user_bytes / 4096) as u32;
    for i in 0..REQUESTS {
        let op = [HostOp::Write, HostOp::Write, HostOp::Read, HostOp::Trim][i as usize % 4];
        let sector = u64::from(i.wrapping_mul(2_654_435_761) % (pages - 4)) * 8;
        let request =
            Request { at_ns: u64::from(i) * 400_000, sector, sectors: 8 + i % 24, stream: 0, hint: 0, op };
        simulation.feed(&[request]).expect("what loads goes on");
    }
    simulation.finish().expect("what loads comes to an end");
    simulation.audit().expect("what loads stays sound");
}
