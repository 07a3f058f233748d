"""No argument of a native function ends in a panic, whatever Python hands over."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import _core, resolve
from slcache.words.leaves import leaves

Call = tuple[Callable[..., Any], dict[str, Any]]

MOST = 2**64 - 1
#: What stands in the place of a number, of a text and of a list.
NUMBERS: list[Any] = [0, 1, 2**31, 2**32 - 1, 2**63, MOST]
FRACTIONS: list[Any] = [0.0, -1.0, 1.0, 1e308, 5e-324, math.inf, -math.inf, math.nan]
TEXTS: list[Any] = ["", "\0", "x", "{}", "[]", "null", "0", "\u20ac" * 300, "a.b[0]", "-1", "tiny"]
#: A file that is not there, and a check that is ended at once.
REFUSED = 2
#: Names that are no functions: exceptions and what tells of the build.
OTHERS = {"Error", "ConfigError", "TraceError", "RunError", "EpisodeError"}
#: What is called when a process ends: later ones write nothing.
LAST = {"remove_scratches"}
#: Classes that only the engine makes.
MADE = {"Rereadable", "View", "Write", "Window"}
SECTIONS = {"device": "tiny", "scheme": "baseline", "sets": ["trace.address=wrap"]}
COMMON = {**SECTIONS, "seed": 1, "replay": None}
SHORT = [("workload.requests", "20")]
BLOCKS = '{"pause_ns": 1, "block_requests": 5}'
TIER = {
    "read_ns": 1e4, "program_ns": 1e5, "copyback_ns": 1e5, "erase_ns": 1e6, "units_per_block": 64.0,
    "bytes": 1e9,
}  # fmt: skip
CHIP = {
    "slc_cycles": 1e5, "dense_cycles": 1e4, "slc_block_bytes": 1e6, "dense_bits": 3.0,
    "blocks": 1e3,
}  # fmt: skip
VOLUMES = {
    "host_bytes": 1e9, "slc_bytes": 1e9, "dense_bytes": 1e9, "slc_only_bytes": 1e9,
    "dense_only_bytes": 1e9,
}  # fmt: skip


def of_devices(folder: Path) -> Iterator[Call]:
    """Yield the functions about devices, schemes and runs with arguments that they take."""
    config = json.dumps(resolve(device="tiny", scheme="baseline"))
    trace = "zipf-4k"
    read: dict[str, Any] = {"trace": trace, "trace_options": SHORT}
    told: dict[str, Any] = {"progress": None}
    run = {"trace": trace, "run": {**COMMON, "trace_options": SHORT}, **told}
    files = ["snapshot_in", "snapshot_out", "memory_in", "memory_out", "log"]
    whole = {**run["run"], **dict.fromkeys(files), "timelines": [(str(folder / "t"), 0, 10**9, 1)]}
    yield _core.DeviceContent, {"json": "{}"}
    yield _core.workload_content, {"json": "{}"}
    yield _core.rereadable, {"trace": trace, **told}
    yield _core.is_read_once, {"trace": trace}
    yield _core.fingerprint, {**read, **told}
    yield _core.prepare, {"trace": trace, "output": folder / "p", "trace_options": SHORT, **told}
    yield _core.prepared, {"trace": trace, "file": folder / "p"}
    yield _core.save_state, {"output": folder / "s", "run": COMMON, **told}
    yield _core.run, {**run, "run": whole}
    yield _core.resolve, {"run": COMMON}
    yield _core.shortage, {"run": COMMON}
    yield _core.memory_outlook, {"run": COMMON}
    yield (
        _core.check_scheme,
        {"scheme": "custom", "sets": [], "cases": 1, "seed": 1, "progress": stopped},
    )
    yield _core.knobs, {"run": SECTIONS}
    yield _core.scaled_device, {"device": "tiny", "divisor": 1}
    yield _core.config_cache_bytes, {"config": config}
    yield _core.device_facts, {"device": "tiny"}
    yield _core.config_missed, {"config": config, "depth": 1}
    yield _core.config_notes, {"config": config}
    yield _core.config_regions, {"config": config}
    yield _core.config_file, {"path": str(folder / "none.toml")}
    yield _core.placed, {"place": "file:1", "setting": "a=1"}
    yield _core.device_line, {"device": "tiny", "key": "device.name"}
    yield _core.Episode, episode()
    yield _core.run_bounds, {**run, "slots": [1, 2]}
    yield _core.victim_utilisation, {"utilisation": [0.5]}
    yield _core.hyssd_tiers, {"device": "hyssd-st", "sets": []}


def of_traces(folder: Path) -> Iterator[Call]:
    """Yield all others."""
    trace, out = "zipf-4k", str(folder / "out.csv")
    read: dict[str, Any] = {"trace": trace, "trace_options": SHORT}
    told: dict[str, Any] = {"progress": None}
    write: dict[str, Any] = {"format": "generic", "lossy": "label", **told}
    yield _core.trace_info, {**read, **told}
    yield _core.trace_bound, {**read, "unit_bytes": 4096, "sizes": [4096, 8192], **told}
    yield _core.trace_lint, {**read, **told}
    yield _core.workloads, {"described": False}
    yield _core.workload, {"spec": trace, "overrides": [("requests", "20")]}
    yield _core.trace_convert, {
        "inputs": [trace], "output": out, "trace_options": SHORT, "blocks": BLOCKS, **write,
    }  # fmt: skip
    yield _core.trace_generate, {
        "spec": trace, "output": out, "seed": 1, "overrides": [("requests", "20")], **write,
    }  # fmt: skip
    yield _core.input_files, {"trace": trace}
    yield _core.Outputs, {"inputs": [trace]}
    yield _core.Scratch, {"parent": str(folder)}
    yield _core.Stream, {"seed": 1, "name": "x"}
    yield _core.Stream(1, "x").below, {"bound": 3}
    yield _core.hyssd_cost, {
        "fast": TIER, "dense": TIER, "data_bytes": 1e9, "utilisation": [0.1, 0.5],
        "write_share": 0.5, "write_hits": [0.1, 0.2], "read_hits": [0.1, 0.2],
    }  # fmt: skip
    yield _core.nvc_lifespan, {"chip": CHIP, "slc_share": 0.5, "volumes": VOLUMES}
    for plain in (
        *(_core.schemes, _core.devices, _core.formats, _core.config_schema, _core.trace_formats),
        *(_core.figures, _core.kinds, _core.trace_info_schema),
        *(_core.workload_names, _core.version, _core.model_version, _core.commit),
    ):
        yield plain, {}


def stopped(*_: object) -> None:
    """End work that would go on for years."""
    raise RuntimeError


def episode() -> dict[str, Any]:
    """Return the arguments of an episode of three windows."""
    run = {**COMMON, "trace_options": SHORT, "snapshot_in": None}
    told = {"window": ("requests", 6), "progress": None}
    return {"trace": "zipf-4k", "run": run, **told}


def odd(value: Any) -> list[Any]:  # noqa: ANN401
    """Return what stands in the place of an argument: of its kind, wrong, or of another kind."""
    match value:
        case bool():
            return [7, "x", None]
        case int():
            return [*NUMBERS, -1, 2**64, 1.5, None]
        case float():
            return [*FRACTIONS, "x"]
        case str() | Path():
            return [*TEXTS, b"x", None]
        case tuple():
            return [each for place in range(len(value)) for each in replaced(value, place, tuple)]
        case list():
            inner = [each for place in range(len(value)) for each in replaced(value, place, list)]
            return [[], value * 2, value[::-1], *inner, None]
        case dict():
            return [{}, *({**value, key: each} for key in value for each in odd(value[key]))]
    return ["x", 0, []]


def replaced(values: Any, place: int, kind: type) -> list[Any]:  # noqa: ANN401
    """Return copies of a list or tuple with an odd value in one place."""
    return [kind([*values[:place], each, *values[place + 1 :]]) for each in odd(values[place])]


def called(call: Callable[..., Any], given: dict[str, Any]) -> bool:
    """Call it and return whether it did what it was asked; whatever it raises is no panic."""
    try:
        call(**given)
    except Exception:
        return False
    except BaseException as error:
        told = {key: repr(value)[:200] for key, value in given.items()}
        pytest.fail(f"{call} of {told}: {type(error).__name__}: {error}")
    return True


def test_no_argument_of_a_function_panics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Odd texts are names of files too, which some calls write.
    monkeypatch.chdir(tmp_path)
    tried, worked, names = 0, 0, set()
    for call, given in (*of_devices(tmp_path), *of_traces(tmp_path)):
        names.add(call.__name__)
        worked += called(call, given)
        for key, value in given.items():
            for each in odd(value):
                called(call, {**given, key: each})
                tried += 1
    every = {name for name in dir(_core) if not name.startswith("_")}
    assert every - names - OTHERS - LAST - MADE - {"Episodes"} == set()
    assert (worked, tried > 1900) == (len(names) - REFUSED, True)


def test_no_argument_of_an_episode_panics() -> None:
    one = _core.Episode(**episode())
    room = bytearray(8)
    turns: list[Any] = [
        [],
        [(0, 1.0)],
        *([(place, value)] for place in NUMBERS for value in FRACTIONS),
    ]
    for each in turns:
        called(one.fork().step, {"turns": each})
        called(one.fork().step, {"turns": each, "out": room})
        called(one.fork().turn, {"turns": each})
    several = _core.Episodes([one, one], threads=2)
    for number in NUMBERS:
        called(_core.Episodes, {"episodes": [one], "threads": number if number < 2**31 else None})
        for asked in (several.knob_values, several.knob_bounds, several.operations):
            called(asked, {"index": number})
        called(several.episode, {"index": number})
        called(several.replace, {"index": number, "episode": one})
    for each in turns:
        called(several.step, {"turns": [each, None], "out": room})
        called(several.step, {"turns": [each], "out": room})
    called(_core.Episodes, {"episodes": []})
    one.finish()
    for ended in (one.finish, one.fork, one.knobs, one.operations, one.observe):
        called(ended, {})


KEPT = """
import slcache

kept = []

class Three(slcache.Scheme):
    regions = {"a": slcache.slc(blocks=3), "b": slcache.slc(blocks=3), "c": slcache.dense()}

    def place(self, write, view):
        kept.append(view)
        return ["a", "b"]

class Two(slcache.Scheme):
    regions = {"x": slcache.slc(blocks=3), "y": slcache.dense()}

    def place(self, write, view):
        kept[0].QUESTION
        return "x"
"""


@pytest.mark.parametrize(
    "question",
    [
        *("free_blocks('b')", "used_blocks('c')", "quota('c')", "live_units('c')", "mode('c')"),
        *("pages_per_block('c')", "closed_blocks('c')", "region_of(0)", "queued_ns(0)", "planes"),
        *("queued_ops(0)", "now_ns", "plane", "unit_bytes", "units", "mapped_units"),
    ],
)
def test_a_view_of_another_run_is_no_view_of_this(question: str, tmp_path: Path) -> None:
    file = tmp_path / f"kept_{len(question)}.py"
    file.write_text(KEPT.replace("QUESTION", question))
    run: dict[str, Any] = {"device": "rl-32g", "trace_options": dict(SHORT)}
    slcache.run("zipf-4k", scheme=f"{file}:Three", **run)
    with pytest.raises(slcache.RunError, match="during the call that got it alone"):
        slcache.run("zipf-4k", scheme=f"{file}:Two", **run)


def test_a_number_that_must_not_be_0_is_refused() -> None:
    with pytest.raises(ValueError, match="zero"):
        _core.scaled_device("tiny", 0)
    for unit_bytes, sizes in ((0, [4096]), (100, [4096]), (4096, []), (4096, [8192, 4096])):
        with pytest.raises(slcache.TraceError, match=r"unit_bytes = \d+: must|sizes: must"):
            _core.trace_bound("zipf-4k", SHORT, unit_bytes, sizes)


@pytest.mark.parametrize("scheme", ["baseline", "hierarchy"])
def test_no_number_of_an_edited_configuration_panics(scheme: str) -> None:
    config = resolve(device="tiny", scheme=scheme)
    for key, value in leaves(config):
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        for odd_one in (0, 2**32 - 1, 2**63, -1, 1e308):
            text = json.dumps(changed(config, key, odd_one))
            for call in (_core.config_notes, _core.config_regions, _core.config_cache_bytes):
                called(call, {"config": text})
            called(_core.config_missed, {"config": text, "depth": 1})


def changed(config: dict[str, Any], key: str, value: float) -> dict[str, Any]:
    """Return a configuration with another number at a key such as `device.pool[0].blocks`."""
    copied = json.loads(json.dumps(config))
    *around, last = re.findall(r"[^.\[\]]+", key)
    place = copied
    for step in around:
        place = place[int(step)] if isinstance(place, list) else place[step]
    place[int(last) if isinstance(place, list) else last] = value
    return dict(copied)
