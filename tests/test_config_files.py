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
#: What the file says, as settings.
SETS = ["slc_blocks=4", "device.pool[0].blocks=20", "run.seed=7", "scheme.baseline.slc.victim=fifo"]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A configuration file that changes single keys."""
    file = tmp_path / "my stüdy.toml"
    file.write_text(GOOD)
    return file


def resolved(file: Path, **settings: object) -> dict[str, object]:
    found = content.read(file)
    assert found.device is None
    given = {**found.settings, **settings}
    return catalogue.resolve(device="tiny", scheme="baseline", settings=given)


def test_a_file_says_what_settings_say(study: Path) -> None:
    said = dict(pair.split("=") for pair in SETS)
    assert resolved(study) == catalogue.resolve(device="tiny", scheme="baseline", settings=said)


@pytest.mark.parametrize(
    "above",
    [
        {"scheme.baseline.slc_blocks": 3},
        {"slc_blocks": 3},
        {"scheme": {"baseline": {"slc_blocks": 3}}},
    ],
)
def test_a_setting_is_above_the_file_however_it_is_written(
    study: Path, above: dict[str, object]
) -> None:
    config = resolved(study, **above)
    changed = catalogue.resolve(
        device="tiny",
        scheme="baseline",
        settings=dict(pair.split("=") for pair in [*SETS[1:], "slc_blocks=3"]),
    )
    assert config == changed


def test_an_option_is_above_the_file(study: Path, trace: Path) -> None:
    done = command(
        "run", trace, "--device", "tiny", "--scheme", "baseline", "--config", study,
        "--seed", "9", "--replay", "closed:2", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    config = json.loads(done.stdout)["config"]
    assert config["run"]["seed"] == 9
    assert config["scheme"]["baseline"]["slc_blocks"] == 4
    assert config["device"]["pool"][0]["blocks"] == 20


def refused(trace: Path, file: Path, text: str, told: str) -> None:
    """Assert that a run refuses a configuration in `file`, and what is told behind its name."""
    file.write_text(text)
    done = command("run", trace, "--device", "tiny", "--scheme", "baseline", "--config", file)
    assert done.returncode == 3
    assert f"{file}{told.replace('{file}', str(file))}" in done.stderr.decode()
    assert done.stdout == b""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (STUDY, ":11: device.pool_is_not_here"),
        ("[run]\nsed = 1\n", ":2: run.sed: unknown key"),
        ("[scheme.baseline]\nslc_blocks = 99\n", ":2: scheme.baseline.slc_blocks = 99: must be"),
        ("[scheme.ips]\nlayers = 9\n", ":2: the run's scheme is baseline"),
        ("slc_blocks = 4\nscheme.baseline.slc_blocks = 5\n", ":1: scheme.baseline.slc_blocks: "),
        ("a = [\n", ":1: not valid TOML"),
        ("[host]\nqueue_depth = -1\n", ":2: host.queue_depth = -1"),
    ],
)
def test_what_is_wrong_names_file_and_line(
    trace: Path, tmp_path: Path, text: str, told: str
) -> None:
    refused(trace, tmp_path / "bad.toml", text, told)


#: Whole configurations, each with a fault, and what is told of it in a file of many lines.
FAULTS: list[tuple[str, object, str]] = [
    ("device.pool.0.blokcs", 3, "device.pool[0].blokcs = 3: unknown key; did you mean blocks?"),
    ("device.pool.0.blocks", "x", 'device.pool[0].blocks = "x": '),
    ("host.queue_depth", -1, "host.queue_depth = -1: "),
    ("scheme.baseline.slc_blocks", 99, "scheme.baseline.slc_blocks = 99: must be between"),
    ("scheme.baseline.slc_bloks", 4, "scheme.baseline.slc_bloks = 4: unknown key; did you mean"),
    ("scheme.turbo", {}, 'scheme.turbo: "turbo" is not a scheme'),
]


def with_value(document: Any, key: str, value: object) -> Any:  # noqa: ANN401
    """Return a document with another value at a dotted key."""
    changed = copy.deepcopy(document)
    *steps, last = key.split(".")
    place = changed
    for step in steps:
        place = place[int(step) if isinstance(place, list) else step]
    place[last] = value
    return changed


@pytest.mark.parametrize(("key", "value", "told"), FAULTS)
@pytest.mark.parametrize("option", ["--config", "--device"])
def test_what_is_wrong_in_a_result_names_its_line(
    comparison: slcache.Comparison,
    trace: Path,
    tmp_path: Path,
    option: str,
    key: str,
    value: object,
    told: str,
) -> None:
    document = with_value(comparison.runs[1].to_dict(), f"config.{key}", value)
    file = tmp_path / "result.json"
    own, name = ["--scheme", "baseline"], key.rpartition(".")[2]
    for indent in (2, None):
        text = json.dumps(document, indent=indent)
        file.write_text(text)
        # The configuration comes first, and no other scheme or pool has the key.
        at = text.index(f'"{name}"', text.index(f'"{key.split(".")[0]}"', text.index('"config"')))
        line = text.count("\n", 0, at) + 1
        done = command("run", trace, option, file, *own)
        assert done.returncode == 3
        assert f"{file}:{line}: {told}" in done.stderr.decode()
        with pytest.raises(slcache.ConfigError) as caught:
            slcache.resolve(device=file, scheme="baseline")
        assert (caught.value.file, caught.value.line) == (str(file), line)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"run":\n{"sed": 1}}', ":2: run.sed: unknown key; did you mean run.seed?"),
        ('{"a": "{",\n"scheme.baseline.slc_blocks":\n99}', ":2: scheme.baseline.slc_blocks = 99"),
        ('{\n"run": {\n"seed": null}}', ":3: run.seed = null: leave it out; only a whole"),
        ('{"run": {"seed": 1,\n"seed": 2}}', ":2: run.seed: line 1 says it as well; give one"),
        ('{"run": {\n"seed": 1},\n"run.seed": 2}', ":3: run.seed: {file}:2 says it as well"),
        ('{"run": {\n"seed": 1,}}', ":2: not valid JSON: key must be a string at column 11"),
        ("[1]", ":1: a configuration is an object"),
    ],
)
def test_what_is_wrong_in_json_names_file_and_line(
    trace: Path, tmp_path: Path, text: str, told: str
) -> None:
    refused(trace, tmp_path / "bad.json", text, told)


def test_json_says_what_toml_says(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    file.write_text('{"slc_blocks": 4, "device.pool[0].blocks": 20, "run": {"seed": 7},'
                    ' "scheme": {"baseline": {"slc": {"victim": "fifo"}}}}')  # fmt: skip
    said = dict(pair.split("=") for pair in SETS)
    assert resolved(file) == catalogue.resolve(device="tiny", scheme="baseline", settings=said)


def test_a_result_is_a_device_wherever_a_device_file_is(
    comparison: slcache.Comparison, tmp_path: Path
) -> None:
    file = tmp_path / "result.json"
    file.write_text(json.dumps(comparison.runs[1].to_dict(), indent=1))
    config = comparison.runs[1].to_dict()["config"]
    assert slcache.resolve(settings=file) == config
    assert slcache.device_facts(file)["name"] == config["device"]["name"]
    done = command("explain", "device.pool[0].blocks", "--device", file, "--json")
    assert f"{file}:" in done.stdout.decode()


def test_a_key_that_is_two_in_a_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "twice.toml"
    file.write_text('"run.seed" = 1\n[run]\nseed = 2\n')
    with pytest.raises(slcache.ConfigError, match=r":3 says it as well; give one of the two") as e:
        content.read(file)
    assert (e.value.key, e.value.line) == ("run.seed", 1)


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
    done = command("run", trace, "--config", file, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["config"]["scheme"]["baseline"]["trigger"] == "valid-share"
    done = command("run", trace, "--config", file, "--device", "tiny", "--scheme", "baseline")
    assert done.returncode == 2


def test_the_configuration_of_a_result_is_accepted_as_it_is(trace: Path, tmp_path: Path) -> None:
    first = slcache.run(
        trace, device="tiny", scheme="baseline", replay="closed:2", seed=5,
        settings={"slc.victim": "fifo", "precondition.fill": 0.2},
    )  # fmt: skip
    config = first.to_dict()["config"]
    again = slcache.run(trace, settings=config)
    assert slcache.diff(first, again).equal
    with pytest.raises(slcache.UsageError, match="leave device out"):
        slcache.run(trace, device="ips-384g", scheme="baseline", settings=config)
    first.save(tmp_path / "first.json")
    (tmp_path / "config.json").write_text(json.dumps(config))
    for name in ("first.json", "config.json"):
        done = command("run", trace, "--config", tmp_path / name, "--json")
        assert done.returncode == 0, done.stderr
        assert slcache.diff(first, slcache.Result(json.loads(done.stdout))).equal
        changed = command(
            "run", trace, "--config", tmp_path / name, "--set", "run.seed=6", "--json"
        )
        assert json.loads(changed.stdout)["config"]["run"]["seed"] == 6
    both = slcache.compare(trace, schemes=["baseline", "tlc-only"], settings=config)
    told = both.runs[0].to_dict()["config"]
    # A comparison counts the bound unless it is told not to.
    assert told["run"].pop("bound")
    assert told == config
    with pytest.raises(slcache.Error, match="device is missing"):
        slcache.run(trace, scheme="baseline", settings={"slc_blocks": 4})
    with pytest.raises(slcache.Error, match="scheme is missing"):
        slcache.run(trace, device="tiny")


def test_every_resolved_configuration_resolves_to_itself() -> None:
    held = 0
    for device in slcache.devices():
        for scheme in slcache.fitting(device=device["name"])[0]:
            config = slcache.resolve(device=device["name"], scheme=scheme)
            assert slcache.resolve(settings=config) == config, (device["name"], scheme)
            held += 1
    assert held > 50


def test_a_comparison_is_no_configuration(comparison: slcache.Comparison, tmp_path: Path) -> None:
    comparison.save(tmp_path / "both.json")
    with pytest.raises(slcache.ConfigError, match="a comparison has a configuration for each"):
        slcache.resolve(settings=tmp_path / "both.json")
