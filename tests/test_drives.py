"""Presets that are like drives: what they stand on, the laws, the ledger, and latencies."""

from __future__ import annotations

import dataclasses
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import drive_evidence
import drive_models
import drive_presets
from hidden_drives import CACHE, SMALL, small
from slcache import catalogue, cliffs, simulation
from slcache.drives import fills, latency, ledger, published
from slcache.drives import protocol as protocols
from slcache.drives.fills import SCHEME
from slcache.drives.published import Trial
from slcache.errors import ConfigError, UsageError
from slcache.execute.engine import Engine
from slcache.names import leaves
from support import process, slcache, stdout

RECORD = json.loads(drive_presets.RECORD.read_text())
NAMES = list(drive_models.TEMPLATES)
KINDS = {"known", "derived", "calibrated", "assumed"}


def made(name: str) -> str:
    """Return the device file that the record makes."""
    model = drive_models.Model(name)
    content = drive_presets.device(model, RECORD[name]["parameters"])
    return drive_presets.text(content, drive_evidence.evidence(model, content))


@pytest.mark.parametrize("name", NAMES)
def test_presets_are_what_the_record_makes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that is held out is used, and every key has its ground."""
    text = (drive_presets.ROOT / "presets/devices" / f"{name}-like.toml").read_text()
    assert text == made(name)
    said = re.findall(r'^"(.+?)" = \{ kind = "(.+?)", source = "(.+)" \}$', text, re.M)
    assert {kind for _, kind, _ in said} <= KINDS
    calibrated = [source for _, kind, source in said if kind == "calibrated"]
    assert calibrated
    assert all("https://" in source for source in calibrated)
    # At most five steps, and what is seen in the end is told, with what was wanted: a parameter
    # that cannot be met is not hidden.
    record = RECORD[name]
    assert 1 <= len(record["steps"]) <= drive_presets.STEPS + 1
    for key, entry in record["steps"][-1].items():
        assert {"value", "gb_s", "wanted"} == entry.keys()
        assert entry["value"] == record["parameters"][key]
    bare = {
        key: dataclasses.replace(
            drive, average=None, others={k: f for k, f in drive.others.items() if not f.held_out}
        )
        for key, drive in published.drives().items()
        if drive.whole is None
    }
    monkeypatch.setattr(published, "drives", lambda: bare)
    assert text == made(name)


def test_a_phase_that_is_held_out_cannot_be_calibrated_to(monkeypatch: pytest.MonkeyPatch) -> None:
    held = published.drives()["hp-fx900-1tb"]
    monkeypatch.setitem(drive_models.TEMPLATES, held.name, drive_models.TEMPLATES[NAMES[0]])
    with pytest.raises(ValueError, match="may not be used"):
        drive_models.Model(held.name)


def test_the_laws_are_within_a_seventh_on_twelve_of_eighteen_averages() -> None:
    rows = [row for drive in published.drives().values() for row in ledger.by_law(drive)]
    averages = [row for row in rows if row.figure == "average" and row.verdict != published.SHOWN]
    near = [row for row in averages if row.verdict == published.REPRODUCED]
    assert (len(near), len(averages)) == (12, 18)
    boundaries = [row for row in rows if row.figure == "boundary"]
    assert len(boundaries) == 6
    assert all(row.verdict == published.REPRODUCED for row in boundaries)
    rows = ledger.by_law(published.drives()["samsung-970-evo-plus"])
    assert [row.published for row in rows] == [100, 200, 400, 420]
    assert [row.verdict for row in rows] == [published.REPRODUCED] * 4


def test_law_three_is_the_integral_of_its_phases() -> None:
    fill = published.fill(280, 5.0, 2.5, bits=3, user_gb=2000)
    assert fill.ends_gb == (280, 1430, 2000)
    assert fill.gb_s[2] == pytest.approx(1 / (1 / 5.0 + 1.5 / 2.5))
    spent = 280 / 5.0 + 1150 / 2.5 + 570 / fill.gb_s[2]
    assert fill.average_gb_s == pytest.approx(2000 / spent)
    # A cache that takes the whole drive leaves no second phase.
    assert published.fill(700, 4.0, 0.5, bits=3, user_gb=2000).ends_gb == (700, 2000)


def test_published_figures_have_a_source_and_averages_are_held_out() -> None:
    for drive in published.drives().values():
        figures = [*drive.phases, *drive.others.values()]
        if drive.average is not None:
            assert drive.average.held_out
            figures.append(drive.average)
        assert all(published.url(figure.source).startswith("https://") for figure in figures)
        if drive.phases:
            assert drive.phases[-1].to_gb == drive.user_gb
        assert (drive.whole is None) == (drive.name in drive_models.TEMPLATES)
    lexar = published.of_preset("lexar-nm790-2tb-like")
    assert lexar is not None
    assert lexar.name == "lexar-nm790-2tb"
    assert published.of_preset("tiny") is None


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"maap": "dram"}, "unknown key maap; allowed: name, "),
        ({"bits": "3"}, "bits = '3': input should be a valid integer"),
        ({"phase": [{"to_gb": 1}]}, "phase 1: source is missing"),
        ({"others": {"a": {"v": 1, "source": "s", "use": "no"}}}, "others: a: use = 'no': "),
    ],
)
def test_a_drive_of_which_something_wrong_is_said_is_refused(
    wrong: dict[str, Any], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = {"user_gb": 1, "bits": 3, "link": "sata", "map": "dram"}
    monkeypatch.setattr(published, "data", lambda _: {"drive": {"new": {**usual, **wrong}}})
    published.drives.cache_clear()
    with pytest.raises(ConfigError) as error:
        published.drives()
    assert f"measured.toml: drive: new: {told}" in str(error.value)


def test_a_second_pass_and_pauses_are_told() -> None:
    first, second = protocols.measure("anandtech", device=small()).passes
    assert second.cache_gb < first.cache_gb
    paused = protocols.measure("recovery", device=small()).recovery
    assert paused is not None
    gained = [pause.regained_gb for pause in paused.pauses]
    # The cache opens again when it is empty, which takes more than a second.
    assert gained[0] == 0
    assert all(later == pytest.approx(gained[1], rel=0.05) for later in gained[1:])
    assert gained[-1] == pytest.approx(paused.cache_gb, rel=0.15)


@pytest.mark.long
def test_a_filled_device_is_measured_against_the_speed_of_a_new_one() -> None:
    device, quarter = small(), CACHE // 4
    table = {"rule": "table", "table": [[0.0, CACHE], [0.8, quarter]]}
    device["scheme-defaults"] = {"client": {**SMALL, "dynamic": table}}
    new = protocols.measure("recovery", device=device).recovery
    full = protocols.measure("recovery", device=device, fill=0.8).recovery
    assert new is not None
    assert full is not None
    assert full.first_gb_s == new.first_gb_s
    # A block of each of the 8 planes is 2 MiB.
    assert full.cache_gb == pytest.approx(quarter / 1e9, abs=2 * 2**21 / 1e9)
    runs = fills.bursts(device, 1, 0.8)
    documents = [found.documents[0] for found in fills.done(runs.first(), 1, None)]
    assert fills.cache_gb(runs, documents) == full.cache_gb
    gb = np.linspace(0.0, 1.0, 11)
    straight = fills.FillCurve(gb, 2 * gb)
    assert [fills.at_first(straight, speed) for speed in (0.5, 1.0)] == [1.0, 0.0]
    for fill in (0.25, 1.0):
        found = protocols.measure("recovery", device="tiny", fill=fill).recovery
        assert found is not None
        assert found.first_gb_s > 0
        assert 0 <= found.cache_gb <= found.burst_gb


def test_figures_of_drives_that_are_partly_full_have_rows() -> None:
    drives = [drive for drive in published.drives().values() if drive.whole is None]
    found = {(drive.name, name): runs.fill for drive, name, runs in ledger.filled(drives, 8)}
    assert found == {
        ("intel-660p-1tb", "cache_gb_at_80_percent"): 0.8,
        ("intel-660p-1tb", "cache_gb_at_75_percent"): 0.75,
    }
    assert ledger.protocols(published.drives()["intel-660p-1tb"], quick=False) == ["techpowerup"]
    runs = fills.bursts(small(), 1, 0.0)
    titles = {runs.run(2, 1_234_000_000_000 + runs.pause_ns(s)).title for s in fills.PAUSES_S}
    assert len(titles) == len(fills.PAUSES_S)


def test_the_default_amount_follows_the_cache_that_the_engine_has() -> None:
    device = small()
    cache = cliffs.cache_bytes(catalogue.resolve(device=device, scheme="client"))
    assert cache == CACHE
    assert cliffs.default_amount(device, "client") == 3 * cache
    whole, part = (fills.fill("techpowerup", small(), scale=scale).passes[0] for scale in (1, 2))
    assert part.gb[-1] == pytest.approx(whole.gb[-1], rel=0.01)
    assert part.average_gb_s == pytest.approx(whole.average_gb_s, rel=0.05)
    assert np.all(np.diff(part.seconds) > 0)


@pytest.mark.long
def test_a_drive_is_judged_from_the_command_line(tmp_path: Path) -> None:
    out = tmp_path / "like"
    # A process of its own draws the figure.
    words = "cliff --device samsung-970-evo-500gb-like --like techpowerup --scale 1/16 --out"
    told = process(*words.split(), out).stdout
    assert b"published: 0.663 GB/s, held out" in told
    assert json.loads((out / "like.json").read_text())["drive"] == "samsung-970-evo-500gb"
    assert (out / "like.csv").read_text().startswith("pass,gb,gb_s")
    assert (out / "like.png").stat().st_size > 10_000


@pytest.mark.few(5)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fill", [0.0, 0.95])
def test_a_drive_runs_empty_and_nearly_full(name: str, fill: float) -> None:
    part = fills.scaled(f"{name}-like", 16, fills.as_client(None))
    user = int(catalogue.resolve(device=part, scheme="client")["device"]["user_bytes"])
    size = 10**6 // drive_models.PAGE * drive_models.PAGE
    workload = {
        "requests": int(0.02 * user) // size,
        "footprint_bytes": user // size * size,
        "global": {"rw": "write", "bs": str(size)},
    }
    settings = {"precondition.fill": fill, "trace.prefill": "none"}
    result = simulation.run(
        workload, device=part, scheme="client", settings=settings, replay="closed:1"
    )
    document = result.documents[0]
    assert document["host"]["write"]["requests"] == workload["requests"]
    speed = document["host"]["bytes"] / document["host"]["duration_ns"]
    first = published.drives()[name].phases[0].value
    # An empty drive writes to its cache alone, and a nearly full one is never faster.
    assert speed <= 1.05 * first
    assert fill or speed > 0.6 * first


NAMES_LIKE = [f"{name}-like" for name in drive_models.TEMPLATES]


@pytest.mark.parametrize(
    "name", [None, *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES_LIKE)]
)
@pytest.mark.parametrize("protocol", ["techpowerup", "anandtech"])
def test_phases_are_those_of_the_time_that_bytes_take(name: str | None, protocol: str) -> None:
    scale = 16 if name else 1
    found = protocols.measure(protocol, device=name or small(), scale=scale)
    assert found.fill is not None
    for each, curve in zip(found.passes, found.fill.passes, strict=True):
        begin, spent = 0.0, 0.0
        for phase in each.phases:
            assert phase["low_gb_s"] <= phase["gb_s"] <= phase["high_gb_s"]
            assert phase["from_gb"] == begin < phase["to_gb"]
            seconds = curve.at(phase["to_gb"]) - curve.at(begin)
            assert phase["gb_s"] * seconds == pytest.approx(phase["to_gb"] - begin)
            begin, spent = phase["to_gb"], spent + seconds
        assert begin == pytest.approx(float(curve.gb[-1]))
        assert spent == pytest.approx(float(curve.seconds[-1]))
        assert each.average_gb_s == pytest.approx(begin / spent)
    if name is None:
        first, host = found.fill.passes[0], found.fill.document["host"]
        assert begin * scale * len(found.passes) == pytest.approx(host["bytes"] / 1e9, rel=1e-3)
        # The cache is as the table says, and the array as fast as its planes.
        assert found.passes[0].cache_gb == pytest.approx(CACHE / 1e9, rel=0.05)
        assert first.between(0.05, 0.15) == pytest.approx(8 * 16384 / 213_648, rel=0.05)


@pytest.mark.few(5)
@pytest.mark.parametrize("name", NAMES_LIKE)
@pytest.mark.parametrize("scale", [7, 32, 690, 999_999])
def test_a_scale_that_cannot_be_names_the_nearest_that_works(name: str, scale: int) -> None:
    as_client = fills.as_client(None)
    with pytest.raises(UsageError) as raised:
        fills.scaled(name, scale, as_client)
    assert raised.value.key == "scale"
    found = re.match(rf"scale = 1/{scale}: the nearest that works is 1/(\d+); ", str(raised.value))
    assert found is not None
    nearest = int(found[1])
    fills.scaled(name, nearest, as_client)
    # What lies between does not divide the blocks, or does not run.
    for other in range(nearest + 1, min(scale, nearest + 9)):
        with pytest.raises(UsageError):
            fills.scaled(name, other, as_client)


@pytest.mark.parametrize(
    ("protocol", "of_tiny"),
    [
        ("techpowerup", ""),
        ("anandtech", "pass 1, 1 +0 MB +1.74 MB +79.8 MB "),
        pytest.param("recovery", "of 0.999 MB", marks=pytest.mark.long),
    ],
)
def test_a_protocol_begins_in_the_state_that_it_says(protocol: str, of_tiny: str) -> None:
    quarter = [(("--set", "precondition.fill=0.25"), "tiny: 25.0 % full, ")]
    for said, told in (
        ((), "tiny: empty, never overwritten, "),
        (("--state", "full=0.5"), "tiny: 50.0 % full, never overwritten, "),
        *(quarter if protocol == "techpowerup" else []),
    ):
        printed = stdout("cliff", "--device", "tiny", "--like", protocol, *said)
        assert printed.startswith(told), said
        # Small devices are told in units that suit them.
        assert " GB" not in printed
        assert said or re.search(of_tiny, printed)


@pytest.mark.parametrize(
    ("how", "buffer", "scale", "told"),
    [
        ("--like techpowerup", True, "1/2", True),
        ("--like techpowerup", True, "1", False),
        ("--like techpowerup", False, "1/2", False),
        ("--schemes client", True, "1/2", True),
    ],
)
def test_parts_tell_of_a_buffer(
    how: str, buffer: bool, scale: str, told: bool, tmp_path: Path
) -> None:
    """A buffer of a part of the device would be too small for all its planes."""
    path = tmp_path / "small.json"
    path.write_text(json.dumps({k: part for k, part in small().items() if buffer or k != "buffer"}))
    done = slcache("cliff", "--device", path, *how.split(), "--scale", scale)
    assert done.returncode == 0, done.stderr
    said = b"note: --scale 1/2 leaves buffer.bytes = 1.00 MiB undivided"
    assert (said in done.stderr) == told


TRIALS = {trial.name: trial for trial in published.trials()}
PERCENTILES = ("p50", "p90", "p95", "p99", "p99_9", "p99_99", "max")
#: What a microsecond, a request a second, and 10^6 bytes a second of a drive may be.
RANGES = {"iops": (100, 2e6), "mb_s": (1, 15_000), "gb": (0.1, 1000)}
LATENCY_US = (1, 200_000)


@pytest.mark.parametrize("trial", TRIALS.values(), ids=TRIALS)
def test_a_test_has_figures_in_their_range_and_a_source(trial: Trial) -> None:
    source = published.sources()[trial.source]
    assert source["url"].startswith(("https://", "http://"))
    assert source["name"]
    assert source.get("licence", "MIT") in ("MIT", "CC-BY-4.0")
    assert trial.figures
    assert trial.size in (4096, 8192, 128 << 10, 1 << 20)
    for side in trial.figures.values():
        for name, value in side.items():
            low, high = RANGES.get(name, LATENCY_US)
            assert low <= value <= high, (name, value)
        ordered = [side[name] for name in PERCENTILES if name in side]
        assert ordered == sorted(ordered)
        if {"iops", "mb_s"} <= side.keys():
            assert side["mb_s"] == pytest.approx(side["iops"] * trial.size / 1e6, rel=0.01)
    if latency.unsimulated(trial) is None:
        assert trial.state is not None
        assert trial.kind in published.KINDS


def test_the_time_of_a_host_is_that_of_the_tests_to_calibrate_by() -> None:
    for name, source in published.sources().items():
        spare = [
            trial.depths[0] * 1e6 / side["iops"] - side["mean"]
            for trial in TRIALS.values()
            if (trial.source, trial.use) == (name, "calibrate")
            for side in trial.figures.values()
            if {"iops", "mean", "p50"} <= side.keys()
        ]
        if spare and name != "kyber":
            assert source["host_us"] == pytest.approx(sum(spare) / len(spare), abs=0.06)
    names = TRIALS.keys() | {trial.drive.name for trial in TRIALS.values()}
    places = [place.partition(": ") for place in published.reasons("latency")]
    assert {name for name, _, _ in places} <= names
    assert {figure for _, _, figure in places} <= {"", *latency.NEAR}
    kinds = {f"{trial.kind}, {side}" for trial in TRIALS.values() for side in trial.figures}
    assert {of.rpartition(", ")[0] for of in published.reasons("kind")} <= kinds
    assert {of.rpartition(", ")[2] for of in published.reasons("kind")} == {"above", "below"}


def test_no_test_is_dropped_or_miscounted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every trial has the same result here: one request of a microsecond on each side."""
    waits = dict.fromkeys(("p50", "p99", "p99_9", "mean"), 1.0)
    sides = {key: {"requests": 1, "latency_us": waits} for key in ("read", "write", "flush")}
    document = {"host": {**sides, "duration_ns": 1}}
    monkeypatch.setattr(Engine, "results", lambda _, runs: [document for _ in runs])
    with Engine(tmp_path) as engine:
        found = latency.make(engine)
    assert len(published.trials()) == len(TRIALS) == 88
    judged = {figure.trial for figure in found.judged}
    assert judged | found.unjudged.keys() == TRIALS.keys()
    assert not judged & found.unjudged.keys()
    assert all(found.unjudged.values())
    simulated = {trial.name for trial in TRIALS.values() if latency.unsimulated(trial) is None}
    assert {figure.trial for figure in found.figures} == simulated
    assert all(figure.reason for figure in found.figures if not figure.holds)
    assert all(figure.source.startswith("http") for figure in found.figures)
    figures = [
        latency.LatencyRow("t", "d", "flush", "sync", name, "us", 1, 1, use, 1, verdict, "", "")
        for name, use, verdict in (
            ("p50", "held-out", published.REPRODUCED),
            ("dsync_mean", "held-out", published.FAILED),
            ("iops", "calibrate", published.REPRODUCED),
            ("p99", "context", published.SHOWN),
        )
    ]
    assert latency.Latency(tuple(figures), {}, {}, {}).counts() == {
        "held-out": {"p50": {"reproduced": 1, "judged": 2}},
        "calibrate": {"iops": {"reproduced": 1, "judged": 1}},
    }


@pytest.mark.parametrize(
    ("figure", "low", "high"),
    [
        ("p50", 0.75, 1.25),
        ("mean", 0.75, 1.25),
        ("iops", 0.75, 1.25),
        ("p99", 1 / 1.5, 1.5),
        ("p99_9", 0.5, 2),
    ],
)
def test_a_figure_holds_up_to_its_tolerance(figure: str, low: float, high: float) -> None:
    assert {latency.verdict_of(figure, at) for at in (low, high)} == {published.REPRODUCED}
    for beyond in (low * 0.999, high * 1.001, None):
        assert latency.verdict_of(figure, beyond) == published.FAILED


READ_NS, WRITE_NS, FLUSH_NS, DENSE_READ_NS, PS = 7_000, 11_000, 300_000, 50_000, 833


def timed() -> dict[str, Any]:
    """Return the small device with times of its own, a wider buffer and no host link."""
    device = small()
    del device["host"]
    pool = device["device"]["pool"][0] | {"chips": 2, "planes": 2}
    device["device"] |= {
        "plp": False,
        "controller": {"read_ns": READ_NS, "write_ns": WRITE_NS, "flush_ns": FLUSH_NS},
        "pool": [pool],
    }
    del device["device"]["mu_bytes"]
    device["scheme-defaults"][SCHEME] = {**SMALL, "fold": {"keep_blocks": 4, "parallel": 8}}
    device["buffer"]["stripe_planes"] = 4
    return device


def ours(trial: Trial, device: dict[str, Any]) -> dict[tuple[str, str], float | None]:
    """Return what is found for a trial on a device, by side and figure."""
    planned = latency.plan(trial, device)
    with Engine(None) as engine:
        documents = engine.results(planned.runs)
    return {(f.side, f.figure): f.ours for f in latency.judged(trial, documents)}


def shortened(name: str, **changed: Any) -> Trial:  # noqa: ANN401
    """Return a trial over 64 MiB that lasts 20 ms, without time of its host."""
    of = {"span_bytes": 64 << 20, "seconds": 0.02, "host_us": 0.0, "closed": False, **changed}
    return dataclasses.replace(TRIALS[name], **of)


def test_a_write_takes_the_controller_and_a_read_the_cells_and_the_channel_too() -> None:
    found = ours(shortened("pm981a-512-mix0-q1"), timed())
    assert found["write", "p50"] == WRITE_NS / 1e3
    assert found["write", "iops"] == pytest.approx(1e9 / WRITE_NS, rel=0.01)
    # The host takes its time between requests, and in none.
    found = ours(shortened("pm981a-512-mix0-q1", host_us=2.7), timed())
    assert found["write", "p50"] == WRITE_NS / 1e3
    assert found["write", "iops"] == pytest.approx(1e9 / (WRITE_NS + 2700), rel=0.01)
    found = ours(shortened("pm981a-512-mix100-q1"), timed())
    # Percentiles are exact to a thousandth.
    expected = READ_NS + DENSE_READ_NS + 4096 * PS / 1000
    assert found["read", "p50"] == pytest.approx(expected / 1e3, rel=0.002)
    assert found["read", "iops"] == pytest.approx(1e9 / expected, rel=0.01)
    found = ours(shortened("e970-plain-dsync-fdatasync", span_bytes=8 << 20), timed())
    program_ns = 16384 * PS / 1000 + 200_000
    together = (WRITE_NS + FLUSH_NS + program_ns) / 1e3
    assert found["sync", "fdatasync_mean"] == pytest.approx(together, rel=0.05)
    assert found["sync", "dsync_mean"] == found["sync", "fdatasync_mean"]
    assert found["write", "iops"] == pytest.approx(1e9 / WRITE_NS, rel=0.01)


def test_half_a_drive_has_half_the_planes_and_the_same_controller() -> None:
    half, whole = (
        latency.device(dataclasses.replace(TRIALS["pm981a-256-rr-q1"].drive, planes=planes))
        for planes in (Fraction(1, 2), Fraction(1))
    )
    pools = half["device"]["pool"][0], whole["device"]["pool"][0]
    assert pools[0]["chips"] * 2 == pools[1]["chips"]
    assert {**pools[0], "chips": 0} == {**pools[1], "chips": 0}
    for key in ("controller", "mu_bytes", "plp"):
        assert half["device"].get(key) == whole["device"].get(key)
    sizes = [2 * half["device"]["user_bytes"], whole["device"]["user_bytes"]]
    assert sizes[0] == pytest.approx(sizes[1], rel=1e-3)
    clients = half["scheme-defaults"][SCHEME], whole["scheme-defaults"][SCHEME]
    for table in ("dense", "fold"):
        assert clients[0][table]["parallel"] == clients[1][table]["parallel"] // 2
    assert clients[0]["dynamic"]["table"][0][1] == clients[1]["dynamic"]["table"][0][1] // 2
    # The maker prints one size of the static region for both: twice the blocks of half the planes.
    assert clients[0]["static_blocks"] == 2 * clients[1]["static_blocks"]


def test_a_closed_cache_takes_nothing_and_a_full_state_is_written_in_order() -> None:
    device, found = latency.device(TRIALS["pm981a-256-mix0-q32"].drive), {}
    for closed in (False, "dynamic", True):
        (run,) = latency.plan(shortened("pm981a-256-mix0-q32", closed=closed), device).runs
        client = run.config["scheme"]["client"]
        found[closed] = client["static_blocks"], client["dynamic"]["rule"]
    # A closed dynamic part leaves the static region.
    blocks = device["scheme-defaults"][SCHEME]["static_blocks"]
    assert blocks > 0
    assert found == {False: (blocks, "table"), "dynamic": (blocks, "none"), True: (0, "none")}
    planned = latency.plan(shortened("pm981a-512-mix0-q1", closed=True, state="full=0.5"), timed())
    assert planned.runs[0].settings["precondition.fill"] == 0.5
    assert planned.runs[0].settings["precondition.overwrite"] == 0.0
    with Engine(None) as engine:
        (document,) = engine.results(planned.runs)
    assert document["state"]["cache"]["peak_bytes"] == 0
    assert document["state"]["full_share"] == pytest.approx(0.5, rel=0.01)


def test_a_test_over_much_is_run_on_a_part_and_a_long_one_is_cut() -> None:
    whole = latency.device(TRIALS["sn530-rw-q8"].drive)
    planned = latency.plan(TRIALS["sn530-rw-q8"], whole)
    load = json.loads(planned.runs[0].trace[1:])
    assert load["footprint_bytes"] == (16 << 30) // latency.PART
    assert load["requests"] == int(102_668 * 120 / latency.PART)
    assert planned.runs[0].replay == "closed:8"
    trial = TRIALS["pm981a-256-sw128-q1"]
    planned = latency.plan(trial, latency.device(trial.drive))
    load = json.loads(planned.runs[0].trace[1:])
    most = latency.MOST_UNITS * latency.UNIT_BYTES // (128 << 10)
    assert load == {"requests": most, "footprint_bytes": 8 << 30,
                    "global": {"rw": "write", "bs": "131072"}}  # fmt: skip
    assert planned.share == pytest.approx(most / (13_607 * 30))


def test_a_reader_beside_writers_is_a_probe_of_its_own_stream() -> None:
    (name, load, depth), *rest = latency.loads(TRIALS["980pro-l1-t1x128"], 1000)
    # Eight drives share 128 writers.
    assert (name, depth, rest) == ("probe", 16, [])
    weights = {stream["stream"]: stream["weight"] for stream in load["stream"]}
    assert weights == {0: 1, 1: latency.WRITES_OF_PROBE}
    trial = shortened("980pro-r1-w256", seconds=0.2)
    with Engine(None) as engine:
        (document,) = engine.results(latency.plan(trial, timed()).runs)
    write = document["host"]["write"]
    outstanding = (
        write["requests"] * write["latency_us"]["mean"] * 1e3 / document["host"]["duration_ns"]
    )
    assert 0.9 * 256 < outstanding <= 256


def test_each_mechanism_is_taken_out_alone() -> None:
    device = timed()
    device["device"]["map"] = {"cache_bytes": 1 << 20}
    device["device"]["pool"][0]["tlc"]["read_ns"] = [40_000, 60_000]
    device["device"]["pool"][0]["page_bytes"] = 2 * latency.PAGE_BYTES
    device["device"]["pool"][0]["tlc"]["program_variation"] = 0.1
    for mode in ("slc", "tlc"):
        device["device"]["pool"][0][mode]["endurance_cycles"] = 1_000
    device["scheme-defaults"][SCHEME]["dense"] = {"parallel": 4, "clean_ahead": True}
    device["scheme-defaults"][SCHEME]["placement"] = "striped"
    device["device"]["controller"]["jitter_ns"] = 1_000
    before = json.dumps(device)

    def flat(content: dict[str, Any]) -> set[tuple[str, str]]:
        return {(name, json.dumps(value)) for name, value in leaves(content)}

    client, pool, start = "scheme-defaults.client", "device.pool[0]", "device.cells.start"
    both = [(mode, key) for mode in ("slc", "tlc") for key in ("cycles", "days")]
    expected: dict[str, set[str]] = {
        "cells that never err": set(),
        "cells and data that are new": {f"{start}.{mode}.{key}" for mode, key in both},
        "controller": {
            f"device.controller.{key}_ns" for key in ("read", "write", "flush", "jitter")
        },
        "jitter of commands": {"device.controller.jitter_ns"},
        "stripes": {f"{client}.placement"},
        "page types": {f"{pool}.tlc.read_ns"},
        "planes of a die as one": {
            *(f"{pool}.planes", f"{pool}.page_bytes"),
            *(f"{client}.dense.parallel", f"{client}.fold.parallel"),
        },
        "variation of programs": {f"{pool}.tlc.program_variation"},
        "cleaning ahead": {f"{client}.dense.clean_ahead"},
        "map cache": {"device.map.cache_bytes"},
    }
    assert latency.MECHANISMS.keys() == expected.keys()
    for name, off in latency.MECHANISMS.items():
        gone = flat(json.loads(before)) ^ flat(off(json.loads(before)))
        assert {key for key, _ in gone} == expected[name], name
