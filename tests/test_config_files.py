"""A configuration file says what single settings can, below them and above the device."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import catalogue
from slcache.given import content
from support import slcache as command

STUDY = """\
slc_blocks = 4
"device.pool[0].blocks" = 20

[run]
seed = 7

[scheme.baseline.slc]
victim = "fifo"

[device.pool_is_not_here]
x = 1
"""
GOOD = STUDY.partition("\n[device.")[0]
IN_JSON = """{"slc_blocks": 4, "device.pool[0].blocks": 20, "run": {"seed": 7},
"scheme": {"baseline": {"slc": {"victim": "fifo"}}}}"""
#: What the files say, as settings.
SETS = {
    **{"slc_blocks": "4", "device.pool[0].blocks": "20", "run.seed": "7"},
    "scheme.baseline.slc.victim": "fifo",
}
TINY = ["--device", "tiny", "--scheme", "baseline"]


def resolved(settings: Any) -> dict[str, Any]:  # noqa: ANN401
    return catalogue.resolve(device="tiny", scheme="baseline", settings=settings)


def config(*arguments: str | Path) -> dict[str, Any]:
    """Return the configuration of a run from the command line."""
    done = command("run", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)["config"]
    return told


@pytest.mark.parametrize(("name", "text"), [("my stüdy.toml", GOOD), ("keys.json", IN_JSON)])
def test_a_file_says_what_settings_say_and_is_below_them(
    name: str, text: str, trace: Path, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(text)
    found = content.read(file)
    assert found.device is None
    assert resolved(found.settings) == resolved(SETS)
    changed = resolved({**SETS, "slc_blocks": "3"})
    for above in (
        {"scheme.baseline.slc_blocks": 3},
        {"slc_blocks": 3},
        {"scheme": {"baseline": {"slc_blocks": 3}}},
    ):
        assert resolved({**found.settings, **above}) == changed, above
    # An option is above it as well.
    wanted = resolved({**SETS, "run.seed": "9"})
    ran = config(trace, *TINY, "--config", file, "--seed", "9")
    assert {key: ran[key] for key in ("device", "scheme", "run")} == {
        key: wanted[key] for key in ("device", "scheme", "run")
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (STUDY, ":11: device.pool_is_not_here"),
        ("[run]\nsed = 1\n", ":2: run.sed: unknown key"),
        ("[scheme.baseline]\nslc_blocks = 99\n", ":2: scheme.baseline.slc_blocks = 99: must be"),
        ("[scheme.ips]\nlayers = 9\n", ":2: the run's scheme is baseline"),
        ("slc_blocks = 4\nscheme.baseline.slc_blocks = 5\n", ":1: scheme.baseline.slc_blocks: "),
        ('"run.seed" = 1\n[run]\nseed = 2\n', ":1: run.seed: {file}:3 says it as well; give one"),
        ("a = [\n", ":1: not valid TOML"),
        ("[host]\nqueue_depth = -1\n", ":2: host.queue_depth = -1"),
        ('{"run":\n{"sed": 1}}', ":2: run.sed: unknown key; did you mean run.seed?"),
        ('{"a": "{",\n"scheme.baseline.slc_blocks":\n99}', ":2: scheme.baseline.slc_blocks = 99"),
        ('{\n"run": {\n"seed": null}}', ":3: run.seed = null: leave it out; only a whole"),
        ('{"run": {"seed": 1,\n"seed": 2}}', ":2: run.seed: line 1 says it as well; give one"),
        ('{"run": {\n"seed": 1},\n"run.seed": 2}', ":3: run.seed: {file}:2 says it as well"),
        ('{"run": {\n"seed": 1,}}', ":2: not valid JSON: key must be a string at column 11"),
        ("[1]", ":1: a configuration is an object"),
    ],
)
def test_what_is_wrong_names_file_and_line(
    trace: Path, tmp_path: Path, text: str, told: str
) -> None:
    file = tmp_path / ("bad.json" if text.startswith(("{", "[1")) else "bad.toml")
    file.write_text(text)
    done = command("run", trace, *TINY, "--config", file)
    assert (done.returncode, done.stdout) == (3, b"")
    assert f"{file}{told.replace('{file}', str(file))}" in done.stderr.decode()


def with_value(document: Any, key: str, value: object) -> Any:  # noqa: ANN401
    """Return a document with another value at a dotted key."""
    changed = copy.deepcopy(document)
    *steps, last = key.split(".")
    place = changed
    for step in steps:
        place = place[int(step) if isinstance(place, list) else step]
    place[last] = value
    return changed


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("device.pool.0.blokcs", 3, "device.pool[0].blokcs = 3: unknown key; did you mean blocks?"),
        ("device.pool.0.blocks", "x", 'device.pool[0].blocks = "x": '),
        ("host.queue_depth", -1, "host.queue_depth = -1: "),
        ("scheme.baseline.slc_blocks", 99, "scheme.baseline.slc_blocks = 99: must be between"),
        ("scheme.baseline.slc_bloks", 4, "scheme.baseline.slc_bloks = 4: unknown key; did you"),
        ("scheme.turbo", {}, 'scheme.turbo: "turbo" is not a scheme'),
    ],
)
def test_what_is_wrong_in_a_result_names_its_line(
    comparison: slcache.Comparison,
    trace: Path,
    tmp_path: Path,
    key: str,
    value: object,
    told: str,
) -> None:
    """A whole configuration, of which one value is wrong, as a file of many lines and of one."""
    document = with_value(comparison.runs[1].to_dict(), f"config.{key}", value)
    file = tmp_path / "result.json"
    for indent in (2, None):
        text = json.dumps(document, indent=indent)
        file.write_text(text)
        # The configuration comes first, and no other scheme or pool has the key.
        at = text.index(f'"{key.split(".")[0]}"', text.index('"config"'))
        line = text.count("\n", 0, text.index(f'"{key.rpartition(".")[2]}"', at)) + 1
        for option in ("--config", "--device"):
            done = command("run", trace, option, file, "--scheme", "baseline")
            assert done.returncode == 3
            assert f"{file}:{line}: {told}" in done.stderr.decode()
        with pytest.raises(slcache.ConfigError) as caught:
            slcache.resolve(device=file, scheme="baseline")
        assert (caught.value.file, caught.value.line) == (str(file), line)


def test_a_result_is_a_device_wherever_a_device_file_is(
    comparison: slcache.Comparison, tmp_path: Path
) -> None:
    document = comparison.runs[1].to_dict()
    file = tmp_path / "result.json"
    file.write_text(json.dumps(document, indent=1))
    assert slcache.resolve(settings=file) == document["config"]
    assert slcache.device_facts(file)["name"] == document["config"]["device"]["name"]
    done = command("explain", "device.pool[0].blocks", "--device", file, "--json")
    assert f"{file}:" in done.stdout.decode()
    # One of several runs has no configuration.
    comparison.save(tmp_path / "both.json")
    with pytest.raises(slcache.ConfigError, match="a comparison has a configuration for each"):
        slcache.resolve(settings=tmp_path / "both.json")


def test_each_scheme_of_a_comparison_gets_its_own_section(trace: Path, tmp_path: Path) -> None:
    file = tmp_path / "both.toml"
    file.write_text(
        '[scheme.baseline]\nslc_blocks = 4\n[scheme.sector.slc]\nvictim = "fifo"\n'
        '[device]\nuser_bytes = "2MiB"\n'
    )
    done = command(
        "compare", trace, "--device", "tiny", "--schemes", "tlc-only,baseline,sector",
        "--config", file, "--address", "wrap", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    schemes = [run["config"]["scheme"] for run in json.loads(done.stdout)["runs"]]
    assert schemes[1]["baseline"]["slc_blocks"] == 4
    assert schemes[2]["sector"]["slc"]["victim"] == "fifo"


def test_a_file_with_a_device_needs_no_other(trace: Path, tmp_path: Path) -> None:
    tiny = Path(__file__).parent.parent / "presets/devices/tiny.toml"
    file = tmp_path / "whole.toml"
    file.write_text(tiny.read_text() + '\n[scheme.baseline]\ntrigger = "valid-share"\n')
    found = config(trace, "--config", file)
    assert found["scheme"]["baseline"]["trigger"] == "valid-share"
    assert command("run", trace, "--config", file, *TINY).returncode == 2


def test_the_configuration_of_a_result_is_accepted_as_it_is(trace: Path, tmp_path: Path) -> None:
    first = slcache.run(
        trace, device="tiny", scheme="baseline", replay="closed:2", seed=5,
        settings={"slc.victim": "fifo", "precondition.fill": 0.2},
    )  # fmt: skip
    own = first.to_dict()["config"]
    assert slcache.diff(first, slcache.run(trace, settings=own)).equal
    with pytest.raises(slcache.UsageError, match="leave device out"):
        slcache.run(trace, device="ips-384g", scheme="baseline", settings=own)
    first.save(tmp_path / "first.json")
    (tmp_path / "config.json").write_text(json.dumps(own))
    for name in ("first.json", "config.json"):
        done = command("run", trace, "--config", tmp_path / name, "--json")
        assert done.returncode == 0, done.stderr
        assert slcache.diff(first, slcache.Result(json.loads(done.stdout))).equal
        changed = config(trace, "--config", tmp_path / name, "--set", "run.seed=6")
        assert changed["run"]["seed"] == 6
    both = slcache.compare(trace, schemes=["baseline", "tlc-only"], settings=own)
    told = both.runs[0].to_dict()["config"]
    # A comparison counts the bound unless it is told not to.
    assert told["run"].pop("bound")
    assert told == own
    with pytest.raises(slcache.Error, match="device is missing"):
        slcache.run(trace, scheme="baseline", settings={"slc_blocks": 4})
    with pytest.raises(slcache.Error, match="scheme is missing"):
        slcache.run(trace, device="tiny")


def test_every_resolved_configuration_resolves_to_itself() -> None:
    held = 0
    for device in slcache.devices():
        for scheme in slcache.fitting(device=device["name"])[0]:
            found = slcache.resolve(device=device["name"], scheme=scheme)
            assert slcache.resolve(settings=found) == found, (device["name"], scheme)
            held += 1
    assert held > 50
