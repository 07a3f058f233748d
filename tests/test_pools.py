"""Pools of chips that a scheme leaves out, their names, and tables that say nothing."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import slcache
from support import slcache as command


def with_pools(*names: str) -> dict[str, Any]:
    """Return tiny with a pool of each name."""
    config = slcache.resolve(device="tiny", scheme="baseline")
    (own,) = config["device"]["pool"]
    config["device"]["pool"] = [copy.deepcopy(own) | {"name": name} for name in names]
    return config


def test_a_pool_that_no_region_uses_is_told(trace: Path, tmp_path: Path) -> None:
    config = with_pools("nand", "spare")
    told = "stores nothing in device pool spare: its capacity and its chips are left out"
    run = slcache.run(trace, settings=config, address="wrap")
    assert told in " ".join(run.summary().split())
    file = tmp_path / "two.json"
    file.write_text(json.dumps(config))
    for verb in (["run"], ["compare", "--schemes", "tlc-only,baseline"]):
        done = command(*verb[:1], trace, "--config", file, "--address", "wrap", *verb[1:])
        assert done.returncode == 0, done.stderr
        assert told in " ".join(done.stdout.decode().split())


@pytest.mark.parametrize(
    "name", ["", " ", "a\nb", "a\tb", "\x1b[2J", "\x7f", "a.b", "a b", 'a"b', "[0]", "é", "nand[0]"]
)
def test_a_pool_s_name_is_in_the_result_or_refused(name: str, trace: Path) -> None:
    def run() -> slcache.Result:
        return slcache.run(trace, settings=with_pools(name), address="wrap")

    if name.strip() and name.isprintable():
        assert {each["pool"] for each in run().to_dict()["flash"]["ops"]} == {name}
        return
    with pytest.raises(slcache.ConfigError) as refused:
        run()
    assert refused.value.key == "device.pool[0].name"
    kind = " in one line" if name.strip() else ", not empty"
    assert f"must be a name{kind}" in str(refused.value)


def test_two_pools_of_one_name_are_refused() -> None:
    with pytest.raises(slcache.ConfigError, match=r"another name than that of device\.pool\[0\]"):
        slcache.resolve(settings=with_pools("nand", "nand"))


def tables(value: Any, key: str = "") -> Iterator[str]:  # noqa: ANN401
    """Yield the keys of all tables of a configuration."""
    if isinstance(value, Mapping):
        yield from [key] if key else []
        for name, inner in value.items():
            yield from tables(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from tables(inner, f"{key}[{i}]")


@pytest.mark.parametrize("scheme", ["baseline", "client", "rl", "custom"])
def test_an_empty_table_is_an_error_or_has_an_effect(scheme: str) -> None:
    """Dotted, nested or by the command line's own words."""
    whole = slcache.resolve(device="tiny", scheme=scheme)
    for key in [*tables(whole), "host.link", "buffer", "device.map", "device.pool[3]", "nothing"]:
        nested: dict[str, Any] = {}
        for step in reversed(key.split(".")):
            nested = {step: nested}
        both: tuple[dict[str, Any], ...] = ({key: {}}, nested)
        for settings in both:
            told = refusal(scheme, settings)
            assert told is None or f"{key}" in told, key
            if told is None:
                found = slcache.resolve(device="tiny", scheme=scheme, settings=settings)
                assert found != whole, key


def refusal(scheme: str, settings: dict[str, Any]) -> str | None:
    try:
        slcache.resolve(device="tiny", scheme=scheme, settings=settings)
    except slcache.ConfigError as error:
        return str(error)
    return None
