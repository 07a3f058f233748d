"""Every key of the configuration and of results is explained, and what comes near is suggested."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import slcache
from slcache import explain
from slcache.cli.app import execute
from slcache.documents import keys
from slcache.words.names import leaves
from support import slcache as command


def test_no_key_is_without_an_explanation() -> None:
    dumb = [entry.key.name for entry in explain.entries() if not entry.key.text]
    assert dumb == []
    assert len(keys.of_config()) > 400
    assert len(keys.of_result()) > 200


def test_every_value_of_a_result_has_a_key(comparison: slcache.Comparison) -> None:
    for run in comparison.runs:
        for name, value in leaves(run.to_dict()):
            if value == [] or re.search(r"\.(cdf|histogram|values|figures)\b", name):
                continue
            (entry, *_) = explain.find(re.sub(r"(\[\d+\])+$", "", name))
            assert entry.key.text, name


def test_every_value_of_a_configuration_has_a_key() -> None:
    for entry in slcache.devices():
        fit, _ = slcache.fitting(device=entry["name"])
        for scheme in fit:
            config = slcache.resolve(device=entry["name"], scheme=scheme)
            for name, _ in leaves(config):
                assert explain.find(name)[0].key.text, name


def test_a_key_tells_type_unit_values_and_default() -> None:
    (victim,) = explain.find("scheme.baseline.slc.victim")
    assert "greedy" in dict(victim.key.allowed)
    assert "Two-level" in victim.paper
    (blocks,) = explain.find("device.pool[3].blocks")
    assert (blocks.key.unit, blocks.key.type) == ("blocks", "whole number")
    assert explain.find("config.device.pool[0].blocks") == [blocks]
    (table,) = explain.find("scheme.client.dynamic.table")
    assert explain.find("scheme.client.dynamic.table[3][0]") == [table]
    with pytest.raises(ValueError, match="is no key"):
        explain.find("scheme.baseline.slc_blocks[0]")
    (sizes,) = explain.find("scheme.baseline.slc_blocks")
    assert sizes.key.default == "64"
    (cause,) = explain.find("waf.by_cause.gc")
    assert "garbage collection" in cause.key.text
    assert len(explain.find("slc_blocks")) > 3
    (metric,) = explain.find("read_p99_ns")
    assert (metric.of, metric.key.unit) == ("metric", "ns")


def test_the_verb_prints_a_key_a_section_or_all_sections() -> None:
    one = command("explain", "host.replay").stdout.decode()
    assert "As fast as the queue depth allows" in one
    assert '"open"' in one
    section = command("explain", "device.pool").stdout.decode()
    assert "device.pool[].page_bytes" in section
    every = command("explain").stdout.decode()
    assert all(word in every for word in ("precondition", "provenance", "waf"))
    (found,) = json.loads(command("explain", "trace.sha256", "--json").stdout)
    assert found["of"] == "result"
    assert command("explain", "no.such.thing.at.all").returncode == 2


def test_a_key_is_found_without_its_brackets() -> None:
    listed = [each.key.name for each in explain.entries() if "[]" in each.key.name]
    assert "device.pool[].slc" in listed
    for key in listed:
        assert explain.find(key.replace("[]", "")) == explain.find(key)


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("scheme.sa.slc.separate_frontier", "the SLC blocks are emptied into the store"),
        ("scheme.tlc-only.idle.threshold_ns", "clean.idle_free_ratio above 0 asks for it"),
        ("scheme.nvc.large_request_bytes", "policy 1 and policy 2 tell large writes apart"),
        ("scheme.sa.slc_blocks", ""),
        ("host.time_scale", ""),
    ],
)
def test_a_key_that_does_nothing_as_it_stands_is_told(
    key: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["explain", key]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert why in told
    assert ("by default no effect" in told) == bool(why)


@pytest.mark.parametrize("device", ["hyssd-st", "hyssd-mt"])
def test_every_value_of_a_pool_stands_where_it_was_asked_for(device: str) -> None:
    config = slcache.resolve(device=device, scheme="hyssd")
    for name, value in leaves(config):
        if not name.startswith("device.pool"):
            continue
        asked = f"{name}[0]" if isinstance(value, list) and value else name
        (entry, *_) = explain.find(asked)
        found = explain.standing(entry, device, asked)
        assert found is not None, asked
        assert (found.key, found.value) == (asked, value[0] if asked != name else value)


def test_a_place_that_a_list_has_not_is_told() -> None:
    done = command("explain", "device.pool[1].blocks", "--device", "hyssd-st")
    assert "device.pool[1].blocks = 5,462" in done.stdout.decode()
    for key in ("device.pool[2].blocks", "device.pool[1].tlc.read_ns[9]"):
        done = command("explain", key, "--device", "hyssd-st")
        assert done.returncode == 2, key
        assert b"from [0] on" in done.stderr, done.stderr


@pytest.mark.parametrize("device", ["tiny", "rl-32g", "a result"])
def test_schemes_that_do_not_fit_are_told_and_the_others_go_on(
    device: str, comparison: slcache.Comparison, tmp_path: Path
) -> None:
    """Of every scheme its first key: what it stands at, or why the scheme does not fit."""
    if device == "a result":
        device = str(tmp_path / "result.json")
        Path(device).write_text(json.dumps(comparison.runs[1].to_dict()))
    fit, problems = slcache.fitting(device=device)
    keys = {entry.key.name.split(".")[1]: entry for entry in explain.entries() if of_scheme(entry)}
    assert keys.keys() == {*fit, *problems} - {"disk-only"}
    for scheme, entry in keys.items():
        at = explain.standing(entry, device, entry.key.name)
        assert at is None or at.problem == problems.get(scheme, ""), scheme
    done = command("explain", "slc_blocks", "--device", device)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.decode().split())
    assert "nvc does not fit: device.disk = absent" in told
    done = command("explain", "scheme.nvc.slc_blocks", "--device", device)
    assert "nvc does not fit: device.disk = absent" in " ".join(done.stdout.decode().split())


def of_scheme(entry: explain.Entry) -> bool:
    name = entry.key.name
    own = entry.of == "configuration" and name.startswith("scheme.")
    return own and name.count(".") == 2 and not entry.key.section


#: Stands where a key may have any name.
ANY = "anything"


def spelt(entry: explain.Entry) -> list[str]:
    """Return a key as somebody asks for it, for each name that varies in it."""
    return explain.spelt(entry.key.name) or [entry.key.name.replace("*", ANY)]


#: Sections whose names a class or a format decides.
OPEN = ("scheme.custom.options", "trace.options")


def test_every_key_is_explained_and_none_with_a_segment_that_is_not() -> None:
    names = [name for entry in explain.entries() for name in spelt(entry)]
    for name in names:
        assert name in [found.key.name for found in explain.find(name)]
    for turn, name in enumerate(names[::7]):
        steps = name.split(".")
        at = turn % len(steps)
        wrong = ("nonsense", f"{steps[at]}x", "*")[turn % 3]
        if steps[at] != ANY and ".".join(steps[:at]) not in OPEN:
            with pytest.raises(ValueError, match="is no key"):
                explain.find(".".join([*steps[:at], wrong, *steps[at + 1 :]]))


def test_no_key_is_of_what_it_is_not() -> None:
    """A configuration's key has no result's section in front, and the other way round."""
    config = {entry.key.name for entry in explain.entries() if entry.of == "configuration"}
    for entry in explain.entries()[::5]:
        for name in spelt(entry):
            front = "config" if entry.of != "configuration" else "waf"
            if name in config and front == "config":
                continue
            with pytest.raises(ValueError, match="is no key") as refused:
                explain.find(f"{front}.{name}")
            assert front == "waf" or f"did you mean {name}?" in str(refused.value)


@pytest.mark.parametrize(
    ("key", "told"),
    [("device.pool.blocks", "4 to 65536"), ("host.link", "pcie3x4, pcie4x4")],
)
def test_what_is_allowed_without_a_meaning_has_no_empty_column(
    key: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["explain", key]) == 0
    shown = capsys.readouterr().out
    assert "what it means" not in shown
    assert re.search(rf"^ allowed +{told}", shown, re.MULTILINE)
