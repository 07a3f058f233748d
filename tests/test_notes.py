"""What a configuration is told about, what is told of a device, and that runs agree with it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import slcache
from hidden_drives import SMALL, small
from slcache.cli.app import execute
from slcache.drives import fills
from slcache.sentences import notes
from support import QUICK, json_of, stdout, write_trace
from support import slcache as command

TINY = Path(__file__).parent.parent / "presets" / "devices" / "tiny.toml"
#: A setting, or a scheme, with words of its note.
NOTED: tuple[tuple[str, dict[str, object], str], ...] = (
    ("tlc-only", {"device.user_bytes": 3_000_001}, "rounded down to 2998272"),
    ("baseline", {"device.pool[0].slc.program_ns": [160]}, "160 ns is no time of NAND flash"),
    ("hyssd", {}, "both tiers are on the same dies"),
    ("hyssd-static", {}, "both tiers are on the same dies"),
    ("ust", {}, "writes in order use one of the 4 planes at a time"),
    ("dwa", {"scheme.dwa.reclaim": "deferred"}, "more than cache.slc_bytes may hold data"),
)


@pytest.mark.parametrize(("scheme", "settings", "words"), NOTED)
def test_notes_are_shown(scheme: str, settings: dict[str, object], words: str, trace: Path) -> None:
    run = slcache.run(trace, device="tiny", scheme=scheme, settings=settings, address="wrap")
    # Of so short a run there may be another one on its life.
    assert [note for note in run.notes() if words in note] == run.notes()[:1]
    for shown in (run.summary(), run.report(), run._repr_html_()):
        assert words in " ".join(shown.split())


@pytest.mark.parametrize(
    ("beyond", "told"),
    [
        (0, ""),
        (1, "1 of 20 requests reaches beyond the device, and is left out"),
        (20, "20 of 20 requests reach beyond the device, and are left out"),
    ],
)
def test_requests_that_are_left_out_are_told(beyond: int, told: str, tmp_path: Path) -> None:
    """Else the figures would pass for those of the whole trace."""
    rows = [(n, "Write", (n << 13) + (n < beyond) * (1 << 30), 4096) for n in range(20)]
    trace = write_trace(tmp_path / "far.csv", rows)
    names = ["tlc-only", "baseline"]
    both = slcache.compare(trace, device="tiny", schemes=names, address="clip")
    shown = (both.summary(), both.runs[0].summary(), both.report(), both.runs[0].report())
    assert all(told in " ".join(each.split()) for each in shown)
    assert any("beyond the device" in each for each in shown) == bool(beyond)
    # A compact trace leaves out trims of what nothing reads or writes.
    compact = slcache.run(trace, device="tiny", scheme="tlc-only", address="compact").to_dict()
    compact["trace"]["adjusted"]["address_dropped"] = beyond
    assert notes.of_runs({"x": compact}) == []
    for form in ("json", "csv"):
        own = ("--device", "tiny", "--schemes", ",".join(names), "--address", "clip")
        done = command("compare", trace, *own, "--format", form)
        assert told in done.stderr.decode()
    # A study says it of its points, also of those that were there before.
    for _ in range(2):
        study = slcache.sweep(
            trace, device="tiny", scheme=names, settings={"trace.address": "clip"}, out=tmp_path
        )
        assert [told in (row["reason"] or "-") for row in study.table.to_dicts()] == [True, True]
        assert study.analysis().to_dict()["left_out"] == []
        printed = command("sweep", "show", tmp_path).stdout.decode()
        assert ("2 done: " + told in " ".join(printed.split())) == bool(beyond)


@pytest.mark.parametrize("scheme", ["ust", "hyssd", "hyssd-static"])
def test_a_note_names_its_scheme_once(scheme: str, trace: Path) -> None:
    both = slcache.compare(trace, device="tiny", schemes=["tlc-only", scheme], address="wrap")
    for runs in (both.runs, both.runs[1:]):
        (told,) = notes.of_runs({run.label: run.documents[0] for run in runs})
        assert told.startswith(f"{scheme}: ")
        assert told.count(scheme) == 1


def test_a_note_is_said_once_in_every_form(trace: Path, comparison: slcache.Comparison) -> None:
    assert comparison.runs[1].notes() == []
    draws = slcache.compare(trace, device="tiny", schemes=["hyssd", "sa"], resample=2)
    for shown in (draws.summary(explain=True), draws.report()):
        assert " ".join(shown.split()).count("both tiers are on the same dies") == 1
    for form, stream in (("table", "stdout"), ("json", "stderr"), ("csv", "stderr")):
        for verb in (["run", "--scheme", "hyssd"], ["compare", "--schemes", "hyssd,baseline"]):
            done = command(verb[0], trace, "--device", "tiny", *verb[1:], "--format", form)
            assert done.returncode == 0, done.stderr
            assert b"same dies" in b" ".join(getattr(done, stream).split())
    names = ["ust", "hyssd", "ust:max_slc_blocks=3"]
    told = slcache.compare(trace, device="tiny", schemes=names).notes()
    (in_order,) = (line for line in told if "writes in order" in line)
    assert in_order.startswith("ust and ust:max_slc_blocks=3: ")
    (shared,) = (line for line in told if "both tiers" in line)
    assert shared.startswith("hyssd: ")


def test_a_rounded_capacity_is_repeated_as_it_was(trace: Path, tmp_path: Path) -> None:
    asked = {"device.user_bytes": 3_000_001}
    run = slcache.run(trace, device="tiny", scheme="tlc-only", settings=asked, address="wrap")
    device = run.to_dict()["config"]["device"]
    assert (device["user_bytes"], device["stated_user_bytes"]) == (2_998_272, 3_000_001)
    run.save(tmp_path / "kept")
    assert json_of("diff", "--rerun", tmp_path / "kept", "--json")["equal"]
    kept = tmp_path / "kept.json"
    keys = {"user_bytes": 2_998_272, "stated_user_bytes": 3_000_001}
    kept.write_text(json.dumps({"device": keys}))
    whole = slcache.resolve(device="tiny", scheme="tlc-only", settings=kept)
    assert whole["device"]["stated_user_bytes"] == 3_000_001
    file = tmp_path / "whole.json"
    file.write_text(json.dumps(whole))
    assert slcache.resolve(device=file, scheme="tlc-only") == whole
    other = slcache.resolve(device=file, scheme="tlc-only", settings={"device.user_bytes": 1 << 20})
    assert "stated_user_bytes" not in other["device"]


@pytest.mark.parametrize("stated", [1, 2_998_272, 2_998_272 + 4096])
def test_a_stated_capacity_that_does_not_fit_is_refused(stated: int, tmp_path: Path) -> None:
    """A file that slcache wrote may be changed; what it says of itself must not be dropped."""
    device = tmp_path / "odd.toml"
    both = f"2998272\nstated_user_bytes = {stated}"
    device.write_text(TINY.read_text().replace('"3328KiB"', both))
    told = rf"odd\.toml:\d+: device\.stated_user_bytes = {stated}: must be above .* of 4096 bytes"
    with pytest.raises(slcache.ConfigError, match=told) as caught:
        slcache.resolve(device=device, scheme="tlc-only")
    assert caught.value.key == "device.stated_user_bytes"
    with pytest.raises(slcache.ConfigError, match=told):
        slcache.device_facts(device)


def test_a_device_is_warned_of(tmp_path: Path) -> None:
    device = tmp_path / "odd.toml"
    text = TINY.read_text().replace('"3328KiB"', "3_000_001")
    device.write_text(text.replace("program_ns = [1_000_000]", "program_ns = [1_000]"))
    warned = slcache.device_facts(device)["warnings"]
    assert any("rounded down" in warning for warning in warned)
    assert any("tlc.program_ns: 1000 ns" in warning for warning in warned)


def test_the_cliff_begins_in_the_state_that_is_said_and_says_it(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slcache.run(trace, device="tiny", scheme="baseline", state="full=0.9").save(tmp_path / "whole")
    (tmp_path / "keys.toml").write_text("[precondition]\nfill = 0.9\n", encoding="utf-8")
    for said in (
        ["--device", "tiny", "--set", "precondition.fill=0.9"],
        ["--device", "tiny", "--config", str(tmp_path / "keys.toml")],
        ["--config", str(tmp_path / "whole" / "result.json")],
    ):
        assert execute(["cliff", "--schemes", "baseline", "--bs", "4k", *said]) == 0
        assert capsys.readouterr().out.startswith("tiny: 90.0 % full, never overwritten"), said


@pytest.mark.parametrize("device", ["nvc-hdd", "hyssd-st", "wd-sn580-1tb-like"])
def test_a_device_is_shown(device: str) -> None:
    text = stdout("devices", "show", device)
    facts = slcache.device_facts(device)
    assert json.loads(command("devices", "show", device, "--json").stdout) == facts
    for pool in facts["pools"]:
        assert f"{pool['name']}: {pool['channels']} channels" in text
        assert all(f"{mode['mode']} read" in text for mode in pool["modes"])
    if facts["link_mb_per_s"] is not None:
        assert f"{facts['link_mb_per_s']:,.0f} MB/s" in text
    assert {entry["scheme"] for entry in facts["schemes"]} == {s["name"] for s in slcache.schemes()}
    fit, _ = slcache.fitting(device=device)
    assert [e["scheme"] for e in facts["schemes"] if "problem" not in e] == fit
    assert all(f"warning: {line}" in text.replace("\n", " ") for line in facts["warnings"])


@pytest.mark.few(5)
@pytest.mark.parametrize("device", [entry["name"] for entry in slcache.devices()])
def test_a_link_carries_what_its_lanes_do_less_the_headers(device: str) -> None:
    link = slcache.resolve(device=device, scheme=slcache.fitting(device=device)[0][0])["host"][
        "link"
    ]
    told = slcache.device_facts(device)["link_mb_per_s"]
    if link is None:
        assert told is None
        return
    wire = (link["payload_bytes"] + link["header_bytes"]) / link["payload_bytes"]
    assert told == pytest.approx(link["lanes"] * link["lane_mb_per_s"] / wire, rel=1e-3)


def test_a_mapping_cache_is_told_with_what_it_maps() -> None:
    assert slcache.device_facts("tiny")["map"] is None
    facts = slcache.device_facts("wd-sn580-1tb-like")
    # 4 bytes for 4 KiB, of which a unit of 16 KiB has four.
    assert facts["map"]["cache_bytes"] == 64 << 20
    assert facts["map"]["covered_bytes"] == 64 << 30
    assert facts["map"]["map_bytes"] == pytest.approx(facts["user_bytes"] / 1024, abs=4096)
    slc = next(mode for mode in facts["pools"][0]["modes"] if mode["mode"] == "slc")
    for side in ("read", "write"):
        assert {"part": "map", "ns": 1000} in slc[side]["parts"]


PAGE, WORDLINES, ROWS, SIZE = 16384, 16, 20, 128 << 10
MODES = {3: ("tlc", 2_000_000), 4: ("qlc", 6_000_000)}
#: Channels, planes of a die, and whether they program together.
CHIPS = [(4, 4, "multi-plane"), (16, 4, "multi-plane"), (16, 4, "independent")]
DEPTHS = [1, 32] if QUICK else [1, 4, 8, 32]


def device(channels: int, planes: int, parallelism: str, bits: int) -> dict[str, Any]:
    """Return a device with a cache of 20 blocks of each plane, and no buffer."""
    bare, (mode, program_ns) = small(), MODES[bits]
    row = channels * planes * WORDLINES * PAGE
    pool = bare["device"]["pool"][0] | {"channels": channels, "planes": planes, "blocks": 64}
    pool |= {"plane_parallelism": parallelism, mode: pool.pop("tlc") | {"program_ns": [program_ns]}}
    bare["device"] |= {"user_bytes": 40 * bits * row, "pool": [pool]}
    client = {**SMALL, "dynamic": {"rule": "table", "table": [[0.0, ROWS * row]]}}
    return {"device": bare["device"], "scheme-defaults": {"client": client}}


def told(config: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Return what is told of each mode: what writes reach, and the peak."""
    whole = {"requests": 1, "trims": 0, "adjusted": {}}
    found = " ".join(notes.of_runs({"client": {"config": config, "trace": whole}}))
    said = re.findall(r"(slc|tlc|qlc) (\d+) of (\d+) MB/s", found)
    return {mode: (float(most), float(peak)) for mode, most, peak in said}


@pytest.mark.parametrize("bits", MODES)
@pytest.mark.parametrize("chips", CHIPS, ids=str)
def test_what_is_told_is_what_the_simulation_does(chips: tuple[int, int, str], bits: int) -> None:
    bare, mode = device(*chips, bits), MODES[bits][0]
    cache = chips[0] * chips[1] * WORDLINES * PAGE * ROWS / 1e9
    peaks = told(slcache.resolve(device=bare, scheme="client", replay="closed:1"))
    for depth in DEPTHS:
        run = fills.writes_of("bare", bare, SIZE, depth)
        curve = fills.filled(fills.done([run], 1, None)[0].documents[0], 1).passes[0]
        ours = {"slc": curve.between(0.2 * cache, 0.8 * cache)}
        ours[mode] = curve.between(1.5 * cache, 3 * cache)
        said = told(slcache.resolve(device=bare, scheme="client", replay=f"closed:{depth}"))
        for name, (_, peak) in peaks.items():
            # What is not told is within a tenth of the peak.
            most = said.get(name, (peak, peak))[0]
            # Eight pages are no whole wordlines of TLC: which writes share one is not foreseen.
            near = (0.6, 1.3) if name == "tlc" and depth > 1 else (0.88, 1.03)
            assert near[0] <= ours[name] * 1e3 / most <= near[1], (name, depth, said)


VERBS = {
    "run": ["run", "T", "--scheme", "client", "--address", "wrap"],
    "compare": ["compare", "T", "--schemes", "client,qlc-only", "--address", "wrap"],
    "cliff": ["cliff", "--schemes", "client", "--amount", "64MiB", "--iodepth", "1"],
    "like": ["cliff", "--like", "techpowerup", "--format", "json"],
    "pauses": ["cliff", "--like", "recovery"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_that_runs_it_says_so(verb: str, tmp_path: Path, trace: Path) -> None:
    bare, path = device(16, 4, "multi-plane", 3), tmp_path / "drive.json"
    arguments = [str(trace) if word == "T" else word for word in VERBS[verb]]
    for buffer in ({}, {"buffer": {"bytes": 16 << 20, "write_back": "at-once"}}):
        path.write_text(json.dumps({**bare, **buffer}))
        told = "\n".join(slcache.device_facts(path)["warnings"])
        assert ("without [buffer] writes wait for their programs" in told) == (not buffer)
        done = command(*arguments, "--device", path)
        assert done.returncode == 0, done.stderr
        words = b" ".join((done.stdout + done.stderr).split())
        assert (b"the device has no [buffer], as drives have" in words) == (not buffer)
        assert b" 1 requests" not in words


PAGE_BYTES, STRIPED_PLANES, CHANNELS = 16384, 2, 4
#: A wordline of three pages in each plane.
STRIPE = CHANNELS * STRIPED_PLANES * 3 * PAGE_BYTES

REQUESTS = 12_000


def striped(placement: str) -> dict[str, Any]:
    """Return a striped without an SLC cache."""
    own = {"read_ns": [50_000], "erase_ns": 3_000_000}
    pool = {
        **{"name": "nand", "channels": CHANNELS, "chips": 1, "dies": 1, "planes": STRIPED_PLANES},
        **{"blocks": 64, "wordlines": 64, "page_bytes": PAGE_BYTES, "bus": {"ps_per_byte": 833}},
        "slc": {**own, "program_ns": [200_000]},
        "tlc": {**own, "program_ns": [1_500_000], "program": "one-shot"},
    }
    client = {"placement": placement, "dynamic": {"rule": "none"}, "fold": {"host": "dense"}}
    chips = {"user_bytes": 48 * 64 * STRIPE, "mu_bytes": 4096, "stage_timeout_ns": 10_000_000}
    return {
        "device": {"name": "striped", **chips, "pool": [pool]},
        "scheme-defaults": {"client": client},
    }


def written(placement: str, buffer: Mapping[str, object] | None) -> tuple[float, float, str]:
    """Return MB a second, programs of a page for each, and the note on stripes."""
    content = striped(placement) | ({} if buffer is None else {"buffer": buffer})
    job = {"rw": "randwrite", "bs": "4k"}
    load = {"footprint_bytes": 64 << 20, "requests": REQUESTS, "global": job}
    settings = {"trace.prefill": "none"}
    run = slcache.run(load, device=content, scheme="client", settings=settings, replay="closed:8")
    document = run.to_dict()
    seconds = document["host"]["duration_ns"] / 1e9
    told = [note for note in run.notes() if "one-shot wordlines" in note]
    rate = REQUESTS * 4096 / seconds / 1e6
    return rate, document["waf"]["total"], " ".join(told)


def at_once(stripes: float) -> dict[str, object]:
    """Return a buffer of so many stripes."""
    return {"bytes": int(stripes * STRIPE), "write_back": "at-once"}


def in_flight(planes: int, stripes: int) -> dict[str, object]:
    """Return a large buffer with so many stripes on their way, each of so many planes."""
    return {**at_once(WHOLE), "stripe_planes": planes, "stripes_in_flight": stripes}


WHOLE = 8
FEW = [(1, 2), (1, 6), (2, 3), (3, 2), (4, 1), (5, 1), (6, 1), (7, 1)]
ENOUGH = [(1, 7), (2, 4), (3, 3), (4, 2), (6, 2), (7, 2), (8, 1), (8, 2)]
#: A buffer, what is told of it, whether wordlines are padded, and its least and most share of the
#: bandwidth.
CASES: list[tuple[dict[str, object] | None, str, bool, float, float]] = [
    # Of 24 pages 16 may lie in wordlines that one page more does not fill.
    *((at_once(stripes), "padded", True, 0, 0.95) for stripes in (0.25, 0.5, 0.65)),
    *((at_once(stripes), "striped", False, 0, 0.95) for stripes in (0.75, 1, 1.5)),
    ({"bytes": WHOLE * STRIPE}, "padded", True, 0, 0.95),
    (None, "padded", True, 0, 0.95),
    *((at_once(stripes), "", False, 0.85, 2) for stripes in (2, 3, WHOLE)),
    *((in_flight(*few), "buffer.stripes_in_flight", True, 0, 2) for few in FEW),
    # Whole wordlines: as many planes as stripes on their way have are busy, or wait for the next.
    *(
        (in_flight(planes, n), "", False, 0.4 * min(1, planes * n / (CHANNELS * STRIPED_PLANES)), 2)
        for planes, n in ENOUGH
    ),
]


@pytest.fixture(scope="module")
def whole() -> float:
    """The bandwidth with as much buffer as helps."""
    return written("striped", at_once(WHOLE))[0]


@pytest.mark.parametrize(("buffer", "told", "pads", "least", "most"), CASES, ids=str)
def test_what_is_told_to_be_slow_is_and_nothing_else(
    whole: float, buffer: dict[str, object] | None, told: str, pads: bool, least: float, most: float
) -> None:
    rate, waf, notes = written("striped", buffer)
    assert (told in notes, bool(notes), waf > 1.05) == (True, bool(told), pads)
    assert ("padded" in notes) == pads
    assert least * whole <= rate <= most * whole
    # In turn, wordlines need no such room.
    assert most > 1 or written("round-robin", buffer)[2] == ""
