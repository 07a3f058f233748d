//! Whether a scheme of one's own keeps what every scheme owes its user: small random devices and requests,
//! audits, copies, restored devices, and an end of idle work.

use crate::config::{resolve, DeviceSource, Layers};
use crate::provenance::sha256_hex;
use crate::RunConfig;
use serde::Serialize;
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::rng::RngStream;
use slcache_core::device::Simulation;
use toml::{Table, Value};

/// Requests of a case.
const REQUESTS: usize = 1500;
/// Requests between two audits.
const AUDIT_EVERY: usize = 100;
/// The pause after the requests: idle work ends within it, on devices as small as these.
const PAUSE_NS: u64 = 600_000_000_000;
const SECTOR: u64 = 512;

/// What came of a case that ran; one that failed has as few requests as that takes.
#[derive(Clone, Debug, Serialize)]
pub struct Case {
    /// Number of the case, from 0.
    pub case: u32,
    pub requests: usize,
    /// What was wrong, or the checksum of its figures.
    pub what: String,
    /// The device and how it is driven, in TOML.
    pub device: String,
}

/// What came of all cases.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Cases that ran.
    pub ran: u32,
    pub passed: Vec<Case>,
    /// Cases whose device the scheme refuses, in words.
    pub refused: u32,
    /// Why the last of them was refused.
    pub reason: Option<String>,
    /// The first case that failed.
    pub failure: Option<Case>,
}

/// Runs `cases` cases of `scheme` under `sets`, drawn with `seed`, up to the first that fails; `go_on` is asked
/// before each.
pub fn check(
    scheme: &str,
    sets: &[String],
    cases: u32,
    seed: u64,
    mut go_on: impl FnMut(u32) -> bool,
) -> Outcome {
    let mut outcome = Outcome::default();
    for case in 0..cases {
        if !go_on(case) {
            break;
        }
        let mut rng = RngStream::new(seed.wrapping_add(u64::from(case)), "conformance");
        let device = device(&mut rng);
        let layers = Layers {
            device: DeviceSource::Content(device.clone()),
            scheme: scheme.to_owned(),
            sets: sets.to_vec(),
            ..Layers::default()
        };
        match resolve(&layers) {
            Err(errors) => {
                outcome.refused += 1;
                outcome.reason = Some(errors.to_string());
            }
            Ok(config) => {
                outcome.ran += 1;
                let requests = requests(&mut rng, config.device.user_bytes);
                let device = toml::to_string(&device).expect("plain data has a TOML form");
                match promises(&config, &requests) {
                    Ok(report) => {
                        let what = sha256_hex(report.to_string().as_bytes());
                        outcome.passed.push(Case { case, requests: requests.len(), what, device });
                    }
                    Err(what) => {
                        let (requests, what) = smallest(&config, &requests, what);
                        outcome.failure = Some(Case { case, requests, what, device });
                        break;
                    }
                }
            }
        }
    }
    outcome
}

/// How few of the requests fail, and how: all of them by `what`.
fn smallest(config: &RunConfig, requests: &[Request], what: String) -> (usize, String) {
    let mut found = (requests.len(), what);
    let (mut passes, mut fails) = (0, requests.len());
    while fails - passes > 1 {
        let half = passes + (fails - passes) / 2;
        match promises(config, &requests[..half]) {
            Ok(_) => passes = half,
            Err(what) => {
                fails = half;
                found = (half, what);
            }
        }
    }
    found
}

/// Plays `requests` twice, the second time by a copy in the middle, and restores what is left; the report.
fn promises(config: &RunConfig, requests: &[Request]) -> Result<serde_json::Value, String> {
    let setup = config.setup();
    let new = || Simulation::new(&setup).map_err(|problems| format!("{problems:?}"));
    let (mut whole, mut first) = (new()?, new()?);
    whole.track_versions();
    for batch in requests.chunks(AUDIT_EVERY) {
        whole.feed(batch).map_err(|error| error.to_string())?;
        whole.audit().map_err(|what| format!("an audit found: {what}"))?;
    }
    if whole.clone().idle_work_left() && requests.len() > REQUESTS {
        return Err("ten minutes of pause leave work for idle time: it has no end".to_owned());
    }
    let (before, after) = requests.split_at(requests.len() / 2);
    first.feed(before).map_err(|error| error.to_string())?;
    let mut copy = first.clone();
    copy.feed(after).map_err(|error| format!("a copy: {error}"))?;
    let reports = [&mut whole, &mut copy].map(|sim| {
        let report = sim.finish().map_err(|error| error.to_string())?;
        serde_json::to_value(report).map_err(|error| error.to_string())
    });
    let [report, of_copy] = reports;
    let report = report?;
    if report != of_copy? {
        return Err(
            "a copy made in the middle of a run ends with other figures: what it decides by is not all \
                    in save and load, or is drawn anew"
                .to_owned(),
        );
    }
    whole.audit().map_err(|what| format!("an audit at the end found: {what}"))?;
    restored(&setup, &copy)?;
    Ok(report)
}

/// Saves a device at rest and restores it.
fn restored(setup: &slcache_core::device::Setup, sim: &Simulation) -> Result<(), String> {
    let text = |sim: &Simulation| {
        let text = serde_json::to_string(&sim.save()).map_err(|error| error.to_string())?;
        sim.save_failure().map_or(Ok(text), Err)
    };
    let saved = text(sim)?;
    let state = &mut serde_json::Deserializer::from_str(&saved);
    let restored = Simulation::restore(setup, state).map_err(|error| error.to_string())?;
    match text(&restored)? == saved {
        true => Ok(()),
        false => Err("a restored device saves another state than it was restored from".to_owned()),
    }
}

fn pick<'a>(rng: &mut RngStream, of: &[&'a str]) -> &'a str {
    of[rng.below(of.len() as u32) as usize]
}

/// A device small enough for rare states to come early.
fn device(rng: &mut RngStream) -> Table {
    let dense = pick(rng, &["mlc", "tlc", "qlc"]);
    let bits = match dense {
        "mlc" => 2,
        "tlc" => 3,
        _ => 4,
    };
    let (channels, planes, wordlines) = (1 + rng.below(2), 1 + rng.below(2), 4 * (1 + rng.below(2)));
    let (slots, blocks) = (1 << rng.below(3), 24 + rng.below(16));
    let page_bytes = 4096 * slots;
    let raw = u64::from(channels * planes * blocks * wordlines * bits * page_bytes);
    // Nearly empty to as full as most schemes can be.
    let user_bytes =
        (raw / 100 * u64::from(20 + rng.below(31))) / u64::from(page_bytes) * u64::from(page_bytes);
    let program = pick(rng, &["per-page", "one-shot"]);
    let parallelism = pick(rng, &["independent", "multi-plane", "serial"]);
    let text = format!(
        "[device]\nname = \"small\"\nuser_bytes = {user_bytes}\nplp = {}\n\
         [[device.pool]]\nname = \"nand\"\nchannels = {channels}\nchips = 1\ndies = 1\nplanes = {planes}\n\
         blocks = {blocks}\nwordlines = {wordlines}\npage_bytes = {page_bytes}\n\
         plane_parallelism = \"{parallelism}\"\n\
         [device.pool.bus]\nps_per_byte = 1250\n\
         [device.pool.slc]\nread_ns = [20_000]\nprogram_ns = [200_000]\nerase_ns = 2_000_000\n\
         [device.pool.{dense}]\nread_ns = [66_000]\nprogram_ns = [1_000_000]\nerase_ns = 3_000_000\n\
         program = \"{program}\"\n\
         [scheme-defaults.baseline]\nslc_blocks = {}\n\
         [precondition]\nfill = {}\n",
        rng.below(2) == 0,
        3 + rng.below(4),
        pick(rng, &["0.0", "0.5", "1.0"]),
    );
    match toml::from_str::<Value>(&text) {
        Ok(Value::Table(table)) => table,
        other => unreachable!("Invariant: the device is TOML, not {other:?}"),
    }
}

/// Reads and writes of some pages, a part of them rewritten often, with pauses, trims and flushes.
fn requests(rng: &mut RngStream, user_bytes: u64) -> Vec<Request> {
    let sectors = (user_bytes / SECTOR) as u32;
    let hot = (sectors / 8).max(8);
    let mut at_ns = 0;
    let mut all: Vec<Request> = (0..REQUESTS)
        .map(|_| {
            at_ns += match rng.below(40) {
                0 => 200_000_000,
                1..10 => 0,
                _ => rng.exponential(300_000.0) as u64,
            };
            let op = match rng.below(20) {
                0 => HostOp::Trim,
                1 => HostOp::Flush,
                2..6 => HostOp::Read,
                _ => HostOp::Write,
            };
            let within = if rng.below(2) == 0 { hot } else { sectors };
            let count = (8 * (1 + rng.below(12))).min(within);
            let sector = u64::from(rng.below(within - count + 1));
            let is_flush = op == HostOp::Flush;
            let (sector, sectors) = if is_flush { (0, 0) } else { (sector, count) };
            Request { at_ns, sector, sectors, stream: rng.below(3) as u16, hint: 0, op }
        })
        .collect();
    // Idle work that has no end shows in a long pause.
    all.push(Request {
        at_ns: at_ns + PAUSE_NS,
        sector: 0,
        sectors: 8,
        stream: 0,
        hint: 0,
        op: HostOp::Read,
    });
    all
}
