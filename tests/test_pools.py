"""Names of pools of chips, and tables that say nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import slcache


@pytest.mark.parametrize(
    "name", ["", " ", "a\nb", "a\tb", "\x1b[2J", "\x7f", "a.b", "a b", 'a"b', "[0]", "é", "nand[0]"]
)
def test_a_pool_s_name_is_in_the_result_or_refused(name: str, trace: Path) -> None:
    config = slcache.resolve(device="tiny", scheme="baseline")
    config["device"]["pool"][0]["name"] = name
    if name.strip() and name.isprintable():
        found = slcache.run(trace, settings=config, address="wrap").to_dict()
        assert {each["pool"] for each in found["flash"]["ops"]} == {name}
        return
    with pytest.raises(slcache.ConfigError) as refused:
        slcache.run(trace, settings=config)
    assert refused.value.key == "device.pool[0].name"
    kind = " in one line" if name.strip() else ", not empty"
    assert f"must be a name{kind}" in str(refused.value)


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
            try:
                found = slcache.resolve(device="tiny", scheme=scheme, settings=settings)
                told = None
            except slcache.ConfigError as error:
                found, told = whole, str(error)
            assert (found != whole) if told is None else (key in told), key
